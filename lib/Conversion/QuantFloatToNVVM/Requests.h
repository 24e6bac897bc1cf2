//===- Requests.h - What is asked of the conversion -------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_CONVERSION_QUANTFLOATTONVVM_REQUESTS_H
#define QUANT_FLOAT_LIB_CONVERSION_QUANTFLOATTONVVM_REQUESTS_H

#include "mlir/IR/Operation.h"
#include "quant-float/Support/NvidiaChip.h"

namespace mlir::quant_float {

/// The chip to convert for: that of the options, or of the module's target. An
/// error if there is none, or if what the module is compiled for has less.
FailureOr<NvidiaChip> resolveChip(Operation *op, StringRef chip, StringRef ptx);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_CONVERSION_QUANTFLOATTONVVM_REQUESTS_H
