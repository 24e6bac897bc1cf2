//===- PhiloxBody.h - Philox random bits for one element --------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_CONVERSION_QUANTFLOATTOLINALG_PHILOXBODY_H
#define QUANT_FLOAT_LIB_CONVERSION_QUANTFLOATTOLINALG_PHILOXBODY_H

#include "mlir/IR/Builders.h"

namespace mlir::quant_float {

/// Builds the result of philox for the element at `index` (S3): `width` bits in
/// their storage type. `seed`, `offset` and `index` have 64 bits.
Value buildPhilox(OpBuilder &builder, Location loc, Value seed, Value offset,
                  Value index, unsigned width);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_CONVERSION_QUANTFLOATTOLINALG_PHILOXBODY_H
