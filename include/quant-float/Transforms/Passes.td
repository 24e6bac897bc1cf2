//===- Passes.td - Passes on quant_float -------------------*- tablegen -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_TRANSFORMS_PASSES_TD
#define QUANT_FLOAT_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def QuantFloatRequireLoweredPass : Pass<"quant-float-require-lowered"> {
  let summary = "fail if anything is left that a lowering should have removed";
  let description = [{
    An op of the `quant_float` dialect, or an `arith.extf`, `arith.truncf` or
    other cast from or to a narrow float, that survives the lowerings would be
    passed on in silence by upstream's conversions. This pass names each, with
    its types, the target and what is missing, and fails.
  }];
  let options = [
    Option<"target", "target", "std::string", /*default=*/"\"cpu\"",
           "name of the target in the error">
  ];
}

def QuantFloatTileAndVectorizePass
    : InterfacePass<"quant-float-tile-and-vectorize", "mlir::FunctionOpInterface"> {
  let summary = "tile elementwise linalg ops on buffers and vectorize them";
  let description = [{
    Takes `linalg.generic` on buffers, all of whose loops are parallel:

    - contiguous dimensions are collapsed into one;
    - with `parallel`, an `scf.forall` over large chunks comes first;
    - an `scf.for` over tiles of `tile-size` elements, peeled, so that the main
      loop's tiles are full; upstream's vectorizer turns a tile into vectors;
    - what is left at the end is vectorized with masks if `masked-tail`, and is
      left to a scalar loop otherwise.

    All of it is upstream's tiling, peeling and vectorization; this pass only
    chooses sizes.
  }];
  let options = [
    Option<"tileSize", "tile-size", "int64_t", /*default=*/"64",
           "elements that the main loop takes at a time">,
    Option<"maskedTail", "masked-tail", "bool", /*default=*/"false",
           "vectorize the rest with masks">,
    Option<"parallel", "parallel", "bool", /*default=*/"false",
           "distribute large chunks over threads">
  ];
  let dependentDialects = [
    "mlir::affine::AffineDialect", "mlir::arith::ArithDialect",
    "mlir::memref::MemRefDialect", "mlir::scf::SCFDialect",
    "mlir::vector::VectorDialect"
  ];
}

#endif // QUANT_FLOAT_TRANSFORMS_PASSES_TD
