# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# gdb_backtrace.py GDB PROGRAM: breaks inside a task and checks that gdb walks its stack to the root without an error.
import subprocess
import sys


def main():
    if len(sys.argv) != 3:
        print("usage: gdb_backtrace.py GDB PROGRAM", file=sys.stderr)
        return 2
    gdb, program = sys.argv[1:]
    commands = ["set pagination off", "set debuginfod enabled off", "set breakpoint pending on",
                "break inside_a_task", "run", "bt", "kill"]
    words = [gdb, "-nx", "-batch"]
    for command in commands:
        words += ["-ex", command]
    done = subprocess.run(words + [program], capture_output=True, text=True, timeout=100, check=False)
    text = done.stdout + done.stderr
    frames = [line for line in done.stdout.splitlines() if line.startswith("#")]
    wrong = []
    if not frames or "inside_a_task" not in frames[0]:
        wrong.append("the breakpoint in the task was not reached")
    elif not any("base_loop" in f for f in frames):
        wrong.append("the base of the stack (base_loop) was not reached")
    elif not ("base_loop" in frames[-1] or "hocket_stack_root" in frames[-1]):
        wrong.append("the walk went on beyond the root: " + frames[-1])
    for complaint in ("Backtrace stopped", "corrupt stack", "Cannot access memory"):
        if complaint in text:
            wrong.append("gdb says: " + complaint)
    if wrong:
        print("; ".join(wrong) + "\n" + text)
        return 1
    print(f"gdb walked {len(frames)} frames to the root")
    return 0


sys.exit(main())
