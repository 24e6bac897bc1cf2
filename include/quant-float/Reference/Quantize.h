//===- Quantize.h - Reference quantization ----------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The reference semantics of quantize and dequantize, bit for bit
// (docs/rules.md, D1 to D5, D9 and S5); qdq is their composition (D6). It only
// uses llvm::APFloat and llvm::APInt. Folders call it, and every lowering is
// tested against it, so it shares no code for formats or semantics with the
// lowerings, except Granularity, which maps elements to scales.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_REFERENCE_QUANTIZE_H
#define QUANT_FLOAT_REFERENCE_QUANTIZE_H

#include "mlir/IR/Types.h"
#include "mlir/Support/LLVM.h"
#include "quant-float/Reference/Granularity.h"
#include "llvm/ADT/APInt.h"
#include <optional>

namespace mlir::quant_float::reference {

/// The attributes of a quantization.
struct QuantizeOptions {
  /// To float8: overflow gives the largest finite value (D3).
  bool saturate = true;
  /// The type of the division, P in rule D2: f32, f16, bf16 or f64.
  Type precision;
};

/// Returns whether a quantization of these types is supported: x f32 f16 bf16
/// i32; scale f32 f16 bf16 i32 and every float8; y (and the zero point)
/// integers of 2, 4, 8 and 16 bits, signless (ONNX intN) or unsigned, every
/// float8 except f8E8M0FNU, f4E2M1FN, f6E2M3FN, f6E3M2FN; precision f32 f16
/// bf16 f64.
bool canQuantize(Type x, Type scale, Type y, Type precision);

/// Returns whether a dequantization of these types is supported: x (and the
/// zero point) as y of a quantization, or i32; scale f32 f16 bf16 and every
/// float8; y f32 f16 bf16.
bool canDequantize(Type x, Type scale, Type y);

/// Quantizes one element; the argument and the result are bit patterns. The
/// types must be supported, and the bit patterns must have their widths. With
/// `random`, rounding is stochastic, with as many random bits as the value is
/// wide (S5).
llvm::APInt quantizeElement(Type x, Type scale, Type y,
                            const llvm::APInt &xBits,
                            const llvm::APInt &scaleBits,
                            std::optional<llvm::APInt> zeroPointBits,
                            const QuantizeOptions &options,
                            std::optional<llvm::APInt> random = std::nullopt);

/// Random bits for each element of a buffer. The type must satisfy
/// isRandomBits.
struct RandomBits {
  Type type;
  ArrayRef<char> bytes;
};

/// Dequantizes one element; the argument and the result are bit patterns. The
/// types must be supported, and the bit patterns must have their widths.
llvm::APInt dequantizeElement(Type x, Type scale, Type y,
                              const llvm::APInt &xBits,
                              const llvm::APInt &scaleBits,
                              std::optional<llvm::APInt> zeroPointBits);

/// Quantizes a row-major buffer of these sizes, in the layout of castBuffer.
/// `scales` and `zeroPoints` are also row-major and have the number of elements
/// that the granularity requires; `random`, if not null, has one element for
/// each element of `in` (S5).
///
/// Fails without modifying `out` if the quantization is not supported, if the
/// granularity does not fit the sizes, or if a buffer has the wrong size.
LogicalResult
quantizeBuffer(Type x, Type scale, Type y, ArrayRef<int64_t> sizes,
               const Granularity &granularity, ArrayRef<char> in,
               ArrayRef<char> scales, std::optional<ArrayRef<char>> zeroPoints,
               MutableArrayRef<char> out, const QuantizeOptions &options,
               std::optional<RandomBits> random = std::nullopt);

/// Dequantizes a buffer; the conventions are those of quantizeBuffer.
LogicalResult dequantizeBuffer(Type x, Type scale, Type y,
                               ArrayRef<int64_t> sizes,
                               const Granularity &granularity,
                               ArrayRef<char> in, ArrayRef<char> scales,
                               std::optional<ArrayRef<char>> zeroPoints,
                               MutableArrayRef<char> out);

/// Computes ONNX's DynamicQuantizeLinear (D9): quantizes f32 elements to ui8,
/// and returns the f32 scale and the ui8 zero point that follow from them.
///
/// Fails without modifying the outputs if a buffer has the wrong size.
LogicalResult dynamicQuantizeLinear(ArrayRef<char> in,
                                    MutableArrayRef<char> out,
                                    MutableArrayRef<char> scale,
                                    MutableArrayRef<char> zeroPoint);

} // namespace mlir::quant_float::reference

#endif // QUANT_FLOAT_REFERENCE_QUANTIZE_H
