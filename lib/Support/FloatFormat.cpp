//===- FloatFormat.cpp - Facts of a float format --------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/Support/FloatFormat.h"

using namespace mlir;
using namespace mlir::quant_float;
using llvm::APFloat;

FloatFormat::FloatFormat(FloatType type)
    : maxValue(APFloat::getLargest(type.getFloatSemantics())) {
  const llvm::fltSemantics &semantics = type.getFloatSemantics();
  width = APFloat::semanticsSizeInBits(semantics);
  mantissaBits = APFloat::semanticsPrecision(semantics) - 1;
  minExponent = APFloat::semanticsMinExponent(semantics);
  maxExponent = APFloat::semanticsMaxExponent(semantics);
  bias = 1 - minExponent;
  hasInfinity = APFloat::semanticsHasInf(semantics);
  hasNaN = APFloat::semanticsHasNaN(semantics);
  // f8E8M0FNU has no zero that could be asked for its sign.
  isFNUZ = hasNaN && APFloat::semanticsHasZero(semantics) &&
           !APFloat::getZero(semantics, /*Negative=*/true).isNegative();
  maxCode = maxValue.bitcastToAPInt().getZExtValue();
  infinityCode =
      hasInfinity ? APFloat::getInf(semantics).bitcastToAPInt().getZExtValue()
                  : 0;
  nanCode =
      hasNaN ? APFloat::getNaN(semantics).bitcastToAPInt().getZExtValue() : 0;
}

bool quant_float::isStandardFloat(Type type) {
  return isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(type);
}

bool quant_float::isFloat8(Type type) {
  return isa<Float8E4M3FNType, Float8E4M3FNUZType, Float8E5M2Type,
             Float8E5M2FNUZType>(type);
}

bool quant_float::isNarrowFloat(Type type) {
  auto number = dyn_cast<FloatType>(type);
  return number && number.getWidth() <= 8;
}
