// RUN: quant-float-opt %s --pass-pipeline="builtin.module(func.func(quant-float-fuse-weight-dequantization))" | FileCheck %s
// RUN: quant-float-opt %s --pass-pipeline="builtin.module(func.func(quant-float-fuse-weight-dequantization{x-bits=8}))" | FileCheck %s --check-prefix=INTEGERS
// RUN: quant-float-opt %s --pass-pipeline="builtin.module(func.func(quant-float-fuse-weight-dequantization{dynamic-rows}))" | FileCheck %s --check-prefix=DYNAMIC
// RUN: quant-float-opt %s --pass-pipeline="builtin.module(func.func(quant-float-fuse-weight-dequantization{dynamic-rows x-bits=8}))" | FileCheck %s --check-prefix=BOTH
// RUN: not quant-float-opt %s --pass-pipeline="builtin.module(func.func(quant-float-fuse-weight-dequantization{x-bits=12}))" 2>&1 | FileCheck %s --check-prefix=BITS

// BITS: error: x-bits: expected 0, 8 or 16, but got 12

// Only for K-contiguous weights.
// INTEGERS-LABEL: func.func @columns(
// INTEGERS-NOT:     x_bits
// INTEGERS-LABEL: func.func @nibbles(
// INTEGERS:         attrs = {quant_float.reduction_schedule = #quant_float.reduction_schedule<lanes = 16, terms = 8, consecutive, x_bits = 8>}

#x = affine_map<(d0, d1, d2) -> (d0, d2)>
#row = affine_map<(d0, d1, d2) -> (d1, d2)>
#column = affine_map<(d0, d1, d2) -> (d2, d1)>
#y = affine_map<(d0, d1, d2) -> (d0, d1)>
#id = affine_map<(d0, d1) -> (d0, d1)>
#channel = affine_map<(d0, d1) -> (d1)>
#first = affine_map<(d0, d1) -> (d0)>
#block = affine_map<(d0, d1) -> (d0, d1 floordiv 32)>
#small = affine_map<(d0, d1) -> (d0, d1 floordiv 8)>
#nibble = affine_map<(d0, d1) -> (d0, d1 floordiv 2)>

// N-contiguous weights: one lane with 32 consecutive elements.
// CHECK-LABEL: func.func @columns(
// CHECK-SAME:    %[[X:.+]]: tensor<1x512xf32>, %[[W:.+]]: tensor<512x256xi8>, %[[S:.+]]: tensor<256xf32>
// CHECK:         linalg.generic {{.*}} ins(%[[X]], %[[W]], %[[S]] : {{.*}} attrs = {quant_float.reduction_schedule = #quant_float.reduction_schedule<lanes = 1, terms = 32, consecutive>}
func.func @columns(%x: tensor<1x512xf32>, %w: tensor<512x256xi8>, %s: tensor<256xf32>, %init: tensor<1x256xf32>) -> tensor<1x256xf32> {
  %e = tensor.empty() : tensor<512x256xf32>
  %d = linalg.generic {indexing_maps = [#id, #channel, #id], iterator_types = ["parallel", "parallel"]}
      ins(%w, %s : tensor<512x256xi8>, tensor<256xf32>) outs(%e : tensor<512x256xf32>) {
  ^bb0(%q: i8, %scale: f32, %out: f32):
    %0 = quant_float.cast %q opset 28 : i8 to f32
    %1 = arith.mulf %0, %scale : f32
    linalg.yield %1 : f32
  } -> tensor<512x256xf32>
  %y = linalg.generic {indexing_maps = [#x, #column, #y], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %d : tensor<1x512xf32>, tensor<512x256xf32>) outs(%init : tensor<1x256xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %sum, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<1x256xf32>
  return %y : tensor<1x256xf32>
}

// Quantized values in the halves of bytes, selected by the index.
// CHECK-LABEL: func.func @nibbles(
// CHECK:         attrs = {quant_float.reduction_schedule = #quant_float.reduction_schedule<lanes = 16, terms = 8, consecutive>}
func.func @nibbles(%x: tensor<2x512xf32>, %w: tensor<256x256xi8>, %s: tensor<256x16xf32>, %init: tensor<2x256xf32>) -> tensor<2x256xf32> {
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c15 = arith.constant 15 : i8
  %point = quant_float.constant 8 : ui8
  %e = tensor.empty() : tensor<256x512xf32>
  %d = linalg.generic {indexing_maps = [#nibble, #block, #id], iterator_types = ["parallel", "parallel"]}
      ins(%w, %s : tensor<256x256xi8>, tensor<256x16xf32>) outs(%e : tensor<256x512xf32>) {
  ^bb0(%byte: i8, %scale: f32, %out: f32):
    %0 = linalg.index 1 : index
    %1 = arith.remui %0, %c2 : index
    %2 = arith.muli %1, %c4 : index
    %3 = arith.index_cast %2 : index to i8
    %4 = arith.shrui %byte, %3 : i8
    %5 = arith.andi %4, %c15 : i8
    %6 = quant_float.storage_cast %5 : i8 to ui8
    %7 = quant_float.dequantize %6, %scale, %point opset 28 : ui8, f32, ui8 to f32
    linalg.yield %7 : f32
  } -> tensor<256x512xf32>
  %y = linalg.generic {indexing_maps = [#x, #row, #y], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %d : tensor<2x512xf32>, tensor<256x512xf32>) outs(%init : tensor<2x256xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %sum, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<2x256xf32>
  return %y : tensor<2x256xf32>
}

// The entire byte is used, not one half at a time.
// CHECK-LABEL: func.func @not_nibbles(
// CHECK-NOT:     reduction_schedule
func.func @not_nibbles(%x: tensor<1x512xf32>, %w: tensor<256x256xi8>, %s: tensor<256x16xf32>, %init: tensor<1x256xf32>) -> tensor<1x256xf32> {
  %e = tensor.empty() : tensor<256x512xf32>
  %d = linalg.generic {indexing_maps = [#nibble, #block, #id], iterator_types = ["parallel", "parallel"]}
      ins(%w, %s : tensor<256x256xi8>, tensor<256x16xf32>) outs(%e : tensor<256x512xf32>) {
  ^bb0(%byte: i8, %scale: f32, %out: f32):
    %0 = quant_float.cast %byte opset 28 : i8 to f32
    %1 = arith.mulf %0, %scale : f32
    linalg.yield %1 : f32
  } -> tensor<256x512xf32>
  %y = linalg.generic {indexing_maps = [#x, #row, #y], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %d : tensor<1x512xf32>, tensor<256x512xf32>) outs(%init : tensor<1x256xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %sum, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<1x256xf32>
  return %y : tensor<1x256xf32>
}

// Blocks below the size of a vector, and too many rows to decode the weights again for each.
// CHECK-LABEL: func.func @small_blocks(
// CHECK-NOT:     reduction_schedule
func.func @small_blocks(%x: tensor<1x512xf32>, %w: tensor<256x512xi8>, %s: tensor<256x64xf32>, %init: tensor<1x256xf32>) -> tensor<1x256xf32> {
  %e = tensor.empty() : tensor<256x512xf32>
  %d = linalg.generic {indexing_maps = [#id, #small, #id], iterator_types = ["parallel", "parallel"]}
      ins(%w, %s : tensor<256x512xi8>, tensor<256x64xf32>) outs(%e : tensor<256x512xf32>) {
  ^bb0(%q: i8, %scale: f32, %out: f32):
    %0 = quant_float.cast %q opset 28 : i8 to f32
    %1 = arith.mulf %0, %scale : f32
    linalg.yield %1 : f32
  } -> tensor<256x512xf32>
  %y = linalg.generic {indexing_maps = [#x, #row, #y], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %d : tensor<1x512xf32>, tensor<256x512xf32>) outs(%init : tensor<1x256xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %sum, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<1x256xf32>
  return %y : tensor<1x256xf32>
}

// CHECK-LABEL: func.func @five_rows(
// INTEGERS-LABEL: func.func @five_rows(
// INTEGERS:         attrs = {quant_float.reduction_schedule = #quant_float.reduction_schedule<lanes = 1, terms = 32, consecutive, x_bits = 8>}
// CHECK-NOT:     reduction_schedule
func.func @five_rows(%x: tensor<5x512xf32>, %w: tensor<256x512xi8>, %s: tensor<256x16xf32>, %init: tensor<5x256xf32>) -> tensor<5x256xf32> {
  %e = tensor.empty() : tensor<256x512xf32>
  %d = linalg.generic {indexing_maps = [#id, #block, #id], iterator_types = ["parallel", "parallel"]}
      ins(%w, %s : tensor<256x512xi8>, tensor<256x16xf32>) outs(%e : tensor<256x512xf32>) {
  ^bb0(%q: i8, %scale: f32, %out: f32):
    %0 = quant_float.cast %q opset 28 : i8 to f32
    %1 = arith.mulf %0, %scale : f32
    linalg.yield %1 : f32
  } -> tensor<256x512xf32>
  %y = linalg.generic {indexing_maps = [#x, #row, #y], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %d : tensor<5x512xf32>, tensor<256x512xf32>) outs(%init : tensor<5x256xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %sum, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<5x256xf32>
  return %y : tensor<5x256xf32>
}

// A contraction may widen elements itself, as QLinearMatMul on float8 does. If the other operand is
// only used in computations, no operand is a quantized weight, and the order stays that of K.
// CHECK-LABEL: func.func @widened_vectors(
// CHECK-NOT:     reduction_schedule
func.func @widened_vectors(%x: tensor<4x64xf8E4M3FN>, %w: tensor<64x16xf32>, %init: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %e = tensor.empty() : tensor<64x16xf8E4M3FN>
  %d = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%w : tensor<64x16xf32>) outs(%e : tensor<64x16xf8E4M3FN>) {
  ^bb0(%a: f32, %out: f8E4M3FN):
    %0 = quant_float.cast %a opset 21 : f32 to f8E4M3FN
    linalg.yield %0 : f8E4M3FN
  } -> tensor<64x16xf8E4M3FN>
  %y = linalg.generic {indexing_maps = [#x, #column, #y], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %d : tensor<4x64xf8E4M3FN>, tensor<64x16xf8E4M3FN>) outs(%init : tensor<4x16xf32>) {
  ^bb0(%a: f8E4M3FN, %b: f8E4M3FN, %sum: f32):
    %0 = quant_float.cast %a opset 28 : f8E4M3FN to f32
    %1 = quant_float.cast %b opset 28 : f8E4M3FN to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %sum, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<4x16xf32>
  return %y : tensor<4x16xf32>
}

// Without `dynamic-rows`, a dynamic number of rows is assumed to be large. With it, few rows are
// computed one by one, and the weights are dequantized for many rows only.
// CHECK-LABEL: func.func @dynamic_rows(
// CHECK-NOT:     reduction_schedule
// CHECK-LABEL: func.func @dynamic_small(
// DYNAMIC-LABEL: func.func @dynamic_rows(
// DYNAMIC-SAME:    %[[X:.+]]: tensor<2x?x512xf32>, %[[W:.+]]: tensor<256x512xi8>, %[[S:.+]]: tensor<256x16xf32>, %[[INIT:.+]]: tensor<2x?x256xf32>
// DYNAMIC:         %[[SIZE:.+]] = tensor.dim %[[INIT]], %c1
// DYNAMIC:         %[[ROWS:.+]] = arith.muli %{{.+}}, %[[SIZE]]
// DYNAMIC:         %[[FEW:.+]] = arith.cmpi ule, %[[ROWS]], %c4
// DYNAMIC:         %[[Y:.+]] = scf.if %[[FEW]]
// DYNAMIC:           scf.for %[[ROW:.+]] = %{{.+}} to %{{.+}} step %{{.+}} iter_args(%[[ALL:.+]] = %[[INIT]])
// DYNAMIC:             %[[XROW:.+]] = tensor.extract_slice %[[X]][0, %[[ROW]], 0] [2, 1, 512] [1, 1, 1]
// DYNAMIC:             %[[YROW:.+]] = tensor.extract_slice %[[ALL]][0, %[[ROW]], 0] [2, 1, 256] [1, 1, 1]
// DYNAMIC:             linalg.generic {{.*}} ins(%[[XROW]], %[[W]], %[[S]] : {{.*}} outs(%[[YROW]] : {{.*}} attrs = {quant_float.reduction_schedule
// DYNAMIC:             tensor.insert_slice
// DYNAMIC:         } else {
// DYNAMIC:           %[[D:.+]] = linalg.generic {{.*}} ins(%[[W]], %[[S]]
// DYNAMIC:           linalg.generic {{.*}} ins(%[[X]], %[[D]]
// DYNAMIC:         return %[[Y]]
// BOTH-LABEL: func.func @dynamic_rows(
// BOTH:         scf.if
// BOTH:           linalg.generic {{.*}} attrs = {quant_float.reduction_schedule = #quant_float.reduction_schedule<lanes = 16, terms = 4, consecutive, x_bits = 8>}
// BOTH:         } else {
// BOTH-NEXT:      linalg.generic {{.*}} attrs = {quant_float.reduction_schedule = #quant_float.reduction_schedule<lanes = 1, terms = 32, consecutive, x_bits = 8>}
func.func @dynamic_rows(%x: tensor<2x?x512xf32>, %w: tensor<256x512xi8>, %s: tensor<256x16xf32>, %init: tensor<2x?x256xf32>) -> tensor<2x?x256xf32> {
  %e = tensor.empty() : tensor<256x512xf32>
  %d = linalg.generic {indexing_maps = [#id, #block, #id], iterator_types = ["parallel", "parallel"]}
      ins(%w, %s : tensor<256x512xi8>, tensor<256x16xf32>) outs(%e : tensor<256x512xf32>) {
  ^bb0(%q: i8, %scale: f32, %out: f32):
    %0 = quant_float.cast %q opset 28 : i8 to f32
    %1 = arith.mulf %0, %scale : f32
    linalg.yield %1 : f32
  } -> tensor<256x512xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>, affine_map<(d0, d1, d2, d3) -> (d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %d : tensor<2x?x512xf32>, tensor<256x512xf32>) outs(%init : tensor<2x?x256xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %sum, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<2x?x256xf32>
  return %y : tensor<2x?x256xf32>
}

// Blocks that are too small have no lowering with few rows, and five rows are not few.
// DYNAMIC-LABEL: func.func @dynamic_small(
// DYNAMIC-NOT:     scf.if
// DYNAMIC-LABEL: func.func @dynamic_five(
// DYNAMIC-NOT:     scf.if
func.func @dynamic_small(%x: tensor<?x512xf32>, %w: tensor<256x512xi8>, %s: tensor<256x64xf32>, %init: tensor<?x256xf32>) -> tensor<?x256xf32> {
  %e = tensor.empty() : tensor<256x512xf32>
  %d = linalg.generic {indexing_maps = [#id, #small, #id], iterator_types = ["parallel", "parallel"]}
      ins(%w, %s : tensor<256x512xi8>, tensor<256x64xf32>) outs(%e : tensor<256x512xf32>) {
  ^bb0(%q: i8, %scale: f32, %out: f32):
    %0 = quant_float.cast %q opset 28 : i8 to f32
    %1 = arith.mulf %0, %scale : f32
    linalg.yield %1 : f32
  } -> tensor<256x512xf32>
  %y = linalg.generic {indexing_maps = [#x, #row, #y], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %d : tensor<?x512xf32>, tensor<256x512xf32>) outs(%init : tensor<?x256xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %sum, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<?x256xf32>
  return %y : tensor<?x256xf32>
}

func.func @dynamic_five(%x: tensor<5x?x512xf32>, %w: tensor<256x512xi8>, %s: tensor<256x16xf32>, %init: tensor<5x?x256xf32>) -> tensor<5x?x256xf32> {
  %e = tensor.empty() : tensor<256x512xf32>
  %d = linalg.generic {indexing_maps = [#id, #block, #id], iterator_types = ["parallel", "parallel"]}
      ins(%w, %s : tensor<256x512xi8>, tensor<256x16xf32>) outs(%e : tensor<256x512xf32>) {
  ^bb0(%q: i8, %scale: f32, %out: f32):
    %0 = quant_float.cast %q opset 28 : i8 to f32
    %1 = arith.mulf %0, %scale : f32
    linalg.yield %1 : f32
  } -> tensor<256x512xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>, affine_map<(d0, d1, d2, d3) -> (d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %d : tensor<5x?x512xf32>, tensor<256x512xf32>) outs(%init : tensor<5x?x256xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %sum, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<5x?x256xf32>
  return %y : tensor<5x?x256xf32>
}

// Weights with a minimum for each block, and scales that are products of
// quantized scales and f16 factors. The products are fused as well. The factors
// are converted before.

// CHECK-LABEL: func.func @minimum(
// CHECK-SAME:    %[[X:.+]]: tensor<1x512xf32>, %[[W:.+]]: tensor<256x512xi4>, %[[S:.+]]: tensor<256x16xi8>, %[[F:.+]]: tensor<256x2xf16>, %[[M:.+]]: tensor<256x16xf32>
// CHECK:         %[[WIDE:.+]] = linalg.generic {{.*}} ins(%[[F]] : tensor<256x2xf16>) outs(%{{.+}} : tensor<256x2xf32>)
// CHECK:         linalg.generic {{.*}} ins(%[[X]], %[[W]], %[[S]], %[[WIDE]], %[[M]] : {{.*}} attrs = {quant_float.reduction_schedule = #quant_float.reduction_schedule<lanes = 16, terms = 8, consecutive>}
// CHECK:           %[[SCALE:.+]] = arith.mulf
// CHECK:           %[[SCALED:.+]] = arith.mulf %{{.+}}, %[[SCALE]]
// CHECK:           arith.subf %[[SCALED]], %{{.+}}
// INTEGERS-LABEL: func.func @minimum(
// INTEGERS:         attrs = {quant_float.reduction_schedule = #quant_float.reduction_schedule<lanes = 16, terms = 8, consecutive, x_bits = 8>}
#group = affine_map<(d0, d1) -> (d0, d1 floordiv 8)>
func.func @minimum(%x: tensor<1x512xf32>, %w: tensor<256x512xi4>, %s: tensor<256x16xi8>, %f: tensor<256x2xf16>, %m: tensor<256x16xf32>, %init: tensor<1x256xf32>) -> tensor<1x256xf32> {
  %es = tensor.empty() : tensor<256x16xf32>
  %scales = linalg.generic {indexing_maps = [#id, #group, #id], iterator_types = ["parallel", "parallel"]}
      ins(%s, %f : tensor<256x16xi8>, tensor<256x2xf16>) outs(%es : tensor<256x16xf32>) {
  ^bb0(%q: i8, %factor: f16, %out: f32):
    %0 = quant_float.cast %q opset 28 : i8 to f32
    %1 = quant_float.cast %factor opset 28 : f16 to f32
    %2 = arith.mulf %0, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<256x16xf32>
  %e = tensor.empty() : tensor<256x512xf32>
  %d = linalg.generic {indexing_maps = [#id, #block, #block, #id], iterator_types = ["parallel", "parallel"]}
      ins(%w, %scales, %m : tensor<256x512xi4>, tensor<256x16xf32>, tensor<256x16xf32>) outs(%e : tensor<256x512xf32>) {
  ^bb0(%q: i4, %scale: f32, %min: f32, %out: f32):
    %0 = arith.extui %q : i4 to i8
    %1 = quant_float.storage_cast %0 : i8 to ui4
    %2 = quant_float.cast %1 opset 28 : ui4 to f32
    %3 = arith.mulf %2, %scale : f32
    %4 = arith.subf %3, %min : f32
    linalg.yield %4 : f32
  } -> tensor<256x512xf32>
  %y = linalg.generic {indexing_maps = [#x, #row, #y], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %d : tensor<1x512xf32>, tensor<256x512xf32>) outs(%init : tensor<1x256xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %sum, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<1x256xf32>
  return %y : tensor<1x256xf32>
}

// What is added to the weights of a channel is not a minimum of blocks. 8-bit weights are decoded
// as a whole, also if activations are quantized.
// CHECK-LABEL: func.func @added_to_channel(
// CHECK:         attrs = {quant_float.reduction_schedule = #quant_float.reduction_schedule<lanes = 16, terms = 8>}
// INTEGERS-LABEL: func.func @added_to_channel(
// INTEGERS-NOT:     x_bits
func.func @added_to_channel(%x: tensor<1x512xf32>, %w: tensor<256x512xi8>, %s: tensor<256xf32>, %b: tensor<256xf32>, %init: tensor<1x256xf32>) -> tensor<1x256xf32> {
  %e = tensor.empty() : tensor<256x512xf32>
  %d = linalg.generic {indexing_maps = [#id, #first, #first, #id], iterator_types = ["parallel", "parallel"]}
      ins(%w, %s, %b : tensor<256x512xi8>, tensor<256xf32>, tensor<256xf32>) outs(%e : tensor<256x512xf32>) {
  ^bb0(%q: i8, %scale: f32, %bias: f32, %out: f32):
    %0 = quant_float.cast %q opset 28 : i8 to f32
    %1 = arith.mulf %0, %scale : f32
    %2 = arith.addf %1, %bias : f32
    linalg.yield %2 : f32
  } -> tensor<256x512xf32>
  %y = linalg.generic {indexing_maps = [#x, #row, #y], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %d : tensor<1x512xf32>, tensor<256x512xf32>) outs(%init : tensor<1x256xf32>) {
  ^bb0(%a: f32, %c: f32, %sum: f32):
    %0 = arith.mulf %a, %c : f32
    %1 = arith.addf %sum, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<1x256xf32>
  return %y : tensor<1x256xf32>
}
