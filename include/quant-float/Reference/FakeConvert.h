//===- FakeConvert.h - The numeric truth of fakeconvert ---------*- C++ -*-===//
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

#include "mlir/IR/Types.h"
#include "mlir/Support/LLVM.h"
#include "llvm/ADT/APInt.h"
#include <optional>

namespace mlir::quant_float::reference {

/// Whose arithmetic is followed.
enum class FakeConvertMode { Exact, OpenVINO, OpenVINOReference };

/// What a fakeconvert's attributes say.
struct FakeConvertOptions {
  FakeConvertMode mode = FakeConvertMode::Exact;
  /// In mode OpenVINO: the reciprocal of the scale is rounded to the element
  /// type.
  bool roundedReciprocal = false;
  /// In mode OpenVINO: every zero is +0.
  bool positiveZero = false;
};

/// Whether there is a fakeconvert of `type` (f32, f16, bf16) through
/// `destination` (f8E4M3FN, f8E5M2).
bool canFakeConvert(Type type, Type destination);

/// Converts one element, given and returned as its bit pattern. Scale and shift
/// are of the same type; the types must be supported.
llvm::APInt fakeConvertElement(Type type, Type destination,
                               const llvm::APInt &bits,
                               const llvm::APInt &scaleBits,
                               std::optional<llvm::APInt> shiftBits,
                               const FakeConvertOptions &options);

/// Whether a tensor of sizes `from` broadcasts to one of sizes `to`, as numpy
/// does it, without making that larger.
bool broadcasts(ArrayRef<int64_t> from, ArrayRef<int64_t> to);

/// Which element of an operand of `operandSizes` numpy broadcasts to element
/// `index` of a tensor of `sizes`, both row-major; it must broadcast.
int64_t getBroadcastIndex(int64_t index, ArrayRef<int64_t> sizes,
                          ArrayRef<int64_t> operandSizes);

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
