//===- InsertedValue.h - Find values in aggregates --------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_ENTRYPOINT_INSERTEDVALUE_H
#define QUANT_FLOAT_ENTRYPOINT_INSERTEDVALUE_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace mlir::quant_float {

/// Returns the value at `position` of an aggregate that is built by insertvalue
/// ops, or null if it is not found.
inline Value findInserted(Value aggregate, ArrayRef<int64_t> position) {
  while (auto insert = aggregate.getDefiningOp<LLVM::InsertValueOp>()) {
    if (insert.getPosition() == position)
      return insert.getValue();
    aggregate = insert.getContainer();
  }
  return nullptr;
}

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_ENTRYPOINT_INSERTEDVALUE_H
