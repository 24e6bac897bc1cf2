//===- Diagnostics.cpp - Diagnostics of the ONNX importer -----------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Diagnostics.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::onnx_import;

static constexpr DiagnosticInfo kDiagnostics[] = {
#define ERROR(Id, Text) {DiagnosticSeverity::Error, Text},
#define WARNING(Id, Text) {DiagnosticSeverity::Warning, Text},
#include "Diagnostics.def"
};

const DiagnosticInfo &quant_float::onnx_import::getInfo(Diag id) {
  return kDiagnostics[static_cast<size_t>(id)];
}
