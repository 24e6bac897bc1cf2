//===- OpsetVerifier.h - An op against the opset rules ----------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_IR_OPSETVERIFIER_H
#define QUANT_FLOAT_LIB_IR_OPSETVERIFIER_H

#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "quant-float/IR/OpsetRules.h"

namespace mlir::quant_float {

/// Verifies an op against the version that its opset resolves to. The errors
/// note the first opset that would accept what is wrong.
class OpsetVerifier {
public:
  /// V4: there is such a version.
  static FailureOr<OpsetVerifier> get(Operation *op, OpKind kind,
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
  OpsetVerifier(Operation *op, const OpVersion *version, int64_t opset)
      : op(op), version(version), opset(opset) {}

  Operation *op;
  const OpVersion *version;
  int64_t opset;
};

/// The result has the shape of `input` (V8): what the op interfaces ask.
LogicalResult reifyShapeOf(Value input, OpBuilder &builder, Location loc,
                           ReifiedRankedShapedTypeDims &reified);
void inferShapeOf(Value input,
                  SmallVectorImpl<ShapedTypeComponents> &components);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_IR_OPSETVERIFIER_H
