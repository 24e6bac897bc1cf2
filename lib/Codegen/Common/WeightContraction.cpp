//===- WeightContraction.cpp - Low-bit weight contractions ----------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WeightContraction.h"
#include "LinalgUtils.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "quant-float/IR/ElementTypes.h"
#include "quant-float/IR/QuantFloatOps.h"
#include "quant-float/Support/Indices.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::quant_float;
using linalg::GenericOp;

//===----------------------------------------------------------------------===//
// ReductionSchedule
//===----------------------------------------------------------------------===//

ReductionScheduleAttr
ReductionSchedule::toAttribute(MLIRContext *context) const {
  return ReductionScheduleAttr::get(context, lanes, terms, consecutive, xBits);
}

std::optional<ReductionSchedule> ReductionSchedule::get(Operation *op) {
  auto attribute =
      op->getAttrOfType<ReductionScheduleAttr>(kReductionScheduleAttrName);
  if (!attribute)
    return std::nullopt;
  return ReductionSchedule{attribute.getLanes(), attribute.getTerms(),
                           attribute.getConsecutive(), attribute.getXBits()};
}

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

Value BodySlice::build(Value value) {
  if (value.getParentBlock() != op.getBody())
    return value;
  if (Value known = done.lookup(value))
    return known;
  Value result;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    result = getOperand(op.getMatchingOpOperand(argument));
  } else if (auto index = value.getDefiningOp<linalg::IndexOp>()) {
    result = getIndex(index.getDim());
  } else {
    Operation *source = value.getDefiningOp();
    SmallVector<Value> operands = llvm::map_to_vector(
        source->getOperands(), [&](Value operand) { return build(operand); });
    VectorType shape;
    for (Value operand : operands)
      if (auto type = dyn_cast<VectorType>(operand.getType()))
        shape = type;
    IRMapping mapping;
    for (auto [from, to] : llvm::zip(source->getOperands(), operands)) {
      if (shape && !isa<VectorType>(to.getType()))
        to = vector::BroadcastOp::create(b, shape.clone(to.getType()), to);
      mapping.map(from, to);
    }
    Operation *copy = b.clone(*source, mapping);
    if (shape)
      copy->getResult(0).setType(shape.clone(value.getType()));
    result = copy->getResult(0);
  }
  return done[value] = result;
}

namespace {
/// Evaluates values in a body for one encoding.
class Evaluation {
public:
  Evaluation(GenericOp op, Value code, Attribute number, unsigned depth,
             int64_t position)
      : op(op), code(code), number(number), depth(depth), position(position) {}

  Attribute evaluate(Value value) {
    if (value == code)
      return number;
    Attribute constant;
    if (matchPattern(value, m_Constant(&constant)))
      return constant;
    Operation *source = value.getDefiningOp();
    if (!source || source->getBlock() != op.getBody())
      return {};
    if (auto index = dyn_cast<linalg::IndexOp>(source))
      return index.getDim() == depth
                 ? Builder(op.getContext()).getIndexAttr(position)
                 : Attribute();
    // Operands that cannot be evaluated are null. Some folds do not need them.
    SmallVector<Attribute> operands =
        llvm::map_to_vector(source->getOperands(),
                            [&](Value operand) { return evaluate(operand); });
    SmallVector<OpFoldResult> results;
    if (failed(source->fold(operands, results)) || results.size() != 1)
      return {};
    if (auto folded = dyn_cast<Attribute>(results[0]))
      return folded;
    return evaluate(cast<Value>(results[0]));
  }

private:
  GenericOp op;
  Value code;
  Attribute number;
  unsigned depth;
  int64_t position;
};
} // namespace

static std::optional<double> getNumber(Attribute attribute, Type type) {
  if (auto number = dyn_cast_or_null<FloatAttr>(attribute))
    return number.getValueAsDouble();
  if (auto number = dyn_cast_or_null<IntegerAttr>(attribute))
    return type.isUnsignedInteger() ? double(number.getValue().getZExtValue())
                                    : double(number.getValue().getSExtValue());
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// WeightContraction
//===----------------------------------------------------------------------===//

namespace {
class Analysis {
public:
  Analysis(GenericOp op, bool asIntegers) : asIntegers(asIntegers) {
    contraction.op = op;
  }
  std::optional<WeightContraction> run();

private:
  bool findLoops();
  bool splitBody();
  bool findLayout();
  bool findBlock();
  bool findValues();
  bool findIntegers();
  bool dependsOn(Value value, OpOperand *operand) {
    return llvm::is_contained(getSources(contraction.op, value), operand);
  }
  AffineMap getMap(OpOperand *operand) {
    return contraction.op.getMatchingIndexingMap(operand);
  }

  WeightContraction contraction;
  bool asIntegers;
  /// The weight, and its value before scaling, without the zero point if that
  /// is separate.
  Value weight, integer;
};
} // namespace

bool Analysis::findLoops() {
  GenericOp op = contraction.op;
  if (op->getNumResults() > 1 || op.getNumDpsInits() != 1 ||
      op.getNumReductionLoops() != 1)
    return false;
  contraction.ranges = op.getStaticLoopRanges();
  if (llvm::any_of(contraction.ranges, ShapedType::isDynamic) ||
      llvm::is_contained(contraction.ranges, 0))
    return false;
  SmallVector<unsigned> reductions;
  op.getReductionDims(reductions);
  contraction.depth = reductions.front();
  return true;
}

/// Matches `yield accumulator + x * weight`. The weight is the operand that
/// depends on the quantized values, which are the largest operand with elements
/// of at most 8 bits.
bool Analysis::splitBody() {
  GenericOp op = contraction.op;
  int64_t most = 0;
  for (OpOperand *input : op.getDpsInputOperands()) {
    auto type = dyn_cast<ShapedType>(input->get().getType());
    if (!type || !type.hasRank())
      return false;
    // Scales may have dynamic sizes: the loops have static ranges.
    if (!type.hasStaticShape())
      continue;
    int64_t bits = isa<FloatType, IntegerType>(type.getElementType())
                       ? type.getElementTypeBitWidth()
                       : 64;
    if (bits <= 8 && type.getNumElements() > most) {
      most = type.getNumElements();
      contraction.codes = input;
    }
  }
  if (!contraction.codes)
    return false;
  std::optional<MultiplyAccumulate> body = MultiplyAccumulate::get(op);
  if (!body || !body->getType().isF32())
    return false;
  contraction.x = body->lhs;
  weight = body->rhs;
  if (dependsOn(contraction.x, contraction.codes))
    std::swap(contraction.x, weight);
  if (!dependsOn(weight, contraction.codes) ||
      dependsOn(contraction.x, contraction.codes) ||
      usesIndex(op, contraction.x))
    return false;
  for (OpOperand *source : getSources(op, contraction.x))
    if (dependsOn(weight, source))
      return false;

  integer = weight;
  if (auto dequantize = weight.getDefiningOp<DequantizeOp>()) {
    contraction.scale = dequantize.getScale();
    contraction.point = dequantize.getZeroPoint();
    integer = dequantize.getInput();
  } else if (auto scaled = weight.getDefiningOp<arith::MulFOp>()) {
    bool isLeft = dependsOn(scaled.getLhs(), contraction.codes);
    integer = isLeft ? scaled.getLhs() : scaled.getRhs();
    contraction.scale = isLeft ? scaled.getRhs() : scaled.getLhs();
  }
  contraction.decoded = integer;
  return !contraction.scale || !dependsOn(contraction.scale, contraction.codes);
}

/// Determines how the quantized values are laid out in memory.
bool Analysis::findLayout() {
  GenericOp op = contraction.op;
  auto type = cast<ShapedType>(contraction.codes->get().getType());
  AffineMap map = getMap(contraction.codes);
  Type element = type.getElementType();
  contraction.bits = element.getIntOrFloatBitWidth();
  if (contraction.bits != 8 && contraction.bits != 4 && contraction.bits != 2)
    return false;
  // Each dimension has the index of one loop. The last one may have an index of
  // bytes that hold several values.
  std::optional<unsigned> channel;
  bool hasDepth = false;
  unsigned last = map.getNumResults() - 1, innermost = 0;
  if (map.getNumResults() != 2)
    return false;
  for (auto [position, index] : llvm::enumerate(map.getResults())) {
    std::optional<unsigned> loop = getLoop(index);
    if (!loop && position == last && contraction.bits == 8)
      if (std::optional<BlockIndex> byte = getBlockIndex(index)) {
        loop = getLoop(byte->position);
        if (byte->size != 2 && byte->size != 4)
          return false;
        contraction.bits = 8 / byte->size;
      }
    if (!loop)
      return false;
    innermost = *loop;
    if (*loop == contraction.depth)
      hasDepth = true;
    else
      channel = loop;
  }
  if (!channel || !hasDepth)
    return false;
  contraction.channel = *channel;
  contraction.isAlongDepth = innermost == contraction.depth;
  // Several values per i8 are only supported along K.
  if (!contraction.isAlongDepth && !getLoop(map.getResult(last)))
    return false;
  if (contraction.isPacked() &&
      contraction.ranges[innermost] * contraction.bits % 8 != 0)
    return false;
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
    if (loop != contraction.channel && loop != contraction.depth) {
      contraction.others.push_back(loop);
      contraction.vectors *= contraction.ranges[loop];
    }
  for (OpOperand *source : getSources(op, contraction.x))
    if (getMap(source).isFunctionOfDim(contraction.channel))
      return false;
  AffineMap result = getMap(op.getDpsInitOperand(0));
  return result.isProjectedPermutation() &&
         result.getNumResults() + 1 == op.getNumLoops();
}

/// Determines the blocks along K that share a scale and a zero point. They have
/// a multiple of 16 elements, or all of K.
bool Analysis::findBlock() {
  GenericOp op = contraction.op;
  contraction.block = contraction.getDepth();
  for (OpOperand *input : op.getDpsInputOperands()) {
    if (input == contraction.codes || !dependsOn(weight, input))
      continue;
    AffineMap map = getMap(input);
    for (AffineExpr index : map.getResults()) {
      for (unsigned loop : contraction.others)
        if (index.isFunctionOfDim(loop))
          return false;
      if (!index.isFunctionOfDim(contraction.depth)) {
        // Scales must be contiguous along the channels as well.
        if (!contraction.isAlongDepth &&
            index.isFunctionOfDim(contraction.channel) &&
            (getLoop(index) != contraction.channel ||
             index != map.getResults().back()))
          return false;
        continue;
      }
      std::optional<BlockIndex> block = getBlockIndex(index);
      if (!block || getLoop(block->position) != contraction.depth)
        return false;
      // Zero points may be packed, so that their blocks differ: use the
      // smallest block.
      contraction.block = std::min(contraction.block, block->size);
    }
  }
  for (OpOperand *input : op.getDpsInputOperands())
    for (AffineExpr index : getMap(input).getResults())
      if (std::optional<BlockIndex> block = getBlockIndex(index);
          block && input != contraction.codes &&
          block->size % contraction.block != 0)
        return false;
  return contraction.block == contraction.getDepth() ||
         contraction.block % 16 == 0;
}

/// Determines the values of encodings: those of packed ones, which are
/// required, and those of bytes if `asIntegers`.
bool Analysis::findValues() {
  GenericOp op = contraction.op;
  bool isIndexed = contraction.scale && usesIndex(op, contraction.scale);
  if (contraction.point)
    isIndexed |= usesIndex(op, contraction.point);
  if (contraction.isPacked())
    return (!isIndexed || contraction.isAlongDepth) && findIntegers();
  if (usesIndex(op, weight))
    return false;
  Analysis integers = *this;
  if (asIntegers && integers.findIntegers() &&
      integers.contraction.takesIntegers())
    *this = integers;
  return true;
}

/// Computes the values of all encodings by folding the body.
bool Analysis::findIntegers() {
  GenericOp op = contraction.op;
  // A zero point that is subtracted from each quantized value is separate from
  // the values of encodings.
  if (!contraction.point) {
    auto cast = integer.getDefiningOp<CastOp>();
    auto difference =
        cast ? cast.getInput().getDefiningOp<arith::SubIOp>() : arith::SubIOp();
    if (difference && dependsOn(difference.getLhs(), contraction.codes) &&
        !dependsOn(difference.getRhs(), contraction.codes)) {
      integer = difference.getLhs();
      contraction.point = difference.getRhs();
    }
  }
  contraction.decoded = integer;
  Attribute constant;
  std::optional<double> always;
  if (contraction.point &&
      matchPattern(contraction.point, m_Constant(&constant))) {
    always = getNumber(constant, contraction.point.getType());
    if (!always)
      return false;
    contraction.point = {};
  }

  unsigned codes = 1u << contraction.bits;
  int64_t perByte = 8 / contraction.bits;
  Type element = getElementTypeOrSelf(contraction.codes->get());
  bool isInBytes = element.isInteger(8);
  Value code = op.getMatchingBlockArgument(contraction.codes);
  SmallVector<double> values;
  for (unsigned number = 0; number < codes; ++number) {
    std::optional<double> value;
    // The value must be the same at each position in a byte, whatever the other
    // bits are.
    for (int64_t position = 0; position < (isInBytes ? perByte : 1); ++position)
      for (unsigned others : {0u, 255u}) {
        unsigned low = position * contraction.bits;
        unsigned byte = (others & ~((codes - 1) << low)) | number << low;
        unsigned bits = isInBytes ? byte : number;
        Attribute attribute = IntegerAttr::get(
            element, APInt(element.getIntOrFloatBitWidth(), bits));
        Attribute result =
            Evaluation(op, code, attribute, contraction.depth, position)
                .evaluate(integer);
        std::optional<double> next = getNumber(result, integer.getType());
        if (!next || !std::isfinite(*next) || (value && *value != *next))
          return false;
        value = next;
      }
    values.push_back(*value - always.value_or(0));
  }

  CodeValues &table = contraction.values;
  double least = values[0];
  for (double value : values)
    least = std::min(least, value);
  for (unsigned flip : {0u, codes / 2}) {
    bool isCode = true;
    for (unsigned number = 0; number < codes; ++number)
      isCode &= values[number] - least == (number ^ flip);
    if (!isCode)
      continue;
    table.isCode = true;
    table.flip = flip;
    table.offset = -least;
    return least == std::floor(least);
  }
  if (contraction.bits != 4 || contraction.point)
    return false;
  while (llvm::any_of(values, [&](double value) {
    return value / table.unit != std::round(value / table.unit);
  }))
    if ((table.unit /= 2) < 0x1p-8)
      return false;
  table.offset = -least / table.unit;
  for (double value : values) {
    double number = value / table.unit + double(table.offset);
    if (number > 255)
      return false;
    table.integers.push_back(number);
  }
  return true;
}

std::optional<WeightContraction> Analysis::run() {
  if (!findLoops() || !splitBody() || !findLayout() || !findBlock() ||
      !findValues())
    return std::nullopt;
  if (contraction.isAlongDepth &&
      !contraction.getOrder().hasFullBlocks(contraction.block,
                                            contraction.getDepth()))
    return std::nullopt;
  return contraction;
}

std::optional<WeightContraction> WeightContraction::get(GenericOp op,
                                                        bool asIntegers) {
  return Analysis(op, asIntegers).run();
}

static constexpr int64_t kLanes = 16, kLaneBits = 32;

ReductionSchedule ReductionSchedule::ofRows(unsigned bits, int64_t block,
                                            int64_t depth) {
  constexpr int64_t kMaxTerms = 8;
  if (bits < 8)
    return {kLanes, kLaneBits / bits, /*consecutive=*/true};
  int64_t terms = block == depth
                      ? kMaxTerms
                      : std::clamp<int64_t>(block / kLanes, 1, kMaxTerms);
  return {kLanes, terms, /*consecutive=*/false};
}

bool WeightContraction::takesIntegers() const {
  return isAlongDepth && (values.isCode || !values.integers.empty()) &&
         (!point || isa<IntegerType>(point.getType())) &&
         ReductionSchedule{kLanes, kLaneBits / bits, true}.hasFullBlocks(
             block, getDepth());
}

ReductionSchedule WeightContraction::getOrder(unsigned xBits) const {
  if (xBits && takesIntegers())
    return {kLanes, kLaneBits / bits, /*consecutive=*/true, xBits};
  if (isAlongDepth)
    return ReductionSchedule::ofRows(bits, block, getDepth());
  return {1, block == getDepth() ? std::min<int64_t>(block, 32) : block,
          /*consecutive=*/true};
}
