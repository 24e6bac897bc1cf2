//===- Diagnostics.h - Safetensors diagnostics ------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_WEIGHTS_SAFETENSORS_DIAGNOSTICS_H
#define QUANT_FLOAT_LIB_WEIGHTS_SAFETENSORS_DIAGNOSTICS_H

#include "../../Interchange/Diagnostics.h"

namespace mlir::quant_float::safetensors_import {

using namespace target;

enum class Diag {
#define ERROR(Id, Text) Id,
#define WARNING(Id, Text) Id,
#include "Diagnostics.def"
};

inline const DiagnosticInfo &getInfo(Diag id) {
  static constexpr DiagnosticInfo kDiagnostics[] = {
#define ERROR(Id, Text) {DiagnosticSeverity::Error, Text},
#define WARNING(Id, Text) {DiagnosticSeverity::Warning, Text},
#include "Diagnostics.def"
  };
  return kDiagnostics[static_cast<size_t>(id)];
}

} // namespace mlir::quant_float::safetensors_import

#endif // QUANT_FLOAT_LIB_WEIGHTS_SAFETENSORS_DIAGNOSTICS_H
