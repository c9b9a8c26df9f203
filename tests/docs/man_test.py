# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The man pages against the code, one case a call:
   man_test.py CASE --pages docs/man --root . --command hocket --build FOLDER --mandir share/man"""
import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

PAGES = ("hocket.1", "hocket.7")
SKIPPED = 77


def source(page):
    return (options.pages / page).read_text()


def section(page, title):
    found = re.search(rf"^\.Sh {title}$(.*?)(?=^\.Sh |\Z)", source(page), re.S | re.M)
    assert found, f"{page}: there is no section {title}"
    return found.group(1)


def command(*arguments):
    """What the command prints, without any HOCKET_ variable of whoever runs the tests."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("HOCKET_")}
    done = subprocess.run([options.command, *arguments], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done
    return done.stdout


def render():
    """Neither renderer has anything to say about a page, and both show its last section."""
    renderers = {"mandoc": (["-T", "lint", "-W", "warning"], ["-T", "utf8"]),
                 "groff": (["-mandoc", "-ww", "-z", "-T", "utf8"], ["-mandoc", "-ww", "-T", "utf8"])}
    there = [name for name in renderers if shutil.which(name)]
    for name in sorted(renderers.keys() - there):
        print(f"man_test: {name} is not installed; the pages are not checked by it")
    if not there:
        sys.exit(SKIPPED)
    for name in there:
        check, show = renderers[name]
        for page in PAGES:
            path = str(options.pages / page)
            done = subprocess.run([name, *check, path], capture_output=True, text=True)
            assert done.returncode == 0 and done.stdout + done.stderr == "", f"{name} says of {page}:\n{done}"
            shown = subprocess.run([name, *show, path], capture_output=True, text=True).stdout
            plain = re.sub(r"\x1b\[[0-9;]*m|.\x08", "", shown)
            assert "SEE ALSO" in plain, f"{name} does not show all of {page}:\n{plain}"


def as_number(text):
    """48K is 49152; what is no such number stays as it is."""
    match = re.fullmatch(r"(\d+)([KMG]?)", text)
    return str(int(match[1]) << {"": 0, "K": 10, "M": 20, "G": 30}[match[2]]) if match else text


def runtime_options():
    """The options of hocket.1 are those of `hocket env`, in its order, with its defaults."""
    settings = {s["name"]: s["value"] for s in json.loads(command("env", "--json"))["settings"]}
    assert settings, "hocket env --json shows no settings"
    entries = re.findall(r"^\.It Fl Fl hk-(\S+) Ar (\S+) , Ev (\S+)\n(.*?)(?=^\.(?:It|El))",
                         section("hocket.1", "RUNTIME OPTIONS"), re.S | re.M)
    documented = [flag.replace("-", "_") for flag, _, _, _ in entries]
    for name, value in settings.items():
        assert name in documented, (
            f"hocket.1 lacks the runtime option {name}; add to RUNTIME OPTIONS, in the order of `hocket env`:\n"
            f".It Fl Fl hk-{name.replace('_', '-')} Ar n , Ev HOCKET_{name.upper()}\n...\nThe default is {value}.")
    assert documented == list(settings), f"hocket.1 has {documented}, `hocket env` has {list(settings)}"
    for flag, _, variable, text in entries:
        name = flag.replace("-", "_")
        assert variable == "HOCKET_" + name.upper(), f"hocket.1: the variable of --hk-{flag} is {variable}"
        default = re.search(r"^The default is (\S+)\.$", text, re.M)
        if default:
            assert as_number(default[1]) == settings[name], (
                f"hocket.1: the default of --hk-{flag} is {default[1]}, but `hocket env` shows {settings[name]}")
        else:  # one that depends on the machine
            assert re.search(r"^By default ", text, re.M), f"hocket.1 does not tell the default of --hk-{flag}"


def command_options():
    """Every command and option that a --help shows is in hocket.1, and no other."""
    helps = command("--help"), command("env", "--help"), command("bench", "--help"), command("timeline", "--help")
    shown = {name for text in helps for line in text.splitlines() if re.match(r"  -", line)
             for name in re.findall(r"--([a-z-]+)", line.split("   ")[0])}
    documented = set(re.findall(r"^\.It .*?Fl Fl (?!hk-)([a-z-]+)", section("hocket.1", "DESCRIPTION"), re.M))
    assert {"help", "version", "json", "threads"} <= shown, shown
    assert shown == documented, f"--help alone has {shown - documented}, hocket.1 alone {documented - shown}"
    commands = re.search(r"^Subcommands:\n((?:  .*\n)+)", helps[0], re.M)[1]
    commands = re.findall(r"^  ([a-z]+) ", commands, re.M)
    assert commands == re.findall(r"^\.Ss hocket (\S+)$", source("hocket.1"), re.M), commands


def examples():
    """The programs in the pages are files of examples/, letter by letter."""
    found = re.findall(r'^\.\\" example: (\S+)\n\.Bd -literal.*?\n(.*?)^\.Ed$', source("hocket.7"), re.S | re.M)
    assert found, 'hocket.7 has no program; one line says which file it is: .\\" example: examples/NAME.cpp'
    for path, text in found:
        for escape, character in (("\\&", ""), ("\\-", "-"), ("\\(aq", "'"), ("\\(ga", "`"), ("\\(ha", "^"),
                                  ("\\(ti", "~"), ("\\e", "\\")):
            text = text.replace(escape, character)
        assert text == (options.root / path).read_text(), f"hocket.7: its program differs from {path}"


def install():
    """`cmake --install` puts each page into its section."""
    with tempfile.TemporaryDirectory() as prefix:
        subprocess.run(["cmake", "--install", options.build, "--prefix", prefix, "--component", "man"], check=True,
                       stdout=subprocess.DEVNULL)
        for page in PAGES:
            installed = pathlib.Path(prefix, options.mandir, "man" + page[-1], page)
            assert installed.read_text() == source(page), installed


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("case", choices=("render", "runtime_options", "command_options", "examples", "install"))
    for name in ("--pages", "--root"):
        parser.add_argument(name, type=pathlib.Path, required=True)
    for name in ("--command", "--build", "--mandir"):
        parser.add_argument(name, required=True)
    options = parser.parse_args()
    globals()[options.case]()
