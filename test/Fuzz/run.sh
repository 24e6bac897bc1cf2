#!/usr/bin/env bash
# Builds an importer's fuzzer with the address and undefined-behaviour sanitizers in build/fuzz and
# runs it. Fails on anything that it finds, which stays in build/fuzz/findings.
#   test/Fuzz/run.sh [seconds, default 300] [onnx, the default, or openvino]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
seconds=${1:-300} importer=${2:-onnx}
here=$PWD/test/Fuzz build=$PWD/build/fuzz
python=${QUANT_FLOAT_PYTHON:-$PWD/build/venv/bin/python}

mkdir -p "$build"
cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo \
  -DCMAKE_C_COMPILER=clang-22 -DCMAKE_CXX_COMPILER=clang++-22 -DCMAKE_LINKER_TYPE=LLD \
  -DCMAKE_CXX_FLAGS=-fsanitize=fuzzer-no-link \
  -DMLIR_DIR=/usr/lib/llvm-22/lib/cmake/mlir \
  -DQUANT_FLOAT_SANITIZERS="Address;Undefined" -DQUANT_FLOAT_BUILD_FUZZERS=ON >"$build.log" 2>&1 ||
  { cat "$build.log" >&2; exit 1; }
ninja -C "$build" "$importer-import-fuzzer"

seeds=$build/seeds-$importer corpus=$build/corpus-$importer
"$python" test/Fuzz/Inputs/seeds.py "$importer" "$seeds"
mkdir -p "$corpus" "$build/findings"
cd "$build"
# libMLIR.so is not instrumented, so the sizes of containers that cross its border look wrong to the
# sanitizer. Leaks are looked for.
export ASAN_OPTIONS=detect_container_overflow=0:allocator_may_return_null=1
set +e
"$build/bin/$importer-import-fuzzer" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=4096 -max_len=8192 \
  -dict="$here/$importer.dict" -artifact_prefix="$build/findings/" -print_final_stats=1 \
  "$corpus" "$seeds" >"$build/run.log" 2>&1
status=$?
set -e
grep -E "INITED|DONE|ERROR|SUMMARY|runtime error|stat::|findings/" "$build/run.log" || true
[ "$status" = 0 ] || exit "$status"
echo "nothing found in $seconds seconds"
