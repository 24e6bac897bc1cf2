//===- Interop.cpp - Interoperation with MLIR's C API ---------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float-c/Interop.h"

#include "Objects.h"
#include "mlir/CAPI/IR.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::capi;

MlirContext quantFloatSessionGetContext(QuantFloatSession session) {
  Ref<SessionObject> object(session.id);
  return object ? wrap(&object->state->session.getContext())
                : MlirContext{nullptr};
}

MlirModule quantFloatModelGetModule(QuantFloatModel model) {
  Ref<ModelObject> object(model.id);
  if (!object)
    return {nullptr};
  // Other threads may be inside calls on the model, so only withModel changes
  // it.
  object->isModuleShared = true;
  return wrap(object->model->getModule());
}

QuantFloatStatus quantFloatModelCreateFromModule(QuantFloatSession session,
                                                 MlirModule module,
                                                 QuantFloatModel *model,
                                                 QuantFloatError *error) {
  return runFor(model, "model", error, [&]() -> llvm::Error {
    if (mlirModuleIsNull(module))
      return failNull("module");
    return inSession(session, [&](SessionObject &object) -> llvm::Error {
      Session &session = object.state->session;
      if (unwrap(module)->getContext() != &session.getContext())
        return fail(QUANT_FLOAT_ERROR_ARGUMENT,
                    "the module must belong to the session's context");
      Model copy(session, cast<ModuleOp>(unwrap(module)->clone()));
      if (llvm::Error error = copy.verify())
        return error;
      return returnObject<ModelObject>(model, std::move(copy), object.state);
    });
  });
}
