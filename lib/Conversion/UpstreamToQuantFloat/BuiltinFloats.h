//===- BuiltinFloats.h - Builtin floats of newer versions -------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_CONVERSION_UPSTREAMTOQUANTFLOAT_BUILTINFLOATS_H
#define QUANT_FLOAT_LIB_CONVERSION_UPSTREAMTOQUANTFLOAT_BUILTINFLOATS_H

#include "mlir/IR/Operation.h"

namespace mlir::quant_float {

/// Replaces the types of getDialectFloatType in `root` by those of the dialect.
/// Constants become storage casts of integers, and arith.bitcast becomes a
/// storage cast. Memrefs keep their type, because the dialect's types are not
/// element types of memrefs.
void convertBuiltinFloats(Operation *root);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_CONVERSION_UPSTREAMTOQUANTFLOAT_BUILTINFLOATS_H
