//===- BufferAccesses.h - Memory accesses of ops ----------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_CODEGEN_COMMON_BUFFERACCESSES_H
#define QUANT_FLOAT_LIB_CODEGEN_COMMON_BUFFERACCESSES_H

#include "mlir/IR/Operation.h"
#include "mlir/IR/Value.h"
#include "quant-float/IR/CodegenAttributes.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace mlir::quant_float {

/// Returns the buffer that a view is based on.
Value getRoot(Value buffer);

/// The buffers that ops access, if nothing else can alias them: allocations,
/// constants, and arguments of kernels, whose outputs do not overlap anything.
class BufferAccesses {
public:
  BufferAccesses() = default;
  explicit BufferAccesses(Operation *op) { add(op); }

  /// Adds the accesses of an op and of all ops nested in it.
  void add(Operation *op);
  void add(const BufferAccesses &others);
  void add(Value buffer, bool isWrite);

  /// Whether memory is only read.
  bool isReading() const { return !isUnknown && writes.empty(); }
  /// Whether the ops can run again with the same result, because nothing that
  /// they write is read.
  bool canRepeat() const;
  /// Whether none of the buffers that are written overlaps another one of
  /// `buffers`, and all accesses are known.
  bool areDisjoint(ValueRange buffers) const;
  /// Whether these accesses and the others can be reordered or run
  /// concurrently.
  bool isIndependentOf(const BufferAccesses &others) const;

private:
  llvm::SmallPtrSet<Value, 4> reads, writes;
  /// Whether other memory may be accessed.
  bool isUnknown = false;
};

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_CODEGEN_COMMON_BUFFERACCESSES_H
