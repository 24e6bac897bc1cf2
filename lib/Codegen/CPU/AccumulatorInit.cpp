//===- AccumulatorInit.cpp - Accumulator initialization -------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AccumulatorInit.h"
#include "../Common/BufferAccesses.h"
#include "../Common/LinalgUtils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::quant_float;
using linalg::GenericOp;

/// The maximum number of ops that are visited in search of the initialization.
static constexpr int kMaxSteps = 16;

/// Whether the op is elementwise, and overwrites `output` without reading it.
static bool isFillOf(GenericOp op, Value output) {
  return op.hasPureBufferSemantics() && op.getNumDpsInits() == 1 &&
         op.getDpsInits().front() == output && op.getNumReductionLoops() == 0 &&
         !op.hasIndexSemantics() &&
         !op.payloadUsesValueFromOperand(op.getDpsInitOperand(0)) &&
         op.getIndexingMapsArray().back().isIdentity() &&
         llvm::none_of(op.getDpsInputs(), [&](Value input) {
           return isa<MemRefType>(input.getType()) &&
                  getRoot(input) == getRoot(output);
         });
}

std::optional<AccumulatorInit>
AccumulatorInit::find(GenericOp op, std::optional<unsigned> vectorLoop) {
  if (op.getNumDpsInits() != 1)
    return std::nullopt;
  Value output = op.getDpsInits().front();
  AffineMap outputMap = op.getIndexingMapsArray().back();
  if (!outputMap.isProjectedPermutation() ||
      llvm::any_of(op.getDpsInputs(), [&](Value input) {
        return isa<MemRefType>(input.getType()) &&
               getRoot(input) == getRoot(output);
      }))
    return std::nullopt;
  BufferAccesses between;
  Operation *before = op->getPrevNode();
  for (int steps = 0; before && steps < kMaxSteps; ++steps) {
    auto fill = dyn_cast<GenericOp>(before);
    if (fill && isFillOf(fill, output)) {
      if (!BufferAccesses(fill).isIndependentOf(between))
        return std::nullopt;
      AccumulatorInit start(fill);
      for (OpOperand *input : fill.getDpsInputOperands()) {
        AffineMap map = fill.getMatchingIndexingMap(input).compose(outputMap);
        if (vectorLoop && map.isFunctionOfDim(*vectorLoop))
          return std::nullopt;
        start.maps.push_back(map);
      }
      return start;
    }
    between.add(before);
    before = before->getPrevNode();
  }
  return std::nullopt;
}

Value AccumulatorInit::build(ImplicitLocOpBuilder &b,
                             ArrayRef<OpFoldResult> position) const {
  GenericOp op = fill;
  IRMapping mapping;
  for (auto [argument, input, map] :
       llvm::zip(op.getBody()->getArguments(), op.getDpsInputs(), maps)) {
    Value value = input;
    if (isa<MemRefType>(input.getType())) {
      value = memref::LoadOp::create(
          b, input, createIndices(b, b.getLoc(), map, position));
    }
    mapping.map(argument, value);
  }
  for (Operation &nested : op.getBody()->without_terminator())
    b.clone(nested, mapping);
  return mapping.lookupOrDefault(op.getBody()->getTerminator()->getOperand(0));
}
