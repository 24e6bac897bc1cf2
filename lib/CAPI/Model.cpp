//===- Model.cpp - Reading, changing and writing models -------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Session.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "quant-float-c/Passes.h"
#include "quant-float/Compiler/Driver.h"
#include "quant-float/Target/ONNX/Import.h"
#include "quant-float/Target/OpenVINO/Import.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::capi;

static QuantFloatStatus readLoadOptions(const QuantFloatLoadOptions *given,
                                        QuantFloatLoadOptions &options,
                                        ErrorReport &report) {
  quantFloatLoadOptionsInit(&options, sizeof options);
  if (QuantFloatStatus status = readOptions(given, options, report))
    return status;
  return checkFakeConvertMode(options.fakeConvertMode, report);
}

QuantFloatStatus capi::giveModel(const std::shared_ptr<SessionState> &state,
                                 OwningOpRef<ModuleOp> module, bool isVerified,
                                 QuantFloatModel *model, ErrorReport &report) {
  return report.give(
      model, HandleKind::Model,
      std::make_unique<ModelObject>(state, std::move(module), isVerified));
}

static OwningOpRef<ModuleOp> parse(StringRef text, StringRef name, bool verify,
                                   MLIRContext &context) {
  llvm::SourceMgr sourceMgr;
  sourceMgr.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(text, name),
                               llvm::SMLoc());
  return parseSourceFile<ModuleOp>(sourceMgr, ParserConfig(&context, verify));
}

static OwningOpRef<ModuleOp> import(StringRef bytes, int32_t format,
                                    const QuantFloatLoadOptions &options,
                                    MLIRContext &context) {
  StringRef name = options.name ? options.name : "<memory>";
  std::optional<FakeConvertMode> mode =
      getFakeConvertMode(options.fakeConvertMode);
  if (format == QUANT_FLOAT_FORMAT_ONNX) {
    OnnxImportOptions onnx;
    onnx.verify = options.verify;
    StringRef folder =
        options.externalDataFolder ? options.externalDataFolder : "";
    return importOnnxBytes(bytes, name, folder, &context, onnx);
  }
  if (format == QUANT_FLOAT_FORMAT_OPENVINO) {
    OpenVinoImportOptions openVino;
    openVino.verify = options.verify;
    if (mode)
      openVino.fakeConvertMode = *mode;
    StringRef weights = options.weightsPath ? options.weightsPath : "";
    return importOpenVinoBytes(bytes, name, weights, &context, openVino);
  }
  OwningOpRef<ModuleOp> module = parse(bytes, name, options.verify, context);
  // An op that was not verified need not have operands.
  if (module && mode && options.verify)
    setFakeConvertModes(*module, *mode);
  return module;
}

/// A pipeline for whole modules, or what is wrong with it.
static llvm::Expected<OpPassManager> parsePipeline(StringRef text) {
  std::string message;
  llvm::raw_string_ostream os(message);
  FailureOr<OpPassManager> pipeline = parsePassPipeline(text, os);
  StringRef reason = StringRef(message).trim();
  if (failed(pipeline))
    return llvm::createStringError("the pipeline cannot be parsed: " + reason);
  StringRef anchor = pipeline->getOpAnchorName();
  if (anchor != ModuleOp::getOperationName() &&
      anchor != OpPassManager::getAnyOpAnchorName())
    return llvm::createStringError(
        "the pipeline must be for builtin.module, but is for " + anchor);
  return std::move(*pipeline);
}

//===----------------------------------------------------------------------===//
// The functions
//===----------------------------------------------------------------------===//

void quantFloatLoadOptionsInit(QuantFloatLoadOptions *options, size_t size) {
  QuantFloatLoadOptions defaults = {};
  defaults.verify = true;
  defaults.fakeConvertMode = QUANT_FLOAT_FAKE_CONVERT_OF_MODEL;
  initOptions(options, defaults, size);
}

QuantFloatStatus quantFloatModelLoad(QuantFloatSession session,
                                     const char *path,
                                     const QuantFloatLoadOptions *given,
                                     QuantFloatModel *model,
                                     QuantFloatError *error) {
  ErrorReport report(error);
  if (!model)
    return report.makeNull("model");
  *model = {};
  if (!path)
    return report.makeNull("path");
  QuantFloatLoadOptions options;
  if (QuantFloatStatus status = readLoadOptions(given, options, report))
    return status;
  // The tools read standard input for "-".
  if (StringRef(path).empty() || StringRef(path) == "-")
    return report.makeError(QUANT_FLOAT_ERROR_FILE,
                            Twine("expected the path of a file, but got '") +
                                path + "'");
  return inSession(
      session, report, [&](SessionObject &object, SessionCall &call) {
        int exitCode = kToolDone;
        OwningOpRef<ModuleOp> module;
        LoadOptions load;
        load.verify = options.verify;
        load.fakeConvertMode = getFakeConvertMode(options.fakeConvertMode);
        if (call.progress("read", path))
          module = loadModel(path, object.state->context, exitCode, load);
        if (!module || call.isCancelled())
          return call.makeDiagnosed(exitCode == kToolWrongUsage
                                        ? QUANT_FLOAT_ERROR_FILE
                                        : QUANT_FLOAT_ERROR_MODEL);
        return giveModel(object.state, std::move(module), options.verify, model,
                         report);
      });
}

QuantFloatStatus quantFloatModelParse(QuantFloatSession session, int32_t format,
                                      const void *data, size_t size,
                                      const QuantFloatLoadOptions *given,
                                      QuantFloatModel *model,
                                      QuantFloatError *error) {
  ErrorReport report(error);
  if (!model)
    return report.makeNull("model");
  *model = {};
  if (!data)
    return report.makeNull("data");
  if (format < QUANT_FLOAT_FORMAT_MLIR || format > QUANT_FLOAT_FORMAT_OPENVINO)
    return report.makeError(QUANT_FLOAT_ERROR_ARGUMENT,
                            "format must be 0 to 2, but got " + Twine(format));
  QuantFloatLoadOptions options;
  if (QuantFloatStatus status = readLoadOptions(given, options, report))
    return status;
  return inSession(
      session, report, [&](SessionObject &object, SessionCall &call) {
        OwningOpRef<ModuleOp> module;
        if (call.progress("read", options.name ? options.name : ""))
          module = import(StringRef(static_cast<const char *>(data), size),
                          format, options, object.state->context);
        if (!module || call.isCancelled())
          return call.makeDiagnosed(QUANT_FLOAT_ERROR_MODEL);
        return giveModel(object.state, std::move(module), options.verify, model,
                         report);
      });
}

QuantFloatStatus quantFloatModelDestroy(QuantFloatModel model) {
  {
    Ref<ModelObject> object(model.id);
    if (object && object->state->isUsedByThisThread())
      return QUANT_FLOAT_ERROR_BUSY;
  }
  return destroyHandle(HandleKind::Model, model.id);
}

size_t quantFloatModelGetNumEntries(QuantFloatModel model) {
  Ref<ModelObject> object(model.id);
  return object ? object->entries.size() : 0;
}

const QuantFloatEntry *quantFloatModelGetEntry(QuantFloatModel model,
                                               size_t entry) {
  Ref<ModelObject> object(model.id);
  return object && entry < object->entries.size()
             ? object->entries[entry]->get()
             : nullptr;
}

QuantFloatStatus quantFloatModelVerify(QuantFloatModel model,
                                       QuantFloatError *error) {
  ErrorReport report(error);
  return withModel(model, report, [&](ModelObject &object, SessionCall &call) {
    object.isVerified = succeeded(verify(*object.module));
    object.updateEntries();
    return object.isVerified ? QUANT_FLOAT_OK
                             : call.makeDiagnosed(QUANT_FLOAT_ERROR_MODEL);
  });
}

QuantFloatStatus quantFloatModelRunPasses(QuantFloatModel model,
                                          const char *pipeline,
                                          QuantFloatError *error) {
  ErrorReport report(error);
  if (!pipeline)
    return report.makeNull("pipeline");
  auto run = [&](ModelObject &object, SessionCall &call) {
    quantFloatRegisterAllPasses();
    llvm::Expected<OpPassManager> parsed = parsePipeline(pipeline);
    if (!parsed)
      return call.makeError(QUANT_FLOAT_ERROR_ARGUMENT,
                            llvm::toString(parsed.takeError()));
    PassManager manager(&object.state->context, ModuleOp::getOperationName());
    static_cast<OpPassManager &>(manager) = std::move(*parsed);
    bool hasFailed = failed(manager.run(*object.module));
    object.isBroken = hasFailed || call.isCancelled();
    object.updateEntries();
    return object.isBroken ? call.makeDiagnosed(QUANT_FLOAT_ERROR_MODEL)
                           : QUANT_FLOAT_OK;
  };
  return withValidModel(model, report, run);
}

QuantFloatStatus quantFloatModelSetFakeConvertMode(QuantFloatModel model,
                                                   int32_t mode,
                                                   QuantFloatError *error) {
  ErrorReport report(error);
  if (QuantFloatStatus status = checkFakeConvertMode(mode, report))
    return status;
  return withValidModel(model, report, [&](ModelObject &object, SessionCall &) {
    if (std::optional<FakeConvertMode> known = getFakeConvertMode(mode))
      setFakeConvertModes(*object.module, *known);
    return QUANT_FLOAT_OK;
  });
}

QuantFloatStatus quantFloatModelWrite(QuantFloatModel model, bool asBytecode,
                                      QuantFloatBuffer *buffer,
                                      QuantFloatError *error) {
  ErrorReport report(error);
  if (!buffer)
    return report.makeNull("buffer");
  *buffer = {};
  return withModel(model, report, [&](ModelObject &object, SessionCall &call) {
    std::string text;
    llvm::raw_string_ostream os(text);
    if (!asBytecode)
      object.module->print(os, OpPrintingFlags());
    else if (failed(writeBytecodeToFile(*object.module, os)))
      return call.makeDiagnosed(QUANT_FLOAT_ERROR_MODEL);
    return giveBuffer(text, buffer, report);
  });
}
