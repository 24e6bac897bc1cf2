#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ./run.sh [RESULTS.json]: every check and every timing of this folder, which benchmarks/gpu/prepare has made, on the first NVIDIA
# GPU. Needs a driver and nothing else; where python3 has PyTorch, its casts and Triton's are timed beside ours. Exit code 0: all
# checks agree; 1: one does not, or nothing can be run.
#
# REPEAT=N   launches that are timed (default: 50)
set -u
folder=$(cd "$(dirname "$0")" && pwd)
results=${1:-$folder/results.json}
repeat=${REPEAT:-50}
launch=$folder/quant-float-gpu-launch
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

"$launch" --show-device > "$work/device" || exit 1
{ read -r chip; read -r name; read -r cuda; } < "$work/device"
driver=$(cat /sys/module/nvidia/version 2> /dev/null || true)

# For this device's own chip if the driver is not older than that code, or what the driver compiles.
kind=
for candidate in "${chip}a.cubin" "$chip.cubin" "${chip}a.ptx" "$chip.ptx" sm_80.ptx; do
  # Runs on no elements: only loads.
  if [ -e "$folder/casts.$candidate" ] &&
    "$launch" "$folder/casts.$candidate" --fill-range 0 0 > "$work/log" 2>&1; then
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
  code=$folder/$model.$kind
  start=$SECONDS
  # The options are words without blanks.
  # shellcheck disable=SC2086
  if "$launch" "$code" $options --check-digests "$folder/$check.digests" \
    --json "$work/report.json" > "$work/log" 2>&1; then
    echo "$check: agrees ($((SECONDS - start)) s)"
  else
    failures=$((failures + 1))
    echo "$check: FAILED: $(tail -n 1 "$work/log")"
    [ -e "$work/report.json" ] || printf '{"error": "%s"}' "$(tail -n 1 "$work/log" | tr -d '"\\')" > "$work/report.json"
  fi
  [ -s "$work/checks" ] && echo "," >> "$work/checks"
  printf '"%s": ' "$check" >> "$work/checks"
  cat "$work/report.json" >> "$work/checks"
  rm -f "$work/report.json"
done < "$folder/checks.txt"

if ! "$launch" "$folder/timed.$kind" --random 1 --time --repeat "$repeat" --json "$work/timed.json" > "$work/log"; then
  failures=$((failures + 1))
  echo '{}' > "$work/timed.json"
fi
awk '/^entry:/ { entry = $2 } /^bytes_per_second:/ { bytes = $2 }
  /^of_copy:/ { printf "%s: %.0f GB/s, %.1f %% of a copy\n", entry, bytes / 1e9, 100 * $2 }' "$work/log"

echo 'null' > "$work/peers.json"
if python3 -c 'import torch; assert torch.cuda.is_available()' 2> /dev/null; then
  elements=$(sed -n 's/.*"f32\[\([0-9]*\)\]".*/\1/p' "$work/timed.json" | head -n 1)
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
