//===- ResolveChip.h - Selection of the NVIDIA chip -------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_CONVERSION_QUANTFLOATTONVVM_RESOLVECHIP_H
#define QUANT_FLOAT_LIB_CONVERSION_QUANTFLOATTONVVM_RESOLVECHIP_H

#include "mlir/IR/Operation.h"
#include "quant-float/TargetInfo/NvidiaChip.h"

namespace mlir::quant_float {

/// Returns the chip to convert for: that of the options, or else that of the
/// module's target. Emits an error and fails if there is none, or if a target
/// of the module supports fewer instructions than the selected chip.
FailureOr<NvidiaChip> resolveChip(Operation *op, StringRef chip, StringRef ptx);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_CONVERSION_QUANTFLOATTONVVM_RESOLVECHIP_H
