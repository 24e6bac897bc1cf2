//===- Recurrent.cpp - Lowering of RNN, GRU and LSTM ----------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RecurrentActivations.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/TypeUtilities.h"
#include "quant-float/IR/OpsetRules.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::onnx_nodes;

using BuilderT = ImplicitLocOpBuilder;

//===----------------------------------------------------------------------===//
// Recurrent layers
//===----------------------------------------------------------------------===//

namespace {
/// The indices of the inputs. LSTM alone has the last two.
enum Input {
  kSequence,
  kWeight,
  kRecurrence,
  kBias,
  kLengths,
  kInitialState,
  kInitialCell,
  kPeepholes,
  kNumInputs
};

/// The results of one direction: the states of all steps, the last state and,
/// for LSTM, the last cell state.
struct Direction {
  Value states, last, cell;
};

/// A recurrent layer (RNN, GRU or LSTM), computed in the compute type.
///
/// For each direction, one contraction multiplies the weight with the inputs of
/// all steps and adds the biases. Each step then adds the contraction of the
/// recurrent weight with the previous state. The states of all steps are stored
/// in one tensor, which starts with the initial state. The backward direction
/// is the forward direction on the reversed sequence.
class Recurrence {
public:
  Recurrence(NodeContext &context, int64_t gates)
      : context(context), b(context.b), gates(gates),
        type(getComputeType(context.elementType(0))) {}
  virtual ~Recurrence() = default;

  LogicalResult analyze(ArrayRef<StringRef> activationNames);
  NodeResults build();

protected:
  /// Checks the element types of all inputs.
  virtual LogicalResult checkTypes();
  /// Builds the contraction of the weight with the inputs of all steps: (steps,
  /// batch, gates * hidden). It includes the biases, unless the layer adds them
  /// in each step.
  virtual Value buildInputContraction(int64_t direction, Value sequence);
  /// The state of a step and the cell state, which is null if there is none.
  struct State {
    Value state, cell;
  };
  virtual State buildStep(BuilderT &b, int64_t direction, Value accumulators,
                          State before, Value isRunning) = 0;

  /// Slices `count` gates from a tensor (batch, gates * hidden).
  Value takeGate(BuilderT &b, Value accumulators, int64_t gate,
                 int64_t count = 1);
  /// Slices the rows of `count` gates of one direction from an input
  /// (direction, gates * hidden, ...).
  Value takeRows(Value tensor, int64_t direction, int64_t first, int64_t count);
  /// Computes accumulators + operand * weight^T, where `operand` is (batch, K)
  /// and `weight` is (rows, K).
  Value multiply(BuilderT &b, Value operand, Value weight, Value accumulators);
  /// Builds an elementwise op with a result (batch, hidden). Inputs of shape
  /// (hidden) are broadcast.
  Value combine(BuilderT &b, ValueRange inputs, ElementBody body);
  Value activate(BuilderT &b, int64_t direction, size_t index, Value x);
  /// Selects the new value, or the previous one for sequences that have ended.
  /// A null `isRunning` means that no sequence has ended.
  Value choose(BuilderT &b, Value isRunning, Value next, Value before);
  Value toComputeType(Value tensor);

  NodeContext &context;
  BuilderT &b;
  int64_t gates, hidden = 0, directions = 1;
  /// Whether the K axis of the weights precedes the axis of the gates.
  bool isInnerFirst = false;
  Type type;
  OpFoldResult steps, batch;
  SmallVector<Activation> activations;

private:
  Direction buildDirection(int64_t direction);
  /// Reverses the steps of each sequence, up to its length.
  Value reverse(Value sequence);
  Value getInitial(size_t input, int64_t direction);

  bool isBatchFirst = false;
  bool startsBackward = false;
};
} // namespace

static SmallVector<OpFoldResult> makeSizes(Builder &b,
                                           ArrayRef<int64_t> sizes) {
  return getAsIndexOpFoldResult(b.getContext(), sizes);
}

/// Slices a tensor and drops the first `dropped` axes, which have size 1.
static Value takePart(BuilderT &b, Value tensor, ArrayRef<OpFoldResult> offsets,
                      ArrayRef<OpFoldResult> sizes, size_t dropped) {
  SmallVector<OpFoldResult> strides(sizes.size(), b.getIndexAttr(1));
  auto type = RankedTensorType::get(getShape(sizes.drop_front(dropped)),
                                    getElementTypeOrSelf(tensor));
  return tensor::ExtractSliceOp::create(b, type, tensor, offsets, sizes,
                                        strides);
}

LogicalResult Recurrence::checkTypes() {
  // All inputs have the element type of input 0, except for the lengths.
  for (size_t i = 1; i < context.inputs.size(); ++i)
    if (i != kLengths && context.input(i) &&
        failed(context.requireElementType(i, context.elementType(0))))
      return failure();
  return success();
}

LogicalResult Recurrence::analyze(ArrayRef<StringRef> activationNames) {
  isBatchFirst = context.getFlag("layout");
  StringRef direction = context.getString("direction");
  directions = direction == "bidirectional" ? 2 : 1;
  startsBackward = direction == "reverse";
  if (failed(checkTypes()))
    return failure();
  constexpr int64_t kRanks[] = {3, 3, 3, 2, 1, 3, 3, 2};
  for (auto [i, rank] : llvm::enumerate(kRanks))
    if (context.input(i) && context.type(i).getRank() != rank)
      return context.unsupported("input " + Twine(i) + " must have rank " +
                                 Twine(rank) + ", but got " +
                                 Twine(context.type(i).getRank()));
  SmallVector<OpFoldResult> sequence = context.getSizes(context.input(0));
  SmallVector<OpFoldResult> recurrence =
      context.getSizes(context.input(kRecurrence));
  steps = sequence[isBatchFirst ? 1 : 0];
  batch = sequence[isBatchFirst ? 0 : 1];
  std::optional<int64_t> size =
      getConstantIntValue(recurrence[isInnerFirst ? 1 : 2]);
  // If the shape of the weight is dynamic, the attribute specifies the size.
  if (!size && context.has("hidden_size")) {
    size = context.getInt("hidden_size");
    if (failed(context.requireRange("hidden_size", *size, 1)))
      return failure();
  }
  if (!size)
    return context.unsupported("the number of hidden elements must be known");
  hidden = context.getInt("hidden_size", *size);
  if (hidden != *size || hidden < 1)
    return context.unsupported("attribute 'hidden_size' has " + Twine(hidden) +
                               " where the recurrent weight has " +
                               Twine(*size));
  OpFoldResult all = b.getIndexAttr(directions);
  OpFoldResult own = b.getIndexAttr(hidden);
  auto rows = [&](int64_t count) {
    return OpFoldResult(b.getIndexAttr(count * hidden));
  };
  auto getWeightSizes = [&](OpFoldResult inner) {
    return isInnerFirst ? SmallVector<OpFoldResult>{all, inner, rows(gates)}
                        : SmallVector<OpFoldResult>{all, rows(gates), inner};
  };
  SmallVector<OpFoldResult> state =
      isBatchFirst ? SmallVector<OpFoldResult>{batch, all, own}
                   : SmallVector<OpFoldResult>{all, batch, own};
  const SmallVector<OpFoldResult> expected[] = {{},
                                                getWeightSizes(sequence[2]),
                                                getWeightSizes(own),
                                                {all, rows(2 * gates)},
                                                {batch},
                                                state,
                                                state,
                                                {all, rows(3)}};
  for (size_t i = 1; i < kNumInputs; ++i) {
    if (!context.input(i))
      continue;
    SmallVector<OpFoldResult> inputSizes = context.getSizes(context.input(i));
    for (auto [axis, size] : llvm::enumerate(inputSizes))
      if (failed(context.requireEqual(expected[i][axis], size,
                                      "the size of axis " + Twine(axis) +
                                          " of input " + Twine(i))))
        return failure();
  }
  if (failed(requireSequenceLengths(context, kLengths, batch)))
    return failure();
  FailureOr<SmallVector<Activation>> functions =
      getActivations(context, activationNames, directions);
  if (failed(functions))
    return failure();
  activations = *functions;
  if (isBatchFirst)
    context.inputs[0] = buildTranspose(context, context.input(0), {1, 0, 2});
  return success();
}

Value Recurrence::toComputeType(Value tensor) {
  int64_t rank = cast<RankedTensorType>(tensor.getType()).getRank();
  if (getElementTypeOrSelf(tensor) == type)
    return tensor;
  return buildParallel(
      b, context.getSizes(tensor), type, tensor, b.getMultiDimIdentityMap(rank),
      [](BuilderT &b, ValueRange args) { return toCompute(b, args[0]); });
}

Value Recurrence::takeGate(BuilderT &b, Value accumulators, int64_t gate,
                           int64_t count) {
  return takePart(b, accumulators, makeSizes(b, {0, gate * hidden}),
                  {batch, b.getIndexAttr(count * hidden)}, /*dropped=*/0);
}

Value Recurrence::takeRows(Value tensor, int64_t direction, int64_t first,
                           int64_t count) {
  SmallVector<OpFoldResult> sizes = context.getSizes(tensor);
  SmallVector<OpFoldResult> offsets(sizes.size(), b.getIndexAttr(0));
  offsets[0] = b.getIndexAttr(direction);
  offsets[1] = b.getIndexAttr(first * hidden);
  sizes[0] = b.getIndexAttr(1);
  sizes[1] = b.getIndexAttr(count * hidden);
  return takePart(b, tensor, offsets, sizes, /*dropped=*/1);
}

Value Recurrence::multiply(BuilderT &b, Value operand, Value weight,
                           Value accumulators) {
  AffineExpr row, column, inner;
  bindDims(b.getContext(), row, column, inner);
  auto getMap = [&](ArrayRef<AffineExpr> exprs) {
    return AffineMap::get(3, 0, exprs, b.getContext());
  };
  return buildReduction(
             b, {operand, weight},
             {getMap({row, inner}), getMap({column, inner})}, accumulators,
             getMap({row, column}),
             [](BuilderT &b, ValueRange elements, ValueRange accumulators) {
               return multiplyAndAdd(b, elements, accumulators);
             })
      .front();
}

Value Recurrence::combine(BuilderT &b, ValueRange inputs, ElementBody body) {
  AffineExpr row, column;
  bindDims(b.getContext(), row, column);
  SmallVector<AffineMap> maps;
  for (Value input : inputs) {
    SmallVector<AffineExpr> exprs = {row, column};
    if (cast<RankedTensorType>(input.getType()).getRank() == 1)
      exprs.erase(exprs.begin());
    maps.push_back(AffineMap::get(2, 0, exprs, b.getContext()));
  }
  return buildParallel(b, {batch, b.getIndexAttr(hidden)}, type, inputs, maps,
                       body);
}

Value Recurrence::activate(BuilderT &b, int64_t direction, size_t index,
                           Value x) {
  size_t own = activations.size() / directions;
  const Activation &activation = activations[direction * own + index];
  // Exporters write 0 to disable clipping.
  double limit = context.has("clip") ? context.getFloat("clip") : 0;
  if (limit != 0)
    x = clamp(b, x, number(b, x, -limit), number(b, x, limit));
  return activation.build(b, x, number(b, x, activation.alpha),
                          number(b, x, activation.beta));
}

Value Recurrence::choose(BuilderT &b, Value isRunning, Value next,
                         Value before) {
  if (!isRunning)
    return next;
  AffineExpr row, column;
  bindDims(b.getContext(), row, column);
  AffineMap all = b.getMultiDimIdentityMap(2);
  return buildParallel(
      b, {batch, b.getIndexAttr(hidden)}, type, {isRunning, next, before},
      {AffineMap::get(2, 0, row, b.getContext()), all, all},
      [](BuilderT &b, ValueRange args) -> Value {
        return arith::SelectOp::create(b, args[0], args[1], args[2]);
      });
}

Value Recurrence::reverse(Value sequence) {
  Value lengths = context.input(kLengths);
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  if (lengths) {
    inputs.push_back(lengths);
    maps.push_back(AffineMap::get(3, 0, b.getAffineDimExpr(1), b.getContext()));
  }
  SmallVector<OpFoldResult> sizes = context.getSizes(sequence);
  return buildParallel(b, sizes, getElementTypeOrSelf(sequence), inputs, maps,
                       [&](BuilderT &b, ValueRange args) -> Value {
                         SmallVector<Value> indices;
                         for (size_t i = 0; i < sizes.size(); ++i)
                           indices.push_back(linalg::IndexOp::create(b, i));
                         Value length = lengths ? clampLength(b, args[0], steps)
                                                : makeIndex(b, steps);
                         Value last = arith::SubIOp::create(
                             b, length, arith::ConstantIndexOp::create(b, 1));
                         Value isInside = arith::CmpIOp::create(
                             b, arith::CmpIPredicate::sle, indices[0], last);
                         indices[0] = arith::SelectOp::create(
                             b, isInside,
                             arith::SubIOp::create(b, last, indices[0]),
                             indices[0]);
                         return tensor::ExtractOp::create(b, sequence, indices);
                       });
}

Value Recurrence::getInitial(size_t input, int64_t direction) {
  SmallVector<OpFoldResult> sizes = {batch, b.getIndexAttr(hidden)};
  Value specified = context.input(input);
  if (!specified)
    return buildFilled(b, sizes, makeNumber(b, type, 0));
  if (isBatchFirst)
    specified = buildTranspose(context, specified, {1, 0, 2});
  sizes.insert(sizes.begin(), b.getIndexAttr(1));
  Value part = takePart(b, specified, makeSizes(b, {direction, 0, 0}), sizes,
                        /*dropped=*/1);
  // Copy the state, because it is overwritten.
  return buildParallel(
      b, ArrayRef(sizes).drop_front(), type, part, b.getMultiDimIdentityMap(2),
      [](BuilderT &b, ValueRange args) { return toCompute(b, args[0]); });
}

Value Recurrence::buildInputContraction(int64_t direction, Value sequence) {
  SmallVector<OpFoldResult> sizes = {steps, batch,
                                     b.getIndexAttr(gates * hidden)};
  AffineExpr step, entry, row, inner;
  bindDims(b.getContext(), step, entry, row, inner);
  auto getMap = [&](unsigned loops, ArrayRef<AffineExpr> exprs) {
    return AffineMap::get(loops, 0, exprs, b.getContext());
  };
  Value init;
  if (context.input(kBias)) {
    Value bias = context.input(kBias);
    AffineMap map = getMap(3, row);
    init = buildParallel(b, sizes, type,
                         {takeRows(bias, direction, 0, gates),
                          takeRows(bias, direction, gates, gates)},
                         {map, map}, [&](BuilderT &b, ValueRange args) {
                           return add(b, toCompute(b, args[0]),
                                      toCompute(b, args[1]));
                         });
  } else {
    init = buildFilled(b, sizes, makeNumber(b, type, 0));
  }
  return buildReduction(
             b,
             {sequence, takeRows(context.input(kWeight), direction, 0, gates)},
             {getMap(4, {step, entry, inner}), getMap(4, {row, inner})}, init,
             getMap(4, {step, entry, row}),
             [](BuilderT &b, ValueRange elements, ValueRange accumulators) {
               return multiplyAndAdd(b, elements, accumulators);
             })
      .front();
}

Direction Recurrence::buildDirection(int64_t direction) {
  bool isBackward = direction == 1 || startsBackward;
  Value sequence = context.input(0);
  if (isBackward)
    sequence = reverse(sequence);
  Value inputContraction = buildInputContraction(direction, sequence);
  SmallVector<OpFoldResult> state = {b.getIndexAttr(1), batch,
                                     b.getIndexAttr(hidden)};
  SmallVector<OpFoldResult> strides(3, b.getIndexAttr(1));
  SmallVector<OpFoldResult> all = state;
  all[0] = context.computeSum({steps, b.getIndexAttr(1)});
  OpFoldResult zero = b.getIndexAttr(0);
  auto insert = [&](BuilderT &b, Value part, Value into, OpFoldResult step) {
    return tensor::InsertSliceOp::create(
        b, part, into, ArrayRef<OpFoldResult>{step, zero, zero}, state,
        strides);
  };
  SmallVector<Value> inits = {insert(b, getInitial(kInitialState, direction),
                                     makeBuffer(b, all, type), zero)};
  bool hasCell = gates == 4;
  if (hasCell)
    inits.push_back(insert(b, getInitial(kInitialCell, direction),
                           makeBuffer(b, all, type), zero));
  Value lengths = context.input(kLengths);
  SmallVector<Value> results = buildSequential(
      b, steps, inits,
      [&](BuilderT &b, ValueRange indices,
          ValueRange values) -> SmallVector<Value> {
        OpFoldResult step = indices[0];
        SmallVector<OpFoldResult> offsets = {step, zero, zero}, sizes = state;
        State before;
        before.state = takePart(b, values[0], offsets, sizes, /*dropped=*/1);
        if (hasCell)
          before.cell = takePart(b, values[1], offsets, sizes, /*dropped=*/1);
        sizes[2] = b.getIndexAttr(gates * hidden);
        Value accumulators =
            takePart(b, inputContraction, offsets, sizes, /*dropped=*/1);
        Value isRunning;
        if (lengths)
          isRunning = buildParallel(
              b, batch, b.getI1Type(), lengths, b.getMultiDimIdentityMap(1),
              [&](BuilderT &b, ValueRange args) -> Value {
                return arith::CmpIOp::create(b, arith::CmpIPredicate::slt,
                                             indices[0],
                                             clampLength(b, args[0], steps));
              });
        State next = buildStep(b, direction, accumulators, before, isRunning);
        OpFoldResult following =
            computeIndex(b, b.getAffineSymbolExpr(0) + 1, step);
        SmallVector<Value> written = {
            insert(b, next.state, values[0], following)};
        if (hasCell)
          written.push_back(insert(b, next.cell, values[1], following));
        return written;
      });

  Direction result;
  auto takeLast = [&](Value states) {
    return takePart(b, states, {steps, zero, zero}, state, /*dropped=*/1);
  };
  result.last = takeLast(results[0]);
  if (hasCell)
    result.cell = takeLast(results[1]);
  SmallVector<OpFoldResult> own = state;
  own[0] = steps;
  result.states = takePart(b, results[0], makeSizes(b, {1, 0, 0}), own,
                           /*dropped=*/0);
  // Outputs after the end of a sequence are 0.
  if (lengths)
    result.states = buildParallel(
        b, own, type, {lengths, result.states},
        {AffineMap::get(3, 0, b.getAffineDimExpr(1), b.getContext()),
         b.getMultiDimIdentityMap(3)},
        [&](BuilderT &b, ValueRange args) -> Value {
          Value isRunning = arith::CmpIOp::create(
              b, arith::CmpIPredicate::slt, linalg::IndexOp::create(b, 0),
              clampLength(b, args[0], steps));
          return arith::SelectOp::create(b, isRunning, args[1],
                                         makeNumber(b, type, 0));
        });
  if (isBackward)
    result.states = reverse(result.states);
  return result;
}

/// Stacks the results of the directions in the element type of the inputs.
/// `axes` is the order of the axes (direction, ...) in the result.
static Value joinDirections(NodeContext &context, ArrayRef<Value> parts,
                            ArrayRef<int64_t> axes) {
  ImplicitLocOpBuilder &b = context.b;
  Type elementType = context.elementType(0);
  SmallVector<OpFoldResult> own = context.getSizes(parts.front()), all = own;
  all.insert(all.begin(), b.getIndexAttr(parts.size()));
  own.insert(own.begin(), b.getIndexAttr(1));
  SmallVector<OpFoldResult> strides(all.size(), b.getIndexAttr(1));
  Value joined;
  if (parts.size() == 1) {
    joined = buildReshape(b, convertFromCompute(context, parts[0], elementType),
                          ArrayRef(own).drop_front(), own);
  } else {
    joined = tensor::EmptyOp::create(b, all, elementType);
    for (auto [index, part] : llvm::enumerate(parts)) {
      SmallVector<OpFoldResult> offsets(all.size(), b.getIndexAttr(0));
      offsets[0] = b.getIndexAttr(index);
      joined = tensor::InsertSliceOp::create(
          b, convertFromCompute(context, part, elementType), joined, offsets,
          own, strides);
    }
  }
  return llvm::is_sorted(axes) ? joined : buildTranspose(context, joined, axes);
}

NodeResults Recurrence::build() {
  SmallVector<Value> states, last, cells;
  for (int64_t direction = 0; direction < directions; ++direction) {
    Direction made = buildDirection(direction);
    states.push_back(made.states);
    last.push_back(made.last);
    if (made.cell)
      cells.push_back(made.cell);
  }
  // The order of the axes of (direction, step, batch, hidden) and of
  // (direction, batch, hidden).
  SmallVector<int64_t> order = {1, 0, 2, 3}, lastOrder = {0, 1, 2};
  if (isBatchFirst) {
    order = {2, 1, 0, 3};
    lastOrder = {1, 0, 2};
  }
  SmallVector<Value> results = {joinDirections(context, states, order),
                                joinDirections(context, last, lastOrder)};
  if (!cells.empty())
    results.push_back(joinDirections(context, cells, lastOrder));
  return results;
}

//===----------------------------------------------------------------------===//
// RNN
//===----------------------------------------------------------------------===//

namespace {
struct PlainRecurrence final : Recurrence {
  using Recurrence::Recurrence;

  State buildStep(BuilderT &b, int64_t direction, Value accumulators,
                  State before, Value isRunning) override {
    Value weight = takeRows(context.input(kRecurrence), direction, 0, 1);
    accumulators = multiply(b, before.state, weight, accumulators);
    Value next = combine(b, accumulators, [&](BuilderT &b, ValueRange args) {
      return activate(b, direction, 0, args[0]);
    });
    return {choose(b, isRunning, next, before.state), Value()};
  }
};
} // namespace

NodeResults onnx_nodes::convertRNN(NodeContext &context) {
  PlainRecurrence recurrence(context, /*gates=*/1);
  if (failed(recurrence.analyze({"Tanh"})))
    return failure();
  return recurrence.build();
}

//===----------------------------------------------------------------------===//
// GRU
//===----------------------------------------------------------------------===//

namespace {
/// The gates are update, reset and hidden.
struct GatedRecurrence final : Recurrence {
  using Recurrence::Recurrence;

  State buildStep(BuilderT &b, int64_t direction, Value accumulators,
                  State before, Value isRunning) override;
};
} // namespace

Recurrence::State GatedRecurrence::buildStep(BuilderT &b, int64_t direction,
                                             Value accumulators, State before,
                                             Value isRunning) {
  Value weight = context.input(kRecurrence);
  Value both = multiply(b, before.state, takeRows(weight, direction, 0, 2),
                        takeGate(b, accumulators, 0, 2));
  Value reset = takeGate(b, both, 1), own = takeGate(b, accumulators, 2);
  Value ownWeight = takeRows(weight, direction, 2, 1);
  Value hiddenContraction;
  if (context.getFlag("linear_before_reset")) {
    // The reset gate also multiplies the recurrent bias, which is already part
    // of the input contraction. Subtract it there.
    Value bias = context.input(kBias)
                     ? takeRows(context.input(kBias), direction, 5, 1)
                     : Value();
    SmallVector<Value> inputs = {reset, own};
    if (bias)
      inputs.push_back(bias);
    Value zeros =
        buildFilled(b, {batch, b.getIndexAttr(hidden)}, makeNumber(b, type, 0));
    inputs.push_back(multiply(b, before.state, ownWeight, zeros));
    hiddenContraction = combine(b, inputs, [&](BuilderT &b, ValueRange args) {
      Value gate = activate(b, direction, 0, args[0]);
      Value recurrent = args.back(), input = args[1];
      if (bias) {
        Value offset = toCompute(b, args[2]);
        recurrent = add(b, recurrent, offset);
        input = arith::SubFOp::create(b, input, offset);
      }
      return add(b, input, mul(b, gate, recurrent));
    });
  } else {
    Value gated =
        combine(b, {reset, before.state}, [&](BuilderT &b, ValueRange args) {
          return mul(b, activate(b, direction, 0, args[0]), args[1]);
        });
    hiddenContraction = multiply(b, gated, ownWeight, own);
  }
  Value next =
      combine(b, {takeGate(b, both, 0), hiddenContraction, before.state},
              [&](BuilderT &b, ValueRange args) {
                Value update = activate(b, direction, 0, args[0]);
                Value state = activate(b, direction, 1, args[1]);
                Value rest =
                    arith::SubFOp::create(b, number(b, update, 1), update);
                return add(b, mul(b, rest, state), mul(b, update, args[2]));
              });
  return {choose(b, isRunning, next, before.state), Value()};
}

NodeResults onnx_nodes::convertGRU(NodeContext &context) {
  GatedRecurrence recurrence(context, /*gates=*/3);
  if (failed(recurrence.analyze({"Sigmoid", "Tanh"})))
    return failure();
  return recurrence.build();
}

//===----------------------------------------------------------------------===//
// LSTM
//===----------------------------------------------------------------------===//

namespace {
/// The gates are input, output, forget and cell.
struct LongMemoryRecurrence : Recurrence {
  using Recurrence::Recurrence;

  State buildStep(BuilderT &b, int64_t direction, Value accumulators,
                  State before, Value isRunning) override;
  /// Adds the contraction of the recurrent weight with the state to the
  /// accumulators of the step.
  virtual Value addRecurrence(BuilderT &b, int64_t direction,
                              Value accumulators, Value state) {
    Value weight = takeRows(context.input(kRecurrence), direction, 0, gates);
    return multiply(b, state, weight, accumulators);
  }
};
} // namespace

Recurrence::State LongMemoryRecurrence::buildStep(BuilderT &b,
                                                  int64_t direction,
                                                  Value accumulators,
                                                  State before,
                                                  Value isRunning) {
  accumulators = addRecurrence(b, direction, accumulators, before.state);
  Value peepholes = context.input(kPeepholes);
  auto takePeephole = [&](int64_t gate) {
    return takeRows(peepholes, direction, gate, 1);
  };
  bool isCoupled = context.getFlag("input_forget");
  SmallVector<Value> inputs = {takeGate(b, accumulators, 0),
                               takeGate(b, accumulators, 2),
                               takeGate(b, accumulators, 3), before.cell};
  if (peepholes)
    inputs.append({takePeephole(0), takePeephole(2)});
  Value cell = combine(b, inputs, [&](BuilderT &b, ValueRange args) {
    auto look = [&](Value sum, size_t peephole) {
      return peepholes
                 ? add(b, sum, mul(b, toCompute(b, args[peephole]), args[3]))
                 : sum;
    };
    Value in = activate(b, direction, 0, look(args[0], 4));
    Value forget = isCoupled
                       ? Value(arith::SubFOp::create(b, number(b, in, 1), in))
                       : activate(b, direction, 0, look(args[1], 5));
    Value next = activate(b, direction, 1, args[2]);
    return add(b, mul(b, forget, args[3]), mul(b, in, next));
  });
  inputs = {takeGate(b, accumulators, 1), cell};
  if (peepholes)
    inputs.push_back(takePeephole(1));
  Value state = combine(b, inputs, [&](BuilderT &b, ValueRange args) {
    Value sum = args[0];
    if (peepholes)
      sum = add(b, sum, mul(b, toCompute(b, args[2]), args[1]));
    // Clipping applies to the inputs of activations, not to the cell state.
    Value out = activate(b, direction, 0, sum);
    return mul(b, out, activate(b, direction, 2, args[1]));
  });
  return {choose(b, isRunning, state, before.state),
          choose(b, isRunning, cell, before.cell)};
}

NodeResults onnx_nodes::convertLSTM(NodeContext &context) {
  LongMemoryRecurrence recurrence(context, /*gates=*/4);
  if (failed(recurrence.analyze({"Sigmoid", "Tanh", "Tanh"})))
    return failure();
  return recurrence.build();
}

//===----------------------------------------------------------------------===//
// DynamicQuantizeLSTM
//===----------------------------------------------------------------------===//

namespace {
/// The inputs after those of LSTM.
enum QuantizedInput {
  kWeightScale = kNumInputs,
  kWeightPoint,
  kRecurrenceScale,
  kRecurrencePoint
};

/// An LSTM whose contractions are DynamicQuantizeMatMuls (R4). The entire
/// input sequence is quantized at once (D9), and the states of the batch are
/// quantized in each step. The weights of a direction have one scale and zero
/// point, or one per column. A gate is (input matmul + state matmul) + biases.
struct QuantizedRecurrence final : LongMemoryRecurrence {
  QuantizedRecurrence(NodeContext &context)
      : LongMemoryRecurrence(context, /*gates=*/4) {
    isInnerFirst = true;
  }

  LogicalResult checkTypes() override;
  LogicalResult checkQuantization();
  Value buildInputContraction(int64_t direction, Value sequence) override;
  Value addRecurrence(BuilderT &b, int64_t direction, Value accumulators,
                      Value state) override;

private:
  /// Slices one direction from a weight, or from its scales or zero points.
  Value takeDirection(size_t input, int64_t direction);
  /// Quantizes the rows and multiplies them with a weight. The result is f32.
  Value multiplyRows(int64_t direction, Value rows, size_t weight,
                     size_t scale);
};
} // namespace

LogicalResult QuantizedRecurrence::checkTypes() {
  Type single = b.getF32Type();
  for (size_t i = 0; i <= kRecurrencePoint; ++i) {
    bool isWeight = i == kWeight || i == kRecurrence;
    bool isOfWeight = isWeight || i >= kWeightScale;
    if (isOfWeight && failed(context.requireInput(i)))
      return failure();
    if (i == kLengths || !context.input(i))
      continue;
    LogicalResult isRight =
        isWeight ? context.requireKind(i, kinds::Byte)
        : i == kWeightPoint
            ? context.requireElementType(i, context.elementType(kWeight))
        : i == kRecurrencePoint
            ? context.requireElementType(i, context.elementType(kRecurrence))
            : context.requireElementType(i, single);
    if (failed(isRight))
      return failure();
  }
  return success();
}

LogicalResult QuantizedRecurrence::checkQuantization() {
  OpFoldResult expected[] = {b.getIndexAttr(directions),
                             b.getIndexAttr(gates * hidden)};
  for (size_t i :
       {kWeightScale, kWeightPoint, kRecurrenceScale, kRecurrencePoint}) {
    SmallVector<OpFoldResult> sizes = context.getSizes(context.input(i));
    if (sizes.empty() || sizes.size() > 2)
      return context.unsupported("input " + Twine(i) +
                                 " must have rank 1 or 2, but got " +
                                 Twine(sizes.size()));
    for (auto [axis, size] : llvm::enumerate(sizes))
      if (failed(context.requireEqual(expected[axis], size,
                                      "the size of axis " + Twine(axis) +
                                          " of input " + Twine(i))))
        return failure();
  }
  return success();
}

Value QuantizedRecurrence::takeDirection(size_t input, int64_t direction) {
  SmallVector<OpFoldResult> sizes = context.getSizes(context.input(input));
  SmallVector<OpFoldResult> offsets(sizes.size(), b.getIndexAttr(0));
  offsets[0] = b.getIndexAttr(direction);
  sizes[0] = b.getIndexAttr(1);
  return takePart(b, context.input(input), offsets, sizes, /*dropped=*/1);
}

Value QuantizedRecurrence::multiplyRows(int64_t direction, Value rows,
                                        size_t weight, size_t scale) {
  DynamicQuantization quantized = buildDynamicQuantize(context, rows);
  AffineExpr row, column, inner;
  bindDims(b.getContext(), row, column, inner);
  // There is one scale and zero point for all columns, or one per column.
  auto getColumnMap = [&](Value part, unsigned loops) {
    bool isVector = cast<RankedTensorType>(part.getType()).getRank() == 1;
    return AffineMap::get(loops, 0,
                          isVector ? ArrayRef<AffineExpr>(column)
                                   : ArrayRef<AffineExpr>(),
                          b.getContext());
  };
  SmallVector<OpFoldResult> sizes = {context.getSizes(rows)[0],
                                     b.getIndexAttr(gates * hidden)};
  Value point = takeDirection(scale + 1, direction);
  Value accumulators =
      buildReduction(
          b,
          {quantized.values, takeDirection(weight, direction),
           quantized.zeroPoint, point},
          {AffineMap::get(3, 0, {row, inner}, b.getContext()),
           AffineMap::get(3, 0, {inner, column}, b.getContext()),
           AffineMap::get(3, 0, b.getContext()), getColumnMap(point, 3)},
          buildFilled(b, sizes, makeNumber(b, b.getI32Type(), 0)),
          AffineMap::get(3, 0, {row, column}, b.getContext()),
          [](BuilderT &b, ValueRange elements, ValueRange accumulators) {
            return multiplyAndAdd(b, elements, accumulators,
                                  {size_t(2), size_t(3)});
          })
          .front();
  Value scales = takeDirection(scale, direction);
  return buildParallel(
      b, sizes, type, {accumulators, quantized.scale, scales},
      {b.getMultiDimIdentityMap(2), AffineMap::get(2, 0, b.getContext()),
       getColumnMap(scales, 2)},
      [](BuilderT &b, ValueRange args) {
        return mul(b, toSingle(b, args[0]), mul(b, args[1], args[2]));
      });
}

Value QuantizedRecurrence::buildInputContraction(int64_t direction,
                                                 Value sequence) {
  SmallVector<OpFoldResult> sizes = context.getSizes(sequence);
  OpFoldResult count = context.computeProduct({steps, batch});
  OpFoldResult all = b.getIndexAttr(gates * hidden);
  Value rows = buildReshape(b, sequence, sizes, {count, sizes[2]});
  Value matmul = multiplyRows(direction, rows, kWeight, kWeightScale);
  return buildReshape(b, matmul, {count, all}, {steps, batch, all});
}

Value QuantizedRecurrence::addRecurrence(BuilderT &b, int64_t direction,
                                         Value accumulators, Value state) {
  SmallVector<Value> inputs = {
      accumulators,
      multiplyRows(direction, state, kRecurrence, kRecurrenceScale)};
  AffineMap all = b.getMultiDimIdentityMap(2);
  SmallVector<AffineMap> maps = {all, all};
  if (Value bias = context.input(kBias)) {
    inputs.append({takeRows(bias, direction, 0, gates),
                   takeRows(bias, direction, gates, gates)});
    maps.append(2, AffineMap::get(2, 0, b.getAffineDimExpr(1), b.getContext()));
  }
  return buildParallel(b, {batch, b.getIndexAttr(gates * hidden)}, type, inputs,
                       maps, [](BuilderT &b, ValueRange args) {
                         Value sum = add(b, args[0], args[1]);
                         return args.size() == 2
                                    ? sum
                                    : add(b, sum, add(b, args[2], args[3]));
                       });
}

NodeResults onnx_nodes::convertDynamicQuantizeLSTM(NodeContext &context) {
  context.opset = kNewestOpset;
  QuantizedRecurrence recurrence(context);
  if (failed(recurrence.analyze({"Sigmoid", "Tanh", "Tanh"})) ||
      failed(recurrence.checkQuantization()))
    return failure();
  return recurrence.build();
}
