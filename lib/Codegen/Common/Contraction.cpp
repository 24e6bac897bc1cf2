//===- Contraction.cpp - Analysis of contractions -------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Contraction.h"

#include "mlir/Analysis/FlatLinearValueConstraints.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "quant-float/IR/CodegenAttributes.h"
#include "quant-float/IR/QuantFloatOps.h"
#include "quant-float/Support/Indices.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::quant_float;
using linalg::GenericOp;
using linalg::LinalgOp;

//===----------------------------------------------------------------------===//
// Values of a body
//===----------------------------------------------------------------------===//

void quant_float::walkSources(LinalgOp op, Value value,
                              llvm::function_ref<void(Value)> visit) {
  llvm::SetVector<Value> all;
  all.insert(value);
  for (size_t i = 0; i < all.size(); ++i) {
    Value next = all[i];
    if (next.getParentBlock() != op.getBlock())
      continue;
    visit(next);
    Operation *source = next.getDefiningOp();
    // After fusion, affine.apply has the indices of all loops as operands:
    // visit only those that its map uses.
    if (auto apply = dyn_cast_or_null<affine::AffineApplyOp>(source)) {
      for (auto [index, dim] : llvm::enumerate(apply.getDimOperands()))
        if (apply.getAffineMap().isFunctionOfDim(index))
          all.insert(dim);
      all.insert(apply.getSymbolOperands().begin(),
                 apply.getSymbolOperands().end());
    } else if (source) {
      all.insert(source->operand_begin(), source->operand_end());
    }
  }
}

SmallVector<OpOperand *> quant_float::getSources(LinalgOp op, Value value) {
  SmallVector<OpOperand *> sources;
  walkSources(op, value, [&](Value next) {
    if (auto argument = dyn_cast<BlockArgument>(next))
      sources.push_back(op.getMatchingOpOperand(argument));
  });
  return sources;
}

bool quant_float::usesIndex(LinalgOp op, Value value) {
  bool uses = false;
  walkSources(op, value, [&](Value next) {
    uses |= !!next.getDefiningOp<linalg::IndexOp>();
  });
  return uses;
}

std::optional<llvm::SmallBitVector> quant_float::getLoops(LinalgOp op,
                                                          Value value) {
  llvm::SmallBitVector loops(op.getNumLoops());
  bool isKnown = true;
  walkSources(op, value, [&](Value next) {
    if (auto argument = dyn_cast<BlockArgument>(next)) {
      OpOperand *source = op.getMatchingOpOperand(argument);
      isKnown &= op.isDpsInput(source);
      AffineMap map = op.getMatchingIndexingMap(source);
      for (unsigned loop = 0; loop < loops.size(); ++loop)
        if (map.isFunctionOfDim(loop))
          loops.set(loop);
    } else if (auto index = next.getDefiningOp<linalg::IndexOp>()) {
      loops.set(index.getDim());
    } else {
      isKnown &= next.getDefiningOp()->getNumRegions() == 0;
    }
  });
  return isKnown ? std::optional(loops) : std::nullopt;
}

SmallVector<OpOperand *> quant_float::getInputsAlong(LinalgOp op,
                                                     unsigned loop) {
  SmallVector<OpOperand *> inputs = op.getDpsInputOperands();
  llvm::erase_if(inputs, [&](OpOperand *input) {
    return !op.getMatchingIndexingMap(input).isFunctionOfDim(loop);
  });
  return inputs;
}

//===----------------------------------------------------------------------===//
// Contraction
//===----------------------------------------------------------------------===//

/// Returns the body of a contraction, or of a dot product of packed operands.
static std::optional<MultiplyAccumulate> getBody(LinalgOp op) {
  if (!op->hasAttr(kPackedOperandsAttrName) || op.getNumDpsInputs() != 2)
    return MultiplyAccumulate::get(op);
  Block *body = op.getBlock();
  Operation *accumulate = body->getTerminator()->getOperand(0).getDefiningOp();
  if (!accumulate || accumulate->getBlock() != body)
    return std::nullopt;
  return MultiplyAccumulate{accumulate, nullptr, body->getArgument(0),
                            body->getArgument(1)};
}

/// Returns nullopt if the factor depends on the result.
static std::optional<ContractionOperand> getOperand(LinalgOp op, Value value) {
  std::optional<llvm::SmallBitVector> loops = getLoops(op, value);
  if (!loops)
    return std::nullopt;
  ContractionOperand operand{value, getSources(op, value), nullptr, *loops};
  std::tuple<unsigned, bool, int64_t> best(0, false, 0);
  for (OpOperand *source : operand.sources) {
    AffineMap map = op.getMatchingIndexingMap(source);
    auto type = dyn_cast<ShapedType>(source->get().getType());
    std::tuple<unsigned, bool, int64_t> next(
        map.getNumResults(), map.isProjectedPermutation(),
        type && type.hasStaticShape() ? type.getNumElements() : 0);
    if (next <= best)
      continue;
    best = next;
    operand.matrix = source;
  }
  return operand;
}

std::optional<Contraction> Contraction::get(LinalgOp op) {
  if (op.getNumDpsInits() != 1 || op.getNumReductionLoops() == 0)
    return std::nullopt;
  AffineMap result = op.getIndexingMapsArray().back();
  if (!result.isProjectedPermutation() ||
      result.getNumResults() != op.getNumParallelLoops())
    return std::nullopt;
  std::optional<MultiplyAccumulate> body = getBody(op);
  if (!body)
    return std::nullopt;
  std::optional<ContractionOperand> lhs = getOperand(op, body->lhs),
                                    rhs = getOperand(op, body->rhs);
  if (!lhs || !rhs)
    return std::nullopt;
  if (result.getNumResults()) {
    unsigned last = *getLoop(result.getResults().back());
    if (lhs->loops.test(last) && !rhs->loops.test(last))
      std::swap(lhs, rhs);
  }
  Contraction contraction(op, *body);
  // An operand that is computed from several inputs varies along the loops of
  // all of them.
  auto getMap = [&](const ContractionOperand &operand) {
    SmallVector<AffineExpr> results;
    for (unsigned loop : operand.loops.set_bits())
      results.push_back(getAffineDimExpr(loop, op.getContext()));
    return AffineMap::get(op.getNumLoops(), 0, results, op.getContext());
  };
  FailureOr<linalg::ContractionDimensions> dims =
      linalg::inferContractionDims({getMap(*lhs), getMap(*rhs), result});
  if (failed(dims))
    return std::nullopt;
  auto order = [&](ArrayRef<unsigned> loops) {
    SmallVector<unsigned> ordered;
    for (AffineExpr index : result.getResults())
      if (llvm::is_contained(loops, *getLoop(index)))
        ordered.push_back(*getLoop(index));
    return ordered;
  };
  contraction.batch = order(dims->batch);
  contraction.m = order(dims->m);
  contraction.n = order(dims->n);
  contraction.k.assign(dims->k.begin(), dims->k.end());
  contraction.lhs = *lhs;
  contraction.rhs = *rhs;
  return contraction;
}

bool Contraction::hasOnlyKReductions() const {
  LinalgOp contraction = op;
  return k.size() == contraction.getNumReductionLoops();
}

bool Contraction::variesAlongK(AffineExpr index) const {
  return llvm::any_of(
      k, [&](unsigned loop) { return index.isFunctionOfDim(loop); });
}

bool Contraction::variesAlongK(Value value) const {
  std::optional<llvm::SmallBitVector> loops = getLoops(op, value);
  return !loops ||
         llvm::any_of(k, [&](unsigned loop) { return loops->test(loop); });
}

static ArrayRef<AffineExpr> getIndices(LinalgOp op, OpOperand *input) {
  return op.getMatchingIndexingMap(input).getResults();
}

std::optional<unsigned>
Contraction::getContiguousLoop(const ContractionOperand &operand) const {
  if (!operand.matrix)
    return std::nullopt;
  return getLoop(getIndices(op, operand.matrix).back());
}

bool Contraction::isKContiguous(const ContractionOperand &operand) const {
  if (!operand.matrix)
    return false;
  AffineExpr last = getIndices(op, operand.matrix).back();
  return variesAlongK(last) &&
         llvm::none_of(operand.value == lhs.value ? m : n, [&](unsigned loop) {
           return last.isFunctionOfDim(loop);
         });
}

ScaledValue
Contraction::getScaledValue(const ContractionOperand &operand) const {
  Value value = operand.value;
  // Only the quantized values and scales of blocks vary along K.
  auto isDecoded = [&](Value value, Value other) {
    return !variesAlongK(other) ||
           (variesAlongK(value) &&
            llvm::is_contained(getSources(op, value), operand.matrix));
  };
  if (auto dequantize = value.getDefiningOp<DequantizeOp>())
    return {dequantize.getInput(), dequantize.getZeroPoint(),
            dequantize.getScale()};
  if (auto scaled = value.getDefiningOp<arith::MulFOp>()) {
    Value lhs = scaled.getLhs(), rhs = scaled.getRhs();
    if (!isDecoded(lhs, rhs))
      std::swap(lhs, rhs);
    return {lhs, {}, rhs};
  }
  if (auto difference = value.getDefiningOp<arith::SubIOp>();
      difference && isDecoded(difference.getLhs(), difference.getRhs()))
    return {difference.getLhs(), difference.getRhs(), {}};
  return {value, {}, {}};
}

std::optional<OperandDecoding>
Contraction::getDecoding(const ContractionOperand &operand) const {
  if (!operand.matrix)
    return std::nullopt;
  OperandDecoding decoding = {getScaledValue(operand), nullptr, 0, {}};
  decoding.quantized = operand.matrix;
  Type element = getElementTypeOrSelf(operand.matrix->get());
  if (!element.isIntOrFloat() || element.getIntOrFloatBitWidth() > 8)
    return std::nullopt;
  decoding.bits = element.getIntOrFloatBitWidth();
  LinalgOp linalgOp = op;
  for (Value separate : {decoding.scale, decoding.zeroPoint})
    if (separate &&
        llvm::is_contained(getSources(linalgOp, separate), decoding.quantized))
      return std::nullopt;

  AffineMap map = linalgOp.getMatchingIndexingMap(decoding.quantized);
  if (map.getNumResults() && decoding.bits == 8)
    if (std::optional<BlockIndex> byte = getBlockIndex(map.getResults().back()))
      decoding.bits = std::max<int64_t>(8 / byte->size, 1);
  int64_t extent = 1;
  for (unsigned loop : k)
    extent =
        ShapedType::isDynamic(ranges[loop]) || ShapedType::isDynamic(extent)
            ? ShapedType::kDynamic
            : llvm::SaturatingMultiply(uint64_t(extent),
                                       uint64_t(ranges[loop]));
  decoding.block = extent;
  for (OpOperand *source : operand.sources) {
    if (source == decoding.quantized)
      continue;
    for (AffineExpr index : getIndices(op, source)) {
      if (!variesAlongK(index))
        continue;
      std::optional<BlockIndex> block = getBlockIndex(index);
      if (!block || !getLoop(block->position)) {
        decoding.block = std::nullopt;
        return decoding;
      }
      // Zero points may be packed, so that their blocks differ: use the
      // smallest block.
      decoding.block = ShapedType::isDynamic(*decoding.block)
                           ? block->size
                           : std::min(*decoding.block, block->size);
    }
  }
  return decoding;
}

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

std::optional<ConvolutionAxis>
ConvolutionAxis::get(LinalgOp op, AffineExpr index, unsigned loop) {
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  SmallVector<int64_t> coefficients;
  if (failed(getFlattenedAffineExpr(index, ranges.size(), 0, &coefficients)) ||
      coefficients.size() != ranges.size() + 1 || coefficients.back() != 0)
    return std::nullopt;
  int64_t largest = 0;
  for (unsigned other = 0; other < ranges.size(); ++other) {
    if (coefficients[other] == 0)
      continue;
    if (coefficients[other] < 0 ||
        (other != loop && ShapedType::isDynamic(ranges[other])) ||
        (iterators[other] == utils::IteratorType::parallel) != (other == loop))
      return std::nullopt;
    if (other != loop)
      largest += coefficients[other] * (ranges[other] - 1);
  }
  if (coefficients[loop] == 0)
    return std::nullopt;
  AffineExpr offset = getAffineConstantExpr(0, op.getContext());
  if (largest != 0)
    offset = simplifyAffineExpr(
        index.replace(getAffineDimExpr(loop, op.getContext()), offset),
        ranges.size(), 0);
  return ConvolutionAxis{loop, coefficients[loop], offset, largest};
}

std::optional<linalg::ConvolutionDimensions>
Contraction::getConvolution() const {
  for (bool isRight : {false, true}) {
    const ContractionOperand &image = isRight ? rhs : lhs;
    if (!image.matrix)
      continue;
    linalg::ConvolutionDimensions dims;
    for (AffineExpr index : getIndices(op, image.matrix)) {
      SmallVector<int64_t> coefficients;
      if (isa<AffineDimExpr, AffineConstantExpr>(index) ||
          failed(
              getFlattenedAffineExpr(index, ranges.size(), 0, &coefficients)) ||
          coefficients.size() != ranges.size() + 1)
        continue;
      std::optional<unsigned> output, filter;
      for (unsigned loop : isRight ? n : m)
        if (coefficients[loop] > 0)
          output = loop;
      for (unsigned loop : k)
        if (coefficients[loop] > 0)
          filter = loop;
      if (!output || !filter)
        continue;
      dims.outputImage.push_back(*output);
      dims.filterLoop.push_back(*filter);
      dims.strides.push_back(coefficients[*output]);
      dims.dilations.push_back(coefficients[*filter]);
    }
    if (dims.outputImage.empty())
      continue;
    for (unsigned loop : isRight ? n : m)
      if (!llvm::is_contained(dims.outputImage, loop))
        dims.batch.push_back(loop);
    for (unsigned loop : k)
      if (!llvm::is_contained(dims.filterLoop, loop))
        dims.inputChannel.push_back(loop);
    dims.outputChannel.assign((isRight ? m : n).begin(),
                              (isRight ? m : n).end());
    dims.depth.assign(batch.begin(), batch.end());
    return dims;
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Producers and users
//===----------------------------------------------------------------------===//

bool quant_float::isWeight(Value value) {
  llvm::SetVector<Value> values;
  values.insert(value);
  for (size_t i = 0; i < values.size(); ++i) {
    Operation *op = values[i].getDefiningOp();
    if (!op || op->hasTrait<OpTrait::ConstantLike>() ||
        isa<memref::GetGlobalOp>(op))
      return true;
    if (auto insert = dyn_cast<tensor::InsertSliceOp>(op)) {
      values.insert(insert.getSource());
      values.insert(insert.getDest());
    } else if (isa<tensor::CastOp, tensor::CollapseShapeOp,
                   tensor::ExpandShapeOp, tensor::ExtractSliceOp>(op)) {
      values.insert(op->getOperand(0));
    }
  }
  return false;
}

GenericOp quant_float::getElementwiseUser(LinalgOp op) {
  if (op->getNumResults() != 1 || !op->hasOneUse())
    return {};
  OpOperand &use = *op->use_begin();
  auto user = dyn_cast<GenericOp>(use.getOwner());
  return user && isElementwiseOnTensors(user) && user->getNumResults() == 1 &&
                 user.isDpsInput(&use) && user->getBlock() == op->getBlock() &&
                 user.getMatchingIndexingMap(&use).isIdentity() &&
                 user.getIndexingMapsArray().back().isIdentity()
             ? user
             : GenericOp();
}
