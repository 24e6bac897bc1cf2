// The plugin of the component core: the dialect, its conversions and the rewrites of quantization
// ops, in upstream's mlir-opt. It links LLVM and MLIR only.
//
// RUN: %core_opt %s --pass-pipeline="builtin.module(quant-float-fuse-qdq)" | FileCheck %s --check-prefix=FUSE
// RUN: %core_opt %s --pass-pipeline="builtin.module(func.func(convert-quant-float-to-arith{cpu=x86-64-v3}))" | FileCheck %s --check-prefix=ARITH
// RUN: not %core_opt %s --pass-pipeline="builtin.module(quant-float-lower-to-cpu)" 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: %llvm_bin/llvm-readelf --needed-libs %core_library | FileCheck %s --check-prefix=LIBS

// FUSE: quant_float.qdq
// ARITH-LABEL: func.func @cast
// ARITH-NOT: quant_float.cast
// NONE: quant-float-lower-to-cpu
// LIBS-NOT: {{protobuf|pugixml|crypto|omp|cuda}}
func.func @cast(%x: vector<8xf32>) -> vector<8xf8E4M3FN> {
  %0 = quant_float.cast %x opset 21 : vector<8xf32> to vector<8xf8E4M3FN>
  return %0 : vector<8xf8E4M3FN>
}

func.func @pair(%x: tensor<4xf32>, %scale: tensor<f32>) -> tensor<4xf32> {
  %0 = quant_float.quantize %x, %scale opset 21 : tensor<4xf32>, tensor<f32> to tensor<4xi8>
  %1 = quant_float.dequantize %0, %scale opset 21 : tensor<4xi8>, tensor<f32> to tensor<4xf32>
  return %1 : tensor<4xf32>
}
