// Sums of products take the instructions that round once where that is asked for, and nowhere else.
// RUN: quant-float-compile %s -o %t.stated.s --triple x86_64-linux-gnu --cpu x86-64-v3
// RUN: FileCheck %s --check-prefix=STATED --implicit-check-not=vfmadd < %t.stated.s
// RUN: quant-float-compile %s -o %t.s --triple x86_64-linux-gnu --cpu x86-64-v3 --accumulation reassociate
// RUN: FileCheck %s --check-prefix=X86 < %t.s
// RUN: quant-float-compile %s -o %t.s --triple aarch64-linux-gnu --accumulation reassociate
// RUN: FileCheck %s --check-prefix=AARCH64 < %t.s
// RUN: quant-float-compile %s -o %t.s --triple riscv64-linux-gnu --cpu rv64gcv --accumulation reassociate
// RUN: FileCheck %s --check-prefix=RISCV < %t.s
// RUN: quant-float-run %s --entry codes --random 1 --accumulation reassociate
// RUN: not quant-float-compile %s -o %t.s --accumulation any 2>&1 | FileCheck %s --check-prefix=INVALID

// STATED: floats.invoke:
// STATED: vmulps
// STATED: vaddps
// STATED: codes.invoke:
// STATED: vmulps
// STATED: vaddps
// X86: floats.invoke:
// X86: vfmadd231ps
// X86: codes.invoke:
// X86: vfmadd231ps
// AARCH64: floats.invoke:
// AARCH64: fmla
// AARCH64: codes.invoke:
// AARCH64: fmla
// RISCV: floats.invoke:
// RISCV: vfmacc
// RISCV: codes.invoke:
// RISCV: vfmacc
// INVALID: Cannot find option named 'any'
func.func @floats(%x: tensor<4x64xf32>, %w: tensor<64x32xf32>) -> tensor<4x32xf32> {
  %y = quant_float.node "MatMul"(%x, %w) opset 21 : (tensor<4x64xf32>, tensor<64x32xf32>) -> tensor<4x32xf32>
  return %y : tensor<4x32xf32>
}

func.func @codes(%x: tensor<1x64xf32>, %w: tensor<64x32xi8>, %scale: tensor<32xf32>) -> tensor<1x32xf32> {
  %d = quant_float.dequantize %w, %scale axis 1 opset 21 : tensor<64x32xi8>, tensor<32xf32> to tensor<64x32xf32>
  %y = quant_float.node "MatMul"(%x, %d) opset 21 : (tensor<1x64xf32>, tensor<64x32xf32>) -> tensor<1x32xf32>
  return %y : tensor<1x32xf32>
}
