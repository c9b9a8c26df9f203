#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Unpacks the arm64 libraries that a cross build links and runs with into a folder: fetched and checked by apt with a state
# of its own, so that this system gets no second architecture and no package. Needs no root. Debian 12, Ubuntu 24.04.
set -euo pipefail

usage() {
  cat <<'END'
usage: aarch64-root.sh [FOLDER]
FOLDER: build/aarch64-root unless given. One that is complete is left as it is; remove it to have it made anew.
Exit codes: 0 it is there, 1 it could not be made, 2 bad usage.
END
}
case ${1:-} in
  -h|--help) usage; exit 0 ;;
  -*) echo "aarch64-root: unknown word '$1'; --help says more" >&2; exit 2 ;;
esac
[[ $# -le 1 ]] || { echo "aarch64-root: one folder at most, not $#; --help says more" >&2; exit 2; }
[[ $# -eq 1 ]] || cd "$(dirname "$0")/.."
folder=${1:-build/aarch64-root}
# By name, with the libraries behind them: what apt would add for libhwloc-dev's sake is perl and more.
packages=(libc6 libgcc-s1 libstdc++6 libhwloc15 libhwloc-dev libudev1 libcap2 libfmt9 libfmt-dev libgtest-dev)

if [[ -e $folder/complete ]]; then
  echo "aarch64-root: $folder is there"
  exit 0
fi
fail() { echo "aarch64-root: $1" >&2; exit 1; }
command -v apt-get >/dev/null || fail "there is no apt-get here; put hwloc, fmt and GoogleTest for arm64 into $folder"

mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
apt_dir=$folder/.apt
rm -rf "$apt_dir"
mkdir -p "$apt_dir"/{lists/partial,archives/partial,sources}
: >"$apt_dir/status"

# The system's own sources, by name of server: Ubuntu keeps arm64 elsewhere than amd64.
for f in /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources; do
  [[ -f $f ]] || continue
  sed -E -e 's#https?://([a-z.]*archive|security)\.ubuntu\.com/ubuntu/?#http://ports.ubuntu.com/ubuntu-ports#g' \
    -e '/^Architectures:/d' -e 's/ ?arch=[a-z0-9,]+//g' "$f" >"$apt_dir/sources/$(basename "$f")"
done

apt() {
  env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0 -o Debug::NoLocking=1 -o APT::Sandbox::User= \
    -o APT::Architecture=arm64 -o APT::Architectures::=arm64 -o APT::Get::List-Cleanup=0 \
    -o Dir::State="$apt_dir" -o Dir::State::lists="$apt_dir/lists" -o Dir::State::status="$apt_dir/status" \
    -o Dir::Cache="$apt_dir" -o Dir::Cache::archives="$apt_dir/archives" \
    -o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts="$apt_dir/sources" "$@"
}
echo "aarch64-root: apt-get update, for arm64"
apt update || fail "apt-get update failed for arm64"
echo "aarch64-root: fetching ${packages[*]}"
(cd "$apt_dir/archives" && apt download "${packages[@]}") || fail "apt-get download failed"

mkdir -p "$folder/usr/lib"
[[ -e $folder/lib ]] || ln -s usr/lib "$folder/lib"  # where packages put the dynamic linker differs; it is looked for in /lib
for deb in "$apt_dir"/archives/*.deb; do
  dpkg-deb --fsys-tarfile "$deb" | tar -x -C "$folder" --keep-directory-symlink
done
rm -rf "$apt_dir"
[[ -e $folder/lib/ld-linux-aarch64.so.1 ]] || fail "$folder has no lib/ld-linux-aarch64.so.1 after all packages were unpacked"
touch "$folder/complete"
echo "aarch64-root: made $folder ($(du -sh "$folder" | cut -f1))"
