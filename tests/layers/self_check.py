#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plants includes that break the layers into a small tree; the check must find each, and nothing else."""
import pathlib
import sys
import tempfile

import check_layers

GOOD = {
    "include/hocket/error.hpp": "#include <string>\n",
    "include/hocket/task.hpp": "#include <hocket/error.hpp>\n",
    "include/hocket/hocket.hpp": "#include <hocket/task.hpp>\n",
    "src/base/log.hpp": "// #include <hocket/task.hpp>\n/*\n#include <hocket/task.hpp>\n*/\n",
    "src/sched/worker.cpp": '#include "worker.hpp"\n#include "base/log.hpp"\n#include <hocket/task.hpp>\n',
    "src/sched/worker.hpp": "",
    "src/talk/rope.hpp": '#include "sched/worker.hpp"\n',
    "src/global/cache.hpp": "",
    "apps/fib/main.cpp": '#include <hocket/hocket.hpp>\n#include "common/args.hpp"\n',
    "apps/common/args.hpp": "",
}

# file, its text, the words its complaint must hold
PLANTED = [
    ("src/base/bad.cpp", '#include "sched/worker.hpp"\n', "base/bad.cpp:1: layer base includes src/sched/worker.hpp"),
    ("src/base/bad.cpp", "\n  #  include <hocket/task.hpp>\n", "base/bad.cpp:2: layer base includes include/hocket/task.hpp"),
    ("src/base/bad.cpp", '#include "../sched/worker.hpp"\n', "layer base includes src/sched/worker.hpp"),
    ("include/hocket/version.hpp", "#include <hocket/task.hpp>\n", "layer base includes include/hocket/task.hpp"),
    ("src/sched/bad.cpp", "#include <hocket/hocket.hpp>\n", "in layer umbrella"),
    ("src/talk/bad.cpp", '#include "global/cache.hpp"\n', "of layer global beside it"),
    ("src/sched/bad.cpp", '#include "missing.hpp"\n', "includes missing.hpp, which is not in the repository"),
    ("src/shed/bad.cpp", "", "src/ has one folder a layer"),
    ("include/hocket/nowhere.hpp", "", "in no layer"),
]


def problems_of(files):
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            path = pathlib.Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return check_layers.check_tree(folder)[1]


def main():
    failures = []
    if problems_of(GOOD):
        failures.append(f"a good tree was refused: {problems_of(GOOD)}")
    for name, text, words in PLANTED:
        found = problems_of({**GOOD, name: text})
        if len(found) != 1 or words not in found[0]:
            failures.append(f"planted in {name}: {text!r}; expected one complaint with '{words}'; got {found}")
    for failure in failures:
        print(failure, file=sys.stderr)
    print(f"self_check: {len(PLANTED)} planted includes, {len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
