//===- OpExporter.cpp - Conversion to upstream's quantization ops ---------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===---------------------------------------------------------------------===//

#include "quant-float/Conversion/OpExport/OpExporter.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "quant-float/Conversion/NodeToQuantFloat/OnnxNodeBuilder.h"
#include "quant-float/IR/Constants.h"
#include "quant-float/IR/ElementTypes.h"
#include "quant-float/IR/OpenVinoConvert.h"
#include "quant-float/Support/FloatFormat.h"
#include "quant-float/Support/Printable.h"

using namespace mlir;
using namespace mlir::quant_float;
using llvm::APFloat;

LogicalResult OpExporter::unsupported(const Twine &reason) {
  if (problem.empty())
    problem = reason.str();
  return failure();
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

/// `OpT` is QuantizeOp or DequantizeOp.
template <typename OpT> static ExportedQuantization readOperands(OpT op) {
  ExportedQuantization operands;
  operands.input = op.getInput();
  operands.scale = op.getScale();
  operands.zeroPoint = op.getZeroPoint();
  operands.axis = op.getAxis();
  operands.blockSize = op.getBlockSize();
  return operands;
}

FailureOr<ExportedQuantization> OpExporter::readQuantization() {
  ExportedQuantization operands;
  auto quantize = dyn_cast<QuantizeOp>(op);
  if (quantize && quantize.getRandom())
    return unsupported("stochastic rounding");
  operands =
      quantize ? readOperands(quantize) : readOperands(cast<DequantizeOp>(op));
  auto input = dyn_cast<RankedTensorType>(operands.input.getType());
  if (operands.zeroPoint &&
      isa<UnrankedTensorType>(operands.zeroPoint.getType()))
    return unsupported("a zero point of the type " +
                       showType(operands.zeroPoint.getType()));
  auto result = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (!input || !result || !isa<RankedTensorType>(operands.scale.getType()))
    return unsupported("expected ranked tensors, but got " +
                       showType(operands.input.getType()) + ", " +
                       showType(operands.scale.getType()) + " and " +
                       showType(op->getResult(0).getType()));
  operands.inputType = input;
  operands.resultType = result;
  operands.storage =
      quantize ? result.getElementType() : input.getElementType();
  if (operands.axis && *operands.axis < 0)
    *operands.axis += input.getRank();
  auto scale = cast<RankedTensorType>(operands.scale.getType());
  // A scale of one element applies to all, whatever its axis is.
  if (!operands.blockSize && scale.hasStaticShape() &&
      scale.getNumElements() == 1)
    operands.axis.reset();
  return operands;
}

FailureOr<IntegerType>
OpExporter::requireIntegers(const ExportedQuantization &operands,
                            StringRef dialect, ArrayRef<unsigned> widths) {
  auto integer = dyn_cast<IntegerType>(operands.storage);
  if (!integer || !llvm::is_contained(widths, integer.getWidth()))
    return unsupported(dialect + " has no quantization to " +
                       showType(operands.storage));
  return integer;
}

LogicalResult
OpExporter::requireWholeBlocks(const ExportedQuantization &operands) {
  int64_t size = operands.inputType.getDimSize(*operands.axis);
  if (ShapedType::isDynamic(size) || size % *operands.blockSize != 0)
    return unsupported("expected whole blocks of " +
                       Twine(*operands.blockSize) + " along axis " +
                       Twine(*operands.axis) + ", but got " +
                       showType(operands.inputType));
  return success();
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

DenseElementsAttr OpExporter::getConstant(Value value) {
  if (auto constant = dyn_cast_or_null<AnyConstantOp>(value.getDefiningOp()))
    return dyn_cast<DenseElementsAttr>(constant.getValue());
  DenseElementsAttr elements;
  matchPattern(value, m_Constant(&elements));
  return elements;
}

DenseElementsAttr OpExporter::convertElements(DenseElementsAttr elements,
                                              FloatType type) {
  const llvm::fltSemantics &semantics = type.getFloatSemantics();
  auto convertAll = [&](auto convert) {
    SmallVector<APFloat> values;
    using ElementT = std::decay_t<
        typename llvm::function_traits<decltype(convert)>::template arg_t<0>>;
    if (elements.isSplat())
      values.push_back(convert(elements.getSplatValue<ElementT>()));
    else
      for (const ElementT &value : elements.getValues<ElementT>())
        values.push_back(convert(value));
    return DenseElementsAttr::get(
        cast<ShapedType>(elements.getType()).clone(type), values);
  };
  if (auto integer = dyn_cast<IntegerType>(elements.getElementType()))
    return convertAll([&](const APInt &value) {
      APFloat result(semantics);
      result.convertFromAPInt(value, !integer.isUnsigned(),
                              APFloat::rmNearestTiesToEven);
      return result;
    });
  return convertAll([&](const APFloat &value) {
    APFloat result = value;
    bool isInexact;
    result.convert(semantics, APFloat::rmNearestTiesToEven, &isInexact);
    return result;
  });
}

Value OpExporter::convertFloat(Value value, FloatType type) {
  Type element = getElementTypeOrSelf(value);
  if (element == type)
    return value;
  DenseElementsAttr elements = getConstant(value);
  // The dialect's own types are no FloatTypes.
  if (elements && isa<FloatType, IntegerType>(element))
    return createConstant(b, convertElements(elements, type));
  return createOnnxCast(b, b.getLoc(), value, type);
}

Value OpExporter::toSignless(Value value) {
  auto element = cast<IntegerType>(getElementTypeOrSelf(value));
  if (element.isSignless())
    return value;
  auto type = IntegerType::get(b.getContext(), element.getWidth());
  if (DenseElementsAttr elements = getConstant(value))
    return createConstant(b, elements.bitcast(type));
  return createOnnxCast(b, b.getLoc(), value, type);
}

Value OpExporter::toResultType(Value value) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  if (getElementTypeOrSelf(value) != type.getElementType())
    value = createOnnxCast(b, b.getLoc(), value, type.getElementType());
  if (value.getType() != type)
    value = tensor::CastOp::create(b, type, value);
  return value;
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

LogicalResult quant_float::exportOps(
    Operation *root, StringRef name,
    llvm::function_ref<FailureOr<Value>(OpExporter &)> convert) {
  SmallVector<Operation *> ops;
  root->walk([&](Operation *op) {
    if (isa<CastOp, QuantizeOp, DequantizeOp>(op))
      ops.push_back(op);
  });
  bool isConverted = true;
  for (Operation *op : ops) {
    ImplicitLocOpBuilder b(op->getLoc(), op);
    OpExporter exporter(op, b);
    Operation *before = op->getPrevNode();
    FailureOr<Value> value = convert(exporter);
    if (failed(value)) {
      eraseNewOps(op, before);
      op->emitError() << "no " << name << " for '" << op->getName()
                      << "': " << exporter.getProblem();
      isConverted = false;
    } else if (*value) {
      op->getResult(0).replaceAllUsesWith(*value);
      op->erase();
    }
  }
  return success(isConverted);
}

LogicalResult quant_float::exportQuantizations(
    Operation *root, StringRef name,
    llvm::function_ref<FailureOr<Value>(OpExporter &)> convertQuantize,
    llvm::function_ref<FailureOr<Value>(OpExporter &)> convertDequantize) {
  return exportOps(root, name, [&](OpExporter &op) -> FailureOr<Value> {
    if (isa<QuantizeOp>(op.op))
      return convertQuantize(op);
    if (isa<DequantizeOp>(op.op))
      return convertDequantize(op);
    return Value();
  });
}
