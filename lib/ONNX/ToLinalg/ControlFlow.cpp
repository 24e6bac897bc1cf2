//===- ControlFlow.cpp - If, Loop and Scan --------------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Building.h"
#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "quant-float/Support/BufferSize.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::onnx_nodes;

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

/// Returns the body of that name, or null if there is none.
static Block *findBody(NodeOp node, StringRef name) {
  for (auto [available, body] : llvm::zip(
           node.getBodyNames().getAsValueRange<StringAttr>(), node.getBodies()))
    if (available == name)
      return &body.front();
  return nullptr;
}

/// Returns the body of that name after converting its nodes. Returns null, with
/// an error or an unsupported reason, if a node cannot be converted.
static Block *convertBody(NodeContext &context, StringRef name,
                          TypeRange argumentTypes) {
  Block *body = findBody(context.node, name);
  if (!body) {
    (void)context.unsupported("body '" + name + "' is missing");
    return nullptr;
  }
  if (body->getNumArguments() != argumentTypes.size()) {
    (void)context.unsupported(
        "body '" + name + "' must have " + Twine(argumentTypes.size()) +
        " inputs, but got " + Twine(body->getNumArguments()));
    return nullptr;
  }
  for (auto [argument, type] :
       llvm::zip_equal(body->getArguments(), argumentTypes)) {
    if (getElementTypeOrSelf(argument.getType()) !=
            getElementTypeOrSelf(type) &&
        !isa<UnknownType>(argument.getType())) {
      (void)context.unsupported(
          "body '" + name + "': expected an argument of type " + show(type) +
          ", but got " + show(argument.getType()));
      return nullptr;
    }
    argument.setType(type);
  }
  return context.convertBody(*body) ? body : nullptr;
}

/// Returns the values that a body yields. They must be numeric tensors.
static FailureOr<SmallVector<Value>> getYielded(NodeContext &context,
                                                Block &body, size_t count) {
  SmallVector<Value> values(body.getTerminator()->getOperands());
  if (values.size() != count)
    return context.unsupported("a body must have " + Twine(count) +
                               " outputs, but got " + Twine(values.size()));
  for (Value value : values) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type || !type.getElementType().isIntOrFloat())
      return context.unsupported("unsupported body output " +
                                 show(value.getType()));
  }
  return values;
}

/// Moves the operations of the body to the insertion point of `b` and replaces
/// its arguments.
static void inlineBody(ImplicitLocOpBuilder &b, Block &body,
                       ValueRange arguments) {
  body.getTerminator()->erase();
  for (auto [argument, value] : llvm::zip_equal(body.getArguments(), arguments))
    argument.replaceAllUsesWith(value);
  b.getInsertionBlock()->getOperations().splice(b.getInsertionPoint(),
                                                body.getOperations());
}

/// Returns the only element of a tensor as a scalar.
static FailureOr<Value> getScalar(NodeContext &context, Value tensor) {
  ImplicitLocOpBuilder &b = context.b;
  for (OpFoldResult size : context.getSizes(tensor))
    if (failed(context.requireEqual(b.getIndexAttr(1), size,
                                    "the number of elements of a condition")))
      return failure();
  Value scalar = context.reshape(tensor, {});
  std::optional<SmallVector<Value>> known = context.getScalars(scalar);
  return known ? known->front()
               : Value(tensor::ExtractOp::create(b, scalar, ValueRange()));
}

/// Casts `value` to `type`, and requires that its sizes equal `sizes` at run
/// time.
static FailureOr<Value> castLike(NodeContext &context, Value value,
                                 RankedTensorType type,
                                 ArrayRef<OpFoldResult> sizes,
                                 const Twine &what) {
  auto own = cast<RankedTensorType>(value.getType());
  if (own.getElementType() != type.getElementType() ||
      own.getRank() != type.getRank())
    return context.unsupported(what + " has the type " + show(type) +
                               ", but an iteration changes it to " + show(own));
  for (auto [axis, size] : llvm::enumerate(context.getSizes(value)))
    if (failed(context.requireEqual(sizes[axis], size,
                                    "the size of axis " + Twine(axis) + " of " +
                                        what,
                                    "must not change between iterations")))
      return failure();
  if (own == type)
    return value;
  return Value(tensor::CastOp::create(context.b, type, value));
}

//===----------------------------------------------------------------------===//
// If
//===----------------------------------------------------------------------===//

/// Whether the node selects between Squeeze(x) and x. PyTorch's exporter writes
/// the squeeze of an axis of unknown size in this way.
static bool isConditionalSqueeze(NodeOp node) {
  auto getOnly = [&](StringRef name) -> Value {
    Block *body = findBody(node, name);
    if (!body || body->getTerminator()->getNumOperands() != 1)
      return {};
    return body->getTerminator()->getOperand(0);
  };
  // Returns the first input of the op that defines `value` if it is of this
  // kind.
  auto getSource = [](Value value, NodeKind kind) -> Value {
    auto made = value ? value.getDefiningOp<NodeOp>() : NodeOp();
    return made && getNodeKind(made) == kind && !made.getInputs().empty()
               ? made.getInputs()[0]
               : Value();
  };
  Value scalar = getOnly("else_branch");
  if (Value source = getSource(scalar, NodeKind::Identity))
    scalar = source;
  return scalar &&
         getSource(getOnly("then_branch"), NodeKind::Squeeze) == scalar;
}

NodeResults onnx_nodes::convertIf(NodeContext &context) {
  ImplicitLocOpBuilder &b = context.b;
  size_t count = context.node->getNumResults();
  FailureOr<Value> condition = getScalar(context, context.input(0));
  if (failed(condition))
    return failure();
  // A constant condition selects one body at compile time.
  APInt known;
  if (matchPattern(*condition, m_ConstantInt(&known))) {
    Block *body = convertBody(
        context, known.isZero() ? "else_branch" : "then_branch", {});
    if (!body)
      return failure();
    FailureOr<SmallVector<Value>> values = getYielded(context, *body, count);
    if (failed(values))
      return failure();
    inlineBody(b, *body, {});
    return *values;
  }
  bool isSqueeze = isConditionalSqueeze(context.node);
  Block *bodies[] = {convertBody(context, "then_branch", {}),
                     convertBody(context, "else_branch", {})};
  if (!bodies[0] || !bodies[1])
    return failure();
  SmallVector<Value> yielded[2];
  for (size_t i : {0, 1}) {
    FailureOr<SmallVector<Value>> values =
        getYielded(context, *bodies[i], count);
    if (failed(values))
      return failure();
    yielded[i] = *values;
  }
  SmallVector<RankedTensorType> types;
  SmallVector<Type> stored;
  for (auto [lhs, rhs] : llvm::zip_equal(yielded[0], yielded[1])) {
    auto left = cast<RankedTensorType>(lhs.getType());
    auto right = cast<RankedTensorType>(rhs.getType());
    if (isSqueeze && left.getRank() != right.getRank()) {
      // A value has one rank, and the ops after it expect the squeezed one.
      context.requireTrue(*condition, "the condition must be true, because "
                                      "'else_branch' returns another rank");
      inlineBody(b, *bodies[0], {});
      return yielded[0];
    }
    if (left.getElementType() != right.getElementType() ||
        left.getRank() != right.getRank())
      return context.unsupported("the bodies return different types, " +
                                 show(left) + " and " + show(right));
    types.push_back(joinTypes(left, right));
    stored.push_back(types.back().clone(
        getStorageElementType(types.back().getElementType())));
  }
  auto branch = scf::IfOp::create(b, stored, *condition,
                                  /*addThenBlock=*/true, /*addElseBlock=*/true);
  for (size_t i : {0, 1}) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(i == 0 ? branch.thenBlock()
                                      : branch.elseBlock());
    inlineBody(b, *bodies[i], {});
    b.setInsertionPointToEnd(i == 0 ? branch.thenBlock() : branch.elseBlock());
    SmallVector<Value> results;
    for (auto [value, type] : llvm::zip_equal(yielded[i], types)) {
      if (value.getType() != type)
        value = tensor::CastOp::create(b, type, value);
      results.push_back(toStorage(b, value));
    }
    scf::YieldOp::create(b, results);
  }
  SmallVector<Value> results;
  for (auto [value, type] : llvm::zip_equal(branch.getResults(), types))
    results.push_back(fromStorage(b, value, type.getElementType()));
  return results;
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

namespace {
/// A loop with a known body. It carries values whose types do not change, and
/// collects one slice of each collected tensor in every step.
struct BodyLoop {
  NodeContext &context;
  /// The initial loop-carried values.
  SmallVector<Value> inits;
  /// The maximum number of steps; null if there is no limit.
  OpFoldResult steps;
  /// Whether the loop has a first step, and whether another step follows, a
  /// value in the body. `continues` is null if all steps run.
  Value first, continues;
  /// For each collected tensor, the axis and whether it is filled from the end.
  SmallVector<std::pair<int64_t, bool>> collected;
  /// The sizes of the body's arguments, which are the same in all steps.
  SmallVector<SmallVector<OpFoldResult>> argumentSizes;

  /// Clones the computation of sizes in the body to before the loop. Fails if
  /// the sizes depend on more than the sizes of the arguments.
  FailureOr<SmallVector<OpFoldResult>> hoistSizes(Block &body,
                                                  ArrayRef<OpFoldResult> sizes);

  /// Builds the loop. `body` computes the loop-carried values of the next step
  /// from the step's number and the current values. Returns the final values
  /// and the number of steps.
  std::pair<SmallVector<Value>, OpFoldResult> buildSteps(ValueRange stored,
                                                         SequentialBody body);

  /// Builds the loop around `body`. `makeArguments` computes the arguments of
  /// the body from the step's number and the loop-carried values. `yielded` are
  /// the loop-carried outputs, followed by the collected ones.
  NodeResults
  build(Block &body, ArrayRef<Value> yielded,
        llvm::function_ref<SmallVector<Value>(ImplicitLocOpBuilder &, Value,
                                              ValueRange)>
            makeArguments);
};
} // namespace

/// Normalizes an axis of the collected tensor, whose rank is one higher than
/// that of a slice.
static FailureOr<int64_t> getCollectedAxis(NodeContext &context, Value part,
                                           int64_t axis) {
  return context.normalizeAxis(
      axis, cast<RankedTensorType>(part.getType()).getRank() + 1);
}

FailureOr<SmallVector<OpFoldResult>>
BodyLoop::hoistSizes(Block &body, ArrayRef<OpFoldResult> sizes) {
  ImplicitLocOpBuilder &b = context.b;
  IRMapping mapping;
  SetVector<Operation *> ops;
  SmallVector<Value> worklist;
  for (OpFoldResult size : sizes)
    if (auto value = dyn_cast<Value>(size))
      worklist.push_back(value);
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    if (!body.getParent()->isAncestor(value.getParentRegion()))
      continue;
    Operation *op = value.getDefiningOp();
    if (auto dim = dyn_cast_or_null<tensor::DimOp>(op)) {
      auto argument = dyn_cast<BlockArgument>(dim.getSource());
      std::optional<int64_t> index = dim.getConstantIndex();
      if (argument && argument.getOwner() == &body && index) {
        OpFoldResult size =
            argumentSizes[argument.getArgNumber()][static_cast<size_t>(*index)];
        mapping.map(value, makeIndex(b, size));
        continue;
      }
    }
    if (!op || op->getNumRegions() != 0 || !isPure(op))
      return failure();
    if (ops.insert(op))
      llvm::append_range(worklist, op->getOperands());
  }
  for (Operation *op : topologicalSort(ops))
    b.clone(*op, mapping);
  return llvm::map_to_vector(sizes, [&](OpFoldResult size) -> OpFoldResult {
    auto value = dyn_cast<Value>(size);
    return value ? mapping.lookupOrDefault(value) : size;
  });
}

std::pair<SmallVector<Value>, OpFoldResult>
BodyLoop::buildSteps(ValueRange stored, SequentialBody body) {
  ImplicitLocOpBuilder &b = context.b;
  if (!continues)
    return {buildSequential(b, steps, stored, body), steps};
  SmallVector<Value> values = {arith::ConstantIndexOp::create(b, 0), first};
  llvm::append_range(values, stored);
  TypeRange types((ValueRange(values)));
  auto loop = scf::WhileOp::create(b, types, values);
  SmallVector<Location> locations(values.size(), b.getLoc());
  OpBuilder::InsertionGuard guard(b);
  // The builders of ops look up the enclosing function, so that the block must
  // be in the loop.
  Block *before = b.createBlock(&loop.getBefore(), {}, types, locations);
  Value runs = before->getArgument(1);
  if (steps) {
    Value isBelow =
        arith::CmpIOp::create(b, arith::CmpIPredicate::slt,
                              before->getArgument(0), makeIndex(b, steps));
    runs = arith::AndIOp::create(b, runs, isBelow);
  }
  scf::ConditionOp::create(b, runs, before->getArguments());
  Block *after = b.createBlock(&loop.getAfter(), {}, types, locations);
  ValueRange arguments = after->getArguments();
  SmallVector<Value> left =
      body(b, arguments.take_front(), arguments.drop_front(2));
  Value one = arith::ConstantIndexOp::create(b, 1);
  Value next = arith::AddIOp::create(b, arguments[0], one);
  left.insert(left.begin(), {next, continues});
  scf::YieldOp::create(b, left);
  return {SmallVector<Value>(loop.getResults().drop_front(2)),
          loop.getResult(0)};
}

NodeResults
BodyLoop::build(Block &body, ArrayRef<Value> yielded,
                llvm::function_ref<SmallVector<Value>(ImplicitLocOpBuilder &,
                                                      Value, ValueRange)>
                    makeArguments) {
  ImplicitLocOpBuilder &b = context.b;
  size_t passed = inits.size();
  SmallVector<Value> stored;
  SmallVector<Type> elementTypes;
  for (Value init : inits) {
    elementTypes.push_back(getElementTypeOrSelf(init));
    stored.push_back(toStorage(b, init));
  }
  SmallVector<SmallVector<OpFoldResult>> partSizes;
  for (auto [index, part] : llvm::enumerate(yielded.drop_front(passed))) {
    // The buffer is allocated before the loop.
    if (!steps)
      return context.unsupported(
          "output " + Twine(passed + index) +
          " collects the results of an unknown number of iterations");
    FailureOr<SmallVector<OpFoldResult>> known =
        hoistSizes(body, context.getSizes(part));
    if (failed(known))
      return context.unsupported("output " + Twine(passed + index) +
                                 " collects results of unknown sizes");
    FailureOr<int64_t> axis =
        getCollectedAxis(context, part, collected[index].first);
    if (failed(axis))
      return failure();
    collected[index].first = *axis;
    Type elementType = getElementTypeOrSelf(part);
    SmallVector<OpFoldResult> sizes = *known;
    sizes.insert(sizes.begin() + *axis, b.getIndexAttr(1));
    partSizes.push_back(sizes);
    sizes[*axis] = steps;
    if (!countElements(getShape(sizes)))
      return context.unsupported(
          "output " + Twine(passed + index) +
          " collects the results of too many iterations");
    elementTypes.push_back(elementType);
    stored.push_back(makeBuffer(b, sizes, getStorageElementType(elementType)));
  }
  // Insert these ops at the end of the body.
  SmallVector<Value> next;
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(body.getTerminator());
    for (auto [index, value] : llvm::enumerate(yielded.take_front(passed))) {
      FailureOr<Value> same = castLike(
          context, value, cast<RankedTensorType>(inits[index].getType()),
          context.getSizes(inits[index]), "value " + std::to_string(index));
      if (failed(same))
        return failure();
      next.push_back(toStorage(b, *same));
    }
    for (Value part : yielded.drop_front(passed))
      next.push_back(toStorage(b, part));
  }
  auto [results, count] = buildSteps(
      stored,
      [&](ImplicitLocOpBuilder &b, ValueRange indices,
          ValueRange values) -> SmallVector<Value> {
        SmallVector<Value> carried;
        for (size_t i = 0; i < passed; ++i)
          carried.push_back(fromStorage(b, values[i], elementTypes[i]));
        SmallVector<Value> arguments = makeArguments(b, indices[0], carried);
        // Replace outputs of the body that are its arguments.
        for (Value &value : next)
          if (auto argument = dyn_cast<BlockArgument>(value);
              argument && argument.getOwner() == &body)
            value = arguments[argument.getArgNumber()];
        inlineBody(b, body, arguments);
        SmallVector<Value> written(ArrayRef(next).take_front(passed));
        for (auto [index, part] :
             llvm::enumerate(ArrayRef(next).drop_front(passed))) {
          auto [axis, isReversed] = collected[index];
          const SmallVector<OpFoldResult> &sizes = partSizes[index];
          SmallVector<OpFoldResult> offsets(sizes.size(), b.getIndexAttr(0));
          SmallVector<OpFoldResult> strides(sizes.size(), b.getIndexAttr(1));
          AffineExpr s0 = b.getAffineSymbolExpr(0);
          AffineExpr s1 = b.getAffineSymbolExpr(1);
          offsets[axis] = computeIndex(b, isReversed ? s1 - s0 - 1 : s0,
                                       {indices[0], steps});
          written.push_back(tensor::InsertSliceOp::create(
              b, part, values[passed + index], offsets, sizes, strides));
        }
        return written;
      });
  for (auto [index, result] : llvm::enumerate(results)) {
    SmallVector<OpFoldResult> sizes;
    if (index < passed) {
      sizes = context.getSizes(inits[index]);
    } else {
      sizes = partSizes[index - passed];
      sizes[collected[index - passed].first] = count;
    }
    // Return only the steps that ran.
    if (index >= passed && continues) {
      SmallVector<OpFoldResult> offsets(sizes.size(), b.getIndexAttr(0));
      SmallVector<OpFoldResult> strides(sizes.size(), b.getIndexAttr(1));
      result = buildSlice(b, result, offsets, sizes, strides);
    }
    result = fromStorage(b, result, elementTypes[index]);
    context.setSizes(result, sizes);
  }
  return results;
}

//===----------------------------------------------------------------------===//
// Loop
//===----------------------------------------------------------------------===//

/// Whether the condition is true after every step.
static bool isAlwaysTrue(NodeContext &context, Value condition, Block &body) {
  if (condition == body.getArgument(1))
    return true;
  std::optional<SmallVector<Value>> known = context.getScalars(condition);
  return known && known->size() == 1 && matchPattern(known->front(), m_One());
}

NodeResults onnx_nodes::convertLoop(NodeContext &context) {
  ImplicitLocOpBuilder &b = context.b;
  Value limit = context.input(0), condition = context.input(1);
  BodyLoop loop{context, {}, {}, {}, {}, {}, {{}, {}}};
  if (limit) {
    FailureOr<OpFoldResult> steps = context.getIndex(0);
    if (failed(steps))
      return failure();
    // A negative limit means no steps.
    if (std::optional<int64_t> known = getConstantIntValue(*steps))
      loop.steps = b.getIndexAttr(std::max<int64_t>(*known, 0));
    else
      loop.steps = getAsOpFoldResult(b.createOrFold<arith::MaxSIOp>(
          makeIndex(b, *steps), arith::ConstantIndexOp::create(b, 0)));
  }
  auto oneNumber = [](Type elementType) {
    return RankedTensorType::get({}, elementType);
  };
  loop.inits.assign(context.inputs.begin() +
                        std::min<size_t>(context.inputs.size(), 2),
                    context.inputs.end());
  SmallVector<Type> types = {oneNumber(b.getI64Type()),
                             oneNumber(b.getI1Type())};
  for (Value init : loop.inits) {
    if (!init)
      return context.unsupported("a loop-carried value is absent");
    types.push_back(init.getType());
    loop.argumentSizes.push_back(context.getSizes(init));
  }
  size_t numResults = context.node->getNumResults(), passed = loop.inits.size();
  if (numResults < passed)
    return context.unsupported("expected " + Twine(passed) +
                               " outputs or more, but got " +
                               Twine(numResults));
  Block *body = convertBody(context, "body", types);
  if (!body)
    return failure();
  FailureOr<SmallVector<Value>> yielded =
      getYielded(context, *body, numResults + 1);
  if (failed(yielded))
    return failure();
  loop.first = makeNumber(b, b.getI1Type(), 1);
  if (condition) {
    FailureOr<Value> runs = getScalar(context, condition);
    if (failed(runs))
      return failure();
    loop.first = *runs;
  }
  if (!isAlwaysTrue(context, yielded->front(), *body)) {
    // Insert these ops at the end of the body.
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(body->getTerminator());
    FailureOr<Value> runs = getScalar(context, yielded->front());
    if (failed(runs))
      return failure();
    loop.continues = *runs;
  } else if (!limit) {
    return context.unsupported("the loop does not terminate");
  } else if (condition) {
    // If the initial condition is false, not even the first step runs.
    loop.steps = getAsOpFoldResult(
        b.createOrFold<arith::SelectOp>(loop.first, makeIndex(b, loop.steps),
                                        arith::ConstantIndexOp::create(b, 0)));
  }
  loop.collected.assign(numResults - passed, {0, false});
  return loop.build(
      *body, ArrayRef(*yielded).drop_front(),
      [&](ImplicitLocOpBuilder &b, Value step, ValueRange values) {
        Value number = arith::IndexCastOp::create(b, b.getI64Type(), step);
        Value isTrue = makeNumber(b, b.getI1Type(), 1);
        SmallVector<Value> arguments = {
            tensor::FromElementsOp::create(b, cast<RankedTensorType>(types[0]),
                                           number),
            tensor::FromElementsOp::create(b, cast<RankedTensorType>(types[1]),
                                           isTrue)};
        llvm::append_range(arguments, values);
        return arguments;
      });
}

//===----------------------------------------------------------------------===//
// Scan
//===----------------------------------------------------------------------===//

NodeResults onnx_nodes::convertBatchScan(NodeContext &context) {
  return context.unsupported("batches of sequences before opset 9");
}

NodeResults onnx_nodes::convertScan(NodeContext &context) {
  ImplicitLocOpBuilder &b = context.b;
  int64_t scanned = context.getInt("num_scan_inputs");
  int64_t states = static_cast<int64_t>(context.inputs.size()) - scanned;
  int64_t collected = context.node->getNumResults() - states;
  if (scanned < 1 || states < 0 || collected < 0)
    return context.unsupported("attribute 'num_scan_inputs' does not match the "
                               "numbers of inputs and outputs, but got " +
                               Twine(scanned));
  auto getList = [&](StringRef name,
                     int64_t count) -> FailureOr<SmallVector<int64_t>> {
    SmallVector<int64_t> values = context.getInts(name);
    if (values.empty())
      values.assign(count, 0);
    if (static_cast<int64_t>(values.size()) != count)
      return context.unsupported("attribute '" + name + "' must have " +
                                 Twine(count) + " values, but got " +
                                 Twine(values.size()));
    return values;
  };
  FailureOr<SmallVector<int64_t>> inputAxes =
      getList("scan_input_axes", scanned);
  FailureOr<SmallVector<int64_t>> inputReversed =
      getList("scan_input_directions", scanned);
  FailureOr<SmallVector<int64_t>> outputAxes =
      getList("scan_output_axes", collected);
  FailureOr<SmallVector<int64_t>> outputReversed =
      getList("scan_output_directions", collected);
  if (failed(inputAxes) || failed(inputReversed) || failed(outputAxes) ||
      failed(outputReversed))
    return failure();

  BodyLoop loop{
      context, SmallVector<Value>(ArrayRef(context.inputs).take_front(states)),
      {},      {},
      {},      {},
      {}};
  SmallVector<Type> types = llvm::to_vector(TypeRange(ValueRange(loop.inits)));
  for (Value init : loop.inits)
    loop.argumentSizes.push_back(context.getSizes(init));
  SmallVector<SmallVector<OpFoldResult>> partSizes;
  for (int64_t i = 0; i < scanned; ++i) {
    Value input = context.input(states + i);
    SmallVector<OpFoldResult> sizes = context.getSizes(input);
    FailureOr<int64_t> axis =
        context.normalizeAxis((*inputAxes)[i], sizes.size());
    if (failed(axis))
      return failure();
    (*inputAxes)[i] = *axis;
    if (i == 0)
      loop.steps = sizes[*axis];
    else if (failed(context.requireEqual(loop.steps, sizes[*axis],
                                         "the number of iterations of input " +
                                             Twine(states + i))))
      return failure();
    sizes[*axis] = b.getIndexAttr(1);
    partSizes.push_back(sizes);
    sizes.erase(sizes.begin() + *axis);
    types.push_back(
        RankedTensorType::get(getShape(sizes), getElementTypeOrSelf(input)));
    loop.argumentSizes.push_back(sizes);
  }
  Block *body = convertBody(context, "body", types);
  if (!body)
    return failure();
  FailureOr<SmallVector<Value>> yielded =
      getYielded(context, *body, states + collected);
  if (failed(yielded))
    return failure();
  for (auto [axis, isReversed] : llvm::zip_equal(*outputAxes, *outputReversed))
    loop.collected.push_back({axis, isReversed != 0});
  return loop.build(
      *body, *yielded,
      [&](ImplicitLocOpBuilder &b, Value step, ValueRange values) {
        SmallVector<Value> arguments(values);
        AffineExpr s0 = b.getAffineSymbolExpr(0), s1 = b.getAffineSymbolExpr(1);
        for (int64_t i = 0; i < scanned; ++i) {
          const SmallVector<OpFoldResult> &sizes = partSizes[i];
          SmallVector<OpFoldResult> offsets(sizes.size(), b.getIndexAttr(0));
          SmallVector<OpFoldResult> strides(sizes.size(), b.getIndexAttr(1));
          offsets[(*inputAxes)[i]] =
              computeIndex(b, (*inputReversed)[i] ? s1 - s0 - 1 : s0,
                           {OpFoldResult(step), loop.steps});
          arguments.push_back(tensor::ExtractSliceOp::create(
              b, cast<RankedTensorType>(types[states + i]),
              context.input(states + i), offsets, sizes, strides));
        }
        return arguments;
      });
}
