//===- StorageTypesOfLinalg.h - Bodies between storage types ----*- C++ -*-===//
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

/// Whether operands and results, tensors or not, are their own storage.
bool isOfStorageTypes(Operation *op);

/// Makes a linalg.generic of each op of linalg that is not of storage types:
/// the bodies of named ops follow their operands' types, and are for floats and
/// signless integers alone.
void generalizeLinalgOps(Operation *root);

/// For linalg.generic, tensor.pad and tensor.generate.
void populateStorageTypesOfLinalgPatterns(const TypeConverter &converter,
                                          RewritePatternSet &patterns);

/// The results of a function of storage types whose elements are smaller than a
/// byte: their other bits become zeros (i4 and i2: the sign) where they may be
/// those of an argument.
void normalizeResults(func::FuncOp function);

/// An error where an argument or result is to be packed (kPackedAttrName) and
/// has no type that can be.
LogicalResult checkPackedArguments(func::FuncOp function);

/// Splits constants with packed bytes, before the conversion: into a constant
/// of packed elements and an op that unpacks it, which isOfPackedConstant
/// tells.
void separatePackedConstants(func::FuncOp function);
bool isOfPackedConstant(Operation *op);

/// Lets the packed arguments and results of a function of storage types, and
/// the constants, be packed tensors.
void usePackedTensors(func::FuncOp function);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_CONVERSION_QUANTFLOATTOLINALG_STORAGETYPESOFLINALG_H
