//===- Quantization.cpp - Casts and quantization to layers ----------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// If OpenVINO has no layer for an op, arithmetic implements the rules.
// dequantize becomes Convert, Subtract and Multiply in f32, which OpenVINO's
// plugins recognize for low-bit weights. quantize to integers becomes Divide,
// Round, Add, Clamp and Convert. Differences of i32 are computed in halves.
//
//===----------------------------------------------------------------------===//

#include "FormContext.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "quant-float/IR/Constants.h"
#include "quant-float/IR/ElementTypes.h"
#include "quant-float/IR/OpenVinoConvert.h"
#include "quant-float/IR/OpsetRules.h"
#include "quant-float/IR/TransposeConstant.h"
#include "quant-float/Support/FloatFormat.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::openvino_forms;

namespace {
/// Converts an op to layers.
class QuantizationForm {
public:
  QuantizationForm(ImplicitLocOpBuilder &b, std::string &problem)
      : b(b), problem(problem) {}

  FailureOr<Value> convert(CastOp op);
  FailureOr<Value> convert(QuantizeOp op);
  FailureOr<Value> convert(DequantizeOp op);

private:
  LogicalResult unsupported(const Twine &reason) {
    problem = reason.str();
    return failure();
  }
  Value add(StringRef type, ValueRange operands, Type result,
            ArrayRef<NamedAttribute> attributes = {}) {
    return NodeOp::create(b, TypeRange(result), type, operands, kOpenVinoDomain,
                          kLayerOpset, StringAttr(),
                          b.getDictionaryAttr(attributes), ArrayRef<int64_t>(),
                          b.getStrArrayAttr({}), /*bodiesCount=*/0)
        ->getResult(0);
  }
  Value compute(StringRef type, Value lhs, Value rhs) {
    return add(type, {lhs, rhs}, lhs.getType(),
               b.getNamedAttr("auto_broadcast", b.getStringAttr("numpy")));
  }
  Value convertTo(Value value, Type elementType);
  Value reshape(Value value, RankedTensorType type);
  /// Returns a scale or zero point as `type`, in a shape that broadcasts to the
  /// elements of `input` to which it applies.
  template <typename OpTy>
  FailureOr<Value> spread(Value parameter, OpTy op, Type type);
  template <typename OpTy> FailureOr<Value> spread(Value parameter, OpTy op) {
    return spread(parameter, op, b.getF32Type());
  }
  /// Converts the elements to `type` and reshapes them. A constant is reshaped
  /// directly.
  Value convertWithShape(Value value, ArrayRef<int64_t> shape, Type type);
  /// Subtracts two i32 values, and rounds the difference once to f32.
  Value subtractIntegers(Value lhs, Value rhs);
  /// Creates the layers that OpenVINO's plugins recognize for blocks, which
  /// have a separate dimension for the elements of a block, after that of the
  /// scales. If the last block is shorter, it is padded first.
  Value convertGroups(DequantizeOp op, int64_t axis, int64_t blockSize);
  Value fillLastBlock(Value value, int64_t axis, ArrayRef<int64_t> shape);
  Value makeInts(ArrayRef<int64_t> values) {
    return createConstant(b, b.getI64TensorAttr(values));
  }

  ImplicitLocOpBuilder &b;
  std::string &problem;
};
} // namespace

Value QuantizationForm::convertTo(Value value, Type elementType) {
  if (getElementTypeOrSelf(value) == elementType)
    return value;
  return add("Convert", value, withElementType(value.getType(), elementType),
             b.getNamedAttr("destination_type", TypeAttr::get(elementType)));
}

Value QuantizationForm::reshape(Value value, RankedTensorType type) {
  SmallVector<int64_t> sizes(type.getShape());
  std::replace(sizes.begin(), sizes.end(), ShapedType::kDynamic, int64_t(-1));
  Value shape = createConstant(b, b.getI64TensorAttr(sizes));
  return add("Reshape", {value, shape}, type,
             b.getNamedAttr("special_zero", b.getBoolAttr(false)));
}

template <typename OpTy>
FailureOr<Value> QuantizationForm::spread(Value parameter, OpTy op,
                                          Type elementType) {
  auto input = dyn_cast<RankedTensorType>(op.getInput().getType());
  auto type = dyn_cast<RankedTensorType>(parameter.getType());
  auto convert = [&](Value value) { return convertTo(value, elementType); };
  if (type && type.getRank() == 0)
    return convert(parameter);
  if (!input || !type)
    return unsupported("the rank of the input or its scale is not known");
  if (type.hasStaticShape() && type.getNumElements() == 1)
    return convertWithShape(parameter, {}, elementType);
  int64_t rank = input.getRank(), axis = op.getAxis().value_or(1);
  axis += axis < 0 ? rank : 0;
  // The default axis of 1 does not exist in vectors. A scale of dynamic size
  // has one element then.
  if (axis >= rank)
    return convertWithShape(parameter, {}, elementType);
  SmallVector<int64_t> shape(type.getShape());
  if (int64_t size = op.getBlockSize().value_or(0)) {
    // Repeat the parameter of each block for its elements.
    SmallVector<int64_t> split(input.getShape());
    // The indices of all elements along the axis become a constant.
    constexpr int64_t kMaxIndices = int64_t(1) << 24;
    if (ShapedType::isDynamic(split[axis]) || split[axis] > kMaxIndices)
      return unsupported("blocks along an axis of dynamic size");
    SmallVector<int64_t> blockIndices;
    for (int64_t index : llvm::seq(split[axis]))
      blockIndices.push_back(index / size);
    Value where = createConstant(b, b.getI64TensorAttr(blockIndices));
    Value along =
        createConstant(b, DenseElementsAttr::get(
                              RankedTensorType::get({}, b.getI64Type()), axis));
    shape[axis] = split[axis];
    return add("Gather", {convert(parameter), where, along},
               type.clone(shape, elementType),
               b.getNamedAttr("batch_dims", b.getI64IntegerAttr(0)));
  }
  if (axis == rank - 1)
    return convert(parameter);
  SmallVector<int64_t> sizes(rank - axis, 1);
  sizes.front() = shape.front();
  return convertWithShape(parameter, sizes, elementType);
}

Value QuantizationForm::convertWithShape(Value value, ArrayRef<int64_t> shape,
                                         Type type) {
  auto constant = value.getDefiningOp<AnyConstantOp>();
  auto elements =
      constant ? dyn_cast<ElementsAttr>(constant.getValue()) : ElementsAttr();
  ElementsAttr reshaped =
      elements ? reshapeConstant(elements, shape) : ElementsAttr();
  if (!reshaped)
    return reshape(convertTo(value, type), RankedTensorType::get(shape, type));
  // The reshaped constant keeps its name.
  Value moved = createConstant(b, value.getLoc(), cast<TypedAttr>(reshaped));
  return convertTo(moved, type);
}

/// OpenVINO's CPU plugin has no 64-bit integers, and the difference of two
/// 32-bit integers may have 33 bits. The lower halves are subtracted as i32,
/// and the upper halves, as multiples of 2^16, as f32. Both are exact. Only
/// their sum rounds.
Value QuantizationForm::subtractIntegers(Value lhs, Value rhs) {
  Value mask = createConstant(
      b, DenseElementsAttr::get(RankedTensorType::get({}, b.getI32Type()),
                                int32_t(0xFFFF)));
  auto split = [&](Value value) {
    Value low = compute("BitwiseAnd", value, mask);
    Value high = compute("Subtract", value, low);
    return std::pair(low, convertTo(high, b.getF32Type()));
  };
  auto [lhsLow, lhsHigh] = split(lhs);
  auto [rhsLow, rhsHigh] = split(rhs);
  Value low = convertTo(compute("Subtract", lhsLow, rhsLow), b.getF32Type());
  return compute("Add", compute("Subtract", lhsHigh, rhsHigh), low);
}

//===----------------------------------------------------------------------===//
// Casts
//===----------------------------------------------------------------------===//

FailureOr<Value> QuantizationForm::convert(CastOp op) {
  Type from = getElementTypeOrSelf(op.getInput());
  Type to = getElementTypeOrSelf(op.getType());
  if (op.getMode() != CastMode::P3109 &&
      (op.getMode() == CastMode::OpenVINO || from == to))
    return convertTo(op.getInput(), to);
  OpenVinoConversion kind = getOpenVinoConversion(from, to);
  // If an integer type cannot represent the value, both results are
  // unspecified. For other types, a conversion by several steps rounds
  // differently.
  bool isInteger = isa<IntegerType>(to) && isStandardFloat(from);
  bool isSame = kind == OpenVinoConversion::Casts &&
                getOpenVinoSteps(from, to).size() == 1;
  // ONNX's casts saturate by default.
  bool isFloat8 = isFloat(to) && getNumberWidth(to) <= 8;
  if (isFloat8)
    isSame &= op.getSaturate() == false;
  if (!isSame && !isInteger)
    return unsupported("OpenVINO does not convert " + showType(from) + " to " +
                       showType(to) + " as ONNX does");
  return convertTo(op.getInput(), to);
}

//===----------------------------------------------------------------------===//
// Quantize and dequantize
//===----------------------------------------------------------------------===//

/// Whether the zero point may be nonzero. That of float8 is always zero (Q7),
/// also at run time.
static bool hasZeroPoint(DequantizeOp op) {
  Value point = op.getZeroPoint();
  Type quantizedType = getElementTypeOrSelf(op.getInput());
  if (!point || (isFloat(quantizedType) && getNumberWidth(quantizedType) >= 8))
    return false;
  DenseIntElementsAttr elements;
  return !quantizedType.isInteger(32) ||
         !matchPattern(point, m_Constant(&elements)) ||
         llvm::any_of(elements.getValues<APInt>(),
                      [](const APInt &value) { return !value.isZero(); });
}

/// Uses a Pad. Without one between Convert and Multiply, OpenVINO's CPU plugin
/// treats the quantized values as compressed weights with a scale for each
/// element, and its matmuls of 4-bit weights are incorrect then.
Value QuantizationForm::fillLastBlock(Value value, int64_t axis,
                                      ArrayRef<int64_t> shape) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> begin(shape.size(), 0), end(shape.size(), 0);
  end[axis] = shape[axis] - type.getDimSize(axis);
  Type elementType = type.getElementType();
  Value zero = createConstant(
      b, DenseElementsAttr::get(RankedTensorType::get({}, elementType),
                                b.getZeroAttr(elementType)));
  return add("Pad", {value, makeInts(begin), makeInts(end), zero},
             type.clone(shape),
             b.getNamedAttr("pad_mode", b.getStringAttr("constant")));
}

Value QuantizationForm::convertGroups(DequantizeOp op, int64_t axis,
                                      int64_t blockSize) {
  auto insert = [&](ArrayRef<int64_t> shape, int64_t size) {
    SmallVector<int64_t> all(shape);
    all[axis] /= size;
    all.insert(all.begin() + axis + 1, size);
    return all;
  };
  auto convertParameter = [&](Value parameter, Type elementType) {
    auto type = cast<RankedTensorType>(parameter.getType());
    return convertWithShape(parameter, insert(type.getShape(), 1), elementType);
  };
  auto type = cast<RankedTensorType>(op.getType());
  bool hasPoint = hasZeroPoint(op);
  bool isWide = hasPoint && getElementTypeOrSelf(op.getInput()).isInteger(32);
  Type difference = isWide ? Type(b.getI32Type()) : Type(b.getF32Type());
  int64_t blocks =
      cast<RankedTensorType>(op.getScale().getType()).getDimSize(axis);
  SmallVector<int64_t> padded(type.getShape());
  padded[axis] = blocks * blockSize;
  bool isCut = padded[axis] != type.getDimSize(axis);
  Value value;
  if (isCut)
    value = reshape(
        fillLastBlock(convertTo(op.getInput(), difference), axis, padded),
        RankedTensorType::get(insert(padded, blockSize), difference));
  else
    value =
        convertWithShape(op.getInput(), insert(padded, blockSize), difference);
  if (hasPoint) {
    Value point = convertParameter(op.getZeroPoint(), difference);
    value = isWide ? subtractIntegers(value, point)
                   : compute("Subtract", value, point);
  }
  value = compute("Multiply", value,
                  convertParameter(op.getScale(), b.getF32Type()));
  value = reshape(value, type.clone(padded, b.getF32Type()));
  if (isCut)
    value = add("Slice",
                {value, makeInts({0}), makeInts({type.getDimSize(axis)}),
                 makeInts({1}), makeInts({axis})},
                type.clone(b.getF32Type()));
  return convertTo(value, type.getElementType());
}

FailureOr<Value> QuantizationForm::convert(DequantizeOp op) {
  Type f32 = b.getF32Type(),
       quantizedType = getElementTypeOrSelf(op.getInput());
  if (getOpenVinoConversion(quantizedType, f32) != OpenVinoConversion::Casts)
    return unsupported("OpenVINO has no type " + showType(quantizedType));
  auto scaleType = dyn_cast<RankedTensorType>(op.getScale().getType());
  if (auto type = dyn_cast<RankedTensorType>(op.getType());
      type && scaleType && type.hasStaticShape() &&
      scaleType.hasStaticShape()) {
    int64_t blockSize = op.getBlockSize().value_or(0);
    int64_t axis = op.getAxis().value_or(1);
    axis += axis < 0 ? type.getRank() : 0;
    if (blockSize &&
        int64_t(llvm::divideCeil(type.getDimSize(axis), blockSize)) ==
            scaleType.getDimSize(axis))
      // The block size may exceed the size of the axis.
      return convertGroups(
          op, axis,
          std::min(blockSize, std::max<int64_t>(type.getDimSize(axis), 1)));
  }
  bool hasPoint = hasZeroPoint(op),
       isWide = hasPoint && quantizedType.isInteger(32);
  Value value = isWide ? op.getInput() : convertTo(op.getInput(), f32);
  if (hasPoint) {
    FailureOr<Value> point =
        spread(op.getZeroPoint(), op, isWide ? quantizedType : f32);
    if (failed(point))
      return failure();
    value = isWide ? subtractIntegers(value, *point)
                   : compute("Subtract", value, *point);
  }
  FailureOr<Value> scale = spread(op.getScale(), op);
  if (failed(scale))
    return failure();
  return convertTo(compute("Multiply", value, *scale),
                   getElementTypeOrSelf(op.getType()));
}

FailureOr<Value> QuantizationForm::convert(QuantizeOp op) {
  Type f32 = b.getF32Type(), quantizedType = getElementTypeOrSelf(op.getType());
  Type type = getElementTypeOrSelf(op.getInput());
  auto integer = dyn_cast<IntegerType>(quantizedType);
  if (!integer ||
      getOpenVinoConversion(f32, quantizedType) == OpenVinoConversion::None)
    return unsupported(
        "OpenVINO rounds differently to " + showType(quantizedType) +
        "; `quant-float-convert --without` expands it to f32 arithmetic");
  if (type != f32 || getElementTypeOrSelf(op.getScale()) != f32)
    return unsupported("a division of elements of type " + showType(type) +
                       ", not f32");
  FailureOr<Value> scale = spread(op.getScale(), op);
  if (failed(scale))
    return failure();
  Value quotient = compute("Divide", op.getInput(), *scale);
  Value value = add("Round", quotient, quotient.getType(),
                    b.getNamedAttr("mode", b.getStringAttr("half_to_even")));
  if (op.getZeroPoint()) {
    FailureOr<Value> point = spread(op.getZeroPoint(), op);
    if (failed(point))
      return failure();
    value = compute("Add", value, *point);
  }
  unsigned width = integer.getWidth();
  double max =
      integer.isUnsigned() ? (1u << width) - 1 : (1u << (width - 1)) - 1;
  double min = integer.isUnsigned() ? 0 : -max - 1;
  value = add("Clamp", value, value.getType(),
              {b.getNamedAttr("min", b.getF64FloatAttr(min)),
               b.getNamedAttr("max", b.getF64FloatAttr(max))});
  return convertTo(value, quantizedType);
}

FailureOr<Value> openvino_forms::convertQuantization(Operation *op,
                                                     ImplicitLocOpBuilder &b,
                                                     std::string &problem) {
  QuantizationForm form(b, problem);
  return llvm::TypeSwitch<Operation *, FailureOr<Value>>(op)
      .Case<CastOp, QuantizeOp, DequantizeOp>(
          [&](auto quantization) { return form.convert(quantization); })
      .Default([](Operation *) { return failure(); });
}
