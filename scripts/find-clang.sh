#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Prints the clang++ to use for the sanitizers: clang++-19, or else the newest there is (and says so).
for version in 19 22 21 20 18 17 16; do
  name=clang++-$version
  command -v "$name" >/dev/null 2>&1 || continue
  [ "$version" = 19 ] || echo "find-clang: clang++-19 is not installed; using $name" >&2
  echo "$name"
  exit 0
done
if command -v clang++ >/dev/null 2>&1; then
  echo "find-clang: clang++-19 is not installed; using $(clang++ --version | head -n 1)" >&2
  echo clang++
  exit 0
fi
echo "find-clang: no clang++ found; install one (scripts/install-dependencies.sh sanitizers)" >&2
echo clang++
exit 1
