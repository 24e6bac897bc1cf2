//===- ConvertByRow.cpp - Vectors by conversion instructions --------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ConversionRow.h"
#include "NVVM/Pairs.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "quant-float/IR/ElementTypes.h"

using namespace mlir;
using namespace mlir::quant_float;

/// As many instructions as the vector needs, which has whole parts.
static Value convertParts(Lanes &lanes, const ConversionRow &row, Value value,
                          const Conversion &conversion) {
  int64_t count = cast<VectorType>(value.getType()).getNumElements();
  if (count == row.elements)
    return row.build(lanes, value, conversion);
  OpBuilder &builder = lanes.getBuilder();
  Value result;
  for (int64_t i = 0; i < count; i += row.elements) {
    auto slice = [&](Value whole) -> Value {
      if (!whole || !isa<VectorType>(whole.getType()))
        return whole;
      return builder.createOrFold<vector::ExtractStridedSliceOp>(
          lanes.getLoc(), whole, i, row.elements, 1);
    };
    Conversion own = conversion;
    own.signBits = slice(conversion.signBits);
    own.dividend = slice(conversion.dividend);
    own.zeroPoint = slice(conversion.zeroPoint);
    Value part = row.build(lanes, slice(value), own);
    if (!result)
      result = lanes.make<arith::ConstantOp>(builder.getZeroAttr(
          VectorType::get(count, getElementTypeOrSelf(part))));
    result = lanes.make<vector::InsertStridedSliceOp>(part, result, i, 1);
  }
  return result;
}

Value quant_float::convertByRow(Lanes &lanes, const ConversionRow &row,
                                Value value, const Conversion &conversion) {
  auto convert = [&](Value value) {
    return row.elements == 2 ? convertPairs(lanes, row, value, conversion)
                             : convertParts(lanes, row, value, conversion);
  };
  return row.finish ? row.finish(lanes, convert, value, conversion)
                    : convert(value);
}

SmallVector<Value>
quant_float::replaceRarely(Lanes &lanes, Value condition, ArrayRef<Value> usual,
                           function_ref<SmallVector<Value>()> build) {
  OpBuilder &builder = lanes.getBuilder();
  Lanes scalar = lanes.withShapeOf(condition);
  condition =
      scalar.make<LLVM::ExpectOp>(condition, scalar.integer(condition, false));
  auto branch = scf::IfOp::create(
      builder, lanes.getLoc(), condition,
      [&](OpBuilder &inner, Location loc) {
        scf::YieldOp::create(inner, loc, build());
      },
      [&](OpBuilder &inner, Location loc) {
        scf::YieldOp::create(inner, loc, usual);
      });
  return branch.getResults();
}

Value quant_float::widenHalf(Lanes &lanes, Value value, Type to) {
  Type from = getElementTypeOrSelf(value);
  if (from == to)
    return value;
  // To bf16 by f32, of which the high half is enough.
  if (to.isBF16())
    return lanes.bitcast(
        lanes.resize(lanes.shrU(lanes.toBits(lanes.convert<arith::ExtFOp>(
                                    value, Float32Type::get(to.getContext()))),
                                16),
                     16),
        to);
  return lanes.convert<arith::ExtFOp>(value, to);
}
