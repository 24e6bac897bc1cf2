//===- Quantizes.h - The steps of a quantization ----------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_REFERENCE_QUANTIZES_H
#define QUANT_FLOAT_LIB_REFERENCE_QUANTIZES_H

#include "Formats.h"
#include "quant-float/Reference/Quantize.h"

namespace mlir::quant_float::reference {

/// The formats of a quantization or dequantization.
struct QuantizeFormats {
  Format x, scale, y;
  /// P of D2 for quantize, f32 for dequantize (D5).
  Format precision;
};

/// Return the formats, or nullopt if the types are not supported.
std::optional<QuantizeFormats> getQuantizeFormats(Type x, Type scale, Type y,
                                                  Type precision);
std::optional<QuantizeFormats> getDequantizeFormats(Type x, Type scale, Type y);

/// Rounds an element of any format once to f32, f16, bf16 or f64 (C2).
llvm::APFloat convertTo(const Format &precision, const Format &from,
                        const llvm::APInt &bits);

// Convert one element. The scale already has the precision.
llvm::APInt quantize(const QuantizeFormats &formats, const llvm::APInt &x,
                     const llvm::APFloat &scale, const llvm::APInt *zeroPoint,
                     bool saturate, const llvm::APInt *random);
llvm::APInt dequantize(const QuantizeFormats &formats, const llvm::APInt &x,
                       const llvm::APFloat &scale,
                       const llvm::APInt *zeroPoint);

} // namespace mlir::quant_float::reference

#endif // QUANT_FLOAT_LIB_REFERENCE_QUANTIZES_H
