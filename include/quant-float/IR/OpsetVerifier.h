//===- OpsetVerifier.h - An op against the opset rules ----------*- C++ -*-===//
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

/// Verifies an op, or what is to become one, against the version that its opset
/// resolves to. The errors note the first opset that would accept what is
/// wrong.
class OpsetVerifier {
public:
  /// Begins an error at the right place.
  using ErrorFn = std::function<InFlightDiagnostic()>;

  /// V4: there is such a version.
  static FailureOr<OpsetVerifier> get(ErrorFn emitError, OpKind kind,
                                      int64_t opset);

  const OpVersion &getVersion() const { return *version; }
  /// "Cast-13 (opset 18)".
  std::string describe() const;

  /// V1, V2.
  LogicalResult verifyType(OpRole role, Type elementType) const;
  /// V3. `isGiven` says whether the op has the attribute.
  LogicalResult verifyAttribute(OpAttribute attribute, bool isGiven) const;
  /// Says from which opset on the op has `attribute`.
  void noteFirstOpset(InFlightDiagnostic &diagnostic,
                      OpAttribute attribute) const;

private:
  OpsetVerifier(ErrorFn emitError, const OpVersion *version, int64_t opset)
      : emitError(std::move(emitError)), version(version), opset(opset) {}

  ErrorFn emitError;
  const OpVersion *version;
  int64_t opset;
};

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_IR_OPSETVERIFIER_H
