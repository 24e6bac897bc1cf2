//===- QuantTypes.h - quant.uniform with float8 storage ---------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_CONVERSION_UPSTREAMTOQUANTFLOAT_QUANTTYPES_H
#define QUANT_FLOAT_LIB_CONVERSION_UPSTREAMTOQUANTFLOAT_QUANTTYPES_H

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/APFloat.h"
#include <optional>
#include <string>

namespace mlir::quant_float {

/// A type such as
///
/// !quant.uniform<f8E4M3FN:f32, 0.5>
/// !quant.uniform<f8E5M2:f32:1, {0.5, 2.0}>
struct Float8QuantType {
  FloatType storage;
  FloatType expressed;
  std::optional<int64_t> axis;
  SmallVector<APFloat> scales;
};

/// Parses an element type from its printed form, because the quant dialect need
/// not be loaded or support float storage. Returns none if the storage is not a
/// float. Otherwise, sets `error` if the type is not supported.
std::optional<Float8QuantType> readFloat8QuantType(Type elementType,
                                                   std::string &error);

/// Whether `op` is quant.scast from or to such a type.
bool isFloat8StorageCast(Operation *op);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_CONVERSION_UPSTREAMTOQUANTFLOAT_QUANTTYPES_H
