//===- Cast.h - Reference semantics of casts --------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a cast between two element types gives, bit for bit (rules C1 to C13,
// C15 and F of the semantics), computed on llvm::APFloat and llvm::APInt alone.
// Folders call it and every lowering is tested against it, so it shares no
// format or semantics code with either.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_REFERENCE_CAST_H
#define QUANT_FLOAT_REFERENCE_CAST_H

#include "mlir/IR/Types.h"
#include "mlir/Support/LLVM.h"
#include "llvm/ADT/APInt.h"

namespace mlir::quant_float::reference {

/// How a cast to f8E8M0FNU picks one of the two neighbouring powers of two
/// (C9). ONNX spells them "up", "down" and "nearest".
enum class ScaleRounding { Up, Down, Nearest };

/// What a cast's attributes say. Every field is without effect on a
/// destination that it does not concern.
struct CastOptions {
  /// Decides what becomes of an infinity in the FNUZ formats (C4).
  int64_t opset = 28;
  /// To float8: overflow gives the largest finite value (C3, C4, C9).
  bool saturate = true;
  ScaleRounding scaleRounding = ScaleRounding::Up;
  /// As OpenVINO's Convert instead of ONNX's Cast: the others do not count. The
  /// types are a pair that OpenVINO converts.
  bool isOpenVino = false;
};

/// Whether `elementType` can be cast from and to: f64 f32 f16 bf16, every
/// float8 (ONNX's, f8E3M4, f8E4M3, f8E4M3B11FNUZ, !quant_float.f8UE5M3),
/// f8E8M0FNU, f4E2M1FN, f6E2M3FN, f6E3M2FN, i1 (bool), signless (ONNX intN) and
/// unsigned integers of 2, 4, 8, 16, 32 and 64 bits.
bool isSupported(Type elementType);

/// Casts one element, given and returned as its bit pattern. Both types must be
/// supported, and `bits` as wide as `from`.
llvm::APInt castElement(Type from, Type to, const llvm::APInt &bits,
                        const CastOptions &options);

/// Casts a buffer of one element per byte-rounded little-endian slot: i4 and i2
/// are sign-extended into their byte, ui4, ui2, float4 and float6 are
/// zero-extended codes, i1 is a byte 0 or 1. Unused bits of an input slot are
/// ignored.
///
/// Fails, leaving `out` as it was, when a type is not supported or the buffers
/// do not hold the same number of whole elements.
LogicalResult castBuffer(Type from, Type to, ArrayRef<char> in,
                         MutableArrayRef<char> out, const CastOptions &options);

} // namespace mlir::quant_float::reference

#endif // QUANT_FLOAT_REFERENCE_CAST_H
