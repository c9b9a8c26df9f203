#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Runs clang-tidy over src/, or the files named, with the release build's compile commands.
set -euo pipefail
cd "$(dirname "$0")/.."
tool=$(command -v clang-tidy-19 || command -v clang-tidy) || {
  echo "tidy: clang-tidy is not installed; run scripts/install-dependencies.sh style" >&2; exit 1; }
[[ -f build/release/compile_commands.json ]] || { echo "tidy: build first: make" >&2; exit 1; }
if [[ $# -eq 0 ]]; then mapfile -t files < <(find src -name '*.cpp' | LC_ALL=C sort); else files=("$@"); fi
printf '%s\0' "${files[@]}" | xargs -0 -P "$(nproc)" -n 1 "$tool" -p build/release --quiet
