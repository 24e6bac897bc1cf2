//===- OpsetVerifier.cpp - Verification of opset rules --------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/IR/OpsetVerifier.h"

#include "quant-float/Support/BinaryType.h"

using namespace mlir;
using namespace mlir::quant_float;

/// Attaches a note with the first opset in which `kind` does `what`, such as
/// "accepts this type" or "has this attribute". The op may violate other rules
/// at that opset.
static void note(InFlightDiagnostic &diagnostic, OpKind kind,
                 std::optional<int64_t> first, StringRef what) {
  if (first)
    diagnostic.attachNote()
        << getOpName(kind) << " " << what << " from opset " << *first << " on";
  else
    diagnostic.attachNote()
        << "no version of " << getOpName(kind) << " " << what;
}

FailureOr<OpsetVerifier> OpsetVerifier::get(ErrorFn emitError, OpKind kind,
                                            int64_t opset) {
  if (const OpVersion *version = getOpVersion(kind, opset))
    return OpsetVerifier(std::move(emitError), version, opset);
  return emitError() << "opset of " << getOpName(kind) << " must be between "
                     << getOpVersions(kind).front().since << " and "
                     << getNewestOpset(kind) << ", but got " << opset;
}

std::string OpsetVerifier::describe() const {
  return (getOpName(version->op) + "-" + Twine(version->since) + " (opset " +
          Twine(opset) + ")")
      .str();
}

LogicalResult OpsetVerifier::verifyType(OpRole role, Type elementType) const {
  if (version->accepts(role, elementType))
    return success();
  InFlightDiagnostic diagnostic =
      emitError() << getRoleName(version->op, role) << " element type "
                  << elementType << " is not accepted by " << describe();
  note(diagnostic, version->op, getFirstOpset(version->op, role, elementType),
       "accepts this type");
  noteBlockConversions(diagnostic, elementType);
  return diagnostic;
}

void quant_float::noteBlockConversions(InFlightDiagnostic &diagnostic,
                                       Type elementType) {
  if (isa<BinaryType>(elementType))
    diagnostic.attachNote()
        << "IEEE P3109 rounds the exact quotient or product of a scale once, "
           "and zeros have no sign; quant_float.convert_to_block and "
           "quant_float.convert_from_block do so with scales, quant_float.cast "
           "with mode p3109 without";
}

LogicalResult OpsetVerifier::verifyAttribute(OpAttribute attribute,
                                             bool isPresent) const {
  if (!isPresent || version->has(attribute))
    return success();
  InFlightDiagnostic diagnostic =
      emitError() << "attribute '" << getAttributeName(attribute)
                  << "' does not exist in " << describe();
  noteFirstOpset(diagnostic, attribute);
  return diagnostic;
}

void OpsetVerifier::noteFirstOpset(InFlightDiagnostic &diagnostic,
                                   OpAttribute attribute) const {
  note(diagnostic, version->op, getFirstOpset(version->op, attribute),
       ("has the attribute '" + getAttributeName(attribute) + "'").str());
}
