# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Makes traces, runs `hocket timeline` on them, and checks counts, pictures and refusals; one case a call:
#   timeline_test.py CASE --command PATH
import argparse
import atexit
import html.parser
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

SVG = "{http://www.w3.org/2000/svg}"
COLOURS = {"running": "#0072b2", "ready": "#e69f00", "blocked": "#cc79a7"}


class Trace:
    """Writes what the recorder of a run would; times in microseconds."""

    def __init__(self, workers=2, program="made"):
        self.workers, self.program, self.now, self.flows = workers, program, 0.0, 0
        self.events = [{"ph": "M", "pid": 1, "tid": 0, "name": "process_name", "args": {"name": program}}]
        for w in range(workers + 1):
            name = f"worker {w}" if w < workers else "other threads"
            self.events.append({"ph": "M", "pid": 1, "tid": w, "name": "thread_name", "args": {"name": name}})

    def at(self, us):
        self.now = us
        return self

    def add(self, phase, worker, **fields):
        self.events.append({"ph": phase, "pid": 1, "tid": worker, "ts": round(self.now, 3), **fields})
        return self

    def begin(self, worker, task, real, how, name="task"):
        self.add("B", worker, cat="task", name=name, args={"task": task, "real": real, "how": how})
        if how not in ("again", "main", "child"):
            self.add("f", worker, bp="e", cat="made", name="made", id=task)
        return self

    def end(self, worker):
        return self.add("E", worker)

    def made(self, worker, task, by):
        return self.add("s", worker, cat="made", name="made", id=task, args={"by": by})

    def mark(self, worker, what, **args):
        return self.add("i", worker, s="t", cat="task", name=what, args=args)

    def sleep(self, worker):
        return self.add("B", worker, cat="worker", name="asleep")

    def text(self):
        head = {"displayTimeUnit": "ns", "otherData": {"program": self.program, "version": "0.1.0",
                                                       "workers": self.workers, "runs": 1}}
        lines = ",\n".join(json.dumps(e) for e in self.events)
        return json.dumps(head)[:-1] + ', "traceEvents":[\n' + lines + "\n]}\n"

    def write(self, name="run.json"):
        return write(name, self.text())


def write(name, text):
    path = os.path.join(folder, name)
    with open(path, "wb") as file:
        file.write(text if isinstance(text, bytes) else text.encode())
    return path


def small():
    """Three real tasks on two workers, 100 us. Real task 10: main; makes 1, 2 and 3, in-lines 1, waits for 2.
    20: task 2, taken by the idle worker, then at once task 3; 30: a stolen child of main, which yields."""
    t = Trace()
    t.at(0).begin(0, 0, 10, "main", "main").sleep(1)
    t.at(5).made(0, 1, 0).at(6).made(0, 2, 0).at(7).made(0, 3, 0)
    t.at(10).end(1).begin(1, 2, 20, "idle", "second")
    t.at(12).mark(0, "inline", task=1).begin(0, 1, 10, "inline", "first")
    t.at(20).end(0)
    t.at(25).mark(0, "block", real=10, on="task").end(0)
    t.at(30).mark(0, "steal", task=9, **{"from": 10}).begin(0, 9, 30, "child", "child")
    t.at(40).mark(1, "wake", real=10).end(1)
    t.at(41).begin(1, 3, 20, "next", "third")
    t.at(50).end(0).begin(0, 0, 10, "again", "main")
    t.at(60).end(1).begin(1, 9, 30, "again", "child")
    t.at(70).end(1)
    t.at(100).end(0)
    return t


def tree_of_tasks(depth, reals=4):
    """Main makes a binary tree of tasks; real task 1 + (task mod reals) runs each, one after the other."""
    t = Trace(workers=1).begin(0, 0, 1000, "main", "main")
    number, level = 0, [0]
    for _ in range(depth):
        grown = []
        for parent in level:
            for _ in range(2):
                number += 1
                t.made(0, number, parent)
                grown.append(number)
        level = grown
    t.end(0)
    for task in range(1, number + 1):
        t.at(t.now + 1).begin(0, task, 1 + task % reals, "idle").at(t.now + 1).end(0)
    return t, number + 1


def many(reals, workers=2, rounds=1, hold=0.5):
    """Real tasks that run for 2 us, block, and are woken one after the other when all have been made."""
    t = Trace(workers=workers, program="many")
    for i in range(1, reals + 1):
        w = i % workers
        t.at(t.now + 1.0 / workers).begin(w, i, i, "start", f"waits {i}")
        t.at(t.now + 1.0 / workers).mark(w, "block", real=i, on="event").end(w)
    for _ in range(rounds):
        t.at(t.now + hold * reals)
        for i in range(1, reals + 1):
            t.at(t.now + 0.1).mark(i % workers, "wake", real=i)
        for i in range(1, reals + 1):
            w = i % workers
            t.at(t.now + 1.0 / workers).begin(w, i, i, "again", f"waits {i}")
            if _ + 1 < rounds:
                t.mark(w, "block", real=i, on="event")
            t.at(t.now + 0.5 / workers).end(w)
    return t


def run(*arguments, expect=0):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("HOCKET_")}
    done = subprocess.run([options.command, "timeline", *arguments], capture_output=True, text=True, env=environment)
    assert done.returncode == expect, (
        f"hocket timeline {' '.join(arguments)}: exit code {done.returncode}, expected {expect}\n"
        f"stdout:\n{done.stdout}\nstderr:\n{done.stderr}")
    return done.stdout, done.stderr


def refused(*arguments, words=(), code=1):
    out, errors = run(*arguments, expect=code)
    assert out == "", out
    assert errors.count("\n") == 1 and errors.startswith("hocket: "), errors
    for word in words:
        assert word in errors, f"'{word}' is missing in: {errors}"


def counts(path, *arguments):
    return json.loads(run(path, "--json", *arguments)[0])


def draw(path, *arguments, name="picture.svg"):
    """The picture as an XML tree."""
    output = os.path.join(folder, name)
    out, errors = run(path, "-o", output, *arguments)
    assert out.startswith(output + ": ") and out.count("\n") == 1 and errors == "", (out, errors)
    root = xml.parse(output).getroot()
    assert root.tag == SVG + "svg", root.tag
    return root


def part(root, identity):
    found = [e for e in root.iter() if e.get("id") == identity]
    assert len(found) == 1, f"{len(found)} elements with id {identity}"
    return found[0]


def of_class(root, name):
    return [e for e in root.iter() if name in (e.get("class") or "").split()]


def texts(root):
    return ["".join(e.itertext()) for e in root.iter(SVG + "text")]


def tips(elements):
    return [e.find(SVG + "title").text for e in elements]


def stretches(line, state):
    """The (from, to) of a line's bars in a state, as they stand in its path."""
    paths = [e for e in line.iter(SVG + "path") if e.get("class") == state]
    assert len(paths) <= 1
    if not paths:
        return []
    steps = re.findall(r"M([\d.]+) \.5h([\d.]+)", paths[0].get("d"))
    assert "".join(f"M{x} .5h{w}" for x, w in steps) == paths[0].get("d"), paths[0].get("d")
    return [(float(x), float(x) + float(w)) for x, w in steps]


def near(found, wanted, tolerance=0.03):
    assert len(found) == len(wanted) and all(
        abs(a - b) <= tolerance for f, w in zip(found, wanted) for a, b in zip(f, w)), (found, wanted)


def case_counts():
    found = counts(small().write())
    expected = {
        "program": "made", "version": "0.1.0", "workers": 2, "seconds": 1e-4, "events": sum("ts" in e for e in small().events), "made": 3, "tasks": 5,
        "started": 0, "inlined": 1, "realised": 0, "taken_by_idle": 1, "next": 1, "stolen": 1, "suspended": 1,
        "woken": 1, "real_tasks": 3, "most_real_at_once": 3, "most_running": 2, "most_ready": 2, "most_blocked": 1,
        "blocked_at_end": 0}
    for key, value in expected.items():
        assert found[key] == value, f"{key} is {found[key]}, not {value}"
    # 30 leaves its worker just before 10 gets it, so that both are ready for no time at all.
    # main 0-25 and 50-100, 20: 10-60 with the pause between its tasks, 30: 30-50 and 60-70.
    for key, us in (("running", 75 + 50 + 30), ("ready", 10 + 10), ("blocked", 15), ("asleep", 10)):
        assert abs(found[key + "_seconds"] - us * 1e-6) < 1e-12, (key, found[key + "_seconds"])


def case_range():
    path = small().write()
    found = counts(path, "--from", "0.026", "--to", "0.045")
    assert found["real_tasks"] == 3 and found["tasks"] == 2 and found["most_running"] == 2, found
    assert found["most_real_at_once"] == 3 and abs(found["seconds"] - 19e-6) < 1e-12, found
    assert abs(found["blocked_seconds"] - 14e-6) < 1e-12 and found["asleep_seconds"] == 0, found
    found = counts(path, "--from", "0.075")
    assert found["real_tasks"] == 1 and found["tasks"] == 0 and found["most_blocked"] == 0, found
    root = draw(path, "--from", "0.026", "--to", "0.045")
    assert len(of_class(root, "line")) == 3
    assert any("a part of 100 µs" in t for t in texts(root)), texts(root)
    assert {"30", "40"} <= set(texts(root)) and "50" not in texts(root), texts(root)
    # Times count from the first event, whatever the clock says.
    later = small()
    for e in later.events:
        if "ts" in e:
            e["ts"] += 7e6
    assert counts(later.write()) == counts(path)


def case_lines():
    root = draw(small().write())
    lines = of_class(root, "line")
    assert len(lines) == 3 and not [e for e in root.iter() if e.get("id") == "binned"]
    style = "".join(root.find(SVG + "style").itertext())
    for state, colour in COLOURS.items():
        assert re.search(rf"path\.{state} {{ stroke: {colour}; }}", style), style
    width = 1200 - 92 - 24
    main, second, child = lines
    us = [w * width / 100 for w in range(101)]
    near(stretches(main, "running"), [(us[0], us[25]), (us[50], us[100])])
    near(stretches(main, "blocked"), [(us[25], us[40])])
    near(stretches(main, "ready"), [(us[40], us[50])])
    near(stretches(second, "running"), [(us[10], us[60])])
    near(stretches(child, "running"), [(us[30], us[50]), (us[60], us[70])])
    near(stretches(child, "ready"), [(us[50], us[60])])
    assert tips(lines)[0] == ("real task 1 (number 10 in the trace): main and 1 task more\n"
                              "0 ns to 100 µs: ran 75.0 µs, ready 10.0 µs, blocked 15.0 µs"), tips(lines)[0]
    legend = texts(part(root, "legend"))
    assert legend == ["running", "ready", "blocked", "existing"], legend
    shown = texts(root)
    assert shown[0] == "made: real tasks over time", shown
    assert shown[1] == "2 workers · 100 µs · 5 tasks · 3 real tasks, at most 3 at once", shown
    assert "time [µs]" in shown and "0" in shown and "100" in shown, shown
    curves = [e for e in of_class(root, "curve") if e not in list(part(root, "legend"))]
    assert sorted(e.get("class") for e in curves) == ["curve blocked", "curve existing", "curve running"]
    # The curve of what is blocked goes up at 25 us and down at 40 us, and nowhere else.
    blocked = next(e for e in curves if e.get("class") == "curve blocked").get("d")
    near([[float(x) - 92 for x in re.findall(r"H([\d.]+)", blocked)]], [[us[25], us[40], us[100]]])


def case_sizes():
    path = small().write()
    root = draw(path, "--width", "2000", "--height", "900")
    assert (root.get("width"), root.get("height"), root.get("viewBox")) == ("2000", "900", "0 0 2000 900")
    assert len(of_class(root, "line")) == 3
    for size in ("400", "10000"):
        root = draw(path, "--width", size, "--height", size)
        assert (root.get("width"), root.get("height")) == (size, size)
        for e in root.iter():
            for key in ("height", "width"):
                assert not (e.get(key) or "0").startswith("-"), e.attrib


def case_escaped():
    names = ['<b>&"quoted"\'</b>', "two\nlines\x01", "emoji \U0001f600 \uffff", "", "]]>", "x" * 3000, "ü" * 300]
    t = Trace(workers=1, program="a<b>&\"c\"")
    for i, name in enumerate(names):
        t.at(t.now + 1).made(0, i + 1, 0).begin(0, i + 1, i + 1, "start", name).at(t.now + 5).end(0)
    path = t.write()
    root = draw(path)
    assert texts(root)[0] == 'a<b>&"c": real tasks over time'
    shown = [tip.split(": ", 1)[1].split("\n")[0] for tip in tips(of_class(root, "line"))]
    assert shown[0] == names[0] and shown[1] == "two lines " and shown[3] == "(no name)" and shown[4] == "]]>", shown
    assert shown[2] == "emoji \U0001f600 \ufffd", shown[2]
    assert shown[5] == "x" * 80 + "…" and shown[6] == "ü" * 40 + "…", shown
    root = draw(path, "--tree")
    assert any(names[0] in tip for tip in tips(of_class(root, "task")))
    # A script's end within a name does not end the page's script, nor begin one.
    t = Trace(workers=1).begin(0, 0, 1, "main", "</script><script>alert(1)</script>").at(9).end(0)
    output = os.path.join(folder, "page.html")
    run(t.write(), "-o", output)
    assert open(output).read().count("<script") == 1


def case_binned():
    path = many(20000).write()
    root = draw(path)
    lines = of_class(root, "line")
    note = "".join(part(root, "binned").itertext())
    per_line = int(re.match(r"One line stands for ([\d,]+) real tasks", note)[1])
    assert 2 <= per_line and len(lines) == -(-20000 // per_line) and 300 <= len(lines) <= 600, (per_line, len(lines))
    assert os.path.getsize(os.path.join(folder, "picture.svg")) < 2_000_000
    assert "real tasks 1 to " in tips(lines)[0] and tips(lines)[-1].startswith("real tasks "), tips(lines)
    # A huge picture is binned, too.
    draw(path, "--width", "10000", "--height", "10000", name="huge.svg")
    assert os.path.getsize(os.path.join(folder, "huge.svg")) < 5_000_000
    # Whole columns; a cell is in one state only, and a line in all of them.
    for line in lines:
        cells = [c for state in COLOURS for a, b in stretches(line, state) for c in range(int(a), int(b))]
        assert len(cells) == len(set(cells)) > 0
        assert all(stretches(line, state) for state in COLOURS), line[0].text
    assert counts(path)["most_blocked"] == 20000 and counts(path)["most_running"] <= 2
    assert len(of_class(root, "band")) == 4  # three curves and the legend


def case_binned_time():
    """Few real tasks that change often: a line each, and time in columns."""
    t = many(40, rounds=400)
    root = draw(t.write())
    assert len(of_class(root, "line")) == 40
    note = "".join(part(root, "binned").itertext())
    assert note.startswith("Time is binned: one column stands for ") and "One line" not in note, note
    assert os.path.getsize(os.path.join(folder, "picture.svg")) < 2_000_000
    # In a narrow range there is nothing to bin.
    root = draw(t.write(), "--to", "0.2")
    assert not [e for e in root.iter() if e.get("id") == "binned"]


def case_deadlock():
    """What blocks for ever does so until the end of the trace, although its slices have ended."""
    t = Trace(workers=1).begin(0, 0, 1, "main").at(10).mark(0, "block", real=1, on="task").end(0)
    t.begin(0, 1, 2, "start").at(40).end(0).sleep(0).at(50).end(0)
    path = t.write()
    assert counts(path)["blocked_at_end"] == 1
    root = draw(path)
    width = 1200 - 92 - 24
    near(stretches(of_class(root, "line")[0], "blocked"), [(width / 5, width)])
    assert any("1 blocked for ever" in text for text in texts(root))


def case_order_of_block():
    """A wake-up that comes before the task has left its worker ends the block."""
    t = Trace().begin(0, 1, 1, "start").begin(1, 2, 2, "start")
    t.at(10).mark(0, "block", real=1, on="event").at(11).mark(1, "wake", real=1).at(12).end(0)
    t.at(20).begin(0, 1, 1, "again").at(30).end(0).end(1)
    found = counts(t.write())
    assert found["most_blocked"] == 0 and found["most_ready"] == 1, found
    # One that comes before the real task has ever run means nothing.
    found = counts(Trace().mark(0, "wake", real=5).at(1).begin(0, 1, 5, "start").at(2).end(0).write())
    assert found["real_tasks"] == 1 and found["woken"] == 1, found


def case_tree():
    t, number = tree_of_tasks(4)
    root = draw(t.write(), "--tree")
    tasks = of_class(root, "task")
    assert len(tasks) == number == 31 and not of_class(root, "rest")
    assert len(list(part(root, "edges"))) == number - 1
    fills = {}
    for task in tasks:
        tip = task.find(SVG + "title").text
        real = int(re.search(r"number (\d+) in the trace", tip)[1])
        mark = task[1]
        fills.setdefault(real, set()).add((mark.tag, mark.get("fill")))
    assert set(fills) == {1, 2, 3, 4, 1000} and all(len(f) == 1 for f in fills.values()), fills
    assert len(set.union(*fills.values())) == 5, "real tasks look alike"
    legend = texts(part(root, "legend"))
    assert sorted(legend) == sorted(["real task 1: 1 task", "real task 2: 8 tasks", "real task 3: 8 tasks",
                                     "real task 4: 7 tasks", "real task 5: 7 tasks"]), legend


def case_tree_inlined():
    """An edge is thick where the child ran in its maker's real task; a stolen child hangs below whom it was stolen
    from; what never ran is there, too."""
    t = small()
    t.events.insert(-1, {**t.events[-1], "ph": "s", "cat": "made", "name": "made", "id": 77, "args": {"by": 0}})
    root = draw(t.write(), "--tree")
    assert len(of_class(root, "task")) == 6 and len(of_class(root, "edge")) == 5
    assert len(of_class(root, "same")) == 1
    assert len(of_class(part(root, "tasks"), "never")) == 1
    assert "task 77: never ran" in tips(of_class(root, "task"))
    assert "never ran: 1 task" in texts(part(root, "legend"))


def case_tree_threads():
    """Tasks that threads made have no maker; main is task 0."""
    t = Trace(workers=1).begin(0, 0, 1, "main", "main").made(1, 5, 0).made(0, 6, 0)
    t.begin(0, 6, 1, "inline").end(0).at(5).end(0).begin(0, 5, 1, "next").at(6).end(0)
    root = draw(t.write(), "--tree")
    assert len(of_class(root, "task")) == 3 and len(of_class(root, "edge")) == 1


def rest(root):
    return sum(int(re.match(r"\+([\d,]+) more", tip)[1].replace(",", "")) for tip in tips(of_class(root, "rest")))


def case_most_nodes():
    t, number = tree_of_tasks(11)
    path = t.write()
    for most, drawn in ((None, 511), (1, 1), (2, 1), (3, 3), (31, 31), (40, 31), (number, number), (100000, number)):
        root = draw(path, "--tree", *(["--most-nodes", str(most)] if most else []))
        tasks = of_class(root, "task")
        assert len(tasks) == drawn, (most, len(tasks))
        assert rest(root) == number - drawn, (most, rest(root))
        note = [text for text in texts(root) if " are drawn, +" in text]
        assert len(note) == (1 if drawn < number else 0), note
        for text in note:
            assert f"{drawn:,} of {number:,} tasks are drawn, +{number - drawn:,} more" in text, text
    # A flat tree is cut within its only level, a chain at its end.
    flat = Trace(workers=1).begin(0, 0, 1, "main")
    for i in range(1, 5001):
        flat.made(0, i, 0)
    for i in range(1, 5001):
        flat.at(i).begin(0, i, 1, "inline").end(0)
    root = draw(flat.end(0).write(), "--tree")
    assert len(of_class(root, "task")) == 1000 and len(of_class(root, "rest")) == 1 and rest(root) == 4001
    chain = Trace(workers=1).begin(0, 0, 1, "main")
    for i in range(1, 100001):
        chain.made(0, i, i - 1).begin(0, i, 1, "inline")
    for i in range(100001):
        chain.at(i + 1).end(0)
    root = draw(chain.write(), "--tree")
    assert len(of_class(root, "task")) == 1000 and rest(root) == 99001


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags, self.links = [], []

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.links += [value for key, value in attributes if key in ("src", "href", "xlink:href")]


def case_html():
    for arguments, kind in (([], "line"), (["--tree"], "task")):
        output = os.path.join(folder, "page.html")
        run(small().write(), "-o", output, *arguments)
        text = open(output, encoding="utf-8").read()
        page = Page()
        page.feed(text)
        assert text.startswith("<!DOCTYPE html>") and page.tags.count("svg") == 1 and page.tags.count("script") == 1
        assert not page.links, page.links
        assert set(re.findall(r"https?://[^\"' ]+", text)) == {"http://www.w3.org/2000/svg"}
        root = xml.fromstring(re.search(r"<svg.*</svg>", text, re.S)[0])
        found = of_class(root, kind)
        assert found and all(tips(found)), "lines without tooltips"
        for word in ("wheel", "pointermove", "dataset.tip", "viewBox"):
            assert word in text, word


def case_bad_files():
    picture = os.path.join(folder, "refused.svg")

    def bad(name, text, *words):
        refused(write(name, text), "-o", picture, words=(name, *words))
        assert not os.path.exists(picture)
        refused(write(name, text), "--json", words=(name, *words))

    missing = os.path.join(folder, "missing.json")
    refused(missing, "-o", picture, words=(missing, "No such file"))
    refused(folder, "-o", picture, words=(folder, "is a folder"))
    bad("empty.json", "", "is empty")
    bad("text.json", "no JSON at all", "is no JSON", "byte 2")
    bad("binary.json", bytes(random.Random(1).randrange(256) for _ in range(999)), "byte")
    bad("list.json", "[]", "is no trace of Hocket", "traceEvents")
    bad("number.json", "5", "is no trace of Hocket", "traceEvents")
    bad("other.json", '{"a": [1, {"ts": "x"}]}', "is no trace of Hocket", "traceEvents")
    bad("null.json", '{"traceEvents": null}', "is no list")
    bad("object.json", '{"traceEvents": {"ph": "B"}}', "is no list")
    bad("numbers.json", '{"traceEvents": [1]}', "event 1 is no object")
    bad("lists.json", '{"traceEvents": [[]]}', "event 1 is no object")
    whole = small().text()
    good = json.loads(whole)
    begin = whole.index("[")
    for length in (1, 20, *range(begin + 5, len(whole) - 3, 97), *range(len(whole) - 20, len(whole) - 2)):
        bad("cut.json", whole[:length], "is cut off", f"byte {length}", *(["event"] if length > begin + 5 else []))
    bad("more.json", whole + "{}", "is no JSON", "byte")

    def changed(number, *words, drop=(), **fields):
        events = [dict(e) for e in good["traceEvents"]]
        for key in drop:
            events[number].pop(key)
        events[number].update(fields)
        bad("changed.json", json.dumps({**good, "traceEvents": events}), f"event {number + 1} ", *words)

    first = 4  # the B of main, after the names
    args = good["traceEvents"][first]["args"]
    changed(first, "ph", drop=["ph"])
    changed(first, "ts", drop=["ts"])
    changed(first, "tid", drop=["tid"])
    changed(first, "ts", ts="5")
    changed(first, "ts", ts=None)
    changed(first, "ts", ts={})
    changed(first, "ts", ts=-1)
    changed(first, "ts", ts=1e300)
    changed(first, "tid", tid=0.5)
    changed(first, "name", name=3)
    changed(first, "neither", cat="other")
    changed(first, "task", args={"real": 1, "how": "main"})
    changed(first, "real", args={"task": 1, "how": "main"})
    changed(first, "real task 0", args={**args, "real": 0})
    changed(first, "real", args={**args, "real": -4})
    changed(first, "how", args={"task": 1, "real": 1})
    changed(len(good["traceEvents"]) - 1, "earlier", ts=1)
    changed(first + 1, "ends a slice on track 1", drop=["name", "cat"], ph="E")
    events = good["traceEvents"]
    bad("open.json", json.dumps({**good, "traceEvents": events[:-1]}), "1 slice on track 0 without an end")
    bad("over.json", json.dumps({**good, "traceEvents": events + [events[-1]]}),
        f"event {len(events) + 1} ends a slice on track 0, where none is open")
    bad("blocks.json", Trace().mark(0, "block", real=8, on="task").text(), "real task 8, which never began")
    twice = Trace().made(2, 4, 0).made(2, 4, 0)
    refused(twice.write(), "--tree", "-o", picture, words=("event 6 makes task 4 a second time",))
    for other in ({}, {"workers": 0}, {"workers": 10**9}):
        bad("workers.json", json.dumps({**good, "otherData": other}), "workers")
    bad("workers.json", json.dumps({**good, "otherData": {"workers": "two"}}), "workers")
    bad("nothing.json", Trace().text(), "no task ran")
    bad("asleep.json", Trace().sleep(0).at(1).end(0).text(), "no task ran")


def case_bad_usage():
    path, picture = small().write(), os.path.join(folder, "refused.svg")
    refused("-o", picture, words=("FILE",), code=2)
    refused(path, words=("--output", "--json"), code=2)
    for name in ("picture.png", "picture", ".svg"):
        refused(path, "-o", name, words=(name, ".svg", ".html"), code=2)
    for arguments in (["--from", "-1"], ["--from", "x"], ["--to", "nan"], ["--to", "inf"], ["--width", "399"],
                      ["--width", "1e9"], ["--height", "0"], ["--nonsense"], ["--most-nodes", "5"],
                      ["--tree", "--most-nodes", "0"], ["--tree", "--from", "1"], ["--tree", "--to", "1"]):
        refused(path, "-o", picture, *arguments, words=(arguments[-2] if len(arguments) > 1 else arguments[0],),
                code=2)
    refused(path, "-o", picture, "--from", "2", "--to", "1", words=("--from 2", "--to 1"), code=2)
    refused(path, "-o", picture, "--from", "1", "--to", "1", words=("--from 1",), code=2)
    refused(path, "-o", picture, "--from", "0.2", words=("--from 0.2", "0.1 ms"), code=2)
    refused(path, "--json", "-o", picture, words=("--json",), code=2)
    refused(path, "--json", "--tree", words=("--json",), code=2)
    assert not os.path.exists(picture)


def case_unwritable():
    path = small().write()
    nowhere = os.path.join(folder, "nowhere", "picture.svg")
    refused(path, "-o", nowhere, words=(nowhere, "cannot be written", "No such file"))
    if os.path.exists("/dev/full"):
        full = os.path.join(folder, "full.svg")
        os.symlink("/dev/full", full)
        refused(path, "-o", full, words=(full, "cannot be written", "No space"))


def case_other_events():
    """Events that we do not write, and fields that we do not know, are passed over."""
    t = small()
    expected = counts(t.write())
    t.events.insert(6, {"ph": "C", "pid": 1, "tid": 0, "ts": 0, "name": "counter", "args": {"value": [1, {"ts": "x"}]}})
    for e in t.events:
        e["more"] = {"args": {"real": "x"}, "ts": None}
        e.setdefault("args", {})["unknown"] = ["x", {"task": -1}]
    assert counts(t.write()) == expected


def main():
    global options, folder
    cases = {name[len("case_"):]: function for name, function in globals().items() if name.startswith("case_")}
    parser = argparse.ArgumentParser()
    parser.add_argument("case", choices=cases)
    parser.add_argument("--command", required=True)
    options = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="hocket-timeline-test-")
    atexit.register(shutil.rmtree, folder)
    cases[options.case]()


if __name__ == "__main__":
    sys.exit(main())
