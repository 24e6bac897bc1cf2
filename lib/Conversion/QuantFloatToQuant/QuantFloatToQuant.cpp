//===- QuantFloatToQuant.cpp - Quantization in the quant dialect ----------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===---------------------------------------------------------------------===//

#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "quant-float/Conversion/NodeToQuantFloat/OnnxNodeBuilder.h"
#include "quant-float/Conversion/OpExport/OpExporter.h"
#include "quant-float/Conversion/Passes.h"
#include "llvm/ADT/SmallString.h"

namespace mlir::quant_float {
#define GEN_PASS_DEF_CONVERTQUANTFLOATTOQUANTPASS
#include "quant-float/Conversion/Passes.h.inc"
} // namespace mlir::quant_float

using namespace mlir;
using namespace mlir::quant_float;
using llvm::APFloat;

/// The maximum number of scales in a type.
static constexpr int64_t kMaxScales = int64_t(1) << 20;

namespace {
struct ConvertQuantFloatToQuant final
    : quant_float::impl::ConvertQuantFloatToQuantPassBase<
          ConvertQuantFloatToQuant> {
  using ConvertQuantFloatToQuantPassBase::ConvertQuantFloatToQuantPassBase;

  void runOnOperation() override;
};

/// The scales and zero points, of the same shape.
struct Parameters {
  DenseElementsAttr scales, zeroPoints;
};
} // namespace

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// Returns a value that is not representable in the type.
static std::optional<APFloat> findInexact(DenseElementsAttr elements,
                                          FloatType type) {
  std::optional<APFloat> found;
  auto isExact = [&](const APFloat &value) {
    APFloat rounded = value;
    bool isInexact;
    rounded.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                    &isInexact);
    if (isInexact)
      found = value;
    return !isInexact;
  };
  if (isa<FloatType>(elements.getElementType()))
    OpExporter::allOf<APFloat>(elements, isExact);
  return found;
}

static std::string show(const APFloat &value) {
  SmallString<32> text;
  value.toString(text);
  return std::string(text);
}

static FailureOr<Parameters> readParameters(OpExporter &op,
                                            const ExportedQuantization &source,
                                            IntegerType storage,
                                            FloatType expressed) {
  DenseElementsAttr scales = OpExporter::getConstant(source.scale);
  if (!scales || !isa<FloatType, IntegerType>(scales.getElementType()))
    return op.unsupported("expected constant scales, which are part of the "
                          "type");
  if (scales.getNumElements() > kMaxScales)
    return op.unsupported("more than " + Twine(kMaxScales) + " scales");
  // quantize divides by the rounded scale.
  if (isa<DequantizeOp>(op.op))
    if (std::optional<APFloat> scale = findInexact(scales, expressed))
      return op.unsupported("the scale " + show(*scale) + " of " +
                            showType(scales.getElementType()) +
                            " is not a value of the expressed type " +
                            showType(expressed));
  Parameters parameters;
  parameters.scales = OpExporter::convertElements(scales, expressed);
  auto isPositive = [](const APFloat &scale) {
    return scale.isFiniteNonZero() && !scale.isNegative();
  };
  if (!OpExporter::allOf<APFloat>(parameters.scales, isPositive))
    return op.unsupported("expected scales that are finite and positive");
  auto type = cast<ShapedType>(scales.getType()).clone(storage);
  if (!source.zeroPoint) {
    parameters.zeroPoints =
        DenseElementsAttr::get(type, APInt::getZero(storage.getWidth()));
    return parameters;
  }
  DenseElementsAttr zeroPoints =
      OpExporter::getConstant(op.toSignless(source.zeroPoint));
  if (!zeroPoints)
    return op.unsupported("expected constant zero points, which are part of "
                          "the type");
  parameters.zeroPoints = zeroPoints.reshape(type);
  return parameters;
}

/// Returns the quantized type of the input's shape.
static FailureOr<Type> makeType(OpExporter &op,
                                const ExportedQuantization &source,
                                FloatType expressed) {
  FailureOr<IntegerType> integer =
      op.requireIntegers(source, "the quant dialect", {2, 4, 8, 16, 32});
  if (failed(integer))
    return failure();
  unsigned width = integer->getWidth();
  bool isSigned = !integer->isUnsigned();
  auto storage = IntegerType::get(op.b.getContext(), width);
  FailureOr<Parameters> parameters =
      readParameters(op, source, storage, expressed);
  if (failed(parameters))
    return failure();
  auto isZero = [](const APInt &value) { return value.isZero(); };
  if (width == 32 &&
      !llvm::all_of(parameters->zeroPoints.getValues<APInt>(), isZero))
    return op.unsupported("the quant dialect converts 32-bit integers to "
                          "floats before it subtracts the zero point: "
                          "16777217 - 1 would be 16777215");
  SmallVector<double> scales;
  for (const APFloat &scale : parameters->scales.getValues<APFloat>())
    scales.push_back(scale.convertToDouble());
  SmallVector<int64_t> zeroPoints;
  for (const APInt &value : parameters->zeroPoints.getValues<APInt>())
    zeroPoints.push_back(isSigned ? value.getSExtValue()
                                  : value.getZExtValue());
  unsigned flags = isSigned ? quant::QuantizationFlags::Signed : 0;
  int64_t lowest =
      quant::QuantizedType::getDefaultMinimumForInteger(isSigned, width);
  int64_t highest =
      quant::QuantizedType::getDefaultMaximumForInteger(isSigned, width);

  Type type;
  if (!source.axis) {
    type = quant::UniformQuantizedType::get(flags, storage, expressed,
                                            scales.front(), zeroPoints.front(),
                                            lowest, highest);
  } else if (!source.blockSize) {
    type = quant::UniformQuantizedPerAxisType::get(
        flags, storage, expressed, scales, zeroPoints,
        static_cast<int32_t>(*source.axis), lowest, highest);
  } else {
    int64_t rank = source.inputType.getRank();
    SmallVector<int64_t> blocks(rank, 1);
    blocks[*source.axis] = *source.blockSize;
    type = quant::UniformQuantizedSubChannelType::get(
        flags, storage, expressed, parameters->scales, parameters->zeroPoints,
        llvm::to_vector_of<int32_t>(llvm::seq<int32_t>(rank)), blocks, lowest,
        highest);
  }
  return Type(RankedTensorType(source.inputType).clone(type));
}

/// Fails for blocks that sub-channel types do not express.
static LogicalResult checkShape(OpExporter &op,
                                const ExportedQuantization &source) {
  if (!source.axis || !source.blockSize)
    return success();
  if (!source.inputType.hasStaticShape())
    return op.unsupported("blocks in " + showType(source.inputType) +
                          ", whose sizes are not known");
  if (llvm::is_contained(source.inputType.getShape(), 0))
    return op.unsupported("blocks in " + showType(source.inputType) +
                          ", which is empty");
  return op.requireWholeBlocks(source);
}

//===----------------------------------------------------------------------===//
// quantize and dequantize
//===----------------------------------------------------------------------===//

static FailureOr<Value> convertQuantize(OpExporter &op) {
  FailureOr<ExportedQuantization> source = op.readQuantization();
  if (failed(source) || failed(checkShape(op, *source)))
    return failure();
  FloatType precision = cast<QuantizeOp>(op.op).getSemantics().precision;
  Type expressed = source->inputType.getElementType();
  if (expressed != precision)
    return op.unsupported("a division in " + showType(precision) +
                          ", but the quant dialect divides in the type of the "
                          "input, " +
                          showType(expressed));
  FailureOr<Type> type = makeType(op, *source, precision);
  if (failed(type))
    return failure();
  Value quantized = quant::QuantizeCastOp::create(op.b, *type, source->input);
  auto storage = IntegerType::get(op.b.getContext(),
                                  source->storage.getIntOrFloatBitWidth());
  return op.toResultType(quant::StorageCastOp::create(
      op.b, source->inputType.clone(storage), quantized));
}

static FailureOr<Value> convertDequantize(OpExporter &op) {
  FailureOr<ExportedQuantization> source = op.readQuantization();
  if (failed(source) || failed(checkShape(op, *source)))
    return failure();
  auto expressed = cast<FloatType>(source->resultType.getElementType());
  FailureOr<Type> type = makeType(op, *source, expressed);
  if (failed(type))
    return failure();
  Value quantized =
      quant::StorageCastOp::create(op.b, *type, op.toSignless(source->input));
  return op.toResultType(quant::DequantizeCastOp::create(
      op.b, source->inputType.clone(expressed), quantized));
}

void ConvertQuantFloatToQuant::runOnOperation() {
  if (failed(exportQuantizations(getOperation(), "quant", convertQuantize,
                                 convertDequantize)))
    signalPassFailure();
}
