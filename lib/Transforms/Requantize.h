//===- Requantize.h - Requantization in integer arithmetic ------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_TRANSFORMS_REQUANTIZE_H
#define QUANT_FLOAT_LIB_TRANSFORMS_REQUANTIZE_H

#include "mlir/IR/Builders.h"
#include "quant-float/Transforms/Passes.h"
#include "llvm/ADT/APInt.h"
#include <optional>

namespace mlir::quant_float {

/// A function from all quantized values of one type to another type:
/// `results[e]` is the result for the encoding e.
struct EncodingMap {
  Type from, to;
  SmallVector<APInt> results;

  bool isIdentity() const;
  /// Returns the first encoding that maps to a different number. If there is
  /// none, returns the first one that maps to a different encoding of the same
  /// type.
  uint64_t findChange() const;
};

/// floor((value * multiplier + addend) / 2^shift), clamped to the range from
/// `min` to `max`.
struct MultiplyShift {
  int64_t multiplier, addend;
  unsigned shift;
  int64_t min, max;
};

/// How an encoding map is computed.
struct Requantization {
  enum Kind { Identity, Clip, Table, MultiplyShift };
  Kind kind;
  quant_float::MultiplyShift steps = {};
};

/// Returns the cheapest requantization that `kind` permits and that ops of
/// ONNX's `opset` can express. The product of a MultiplyShift has at most 31
/// bits, or 63 bits for 16-bit types, and the result is exact for every
/// encoding. Returns nullopt if there is none, and sets `error` to the reason
/// and an encoding that demonstrates it.
std::optional<Requantization> chooseRequantization(const EncodingMap &map,
                                                   RequantizationKind kind,
                                                   int64_t opset,
                                                   std::string &error);

/// Creates the ops that compute the requantization.
Value buildRequantization(OpBuilder &builder, Location loc, Value quantized,
                          const EncodingMap &map,
                          const Requantization &requantization, int64_t opset);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_TRANSFORMS_REQUANTIZE_H
