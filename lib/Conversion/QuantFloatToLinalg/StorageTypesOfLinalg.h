//===- StorageTypesOfLinalg.h - Storage types of linalg ops -----*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_CONVERSION_QUANTFLOATTOLINALG_STORAGETYPESOFLINALG_H
#define QUANT_FLOAT_LIB_CONVERSION_QUANTFLOATTOLINALG_STORAGETYPESOFLINALG_H

#include "mlir/Support/LLVM.h"

namespace mlir {
namespace func {
class FuncOp;
} // namespace func
class Operation;
class RewritePatternSet;
class TypeConverter;
} // namespace mlir

namespace mlir::quant_float {

/// Whether the types of all operands and results are their own storage types.
bool isOfStorageTypes(Operation *op);

/// Generalizes the named linalg ops that are not on storage types. The bodies
/// of named ops depend on the operand types and only support floats and
/// signless integers.
void generalizeLinalgOps(Operation *root);

/// Patterns that convert linalg.generic, tensor.pad and tensor.generate to
/// storage types.
void populateStorageTypesOfLinalgPatterns(const TypeConverter &converter,
                                          RewritePatternSet &patterns);

/// Masks sub-byte results of a function on storage types that may have
/// unspecified bits of an argument: the unused bits become zeros, or copies of
/// the sign bit for i4 and i2.
void normalizeResults(func::FuncOp function);

/// Emits an error and fails if an argument or result with kPackedAttrName has
/// no type that can be packed.
LogicalResult checkPackedArguments(func::FuncOp function);

/// Splits constants with packed bytes into a constant with a packed element
/// type and an op that unpacks it. isOfPackedConstant identifies both. Must run
/// before the conversion to storage types.
void separatePackedConstants(func::FuncOp function);
bool isOfPackedConstant(Operation *op);

/// Converts the packed arguments, results and constants of a function on
/// storage types to tensors with packed element types.
void usePackedTensors(func::FuncOp function);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_CONVERSION_QUANTFLOATTOLINALG_STORAGETYPESOFLINALG_H
