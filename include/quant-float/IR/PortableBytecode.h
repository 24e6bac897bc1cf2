//===- PortableBytecode.h - Bytecode for all LLVM versions ------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bytecode of a new LLVM is unreadable for older ones: the builtin dialect
// encodes more types and attributes, upstream dialects have versions, and
// properties are written in the order of the op's definition. Bytecode of an
// old LLVM is unreadable for newer ones if an op has gained a property.
// docs/llvm-versions.md has a table.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_IR_PORTABLEBYTECODE_H
#define QUANT_FLOAT_IR_PORTABLEBYTECODE_H

#include "mlir/Support/LLVM.h"

namespace mlir {
class Operation;
} // namespace mlir

namespace mlir::quant_float {

/// Writes bytecode that this LLVM and all other supported versions read, with
/// this project's tools or, if the IR contains upstream dialects only, with
/// mlir-opt. LLVM 22 and 23 write the version of this dialect. LLVM 24 does
/// not: only readers of the same version support its files, as for the textual
/// form.
LogicalResult writePortableBytecode(Operation *op, raw_ostream &os);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_IR_PORTABLEBYTECODE_H
