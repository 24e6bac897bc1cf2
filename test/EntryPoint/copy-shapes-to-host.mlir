// RUN: quant-float-opt %s --quant-float-copy-shapes-to-host | FileCheck %s

// The kernel writes the shapes to device memory. They are copied to the host before a kernel that
// only computes shapes returns.

// CHECK-LABEL: func.func @f.kernel(
// CHECK-SAME:    %[[SIZES:.+]]: memref<1xi64>, %[[MEASURES:.+]]: i64)
// CHECK:         %[[DEVICE:.+]] = memref.alloc() : memref<1xi64>
// CHECK:         memref.store %{{.+}}, %[[DEVICE]]
// CHECK-NEXT:    gpu.memcpy %[[SIZES]], %[[DEVICE]]
// CHECK-NEXT:    memref.dealloc %[[DEVICE]]
// CHECK-NEXT:    cf.assert %{{.+}}, "the sizes of the results are measured"
// CHECK-NEXT:    cf.assert %{{.+}}, "other"
func.func @f.kernel(%sizes: memref<1xi64>, %measures: i64)
    attributes {quant_float.entry_point = {graph_name = "", inputs = [], measures, outputs = [], symbol = "f"}} {
  %zero = arith.constant 0 : i64
  %c0 = arith.constant 0 : index
  %isRun = arith.cmpi eq, %measures, %zero : i64
  memref.store %zero, %sizes[%c0] : memref<1xi64>
  cf.assert %isRun, "the sizes of the results are measured"
  cf.assert %isRun, "other"
  return
}

// CHECK-LABEL: func.func @g.kernel(
// CHECK-NOT:     memref.alloc
func.func @g.kernel(%x: memref<1xi64>)
    attributes {quant_float.entry_point = {graph_name = "", inputs = [], outputs = [], symbol = "g"}} {
  return
}
