//===- ExpandDequantize.cpp - Expansion of dequantizes --------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// If an opset lacks a DequantizeLinear for the type of its input or the blocks
// of its scale, it is expanded to its formula (D5):
//
//   DequantizeLinear with a scale of f32, if the opset has it; otherwise
//   Cast(x) to f32, or Gather(table of f32, encodings as integers)
//   - zero point, * scale, each broadcast to the shape of x, in f32
//   Cast to the type of the result
//
// 32-bit integers are subtracted in i64.
//
// An input of a type that the opset lacks must be a constant. It becomes a
// constant of bytes that represent the same values.
//
//===----------------------------------------------------------------------===//

#include "../Common/Source.h"
#include "CompareForms.h"
#include "Expansion.h"
#include "OpsetConverter.h"
#include "quant-float/IR/Constants.h"
#include "quant-float/IR/ElementTypes.h"
#include "quant-float/IR/OpsetRules.h"
#include "quant-float/Support/FloatFormat.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::onnx_import;

/// Returns the dequantize with a scale and a result of f32; null if the opset
/// lacks it.
static Value restateInFloat(Expansion &expansion, DequantizeOp op,
                            const OpsetOptions &options) {
  Type quantizedType = getElementTypeOrSelf(op.getInput());
  const OpVersion *version =
      getOpVersion(OpKind::DequantizeLinear, options.opset);
  if (!hasElementType(options, quantizedType) ||
      !version->accepts(OpRole::First, quantizedType) ||
      (op.getAxis() && !version->has(OpAttribute::Axis)) ||
      (op.getBlockSize() && !version->has(OpAttribute::BlockSize)))
    return {};
  Value scale = expansion.decodeParameter(op.getScale(), "scale");
  if (!scale)
    return {};
  Type f32 = expansion.b.getF32Type();
  return expansion.dequantize(withElementType(op.getType(), f32), op.getInput(),
                              scale, op.getZeroPoint(), op.getAxisAttr(),
                              op.getBlockSizeAttr());
}

Value onnx_import::subtractZeroPoint(Expansion &expansion, DequantizeOp op,
                                     Value numbers) {
  Type quantizedType = getElementTypeOrSelf(op.getInput());
  auto input = mlir::cast<RankedTensorType>(op.getInput().getType());
  auto &b = expansion.b;
  // The zero point of float8 is ignored (Q7).
  bool subtracts = op.getZeroPoint() && !isFloat8(quantizedType);
  // The difference of 32-bit integers is exact in i64 and rounded to f32
  // afterward.
  bool isWide = subtracts && getNumberWidth(quantizedType) >= 32;
  Type type = isWide ? Type(b.getI64Type()) : Type(b.getF32Type());
  if (!hasElementType(expansion.getOptions(), type))
    return {};
  if (!numbers)
    numbers = isWide
                  ? expansion.decodeParameter(op.getInput(), "quantized", type)
                  : expansion.decode(op.getInput(), "quantized");
  if (!numbers || !subtracts)
    return numbers;
  Value points =
      expansion.decodeParameter(op.getZeroPoint(), "zero_point", type);
  if (!points || !(points = expansion.spread(points, op)))
    return {};
  return expansion.cast(
      expansion.node("Sub", {numbers, points}, input.clone(type)),
      b.getF32Type());
}

/// Returns the result of the op in other ops; null if there is no equivalent.
static Value expand(Expansion &expansion, DequantizeOp op,
                    const OpsetOptions &options) {
  Type f32 = expansion.b.getF32Type();
  auto input = dyn_cast<RankedTensorType>(op.getInput().getType());
  auto result = dyn_cast<TensorType>(op.getType());
  if (!result || !hasElementType(options, result.getElementType()) ||
      !hasElementType(options, f32))
    return {};
  if (Value value = restateInFloat(expansion, op, options))
    return expansion.cast(value, result.getElementType());
  if (!input)
    return {};
  Value values = subtractZeroPoint(expansion, op);
  Value scale =
      values ? expansion.decodeParameter(op.getScale(), "scale") : Value();
  if (!scale || !(scale = expansion.spread(scale, op)))
    return {};
  return expansion.cast(
      expansion.node("Mul", {values, scale}, input.clone(f32)),
      result.getElementType());
}

void OpsetConverter::expandDequantize(DequantizeOp op) {
  if (isKept(op) || isExpressible(op, "") ||
      (options.usesMicrosoft && isExpressible(op, kMicrosoftDomain)))
    return;
  Expansion expansion(op, options, names);
  Value value = expand(expansion, op, options);
  if (!value)
    return expansion.cancel();
  expansion.eraseUnused(value);
  bool isMul = !value.getDefiningOp<DequantizeOp>();
  if (auto cast = value.getDefiningOp<CastOp>())
    isMul = !cast.getInput().getDefiningOp<DequantizeOp>();
  (void)replaceByExpansion(op, value,
                           expansion.hasTable ? "as Gather from a table and Mul"
                           : isMul            ? "as Cast and Mul"
                                              : "with a scale of float");
}

bool OpsetConverter::replaceByExpansion(Operation *op, Value value,
                                        const Twine &detail,
                                        ArrayRef<Value> inputs) {
  SmallVector<Value> own = llvm::to_vector(op->getOperands());
  if (std::optional<std::string> difference = findDifference(
          op->getResult(0), value, inputs.empty() ? ArrayRef(own) : inputs)) {
    refuse(op, "its replacement has a different value: " + *difference);
    return false;
  }
  note(op, ConversionKind::Restated, detail);
  // The op that defines the result takes over the names of the node.
  Operation *last = value.getDefiningOp();
  ::onnx::NodeProto source;
  if (failed(readSource(op, kNodeSourceAttrName, source)))
    return !(hasRefused = true);
  source.clear_attribute();
  source.clear_input();
  keepSource(last, source);
  last->setLoc(op->getLoc());
  if (auto node = dyn_cast<NodeOp>(last))
    node.setNodeNameAttr(source.has_name()
                             ? StringAttr::get(op->getContext(), source.name())
                             : StringAttr());
  llvm::SmallSetVector<Operation *, 4> constants;
  for (Value operand : op->getOperands())
    if (Operation *constant = operand.getDefiningOp<AnyConstantOp>())
      constants.insert(constant);
  // Keep the more precise declared type if the element type is the same.
  // Otherwise, quantized values become their f32 values.
  Type type = op->getResult(0).getType();
  if (getElementTypeOrSelf(type) == getElementTypeOrSelf(value))
    value.setType(type);
  op->getResult(0).replaceAllUsesWith(value);
  op->erase();
  for (Operation *constant : constants)
    if (constant->use_empty())
      constant->erase();
  return true;
}
