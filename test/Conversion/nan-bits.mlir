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

// Each of these ops uses its operand twice: 2^40 paths lead to the product.
// CHECK-LABEL: func.func @many_paths(
// CHECK:         arith.mulf
func.func @many_paths(%x: vector<4xf16>, %y: vector<4xf32>) -> vector<4xf32> {
  %0 = quant_float.cast %x opset 28 : vector<4xf16> to vector<4xf32>
  %1 = vector.shuffle %0, %0 [0, 1, 6, 7] : vector<4xf32>, vector<4xf32>
  %2 = vector.shuffle %1, %1 [0, 1, 6, 7] : vector<4xf32>, vector<4xf32>
  %3 = vector.shuffle %2, %2 [0, 1, 6, 7] : vector<4xf32>, vector<4xf32>
  %4 = vector.shuffle %3, %3 [0, 1, 6, 7] : vector<4xf32>, vector<4xf32>
  %5 = vector.shuffle %4, %4 [0, 1, 6, 7] : vector<4xf32>, vector<4xf32>
  %6 = vector.shuffle %5, %5 [0, 1, 6, 7] : vector<4xf32>, vector<4xf32>
  %7 = vector.shuffle %6, %6 [0, 1, 6, 7] : vector<4xf32>, vector<4xf32>
  %8 = vector.shuffle %7, %7 [0, 1, 6, 7] : vector<4xf32>, vector<4xf32>
  %9 = vector.shuffle %8, %8 [0, 1, 6, 7] : vector<4xf32>, vector<4xf32>
  %10 = vector.shuffle %9, %9 [0, 1, 6, 7] : vector<4xf32>, vector<4xf32>
  %11 = vector.shuffle %10, %10 [0, 1, 6, 7] : vector<4xf32>, vector<4xf32>
  %12 = vector.shuffle %11, %11 [0, 1, 6, 7] : vector<4xf32>, vector<4xf32>
  %13 = vector.shuffle %12, %12 [0, 1, 6, 7] : vector<4xf32>, vector<4xf32>
  %14 = vector.shuffle %13, %13 [0, 1, 6, 7] : vector<4xf32>, vector<4xf32>
  %15 = vector.shuffle %14, %14 [0, 1, 6, 7] : vector<4xf32>, vector<4xf32>
  %16 = vector.shuffle %15, %15 [0, 1, 6, 7] : vector<4xf32>, vector<4xf32>
  %17 = vector.shuffle %16, %16 [0, 1, 6, 7] : vector<4xf32>, vector<4xf32>
  %18 = vector.shuffle %17, %17 [0, 1, 6, 7] : vector<4xf32>, vector<4xf32>
  %19 = vector.shuffle %18, %18 [0, 1, 6, 7] : vector<4xf32>, vector<4xf32>
  %20 = vector.shuffle %19, %19 [0, 1, 6, 7] : vector<4xf32>, vector<4xf32>
  %21 = vector.shuffle %20, %20 [0, 1, 6, 7] : vector<4xf32>, vector<4xf32>
  %22 = vector.shuffle %21, %21 [0, 1, 6, 7] : vector<4xf32>, vector<4xf32>
  %23 = vector.shuffle %22, %22 [0, 1, 6, 7] : vector<4xf32>, vector<4xf32>
  %24 = vector.shuffle %23, %23 [0, 1, 6, 7] : vector<4xf32>, vector<4xf32>
  %25 = vector.shuffle %24, %24 [0, 1, 6, 7] : vector<4xf32>, vector<4xf32>
  %26 = vector.shuffle %25, %25 [0, 1, 6, 7] : vector<4xf32>, vector<4xf32>
  %27 = vector.shuffle %26, %26 [0, 1, 6, 7] : vector<4xf32>, vector<4xf32>
  %28 = vector.shuffle %27, %27 [0, 1, 6, 7] : vector<4xf32>, vector<4xf32>
  %29 = vector.shuffle %28, %28 [0, 1, 6, 7] : vector<4xf32>, vector<4xf32>
  %30 = vector.shuffle %29, %29 [0, 1, 6, 7] : vector<4xf32>, vector<4xf32>
  %31 = vector.shuffle %30, %30 [0, 1, 6, 7] : vector<4xf32>, vector<4xf32>
  %32 = vector.shuffle %31, %31 [0, 1, 6, 7] : vector<4xf32>, vector<4xf32>
  %33 = vector.shuffle %32, %32 [0, 1, 6, 7] : vector<4xf32>, vector<4xf32>
  %34 = vector.shuffle %33, %33 [0, 1, 6, 7] : vector<4xf32>, vector<4xf32>
  %35 = vector.shuffle %34, %34 [0, 1, 6, 7] : vector<4xf32>, vector<4xf32>
  %36 = vector.shuffle %35, %35 [0, 1, 6, 7] : vector<4xf32>, vector<4xf32>
  %37 = vector.shuffle %36, %36 [0, 1, 6, 7] : vector<4xf32>, vector<4xf32>
  %38 = vector.shuffle %37, %37 [0, 1, 6, 7] : vector<4xf32>, vector<4xf32>
  %39 = vector.shuffle %38, %38 [0, 1, 6, 7] : vector<4xf32>, vector<4xf32>
  %40 = vector.shuffle %39, %39 [0, 1, 6, 7] : vector<4xf32>, vector<4xf32>
  %41 = arith.mulf %40, %y : vector<4xf32>
  return %41 : vector<4xf32>
}
