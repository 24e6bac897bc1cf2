//===- Compiler.cpp - Reading and compiling models, for C -----------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float-c/Compiler.h"

#include "Objects.h"
#include "quant-float-c/Passes.h"
#include "quant-float/IR/OpsetRules.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::capi;

//===----------------------------------------------------------------------===//
// Sessions
//===----------------------------------------------------------------------===//

static SessionOptions getCallbacks(const QuantFloatSessionOptions &source) {
  SessionOptions options;
  if (source.onDiagnostic)
    options.onDiagnostic = [=](const DiagnosticRecord &record) {
      source.onDiagnostic(&DiagnosticView(record).get(),
                          source.diagnosticUserData);
    };
  if (source.onProgress)
    options.onProgress = [=](const Progress &progress) {
      std::string detail = progress.detail.str();
      QuantFloatProgress view = {progress.stage, detail.c_str(), progress.done};
      return source.onProgress(&view, source.progressUserData);
    };
  return options;
}

SessionState::SessionState(const QuantFloatSessionOptions &options)
    : session(getCallbacks(options)) {}

ModelObject::ModelObject(Model source, std::shared_ptr<SessionState> state)
    : state(std::move(state)), model(std::move(source)) {
  updateEntries();
}

ModelObject::~ModelObject() {
  // The last reference to a model may be released by a call that already holds
  // the mutex.
  std::unique_lock<std::mutex> lock(state->mutex, std::defer_lock);
  if (!state->isUsedByThisThread())
    lock.lock();
  model.reset();
}

void ModelObject::updateEntries() {
  std::vector<EntryPointInfo> infos = model->getEntries();
  std::lock_guard<std::mutex> lock(entriesMutex);
  entries.clear();
  for (EntryPointInfo &info : infos) {
    auto known = llvm::find_if(
        described, [&](const auto &entry) { return entry->describes(info); });
    if (known == described.end()) {
      described.push_back(std::make_unique<OwnedEntry>(std::move(info)));
      known = std::prev(described.end());
    }
    entries.push_back(known->get());
  }
}

std::vector<const OwnedEntry *> ModelObject::getEntries() const {
  std::lock_guard<std::mutex> lock(entriesMutex);
  return entries;
}

/// Runs `body` on an object while holding the mutex of its session.
template <typename T>
static llvm::Error hold(uint64_t id,
                        llvm::function_ref<llvm::Error(T &)> body) {
  Ref<T> object(id);
  if (!object)
    return failHandle(T::kKind, id);
  SessionState &state = *object->state;
  if (state.isUsedByThisThread())
    return fail(QUANT_FLOAT_ERROR_BUSY,
                "a callback must not call functions of the session that calls "
                "it");
  std::lock_guard<std::mutex> lock(state.mutex);
  state.owner = std::this_thread::get_id();
  llvm::Error result = body(*object);
  state.owner = std::thread::id();
  return result;
}

llvm::Error
capi::inSession(QuantFloatSession session,
                llvm::function_ref<llvm::Error(SessionObject &)> body) {
  return hold<SessionObject>(session.id, body);
}

llvm::Error
capi::withModel(QuantFloatModel model,
                llvm::function_ref<llvm::Error(ModelObject &)> body) {
  return hold<ModelObject>(model.id, [&](ModelObject &object) {
    if (object.isModuleShared)
      object.model->setUnverified();
    return body(object);
  });
}

void quantFloatSessionOptionsInit(QuantFloatSessionOptions *options,
                                  size_t size) {
  initOptions(options, QuantFloatSessionOptions{}, size);
}

QuantFloatStatus
quantFloatSessionCreate(const QuantFloatSessionOptions *options,
                        QuantFloatSession *session, QuantFloatError *error) {
  return runFor(session, "session", error, [&]() -> llvm::Error {
    QuantFloatSessionOptions known = {};
    if (llvm::Error error = readOptions(options, known))
      return error;
    return returnObject<SessionObject>(session,
                                       std::make_shared<SessionState>(known));
  });
}

/// Destroys an object, except if a callback of its session requests it.
template <typename T> static QuantFloatStatus destroy(uint64_t id) {
  {
    Ref<T> object(id);
    if (object && object->state->isUsedByThisThread())
      return QUANT_FLOAT_ERROR_BUSY;
  }
  return destroyHandle(T::kKind, id);
}

QuantFloatStatus quantFloatSessionDestroy(QuantFloatSession session) {
  return destroy<SessionObject>(session.id);
}

QuantFloatStatus quantFloatModelDestroy(QuantFloatModel model) {
  return destroy<ModelObject>(model.id);
}

//===----------------------------------------------------------------------===//
// Models
//===----------------------------------------------------------------------===//

/// Converts a QuantFloatFakeConvertMode. Returns none for the mode of the
/// model, and an error for invalid numbers.
static llvm::Expected<std::optional<FakeConvertMode>>
readFakeConvertMode(int32_t mode) {
  std::optional<FakeConvertMode> known =
      symbolizeFakeConvertMode(static_cast<uint32_t>(mode));
  if (known || mode == QUANT_FLOAT_FAKE_CONVERT_OF_MODEL)
    return known;
  return fail(QUANT_FLOAT_ERROR_ARGUMENT,
              "the mode of fakeconvert must be -1 to 2, but got " +
                  Twine(mode));
}

static llvm::Expected<ParseOptions>
readLoadOptions(const QuantFloatLoadOptions *source) {
  QuantFloatLoadOptions known;
  quantFloatLoadOptionsInit(&known, sizeof known);
  if (llvm::Error error = readOptions(source, known))
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

/// Reads a model in the session and returns its handle.
static llvm::Error returnModel(
    QuantFloatSession session, const QuantFloatLoadOptions *source,
    QuantFloatModel *model,
    llvm::function_ref<llvm::Expected<Model>(Session &, const ParseOptions &)>
        read) {
  llvm::Expected<ParseOptions> options = readLoadOptions(source);
  if (!options)
    return options.takeError();
  return inSession(session, [&](SessionObject &object) -> llvm::Error {
    return returnObject<ModelObject>(
        model, read(object.state->session, *options), object.state);
  });
}

QuantFloatStatus quantFloatModelLoad(QuantFloatSession session,
                                     const char *path,
                                     const QuantFloatLoadOptions *source,
                                     QuantFloatModel *model,
                                     QuantFloatError *error) {
  return runFor(model, "model", error, [&]() -> llvm::Error {
    if (llvm::Error error = checkPath(path))
      return error;
    return returnModel(session, source, model,
                       [&](Session &session, const ParseOptions &options) {
                         return Model::load(session, path, options);
                       });
  });
}

QuantFloatStatus quantFloatModelParse(QuantFloatSession session, int32_t format,
                                      const void *data, size_t size,
                                      const QuantFloatLoadOptions *source,
                                      QuantFloatModel *model,
                                      QuantFloatError *error) {
  return runFor(model, "model", error, [&]() -> llvm::Error {
    if (!data)
      return failNull("data");
    if (format < QUANT_FLOAT_FORMAT_MLIR ||
        format > QUANT_FLOAT_FORMAT_OPENVINO)
      return fail(QUANT_FLOAT_ERROR_ARGUMENT,
                  "format must be 0 to 2, but got " + Twine(format));
    return returnModel(session, source, model,
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
  return run(error, [&] {
    return withModel(model, [&](ModelObject &object) {
      return findEntry(*object.model, name, entry);
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
                                                   int32_t source,
                                                   QuantFloatError *error) {
  return run(error, [&]() -> llvm::Error {
    auto mode = readFakeConvertMode(source);
    if (!mode)
      return mode.takeError();
    return withModel(model, [&](ModelObject &object) {
      return *mode ? object.model->setFakeConvertMode(**mode)
                   : llvm::Error::success();
    });
  });
}

QuantFloatStatus quantFloatModelBindInput(QuantFloatModel model,
                                          const char *name,
                                          const qf_tensor *tensor,
                                          QuantFloatError *error) {
  return run(error, [&]() -> llvm::Error {
    if (!name)
      return failNull("name");
    if (!tensor)
      return failNull("tensor");
    return withModel(model, [&](ModelObject &object) {
      llvm::Error result = object.model->bindInput(name, *tensor);
      object.updateEntries();
      return result;
    });
  });
}

QuantFloatStatus quantFloatModelBindWeights(QuantFloatModel model,
                                            const char *path,
                                            QuantFloatError *error) {
  return run(error, [&]() -> llvm::Error {
    if (!path)
      return failNull("path");
    return withModel(model, [&](ModelObject &object) {
      llvm::Error result = object.model->bindWeights(path);
      object.updateEntries();
      return result;
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
      return returnObject<BufferObject>(buffer, std::move(text));
    });
  });
}

//===----------------------------------------------------------------------===//
// Checking
//===----------------------------------------------------------------------===//

namespace {
/// The lists of a node as C arrays.
struct NodeLists {
  std::vector<const char *> notes;
  std::vector<const char *> warnings;
  std::vector<QuantFloatOpsetVerdict> opsets;
};

struct ReportObject final : Object {
  static constexpr HandleKind kKind = HandleKind::Report;

  explicit ReportObject(CheckedModel source);

  size_t numInvalid;
  std::vector<NodeReport> reports;
  std::vector<NodeLists> lists;
  std::vector<QuantFloatNodeReport> nodes;
  std::string text;
  std::string json;
};
} // namespace

static std::vector<const char *>
getViews(const std::vector<std::string> &list) {
  std::vector<const char *> views;
  for (const std::string &text : list)
    views.push_back(text.c_str());
  return views;
}

static QuantFloatNodeReport getView(const NodeReport &report,
                                    const NodeLists &lists) {
  QuantFloatNodeReport node = {};
  node.name = report.name.c_str();
  node.opName = report.opName.c_str();
  const FileLocation &location = report.location;
  node.file = location.file.empty() ? nullptr : location.file.c_str();
  node.line = location.line;
  node.column = location.column;
  node.opset = report.opset.value_or(0);
  node.status = static_cast<int32_t>(report.status);
  node.reason = report.verdict.reason.c_str();
  node.notes = lists.notes.data();
  node.numNotes = lists.notes.size();
  node.opsets = lists.opsets.data();
  node.numOpsets = lists.opsets.size();
  node.warnings = lists.warnings.data();
  node.numWarnings = lists.warnings.size();
  return node;
}

ReportObject::ReportObject(CheckedModel source)
    : numInvalid(source.countInvalid()), reports(std::move(source.nodes)),
      lists(reports.size()) {
  for (auto [report, list] : llvm::zip_equal(reports, lists)) {
    list.notes = getViews(report.verdict.notes);
    list.warnings = getViews(report.warnings);
    for (const OpsetVerdict &opset : report.opsets)
      list.opsets.push_back({opset.first, opset.last, opset.verdict.accepted,
                             opset.verdict.reason.c_str()});
    nodes.push_back(getView(report, list));
  }
  llvm::raw_string_ostream textStream(text), jsonStream(json);
  printReports(textStream, reports);
  printReportsAsJson(jsonStream, reports);
  // The operations are freed after this call.
  for (NodeReport &report : reports)
    report.op = nullptr;
}

QuantFloatStatus quantFloatModelCheck(QuantFloatModel model, int64_t opset,
                                      QuantFloatReport *report,
                                      QuantFloatError *error) {
  return runFor(report, "report", error, [&]() -> llvm::Error {
    if (opset < QUANT_FLOAT_OPSET_ALL || opset > kNewestOpset)
      return fail(QUANT_FLOAT_ERROR_ARGUMENT, "opset must be -1 to " +
                                                  Twine(kNewestOpset) +
                                                  ", but got " + Twine(opset));
    return withModel(model, [&](ModelObject &object) {
      CheckOptions options;
      options.everyOpset = opset == QUANT_FLOAT_OPSET_ALL;
      if (opset > 0)
        options.opset = opset;
      return returnObject<ReportObject>(report, object.model->check(options));
    });
  });
}

size_t quantFloatReportGetNumNodes(QuantFloatReport report) {
  Ref<ReportObject> object(report.id);
  return object ? object->nodes.size() : 0;
}

const QuantFloatNodeReport *quantFloatReportGetNode(QuantFloatReport report,
                                                    size_t node) {
  Ref<ReportObject> object(report.id);
  return object && node < object->nodes.size() ? &object->nodes[node] : nullptr;
}

size_t quantFloatReportGetNumInvalid(QuantFloatReport report) {
  Ref<ReportObject> object(report.id);
  return object ? object->numInvalid : 0;
}

const char *quantFloatReportGetText(QuantFloatReport report) {
  Ref<ReportObject> object(report.id);
  return object ? object->text.c_str() : nullptr;
}

const char *quantFloatReportGetJson(QuantFloatReport report) {
  Ref<ReportObject> object(report.id);
  return object ? object->json.c_str() : nullptr;
}

QuantFloatStatus quantFloatReportDestroy(QuantFloatReport report) {
  return destroyHandle(HandleKind::Report, report.id);
}

//===----------------------------------------------------------------------===//
// Compiling
//===----------------------------------------------------------------------===//

static std::string getString(const char *text) { return text ? text : ""; }

namespace {
struct ReadOptions : BuildOptions {
  bool checkMemory;
};
} // namespace

/// Reads the caller's options. Null selects the defaults.
static llvm::Expected<ReadOptions>
readCompileOptions(const QuantFloatCompileOptions *source) {
  QuantFloatCompileOptions known;
  quantFloatCompileOptionsInit(&known, sizeof known);
  if (llvm::Error error = readOptions(source, known))
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
  if (known.threads > kMaxThreads)
    return refuse("threads must be 0 to 4096", known.threads);
  if (known.accumulation < QUANT_FLOAT_ACCUMULATION_ORDERED ||
      known.accumulation > QUANT_FLOAT_ACCUMULATION_REASSOCIATE)
    return refuse("accumulation must be 0 or 1", known.accumulation);
  if (known.activations < QUANT_FLOAT_ACTIVATIONS_FLOAT ||
      known.activations > QUANT_FLOAT_ACTIVATIONS_INT8)
    return refuse("activations must be 0 to 2", known.activations);
  auto mode = readFakeConvertMode(known.fakeConvertMode);
  if (!mode)
    return mode.takeError();
  ReadOptions result;
  result.fakeConvertMode = *mode;
  result.target = static_cast<Target>(known.target);
  result.optimizationLevel = known.optimizationLevel;
  result.threads = known.threads;
  result.accumulation = static_cast<Accumulation>(known.accumulation);
  result.activations = static_cast<Activations>(known.activations);
  result.triple = getString(known.triple);
  // A triple without a CPU selects the baseline of that architecture.
  result.cpu = getString(known.cpu);
  if (result.cpu.empty() && result.triple.empty())
    result.cpu = "host";
  result.chip = getString(known.chip);
  result.features = getString(known.features);
  result.partition = known.partition;
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

/// Runs `body` on a model with the caller's options.
static llvm::Error
build(QuantFloatModel model, const QuantFloatCompileOptions *source,
      llvm::function_ref<llvm::Error(Model &, const ReadOptions &)> body) {
  llvm::Expected<ReadOptions> options = readCompileOptions(source);
  if (!options)
    return options.takeError();
  return withModel(model, [&](ModelObject &object) {
    return body(*object.model, *options);
  });
}

QuantFloatStatus quantFloatModelCompile(QuantFloatModel model,
                                        const QuantFloatCompileOptions *source,
                                        QuantFloatKernel *kernel,
                                        QuantFloatError *error) {
  return runFor(kernel, "kernel", error, [&] {
    return build(model, source, [&](Model &model, const ReadOptions &options) {
      return returnObject<KernelObject>(kernel, model.compile(options),
                                        options.checkMemory);
    });
  });
}

QuantFloatStatus quantFloatModelCompileToFile(
    QuantFloatModel model, const QuantFloatCompileOptions *source,
    const char *path, QuantFloatKernel *kernel, QuantFloatError *error) {
  if (kernel)
    *kernel = {};
  return run(error, [&]() -> llvm::Error {
    if (llvm::Error error = checkPath(path))
      return error;
    return build(model, source, [&](Model &model, const ReadOptions &options) {
      return kernel ? returnObject<KernelObject>(
                          kernel, model.compileToFile(path, options),
                          options.checkMemory)
                    : model.emitToFile(EmitKind::Shared, path, options);
    });
  });
}

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
                   SmallString<0> contents;
                   llvm::raw_svector_ostream os(contents);
                   if (llvm::Error error = model.emit(
                           *known, options, baseName ? baseName : "model", os))
                     return error;
                   return returnObject<BufferObject>(buffer,
                                                     contents.str().str());
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
// Evaluating and comparing
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
      return returnObject<TensorsObject>(
          results, reference->run(ArrayRef(inputs, numInputs)), Target::CPU);
    });
  });
}

namespace {
struct ModeReportObject final : Object {
  static constexpr HandleKind kKind = HandleKind::ModeReport;

  explicit ModeReportObject(std::vector<FakeConvertReport> source);

  std::vector<FakeConvertReport> reports;
  std::vector<QuantFloatFakeConvertReport> views;
  std::string text;
};
} // namespace

ModeReportObject::ModeReportObject(std::vector<FakeConvertReport> source)
    : reports(std::move(source)) {
  llvm::raw_string_ostream os(text);
  for (auto [index, report] : llvm::enumerate(reports)) {
    printFakeConvertReport(os, index, report);
    QuantFloatFakeConvertReport &view = views.emplace_back();
    view = {report.name.c_str(),
            report.destination.c_str(),
            report.numElements,
            report.isConstant,
            {}};
    for (auto [comparison, known] :
         llvm::zip_equal(view.comparisons, report.comparisons)) {
      comparison = {static_cast<int32_t>(known.first),
                    static_cast<int32_t>(known.second),
                    known.getNumDiffering(),
                    {}};
      llvm::copy(known.causes, comparison.causes);
    }
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
                   return returnObject<ModeReportObject>(
                       report,
                       model.compareModes(entry, ArrayRef(inputs, numInputs),
                                          options ? &known : nullptr));
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
