//===- VectorizeReductions.cpp - Lower reductions to vector loops ---------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream's vectorizer rejects indexing maps of convolutions such as (d2 * 2 +
// d5), and creates vector reductions, whose accumulation order would depend on
// the target. This pass accumulates each element in the order of the op's loops
// on every target, and vectorizes across output elements.
//
//===----------------------------------------------------------------------===//

#include "ReductionLoops.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "quant-float/Codegen/CPU/Passes.h"
#include "llvm/Support/DebugLog.h"

namespace mlir::quant_float {
#define GEN_PASS_DEF_QUANTFLOATVECTORIZEREDUCTIONSPASS
#include "quant-float/Codegen/CPU/Passes.h.inc"
} // namespace mlir::quant_float

#define DEBUG_TYPE "quant-float-vectorize-reductions"

using namespace mlir;
using namespace mlir::quant_float;
using linalg::GenericOp;

/// The maximum number of iterations of inner reduction loops that are unrolled.
static constexpr int64_t kUnrolled = 9;

Access quant_float::getAccess(GenericOp op, OpOperand *operand, unsigned loop) {
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

/// Chooses the loop along which the outputs are contiguous, if all ops of the
/// body can be vectorized.
void ReductionLoopNest::chooseVectorLoop() {
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
  registerLanes = vectorBytes / widest;
  vectorLoop = candidate;
  canMask = canLeaveOutLanes();
  chooseBlockLoop();
  vectorLanes = chooseLanes();
  if (vectorLanes < 2)
    vectorLoop = std::nullopt;
}

int64_t ReductionLoopNest::chooseLanes() const {
  int64_t lanes =
      blockLoop ? registerLanes
                : std::max<int64_t>(numAccumulators / 4, 1) * registerLanes;
  return hasOpen(*vectorLoop)
             ? lanes
             : std::min(lanes, getNextElements(ranges[*vectorLoop]));
}

/// Whether the target has masked loads and stores for all vectors, and no op of
/// the body traps on the zeros in masked lanes.
bool ReductionLoopNest::canLeaveOutLanes() {
  unsigned narrowest = vectorBytes >= 64 ? 8 : 32;
  for (OpOperand &operand : op->getOpOperands()) {
    auto type = dyn_cast<MemRefType>(operand.get().getType());
    Access access =
        type ? getAccess(op, &operand, *vectorLoop) : Access::Invariant;
    if (access == Access::Invariant)
      continue;
    if (access == Access::Strided
            ? ShapedType::isDynamic(ranges[*vectorLoop])
            : !type.getElementType().isIntOrFloat() ||
                  type.getElementTypeBitWidth() < narrowest)
      return false;
  }
  return vectorBytes >= 32 && registerLanes > 1 &&
         llvm::all_of(
             op.getBody()->without_terminator(),
             [](Operation &nested) { return isSpeculatable(&nested); });
}

/// Whether the operand is contiguous along the innermost reduction and strided
/// along the vector loop.
bool ReductionLoopNest::isTransposed(OpOperand *operand) const {
  return isa<MemRefType>(operand->get().getType()) &&
         getAccess(op, operand, *vectorLoop) == Access::Strided &&
         getAccess(op, operand, *blockLoop) == Access::Contiguous &&
         (!rowLoop || getAccess(op, operand, *rowLoop) == Access::Invariant);
}

void ReductionLoopNest::chooseBlockLoop() {
  if (iterators.back() != utils::IteratorType::reduction ||
      !llvm::isPowerOf2_64(registerLanes))
    return;
  blockLoop = numLoops - 1;
  if (ranges[*blockLoop] < registerLanes &&
      !ShapedType::isDynamic(ranges[*blockLoop]))
    blockLoop = std::nullopt;
  else if (llvm::none_of(op.getDpsInputOperands(),
                         [&](OpOperand *input) { return isTransposed(input); }))
    blockLoop = std::nullopt;
}

/// Chooses a loop along which the loaded vectors do not change.
void ReductionLoopNest::chooseRowLoop() {
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

SmallVector<Operation *> quant_float::getCombiners(GenericOp op) {
  SmallVector<Operation *> combiners;
  unsigned numInputs = op.getNumDpsInputs();
  for (auto [index, value] :
       llvm::enumerate(op.getBody()->getTerminator()->getOperands())) {
    Operation *combiner = value.getDefiningOp();
    BlockArgument before = op.getBody()->getArgument(numInputs + index);
    if (!isa_and_nonnull<arith::AddIOp, arith::AndIOp, arith::MaximumFOp,
                         arith::MaxSIOp, arith::MaxUIOp, arith::MinimumFOp,
                         arith::MinSIOp, arith::MinUIOp, arith::OrIOp>(
            combiner) ||
        !before.hasOneUse() || *before.user_begin() != combiner ||
        !value.hasOneUse())
      return {};
    combiners.push_back(combiner);
  }
  return combiners;
}

/// If no output loop can be vectorized, vectorizes the reduction loop, provided
/// that the result does not depend on the accumulation order.
void ReductionLoopNest::chooseFoldLoop() {
  if (vectorLoop || op.hasIndexSemantics() || getCombiners(op).empty() ||
      iterators.back() != utils::IteratorType::reduction)
    return;
  unsigned loop = numLoops - 1;
  int64_t widest = 1;
  for (OpOperand &operand : op->getOpOperands()) {
    Type element = getElementTypeOrSelf(operand.get());
    if (!element.isIntOrFloat() ||
        (isa<MemRefType>(operand.get().getType()) &&
         getAccess(op, &operand, loop) == Access::Strided))
      return;
    widest = std::max<int64_t>(widest, element.getIntOrFloatBitWidth() / 8);
  }
  for (Operation &nested : op.getBody()->without_terminator())
    if (!OpTrait::hasElementwiseMappableTraits(&nested) &&
        !isa<arith::ConstantOp>(nested))
      return;
  registerLanes = vectorBytes / widest;
  if (registerLanes < 2 || !llvm::isPowerOf2_64(registerLanes) ||
      (!ShapedType::isDynamic(ranges[loop]) && ranges[loop] < registerLanes))
    return;
  foldLoop = loop;
}

void ReductionLoopNest::emit() {
  for (Range range : cast<linalg::LinalgOp>(op.getOperation())
                         .createLoopRanges(builder, op.getLoc()))
    sizes.push_back(
        getValueOrCreateConstantIndexOp(builder, op.getLoc(), range.size));
  chooseVectorLoop();
  chooseFoldLoop();
  chooseRowLoop();
  choosePanel();
  LDBG() << "reduction at " << op.getLoc() << ": vectors along loop "
         << (vectorLoop ? vectorLoop : foldLoop) << ", rows along loop "
         << rowLoop << (shared ? ", with a panel" : "");
  start = AccumulatorInit::find(op, vectorLoop);
  SmallVector<unsigned> outer;
  for (unsigned loop = 0; loop < numLoops; ++loop)
    if (iterators[loop] == utils::IteratorType::parallel &&
        loop != vectorLoop && loop != rowLoop)
      outer.push_back(loop);
  if (shared && hasOpen(*rowLoop))
    emitManyOrFewRows([&] { emitParallel(outer); });
  else
    emitParallel(outer);
  if (start)
    start->erase();
}

void ReductionLoopNest::emitParallel(ArrayRef<unsigned> loops) {
  if (loops.empty())
    return emitParts();
  emitTiles(loops.front(), {1},
            [&](int64_t) { emitParallel(loops.drop_front()); });
}

void ReductionLoopNest::emitTiles(unsigned loop, ArrayRef<int64_t> tiles,
                                  llvm::function_ref<void(int64_t)> body) {
  auto emitLoop = [&](Value from, Value to, int64_t step, int64_t tile) {
    auto forOp = scf::ForOp::create(builder, from, to, getConstant(step));
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(forOp.getBody());
    position[loop] = forOp.getInductionVar();
    body(tile);
  };
  int64_t extent = ranges[loop];
  if (!ShapedType::isDynamic(extent)) {
    int64_t tile = tiles.front(), full = extent / tile * tile;
    // A remainder of few rows would have too few independent accumulators.
    // Split it and the last full tile into two tiles of similar size instead.
    bool isEven = loop == rowLoop && full != extent &&
                  extent - full < kMinRows && isPlainContraction();
    if (isEven && full)
      full -= tile;
    if (full == tile) {
      position[loop] = builder.getIndexAttr(0);
      body(tile);
    } else if (full) {
      emitLoop(getConstant(0), getConstant(full), tile, tile);
    }
    for (int64_t rest; full != extent; full += rest) {
      rest = extent - full;
      if (loop == vectorLoop) {
        rest = getNextElements(rest);
      } else if (rest > tile) {
        rest = llvm::divideCeil(rest, 2);
        if (full + 2 * rest == extent)
          return emitLoop(getConstant(full), getConstant(extent), rest, rest);
      }
      position[loop] = builder.getIndexAttr(full);
      body(rest);
    }
    return;
  }
  Value from = getConstant(0), to = sizes[loop];
  for (int64_t tile : tiles.drop_back()) {
    Value rest = arith::RemSIOp::create(
        builder, arith::SubIOp::create(builder, to, from), getConstant(tile));
    Value full = arith::SubIOp::create(builder, to, rest);
    emitLoop(from, full, tile, tile);
    from = full;
  }
  if (tiles.back() == 1)
    emitLoop(from, to, 1, 1);
  else
    emitLoop(from, to, tiles.back(), ShapedType::kDynamic);
}

/// Processes all rows of a column of vectors before the next column, so that
/// the vectors that rows share, which may be far apart, stay in the cache.
void ReductionLoopNest::emitVectors() {
  if (!vectorLoop)
    return emitRows(0);
  SmallVector<int64_t> tiles{vectorLanes};
  if (vectorLanes > registerLanes)
    tiles.push_back(registerLanes);
  if (!canMask)
    tiles.push_back(1);
  else if (tiles.size() == 1)
    tiles.push_back(vectorLanes);
  emitTiles(*vectorLoop, tiles, [&](int64_t elements) {
    Value there;
    if (ShapedType::isDynamic(elements)) {
      elements = tiles.back();
      there = arith::SubIOp::create(
          builder, sizes[*vectorLoop],
          getValueOrCreateConstantIndexOp(builder, op.getLoc(),
                                          position[*vectorLoop]));
    } else if (canMask && (elements > 1 || dots) &&
               elements % registerLanes != 0) {
      there = getConstant(elements);
    }
    present = elements;
    openPresent = hasOpen(*vectorLoop) ? there : Value();
    int64_t lanes = elements == 1 && !there ? 0 : elements;
    if (there)
      lanes = llvm::alignTo(lanes, registerLanes);
    mask = Value();
    if (shared)
      return emitPanel(lanes);
    if (there) {
      auto type = VectorType::get({lanes}, builder.getI1Type());
      mask = vector::CreateMaskOp::create(builder, type, there);
    }
    emitRows(lanes);
  });
}

/// As many rows as there are accumulators for, also if they are scalars.
int64_t ReductionLoopNest::chooseRows(int64_t lanes) const {
  if (shared && hasMatrices(lanes))
    return matrix->tileRows;
  constexpr int64_t kMaxRows = 8;
  int64_t registers =
      lanes ? llvm::divideCeil(lanes, registerLanes) : numAccumulators;
  // Contractions with separate additions need only one register for a result,
  // and the more rows share a vector, the fewer loads there are.
  bool hasSeparateAdd =
      isPlainContraction() || (shared && dots && dots->hasSeparateAdd());
  int64_t available =
      lanes && hasSeparateAdd ? numAccumulators * 3 / 2 : numAccumulators;
  return std::clamp(available / registers, kMinRows, kMaxRows);
}

void ReductionLoopNest::emitRows(int64_t lanes) {
  if (!rowLoop)
    return emitTile(1, lanes);
  if (ShapedType::isDynamic(ranges[*rowLoop]) && lanes && isPlainContraction())
    return emitOpenRows(chooseRows(lanes),
                        [&](int64_t rows) { emitTile(rows, lanes); });
  emitTiles(*rowLoop, {chooseRows(lanes), 1},
            [&](int64_t rows) { emitTile(rows, lanes); });
}

/// Emits tiles of a dynamic number of rows. All rows of the remainder form one
/// more tile, which computes the last row several times to fill up. A loop over
/// single rows would read the entire matrix for each, with too few independent
/// accumulators. A remainder of one row is emitted as a tile of one row.
void ReductionLoopNest::emitOpenRows(int64_t rows,
                                     llvm::function_ref<void(int64_t)> body) {
  Value extent = sizes[*rowLoop], one = getConstant(1);
  Value rest = arith::RemSIOp::create(builder, extent, getConstant(rows));
  Value full = arith::SubIOp::create(builder, extent, rest);
  {
    auto forOp =
        scf::ForOp::create(builder, getConstant(0), full, getConstant(rows));
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(forOp.getBody());
    position[*rowLoop] = forOp.getInductionVar();
    body(rows);
  }
  position[*rowLoop] = full;
  auto emitIf = [&](arith::CmpIPredicate predicate,
                    llvm::function_ref<void()> emit) {
    auto branch = scf::IfOp::create(
        builder, arith::CmpIOp::create(builder, predicate, rest, one));
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    emit();
  };
  emitIf(arith::CmpIPredicate::eq, [&] { body(1); });
  emitIf(arith::CmpIPredicate::sgt, [&] {
    Value last = arith::SubIOp::create(builder, extent, one);
    for (int64_t row = 0; row < rows; ++row) {
      Value rowIndex = arith::AddIOp::create(builder, full, getConstant(row));
      lastRows.push_back(arith::MinSIOp::create(builder, rowIndex, last));
    }
    body(rows);
    lastRows.clear();
  });
}

/// Accumulates `rows` times `lanes` elements in registers (0 lanes: scalars).
void ReductionLoopNest::emitTile(int64_t rows, int64_t lanes) {
  SmallVector<Value> accumulators;
  for (int64_t row = 0; row < rows; ++row)
    for (OpOperand &init : op.getDpsInitsMutable())
      accumulators.push_back(
          start
              ? broadcast(start->build(builder, getOutputPosition(row)), lanes)
              : load(&init, row, lanes));
  SmallVector<unsigned> loops;
  for (unsigned loop = 0; loop < numLoops; ++loop)
    if (iterators[loop] != utils::IteratorType::parallel)
      loops.push_back(loop);
  accumulators = emitReductions(loops, rows, lanes, accumulators);
  auto *next = accumulators.begin();
  for (int64_t row = 0; row < rows; ++row)
    for (OpOperand &init : op.getDpsInitsMutable()) {
      SmallVector<Value> indices = getIndices(&init, row);
      if (mask)
        vector::MaskedStoreOp::create(builder, init.get(), indices, mask,
                                      *next++);
      else if (lanes)
        vector::StoreOp::create(builder, *next++, init.get(), indices);
      else
        memref::StoreOp::create(builder, *next++, init.get(), indices);
    }
}

SmallVector<Value> ReductionLoopNest::emitReductions(ArrayRef<unsigned> loops,
                                                     int64_t rows,
                                                     int64_t lanes,
                                                     ValueRange accumulators) {
  if (loops.empty())
    return emitStep(rows, lanes, accumulators);
  unsigned loop = loops.front();
  // Saturate the number of steps, because the product of a model's sizes may
  // overflow.
  int64_t steps = 1;
  for (unsigned inner : loops) {
    bool isLong =
        ShapedType::isDynamic(ranges[inner]) || ranges[inner] > kUnrolled;
    steps = isLong || steps > kUnrolled ? kUnrolled + 1 : steps * ranges[inner];
  }
  if (steps <= kUnrolled) {
    SmallVector<Value> results(accumulators);
    for (int64_t i = 0; i < ranges[loop]; ++i) {
      position[loop] = builder.getIndexAttr(i);
      results = emitReductions(loops.drop_front(), rows, lanes, results);
    }
    return results;
  }
  if (loop == blockLoop && lanes == registerLanes)
    return emitBlocks(rows, lanes, accumulators);
  if (loop == foldLoop)
    return emitFold(accumulators);
  auto forOp = scf::ForOp::create(builder, getConstant(0), sizes[loop],
                                  getConstant(1), accumulators);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(forOp.getBody());
  position[loop] = forOp.getInductionVar();
  SmallVector<Value> results = emitReductions(loops.drop_front(), rows, lanes,
                                              forOp.getRegionIterArgs());
  scf::YieldOp::create(builder, results);
  return SmallVector<Value>(forOp.getResults());
}

/// Combines two values of an output, or vectors of them, with the op that the
/// body combines an element and the accumulator with.
Value ReductionLoopNest::combine(size_t index, Value lhs, Value rhs) {
  Operation *copy = builder.clone(*getCombiners(op)[index]);
  copy->setOperands({lhs, rhs});
  copy->getResult(0).setType(lhs.getType());
  return copy->getResult(0);
}

/// Emits the innermost reduction with several registers per iteration, then
/// with one, then with scalars. After each loop, the vectors are halved until
/// they have the number of lanes of the next loop, or reduced to a scalar for
/// integer additions.
SmallVector<Value> ReductionLoopNest::emitFold(ValueRange accumulators) {
  constexpr int64_t kRegisters = 4;
  SmallVector<Operation *> combiners = getCombiners(op);
  SmallVector<Value> vectors, totals(accumulators);
  Value from = getConstant(0), size = sizes[*foldLoop];
  for (int64_t lanes :
       {kRegisters * registerLanes, registerLanes, int64_t(0)}) {
    for (size_t index = 0; index < accumulators.size(); ++index) {
      auto makeNeutral = [&]() -> Value {
        auto type = VectorType::get({lanes}, accumulators[index].getType());
        TypedAttr neutral = *arith::getNeutralElement(combiners[index]);
        return arith::ConstantOp::create(
            builder, DenseElementsAttr::get(type, Attribute(neutral)));
      };
      if (vectors.size() <= index) {
        vectors.push_back(makeNeutral());
        continue;
      }
      // LLVM combines multiplications of bytes and their vector.reduction to
      // one instruction. Halving the vectors first would lose half of the gain.
      if (isa<arith::AddIOp>(combiners[index])) {
        totals[index] =
            combine(index, totals[index],
                    vector::ReductionOp::create(
                        builder, vector::CombiningKind::ADD, vectors[index]));
        vectors[index] = lanes ? makeNeutral() : totals[index];
        continue;
      }
      Value &vector = vectors[index];
      int64_t count = cast<VectorType>(vector.getType()).getNumElements();
      while (count > std::max<int64_t>(lanes, 1)) {
        count /= 2;
        auto half = [&](int64_t start) -> Value {
          return vector::ExtractStridedSliceOp::create(builder, vector, start,
                                                       count, 1);
        };
        Value low = half(0), high = half(count);
        vector = combine(index, low, high);
      }
      if (!lanes)
        vector = combine(index, accumulators[index],
                         vector::ExtractOp::create(builder, vector, 0));
    }
    int64_t step = std::max<int64_t>(lanes, 1);
    Value rest = arith::RemSIOp::create(
        builder, arith::SubIOp::create(builder, size, from), getConstant(step));
    Value to = arith::SubIOp::create(builder, size, rest);
    auto forOp =
        scf::ForOp::create(builder, from, to, getConstant(step), vectors);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(forOp.getBody());
    position[*foldLoop] = forOp.getInductionVar();
    // load() uses the vector loop to determine how an operand is accessed.
    if (lanes)
      vectorLoop = foldLoop;
    present = lanes;
    scf::YieldOp::create(
        builder, emitStep(/*rows=*/1, lanes, forOp.getRegionIterArgs()));
    vectorLoop = std::nullopt;
    vectors.assign(forOp.result_begin(), forOp.result_end());
    from = to;
  }
  return vectors;
}

SmallVector<Value> ReductionLoopNest::emitStep(int64_t rows, int64_t lanes,
                                               ValueRange accumulators) {
  SmallVector<Value> results;
  unsigned numOutputs = op.getNumDpsInits();
  SmallVector<Value> shared(columns);
  shared.resize(op.getNumDpsInputs());
  for (int64_t row = 0; row < rows; ++row) {
    SmallVector<Value> arguments;
    for (auto [index, input] : llvm::enumerate(op.getDpsInputOperands())) {
      bool isShared =
          !rowLoop || getAccess(op, input, *rowLoop) == Access::Invariant;
      if (!isShared || !shared[index])
        shared[index] = load(input, row, lanes);
      arguments.push_back(shared[index]);
    }
    llvm::append_range(arguments,
                       accumulators.slice(row * numOutputs, numOutputs));
    llvm::append_range(results, emitBody(arguments, row, lanes));
  }
  return results;
}

Value ReductionLoopNest::broadcast(Value value, int64_t lanes) {
  if (!lanes || isa<VectorType>(value.getType()))
    return value;
  return vector::BroadcastOp::create(
      builder, VectorType::get({lanes}, value.getType()), value);
}

/// Emits the op's body on vectors. Values that do not vary along the vectors
/// stay scalar.
SmallVector<Value> ReductionLoopNest::emitBody(ValueRange arguments,
                                               int64_t row, int64_t lanes) {
  if (dots && lanes)
    return {dots->add(builder, broadcast(arguments[2], lanes),
                      broadcast(arguments[0], lanes),
                      broadcast(arguments[1], lanes))};
  IRMapping mapping;
  Block *body = op.getBody();
  mapping.map(body->getArguments(), arguments);
  for (Operation &nested : body->without_terminator()) {
    if (auto index = dyn_cast<linalg::IndexOp>(nested)) {
      unsigned loop = index.getDim();
      OpFoldResult loopIndex = position[loop];
      if (loop == rowLoop)
        loopIndex = affine::makeComposedFoldedAffineApply(
            builder, op.getLoc(), builder.getAffineDimExpr(0) + row,
            {loopIndex});
      Value value =
          getValueOrCreateConstantIndexOp(builder, op.getLoc(), loopIndex);
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

SmallVector<OpFoldResult> ReductionLoopNest::getOutputPosition(int64_t row) {
  SmallVector<OpFoldResult> outputPosition(position);
  if (rowLoop && !lastRows.empty())
    outputPosition[*rowLoop] = lastRows[row];
  else if (rowLoop && row)
    outputPosition[*rowLoop] = affine::makeComposedFoldedAffineApply(
        builder, op.getLoc(), builder.getAffineDimExpr(0) + row,
        {outputPosition[*rowLoop]});
  return outputPosition;
}

SmallVector<Value> ReductionLoopNest::getIndices(OpOperand *operand,
                                                 int64_t row) {
  SmallVector<OpFoldResult> outputPosition = getOutputPosition(row);
  AffineMap map = op.getMatchingIndexingMap(operand);
  SmallVector<Value> indices;
  for (AffineExpr expression : map.getResults()) {
    AffineMap single =
        AffineMap::get(map.getNumDims(), map.getNumSymbols(), expression);
    indices.push_back(getValueOrCreateConstantIndexOp(
        builder, op.getLoc(),
        affine::makeComposedFoldedAffineApply(builder, op.getLoc(), single,
                                              outputPosition)));
  }
  return indices;
}

Value ReductionLoopNest::load(OpOperand *operand, int64_t row, int64_t lanes) {
  if (!isa<MemRefType>(operand->get().getType()))
    return operand->get();
  Access access =
      lanes ? getAccess(op, operand, *vectorLoop) : Access::Invariant;
  if (access == Access::Invariant)
    return memref::LoadOp::create(builder, operand->get(),
                                  getIndices(operand, row));
  Type element = cast<MemRefType>(operand->get().getType()).getElementType();
  auto type = VectorType::get({lanes}, element);
  auto getZero = [&](Type zero) -> Value {
    return arith::ConstantOp::create(builder, builder.getZeroAttr(zero));
  };
  if (access == Access::Contiguous && mask)
    return vector::MaskedLoadOp::create(builder, type, operand->get(),
                                        getIndices(operand, row), mask,
                                        getZero(type));
  if (access == Access::Contiguous)
    return vector::LoadOp::create(builder, type, operand->get(),
                                  getIndices(operand, row));
  SmallVector<Value> elements;
  OpFoldResult first = position[*vectorLoop];
  for (int64_t lane = 0; lane < lanes; ++lane) {
    if (lane >= present) {
      elements.push_back(getZero(element));
      continue;
    }
    position[*vectorLoop] = affine::makeComposedFoldedAffineApply(
        builder, op.getLoc(), builder.getAffineDimExpr(0) + lane, {first});
    elements.push_back(memref::LoadOp::create(builder, operand->get(),
                                              getIndices(operand, row)));
  }
  position[*vectorLoop] = first;
  return vector::FromElementsOp::create(builder, type, elements);
}

/// Requires that all outputs have the same indexing map, unlike those of a scan
/// and its final state, which are written in different loops.
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

/// Returns the memory for panels. All reductions of a function share one
/// buffer, as do all reductions of one thread's iteration of a parallel loop.
static Value getPanelBuffer(GenericOp op, int64_t bytes,
                            llvm::SmallDenseMap<Operation *, Value> &buffers) {
  Operation *scope = op->getParentOp();
  while (!isa<FunctionOpInterface, scf::ForallOp>(scope))
    scope = scope->getParentOp();
  Value &buffer = buffers[scope];
  if (!buffer) {
    auto builder = OpBuilder::atBlockBegin(&scope->getRegion(0).front());
    buffer = memref::AllocaOp::create(
        builder, op.getLoc(), MemRefType::get({bytes}, builder.getI8Type()),
        builder.getI64IntegerAttr(64));
  }
  return buffer;
}

namespace {
struct VectorizeReductions final
    : quant_float::impl::QuantFloatVectorizeReductionsPassBase<
          VectorizeReductions> {
  using QuantFloatVectorizeReductionsPassBase::
      QuantFloatVectorizeReductionsPassBase;

  void runOnOperation() override {
    LoweringTarget target = LoweringTarget::lookup(getOperation());
    // The size of the code is proportional to the product of both.
    constexpr int64_t kMax = 1024;
    auto requireRange = [&](StringRef name, int64_t value) {
      bool isInRange = value >= 1 && value <= kMax;
      if (!isInRange)
        getOperation()->emitError()
            << name << ": expected 1 to " << kMax << ", but got " << value;
      return success(isInRange);
    };
    if (failed(requireRange("vector-bytes", vectorBytes)) ||
        failed(requireRange("registers", registers)))
      return signalPassFailure();
    SmallVector<GenericOp> ops;
    getOperation()->walk([&](GenericOp op) {
      if (isReduction(op))
        ops.push_back(op);
    });
    llvm::SmallDenseMap<Operation *, Value> panels;
    bool hasTiles = target.has(ConversionFeature::AmxInt8);
    int64_t bytes = kPanelBytes + (hasTiles ? kTileSizesBytes : 0);
    for (GenericOp op : ops) {
      auto getPanel = [&] { return getPanelBuffer(op, bytes, panels); };
      ReductionLoopNest nest(op, vectorBytes, registers, target, getPanel);
      nest.emit();
      ++(nest.isVectorized() ? numVectorized : numScalar);
      op.erase();
    }
  }
};
} // namespace
