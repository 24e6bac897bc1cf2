//===- ExpandDequantize.cpp - Codes that an opset has no type for ---------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A DequantizeLinear that an opset lacks, for the type of its codes or the
// blocks of its scale, becomes what it computes (D5):
//
//   Cast(codes) to f32, or Gather(table of f32, codes as integers)
//   - zero point, * scale, each at the place of its element, in f32
//   Cast to the type of the result
//
// Codes of types that the opset lacks have to be constants: bytes then, which
// stand for the same numbers.
//
//===----------------------------------------------------------------------===//

#include "Expansion.h"
#include "Exporter.h"
#include "OpsetConverter.h"
#include "Source.h"
#include "quant-float/IR/ElementTypes.h"
#include "quant-float/IR/OpsetRules.h"
#include "quant-float/Support/FloatFormat.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::onnx_import;

/// What the op computes; null where there is no other form.
static Value expand(Expansion &expansion, DequantizeOp op,
                    const OpsetOptions &options) {
  Type codes = getElementTypeOrSelf(op.getInput());
  auto input = dyn_cast<RankedTensorType>(op.getInput().getType());
  auto result = dyn_cast<RankedTensorType>(op.getType());
  if (!input || !result || !hasElementType(options, result.getElementType()))
    return {};
  Value values = expansion.decode(op.getInput(), "codes");
  if (!values)
    return {};
  RankedTensorType type = input.clone(expansion.b.getF32Type());
  // Zero points of floats and of 32 bits are zero.
  if (op.getZeroPoint() && !isFloat(codes) && getNumberWidth(codes) < 32) {
    Value points = expansion.decode(op.getZeroPoint(), "zero_point");
    if (!points || !(points = expansion.spread(points, op)))
      return {};
    values = expansion.node("Sub", {values, points}, type);
  }
  Value scale = expansion.decode(op.getScale(), "scale");
  if (!scale || !(scale = expansion.spread(scale, op)))
    return {};
  return expansion.cast(expansion.node("Mul", {values, scale}, type),
                        result.getElementType());
}

void OpsetConverter::expandDequantize(DequantizeOp op) {
  if (isKept(op) || isSaid(op, "") ||
      (options.usesMicrosoft && isSaid(op, kMicrosoftDomain)))
    return;
  Expansion expansion(op, options);
  Value value = expand(expansion, op, options);
  if (!value)
    return expansion.cancel();
  replaceByExpansion(op, value,
                     expansion.hasTable ? "as Gather from a table and Mul"
                                        : "as Cast and Mul");
}

void OpsetConverter::replaceByExpansion(Operation *op, Value value,
                                        const Twine &detail) {
  note(op, ConversionKind::Restated, detail);
  // The names of the node go to the one that makes its result.
  Operation *last = value.getDefiningOp();
  ::onnx::NodeProto source;
  if (failed(readSource(op, kNodeSourceAttrName, source)))
    return void(hasRefused = true);
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
    if (Operation *constant = operand.getDefiningOp<arith::ConstantOp>())
      constants.insert(constant);
  // The declared type of the same numbers; codes become numbers of f32.
  Type type = op->getResult(0).getType();
  if (getElementTypeOrSelf(type) == getElementTypeOrSelf(value))
    value.setType(type);
  op->getResult(0).replaceAllUsesWith(value);
  op->erase();
  for (Operation *constant : constants)
    if (constant->use_empty())
      constant->erase();
}
