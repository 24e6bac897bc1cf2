// RUN: quant-float-opt %s --convert-quant-float-to-arith="triple=x86_64-linux-gnu cpu=x86-64-v3" | FileCheck %s
// RUN: quant-float-opt %s --convert-quant-float-to-arith="triple=aarch64-linux-gnu cpu=generic" | FileCheck %s

// The sign and the payload of a NaN only matter if a user other than arithmetic reads the elements
// (D8), also after other ops have moved them.

// CHECK-LABEL: func.func @multiplied(
// CHECK:         %[[FLOATS:.+]] = arith.extf
// CHECK-NEXT:    %[[MOVED:.+]] = vector.shuffle %[[FLOATS]], %[[FLOATS]]
// CHECK-NEXT:    arith.mulf %[[MOVED]], %{{.+}}
// CHECK-NEXT:    %[[ONE:.+]] = vector.extract %[[FLOATS]][1]
// CHECK-NEXT:    %[[ALL:.+]] = vector.broadcast %[[ONE]]
// CHECK-NEXT:    arith.addf %{{.+}}, %[[ALL]]
// CHECK-NEXT:    return
func.func @multiplied(%x: vector<4xf16>, %y: vector<8xf32>) -> vector<8xf32> {
  %0 = quant_float.cast %x opset 28 : vector<4xf16> to vector<4xf32>
  %1 = vector.shuffle %0, %0 [0, 0, 1, 1, 2, 2, 3, 3] : vector<4xf32>, vector<4xf32>
  %2 = arith.mulf %1, %y : vector<8xf32>
  %3 = vector.extract %0[1] : f32 from vector<4xf32>
  %4 = vector.broadcast %3 : f32 to vector<8xf32>
  %5 = arith.addf %2, %4 : vector<8xf32>
  return %5 : vector<8xf32>
}

// CHECK-LABEL: func.func @returned(
// CHECK:         %[[FLOATS:.+]] = arith.extf
// CHECK:         arith.cmpf uno, %[[FLOATS]], %[[FLOATS]]
// CHECK:         %[[MOVED:.+]] = vector.shuffle
// CHECK:         arith.mulf %[[MOVED]],
// CHECK:         return
func.func @returned(%x: vector<4xf16>, %y: vector<8xf32>) -> (vector<8xf32>, vector<8xf32>) {
  %0 = quant_float.cast %x opset 28 : vector<4xf16> to vector<4xf32>
  %1 = vector.shuffle %0, %0 [0, 0, 1, 1, 2, 2, 3, 3] : vector<4xf32>, vector<4xf32>
  %2 = arith.mulf %1, %y : vector<8xf32>
  return %1, %2 : vector<8xf32>, vector<8xf32>
}
