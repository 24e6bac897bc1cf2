//===- QuantTypes.h - quant.uniform of floats and quantiles -----*- C++ -*-===//
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
/// !quant.uniform<!quant.quantile<ui2:f16, {-1.0, 0.0, 0.5, 1.0}>:f32, 0.5>
struct QuantType {
  /// A float type, or the unsigned integer type of the indices of quantiles.
  Type storage;
  FloatType expressed;
  std::optional<int64_t> axis;
  SmallVector<llvm::APFloat> scales;
  /// The values of the quantiles as f32; empty if the storage is a float.
  SmallVector<llvm::APFloat> quantiles;
};

/// Parses an element type from its printed form, because the quant dialect need
/// not be loaded or support such storage. Returns none if the storage is
/// neither a float nor quantiles. Otherwise, sets `error` if the type is not
/// supported.
std::optional<QuantType> parseQuantType(Type elementType, std::string &error);

/// Whether `op` converts between such a type and its storage type: quant.scast,
/// or builtin.unrealized_conversion_cast, because the verifier of quant.scast
/// accepts only integer storage.
bool isQuantStorageCast(Operation *op);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_CONVERSION_UPSTREAMTOQUANTFLOAT_QUANTTYPES_H
