#!/usr/bin/env bash
# Builds a fuzzer with the address and undefined-behavior sanitizers in build/asan and runs it.
# Fails if it finds a problem, which is stored in build/asan/fuzz/findings.
#   test/Fuzz/run.sh [seconds, default 300] [onnx, the default, convert, openvino, gguf, safetensors, passes, mlir or npy]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
seconds=${1:-300} target=${2:-onnx}
here=$PWD/test/Fuzz build=$PWD/build/asan work=$PWD/build/asan/fuzz
python=${QUANT_FLOAT_PYTHON:-$PWD/build/venv/bin/python}

mkdir -p "$work/corpus-$target" "$work/findings"
cmake --preset asan >"$work/cmake.log" 2>&1 || { cat "$work/cmake.log" >&2; exit 1; }
ninja -C "$build" "$target-fuzzer"
"$python" test/Fuzz/Inputs/seeds.py "$target" "$work/seeds-$target"

cd "$work"
# libMLIR.so is not instrumented, so the sanitizer reports containers that cross its interface, and
# the free space of its allocators. Leaks are detected.
export ASAN_OPTIONS=detect_container_overflow=0:allow_user_poisoning=0:allocator_may_return_null=1
# The models of `convert` are ONNX models.
words=$here/${target/convert/onnx}.dict
dictionary=()
[ ! -f "$words" ] || dictionary=("-dict=$words")
set +e
"$build/bin/$target-fuzzer" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=4096 -max_len=8192 \
  "${dictionary[@]}" -artifact_prefix="$work/findings/" -print_final_stats=1 \
  "corpus-$target" "seeds-$target" >"$target.log" 2>&1
status=$?
set -e
grep -E "INITED|DONE|ERROR|SUMMARY|runtime error|stat::|findings/" "$target.log" || true
[ "$status" = 0 ] || exit "$status"
echo "nothing found in $seconds seconds"
