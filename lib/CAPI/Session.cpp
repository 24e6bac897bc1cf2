//===- Session.cpp - Contexts behind handles ------------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Session.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Pass/Pass.h"
#include "quant-float/InitAll.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::capi;

static DialectRegistry getRegistry() {
  DialectRegistry registry;
  registerAllDialects(registry);
  return registry;
}

SessionState::SessionState(const QuantFloatSessionOptions &options)
    : options(options),
      context(getRegistry(), MLIRContext::Threading::DISABLED) {
  context.printOpOnDiagnostic(false);
}

//===----------------------------------------------------------------------===//
// SessionCall
//===----------------------------------------------------------------------===//

SessionCall::SessionCall(SessionState &state, ErrorReport &report)
    : state(state), report(report) {
  if (state.isUsedByThisThread())
    return;
  lock = std::unique_lock<std::mutex>(state.mutex);
  state.owner = std::this_thread::get_id();
  handler.emplace(&state.context, [this](Diagnostic &diagnostic) {
    diagnostics.emplace_back(diagnostic);
    if (auto *callback = this->state.options.onDiagnostic) {
      QuantFloatDiagnostic view = diagnostics.back().getView();
      callback(&view, this->state.options.diagnosticUserData);
    }
    return success();
  });
  if (!state.options.onProgress)
    return;
  // Passes are what takes long; those that have not begun are skipped once the
  // caller has asked for an end.
  state.context.registerActionHandler(
      [this](llvm::function_ref<void()> transform,
             const tracing::Action &action) {
        if (auto *pass = dyn_cast<PassExecutionAction>(&action))
          if (!progress("lower", pass->getPass().getArgument()))
            return;
        transform();
      });
}

SessionCall::~SessionCall() {
  if (!lock)
    return;
  if (state.options.onProgress)
    state.context.registerActionHandler(nullptr);
  handler.reset();
  state.owner = std::thread::id();
}

QuantFloatStatus SessionCall::makeBusy() {
  return report.makeError(
      QUANT_FLOAT_ERROR_BUSY,
      "a callback must not call functions of the session that calls it");
}

bool SessionCall::progress(const char *stage, StringRef detail) {
  if (cancelled || !state.options.onProgress)
    return !cancelled;
  if (lastStage != stage)
    done = 0;
  lastStage = stage;
  std::string text = detail.str();
  QuantFloatProgress progress = {stage, text.c_str(), done++};
  cancelled =
      !state.options.onProgress(&progress, state.options.progressUserData);
  return !cancelled;
}

QuantFloatStatus SessionCall::makeError(QuantFloatStatus status,
                                        const Twine &message) {
  return report.makeError(status, message, std::move(diagnostics));
}

QuantFloatStatus SessionCall::makeDiagnosed(QuantFloatStatus status) {
  if (cancelled)
    return makeError(QUANT_FLOAT_ERROR_CANCELLED,
                     "cancelled by the progress callback");
  for (const OwnedDiagnostic &diagnostic : diagnostics)
    if (diagnostic.severity == QUANT_FLOAT_SEVERITY_ERROR)
      return makeError(status, diagnostic.describe());
  return makeError(status, "nothing was said about the reason");
}

//===----------------------------------------------------------------------===//
// Models
//===----------------------------------------------------------------------===//

ModelObject::ModelObject(std::shared_ptr<SessionState> state,
                         OwningOpRef<ModuleOp> module, bool isVerified)
    : state(std::move(state)), module(std::move(module)),
      isVerified(isVerified) {
  updateEntries();
}

ModelObject::~ModelObject() {
  // The last one to hold a model may be a call that holds the context.
  std::unique_lock<std::mutex> lock(state->mutex, std::defer_lock);
  if (!state->isUsedByThisThread())
    lock.lock();
  module = nullptr;
}

void ModelObject::updateEntries() {
  entries.clear();
  for (func::FuncOp function : getEntryFunctions(*module))
    entries.push_back(describeFunction(function));
}

static QuantFloatStatus requireValid(ModelObject &model, SessionCall &call) {
  if (model.isBroken)
    return call.makeError(QUANT_FLOAT_ERROR_ARGUMENT,
                          "a pipeline has failed on the model before");
  if (model.isVerified)
    return QUANT_FLOAT_OK;
  if (failed(verify(*model.module)))
    return call.makeDiagnosed(QUANT_FLOAT_ERROR_MODEL);
  model.isVerified = true;
  return QUANT_FLOAT_OK;
}

QuantFloatStatus capi::inSession(
    QuantFloatSession session, ErrorReport &report,
    llvm::function_ref<QuantFloatStatus(SessionObject &, SessionCall &)> body) {
  Ref<SessionObject> object(session.id);
  if (!object)
    return report.makeBadHandle(HandleKind::Session, session.id);
  SessionCall call(*object->state, report);
  return call.isBusy() ? call.makeBusy() : body(*object, call);
}

QuantFloatStatus capi::withModel(
    QuantFloatModel model, ErrorReport &report,
    llvm::function_ref<QuantFloatStatus(ModelObject &, SessionCall &)> body) {
  Ref<ModelObject> object(model.id);
  if (!object)
    return report.makeBadHandle(HandleKind::Model, model.id);
  SessionCall call(*object->state, report);
  return call.isBusy() ? call.makeBusy() : body(*object, call);
}

QuantFloatStatus capi::withValidModel(
    QuantFloatModel model, ErrorReport &report,
    llvm::function_ref<QuantFloatStatus(ModelObject &, SessionCall &)> body) {
  return withModel(model, report, [&](ModelObject &object, SessionCall &call) {
    QuantFloatStatus status = requireValid(object, call);
    return status ? status : body(object, call);
  });
}

std::optional<FakeConvertMode> capi::getFakeConvertMode(int32_t mode) {
  return symbolizeFakeConvertMode(static_cast<uint32_t>(mode));
}

QuantFloatStatus capi::checkFakeConvertMode(int32_t mode, ErrorReport &report) {
  if (mode == QUANT_FLOAT_FAKE_CONVERT_OF_MODEL || getFakeConvertMode(mode))
    return QUANT_FLOAT_OK;
  return report.makeError(QUANT_FLOAT_ERROR_ARGUMENT,
                          "the mode of fakeconvert must be -1 to 2, but got " +
                              Twine(mode));
}

//===----------------------------------------------------------------------===//
// The functions
//===----------------------------------------------------------------------===//

void quantFloatSessionOptionsInit(QuantFloatSessionOptions *options,
                                  size_t size) {
  initOptions(options, QuantFloatSessionOptions{}, size);
}

QuantFloatStatus
quantFloatSessionCreate(const QuantFloatSessionOptions *options,
                        QuantFloatSession *session, QuantFloatError *error) {
  ErrorReport report(error);
  if (!session)
    return report.makeNull("session");
  *session = {};
  QuantFloatSessionOptions known = {};
  if (QuantFloatStatus status = readOptions(options, known, report))
    return status;
  return report.give(
      session, HandleKind::Session,
      std::make_unique<SessionObject>(std::make_shared<SessionState>(known)));
}

QuantFloatStatus quantFloatSessionDestroy(QuantFloatSession session) {
  {
    Ref<SessionObject> object(session.id);
    if (object && object->state->isUsedByThisThread())
      return QUANT_FLOAT_ERROR_BUSY;
  }
  return destroyHandle(HandleKind::Session, session.id);
}
