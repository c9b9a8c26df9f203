#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Installs the packages that are missing (Debian 12, Ubuntu 24.04); when none is, needs no root and no network.
set -euo pipefail

usage() {
  cat <<'END'
usage: install-dependencies.sh [--dry-run] [GROUP...]
Groups: build, programs, test (these three are the default), bench, sanitizers, boost, aarch64, style; or: all.
--dry-run only lists what is missing. Exit codes: 0 all is there, 1 something is missing, 2 bad usage.
END
}

# group, package, how to see that it is there: cmd:PROGRAM, inc:HEADER or pkg (ask dpkg); '?' marks an optional one.
packages() {
  cat <<'END'
build       g++                  cmd:g++
build       make                 cmd:make
build       cmake                cmd:cmake
build       pkgconf              cmd:pkg-config
build       libhwloc-dev         inc:hwloc.h
build       libfmt-dev           inc:fmt/core.h
build       libdw-dev            inc:elfutils/libdwfl.h                ?
programs    libcli11-dev         inc:CLI/CLI.hpp
programs    nlohmann-json3-dev   inc:nlohmann/json.hpp
programs    nettle-dev           inc:nettle/sha1.h
test        libgtest-dev         inc:gtest/gtest.h
test        python3              cmd:python3
test        mandoc               cmd:mandoc                            ?
test        gdb                  cmd:gdb                               ?
boost       libboost-context-dev inc:boost/context/detail/fcontext.hpp
bench       libboost-context-dev inc:boost/context/detail/fcontext.hpp ?
bench       libboost-fiber-dev   inc:boost/fiber/all.hpp               ?
bench       libtbb-dev           inc:tbb/task_group.h                  ?
bench       libomp-19-dev        pkg                                   ?
bench       golang-go            cmd:go                                ?
bench       gnuplot-nox          cmd:gnuplot                           ?
sanitizers  clang-19             cmd:clang++-19                        ?
sanitizers  libclang-rt-19-dev   pkg                                   ?
sanitizers  llvm-19              cmd:llvm-symbolizer-19                ?
aarch64     g++-aarch64-linux-gnu cmd:aarch64-linux-gnu-g++            ?
aarch64     qemu-user            cmd:qemu-aarch64                      ?
style       clang-format-19      cmd:clang-format-19
style       clang-tidy-19        cmd:clang-tidy-19
END
}

is_there() {  # package, probe
  case $2 in
    cmd:*) command -v "${2#cmd:}" >/dev/null 2>&1 ;;
    inc:*) printf '#if !__has_include(<%s>)\n#error\n#endif\n' "${2#inc:}" | g++ -x c++ -E - >/dev/null 2>&1 ;;
    pkg) [[ $(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null) == installed ]] ;;
  esac
}

dry_run=no
groups=()
for word in "$@"; do
  case $word in
    -h|--help) usage; exit 0 ;;
    --dry-run) dry_run=yes ;;
    build|programs|test|bench|sanitizers|boost|aarch64|style|all) groups+=("$word") ;;
    *) echo "install-dependencies: unknown word '$word'; --help lists the groups" >&2; exit 2 ;;
  esac
done
[[ ${#groups[@]} -gt 0 ]] || groups=(build programs test)

required=() optional=()
while read -r group package probe mark; do
  [[ " ${groups[*]} " == *" $group "* || " ${groups[*]} " == *" all "* ]] || continue
  [[ " ${required[*]} ${optional[*]} " == *" $package "* ]] && continue
  is_there "$package" "$probe" && continue
  if [[ $mark == '?' ]]; then optional+=("$package"); else required+=("$package"); fi
done < <(packages)

missing=("${required[@]}" "${optional[@]}")
if [[ ${#missing[@]} -eq 0 ]]; then
  echo "install-dependencies: all packages for '${groups[*]}' are there"
  exit 0
fi
echo "install-dependencies: missing for '${groups[*]}': ${missing[*]}"
give_up() {  # why; only required packages are worth stopping for
  echo "install-dependencies: cannot install: $1. As root: apt-get install ${missing[*]}" >&2
  [[ ${#required[@]} -eq 0 ]] || exit 1
  echo "install-dependencies: going on without the optional ${optional[*]}" >&2
  exit 0
}
if [[ $dry_run == yes ]]; then exit 1; fi
command -v apt-get >/dev/null || give_up "there is no apt-get here"
as_root=()
if [[ $(id -u) -ne 0 ]]; then
  command -v sudo >/dev/null || give_up "not root, and there is no sudo"
  [[ -t 0 ]] || sudo -n true 2>/dev/null || give_up "not root, and sudo asks for a password"
  as_root=(sudo)
fi

apt() { "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0 "$@"; }
echo "install-dependencies: apt-get update"
apt update || give_up "apt-get update failed"
if [[ ${#required[@]} -gt 0 ]]; then
  echo "install-dependencies: apt-get install ${required[*]}"
  apt install -y --no-install-recommends "${required[@]}" || give_up "apt-get failed"
fi
for package in "${optional[@]}"; do
  echo "install-dependencies: apt-get install $package"
  apt install -y --no-install-recommends "$package" ||
    echo "install-dependencies: going on without the optional $package" >&2
done
