//===- ByteContractions.cpp - Contractions of 8-bit integers --------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ByteContractions.h"

#include "../../Transforms/RewriteUtils.h"
#include "../Common/Contraction.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/Matchers.h"
#include "quant-float/IR/QuantFloatOps.h"
#include "quant-float/Support/Indices.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::dots;
using linalg::GenericOp;

/// The minimum number of rows that share vectors. With fewer, packing takes
/// longer than it saves.
static constexpr int64_t kMinRows = 4;
/// The minimum number of results of a window that use each packed element.
static constexpr int64_t kMinUses = 3;
/// The minimum number of columns. Fewer leave most of a register empty.
static constexpr int64_t kMinColumns = 4;

namespace {
/// An operand's byte that the body extends to i32.
struct Number {
  OpOperand *operand;
  bool isSigned;
};
} // namespace

static std::optional<Number> matchNumber(GenericOp op, Value value) {
  Operation *cast = value.getDefiningOp();
  if (!cast || !value.getType().isInteger(32) ||
      !isa<CastOp, arith::ExtSIOp, arith::ExtUIOp>(cast))
    return std::nullopt;
  Value byte = cast->getOperand(0);
  bool isSigned = !isa<arith::ExtUIOp>(cast);
  if (auto storage = byte.getDefiningOp<StorageCastOp>()) {
    if (!byte.getType().isUnsignedInteger(8))
      return std::nullopt;
    byte = storage.getInput();
    isSigned = false;
  }
  auto argument = dyn_cast<BlockArgument>(byte);
  if (!argument || argument.getOwner() != op.getBody() ||
      !byte.getType().isSignlessInteger(8) ||
      argument.getArgNumber() >= op.getNumDpsInputs())
    return std::nullopt;
  OpOperand *operand = op.getDpsInputOperand(argument.getArgNumber());
  if (!isa<RankedTensorType>(operand->get().getType()))
    return std::nullopt;
  return Number{operand, isSigned};
}

static std::optional<ByteOperand>
matchOperand(GenericOp op, const Contraction &contraction,
             const ContractionOperand &operand) {
  std::optional<OperandDecoding> decoding = contraction.getDecoding(operand);
  if (!decoding || decoding->scale)
    return std::nullopt;
  ByteOperand byteOperand;
  if (decoding->zeroPoint) {
    APInt constant;
    if (matchPattern(decoding->zeroPoint, m_ConstantInt(&constant))) {
      byteOperand.point.constant = constant.getSExtValue();
    } else if (auto point = matchNumber(op, decoding->zeroPoint)) {
      byteOperand.point.operand = point->operand;
      byteOperand.point.isSigned = point->isSigned;
    } else {
      return std::nullopt;
    }
  }
  std::optional<Number> number = matchNumber(op, decoding->decoded);
  // The difference of two bytes has 9 bits.
  if (!number || std::abs(byteOperand.point.constant) > 255)
    return std::nullopt;
  byteOperand.operand = number->operand;
  byteOperand.isSigned = number->isSigned;
  byteOperand.map = op.getMatchingIndexingMap(number->operand);
  return byteOperand;
}

/// Matches out + (a - p) * (b - q).
bool ByteContraction::matchBody(const Contraction &contraction) {
  // Operands are in the order of the body.
  vectors = contraction.rhs.value == contraction.body.rhs;
  std::optional<ByteOperand> lhs =
                                 matchOperand(op, contraction, contraction.lhs),
                             rhs =
                                 matchOperand(op, contraction, contraction.rhs);
  if (!lhs || !rhs || !contraction.body.getType().isInteger(32))
    return false;
  getScalars() = *lhs;
  getVectors() = *rhs;
  return byteOperands[0].operand != byteOperands[1].operand;
}

/// Returns the result of the map that is `loop` itself. Returns nullopt if
/// there is none, or if another result depends on the loop.
static std::optional<unsigned> findDim(AffineMap map, unsigned loop) {
  std::optional<unsigned> found;
  for (auto [dim, expression] : llvm::enumerate(map.getResults())) {
    if (!expression.isFunctionOfDim(loop))
      continue;
    if (found || getLoop(expression) != loop)
      return std::nullopt;
    found = dim;
  }
  return found;
}

std::optional<int64_t> ByteOperand::getOffset(unsigned dim, unsigned loop,
                                              int64_t index) const {
  AffineExpr expression = map.getResult(dim);
  MLIRContext *context = map.getContext();
  auto at = [&](int64_t position) {
    return expression.replace(getAffineDimExpr(loop, context),
                              getAffineConstantExpr(position, context));
  };
  auto offset = dyn_cast<AffineConstantExpr>(
      simplifyAffineExpr(at(index) - at(0), map.getNumDims(), 0));
  return offset ? std::make_optional(offset.getValue()) : std::nullopt;
}

bool ByteContraction::matchLoops(const Contraction &contraction) {
  AffineMap output = op.getIndexingMapsArray().back();
  ArrayRef<int64_t> ranges = contraction.ranges;
  if (contraction.isEmpty() || contraction.n.empty() ||
      getLoop(output.getResults().back()) != contraction.n.back())
    return false;
  // Both operands must vary along every reduction loop.
  for (auto [loop, range, iterator] :
       llvm::enumerate(ranges, op.getIteratorTypesArray()))
    if (iterator == utils::IteratorType::reduction && range != 1 &&
        (ShapedType::isDynamic(range) ||
         !llvm::is_contained(contraction.k, loop)))
      return false;
  column = contraction.n.back();

  // The vector operand must have a step of one along the columns, in a single
  // dimension, which becomes the innermost one.
  AffineMap map = getVectors().map;
  std::optional<unsigned> columnDim;
  for (auto [dim, expression] : llvm::enumerate(map.getResults())) {
    if (!expression.isFunctionOfDim(column))
      continue;
    AffineExpr loop = getAffineDimExpr(column, op.getContext());
    AffineExpr step = simplifyAffineExpr(
        expression.replace(loop, loop + 1) - expression, map.getNumDims(), 0);
    if (columnDim || step != getAffineConstantExpr(1, op.getContext()))
      return false;
    columnDim = dim;
  }
  // Dimensions with a constant index must have the size 1.
  if (!getScalars().map.isProjectedPermutation(/*allowZeroInResults=*/true))
    return false;
  for (ByteOperand &byteOperand : byteOperands)
    for (auto [size, expression] : llvm::zip(byteOperand.getType().getShape(),
                                             byteOperand.map.getResults()))
      if (isa<AffineConstantExpr>(expression) && size != 1)
        return false;

  std::optional<unsigned> longest;
  for (unsigned loop : contraction.k)
    if ((!longest || ranges[loop] > ranges[*longest]) &&
        findDim(byteOperands[0].map, loop) &&
        findDim(byteOperands[1].map, loop))
      longest = loop;
  bool isWindow = !longest || ranges[*longest] < 2;
  if (isWindow)
    for (unsigned loop : contraction.k) {
      uses *= ranges[loop];
      if (ranges[loop] > 1 && findDim(getScalars().map, loop))
        longest = loop;
    }
  if (!longest || ranges[*longest] < 2)
    return false;
  depth = *longest;
  if (isWindow) {
    uses /= ranges[depth];
    for (unsigned dim = 0; dim < map.getNumResults(); ++dim)
      for (int64_t index = 0; index < ranges[depth]; ++index) {
        std::optional<int64_t> offset =
            getVectors().getOffset(dim, depth, index);
        if (!offset || *offset < 0 ||
            (*offset &&
             ShapedType::isDynamic(getVectors().getType().getDimSize(dim))))
          return false;
      }
  }

  rows = 1;
  for (unsigned loop : contraction.m)
    if (ShapedType::isDynamic(ranges[loop]))
      rows = std::nullopt;
    else if (rows)
      rows = *rows * ranges[loop];
  for (ByteOperand &byteOperand : byteOperands) {
    if (!isWindow || &byteOperand != &getVectors())
      byteOperand.depth = findDim(byteOperand.map, depth);
    for (unsigned dim = 0; dim < byteOperand.map.getNumResults(); ++dim)
      if (&byteOperand != &getVectors() || dim != *columnDim)
        byteOperand.order.push_back(dim);
  }
  getVectors().order.push_back(*columnDim);
  return true;
}

/// Whether the zero point is a scalar or varies along one dimension of the
/// operand.
static bool matchPoint(GenericOp op, ByteOperand &byteOperand) {
  if (!byteOperand.point.operand)
    return true;
  for (AffineExpr expression :
       op.getMatchingIndexingMap(byteOperand.point.operand).getResults()) {
    if (isa<AffineConstantExpr>(expression))
      continue;
    std::optional<unsigned> loop = getLoop(expression);
    if (!loop || byteOperand.point.dim ||
        op.getIteratorTypesArray()[*loop] != utils::IteratorType::parallel)
      return false;
    byteOperand.point.dim = findDim(byteOperand.map, *loop);
    if (!byteOperand.point.dim)
      return false;
  }
  return true;
}

std::optional<ByteContraction> ByteContraction::get(GenericOp op) {
  std::optional<Contraction> found = Contraction::get(op);
  if (!found || !op.hasPureTensorSemantics() || op.hasIndexSemantics())
    return std::nullopt;
  ByteContraction contraction(op);
  if (!contraction.matchBody(*found) || !contraction.matchLoops(*found) ||
      !matchPoint(op, contraction.byteOperands[0]) ||
      !matchPoint(op, contraction.byteOperands[1]) ||
      !contraction.isProfitable())
    return std::nullopt;
  return contraction;
}

bool ByteContraction::isProfitable() {
  int64_t columns = op.getStaticLoopRanges()[column];
  if (!ShapedType::isDynamic(columns) && columns < kMinColumns)
    return false;
  if (!getVectors().depth)
    return uses >= kMinUses;
  return !rows || *rows >= kMinRows ||
         getConstantBytes(getVectors().operand->get());
}

std::optional<Grouping> ByteContraction::getGrouping(unsigned width) {
  int64_t extent = op.getStaticLoopRanges()[depth], count = 32 / width;
  if (getVectors().depth || extent <= count)
    return Grouping{extent, count, count,
                    int64_t(llvm::divideCeil(extent, count))};
  // Choose the step so that the last element ends where the window ends.
  int64_t step = count;
  while ((extent - count) % step)
    --step;
  Grouping grouping{extent, count, step, (extent - count) / step + 1};
  const ByteOperand &byteOperand = getVectors();
  for (unsigned dim = 0; dim < byteOperand.map.getNumResults(); ++dim)
    for (int64_t element = 0; element < grouping.elements; ++element)
      for (int64_t part = 0; part < count; ++part)
        if (*byteOperand.getOffset(dim, depth, element * step + part) !=
            *byteOperand.getOffset(dim, depth, element * step) +
                *byteOperand.getOffset(dim, depth, part))
          return std::nullopt;
  return grouping;
}
