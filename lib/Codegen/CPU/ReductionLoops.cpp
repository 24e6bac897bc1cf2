//===- ReductionLoops.cpp - Vector loops of reductions --------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReductionLoops.h"
#include "../Common/Conditionals.h"
#include "MatmulPanels.h"
#include "TransposeInRegisters.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace mlir::quant_float;
using llvm::SaveAndRestore;

std::unique_ptr<ReductionLoops>
ReductionLoops::create(const ReductionPlan &plan,
                       const ReductionContext &context) {
  switch (plan.getStrategy()) {
  case LoweringStrategy::SquareBlocks:
    return createSquareBlockLoops(plan, context);
  case LoweringStrategy::Folded:
    return createFoldedLoops(plan, context);
  case LoweringStrategy::WindowRows:
    return createWindowRowLoops(plan, context);
  case LoweringStrategy::Panels:
    if (!plan.panel->matrix)
      return std::make_unique<PanelLoops>(plan, context);
    return std::make_unique<MatrixInstructionLoops>(plan, context);
  case LoweringStrategy::MatrixTiles:
    return createAmxTileLoops(plan, context);
  default:
    return std::make_unique<ReductionLoops>(plan, context);
  }
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

SmallVector<Value> ReductionLoops::emitFor(
    Value from, Value to, int64_t step, ValueRange inits,
    llvm::function_ref<SmallVector<Value>(Value, ValueRange)> body) {
  auto forOp = scf::ForOp::create(builder, from, to, getConstant(step), inits);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(forOp.getBody());
  scf::YieldOp::create(
      builder, body(forOp.getInductionVar(), forOp.getRegionIterArgs()));
  return SmallVector<Value>(forOp.getResults());
}

void ReductionLoops::emitFor(Value from, Value to, Value step,
                             llvm::function_ref<void(Value)> body) {
  auto forOp = scf::ForOp::create(builder, from, to, step);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(forOp.getBody());
  body(forOp.getInductionVar());
}

void ReductionLoops::emitIf(Value condition, llvm::function_ref<void()> body) {
  quant_float::emitIf(builder, builder.getLoc(), condition, body);
}

void ReductionLoops::emitTiles(unsigned loop, ArrayRef<int64_t> tiles,
                               llvm::function_ref<void(int64_t)> body) {
  auto emitLoop = [&](Value from, Value to, int64_t step, int64_t tile) {
    emitFor(from, to, getConstant(step), [&](Value index) {
      position[loop] = index;
      body(tile);
    });
  };
  if (!plan.isDynamic(loop)) {
    for (auto [from, to, tile] : plan.getTiles(loop, tiles.front())) {
      if (to - from != tile) {
        emitLoop(getConstant(from), getConstant(to), tile, tile);
        continue;
      }
      position[loop] = builder.getIndexAttr(from);
      body(tile);
    }
    return;
  }
  Value from = getConstant(0), to = sizes[loop];
  for (int64_t tile : tiles.drop_back()) {
    Value full = getEndOfFullSteps(from, to, tile);
    emitLoop(from, full, tile, tile);
    from = full;
  }
  emitLoop(from, to, tiles.back(),
           tiles.back() == 1 ? 1 : ShapedType::kDynamic);
}

void ReductionLoops::emitOuterLoops(ArrayRef<unsigned> loops) {
  if (loops.empty())
    return emitInnerLoops();
  emitTiles(loops.front(), {1},
            [&](int64_t) { emitOuterLoops(loops.drop_front()); });
}

/// Processes all rows of a column of vectors before the next column, so that
/// the vectors that rows share, which may be far apart, remain in the cache.
void ReductionLoops::emitColumns() {
  if (!plan.vectorLoop)
    return emitColumn(0);
  SmallVector<int64_t> tiles = plan.getColumnTiles();
  emitTiles(*plan.vectorLoop, tiles, [&](int64_t elements) {
    Value numValid;
    if (ShapedType::isDynamic(elements)) {
      elements = tiles.back();
      numValid = arith::SubIOp::create(builder, sizes[*plan.vectorLoop],
                                       getValue(position[*plan.vectorLoop]));
    } else if (plan.isMasked(elements)) {
      numValid = getConstant(elements);
    }
    validLanes = elements;
    numRemaining = plan.isDynamic(*plan.vectorLoop) ? numValid : Value();
    int64_t lanes = elements == 1 && !numValid ? 0 : elements;
    if (numValid)
      lanes = llvm::alignTo(lanes, plan.registerLanes);
    mask = Value();
    if (numValid && !plan.panel)
      mask = createMask(lanes, numValid);
    emitColumn(lanes);
  });
}

void ReductionLoops::emitColumn(int64_t lanes) {
  auto emitRows = [&](int64_t rows) { emitTile(rows, lanes); };
  if (!plan.rowLoop)
    return emitRows(1);
  if (lanes && plan.isPlainContraction)
    return emitRowTiles(lanes, emitRows);
  emitTiles(*plan.rowLoop, {plan.getRows(lanes), 1}, emitRows);
}

/// All rows of a remainder of a dynamic number of rows form one more tile,
/// which computes the last row several times to fill up. A loop over single
/// rows would read the entire matrix for each, with too few independent
/// accumulators. A remainder of one row is emitted as a tile of one row.
void ReductionLoops::emitRowTiles(int64_t lanes,
                                  llvm::function_ref<void(int64_t)> body) {
  unsigned loop = *plan.rowLoop;
  int64_t rows = plan.getRows(lanes);
  if (!plan.isDynamic(loop))
    return emitTiles(loop, {rows, 1}, body);
  Value extent = sizes[loop], one = getConstant(1);
  Value remainder = arith::RemSIOp::create(builder, extent, getConstant(rows));
  Value full = arith::SubIOp::create(builder, extent, remainder);
  emitFor(getConstant(0), full, getConstant(rows), [&](Value index) {
    position[loop] = index;
    body(rows);
  });
  position[loop] = full;
  auto compareRemainder = [&](arith::CmpIPredicate predicate) {
    return arith::CmpIOp::create(builder, predicate, remainder, one);
  };
  emitIf(compareRemainder(arith::CmpIPredicate::eq), [&] { body(1); });
  emitIf(compareRemainder(arith::CmpIPredicate::sgt), [&] {
    Value last = arith::SubIOp::create(builder, extent, one);
    for (int64_t row = 0; row < rows; ++row) {
      Value rowIndex = arith::AddIOp::create(builder, full, getConstant(row));
      lastRows.push_back(arith::MinSIOp::create(builder, rowIndex, last));
    }
    body(rows);
    lastRows.clear();
  });
}

void ReductionLoops::forEachRegister(int64_t lanes,
                                     llvm::function_ref<void(int64_t)> body) {
  SaveAndRestore first(position[*plan.vectorLoop]);
  SaveAndRestore allMask(mask);
  SaveAndRestore allValidLanes(validLanes);
  int64_t width = std::min(lanes, plan.registerLanes);
  for (int64_t lane = 0; lane < lanes; lane += width) {
    position[*plan.vectorLoop] = add(first.get(), lane);
    validLanes = std::min(allValidLanes.get() - lane, width);
    mask = Value();
    if (numRemaining)
      mask = createMask(width, builder.createOrFold<arith::SubIOp>(
                                   numRemaining, getConstant(lane)));
    else if (validLanes < width)
      mask = createMask(width, getConstant(validLanes));
    body(lane);
  }
}

//===----------------------------------------------------------------------===//
// Tiles of accumulators
//===----------------------------------------------------------------------===//

/// Accumulates `rows` times `lanes` elements in registers (0 lanes: scalars).
void ReductionLoops::emitTile(int64_t rows, int64_t lanes) {
  SmallVector<Value> accumulators;
  for (int64_t row = 0; row < rows; ++row)
    for (OpOperand &init : op.getDpsInitsMutable())
      accumulators.push_back(accumulatorInit ? createInit(row, lanes)
                                             : load(&init, row, lanes));
  accumulators = emitReductions(plan.reductions, rows, lanes, accumulators);
  auto *next = accumulators.begin();
  for (int64_t row = 0; row < rows; ++row)
    for (OpOperand &init : op.getDpsInitsMutable())
      store(&init, row, *next++);
}

SmallVector<Value> ReductionLoops::emitReductions(ArrayRef<unsigned> loops,
                                                  int64_t rows, int64_t lanes,
                                                  ValueRange accumulators) {
  if (loops.empty())
    return emitStep(rows, lanes, accumulators);
  if (plan.reductions.size() - loops.size() < plan.firstUnrolled)
    return emitReductionLoop(loops, rows, lanes, accumulators);
  SmallVector<Value> results(accumulators);
  for (int64_t i = 0; i < plan.ranges[loops.front()]; ++i) {
    position[loops.front()] = builder.getIndexAttr(i);
    results = emitReductions(loops.drop_front(), rows, lanes, results);
  }
  return results;
}

SmallVector<Value> ReductionLoops::emitReductionLoop(ArrayRef<unsigned> loops,
                                                     int64_t rows,
                                                     int64_t lanes,
                                                     ValueRange accumulators) {
  return emitFor(getConstant(0), sizes[loops.front()], 1, accumulators,
                 [&](Value index, ValueRange current) {
                   position[loops.front()] = index;
                   return emitReductions(loops.drop_front(), rows, lanes,
                                         current);
                 });
}

SmallVector<Value> ReductionLoops::emitStep(int64_t rows, int64_t lanes,
                                            ValueRange accumulators) {
  SmallVector<Value> results;
  unsigned numOutputs = op.getNumDpsInits();
  SmallVector<Value> shared(columns);
  shared.resize(op.getNumDpsInputs());
  for (int64_t row = 0; row < rows; ++row) {
    SmallVector<Value> arguments;
    for (auto [index, input] : llvm::enumerate(op.getDpsInputOperands())) {
      bool isShared = !plan.rowLoop ||
                      getAccess(op, input, *plan.rowLoop) == Access::Invariant;
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

/// Emits the op's body on vectors. Values that are invariant along the vectors
/// remain scalar.
SmallVector<Value> ReductionLoops::emitBody(ValueRange arguments, int64_t row,
                                            int64_t lanes) {
  if (plan.dotProduct && lanes)
    return {plan.dotProduct->add(builder, broadcast(arguments[2], lanes),
                                 broadcast(arguments[0], lanes),
                                 broadcast(arguments[1], lanes))};
  return quant_float::emitBody(
      builder, op, arguments, lanes, [&](unsigned loop) {
        Value index = getValue(loop == plan.rowLoop ? add(position[loop], row)
                                                    : position[loop]);
        return lanes && loop == plan.vectorLoop
                   ? createIndexVector(builder, index, lanes)
                   : index;
      });
}

Value ReductionLoops::combine(size_t index, Value lhs, Value rhs) {
  Operation *copy = builder.clone(*getCombiners(op)[index]);
  copy->setOperands({lhs, rhs});
  copy->getResult(0).setType(lhs.getType());
  return copy->getResult(0);
}

Value ReductionLoops::createNeutral(size_t index, int64_t lanes) {
  TypedAttr neutral = *arith::getNeutralElement(getCombiners(op)[index]);
  auto type = VectorType::get({lanes}, neutral.getType());
  return arith::ConstantOp::create(
      builder, DenseElementsAttr::get(type, Attribute(neutral)));
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

SmallVector<OpFoldResult> ReductionLoops::getOutputPosition(int64_t row) {
  SmallVector<OpFoldResult> outputPosition(position);
  if (plan.rowLoop && !lastRows.empty())
    outputPosition[*plan.rowLoop] = lastRows[row];
  else if (plan.rowLoop && row)
    outputPosition[*plan.rowLoop] = add(position[*plan.rowLoop], row);
  return outputPosition;
}

Value ReductionLoops::createMask(int64_t lanes, Value valid) {
  auto type = VectorType::get({lanes}, builder.getI1Type());
  return vector::CreateMaskOp::create(builder, type, valid);
}

Value ReductionLoops::load(OpOperand *operand, int64_t row, int64_t lanes) {
  auto memory = dyn_cast<MemRefType>(operand->get().getType());
  if (!memory)
    return operand->get();
  Access access =
      lanes ? getAccess(op, operand, *plan.getLaneLoop()) : Access::Invariant;
  if (access == Access::Invariant)
    return memref::LoadOp::create(builder, operand->get(),
                                  getIndices(operand, row));
  Type element = memory.getElementType();
  auto type = VectorType::get({lanes}, element);
  if (access == Access::Contiguous && mask)
    return vector::MaskedLoadOp::create(builder, type, operand->get(),
                                        getIndices(operand, row), mask,
                                        createZero(type));
  if (access == Access::Contiguous)
    return vector::LoadOp::create(builder, type, operand->get(),
                                  getIndices(operand, row));
  SmallVector<Value> elements;
  SaveAndRestore first(position[*plan.vectorLoop]);
  for (int64_t lane = 0; lane < lanes; ++lane) {
    if (lane >= validLanes) {
      elements.push_back(createZero(element));
      continue;
    }
    position[*plan.vectorLoop] = add(first.get(), lane);
    elements.push_back(memref::LoadOp::create(builder, operand->get(),
                                              getIndices(operand, row)));
  }
  return vector::FromElementsOp::create(builder, type, elements);
}

void ReductionLoops::store(OpOperand *operand, int64_t row, Value value) {
  SmallVector<Value> indices = getIndices(operand, row);
  if (!isa<VectorType>(value.getType()))
    memref::StoreOp::create(builder, value, operand->get(), indices);
  else if (mask)
    vector::MaskedStoreOp::create(builder, operand->get(), indices, mask,
                                  value);
  else
    vector::StoreOp::create(builder, value, operand->get(), indices);
}

SmallVector<Value> ReductionLoops::loadBlock(OpOperand *operand) {
  int64_t lanes = plan.registerLanes;
  Type element = cast<MemRefType>(operand->get().getType()).getElementType();
  auto type = VectorType::get({lanes}, element);
  SmallVector<Value> vectors;
  {
    SaveAndRestore first(position[*plan.vectorLoop]);
    for (int64_t lane = 0; lane < lanes; ++lane) {
      if (lane >= validLanes) {
        vectors.push_back(createZero(type));
        continue;
      }
      position[*plan.vectorLoop] = add(first.get(), lane);
      vectors.push_back(vector::LoadOp::create(builder, type, operand->get(),
                                               getIndices(operand, 0)));
    }
  }
  return transposeInRegisters(builder, op.getLoc(), vectors);
}
