//===- Diagnostics.h - Diagnostics of the OpenVINO importer -----*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_TARGET_OPENVINO_DIAGNOSTICS_H
#define QUANT_FLOAT_LIB_TARGET_OPENVINO_DIAGNOSTICS_H

#include "../Common/Subject.h"
#include "quant-float/Support/Printable.h"
#include "llvm/Support/FormatVariadic.h"

namespace mlir::quant_float::openvino_import {

using namespace target;

enum class Diag {
#define ERROR(Id, Text) Id,
#define WARNING(Id, Text) Id,
#include "Diagnostics.def"
};

/// Emits the diagnostic; always failure, which is what an error returns.
LogicalResult emit(const Subject &subject, Diag id, const Twine &text);
const char *getFormat(Diag id);

template <typename... Args>
LogicalResult diagnose(const Subject &subject, Diag id, Args &&...args) {
  return emit(subject, id,
              llvm::formatv(getFormat(id), std::forward<Args>(args)...).str());
}

} // namespace mlir::quant_float::openvino_import

#endif // QUANT_FLOAT_LIB_TARGET_OPENVINO_DIAGNOSTICS_H
