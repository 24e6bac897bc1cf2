//===- FakeConvert.h - Reference fakeconvert --------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What OpenVINO's FakeConvert-13 gives, bit for bit, in the arithmetic of each
// of its modes, computed on llvm::APFloat and llvm::APInt alone.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_REFERENCE_FAKECONVERT_H
#define QUANT_FLOAT_REFERENCE_FAKECONVERT_H

#include "mlir/IR/BuiltinTypes.h"
#include "quant-float/Reference/Granularity.h"
#include "llvm/ADT/APFloat.h"
#include <optional>

namespace mlir::quant_float::reference {

/// Whose arithmetic is followed.
enum class FakeConvertMode { Exact, OpenVINO, OpenVINOReference };

/// How the reciprocal of the scale is rounded: not beyond f32, to the element
/// type, or to bf16 by OpenVINO's own rule.
enum class FakeConvertReciprocal { Single, Nearest, OpenVINO };

/// What a fakeconvert's attributes say; all but the mode are for OpenVINO's.
struct FakeConvertOptions {
  FakeConvertMode mode = FakeConvertMode::Exact;
  FakeConvertReciprocal reciprocal = FakeConvertReciprocal::Single;
  /// Every zero is +0.
  bool positiveZero = false;
  /// A shift of zero leaves the sign of a zero on the way back.
  bool neutralShift = false;
};

/// Whether there is a fakeconvert of `type` (f32, f16, bf16) through
/// `destination` (f8E4M3FN, f8E5M2).
bool canFakeConvert(Type type, Type destination);

/// The steps of one element's conversion. Between them it is an f32 number,
/// whatever the types, which must be supported.
class FakeConvertSteps {
public:
  FakeConvertSteps(Type type, Type destination,
                   const FakeConvertOptions &options);

  /// x * scale - shift, of numbers of the type.
  llvm::APFloat scale(const llvm::APFloat &x, const llvm::APFloat &scale,
                      const std::optional<llvm::APFloat> &shift) const;
  /// To float8 and back.
  llvm::APFloat round(const llvm::APFloat &scaled) const;
  /// (rounded + shift) / scale, a number of the type.
  llvm::APFloat unscale(const llvm::APFloat &rounded,
                        const llvm::APFloat &scale,
                        const std::optional<llvm::APFloat> &shift) const;

  FloatType getType() const { return type; }
  /// Whether a value is subnormal as a number of the type.
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

/// Converts one element, given and returned as its bit pattern. Scale and shift
/// are of the same type; the types must be supported.
llvm::APInt fakeConvertElement(Type type, Type destination,
                               const llvm::APInt &bits,
                               const llvm::APInt &scaleBits,
                               std::optional<llvm::APInt> shiftBits,
                               const FakeConvertOptions &options);

/// Converts a row-major buffer of these sizes, the slots as castBuffer's.
/// Scales and shifts are of `scaleSizes`, which broadcast to `sizes`.
///
/// Fails, leaving `out` as it was, when there is no such fakeconvert, when the
/// scales do not broadcast, or when a buffer has another size.
LogicalResult
fakeConvertBuffer(Type type, Type destination, ArrayRef<int64_t> sizes,
                  ArrayRef<int64_t> scaleSizes, ArrayRef<char> in,
                  ArrayRef<char> scales, std::optional<ArrayRef<char>> shifts,
                  MutableArrayRef<char> out, const FakeConvertOptions &options);

} // namespace mlir::quant_float::reference

#endif // QUANT_FLOAT_REFERENCE_FAKECONVERT_H
