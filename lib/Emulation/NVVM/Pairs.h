//===- Pairs.h - Vectors as pairs of elements -------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_EMULATION_NVVM_PAIRS_H
#define QUANT_FLOAT_LIB_EMULATION_NVVM_PAIRS_H

#include "mlir/IR/Builders.h"

namespace mlir::quant_float {

/// Vectors of one dimension as pairs of elements, which are what instructions
/// convert. Both directions go by integers: shuffles of bytes cost instructions
/// of their own.
class Pairs {
public:
  Pairs(OpBuilder &builder, Location loc) : builder(builder), loc(loc) {}

  /// Pairs as integers; an odd last element has a zero beside it.
  SmallVector<Value> split(Value vector);
  /// The first `count` elements of pairs given as integers.
  Value join(ArrayRef<Value> pairs, Type element, int64_t count);

private:
  Value bitcast(Value value, int64_t count, Type element);
  /// The first elements of a vector.
  SmallVector<Value> takeApart(Value vector, int64_t count);
  Value putTogether(ArrayRef<Value> elements);

  OpBuilder &builder;
  Location loc;
};

/// `value` with one dimension.
Value flatten(OpBuilder &builder, Location loc, Value value);
/// The shape of `like` for what has been flattened.
Value unflatten(OpBuilder &builder, Location loc, Value value, Type like);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_EMULATION_NVVM_PAIRS_H
