//===- Nodes.cpp - ONNX nodes as StableHLO --------------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Forms.h"
#include "mlir/Dialect/Traits.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/TypeUtilities.h"
#include "quant-float/IR/ElementTypes.h"
#include "quant-float/Support/BufferSize.h"
#include "quant-float/Support/FloatFormat.h"
#include <limits>

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::onnx_forms;
using llvm::APFloat;

//===----------------------------------------------------------------------===//
// Attributes and inputs
//===----------------------------------------------------------------------===//

LogicalResult Form::unsupported(const Twine &reason) {
  if (problem.empty())
    problem = reason.str();
  return failure();
}

int64_t Form::getInt(StringRef attribute, int64_t byDefault) const {
  auto value = getNode().getNodeAttributes().getAs<IntegerAttr>(attribute);
  return value ? value.getInt() : byDefault;
}

std::optional<SmallVector<int64_t>> Form::getInts(StringRef attribute) const {
  if (auto value =
          getNode().getNodeAttributes().getAs<DenseI64ArrayAttr>(attribute))
    return llvm::to_vector(value.asArrayRef());
  return std::nullopt;
}

bool Form::isConstant(size_t index) const {
  Operation *op = inputs[index].getDefiningOp();
  return op && op->getName().getStringRef() == "stablehlo.constant";
}

FailureOr<SmallVector<int64_t>> Form::requireInts(size_t index) {
  Operation *constant = inputs[index].getDefiningOp();
  DenseIntElementsAttr elements;
  // The builder writes attributes as properties.
  if (isConstant(index))
    if (auto properties = dyn_cast_or_null<DictionaryAttr>(
            constant->getPropertiesAsAttribute()))
      elements = properties.getAs<DenseIntElementsAttr>("value");
  if (!elements || typeOf(inputs[index]).getRank() > 1)
    return unsupported("input " + Twine(index) +
                       " must be a constant list of integers");
  SmallVector<int64_t> result;
  for (const APInt &element : elements.getValues<APInt>())
    result.push_back(element.getSExtValue());
  return result;
}

FailureOr<int64_t> Form::requireAxis(int64_t axis, int64_t rank) {
  if (axis < -rank || axis >= rank)
    return unsupported("expected an axis of a tensor of rank " + Twine(rank) +
                       ", but got " + Twine(axis));
  return axis < 0 ? axis + rank : axis;
}

/// Returns the value, or fails because the shapes cannot be broadcast.
static FailureOr<Value> requireValue(Form &form, Value value) {
  if (value)
    return value;
  return form.unsupported("the shapes of the inputs cannot be broadcast");
}

static LogicalResult requireNumbers(Form &form) {
  for (Value input : form.inputs) {
    Type type = StablehloBuilder::elementOf(input);
    if (!isStandardFloat(type) && !isa<IntegerType>(type))
      return form.unsupported("elements of type " + showType(type));
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

FailureOr<Value> onnx_forms::convertElementwise(Form &form) {
  // Select moves elements of any type.
  if (form.name != "select" && failed(requireNumbers(form)))
    return failure();
  bool isVariadic = form.name == "maximum" || form.name == "minimum";
  if (!isVariadic)
    return requireValue(form, form.elementwise(form.name, form.inputs));
  Value result = form.inputs.front();
  for (Value input : ArrayRef(form.inputs).drop_front())
    if (!(result = form.elementwise(form.name, {result, input})))
      return requireValue(form, {});
  return result;
}

FailureOr<Value> onnx_forms::convertComparison(Form &form) {
  if (failed(requireNumbers(form)))
    return failure();
  return requireValue(form,
                      form.compare(form.name, form.inputs[0], form.inputs[1]));
}

FailureOr<Value> onnx_forms::convertBitCast(Form &form) {
  Type type = getTypeFromOnnxDataType(
      form.b.getContext(), static_cast<int32_t>(form.getInt("to", 0)));
  if (!type || !isNumber(type) ||
      getNumberWidth(type) !=
          getNumberWidth(StablehloBuilder::elementOf(form.inputs[0])))
    return form.unsupported("attribute 'to'");
  return form.bitcast(form.inputs[0], type);
}

FailureOr<Value> onnx_forms::convertBitShift(Form &form) {
  auto direction =
      form.getNode().getNodeAttributes().getAs<StringAttr>("direction");
  bool isLeft = direction && direction.getValue() == "LEFT";
  return requireValue(
      form, form.elementwise(isLeft ? "shift_left" : "shift_right_logical",
                             form.inputs));
}

FailureOr<Value> onnx_forms::convertClip(Form &form) {
  if (form.inputs.empty() || !form.inputs.front())
    return form.unsupported("no input");
  Value result = form.inputs[0];
  for (auto [index, name] : {std::pair<size_t, StringRef>{1, "maximum"},
                             std::pair<size_t, StringRef>{2, "minimum"}})
    if (form.hasInput(index))
      if (!(result = form.elementwise(name, {result, form.inputs[index]})))
        return requireValue(form, {});
  return result;
}

FailureOr<Value> onnx_forms::convertDiv(Form &form) {
  if (failed(requireNumbers(form)))
    return failure();
  return requireValue(form, form.divide(form.inputs[0], form.inputs[1]));
}

FailureOr<Value> onnx_forms::convertIdentity(Form &form) {
  return form.inputs[0];
}

FailureOr<Value> onnx_forms::convertIsNaN(Form &form) {
  Value value = form.inputs[0];
  Type type = StablehloBuilder::elementOf(value);
  if (!isa<FloatType>(type))
    return form.unsupported("elements of type " + showType(type));
  if (isNarrowFloat(type))
    value = form.convert(value, form.b.getF32Type());
  return form.compare("NE", value, value);
}

FailureOr<Value> onnx_forms::convertReciprocal(Form &form) {
  Value value = form.inputs[0];
  Type type = StablehloBuilder::elementOf(value);
  if (!isStandardFloat(type))
    return form.unsupported("elements of type " + showType(type));
  return form.elementwise("divide", {form.number(type, APFloat(1.0)), value});
}

FailureOr<Value> onnx_forms::convertRelu(Form &form) {
  if (failed(requireNumbers(form)))
    return failure();
  Type type = StablehloBuilder::elementOf(form.inputs[0]);
  Value zero = isa<FloatType>(type) ? form.number(type, APFloat(0.0))
                                    : form.integer(type, 0);
  return form.elementwise("maximum", {zero, form.inputs[0]});
}

//===----------------------------------------------------------------------===//
// Shapes and movement
//===----------------------------------------------------------------------===//

FailureOr<Value> onnx_forms::convertConcat(Form &form) {
  RankedTensorType type = StablehloBuilder::typeOf(form.inputs[0]);
  FailureOr<int64_t> axis =
      form.requireAxis(form.getInt("axis", 1), type.getRank());
  if (failed(axis))
    return failure();
  SmallVector<int64_t> shape(type.getShape());
  shape[*axis] = 0;
  for (Value input : form.inputs) {
    RankedTensorType other = StablehloBuilder::typeOf(input);
    if (other.getRank() != type.getRank())
      return form.unsupported("inputs of different ranks");
    for (int64_t i : llvm::seq(type.getRank()))
      if (i != *axis && other.getDimSize(i) != type.getDimSize(i))
        return form.unsupported("inputs of types " + showType(type) + " and " +
                                showType(other));
    shape[*axis] += other.getDimSize(*axis);
  }
  return form
      .create("concatenate", type.clone(shape), form.inputs,
              form.b.getNamedAttr("dimension", form.b.getI64IntegerAttr(*axis)))
      ->getResult(0);
}

FailureOr<Value> onnx_forms::convertExpand(Form &form) {
  FailureOr<SmallVector<int64_t>> shape = form.requireInts(1);
  if (failed(shape))
    return failure();
  Value value = form.inputs[0];
  SmallVector<int64_t> joined;
  if (llvm::any_of(*shape, [](int64_t size) { return size < 0; }))
    return form.unsupported("a shape with a negative size");
  if (!OpTrait::util::getBroadcastedShape(
          StablehloBuilder::typeOf(value).getShape(), *shape, joined))
    return requireValue(form, {});
  return form.broadcastTo(value, joined);
}

FailureOr<Value> onnx_forms::convertReshape(Form &form) {
  FailureOr<SmallVector<int64_t>> shape = form.requireInts(1);
  if (failed(shape))
    return failure();
  RankedTensorType type = StablehloBuilder::typeOf(form.inputs[0]);
  bool allowsZero = form.getInt("allowzero", 0) != 0;
  SmallVector<int64_t> known;
  std::optional<size_t> computed;
  for (auto [axis, size] : llvm::enumerate(*shape)) {
    if (size == 0 && !allowsZero && static_cast<int64_t>(axis) < type.getRank())
      size = type.getDimSize(axis);
    if (size == -1)
      computed = axis;
    else
      known.push_back(size);
  }
  std::optional<int64_t> total = countElements(type.getShape());
  bool isNegative = llvm::any_of(known, [](int64_t size) { return size < 0; });
  if (computed && total && !isNegative) {
    std::optional<int64_t> product = countElements(known);
    (*shape)[*computed] = product && *product != 0 ? *total / *product : 0;
  }
  if (isNegative || !total ||
      llvm::any_of(*shape, [](int64_t size) { return size < 0; }) ||
      countElements(*shape) != total)
    return form.unsupported("a shape that does not fit " + showType(type));
  return form.reshape(form.inputs[0], *shape);
}

/// Replaces the axes and the steps of Slice by inputs 3 and 4, where they are
/// present.
static LogicalResult readAxesAndSteps(Form &form, SmallVector<int64_t> &axes,
                                      SmallVector<int64_t> &steps) {
  for (auto [index, list] :
       {std::pair<size_t, SmallVector<int64_t> *>{3, &axes},
        std::pair<size_t, SmallVector<int64_t> *>{4, &steps}}) {
    if (!form.hasInput(index))
      continue;
    FailureOr<SmallVector<int64_t>> given = form.requireInts(index);
    if (failed(given))
      return failure();
    *list = *given;
  }
  return success();
}

/// Slices from starts that are not constant, without steps. The declared type
/// of the result has the sizes, which ONNX computes from the ends.
static FailureOr<Value> sliceDynamically(Form &form) {
  RankedTensorType type = StablehloBuilder::typeOf(form.inputs[0]);
  RankedTensorType startType = StablehloBuilder::typeOf(form.inputs[1]);
  auto result = dyn_cast<RankedTensorType>(form.op->getResult(0).getType());
  int64_t rank = type.getRank();
  if (!result || !result.hasStaticShape() || result.getRank() != rank ||
      startType.getRank() != 1 || !startType.getElementType().isInteger() ||
      startType.getElementType().isInteger(1))
    return form.unsupported("starts that are not constant, of a slice of "
                            "unknown size");
  SmallVector<int64_t> axes =
      llvm::to_vector(llvm::seq(startType.getDimSize(0)));
  SmallVector<int64_t> steps(axes.size(), 1), sizes(type.getShape());
  if (failed(readAxesAndSteps(form, axes, steps)))
    return failure();
  if (static_cast<int64_t>(axes.size()) != startType.getDimSize(0) ||
      llvm::any_of(steps, [](int64_t step) { return step != 1; }))
    return form.unsupported("starts that are not constant, with steps");
  Type element = startType.getElementType();
  SmallVector<Value> operands(rank + 1, form.integer(element, 0));
  operands[0] = form.inputs[0];
  for (auto [place, given] : llvm::enumerate(axes)) {
    FailureOr<int64_t> axis = form.requireAxis(given, rank);
    if (failed(axis))
      return failure();
    int64_t begin = place;
    sizes[*axis] = std::min(result.getDimSize(*axis), sizes[*axis]);
    Value start = form.create("slice", startType.clone(1), form.inputs[1],
                              {form.ints("start_indices", begin),
                               form.ints("limit_indices", begin + 1),
                               form.ints("strides", 1)})
                      ->getResult(0);
    start = form.reshape(start, {});
    // Negative starts count from the end.
    Value moved = form.elementwise(
        "add", {start, form.integer(element, type.getDimSize(*axis))});
    operands[1 + *axis] = form.select(
        form.compare("LT", start, form.integer(element, 0)), moved, start);
  }
  return form
      .create("dynamic_slice", type.clone(sizes), operands,
              form.ints("slice_sizes", sizes))
      ->getResult(0);
}

FailureOr<Value> onnx_forms::convertRange(Form &form) {
  SmallVector<int64_t> bounds;
  for (size_t index : {0, 1, 2}) {
    FailureOr<SmallVector<int64_t>> bound = form.requireInts(index);
    if (failed(bound))
      return failure();
    bounds.append(*bound);
  }
  constexpr int64_t kMaxBound = int64_t(1) << 31;
  if (bounds.size() != 3 || bounds[2] == 0 ||
      llvm::any_of(bounds, [](int64_t bound) {
        return bound > kMaxBound || bound < -kMaxBound;
      }))
    return form.unsupported("expected bounds of at most 2^31 and a step");
  int64_t distance = (bounds[1] - bounds[0]) * (bounds[2] > 0 ? 1 : -1);
  int64_t count = std::max<int64_t>(
      llvm::divideCeilSigned(distance, std::abs(bounds[2])), 0);
  Type element = StablehloBuilder::elementOf(form.inputs[0]);
  Value value = form.create("iota", RankedTensorType::get(count, element), {},
                            form.b.getNamedAttr("iota_dimension",
                                                form.b.getI64IntegerAttr(0)))
                    ->getResult(0);
  if (bounds[2] != 1)
    value =
        form.elementwise("multiply", {value, form.integer(element, bounds[2])});
  if (bounds[0] != 0)
    value = form.elementwise("add", {value, form.integer(element, bounds[0])});
  return value;
}

FailureOr<Value> onnx_forms::convertSlice(Form &form) {
  if (!form.isConstant(1))
    return sliceDynamically(form);
  RankedTensorType type = StablehloBuilder::typeOf(form.inputs[0]);
  int64_t rank = type.getRank();
  FailureOr<SmallVector<int64_t>> starts = form.requireInts(1);
  FailureOr<SmallVector<int64_t>> ends = form.requireInts(2);
  if (failed(starts) || failed(ends))
    return failure();
  SmallVector<int64_t> axes =
      llvm::to_vector(llvm::seq<int64_t>(0, starts->size()));
  SmallVector<int64_t> steps(starts->size(), 1);
  if (failed(readAxesAndSteps(form, axes, steps)))
    return failure();
  if (ends->size() != starts->size() || axes.size() != starts->size() ||
      steps.size() != starts->size())
    return form.unsupported("lists of different sizes");
  SmallVector<int64_t> first(rank, 0), limit(type.getShape()), stride(rank, 1);
  SmallVector<int64_t> reversed;
  for (auto [start, end, given, step] :
       llvm::zip_equal(*starts, *ends, axes, steps)) {
    FailureOr<int64_t> axis = form.requireAxis(given, rank);
    if (failed(axis))
      return failure();
    int64_t size = type.getDimSize(*axis);
    if (step == 0 || step == std::numeric_limits<int64_t>::min())
      return form.unsupported("a step of 0");
    auto clamp = [&](int64_t index, int64_t min, int64_t max) {
      if (index < 0)
        index = std::max(index, -size - 1) + size;
      return std::clamp(index, min, max);
    };
    if (step > 0) {
      first[*axis] = clamp(start, 0, size);
      limit[*axis] = std::max(clamp(end, 0, size), first[*axis]);
      stride[*axis] = step;
      continue;
    }
    // Reverse the axis, and count from its end.
    reversed.push_back(*axis);
    int64_t last = clamp(start, -1, size - 1);
    int64_t before = end < -size ? -1 : clamp(end, -1, size - 1);
    first[*axis] = size - 1 - last;
    limit[*axis] = std::max(size - 1 - before, first[*axis]);
    stride[*axis] = -step;
  }
  Value value = form.inputs[0];
  if (!reversed.empty())
    value =
        form.create("reverse", type, value, form.ints("dimensions", reversed))
            ->getResult(0);
  SmallVector<int64_t> shape;
  for (auto [start, end, step] : llvm::zip_equal(first, limit, stride))
    shape.push_back(llvm::divideCeil(end - start, step));
  if (shape == type.getShape() &&
      llvm::all_of(stride, [](int64_t step) { return step == 1; }))
    return value;
  return form
      .create("slice", type.clone(shape), value,
              {form.ints("start_indices", first),
               form.ints("limit_indices", limit), form.ints("strides", stride)})
      ->getResult(0);
}

/// Returns the axes of input 1, or of the attribute `axes`, of a tensor of this
/// rank.
static FailureOr<SmallVector<int64_t>> getAxes(Form &form, int64_t rank) {
  SmallVector<int64_t> axes;
  if (form.hasInput(1)) {
    FailureOr<SmallVector<int64_t>> given = form.requireInts(1);
    if (failed(given))
      return failure();
    axes = *given;
  } else if (std::optional<SmallVector<int64_t>> given = form.getInts("axes")) {
    axes = *given;
  }
  for (int64_t &axis : axes) {
    FailureOr<int64_t> found = form.requireAxis(axis, rank);
    if (failed(found))
      return failure();
    axis = *found;
  }
  llvm::sort(axes);
  axes.erase(llvm::unique(axes), axes.end());
  return axes;
}

FailureOr<Value> onnx_forms::convertSqueeze(Form &form) {
  RankedTensorType type = StablehloBuilder::typeOf(form.inputs[0]);
  FailureOr<SmallVector<int64_t>> axes = getAxes(form, type.getRank());
  if (failed(axes))
    return failure();
  SmallVector<int64_t> shape;
  for (int64_t axis : llvm::seq(type.getRank())) {
    bool isListed = axes->empty() || llvm::is_contained(*axes, axis);
    if (!isListed || type.getDimSize(axis) != 1)
      shape.push_back(type.getDimSize(axis));
  }
  return form.reshape(form.inputs[0], shape);
}

FailureOr<Value> onnx_forms::convertTranspose(Form &form) {
  RankedTensorType type = StablehloBuilder::typeOf(form.inputs[0]);
  SmallVector<int64_t> order =
      llvm::to_vector(llvm::reverse(llvm::seq(type.getRank())));
  if (auto given = form.getInts("perm"))
    order = *given;
  if (!isPermutationVector(order) ||
      static_cast<int64_t>(order.size()) != type.getRank())
    return form.unsupported("attribute 'perm'");
  return form
      .create("transpose", type.clone(applyPermutation(type.getShape(), order)),
              form.inputs[0], form.ints("permutation", order))
      ->getResult(0);
}

FailureOr<Value> onnx_forms::convertUnsqueeze(Form &form) {
  RankedTensorType type = StablehloBuilder::typeOf(form.inputs[0]);
  FailureOr<SmallVector<int64_t>> given = form.requireInts(1);
  if (failed(given))
    return failure();
  int64_t rank = type.getRank() + given->size();
  FailureOr<SmallVector<int64_t>> axes = getAxes(form, rank);
  if (failed(axes))
    return failure();
  if (axes->size() != given->size())
    return form.unsupported("an axis is listed twice");
  SmallVector<int64_t> shape(type.getShape());
  for (int64_t axis : *axes)
    shape.insert(shape.begin() + axis, 1);
  return form.reshape(form.inputs[0], shape);
}

//===----------------------------------------------------------------------===//
// Contractions and reductions
//===----------------------------------------------------------------------===//

FailureOr<Value> onnx_forms::convertMatMul(Form &form) {
  bool isInteger = form.getNode().getOpType() == "MatMulInteger";
  Value lhs = form.inputs[0], rhs = form.inputs[1];
  for (size_t index : {2, 3})
    if (form.hasInput(index))
      return form.unsupported("zero points of a matmul");
  RankedTensorType left = StablehloBuilder::typeOf(lhs);
  RankedTensorType right = StablehloBuilder::typeOf(rhs);
  int64_t leftRank = left.getRank(), rightRank = right.getRank();
  if (leftRank < 2 || rightRank < 2)
    return form.unsupported("operands of rank 1");
  if (left.getDimSize(leftRank - 1) != right.getDimSize(rightRank - 2))
    return form.unsupported("operands of types " + showType(left) + " and " +
                            showType(right));
  Type type = isInteger ? Type(form.b.getI32Type()) : left.getElementType();
  if (!isInteger && (left.getElementType() != right.getElementType() ||
                     !(isStandardFloat(type) || isa<IntegerType>(type))))
    return form.unsupported("operands of types " + showType(left) + " and " +
                            showType(right));
  // Signed and unsigned operands need a common type.
  if (isInteger && left.getElementType() != right.getElementType()) {
    lhs = form.convert(lhs, type);
    rhs = form.convert(rhs, type);
  }
  SmallVector<int64_t> batch;
  if (!OpTrait::util::getBroadcastedShape(left.getShape().drop_back(2),
                                          right.getShape().drop_back(2), batch))
    return requireValue(form, {});
  auto spread = [&](Value value) {
    SmallVector<int64_t> shape(batch);
    llvm::append_range(shape,
                       StablehloBuilder::typeOf(value).getShape().take_back(2));
    return form.broadcastTo(value, shape);
  };
  // A second operand without a batch needs none.
  bool isShared = rightRank == 2 && leftRank > 2;
  lhs = spread(lhs);
  if (!isShared)
    rhs = spread(rhs);
  int64_t count = batch.size();
  std::string axes;
  llvm::raw_string_ostream os(axes);
  auto printAxes = [&](StringRef name, ArrayRef<int64_t> list) {
    os << (axes.empty() ? "" : ", ") << name << " = [";
    llvm::interleaveComma(list, os);
    os << "]";
  };
  if (!isShared && count != 0) {
    auto all = llvm::to_vector(llvm::seq(count));
    printAxes("lhs_batching_dimensions", all);
    printAxes("rhs_batching_dimensions", all);
  }
  printAxes("lhs_contracting_dimensions", count + 1);
  printAxes("rhs_contracting_dimensions", isShared ? 0 : count);
  SmallVector<int64_t> shape(batch);
  shape.push_back(left.getDimSize(leftRank - 2));
  shape.push_back(right.getDimSize(rightRank - 1));
  return form
      .create("dot_general", RankedTensorType::get(shape, type), {lhs, rhs},
              form.attribute("dot_dimension_numbers",
                             "#stablehlo.dot<" + axes + ">"))
      ->getResult(0);
}

/// Returns the value at which a reduction starts.
static Value makeInitial(Form &form, StringRef name, Type type) {
  bool isMax = name == "maximum";
  if (auto floatType = dyn_cast<FloatType>(type)) {
    if (name == "add" || name == "multiply")
      return form.number(type, APFloat(name == "add" ? 0.0 : 1.0));
    return form.number(type, APFloat::getInf(APFloat::IEEEdouble(), isMax));
  }
  if (name == "add" || name == "multiply")
    return form.integer(type, name == "multiply");
  unsigned width = type.getIntOrFloatBitWidth();
  bool isUnsigned = type.isUnsignedInteger() || width == 1;
  APInt bound = isMax ? (isUnsigned ? APInt::getMinValue(width)
                                    : APInt::getSignedMinValue(width))
                      : (isUnsigned ? APInt::getMaxValue(width)
                                    : APInt::getSignedMaxValue(width));
  return form.constant(
      DenseElementsAttr::get(RankedTensorType::get({}, type), bound));
}

FailureOr<Value> onnx_forms::convertReduction(Form &form) {
  RankedTensorType type = StablehloBuilder::typeOf(form.inputs[0]);
  Type element = type.getElementType();
  bool isBoolean = element.isInteger(1);
  if (!isStandardFloat(element) && !isa<IntegerType>(element))
    return form.unsupported("elements of type " + showType(element));
  FailureOr<SmallVector<int64_t>> axes = getAxes(form, type.getRank());
  if (failed(axes))
    return failure();
  if (axes->empty()) {
    if (form.getInt("noop_with_empty_axes", 0) != 0)
      return form.inputs[0];
    axes = llvm::to_vector(llvm::seq(type.getRank()));
  }
  SmallVector<int64_t> shape, kept;
  for (int64_t axis : llvm::seq(type.getRank())) {
    bool isReduced = llvm::is_contained(*axes, axis);
    if (!isReduced)
      shape.push_back(type.getDimSize(axis));
    kept.push_back(isReduced ? 1 : type.getDimSize(axis));
  }
  StringRef name = form.name;
  if (isBoolean)
    name = name == "maximum" || name == "add" ? "or" : "and";
  Value initial = makeInitial(form, form.name, element);
  Operation *reduce =
      form.create("reduce", type.clone(shape), {form.inputs[0], initial},
                  form.ints("dimensions", *axes), /*regions=*/1);
  ImplicitLocOpBuilder &b = form.b;
  OpBuilder::InsertionGuard guard(b);
  auto scalar = RankedTensorType::get({}, element);
  Block *block = b.createBlock(&reduce->getRegion(0), {}, {scalar, scalar},
                               {b.getLoc(), b.getLoc()});
  Value combined =
      form.create(name, scalar, block->getArguments())->getResult(0);
  form.create("return", {}, combined);
  b.setInsertionPointAfter(reduce);
  Value result = reduce->getResult(0);
  return form.getInt("keepdims", 1) != 0 ? form.reshape(result, kept) : result;
}

/// Reduces a tensor and its indices, in the form that JAX writes.
FailureOr<Value> onnx_forms::convertArgExtremum(Form &form) {
  RankedTensorType type = StablehloBuilder::typeOf(form.inputs[0]);
  Type element = type.getElementType();
  bool isMax = form.getNode().getOpType() == "ArgMax";
  if ((!isStandardFloat(element) && !isa<IntegerType>(element)) ||
      element.isInteger(1))
    return form.unsupported("elements of type " + showType(element));
  FailureOr<int64_t> axis =
      form.requireAxis(form.getInt("axis", 0), type.getRank());
  if (failed(axis))
    return failure();
  if (form.getInt("select_last_index", 0) != 0)
    return form.unsupported("the last index of equal elements");
  int64_t size = type.getDimSize(*axis);
  if (size < 1 || size > std::numeric_limits<int32_t>::max())
    return form.unsupported("an axis of size " + Twine(size));
  ImplicitLocOpBuilder &b = form.b;
  Type i32 = b.getI32Type();
  SmallVector<int64_t> shape(type.getShape()), kept(type.getShape());
  shape.erase(shape.begin() + *axis);
  kept[*axis] = 1;
  Value indices =
      form.create("iota", type.clone(i32), {},
                  b.getNamedAttr("iota_dimension", b.getI64IntegerAttr(*axis)))
          ->getResult(0);
  Value initial = makeInitial(form, isMax ? "maximum" : "minimum", element);
  Operation *reduce = form.create(
      "reduce", {type.clone(shape), RankedTensorType::get(shape, i32)},
      {form.inputs[0], indices, initial, form.integer(i32, 0)},
      form.ints("dimensions", *axis), /*regions=*/1);
  {
    OpBuilder::InsertionGuard guard(b);
    auto scalar = RankedTensorType::get({}, element);
    auto index = RankedTensorType::get({}, i32);
    SmallVector<Location> locations(4, b.getLoc());
    Block *block = b.createBlock(&reduce->getRegion(0), {},
                                 {scalar, index, scalar, index}, locations);
    Value best = block->getArgument(0), bestIndex = block->getArgument(1);
    Value other = block->getArgument(2), otherIndex = block->getArgument(3);
    // A NaN is better than any number.
    Value isBetter =
        form.elementwise("or", {form.compare(isMax ? "GT" : "LT", best, other),
                                form.compare("NE", best, best)});
    Value isFirst =
        form.elementwise("and", {form.compare("EQ", best, other),
                                 form.compare("LT", bestIndex, otherIndex)});
    Value keepsIndex = form.elementwise("or", {isBetter, isFirst});
    form.create("return", {},
                {form.select(isBetter, best, other),
                 form.select(keepsIndex, bestIndex, otherIndex)});
  }
  b.setInsertionPointAfter(reduce);
  Value result = form.convert(reduce->getResult(1), b.getI64Type());
  return form.getInt("keepdims", 1) != 0 ? form.reshape(result, kept) : result;
}
