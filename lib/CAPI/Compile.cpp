//===- Compile.cpp - Compiling and evaluating models, for C -------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Kernel.h"
#include "Session.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::capi;

static std::string getString(const char *text) { return text ? text : ""; }

namespace {
struct ReadOptions : BuildOptions {
  bool checkMemory;
};
} // namespace

/// The caller's options, null for the defaults.
static llvm::Expected<ReadOptions>
readCompileOptions(const QuantFloatCompileOptions *given) {
  QuantFloatCompileOptions known;
  quantFloatCompileOptionsInit(&known, sizeof known);
  if (llvm::Error error = readOptions(given, known))
    return std::move(error);
  auto refuse = [](const Twine &what, int64_t number) {
    return fail(QUANT_FLOAT_ERROR_ARGUMENT,
                what + ", but got " + Twine(number));
  };
  if (known.target < QUANT_FLOAT_TARGET_CPU ||
      known.target > QUANT_FLOAT_TARGET_NVVM)
    return refuse("target must be 0 or 1", known.target);
  if (known.optimizationLevel > 3)
    return refuse("optimizationLevel must be 0 to 3", known.optimizationLevel);
  if (known.threads > 4096)
    return refuse("threads must be 0 to 4096", known.threads);
  auto mode = readFakeConvertMode(known.fakeConvertMode);
  if (!mode)
    return mode.takeError();
  ReadOptions result;
  result.fakeConvertMode = *mode;
  result.target = static_cast<Target>(known.target);
  result.optimizationLevel = known.optimizationLevel;
  result.threads = known.threads;
  result.triple = getString(known.triple);
  // A triple without a CPU asks for that architecture's baseline.
  result.cpu = getString(known.cpu);
  if (result.cpu.empty() && result.triple.empty())
    result.cpu = "host";
  result.chip = getString(known.chip);
  result.features = getString(known.features);
  result.islands = known.islands;
  result.entry = getString(known.entry);
  result.checkMemory = known.checkMemory;
#ifndef __linux__
  if (known.checkMemory)
    return fail(QUANT_FLOAT_ERROR_UNSUPPORTED, "checkMemory needs Linux");
#endif
  return result;
}

void quantFloatCompileOptionsInit(QuantFloatCompileOptions *options,
                                  size_t size) {
  QuantFloatCompileOptions defaults = {};
  defaults.optimizationLevel = 2;
  defaults.threads = 1;
  defaults.fakeConvertMode = QUANT_FLOAT_FAKE_CONVERT_OF_MODEL;
  initOptions(options, defaults, size);
}

/// Does something with a model and options.
static llvm::Error
build(QuantFloatModel model, const QuantFloatCompileOptions *given,
      llvm::function_ref<llvm::Error(Model &, const ReadOptions &)> body) {
  llvm::Expected<ReadOptions> options = readCompileOptions(given);
  if (!options)
    return options.takeError();
  return withModel(model, [&](ModelObject &object) {
    return body(*object.model, *options);
  });
}

static llvm::Error giveKernel(llvm::Expected<CompiledModel> compiled,
                              bool checkMemory, QuantFloatKernel *kernel) {
  if (!compiled)
    return compiled.takeError();
  return give(kernel, std::make_unique<KernelObject>(std::move(*compiled),
                                                     checkMemory));
}

static llvm::Error checkPath(const char *path) {
  if (!path)
    return failNull("path");
  // The tools write to standard output for "-".
  if (StringRef(path).empty() || StringRef(path) == "-")
    return fail(QUANT_FLOAT_ERROR_FILE,
                Twine("expected the path of a file, but got '") + path + "'");
  return llvm::Error::success();
}

QuantFloatStatus quantFloatModelCompile(QuantFloatModel model,
                                        const QuantFloatCompileOptions *given,
                                        QuantFloatKernel *kernel,
                                        QuantFloatError *error) {
  return runFor(kernel, "kernel", error, [&] {
    return build(model, given, [&](Model &model, const ReadOptions &options) {
      return giveKernel(model.compile(options), options.checkMemory, kernel);
    });
  });
}

QuantFloatStatus quantFloatModelCompileToFile(
    QuantFloatModel model, const QuantFloatCompileOptions *given,
    const char *path, QuantFloatKernel *kernel, QuantFloatError *error) {
  return runFor(kernel, "kernel", error, [&]() -> llvm::Error {
    if (llvm::Error error = checkPath(path))
      return error;
    return build(model, given, [&](Model &model, const ReadOptions &options) {
      if (llvm::Error error = model.emitToFile(EmitKind::Shared, path, options))
        return error;
      return giveKernel(CompiledModel::load(path), options.checkMemory, kernel);
    });
  });
}

QuantFloatStatus quantFloatKernelLoad(const char *path,
                                      QuantFloatKernel *kernel,
                                      QuantFloatError *error) {
  return runFor(kernel, "kernel", error, [&]() -> llvm::Error {
    if (llvm::Error error = checkPath(path))
      return error;
    return giveKernel(CompiledModel::load(path), false, kernel);
  });
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

static llvm::Expected<EmitKind> readEmitKind(int32_t kind) {
  if (kind < QUANT_FLOAT_EMIT_MLIR || kind > QUANT_FLOAT_EMIT_CUBIN)
    return fail(QUANT_FLOAT_ERROR_ARGUMENT,
                "kind must be 0 to 8, but got " + Twine(kind));
  return static_cast<EmitKind>(kind);
}

QuantFloatStatus quantFloatModelEmit(QuantFloatModel model, int32_t kind,
                                     const QuantFloatCompileOptions *options,
                                     const char *baseName,
                                     QuantFloatBuffer *buffer,
                                     QuantFloatError *error) {
  return runFor(buffer, "buffer", error, [&]() -> llvm::Error {
    llvm::Expected<EmitKind> known = readEmitKind(kind);
    if (!known)
      return known.takeError();
    return build(model, options,
                 [&](Model &model, const ReadOptions &options) -> llvm::Error {
                   SmallVector<char, 0> contents;
                   llvm::raw_svector_ostream os(contents);
                   if (llvm::Error error = model.emit(
                           *known, options, baseName ? baseName : "model", os))
                     return error;
                   return giveBuffer({contents.data(), contents.size()},
                                     buffer);
                 });
  });
}

QuantFloatStatus
quantFloatModelEmitToFile(QuantFloatModel model, int32_t kind,
                          const QuantFloatCompileOptions *options,
                          const char *path, QuantFloatError *error) {
  return run(error, [&]() -> llvm::Error {
    if (llvm::Error error = checkPath(path))
      return error;
    llvm::Expected<EmitKind> known = readEmitKind(kind);
    if (!known)
      return known.takeError();
    return build(model, options, [&](Model &model, const ReadOptions &options) {
      return model.emitToFile(*known, path, options);
    });
  });
}

//===----------------------------------------------------------------------===//
// Evaluating
//===----------------------------------------------------------------------===//

QuantFloatStatus quantFloatModelEvaluate(QuantFloatModel model, size_t entry,
                                         const qf_tensor *inputs,
                                         size_t numInputs,
                                         QuantFloatTensors *results,
                                         QuantFloatError *error) {
  return runFor(results, "results", error, [&] {
    return withModel(model, [&](ModelObject &object) -> llvm::Error {
      llvm::Expected<ReferenceModel> reference =
          object.model->prepareReference(entry);
      if (!reference)
        return reference.takeError();
      if (!inputs && numInputs)
        return failNull("inputs");
      llvm::Expected<std::vector<Tensor>> computed =
          reference->run(ArrayRef(inputs, numInputs));
      if (!computed)
        return computed.takeError();
      return give(results,
                  std::make_unique<TensorsObject>(std::move(*computed)));
    });
  });
}

namespace {
struct ModeReportObject final : Object {
  static constexpr HandleKind kKind = HandleKind::ModeReport;

  explicit ModeReportObject(std::vector<FakeConvertReport> given);

  std::vector<FakeConvertReport> reports;
  std::vector<std::string> destinations;
  std::vector<QuantFloatFakeConvertReport> views;
  std::string text;
};
} // namespace

ModeReportObject::ModeReportObject(std::vector<FakeConvertReport> given)
    : reports(std::move(given)), destinations(reports.size()) {
  llvm::raw_string_ostream os(text);
  for (auto [index, report] : llvm::enumerate(reports)) {
    printFakeConvertReport(os, index, report);
    llvm::raw_string_ostream(destinations[index]) << report.destination;
    QuantFloatFakeConvertReport &view = views.emplace_back();
    view = {report.name.c_str(),
            destinations[index].c_str(),
            report.modes.numElements,
            report.isConstant,
            {}};
    for (auto [comparison, known] :
         llvm::zip_equal(view.comparisons, report.modes.comparisons)) {
      comparison = {static_cast<int32_t>(known.first),
                    static_cast<int32_t>(known.second),
                    known.getNumDiffering(),
                    {}};
      llvm::copy(known.causes, comparison.causes);
    }
    // The types end with the session.
    report.elementType = report.destination = {};
  }
}

QuantFloatStatus quantFloatModelCompareModes(
    QuantFloatModel model, size_t entry, const qf_tensor *inputs,
    size_t numInputs, const QuantFloatCompileOptions *options,
    QuantFloatModeReport *report, QuantFloatError *error) {
  return runFor(report, "report", error, [&] {
    return build(model, options,
                 [&](Model &model, const ReadOptions &known) -> llvm::Error {
                   if (!inputs && numInputs)
                     return failNull("inputs");
                   llvm::Expected<std::vector<FakeConvertReport>> reports =
                       model.compareModes(entry, ArrayRef(inputs, numInputs),
                                          options ? &known : nullptr);
                   if (!reports)
                     return reports.takeError();
                   return give(report, std::make_unique<ModeReportObject>(
                                           std::move(*reports)));
                 });
  });
}

size_t quantFloatModeReportGetCount(QuantFloatModeReport report) {
  Ref<ModeReportObject> object(report.id);
  return object ? object->views.size() : 0;
}

const QuantFloatFakeConvertReport *
quantFloatModeReportGet(QuantFloatModeReport report, size_t index) {
  Ref<ModeReportObject> object(report.id);
  return object && index < object->views.size() ? &object->views[index]
                                                : nullptr;
}

const char *quantFloatModeReportGetText(QuantFloatModeReport report) {
  Ref<ModeReportObject> object(report.id);
  return object ? object->text.c_str() : nullptr;
}

QuantFloatStatus quantFloatModeReportDestroy(QuantFloatModeReport report) {
  return destroyHandle(HandleKind::ModeReport, report.id);
}
