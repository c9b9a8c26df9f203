# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The example programs' command lines, results and exit codes. One case a call: programs_test.py CASE --fib=PATH..."""
import json
import subprocess

from program_runs import main, paths, refused, run

WORKERS = (1, 2, 8, 64)


# A small run of each program.
SMALL = {"fib": ["10"], "nqueens": ["6"], "quicksort": ["--size", "1000"], "uts": ["-t", "1", "-d", "3"],
         "skynet": ["--leaves", "100"], "philosophers": ["-n", "3", "-m", "10"],
         "granularity": ["--depth", "4"], "policies": ["--n", "100"], "listsort": ["--length", "100"],
         "pingpong": ["--rounds", "100"], "wavefront": ["--rows", "20", "--columns", "30"]}


def result(program, *arguments):
    """The one JSON object that a program prints."""
    out, errors = run(program, *arguments, "--json")
    assert errors == "" and out.count("\n") == 1, (out, errors)
    return json.loads(out)


def counted(program, *arguments):
    """The same with real tasks counted; the counters that come with it on stderr are not looked at."""
    return json.loads(run(program, *arguments, "--json", "--hk-stats", "1")[0])


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
        if program not in ("quicksort", "philosophers", "policies", "listsort"):
            refused(program, *arguments, "--repeat", "0", words=["--repeat", "1"])
        if program in ("fib", "nqueens", "uts", "granularity"):
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


def granularity_trees():
    for workers in WORKERS:
        for form in ("virtual", "real", "structured", "serial"):
            for depth in (0, 1, 8):
                got = result("granularity", "--depth", depth, "--grain-ns", 0, "--form", form, "--hk-workers", workers)
                tasks = 0 if form == "serial" else 2**depth - 1
                assert (got["leaves"], got["tasks"], got["threads"], got["form"]) == (2**depth, tasks, workers, form), got
                assert got["efficiency"] > 0 and got["serial_seconds"] > 0, got
                assert got["reals"] is None and got["reals_at_once"] is None, got
    out, _ = run("granularity", "--repeat", "1")
    assert out.startswith("4096 leaves of 1000 ns, 4095 tasks (virtual): efficiency "), out


def granularity_counts():
    """Real tasks: as many as tasks; or, at once, about three for a worker and a chain of waits down the tree."""
    for workers in WORKERS:
        got = counted("granularity", "--depth", 10, "--form", "real", "--hk-workers", workers)
        assert got["reals"] == 1023 and 1 < got["reals_at_once"] <= 1024, got
        got = counted("granularity", "--depth", 10, "--form", "serial", "--hk-workers", workers)
        assert (got["reals"], got["reals_at_once"]) == (0, 1), got
        for form in ("virtual", "structured"):
            got = counted("granularity", "--depth", 10, "--form", form, "--hk-workers", workers)
            assert got["reals_at_once"] <= 3 * workers + 10, got
            assert workers > 1 or got["reals_at_once"] == 1, got


def granularity_bad_trees():
    refused("granularity", "--depth", "-1", words=["--depth", "-1", "24"])
    refused("granularity", "--depth", "25", words=["--depth", "25", "24"])
    refused("granularity", "--grain-ns", "-1", words=["--grain-ns", "-1", "1000000000"])
    refused("granularity", "--grain-ns", "much", words=["--grain-ns", "much"])


POLICIES = ("virtual", "real", "inline-by-load", "sthread")


def policies_values():
    for workers in WORKERS:
        for policy in POLICIES:
            for n in (0, 1, 1000):
                got = result("policies", "--policy", policy, "--n", n, "--hk-workers", workers)
                assert (got["value"], got["forks"], got["threads"], got["n"]) == (n * n, n, workers, n), got
            for depth in (0, 1, 8):
                got = result("policies", "--policy", policy, "--problem", "tree", "--depth", depth,
                             "--hk-workers", workers)
                assert (got["value"], got["forks"], got["depth"]) == (2**depth, 2 * 2**depth - 2, depth), got
    out, _ = run("policies", "--n", "1000", "--policy", "sthread", "--check-us", "50", "--threshold", "3")
    assert out.startswith("linear: 1000 forks, result 1000000  (sthread on ") and "1000 tasks, " in out, out


def policies_counts():
    n = 2000
    for workers in WORKERS:
        at = ["--n", n, "--hk-workers", workers]
        # Every g a real task, O(n); by virtual tasks one a worker, for no g waits, and the root.
        got = counted("policies", "--policy", "real", *at)
        assert (got["tasks"], got["reals"]) == (n, n + 1) and got["reals_at_once"] > 1, got
        got = counted("policies", "--policy", "virtual", *at)
        assert got["tasks"] == n and got["reals_at_once"] <= 2 * workers + 1, got
        assert workers > 1 or got["reals"] == 1, got
        tree = counted("policies", "--problem", "tree", "--depth", 10, "--policy", "virtual", "--hk-workers", workers)
        assert tree["reals_at_once"] <= 3 * workers + 10, tree
        # These two count for themselves. As many S-threads as there are workers are active, and those that end,
        # and the root; what is not called is a real task.
        for policy in ("inline-by-load", "sthread"):
            got = result("policies", "--policy", policy, *at)
            assert got["threshold"] == workers and got["reals"] <= n + 1, got
            assert got["reals_at_once"] <= 3 * workers + 1, got
            assert workers > 1 or got["reals"] == 1, got
        assert result("policies", "--policy", "inline-by-load", *at, "--threshold", n + 1)["reals"] > 1
    # One worker: the first of two is real, all others are called or run by the root.
    for policy in ("inline-by-load", "sthread"):
        got = result("policies", "--policy", policy, "--n", n, "--hk-workers", 1, "--threshold", 2)
        assert (got["reals"], got["reals_at_once"]) == (2, 2), got
    assert result("policies", "--n", "1000")["reals"] is None


def policies_deep():
    for policy in ("virtual", "inline-by-load", "sthread"):
        got = result("policies", "--policy", policy, "--n", 200000)
        assert got["value"] == 40000000000 and got["address_bytes"] > 1 << 30, got
        assert got["stacks_made"] < 2000, got


def policies_bad_problems():
    refused("policies", "--n", "1000001", words=["--n", "1000001", "1000000"])
    refused("policies", "--n", "-1", words=["--n", "-1"])
    refused("policies", "--problem", "tree", "--depth", "25", words=["--depth", "25", "24"])
    refused("policies", "--problem", "tree", "--n", "5", words=["--n", "--depth"])
    refused("policies", "--depth", "5", words=["--depth", "--n"])
    refused("policies", "--problem", "list", words=["list", "linear", "tree"])
    refused("policies", "--policy", "lazy", words=["lazy", *POLICIES])
    refused("policies", "--threshold", "2", words=["--threshold", "inline-by-load", "sthread"])
    refused("policies", "--policy", "sthread", "--threshold", "0", words=["--threshold", "0", "1"])
    refused("policies", "--policy", "inline-by-load", "--check-us", "100", words=["--check-us", "sthread"])
    refused("policies", "--policy", "sthread", "--check-us", "1", words=["--check-us", "1", "10"])


def policies_large():
    for policy in POLICIES:
        assert result("policies", "--policy", policy)["value"] == 1000000000000
        depth = 17 if policy == "real" else 20
        assert result("policies", "--policy", policy, "--problem", "tree", "--depth", depth)["value"] == 2**depth


LISTSORT_VARIANTS = {"serial": 0, "real": 0, "real-cut": 300, "virtual": 0, "virtual-cut": 40, "structured": 0}


def listsort_tasks(n, cut):
    return 0 if n <= 10 or n <= cut else 1 + listsort_tasks(n // 2, cut) + listsort_tasks(n - n // 2, cut)


def listsort_variants():
    for workers in WORKERS:
        for variant, cut in LISTSORT_VARIANTS.items():
            for n in (0, 1, 10, 11, 1000):
                got = result("listsort", "--variant", variant, "--length", n, "--iterations", 2, "--hk-workers", workers)
                tasks = 0 if variant == "serial" else listsort_tasks(n, cut)
                assert (got["length"], got["tasks"], got["cut"], got["threads"]) == (n, tasks, cut, workers), got
                assert len(got["iterations"]) == len(got["serial_iterations"]) == 2, got
                assert all(i["page_faults"] >= 0 and i["reals"] is None for i in got["iterations"]), got
    out, _ = run("listsort", "--variant", "virtual-cut", "--cut", "100", "--iterations", "1")
    assert out.startswith("sorted a list of 8000 numbers, 1 times, checked  (virtual-cut, cut 100, 127 tasks, "), out


def listsort_counts():
    for workers in WORKERS:
        got = counted("listsort", "--variant", "real", "--hk-workers", workers)
        assert [i["reals"] for i in got["iterations"]] == [1023] * 5 and got["reals_at_once"] > 1, got
        got = counted("listsort", "--variant", "virtual", "--hk-workers", workers)
        assert got["tasks"] == 1023 and got["reals_at_once"] <= 3 * workers + 10, got
        assert workers > 1 or got["reals_at_once"] == 1, got


def listsort_bad_lists():
    refused("listsort", "--length", "-1", words=["--length", "-1"])
    refused("listsort", "--length", "100000001", words=["--length", "100000001", "100000000"])
    refused("listsort", "--iterations", "0", words=["--iterations", "0", "1"])
    refused("listsort", "--variant", "bubble", words=["bubble", *LISTSORT_VARIANTS])
    for variant in ("serial", "real", "virtual"):
        refused("listsort", "--variant", variant, "--cut", "5", words=["--cut", "real-cut", "virtual-cut", "structured"])


def listsort_oracle():
    """Builds with SACLIB only. The list is SACLIB's, too, or the program fails."""
    for n in (0, 1, 2, 9, 10, 11, 20, 5000, 200000):
        got = result("listsort", "--length", n, "--oracle", "--seed", n, "--iterations", 2)
        assert got["oracle"] == "saclib" and got["oracle_seconds"] > 0, got
    out, _ = run("listsort", "--oracle")
    assert "SACLIB's LBIBMS gives the same list in " in out, out


def listsort_no_oracle():
    """Builds without SACLIB only."""
    refused("listsort", "--oracle", words=["--oracle", "SACLIB", "libsaclib-dev"])


def listsort_large():
    for variant in LISTSORT_VARIANTS:
        assert result("listsort", "--variant", variant, "--length", 1000000, "--iterations", 2)["length"] == 1000000


HANDS = ("word", "sync", "channel", "condition", "event")


def pingpong_values():
    for workers in WORKERS:
        for by in HANDS:
            for pairs, rounds in ((1, 0), (1, 1), (1, 1000), (100, 10)):
                got = result("pingpong", "--by", by, "--pairs", pairs, "--rounds", rounds, "--hk-workers", workers)
                assert (got["by"], got["pairs"], got["rounds"], got["threads"]) == (by, pairs, rounds, workers), got
                assert got["handoffs"] == 2 * pairs * rounds and not got["pinned"], got
                assert (got["ns_per_handoff"] is None) == (rounds == 0), got
                assert 0 <= got["crossed"] <= (got["handoffs"] if workers > 1 else 0), got
    out, _ = run("pingpong", "--rounds", "1000", "--repeat", "3", "--hk-workers", "1")
    assert out.startswith("2000 hand-offs by word, 0 of them to another worker  (1 pair on 1 workers, "), out
    assert " ns per hand-off, " in out, out


def pingpong_pinned():
    for workers in WORKERS[1:]:
        for by in HANDS:
            for pairs in (1, 50):
                got = result("pingpong", "--pin", "--by", by, "--pairs", pairs, "--rounds", 20, "--hk-workers", workers)
                assert got["crossed"] == got["handoffs"] == 40 * pairs and got["pinned"], got
    assert result("pingpong", "--pin", "--rounds", 5, "--hk-workers", 3, "--hk-shepherds", 3)["crossed"] == 10


def pingpong_bad_games():
    refused("pingpong", "--rounds", "-1", words=["--rounds", "-1"])
    refused("pingpong", "--rounds", "1000000001", words=["1000000001", "1000000000"])
    refused("pingpong", "--pairs", "0", words=["--pairs", "0", "1"])
    refused("pingpong", "--pairs", "100001", words=["100001", "100000"])
    refused("pingpong", "--by", "post", words=["post", *HANDS])
    refused("pingpong", "--pin", "--hk-workers", "1", words=["--pin", "--hk-workers 2"])
    refused("pingpong", "--pin", "--hk-workers", "3", "--hk-shepherds", "2", words=["--pin", "--hk-shepherds", "2"])


def pingpong_large():
    for by in HANDS:
        for arguments in (["--pairs", "100000", "--rounds", "10"], ["--pin", "--hk-workers", "2"]):
            got = result("pingpong", "--by", by, *arguments)
            assert got["handoffs"] == 2000000, got


def wavefront_last(rows, columns):
    """The last cell, by the definition."""
    below, mask = [0] * columns, (1 << 64) - 1
    for row in range(rows):
        left = 0
        for column in range(columns):
            h = (row << 32 | column) * 0x9e3779b97f4a7c15 & mask
            h = (h ^ h >> 32) * 0xff51afd7ed558ccd & mask
            left = below[column] = max(below[column], left) + (h >> 56) + 1
    return below[-1]


def wavefront_values():
    shapes = {shape: wavefront_last(*shape) for shape in ((1, 1), (1, 100), (100, 1), (2, 2), (17, 31), (100, 99))}
    ways = [["--by", by] for by in ("counter", "word", "future", "serial")]
    ways += [["--onward", "below"], ["--block", "7"], ["--block", "1000"], ["--block", "3", "--onward", "below"]]
    for workers in WORKERS:
        for (rows, columns), last in shapes.items():
            for way in ways:
                got = result("wavefront", "--rows", rows, "--columns", columns, *way, "--hk-workers", workers)
                assert (got["rows"], got["columns"], got["last"], got["threads"]) == (rows, columns, last, workers), got
                assert got["by"] == (way[1] if way[0] == "--by" else "counter"), got
                assert (got["emptying_seconds"] is None) == (got["by"] != "word"), got
    out, _ = run("wavefront", "--by", "word", "--rows", "50", "--columns", "60", "--repeat", "2")
    assert out.startswith(f"50 x 60 cells, the last is {wavefront_last(50, 60)}  (by word on "), out
    assert " ns per cell, before that " in out and " ns per cell to empty it, 50 tasks, " in out, out


def wavefront_counts():
    """Tasks: one worker goes on to the end of a row; the number of blocks counts, not that of cells."""
    one = ["--rows", 60, "--columns", 50, "--hk-workers", 1]
    assert result("wavefront", *one)["tasks"] == 59
    assert result("wavefront", *one, "--onward", "below")["tasks"] == 49
    assert result("wavefront", *one, "--block", 8)["tasks"] == 7
    assert result("wavefront", *one, "--block", 60)["tasks"] == 0
    for workers in WORKERS:
        at = ["--rows", 60, "--columns", 50, "--hk-workers", workers]
        assert 59 <= result("wavefront", *at)["tasks"] < 3000
        assert result("wavefront", *at, "--by", "word")["tasks"] == 60
        assert result("wavefront", *at, "--by", "future")["tasks"] == 3000
        assert result("wavefront", *at, "--by", "serial")["tasks"] == 0


def wavefront_bad_grids():
    for option in ("--rows", "--columns", "--block"):
        refused("wavefront", option, "0", words=[option, "0", "1"])
        refused("wavefront", option, "1000000001", words=[option, "1000000001", "1000000000"])
    refused("wavefront", "--by", "luck", words=["luck", "counter", "word", "future", "serial"])
    refused("wavefront", "--onward", "up", words=["up", "right", "below"])
    refused("wavefront", "--by", "word", "--block", "2", words=["--block", "counter"])
    refused("wavefront", "--by", "serial", "--onward", "right", words=["--onward", "counter"])
    for by in ("counter", "word", "future", "serial"):
        refused("wavefront", "--rows", "1000000000", "--columns", "1000000000", "--by", by,
                words=["--rows 1000000000", "--columns 1000000000", "--by " + by, "memory", "GiB"])


def wavefront_large():
    for arguments in (["--repeat", "3"], ["--onward", "below"], ["--block", "32"], ["--hk-workers", "64"],
                      ["--by", "word"], ["--by", "serial"]):
        assert result("wavefront", *arguments)["last"] == 1211208
    small = ["--rows", "1000", "--columns", "1000"]
    assert result("wavefront", *small, "--by", "future")["last"] == result("wavefront", *small)["last"] == 382722


if __name__ == "__main__":
    main(globals())
