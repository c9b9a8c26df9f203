# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The trace of a run: checked as a file of its format, and against the counters that the traced program prints.

usage: trace_test.py PROGRAM quick|long
"""
import collections
import json
import os
import subprocess
import sys
import tempfile

PROGRAM, KIND = sys.argv[1:3]
FOLDER = tempfile.TemporaryDirectory(prefix="hocket-trace-")
HOWS = {"main", "start", "realise", "idle", "next", "inline", "child", "again"}
INSTANTS = {"realise", "inline", "steal", "block", "wake"}
WAITS = {"task", "tasks", "child", "event", "mutex", "timer", "call",
         "full word", "empty word", "shared mutex", "condition", "semaphore", "barrier", "latch", "counter", "channel"}


def run(what, *arguments, workers=2, trace="run.json", expect=0, n=""):
    path = os.path.join(FOLDER.name, trace)
    done = subprocess.run([PROGRAM, what, *([str(n)] if n else []), "--hk-workers", str(workers), *arguments],
                          capture_output=True, text=True, env={**os.environ, "HOCKET_TRACE": path}, timeout=300)
    assert done.returncode == expect, (what, done.returncode, done.stderr)
    return path, done.stdout, done.stderr


def check_format(path):
    """Everything that a viewer relies on; returns the events."""
    with open(path, encoding="utf-8") as file:
        trace = json.load(file)
    assert set(trace) == {"displayTimeUnit", "otherData", "traceEvents"}, set(trace)
    assert trace["displayTimeUnit"] == "ns"
    workers = trace["otherData"]["workers"]
    assert trace["otherData"]["program"] == "trace_program"
    events = trace["traceEvents"]
    names = {e["tid"]: e["args"]["name"] for e in events if e["ph"] == "M" and e["name"] == "thread_name"}
    assert names == {**{w: f"worker {w}" for w in range(workers)}, workers: "other threads"}, names
    now = 0.0
    stacks = collections.defaultdict(list)
    flows = {}
    for number, e in enumerate(events):
        where = (number, e)
        assert type(e["pid"]) is int and type(e["tid"]) is int and 0 <= e["tid"] <= workers, where
        for key, value in e.get("args", {}).items():
            if key not in ("name", "how", "on"):
                assert type(value) is int and 0 <= value < 2**53, where
        if e["ph"] == "M":
            continue
        assert type(e["ts"]) is float and e["ts"] >= now, where
        now = e["ts"]
        stack = stacks[e["tid"]]
        if e["ph"] == "B":
            assert e["name"] and e["cat"] in ("task", "worker"), where
            if e["cat"] == "task":
                assert e["args"]["how"] in HOWS and e["args"]["real"] > 0, where
                assert all(s["cat"] == "task" and s["args"]["real"] == e["args"]["real"] for s in stack), where
            else:
                assert not stack, where
            stack.append(e)
        elif e["ph"] == "E":
            assert stack, where
            stack.pop()
        elif e["ph"] == "i":
            assert e["name"] in INSTANTS and e["s"] == "t" and e["cat"] == "task", where
            if e["name"] == "block":
                assert e["args"]["on"] in WAITS, where
                assert stack and stack[-1]["args"]["real"] == e["args"]["real"], where
        elif e["ph"] == "s":
            assert e["cat"] in ("made", "wake") and e["name"] == e["cat"], where
            assert (e["cat"], e["id"]) not in flows, where
            flows[e["cat"], e["id"]] = "open"
            if e["cat"] == "made":
                by = stack[-1]["args"]["task"] if stack else 0
                assert e["args"]["by"] == by, where
        elif e["ph"] == "f":
            assert e["bp"] == "e" and stack and flows[e["cat"], e["id"]] == "open", where
            flows[e["cat"], e["id"]] = "over"
            if e["cat"] == "made":
                assert stack[-1]["args"]["task"] == e["id"], where
        else:
            raise AssertionError(where)
    assert not any(stacks.values()), "slices that never end"
    return events, flows


def begun(events):
    """The slices in which tasks began, by how."""
    return collections.Counter(e["args"]["how"] for e in events
                               if e["ph"] == "B" and e["cat"] == "task" and e["args"]["how"] != "again")


def instants(events):
    return collections.Counter(e["name"] for e in events if e["ph"] == "i")


def check_real_tasks(events):
    """A real task runs on one worker at a time, and is woken after it has blocked, once; how many there were."""
    on, blocked, ever = {}, set(), set()
    depth = collections.Counter()
    for e in events:
        if e["ph"] == "B" and e["cat"] == "task":
            real = e["args"]["real"]
            ever.add(real)
            assert on.setdefault(real, e["tid"]) == e["tid"], e
            assert real not in blocked, e
            depth[e["tid"]] += 1
        elif e["ph"] == "B":
            depth[e["tid"]] += 1
        elif e["ph"] == "E":
            depth[e["tid"]] -= 1
            if depth[e["tid"]] == 0:
                for real in [r for r, t in on.items() if t == e["tid"]]:
                    del on[real]
        elif e["ph"] == "i" and e["name"] == "block":
            assert e["args"]["real"] not in blocked, e
            blocked.add(e["args"]["real"])
        elif e["ph"] == "i" and e["name"] == "wake":
            blocked.discard(e["args"]["real"])
    return ever, blocked


def check_everything(workers):
    path, out, _ = run("everything", workers=workers, trace=f"everything-{workers}.json")
    counts = json.loads(out)
    events, flows = check_format(path)
    how, marks = begun(events), instants(events)
    made = counts["spawned"] + counts["begun"] + counts["started"] - 1
    assert sum(1 for cat, _ in flows if cat == "made") == made, (len(flows), counts)
    assert all(state == "over" for (cat, _), state in flows.items() if cat == "made")
    assert sum(how.values()) == made + 1 + counts["stolen"], (how, counts)
    assert how["main"] == 1 and how["child"] == counts["stolen"] == marks["steal"], (how, marks, counts)
    assert how["inline"] == counts["inlined"] == marks["inline"], (how, marks, counts)
    assert how["realise"] == counts["realised"] == marks["realise"], (how, marks, counts)
    assert marks["block"] == counts["suspended"], (marks, counts)
    assert counts["resumed"] <= marks["wake"] <= counts["resumed"] + counts["suspended"], (marks, counts)
    ever, blocked = check_real_tasks(events)
    assert not blocked, blocked
    assert len(ever) == counts["reals"], (len(ever), counts)
    assert 20 <= counts["reals_at_once"] <= counts["reals"], counts
    names = {e["name"] for e in events if e["ph"] == "B"}
    assert {"task", "left", "late", 'waits "here"\n', "made by a thread"} <= names, names
    if workers > 1:
        assert "asleep" in names, names
    tids = {e["tid"] for e in events if e["ph"] == "s" and e["cat"] == "made"}
    assert workers in tids, "the task that a thread made is on the track of threads"


def check_deadlock():
    path, _, errors = run("deadlock", trace="deadlock.json", expect=3)
    assert "deadlock" in errors, errors
    events, _ = check_format(path)
    _, blocked = check_real_tasks(events)
    assert len(blocked) == 2, blocked


def check_files():
    path, _, _ = run("twice", trace="twice.json")
    for name in ("twice.json", "twice-2.json"):
        check_format(os.path.join(FOLDER.name, name))
    assert sorted(f for f in os.listdir(FOLDER.name) if f.startswith("twice")) == ["twice-2.json", "twice.json"]
    _, _, errors = run("twice", trace="nowhere/run.json", expect=2)
    assert "nowhere/run.json" in errors and "No such file" in errors and errors.count("\n") == 1, errors
    _, _, errors = run("twice", trace="", expect=2)  # a folder
    assert "Is a directory" in errors, errors


def check_full_disk():
    done = subprocess.run([PROGRAM, "everything", "--hk-trace", "/dev/full"], capture_output=True, text=True)
    assert done.returncode in (0, 2) and "/dev/full" in done.stderr, done


def check_memory():
    """A trace of a million tasks takes no more memory than one of a tenth of that."""
    peaks = []
    for n in (100_000, 2_000_000):
        path, out, _ = run("many", workers=1, trace="many.json", n=n)
        peaks.append(json.loads(out)["peak_kib"])
        size = os.path.getsize(path)
        assert size > n * 200, (n, size)
        os.remove(path)
    assert peaks[1] < peaks[0] + 4096, peaks


if KIND == "quick":
    for count in (1, 2, 8):
        check_everything(count)
    check_deadlock()
    check_files()
    check_full_disk()
else:
    for count in (1, 2, 8, 64):
        for _ in range(20):
            check_everything(count)
    check_memory()
print("the traces are as they should be")
