//===- Interop.cpp - Sessions and MLIR's C API ----------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float-c/Interop.h"

#include "Session.h"
#include "mlir/CAPI/IR.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::capi;

MlirContext quantFloatSessionGetContext(QuantFloatSession session) {
  Ref<SessionObject> object(session.id);
  return object ? wrap(&object->state->context) : MlirContext{nullptr};
}

MlirModule quantFloatModelGetModule(QuantFloatModel model) {
  Ref<ModelObject> object(model.id);
  if (!object)
    return {nullptr};
  // Nobody knows what is done to it.
  object->isVerified = false;
  return wrap(*object->module);
}

QuantFloatStatus quantFloatModelCreateFromModule(QuantFloatSession session,
                                                 MlirModule module,
                                                 QuantFloatModel *model,
                                                 QuantFloatError *error) {
  ErrorReport report(error);
  if (!model)
    return report.makeNull("model");
  *model = {};
  if (mlirModuleIsNull(module))
    return report.makeNull("module");
  return inSession(
      session, report, [&](SessionObject &object, SessionCall &call) {
        if (unwrap(module)->getContext() != &object.state->context)
          return call.makeError(QUANT_FLOAT_ERROR_ARGUMENT,
                                "the module must be of the session's context");
        OwningOpRef<ModuleOp> copy = cast<ModuleOp>(unwrap(module)->clone());
        if (failed(verify(*copy)))
          return call.makeDiagnosed(QUANT_FLOAT_ERROR_MODEL);
        return giveModel(object.state, std::move(copy), true, model, report);
      });
}
