//===- ResolveQuantization.cpp - QuantizeLinear and DequantizeLinear ------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NodeReader.h"
#include "quant-float/IR/OpsetVerifier.h"
#include "quant-float/Support/FloatFormat.h"

using namespace mlir;
using namespace mlir::quant_float;

namespace {
/// The indices of the inputs.
enum : unsigned { kInput, kScale, kZeroPoint };

/// ONNX's default of `axis` (Q3).
constexpr int64_t kDefaultAxis = 1;

/// The attributes of the node. Absent attributes remain absent (V3).
struct Attributes {
  std::optional<int64_t> axis;
  std::optional<int64_t> blockSize;
  /// Null if the attribute is absent or 0, which are equivalent.
  Type outputDtype;
  Type precision;
  BoolAttr saturate;
};

/// Converts one QuantizeLinear or DequantizeLinear to its op.
class QuantizationResolver {
public:
  QuantizationResolver(OpBuilder &builder, NodeReader &node,
                       const OpsetVerifier &rules, bool isQuantize)
      : builder(builder), node(node), rules(rules), isQuantize(isQuantize) {}

  FailureOr<NodeResolution> resolve();

private:
  LogicalResult readAttributes();
  Type readDefaultable(StringRef name);
  FailureOr<Type> getResultElementType();
  LogicalResult checkZeroPoint();
  /// Sets `axis` and `blockSize` to those of the op (Q1); both are none for per
  /// tensor.
  LogicalResult decideGranularity(RankedTensorType scale);
  LogicalResult refuseScale(RankedTensorType scale);
  bool has(OpAttribute attribute) const {
    return rules.getVersion().has(attribute);
  }
  Operation *createOp(Type resultType);

  /// Records an attribute that is present but has no effect (V3).
  void ignore(StringRef name) { ignored.push_back(name); }

  Value getInput(unsigned index) const { return node.getInput(index); }
  std::optional<int64_t> getInputRank() const {
    auto type = dyn_cast<RankedTensorType>(getInput(kInput).getType());
    return type ? std::optional(type.getRank()) : std::nullopt;
  }

  OpBuilder &builder;
  NodeReader &node;
  const OpsetVerifier &rules;
  bool isQuantize;
  Attributes attributes;
  SmallVector<StringRef> ignored;
  std::optional<int64_t> axis;
  std::optional<int64_t> blockSize;
};
} // namespace

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

/// Reads a type for which 0 is equivalent to an absent attribute.
Type QuantizationResolver::readDefaultable(StringRef name) {
  Type type = node.getType(name);
  if (!type && node.has(name))
    ignore(name);
  return type;
}

LogicalResult QuantizationResolver::readAttributes() {
  // The attributes of all versions. The op's verifier checks which of them the
  // version has (V3).
  using namespace attribute_rows;
  static constexpr AttributeRow kRows[] = {
      anInt("axis", kDefaultAxis), anInt("block_size"),
      aDataType("output_dtype"), aDataType("precision"),
      aFlag("saturate", true)};
  if (failed(node.checkAttributes(isQuantize ? ArrayRef(kRows)
                                             : ArrayRef(kRows).take_front(3))))
    return failure();
  if (node.has("axis"))
    attributes.axis = node.getInt("axis");
  if (node.has("block_size"))
    attributes.blockSize = node.getInt("block_size");
  // A block size is not negative (Q4).
  if (attributes.blockSize.value_or(0) < 0)
    return node.emitError()
           << "attribute 'block_size': expected 0 or more, but got "
           << *attributes.blockSize;
  attributes.outputDtype = readDefaultable("output_dtype");
  attributes.precision = readDefaultable("precision");
  // The precision is a standard float (Q9).
  if (attributes.precision && !isStandardFloat(attributes.precision))
    return node.emitError()
           << "attribute 'precision': expected 0 or the number of float, "
              "float16, bfloat16 or double, but got "
           << *getOnnxDataType(attributes.precision);
  attributes.saturate = node.getSaturate();
  return success();
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// Returns the result's element type. For a quantization, this is the zero
/// point's type, or else output_dtype, or else uint8. For a dequantization, it
/// is output_dtype, or else the scale's type (Q5, Q6). Returns null if it is
/// unknown.
FailureOr<Type> QuantizationResolver::getResultElementType() {
  Type specified = attributes.outputDtype;
  Type implied = node.getElementType(isQuantize ? kZeroPoint : kScale);
  bool isUInt8 = isQuantize && !getInput(kZeroPoint);
  if (isUInt8)
    implied = builder.getIntegerType(8, /*isSigned=*/false);
  // f8E8M0FNU is not a legal result type.
  if (!isQuantize && !specified &&
      isa_and_nonnull<Float8E8M0FNUType>(implied) &&
      has(OpAttribute::OutputDtype))
    return node.emitError() << "attribute 'output_dtype' is missing: a scale "
                               "of 'f8E8M0FNU' does not determine the type of "
                               "the result, which must be f16, bf16 or f32";
  if (specified && specified == implied)
    ignore("output_dtype");
  if (isQuantize && !isUInt8 && specified && implied && specified != implied)
    return node.emitError() << "attribute 'output_dtype': expected the zero "
                               "point's element type "
                            << implied << ", but got " << specified;
  return specified ? specified : implied;
}

/// Verifies a constant zero point (Q7). The verifier of the op checks the other
/// rules about zero points (Q2).
LogicalResult QuantizationResolver::checkZeroPoint() {
  Value zeroPoint = getInput(kZeroPoint);
  if (!zeroPoint)
    return success();
  if (std::optional<std::string> error = findZeroPointError(zeroPoint))
    return node.emitError() << *error;
  return success();
}

//===----------------------------------------------------------------------===//
// Granularity
//===----------------------------------------------------------------------===//

/// Emits an error about the granularities that the version supports. A note
/// names the version that supports the scale.
LogicalResult QuantizationResolver::refuseScale(RankedTensorType scale) {
  std::optional<int64_t> rank = getInputRank();
  bool mayBeBlocked =
      scale.getRank() > 1 && (!rank || *rank == scale.getRank());
  if (mayBeBlocked && has(OpAttribute::BlockSize))
    return node.emitError()
           << "a scale of rank " << scale.getRank()
           << " needs a block_size above 0 (blocked quantization), but got "
           << scale << " without one";
  InFlightDiagnostic error = node.emitError();
  if (has(OpAttribute::BlockSize))
    error << "scale must be a scalar (per tensor), a vector (per axis) or, "
             "with block_size, of the input's rank "
          << *rank << " (blocked)";
  else if (has(OpAttribute::Axis))
    error << "scale must be a scalar (per tensor) or a vector (per axis) in "
          << rules.describe();
  else
    error << "scale must have one element (per tensor) in " << rules.describe();
  error << ", but got " << scale;
  if (mayBeBlocked)
    rules.noteFirstOpset(error, OpAttribute::BlockSize);
  else if (scale.getRank() == 1)
    rules.noteFirstOpset(error, OpAttribute::Axis);
  return error;
}

LogicalResult QuantizationResolver::decideGranularity(RankedTensorType scale) {
  int64_t specifiedAxis = attributes.axis.value_or(kDefaultAxis);
  // The op's verifier checks whether scale and zero point match the blocks.
  if (attributes.blockSize.value_or(0) > 0) {
    axis = specifiedAxis;
    blockSize = attributes.blockSize;
    return success();
  }
  if (attributes.blockSize)
    ignore("block_size");
  if (scale.getRank() > 1)
    return refuseScale(scale);

  bool isDynamic = scale.getRank() == 1 && scale.isDynamicDim(0);
  bool isPerTensor = scale.getRank() == 0 || scale.getDimSize(0) == 1;
  // A dynamic size must be 1 if the scale can only be per tensor.
  bool hasAxis = has(OpAttribute::Axis);
  std::optional<int64_t> rank = getInputRank();
  reference::Granularity perAxis{specifiedAxis, /*blockSize=*/{}};
  if (isDynamic && (!hasAxis || (rank && !perAxis.getAxis(*rank))))
    isPerTensor = true;
  if (isPerTensor) {
    if (attributes.axis)
      ignore("axis");
    return success();
  }
  if (!hasAxis && !attributes.axis)
    return refuseScale(scale);
  // Q3: ONNX defines rank 1 as per tensor, so a per-axis scale needs an
  // explicit axis.
  if (!attributes.axis && rank == 1)
    return node.emitError()
           << "attribute 'axis' must be 0 or -1 for an input of rank 1 with a "
              "scale of "
           << scale.getDimSize(0) << " elements, but is absent";
  axis = specifiedAxis;
  return success();
}

//===----------------------------------------------------------------------===//
// The op
//===----------------------------------------------------------------------===//

Operation *QuantizationResolver::createOp(Type resultType) {
  OperationState state(node.getNode()->getLoc(),
                       isQuantize ? QuantizeOp::getOperationName()
                                  : DequantizeOp::getOperationName());
  for (unsigned index : {kInput, kScale, kZeroPoint})
    if (Value input = getInput(index))
      state.addOperands(input);
  state.addTypes(resultType);

  auto add = [&](StringRef name, Attribute value) {
    if (value)
      state.addAttribute(name, value);
  };
  auto addInt = [&](StringRef name, std::optional<int64_t> value) {
    add(name, value ? builder.getI64IntegerAttr(*value) : Attribute());
  };
  addInt("opset", node.getOpset());
  addInt("axis", axis);
  addInt("block_size", blockSize);
  if (node.isMicrosoft())
    add("domain", builder.getStringAttr(kMicrosoftDomain));
  add("saturate", attributes.saturate);
  if (attributes.precision)
    add("precision", TypeAttr::get(attributes.precision));
  // The order must not depend on the order of the checks.
  llvm::sort(ignored, [](StringRef a, StringRef b) { return a < b; });
  if (!ignored.empty())
    add("ignored_attributes", builder.getStrArrayAttr(ignored));
  return builder.create(state);
}

FailureOr<NodeResolution> QuantizationResolver::resolve() {
  if (failed(node.checkValues(2, 3)) || failed(readAttributes()) ||
      failed(checkZeroPoint()))
    return failure();
  FailureOr<Type> elementType = getResultElementType();
  if (failed(elementType))
    return failure();

  NodeResolution result;
  if (*elementType)
    result.resultTypes = {
        getResultType(getInput(kInput).getType(), *elementType)};
  for (unsigned index : {kInput, kScale, kZeroPoint})
    if (getInput(index) && !node.getElementType(index)) {
      result.missingInput = index;
      return result;
    }

  // With a block size, the rank of the scale does not matter.
  auto scale = dyn_cast<RankedTensorType>(getInput(kScale).getType());
  if (!scale && attributes.blockSize.value_or(0) == 0) {
    result.missingInput = kScale;
    result.missesRank = true;
    return result;
  }
  if (failed(decideGranularity(scale)))
    return failure();
  result.op = createOp(result.resultTypes.front());
  return result;
}

FailureOr<NodeResolution> quant_float::resolveQuantization(OpBuilder &builder,
                                                           NodeReader &node,
                                                           bool isQuantize) {
  OpKind kind = isQuantize ? OpKind::QuantizeLinear : OpKind::DequantizeLinear;
  if (node.isMicrosoft())
    kind = isQuantize ? OpKind::MicrosoftQuantizeLinear
                      : OpKind::MicrosoftDequantizeLinear;
  // V4 first: no other rule applies to a version that does not exist.
  FailureOr<OpsetVerifier> rules = OpsetVerifier::get(
      [&] { return node.emitError(); }, kind, node.getOpset());
  if (failed(rules))
    return failure();
  return QuantizationResolver(builder, node, *rules, isQuantize).resolve();
}
