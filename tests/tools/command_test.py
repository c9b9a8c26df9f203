# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Runs the `hocket` command as a user does and checks output and exit codes; one case a call:
#   command_test.py CASE --command PATH --programs FOLDER
import argparse
import atexit
import json
import os
import re
import shutil
import stat
import subprocess
import sys
import tempfile

ROW_FIELDS = ["bench", "variant", "params", "metric", "unit", "value"]
OUR_METRICS = {
    "fib": {"ns_per_spawn"},
    "flat": {"ns_per_task"},
    "uts": {"ns_per_node", "speedup"},
    "nqueens": {"ns_per_node", "speedup"},
    "switch": {"ns_per_switch"},
    "yield": {"ns_per_yield"},
    "memory": {"bytes_per_task", "create_s", "resume_s"},
    "blocking": {"ratio_to_fib"},
    "steal": {"efficiency"},
    "timers": {"cpu_percent", "lateness_p50", "lateness_p99"},
    "wake": {"wake_p50", "wake_p99"},
    "foreign": {"ns_per_task", "ratio_to_task"},
    "crowded": {"ratio_to_few"},
    "features": {"ns_per_spawn"},
    "taskops": {"calls_per_start", "calls_per_wait", "ns_per_call", "ns_per_start", "ns_per_wait"},
    "granularity": {"efficiency"},
    "listsort": {"efficiency", "first_efficiency", "first_page_faults", "peak_mib", "reals_at_once"},
    "feb": {"ns_per_handoff", "crossings", "suspensions"},
    "sync": {"ns_per_op", "ns_per_pair"},
    "mutex": {"ns_per_op"},
    "channel": {"ns_per_op"},
    "barrier": {"ns_per_op"},
    "condition": {"ns_per_op"},
    "counter": {"ns_per_op"},
    "wavefront": {"ns_per_cell"},
}
if len(os.sched_getaffinity(0)) > 1:  # else there are no two cores that could pass a line
    OUR_METRICS["feb"].add("ratio_to_line_floor")


def run(*arguments, expect=0, environment=None):
    """Runs the command, checks its exit code, and returns what it printed."""
    done = subprocess.run([options.command, *arguments], capture_output=True, text=True,
                          env={**os.environ, **(environment or {})})
    assert done.returncode == expect, (
        f"hocket {' '.join(arguments)}: exit code {done.returncode}, expected {expect}\n"
        f"stdout:\n{done.stdout}\nstderr:\n{done.stderr}")
    return done.stdout, done.stderr


def one_sentence(errors, *words):
    """A user's mistake is answered by one line that holds these words."""
    assert errors.count("\n") == 1 and errors.startswith("hocket: "), errors
    for word in words:
        assert word in errors, f"'{word}' is missing in: {errors}"


def rows_of(text):
    rows = [json.loads(line) for line in text.splitlines()]
    assert rows, "no rows"
    for row in rows:
        assert list(row) == ROW_FIELDS, row
        assert all(isinstance(row[field], str) for field in ("bench", "variant", "metric", "unit")), row
        assert isinstance(row["params"], dict) and isinstance(row["params"]["threads"], int), row
        assert isinstance(row["value"], (int, float)) and row["value"] >= 0, row
    return rows


def scratch_folder():
    folder = tempfile.mkdtemp(prefix="hocket-command-test-")
    atexit.register(shutil.rmtree, folder)
    return folder


def folder_with(**programs):
    """A folder of hkbench-* programs: a path is linked to, anything else is the text of a shell script."""
    folder = scratch_folder()
    for variant, content in programs.items():
        path = os.path.join(folder, "hkbench-" + variant)
        if os.path.isabs(content):
            os.symlink(content, path)
            continue
        with open(path, "w") as file:
            file.write("#!/bin/sh\n" + content + "\n")
        os.chmod(path, stat.S_IRWXU)
    return folder


def own_programs():
    return folder_with(hocket=os.path.join(options.programs, "hkbench-hocket"),
                       floor=os.path.join(options.programs, "hkbench-floor"))


def case_help():
    text, _ = run("--help")
    for word in ("env", "bench", "--version", "Exit codes"):
        assert word in text, text
    text, _ = run("bench", "--help")
    for word in ("--json", "--threads", "--repeat", "--quick", "--list", "--out"):
        assert word in text, text


def case_version():
    text, _ = run("--version")
    assert re.fullmatch(r"hocket \d+\.\d+\.\d+\n", text), text


def case_no_command():
    _, errors = run(expect=2)
    assert "Usage" in errors, errors


def case_unknown_command():
    one_sentence(run("bnech", expect=2)[1], "bnech", "did you mean bench?")


def case_env():
    text, _ = run("env")
    for word in ("build", "machine", "kernel features", "settings", "stack_size", "default", "membarrier"):
        assert word in text, f"{word} is missing in:\n{text}"


def setting(name, *arguments, environment=None):
    everything = json.loads(run("env", "--json", *arguments, environment=environment)[0])
    return next(s for s in everything["settings"] if s["name"] == name)


def case_env_json():
    everything = json.loads(run("env", "--json")[0])
    assert list(everything) == ["version", "build", "machine", "kernel_features", "settings"], list(everything)
    assert everything["machine"]["available"] >= 1
    assert all(s["help"] and s["origin"] for s in everything["settings"])


def case_env_option():
    assert setting("workers", "--hk-workers", "3")["value"] == "3"
    assert setting("workers", "--hk-workers", "3")["origin"] == "--hk-workers"
    from_environment = setting("workers", environment={"HOCKET_WORKERS": "5"})
    assert (from_environment["value"], from_environment["origin"]) == ("5", "HOCKET_WORKERS"), from_environment


def case_env_bad_option():
    one_sentence(run("env", "--hk-workers", "none", expect=2)[1], "workers", "none")
    one_sentence(run("env", expect=2, environment={"HOCKET_STACK_SIZE": "big"})[1], "HOCKET_STACK_SIZE", "big")


def case_list():
    text, _ = run("bench", "--list")
    assert [line.split()[0] for line in text.splitlines()] == [*OUR_METRICS, "paclib"], text


def case_unknown_bench():
    one_sentence(run("bench", "fbi", expect=2)[1], "fbi", "did you mean fib?")
    one_sentence(run("bench", "fib", "zzzzzzz", expect=2)[1], "zzzzzzz", "--list")


def case_bad_options():
    for arguments in (["--threads", "0"], ["--threads", "two"], ["--repeat", "0"],
                      ["--timeout", "-1"], ["--nonsense"]):
        one_sentence(run("bench", "fib", *arguments, expect=2)[1], arguments[0])


def case_bench_json():
    text, _ = run("bench", "fib", "--quick", "--repeat", "1", "--threads", "1,2", "--json")
    rows = rows_of(text)
    ours = [row for row in rows if row["variant"] == "hocket" and row["metric"] == "ns_per_spawn"]
    found = {(row["params"]["threads"], row["params"]["source"], row["params"]["form"]) for row in ours}
    wanted = {(t, s, f) for t in (1, 2) for s in ("plain", "leaf_inlined") for f in ("structured", "spawn")}
    assert found == wanted, found
    assert any(row["metric"] == "ratio_to_floor" for row in rows)
    for row in rows:
        if row["variant"] not in ("hocket", "floor"):
            assert row["params"]["tuning"] in ("default", "tuned"), row


def case_bench_table():
    text, _ = run("bench", "flat", "--quick", "--repeat", "2", "--threads", "1", "--programs", own_programs())
    assert re.search(r"hocket +ns_per_task +[0-9.]+ +[0-9.]+ - [0-9.]+ ns ", text), text


def case_bench_out():
    path = os.path.join(scratch_folder(), "rows.json")
    text, _ = run("bench", "flat", "--quick", "--repeat", "1", "--json", "--out", path, "--programs", own_programs())
    with open(path) as file:
        assert file.read() == text
    one_sentence(run("bench", "flat", "--out", "/nonexistent/rows", "--programs", own_programs(), expect=1)[1],
                 "/nonexistent/rows")


def case_bench_all():
    """Every benchmark of ours runs, checks itself and gives its metrics; peers are left out, and said to be."""
    text, errors = run("bench", "--quick", "--repeat", "1", "--threads", "1,2", "--json", "--programs", own_programs())
    rows = rows_of(text)
    for bench, metrics in OUR_METRICS.items():
        found = {row["metric"] for row in rows if row["bench"] == bench and row["variant"] == "hocket"}
        assert metrics <= found, f"{bench}: {found}"
    memory = [row["params"] for row in rows if row["bench"] == "memory" and row["variant"] == "hocket"]
    assert {p["state"] for p in memory} == {"blocked", "virtual"}, memory
    assert {row["params"]["abi"] for row in rows if row["metric"] == "ns_per_switch"} == {"full", "shared"}
    for peer in ("tbb", "libgomp", "libomp", "boost", "threads", "go"):
        assert errors.count(f"hkbench-{peer} is not built") == 1, errors


def case_missing_program():
    one_sentence(run("bench", "fib", "--programs", "/nonexistent", expect=1)[1], "hkbench-hocket is not built")


def case_wrong_result():
    programs = folder_with(hocket="echo 'hkbench-hocket: fib: wrong' >&2; exit 1")
    _, errors = run("bench", "fib", "--quick", "--repeat", "1", "--threads", "1", "--programs", programs, expect=1)
    assert "hkbench-hocket fib --threads 1 ended with exit code 1" in errors, errors
    programs = folder_with(hocket="kill -SEGV $$")
    _, errors = run("bench", "fib", "--quick", "--repeat", "1", "--threads", "1", "--programs", programs, expect=1)
    assert "signal 11" in errors, errors
    programs = folder_with(hocket="echo no json")
    _, errors = run("bench", "fib", "--quick", "--repeat", "1", "--threads", "1", "--programs", programs, expect=1)
    assert "no sample" in errors, errors


def case_hanging_program():
    programs = folder_with(hocket="exec sleep 1000")
    _, errors = run("bench", "yield", "--quick", "--repeat", "1", "--timeout", "0.2", "--programs", programs, expect=1)
    assert "took longer than 0.2 s" in errors, errors


def main():
    global options
    cases = {name[len("case_"):]: function for name, function in globals().items() if name.startswith("case_")}
    parser = argparse.ArgumentParser()
    parser.add_argument("case", choices=cases)
    parser.add_argument("--command", required=True)
    parser.add_argument("--programs", required=True)
    options = parser.parse_args()
    cases[options.case]()


if __name__ == "__main__":
    sys.exit(main())
