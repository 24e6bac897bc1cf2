//===- DynamicQuantize.cpp - DynamicQuantizeLinear (D9) -------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Quantizes.h"
#include "StorageUnits.h"
#include "llvm/ADT/APFloat.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::reference;
using llvm::APFloat;
using llvm::APInt;

/// Returns the formats of a quantization from f32 to ui8 in f32.
static QuantizeFormats getDynamicFormats() {
  Format f32{FormatKind::IEEE, 32};
  f32.semantics = &APFloat::IEEEsingle();
  return {f32, f32, Format{FormatKind::Integer, 8}, f32};
}

LogicalResult
reference::dynamicQuantizeLinear(ArrayRef<char> in, MutableArrayRef<char> out,
                                 MutableArrayRef<char> scale,
                                 MutableArrayRef<char> zeroPoint) {
  QuantizeFormats formats = getDynamicFormats();
  size_t count = in.size() / getSlotSize(formats.x);
  if (count * getSlotSize(formats.x) != in.size() || out.size() != count ||
      scale.size() != getSlotSize(formats.scale) || zeroPoint.size() != 1)
    return failure();

  // The range includes zero. NaNs are ignored, because all comparisons with
  // them are false.
  const llvm::fltSemantics &f32 = *formats.precision.semantics;
  APFloat lowest(f32), highest(f32);
  for (size_t i = 0; i < count; ++i) {
    APFloat x(f32, loadElement(formats.x, in, i));
    if (x < lowest)
      lowest = x;
    if (x > highest)
      highest = x;
  }

  constexpr auto nearestEven = APFloat::rmNearestTiesToEven;
  APFloat step(f32, 1);
  if (lowest != highest) {
    step = highest;
    step.subtract(lowest, nearestEven);
    step.divide(APFloat(f32, 255), nearestEven);
  }
  APInt origin =
      quantize(formats, neg(lowest).bitcastToAPInt(), step,
               /*zeroPoint=*/nullptr, /*saturate=*/true, /*random=*/nullptr);
  for (size_t i = 0; i < count; ++i)
    storeElement(formats.y, out, i,
                 quantize(formats, loadElement(formats.x, in, i), step, &origin,
                          /*saturate=*/true, /*random=*/nullptr));
  storeElement(formats.scale, scale, 0, step.bitcastToAPInt());
  storeElement(formats.y, zeroPoint, 0, origin);
  return success();
}
