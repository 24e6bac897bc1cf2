// REQUIRES: networks
// RUN: quant-float-opt %s | quant-float-opt | FileCheck %s
// RUN: quant-float-opt %s --one-shot-bufferize="bufferize-function-boundaries" | FileCheck %s --check-prefix=BUFFERS

// init is not read, so there is no copy.

// CHECK-LABEL: @print
// BUFFERS-LABEL: @print
// BUFFERS-SAME: (%[[X:.*]]: memref<?x4xf32, {{.*}}>, %[[INIT:.*]]: memref<?x4xi64, {{.*}}>)
func.func @print(%x: tensor<?x4xf32>, %init: tensor<?x4xi64>) -> tensor<?x4xi64> {
  // CHECK: quant_float.cast_strings %{{.*}} to %{{.*}} from f32 to !quant_float.string : tensor<?x4xf32>, tensor<?x4xi64> -> tensor<?x4xi64>
  // BUFFERS-NOT: memref.copy
  // BUFFERS: quant_float.cast_strings %[[X]] to %[[INIT]] from f32 to !quant_float.string : memref<?x4xf32, {{.*}}>, memref<?x4xi64, {{.*}}>{{$}}
  %0 = quant_float.cast_strings %x to %init from f32 to !quant_float.string
    : tensor<?x4xf32>, tensor<?x4xi64> -> tensor<?x4xi64>
  return %0 : tensor<?x4xi64>
}

// CHECK-LABEL: @parse
func.func @parse(%x: memref<3xi64>, %init: memref<3xi8, strided<[2], offset: ?>>) {
  // CHECK: quant_float.cast_strings %{{.*}} to %{{.*}} from !quant_float.string to f8E4M3FNUZ saturate false infinity_is_nan true
  quant_float.cast_strings %x to %init from !quant_float.string to ui4
    : memref<3xi64>, memref<3xi8, strided<[2], offset: ?>>
  %y = memref.alloc() : memref<3xf8E4M3FNUZ>
  quant_float.cast_strings %x to %y from !quant_float.string to f8E4M3FNUZ
    saturate false infinity_is_nan true : memref<3xi64>, memref<3xf8E4M3FNUZ>
  return
}

// CHECK-LABEL: @load
// BUFFERS-LABEL: @load
func.func @load(%init: tensor<2xi64>) -> tensor<2xi64> {
  %offsets = arith.constant dense<[0, 3, 3]> : tensor<3xi64>
  %bytes = arith.constant dense<[97, 98, 99]> : tensor<3xi8>
  // CHECK: quant_float.load_strings %{{.*}}, %{{.*}} to %{{.*}} : tensor<3xi64>, tensor<3xi8>, tensor<2xi64> -> tensor<2xi64>
  // BUFFERS: quant_float.load_strings %{{.*}}, %{{.*}} to %{{.*}} : memref<3xi64>, memref<3xi8>, memref<2xi64, {{.*}}>{{$}}
  %0 = quant_float.load_strings %offsets, %bytes to %init
    : tensor<3xi64>, tensor<3xi8>, tensor<2xi64> -> tensor<2xi64>
  return %0 : tensor<2xi64>
}
