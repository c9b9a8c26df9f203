# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The example programs' command lines, results and exit codes. One case a call: programs_test.py CASE --fib=PATH..."""
import json
import subprocess

from program_runs import main, paths, refused, run

WORKERS = (1, 2, 8, 64)


# A small run of each program.
SMALL = {"fib": ["10"], "nqueens": ["6"], "quicksort": ["--size", "1000"], "uts": ["-t", "1", "-d", "3"],
         "skynet": ["--leaves", "100"], "philosophers": ["-n", "3", "-m", "10"]}


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
        if program not in ("quicksort", "philosophers"):
            refused(program, *arguments, "--repeat", "0", words=["--repeat", "1"])
        if program in ("fib", "nqueens", "uts"):
            refused(program, *arguments, "--form", "nonsense", words=["--form", "structured", "serial"])


def runtime_options():
    for program in paths:
        arguments = SMALL[program]
        assert result(program, *arguments, "--hk-workers", "3")["threads"] == 3
        assert result(program, "--hk-workers=2", *arguments)["threads"] == 2
        refused(program, *arguments, "--hk-workers=0", words=["--hk-workers", "0"])
        refused(program, *arguments, "--hk-nonsense=1", words=["--hk-nonsense"])
        refused(program, *arguments, words=["HOCKET_WORKERS", "many"], environment={"HOCKET_WORKERS": "many"})


def closed_output():
    with open("/dev/full", "wb") as full:
        for program in paths:
            refused(program, *SMALL[program], words=["standard output"], stdout=full)


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


def skynet_sums():
    for workers in WORKERS:
        for how in ("spawn", "start", "fork"):
            for branches, leaves, value, tasks in ((10, 1, 0, 0), (10, 10, 45, 10), (2, 2, 1, 2), (2, 1024, 523776, 2046),
                                                   (10, 10000, 49995000, 11110), (1000, 1000, 499500, 1000)):
                got = result("skynet", "--leaves", leaves, "--branches", branches, "--how", how, "--hk-workers", workers)
                assert (got["sum"], got["tasks"], got["threads"], got["how"]) == (value, tasks, workers, how), got
                assert (got["ns_per_task"] is None) == (tasks == 0), got
                assert got["stacks_made"] >= 1 and got["peak_bytes"] > 100000, got
    out, _ = run("skynet", "--repeat", "2")
    assert out.startswith("skynet: 1000000 leaves sum to 499999500000 ") and "1111110 tasks" in out, out


def skynet_counts():
    """Virtual tasks and forks share the few stacks there are; real tasks that wait have one each."""
    for how in ("spawn", "fork"):
        got = result("skynet", "--leaves", "100000", "--how", how, "--hk-workers", "1")
        assert got["stacks_made"] < 100, got
    got = result("skynet", "--leaves", "100000", "--how", "start", "--hk-workers", "1")
    assert got["stacks_made"] > 10000, got
    assert got["peak_bytes"] >= 4096 * got["stacks_made"], got


def skynet_bad_trees():
    refused("skynet", "--leaves", "0", words=["--leaves", "0", "1"])
    refused("skynet", "--leaves", "-1", words=["--leaves", "-1"])
    refused("skynet", "--leaves", "1000000001", words=["1000000001", "1000000000"])
    refused("skynet", "--leaves", "1001", words=["--leaves 1001", "--branches 10", "100"])
    refused("skynet", "--leaves", "10", "--branches", "3", words=["--leaves 10", "--branches 3", "9"])
    refused("skynet", "--branches", "1", words=["--branches", "1", "2"])
    refused("skynet", "--branches", "1000001", words=["1000001", "1000000"])
    refused("skynet", "--how", "threads", words=["threads", "spawn", "start", "fork"])
    refused("skynet", "--leaves", "1000000000", "--how", "start", words=["--leaves 1000000000", "--how start", "memory"])


def skynet_large():
    for how in ("spawn", "fork"):
        assert result("skynet", "--leaves", "10000000", "--how", how)["sum"] == 49999995000000
    assert result("skynet", "--how", "start", "--repeat", "2")["sum"] == 499999500000


def philosophers_meals():
    for workers in WORKERS:
        for order in ("ordered", "arbiter"):
            for n, meals in ((2, 0), (2, 1), (2, 500), (5, 500), (1000, 3)):
                got = result("philosophers", "-n", n, "-m", meals, "--order", order, "--hk-workers", workers)
                assert (got["meals_min"], got["meals_max"], got["meals"]) == (meals, meals, n * meals), got
                assert (got["philosophers"], got["order"], got["threads"]) == (n, order, workers), got
                assert (got["ns_per_meal"] is None) == (meals == 0), got
                assert got["switches"] > 0 or workers > 1, got
    out, _ = run("philosophers")
    assert out.startswith("5 philosophers had 5000 meals: each from 1000 to 1000 "), out
    assert " switches, " in out and " times suspended" in out, out


def philosophers_bad_tables():
    refused("philosophers", "-n", "1", words=["1", "2", "100000"])
    refused("philosophers", "-n", "0", words=["0", "2", "100000"])
    refused("philosophers", "-n", "100001", words=["100001", "100000"])
    refused("philosophers", "-n", "-5", words=["-5"])
    refused("philosophers", "-m", "-1", words=["-1"])
    refused("philosophers", "-m", "many", words=["many"])
    refused("philosophers", "--order", "random", words=["random", "ordered", "naive", "arbiter"])
    refused("philosophers", "--deadlock", "--order", "naive", words=["--order", "--deadlock"])
    refused("philosophers", "--deadlock", "-m", "0", words=["--deadlock", "--meals", "1"])


def deadlock_of(n, errors):
    """The runtime's report says what happened and names every philosopher."""
    assert "deadlock" in errors, errors
    for i in range(n):
        assert f"philosopher {i}" in errors, f"philosopher {i} is missing in: {errors}"


def philosophers_deadlock():
    for workers in WORKERS:
        for n in (2, 5):
            out, errors = run("philosophers", "--deadlock", "-n", n, "--hk-workers", workers, expect=3)
            assert out == "", out
            deadlock_of(n, errors)


def philosophers_naive():
    # One worker: each takes its left fork and yields to the next, until nobody is left who could go on.
    _, errors = run("philosophers", "--order", "naive", "--hk-workers", "1", expect=3)
    deadlock_of(5, errors)
    # More: all eat, or the deadlock is found; nothing else.
    for _ in range(5):
        for workers in (2, 8):
            command = [paths["philosophers"], "--order", "naive", "-m", "3", "--hk-workers", str(workers)]
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode == 0:
                assert done.stdout.startswith("5 philosophers had 15 meals: each from 3 to 3 "), done
            else:
                assert done.returncode == 3 and done.stdout == "", done
                deadlock_of(5, done.stderr)


def philosophers_large():
    for order in ("ordered", "arbiter"):
        got = result("philosophers", "-n", "100000", "-m", "20", "--order", order)
        assert got["meals"] == 2000000, got


if __name__ == "__main__":
    main(globals())
