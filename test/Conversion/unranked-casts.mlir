// A cast without a rank is converted as a cast of a one-dimensional tensor. A second one after it
// has the same sizes.
// RUN: quant-float-opt %s --convert-quant-float-to-linalg | FileCheck %s

// CHECK-LABEL: func.func private @through
// CHECK-SAME:    (%[[X:.*]]: tensor<*xf32>) -> tensor<*xi8>
func.func private @through(%x: tensor<*xf32>) -> tensor<*xui8> {
  // CHECK: %[[RANK:.*]] = tensor.rank %[[X]]
  // CHECK: %[[SIZES:.*]]:2 = scf.for %[[I:.*]] = %{{.*}} to %[[RANK]]
  // CHECK:   %[[SIZE:.*]] = tensor.dim %[[X]], %[[I]]
  // CHECK:   tensor.insert %[[SIZE]] into
  // CHECK:   arith.muli %{{.*}}, %[[SIZE]]
  // CHECK: %[[COUNT:.*]] = tensor.from_elements %[[SIZES]]#1 : tensor<1xindex>
  // CHECK: %[[FLAT:.*]] = tensor.reshape %[[X]](%[[COUNT]]) : (tensor<*xf32>, tensor<1xindex>) -> tensor<?xf32>
  // CHECK: %[[HALVES:.*]] = linalg.generic {{.*}} ins(%[[FLAT]] : tensor<?xf32>)
  %0 = quant_float.cast %x opset 13 : tensor<*xf32> to tensor<*xf16>
  // CHECK-NOT: tensor.rank
  // CHECK: %[[ENCODINGS:.*]] = linalg.generic {{.*}} ins(%[[HALVES]] : tensor<?xf16>)
  // CHECK: %[[Y:.*]] = tensor.reshape %[[ENCODINGS]](%[[SIZES]]#0) : (tensor<?xi8>, tensor<?xindex>) -> tensor<*xi8>
  %1 = quant_float.cast %0 opset 13 : tensor<*xf16> to tensor<*xui8>
  // CHECK: return %[[Y]]
  return %1 : tensor<*xui8>
}
