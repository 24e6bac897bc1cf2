//===- GpuMatmul.cpp - Matmuls for GPU kernels ----------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GpuMatmul.h"
#include "../Common/LinalgUtils.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::quant_float;
using linalg::GenericOp;

//===----------------------------------------------------------------------===//
// Matching
//===----------------------------------------------------------------------===//

/// Whether the loops are known to have fewer than `limit` iterations.
static bool areBelow(const Contraction &contraction, ArrayRef<unsigned> loops,
                     int64_t limit) {
  ArrayRef<int64_t> ranges = contraction.ranges;
  int64_t known = 1;
  for (unsigned loop : loops) {
    if (ShapedType::isDynamic(ranges[loop]))
      return false;
    // Saturate to avoid overflow.
    known = std::min(known * std::min(ranges[loop], limit), limit);
  }
  return known < limit;
}

/// A skinny-matmul kernel is faster than one thread per element only for a long
/// K and enough rows or columns of the other operand for a warp. Convolution
/// windows are excluded, because adjacent threads share their elements in
/// cache.
bool GpuMatmul::isProfitableToTile() const {
  constexpr int64_t kMinDepth = 64, kMinRows = 32;
  return !isSkinny || (contraction.k.size() == 1 &&
                       !areBelow(contraction, contraction.k, kMinDepth) &&
                       !(areBelow(contraction, lhs.rows, kMinRows) &&
                         areBelow(contraction, rhs.rows, kMinRows)));
}

std::optional<GpuMatmul> GpuMatmul::get(linalg::LinalgOp op) {
  auto generic = dyn_cast<GenericOp>(op.getOperation());
  std::optional<Contraction> contraction =
      generic ? Contraction::get(op) : std::nullopt;
  if (!contraction || contraction->m.empty() || contraction->n.empty() ||
      !contraction->hasOnlyKReductions())
    return std::nullopt;
  auto getOperand = [&](const ContractionOperand &operand,
                        ArrayRef<unsigned> rows) {
    return GpuOperand{operand, SmallVector<unsigned>(rows),
                      contraction->isKContiguous(operand)};
  };
  constexpr int64_t kMinRows = 8;
  GpuMatmul matmul{generic, *contraction,
                   getOperand(contraction->lhs, contraction->m),
                   getOperand(contraction->rhs, contraction->n),
                   areBelow(*contraction, contraction->m, kMinRows) ||
                       areBelow(*contraction, contraction->n, kMinRows)};
  return matmul;
}

//===----------------------------------------------------------------------===//
// Code shared by the matmul kernels
//===----------------------------------------------------------------------===//

Value GpuMatmulBuilder::divide(Value lhs, int64_t rhs) {
  return rewriter.createOrFold<arith::DivUIOp>(loc, lhs, index(rhs));
}

Value GpuMatmulBuilder::modulo(Value lhs, int64_t rhs) {
  return rewriter.createOrFold<arith::RemUIOp>(loc, lhs, index(rhs));
}

void GpuMatmulBuilder::setExtents() {
  extents = createLoopExtents(rewriter, loc, matmul.op);
  depth = getExtent(matmul.contraction.k);
  numRows = getExtent(matmul.lhs.rows);
  numColumns = getExtent(matmul.rhs.rows);
}

void GpuMatmulBuilder::beginTiles(int64_t rows, int64_t columns,
                                  int64_t threads, int64_t dynamicBytes) {
  tileRows = rows;
  tileColumns = columns;
  if (extents.empty())
    setExtents();
  // The linear index of a block advances along the result's columns first.
  llvm::SmallBitVector isShared(extents.size(), true);
  for (ArrayRef<unsigned> loops :
       {ArrayRef(matmul.lhs.rows), ArrayRef(matmul.rhs.rows),
        ArrayRef(matmul.contraction.k)})
    for (unsigned loop : loops)
      isShared.reset(loop);
  SmallVector<Value> counts;
  for (unsigned loop : isShared.set_bits())
    counts.push_back(extents[loop]);
  for (auto [extent, size] :
       {std::pair(numRows, rows), std::pair(numColumns, columns)})
    counts.push_back(
        rewriter.createOrFold<arith::CeilDivUIOp>(loc, extent, index(size)));
  Value blocks = index(1);
  for (Value count : counts)
    blocks = launches.multiply(blocks, count);
  Value block = launches.beginBlocks(blocks, threads, dynamicBytes);
  // The grid of an empty result has one block, which does nothing.
  if (Value isInBounds = isBelow(block, blocks)) {
    auto inside = scf::IfOp::create(rewriter, loc, isInBounds);
    rewriter.setInsertionPointToStart(inside.thenBlock());
  }
  SmallVector<Value> numbers = launches.delinearize(block, counts);
  firstColumn = times(numbers.pop_back_val(), columns);
  firstRow = times(numbers.pop_back_val(), rows);
  indices.assign(extents.size(), Value());
  for (auto [loop, number] : llvm::zip_equal(isShared.set_bits(), numbers))
    indices[loop] = number;
  thread = launches.launch.getThreadIds().x;
}

Value GpuMatmulBuilder::getExtent(ArrayRef<unsigned> loops) {
  Value all = extents[loops.front()];
  for (unsigned loop : loops.drop_front())
    all = launches.multiply(all, extents[loop]);
  return all;
}

void GpuMatmulBuilder::setIndices(SmallVectorImpl<Value> &all,
                                  ArrayRef<unsigned> loops, Value number) {
  SmallVector<Value> sizes;
  for (unsigned loop : loops)
    sizes.push_back(extents[loop]);
  for (auto [loop, value] :
       llvm::zip_equal(loops, launches.delinearize(number, sizes)))
    all[loop] = value;
}

void GpuMatmulBuilder::setPoint(const GpuOperand &operand, Value row, Value k) {
  point = indices;
  setIndices(point, operand.rows, row);
  setIndices(point, matmul.contraction.k, k);
}

SmallVector<Value> GpuMatmulBuilder::getIndices(OpOperand &operand) {
  AffineMap map = matmul.op.getMatchingIndexingMap(&operand);
  SmallVector<OpFoldResult> numbers(point.begin(), point.end());
  SmallVector<Value> subscripts;
  for (unsigned i = 0; i < map.getNumResults(); ++i)
    subscripts.push_back(affine::makeComposedAffineApply(
        rewriter, loc, map.getSubMap({i}), numbers));
  return subscripts;
}

Value GpuMatmulBuilder::emitStart(ValueRange resultIndices) {
  if (matmul.start)
    return matmul.start;
  return memref::LoadOp::create(rewriter, loc, getResult(), resultIndices);
}

SmallVector<Value> GpuMatmulBuilder::getInputIndices(const GpuOperand &operand,
                                                     BlockArgument argument,
                                                     Value row, Value k) {
  setPoint(operand, row, k);
  return getIndices(matmul.op->getOpOperand(argument.getArgNumber()));
}

Value GpuMatmulBuilder::emitValue(Value value, IRMapping &mapping) {
  if (Value known = mapping.lookupOrNull(value))
    return known;
  GenericOp op = matmul.op;
  Value result = value;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (argument.getOwner() != op.getBody())
      return value;
    OpOperand &operand = op->getOpOperand(argument.getArgNumber());
    result = operand.get();
    if (isa<MemRefType>(result.getType())) {
      result =
          memref::LoadOp::create(rewriter, loc, result, getIndices(operand));
    }
  } else {
    Operation *definition = value.getDefiningOp();
    if (definition->getBlock() != op.getBody())
      return value;
    if (auto number = dyn_cast<linalg::IndexOp>(definition)) {
      result = point[number.getDim()];
    } else {
      for (Value operand : definition->getOperands())
        (void)emitValue(operand, mapping);
      rewriter.clone(*definition, mapping);
      return mapping.lookup(value);
    }
  }
  mapping.map(value, result);
  return result;
}

Value GpuMatmulBuilder::emitOperand(const GpuOperand &operand, Value value,
                                    Value row, Value k) {
  setPoint(operand, row, k);
  IRMapping mapping;
  return emitValue(value, mapping);
}

Value GpuMatmulBuilder::isElement(const GpuOperand &operand, Value row, Value k,
                                  bool isKInBounds) {
  Value result = hasRow(operand, row);
  return isKInBounds ? result : both(result, isBelow(k, depth));
}

Value GpuMatmulBuilder::orZero(Value condition, Type type,
                               llvm::function_ref<Value()> body) {
  return emitIfElse(rewriter, loc, type, condition, body,
                    [&] { return zero(type); });
}

void GpuMatmulBuilder::forEachElement(int64_t count, int64_t threads,
                                      llvm::function_ref<void(Value)> body) {
  bool isDivisible = count % threads == 0;
  auto loop = scf::ForOp::create(rewriter, loc, isDivisible ? index(0) : thread,
                                 index(count), index(threads));
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(loop.getBody()->getTerminator());
  Value number = loop.getInductionVar();
  body(isDivisible ? plus(number, thread) : number);
}

SmallVector<Value>
GpuMatmulBuilder::loadFrom(Value from, ArrayRef<Type> types,
                           llvm::function_ref<SmallVector<Value>()> body) {
  return emitIfElse(rewriter, loc, types, isBelow(from, depth), body, [&] {
    return llvm::map_to_vector(types, [&](Type type) { return zero(type); });
  });
}

Value GpuMatmulBuilder::isBelow(Value value, Value extent) {
  return arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::ult, value,
                               extent);
}

Value GpuMatmulBuilder::both(Value lhs, Value rhs) {
  if (!lhs || !rhs)
    return lhs ? lhs : rhs;
  return arith::AndIOp::create(rewriter, loc, lhs, rhs);
}

Value GpuMatmulBuilder::hasRow(const GpuOperand &operand, Value row) {
  bool isLhs = operand.rows == matmul.lhs.rows;
  Value extent = isLhs ? numRows : numColumns;
  std::optional<int64_t> size = getConstantIntValue(extent);
  if (size && *size % (isLhs ? tileRows : tileColumns) == 0)
    return nullptr;
  return isBelow(row, extent);
}

ResultLine GpuMatmulBuilder::getLine(const GpuOperand &operand, Value number) {
  SmallVector<Value> all = indices;
  setIndices(all, operand.rows, number);
  ResultLine line = {number, hasRow(operand, number), operand.rows, {}};
  for (unsigned loop : operand.rows)
    line.indices.push_back(all[loop]);
  return line;
}

SmallVector<Value>
GpuMatmulBuilder::getResultIndices(const ResultLine &row,
                                   const ResultLine &column) {
  SmallVector<Value> all = indices;
  for (const ResultLine *line : {&row, &column})
    for (auto [loop, value] : llvm::zip_equal(line->loops, line->indices))
      all[loop] = value;
  return llvm::map_to_vector(
      matmul.op.getIndexingMapsArray().back().getResults(),
      [&](AffineExpr result) {
        return all[cast<AffineDimExpr>(result).getPosition()];
      });
}

void GpuMatmulBuilder::ifResult(const ResultLine &row, const ResultLine &column,
                                llvm::function_ref<void()> body) {
  emitIf(rewriter, loc, isResult(row, column), body);
}
