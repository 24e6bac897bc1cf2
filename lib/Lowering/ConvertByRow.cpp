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

/// Converts a vector whose size is a multiple of the row's elements, one slice
/// at a time.
static Value convertParts(VectorBuilder &lanes, const ConversionRow &row,
                          Value value, const Conversion &conversion) {
  int64_t count = cast<VectorType>(value.getType()).getNumElements();
  if (count == row.elements)
    return row.build(lanes, value, conversion);
  OpBuilder &builder = lanes.getBuilder();
  Value result;
  for (int64_t i = 0; i < count; i += row.elements) {
    auto slice = [&](Value vector) -> Value {
      if (!vector || !isa<VectorType>(vector.getType()))
        return vector;
      return builder.createOrFold<vector::ExtractStridedSliceOp>(
          lanes.getLoc(), vector, i, row.elements, 1);
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

Value quant_float::convertByRow(VectorBuilder &lanes, const ConversionRow &row,
                                Value value, const Conversion &conversion) {
  auto convert = [&](Value value) {
    return row.elements == 2 ? convertPairs(lanes, row, value, conversion)
                             : convertParts(lanes, row, value, conversion);
  };
  return row.finish ? row.finish(lanes, convert, value, conversion)
                    : convert(value);
}

SmallVector<Value>
quant_float::replaceRarely(VectorBuilder &lanes, Value condition,
                           ArrayRef<Value> usual,
                           function_ref<SmallVector<Value>()> build) {
  OpBuilder &builder = lanes.getBuilder();
  VectorBuilder scalar = lanes.withShapeOf(condition);
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

Value quant_float::widenHalf(VectorBuilder &lanes, Value value, Type to) {
  Type from = getElementTypeOrSelf(value);
  if (from == to)
    return value;
  // f16 to bf16: the upper half of the f32 is exact.
  if (to.isBF16())
    return lanes.bitcast(
        lanes.resize(lanes.shrU(lanes.toBits(lanes.convert<arith::ExtFOp>(
                                    value, Float32Type::get(to.getContext()))),
                                16),
                     16),
        to);
  return lanes.convert<arith::ExtFOp>(value, to);
}
