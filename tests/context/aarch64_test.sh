#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# aarch64_test.sh SOURCE BUILD ROOT: cross-compiles the library and the kernel tests for 64-bit ARM and runs them under
# qemu. Exits with 77 (ctest: skipped) where something that this needs is missing, and says what.
set -euo pipefail
[[ $# -eq 3 ]] || { echo "usage: aarch64_test.sh SOURCE BUILD ROOT" >&2; exit 2; }
source=$1 build=$2 root=$3

skip() {
  echo "skipped: $1; scripts/install-dependencies.sh aarch64 and scripts/aarch64-root.sh install what is missing"
  exit 77
}
for program in aarch64-linux-gnu-g++ aarch64-linux-gnu-nm qemu-aarch64; do
  command -v "$program" >/dev/null || skip "there is no $program here"
done
[[ -e $root/complete ]] || skip "there are no arm64 libraries in $root"

cd "$source"
cmake --preset aarch64 -B "$build" -DHOCKET_AARCH64_ROOT="$root"
cmake --build "$build" -j "$(nproc)"
# That it is the thing itself: the ARM nm reads no other processor's programs.
aarch64-linux-gnu-nm "$build/tests/context/switch_test" | grep hocket_switch_full ||
  { echo "the tests were built without the switch for aarch64" >&2; exit 1; }
ctest --preset aarch64 --test-dir "$build" -j "$(nproc)"
