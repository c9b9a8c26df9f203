#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Sorts a real text of some 100 MB with our quicksort and with sort(1), compares every byte, prints the times.
set -euo pipefail
export LC_ALL=C
cd "$(dirname "$0")/.."
megabytes=${HOCKET_DEMO_MB:-100}
folder=build/demo
quicksort=build/release/apps/quicksort/quicksort
[[ $megabytes =~ ^[1-9][0-9]*$ ]] || {
  echo "demo: HOCKET_DEMO_MB is '$megabytes'; it must be a whole number >= 1" >&2; exit 2; }
[[ -x $quicksort ]] || make build
mkdir -p "$folder"

# Text files and gzipped ones (man pages, changelogs), always in the same order; prose first, program texts last.
list_texts() {
  local place
  for place in /usr/share/common-licenses /usr/share/doc /usr/share/man /usr/share/info /usr/share/perl \
               /usr/share/perl5 /usr/lib/python3* /usr/lib/*-linux-gnu/perl-base /usr/include; do
    [[ -d $place ]] || continue
    { find "$place" -type f -name '*.gz' -print0
      grep -rIlZ '' "$place" || true
    } 2>/dev/null | sort -z -u
  done
}

# If the machine has too little, shuffled copies of the whole follow; their order depends only on the text.
assemble() {
  local bytes=$((megabytes * 1000000)) have copies=1
  { list_texts | xargs -0 zcat -f -- 2>/dev/null || true; } | tr -d '\000' |
    { head -c "$bytes"; cat >/dev/null; } >"$folder/part"
  [[ -z $(tail -c 1 "$folder/part") ]] || echo >>"$folder/part"
  cp "$folder/part" "$folder/text.new"
  have=$(stat -c %s "$folder/text.new")
  [[ $have -gt 0 ]] || { echo "demo: found no text under /usr/share to sort" >&2; exit 1; }
  cp "$folder/part" "$folder/seed"
  while [[ $have -lt $bytes ]]; do
    shuf --random-source=<(while cat "$folder/seed"; do :; done) "$folder/part" >"$folder/copy"
    cat "$folder/copy" >>"$folder/text.new"
    mv "$folder/copy" "$folder/seed"   # so that each copy has an order of its own
    have=$(stat -c %s "$folder/text.new") copies=$((copies + 1))
  done
  rm -f "$folder/part" "$folder/seed"
  echo "$copies" >"$folder/text.copies"
  mv "$folder/text.new" "$folder/text"
  echo "$megabytes" >"$folder/text.megabytes"
}

if [[ ! -f $folder/text || $(cat "$folder/text.megabytes" 2>/dev/null) != "$megabytes" ]]; then
  echo "demo: putting a text of $megabytes MB together from the files of this machine ..."
  assemble
fi

elapsed=
timed() {  # command...; leaves the wall-clock seconds in $elapsed
  local begin=$EPOCHREALTIME end
  "$@"
  end=$EPOCHREALTIME
  elapsed=$(awk -v b="$begin" -v e="$end" 'BEGIN { printf "%.2f", e - b }')
}

cores=$(nproc)
cat "$folder/text" >/dev/null   # everybody reads from memory
echo "demo: $quicksort --input $folder/text --output $folder/sorted --progress"
HOCKET_STATS=1 timed "$quicksort" --input "$folder/text" --output "$folder/sorted" --progress; ours=$elapsed
echo "demo: sort ..."
timed sort -T "$folder" -o "$folder/expected" "$folder/text"; plain=$elapsed
echo "demo: sort --parallel=$cores ..."
timed sort --parallel="$cores" -T "$folder" -o "$folder/expected" "$folder/text"; parallel=$elapsed

ratio() { awk -v a="$1" -v b="$2" 'BEGIN { if (b > 0) printf "%.2f", a / b; else printf "-" }'; }
size=$(stat -c %s "$folder/text")
printf '\n%-34s %12s bytes, %s lines' "text" "$size" "$(wc -l <"$folder/text")"
copies=$(cat "$folder/text.copies")
[[ $copies -eq 1 ]] && printf '\n' || printf ' (the same lines %s times, shuffled)\n' "$copies"
printf '%-34s %12s s\n' "quicksort, $cores cores" "$ours"
printf '%-34s %12s s   %s times ours\n' "sort (LC_ALL=C)" "$plain" "$(ratio "$plain" "$ours")"
printf '%-34s %12s s   %s times ours\n' "sort --parallel=$cores (LC_ALL=C)" "$parallel" "$(ratio "$parallel" "$ours")"
if cmp "$folder/sorted" "$folder/expected"; then
  echo "The output is equal to sort's, byte for byte."
else
  echo "demo: the output DIFFERS from sort's: compare $folder/sorted with $folder/expected" >&2
  exit 1
fi
