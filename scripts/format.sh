#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Formats every source file in place; with --check changes nothing and fails if one would change.
set -euo pipefail
cd "$(dirname "$0")/.."
tool=$(command -v clang-format-19 || command -v clang-format) || {
  echo "format: clang-format is not installed; run scripts/install-dependencies.sh style" >&2; exit 1; }
mode=(-i)
[[ ${1:-} == --check ]] && mode=(--dry-run --Werror)
find include src apps bench tools tests -name build -prune -o \
  \( -name '*.hpp' -o -name '*.cpp' -o -name '*.h' -o -name '*.c' \) -print0 2>/dev/null |
  xargs -0 --no-run-if-empty "$tool" "${mode[@]}"
