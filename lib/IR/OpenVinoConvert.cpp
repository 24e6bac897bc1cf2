//===- OpenVinoConvert.cpp - OpenVINO's Convert ---------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/IR/OpenVinoConvert.h"

#include "mlir/IR/TypeUtilities.h"
#include "quant-float/IR/ElementTypes.h"
#include "quant-float/IR/OpsetRules.h"
#include "quant-float/IR/QuantFloatOps.h"
#include "quant-float/Support/FloatFormat.h"

using namespace mlir;
using namespace mlir::quant_float;

static bool isE4M3OrE5M2(Type type) {
  return isa<Float8E4M3FNType, Float8E5M2Type>(type);
}

static bool isHalfOrSingle(Type type) {
  return isa<Float16Type, BFloat16Type, Float32Type>(type);
}

/// Returns whether OpenVINO supports only few conversions from and to the type.
static bool isScaleOrFloat4(Type type) {
  return isa<Float8E8M0FNUType, Float4E2M1FNType>(type);
}

/// Returns whether OpenVINO has the type.
static bool isKnown(Type type) {
  if (isa<IntegerType>(type))
    return getElementKind(type) && !type.isSignlessInteger(2);
  return isE4M3OrE5M2(type) || isHalfOrSingle(type) || isScaleOrFloat4(type) ||
         isa<Float64Type>(type);
}

OpenVinoConversion quant_float::getOpenVinoConversion(Type from, Type to) {
  using Result = OpenVinoConversion;
  bool isInteger = isa<IntegerType>(to);
  if (!isKnown(from) || !isKnown(to))
    return Result::None;
  if (from == to)
    return Result::Casts;
  if (isScaleOrFloat4(from)) {
    bool isSmall =
        isInteger && isa<Float4E2M1FNType>(from) &&
        (to.getIntOrFloatBitWidth() == 4 || to.getIntOrFloatBitWidth() == 8);
    if (isSmall)
      return Result::Own;
    return isHalfOrSingle(to) || isa<Float64Type>(to) ? Result::Casts
                                                      : Result::None;
  }
  if (isScaleOrFloat4(to))
    return isHalfOrSingle(from) ? Result::Own : Result::None;
  if (isInteger)
    return isa<IntegerType>(from) ? Result::Casts : Result::Own;
  // Exact conversions have the same result in OpenVINO and ONNX.
  bool isWide = isa<Float64Type>(from) ||
                (isa<IntegerType>(from) && from.getIntOrFloatBitWidth() > 8);
  return isa<BFloat16Type>(to) && isWide ? Result::Own : Result::Casts;
}

SmallVector<Type> quant_float::getOpenVinoSteps(Type from, Type to) {
  SmallVector<Type> steps;
  MLIRContext *context = from.getContext();
  if (isa<Float64Type>(from) && !isa<Float32Type>(to))
    steps.push_back(Float32Type::get(context));
  if (isE4M3OrE5M2(to) && !isa<Float16Type>(from))
    steps.push_back(Float16Type::get(context));
  steps.push_back(to);
  return steps;
}

Value quant_float::createOnnxCast(OpBuilder &builder, Location loc, Value value,
                                  Type elementType, RoundModeAttr roundMode) {
  BoolAttr saturate;
  if (isFloat8(elementType))
    saturate = builder.getBoolAttr(false);
  bool isOnnx = getOnnxDataType(elementType) &&
                getOnnxDataType(getElementTypeOrSelf(value.getType()));
  return builder.createOrFold<CastOp>(
      loc, withElementType(value.getType(), elementType), value,
      /*random=*/Value(),
      builder.getI64IntegerAttr(isOnnx ? kNewestOpset : kOwnOpset), UnitAttr(),
      saturate, roundMode,
      isOnnx ? CastModeAttr()
             : CastModeAttr::get(builder.getContext(), CastMode::QuantFloat),
      /*projection=*/ProjectionAttr());
}
