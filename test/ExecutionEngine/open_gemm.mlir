// A Gemm with dynamic sizes yields the same as one with static sizes, and reports an error if C
// does not have the size of the product.
// RUN: rm -rf %t
// RUN: quant-float-run %s --entry dynamic --random 1 --shapes a=3x8 b=8x5 --outputs %t/dynamic
// RUN: quant-float-run %s --entry static --random 1 --outputs %t/static
// RUN: diff -r %t/dynamic %t/static
// RUN: not quant-float-run %s --entry dynamic --random 1 --shapes a=3x8 b=8x6 2>&1 | FileCheck %s

// CHECK: Gemm: axis 1 of inputs 0 and 2 must have the same size

func.func @dynamic(%a: tensor<?x8xf32> {quant_float.name = "a"}, %b: tensor<8x?xf32> {quant_float.name = "b"}, %c: tensor<1x5xf32>) -> tensor<?x?xf32> {
  %0 = quant_float.node "Gemm"(%a, %b, %c) opset 13 attributes {beta = 0.5 : f32} : (tensor<?x8xf32>, tensor<8x?xf32>, tensor<1x5xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

func.func @static(%a: tensor<3x8xf32>, %b: tensor<8x5xf32>, %c: tensor<1x5xf32>) -> tensor<3x5xf32> {
  %0 = quant_float.node "Gemm"(%a, %b, %c) opset 13 attributes {beta = 0.5 : f32} : (tensor<3x8xf32>, tensor<8x5xf32>, tensor<1x5xf32>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}
