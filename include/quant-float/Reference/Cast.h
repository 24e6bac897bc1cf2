//===- Cast.h - Reference semantics of casts --------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The reference semantics of casts between element types, bit for bit
// (docs/rules.md, C1 to C13, C15 and F). It only uses llvm::APFloat and
// llvm::APInt. Folders call it, and every lowering is tested against it, so it
// shares no code for formats or semantics with the lowerings.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_REFERENCE_CAST_H
#define QUANT_FLOAT_REFERENCE_CAST_H

#include "mlir/IR/Types.h"
#include "mlir/Support/LLVM.h"
#include "llvm/ADT/APInt.h"
#include <optional>

namespace mlir::quant_float::reference {

/// The rounding of a cast to f8E8M0FNU to one of the two neighboring powers of
/// two (C9). ONNX spells the modes "up", "down" and "nearest".
enum class ScaleRounding { Up, Down, Nearest };

/// A projection of IEEE P3109/D1: the names are the draft's (I3 to I5).
enum class ProjectionRounding {
  NearestTiesToEven,
  NearestTiesToAway,
  TowardPositive,
  TowardNegative,
  TowardZero,
  ToOdd,
  StochasticA,
  StochasticB,
  StochasticC,
};
enum class ProjectionSaturation { SatFinite, SatPropagate, SatNone };
struct Projection {
  ProjectionRounding rounding = ProjectionRounding::NearestTiesToEven;
  ProjectionSaturation saturation = ProjectionSaturation::SatNone;

  bool isStochastic() const {
    return rounding >= ProjectionRounding::StochasticA;
  }
};

/// The attributes of a cast. Fields that do not apply to the destination type
/// have no effect.
struct CastOptions {
  /// Determines the result of an infinity in the FNUZ formats (C4).
  int64_t opset = 28;
  /// To float8: overflow gives the largest finite value (C3, C4, C9).
  bool saturate = true;
  ScaleRounding scaleRounding = ScaleRounding::Up;
  /// Use the semantics of OpenVINO's Convert instead of ONNX's Cast; the other
  /// fields are ignored. OpenVINO must support the pair of types.
  bool isOpenVino = false;
  /// Use the semantics of IEEE P3109's Convert; the other fields are ignored.
  /// Both types must satisfy isProjectable.
  std::optional<Projection> projection = std::nullopt;
};

/// Returns whether the type is a format of IEEE P3109 of at most 8 bits:
/// f8E4M3FNUZ, f8E5M2FNUZ or a BinaryType.
bool isDraftFormat(Type elementType);

/// Returns whether IEEE P3109's Convert supports the type: such a format, f64,
/// f32, f16 or bf16.
bool isProjectable(Type elementType);

/// Returns whether casts from and to `elementType` are supported: f64 f32 f16
/// bf16, every float8 (ONNX's, f8E3M4, f8E4M3, f8E4M3B11FNUZ,
/// !quant_float.f8UE5M3), the formats of IEEE P3109, f8E8M0FNU, f4E2M1FN,
/// f6E2M3FN, f6E3M2FN, i1 (bool), signless (ONNX intN) and unsigned integers of
/// 2, 4, 8, 16, 32 and 64 bits.
bool isSupported(Type elementType);

/// Casts one element; the argument and the result are bit patterns. Both types
/// must be supported, and `bits` must have the width of `from`.
llvm::APInt castElement(Type from, Type to, const llvm::APInt &bits,
                        const CastOptions &options);

/// Casts a buffer of unpacked little-endian elements, each of which takes an
/// integral number of bytes: i4 and i2 are sign-extended to a byte; ui4, ui2,
/// float4 and float6 are zero-extended encodings; i1 is a byte 0 or 1. Unused
/// bits of inputs are ignored.
///
/// Fails without modifying `out` if a type is not supported or the buffers do
/// not hold the same number of full elements.
LogicalResult castBuffer(Type from, Type to, ArrayRef<char> in,
                         MutableArrayRef<char> out, const CastOptions &options);

} // namespace mlir::quant_float::reference

#endif // QUANT_FLOAT_REFERENCE_CAST_H
