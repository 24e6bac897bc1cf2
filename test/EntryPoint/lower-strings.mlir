// RUN: quant-float-opt %s --quant-float-make-entry-points --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" --quant-float-lower-strings | FileCheck %s
// RUN: not quant-float-opt %s --quant-float-make-entry-points --quant-float-lower-strings="on-device=true" 2>&1 | FileCheck %s --check-prefix=DEVICE

// DEVICE: error: function 'print': strings have no lowering for GPUs

// The kernel's last argument is the runtime's state of the call. The layout holds the rank, the
// offset, sizes and strides, and space for an index.

// CHECK-LABEL: func.func @print.kernel(
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<?xf32>
// CHECK-SAME: %[[OUT:[a-z0-9]+]]: memref<?xi64>, %[[TEXTS:[a-z0-9]+]]: i64)
// CHECK-SAME: messages = ["node 'c1': "]
// CHECK-SAME: strings
// CHECK: memref.alloca() : memref<7xindex>
// CHECK: call @__qf_cast_strings({{.*}}) : (index, index, index, index, index, index, index, index) -> ()
// CHECK-NOT: quant_float.cast_strings
// CHECK: func.func private @__qf_cast_strings(
func.func @print(%x: tensor<?xf32>)
    -> (tensor<?xi64> {quant_float.element_type = !quant_float.string}) {
  %zero = arith.constant 0 : index
  %size = tensor.dim %x, %zero : tensor<?xf32>
  %init = tensor.empty(%size) : tensor<?xi64>
  %0 = quant_float.cast_strings %x to %init from f32 to !quant_float.string
    : tensor<?xf32>, tensor<?xi64> -> tensor<?xi64> loc("c1")
  return %0 : tensor<?xi64>
}
