#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ./run.sh [RESULTS.json]: runs all checks and measurements of this folder, which
# benchmarks/gpu/prepare has created, on the first NVIDIA GPU. Requires a driver only. If python3
# has PyTorch, its casts and Triton's are measured as well. Exit code 0: all checks pass; 1: one
# fails, or nothing can be run.
#
# REPEAT=N   measured launches (default: 50)
set -u
folder=$(cd "$(dirname "$0")" && pwd)
results=${1:-$folder/results.json}
repeat=${REPEAT:-50}
exec=$folder/quant-float-exec
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

"$exec" --show-device > "$work/device" || exit 1
{ read -r chip; read -r name; read -r cuda; } < "$work/device"
driver=$(cat /sys/module/nvidia/version 2> /dev/null || true)

# For this device's own chip, if the driver is not older than that code.
kind=
for candidate in "${chip}a" "$chip" sm_80; do
  if [ -e "$folder/casts.$candidate.so" ] &&
    "$exec" "$folder/casts.$candidate.so" --all --sweep 0,1 > "$work/log" 2>&1; then
    kind=$candidate
    break
  fi
done
if [ -z "$kind" ]; then
  echo "no kernels here run on $chip: $(tail -n 1 "$work/log")" >&2
  exit 1
fi
echo "$name, $chip, kernels $kind"

failures=0
: > "$work/checks"
while read -r check model options; do
  start=$SECONDS
  # The options are words without blanks.
  # shellcheck disable=SC2086
  if ! "$exec" "$folder/$model.$kind.so" --all $options --digest > "$work/digests" 2> "$work/log"; then
    found=$(tail -n 1 "$work/log" | tr -d '"\\')
  elif [ "$(cat "$work/digests")" != "$(cat "$folder/$check.digests")" ]; then
    found=$(awk 'NR == FNR { expected[NR] = $0; next }
      $0 != expected[FNR] { print "expected " expected[FNR] ", but got " $0; exit }' "$folder/$check.digests" "$work/digests")
    found=${found:-fewer digests than expected}
  else
    found=
  fi
  if [ -z "$found" ]; then
    echo "$check: agrees ($((SECONDS - start)) s)"
  else
    failures=$((failures + 1))
    echo "$check: FAILED: $found"
  fi
  [ -s "$work/checks" ] && echo "," >> "$work/checks"
  printf '"%s": {"agrees": %s, "found": "%s"}' "$check" "$([ -z "$found" ] && echo true || echo false)" "$found" >> "$work/checks"
done < "$folder/checks.txt"

if ! "$exec" "$folder/timed.$kind.so" --all --random 1 --time --repeat "$repeat" > "$work/log"; then
  failures=$((failures + 1))
fi
# Each "key: number" of an entry as a row.
awk 'BEGIN { printf "{\"timings\": [" }
  /^entry:/ { printf "%s{\"entry\": \"%s\"", rows++ ? "},\n" : "\n", $2 }
  /^[a-z_]+: [0-9.e+-]+$/ { sub(/:$/, "", $1); printf ", \"%s\": %s", $1, $2 }
  END { printf "%s]}\n", rows ? "}\n" : "" }' "$work/log" > "$work/timed.json"
awk '/^entry:/ { entry = $2 } /^bytes_per_second:/ { bytes = $2 }
  /^of_copy:/ { printf "%s: %.0f GB/s, %.1f %% of a copy\n", entry, bytes / 1e9, 100 * $2 }' "$work/log"

echo 'null' > "$work/peers.json"
if python3 -c 'import torch; assert torch.cuda.is_available()' 2> /dev/null; then
  elements=$(sed -n 's/^elements: //p' "$work/log" | head -n 1)
  python3 "$folder/peers.py" "$elements" "$repeat" > "$work/peers.json.tmp" &&
    mv "$work/peers.json.tmp" "$work/peers.json"
fi

{
  printf '{\n"date": "%s",\n"chip": "%s",\n"device": "%s",\n"cuda_of_driver": "%s",\n"driver": "%s",\n"kernels": "%s",\n' \
    "$(date -u +%Y-%m-%dT%H:%M:%SZ)" "$chip" "$name" "$cuda" "$driver" "$kind"
  printf '"failures": %s,\n"checks": {\n' "$failures"
  cat "$work/checks"
  printf '},\n"timed": '
  cat "$work/timed.json"
  printf ',\n"peers": '
  cat "$work/peers.json"
  printf '}\n'
} > "$results.tmp" && mv "$results.tmp" "$results" || exit 1
echo "$results: $failures failures"
[ "$failures" = 0 ]
