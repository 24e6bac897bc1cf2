//===- BufferAccesses.h - What ops read and write ---------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_TRANSFORMS_BUFFERACCESSES_H
#define QUANT_FLOAT_LIB_TRANSFORMS_BUFFERACCESSES_H

#include "mlir/IR/Operation.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace mlir::quant_float {

/// On functions that are no entry points: buffers that are arguments are apart
/// where they are written.
constexpr StringLiteral kApartAttrName = "quant_float.apart";

/// The whole buffer that a view is of.
Value getRoot(Value buffer);

/// The buffers that ops access, as far as nothing else is the same memory:
/// allocations, constants, and arguments of kernels, whose outputs overlap
/// nothing.
class BufferAccesses {
public:
  /// Adds those of an op and of what is in it.
  void add(Operation *op);
  void add(const BufferAccesses &others);
  void add(Value buffer, bool isWrite);

  /// Whether nothing else is done with memory than reading.
  bool isReading() const { return !isUnknown && writes.empty(); }
  /// Whether doing it again changes nothing: what is written is not read.
  bool canRepeat() const;
  /// Whether those of the buffers that are written overlap no others of them,
  /// and all that is accessed is known.
  bool areApart(ValueRange buffers) const;
  /// Whether these and the others may come in any order, and together.
  bool isIndependentOf(const BufferAccesses &others) const;

private:
  llvm::SmallPtrSet<Value, 4> reads, writes;
  /// Something else is accessed, or may be.
  bool isUnknown = false;
};

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_TRANSFORMS_BUFFERACCESSES_H
