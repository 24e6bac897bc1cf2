//===- ElementConversion.h - Conversions of elements ------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_CONVERSION_UPSTREAMTOQUANTFLOAT_ELEMENTCONVERSION_H
#define QUANT_FLOAT_LIB_CONVERSION_UPSTREAMTOQUANTFLOAT_ELEMENTCONVERSION_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include <optional>

namespace mlir::quant_float {

/// Converts floats on scalars and vectors as arith specifies.
Value convertFloat(OpBuilder &builder, Location loc, Value value, Type to,
                   std::optional<arith::RoundingMode> given = std::nullopt);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_CONVERSION_UPSTREAMTOQUANTFLOAT_ELEMENTCONVERSION_H
