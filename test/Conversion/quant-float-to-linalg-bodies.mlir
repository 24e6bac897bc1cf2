// Ops whose regions compute elements: the tensors and the terminators of the regions use the
// storage type.
// RUN: quant-float-opt %s --convert-quant-float-to-linalg --canonicalize | FileCheck %s

#id = affine_map<(d0) -> (d0)>
#rows = affine_map<(d0, d1) -> (d0)>
#all = affine_map<(d0, d1) -> (d0, d1)>

// CHECK-LABEL: func.func @generic
func.func @generic(%x: tensor<?xui8>, %y: tensor<?xui8>) -> tensor<?xui8> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xui8>
  %e = tensor.empty(%n) : tensor<?xui8>
  // CHECK: linalg.generic
  // CHECK-SAME: ins(%{{.+}}, %{{.+}} : tensor<?xi8>, tensor<?xi8>)
  // CHECK-NEXT: ^bb0(%[[A:.+]]: i8, %[[B:.+]]: i8, %{{.+}}: i8):
  // CHECK-NEXT: %[[S:.+]] = arith.addi %[[A]], %[[B]] : i8
  // CHECK-NEXT: linalg.yield %[[S]] : i8
  %r = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%x, %y : tensor<?xui8>, tensor<?xui8>) outs(%e : tensor<?xui8>) {
  ^bb0(%a: ui8, %b: ui8, %o: ui8):
    %sa = quant_float.storage_cast %a : ui8 to i8
    %sb = quant_float.storage_cast %b : ui8 to i8
    %s = arith.addi %sa, %sb : i8
    %u = quant_float.storage_cast %s : i8 to ui8
    linalg.yield %u : ui8
  } -> tensor<?xui8>
  return %r : tensor<?xui8>
}

// bf16 is stored as bits. Computations on it are left unchanged.
// CHECK-LABEL: func.func @reduction
func.func @reduction(%x: tensor<4x8xbf16>, %init: tensor<4xbf16>) -> tensor<4xbf16> {
  // CHECK: ^bb0(%[[A:.+]]: i16, %[[B:.+]]: i16):
  // CHECK-DAG: %[[X:.+]] = quant_float.storage_cast %[[A]] : i16 to bf16
  // CHECK-DAG: %[[Y:.+]] = quant_float.storage_cast %[[B]] : i16 to bf16
  // CHECK: %[[S:.+]] = arith.addf %[[X]], %[[Y]] : bf16
  // CHECK: %[[T:.+]] = quant_float.storage_cast %[[S]] : bf16 to i16
  // CHECK: linalg.yield %[[T]] : i16
  %r = linalg.generic {indexing_maps = [#all, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x8xbf16>) outs(%init : tensor<4xbf16>) {
  ^bb0(%a: bf16, %o: bf16):
    %s = arith.addf %a, %o : bf16
    linalg.yield %s : bf16
  } -> tensor<4xbf16>
  return %r : tensor<4xbf16>
}

// Named ops only move elements of such types.
// CHECK-LABEL: func.func @named
func.func @named(%x: tensor<4x8xui4>, %v: ui4) -> (tensor<8x4xui4>, tensor<8x4xui4>) {
  %e = tensor.empty() : tensor<8x4xui4>
  // CHECK: %[[V:.+]] = quant_float.storage_cast %{{.+}} : ui4 to i8
  // CHECK: linalg.generic
  // CHECK-SAME: ins(%[[V]] : i8) outs(%{{.+}} : tensor<8x4xi8>)
  // CHECK: linalg.generic
  // CHECK-SAME: ins(%{{.+}} : tensor<4x8xi8>) outs(%{{.+}} : tensor<8x4xi8>)
  %f = linalg.fill ins(%v : ui4) outs(%e : tensor<8x4xui4>) -> tensor<8x4xui4>
  %t = linalg.transpose ins(%x : tensor<4x8xui4>) outs(%e : tensor<8x4xui4>) permutation = [1, 0]
  return %f, %t : tensor<8x4xui4>, tensor<8x4xui4>
}

// CHECK-LABEL: func.func @named_of_storage_types
func.func @named_of_storage_types(%x: tensor<4x8xi8>, %e: tensor<8x4xi8>) -> tensor<8x4xi8> {
  // CHECK: linalg.transpose
  %t = linalg.transpose ins(%x : tensor<4x8xi8>) outs(%e : tensor<8x4xi8>) permutation = [1, 0]
  return %t : tensor<8x4xi8>
}

// CHECK-LABEL: func.func @pad
func.func @pad(%x: tensor<?x8xui4>, %n: index, %v: ui4) -> (tensor<?x8xui4>, tensor<?xf4E2M1FN>) {
  // CHECK: tensor.pad %{{.+}} low[1, 0] high[%{{.+}}, 0] {
  // CHECK: %[[V:.+]] = quant_float.storage_cast %{{.+}} : ui4 to i8
  // CHECK: tensor.yield %[[V]] : i8
  // CHECK: tensor<?x8xi8> to tensor<?x8xi8>
  %p = tensor.pad %x low[1, 0] high[%n, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %v : ui4
  } : tensor<?x8xui4> to tensor<?x8xui4>
  // CHECK: tensor.generate
  // CHECK: tensor.yield %{{.+}} : i8
  // CHECK: tensor<?xi8>
  %one = arith.constant 1.0 : f4E2M1FN
  %g = tensor.generate %n {
  ^bb0(%i: index):
    tensor.yield %one : f4E2M1FN
  } : tensor<?xf4E2M1FN>
  return %p, %g : tensor<?x8xui4>, tensor<?xf4E2M1FN>
}
