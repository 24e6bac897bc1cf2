//===- GpuProduct.cpp - Products of matrices for kernels ------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GpuProduct.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace mlir::quant_float;
using linalg::GenericOp;

//===----------------------------------------------------------------------===//
// What is a product
//===----------------------------------------------------------------------===//

/// Adds the loops that a value of the body depends on. False if it reads the
/// result or is no plain computation.
static bool addLoops(GenericOp op, Value value, llvm::SmallBitVector &loops) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (argument.getOwner() != op.getBody())
      return true;
    OpOperand &operand = op->getOpOperand(argument.getArgNumber());
    if (op.isDpsInit(&operand))
      return false;
    AffineMap map = op.getMatchingIndexingMap(&operand);
    for (unsigned loop = 0; loop < loops.size(); ++loop)
      if (map.isFunctionOfDim(loop))
        loops.set(loop);
    return true;
  }
  Operation *definition = value.getDefiningOp();
  if (definition->getBlock() != op.getBody())
    return true;
  if (auto number = dyn_cast<linalg::IndexOp>(definition)) {
    loops.set(number.getDim());
    return true;
  }
  return definition->getNumRegions() == 0 &&
         llvm::all_of(definition->getOperands(), [&](Value operand) {
           return addLoops(op, operand, loops);
         });
}

/// Whether what `value` loads the most of has the loop innermost.
static bool isInnermost(GenericOp op, Value value, unsigned loop) {
  SmallVector<Value> todo = {value};
  unsigned rank = 0;
  bool result = false;
  while (!todo.empty()) {
    Value next = todo.pop_back_val();
    if (Operation *definition = next.getDefiningOp()) {
      if (definition->getBlock() == op.getBody())
        llvm::append_range(todo, definition->getOperands());
      continue;
    }
    auto argument = cast<BlockArgument>(next);
    if (argument.getOwner() != op.getBody())
      continue;
    AffineMap map =
        op.getMatchingIndexingMap(&op->getOpOperand(argument.getArgNumber()));
    if (map.getNumResults() <= rank)
      continue;
    rank = map.getNumResults();
    result = map.getResults().back().isFunctionOfDim(loop);
  }
  return result;
}

/// The largest of the loops in one factor alone, open sizes being large, and of
/// equal ones the last of the result.
static std::optional<unsigned> getRow(GenericOp op,
                                      const llvm::SmallBitVector &loops) {
  constexpr int64_t kFewest = 8;
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  std::optional<unsigned> best;
  int64_t largest = 0;
  for (AffineExpr result : op.getIndexingMapsArray().back().getResults()) {
    unsigned loop = cast<AffineDimExpr>(result).getPosition();
    int64_t range = ranges[loop];
    if (ShapedType::isDynamic(range))
      range = std::numeric_limits<int64_t>::max();
    if (!loops.test(loop) || range < std::max(largest, kFewest))
      continue;
    largest = range;
    best = loop;
  }
  return best;
}

std::optional<GpuProduct> GpuProduct::get(linalg::LinalgOp op) {
  auto generic = dyn_cast<GenericOp>(op.getOperation());
  if (!generic || generic.getNumDpsInits() != 1 ||
      generic.getNumReductionLoops() != 1)
    return std::nullopt;
  AffineMap result = generic.getIndexingMapsArray().back();
  if (!result.isProjectedPermutation() ||
      result.getNumResults() != generic.getNumParallelLoops())
    return std::nullopt;

  GpuProduct product;
  product.op = generic;
  Value out = generic.getBody()->getArguments().back();
  Value yielded = generic.getBody()->getTerminator()->getOperand(0);
  product.add = yielded.getDefiningOp();
  if (!isa_and_nonnull<arith::AddFOp, arith::AddIOp>(product.add) ||
      product.add->getBlock() != generic.getBody())
    return std::nullopt;
  bool isFirst = product.add->getOperand(0) == out;
  if (!isFirst && product.add->getOperand(1) != out)
    return std::nullopt;
  product.multiply = product.add->getOperand(isFirst).getDefiningOp();
  if (!isa_and_nonnull<arith::MulFOp, arith::MulIOp>(product.multiply) ||
      product.multiply->getBlock() != generic.getBody())
    return std::nullopt;

  unsigned numLoops = generic.getNumLoops();
  llvm::SmallBitVector loops[2] = {llvm::SmallBitVector(numLoops),
                                   llvm::SmallBitVector(numLoops)};
  GpuFactor *factors[2] = {&product.left, &product.right};
  for (unsigned i = 0; i < 2; ++i) {
    factors[i]->value = product.multiply->getOperand(i);
    if (!addLoops(generic, factors[i]->value, loops[i]))
      return std::nullopt;
  }
  SmallVector<unsigned> sums;
  generic.getReductionDims(sums);
  product.sum = sums.front();
  for (unsigned i = 0; i < 2; ++i) {
    llvm::SmallBitVector own = loops[i];
    own.reset(loops[1 - i]);
    std::optional<unsigned> row = getRow(generic, own);
    if (!row || !loops[i].test(product.sum))
      return std::nullopt;
    factors[i]->row = *row;
    factors[i]->alongSum = isInnermost(generic, factors[i]->value, product.sum);
  }
  auto last = cast<AffineDimExpr>(result.getResults().back());
  if (last.getPosition() == product.left.row)
    std::swap(product.left, product.right);
  return product;
}

bool GpuProduct::dependsOnSum(Value value) const {
  GenericOp generic = op;
  llvm::SmallBitVector loops(generic.getNumLoops());
  return !addLoops(generic, value, loops) || loops.test(sum);
}

//===----------------------------------------------------------------------===//
// What their kernels have in common
//===----------------------------------------------------------------------===//

Value GpuProductBuilder::divide(Value left, int64_t right) {
  return rewriter.createOrFold<arith::DivUIOp>(loc, left, index(right));
}

Value GpuProductBuilder::modulo(Value left, int64_t right) {
  return rewriter.createOrFold<arith::RemUIOp>(loc, left, index(right));
}

void GpuProductBuilder::beginTiles(int64_t rows, int64_t columns,
                                   int64_t threads) {
  tileRows = rows;
  tileColumns = columns;
  // One after the other, the result's columns fastest.
  SmallVector<unsigned> order;
  SmallVector<Value> counts;
  Value blocks = index(1);
  auto op = cast<linalg::LinalgOp>(product.op.getOperation());
  for (Range range : op.createLoopRanges(rewriter, loc))
    extents.push_back(
        getValueOrCreateConstantIndexOp(rewriter, loc, range.size));
  for (unsigned loop = 0; loop < extents.size(); ++loop)
    if (loop != product.sum && loop != product.left.row &&
        loop != product.right.row)
      order.push_back(loop);
  order.append({product.left.row, product.right.row});
  for (unsigned loop : order) {
    Value count = extents[loop];
    int64_t size = loop == product.left.row    ? rows
                   : loop == product.right.row ? columns
                                               : 1;
    if (size != 1)
      count =
          rewriter.createOrFold<arith::CeilDivUIOp>(loc, count, index(size));
    counts.push_back(count);
    blocks = launches.multiply(blocks, count);
  }
  Value block = launches.beginBlocks(blocks, threads);
  // The one block of an empty result has nothing to do.
  if (Value isThere = isBelow(block, blocks)) {
    auto inside = scf::IfOp::create(rewriter, loc, isThere);
    rewriter.setInsertionPointToStart(inside.thenBlock());
  }
  SmallVector<Value> numbers = launches.delinearize(block, counts);
  indices.assign(extents.size(), Value());
  for (auto [loop, number] : llvm::zip_equal(order, numbers))
    indices[loop] = number;
  firstRow = times(indices[product.left.row], rows);
  firstColumn = times(indices[product.right.row], columns);
  thread = launches.launch.getThreadIds().x;
}

Value GpuProductBuilder::makeShared(int64_t bytes) {
  auto space = gpu::AddressSpaceAttr::get(rewriter.getContext(),
                                          gpu::AddressSpace::Workgroup);
  auto type = MemRefType::get({bytes}, rewriter.getI8Type(),
                              MemRefLayoutAttrInterface(), Attribute(space));
  return launches.launch.addWorkgroupAttribution(type, loc);
}

Value GpuProductBuilder::view(Value shared, ArrayRef<int64_t> shape,
                              Type element) {
  Attribute space = cast<MemRefType>(shared.getType()).getMemorySpace();
  auto type =
      MemRefType::get(shape, element, MemRefLayoutAttrInterface(), space);
  return memref::ViewOp::create(rewriter, loc, type, shared, index(0),
                                ValueRange());
}

SmallVector<Value> GpuProductBuilder::getPlaceOf(OpOperand &operand) {
  AffineMap map = product.op.getMatchingIndexingMap(&operand);
  SmallVector<OpFoldResult> numbers(point.begin(), point.end());
  SmallVector<Value> place;
  for (unsigned i = 0; i < map.getNumResults(); ++i)
    place.push_back(affine::makeComposedAffineApply(
        rewriter, loc, map.getSubMap({i}), numbers));
  return place;
}

SmallVector<Value> GpuProductBuilder::getInputPlace(const GpuFactor &factor,
                                                    BlockArgument argument,
                                                    Value row, Value sum) {
  point = indices;
  point[factor.row] = row;
  point[product.sum] = sum;
  return getPlaceOf(product.op->getOpOperand(argument.getArgNumber()));
}

Value GpuProductBuilder::emitValue(Value value, IRMapping &mapping) {
  if (Value known = mapping.lookupOrNull(value))
    return known;
  GenericOp op = product.op;
  Value result = value;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (argument.getOwner() != op.getBody())
      return value;
    OpOperand &operand = op->getOpOperand(argument.getArgNumber());
    result = operand.get();
    if (isa<MemRefType>(result.getType())) {
      result =
          memref::LoadOp::create(rewriter, loc, result, getPlaceOf(operand));
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

Value GpuProductBuilder::emitFactor(const GpuFactor &factor, Value value,
                                    Value row, Value sum) {
  point = indices;
  point[factor.row] = row;
  point[product.sum] = sum;
  IRMapping mapping;
  return emitValue(value, mapping);
}

Value GpuProductBuilder::isElement(const GpuFactor &factor, Value row,
                                   Value sum, bool isWhole) {
  Value result = hasRow(factor, row);
  return isWhole ? result : both(result, isBelow(sum, extents[product.sum]));
}

Value GpuProductBuilder::orZero(Value condition, Type type,
                                llvm::function_ref<Value()> body) {
  if (!condition)
    return body();
  auto branch = scf::IfOp::create(rewriter, loc, type, condition,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(rewriter, loc, body());
  rewriter.setInsertionPointToStart(branch.elseBlock());
  Value zero = arith::ConstantOp::create(rewriter, loc, type,
                                         rewriter.getZeroAttr(type));
  scf::YieldOp::create(rewriter, loc, zero);
  return branch.getResult(0);
}

void GpuProductBuilder::forEachElement(int64_t count, int64_t threads,
                                       llvm::function_ref<void(Value)> body) {
  auto loop =
      scf::ForOp::create(rewriter, loc, index(0), index(count), index(threads));
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(loop.getBody()->getTerminator());
  body(plus(loop.getInductionVar(), thread));
}

Value GpuProductBuilder::isBelow(Value value, Value extent) {
  return arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::ult, value,
                               extent);
}

Value GpuProductBuilder::both(Value left, Value right) {
  if (!left || !right)
    return left ? left : right;
  return arith::AndIOp::create(rewriter, loc, left, right);
}

Value GpuProductBuilder::hasRow(const GpuFactor &factor, Value row) {
  Value extent = extents[factor.row];
  std::optional<int64_t> size = getConstantIntValue(extent);
  bool isLeft = factor.row == product.left.row;
  if (size && *size % (isLeft ? tileRows : tileColumns) == 0)
    return nullptr;
  return isBelow(row, extent);
}

SmallVector<Value> GpuProductBuilder::getPlace(Value row, Value column) {
  SmallVector<Value> place;
  for (AffineExpr result :
       product.op.getIndexingMapsArray().back().getResults()) {
    unsigned loop = cast<AffineDimExpr>(result).getPosition();
    place.push_back(loop == product.left.row    ? row
                    : loop == product.right.row ? column
                                                : indices[loop]);
  }
  return place;
}

void GpuProductBuilder::ifResult(Value row, Value column,
                                 llvm::function_ref<void()> body) {
  OpBuilder::InsertionGuard guard(rewriter);
  if (Value condition = isResult(row, column)) {
    auto branch = scf::IfOp::create(rewriter, loc, condition);
    rewriter.setInsertionPointToStart(branch.thenBlock());
  }
  body();
}
