//===- MatmulPanels.cpp - Matmuls with packed panels ----------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All rows (M) of a matmul read the same vectors of the operand B, step by step
// along K. In the matrix, or in the image of a convolution, these vectors are
// far apart, in different cache lines and pages, so that the loads of every row
// are slow. Therefore a column of vectors (N) is first packed to a contiguous
// panel, whose K extent fits into an L2 cache (kPanelBytes), and multiplied by
// all rows before the next column:
//
//   for a part of K:
//     for a column of vectors:
//       panel[k] = B[k, column] for k in the part       // packing
//       for a tile of rows:
//         acc = C[rows, column]                         // registers
//         for k in the part:
//           acc += A[rows, k] * panel[k]
//         C[rows, column] = acc
//
// If B is K-contiguous, packing transposes square blocks. In a convolution, the
// steps along a row of the window read the same row of the image, one element
// further each. They share a row of the panel, which is a few elements longer.
//
// Packing is not profitable for few rows. If the number of rows is dynamic, the
// emitted code chooses between two versions.
//
//===----------------------------------------------------------------------===//

#include "../Common/LinalgUtils.h"
#include "ReductionLoops.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "quant-float/Support/InlineAsm.h"

using namespace mlir;
using namespace mlir::quant_float;
using linalg::GenericOp;

/// Whether the body accumulates products of floats, and does nothing else.
bool ReductionLoopNest::isPlainContraction() const {
  GenericOp generic(op);
  std::optional<MultiplyAccumulate> body = MultiplyAccumulate::get(generic);
  return body && isa<FloatType>(body->getType()) &&
         generic.getBody()->getOperations().size() == (body->multiply ? 3 : 2);
}

/// Collapses the innermost dimensions of the operand, which must be the
/// reduction loops in order, to one dimension. Returns null if they are other
/// dimensions, or are not contiguous in memory.
static Value collapseReductions(ImplicitLocOpBuilder &builder, GenericOp op,
                                OpOperand *operand,
                                ArrayRef<unsigned> reductions) {
  AffineMap map = op.getMatchingIndexingMap(operand);
  auto type = cast<MemRefType>(operand->get().getType());
  if (map.getNumResults() < reductions.size())
    return {};
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  unsigned first = map.getNumResults() - reductions.size();
  for (auto [index, loop] : llvm::enumerate(reductions))
    if (map.getResult(first + index) !=
            getAffineDimExpr(loop, op.getContext()) ||
        type.getDimSize(first + index) != ranges[loop])
      return {};
  for (AffineExpr index : map.getResults().take_front(first))
    for (unsigned loop : reductions)
      if (index.isFunctionOfDim(loop))
        return {};
  SmallVector<ReassociationIndices> groups;
  for (unsigned dim = 0; dim < first; ++dim)
    groups.push_back({dim});
  groups.push_back(
      llvm::to_vector(llvm::seq<int64_t>(first, map.getNumResults())));
  if (reductions.size() == 1)
    return operand->get();
  if (!memref::CollapseShapeOp::isGuaranteedCollapsible(type, groups))
    return {};
  return memref::CollapseShapeOp::create(builder, operand->get(), groups);
}

/// Returns the size of the innermost reduction loop if it moves the vectors of
/// `shared` by one element, or 1. The steps of a window are unrolled.
int64_t ReductionLoopNest::getWindow(ArrayRef<unsigned> reductions) {
  // Blocks of dot products and matrix instructions have several steps.
  constexpr int64_t kMaxUnrolled = 8;
  if (dots || matrix || reductions.size() < 2 ||
      ranges[reductions.back()] > kMaxUnrolled ||
      getAccess(op, shared, *vectorLoop) != Access::Contiguous)
    return 1;
  unsigned loop = reductions.back();
  AffineMap map = op.getMatchingIndexingMap(shared);
  AffineExpr next = getAffineDimExpr(loop, op.getContext()) + 1;
  for (auto [dim, index] : llvm::enumerate(map.getResults())) {
    AffineExpr step = simplifyAffineExpr(
        index.replace(getAffineDimExpr(loop, op.getContext()), next) - index,
        numLoops, 0);
    if (step != int64_t(dim + 1 == map.getNumResults()))
      return 1;
  }
  return ranges[loop];
}

/// Returns the distance between two rows of the panel.
int64_t ReductionLoopNest::getPanelPitch(int64_t lanes) const {
  return lanes + llvm::alignTo(windowSteps - 1, registerLanes);
}

/// The minimum number of rows that share a panel.
static constexpr int64_t kMinSharing = 16;

/// Chooses a panel for contractions of floats, and of packed i32 operands that
/// have a dot-product instruction, unless the number of rows is known to be too
/// small.
void ReductionLoopNest::choosePanel() {
  if (!vectorLoop || !rowLoop || !(isPlainContraction() || dots) ||
      (blockLoop && !hasOpen(*rowLoop)) || op.getNumDpsInputs() != 2 ||
      op.getNumDpsInits() != 1 ||
      (!hasOpen(*rowLoop) && ranges[*rowLoop] < kMinSharing))
    return;
  SmallVector<unsigned> reductions;
  for (unsigned loop = 0; loop < numLoops; ++loop) {
    if (iterators[loop] == utils::IteratorType::parallel)
      continue;
    // Only the outermost reduction is split into parts, so the others must be
    // static.
    if (ranges[loop] == 0 ||
        (ShapedType::isDynamic(ranges[loop]) && !reductions.empty()))
      return;
    reductions.push_back(loop);
  }
  OpOperand *vectors = nullptr, *rows = nullptr;
  for (OpOperand *input : op.getDpsInputOperands()) {
    if (!isa<MemRefType>(input->get().getType()))
      return;
    bool isAcross = getAccess(op, input, *vectorLoop) != Access::Invariant;
    bool isDown = getAccess(op, input, *rowLoop) != Access::Invariant;
    if (isAcross != isDown)
      (isAcross ? vectors : rows) = input;
  }
  if (!vectors || !rows)
    return;
  int64_t bits = getElementTypeOrSelf(vectors->get()).getIntOrFloatBitWidth();
  for (unsigned loop : ArrayRef(reductions).drop_front()) {
    // Clamp, because the product of a model's sizes may overflow.
    innerSteps *= std::min(ranges[loop], kPanelBytes);
    if (innerSteps >= kPanelBytes)
      return;
  }
  partLoop = reductions.front();
  bool isTurned = blockLoop.has_value();
  std::tie(fewRowsBlockLoop, fewRowsLanes) = std::pair(blockLoop, vectorLanes);
  blockLoop = std::nullopt;
  int64_t allLanes = chooseLanes();
  int64_t lanes = llvm::alignTo(allLanes, registerLanes);
  shared = vectors;
  windowSteps = getWindow(reductions);
  int64_t most = kPanelBytes /
                 (getPanelPitch(lanes) * bits / 8 * (innerSteps / windowSteps));
  if (most == 0 ||
      !(ownSteps = collapseReductions(builder, op, rows, reductions))) {
    shared = nullptr;
    partLoop = std::nullopt;
    blockLoop = fewRowsBlockLoop;
    return;
  }
  vectorLanes = allLanes;
  own = rows;
  partSteps = most;
  if (!ShapedType::isDynamic(ranges[*partLoop]))
    partSteps = llvm::divideCeil(ranges[*partLoop],
                                 llvm::divideCeil(ranges[*partLoop], most));
  // Round to full square blocks.
  if (isTurned)
    partSteps =
        std::min(most, int64_t(llvm::alignTo(partSteps, registerLanes)));
  panel = getPanelBuffer();
  chooseMatrix();
}

/// Emits all loops twice, with a panel for many rows and without one for few
/// rows.
void ReductionLoopNest::emitManyOrFewRows(llvm::function_ref<void()> emitAll) {
  Value areMany =
      arith::CmpIOp::create(builder, arith::CmpIPredicate::sge, sizes[*rowLoop],
                            getConstant(kMinSharing));
  auto branch = scf::IfOp::create(builder, areMany, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  emitAll();
  builder.setInsertionPointToStart(branch.elseBlock());
  shared = own = nullptr;
  std::tie(blockLoop, vectorLanes) = std::pair(fewRowsBlockLoop, fewRowsLanes);
  emitAll();
}

void ReductionLoopNest::emitParts() {
  if (!shared)
    return emitVectors();
  Value extent = sizes[*partLoop], end = extent, step = getConstant(partSteps);
  bool isKnown = !ShapedType::isDynamic(ranges[*partLoop]);
  if (!isKnown) {
    // Distribute the steps evenly among the parts, as for static extents. An
    // empty reduction still has one part, which initializes the accumulators.
    end = arith::MaxSIOp::create(builder, extent, getConstant(1));
    auto divideCeil = [&](Value value, Value by) -> Value {
      Value above = arith::SubIOp::create(builder, by, getConstant(1));
      return arith::DivUIOp::create(
          builder, arith::AddIOp::create(builder, value, above), by);
    };
    step = divideCeil(end, divideCeil(end, step));
  }
  auto parts = scf::ForOp::create(builder, getConstant(0), end, step);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(parts.getBody());
  partStart = parts.getInductionVar();
  partEnd = arith::AddIOp::create(builder, partStart, step);
  if (!isKnown || ranges[*partLoop] % partSteps != 0)
    partEnd = arith::MinSIOp::create(builder, extent, partEnd);
  emitVectors();
}

void ReductionLoopNest::forEachRegister(
    int64_t lanes, llvm::function_ref<void(int64_t)> body) {
  OpFoldResult first = position[*vectorLoop];
  Value allMask = mask;
  int64_t allPresent = present;
  int64_t width = std::min(lanes, registerLanes);
  for (int64_t lane = 0; lane < lanes; lane += width) {
    position[*vectorLoop] = affine::makeComposedFoldedAffineApply(
        builder, op.getLoc(), builder.getAffineDimExpr(0) + lane, {first});
    present = std::min(allPresent - lane, width);
    mask = Value();
    auto type = VectorType::get({width}, builder.getI1Type());
    if (openPresent)
      mask = vector::CreateMaskOp::create(
          builder, type,
          ValueRange{builder.createOrFold<arith::SubIOp>(openPresent,
                                                         getConstant(lane))});
    else if (present < width)
      mask = vector::CreateMaskOp::create(builder, type, getConstant(present));
    body(lane);
  }
  position[*vectorLoop] = first;
  mask = allMask;
  present = allPresent;
}

/// Emits one column of vectors: the packing of the panel, and the tiles of all
/// rows.
void ReductionLoopNest::emitPanel(int64_t lanes) {
  lanes = std::max<int64_t>(lanes, 1);
  Type element = getElementTypeOrSelf(shared->get());
  Value buffer = std::exchange(panel, Value());
  int64_t steps = llvm::alignTo(partSteps * innerSteps / windowSteps,
                                hasMatrices(lanes) ? blockSteps : 1);
  panel = memref::ViewOp::create(
      builder, MemRefType::get({steps, getPanelPitch(lanes)}, element), buffer,
      getConstant(0), ValueRange());
  SmallVector<unsigned> reductions;
  for (unsigned loop = 0; loop < numLoops; ++loop)
    if (iterators[loop] != utils::IteratorType::parallel)
      reductions.push_back(loop);
  emitCopies(reductions, getConstant(0), lanes);
  // From here on a single loop over steps replaces the reduction loops.
  for (unsigned loop : reductions)
    position[loop] = builder.getIndexAttr(0);
  if (hasMatrices(lanes))
    arrangePanel(lanes);
  auto emitRowsOf = [&](int64_t rows) {
    if (hasMatrices(lanes))
      emitMatrices(rows, lanes);
    else
      accumulateSteps(rows, lanes);
  };
  if (hasOpen(*rowLoop))
    emitOpenRows(chooseRows(lanes), emitRowsOf);
  else
    emitTiles(*rowLoop, {chooseRows(lanes), 1}, emitRowsOf);
  if (hasMatrices(lanes) && matrix->hasTiles())
    releaseTiles();
  panel = buffer;
}

/// Copies the elements that follow the valid lanes, which only the last steps
/// of a window read.
void ReductionLoopNest::emitWindowEnd(Value panelRow, int64_t lanes) {
  OpFoldResult first = position[*vectorLoop];
  // More elements may remain than there are lanes.
  Value count = openPresent ? arith::MinSIOp::create(builder, openPresent,
                                                     getConstant(lanes))
                            : getConstant(present);
  position[*vectorLoop] = affine::makeComposedFoldedAffineApply(
      builder, op.getLoc(),
      builder.getAffineDimExpr(0) + builder.getAffineDimExpr(1),
      {first, getAsOpFoldResult(count)});
  vector::StoreOp::create(builder, load(shared, /*row=*/0, windowSteps - 1),
                          panel, ValueRange{panelRow, count});
  position[*vectorLoop] = first;
}

/// Emits the loops `loops` that pack the panel. `step` is the number of steps
/// of the enclosing loops.
void ReductionLoopNest::emitCopies(ArrayRef<unsigned> loops, Value step,
                                   int64_t lanes) {
  if (loops.empty()) {
    forEachRegister(lanes, [&](int64_t lane) {
      Value copied = load(shared, /*row=*/0, std::min(lanes, registerLanes));
      vector::StoreOp::create(builder, copied, panel,
                              ValueRange{step, getConstant(lane)});
    });
    if (windowSteps > 1)
      emitWindowEnd(step, lanes);
    return;
  }
  unsigned loop = loops.front();
  if (windowSteps > 1 && loops.size() == 1) {
    position[loop] = builder.getIndexAttr(0);
    return emitCopies({}, step, lanes);
  }
  bool isOuter = loop == partLoop;
  Value from = isOuter ? partStart : getConstant(0);
  Value to = isOuter ? partEnd : sizes[loop];
  AffineExpr before = builder.getAffineDimExpr(0);
  AffineExpr now = builder.getAffineDimExpr(1);
  auto getStep = [&](Value index) {
    OpFoldResult next =
        isOuter
            ? affine::makeComposedFoldedAffineApply(
                  builder, op.getLoc(), now - before, {partStart, index})
            : affine::makeComposedFoldedAffineApply(builder, op.getLoc(),
                                                    before * ranges[loop] + now,
                                                    {step, index});
    return getValueOrCreateConstantIndexOp(builder, op.getLoc(), next);
  };
  if (loops.size() == 1 && loop == fewRowsBlockLoop &&
      lanes % registerLanes == 0)
    from = emitSquares(loop, from, to, getStep, lanes);
  auto forOp = scf::ForOp::create(builder, from, to, getConstant(1));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(forOp.getBody());
  position[loop] = forOp.getInductionVar();
  emitCopies(loops.drop_front(), getStep(forOp.getInductionVar()), lanes);
}

/// Packs vectors of a K-contiguous operand, one square block of as many steps
/// as a register has lanes at a time. Returns the index at which the remainder
/// starts.
Value ReductionLoopNest::emitSquares(unsigned loop, Value from, Value to,
                                     llvm::function_ref<Value(Value)> getStep,
                                     int64_t lanes) {
  Value rest =
      arith::RemSIOp::create(builder, arith::SubIOp::create(builder, to, from),
                             getConstant(registerLanes));
  Value full = arith::SubIOp::create(builder, to, rest);
  auto forOp =
      scf::ForOp::create(builder, from, full, getConstant(registerLanes));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(forOp.getBody());
  position[loop] = forOp.getInductionVar();
  Value first = getStep(forOp.getInductionVar());
  forEachRegister(lanes, [&](int64_t lane) {
    for (auto [index, vector] : llvm::enumerate(loadBlock(shared)))
      vector::StoreOp::create(builder, vector, panel,
                              ValueRange{builder.createOrFold<arith::AddIOp>(
                                             first, getConstant(index)),
                                         getConstant(lane)});
  });
  return full;
}

/// Returns the initial accumulators of a part of K: the results of the previous
/// part, or for the first part the initial value of the output.
SmallVector<Value> ReductionLoopNest::initAccumulators(int64_t rows,
                                                       int64_t lanes) {
  int64_t width = std::min(lanes, registerLanes);
  auto loadAll = [&] {
    SmallVector<Value> accumulators;
    for (int64_t row = 0; row < rows; ++row)
      forEachRegister(lanes, [&](int64_t) {
        accumulators.push_back(load(op.getDpsInitOperand(0), row, width));
      });
    return accumulators;
  };
  auto buildAll = [&] {
    SmallVector<Value> accumulators;
    for (int64_t row = 0; row < rows; ++row)
      accumulators.append(
          llvm::divideCeil(lanes, width),
          broadcast(start->build(builder, getOutputPosition(row)), width));
    return accumulators;
  };
  if (!start)
    return loadAll();
  if (!ShapedType::isDynamic(ranges[*partLoop]) &&
      partSteps >= ranges[*partLoop])
    return buildAll();
  Value isFirst = arith::CmpIOp::create(builder, arith::CmpIPredicate::eq,
                                        partStart, getConstant(0));
  SmallVector<Type> types(
      rows * llvm::divideCeil(lanes, width),
      VectorType::get({width}, getElementTypeOrSelf(op.getDpsInits().front())));
  auto choice = scf::IfOp::create(builder, types, isFirst,
                                  /*addThenBlock=*/true,
                                  /*addElseBlock=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(choice.thenBlock());
  scf::YieldOp::create(builder, buildAll());
  builder.setInsertionPointToStart(choice.elseBlock());
  scf::YieldOp::create(builder, loadAll());
  return SmallVector<Value>(choice.getResults());
}

std::pair<Value, Value> ReductionLoopNest::getPartRows() {
  AffineExpr outer = builder.getAffineDimExpr(0);
  auto count = [&](Value parts) {
    return getValueOrCreateConstantIndexOp(
        builder, op.getLoc(),
        affine::makeComposedFoldedAffineApply(
            builder, op.getLoc(), outer * (innerSteps / windowSteps), {parts}));
  };
  Value from = count(partStart);
  return {from, count(partEnd)};
}

SmallVector<Value> ReductionLoopNest::getOwnIndices(int64_t row, Value step) {
  SmallVector<Value> indices = getIndices(own, row);
  indices.truncate(cast<MemRefType>(ownSteps.getType()).getRank() - 1);
  indices.push_back(step);
  return indices;
}

void ReductionLoopNest::storeAccumulators(int64_t rows, int64_t lanes,
                                          ValueRange accumulators) {
  OpOperand *output = op.getDpsInitOperand(0);
  auto next = accumulators.begin();
  for (int64_t row = 0; row < rows; ++row)
    forEachRegister(lanes, [&](int64_t) {
      SmallVector<Value> indices = getIndices(output, row);
      if (mask)
        vector::MaskedStoreOp::create(builder, output->get(), indices, mask,
                                      *next++);
      else
        vector::StoreOp::create(builder, *next++, output->get(), indices);
    });
}

/// Prefetches the next rows of the operand that is not packed, a cache line of
/// each row at a time. A tile reads a few lines of every row, which is too
/// short for the CPU to recognize. Prefetches beyond the end are harmless.
void ReductionLoopNest::prefetchRows(int64_t rows, Value step, Value partStep) {
  auto type = cast<MemRefType>(own->get().getType());
  constexpr int64_t kLineBytes = 64, kMinBytes = 1 << 16;
  int64_t bytes = type.getElementTypeBitWidth() / 8;
  if (type.hasStaticShape() && type.getNumElements() * bytes < kMinBytes)
    return;
  Value offset = arith::AndIOp::create(builder, partStep,
                                       getConstant(kLineBytes / bytes - 1));
  auto branch = scf::IfOp::create(
      builder, arith::CmpIOp::create(builder, arith::CmpIPredicate::ult, offset,
                                     getConstant(windowSteps)));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  for (int64_t row = 0; row < rows; ++row)
    memref::PrefetchOp::create(
        builder, ownSteps, getOwnIndices(rows + row, step), /*isWrite=*/false,
        /*localityHint=*/2, /*isDataCache=*/true);
}

/// Accumulates `rows` times `lanes` elements over a part of K in registers.
void ReductionLoopNest::accumulateSteps(int64_t rows, int64_t lanes) {
  SmallVector<Value> accumulators = initAccumulators(rows, lanes);
  auto [from, to] = getPartRows();
  auto forOp =
      scf::ForOp::create(builder, from, to, getConstant(1), accumulators);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(forOp.getBody());
    Value row = forOp.getInductionVar();
    Value panelRow = arith::SubIOp::create(builder, row, from);
    auto getStep = [&](OpFoldResult of, int64_t shift) {
      return getValueOrCreateConstantIndexOp(
          builder, op.getLoc(),
          affine::makeComposedFoldedAffineApply(
              builder, op.getLoc(),
              builder.getAffineDimExpr(0) * windowSteps + shift, {of}));
    };
    if (rows > 1 && !hasOpen(*rowLoop))
      prefetchRows(rows, getStep(row, 0), getStep(panelRow, 0));
    SmallVector<Value> results(forOp.getRegionIterArgs());
    for (int64_t shift = 0; shift < windowSteps; ++shift)
      results = accumulateStep(rows, lanes, getStep(row, shift), panelRow,
                               shift, results);
    scf::YieldOp::create(builder, results);
  }
  storeAccumulators(rows, lanes, forOp.getResults());
}

/// LLVM's scheduler for x86 moves an instruction that is the last use of two
/// registers up to their definitions, so that each addition would wait for its
/// multiplication, which costs about 10% of the time. It moves nothing across
/// inline assembly with side effects, even if that is empty.
void ReductionLoopNest::keepOrder() {
  if (machine != Machine::X86)
    return;
  createInlineAsm(builder, builder.getLoc(), TypeRange(), ValueRange(),
                  /*text=*/"", /*constraints=*/"", /*hasSideEffects=*/true);
}

/// Emits one step of K, which reads `panelRow` from lane `shift` on. If a
/// separate instruction adds, the multiplications of a row precede its
/// additions: they do not depend on the previous step, and keep the CPU busy
/// while the additions wait for it.
SmallVector<Value> ReductionLoopNest::accumulateStep(int64_t rows,
                                                     int64_t lanes, Value step,
                                                     Value panelRow,
                                                     int64_t shift,
                                                     ValueRange accumulators) {
  int64_t width = std::min(lanes, registerLanes);
  Type element = getElementTypeOrSelf(shared->get());
  auto type = VectorType::get({width}, element);
  SmallVector<Value> vectors, results;
  for (int64_t lane = 0; lane < lanes; lane += width)
    vectors.push_back(vector::LoadOp::create(
        builder, type, panel, ValueRange{panelRow, getConstant(lane + shift)}));
  auto getAccumulator = [&](int64_t row, size_t index) {
    return accumulators[row * vectors.size() + index];
  };
  bool hasSeparateAdd =
      dots && dots->hasSeparateAdd() && width == dots->getLanes();
  std::optional<MultiplyAccumulate> body = MultiplyAccumulate::get(op);
  bool isOwnFirst = dots ? own == op.getDpsInputOperand(0)
                         : body->lhs == Value(op.getMatchingBlockArgument(own));
  for (int64_t row = 0; row < rows; ++row) {
    Value ownVector = broadcast(
        memref::LoadOp::create(builder, ownSteps, getOwnIndices(row, step)),
        width);
    SmallVector<Value> products;
    for (auto [index, vector] : llvm::enumerate(vectors)) {
      Value lhs = isOwnFirst ? ownVector : vector,
            rhs = isOwnFirst ? vector : ownVector;
      if (hasSeparateAdd)
        products.push_back(dots->multiply(builder, lhs, rhs));
      else
        results.push_back(
            dots ? dots->add(builder, getAccumulator(row, index), lhs, rhs)
                 : body->create(builder, getAccumulator(row, index), lhs, rhs));
    }
    if (!hasSeparateAdd)
      continue;
    keepOrder();
    for (auto [index, product] : llvm::enumerate(products))
      results.push_back(
          arith::AddIOp::create(builder, getAccumulator(row, index), product));
  }
  return results;
}
