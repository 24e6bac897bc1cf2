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

/// Whether the neighbours of what `value` loads the most of are summands, and
/// not rows.
static bool isAlongSum(const GpuProduct &product, const GpuFactor &factor) {
  GenericOp op = product.op;
  SmallVector<Value> todo = {factor.value};
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
    AffineExpr last = map.getResults().back();
    result = product.isAlongSum(last) &&
             llvm::none_of(factor.rows, [&](unsigned loop) {
               return last.isFunctionOfDim(loop);
             });
  }
  return result;
}

/// The loops of one factor alone, as the result has them.
static SmallVector<unsigned> getRows(GenericOp op,
                                     const llvm::SmallBitVector &loops) {
  SmallVector<unsigned> rows;
  for (AffineExpr result : op.getIndexingMapsArray().back().getResults()) {
    unsigned loop = cast<AffineDimExpr>(result).getPosition();
    if (loops.test(loop))
      rows.push_back(loop);
  }
  return rows;
}

/// Whether some loops have less than so many elements.
static bool areFew(GenericOp op, ArrayRef<unsigned> loops, int64_t limit) {
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  int64_t known = 1;
  for (unsigned loop : loops) {
    if (ShapedType::isDynamic(ranges[loop]))
      return false;
    // No more than counts.
    known = std::min(known * std::min(ranges[loop], limit), limit);
  }
  return known < limit;
}

/// Whether tiles of few lines are better than a thread for each element: what
/// is summed is long, the other factor has lines for a warp, and neither is a
/// window, whose elements neighbours find in their caches.
static bool isWorthLines(const GpuProduct &product) {
  constexpr int64_t kFewestSums = 64, kFewestLines = 32;
  bool isLeftFew = areFew(product.op, product.left.rows, kFewestLines);
  bool isRightFew = areFew(product.op, product.right.rows, kFewestLines);
  return product.sums.size() == 1 &&
         !areFew(product.op, product.sums, kFewestSums) &&
         !(isLeftFew && isRightFew);
}

std::optional<GpuProduct> GpuProduct::get(linalg::LinalgOp op) {
  auto generic = dyn_cast<GenericOp>(op.getOperation());
  if (!generic || generic.getNumDpsInits() != 1 ||
      generic.getNumReductionLoops() == 0)
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
  generic.getReductionDims(product.sums);
  for (unsigned i = 0; i < 2; ++i) {
    llvm::SmallBitVector own = loops[i];
    own.reset(loops[1 - i]);
    factors[i]->rows = getRows(generic, own);
    if (factors[i]->rows.empty() ||
        !llvm::all_of(product.sums,
                      [&](unsigned sum) { return loops[i].test(sum); }))
      return std::nullopt;
    factors[i]->alongSum = ::isAlongSum(product, *factors[i]);
    constexpr int64_t kFew = 8;
    product.hasFewLines |= areFew(generic, factors[i]->rows, kFew);
  }
  if (product.hasFewLines && !isWorthLines(product))
    return std::nullopt;
  auto last = cast<AffineDimExpr>(result.getResults().back());
  if (llvm::is_contained(product.left.rows, last.getPosition()))
    std::swap(product.left, product.right);
  return product;
}

bool GpuProduct::isAlongSum(AffineExpr index) const {
  return llvm::any_of(
      sums, [&](unsigned loop) { return index.isFunctionOfDim(loop); });
}

bool GpuProduct::dependsOnSum(Value value) const {
  GenericOp generic = op;
  llvm::SmallBitVector loops(generic.getNumLoops());
  return !addLoops(generic, value, loops) ||
         llvm::any_of(sums, [&](unsigned loop) { return loops.test(loop); });
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
  auto op = cast<linalg::LinalgOp>(product.op.getOperation());
  for (Range range : op.createLoopRanges(rewriter, loc))
    extents.push_back(
        getValueOrCreateConstantIndexOp(rewriter, loc, range.size));
  // One after the other, the result's columns fastest.
  llvm::SmallBitVector isShared(extents.size(), true);
  for (ArrayRef<unsigned> loops :
       {ArrayRef(product.left.rows), ArrayRef(product.right.rows),
        ArrayRef(product.sums)})
    for (unsigned loop : loops)
      isShared.reset(loop);
  SmallVector<Value> counts;
  for (unsigned loop : isShared.set_bits())
    counts.push_back(extents[loop]);
  depth = getExtent(product.sums);
  numRows = getExtent(product.left.rows);
  numColumns = getExtent(product.right.rows);
  for (auto [extent, size] :
       {std::pair(numRows, rows), std::pair(numColumns, columns)})
    counts.push_back(
        rewriter.createOrFold<arith::CeilDivUIOp>(loc, extent, index(size)));
  Value blocks = index(1);
  for (Value count : counts)
    blocks = launches.multiply(blocks, count);
  Value block = launches.beginBlocks(blocks, threads);
  // The one block of an empty result has nothing to do.
  if (Value isThere = isBelow(block, blocks)) {
    auto inside = scf::IfOp::create(rewriter, loc, isThere);
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

Value GpuProductBuilder::getExtent(ArrayRef<unsigned> loops) {
  Value all = extents[loops.front()];
  for (unsigned loop : loops.drop_front())
    all = launches.multiply(all, extents[loop]);
  return all;
}

void GpuProductBuilder::setIndices(SmallVectorImpl<Value> &all,
                                   ArrayRef<unsigned> loops, Value number) {
  SmallVector<Value> sizes;
  for (unsigned loop : loops)
    sizes.push_back(extents[loop]);
  for (auto [loop, value] :
       llvm::zip_equal(loops, launches.delinearize(number, sizes)))
    all[loop] = value;
}

void GpuProductBuilder::setPoint(const GpuFactor &factor, Value row,
                                 Value sum) {
  point = indices;
  setIndices(point, factor.rows, row);
  setIndices(point, product.sums, sum);
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

Value GpuProductBuilder::emitStart(ValueRange place) {
  if (product.start)
    return product.start;
  return memref::LoadOp::create(rewriter, loc, getResult(), place);
}

SmallVector<Value> GpuProductBuilder::getInputPlace(const GpuFactor &factor,
                                                    BlockArgument argument,
                                                    Value row, Value sum) {
  setPoint(factor, row, sum);
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
  setPoint(factor, row, sum);
  IRMapping mapping;
  return emitValue(value, mapping);
}

Value GpuProductBuilder::isElement(const GpuFactor &factor, Value row,
                                   Value sum, bool isWhole) {
  Value result = hasRow(factor, row);
  return isWhole ? result : both(result, isBelow(sum, depth));
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
  bool isWhole = count % threads == 0;
  auto loop = scf::ForOp::create(rewriter, loc, isWhole ? index(0) : thread,
                                 index(count), index(threads));
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(loop.getBody()->getTerminator());
  Value number = loop.getInductionVar();
  body(isWhole ? plus(number, thread) : number);
}

SmallVector<Value>
GpuProductBuilder::loadFrom(Value from, ArrayRef<Type> types,
                            llvm::function_ref<SmallVector<Value>()> body) {
  auto branch = scf::IfOp::create(rewriter, loc, types, isBelow(from, depth),
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(rewriter, loc, body());
  rewriter.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(rewriter, loc,
                       llvm::map_to_vector(types, [&](Type type) -> Value {
                         return arith::ConstantOp::create(
                             rewriter, loc, type, rewriter.getZeroAttr(type));
                       }));
  return branch.getResults();
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
  bool isLeft = factor.rows == product.left.rows;
  Value extent = isLeft ? numRows : numColumns;
  std::optional<int64_t> size = getConstantIntValue(extent);
  if (size && *size % (isLeft ? tileRows : tileColumns) == 0)
    return nullptr;
  return isBelow(row, extent);
}

ResultLine GpuProductBuilder::getLine(const GpuFactor &factor, Value number) {
  SmallVector<Value> all = indices;
  setIndices(all, factor.rows, number);
  ResultLine line = {number, hasRow(factor, number), factor.rows, {}};
  for (unsigned loop : factor.rows)
    line.indices.push_back(all[loop]);
  return line;
}

SmallVector<Value> GpuProductBuilder::getPlace(const ResultLine &row,
                                               const ResultLine &column) {
  SmallVector<Value> all = indices;
  for (const ResultLine *line : {&row, &column})
    for (auto [loop, value] : llvm::zip_equal(line->loops, line->indices))
      all[loop] = value;
  return llvm::map_to_vector(
      product.op.getIndexingMapsArray().back().getResults(),
      [&](AffineExpr result) {
        return all[cast<AffineDimExpr>(result).getPosition()];
      });
}

void GpuProductBuilder::ifResult(const ResultLine &row,
                                 const ResultLine &column,
                                 llvm::function_ref<void()> body) {
  OpBuilder::InsertionGuard guard(rewriter);
  if (Value condition = isResult(row, column)) {
    auto branch = scf::IfOp::create(rewriter, loc, condition);
    rewriter.setInsertionPointToStart(branch.thenBlock());
  }
  body();
}
