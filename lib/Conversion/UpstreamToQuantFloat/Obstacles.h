//===- Obstacles.h - Why upstream's ops are left ----------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_CONVERSION_UPSTREAMTOQUANTFLOAT_OBSTACLES_H
#define QUANT_FLOAT_LIB_CONVERSION_UPSTREAMTOQUANTFLOAT_OBSTACLES_H

#include "mlir/IR/Operation.h"
#include <optional>
#include <string>

namespace mlir::quant_float {

/// What keeps a cast of arith, or of quant, from becoming an op of ours: empty,
/// if nothing does. None for ops that are not meant.
std::optional<std::string> findArithObstacle(Operation *op);
std::optional<std::string> findQuantObstacle(Operation *op);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_CONVERSION_UPSTREAMTOQUANTFLOAT_OBSTACLES_H
