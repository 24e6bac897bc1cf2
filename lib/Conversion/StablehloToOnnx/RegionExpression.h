//===- RegionExpression.h - Expressions of regions --------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_CONVERSION_STABLEHLOTOONNX_REGIONEXPRESSION_H
#define QUANT_FLOAT_LIB_CONVERSION_STABLEHLOTOONNX_REGIONEXPRESSION_H

#include "mlir/IR/Region.h"
#include <string>

namespace mlir::quant_float::stablehlo_ops {

/// Returns the expressions of the results of a region that computes scalars,
/// such as "LT(a,b)", or nothing if it is not one block that ends in a
/// `stablehlo.return`. The arguments are named a, b, and so on.
///
/// A comparison is its direction, with the suffix T for the total order of
/// floats; select, and, or and not have their names; a constant is 0 (without a
/// sign) or nan. All else is "?".
SmallVector<std::string> describeResults(Region &region);

} // namespace mlir::quant_float::stablehlo_ops

#endif // QUANT_FLOAT_LIB_CONVERSION_STABLEHLOTOONNX_REGIONEXPRESSION_H
