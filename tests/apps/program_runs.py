# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the example programs as a user does; shared by the scripts beside it: SCRIPT CASE --PROGRAM=PATH..."""
import os
import subprocess
import sys

paths = {}


def run(program, *arguments, expect=0, **how):
    """Runs a program, checks its exit code, and returns what it printed: (stdout, stderr)."""
    how.setdefault("stdout", subprocess.PIPE)
    how.setdefault("stderr", subprocess.PIPE)
    environment = {**os.environ, **how.pop("environment", {})}
    done = subprocess.run([paths[program], *map(str, arguments)], env=environment, **how)
    out, errors = ((text or b"").decode(errors="replace") for text in (done.stdout, done.stderr))
    assert done.returncode == expect, (
        f"{program} {' '.join(map(str, arguments))}: exit code {done.returncode}, expected {expect}\n"
        f"stdout:\n{out}\nstderr:\n{errors}")
    return out, errors


def refused(program, *arguments, words=(), **how):
    """Bad input is answered by exit code 2, one sentence that holds these words, and nothing on stdout."""
    out, errors = run(program, *arguments, expect=2, **how)
    assert out == "", out
    assert errors.count("\n") == 1 and errors.startswith(program + ": "), f"not one sentence:\n{errors}"
    for word in words:
        assert str(word) in errors, f"'{word}' is missing in: {errors}"


def main(cases):
    """cases: the functions of a script, by name; runs the one that the command line names."""
    paths.update(argument[2:].split("=", 1) for argument in sys.argv[2:])
    cases[sys.argv[1]]()
