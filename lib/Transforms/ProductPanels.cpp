//===- ProductPanels.cpp - Products of vectors that are side by side ------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All rows of a product read the same vectors, step by step. In the matrix, or
// in the image under a window, they lie far apart, across lines and pages:
// loads wait for them, row after row. So a column of vectors is copied first,
// as far along the sum as half of the first cache holds, and has all of its
// rows before the next:
//
//   for a part of the sum:
//     for a column of vectors:
//       panel[step] = vectors of the step, for the steps of the part
//       for some rows:
//         sums = output
//         for a step of the part:
//           sums += row[step] * panel[step]
//         output = sums
//
// Where the vectors lie across the sum, the copy turns squares of them around.
// Few rows are not worth a copy: where only a run tells how many there are, it
// chooses.
//
//===----------------------------------------------------------------------===//

#include "ReductionLoops.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::quant_float;
using linalg::GenericOp;

/// Whether the body multiplies two floats as they are, and adds.
bool ReductionLoopNest::isPlainProduct() const {
  Block *body = GenericOp(op).getBody();
  return body->getOperations().size() == 3 &&
         isa<arith::MulFOp>(body->front()) &&
         isa<arith::AddFOp>(*body->front().getNextNode());
}

/// The operand's dimensions that are the reductions, in their order, as one;
/// null where they are others, or apart in memory.
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

/// So many rows are worth a copy of what they share.
static constexpr int64_t kFewestSharing = 16;

/// Products of floats, or of words by instructions, with rows enough, as far as
/// that is known.
void ReductionLoopNest::choosePanel() {
  if (!vectorLoop || !rowLoop || !(isPlainProduct() || dots) ||
      (blockLoop && !hasOpen(*rowLoop)) || op.getNumDpsInputs() != 2 ||
      op.getNumDpsInits() != 1 ||
      (!hasOpen(*rowLoop) && ranges[*rowLoop] < kFewestSharing))
    return;
  SmallVector<unsigned> reductions;
  for (unsigned loop = 0; loop < numLoops; ++loop) {
    if (iterators[loop] == utils::IteratorType::parallel)
      continue;
    // Parts are of the outermost.
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
    // Which sizes of models may be beyond.
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
  int64_t most = kPanelBytes / (lanes * bits / 8 * innerSteps);
  if (most == 0 ||
      !(ownSteps = collapseReductions(builder, op, rows, reductions))) {
    partLoop = std::nullopt;
    blockLoop = fewRowsBlockLoop;
    return;
  }
  vectorLanes = allLanes;
  shared = vectors;
  own = rows;
  partSteps = most;
  if (!ShapedType::isDynamic(ranges[*partLoop]))
    partSteps = llvm::divideCeil(ranges[*partLoop],
                                 llvm::divideCeil(ranges[*partLoop], most));
  // Whole squares.
  if (isTurned)
    partSteps =
        std::min(most, int64_t(llvm::alignTo(partSteps, registerLanes)));
  panel = getPanelBuffer();
  chooseMatrix();
}

/// All loops once with a panel, for as many rows as are worth it, and once
/// without.
void ReductionLoopNest::emitManyOrFewRows(llvm::function_ref<void()> emitAll) {
  Value areMany =
      arith::CmpIOp::create(builder, arith::CmpIPredicate::sge, sizes[*rowLoop],
                            getConstant(kFewestSharing));
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
    // Parts of the same size here, too. One of nothing begins the sums.
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

/// One column of vectors: its copy, and the tiles of all rows.
void ReductionLoopNest::emitPanel(int64_t lanes) {
  lanes = std::max<int64_t>(lanes, 1);
  Type element = getElementTypeOrSelf(shared->get());
  Value buffer = std::exchange(panel, Value());
  int64_t steps = llvm::alignTo(partSteps * innerSteps,
                                hasMatrices(lanes) ? blockSteps : 1);
  panel =
      memref::ViewOp::create(builder, MemRefType::get({steps, lanes}, element),
                             buffer, getConstant(0), ValueRange());
  SmallVector<unsigned> reductions;
  for (unsigned loop = 0; loop < numLoops; ++loop)
    if (iterators[loop] != utils::IteratorType::parallel)
      reductions.push_back(loop);
  emitCopies(reductions, getConstant(0), lanes);
  // From here on one loop stands for them.
  for (unsigned loop : reductions)
    position[loop] = builder.getIndexAttr(0);
  if (hasMatrices(lanes))
    arrangePanel(lanes);
  auto emitRowsOf = [&](int64_t rows) {
    if (hasMatrices(lanes))
      emitMatrices(rows, lanes);
    else
      emitProducts(rows, lanes);
  };
  if (hasOpen(*rowLoop))
    emitOpenRows(chooseRows(lanes), emitRowsOf);
  else
    emitTiles(*rowLoop, {chooseRows(lanes), 1}, emitRowsOf);
  if (hasMatrices(lanes) && matrix->hasTiles())
    releaseTiles();
  panel = buffer;
}

/// The loops of `loops` and on. `step` is how many steps of the first there
/// were before.
void ReductionLoopNest::emitCopies(ArrayRef<unsigned> loops, Value step,
                                   int64_t lanes) {
  if (loops.empty())
    return forEachRegister(lanes, [&](int64_t lane) {
      Value copied = load(shared, /*row=*/0, std::min(lanes, registerLanes));
      vector::StoreOp::create(builder, copied, panel,
                              ValueRange{step, getConstant(lane)});
    });
  unsigned loop = loops.front();
  bool isOuter = loop == partLoop;
  Value from = isOuter ? partStart : getConstant(0);
  Value to = isOuter ? partEnd : sizes[loop];
  AffineExpr before = builder.getAffineDimExpr(0);
  AffineExpr now = builder.getAffineDimExpr(1);
  auto getStep = [&](Value place) {
    OpFoldResult next =
        isOuter
            ? affine::makeComposedFoldedAffineApply(
                  builder, op.getLoc(), now - before, {partStart, place})
            : affine::makeComposedFoldedAffineApply(builder, op.getLoc(),
                                                    before * ranges[loop] + now,
                                                    {step, place});
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

/// Copies vectors that lie across the sum, as many steps at once as a register
/// has lanes. Returns where these end.
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

/// What a part's sums begin with: what the parts before have left, or what all
/// sums begin with.
SmallVector<Value> ReductionLoopNest::beginSums(int64_t rows, int64_t lanes) {
  int64_t width = std::min(lanes, registerLanes);
  auto loadAll = [&] {
    SmallVector<Value> sums;
    for (int64_t row = 0; row < rows; ++row)
      forEachRegister(lanes, [&](int64_t) {
        sums.push_back(load(op.getDpsInitOperand(0), row, width));
      });
    return sums;
  };
  auto buildAll = [&] {
    SmallVector<Value> sums;
    for (int64_t row = 0; row < rows; ++row)
      sums.append(llvm::divideCeil(lanes, width),
                  broadcast(start->build(builder, getPlaces(row)), width));
    return sums;
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

std::pair<Value, Value> ReductionLoopNest::getPartSteps() {
  AffineExpr outer = builder.getAffineDimExpr(0);
  auto count = [&](Value parts) {
    return getValueOrCreateConstantIndexOp(
        builder, op.getLoc(),
        affine::makeComposedFoldedAffineApply(builder, op.getLoc(),
                                              outer * innerSteps, {parts}));
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

void ReductionLoopNest::storeSums(int64_t rows, int64_t lanes,
                                  ValueRange sums) {
  OpOperand *output = op.getDpsInitOperand(0);
  auto next = sums.begin();
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

/// Sums of `rows` times `lanes` elements over a part, in registers.
void ReductionLoopNest::emitProducts(int64_t rows, int64_t lanes) {
  SmallVector<Value> sums = beginSums(rows, lanes);
  auto [from, to] = getPartSteps();
  auto forOp = scf::ForOp::create(builder, from, to, getConstant(1), sums);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(forOp.getBody());
    scf::YieldOp::create(builder,
                         emitProductStep(rows, lanes, forOp.getInductionVar(),
                                         from, forOp.getRegionIterArgs()));
  }
  storeSums(rows, lanes, forOp.getResults());
}

/// LLVM for x86 moves what uses two registers for the last time up, to where
/// they are computed, so that each sum would wait for its product: a tenth of
/// the time. Over an assembler text with effects, be it empty, it moves
/// nothing.
void ReductionLoopNest::keepOrder() {
  if (machine != Machine::X86)
    return;
  LLVM::InlineAsmOp::create(
      builder, TypeRange(), ValueRange(), /*asm_string=*/"",
      /*constraints=*/"", /*has_side_effects=*/true, /*is_align_stack=*/false,
      LLVM::TailCallKind::None,
      LLVM::AsmDialectAttr::get(builder.getContext(), LLVM::AsmDialect::AD_ATT),
      /*operand_attrs=*/ArrayAttr());
}

/// One step of the sum, `first` being that of the panel. A row's products come
/// before its sums: they wait for nobody, and the CPU is busy with them while
/// sums wait for the step before.
SmallVector<Value> ReductionLoopNest::emitProductStep(int64_t rows,
                                                      int64_t lanes, Value step,
                                                      Value first,
                                                      ValueRange sums) {
  int64_t width = std::min(lanes, registerLanes);
  Type element = getElementTypeOrSelf(shared->get());
  auto type = VectorType::get({width}, element);
  Block *body = op.getBody();
  Operation *multiply = &body->front(), *add = multiply->getNextNode();
  SmallVector<Value> vectors, results;
  Value place = arith::SubIOp::create(builder, step, first);
  for (int64_t lane = 0; lane < lanes; lane += width)
    vectors.push_back(vector::LoadOp::create(
        builder, type, panel, ValueRange{place, getConstant(lane)}));
  auto getSum = [&](int64_t row, size_t index) {
    return sums[row * vectors.size() + index];
  };
  bool isApart = dots && dots->isApart() && width == dots->getLanes();
  for (int64_t row = 0; row < rows; ++row) {
    Value factor = broadcast(
        memref::LoadOp::create(builder, ownSteps, getOwnIndices(row, step)),
        width);
    SmallVector<Value> products;
    SmallVector<IRMapping> mappings(vectors.size());
    for (auto [index, vector, mapping] : llvm::enumerate(vectors, mappings)) {
      if (dots) {
        bool isFirst = own == op.getDpsInputOperand(0);
        Value lhs = isFirst ? factor : vector, rhs = isFirst ? vector : factor;
        products.push_back(
            isApart ? dots->multiply(builder, lhs, rhs)
                    : dots->add(builder, getSum(row, index), lhs, rhs));
        continue;
      }
      mapping.map(op.getMatchingBlockArgument(own), factor);
      mapping.map(op.getMatchingBlockArgument(shared), vector);
      mapping.map(body->getArguments().back(), getSum(row, index));
      builder.clone(*multiply, mapping)->getResult(0).setType(type);
    }
    if (!dots || isApart)
      keepOrder();
    for (auto [index, mapping] : llvm::enumerate(mappings)) {
      Value sum;
      if (dots)
        sum = isApart ? arith::AddIOp::create(builder, getSum(row, index),
                                              products[index])
                      : products[index];
      else
        sum = builder.clone(*add, mapping)->getResult(0);
      sum.setType(type);
      results.push_back(sum);
    }
  }
  return results;
}
