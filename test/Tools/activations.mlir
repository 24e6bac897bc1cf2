// With the option, activations are quantized before matmuls with low-bit weights, and the matmuls
// use the CPU's instructions for these. N-contiguous weights and float8 do not change.
// RUN: quant-float-compile %s -o %t.float.s --triple x86_64-linux-gnu --cpu cascadelake
// RUN: FileCheck %s --check-prefix=FLOAT --implicit-check-not=vpdpbusd < %t.float.s
// RUN: quant-float-compile %s -o %t.s --triple x86_64-linux-gnu --cpu cascadelake --activations int8
// RUN: FileCheck %s --check-prefix=VNNI < %t.s
// RUN: quant-float-compile %s -o %t.s --triple x86_64-linux-gnu --cpu cascadelake --activations int16
// RUN: FileCheck %s --check-prefix=VNNI16 < %t.s
// RUN: quant-float-compile %s -o %t.s --triple x86_64-linux-gnu --cpu alderlake --activations int8
// RUN: FileCheck %s --check-prefix=AVXVNNI < %t.s
// RUN: quant-float-compile %s -o %t.s --triple x86_64-linux-gnu --cpu x86-64-v3 --activations int8
// RUN: FileCheck %s --check-prefix=AVX2 < %t.s
// RUN: quant-float-compile %s -o %t.s --triple x86_64-linux-gnu --cpu x86-64 --activations int16
// RUN: FileCheck %s --check-prefix=SSE2 < %t.s
// RUN: quant-float-compile %s -o %t.s --triple aarch64-linux-gnu --cpu neoverse-n1 --activations int8
// RUN: FileCheck %s --check-prefix=DOTPROD < %t.s
// RUN: quant-float-compile %s -o %t.s --triple riscv64-linux-gnu --cpu rv64gcv --activations int8
// RUN: FileCheck %s --check-prefix=RISCV < %t.s
// RUN: quant-float-run %s --entry rows --random 1 --activations int8
// RUN: not quant-float-compile %s -o %t.s --activations int4 2>&1 | FileCheck %s --check-prefix=INVALID

// FLOAT: rows.invoke:
// FLOAT: vmulps
// VNNI: rows.invoke:
// VNNI: vpdpbusd
// VNNI: n_contiguous.invoke:
// VNNI-NOT: vpdpbusd
// VNNI: ret
// VNNI16: rows.invoke:
// VNNI16: vpdpwssd
// AVXVNNI: rows.invoke:
// AVXVNNI: {vex} vpdpbusd
// AVX2: rows.invoke:
// AVX2: vpmaddubsw
// AVX2: vpmaddwd
// SSE2: rows.invoke:
// SSE2: pmaddwd
// DOTPROD: rows.invoke:
// DOTPROD: sdot
// RISCV: rows.invoke:
// RISCV: vmacc
// INVALID: Cannot find option named 'int4'
func.func @rows(%x: tensor<1x256xf32>, %w: tensor<32x256xi4> {quant_float.packed}, %scale: tensor<32x8xf32>) -> tensor<1x32xf32> {
  %d = quant_float.dequantize %w, %scale axis 1 block_size 32 opset 21 : tensor<32x256xi4>, tensor<32x8xf32> to tensor<32x256xf32>
  %y = quant_float.node "Gemm"(%x, %d) opset 21 attributes {transB = 1 : i64} : (tensor<1x256xf32>, tensor<32x256xf32>) -> tensor<1x32xf32>
  return %y : tensor<1x32xf32>
}

func.func @n_contiguous(%x: tensor<1x64xf32>, %w: tensor<64x32xi8>, %scale: tensor<32xf32>) -> tensor<1x32xf32> {
  %d = quant_float.dequantize %w, %scale axis 1 opset 21 : tensor<64x32xi8>, tensor<32xf32> to tensor<64x32xf32>
  %y = quant_float.node "MatMul"(%x, %d) opset 21 : (tensor<1x64xf32>, tensor<64x32xf32>) -> tensor<1x32xf32>
  return %y : tensor<1x32xf32>
}
