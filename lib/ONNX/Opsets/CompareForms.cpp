//===- CompareForms.cpp - Comparison of replacements ----------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks that the replacement of an op in another opset computes the same
// values. Elements of both are computed one by one: those of ops of the dialect
// by the Reference, and those of nodes by one operation of APFloat or APInt
// each.
//
//===----------------------------------------------------------------------===//

#include "CompareForms.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "quant-float/IR/Constants.h"
#include "quant-float/IR/ElementTypes.h"
#include "quant-float/IR/QuantFloatOps.h"
#include "quant-float/Reference/Cast.h"
#include "quant-float/Reference/Quantize.h"
#include "quant-float/Support/FloatFormat.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/MathExtras.h"
#include <cstring>

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::onnx_import;

/// The assumed size of a dynamic dimension.
static constexpr int64_t kOpenSize = 2;
/// Upper bound of the compared elements, which are spread over the tensor.
static constexpr int64_t kMaxElements = 2048;

static SmallVector<int64_t> getSizes(Value value) {
  SmallVector<int64_t> sizes(
      cast<RankedTensorType>(value.getType()).getShape());
  for (int64_t &size : sizes)
    size = ShapedType::isDynamic(size) ? kOpenSize : size;
  return sizes;
}

static int64_t linearize(ArrayRef<int64_t> index, ArrayRef<int64_t> sizes) {
  int64_t result = 0;
  for (auto [position, size] : llvm::zip_equal(index, sizes))
    result = result * size + position;
  return result;
}

static SmallVector<int64_t> delinearize(int64_t linear,
                                        ArrayRef<int64_t> sizes) {
  SmallVector<int64_t> index(sizes.size());
  for (size_t dim = sizes.size(); dim-- > 0;) {
    index[dim] = linear % sizes[dim];
    linear /= sizes[dim];
  }
  return index;
}

/// Returns the bits of one element of a constant; nullopt if its data is not
/// available.
static std::optional<APInt> readElement(ElementsAttr elements, int64_t at) {
  Type type = elements.getElementType();
  unsigned bits = getNumberWidth(type);
  size_t size = llvm::divideCeil(bits, 8);
  auto dense = dyn_cast<DenseElementsAttr>(elements);
  auto resource = dyn_cast<DenseResourceElementsAttr>(elements);
  AsmResourceBlob *blob =
      resource ? resource.getRawHandle().getBlob() : nullptr;
  if (type.isInteger(1) || (!dense && !blob))
    return std::nullopt;
  ArrayRef<char> data = dense ? dense.getRawData() : blob->getData();
  if (dense && dense.isSplat())
    at = 0;
  uint64_t element = 0;
  if (resource && isPacked(resource)) {
    if (8 % bits != 0 || int64_t(data.size()) <= at * int64_t(bits) / 8)
      return std::nullopt;
    element = uint8_t(data[at * bits / 8]) >> at * bits % 8;
  } else {
    if (data.size() < size_t(at + 1) * size)
      return std::nullopt;
    std::memcpy(&element, data.data() + at * size, size);
  }
  return APInt(bits, element & llvm::maskTrailingOnes<uint64_t>(bits));
}

/// Returns the bits of a generated element: all encodings of types of at most 8
/// bits; limits, ties and values of every magnitude of wider types.
static APInt makeElement(Type type, uint64_t at) {
  unsigned bits = getNumberWidth(type);
  if (bits <= 8)
    return APInt(bits, at & llvm::maskTrailingOnes<uint64_t>(bits));
  uint64_t mixed = (at + 1) * 0x9E3779B97F4A7C15u;
  mixed ^= mixed >> 29;
  constexpr double kNumbers[] = {
      0.0,     -0.0,  1.0,  -1.5,   2.5,   -3.5,     0.5, 127.5, -128.5, 255.5,
      32767.5, 65536, 1e30, -1e-30, 1e-40, 16777217, 464, 61440, 0.001,  -6.25};
  if (!isFloat(type)) {
    uint64_t selected = at % 2 ? mixed : mixed % 512;
    return APInt(bits, selected & llvm::maskTrailingOnes<uint64_t>(bits));
  }
  const llvm::fltSemantics &semantics =
      cast<FloatType>(type).getFloatSemantics();
  if (at % 64 == 63)
    return (at % 128 == 63 ? APFloat::getInf(semantics, at % 256 == 63)
                           : APFloat::getNaN(semantics))
        .bitcastToAPInt();
  APFloat number(
      at < std::size(kNumbers)
          ? kNumbers[at]
          : std::ldexp(double(int64_t(mixed) >> 40), int(mixed % 40) - 34));
  bool losesInfo;
  number.convert(semantics, APFloat::rmNearestTiesToEven, &losesInfo);
  return number.bitcastToAPInt();
}

namespace {
/// Computes elements. Memoizes them until `forget` is called, which happens
/// once for each element of the result.
class ElementEvaluator {
public:
  explicit ElementEvaluator(ArrayRef<Value> inputs) : inputs(inputs) {}

  /// Returns the bits of an element; nullopt if it cannot be computed.
  std::optional<APInt> get(Value value, ArrayRef<int64_t> index);
  void forget() {
    known.clear();
    sawNaN = false;
  }
  /// Whether an element that was computed since `forget` is a NaN.
  bool hasSeenNaN() const { return sawNaN; }

private:
  std::optional<APInt> compute(Value value, ArrayRef<int64_t> index);
  std::optional<APInt> computeNode(NodeOp node, ArrayRef<int64_t> index);
  std::optional<APInt> computeArithmetic(NodeOp node, ArrayRef<APInt> operands);
  /// Returns the element of an operand that is broadcast to `index`.
  std::optional<APInt> getBroadcast(Value value, ArrayRef<int64_t> index);
  /// Returns the scale or zero point that applies to an element.
  std::optional<APInt> getParameter(QuantizationOpInterface op, Value parameter,
                                    ArrayRef<int64_t> index);

  ArrayRef<Value> inputs;
  llvm::DenseMap<std::pair<Value, int64_t>, APInt> known;
  bool sawNaN = false;
};
} // namespace

std::optional<APInt> ElementEvaluator::get(Value value,
                                           ArrayRef<int64_t> index) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || type.getRank() != int64_t(index.size()))
    return std::nullopt;
  auto readConstant = [&](AnyConstantOp constant,
                          int64_t at) -> std::optional<APInt> {
    auto elements = dyn_cast<ElementsAttr>(constant.getValue());
    return elements ? readElement(elements, at) : std::nullopt;
  };
  int64_t at = linearize(index, getSizes(value));
  auto constant = value.getDefiningOp<AnyConstantOp>();
  bool isInput = llvm::is_contained(inputs, value);
  if (isInput && !isNumber(type.getElementType()))
    return std::nullopt;
  auto found = known.find({value, at});
  if (found != known.end())
    return found->second;
  std::optional<APInt> made = constant  ? readConstant(constant, at)
                              : isInput ? makeElement(type.getElementType(), at)
                                        : compute(value, index);
  if (!made)
    return std::nullopt;
  Type element = type.getElementType();
  sawNaN |= isFloat(element) &&
            FloatFormat(element).getValue(made->getZExtValue()).isNaN();
  known.try_emplace({value, at}, *made);
  return made;
}

std::optional<APInt> ElementEvaluator::getParameter(QuantizationOpInterface op,
                                                    Value parameter,
                                                    ArrayRef<int64_t> index) {
  if (!isa<RankedTensorType>(parameter.getType()))
    return std::nullopt;
  SmallVector<int64_t> position;
  for (const reference::ParameterIndex &part : op.getGranularity().getIndices(
           getSizes(parameter), getSizes(op.getInputValue())))
    position.push_back(part.dim ? index[*part.dim] / part.blockSize : 0);
  return get(parameter, position);
}

std::optional<APInt> ElementEvaluator::compute(Value value,
                                               ArrayRef<int64_t> index) {
  Operation *op = value.getDefiningOp();
  if (auto node = dyn_cast_or_null<NodeOp>(op))
    return computeNode(node, index);
  auto cast = dyn_cast_or_null<CastOp>(op);
  auto quantization = dyn_cast_or_null<QuantizationOpInterface>(op);
  if (!cast && !quantization)
    return std::nullopt;
  std::optional<APInt> x = get(op->getOperand(0), index);
  if (!x)
    return std::nullopt;
  Type from = getElementTypeOrSelf(op->getOperand(0));
  Type to = getElementTypeOrSelf(value);
  if (cast) {
    if (cast.getMode() || cast.getRandom() || !isNumber(from) || !isNumber(to))
      return std::nullopt;
    CastSemantics semantics = cast.getSemantics();
    reference::CastOptions options;
    options.opset = cast.getOpset();
    options.saturate = semantics.saturate;
    options.scaleRounding = semantics.roundMode == RoundMode::Down
                                ? reference::ScaleRounding::Down
                            : semantics.roundMode == RoundMode::Nearest
                                ? reference::ScaleRounding::Nearest
                                : reference::ScaleRounding::Up;
    return reference::castElement(from, to, *x, options);
  }
  Type scaleType = getElementTypeOrSelf(quantization.getScaleValue());
  std::optional<APInt> scale =
      getParameter(quantization, quantization.getScaleValue(), index);
  std::optional<APInt> point;
  if (Value zeroPoint = quantization.getZeroPointValue())
    if (!(point = getParameter(quantization, zeroPoint, index)))
      return std::nullopt;
  auto quantize = dyn_cast<QuantizeOp>(op);
  if (!scale || quantization.getRandomValue())
    return std::nullopt;
  if (!quantize)
    return isa<DequantizeOp>(op) ? std::optional(reference::dequantizeElement(
                                       from, scaleType, to, *x, *scale, point))
                                 : std::nullopt;
  reference::QuantizeOptions options;
  options.saturate = quantize.getSemantics().saturate;
  options.precision = quantize.getSemantics().precision;
  return reference::quantizeElement(from, scaleType, to, *x, *scale, point,
                                    options);
}

std::optional<APInt> ElementEvaluator::getBroadcast(Value value,
                                                    ArrayRef<int64_t> index) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || type.getRank() > int64_t(index.size()))
    return std::nullopt;
  SmallVector<int64_t> position(index.take_back(type.getRank()));
  for (auto [at, size] : llvm::zip_equal(position, type.getShape()))
    at = size == 1 ? 0 : at;
  return get(value, position);
}

std::optional<APInt> ElementEvaluator::computeNode(NodeOp node,
                                                   ArrayRef<int64_t> index) {
  if (!node.getDomain().empty() || node->getNumResults() != 1 ||
      !llvm::all_of(node->getOperandTypes(), llvm::IsaPred<RankedTensorType>))
    return std::nullopt;
  std::optional<NodeKind> kind = getNodeKind(node);
  Value first = node->getOperand(0);
  if (kind == NodeKind::Reshape)
    return get(first,
               delinearize(linearize(index, getSizes(node->getResult(0))),
                           getSizes(first)));
  if (kind == NodeKind::Gather) {
    auto axis =
        dyn_cast_or_null<IntegerAttr>(node.getNodeAttributes().get("axis"));
    Value indices = node->getOperand(1);
    int64_t rank = cast<RankedTensorType>(indices.getType()).getRank();
    if (!axis)
      return std::nullopt;
    int64_t dim = axis.getInt();
    std::optional<APInt> found = get(indices, index.slice(dim, rank));
    if (!found)
      return std::nullopt;
    SmallVector<int64_t> position(index.take_front(dim));
    position.push_back(found->getSExtValue());
    llvm::append_range(position, index.drop_front(dim + rank));
    return get(first, position);
  }
  SmallVector<APInt> operands;
  for (Value operand : node->getOperands()) {
    std::optional<APInt> element = getBroadcast(operand, index);
    if (!element)
      return std::nullopt;
    operands.push_back(*element);
  }
  return computeArithmetic(node, operands);
}

std::optional<APInt>
ElementEvaluator::computeArithmetic(NodeOp node, ArrayRef<APInt> operands) {
  std::optional<NodeKind> kind = getNodeKind(node);
  if (!kind)
    return std::nullopt;
  if (kind == NodeKind::Where)
    return operands[operands[0].isZero() ? 2 : 1];
  if (kind == NodeKind::Or)
    return operands[0] | operands[1];
  Type type = getElementTypeOrSelf(node->getOperand(0));
  if (type.isInteger(64) && kind == NodeKind::Sub)
    return operands[0] - operands[1];
  if (!type.isF32() && !type.isF64())
    return std::nullopt;
  const llvm::fltSemantics &semantics =
      cast<FloatType>(type).getFloatSemantics();
  APFloat a(semantics, operands[0]);
  APFloat b(semantics, operands.back());
  constexpr auto kNearest = APFloat::rmNearestTiesToEven;
  auto isTrue = [](bool value) { return APInt(1, value); };
  switch (*kind) {
  case NodeKind::IsNaN:
    return isTrue(a.isNaN());
  case NodeKind::Greater:
    return isTrue(a > b);
  case NodeKind::Less:
    return isTrue(a < b);
  case NodeKind::Add:
    (void)a.add(b, kNearest);
    break;
  case NodeKind::Sub:
    (void)a.subtract(b, kNearest);
    break;
  case NodeKind::Mul:
    (void)a.multiply(b, kNearest);
    break;
  case NodeKind::Div:
    (void)a.divide(b, kNearest);
    break;
  case NodeKind::Round:
    (void)a.roundToIntegral(kNearest);
    break;
  case NodeKind::Floor:
    (void)a.roundToIntegral(APFloat::rmTowardNegative);
    break;
  case NodeKind::Abs:
    a.clearSign();
    break;
  case NodeKind::Neg:
    a.changeSign();
    break;
  case NodeKind::Min:
    a = a.isNaN() || a < b ? a : b;
    break;
  case NodeKind::Max:
    a = a.isNaN() || a > b ? a : b;
    break;
  default:
    return std::nullopt;
  }
  return a.bitcastToAPInt();
}

/// Whether the elements are equal except for what no rule specifies: the bits
/// of a NaN and, if `signsAreUnspecified`, the sign of a zero that results from
/// a NaN (D8).
static bool areSame(Type type, const APInt &a, const APInt &b,
                    bool signsAreUnspecified) {
  if (a == b || !isFloat(type))
    return a == b;
  FloatFormat format(type);
  APFloat one = format.getValue(a.getZExtValue());
  APFloat other = format.getValue(b.getZExtValue());
  return (one.isNaN() && other.isNaN()) ||
         (signsAreUnspecified && one.isZero() && other.isZero());
}

static std::string describe(Type type, const APInt &bits) {
  SmallString<16> printed;
  if (isFloat(type))
    FloatFormat(type).getValue(bits.getZExtValue()).toString(printed);
  else
    bits.toString(printed, /*Radix=*/10,
                  /*Signed=*/type.isSignlessInteger());
  return printed.str().str();
}

std::optional<std::string> onnx_import::findDifference(Value old, Value made,
                                                       ArrayRef<Value> inputs) {
  auto type = dyn_cast<RankedTensorType>(old.getType());
  auto madeType = dyn_cast<RankedTensorType>(made.getType());
  if (!type || !madeType || type.getRank() != madeType.getRank())
    return std::nullopt;
  Type from = type.getElementType(), to = madeType.getElementType();
  SmallVector<int64_t> sizes = getSizes(old);
  int64_t total = 1;
  for (int64_t size : sizes)
    if (llvm::MulOverflow(total, size, total))
      return std::nullopt;
  ElementEvaluator evaluator(inputs);
  int64_t count = std::min(total, kMaxElements);
  int64_t stride = count ? total / count : 1;
  for (int64_t i = 0; i < count; ++i) {
    // Vary the offset, so that the samples are not all in the same columns.
    int64_t at = i * stride + (i * 2654435761 >> 7) % stride;
    SmallVector<int64_t> index = delinearize(at, sizes);
    evaluator.forget();
    std::optional<APInt> before = evaluator.get(old, index);
    std::optional<APInt> after = evaluator.get(made, index);
    if (!before || !after)
      return std::nullopt;
    if (from != to)
      before =
          reference::castElement(from, to, *before, reference::CastOptions());
    if (!areSame(to, *before, *after, evaluator.hasSeenNaN()))
      return ("element " + Twine(at) + " would be " + describe(to, *after) +
              " instead of " + describe(to, *before))
          .str();
  }
  return std::nullopt;
}
