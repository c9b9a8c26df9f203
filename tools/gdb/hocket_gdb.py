# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Commands for gdb: `hocket tasks` lists the tasks of a Hocket program, `hocket bt N` shows where task N is. They
# need no debug information of the library: hocket_debug_layout (src/sched/debug_layout.hpp) says where things are.
#
#   gdb -x hocket_gdb.py --args ./program      or in gdb:  source hocket_gdb.py
import gdb

VERSION = 1
FIELDS = """version newest_chunk chunk_base chunk_block chunk_count chunk_stack chunk_used chunk_older area_bytes
stack_in_area task_sp task_on task_id task_begins_with task_waits task_waits_on task_waits_count task_since task_runs
task_level descriptor_word descriptor_operations descriptor_link descriptor_data operations_named worker_number
worker_current saved_pc saved_frame_pointer saved_rbx saved_size forked_child seconds_since""".split()
WAITS = ["nothing", "task", "any task", "forked child", "event", "mutex", "timer", "blocking call",
         "full word", "empty word", "shared mutex", "condition", "semaphore", "barrier", "latch", "counter", "channel"]
STATE_MASK, CLAIMED = 3, 1  # of a descriptor's word
WITHOUT_PROCESS = "there is no process and no core file to look at; run the program first"


def read(at, size):
    try:
        return int.from_bytes(gdb.selected_inferior().read_memory(at, size), "little")
    except gdb.MemoryError as e:
        raise gdb.GdbError(f"memory at {at:#x} cannot be read: {e}")


def word(at):
    return read(at, 8)


def text(at):
    out = b""
    while len(out) < 100:
        byte = bytes(gdb.selected_inferior().read_memory(at + len(out), 1))
        if byte == b"\0":
            break
        out += byte
    return out.decode("utf-8", "replace")


class Layout:
    """The table, as attributes."""

    def __init__(self):
        if not gdb.selected_inferior().threads():
            raise gdb.GdbError(WITHOUT_PROCESS)
        try:
            at = int(gdb.parse_and_eval("(unsigned long)&hocket_debug_layout"))
        except gdb.error:
            raise gdb.GdbError("the program has no symbol hocket_debug_layout: it does not use hocket, has been "
                               "stripped, or has not loaded libhocket.so yet")
        for i, name in enumerate(FIELDS):
            setattr(self, name, word(at + 8 * i))
        if self.version != VERSION:
            raise gdb.GdbError(f"this script knows version {VERSION} of hocket_debug_layout, the program has "
                               f"{self.version}; use the script that was installed with its library")


class Task:
    """One control block."""

    def __init__(self, layout, at):
        self.layout, self.at = layout, at
        self.number = word(at + layout.task_id)
        self.sp = word(at + layout.task_sp)
        self.waits = read(at + layout.task_waits, 1)
        self.runs = word(at + layout.task_runs)
        self.begins_with = word(at + layout.task_begins_with)
        self.level = read(at + layout.task_level, 1)

    def in_use(self):
        return self.number != 0 and (self.waits != 0 or self.runs != 0 or self.begins_with != 0)

    def runs_now(self):
        worker = word(self.at + self.layout.task_on)
        return self.waits == 0 and self.runs != 0 and worker != 0 and \
            word(worker + self.layout.worker_current) == self.at

    def name(self):
        return name_of(self.layout, self.runs or self.begins_with)

    def state(self):
        if self.waits != 0:
            return "waits for " + self.awaited()
        if self.runs_now():
            worker = word(self.at + self.layout.task_on)
            return f"runs on worker {read(worker + self.layout.worker_number, 4)}"
        return "is ready" if self.runs != 0 else "is ready, has not begun"

    def awaited(self):
        kind = WAITS[self.waits] if self.waits < len(WAITS) else f"kind {self.waits}"
        at = word(self.at + self.layout.task_waits_on)
        if kind == "task":
            return describe(self.layout, at)
        if kind == "any task":
            n = word(self.at + self.layout.task_waits_count)
            return f"any of {n} tasks: " + ", ".join(describe(self.layout, word(at + 8 * i)) for i in range(min(n, 4)))
        article = "an" if kind[0] in "ae" else "a"
        return f"{article} {kind}" + (f" at {at:#x}" if at != 0 else "")

    def seconds(self):
        """How long it has waited, or None: that takes a live process, whose clock is asked."""
        if self.waits == 0 or not is_live():
            return None
        since = word(self.at + self.layout.task_since)
        try:
            return float(gdb.parse_and_eval(f"((double (*)(unsigned long)){self.layout.seconds_since})({since})"))
        except gdb.error:
            return None


def is_live():
    try:
        return gdb.selected_inferior().pid > 0 and "exec" in gdb.execute("info target", to_string=True) and \
            "core dump file" not in gdb.execute("info target", to_string=True)
    except gdb.error:
        return False


def name_of(layout, descriptor):
    if descriptor == layout.forked_child:
        return "child"
    operations = word(descriptor + layout.descriptor_operations)
    if read(operations + layout.operations_named, 1) == 0:
        return "task"
    name = word(descriptor + layout.descriptor_data)
    return text(name) if name != 0 else "task"


def describe(layout, descriptor):
    what = f"task '{name_of(layout, descriptor)}'"
    if word(descriptor + layout.descriptor_word) & STATE_MASK == CLAIMED:
        runner = word(descriptor + layout.descriptor_link)
        what += f" (#{word(runner + layout.task_id)})"
    return what


def tasks(layout):
    """Every task that has a stack and has not ended, in the order of their numbers."""
    found = []
    chunk = word(layout.newest_chunk)
    while chunk != 0:
        base, block = word(chunk + layout.chunk_base), word(chunk + layout.chunk_block)
        if word(chunk + layout.chunk_stack) != 0:
            for i in range(word(chunk + layout.chunk_used)):
                task = Task(layout, base + (i + 1) * block - layout.area_bytes + layout.stack_in_area)
                if task.in_use():
                    found.append(task)
        chunk = word(chunk + layout.chunk_older)
    return sorted(found, key=lambda t: t.number)


class quiet_calls:
    """Keeps other threads from running while the process is asked for its clock."""

    def __enter__(self):
        self.before = gdb.parameter("scheduler-locking")
        if is_live():
            gdb.execute("set scheduler-locking on", to_string=True)

    def __exit__(self, *what):
        if is_live():
            gdb.execute(f"set scheduler-locking {self.before}", to_string=True)


class Hocket(gdb.Command):
    """Commands for programs that use hocket: hocket tasks, hocket bt N."""

    def __init__(self):
        super().__init__("hocket", gdb.COMMAND_USER, prefix=True)


class HocketTasks(gdb.Command):
    """hocket tasks: every task that has a stack: its number, name, state, what it waits for, since when."""

    def __init__(self):
        super().__init__("hocket tasks", gdb.COMMAND_USER)

    def invoke(self, argument, from_tty):
        layout = Layout()
        with quiet_calls():
            found = tasks(layout)
            for t in found:
                seconds = t.seconds()
                ago = "" if seconds is None else f", for {seconds:.1f} s"
                level = {0: ", of low priority", 2: ", of high priority"}.get(t.level, "")
                print(f"#{t.number} '{t.name()}'{level} {t.state()}{ago}")
        print(f"{len(found)} task{'' if len(found) == 1 else 's'} with a stack")


class HocketBacktrace(gdb.Command):
    """hocket bt N: where the task with that number is; the words after N are given to gdb's bt."""

    def __init__(self):
        super().__init__("hocket bt", gdb.COMMAND_USER)

    def invoke(self, argument, from_tty):
        words = argument.split()
        if not words or not words[0].lstrip("#").isdigit():
            raise gdb.GdbError("usage: hocket bt N, where N is a number that `hocket tasks` shows")
        layout = Layout()
        number = int(words[0].lstrip("#"))
        task = next((t for t in tasks(layout) if t.number == number), None)
        if task is None:
            raise gdb.GdbError(f"there is no task #{number} with a stack; `hocket tasks` shows those there are")
        bt = " ".join(["bt"] + words[1:])
        if task.runs_now():
            show_running(task, bt)
        elif layout.saved_size == 0:
            raise gdb.GdbError("with this context switch (Boost.Context) it is not known where a suspended task is")
        elif is_live():
            show_suspended(task, bt)
        else:
            raise gdb.GdbError("in a core file gdb cannot be shown another stack; `hocket tasks` works there. The "
                               f"task's stack pointer is {task.sp + layout.saved_size:#x}, it goes on at "
                               f"{word(task.sp + layout.saved_pc):#x}")


def show_running(task, bt):
    """Its stack is that of the thread whose stack pointer lies in it."""
    top = task.at
    before = gdb.selected_thread()
    try:
        for thread in gdb.selected_inferior().threads():
            thread.switch()
            sp = int(gdb.newest_frame().read_register("sp"))
            if top - (1 << 40) < sp < top and task_of(task.layout, sp) == task.at:
                gdb.execute(bt)
                return
        raise gdb.GdbError(f"task #{task.number} runs, but on no thread that gdb shows")
    finally:
        before.switch()


def task_of(layout, sp):
    """The control block above a stack pointer, or 0."""
    chunk = word(layout.newest_chunk)
    while chunk != 0:
        base, block = word(chunk + layout.chunk_base), word(chunk + layout.chunk_block)
        if word(chunk + layout.chunk_stack) != 0 and base <= sp < base + block * word(chunk + layout.chunk_count):
            return base + ((sp - base) // block + 1) * block - layout.area_bytes + layout.stack_in_area
        chunk = word(chunk + layout.chunk_older)
    return 0


def show_suspended(task, bt):
    """The current thread is given the task's registers for the time of a backtrace."""
    layout = task.layout
    arm = gdb.selected_inferior().architecture().name().startswith("aarch64")
    registers = {"pc": word(task.sp + layout.saved_pc), "sp": task.sp + layout.saved_size,
                 ("x29" if arm else "rbp"): word(task.sp + layout.saved_frame_pointer)}
    if layout.saved_rbx != layout.saved_size:
        registers["rbx"] = word(task.sp + layout.saved_rbx)
    frame = gdb.selected_frame()
    level = frame.level()
    gdb.newest_frame().select()
    before = {name: int(gdb.parse_and_eval(f"(unsigned long)${name}")) for name in registers}
    try:
        for name, value in registers.items():
            gdb.execute(f"set ${name} = {value}", to_string=True)
        gdb.execute(bt)
    finally:
        gdb.newest_frame().select()
        for name, value in before.items():
            gdb.execute(f"set ${name} = {value}", to_string=True)
        gdb.execute(f"frame {level}", to_string=True)


Hocket()
HocketTasks()
HocketBacktrace()
