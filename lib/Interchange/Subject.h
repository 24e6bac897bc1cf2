//===- Subject.h - Subjects of diagnostics ----------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_INTERCHANGE_SUBJECT_H
#define QUANT_FLOAT_LIB_INTERCHANGE_SUBJECT_H

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"
#include "llvm/ADT/Twine.h"
#include <string>

namespace mlir::quant_float::target {

/// The subject of a diagnostic: a location, and the prefix of the message, e.g.
/// "node 'c1' (Cast)". If the prefix is empty, the subject is the entire file.
struct Subject {
  Location loc;
  std::string prefix;

  /// Returns a part of this subject: "node 'c1' (Constant): attribute 'value'".
  Subject operator/(const Twine &part) const {
    return {loc, prefix.empty() ? part.str() : prefix + ": " + part.str()};
  }
};

/// Begins a diagnostic. For a call location, it uses the location inside the
/// callee, because the subject already names the callers and notes would only
/// repeat the file name.
InFlightDiagnostic beginDiagnostic(const Subject &subject,
                                   DiagnosticSeverity severity);

} // namespace mlir::quant_float::target

#endif // QUANT_FLOAT_LIB_INTERCHANGE_SUBJECT_H
