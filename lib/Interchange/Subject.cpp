//===- Subject.cpp - Subjects of diagnostics ------------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Subject.h"
#include "quant-float/Support/Locations.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::target;

InFlightDiagnostic target::beginDiagnostic(const Subject &subject,
                                           DiagnosticSeverity severity) {
  Location loc = stripCalls(subject.loc);
  InFlightDiagnostic diagnostic = severity == DiagnosticSeverity::Warning
                                      ? mlir::emitWarning(loc)
                                      : mlir::emitError(loc);
  if (!subject.prefix.empty())
    diagnostic << subject.prefix << ": ";
  return diagnostic;
}
