//===- Contractions.cpp - Matmuls and convolutions of StableHLO -----------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Conversions.h"
#include "Movement.h"
#include "mlir/IR/TypeUtilities.h"
#include "quant-float/Support/BufferSize.h"
#include "quant-float/Support/FloatFormat.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::stablehlo_ops;

//===----------------------------------------------------------------------===//
// Element types
//===----------------------------------------------------------------------===//

namespace {
/// The types in which a contraction is computed.
struct ContractionTypes {
  /// The types of the operands, and of the sums.
  Type lhs, rhs, sum;
  /// Whether an ONNX node for integers of 8 bits computes it.
  bool isByte = false;
};
} // namespace

static bool isByteOrNarrower(Type type) {
  return isa<IntegerType>(type) && type.getIntOrFloatBitWidth() <= 8 &&
         !type.isInteger(1);
}

/// Selects the types: exact 32-bit sums of integers of at most 8 bits, sums of
/// the result's width for other integers, f64 for f64, and f32 for other
/// floats.
static FailureOr<ContractionTypes> chooseTypes(OpImporter &op) {
  Type lhs = op.elementType(0), rhs = op.elementType(1);
  Type result = op.resultElementType();
  for (Type type : {lhs, rhs, result})
    if (!isNumber(type) || type.isInteger(1) ||
        isa<IntegerType>(type) != isa<IntegerType>(lhs))
      return op.unsupported("elements of types " + showType(lhs) + " and " +
                            showType(rhs) + " with a result of " +
                            showType(result));
  ContractionTypes types;
  types.isByte = isByteOrNarrower(lhs) && isByteOrNarrower(rhs) &&
                 result.getIntOrFloatBitWidth() <= 32;
  if (types.isByte) {
    types.lhs = getArithmeticType(lhs);
    types.rhs = getArithmeticType(rhs);
    types.sum = op.b.getI32Type();
    return types;
  }
  // The low bits of products and sums depend on the low bits of the operands.
  if (isa<IntegerType>(lhs))
    types.sum = result.getIntOrFloatBitWidth() <= 32 ? op.b.getI32Type()
                                                     : op.b.getI64Type();
  else if (lhs.isF64() || rhs.isF64() || result.isF64())
    types.sum = op.b.getF64Type();
  else
    types.sum = op.b.getF32Type();
  types.lhs = types.rhs = types.sum;
  return types;
}

/// Requires the default algorithm. Precisions permit less precise results,
/// which are not used.
static LogicalResult checkAlgorithm(OpImporter &op) {
  if (op.op.getAttribute("algorithm"))
    return op.unsupportedAttribute("algorithm", "no algorithm");
  return success();
}

//===----------------------------------------------------------------------===//
// Matmuls
//===----------------------------------------------------------------------===//

namespace {
/// The axes of an operand of a matmul: those of the batch, those that are
/// reduced, and all others.
struct OperandAxes {
  SmallVector<int64_t> batch, reduced, free;
};
} // namespace

static FailureOr<OperandAxes> getAxes(OpImporter &op, size_t index,
                                      ArrayRef<int64_t> batch,
                                      ArrayRef<int64_t> reduced) {
  FailureOr<RankedTensorType> type = op.requireRanked(index);
  if (failed(type))
    return failure();
  SmallVector<int64_t> listed(batch);
  llvm::append_range(listed, reduced);
  if (failed(op.requireAxes("dot_dimension_numbers", listed, type->getRank())))
    return failure();
  OperandAxes axes{
      SmallVector<int64_t>(batch), SmallVector<int64_t>(reduced), {}};
  for (int64_t axis : llvm::seq(type->getRank()))
    if (!llvm::is_contained(listed, axis))
      axes.free.push_back(axis);
  return axes;
}

/// Returns the product of the sizes of the axes; dynamic if one is.
static std::optional<int64_t> multiplySizes(RankedTensorType type,
                                            ArrayRef<int64_t> axes) {
  SmallVector<int64_t> sizes;
  for (int64_t axis : axes) {
    if (type.isDynamicDim(axis))
      return axes.size() == 1 ? std::optional(ShapedType::kDynamic)
                              : std::nullopt;
    sizes.push_back(type.getDimSize(axis));
  }
  return countElements(sizes);
}

/// Transposes an operand to [batch..., rows, columns], where `rows` and
/// `columns` are groups of axes that are collapsed. Fails without a reason if
/// the collapsed sizes are not known.
static FailureOr<Value> arrange(OpImporter &op, Value value,
                                ArrayRef<int64_t> batch, ArrayRef<int64_t> rows,
                                ArrayRef<int64_t> columns) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> order(batch);
  llvm::append_range(order, rows);
  llvm::append_range(order, columns);
  SmallVector<int64_t> sizes;
  for (int64_t axis : batch)
    sizes.push_back(type.getDimSize(axis));
  for (ArrayRef<int64_t> group : {rows, columns}) {
    std::optional<int64_t> size = multiplySizes(type, group);
    if (!size)
      return failure();
    sizes.push_back(*size);
  }
  value = op.transpose(value, order);
  if (rows.size() == 1 && columns.size() == 1)
    return value;
  auto collapsed = type.clone(sizes);
  if (collapsed.getNumDynamicDims() > 1)
    return failure();
  return op.reshapeTo(value, collapsed);
}

/// Computes the product by Einsum, which has no restriction on axes and sizes.
static FailureOr<Value> buildEinsum(OpImporter &op, ArrayRef<Value> operands,
                                    const OperandAxes &lhs,
                                    const OperandAxes &rhs, Type type) {
  auto lhsType = cast<RankedTensorType>(operands[0].getType());
  auto rhsType = cast<RankedTensorType>(operands[1].getType());
  if (lhsType.getRank() + rhsType.getRank() > 26)
    return op.unsupported("operands with more than 26 axes");
  std::string left(lhsType.getRank(), ' '), right(rhsType.getRank(), ' ');
  std::string result;
  char letter = 'a';
  for (auto [a, b] : llvm::zip_equal(lhs.batch, rhs.batch)) {
    left[a] = right[b] = letter;
    result += letter++;
  }
  for (auto [a, b] : llvm::zip_equal(lhs.reduced, rhs.reduced))
    left[a] = right[b] = letter++;
  for (int64_t axis : lhs.free) {
    left[axis] = letter;
    result += letter++;
  }
  for (int64_t axis : rhs.free) {
    right[axis] = letter;
    result += letter++;
  }
  return op.buildNode(
      "Einsum", operands, type,
      op.stringAttr("equation", left + "," + right + "->" + result));
}

static NodeResults buildProduct(OpImporter &op, const OperandAxes &lhs,
                                const OperandAxes &rhs) {
  FailureOr<ContractionTypes> types = chooseTypes(op);
  FailureOr<RankedTensorType> type = op.requireRankedResult();
  if (failed(types) || failed(type) || failed(checkAlgorithm(op)))
    return failure();
  auto leftType = op.getRanked(0), rightType = op.getRanked(1);
  auto requireEqualSizes = [&](ArrayRef<int64_t> left,
                               ArrayRef<int64_t> right) -> LogicalResult {
    if (left.size() != right.size())
      return op.unsupported("dot_dimension_numbers: expected as many axes of "
                            "both operands");
    for (auto [a, b] : llvm::zip_equal(left, right)) {
      int64_t size = leftType.getDimSize(a), other = rightType.getDimSize(b);
      if (!ShapedType::isDynamic(size) && !ShapedType::isDynamic(other) &&
          size != other)
        return op.unsupported("dot_dimension_numbers: axes of sizes " +
                              Twine(size) + " and " + Twine(other));
    }
    return success();
  };
  if (failed(requireEqualSizes(lhs.batch, rhs.batch)) ||
      failed(requireEqualSizes(lhs.reduced, rhs.reduced)))
    return failure();

  Value left = op.cast(op.inputs[0], types->lhs);
  Value right = op.cast(op.inputs[1], types->rhs);
  FailureOr<Value> rows = arrange(op, left, lhs.batch, lhs.free, lhs.reduced);
  FailureOr<Value> columns =
      arrange(op, right, rhs.batch, rhs.reduced, rhs.free);
  auto sumType = type->clone(types->sum);
  // A Reshape computes one size.
  bool isCollapsed =
      type->getRank() != static_cast<int64_t>(lhs.batch.size()) + 2;
  Value result;
  if (failed(rows) || failed(columns) ||
      (isCollapsed && type->getNumDynamicDims() > 1)) {
    FailureOr<Value> product =
        buildEinsum(op, {op.cast(left, types->sum), op.cast(right, types->sum)},
                    lhs, rhs, sumType);
    if (failed(product))
      return failure();
    result = *product;
  } else {
    auto rowsType = cast<RankedTensorType>(rows->getType());
    auto columnsType = cast<RankedTensorType>(columns->getType());
    SmallVector<int64_t> sizes(rowsType.getShape().drop_back());
    sizes.push_back(columnsType.getShape().back());
    result = op.buildNode(types->isByte ? "MatMulInteger" : "MatMul",
                          {*rows, *columns},
                          RankedTensorType::get(sizes, types->sum));
    if (isCollapsed)
      result = op.reshapeTo(result, sumType);
  }
  return op.cast(result, type->getElementType());
}

NodeResults stablehlo_ops::convertDotGeneral(OpImporter &op) {
  std::optional<std::string> text =
      op.op.getText("dot_dimension_numbers", "dot");
  if (!text)
    return op.unsupportedAttribute("dot_dimension_numbers",
                                   "#stablehlo.dot<...>");
  auto read = [&](StringRef name) { return readIntsFromString(*text, name); };
  auto lhsBatch = read("lhs_batching_dimensions");
  auto rhsBatch = read("rhs_batching_dimensions");
  auto lhsReduced = read("lhs_contracting_dimensions");
  auto rhsReduced = read("rhs_contracting_dimensions");
  if (!lhsBatch || !rhsBatch || !lhsReduced || !rhsReduced)
    return op.unsupportedAttribute("dot_dimension_numbers",
                                   "lists of integers");
  FailureOr<OperandAxes> lhs = getAxes(op, 0, *lhsBatch, *lhsReduced);
  FailureOr<OperandAxes> rhs = getAxes(op, 1, *rhsBatch, *rhsReduced);
  if (failed(lhs) || failed(rhs))
    return failure();
  return buildProduct(op, *lhs, *rhs);
}

NodeResults stablehlo_ops::convertDot(OpImporter &op) {
  FailureOr<RankedTensorType> type = op.requireRanked(0);
  if (failed(type))
    return failure();
  // The last axis of the first operand and the first axis of the second.
  FailureOr<OperandAxes> lhs = getAxes(op, 0, {}, type->getRank() - 1);
  FailureOr<OperandAxes> rhs = getAxes(op, 1, {}, int64_t(0));
  if (failed(lhs) || failed(rhs))
    return failure();
  return buildProduct(op, *lhs, *rhs);
}

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

namespace {
/// `#stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>`: the order that
/// transposes each tensor to ONNX's layout, the two letters and then the
/// spatial axes.
struct ConvolutionLayout {
  SmallVector<int64_t> input, kernel, output;
};
} // namespace

/// Reads "[b, 0, 1, f]" and removes it from the string. `first` and `second`
/// are the letters that come first in ONNX's layout.
static FailureOr<SmallVector<int64_t>> readLayout(StringRef &text, char first,
                                                  char second) {
  text = text.ltrim();
  if (!text.consume_front("["))
    return failure();
  auto [list, rest] = text.split(']');
  text = rest;
  SmallVector<StringRef> words;
  list.split(words, ',');
  SmallVector<int64_t> order(words.size(), -1);
  for (auto [axis, untrimmed] : llvm::enumerate(words)) {
    StringRef word = untrimmed.trim();
    uint64_t place;
    if (word == StringRef(&first, 1))
      place = 0;
    else if (word == StringRef(&second, 1))
      place = 1;
    else if (word.getAsInteger(10, place) || place >= words.size())
      return failure();
    else
      place += 2;
    if (place >= words.size() || order[place] != -1)
      return failure();
    order[place] = axis;
  }
  return order;
}

static FailureOr<ConvolutionLayout> readConvolutionLayout(OpImporter &op) {
  std::optional<std::string> printed =
      op.op.getText("dimension_numbers", "conv");
  ConvolutionLayout layout;
  StringRef text = printed ? StringRef(*printed) : StringRef();
  auto read = [&](char first, char second, StringRef after,
                  SmallVector<int64_t> &order) {
    FailureOr<SmallVector<int64_t>> found = readLayout(text, first, second);
    text = text.ltrim();
    if (failed(found) || !text.consume_front(after))
      return false;
    order = *found;
    return true;
  };
  if (!read('b', 'f', "x", layout.input) ||
      !read('o', 'i', "->", layout.kernel) ||
      !read('b', 'f', "", layout.output) || !text.empty() ||
      layout.input.size() != layout.kernel.size() ||
      layout.input.size() != layout.output.size())
    return op.unsupportedAttribute(
        "dimension_numbers", "#stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>");
  return layout;
}

/// Returns a list with one integer for each spatial axis. A missing attribute
/// is a list of `byDefault`.
static FailureOr<SmallVector<int64_t>>
getSpatial(OpImporter &op, StringRef name, size_t count, int64_t byDefault) {
  if (!op.op.getAttribute(name))
    return SmallVector<int64_t>(count, byDefault);
  FailureOr<SmallVector<int64_t>> values = op.requireInts(name);
  if (failed(values))
    return failure();
  if (values->size() != count)
    return op.unsupportedAttribute(name, Twine(count) + " integers");
  for (int64_t value : *values)
    if (value < byDefault || value > std::numeric_limits<int32_t>::max())
      return op.unsupportedAttribute(name, "integers from " + Twine(byDefault) +
                                               " to 2^31 - 1");
  return values;
}

NodeResults stablehlo_ops::convertConvolution(OpImporter &op) {
  FailureOr<ConvolutionLayout> layout = readConvolutionLayout(op);
  FailureOr<ContractionTypes> types = chooseTypes(op);
  FailureOr<RankedTensorType> inputType = op.requireRanked(0);
  FailureOr<RankedTensorType> kernelType = op.requireRanked(1);
  FailureOr<RankedTensorType> type = op.requireRankedResult();
  FailureOr<int64_t> batchGroups = op.requireInt("batch_group_count");
  FailureOr<int64_t> groups = op.requireInt("feature_group_count");
  if (failed(layout) || failed(types) || failed(inputType) ||
      failed(kernelType) || failed(type) || failed(batchGroups) ||
      failed(groups))
    return failure();
  int64_t rank = layout->input.size();
  if (inputType->getRank() != rank || kernelType->getRank() != rank ||
      type->getRank() != rank)
    return op.unsupported("dimension_numbers: expected tensors of rank " +
                          Twine(rank));
  if (rank < 3 || rank > 5)
    return op.unsupported("convolutions with " + Twine(rank - 2) +
                          " spatial axes; expected 1 to 3");
  if (isa<IntegerType>(types->sum) && !types->isByte)
    return op.unsupported("convolutions of integers of more than 8 bits");
  if (*batchGroups != 1)
    return op.unsupportedAttribute("batch_group_count", "1");
  if (*groups < 1)
    return op.unsupportedAttribute("feature_group_count", "at least 1");
  size_t count = rank - 2;
  auto strides = getSpatial(op, "window_strides", count, 1);
  auto dilations = getSpatial(op, "rhs_dilation", count, 1);
  auto inputDilations = getSpatial(op, "lhs_dilation", count, 1);
  auto reversals = getSpatial(op, "window_reversal", count, 0);
  if (failed(strides) || failed(dilations) || failed(inputDilations) ||
      failed(reversals))
    return failure();
  SmallVector<int64_t> padding(2 * count);
  if (op.op.getAttribute("padding")) {
    FailureOr<SmallVector<int64_t>> given = op.requireInts("padding");
    if (failed(given))
      return failure();
    if (given->size() != 2 * count && given->size() != 1)
      return op.unsupportedAttribute("padding", Twine(2 * count) + " integers");
    for (size_t i : llvm::seq(padding.size()))
      padding[i] = given->size() == 1 ? given->front() : (*given)[i];
  }

  Value input = op.cast(op.inputs[0], types->lhs);
  Value kernel = op.cast(op.inputs[1], types->rhs);
  input = op.transpose(input, layout->input);
  kernel = op.transpose(kernel, layout->kernel);
  SmallVector<int64_t> reversed;
  for (auto [axis, isReversed] : llvm::enumerate(*reversals))
    if (isReversed)
      reversed.push_back(axis + 2);
  kernel = reverse(op, kernel, reversed);

  // ONNX's convolution pads, but neither removes nor inserts elements.
  Padding amounts{SmallVector<int64_t>(rank), SmallVector<int64_t>(rank),
                  SmallVector<int64_t>(rank)};
  SmallVector<int64_t> pads(2 * count);
  for (size_t axis : llvm::seq(count)) {
    amounts.interior[axis + 2] = (*inputDilations)[axis] - 1;
    for (bool isHigh : {false, true}) {
      int64_t amount = padding[2 * axis + isHigh];
      if (amount < -std::numeric_limits<int32_t>::max() ||
          amount > std::numeric_limits<int32_t>::max())
        return op.unsupportedAttribute("padding", "integers of 32 bits");
      if (amount < 0)
        (isHigh ? amounts.high : amounts.low)[axis + 2] = amount;
      else
        pads[isHigh * count + axis] = amount;
    }
  }
  FailureOr<Value> padded =
      pad(op, input, op.makeNumber(getElementTypeOrSelf(input), 0), amounts);
  if (failed(padded))
    return failure();

  SmallVector<int64_t> sizes;
  for (int64_t axis : layout->output)
    sizes.push_back(type->getDimSize(axis));
  SmallVector<int64_t> kernelSizes(
      cast<RankedTensorType>(kernel.getType()).getShape().drop_front(2));
  SmallVector<NamedAttribute> attributes = {
      op.intsAttr("dilations", *dilations), op.intAttr("group", *groups),
      op.intsAttr("pads", pads), op.intsAttr("strides", *strides)};
  if (llvm::none_of(kernelSizes, ShapedType::isDynamic))
    attributes.push_back(op.intsAttr("kernel_shape", kernelSizes));
  Value result =
      op.buildNode(types->isByte ? "ConvInteger" : "Conv", {*padded, kernel},
                   RankedTensorType::get(sizes, types->sum), attributes);
  result = op.cast(result, type->getElementType());
  SmallVector<int64_t> back(rank);
  for (auto [to, from] : llvm::enumerate(layout->output))
    back[from] = to;
  return op.transpose(result, back);
}
