//===- Pooling.cpp - Pooling of torch -------------------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Conversions.h"
#include "mlir/IR/TypeUtilities.h"
#include "quant-float/Support/BufferSize.h"
#include <limits>

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::torch_ops;

//===----------------------------------------------------------------------===//
// Pooling
//===----------------------------------------------------------------------===//

/// Returns the number of axes of a window, which ends the name of the op.
static size_t getSpatialRank(OpImporter &op) {
  StringRef name = op.op.getName();
  return name.contains("1d") ? 1 : name.contains("3d") ? 3 : 2;
}

/// Reads a list of one integer, or of one for each axis of the window.
static FailureOr<SmallVector<int64_t>>
requireWindow(OpImporter &op, size_t index, int64_t min,
              std::optional<ArrayRef<int64_t>> byDefault) {
  size_t count = getSpatialRank(op);
  SmallVector<int64_t> result;
  if (!isNone(op, index)) {
    FailureOr<SmallVector<int64_t>> list = requireIntList(op, index);
    if (failed(list))
      return failure();
    result = *list;
  }
  if (result.empty() && byDefault)
    result.assign(byDefault->begin(), byDefault->end());
  if (result.size() == 1)
    result.resize(count, result.front());
  if (result.size() != count)
    return failOperand(op, index, Twine(count) + " integers");
  for (int64_t value : result)
    if (value < min || value > std::numeric_limits<int32_t>::max())
      return failOperand(op, index,
                         "integers from " + Twine(min) + " to 2^31 - 1");
  return result;
}

/// The operands that both kinds of pooling have.
static FailureOr<SmallVector<NamedAttribute>> readPooling(OpImporter &op,
                                                          size_t ceilMode) {
  FailureOr<SmallVector<int64_t>> kernel =
      requireWindow(op, 1, 1, std::nullopt);
  if (failed(kernel))
    return failure();
  auto strides = requireWindow(op, 2, 1, ArrayRef<int64_t>(*kernel));
  auto padding =
      requireWindow(op, 3, 0, SmallVector<int64_t>(kernel->size(), 0));
  FailureOr<bool> isCeil = getBool(op, ceilMode, false);
  if (failed(strides) || failed(padding) || failed(isCeil))
    return failure();
  for (auto [amount, size] : llvm::zip_equal(*padding, *kernel))
    if (amount > size / 2)
      return failOperand(op, 3, "a padding of at most half of the kernel");
  SmallVector<int64_t> pads(*padding);
  llvm::append_range(pads, *padding);
  return SmallVector<NamedAttribute>{
      op.intsAttr("kernel_shape", *kernel), op.intsAttr("strides", *strides),
      op.intsAttr("pads", pads), op.intAttr("ceil_mode", *isCeil)};
}

static Value pool(OpImporter &op, StringRef opType,
                  ArrayRef<NamedAttribute> attributes) {
  TorchMath math(op);
  Type type = op.elementType(0);
  Type computed = math.getComputeType(type);
  Value result = op.buildNode(opType, math.to(op.inputs[0], computed),
                              cast<TensorType>(op.resultType()).clone(computed),
                              attributes);
  return math.to(result, type);
}

/// Returns the maxima and their indices in the image of a channel, which are
/// not computed if they have no uses.
static NodeResults addIndices(OpImporter &op, Value maxima,
                              llvm::function_ref<Value()> findIndices) {
  FailureOr<RankedTensorType> type = op.requireRankedResult(1);
  if (failed(type))
    return failure();
  Value indices;
  if (!op.op->getResult(1).use_empty())
    indices = findIndices();
  else if (type->hasStaticShape())
    indices = op.makeConstant(
        DenseElementsAttr::get(*type, op.b.getI64IntegerAttr(0)));
  else
    return op.unsupported("result 1 has the type " + showType(*type) +
                          ", but must have a static shape");
  Value results[] = {maxima, indices};
  return ValueRange(results);
}

/// Computes maxima, and their indices if the op has two results.
static NodeResults poolMaxima(OpImporter &op,
                              ArrayRef<NamedAttribute> attributes) {
  Value maxima = pool(op, "MaxPool", attributes);
  if (op.op->getNumResults() == 1)
    return maxima;
  ArrayRef<int64_t> image = op.getRanked(0).getShape().drop_front(2);
  std::optional<int64_t> size = countElements(image);
  bool isUsed = !op.op->getResult(1).use_empty();
  if (isUsed && (ShapedType::isDynamicShape(image) || !size || *size == 0))
    return op.unsupported("indices of maxima in images of unknown size");
  return addIndices(op, maxima, [&] {
    TorchMath math(op);
    Value value = math.to(op.inputs[0], math.getComputeType(op.elementType(0)));
    // ONNX counts indices over the whole tensor.
    auto type = cast<RankedTensorType>(op.resultType(1));
    ValueRange results = op.buildNodes(
        "MaxPool", value, {type.clone(getElementTypeOrSelf(value)), type},
        attributes);
    return math.node("Mod", {results[1], op.makeInts(*size)});
  });
}

NodeResults torch_ops::convertMaxPool(OpImporter &op) {
  size_t count = getSpatialRank(op);
  if (failed(requireFloats(op, count + 2)))
    return failure();
  FailureOr<SmallVector<NamedAttribute>> attributes = readPooling(op, 5);
  auto dilations = requireWindow(op, 4, 1, SmallVector<int64_t>(count, 1));
  if (failed(attributes) || failed(dilations))
    return failure();
  attributes->push_back(op.intsAttr("dilations", *dilations));
  return poolMaxima(op, *attributes);
}

NodeResults torch_ops::convertAveragePool(OpImporter &op) {
  if (failed(requireFloats(op, getSpatialRank(op) + 2)))
    return failure();
  FailureOr<SmallVector<NamedAttribute>> attributes = readPooling(op, 4);
  FailureOr<bool> isPaddingCounted = getBool(op, 5, true);
  if (failed(attributes) || failed(isPaddingCounted))
    return failure();
  if (!isNone(op, 6))
    return failOperand(op, 6, "no divisor");
  attributes->push_back(op.intAttr("count_include_pad", *isPaddingCounted));
  return pool(op, "AveragePool", *attributes);
}

//===----------------------------------------------------------------------===//
// Adaptive pooling
//===----------------------------------------------------------------------===//

namespace {
/// The windows of a pooling to an image of another size. Their sizes differ by
/// at most one along each axis, and they may overlap.
struct AdaptiveWindows {
  explicit AdaptiveWindows(ArrayRef<int64_t> from, ArrayRef<int64_t> to);

  /// Gathers the elements of all windows, along the last axis of the result.
  Value gather(OpImporter &op, Value image) const;

  int64_t countPositions() const { return sizes.front().size(); }
  bool areEqual() const { return !llvm::is_contained(isInside, false); }

  /// The maximum number of elements of a window.
  int64_t count = 1;
  /// For each window, the indices of `count` elements of the image. Windows
  /// with fewer elements repeat some.
  SmallVector<int64_t> indices;
  /// Whether an element is no repetition.
  SmallVector<bool> isInside;
  /// For each axis, the sizes of all windows.
  SmallVector<SmallVector<int64_t>> sizes;
};
} // namespace

AdaptiveWindows::AdaptiveWindows(ArrayRef<int64_t> from, ArrayRef<int64_t> to) {
  size_t rank = from.size();
  sizes.resize(rank);
  // The bounds of the windows along each axis, and their maximum size.
  SmallVector<SmallVector<std::pair<int64_t, int64_t>>> bounds(rank);
  SmallVector<int64_t> kernel(rank, 0);
  int64_t positions = 1;
  for (size_t axis : llvm::seq(rank)) {
    for (int64_t i : llvm::seq(to[axis])) {
      int64_t begin = i * from[axis] / to[axis];
      int64_t end = llvm::divideCeil((i + 1) * from[axis], to[axis]);
      bounds[axis].push_back({begin, end});
      kernel[axis] = std::max(kernel[axis], end - begin);
    }
    count *= kernel[axis];
    positions *= to[axis];
  }
  for (int64_t position : llvm::seq(positions)) {
    SmallVector<std::pair<int64_t, int64_t>> window(rank);
    for (size_t axis : llvm::reverse(llvm::seq(rank))) {
      window[axis] = bounds[axis][position % to[axis]];
      position /= to[axis];
    }
    for (size_t axis : llvm::seq(rank))
      sizes[axis].push_back(window[axis].second - window[axis].first);
    for (int64_t element : llvm::seq(count)) {
      int64_t index = 0, stride = 1;
      bool isFirst = true;
      for (size_t axis : llvm::reverse(llvm::seq(rank))) {
        auto [begin, end] = window[axis];
        int64_t offset = element % kernel[axis];
        isFirst &= begin + offset < end;
        index += std::min(begin + offset, end - 1) * stride;
        stride *= from[axis];
        element /= kernel[axis];
      }
      indices.push_back(index);
      isInside.push_back(isFirst);
    }
  }
}

Value AdaptiveWindows::gather(OpImporter &op, Value image) const {
  auto type = cast<RankedTensorType>(image.getType());
  SmallVector<int64_t> shape(type.getShape().take_front(2));
  shape.push_back(*countElements(type.getShape().drop_front(2)));
  image = op.reshapeTo(image, type.clone(shape));
  int64_t positions = countPositions();
  shape.back() = positions;
  shape.push_back(count);
  Value constant = op.makeConstant(DenseElementsAttr::get(
      RankedTensorType::get({positions, count}, op.b.getI64Type()),
      ArrayRef(indices)));
  return op.buildNode("Gather", {image, constant}, type.clone(shape),
                      op.intAttr("axis", 2));
}

/// Pools to an image of these sizes.
static NodeResults poolAdaptively(OpImporter &op, ArrayRef<int64_t> sizes,
                                  bool isMax) {
  ArrayRef<int64_t> from = op.getRanked(0).getShape();
  AdaptiveWindows windows(from.drop_front(2), sizes);
  SmallVector<int64_t> shape(from.take_front(2));
  llvm::append_range(shape, sizes);
  TorchMath math(op);
  Type elementType = op.elementType(0);
  Type computed = math.getComputeType(elementType);
  Value elements = windows.gather(op, math.to(op.inputs[0], computed));
  int64_t positions = windows.countPositions();
  auto finish = [&](Value value, Type type) {
    return math.to(math.reshape(value, shape), type);
  };
  if (!isMax) {
    if (!windows.areEqual()) {
      auto type =
          RankedTensorType::get({positions, windows.count}, op.b.getI1Type());
      Value mask = op.makeConstant(
          DenseElementsAttr::get(type, ArrayRef(windows.isInside)));
      elements =
          math.node("Where", {mask, elements, op.makeNumber(computed, 0)});
    }
    Value sum = math.reduce("ReduceSum", elements, 3, /*keepDims=*/false);
    for (ArrayRef<int64_t> axis : windows.sizes)
      sum = math.node("Div", {sum, op.cast(op.makeInts(axis), computed)});
    return finish(sum, elementType);
  }
  Value maxima = finish(
      math.reduce("ReduceMax", elements, 3, /*keepDims=*/false), elementType);
  if (op.op->getNumResults() == 1)
    return maxima;
  return addIndices(op, maxima, [&] {
    Type i64 = op.b.getI64Type();
    auto type = cast<RankedTensorType>(elements.getType());
    auto found = RankedTensorType::get(type.getShape().drop_back(), i64);
    Value index =
        op.buildNode("ArgMax", elements, found,
                     {op.intAttr("axis", 3), op.intAttr("keepdims", 0),
                      op.intAttr("select_last_index", 0)});
    SmallVector<int64_t> starts;
    for (int64_t position : llvm::seq(positions))
      starts.push_back(position * windows.count);
    index = math.node("Add", {index, op.makeInts(starts)});
    index = op.buildNode("Gather", {op.makeInts(windows.indices), index}, found,
                         op.intAttr("axis", 0));
    return finish(index, i64);
  });
}

NodeResults torch_ops::convertAdaptivePool(OpImporter &op) {
  size_t count = getSpatialRank(op);
  FailureOr<RankedTensorType> type = requireFloats(op, count + 2);
  FailureOr<SmallVector<int64_t>> sizes = requireWindow(op, 1, 1, std::nullopt);
  if (failed(type) || failed(sizes))
    return failure();
  bool isMax = op.op.getName().contains("max");
  TorchMath math(op);
  ArrayRef<int64_t> image = type->getShape().drop_front(2);
  bool isUsed = op.op->getNumResults() > 1 && !op.op->getResult(1).use_empty();
  if (!isUsed && llvm::all_of(*sizes, [](int64_t size) { return size == 1; })) {
    SmallVector<int64_t> axes =
        llvm::to_vector(llvm::seq<int64_t>(2, count + 2));
    Value value =
        math.to(op.inputs[0], math.getComputeType(type->getElementType()));
    Value reduced = math.to(math.reduce(isMax ? "ReduceMax" : "ReduceMean",
                                        value, axes, /*keepDims=*/true),
                            type->getElementType());
    if (op.op->getNumResults() == 1)
      return reduced;
    return addIndices(op, reduced, [] { return Value(); });
  }
  // The number of elements of all windows together is limited.
  constexpr int64_t kMaxElements = int64_t(1) << 24;
  int64_t elements = 1;
  bool isDivisible = true;
  for (auto [from, to] : llvm::zip_equal(image, *sizes)) {
    if (ShapedType::isDynamic(from) || from < 1 || from > kMaxElements ||
        to > kMaxElements || (elements *= (from / to + 2) * to) > kMaxElements)
      return op.unsupported("adaptive pooling of " + showType(*type) +
                            "; expected known sizes of at most 2^24 elements");
    isDivisible &= from % to == 0;
  }
  if (!isDivisible)
    return poolAdaptively(op, *sizes, isMax);
  // Windows of equal sizes that do not overlap.
  SmallVector<int64_t> kernel;
  for (auto [from, to] : llvm::zip_equal(image, *sizes))
    kernel.push_back(from / to);
  NamedAttribute attributes[] = {op.intsAttr("kernel_shape", kernel),
                                 op.intsAttr("strides", kernel)};
  if (isMax)
    return poolMaxima(op, attributes);
  return pool(op, "AveragePool", attributes);
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

/// The elements of all windows of a convolution, one column for each window.
NodeResults torch_ops::convertIm2Col(OpImporter &op) {
  FailureOr<Value> value = requireRankedTensor(op, 0);
  FailureOr<SmallVector<int64_t>> kernel =
      requireWindow(op, 1, 1, std::nullopt);
  FailureOr<SmallVector<int64_t>> dilation =
      requireWindow(op, 2, 1, std::nullopt);
  FailureOr<SmallVector<int64_t>> padding =
      requireWindow(op, 3, 0, std::nullopt);
  FailureOr<SmallVector<int64_t>> stride =
      requireWindow(op, 4, 1, std::nullopt);
  if (failed(value) || failed(kernel) || failed(dilation) || failed(padding) ||
      failed(stride))
    return failure();
  RankedTensorType type = op.getRanked(0);
  if (type.getRank() != 4 || type.isDynamicDim(1) || type.isDynamicDim(2) ||
      type.isDynamicDim(3))
    return failOperand(op, 0, "images of static shape");
  SmallVector<int64_t> shape(type.getShape()), positions;
  for (int64_t axis : {0, 1}) {
    shape[2 + axis] += 2 * (*padding)[axis];
    int64_t span = (*dilation)[axis] * ((*kernel)[axis] - 1) + 1;
    positions.push_back((shape[2 + axis] - span) / (*stride)[axis] + 1);
    if (shape[2 + axis] < span)
      return failOperand(op, 1, "a window in the image");
  }
  constexpr int64_t kMaxElements = int64_t(1) << 24;
  std::optional<int64_t> windows = countElements(positions);
  std::optional<int64_t> elements = countElements(*kernel);
  if (!windows || !elements || *windows > kMaxElements / *elements)
    return op.unsupported("the result has too many elements");
  SmallVector<int64_t> indices;
  for (int64_t element : llvm::seq(*elements))
    for (int64_t window : llvm::seq(*windows)) {
      int64_t index[2];
      int64_t offset[] = {element / (*kernel)[1], element % (*kernel)[1]};
      int64_t start[] = {window / positions[1], window % positions[1]};
      for (int64_t axis : {0, 1})
        index[axis] =
            start[axis] * (*stride)[axis] + offset[axis] * (*dilation)[axis];
      indices.push_back(index[0] * shape[3] + index[1]);
    }
  TorchMath math(op);
  Value image = *value;
  if (ArrayRef(shape) != type.getShape()) {
    int64_t low = (*padding)[0], right = (*padding)[1];
    image = op.buildNode(
        "Pad",
        {image, op.makeInts({0, 0, low, right, 0, 0, low, right}),
         math.makeNumber(type.getElementType(), Number::fromInt(0))},
        type.clone(shape), op.stringAttr("mode", "constant"));
  }
  image = math.reshape(image, {shape[0], shape[1], shape[2] * shape[3]});
  Value constant = op.makeConstant(DenseElementsAttr::get(
      RankedTensorType::get({*elements, *windows}, op.b.getI64Type()),
      ArrayRef(indices)));
  Value columns =
      op.buildNode("Gather", {image, constant},
                   type.clone({shape[0], shape[1], *elements, *windows}),
                   op.intAttr("axis", 2));
  return math.reshape(columns, {shape[0], shape[1] * *elements, *windows});
}
