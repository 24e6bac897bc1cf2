//===- CastElement.cpp - Casts of one element -----------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Casts.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::reference;
using llvm::APFloat;
using llvm::APInt;

const llvm::fltSemantics &reference::getExactSemantics(const Format &from) {
  if (from.kind == FormatKind::Integer && from.width == 64)
    return APFloat::IEEEquad();
  return APFloat::IEEEdouble();
}

static bool holdsInteger(const Format &format) {
  return format.kind == FormatKind::Integer || format.kind == FormatKind::Bool;
}

APFloat reference::decode(const Format &from, const APInt &bits) {
  switch (from.kind) {
  case FormatKind::IEEE:
    return decodeIEEE(from, bits);
  case FormatKind::Narrow:
    return decodeNarrow(from, bits);
  case FormatKind::Scale:
    return decodeScale(from, bits);
  case FormatKind::Integer:
  case FormatKind::Bool:
    break;
  }
  return decodeInteger(from, bits);
}

APInt reference::roundElement(const Format &to, const APFloat &value,
                              const CastOptions &options) {
  switch (to.kind) {
  case FormatKind::IEEE:
    return roundToIEEE(to, value);
  case FormatKind::Narrow:
    return roundToNarrow(to, value, options);
  case FormatKind::Scale:
    return roundToScale(value, options);
  case FormatKind::Integer:
    return truncateToInteger(to, value);
  case FormatKind::Bool:
    break;
  }
  return testNonZero(value);
}

APInt reference::castElement(const Format &from, const Format &to,
                             const APInt &bits, const CastOptions &options) {
  if (options.isOpenVino)
    return castByOpenVino(from, to, bits);
  if (options.projection)
    return project(from, to, bits, *options.projection);
  if (holdsInteger(from) && holdsInteger(to))
    return resizeInteger(from, to, bits);
  return roundElement(to, decode(from, bits), options);
}

bool reference::isSupported(Type elementType) {
  return getFormat(elementType).has_value();
}

APInt reference::castElement(Type from, Type to, const APInt &bits,
                             const CastOptions &options) {
  // A cast to the same type changes no bit, even of a NaN (V7), except for
  // projections, which saturate.
  if (from == to && !options.projection)
    return bits;
  return castElement(*getFormat(from), *getFormat(to), bits, options);
}
