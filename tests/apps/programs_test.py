# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The example programs' command lines, results and exit codes. One case a call: programs_test.py CASE --fib=PATH..."""
import json

from program_runs import main, paths, refused, run

WORKERS = (1, 2, 8, 64)


def result(program, *arguments):
    """The one JSON object that a program prints."""
    out, errors = run(program, *arguments, "--json")
    assert errors == "" and out.count("\n") == 1, (out, errors)
    return json.loads(out)


def help():
    for program in paths:
        out, errors = run(program, "--help")
        assert errors == "", errors
        for words in ("Usage: " + program, "Exit status: 0 success; 1 ", "2 bad usage", "--hk-workers", "--json",
                      "--version"):
            assert words in out, f"'{words}' is missing in {program} --help:\n{out}"
        assert max(map(len, out.splitlines())) <= 140, f"{program} --help has very long lines"


def version():
    for program in paths:
        out, _ = run(program, "--version")
        assert out.startswith(f"{program} (Hocket ") and out.count("\n") == 1, out


def bad_usage():
    for program in paths:
        arguments = ["5"] if program == "fib" else []
        refused(program, *arguments, "--nonsense", words=["--nonsense", "--help"])
        refused(program, *arguments, "left", "over")
        if program != "quicksort":
            refused(program, *arguments, "--repeat", "0", words=["--repeat", "1"])
            refused(program, *arguments, "--form", "nonsense", words=["--form", "structured", "serial"])


def runtime_options():
    for program in paths:
        arguments = {"fib": ["10"], "nqueens": ["6"], "quicksort": ["--size", "1000"],
                     "uts": ["-t", "1", "-d", "3"]}[program]
        assert result(program, *arguments, "--hk-workers", "3")["threads"] == 3
        assert result(program, "--hk-workers=2", *arguments)["threads"] == 2
        refused(program, *arguments, "--hk-workers=0", words=["--hk-workers", "0"])
        refused(program, *arguments, "--hk-nonsense=1", words=["--hk-nonsense"])
        refused(program, *arguments, words=["HOCKET_WORKERS", "many"], environment={"HOCKET_WORKERS": "many"})


def closed_output():
    with open("/dev/full", "wb") as full:
        for program, arguments in (("fib", ["10"]), ("nqueens", ["6"]), ("quicksort", ["--size", "10"]),
                                   ("uts", ["-t", "1", "-d", "3"])):
            refused(program, *arguments, words=["standard output"], stdout=full)


def fib_values():
    for workers in WORKERS:
        for form in ("structured", "spawn", "serial"):
            for source in ([], ["--leaf-inlined"]):
                for n, value, spawns in ((0, 0, 0), (1, 1, 0), (2, 1, 1), (20, 6765, 10945)):
                    got = result("fib", n, "--form", form, *source, "--hk-workers", workers)
                    assert (got["value"], got["spawns"], got["threads"]) == (value, spawns, workers), got
                    assert (got["ns_per_spawn"] is None) == (spawns == 0), got
    out, _ = run("fib", 20)
    assert "fib(20) = 6765" in out and "ns per spawn" in out, out


def fib_range():
    refused("fib", words=["N"])
    refused("fib", "-1", words=["-1"])
    refused("fib", "61", words=["61", "0", "60"])
    refused("fib", "12.5", words=["12.5"])
    refused("fib", "x", words=["x"])


def fib_large():
    for workers in WORKERS:
        for form in ("structured", "spawn"):
            assert result("fib", 35, "--form", form, "--hk-workers", workers)["value"] == 9227465


def nqueens_values():
    right = {1: (1, 1), 2: (0, 2), 3: (0, 5), 4: (2, 16), 8: (92, 2056), 10: (724, 35538)}
    for workers in WORKERS:
        for form in ("structured", "serial"):
            for n, (solutions, nodes) in right.items():
                got = result("nqueens", n, "--form", form, "--hk-workers", workers)
                assert (got["solutions"], got["nodes"]) == (solutions, nodes), got
    assert result("nqueens")["nodes"] == 856188


def nqueens_range():
    refused("nqueens", "0", words=["0", "1", "16"])
    refused("nqueens", "17", words=["17", "1", "16"])
    refused("nqueens", "-3", words=["-3"])


def nqueens_large():
    for n, solutions in ((13, 73712), (14, 365596)):
        assert result("nqueens", n)["solutions"] == solutions


def uts_sizes(got):
    return got["nodes"], got["leaves"], got["depth"]


UTS_SMALL = {"T1": (4130071, 3305118, 10), "T2": (4117769, 2342762, 81), "T3": (4112897, 3599034, 1572),
             "T4": (4132453, 3108986, 134), "T5": (4147582, 2181318, 20)}
UTS_LARGE = {"T1L": (102181082, 81746377, 13), "T2L": (96793510, 53791152, 67),
             "T3L": (111345631, 89076904, 17844)}


def uts_published():
    for tree, right in UTS_SMALL.items():
        got = result("uts", "--tree", tree)
        assert uts_sizes(got) == right and got["size_checked"] and got["tree"] == tree, got
    assert uts_sizes(result("uts", "--tree", "t3", "--form", "serial")) == UTS_SMALL["T3"]
    assert uts_sizes(result("uts")) == UTS_SMALL["T1"]


def uts_parameters():
    by_option = "-t 0 -b 2000 -q 0.124875 -m 8 -r 42".split()
    got = result("uts", *by_option, "--hk-stack-size", "16K")
    assert uts_sizes(got) == UTS_SMALL["T3"] and got["tree"] == "T3", got
    by_name = "--kind 1 --shape 3 --depth 10 --root-branching 4 --seed 19".split()
    assert uts_sizes(result("uts", *by_name)) == UTS_SMALL["T1"]
    unknown = result("uts", "-t", "1", "-a", "3", "-d", "5", "-b", "4", "-r", "1")
    assert not unknown["size_checked"], unknown
    assert uts_sizes(unknown) == uts_sizes(
        result("uts", "-t", "1", "-a", "3", "-d", "5", "-b", "4", "-r", "1", "--form", "serial"))


def uts_cheap():
    for workers in WORKERS:
        got = result("uts", "--hash", "cheap", "--hk-workers", workers)
        assert uts_sizes(got) == (2159140, 1727319, 10) and got["size_checked"], got


def uts_bad_trees():
    refused("uts", "--tree", "T9", words=["T9", "T1"])
    refused("uts", "--tree", "T1", "-r", "3", words=["--tree"])
    refused("uts", "--hash", "cheap", "-r", "3", words=["--hash cheap"])
    refused("uts", "--hash", "md5", words=["md5", "sha1"])
    refused("uts", "-t", "0", "-q", "0.25", "-m", "4", words=["-q", "-m", "below 1"])
    refused("uts", "-t", "2", "-q", "1", words=["-q"])
    refused("uts", "-t", "3", words=["3"])
    refused("uts", "-q", "1.5", words=["1.5"])
    refused("uts", "-b", "-1", words=["-1"])
    refused("uts", "-d", "0", words=["0"])
    refused("uts", "-m", "101", words=["101"])


def uts_large():
    for tree, right in UTS_LARGE.items():
        assert uts_sizes(result("uts", "--tree", tree)) == right
    assert uts_sizes(result("uts", "--tree", "T3L", "--hk-stack-size", "16K")) == UTS_LARGE["T3L"]


def quicksort_numbers():
    for workers in WORKERS:
        for size in (0, 1, 2, 1000, 100000):
            got = result("quicksort", "--size", size, "--hk-workers", workers)
            assert got["mode"] == "numbers" and got["size"] == size, got
    out, _ = run("quicksort", "--size", "100000", "--seed", "18446744073709551615")
    assert "checked" in out and "Mkeys/s" in out, out


def quicksort_depths():
    for depth in (0, 1, 20, 1000):
        assert result("quicksort", "--size", "50000", "--depth", depth)["depth"] == depth
    assert result("quicksort", "--size", "50000", "--never-serialise")["depth"] == "unlimited"
    assert result("quicksort", "--size", str(1 << 20))["depth"] > 0


def quicksort_bad_numbers():
    refused("quicksort", "--size", "-1", words=["-1"])
    refused("quicksort", "--size", "many", words=["many"])
    refused("quicksort", "--size", str(1 << 60), words=["--size", 1 << 60, "memory"])
    refused("quicksort", "--size", str(1 << 64), words=["--size"])
    refused("quicksort", "--depth", "-1", words=["-1", "0"])
    refused("quicksort", "--depth", "1001", words=["1001", "1000"])
    refused("quicksort", "--depth", "3", "--never-serialise", words=["--depth", "--never-serialise"])


def quicksort_large():
    for workers in WORKERS:
        result("quicksort", "--size", 1 << 24, "--hk-workers", workers)
    result("quicksort", "--size", 1 << 24, "--never-serialise")
    result("quicksort", "--size", 1 << 27)


if __name__ == "__main__":
    main(globals())
