//===- ControlFlow.cpp - If, Loop and Scan as StableHLO -------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Forms.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::onnx_forms;

using Results = FailureOr<SmallVector<Value>>;

/// Returns the body with this name, or null.
static Block *findBody(NodeOp node, StringRef name) {
  for (auto [bodyName, body] : llvm::zip_equal(
           node.getBodyNames().getAsValueRange<StringAttr>(), node.getBodies()))
    if (bodyName == name)
      return &body.front();
  return nullptr;
}

/// Converts a boolean of one element to rank 0.
static FailureOr<Value> toScalar(Form &form, Value value, StringRef what) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || !type.hasStaticShape() || type.getNumElements() != 1 ||
      !type.getElementType().isInteger(1))
    return form.unsupported(what + " has the type " +
                            showType(value.getType()) +
                            "; expected one boolean");
  return form.reshape(value, {});
}

/// Whether a value is the constant `true`.
static bool isTrue(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || op->getName().getStringRef() != "stablehlo.constant")
    return false;
  auto properties =
      dyn_cast_or_null<DictionaryAttr>(op->getPropertiesAsAttribute());
  auto elements =
      properties ? properties.getAs<DenseElementsAttr>("value") : nullptr;
  return elements && elements.getElementType().isInteger(1) &&
         elements.isSplat() && elements.getSplatValue<bool>();
}

/// Replaces the terminator of a body.
static void replaceYield(Form &form, Block &block, ValueRange values) {
  OpBuilder::InsertionGuard guard(form.b);
  form.b.setInsertionPoint(block.getTerminator());
  Operation *yield = block.getTerminator();
  form.create("return", {}, values);
  yield->erase();
}

//===----------------------------------------------------------------------===//
// If
//===----------------------------------------------------------------------===//

Results onnx_forms::convertIf(Form &form) {
  NodeOp node = form.getNode();
  Block *branches[] = {findBody(node, "then_branch"),
                       findBody(node, "else_branch")};
  FailureOr<Value> condition = toScalar(form, form.inputs[0], "the condition");
  if (failed(condition))
    return failure();
  for (Block *branch : branches) {
    if (!branch || branch->getNumArguments() != 0 ||
        branch->getTerminator()->getNumOperands() != node->getNumResults())
      return form.unsupported("expected two branches without arguments that "
                              "yield the results");
    if (failed(form.convertBody(*branch)))
      return failure();
  }
  SmallVector<Type> types(branches[0]->getTerminator()->getOperandTypes());
  if (TypeRange(types) != branches[1]->getTerminator()->getOperandTypes())
    return form.unsupported("branches with results of different types");
  Operation *op = form.create("if", types, *condition, {}, /*regions=*/2);
  for (auto [region, branch] : llvm::zip_equal(op->getRegions(), branches)) {
    region.takeBody(*branch->getParent());
    SmallVector<Value> values(branch->getTerminator()->getOperands());
    replaceYield(form, *branch, values);
  }
  return SmallVector<Value>(op->getResults());
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

namespace {
/// A `while` that counts its steps, which is created from the body of a node.
/// Its values are the counter, the states, and tensors that each step writes a
/// slice of.
struct CountedLoop {
  Form &form;
  Block &body;
  /// The initial values of the states.
  SmallVector<Value> states;
  /// The number of steps, or null if only the condition ends the loop.
  Value count;
  /// For each tensor that is written: its axis, and whether slices are written
  /// from the end.
  SmallVector<std::pair<int64_t, bool>> outputs;

  /// Requires that the body yields, from this operand on, states of the types
  /// of the initial values, and slices of static shape.
  LogicalResult check(size_t first) const;
  Type getIndexType() const {
    return RankedTensorType::get({}, form.b.getI64Type());
  }
  /// Returns the index of step `i` of `steps`.
  Value getStep(Value i, int64_t steps, bool isReversed) const;
  /// Returns the indices of a slice along an axis.
  SmallVector<Value> getStarts(int64_t rank, int64_t axis, Value index) const;
  /// Creates the loop. The arguments of the body are the counter and the
  /// states, and its terminator yields the states and the slices. The loop ends
  /// if the state `condition`, or none, is false.
  Results build(std::optional<size_t> condition, int64_t steps);
};
} // namespace

LogicalResult CountedLoop::check(size_t first) const {
  OperandRange yielded = body.getTerminator()->getOperands().drop_front(first);
  for (auto [index, value] : llvm::enumerate(yielded)) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type || !type.hasStaticShape())
      return form.unsupported("the body yields a value of type " +
                              showType(value.getType()) +
                              ", which must have a static shape");
    if (index < states.size() && states[index].getType() != type)
      return form.unsupported("state " + Twine(index) + " has the types " +
                              showType(states[index].getType()) + " and " +
                              showType(type));
  }
  return success();
}

Value CountedLoop::getStep(Value i, int64_t steps, bool isReversed) const {
  if (!isReversed)
    return i;
  Value last = form.integer(form.b.getI64Type(), steps - 1);
  return form.create("subtract", i.getType(), {last, i})->getResult(0);
}

SmallVector<Value> CountedLoop::getStarts(int64_t rank, int64_t axis,
                                          Value index) const {
  SmallVector<Value> starts(rank, form.integer(form.b.getI64Type(), 0));
  starts[axis] = index;
  return starts;
}

Results CountedLoop::build(std::optional<size_t> condition, int64_t steps) {
  ImplicitLocOpBuilder &b = form.b;
  Operation *yield = body.getTerminator();
  SmallVector<Value> yielded(yield->getOperands());
  // The tensors that are written begin with zeros.
  SmallVector<Value> initial = {form.integer(b.getI64Type(), 0)};
  llvm::append_range(initial, states);
  for (auto [output, slice] :
       llvm::zip_equal(outputs, ArrayRef(yielded).drop_front(states.size()))) {
    auto type = cast<RankedTensorType>(slice.getType());
    int64_t rank = type.getRank() + 1;
    FailureOr<int64_t> axis = form.requireAxis(output.first, rank);
    if (failed(axis))
      return failure();
    output.first = *axis;
    SmallVector<int64_t> shape(type.getShape());
    shape.insert(shape.begin() + *axis, steps);
    Value zero = form.constant(DenseElementsAttr::get(
        type.clone(ArrayRef<int64_t>()), b.getZeroAttr(type.getElementType())));
    initial.push_back(form.broadcastTo(zero, shape));
  }
  SmallVector<Type> types(ValueRange(initial).getTypes());
  Operation *loop = form.create("while", types, initial, {}, /*regions=*/2);
  OpBuilder::InsertionGuard guard(b);
  SmallVector<Location> locations(types.size(), b.getLoc());
  Block *test = b.createBlock(&loop->getRegion(0), {}, types, locations);
  Value again = condition ? Value(test->getArgument(1 + *condition)) : Value();
  if (count) {
    Value isBefore = form.compare("LT", test->getArgument(0), count);
    again = again ? form.elementwise("and", {isBefore, again}) : isBefore;
  }
  form.create("return", {}, again);

  loop->getRegion(1).takeBody(*body.getParent());
  b.setInsertionPoint(yield);
  Value counter = body.getArgument(0);
  Value one = form.integer(b.getI64Type(), 1);
  SmallVector<Value> next = {
      form.create("add", counter.getType(), {counter, one})->getResult(0)};
  llvm::append_range(next, ArrayRef(yielded).take_front(states.size()));
  for (auto [index, slice] :
       llvm::enumerate(ArrayRef(yielded).drop_front(states.size()))) {
    auto [axis, isReversed] = outputs[index];
    auto type = cast<RankedTensorType>(types[1 + states.size() + index]);
    Value whole = body.addArgument(type, b.getLoc());
    SmallVector<int64_t> shape(type.getShape());
    shape[axis] = 1;
    SmallVector<Value> operands = {whole, form.reshape(slice, shape)};
    llvm::append_range(
        operands,
        getStarts(type.getRank(), axis, getStep(counter, steps, isReversed)));
    next.push_back(
        form.create("dynamic_update_slice", type, operands)->getResult(0));
  }
  replaceYield(form, body, next);
  return llvm::to_vector_of<Value>(loop->getResults().drop_front());
}

/// Returns a list of axes or directions with one element for each tensor.
static FailureOr<SmallVector<int64_t>> requireList(Form &form, StringRef name,
                                                   size_t count) {
  SmallVector<int64_t> list =
      form.getInts(name).value_or(SmallVector<int64_t>(count, 0));
  if (list.size() != count)
    return form.unsupported("expected " + Twine(count) + " integers in '" +
                            name + "'");
  return list;
}

Results onnx_forms::convertLoop(Form &form) {
  NodeOp node = form.getNode();
  Block *body = findBody(node, "body");
  ImplicitLocOpBuilder &b = form.b;
  if (form.inputs.size() < 2)
    return form.unsupported("expected inputs for the states");
  size_t states = form.inputs.size() - 2;
  if (!body || body->getNumArguments() != 2 + states ||
      node->getNumResults() < states ||
      body->getTerminator()->getNumOperands() != 1 + node->getNumResults())
    return form.unsupported("expected a body whose arguments are the step, the "
                            "condition and the states");
  CountedLoop loop{form, *body, {}, {}, {}};
  loop.states = llvm::to_vector(ArrayRef(form.inputs).drop_front(2));
  bool hasCondition = form.inputs[1] && !isTrue(form.inputs[1]);
  Value initial = form.inputs[1];
  if (!initial)
    initial = form.constant(
        DenseElementsAttr::get(RankedTensorType::get({}, b.getI1Type()), true));
  FailureOr<Value> condition = toScalar(form, initial, "the condition");
  if (failed(condition))
    return failure();
  int64_t steps = 0;
  size_t scans = node->getNumResults() - states;
  loop.outputs.assign(scans, {0, false});
  if (form.inputs[0]) {
    if (StablehloBuilder::typeOf(form.inputs[0]).getNumElements() != 1 ||
        !StablehloBuilder::elementOf(form.inputs[0]).isSignlessInteger(64))
      return form.unsupported("expected one 'i64' as the number of steps");
    loop.count = form.reshape(form.inputs[0], {});
  }
  // The types of the arguments are those of the initial values.
  body->getArgument(0).setType(loop.getIndexType());
  body->getArgument(1).setType(condition->getType());
  for (auto [index, state] : llvm::enumerate(loop.states))
    body->getArgument(2 + index).setType(state.getType());
  if (failed(form.convertBody(*body)) || failed(loop.check(1)))
    return failure();
  Operation *yield = body->getTerminator();
  Value again = yield->getOperand(0);
  hasCondition |= again != body->getArgument(1) && !isTrue(again);
  if (!hasCondition && !loop.count)
    return form.unsupported("the loop has no end");
  if (scans != 0) {
    if (!form.inputs[0] || hasCondition)
      return form.unsupported("results of an unknown number of steps");
    FailureOr<SmallVector<int64_t>> given = form.requireInts(0);
    if (failed(given))
      return failure();
    steps = std::max<int64_t>(given->front(), 0);
  }
  if (!hasCondition) {
    body->getArgument(1).replaceAllUsesWith(*condition);
    body->eraseArgument(1);
    yield->eraseOperand(0);
    return loop.build(std::nullopt, steps);
  }
  // The condition is the first state.
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(yield);
    FailureOr<Value> scalar =
        toScalar(form, again, "the condition of the body");
    if (failed(scalar))
      return failure();
    yield->setOperand(0, *scalar);
  }
  loop.states.insert(loop.states.begin(), *condition);
  Results results = loop.build(0, steps);
  if (succeeded(results))
    results->erase(results->begin());
  return results;
}

Results onnx_forms::convertScan(Form &form) {
  NodeOp node = form.getNode();
  Block *body = findBody(node, "body");
  int64_t inputs = form.inputs.size();
  int64_t scans = form.getInt("num_scan_inputs", 0), states = inputs - scans;
  if (scans < 1 || states < 0 || !body ||
      static_cast<int64_t>(body->getNumArguments()) != inputs ||
      static_cast<int64_t>(node->getNumResults()) < states ||
      body->getTerminator()->getNumOperands() != node->getNumResults())
    return form.unsupported("expected a body whose arguments are the states "
                            "and slices of the inputs");
  ImplicitLocOpBuilder &b = form.b;
  CountedLoop loop{form, *body, {}, {}, {}};
  loop.states = llvm::to_vector(ArrayRef(form.inputs).take_front(states));
  size_t outputs = node->getNumResults() - states;
  FailureOr<SmallVector<int64_t>> axes =
      requireList(form, "scan_input_axes", scans);
  FailureOr<SmallVector<int64_t>> directions =
      requireList(form, "scan_input_directions", scans);
  FailureOr<SmallVector<int64_t>> outputAxes =
      requireList(form, "scan_output_axes", outputs);
  FailureOr<SmallVector<int64_t>> outputDirections =
      requireList(form, "scan_output_directions", outputs);
  if (failed(axes) || failed(directions) || failed(outputAxes) ||
      failed(outputDirections))
    return failure();
  for (auto [axis, direction] : llvm::zip_equal(*outputAxes, *outputDirections))
    loop.outputs.push_back({axis, direction != 0});
  // Each step reads a slice of each input.
  std::optional<int64_t> steps;
  for (int64_t i : llvm::seq(scans)) {
    RankedTensorType type = StablehloBuilder::typeOf(form.inputs[states + i]);
    FailureOr<int64_t> axis = form.requireAxis((*axes)[i], type.getRank());
    if (failed(axis))
      return failure();
    (*axes)[i] = *axis;
    if (steps.value_or(type.getDimSize(*axis)) != type.getDimSize(*axis))
      return form.unsupported("inputs with different numbers of steps");
    steps = type.getDimSize(*axis);
    SmallVector<int64_t> shape(type.getShape());
    shape.erase(shape.begin() + *axis);
    body->getArgument(states + i).setType(type.clone(shape));
  }
  for (auto [index, state] : llvm::enumerate(loop.states))
    body->getArgument(index).setType(state.getType());
  if (failed(form.convertBody(*body)) || failed(loop.check(0)))
    return failure();
  loop.count = form.integer(b.getI64Type(), *steps);
  Value counter = body->insertArgument(0u, loop.getIndexType(), b.getLoc());
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(body);
    for (int64_t i : llvm::seq(scans)) {
      Value whole = form.inputs[states + i];
      RankedTensorType type = StablehloBuilder::typeOf(whole);
      int64_t axis = (*axes)[i];
      SmallVector<int64_t> sizes(type.getShape());
      sizes[axis] = 1;
      SmallVector<Value> operands = {whole};
      llvm::append_range(
          operands,
          loop.getStarts(type.getRank(), axis,
                         loop.getStep(counter, *steps, (*directions)[i] != 0)));
      Value slice = form.create("dynamic_slice", type.clone(sizes), operands,
                                form.ints("slice_sizes", sizes))
                        ->getResult(0);
      sizes.erase(sizes.begin() + axis);
      body->getArgument(1 + states + i)
          .replaceAllUsesWith(form.reshape(slice, sizes));
    }
  }
  body->eraseArguments(1 + states, scans);
  return loop.build(std::nullopt, *steps);
}
