//===- QuantizationOps.cpp - Verifiers of quantization ops ----------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Shapes.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "quant-float/IR/DialectVersion.h"
#include "quant-float/IR/OpsetVerifier.h"
#include "quant-float/IR/QuantFloatOps.h"
#include "quant-float/Reference/Stochastic.h"
#include "quant-float/Support/FloatFormat.h"
#include "quant-float/Support/LlvmCompat.h"

using namespace mlir;
using namespace mlir::quant_float;

//===----------------------------------------------------------------------===//
// Granularity (Q1 to Q4)
//===----------------------------------------------------------------------===//

/// Verifies the sizes of a per-axis or blocked scale, dimension by dimension
/// (Q1).
static LogicalResult verifyScaleSizes(QuantizationOpInterface op,
                                      ArrayRef<int64_t> input,
                                      ArrayRef<int64_t> scale) {
  reference::Granularity granularity = op.getGranularity();
  std::optional<int64_t> blockSize = granularity.blockSize;
  int64_t axis = *granularity.getAxis(input.size());
  for (auto [index, expected, found] :
       llvm::enumerate(granularity.getParameterSizes(input), scale)) {
    int64_t dim = blockSize ? int64_t(index) : axis;
    bool isScalable = reference::isScalable(input[dim]);
    if (isScalable != reference::isScalable(found))
      return op->emitOpError()
             << "dimension " << index
             << " of the scale must be scalable if and only if dimension "
             << dim << " of the input is scalable, but got "
             << op.getScaleValue().getType() << " with "
             << op.getInputValue().getType();
    if (blockSize && dim == axis && isScalable && input[dim] % *blockSize != 0)
      return op->emitOpError()
             << "block size must divide the scalable dimension " << dim
             << " of " << op.getInputValue().getType() << ", but got "
             << *blockSize;
    if (succeeded(verifyCompatibleShape({found}, {expected})))
      continue;
    // Sizes of scalable dimensions are negative. Both sizes are or neither is.
    int64_t foundSize = std::abs(found), expectedSize = std::abs(expected);
    if (!blockSize)
      return op->emitOpError() << "scale must have " << expectedSize
                               << " elements, as the input's dimension " << dim
                               << ", but got " << foundSize;
    InFlightDiagnostic error = op->emitOpError();
    error << "dimension " << index << " of the scale must be " << expectedSize;
    if (dim == axis)
      error << ", the blocks of " << *blockSize << " in "
            << std::abs(input[dim]);
    else
      error << ", as the input's";
    return error << ", but got " << foundSize;
  }
  return success();
}

static LogicalResult verifyGranularity(QuantizationOpInterface op) {
  reference::Granularity granularity = op.getGranularity();
  std::optional<int64_t> axis = granularity.axis;
  std::optional<int64_t> blockSize = granularity.blockSize;
  // The attributes are consistent without looking at the input's type (Q4).
  if (blockSize && !axis)
    return op->emitOpError() << "a block size requires an axis";
  if (blockSize && *blockSize <= 0)
    return op->emitOpError()
           << "block size must be positive, but got " << *blockSize;
  Type scaleType = op.getScaleValue().getType();
  std::optional<SmallVector<int64_t>> scale = getSizes(scaleType);
  if (!axis) {
    if (!scale || granularity.fits(*scale, /*input=*/{}))
      return success();
    return op->emitOpError()
           << "without an axis the scale must have one element, but got "
           << describeShape(scaleType);
  }
  // The axis must be a dimension of the input (Q3).
  Type inputType = op.getInputValue().getType();
  if (!isa<ShapedType>(inputType))
    return op->emitOpError() << "a scalar has no axis, but got axis " << *axis;
  std::optional<SmallVector<int64_t>> input = getSizes(inputType);
  if (input && !op.getAxisIndex()) {
    int64_t rank = input->size();
    return op->emitOpError()
           << "axis must be in [" << -rank << ", " << rank - 1
           << "] for an input of rank " << rank << ", but got " << *axis;
  }
  if (scale && !blockSize && scale->size() != 1)
    return op->emitOpError()
           << "with an axis the scale must have rank 1, but got "
           << describeShape(scaleType);
  if (!scale || !input)
    return success();
  if (blockSize && scale->size() != input->size())
    return op->emitOpError()
           << "with a block size the scale must have the input's rank "
           << input->size() << ", but got " << describeShape(scaleType);
  return verifyScaleSizes(op, *input, *scale);
}

/// Verifies the type and the shape of the zero point (Q2).
static LogicalResult verifyZeroPoint(QuantizationOpInterface op) {
  Value zeroPoint = op.getZeroPointValue();
  if (!zeroPoint)
    return success();
  Type elementType = getElementTypeOrSelf(zeroPoint);
  if (elementType != op.getQuantizedElementType())
    return op->emitOpError()
           << "zero point element type must be the quantized type "
           << op.getQuantizedElementType() << ", but got " << elementType;
  // A scalar and a shaped type with one element are interchangeable. For an
  // axis, the single element must be known statically; per tensor, the scale
  // must have one element, so an unknown rank is accepted.
  reference::Granularity granularity = op.getGranularity();
  auto isOneElement = [&](Type type) {
    std::optional<SmallVector<int64_t>> sizes = getSizes(type);
    if (!granularity.axis)
      return !sizes || granularity.fits(*sizes, /*input=*/{});
    return sizes && (sizes->empty() || *sizes == ArrayRef<int64_t>{1});
  };
  Type type = zeroPoint.getType(), scaleType = op.getScaleValue().getType();
  if ((isOneElement(type) && isOneElement(scaleType)) ||
      haveCompatibleShapes(type, scaleType))
    return success();
  return op->emitOpError()
         << "zero point must have the same shape as the scale, but got "
         << describeShape(type) << " and " << describeShape(scaleType);
}

/// Returns whether the types are both tensors, both vectors or both scalars and
/// have compatible shapes.
static bool areAlike(Type a, Type b) {
  bool isSameKind = isa<TensorType>(a)   ? isa<TensorType>(b)
                    : isa<VectorType>(a) ? isa<VectorType>(b)
                                         : !isa<ShapedType>(b);
  return isSameKind && haveCompatibleShapes(a, b);
}

/// Verifies that the result has the input's shape and that the parameters are
/// tensors if and only if the input is one (V8).
static LogicalResult verifyShapes(QuantizationOpInterface op) {
  Type input = op.getInputValue().getType();
  bool isTensor = isa<TensorType>(input);
  std::pair<Value, StringRef> parameters[] = {
      {op.getScaleValue(), "scale"}, {op.getZeroPointValue(), "zero point"}};
  for (auto [value, name] : parameters)
    if (value && isa<TensorType>(value.getType()) != isTensor)
      return op->emitOpError()
             << name
             << " must be a tensor if and only if the input is one, but got "
             << value.getType() << " with " << input;
  Type type = op->getResult(0).getType();
  if (!areAlike(input, type))
    return op->emitOpError() << "result must have the input's shape, but got "
                             << input << " and " << type;
  return success();
}

static bool isSameValue(Value a, Value b) {
  Attribute left, right;
  return a == b || (a && b && a.getType() == b.getType() &&
                    matchPattern(a, m_Constant(&left)) &&
                    matchPattern(b, m_Constant(&right)) && left == right);
}

bool quant_float::haveSameParameters(QuantizationOpInterface a,
                                     QuantizationOpInterface b) {
  return isSameValue(a.getScaleValue(), b.getScaleValue()) &&
         isSameValue(a.getZeroPointValue(), b.getZeroPointValue()) &&
         a.getBlockSizeAttribute() == b.getBlockSizeAttribute() &&
         (a.getAxisAttribute() == b.getAxisAttribute() ||
          (a.getAxisIndex() && a.getAxisIndex() == b.getAxisIndex()));
}

//===----------------------------------------------------------------------===//
// Random bits (S4)
//===----------------------------------------------------------------------===//

/// Verifies the optional operands after the scale: an optional zero point, and
/// random bits if and only if rounding is stochastic. `OpTy` is an op with a
/// round mode.
template <typename OpTy> static LogicalResult verifyOthers(OpTy op) {
  std::optional<RoundMode> mode = op.getRoundMode();
  if (mode && *mode != RoundMode::Stochastic)
    return op.emitOpError() << "round_mode must be stochastic, but got "
                            << stringifyRoundMode(*mode);
  size_t found = op.getOthers().size();
  if (mode && found == 0)
    return op.emitOpError() << "round_mode stochastic requires random bits";
  if (!mode && found == 2)
    return op.emitOpError() << "random bits require round_mode stochastic";
  if (found > 2)
    return op.emitOpError() << "expected no operands but input, scale, zero "
                               "point and random bits, but got "
                            << op->getNumOperands();
  Value random = op.getRandom();
  if (random && !reference::isRandomBits(getElementTypeOrSelf(random)))
    return op.emitOpError() << "random bits must have elements of ui2, ui4, "
                               "ui8 or ui16, but got "
                            << getElementTypeOrSelf(random);
  return success();
}

/// Verifies the domain of stochastic rounding, and that the random bits have
/// the input's shape.
static LogicalResult verifyRandomBits(QuantizationOpInterface op) {
  Value random = op.getRandomValue();
  if (!random)
    return success();
  if (op.getStandardDomain() != kOwnDomain)
    return op->emitOpError()
           << "round_mode stochastic requires domain '" << kOwnDomain << "'";
  for (Type type : {op.getInputValue().getType(), op->getResult(0).getType()})
    if (!areAlike(type, random.getType()))
      return op->emitOpError()
             << "random bits must have the input's shape, but got "
             << random.getType() << " and " << type;
  return success();
}

//===----------------------------------------------------------------------===//
// Versions
//===----------------------------------------------------------------------===//

/// Returns the rules of `kind` in the op's domain. Emits an error for an
/// unknown domain.
static FailureOr<OpsetVerifier> getRules(QuantizationOpInterface op,
                                         OpKind kind) {
  StringRef domain = op.getStandardDomain();
  if (domain == kMicrosoftDomain)
    kind = kind == OpKind::QuantizeLinear ? OpKind::MicrosoftQuantizeLinear
                                          : OpKind::MicrosoftDequantizeLinear;
  else if (domain == kOwnDomain)
    kind = kind == OpKind::QuantizeLinear ? OpKind::OwnQuantizeLinear
                                          : OpKind::OwnDequantizeLinear;
  else if (!domain.empty())
    return op->emitOpError()
           << "domain must be absent, '" << kMicrosoftDomain << "' or '"
           << kOwnDomain << "', but got '" << domain << "'";
  return OpsetVerifier::get([op]() mutable { return op->emitOpError(); }, kind,
                            op.getStandardOpset());
}

/// Verifies that the version has the attributes, including the ignored ones
/// (V3).
static LogicalResult verifyAttributes(QuantizationOpInterface op,
                                      const OpsetVerifier &rules,
                                      ArrayAttr ignored) {
  if (failed(rules.verifyAttribute(OpAttribute::Axis,
                                   op.getAxisAttribute().has_value())) ||
      failed(rules.verifyAttribute(OpAttribute::BlockSize,
                                   op.getBlockSizeAttribute().has_value())))
    return failure();
  if (!ignored)
    return success();
  for (StringRef name : ignored.getAsValueRange<StringAttr>()) {
    const OpAttribute *attribute =
        llvm::find_if(getOpAttributes(), [&](OpAttribute attribute) {
          return getAttributeName(attribute) == name;
        });
    if (attribute == getOpAttributes().end())
      return op->emitOpError()
             << "ignored_attributes contains the unknown attribute '" << name
             << "'";
    if (failed(rules.verifyAttribute(*attribute, /*isPresent=*/true)))
      return failure();
  }
  return success();
}

/// Verifies that the version has `output_dtype`, which the result type `what`
/// requires because it does not follow from the other types.
static LogicalResult verifyOutputDtype(Operation *op,
                                       const OpsetVerifier &rules,
                                       const Twine &what) {
  if (rules.getVersion().has(OpAttribute::OutputDtype))
    return success();
  InFlightDiagnostic diagnostic =
      op->emitOpError() << what
                        << " requires the attribute 'output_dtype', which "
                        << rules.describe() << " does not have";
  rules.noteFirstOpset(diagnostic, OpAttribute::OutputDtype);
  return diagnostic;
}

static std::string toString(Type type) {
  std::string printed;
  llvm::raw_string_ostream(printed) << "'" << type << "'";
  return printed;
}

/// Verifies the rules of QuantizeLinear. `type` is the quantized element type.
static LogicalResult verifyQuantize(QuantizationOpInterface op, Type type,
                                    bool hasSaturate,
                                    std::optional<Type> precision,
                                    ArrayAttr ignored) {
  FailureOr<OpsetVerifier> rules = getRules(op, OpKind::QuantizeLinear);
  if (failed(rules))
    return failure();
  Type inputType = getElementTypeOrSelf(op.getInputValue());
  Type scaleType = getElementTypeOrSelf(op.getScaleValue());
  if (failed(rules->verifyType(OpRole::First, inputType)) ||
      failed(rules->verifyType(OpRole::Second, scaleType)) ||
      failed(rules->verifyType(OpRole::Third, type)) ||
      failed(verifyAttributes(op, *rules, ignored)) ||
      failed(rules->verifyAttribute(OpAttribute::Saturate, hasSaturate)) ||
      failed(rules->verifyAttribute(OpAttribute::Precision,
                                    precision.has_value())))
    return failure();
  // Without a zero point, the quantized type is ui8 by default (Q5).
  if (!op.getZeroPointValue() && !type.isUnsignedInteger(8) &&
      failed(verifyOutputDtype(op, *rules,
                               "quantized type " + toString(type) +
                                   " without a zero point")))
    return failure();
  // In some versions the scale has the input's type (Q6).
  if (rules->getVersion().has(OpRelation::ScaleHasInputType) &&
      inputType != scaleType)
    return op->emitOpError()
           << "scale must have the input's element type " << inputType << " in "
           << rules->describe() << ", but got " << scaleType;
  // The precision is a standard floating-point type (Q9).
  if (precision && !isStandardFloat(*precision))
    return op->emitOpError()
           << "precision must be f32, f16, bf16 or f64, but got " << *precision;
  return success();
}

/// Verifies the rules of DequantizeLinear for the quantized element type `type`
/// and the result's element type `resultType`.
static LogicalResult verifyDequantize(QuantizationOpInterface op, Type type,
                                      Type resultType, ArrayAttr ignored) {
  FailureOr<OpsetVerifier> rules = getRules(op, OpKind::DequantizeLinear);
  if (failed(rules))
    return failure();
  Type scaleType = getElementTypeOrSelf(op.getScaleValue());
  if (failed(rules->verifyType(OpRole::First, type)) ||
      failed(rules->verifyType(OpRole::Second, scaleType)) ||
      failed(rules->verifyType(OpRole::Third, resultType)) ||
      failed(verifyAttributes(op, *rules, ignored)))
    return failure();
  // The result has the scale's type by default (Q5, Q6, Q8).
  if (resultType != scaleType)
    return verifyOutputDtype(op, *rules,
                             "result element type " + toString(resultType) +
                                 ", which is not the scale's " +
                                 toString(scaleType) + ",");
  return success();
}

/// Verifies shapes, granularity and zero point, which do not depend on the
/// version (Q1 to Q4, V8).
static LogicalResult verifyStructure(QuantizationOpInterface op) {
  return success(succeeded(verifyShapes(op)) &&
                 succeeded(verifyGranularity(op)) &&
                 succeeded(verifyZeroPoint(op)));
}

/// Returns the precision P (D2). The types must have been verified.
static FloatType getPrecision(QuantizationOpInterface op,
                              std::optional<Type> precision) {
  Type inputType = getElementTypeOrSelf(op.getInputValue());
  Type scaleType = getElementTypeOrSelf(op.getScaleValue());
  auto f64 = Float64Type::get(op->getContext());
  StringRef domain = op.getStandardDomain();
  const OpVersion *version =
      domain == kOwnDomain
          ? getOpVersion(OpKind::OwnQuantizeLinear, kOwnOpset)
          : getOpVersion(OpKind::QuantizeLinear, op.getStandardOpset());
  if (domain == kMicrosoftDomain || !version ||
      !version->has(OpAttribute::Precision)) {
    auto type = dyn_cast<FloatType>(inputType);
    return type ? type : f64;
  }
  if (precision)
    return cast<FloatType>(*precision);
  if (isa<Float16Type, BFloat16Type, Float32Type>(scaleType))
    return cast<FloatType>(scaleType);
  if (isFloat(scaleType) && isFloat(inputType))
    return Float32Type::get(op->getContext());
  return f64;
}

//===----------------------------------------------------------------------===//
// Verifiers and semantics
//===----------------------------------------------------------------------===//

/// Verifies the random bits (S4), the opset rules (V1 to V4, Q5, Q6, Q9), then
/// the structure (Q1 to Q4, V8).
LogicalResult QuantizeOp::verify() {
  if (failed(verifyOthers(*this)) || failed(verifyRandomBits(*this)) ||
      failed(verifyQuantize(*this, getQuantizedElementType(),
                            bool(getSaturateAttr()), getPrecision(),
                            getIgnoredAttributesAttr())))
    return failure();
  return verifyStructure(*this);
}

/// Verifies the opset rules (V1 to V4, Q5, Q6, Q8), then the structure (Q1 to
/// Q4, V8).
LogicalResult DequantizeOp::verify() {
  if (failed(verifyDequantize(*this, getQuantizedElementType(),
                              getElementTypeOrSelf(getResult()),
                              getIgnoredAttributesAttr())))
    return failure();
  return verifyStructure(*this);
}

/// Verifies that the types are equal (Q5b), the random bits (S4), the rules of
/// quantize and of dequantize, then the structure (Q1 to Q4, V8).
LogicalResult QdqOp::verify() {
  Type inputType = getElementTypeOrSelf(getInput());
  Type resultType = getElementTypeOrSelf(getResult());
  if (inputType != resultType)
    return emitOpError() << "result element type must be the input's "
                         << inputType << ", but got " << resultType;
  if (failed(verifyOthers(*this)) || failed(verifyRandomBits(*this)) ||
      failed(verifyQuantize(*this, getStorage(), bool(getSaturateAttr()),
                            getPrecision(), getIgnoredAttributesAttr())) ||
      failed(verifyDequantize(*this, getStorage(), resultType, ArrayAttr())))
    return failure();
  return verifyStructure(*this);
}

QuantizeSemantics QuantizeOp::getSemantics() {
  return {::getPrecision(*this, getPrecision()), getSaturate().value_or(true)};
}

QuantizeSemantics QdqOp::getSemantics() {
  return {::getPrecision(*this, getPrecision()), getSaturate().value_or(true)};
}

LogicalResult QuantizeElementsOp::verify() {
  if (failed(verifyOthers(*this)))
    return failure();
  Type precision = getElementTypeOrSelf(getInput());
  Type scale = getElementTypeOrSelf(getScale());
  if (!isStandardFloat(precision))
    return emitOpError()
           << "input must have elements of f32, f16, bf16 or f64, but got "
           << precision;
  if (scale != precision)
    return emitOpError() << "scale must have the input's element type "
                         << precision << ", but got " << scale;
  Type type = getElementTypeOrSelf(getResult());
  auto integer = dyn_cast<IntegerType>(type);
  bool isInteger =
      integer && integer.getWidth() > 1 && integer.getWidth() <= 16;
  // f8E8M0FNU only has powers of two, so quantization to it is undefined (D3).
  if (!isInteger && !(isNarrowFloat(type) && !isa<Float8E8M0FNUType>(type)))
    return emitOpError() << "result must have elements of 2- to 16-bit "
                            "integers, float8, float6 or float4, but got "
                         << type;
  if (!getZeroPoint() || getElementTypeOrSelf(getZeroPoint()) == type)
    return success();
  return emitOpError() << "zero point must have the result's element type "
                       << type << ", but got "
                       << getElementTypeOrSelf(getZeroPoint());
}

Type QuantizeOp::getQuantizedElementType() {
  return getElementTypeOrSelf(getResult());
}
Type DequantizeOp::getQuantizedElementType() {
  return getElementTypeOrSelf(getInput());
}
Type QdqOp::getQuantizedElementType() { return getStorage(); }

Value QuantizeOp::getRandomValue() { return getRandom(); }
Value DequantizeOp::getRandomValue() { return {}; }
Value QdqOp::getRandomValue() { return getRandom(); }

//===----------------------------------------------------------------------===//
// Builders
//===----------------------------------------------------------------------===//

static SmallVector<Value, 2> getOthers(Value zeroPoint, Value random) {
  SmallVector<Value, 2> others;
  for (Value value : {zeroPoint, random})
    if (value)
      others.push_back(value);
  return others;
}

static RoundModeAttr getRoundModeAttr(OpBuilder &builder, Value random) {
  return random
             ? RoundModeAttr::get(builder.getContext(), RoundMode::Stochastic)
             : RoundModeAttr();
}

void QuantizeOp::build(OpBuilder &builder, OperationState &state, Type result,
                       Value input, Value scale, Value zeroPoint,
                       IntegerAttr opset, StringAttr domain, IntegerAttr axis,
                       IntegerAttr blockSize, ArrayAttr ignoredAttributes,
                       BoolAttr saturate, TypeAttr precision, Value random) {
  build(builder, state, result, input, scale, ::getOthers(zeroPoint, random),
        opset, domain, axis, blockSize, ignoredAttributes, saturate, precision,
        ::getRoundModeAttr(builder, random));
}

void QdqOp::build(OpBuilder &builder, OperationState &state, Type result,
                  Value input, Value scale, Value zeroPoint, IntegerAttr opset,
                  StringAttr domain, IntegerAttr axis, IntegerAttr blockSize,
                  ArrayAttr ignoredAttributes, TypeAttr storage,
                  BoolAttr saturate, TypeAttr precision, Value random) {
  build(builder, state, result, input, scale, ::getOthers(zeroPoint, random),
        opset, domain, axis, blockSize, ignoredAttributes, storage, saturate,
        precision, ::getRoundModeAttr(builder, random));
}

void QuantizeElementsOp::build(OpBuilder &builder, OperationState &state,
                               Type result, Value input, Value scale,
                               Value zeroPoint, bool saturate, Value random) {
  build(builder, state, result, input, scale, ::getOthers(zeroPoint, random),
        builder.getBoolAttr(saturate), ::getRoundModeAttr(builder, random));
}

//===----------------------------------------------------------------------===//
// Bytecode
//===----------------------------------------------------------------------===//

/// Reads the round mode, which bytecode before version 0.4 does not contain.
static LogicalResult readRoundMode(DialectBytecodeReader &reader,
                                   RoundModeAttr &mode) {
  FailureOr<const DialectVersion *> version =
      reader.getDialectVersion<QuantFloatDialect>();
  if (failed(version) || static_cast<const QuantFloatDialectVersion &>(
                             **version) < QuantFloatDialectVersion(0, 4))
    return success();
  return reader.readOptionalAttribute(mode);
}

/// Reads the attributes that quantize and qdq have in common.
template <typename PropertiesTy>
static LogicalResult readShared(DialectBytecodeReader &reader,
                                PropertiesTy &properties) {
  return success(
      succeeded(reader.readOptionalAttribute(properties.axis)) &&
      succeeded(reader.readOptionalAttribute(properties.block_size)) &&
      succeeded(reader.readOptionalAttribute(properties.domain)) &&
      succeeded(reader.readOptionalAttribute(properties.ignored_attributes)) &&
      succeeded(reader.readAttribute(properties.opset)) &&
      succeeded(reader.readOptionalAttribute(properties.precision)) &&
      succeeded(reader.readOptionalAttribute(properties.saturate)));
}

template <typename PropertiesTy>
static void writeShared(DialectBytecodeWriter &writer,
                        const PropertiesTy &properties) {
  writer.writeOptionalAttribute(properties.axis);
  writer.writeOptionalAttribute(properties.block_size);
  writer.writeOptionalAttribute(properties.domain);
  writer.writeOptionalAttribute(properties.ignored_attributes);
  writer.writeAttribute(properties.opset);
  writer.writeOptionalAttribute(properties.precision);
  writer.writeOptionalAttribute(properties.saturate);
}

LogicalResult QuantizeOp::readProperties(DialectBytecodeReader &reader,
                                         OperationState &state) {
  Properties &properties = state.getOrAddProperties<Properties>();
  if (failed(readShared(reader, properties)))
    return failure();
  return readRoundMode(reader, properties.round_mode);
}

void QuantizeOp::writeProperties(DialectBytecodeWriter &writer) {
  writeShared(writer, getProperties());
  writer.writeOptionalAttribute(getProperties().round_mode);
}

LogicalResult QdqOp::readProperties(DialectBytecodeReader &reader,
                                    OperationState &state) {
  Properties &properties = state.getOrAddProperties<Properties>();
  if (failed(readShared(reader, properties)) ||
      failed(reader.readAttribute(properties.storage)))
    return failure();
  return readRoundMode(reader, properties.round_mode);
}

void QdqOp::writeProperties(DialectBytecodeWriter &writer) {
  writeShared(writer, getProperties());
  writer.writeAttribute(getProperties().storage);
  writer.writeOptionalAttribute(getProperties().round_mode);
}

LogicalResult QuantizeElementsOp::readProperties(DialectBytecodeReader &reader,
                                                 OperationState &state) {
  Properties &properties = state.getOrAddProperties<Properties>();
  if (failed(reader.readOptionalAttribute(properties.saturate)))
    return failure();
  return readRoundMode(reader, properties.round_mode);
}

void QuantizeElementsOp::writeProperties(DialectBytecodeWriter &writer) {
  writer.writeOptionalAttribute(getProperties().saturate);
  writer.writeOptionalAttribute(getProperties().round_mode);
}

//===----------------------------------------------------------------------===//
// Interfaces
//===----------------------------------------------------------------------===//

// The interface methods are the same for all three ops.
#define QUANT_FLOAT_QUANTIZATION_OP(Op)                                        \
  Value Op::getInputValue() { return getInput(); }                             \
  Value Op::getScaleValue() { return getScale(); }                             \
  Value Op::getZeroPointValue() { return getZeroPoint(); }                     \
  std::optional<int64_t> Op::getAxisAttribute() { return getAxis(); }          \
  std::optional<int64_t> Op::getBlockSizeAttribute() {                         \
    return getBlockSize();                                                     \
  }                                                                            \
  StringRef Op::getStandardDomain() {                                          \
    return getDomain().value_or(StringRef());                                  \
  }                                                                            \
  int64_t Op::getStandardOpset() { return getOpset(); }                        \
  LogicalResult Op::reifyResultShapes(OpBuilder &builder,                      \
                                      ReifiedRankedShapedTypeDims &reified) {  \
    return reifyShapeOf(getInput(), builder, getLoc(), reified);               \
  }                                                                            \
  LogicalResult Op::inferReturnTypeComponents(                                 \
      MLIRContext *, std::optional<Location>, ValueShapeRange operands,        \
      DictionaryAttr, PropertyRef, RegionRange,                                \
      SmallVectorImpl<ShapedTypeComponents> &components) {                     \
    inferShapeOf(operands.front(), components);                                \
    return success();                                                          \
  }
QUANT_FLOAT_QUANTIZATION_OP(QuantizeOp)
QUANT_FLOAT_QUANTIZATION_OP(DequantizeOp)
QUANT_FLOAT_QUANTIZATION_OP(QdqOp)
#undef QUANT_FLOAT_QUANTIZATION_OP
