#!/usr/bin/env bash
# Compiles and runs the float8 casts of a small network, from a bare Debian 12 to the results:
# checks the model, shows its IR and the machine code of a cast, runs the casts on all weights,
# compares every bit with ml_dtypes and prints the speed. Fails if a single bit differs.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

step() { printf '\n== %s\n' "$*"; }
show() { echo "\$ $*"; }

qf_setup
qf_build quant-float-check quant-float-translate quant-float-compile quant-float-run

PATH=$QF_BUILD/bin:$PATH
example=examples/digits
out=$QF_BUILD/example
rm -rf "$out"
mkdir -p "$out"

step "The model: each Cast is legal in its own opset; which others accept it?"
show quant-float-check $example/digits-f8.onnx --opset all
quant-float-check $example/digits-f8.onnx --opset all

step "Imported: the casts are operations of the quant_float dialect"
show quant-float-translate --import-onnx $example/digits-f8.onnx
quant-float-translate --import-onnx $example/digits-f8.onnx -o "$out/digits.mlir"
# Constants and attributes make long lines; the start of each says enough.
grep -E '^ *func\.func|quant_float\.(cast|node)' "$out/digits.mlir" | cut -c1-110 | head -8

step "Compiled: the inner loop of float8 -> float32 on this machine"
"$QF_PYTHON" $example/casts.py "$out"
show quant-float-compile time-decode.onnx -o time-decode.s --cpu host
quant-float-compile "$out/time-decode.onnx" -o "$out/time-decode.s" --cpu host
"$QF_PYTHON" $example/show_loop.py "$out/time-decode.s" 20

step "Run: all weights of the network decoded, and the trained float32 weights encoded"
show quant-float-run decode.onnx --inputs inputs/*.npy --outputs decoded
quant-float-run "$out/decode.onnx" --inputs "$out"/inputs/*.npy --outputs "$out/decoded" >"$out/run.log"
quant-float-run "$out/encode.onnx" --inputs "$out/encode-input.npy" --outputs "$out/encoded" >>"$out/run.log"
"$QF_PYTHON" $example/compare.py check "$out"

step "Timed: the same casts as shared libraries, called through their C entry points"
for model in time-decode encode; do
  show quant-float-compile $model.onnx -o $model.so --cpu host
  quant-float-compile "$out/$model.onnx" -o "$out/$model.so" --cpu host
done
"$QF_PYTHON" $example/compare.py time "$out"
