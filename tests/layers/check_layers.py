#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fails if a source file includes one of ours from a higher layer, from beside, or one that does not exist."""
import pathlib
import re
import sys

import layer_table as table

SUFFIXES = {".hpp", ".cpp", ".h", ".c", ".S", ".inc"}
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.MULTILINE)
RANK = {name: rank for rank, names in enumerate(table.LAYERS) for name in names}


def layer_of(path):
    """The layer of a file given by its path in the repository; None for files that may include everything."""
    parts = path.parts
    if parts[:2] == ("include", "hocket"):
        known = table.DETAIL if parts[2] == "detail" else table.PUBLIC
        if path.stem not in known:
            raise ValueError(f"{path}: in no layer; add it to tests/layers/layer_table.py")
        return known[path.stem]
    if parts[0] == "src":
        if len(parts) < 3 or parts[1] not in RANK:
            raise ValueError(f"{path}: src/ has one folder a layer: {', '.join(RANK)}")
        return parts[1]
    return table.FOLDERS.get(parts[0])


def resolve(root, path, quote, name):
    """The repository path that an include of ours means, or None if it is not one of ours."""
    places = [root / "include", root / "src"]
    if quote == '"':
        places.insert(0, (root / path).parent)
        places += [root / path.parts[0], root / "apps"]  # benchmarks and tests use the programs' algorithms
    for place in places:
        if (place / name).is_file():
            return (place / name).resolve().relative_to(root)
    if quote == '"' or name.startswith("hocket/"):
        below = next((root / path.parts[0]).rglob(name), None)  # programs have include folders of their own
        if below and layer_of(path) == "programs":
            return below.resolve().relative_to(root)
        raise ValueError(f"{path}: includes {name}, which is not in the repository (<> is for other packages)")
    return None


def without_comments(text):
    return re.sub(r"/\*.*?\*/", lambda m: "\n" * m.group().count("\n"), text, flags=re.DOTALL)


def check_file(root, path):
    """Sentences about what is wrong in one file."""
    found = []
    try:
        layer = layer_of(path)
    except ValueError as problem:
        return [str(problem)]
    text = without_comments((root / path).read_text(encoding="utf-8"))
    for match in INCLUDE.finditer(text):
        where = f"{path}:{text.count(chr(10), 0, match.start()) + 1}"
        try:
            target = resolve(root, path, match.group(1), match.group(2))
            other = layer_of(target) if target else None
        except ValueError as problem:
            found.append(str(problem))
            continue
        if layer is None or other is None or layer == other:
            continue
        if RANK[other] > RANK[layer]:
            found.append(f"{where}: layer {layer} includes {target}, which is above it, in layer {other}")
        elif RANK[other] == RANK[layer]:
            found.append(f"{where}: layer {layer} includes {target} of layer {other} beside it")
    return found


def check_tree(root):
    """(files looked at, sentences about what is wrong)."""
    root = pathlib.Path(root).resolve()
    files = sorted(path.relative_to(root)
                   for folder in ["include", "src", *table.FOLDERS]
                   for path in (root / folder).rglob("*") if path.suffix in SUFFIXES)
    return len(files), [problem for path in files for problem in check_file(root, path)]


def main():
    if len(sys.argv) != 2:
        print("usage: check_layers.py REPOSITORY", file=sys.stderr)
        return 2
    count, problems = check_tree(sys.argv[1])
    for problem in problems:
        print(problem, file=sys.stderr)
    if count == 0:
        print(f"check_layers: no source file under {sys.argv[1]}", file=sys.stderr)
        return 2
    print(f"check_layers: {count} files, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
