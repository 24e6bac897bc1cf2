//===- ExpandCast.cpp - Expansion of casts that an opset lacks ------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Constants of types that an opset lacks become constants of a wider type or
// lookups in a table of f32, which represents all of their values, followed by
// a cast. If opsets differ in the FNUZ cast of an infinity (C4), it is replaced
// with its result in the source opset before the cast.
//
//===----------------------------------------------------------------------===//

#include "Expansion.h"
#include "OpsetConverter.h"
#include "mlir/IR/Matchers.h"
#include "quant-float/IR/OpsetRules.h"
#include "quant-float/Support/FloatFormat.h"
#include <limits>

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::onnx_import;

/// Whether the type has infinities.
static bool hasInfinity(Type type) {
  return isFloat(type) && FloatFormat(type).hasInfinity;
}

/// Replaces infinities in a float value with the result of the cast: NaN if
/// `byNaN`, and the largest finite value of the same sign otherwise.
static Value replaceInfinity(Expansion &expansion, Value value, bool byNaN) {
  Type wide = getElementTypeOrSelf(value);
  if (!wide.isF64())
    value = expansion.cast(value, wide = expansion.b.getF32Type());
  auto type = mlir::cast<TensorType>(value.getType());
  double max = wide.isF64() ? std::numeric_limits<double>::max()
                            : double(std::numeric_limits<float>::max());
  for (double sign : {1.0, -1.0}) {
    Value bound = expansion.number("finite", sign * max, wide);
    Value isBeyond =
        expansion.node(sign > 0 ? "Greater" : "Less", {value, bound},
                       type.clone(expansion.b.getI1Type()));
    Value other =
        byNaN ? expansion.number("nan",
                                 std::numeric_limits<double>::quiet_NaN(), wide)
              : bound;
    value = expansion.node("Where", {isBeyond, other, value}, type);
  }
  return value;
}

void OpsetConverter::expandCast(CastOp op) {
  Type from = getElementTypeOrSelf(op.getInput());
  Type to = getElementTypeOrSelf(op.getType());
  if (op.getMode() || op.getRandom() || !isNumber(from) || !isNumber(to) ||
      !hasElementType(options, to) || !isa<TensorType>(op.getInput().getType()))
    return;
  CastSemantics before = op.getSemantics();
  Operation *copy = op->clone();
  cast<CastOp>(copy).setOpset(options.opset);
  cast<CastOp>(copy).setLike(false);
  CastSemantics after = cast<CastOp>(copy).getSemantics();
  copy->destroy();
  bool isOtherInfinity = isa<Float8E4M3FNUZType, Float8E5M2FNUZType>(to) &&
                         from != to && hasInfinity(from) && before.saturate &&
                         before.infinityIsNaN != after.infinityIsNaN;
  bool isConstant = matchPattern(op.getInput(), m_Constant());
  if (!isOtherInfinity && (hasElementType(options, from) || !isConstant))
    return;
  Expansion expansion(op, options, names);
  // If the opset has the type of the input, use the input itself.
  Value value = hasElementType(options, from)
                    ? op.getInput()
                    : expansion.decode(op.getInput(), "input");
  if (!value ||
      (isOtherInfinity && !hasElementType(options, expansion.b.getF32Type())))
    return expansion.cancel();
  if (isOtherInfinity)
    value = replaceInfinity(expansion, value, before.infinityIsNaN);
  (void)expansion.makeName("Cast");
  auto made = CastOp::create(expansion.b, value, to, options.opset);
  const OpVersion &version = *getOpVersion(OpKind::Cast, options.opset);
  if (version.has(OpAttribute::Saturate))
    made.setSaturateAttr(op.getSaturateAttr());
  if (version.has(OpAttribute::RoundMode))
    made.setRoundModeAttr(op.getRoundModeAttr());
  (void)replaceByExpansion(op, made,
                           isOtherInfinity ? "with a replacement for infinity"
                           : expansion.hasTable
                               ? "as Gather from a table and Cast"
                               : "with a wider type");
}
