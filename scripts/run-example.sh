#!/usr/bin/env bash
# Installs the dependencies on Debian 12, builds the tools and runs small quantized networks: checks the
# float8 network, shows its IR and the machine code of its kernels, runs it, its float32 and int8
# versions and a convolutional network on the test images, and compares with ONNX Runtime. Fails if a
# result differs by more than the accumulation order explains, or if any bit of a kernel's result does.
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

step "The model: each quantization node is legal in its own opset; which others accept it?"
show quant-float-check $example/digits-f8.onnx --opset all
quant-float-check $example/digits-f8.onnx --opset all >"$out/check.log"
head -3 "$out/check.log"
echo "... and so on; of $(grep -c '^[^ ]' "$out/check.log") nodes $(grep -c ': ok, ' "$out/check.log") are valid"

step "Imported: quantization is operations of the quant_float dialect, the rest is kept"
show quant-float-translate --import-onnx $example/digits-f8.onnx
quant-float-translate --import-onnx $example/digits-f8.onnx -o "$out/digits.mlir"
# Constants and attributes make lines long, so only their beginnings are shown.
grep -E '^ *func\.func|quant_float\.(quantize|dequantize|node)' "$out/digits.mlir" | cut -c1-110 | head -10

step "Run: the float8 network on the test images, and its float32 and int8 forms; then a convolutional one"
"$QF_PYTHON" $example/evaluate.py prepare "$out"
show quant-float-run $example/digits-f8.onnx --inputs digits.npy --outputs digits-f8
for network in digits conv; do
  for format in f32 f8 i8; do
    name=$network-$format
    quant-float-run "$example/$name.onnx" --inputs "$out/$network.npy" --outputs "$out/$name" >>"$out/run.log"
    [ $format = f32 ] || quant-float-run "$out/$name-codes.onnx" --inputs "$out/$network.npy" --outputs "$out/$name-codes" >>"$out/run.log"
  done
done
"$QF_PYTHON" $example/evaluate.py report "$out"

step "Its kernels by themselves: the inner loop of float8 -> float32 on this machine"
"$QF_PYTHON" $example/kernels.py prepare "$out"
show quant-float-compile dequantize.onnx -o dequantize.s --cpu host
quant-float-compile "$out/dequantize.onnx" -o "$out/dequantize.s" --cpu host
"$QF_PYTHON" $example/show_loop.py "$out/dequantize.s" 20

step "Every bit: the network's weights and the edges of the format quantized, all encodings dequantized"
quant-float-run "$out/quantize.onnx" --inputs "$out/values.npy" --outputs "$out/quantized" >>"$out/run.log"
quant-float-run "$out/dequantize.onnx" --inputs "$out/codes.npy" --outputs "$out/dequantized" >>"$out/run.log"
"$QF_PYTHON" $example/kernels.py check "$out"

step "Timed: the same as shared libraries, called through their C entry points"
for model in dequantize quantize; do
  show quant-float-compile $model.onnx -o $model.so --cpu host
  quant-float-compile "$out/$model.onnx" -o "$out/$model.so" --cpu host
done
"$QF_PYTHON" $example/kernels.py time "$out"
