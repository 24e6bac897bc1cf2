//===- FakeConvert.h - Reference fakeconvert --------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The reference semantics of OpenVINO's FakeConvert-13, bit for bit, in each of
// its modes. It only uses llvm::APFloat and llvm::APInt.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_REFERENCE_FAKECONVERT_H
#define QUANT_FLOAT_REFERENCE_FAKECONVERT_H

#include "mlir/IR/BuiltinTypes.h"
#include "quant-float/Reference/Granularity.h"
#include "llvm/ADT/APFloat.h"
#include <optional>

namespace mlir::quant_float::reference {

/// The implementation whose rounding is reproduced.
enum class FakeConvertMode { Exact, OpenVINO, OpenVINOReference };

/// The rounding of the reciprocal of the scale: to f32 only, to the element
/// type, or to bf16 with OpenVINO's rule.
enum class FakeConvertReciprocal { Single, Nearest, OpenVINO };

/// The attributes of a fakeconvert. All except the mode only apply to mode
/// OpenVINO.
struct FakeConvertOptions {
  FakeConvertMode mode = FakeConvertMode::Exact;
  FakeConvertReciprocal reciprocal = FakeConvertReciprocal::Single;
  /// Every zero is +0.
  bool positiveZero = false;
  /// Adding back a shift of zero preserves the sign of a zero.
  bool neutralShift = false;
};

/// Returns whether a fakeconvert of `type` (f32, f16, bf16) through
/// `destination` (f8E4M3FN, f8E5M2) is supported.
bool canFakeConvert(Type type, Type destination);

/// The steps of the conversion of one element. The intermediate value is an f32
/// number for all types, which must be supported.
class FakeConvertSteps {
public:
  FakeConvertSteps(Type type, Type destination,
                   const FakeConvertOptions &options);

  /// Returns x * scale - shift for numbers of the type.
  llvm::APFloat scale(const llvm::APFloat &x, const llvm::APFloat &scale,
                      const std::optional<llvm::APFloat> &shift) const;
  /// Rounds to float8 and back.
  llvm::APFloat round(const llvm::APFloat &scaled) const;
  /// Returns (rounded + shift) / scale, a number of the type.
  llvm::APFloat unscale(const llvm::APFloat &rounded,
                        const llvm::APFloat &scale,
                        const std::optional<llvm::APFloat> &shift) const;

  FloatType getType() const { return type; }
  /// Returns whether a value is subnormal in the type.
  bool isSubnormal(const llvm::APFloat &value) const;

private:
  llvm::APFloat roundToType(llvm::APFloat value) const;
  llvm::APFloat getReciprocal(const llvm::APFloat &scale) const;
  llvm::APFloat getLargest() const;
  llvm::APFloat roundExact(llvm::APFloat value) const;
  llvm::APFloat roundByPlugin(llvm::APFloat value) const;
  llvm::APFloat roundByReference(llvm::APFloat value) const;

  FloatType type, destination;
  FakeConvertOptions options;
};

/// Converts one element; the argument and the result are bit patterns. Scale
/// and shift have the same type; the types must be supported.
llvm::APInt fakeConvertElement(Type type, Type destination,
                               const llvm::APInt &bits,
                               const llvm::APInt &scaleBits,
                               std::optional<llvm::APInt> shiftBits,
                               const FakeConvertOptions &options);

/// Converts a row-major buffer of these sizes, in the layout of castBuffer.
/// Scales and shifts have the sizes `scaleSizes`, which are broadcast to
/// `sizes`.
///
/// Fails without modifying `out` if the fakeconvert is not supported, if the
/// scales do not broadcast, or if a buffer has the wrong size.
LogicalResult
fakeConvertBuffer(Type type, Type destination, ArrayRef<int64_t> sizes,
                  ArrayRef<int64_t> scaleSizes, ArrayRef<char> in,
                  ArrayRef<char> scales, std::optional<ArrayRef<char>> shifts,
                  MutableArrayRef<char> out, const FakeConvertOptions &options);

} // namespace mlir::quant_float::reference

#endif // QUANT_FLOAT_REFERENCE_FAKECONVERT_H
