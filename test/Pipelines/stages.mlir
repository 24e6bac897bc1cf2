// A QDQ layer after each stage: each pipeline yields the input of the next one, and the invariant
// of each holds.
// RUN: quant-float-opt %s --quant-float-normalize-import=verify-stages -o %t.1.mlir && FileCheck %s --check-prefix=IMPORT < %t.1.mlir
// RUN: quant-float-opt %t.1.mlir --quant-float-rewrite-quantization=verify-stages -o %t.2.mlir && FileCheck %s --check-prefix=REWRITE < %t.2.mlir
// RUN: quant-float-opt %t.2.mlir --quant-float-lower-nodes-to-linalg=verify-stages -o %t.3.mlir && FileCheck %s --check-prefix=LINALG < %t.3.mlir
// RUN: quant-float-opt %t.3.mlir --quant-float-optimize-tensors="verify-stages cpu=x86-64-v3 triple=x86_64-linux-gnu" -o %t.4.mlir && FileCheck %s --check-prefix=TENSORS < %t.4.mlir
// RUN: quant-float-opt %t.4.mlir --quant-float-bufferize=verify-stages -o %t.5.mlir && FileCheck %s --check-prefix=BUFFERS < %t.5.mlir
// RUN: quant-float-opt %t.5.mlir --quant-float-generate-cpu-code="verify-stages cpu=x86-64-v3 triple=x86_64-linux-gnu" -o %t.6.mlir && FileCheck %s --check-prefix=CPU < %t.6.mlir
// RUN: quant-float-opt %t.6.mlir --quant-float-emit-abi="verify-stages cpu=x86-64-v3 triple=x86_64-linux-gnu" | FileCheck %s --check-prefix=ABI

// The stages for a GPU.
// RUN: quant-float-opt %t.3.mlir --quant-float-optimize-tensors="verify-stages chip=sm_90" --quant-float-bufferize="verify-stages chip=sm_90" \
// RUN:   --quant-float-generate-gpu-code="verify-stages chip=sm_90" --quant-float-emit-abi="verify-stages chip=sm_90" | FileCheck %s --check-prefix=GPU

// Both pipelines run all of their stages.
// RUN: quant-float-opt %s --quant-float-lower-to-cpu="verify-stages threads=2" | FileCheck %s --check-prefix=ABI
// RUN: quant-float-opt %s --quant-float-lower-to-nvvm="verify-stages chip=sm_90" | FileCheck %s --check-prefix=GPU

// RUN: not quant-float-opt %s --quant-float-verify-stage=stage=bufferize 2>&1 | FileCheck %s --check-prefix=TENSOR
// RUN: not quant-float-opt %s --quant-float-verify-stage=stage=lower-nodes-to-linalg 2>&1 | FileCheck %s --check-prefix=OP
// RUN: not quant-float-opt %s --quant-float-verify-stage=stage=emit-abi 2>&1 | FileCheck %s --check-prefix=DIALECT
// RUN: not quant-float-opt %s --quant-float-verify-stage=stage=any 2>&1 | FileCheck %s --check-prefix=STAGE

// IMPORT: quant_float.node "MatMul"
// REWRITE: func.func @layer
// LINALG-NOT: quant_float.node
// LINALG: quant_float.entry_point
// TENSORS: linalg.generic
// BUFFERS-NOT: tensor<
// CPU: llvm.func
// CPU-NOT: func.func
// ABI: llvm.func @layer(
// GPU-DAG: gpu.binary @quant_float_kernels
// GPU-DAG: llvm.func @layer(

// TENSOR: stages.mlir:[[# @LINE + 5]]:{{.*}}: error: expected no such op after the stage bufferize, but found a tensor
// OP-DAG: error: expected no such op after the stage lower-nodes-to-linalg, but found a public function without an entry point
// OP-DAG: error: expected no such op after the stage lower-nodes-to-linalg, but found a quant_float op on tensors
// DIALECT: error: expected no such op after the stage emit-abi, but found an op of another dialect than LLVM's
// STAGE: error: expected the name of a stage, but got 'any'
func.func @layer(%x: tensor<8x64xf32>) -> tensor<8x32xf32> {
  %scale = arith.constant dense<0.5> : tensor<f32>
  %w = arith.constant dense<3> : tensor<64x32xi8>
  %q = quant_float.quantize %x, %scale opset 21 : tensor<8x64xf32>, tensor<f32> to tensor<8x64xi8>
  %a = quant_float.dequantize %q, %scale opset 21 : tensor<8x64xi8>, tensor<f32> to tensor<8x64xf32>
  %b = quant_float.dequantize %w, %scale opset 21 : tensor<64x32xi8>, tensor<f32> to tensor<64x32xf32>
  %y = quant_float.node "MatMul"(%a, %b) opset 21 : (tensor<8x64xf32>, tensor<64x32xf32>) -> tensor<8x32xf32>
  return %y : tensor<8x32xf32>
}
