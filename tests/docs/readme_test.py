# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The first program of README.md is examples/hello.cpp, letter by letter: what the tests run is what a reader copies.
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
blocks = re.findall(r"```cpp\n(.*?)```", (root / "README.md").read_text(), re.S)
if not blocks:
    sys.exit("README.md: no ```cpp block; its first program should be examples/hello.cpp")
if blocks[0] != (root / "examples/hello.cpp").read_text():
    sys.exit("README.md: its first program differs from examples/hello.cpp; copy one over the other")

# Every relative link of README.md and docs/ leads somewhere.
missing = []
for page in [root / "README.md", *sorted((root / "docs").rglob("*.md"))]:
    for target in re.findall(r"\]\(([^)#:]+)\)", re.sub(r"```.*?```", "", page.read_text(), flags=re.S)):
        if not (page.parent / target).exists():
            missing.append(f"{page.relative_to(root)}: link to {target}, which does not exist")
if missing:
    sys.exit("\n".join(missing))
