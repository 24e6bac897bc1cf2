// RUN: quant-float-opt %s --quant-float-copy-shapes-to-host | FileCheck %s

// The kernel writes the sizes to device memory, which is copied before a kernel that only computes sizes returns.

// CHECK-LABEL: func.func @f.kernel(
// CHECK-SAME:    %[[SIZES:.+]]: memref<1xi64>, %[[SIZES_ONLY:.+]]: i64)
// CHECK:         %[[DEVICE:.+]] = memref.alloc() : memref<1xi64>
// CHECK:         memref.store %{{.+}}, %[[DEVICE]]
// CHECK-NEXT:    gpu.memcpy %[[SIZES]], %[[DEVICE]]
// CHECK-NEXT:    memref.dealloc %[[DEVICE]]
// CHECK-NEXT:    cf.assert %{{.+}}, "only the sizes of the results are computed"
// CHECK-NEXT:    cf.assert %{{.+}}, "other"
func.func @f.kernel(%sizes: memref<1xi64>, %sizes_only: i64)
    attributes {quant_float.entry_point = {data_dependent_sizes, graph_name = "", inputs = [], outputs = [], symbol = "f"}} {
  %zero = arith.constant 0 : i64
  %c0 = arith.constant 0 : index
  %isRun = arith.cmpi eq, %sizes_only, %zero : i64
  memref.store %zero, %sizes[%c0] : memref<1xi64>
  cf.assert %isRun, "only the sizes of the results are computed"
  cf.assert %isRun, "other"
  return
}

// CHECK-LABEL: func.func @g.kernel(
// CHECK-NOT:     memref.alloc
func.func @g.kernel(%x: memref<1xi64>)
    attributes {quant_float.entry_point = {graph_name = "", inputs = [], outputs = [], symbol = "g"}} {
  return
}
