# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""quicksort of text files beside the system's `LC_ALL=C sort`. One case a call: text_sort_test.py CASE --quicksort=PATH"""
import functools
import json
import os
import pty
import random
import resource
import shutil
import stat
import subprocess
import tempfile
import threading

from program_runs import main, paths, refused, run


def in_folder(case):
    """Gives a case an empty folder, which must hold no leftovers of ours at the end."""
    @functools.wraps(case)
    def wrapped():
        with tempfile.TemporaryDirectory(prefix="hocket-text-") as folder:
            case(folder)
            left = [name for name in os.listdir(folder) if ".quicksort" in name]
            assert not left, f"left behind: {left}"
    return wrapped


def write(folder, name, content):
    path = os.path.join(folder, name)
    with open(path, "wb") as file:
        file.write(content)
    return path


def read(path):
    with open(path, "rb") as file:
        return file.read()


def by_sort(path):
    return subprocess.run(["sort", path], env={**os.environ, "LC_ALL": "C"}, check=True, capture_output=True).stdout


def expect_as_sort(folder, content, *options):
    """Sorts this content with both and compares the bytes."""
    path = write(folder, "input", content)
    output = os.path.join(folder, "output")
    run("quicksort", "--input", path, "--output", output, *options)
    got, right = read(output), by_sort(path)
    assert got == right, f"{content[:200]!r}{options}: got {got[:200]!r}, sort gives {right[:200]!r}"
    assert read(path) == content, "the input was changed"


@in_folder
def edge_cases(folder):
    for content in (b"", b"\n", b"\n\n\n", b"a", b"a\n", b"b\na", b"b\na\n", b"a\n\n", b"\na", b"\0", b"\0\n\0\0\n\n",
                    b"a\na\0\na\0b\nab\na\n", b"b\r\na\r\n", b"a\r\na\n", b"a \na\na\t\n", b"\xff\n\x80\n\x7f\n \n",
                    b"abcdefg\nabcdefgh\nabcdefg\0\nabcdef\n", b"Z\na\nz\nA\n_\n", "\u00e9\ne\n\u4e2d\n".encode(),
                    b"1\n10\n2\n", b"x" * 300000, b"x\n" * 300000):
        for options in ((), ("--depth", "0"), ("--never-serialise",)):
            expect_as_sort(folder, content, *options)


def random_text(seed, lines, alphabet, longest, prefix=b"", last_newline=True):
    pick = random.Random(seed)
    made = [prefix[:pick.randrange(len(prefix) + 1)] +
            bytes(pick.choices(alphabet, k=pick.randrange(longest + 1))) for _ in range(lines)]
    return b"\n".join(made) + (b"\n" if last_newline else b"")


ALL_BYTES = bytes(byte for byte in range(256) if byte != 10)


@in_folder
def generated_texts(folder):
    for seed, (alphabet, longest, prefix) in enumerate((
            (ALL_BYTES, 30, b""), (b"ab", 30, b""), (b"a", 100, b""), (b"\0", 40, b""), (b"\0\x01\xff", 12, b""),
            (b"0123456789", 2, b""), (b"ab", 3, b" " * 150), (ALL_BYTES, 0, b""), (b"a b\r", 20, b"\t"))):
        for workers in (1, 2, 8, 64):
            content = random_text(seed, 20000, alphabet, longest, prefix, last_newline=seed % 2 == 0)
            expect_as_sort(folder, content, "--hk-workers", workers)


@in_folder
def long_lines(folder):
    block = bytes(random.Random(1).choices(ALL_BYTES, k=1 << 16))
    expect_as_sort(folder, b"b" * (1 << 21) + b"\n" + b"a" * (1 << 21) + b"\n" + b"a" * ((1 << 21) - 1))
    expect_as_sort(folder, b"\n".join(block * 300 + ending for ending in (b"b", b"", b"a\0", b"a")))  # 19 MB a line
    expect_as_sort(folder, b"\n".join(block[:pick] for pick in range(0, 1 << 16, 700)))


@in_folder
def same_file(folder):
    path = write(folder, "text", b"b\nc\na")
    run("quicksort", "--input", path, "--output", path)
    assert read(path) == b"a\nb\nc\n"
    assert os.listdir(folder) == ["text"]


@in_folder
def stream_input(folder):
    content = random_text(7, 100000, b"abc", 40)
    output = os.path.join(folder, "output")
    path = write(folder, "input", content)
    run("quicksort", "--input", "/dev/stdin", "--output", output, input=content)
    assert read(output) == by_sort(path)
    run("quicksort", "--input", "/dev/null", "--output", output)
    assert read(output) == b""
    run("quicksort", "--input", "/proc/self/status", "--output", output)  # regular, but says that its size is 0
    assert b"\nName:\tquicksort\n" in read(output)


@in_folder
def special_output(folder):
    path = write(folder, "input", random_text(8, 300000, b"abc", 40))
    run("quicksort", "--input", path, "--output", "/dev/null")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode), "/dev/null was replaced"
    pipe = os.path.join(folder, "pipe")
    os.mkfifo(pipe)
    received = os.path.join(folder, "received")
    with open(received, "wb") as file, subprocess.Popen(["cat", pipe], stdout=file):
        run("quicksort", "--input", path, "--output", pipe)
    assert read(received) == by_sort(path)
    assert stat.S_ISFIFO(os.stat(pipe).st_mode), "the pipe was replaced"


@in_folder
def symbolic_link(folder):
    path = write(folder, "input", b"b\na\n")
    target = write(folder, "target", b"old\n")
    link = os.path.join(folder, "link")
    os.symlink("target", link)
    run("quicksort", "--input", path, "--output", link)
    assert os.path.islink(link) and read(target) == b"a\nb\n"
    dangling = os.path.join(folder, "dangling")
    os.symlink("not-yet", dangling)
    run("quicksort", "--input", path, "--output", dangling)
    assert read(dangling) == b"a\nb\n"


@in_folder
def keeps_mode(folder):
    path = write(folder, "input", b"b\na\n")
    existing = write(folder, "existing", b"old\n")
    os.chmod(existing, 0o640)
    run("quicksort", "--input", path, "--output", existing)
    assert stat.S_IMODE(os.stat(existing).st_mode) == 0o640
    fresh = os.path.join(folder, "fresh")
    run("quicksort", "--input", path, "--output", fresh, preexec_fn=lambda: os.umask(0o027))
    assert stat.S_IMODE(os.stat(fresh).st_mode) == 0o640


@in_folder
def missing_input(folder):
    output = write(folder, "output", b"precious\n")
    path = os.path.join(folder, "missing")
    refused("quicksort", "--input", path, "--output", output, words=["cannot read " + path, "No such file"])
    assert read(output) == b"precious\n"


@in_folder
def folder_input(folder):
    output = os.path.join(folder, "output")
    refused("quicksort", "--input", folder, "--output", output, words=["cannot read " + folder, "directory"])
    assert not os.path.exists(output)


@in_folder
def missing_folder(folder):
    path = write(folder, "input", b"b\na\n")
    output = os.path.join(folder, "no", "output")
    refused("quicksort", "--input", path, "--output", output, words=["cannot write " + output, "No such file"])


@in_folder
def folder_output(folder):
    path = write(folder, "input", b"b\na\n")
    refused("quicksort", "--input", path, "--output", folder, words=["cannot write " + folder, "directory"])
    refused("quicksort", "--input", path, "--output", "", words=["cannot write", "No such file"])
    refused("quicksort", "--input", path, "--output", "/proc/nowhere", words=["cannot write /proc/nowhere"])


@in_folder
def read_only_output(folder):
    path = write(folder, "input", b"b\na\n")
    output = write(folder, "output", b"precious\n")
    os.chmod(output, 0o444)
    os.chmod(folder, 0o777)
    how = {}
    if os.geteuid() == 0:  # whom no mode stops: be somebody else, who may need a copy to run the program
        paths["quicksort"] = shutil.copy(paths["quicksort"], os.path.join(folder, "quicksort"))
        how = {"preexec_fn": lambda: os.setuid(65534)}
    refused("quicksort", "--input", path, "--output", output, words=["cannot write " + output, "denied"], **how)
    os.chmod(folder, 0o555)
    new = os.path.join(folder, "new")
    refused("quicksort", "--input", path, "--output", new, words=["cannot write " + new, "denied"], **how)
    os.chmod(folder, 0o755)
    assert read(output) == b"precious\n" and not os.path.exists(new)


@in_folder
def full_disk(folder):
    path = write(folder, "input", random_text(9, 200000, b"abc", 40))
    refused("quicksort", "--input", path, "--output", "/dev/full", words=["cannot write /dev/full", "No space"])
    output = write(folder, "output", b"precious\n")

    def little_room():  # files of a megabyte at most: the middle of the write fails
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))
    # Python ignores SIGXFSZ, and so does the program that inherits it: write() then returns an error.
    refused("quicksort", "--input", path, "--output", output, words=["cannot write " + output],
            preexec_fn=little_room, restore_signals=False)
    assert read(output) == b"precious\n"
    assert sorted(os.listdir(folder)) == ["input", "output"]


@in_folder
def half_an_invocation(folder):
    path = write(folder, "input", b"b\na\n")
    refused("quicksort", "--input", path, words=["--output is missing"])
    refused("quicksort", "--output", path, words=["--input is missing"])
    refused("quicksort", "--input", path, "--output", path, "--size", "10", words=["--size"])
    assert read(path) == b"b\na\n"


@in_folder
def progress_lines(folder):
    path = write(folder, "input", random_text(10, 200000, b"abc", 40))
    output = os.path.join(folder, "output")
    _, plain = run("quicksort", "--input", path, "--output", output, "--progress")
    for phase in ("read", "sort", "write"):
        shown = [int(line.split()[1]) for line in plain.splitlines() if line.startswith(phase + " ")]
        assert shown == sorted(set(shown)) and shown[-1] == 100, plain
    _, silent = run("quicksort", "--input", path, "--output", output)
    assert silent == "", silent
    assert read(output) == by_sort(path)


def progress_bar():
    ours, terminal = pty.openpty()
    received = []

    def listen():  # a terminal holds 4 KB and then blocks its writer
        try:
            while piece := os.read(ours, 4096):
                received.append(piece)
        except OSError:
            pass  # how a terminal says that its last writer is gone
    listener = threading.Thread(target=listen)
    listener.start()
    run("quicksort", "--size", "1000000", "--progress", stderr=terminal)
    os.close(terminal)
    listener.join()
    os.close(ours)
    shown = b"".join(received)
    assert shown.startswith(b"\rsort ") and shown.endswith(b"[" + 40 * b"#" + b"] 100 %\r\n"), shown[-200:]
    percents = [int(part.split(b"] ")[1].split()[0]) for part in shown.split(b"\r") if b"] " in part]
    assert percents == sorted(percents), percents


@in_folder
def json_result(folder):
    content = b"b\na\n\nlast"
    path = write(folder, "input", content)
    out, _ = run("quicksort", "--input", path, "--output", os.path.join(folder, "output"), "--json")
    got = json.loads(out)
    assert (got["mode"], got["lines"], got["bytes"]) == ("text", 4, len(content) + 1), got
    for phase in ("read_s", "index_s", "sort_s", "write_s", "total_s", "mkeys_per_s"):
        assert got[phase] >= 0, got


@in_folder
def large_texts(folder):
    words = [bytes(random.Random(i).choices(b"etaoinshrdlu", k=1 + i % 9)) for i in range(5000)]
    pick = random.Random(11)
    content = b"".join(b" ".join(pick.choices(words, k=pick.randrange(16))) + b"\n" for _ in range(2000000))
    for workers in (1, 2, 8):
        expect_as_sort(folder, content, "--hk-workers", workers)
    expect_as_sort(folder, content, "--never-serialise")
    expect_as_sort(folder, b"\n" * 50000000)


if __name__ == "__main__":
    main(globals())
