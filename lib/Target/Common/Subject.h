//===- Subject.h - What a diagnostic is about -------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_TARGET_COMMON_SUBJECT_H
#define QUANT_FLOAT_LIB_TARGET_COMMON_SUBJECT_H

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"
#include "llvm/ADT/Twine.h"
#include <string>

namespace mlir::quant_float::target {

/// What a diagnostic is about: a place and the words that begin the message,
/// e.g. "node 'c1' (Cast)". No words: the file as a whole.
struct Subject {
  Location loc;
  std::string text;

  /// A part of this subject: "node 'c1' (Constant): attribute 'value'".
  Subject operator/(const Twine &part) const {
    return {loc, text.empty() ? part.str() : text + ": " + part.str()};
  }
};

/// Begins the diagnostic, of a call at the place inside the function: the
/// subject names the calls, as notes they would only repeat the name of the
/// file.
InFlightDiagnostic beginDiagnostic(const Subject &subject,
                                   DiagnosticSeverity severity);

} // namespace mlir::quant_float::target

#endif // QUANT_FLOAT_LIB_TARGET_COMMON_SUBJECT_H
