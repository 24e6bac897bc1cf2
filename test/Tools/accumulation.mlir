// Products are accumulated by fused multiply-adds on all targets. x86-64 without FMA computes the
// same bits with f64. The other mode generates the same code for CPUs.
// RUN: quant-float-compile %s -o %t.ordered.s --triple x86_64-linux-gnu --cpu x86-64-v3
// RUN: FileCheck %s --check-prefix=X86 < %t.ordered.s
// RUN: quant-float-compile %s -o %t.s --triple x86_64-linux-gnu --cpu x86-64-v3 --accumulation reassociate
// RUN: diff %t.ordered.s %t.s
// RUN: quant-float-compile %s -o %t.s --triple x86_64-linux-gnu --cpu x86-64
// RUN: FileCheck %s --check-prefix=EMULATED < %t.s
// RUN: quant-float-compile %s -o %t.s --triple aarch64-linux-gnu
// RUN: FileCheck %s --check-prefix=AARCH64 < %t.s
// RUN: quant-float-compile %s -o %t.s --triple riscv64-linux-gnu --cpu rv64gcv
// RUN: FileCheck %s --check-prefix=RISCV < %t.s
// RUN: quant-float-run %s --entry quantized --random 1 --accumulation reassociate
// RUN: not quant-float-compile %s -o %t.s --accumulation any 2>&1 | FileCheck %s --check-prefix=INVALID

// X86: floats.invoke:
// X86: vfmadd231ps
// X86: quantized.invoke:
// X86: vfmadd231ps
// EMULATED: floats.invoke:
// EMULATED-NOT: fma
// EMULATED: mulpd
// EMULATED: quantized.invoke:
// EMULATED: mulpd
// AARCH64: floats.invoke:
// AARCH64: fmla
// AARCH64: quantized.invoke:
// AARCH64: fmla
// RISCV: floats.invoke:
// RISCV: vfmacc
// RISCV: quantized.invoke:
// RISCV: vfmacc
// INVALID: Cannot find option named 'any'
func.func @floats(%x: tensor<4x64xf32>, %w: tensor<64x32xf32>) -> tensor<4x32xf32> {
  %y = quant_float.node "MatMul"(%x, %w) opset 21 : (tensor<4x64xf32>, tensor<64x32xf32>) -> tensor<4x32xf32>
  return %y : tensor<4x32xf32>
}

func.func @quantized(%x: tensor<1x64xf32>, %w: tensor<64x32xi8>, %scale: tensor<32xf32>) -> tensor<1x32xf32> {
  %d = quant_float.dequantize %w, %scale axis 1 opset 21 : tensor<64x32xi8>, tensor<32xf32> to tensor<64x32xf32>
  %y = quant_float.node "MatMul"(%x, %d) opset 21 : (tensor<1x64xf32>, tensor<64x32xf32>) -> tensor<1x32xf32>
  return %y : tensor<1x32xf32>
}
