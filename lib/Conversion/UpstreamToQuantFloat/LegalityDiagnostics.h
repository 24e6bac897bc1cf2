//===- LegalityDiagnostics.h - Legality diagnostics -------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_CONVERSION_UPSTREAMTOQUANTFLOAT_LEGALITYDIAGNOSTICS_H
#define QUANT_FLOAT_LIB_CONVERSION_UPSTREAMTOQUANTFLOAT_LEGALITYDIAGNOSTICS_H

#include "mlir/IR/Operation.h"
#include <optional>
#include <string>

namespace mlir::quant_float {

/// Return why a cast of arith, an op of quant or a block-scaled op of linalg or
/// tosa is not legalizable; empty if it is. Return none for ops that the
/// legalization does not handle.
std::optional<std::string> getArithIllegalityReason(Operation *op);
std::optional<std::string> getQuantIllegalityReason(Operation *op);
std::optional<std::string> getBlockScaledIllegalityReason(Operation *op);

/// Whether `op` is a cast to !tosa.block_scaled, whose tensors have no
/// specified layout.
bool isCastToBlockScaledType(Operation *op);

/// Legalizes quant.qcast and quant.dcast whose storage is an integer, and
/// replaces quantized types by their storage types if `root` is a module. Calls
/// `report` with each op that is not legalizable.
void legalizeUniformQuantization(
    Operation *root, function_ref<void(Operation *, const Twine &)> report);

/// Replaces !tosa.mxint8 by i8 in all types, unless an op on it is not
/// legalizable.
void convertMxInt8(Operation *root);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_CONVERSION_UPSTREAMTOQUANTFLOAT_LEGALITYDIAGNOSTICS_H
