//===- QuantFloatToIreeLinalgExt.cpp - Affine quantization of IREE --------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===---------------------------------------------------------------------===//
//
// IREE decomposes quantize_affine to a division in the type of the scale,
// roundeven, an addition of the zero point, maxnum, minnum and fptosi, and
// dequantize_affine to a subtraction of integers and a multiplication.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "quant-float/Conversion/NodeToQuantFloat/OnnxNodeBuilder.h"
#include "quant-float/Conversion/OpExport/OpExporter.h"
#include "quant-float/Conversion/Passes.h"
#include "quant-float/IR/Constants.h"
#include "quant-float/Support/FloatFormat.h"

namespace mlir::quant_float {
#define GEN_PASS_DEF_CONVERTQUANTFLOATTOIREELINALGEXTPASS
#include "quant-float/Conversion/Passes.h.inc"
} // namespace mlir::quant_float

using namespace mlir;
using namespace mlir::quant_float;
using llvm::APFloat;

namespace {
struct ConvertQuantFloatToIreeLinalgExt final
    : quant_float::impl::ConvertQuantFloatToIreeLinalgExtPassBase<
          ConvertQuantFloatToIreeLinalgExt> {
  using ConvertQuantFloatToIreeLinalgExtPassBase::
      ConvertQuantFloatToIreeLinalgExtPassBase;

  void runOnOperation() override;
};

/// The operands of an op of IREE.
struct AffineOperands {
  /// In blocks, the dimension of the axis is two: blocks and their elements.
  Value input;
  Value scale, zeroPoint;
  /// The map of scale and zero point.
  AffineMap map;
  /// How the dimensions are expanded; empty if they are not.
  SmallVector<ReassociationIndices> groups;
  IntegerType storage;

  AffineMap identity() const {
    return AffineMap::getMultiDimIdentityMap(map.getNumDims(),
                                             map.getContext());
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

/// Splits the dimension of the axis into blocks and their elements.
static Value expandBlocks(ImplicitLocOpBuilder &b, Value input, int64_t axis,
                          int64_t blockSize,
                          ArrayRef<ReassociationIndices> groups) {
  auto type = cast<RankedTensorType>(input.getType());
  SmallVector<int64_t> shape(type.getShape());
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, b.getLoc(), input);
  shape[axis] /= blockSize;
  sizes[axis] = b.getIndexAttr(shape[axis]);
  shape.insert(shape.begin() + axis + 1, blockSize);
  sizes.insert(sizes.begin() + axis + 1, b.getIndexAttr(blockSize));
  return tensor::ExpandShapeOp::create(b, b.getLoc(), type.clone(shape), input,
                                       groups, sizes);
}

/// Drops the only dimension of a parameter of one element.
static Value dropDimensions(ImplicitLocOpBuilder &b, Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getRank() == 0)
    return value;
  RankedTensorType scalar = type.clone(ArrayRef<int64_t>());
  if (DenseElementsAttr elements = OpExporter::getConstant(value))
    return createConstant(b, elements.reshape(scalar));
  if (!type.hasStaticShape()) {
    type = type.clone(SmallVector<int64_t>(type.getRank(), 1));
    value = tensor::CastOp::create(b, type, value);
  }
  return tensor::CollapseShapeOp::create(b, scalar, value,
                                         ArrayRef<ReassociationIndices>());
}

/// Converts the operands but for the types of input and scale.
static FailureOr<AffineOperands>
makeOperands(OpExporter &op, const ExportedQuantization &source, Value input,
             Value scale, ArrayRef<unsigned> widths) {
  FailureOr<IntegerType> storage =
      op.requireIntegers(source, "IREE's affine quantization", widths);
  if (failed(storage))
    return failure();
  AffineOperands operands;
  operands.storage = *storage;
  operands.input = input;
  operands.scale = scale;
  if (source.zeroPoint)
    operands.zeroPoint = op.toSignless(source.zeroPoint);
  int64_t rank = source.inputType.getRank();
  MLIRContext *context = op.b.getContext();
  if (!source.axis) {
    operands.map = AffineMap::get(rank, 0, context);
    operands.scale = dropDimensions(op.b, operands.scale);
    if (operands.zeroPoint)
      operands.zeroPoint = dropDimensions(op.b, operands.zeroPoint);
    return operands;
  }
  int64_t axis = *source.axis;
  if (!source.blockSize) {
    operands.map = AffineMap::getMultiDimIdentityMap(rank, context)
                       .getSubMap({static_cast<unsigned>(axis)});
    return operands;
  }
  if (failed(op.requireWholeBlocks(source)))
    return failure();
  operands.map =
      AffineMap::getMultiDimIdentityMap(rank + 1, context).dropResult(axis + 1);
  for (int64_t dim : llvm::seq(rank)) {
    operands.groups.emplace_back();
    operands.groups.back().push_back(dim > axis ? dim + 1 : dim);
    if (dim == axis)
      operands.groups.back().push_back(dim + 1);
  }
  operands.input = expandBlocks(op.b, operands.input, axis, *source.blockSize,
                                operands.groups);
  return operands;
}

static Value makeEmpty(ImplicitLocOpBuilder &b, Value like, Type element) {
  return tensor::EmptyOp::create(b, tensor::getMixedSizes(b, b.getLoc(), like),
                                 element);
}

static Value makeOp(ImplicitLocOpBuilder &b, StringRef name,
                    const AffineOperands &operands, Type element,
                    ArrayRef<NamedAttribute> attributes) {
  SmallVector<Value> values = {operands.input, operands.scale};
  SmallVector<AffineMap> maps = {operands.identity(), operands.map};
  if (operands.zeroPoint) {
    values.push_back(operands.zeroPoint);
    maps.push_back(operands.map);
  }
  values.push_back(makeEmpty(b, operands.input, element));
  maps.push_back(operands.identity());
  OperationState state(b.getLoc(), ("iree_linalg_ext." + name).str());
  state.addOperands(values);
  state.addTypes(values.back().getType());
  SmallVector<NamedAttribute> all(attributes);
  all.push_back(b.getNamedAttr("indexing_maps", b.getAffineMapArrayAttr(maps)));
  if (operands.zeroPoint && operands.storage.isUnsigned())
    all.push_back(b.getNamedAttr("zp_unsigned", b.getUnitAttr()));
  // Inherent attributes, as IREE prints them.
  state.propertiesAttr = b.getDictionaryAttr(all);
  return b.create(state)->getResult(0);
}

/// Returns the result in the shape of the op.
static Value finish(OpExporter &op, const AffineOperands &operands,
                    Value value) {
  if (!operands.groups.empty())
    value = tensor::CollapseShapeOp::create(op.b, value, operands.groups);
  return op.toResultType(value);
}

//===----------------------------------------------------------------------===//
// NaN
//===----------------------------------------------------------------------===//

/// Creates an elementwise linalg.generic. The last map is that of the result,
/// an identity.
static Value makeGeneric(
    ImplicitLocOpBuilder &b, ValueRange inputs, ArrayRef<AffineMap> maps,
    Type element,
    llvm::function_ref<Value(ImplicitLocOpBuilder &, ValueRange)> body) {
  Value empty = makeEmpty(b, inputs.front(), element);
  SmallVector<utils::IteratorType> iterators(maps.back().getNumDims(),
                                             utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             b, empty.getType(), inputs, empty, maps, iterators,
             [&](OpBuilder &nested, Location loc, ValueRange arguments) {
               ImplicitLocOpBuilder inner(loc, nested);
               linalg::YieldOp::create(inner, body(inner, arguments));
             })
      .getResult(0);
}

static Value isNaN(ImplicitLocOpBuilder &b, Value value) {
  return arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, value, value);
}

/// Whether no quotient of a number is NaN.
static bool areFiniteNonZero(DenseElementsAttr scales) {
  auto isValid = [](const APFloat &scale) { return scale.isFiniteNonZero(); };
  return scales && OpExporter::allOf<APFloat>(scales, isValid);
}

/// Whether all zero points are the lowest quantized value, to which IREE
/// converts NaN.
static bool areLowest(const AffineOperands &operands, int64_t lowest) {
  if (!operands.zeroPoint)
    return lowest == 0;
  DenseElementsAttr values = OpExporter::getConstant(operands.zeroPoint);
  APInt wanted(operands.storage.getWidth(), lowest, /*isSigned=*/true);
  auto isLowest = [&](const APInt &value) { return value == wanted; };
  return values && OpExporter::allOf<APInt>(values, isLowest);
}

/// Replaces NaN by zero.
static Value dropNaN(ImplicitLocOpBuilder &b, const AffineOperands &operands) {
  Type element =
      cast<RankedTensorType>(operands.input.getType()).getElementType();
  return makeGeneric(
      b, operands.input, {operands.identity(), operands.identity()}, element,
      [&](ImplicitLocOpBuilder &b, ValueRange arguments) -> Value {
        Value zero = arith::ConstantOp::create(b, b.getZeroAttr(element));
        return arith::SelectOp::create(b, isNaN(b, arguments[0]), zero,
                                       arguments[0]);
      });
}

/// Replaces results where the quotient is NaN by the zero point.
static Value restoreZeroPoints(ImplicitLocOpBuilder &b,
                               const AffineOperands &operands, Value result) {
  SmallVector<Value> inputs = {result, operands.input, operands.scale};
  SmallVector<AffineMap> maps = {operands.identity(), operands.identity(),
                                 operands.map};
  if (operands.zeroPoint) {
    inputs.push_back(operands.zeroPoint);
    maps.push_back(operands.map);
  }
  maps.push_back(operands.identity());
  Type element = cast<RankedTensorType>(result.getType()).getElementType();
  return makeGeneric(
      b, inputs, maps, element,
      [&](ImplicitLocOpBuilder &b, ValueRange arguments) -> Value {
        Value dividend = arguments[1], divisor = arguments[2];
        if (dividend.getType() != divisor.getType())
          dividend = arith::ExtFOp::create(b, divisor.getType(), dividend,
                                           arith::FastMathFlagsAttr());
        Value quotient = arith::DivFOp::create(b, dividend, divisor);
        Value zeroPoint =
            operands.zeroPoint
                ? arguments[3]
                : arith::ConstantOp::create(b, b.getZeroAttr(element))
                      .getResult();
        return arith::SelectOp::create(b, isNaN(b, quotient), zeroPoint,
                                       arguments[0]);
      });
}

//===----------------------------------------------------------------------===//
// quantize and dequantize
//===----------------------------------------------------------------------===//

static FailureOr<Value> convertQuantize(OpExporter &op) {
  FailureOr<ExportedQuantization> source = op.readQuantization();
  if (failed(source))
    return failure();
  FloatType precision = cast<QuantizeOp>(op.op).getSemantics().precision;
  // IREE extends inputs to the type of the scale.
  Value input = source->input;
  Type element = source->inputType.getElementType();
  if (!isStandardFloat(element) ||
      element.getIntOrFloatBitWidth() >= precision.getWidth())
    input = op.convertFloat(input, precision);
  FailureOr<AffineOperands> operands =
      makeOperands(op, *source, input,
                   op.convertFloat(source->scale, precision), {2, 4, 8, 16});
  if (failed(operands))
    return failure();
  unsigned width = operands->storage.getWidth();
  StringRef example =
      precision.isF16() ? "2048 + 1 would be 2048" : "256 + 1 would be 256";
  if (width > APFloat::semanticsPrecision(precision.getFloatSemantics()))
    return op.unsupported("IREE adds the zero point in " + showType(precision) +
                          ", which does not represent all values of " +
                          showType(operands->storage) + ": " + example);
  bool isUnsigned = operands->storage.isUnsigned();
  int64_t lowest = isUnsigned ? 0 : llvm::minIntN(width);
  int64_t highest = isUnsigned ? llvm::maxUIntN(width) : llvm::maxIntN(width);
  bool hasNaN = !areLowest(*operands, lowest);
  bool isExactScale =
      areFiniteNonZero(OpExporter::getConstant(operands->scale));
  if (hasNaN && isExactScale)
    operands->input = dropNaN(op.b, *operands);
  SmallVector<NamedAttribute> attributes = {
      op.b.getNamedAttr("quant_min", op.b.getI64IntegerAttr(lowest)),
      op.b.getNamedAttr("quant_max", op.b.getI64IntegerAttr(highest))};
  if (isUnsigned)
    attributes.push_back(
        op.b.getNamedAttr("storage_unsigned", op.b.getUnitAttr()));
  Value result = makeOp(op.b, "quantize_affine", *operands,
                        op.b.getIntegerType(width), attributes);
  if (hasNaN && !isExactScale)
    result = restoreZeroPoints(op.b, *operands, result);
  return finish(op, *operands, result);
}

static FailureOr<Value> convertDequantize(OpExporter &op) {
  FailureOr<ExportedQuantization> source = op.readQuantization();
  if (failed(source))
    return failure();
  Value input = source->input;
  if (isa<IntegerType>(source->storage))
    input = op.toSignless(input);
  FailureOr<AffineOperands> operands = makeOperands(
      op, *source, input, op.convertFloat(source->scale, op.b.getF32Type()),
      {2, 4, 8, 16, 32});
  if (failed(operands))
    return failure();
  SmallVector<NamedAttribute> attributes;
  if (operands->storage.isUnsigned())
    attributes.push_back(
        op.b.getNamedAttr("input_unsigned", op.b.getUnitAttr()));
  return finish(op, *operands,
                makeOp(op.b, "dequantize_affine", *operands,
                       source->resultType.getElementType(), attributes));
}

void ConvertQuantFloatToIreeLinalgExt::runOnOperation() {
  if (!getContext().allowsUnregisteredDialects()) {
    getOperation().emitError(
        "iree_linalg_ext is not registered: allow unregistered dialects "
        "(--allow-unregistered-dialect)");
    return signalPassFailure();
  }
  if (failed(exportQuantizations(getOperation(), "iree_linalg_ext",
                                 convertQuantize, convertDequantize)))
    signalPassFailure();
}
