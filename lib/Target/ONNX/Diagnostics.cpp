//===- Diagnostics.cpp - Diagnostics of the ONNX importer -----------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Diagnostics.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace mlir::quant_float::onnx_import;

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

Location quant_float::onnx_import::stripCalls(Location loc) {
  while (auto call = dyn_cast<CallSiteLoc>(loc))
    loc = call.getCallee();
  return loc;
}

const char *quant_float::onnx_import::getFormat(Diag id) {
  return kDiags[static_cast<size_t>(id)].format;
}

LogicalResult quant_float::onnx_import::emit(const Subject &subject, Diag id,
                                             const Twine &text) {
  std::string message =
      subject.text.empty() ? text.str() : subject.text + ": " + text.str();
  Location loc = stripCalls(subject.loc);
  if (kDiags[static_cast<size_t>(id)].severity == DiagnosticSeverity::Warning)
    mlir::emitWarning(loc) << message;
  else
    mlir::emitError(loc) << message;
  return failure();
}
