//===- Diagnostics.cpp - Diagnostics of OpenVINO import -------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Diagnostics.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::openvino_import;

namespace {
struct DiagInfo {
  DiagnosticSeverity severity;
  const char *format;
};
} // namespace

static constexpr DiagInfo kDiags[] = {
#define ERROR(Id, Text) {DiagnosticSeverity::Error, Text},
#define WARNING(Id, Text) {DiagnosticSeverity::Warning, Text},
#include "Diagnostics.def"
};

const char *quant_float::openvino_import::getFormat(Diag id) {
  return kDiags[static_cast<size_t>(id)].format;
}

LogicalResult quant_float::openvino_import::emit(const Subject &subject,
                                                 Diag id, const Twine &text) {
  return target::emit(subject, kDiags[static_cast<size_t>(id)].severity, text);
}
