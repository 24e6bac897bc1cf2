//===- WeightContraction.cpp - Low-bit weight contractions ----------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WeightContraction.h"

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
  Evaluation(GenericOp op, Value quantized, Attribute number, unsigned depth,
             int64_t position)
      : op(op), quantized(quantized), number(number), depth(depth),
        position(position) {}

  Attribute evaluate(Value value) {
    if (value == quantized)
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
  Value quantized;
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
  bool findOperands();
  void findMinimum(const Contraction &found, ContractionOperand weights);
  bool findLayout();
  bool hasSupportedScales();
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

/// Matches a contraction of x and of the operand with the larger matrix of
/// quantized values, whose loops are those of the channels and of K.
bool Analysis::findOperands() {
  GenericOp op = contraction.op;
  std::optional<Contraction> found = Contraction::get(op);
  if (!found || op->getNumResults() > 1 || !found->body.getType().isF32() ||
      found->k.size() != 1 || !found->hasOnlyKReductions() ||
      found->isEmpty() || !found->batch.empty() ||
      !llvm::all_of(op->getOperandTypes(), llvm::IsaPred<ShapedType>))
    return false;
  std::optional<OperandDecoding> lhs = found->getDecoding(found->lhs),
                                 rhs = found->getDecoding(found->rhs);
  auto getSize = [](const std::optional<OperandDecoding> &operand) {
    auto type = operand ? cast<ShapedType>(operand->quantized->get().getType())
                        : ShapedType();
    return type && type.hasStaticShape() ? type.getNumElements() : 0;
  };
  bool isLeft = getSize(lhs) > getSize(rhs);
  const std::optional<OperandDecoding> &decoding = isLeft ? lhs : rhs;
  ArrayRef<unsigned> channels = isLeft ? found->m : found->n;
  if (getSize(decoding) == 0 || !decoding->block || channels.size() != 1)
    return false;
  const ContractionOperand &weights = isLeft ? found->lhs : found->rhs,
                           &x = isLeft ? found->rhs : found->lhs;
  if (usesIndex(op, x.value) || llvm::any_of(x.sources, [&](OpOperand *source) {
        return llvm::is_contained(weights.sources, source);
      }))
    return false;
  contraction.ranges = found->ranges;
  contraction.depth = found->k.front();
  contraction.channel = channels.front();
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
    if (loop != contraction.channel && loop != contraction.depth) {
      contraction.others.push_back(loop);
      int64_t size = contraction.ranges[loop];
      contraction.vectors = ShapedType::isDynamic(size) ||
                                    ShapedType::isDynamic(contraction.vectors)
                                ? ShapedType::kDynamic
                                : contraction.vectors * size;
    }
  if (ShapedType::isDynamic(contraction.getChannels()) ||
      ShapedType::isDynamic(contraction.getDepth()))
    return false;
  contraction.quantized = decoding->quantized;
  contraction.bits = decoding->bits;
  contraction.block = *decoding->block;
  contraction.x = x.value;
  contraction.decoded = integer = decoding->decoded;
  contraction.scale = decoding->scale;
  contraction.point = decoding->zeroPoint;
  weight = weights.value;
  findMinimum(*found, weights);
  return true;
}

/// Separates a term that is added to the scaled value or subtracted from it.
void Analysis::findMinimum(const Contraction &found,
                           ContractionOperand weights) {
  Operation *op = weights.value.getDefiningOp();
  // Other weights are decoded as a whole.
  std::optional<unsigned> inner =
      getLoop(getMap(contraction.quantized).getResults().back());
  if (!isa_and_nonnull<arith::SubFOp, arith::AddFOp>(op) ||
      !dependsOn(op->getOperand(0), contraction.quantized) ||
      dependsOn(op->getOperand(1), contraction.quantized) ||
      inner == contraction.channel ||
      contraction.block == contraction.getDepth() ||
      usesIndex(contraction.op, op->getOperand(1)))
    return;
  contraction.minimum = op->getOperand(1);
  contraction.addsMinimum = isa<arith::AddFOp>(op);
  weights.value = op->getOperand(0);
  ScaledValue scaled = found.getScaledValue(weights);
  contraction.decoded = integer = scaled.decoded;
  contraction.scale = scaled.scale;
  contraction.point = scaled.zeroPoint;
}

/// Determines how the quantized values are laid out in memory: rows or columns
/// of the matrix are contiguous.
bool Analysis::findLayout() {
  AffineMap map = getMap(contraction.quantized);
  if (!llvm::is_contained({8u, 4u, 2u}, contraction.bits) ||
      map.getNumResults() != 2)
    return false;
  // Each dimension has the index of one loop. The last one may have an index of
  // bytes that hold several values, which is only supported along K.
  std::optional<unsigned> outer = getLoop(map.getResult(0)),
                          inner = getLoop(map.getResult(1));
  if (!inner && contraction.isPacked() &&
      getElementTypeOrSelf(contraction.quantized->get())
              .getIntOrFloatBitWidth() == 8)
    if (std::optional<BlockIndex> byte = getBlockIndex(map.getResult(1));
        byte && getLoop(byte->position) == contraction.depth)
      inner = contraction.depth;
  contraction.isAlongDepth = inner == contraction.depth;
  return outer && inner && outer != inner &&
         (!contraction.isPacked() ||
          contraction.ranges[*inner] * contraction.bits % 8 == 0);
}

/// Whether the blocks along K that share a scale and a zero point have a
/// multiple of 16 elements, or all of K, and scales are contiguous where the
/// weights are.
bool Analysis::hasSupportedScales() {
  GenericOp op = contraction.op;
  for (OpOperand *input : op.getDpsInputOperands())
    for (AffineExpr index : getMap(input).getResults()) {
      if (input == contraction.quantized)
        continue;
      std::optional<BlockIndex> block = getBlockIndex(index);
      if (block && block->size % contraction.block != 0)
        return false;
      if (!contraction.isAlongDepth && dependsOn(weight, input) &&
          index.isFunctionOfDim(contraction.channel) &&
          (getLoop(index) != contraction.channel ||
           index != getMap(input).getResults().back()))
        return false;
    }
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
    if (difference && dependsOn(difference.getLhs(), contraction.quantized) &&
        !dependsOn(difference.getRhs(), contraction.quantized)) {
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

  unsigned numEncodings = 1u << contraction.bits;
  int64_t perByte = 8 / contraction.bits;
  Type element = getElementTypeOrSelf(contraction.quantized->get());
  bool isInBytes = element.isInteger(8);
  Value quantized = op.getMatchingBlockArgument(contraction.quantized);
  SmallVector<double> values;
  for (unsigned number = 0; number < numEncodings; ++number) {
    std::optional<double> value;
    // The value must be the same at each position in a byte, regardless of the
    // other bits.
    for (int64_t position = 0; position < (isInBytes ? perByte : 1); ++position)
      for (unsigned others : {0u, 255u}) {
        unsigned low = position * contraction.bits;
        unsigned byte = (others & ~((numEncodings - 1) << low)) | number << low;
        unsigned bits = isInBytes ? byte : number;
        Attribute attribute = IntegerAttr::get(
            element, APInt(element.getIntOrFloatBitWidth(), bits));
        Attribute result =
            Evaluation(op, quantized, attribute, contraction.depth, position)
                .evaluate(integer);
        std::optional<double> next = getNumber(result, integer.getType());
        if (!next || !std::isfinite(*next) || (value && *value != *next))
          return false;
        value = next;
      }
    values.push_back(*value - always.value_or(0));
  }

  EncodingValues &table = contraction.values;
  double minValue = values[0];
  for (double value : values)
    minValue = std::min(minValue, value);
  for (unsigned flip : {0u, numEncodings / 2}) {
    bool isEncoding = true;
    for (unsigned number = 0; number < numEncodings; ++number)
      isEncoding &= values[number] - minValue == (number ^ flip);
    if (!isEncoding)
      continue;
    table.isEncoding = true;
    table.flip = flip;
    table.offset = -minValue;
    return minValue == std::floor(minValue);
  }
  if (contraction.bits != 4 || contraction.point || contraction.minimum)
    return false;
  while (llvm::any_of(values, [&](double value) {
    return value / table.unit != std::round(value / table.unit);
  }))
    if ((table.unit /= 2) < 0x1p-8)
      return false;
  table.offset = -minValue / table.unit;
  for (double value : values) {
    double number = value / table.unit + double(table.offset);
    if (number > 255)
      return false;
    table.integers.push_back(number);
  }
  return true;
}

std::optional<WeightContraction> Analysis::run() {
  if (!findOperands() || !findLayout() || !hasSupportedScales() ||
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

ReductionSchedule ReductionSchedule::forRows(unsigned bits, int64_t block,
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
  return isAlongDepth && (values.isEncoding || !values.integers.empty()) &&
         (!point || isa<IntegerType>(point.getType())) &&
         ReductionSchedule{kLanes, kLaneBits / bits, true}.hasFullBlocks(
             block, getDepth());
}

ReductionSchedule WeightContraction::getOrder(unsigned xBits) const {
  if (xBits && takesIntegers() && !isMatvec())
    return {1, getActivationBlock(), /*consecutive=*/true, xBits};
  if (xBits && takesIntegers())
    return {kLanes, kLaneBits / bits, /*consecutive=*/true, xBits};
  if (isAlongDepth)
    return ReductionSchedule::forRows(bits, block, getDepth());
  return {1, block == getDepth() ? std::min<int64_t>(block, 32) : block,
          /*consecutive=*/true};
}
