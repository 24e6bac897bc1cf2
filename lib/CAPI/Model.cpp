//===- Model.cpp - Reading, changing and writing models, for C ----------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Session.h"
#include "quant-float-c/Passes.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::capi;

static llvm::Expected<ParseOptions>
readLoadOptions(const QuantFloatLoadOptions *given) {
  QuantFloatLoadOptions known;
  quantFloatLoadOptionsInit(&known, sizeof known);
  if (llvm::Error error = readOptions(given, known))
    return std::move(error);
  auto mode = readFakeConvertMode(known.fakeConvertMode);
  if (!mode)
    return mode.takeError();
  ParseOptions options;
  options.verify = known.verify;
  options.fakeConvertMode = *mode;
  if (known.name)
    options.name = known.name;
  if (known.externalDataFolder)
    options.externalDataFolder = known.externalDataFolder;
  if (known.weightsPath)
    options.weightsPath = known.weightsPath;
  return options;
}

void quantFloatLoadOptionsInit(QuantFloatLoadOptions *options, size_t size) {
  QuantFloatLoadOptions defaults = {};
  defaults.verify = true;
  defaults.fakeConvertMode = QUANT_FLOAT_FAKE_CONVERT_OF_MODEL;
  initOptions(options, defaults, size);
}

/// Reads a model in the session and gives it to the caller.
static llvm::Error giveModel(
    QuantFloatSession session, const QuantFloatLoadOptions *given,
    QuantFloatModel *model,
    llvm::function_ref<llvm::Expected<Model>(Session &, const ParseOptions &)>
        read) {
  llvm::Expected<ParseOptions> options = readLoadOptions(given);
  if (!options)
    return options.takeError();
  return inSession(session, [&](SessionObject &object) -> llvm::Error {
    llvm::Expected<Model> result = read(object.state->session, *options);
    if (!result)
      return result.takeError();
    return give(
        model, std::make_unique<ModelObject>(object.state, std::move(*result)));
  });
}

QuantFloatStatus quantFloatModelLoad(QuantFloatSession session,
                                     const char *path,
                                     const QuantFloatLoadOptions *given,
                                     QuantFloatModel *model,
                                     QuantFloatError *error) {
  return runFor(model, "model", error, [&]() -> llvm::Error {
    if (!path)
      return failNull("path");
    // The tools read standard input for "-".
    if (StringRef(path).empty() || StringRef(path) == "-")
      return fail(QUANT_FLOAT_ERROR_FILE,
                  Twine("expected the path of a file, but got '") + path + "'");
    return giveModel(session, given, model,
                     [&](Session &session, const ParseOptions &options) {
                       return Model::load(session, path, options);
                     });
  });
}

QuantFloatStatus quantFloatModelParse(QuantFloatSession session, int32_t format,
                                      const void *data, size_t size,
                                      const QuantFloatLoadOptions *given,
                                      QuantFloatModel *model,
                                      QuantFloatError *error) {
  return runFor(model, "model", error, [&]() -> llvm::Error {
    if (!data)
      return failNull("data");
    if (format < QUANT_FLOAT_FORMAT_MLIR ||
        format > QUANT_FLOAT_FORMAT_OPENVINO)
      return fail(QUANT_FLOAT_ERROR_ARGUMENT,
                  "format must be 0 to 2, but got " + Twine(format));
    return giveModel(session, given, model,
                     [&](Session &session, const ParseOptions &options) {
                       return Model::parse(
                           session, static_cast<ModelFormat>(format),
                           StringRef(static_cast<const char *>(data), size),
                           options);
                     });
  });
}

size_t quantFloatModelGetNumEntries(QuantFloatModel model) {
  Ref<ModelObject> object(model.id);
  return object ? object->getEntries().size() : 0;
}

const QuantFloatEntry *quantFloatModelGetEntry(QuantFloatModel model,
                                               size_t entry) {
  Ref<ModelObject> object(model.id);
  if (!object)
    return nullptr;
  std::vector<const OwnedEntry *> entries = object->getEntries();
  return entry < entries.size() ? entries[entry]->get() : nullptr;
}

QuantFloatStatus quantFloatModelFindEntry(QuantFloatModel model,
                                          const char *name, size_t *entry,
                                          QuantFloatError *error) {
  return run(error, [&]() -> llvm::Error {
    if (!name)
      return failNull("name");
    if (!entry)
      return failNull("entry");
    return withModel(model, [&](ModelObject &object) -> llvm::Error {
      llvm::Expected<size_t> found = object.model->findEntry(name);
      if (!found)
        return found.takeError();
      *entry = *found;
      return llvm::Error::success();
    });
  });
}

QuantFloatStatus quantFloatModelVerify(QuantFloatModel model,
                                       QuantFloatError *error) {
  return run(error, [&] {
    return withModel(model, [&](ModelObject &object) {
      llvm::Error result = object.model->verify();
      object.updateEntries();
      return result;
    });
  });
}

QuantFloatStatus quantFloatModelRunPasses(QuantFloatModel model,
                                          const char *pipeline,
                                          QuantFloatError *error) {
  return run(error, [&]() -> llvm::Error {
    if (!pipeline)
      return failNull("pipeline");
    return withModel(model, [&](ModelObject &object) {
      quantFloatRegisterAllPasses();
      llvm::Error result = object.model->runPasses(pipeline);
      object.updateEntries();
      return result;
    });
  });
}

QuantFloatStatus quantFloatModelSetFakeConvertMode(QuantFloatModel model,
                                                   int32_t given,
                                                   QuantFloatError *error) {
  return run(error, [&]() -> llvm::Error {
    auto mode = readFakeConvertMode(given);
    if (!mode)
      return mode.takeError();
    return withModel(model, [&](ModelObject &object) {
      return *mode ? object.model->setFakeConvertMode(**mode)
                   : llvm::Error::success();
    });
  });
}

QuantFloatStatus quantFloatModelWrite(QuantFloatModel model, bool asBytecode,
                                      QuantFloatBuffer *buffer,
                                      QuantFloatError *error) {
  return runFor(buffer, "buffer", error, [&] {
    return withModel(model, [&](ModelObject &object) -> llvm::Error {
      std::string text;
      llvm::raw_string_ostream os(text);
      if (llvm::Error error = object.model->write(os, asBytecode))
        return error;
      return giveBuffer(text, buffer);
    });
  });
}
