//===- OpsetVerifier.h - Verification of opset rules ------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_IR_OPSETVERIFIER_H
#define QUANT_FLOAT_IR_OPSETVERIFIER_H

#include "mlir/IR/Diagnostics.h"
#include "quant-float/IR/OpsetRules.h"

namespace mlir::quant_float {

/// Verifies an op, or a node that is to be converted to one, against the
/// version that its opset resolves to. Errors have a note with the first opset
/// that accepts the rejected type or attribute.
class OpsetVerifier {
public:
  /// Starts an error at the op's location.
  using ErrorFn = std::function<InFlightDiagnostic()>;

  /// Resolves the version and verifies that it exists (V4).
  static FailureOr<OpsetVerifier> get(ErrorFn emitError, OpKind kind,
                                      int64_t opset);

  const OpVersion &getVersion() const { return *version; }
  /// Returns a description such as "Cast-13 (opset 18)".
  std::string describe() const;

  /// Verifies that the version accepts the type (V1, V2).
  LogicalResult verifyType(OpRole role, Type elementType) const;
  /// Verifies that the version has the attribute if the op has it, `isPresent`
  /// (V3).
  LogicalResult verifyAttribute(OpAttribute attribute, bool isPresent) const;
  /// Attaches a note with the first opset in which the op has `attribute`.
  void noteFirstOpset(InFlightDiagnostic &diagnostic,
                      OpAttribute attribute) const;

private:
  OpsetVerifier(ErrorFn emitError, const OpVersion *version, int64_t opset)
      : emitError(std::move(emitError)), version(version), opset(opset) {}

  ErrorFn emitError;
  const OpVersion *version;
  int64_t opset;
};

/// If the type is a format of IEEE P3109, which no quantization accepts,
/// attaches a note with the reason and the ops that accept it.
void noteBlockConversions(InFlightDiagnostic &diagnostic, Type elementType);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_IR_OPSETVERIFIER_H
