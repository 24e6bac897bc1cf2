//===- Quantize.h - Reference quantization ----------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What quantize and dequantize give, bit for bit (rules D1 to D5, D9 and S5 of
// the semantics), computed on llvm::APFloat and llvm::APInt alone; qdq is one
// after the other (D6). Folders call it and every lowering is tested against
// it, so it shares no format or semantics code with either; which scale belongs
// to which element all of them ask the Granularity.
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

/// What a quantization's attributes say.
struct QuantizeOptions {
  /// To float8: overflow gives the largest finite value (D3).
  bool saturate = true;
  /// P of D2, the type of the division: f32, f16, bf16 or f64.
  Type precision;
};

/// Whether there is a quantization of these types: x f32 f16 bf16 i32; scale
/// f32 f16 bf16 i32 and every float8; y (and the zero point) integers of 2, 4,
/// 8 and 16 bits, signless (ONNX intN) or unsigned, every float8 but f8E8M0FNU,
/// f4E2M1FN, f6E2M3FN, f6E3M2FN; precision f32 f16 bf16 f64.
bool canQuantize(Type x, Type scale, Type y, Type precision);

/// Whether there is a dequantization of these types: x (and the zero point) as
/// a quantization's y, or i32; scale f32 f16 bf16 and every float8; y f32 f16
/// bf16.
bool canDequantize(Type x, Type scale, Type y);

/// Quantizes one element, given and returned as its bit pattern. The types must
/// be supported, and the patterns as wide as them. Random bits, as many as they
/// are wide, decide where they are given (S5).
llvm::APInt quantizeElement(Type x, Type scale, Type y,
                            const llvm::APInt &xBits,
                            const llvm::APInt &scaleBits,
                            std::optional<llvm::APInt> zeroPointBits,
                            const QuantizeOptions &options,
                            std::optional<llvm::APInt> random = std::nullopt);

/// Random bits for each element of a buffer, of a type of isRandomBits.
struct RandomBits {
  Type type;
  ArrayRef<char> bytes;
};

/// Dequantizes one element, given and returned as its bit pattern. The types
/// must be supported, and the patterns as wide as them.
llvm::APInt dequantizeElement(Type x, Type scale, Type y,
                              const llvm::APInt &xBits,
                              const llvm::APInt &scaleBits,
                              std::optional<llvm::APInt> zeroPointBits);

/// Quantizes a row-major buffer of these sizes. Slots are those of castBuffer;
/// `scales` and `zeroPoints` hold as many elements as the granularity asks for,
/// row-major too; random bits, where given, are as many as elements (S5).
///
/// Fails, leaving `out` as it was, when there is no such quantization, when the
/// granularity does not fit the sizes, or when a buffer has another size.
LogicalResult
quantizeBuffer(Type x, Type scale, Type y, ArrayRef<int64_t> sizes,
               const Granularity &granularity, ArrayRef<char> in,
               ArrayRef<char> scales, std::optional<ArrayRef<char>> zeroPoints,
               MutableArrayRef<char> out, const QuantizeOptions &options,
               std::optional<RandomBits> random = std::nullopt);

/// Dequantizes a buffer, in the same way.
LogicalResult dequantizeBuffer(Type x, Type scale, Type y,
                               ArrayRef<int64_t> sizes,
                               const Granularity &granularity,
                               ArrayRef<char> in, ArrayRef<char> scales,
                               std::optional<ArrayRef<char>> zeroPoints,
                               MutableArrayRef<char> out);

/// ONNX's DynamicQuantizeLinear (D9): f32 elements to ui8, with the f32 scale
/// and the ui8 zero point that they ask for.
///
/// Fails, leaving the outputs as they were, when a buffer has a wrong size.
LogicalResult dynamicQuantizeLinear(ArrayRef<char> in,
                                    MutableArrayRef<char> out,
                                    MutableArrayRef<char> scale,
                                    MutableArrayRef<char> zeroPoint);

} // namespace mlir::quant_float::reference

#endif // QUANT_FLOAT_REFERENCE_QUANTIZE_H
