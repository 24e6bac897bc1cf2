//===- VectorizeReductions.cpp - Loops that keep sums in registers --------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream's vectorizer refuses maps such as (d2 * 2 + d5) of convolutions and
// makes an op of reductions out of every sum, whose order would depend on the
// target. Here each element is summed in the order of the op's own loops,
// whatever the target, and vectors run across elements of the output.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "quant-float/Transforms/Passes.h"

namespace mlir::quant_float {
#define GEN_PASS_DEF_QUANTFLOATVECTORIZEREDUCTIONSPASS
#include "quant-float/Transforms/Passes.h.inc"
} // namespace mlir::quant_float

using namespace mlir;
using namespace mlir::quant_float;
using linalg::GenericOp;

/// Rows that share the vectors they load.
static constexpr int64_t kRows = 4;
/// Inner reductions of so few steps in all are written out.
static constexpr int64_t kUnrolled = 9;

namespace {
/// How an operand moves along a loop.
enum class Access { Invariant, Contiguous, Strided };
} // namespace

static Access getAccess(GenericOp op, OpOperand *operand, unsigned loop) {
  AffineMap map = op.getMatchingIndexingMap(operand);
  if (!map.isFunctionOfDim(loop))
    return Access::Invariant;
  auto type = cast<MemRefType>(operand->get().getType());
  for (AffineExpr expression : map.getResults().drop_back())
    if (expression.isFunctionOfDim(loop))
      return Access::Strided;
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(type.getStridesAndOffset(strides, offset)) || strides.back() != 1)
    return Access::Strided;
  AffineExpr last = map.getResults().back();
  AffineExpr dim = getAffineDimExpr(loop, op.getContext());
  AffineExpr step = simplifyAffineExpr(last.replace(dim, dim + 1) - last,
                                       map.getNumDims(), map.getNumSymbols());
  return step == getAffineConstantExpr(1, op.getContext()) ? Access::Contiguous
                                                           : Access::Strided;
}

namespace {

/// Writes the loops of one op.
class LoopNest {
public:
  LoopNest(GenericOp op, int64_t vectorBytes)
      : op(op), builder(op.getLoc(), op), vectorBytes(vectorBytes),
        numLoops(op.getNumLoops()), iterators(op.getIteratorTypesArray()),
        ranges(op.getStaticLoopRanges()), position(numLoops) {}

  void emit();

private:
  void chooseVectorLoop();
  void chooseRowLoop();
  /// Lanes for the first of so many elements: full registers, or a part of one.
  /// What lies between is taken apart, element by element.
  int64_t getLanes(int64_t elements) const {
    return elements < registerLanes ? elements
                                    : llvm::bit_floor<uint64_t>(elements);
  }
  Value getConstant(int64_t value) {
    return arith::ConstantIndexOp::create(builder, value);
  }
  /// The loops of `loops[depth]` and on, then one tile.
  void emitParallel(ArrayRef<unsigned> loops);
  void emitVectors();
  void emitRows(int64_t lanes);
  void emitTile(int64_t rows, int64_t lanes);
  /// Calls `body` for tiles of `tile`, and of 1 or, if static, of what is left,
  /// for vectors in sizes of `getLanes`.
  void emitTiles(unsigned loop, int64_t tile,
                 llvm::function_ref<void(int64_t)> body);
  SmallVector<Value> emitReductions(ArrayRef<unsigned> loops, int64_t rows,
                                    int64_t lanes, ValueRange sums);
  SmallVector<Value> emitStep(int64_t rows, int64_t lanes, ValueRange sums);
  SmallVector<Value> emitBody(ValueRange arguments, int64_t row, int64_t lanes);
  SmallVector<Value> getIndices(OpOperand *operand, int64_t row);
  Value load(OpOperand *operand, int64_t row, int64_t lanes);
  Value broadcast(Value value, int64_t lanes);

  GenericOp op;
  ImplicitLocOpBuilder builder;
  int64_t vectorBytes;
  unsigned numLoops;
  SmallVector<utils::IteratorType> iterators;
  SmallVector<int64_t> ranges;
  SmallVector<Value> sizes;
  /// Where each loop is.
  SmallVector<OpFoldResult> position;
  std::optional<unsigned> vectorLoop, rowLoop;
  int64_t vectorLanes = 0, registerLanes = 0;
};

} // namespace

/// The loop along which outputs are contiguous, if every op of the body has a
/// vector form.
void LoopNest::chooseVectorLoop() {
  for (Operation &nested : op.getBody()->without_terminator())
    if (!OpTrait::hasElementwiseMappableTraits(&nested) &&
        !isa<arith::ConstantOp, linalg::IndexOp>(nested))
      return;
  std::optional<unsigned> candidate;
  int64_t widest = 1;
  for (OpOperand &init : op.getDpsInitsMutable()) {
    AffineMap map = op.getMatchingIndexingMap(&init);
    if (map.getNumResults() == 0)
      return;
    auto dim = dyn_cast<AffineDimExpr>(map.getResults().back());
    if (!dim || (candidate && *candidate != dim.getPosition()) ||
        getAccess(op, &init, dim.getPosition()) != Access::Contiguous)
      return;
    candidate = dim.getPosition();
    Type element = cast<MemRefType>(init.get().getType()).getElementType();
    if (!element.isIntOrFloat())
      return;
    widest = std::max<int64_t>(widest, element.getIntOrFloatBitWidth() / 8);
  }
  // Two registers, so that each scalar of the other operand serves twice.
  registerLanes = vectorBytes / widest;
  int64_t lanes = 2 * registerLanes;
  if (!ShapedType::isDynamic(ranges[*candidate]))
    lanes = std::min(lanes, getLanes(ranges[*candidate]));
  if (lanes < 2)
    return;
  vectorLoop = candidate;
  vectorLanes = lanes;
}

/// A loop along which the vectors that are loaded stay the same.
void LoopNest::chooseRowLoop() {
  if (!vectorLoop)
    return;
  for (unsigned loop = 0; loop < numLoops; ++loop) {
    if (iterators[loop] != utils::IteratorType::parallel ||
        loop == *vectorLoop || ranges[loop] == 1)
      continue;
    for (OpOperand *input : op.getDpsInputOperands())
      if (getAccess(op, input, *vectorLoop) != Access::Invariant &&
          getAccess(op, input, loop) == Access::Invariant)
        rowLoop = loop;
  }
}

void LoopNest::emit() {
  for (Range range : cast<linalg::LinalgOp>(op.getOperation())
                         .createLoopRanges(builder, op.getLoc()))
    sizes.push_back(
        getValueOrCreateConstantIndexOp(builder, op.getLoc(), range.size));
  chooseVectorLoop();
  chooseRowLoop();
  SmallVector<unsigned> outer;
  for (unsigned loop = 0; loop < numLoops; ++loop)
    if (iterators[loop] == utils::IteratorType::parallel &&
        loop != vectorLoop && loop != rowLoop)
      outer.push_back(loop);
  emitParallel(outer);
}

void LoopNest::emitParallel(ArrayRef<unsigned> loops) {
  if (loops.empty())
    return emitVectors();
  emitTiles(loops.front(), 1,
            [&](int64_t) { emitParallel(loops.drop_front()); });
}

void LoopNest::emitTiles(unsigned loop, int64_t tile,
                         llvm::function_ref<void(int64_t)> body) {
  auto emitLoop = [&](Value from, Value to, int64_t step) {
    auto forOp = scf::ForOp::create(builder, from, to, getConstant(step));
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(forOp.getBody());
    position[loop] = forOp.getInductionVar();
    body(step);
  };
  int64_t extent = ranges[loop];
  if (!ShapedType::isDynamic(extent)) {
    int64_t full = extent / tile * tile;
    if (full == tile) {
      position[loop] = builder.getIndexAttr(0);
      body(tile);
    } else if (full) {
      emitLoop(getConstant(0), getConstant(full), tile);
    }
    for (int64_t rest; full != extent; full += rest) {
      rest = extent - full;
      if (loop == vectorLoop)
        rest = getLanes(rest);
      position[loop] = builder.getIndexAttr(full);
      body(rest);
    }
    return;
  }
  if (tile == 1)
    return emitLoop(getConstant(0), sizes[loop], 1);
  Value rest = arith::RemSIOp::create(builder, sizes[loop], getConstant(tile));
  Value full = arith::SubIOp::create(builder, sizes[loop], rest);
  emitLoop(getConstant(0), full, tile);
  emitLoop(full, sizes[loop], 1);
}

/// All rows of a column of vectors before the next: what the rows share, which
/// may lie far apart, stays in the cache.
void LoopNest::emitVectors() {
  if (!vectorLoop)
    return emitRows(0);
  emitTiles(*vectorLoop, vectorLanes,
            [&](int64_t lanes) { emitRows(lanes == 1 ? 0 : lanes); });
}

void LoopNest::emitRows(int64_t lanes) {
  if (!rowLoop)
    return emitTile(1, lanes);
  emitTiles(*rowLoop, kRows, [&](int64_t rows) { emitTile(rows, lanes); });
}

/// Sums of `rows` times `lanes` elements (no lanes: scalars), in registers
/// while the reductions run.
void LoopNest::emitTile(int64_t rows, int64_t lanes) {
  SmallVector<Value> sums;
  for (int64_t row = 0; row < rows; ++row)
    for (OpOperand &init : op.getDpsInitsMutable())
      sums.push_back(load(&init, row, lanes));
  SmallVector<unsigned> loops;
  for (unsigned loop = 0; loop < numLoops; ++loop)
    if (iterators[loop] != utils::IteratorType::parallel)
      loops.push_back(loop);
  sums = emitReductions(loops, rows, lanes, sums);
  auto *next = sums.begin();
  for (int64_t row = 0; row < rows; ++row)
    for (OpOperand &init : op.getDpsInitsMutable()) {
      SmallVector<Value> indices = getIndices(&init, row);
      if (lanes)
        vector::StoreOp::create(builder, *next++, init.get(), indices);
      else
        memref::StoreOp::create(builder, *next++, init.get(), indices);
    }
}

SmallVector<Value> LoopNest::emitReductions(ArrayRef<unsigned> loops,
                                            int64_t rows, int64_t lanes,
                                            ValueRange sums) {
  if (loops.empty())
    return emitStep(rows, lanes, sums);
  unsigned loop = loops.front();
  int64_t steps = 1;
  for (unsigned inner : loops)
    steps = ShapedType::isDynamic(ranges[inner]) ? kUnrolled + 1
                                                 : steps * ranges[inner];
  if (steps <= kUnrolled) {
    SmallVector<Value> results(sums);
    for (int64_t i = 0; i < ranges[loop]; ++i) {
      position[loop] = builder.getIndexAttr(i);
      results = emitReductions(loops.drop_front(), rows, lanes, results);
    }
    return results;
  }
  auto forOp = scf::ForOp::create(builder, getConstant(0), sizes[loop],
                                  getConstant(1), sums);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(forOp.getBody());
  position[loop] = forOp.getInductionVar();
  SmallVector<Value> results = emitReductions(loops.drop_front(), rows, lanes,
                                              forOp.getRegionIterArgs());
  scf::YieldOp::create(builder, results);
  return SmallVector<Value>(forOp.getResults());
}

SmallVector<Value> LoopNest::emitStep(int64_t rows, int64_t lanes,
                                      ValueRange sums) {
  SmallVector<Value> results;
  unsigned numOutputs = op.getNumDpsInits();
  SmallVector<Value> shared(op.getNumDpsInputs());
  for (int64_t row = 0; row < rows; ++row) {
    SmallVector<Value> arguments;
    for (auto [index, input] : llvm::enumerate(op.getDpsInputOperands())) {
      bool isShared =
          !rowLoop || getAccess(op, input, *rowLoop) == Access::Invariant;
      if (!isShared || !shared[index])
        shared[index] = load(input, row, lanes);
      arguments.push_back(shared[index]);
    }
    llvm::append_range(arguments, sums.slice(row * numOutputs, numOutputs));
    llvm::append_range(results, emitBody(arguments, row, lanes));
  }
  return results;
}

Value LoopNest::broadcast(Value value, int64_t lanes) {
  if (!lanes || isa<VectorType>(value.getType()))
    return value;
  return vector::BroadcastOp::create(
      builder, VectorType::get({lanes}, value.getType()), value);
}

/// The op's body on vectors; what does not vary along them stays scalar.
SmallVector<Value> LoopNest::emitBody(ValueRange arguments, int64_t row,
                                      int64_t lanes) {
  IRMapping mapping;
  Block *body = op.getBody();
  mapping.map(body->getArguments(), arguments);
  for (Operation &nested : body->without_terminator()) {
    if (auto index = dyn_cast<linalg::IndexOp>(nested)) {
      unsigned loop = index.getDim();
      OpFoldResult place = position[loop];
      if (loop == rowLoop)
        place = affine::makeComposedFoldedAffineApply(
            builder, op.getLoc(), builder.getAffineDimExpr(0) + row, {place});
      Value value =
          getValueOrCreateConstantIndexOp(builder, op.getLoc(), place);
      if (lanes && loop == vectorLoop) {
        auto type = VectorType::get({lanes}, builder.getIndexType());
        value = arith::AddIOp::create(builder, broadcast(value, lanes),
                                      vector::StepOp::create(builder, type));
      }
      mapping.map(index.getResult(), value);
      continue;
    }
    bool isVector = llvm::any_of(nested.getOperands(), [&](Value operand) {
      return isa<VectorType>(mapping.lookupOrDefault(operand).getType());
    });
    if (isVector)
      for (Value operand : nested.getOperands())
        mapping.map(operand,
                    broadcast(mapping.lookupOrDefault(operand), lanes));
    Operation *copy = builder.clone(nested, mapping);
    if (isVector)
      for (Value result : copy->getResults())
        result.setType(VectorType::get({lanes}, result.getType()));
  }
  SmallVector<Value> results;
  for (Value value : body->getTerminator()->getOperands())
    results.push_back(broadcast(mapping.lookupOrDefault(value), lanes));
  return results;
}

SmallVector<Value> LoopNest::getIndices(OpOperand *operand, int64_t row) {
  SmallVector<OpFoldResult> places(position);
  if (rowLoop && row)
    places[*rowLoop] = affine::makeComposedFoldedAffineApply(
        builder, op.getLoc(), builder.getAffineDimExpr(0) + row,
        {places[*rowLoop]});
  AffineMap map = op.getMatchingIndexingMap(operand);
  SmallVector<Value> indices;
  for (AffineExpr expression : map.getResults()) {
    AffineMap single =
        AffineMap::get(map.getNumDims(), map.getNumSymbols(), expression);
    indices.push_back(getValueOrCreateConstantIndexOp(
        builder, op.getLoc(),
        affine::makeComposedFoldedAffineApply(builder, op.getLoc(), single,
                                              places)));
  }
  return indices;
}

Value LoopNest::load(OpOperand *operand, int64_t row, int64_t lanes) {
  if (!isa<MemRefType>(operand->get().getType()))
    return operand->get();
  Access access =
      lanes ? getAccess(op, operand, *vectorLoop) : Access::Invariant;
  if (access == Access::Invariant)
    return memref::LoadOp::create(builder, operand->get(),
                                  getIndices(operand, row));
  Type element = cast<MemRefType>(operand->get().getType()).getElementType();
  auto type = VectorType::get({lanes}, element);
  if (access == Access::Contiguous)
    return vector::LoadOp::create(builder, type, operand->get(),
                                  getIndices(operand, row));
  SmallVector<Value> elements;
  OpFoldResult first = position[*vectorLoop];
  for (int64_t lane = 0; lane < lanes; ++lane) {
    position[*vectorLoop] = affine::makeComposedFoldedAffineApply(
        builder, op.getLoc(), builder.getAffineDimExpr(0) + lane, {first});
    elements.push_back(memref::LoadOp::create(builder, operand->get(),
                                              getIndices(operand, row)));
  }
  position[*vectorLoop] = first;
  return vector::FromElementsOp::create(builder, type, elements);
}

/// With one kind of output: those of a scan and its sum end in other loops.
static bool isReduction(GenericOp op) {
  AffineMap output = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  return op.hasPureBufferSemantics() && op.getNumReductionLoops() > 0 &&
         llvm::all_of(op.getDpsInitsMutable(),
                      [&](OpOperand &init) {
                        return op.getMatchingIndexingMap(&init) == output;
                      }) &&
         llvm::all_of(op->getOperands(), [](Value operand) {
           return isa<MemRefType>(operand.getType()) ||
                  operand.getType().isIntOrIndexOrFloat();
         });
}

namespace {
struct VectorizeReductions final
    : quant_float::impl::QuantFloatVectorizeReductionsPassBase<
          VectorizeReductions> {
  using QuantFloatVectorizeReductionsPassBase::
      QuantFloatVectorizeReductionsPassBase;

  void runOnOperation() override {
    if (vectorBytes < 1) {
      getOperation()->emitError()
          << "vector-bytes: expected 1 or more, but got "
          << vectorBytes.getValue();
      return signalPassFailure();
    }
    SmallVector<GenericOp> ops;
    getOperation()->walk([&](GenericOp op) {
      if (isReduction(op))
        ops.push_back(op);
    });
    for (GenericOp op : ops) {
      LoopNest(op, vectorBytes).emit();
      op.erase();
    }
  }
};
} // namespace
