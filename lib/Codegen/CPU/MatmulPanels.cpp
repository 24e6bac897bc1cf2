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

#include "MatmulPanels.h"
#include "quant-float/Support/InlineAsm.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace mlir::quant_float;
using llvm::SaveAndRestore;

PanelLoops::PanelLoops(const ReductionPlan &plan,
                       const ReductionContext &context)
    : ReductionLoops(plan, context), panelPlan(*plan.panel),
      packed(panelPlan.packed), unpacked(panelPlan.unpacked),
      unpackedSteps(unpacked->get()) {
  SmallVector<ReassociationIndices> groups =
      getCollapsedDims(plan, cast<MemRefType>(unpackedSteps.getType()));
  if (plan.reductions.size() > 1)
    unpackedSteps =
        memref::CollapseShapeOp::create(builder, unpackedSteps, groups);
  buffer = context.getPanelBuffer();
}

/// Emits the loop over the parts of K.
void PanelLoops::emitInnerLoops() {
  unsigned loop = panelPlan.partLoop;
  Value extent = sizes[loop], end = extent,
        step = getConstant(panelPlan.partSteps);
  if (plan.isDynamic(loop)) {
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
  emitFor(getConstant(0), end, step, [&](Value index) {
    partStart = index;
    partEnd = arith::AddIOp::create(builder, partStart, step);
    if (plan.isDynamic(loop) || plan.ranges[loop] % panelPlan.partSteps != 0)
      partEnd = arith::MinSIOp::create(builder, extent, partEnd);
    emitColumns();
  });
}

/// Emits one column of vectors: the packing of the panel, and the tiles of all
/// rows.
void PanelLoops::emitColumn(int64_t lanes) {
  lanes = std::max<int64_t>(lanes, 1);
  panel = memref::ViewOp::create(
      builder,
      MemRefType::get({plan.getPanelRows(lanes), plan.getPanelPitch(lanes)},
                      getElementTypeOrSelf(packed->get())),
      buffer, getConstant(0), ValueRange());
  emitCopies(plan.reductions, getConstant(0), lanes);
  // From here on, a single loop over steps replaces the reduction loops.
  for (unsigned loop : plan.reductions)
    position[loop] = builder.getIndexAttr(0);
  multiplyPanel(lanes);
}

void PanelLoops::multiplyPanel(int64_t lanes) {
  emitRowTiles(lanes, [&](int64_t rows) { accumulateSteps(rows, lanes); });
}

/// Copies the elements that follow the valid lanes, which only the last steps
/// of a window read.
void PanelLoops::emitWindowEnd(Value panelRow, int64_t lanes) {
  SaveAndRestore first(position[*plan.vectorLoop]);
  // More elements may remain than there are lanes.
  Value count = numRemaining ? arith::MinSIOp::create(builder, numRemaining,
                                                      getConstant(lanes))
                             : getConstant(validLanes);
  position[*plan.vectorLoop] =
      apply(builder.getAffineDimExpr(0) + builder.getAffineDimExpr(1),
            {first.get(), getAsOpFoldResult(count)});
  storePanel(load(packed, /*row=*/0, panelPlan.windowSteps - 1), panelRow,
             count);
}

/// Emits the loops `loops` that pack the panel. `step` is the number of steps
/// of the enclosing loops.
void PanelLoops::emitCopies(ArrayRef<unsigned> loops, Value step,
                            int64_t lanes) {
  bool isWindow = panelPlan.windowSteps > 1;
  if (isWindow && loops.size() == 1) {
    position[loops.front()] = builder.getIndexAttr(0);
    loops = {};
  }
  if (loops.empty()) {
    forEachRegister(lanes, [&](int64_t lane) {
      storePanel(load(packed, /*row=*/0, std::min(lanes, plan.registerLanes)),
                 step, getConstant(lane));
    });
    if (isWindow)
      emitWindowEnd(step, lanes);
    return;
  }
  unsigned loop = loops.front();
  bool isOuter = loop == panelPlan.partLoop;
  Value from = isOuter ? partStart : getConstant(0);
  Value to = isOuter ? partEnd : sizes[loop];
  AffineExpr before = builder.getAffineDimExpr(0);
  AffineExpr now = builder.getAffineDimExpr(1);
  auto getStep = [&](Value index) {
    return getValue(
        isOuter ? apply(now - before, {partStart, index})
                : apply(before * plan.ranges[loop] + now, {step, index}));
  };
  if (loop == panelPlan.squareLoop && lanes % plan.registerLanes == 0)
    from = emitSquares(loop, from, to, getStep, lanes);
  emitFor(from, to, getConstant(1), [&](Value index) {
    position[loop] = index;
    emitCopies(loops.drop_front(), getStep(index), lanes);
  });
}

/// Packs vectors of a K-contiguous operand, one square block of as many steps
/// as a register has lanes at a time. Returns the index at which the remainder
/// starts.
Value PanelLoops::emitSquares(unsigned loop, Value from, Value to,
                              llvm::function_ref<Value(Value)> getStep,
                              int64_t lanes) {
  Value full = getEndOfFullSteps(from, to, plan.registerLanes);
  emitFor(from, full, getConstant(plan.registerLanes), [&](Value index) {
    position[loop] = index;
    Value first = getStep(index);
    forEachRegister(lanes, [&](int64_t lane) {
      for (auto [step, vector] : llvm::enumerate(loadBlock(packed)))
        storePanel(
            vector,
            builder.createOrFold<arith::AddIOp>(first, getConstant(step)),
            getConstant(lane));
    });
  });
  return full;
}

Value PanelLoops::isFirstPart() {
  unsigned loop = panelPlan.partLoop;
  if (!plan.isDynamic(loop) && panelPlan.partSteps >= plan.ranges[loop])
    return {};
  return arith::CmpIOp::create(builder, arith::CmpIPredicate::eq, partStart,
                               getConstant(0));
}

/// Returns the initial accumulators of a part of K: the results of the previous
/// part, or for the first part the initial value of the output.
SmallVector<Value> PanelLoops::initAccumulators(int64_t rows, int64_t lanes) {
  int64_t width = std::min(lanes, plan.registerLanes);
  auto loadAll = [&] {
    SmallVector<Value> accumulators;
    for (int64_t row = 0; row < rows; ++row)
      forEachRegister(lanes, [&](int64_t) {
        accumulators.push_back(load(op.getDpsInitOperand(0), row, width));
      });
    return accumulators;
  };
  auto createAll = [&] {
    SmallVector<Value> accumulators;
    for (int64_t row = 0; row < rows; ++row)
      accumulators.append(llvm::divideCeil(lanes, width),
                          createInit(row, width));
    return accumulators;
  };
  if (!accumulatorInit)
    return loadAll();
  Value isFirst = isFirstPart();
  if (!isFirst)
    return createAll();
  SmallVector<Type> types(
      rows * llvm::divideCeil(lanes, width),
      VectorType::get({width}, getElementTypeOrSelf(op.getDpsInits().front())));
  auto choice = scf::IfOp::create(builder, types, isFirst,
                                  /*addThenBlock=*/true,
                                  /*addElseBlock=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(choice.thenBlock());
  scf::YieldOp::create(builder, createAll());
  builder.setInsertionPointToStart(choice.elseBlock());
  scf::YieldOp::create(builder, loadAll());
  return SmallVector<Value>(choice.getResults());
}

std::pair<Value, Value> PanelLoops::getPartRows() {
  AffineExpr rows = builder.getAffineDimExpr(0) *
                    (panelPlan.innerSteps / panelPlan.windowSteps);
  Value from = getValue(apply(rows, {partStart}));
  return {from, getValue(apply(rows, {partEnd}))};
}

SmallVector<Value> PanelLoops::getUnpackedIndices(int64_t row, Value step) {
  SmallVector<Value> indices = getIndices(unpacked, row);
  indices.truncate(cast<MemRefType>(unpackedSteps.getType()).getRank() - 1);
  indices.push_back(step);
  return indices;
}

void PanelLoops::storeAccumulators(int64_t rows, int64_t lanes,
                                   ValueRange accumulators) {
  auto next = accumulators.begin();
  for (int64_t row = 0; row < rows; ++row)
    forEachRegister(
        lanes, [&](int64_t) { store(op.getDpsInitOperand(0), row, *next++); });
}

/// Prefetches the next rows of the operand that is not packed, a cache line of
/// each row at a time. A tile reads a few lines of every row, which is too
/// short for the CPU to recognize. Prefetches beyond the end are harmless.
void PanelLoops::prefetchRows(int64_t rows, Value step) {
  for (int64_t row = 0; row < rows; ++row)
    memref::PrefetchOp::create(
        builder, unpackedSteps, getUnpackedIndices(rows + row, step),
        /*isWrite=*/false, /*localityHint=*/2, /*isDataCache=*/true);
}

/// Prefetches cache lines of the next panel. All calls in a part of K, one for
/// every `lineSteps` steps of each row tile, together prefetch the panel.
/// Prefetches beyond the end are harmless.
void PanelLoops::prefetchPanel(int64_t lanes, Value partStep,
                               int64_t lineSteps) {
  unsigned vectorLoop = *plan.vectorLoop, loop = panelPlan.partLoop;
  SaveAndRestore column(position[vectorLoop]), reduction(position[loop]);
  constexpr int64_t expectedTiles = 8, maxLines = 16;
  int64_t tiles =
      plan.isDynamic(*plan.rowLoop)
          ? expectedTiles
          : llvm::divideCeil(plan.ranges[*plan.rowLoop], plan.tileRows);
  int64_t calls = llvm::divideCeil(panelPlan.partSteps, lineSteps);
  int64_t line = 8 * reduction_limits::kLineBytes /
                 getElementTypeOrSelf(packed->get()).getIntOrFloatBitWidth();
  int64_t linesOfRow = llvm::divideCeil(lanes, line);
  int64_t count = std::min<int64_t>(
      maxLines,
      llvm::divideCeil(panelPlan.partSteps * linesOfRow, tiles * calls));
  AffineExpr d0, d1;
  bindDims(builder.getContext(), d0, d1);
  AffineExpr call = d0.floorDiv(plan.tileRows) * calls + d1.floorDiv(lineSteps);
  for (int64_t i = 0; i < count; ++i) {
    AffineExpr number = call * count + i;
    SmallVector<OpFoldResult> operands = {position[*plan.rowLoop],
                                          getAsOpFoldResult(partStep)};
    OpFoldResult row = affine::makeComposedFoldedAffineMin(
        builder, builder.getLoc(),
        AffineMap::get(2, 0,
                       {number.floorDiv(linesOfRow),
                        builder.getAffineConstantExpr(panelPlan.partSteps - 1)},
                       builder.getContext()),
        operands);
    OpFoldResult lane = affine::makeComposedFoldedAffineApply(
        builder, builder.getLoc(), number % linesOfRow * line, operands);
    position[loop] = apply(d0 + d1, {getAsOpFoldResult(partStart), row});
    position[vectorLoop] = apply(d0 + d1 + lanes, {column.get(), lane});
    memref::PrefetchOp::create(builder, packed->get(),
                               getIndices(packed, /*row=*/0),
                               /*isWrite=*/false, /*localityHint=*/2,
                               /*isDataCache=*/true);
  }
}

/// Prefetches once for each cache line along K.
void PanelLoops::prefetch(int64_t rows, int64_t lanes, Value step,
                          Value partStep) {
  bool isTile = rows > 1 && panelPlan.prefetches;
  if (!isTile && !panelPlan.prefetchesPanel)
    return;
  int64_t bytes =
      cast<MemRefType>(unpacked->get().getType()).getElementTypeBitWidth() / 8;
  int64_t lineSteps = reduction_limits::kLineBytes / bytes;
  Value offset =
      arith::AndIOp::create(builder, partStep, getConstant(lineSteps - 1));
  emitIf(arith::CmpIOp::create(builder, arith::CmpIPredicate::ult, offset,
                               getConstant(panelPlan.windowSteps)),
         [&] {
           if (isTile)
             prefetchRows(rows, step);
           if (panelPlan.prefetchesPanel)
             prefetchPanel(lanes, partStep, lineSteps);
         });
}

/// Accumulates in registers.
void PanelLoops::accumulateSteps(int64_t rows, int64_t lanes) {
  SmallVector<Value> accumulators = initAccumulators(rows, lanes);
  auto [from, to] = getPartRows();
  auto emitSteps = [&, from = from](Value row, ValueRange current) {
    Value panelRow = arith::SubIOp::create(builder, row, from);
    auto getStep = [&](Value of, int64_t shift) {
      return getValue(apply(
          builder.getAffineDimExpr(0) * panelPlan.windowSteps + shift, {of}));
    };
    prefetch(rows, lanes, getStep(row, 0), getStep(panelRow, 0));
    SmallVector<Value> results(current);
    for (int64_t shift = 0; shift < panelPlan.windowSteps; ++shift)
      results = accumulateStep(rows, lanes, getStep(row, shift), panelRow,
                               shift, results);
    return results;
  };
  storeAccumulators(rows, lanes, emitFor(from, to, 1, accumulators, emitSteps));
}

/// LLVM's scheduler for x86 moves an instruction that is the last use of two
/// registers up to their definitions, so that each addition would wait for its
/// multiplication, which costs about 10% of the time. It moves nothing across
/// inline assembly with side effects, even if that is empty.
void PanelLoops::keepOrder() {
  if (plan.machine != Machine::X86)
    return;
  createInlineAsm(builder, builder.getLoc(), TypeRange(), ValueRange(),
                  /*text=*/"", /*constraints=*/"", /*hasSideEffects=*/true);
}

/// Emits one step of K, which reads `panelRow` from lane `shift` on. If a
/// separate instruction adds, the multiplications of a row precede its
/// additions: they do not depend on the previous step, and keep the CPU busy
/// while the additions wait for it.
SmallVector<Value> PanelLoops::accumulateStep(int64_t rows, int64_t lanes,
                                              Value step, Value panelRow,
                                              int64_t shift,
                                              ValueRange accumulators) {
  int64_t width = std::min(lanes, plan.registerLanes);
  Type element = getElementTypeOrSelf(packed->get());
  auto type = VectorType::get({width}, element);
  SmallVector<Value> vectors, results;
  for (int64_t lane = 0; lane < lanes; lane += width)
    vectors.push_back(loadPanel(type, panelRow, getConstant(lane + shift)));
  auto getAccumulator = [&](int64_t row, size_t index) {
    return accumulators[row * vectors.size() + index];
  };
  const std::optional<PackedDotProduct> &dotProduct = plan.dotProduct;
  bool hasSeparateAdd = dotProduct && dotProduct->hasSeparateAdd() &&
                        width == dotProduct->getLanes();
  std::optional<MultiplyAccumulate> body = MultiplyAccumulate::get(op);
  bool isUnpackedLhs =
      dotProduct ? unpacked == op.getDpsInputOperand(0)
                 : body->lhs == Value(op.getMatchingBlockArgument(unpacked));
  for (int64_t row = 0; row < rows; ++row) {
    Value unpackedVector =
        broadcast(memref::LoadOp::create(builder, unpackedSteps,
                                         getUnpackedIndices(row, step)),
                  width);
    SmallVector<Value> products;
    for (auto [index, vector] : llvm::enumerate(vectors)) {
      Value lhs = isUnpackedLhs ? unpackedVector : vector,
            rhs = isUnpackedLhs ? vector : unpackedVector;
      if (hasSeparateAdd)
        products.push_back(dotProduct->multiply(builder, lhs, rhs));
      else
        results.push_back(
            dotProduct
                ? dotProduct->add(builder, getAccumulator(row, index), lhs, rhs)
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
