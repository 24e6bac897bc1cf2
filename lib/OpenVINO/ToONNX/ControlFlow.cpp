//===- ControlFlow.cpp - If, Loop and TensorIterator ----------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// OpenVINO's bodies access outer values only through ports, which the importer
// stores as lists of positions. ONNX's bodies access outer values directly.
//
//===----------------------------------------------------------------------===//

#include "LayerContext.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::openvino_layers;

/// Returns a list of integers that the importer creates.
static ArrayRef<int64_t> getList(NodeOp node, const Twine &name) {
  auto list = node.getNodeAttributes().getAs<DenseI64ArrayAttr>(name.str());
  return list ? list.asArrayRef() : ArrayRef<int64_t>();
}

/// Requires the bodies and lists that the importer creates. They may be missing
/// in a handwritten module.
static LogicalResult requireBody(LayerContext &context, unsigned index,
                                 const Twine &prefix,
                                 ArrayRef<StringRef> inputLists,
                                 ArrayRef<StringRef> outputLists) {
  NodeOp node = context.node;
  StringAttr name = StringAttr::get(node.getContext(), prefix + "body");
  if (index >= node.getBodyNames().size() || node.getBodyNames()[index] != name)
    return context.unsupported("'" + name.getValue() + "' is missing");
  Block &body = node.getBodies()[index].front();
  auto require = [&](const Twine &list, size_t count, int64_t max) {
    ArrayRef<int64_t> numbers = getList(node, list);
    if (numbers.size() == count && llvm::all_of(numbers, [&](int64_t number) {
          return max < 0 || (number >= -1 && number < max);
        }))
      return success();
    return context.unsupported("attribute '" + list +
                               "' does not match the body");
  };
  int64_t results = body.getTerminator()->getNumOperands();
  if (failed(require(prefix + "inputs", body.getNumArguments(),
                     context.inputs.size())) ||
      failed(require(prefix + "outputs", node->getNumResults(), results)))
    return failure();
  for (StringRef list : inputLists)
    if (failed(require(list, body.getNumArguments(),
                       list == "back_edges" ? results : -1)))
      return failure();
  for (StringRef list : outputLists)
    if (failed(require(list, node->getNumResults(), -1)))
      return failure();
  return success();
}

/// Creates an ONNX node that takes the bodies of the layer.
static NodeOp buildWithBodies(LayerContext &context, StringRef opType,
                              ArrayRef<Value> operands, TypeRange types,
                              ArrayRef<StringRef> names) {
  SmallVector<Value> present;
  SmallVector<int64_t> absent;
  for (auto [index, operand] : llvm::enumerate(operands)) {
    if (operand)
      present.push_back(operand);
    else
      absent.push_back(index);
  }
  ImplicitLocOpBuilder &b = context.b;
  auto node = NodeOp::create(b, types, opType, present, /*domain=*/"",
                             kOnnxOpset, NodeOp(context.node).getNodeNameAttr(),
                             b.getDictionaryAttr({}), absent,
                             b.getStrArrayAttr(names), names.size());
  for (auto [to, from] :
       llvm::zip_equal(node.getBodies(), NodeOp(context.node).getBodies()))
    to.takeBody(from);
  return node;
}

//===----------------------------------------------------------------------===//
// If
//===----------------------------------------------------------------------===//

LayerResults openvino_layers::convertIf(LayerContext &context) {
  NodeOp layer = context.node;
  static constexpr StringRef kPrefixes[] = {"then_", "else_"};
  for (auto [index, prefix] : llvm::enumerate(kPrefixes))
    if (failed(requireBody(context, index, prefix, {}, {})))
      return failure();
  NodeOp node =
      buildWithBodies(context, "If", context.inputs[0], layer->getResultTypes(),
                      {"then_branch", "else_branch"});
  for (auto [prefix, region] : llvm::zip_equal(kPrefixes, node.getBodies())) {
    Block &body = region.front();
    for (auto [argument, input] : llvm::zip_equal(
             body.getArguments(), getList(layer, prefix + "inputs")))
      argument.replaceAllUsesWith(context.inputs[std::max<int64_t>(input, 0)]);
    body.eraseArguments(0, body.getNumArguments());
    Operation *yield = body.getTerminator();
    SmallVector<Value> results;
    for (int64_t result : getList(layer, prefix + "outputs"))
      results.push_back(yield->getOperand(std::max<int64_t>(result, 0)));
    yield->setOperands(results);
  }
  return ValueRange(node->getResults());
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

namespace {
/// The parts of a tensor along an axis that the iterations of a loop read or
/// write.
struct Slicing {
  int64_t axis, start, end, stride, part;

  bool isReverse() const { return stride < 0; }
  /// Whether the parts cover the axis, which has this size or is dynamic. A
  /// bound of -1 is the end of the axis.
  bool coversAxis(int64_t size) const {
    int64_t low = isReverse() ? end : start, high = isReverse() ? start : end;
    bool isStatic = !ShapedType::isDynamic(size);
    return low == 0 && (high == -1 || (isStatic && high == size)) &&
           (!isStatic || size % part == 0);
  }
};

/// Converts Loop and TensorIterator to an ONNX Loop. Its body has the iteration
/// number, a condition, and the loop-carried values.
struct LayerLoop {
  LayerContext &context;
  NodeOp layer = context.node;
  Block *body = nullptr;

  Slicing getSlicing(StringRef what, size_t index) const {
    auto get = [&](StringRef field) {
      return getList(layer, what + field)[index];
    };
    return {get("axes"), get("starts"), get("ends"), get("strides"),
            get("parts")};
  }
  /// Requires that the parts cover the axis. If `start` or `end` exclude a part
  /// of it, OpenVINO's plugins contradict its shape inference.
  LogicalResult requireFullCoverage(const Slicing &slicing, Value part,
                                    Type tensor);
  /// Returns the number of parts of each sliced input, and null for other
  /// inputs.
  FailureOr<SmallVector<Value>> countParts();
  Value makePart(Value tensor, const Slicing &slicing, Value count, Value step);
  Value joinParts(Value parts, const Slicing &slicing, int64_t rank);
  /// Returns the initial value of a result that no iteration reads.
  FailureOr<Value> makeUnread(Value result);
  LayerResults convert(size_t firstInput);
};
} // namespace

LogicalResult LayerLoop::requireFullCoverage(const Slicing &slicing, Value part,
                                             Type tensor) {
  auto type = dyn_cast<RankedTensorType>(part.getType());
  if (!type)
    return context.unsupported("a sliced tensor has the type " +
                               showType(part.getType()) +
                               ", whose rank is not known");
  // The indices of a part are a constant.
  constexpr int64_t kMaxIndices = int64_t(1) << 20;
  if (slicing.part > kMaxIndices)
    return context.unsupported("slices of more than " + Twine(kMaxIndices) +
                               " elements: part_size " + Twine(slicing.part));
  if (slicing.axis >= type.getRank() || slicing.part < 1 ||
      (slicing.stride != slicing.part && slicing.stride != -slicing.part))
    return context.unsupported(
        "expected consecutive slices of one of " + Twine(type.getRank()) +
        " axes, but got axis " + Twine(slicing.axis) + ", part_size " +
        Twine(slicing.part) + " and stride " + Twine(slicing.stride));
  auto tensorType = dyn_cast<RankedTensorType>(tensor);
  int64_t size = tensorType && tensorType.getRank() == type.getRank()
                     ? tensorType.getDimSize(slicing.axis)
                     : ShapedType::kDynamic;
  if (!slicing.coversAxis(size))
    return context.unsupported(
        "expected slices of the whole axis, but got start " +
        Twine(slicing.start) + ", end " + Twine(slicing.end) +
        " and part_size " + Twine(slicing.part));
  return success();
}

FailureOr<SmallVector<Value>> LayerLoop::countParts() {
  SmallVector<Value> counts;
  std::optional<int64_t> known;
  for (auto [index, input] : llvm::enumerate(getList(layer, "inputs"))) {
    counts.emplace_back();
    Slicing slicing = getSlicing("input_", index);
    if (slicing.axis < 0 || input < 0)
      continue;
    Value tensor = context.inputs[input];
    if (failed(requireFullCoverage(slicing, tensor, tensor.getType())))
      return failure();
    auto type = cast<RankedTensorType>(tensor.getType());
    if (type.isDynamicDim(slicing.axis)) {
      Value size = context.getSize(input, slicing.axis);
      Value count =
          context.apply("Div", {size, context.makeInts(slicing.part)});
      counts.back() = context.reshape(count, {});
      continue;
    }
    int64_t count = type.getDimSize(slicing.axis) / slicing.part;
    if (known && *known != count)
      return context.unsupported("its inputs have " + Twine(*known) + " and " +
                                 Twine(count) + " slices");
    known = count;
    counts.back() = context.makeNumber(context.b.getI64Type(), count);
  }
  return counts;
}

/// Returns the elements of an iteration. `step` counts from 0.
Value LayerLoop::makePart(Value tensor, const Slicing &slicing, Value count,
                          Value step) {
  Type i64 = context.b.getI64Type();
  if (slicing.isReverse())
    step = context.apply(
        "Sub",
        {context.apply("Sub", {count, context.makeNumber(i64, 1)}), step});
  Value begin =
      context.apply("Mul", {step, context.makeNumber(i64, slicing.part)});
  SmallVector<int64_t> offsets = llvm::to_vector(llvm::seq(slicing.part));
  Value indices = context.apply("Add", {context.makeInts(offsets), begin});
  return context.apply("Gather", {tensor, indices},
                       context.intAttr("axis", slicing.axis));
}

/// Concatenates the parts, which are stacked along axis 0, along their axis.
Value LayerLoop::joinParts(Value parts, const Slicing &slicing, int64_t rank) {
  if (slicing.isReverse())
    parts = context.apply(
        "Slice", {parts, context.makeInts(-1),
                  context.makeInts(std::numeric_limits<int64_t>::min()),
                  context.makeInts(int64_t(0)), context.makeInts(-1)});
  // Move the axis of the iterations before the sliced axis.
  SmallVector<int64_t> order;
  for (int64_t axis = 1; axis <= rank; ++axis) {
    if (axis == slicing.axis + 1)
      order.push_back(0);
    order.push_back(axis);
  }
  Value turned = context.transpose(parts, order);
  // Join the two axes. The sizes of the others do not change.
  Value shape = context.buildNode("Shape", turned, context.b.getI64Type());
  auto take = [&](int64_t begin, int64_t end) {
    return context.apply(
        "Slice", {shape, context.makeInts(begin), context.makeInts(end)});
  };
  Value sizes =
      context.concatenate({take(0, slicing.axis), context.makeInts(-1),
                           take(slicing.axis + 2, rank + 1)});
  return context.apply("Reshape", {turned, sizes},
                       context.intAttr("allowzero", 0));
}

FailureOr<Value> LayerLoop::makeUnread(Value result) {
  auto type = dyn_cast<RankedTensorType>(result.getType());
  if (!type || !type.hasStaticShape() || !type.getElementType().isIntOrFloat())
    return context.unsupported(
        "the last value of a body output without a back edge has the type " +
        showType(result.getType()));
  Attribute zero = isa<FloatType>(type.getElementType())
                       ? Attribute(FloatAttr::get(type.getElementType(), 0.0))
                       : IntegerAttr::get(type.getElementType(), 0);
  return context.makeConstant(DenseElementsAttr::get(type, zero));
}

LayerResults LayerLoop::convert(size_t firstInput) {
  if (failed(requireBody(context, 0, "",
                         {"back_edges", "input_axes", "input_starts",
                          "input_ends", "input_strides", "input_parts"},
                         {"output_axes", "output_starts", "output_ends",
                          "output_strides", "output_parts"})))
    return failure();
  ImplicitLocOpBuilder &b = context.b;
  body = &layer.getBodies()[0].front();
  SmallVector<Value> bodyResults(body->getTerminator()->getOperands());
  ArrayRef<int64_t> inputs = getList(layer, "inputs"),
                    backEdges = getList(layer, "back_edges"),
                    outputs = getList(layer, "outputs");
  auto getNumber = [&](StringRef name, int64_t max) -> int64_t {
    auto number = layer.getNodeAttributes().getAs<IntegerAttr>(name);
    return number && number.getInt() < max ? number.getInt() : -1;
  };
  int64_t iteration = getNumber("iteration", inputs.size());
  int64_t condition = getNumber("condition", bodyResults.size());

  FailureOr<SmallVector<Value>> counts = countParts();
  if (failed(counts))
    return failure();

  // The trip count and the initial condition.
  Value steps, first;
  if (firstInput == 2) {
    // A negative trip count means that there is no limit.
    std::optional<SmallVector<int64_t>> count = context.getConstantInts(0);
    FailureOr<Value> wide = context.getAsInt64(0);
    if (failed(wide))
      return failure();
    if (!count) {
      Value zero = context.makeNumber(b.getI64Type(), 0);
      Value all = context.makeConstant(
          DenseElementsAttr::get(RankedTensorType::get({}, b.getI64Type()),
                                 std::numeric_limits<int64_t>::max()));
      steps = context.apply(
          "Where", {context.compare("Less", {*wide, zero}), all, *wide});
      steps.setType(UnrankedTensorType::get(b.getI64Type()));
    } else if (!count->empty() && count->front() >= 0) {
      steps = *wide;
    }
    first = context.inputs[1];
  } else {
    auto count = llvm::find_if(*counts, [](Value value) { return value; });
    if (count == counts->end())
      return context.unsupported("the number of iterations is not specified");
    steps = *count;
  }

  // The loop-carried values: Parameters with back edges, followed by results
  // whose last value is an output.
  SmallVector<Value> operands = {steps, first};
  SmallVector<int64_t> carriedBy(bodyResults.size(), -1), carriedResults;
  SmallVector<Type> types, stateTypes;
  auto addResult = [&](int64_t result) {
    Type type = bodyResults[result].getType();
    types.push_back(isa<TensorType>(type)
                        ? UnrankedTensorType::get(getElementTypeOrSelf(type))
                        : type);
  };
  auto addState = [&](Value init, int64_t result, Type type) {
    stateTypes.push_back(type);
    carriedBy[result] = carriedResults.size();
    carriedResults.push_back(result);
    operands.push_back(init);
    addResult(result);
  };
  for (auto [index, result] : llvm::enumerate(backEdges)) {
    if (result < 0)
      continue;
    if (inputs[index] < 0)
      return context.unsupported("a back edge leads to the iteration counter");
    addState(context.inputs[inputs[index]], result,
             body->getArgument(index).getType());
  }
  SmallVector<int64_t> parts;
  for (auto [index, result] : llvm::enumerate(outputs)) {
    if (result < 0)
      return context.unsupported("an output without a result");
    Slicing slicing = getSlicing("output_", index);
    if (slicing.axis >= 0) {
      if (failed(requireFullCoverage(slicing, bodyResults[result],
                                     layer->getResult(index).getType())))
        return failure();
      parts.push_back(index);
      continue;
    }
    if (carriedBy[result] >= 0)
      continue;
    FailureOr<Value> init = makeUnread(bodyResults[result]);
    if (failed(init))
      return failure();
    addState(*init, result, bodyResults[result].getType());
  }
  for (int64_t output : parts)
    addResult(outputs[output]);

  NodeOp node =
      buildWithBodies(context, "Loop", operands, types, StringRef("body"));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(body);
  Location loc = layer.getLoc();
  size_t count = inputs.size();
  Value step =
      body->addArgument(RankedTensorType::get({}, b.getI64Type()), loc);
  Value goesOn =
      body->addArgument(RankedTensorType::get({}, b.getI1Type()), loc);
  SmallVector<Value> states;
  for (Type type : stateTypes)
    states.push_back(body->addArgument(type, loc));
  size_t state = 0;
  for (size_t index = 0; index < count; ++index) {
    BlockArgument parameter = body->getArgument(index);
    Slicing slicing = getSlicing("input_", index);
    Value value;
    if (backEdges[index] >= 0) {
      value = states[state++];
    } else if (static_cast<int64_t>(index) == iteration || inputs[index] < 0) {
      value = context.cast(step, getElementTypeOrSelf(parameter.getType()));
      auto type = dyn_cast<RankedTensorType>(parameter.getType());
      if (type && type.getRank() == 1)
        value = context.unsqueeze(value, int64_t(0));
    } else if (slicing.axis >= 0) {
      value = makePart(context.inputs[inputs[index]], slicing, (*counts)[index],
                       step);
    } else {
      value = context.inputs[inputs[index]];
    }
    // The file's type of a node's result is a hint.
    if (value.getDefiningOp<NodeOp>() && value.use_empty() &&
        getElementTypeOrSelf(value) == getElementTypeOrSelf(parameter))
      value.setType(parameter.getType());
    parameter.replaceAllUsesWith(value);
  }
  body->eraseArguments(0, count);
  Operation *yield = body->getTerminator();
  bodyResults.assign(yield->operand_begin(), yield->operand_end());
  SmallVector<Value> results = {condition >= 0 ? bodyResults[condition]
                                               : goesOn};
  for (int64_t result : carriedResults)
    results.push_back(bodyResults[result]);
  for (int64_t output : parts)
    results.push_back(bodyResults[outputs[output]]);
  yield->setOperands(results);

  b.setInsertionPointAfter(node);
  SmallVector<Value> values;
  size_t next = carriedResults.size();
  for (auto [index, result] : llvm::enumerate(outputs)) {
    Slicing slicing = getSlicing("output_", index);
    if (slicing.axis < 0) {
      values.push_back(node->getResult(carriedBy[result]));
      continue;
    }
    auto type = cast<RankedTensorType>(bodyResults[result].getType());
    values.push_back(
        joinParts(node->getResult(next++), slicing, type.getRank()));
  }
  return ValueRange(values);
}

LayerResults openvino_layers::convertLoop(LayerContext &context) {
  return LayerLoop{context}.convert(/*firstInput=*/2);
}

LayerResults openvino_layers::convertTensorIterator(LayerContext &context) {
  return LayerLoop{context}.convert(/*firstInput=*/0);
}
