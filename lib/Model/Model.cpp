//===- Model.cpp - Models: reading, compiling, evaluating -----------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/Model/Model.h"

#include "CompiledCode.h"
#include "SessionCall.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "quant-float-c/CudaRuntime.h"
#include "quant-float/Codegen/Common/Passes.h"
#include "quant-float/Conversion/NodeToQuantFloat/ResolveNode.h"
#include "quant-float/EntryPoint/Passes.h"
#include "quant-float/ExecutionEngine/ReferenceEvaluator.h"
#include "quant-float/IR/ElementTypes.h"
#include "quant-float/IR/PortableBytecode.h"
#include "quant-float/Model/ReadMlirModel.h"
#include "quant-float/ONNX/Import/Import.h"
#include "quant-float/OpenVINO/Import/Import.h"
#include "quant-float/OpenVINO/ToONNX/Passes.h"
#include "quant-float/Pipelines/Stages.h"
#include "quant-float/Support/InputFile.h"
#include "quant-float/TargetInfo/TargetCpu.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Path.h"
#include "llvm/TargetParser/Host.h"

using namespace mlir;
using namespace mlir::quant_float;

//===----------------------------------------------------------------------===//
// Reading, inspecting and changing
//===----------------------------------------------------------------------===//

template <typename Options>
static Options getImportOptions(const LoadOptions &load) {
  Options options;
  options.verify = load.verify;
  options.strict = load.strict;
  if constexpr (std::is_same_v<Options, OnnxImportOptions>)
    options.onExternalFile = load.onExternalFile;
  if constexpr (std::is_same_v<Options, OpenVinoImportOptions>)
    if (load.fakeConvertMode)
      options.fakeConvertMode = *load.fakeConvertMode;
  return options;
}

/// Returns the model, or the error if reading failed.
static llvm::Expected<Model> takeModel(SessionCall &call, Session &session,
                                       ModelFormat format,
                                       OwningOpRef<ModuleOp> module,
                                       const LoadOptions &options) {
  if (!module || call.isCancelled())
    return call.fail();
  // Operations that are not verified may lack operands.
  if (format == ModelFormat::MLIR && options.fakeConvertMode && options.verify)
    setFakeConvertModes(*module, *options.fakeConvertMode);
  // Passes check the declared types of the module as strictly as the importer.
  if (options.strict)
    module.get()->setAttr(kStrictAttrName,
                          UnitAttr::get(&session.getContext()));
  return Model(session, std::move(module), options.verify);
}

llvm::Expected<Model> Model::load(Session &session, StringRef path,
                                  const LoadOptions &options) {
  SessionCall call(session);
  MLIRContext *context = &session.getContext();
  if (!call.progress("read", path))
    return call.fail();
  auto refuse = [&](const Twine &reason) {
    emitError(FileLineColLoc::get(context, path, 0, 0)) << reason;
    return call.failFile(path);
  };
  namespace fs = llvm::sys::fs;
  bool isMlir =
      path == "-" || path.ends_with(".mlir") || path.ends_with(".mlirbc");
  bool isOnnx = path.ends_with(".onnx");
  if (!isMlir && !isOnnx && !path.ends_with(".xml"))
    return refuse("expected a model in .onnx, .xml, .mlir or .mlirbc, or '-'");
  if (path != "-" && fs::is_directory(path))
    return refuse("is a directory");
  // Distinguish this from a file that is not a model.
  if (!isMlir && !fs::exists(path))
    return refuse("no such file");
  // The importers map the file, which pipes and devices do not support.
  if (!isMlir && !fs::is_regular_file(path))
    return refuse("is not a regular file");
  auto buffer = isMlir ? openText(path) : openRegularFile(path);
  if (!buffer)
    return refuse(llvm::toString(buffer.takeError()));
  if (isMlir)
    return takeModel(call, session, ModelFormat::MLIR,
                     readMlirModel(std::move(*buffer), *context, options),
                     options);
  if (isOnnx)
    return takeModel(
        call, session, ModelFormat::ONNX,
        importOnnx(path, context, getImportOptions<OnnxImportOptions>(options)),
        options);
  return takeModel(
      call, session, ModelFormat::OpenVINO,
      importOpenVino(path, context,
                     getImportOptions<OpenVinoImportOptions>(options)),
      options);
}

llvm::Expected<Model> Model::parse(Session &session, ModelFormat format,
                                   StringRef bytes,
                                   const ParseOptions &options) {
  SessionCall call(session);
  MLIRContext *context = &session.getContext();
  OwningOpRef<ModuleOp> module;
  if (!call.progress("read", options.name))
    return call.fail();
  switch (format) {
  case ModelFormat::MLIR:
    module =
        readMlirModel(llvm::MemoryBuffer::getMemBufferCopy(bytes, options.name),
                      *context, options);
    break;
  case ModelFormat::ONNX:
    module =
        importOnnxBytes(bytes, options.name, options.externalDataFolder,
                        context, getImportOptions<OnnxImportOptions>(options));
    break;
  case ModelFormat::OpenVINO:
    module =
        importOpenVinoBytes(bytes, options.name, options.weightsPath, context,
                            getImportOptions<OpenVinoImportOptions>(options));
    break;
  }
  return takeModel(call, session, format, std::move(module), options);
}

Model Model::clone() const {
  Model copy(*session, cast<ModuleOp>(getModule()->clone()), isVerified);
  copy.isBroken = isBroken;
  return copy;
}

SmallVector<func::FuncOp> Model::getEntryFunctions() const {
  SmallVector<func::FuncOp> functions;
  // Operations that are not verified may lack a name or a type.
  for (auto function : getModule().getOps<func::FuncOp>())
    if (function->getAttrOfType<StringAttr>(SymbolTable::getSymbolAttrName()) &&
        function.getFunctionTypeAttr() &&
        isa<FunctionType>(function.getFunctionTypeAttr().getValue()) &&
        function.isPublic() && !function.isExternal())
      functions.push_back(function);
  return functions;
}

static EntryPointArgument describeArgument(Type type, ArrayAttr attributes,
                                           size_t index) {
  EntryPointArgument argument;
  // Functions that are not verified may have too few attributes, or attributes
  // that are not dictionaries.
  DictionaryAttr dictionary;
  if (attributes && index < attributes.size())
    dictionary = dyn_cast<DictionaryAttr>(attributes[index]);
  if (dictionary)
    if (auto name = dictionary.getAs<StringAttr>(kNameAttrName))
      argument.name = name.str();
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    argument.sizes.push_back(Model::kUnranked);
  else
    for (int64_t size : tensor.getShape())
      argument.sizes.push_back(ShapedType::isDynamic(size) ? -1 : size);
  int32_t dtype = getDataType(getElementTypeOrSelf(type)).value_or(0);
  if (dictionary && dictionary.contains(kPackedAttrName))
    dtype |= kPackedFlag;
  argument.dtype = getElementBits(dtype) ? dtype : 0;
  return argument;
}

static StringRef getGraphName(func::FuncOp function) {
  auto name = function->getAttrOfType<StringAttr>(kGraphNameAttrName);
  return name ? name.getValue() : StringRef();
}

std::vector<EntryPointInfo> Model::getEntries() const {
  std::vector<EntryPointInfo> entries;
  for (func::FuncOp function : getEntryFunctions()) {
    EntryPointInfo &info = entries.emplace_back();
    info.symbol = function.getSymName().str();
    info.graphName = getGraphName(function).str();
    for (auto [index, type] : llvm::enumerate(function.getArgumentTypes()))
      info.inputs.push_back(
          describeArgument(type, function.getArgAttrsAttr(), index));
    for (auto [index, type] : llvm::enumerate(function.getResultTypes()))
      info.outputs.push_back(
          describeArgument(type, function.getResAttrsAttr(), index));
  }
  return entries;
}

llvm::Expected<size_t> Model::findEntry(StringRef name,
                                        StringRef chooser) const {
  return findByName(name, chooser,
                    llvm::map_to_vector(getEntryFunctions(), [](auto function) {
                      return EntryNames(function.getSymName(),
                                        getGraphName(function));
                    }));
}

llvm::Error Model::verify() {
  SessionCall call(*session);
  isVerified = succeeded(mlir::verify(*module));
  return isVerified ? llvm::Error::success() : call.fail();
}

llvm::Error Model::requireValid(SessionCall &call) {
  if (isBroken)
    return call.fail(ErrorKind::Argument,
                     "an earlier pipeline failed on the model");
  if (!isVerified && failed(mlir::verify(*module)))
    return call.fail();
  isVerified = true;
  return llvm::Error::success();
}

llvm::Error Model::write(llvm::raw_ostream &os, bool asBytecode) {
  SessionCall call(*session);
  if (!asBytecode) {
    getModule().print(os, OpPrintingFlags());
    return llvm::Error::success();
  }
  // MLIR's bytecode writer requires all mandatory attributes.
  if (llvm::Error error = requireValid(call))
    return error;
  return failed(writePortableBytecode(getModule(), os))
             ? call.fail()
             : llvm::Error::success();
}

CheckedModel Model::check(const CheckOptions &options) const {
  SessionCall call(*session);
  CheckedModel result{clone(), {}};
  result.nodes = checkModel(result.model.getModule(), options);
  return result;
}

size_t CheckedModel::countInvalid() const {
  return llvm::count_if(nodes, [](const NodeReport &report) {
    return report.status == NodeStatus::Invalid;
  });
}

/// Parses a pipeline and requires that it runs on modules.
static llvm::Expected<OpPassManager> parsePipeline(StringRef pipelineString) {
  std::string message;
  llvm::raw_string_ostream os(message);
  FailureOr<OpPassManager> pipeline = parsePassPipeline(pipelineString, os);
  if (failed(pipeline))
    return makeError(ErrorKind::Argument, "the pipeline cannot be parsed: " +
                                              StringRef(message).trim());
  StringRef anchor = pipeline->getOpAnchorName();
  if (anchor != ModuleOp::getOperationName() &&
      anchor != OpPassManager::getAnyOpAnchorName())
    return makeError(ErrorKind::Argument,
                     "the pipeline must run on builtin.module, but runs on " +
                         anchor);
  return std::move(*pipeline);
}

llvm::Error Model::runPasses(StringRef pipeline) {
  SessionCall call(*session);
  if (llvm::Error error = requireValid(call))
    return error;
  llvm::Expected<OpPassManager> parsed = parsePipeline(pipeline);
  if (!parsed)
    return parsed.takeError();
  PassManager manager(&session->getContext(), ModuleOp::getOperationName());
  static_cast<OpPassManager &>(manager) = std::move(*parsed);
  isBroken = failed(manager.run(*module)) || call.isCancelled();
  return isBroken ? call.fail() : llvm::Error::success();
}

llvm::Error Model::setFakeConvertMode(FakeConvertMode mode) {
  SessionCall call(*session);
  if (llvm::Error error = requireValid(call))
    return error;
  setFakeConvertModes(*module, mode);
  return llvm::Error::success();
}

llvm::Error Model::setPacked(bool unpack) {
  SessionCall call(*session);
  if (llvm::Error error = requireValid(call))
    return error;
  QuantFloatPackArgumentsPassOptions options;
  options.unpack = unpack;
  PassManager manager(&session->getContext());
  prepareToCompile(manager);
  manager.addPass(createQuantFloatPackArgumentsPass(options));
  return failed(manager.run(*module)) ? call.fail() : llvm::Error::success();
}

llvm::Error Model::packArguments() { return setPacked(/*unpack=*/false); }

llvm::Error Model::unpackAll() { return setPacked(/*unpack=*/true); }

//===----------------------------------------------------------------------===//
// Compiling
//===----------------------------------------------------------------------===//

llvm::Expected<Model> Model::copyToBuild(SessionCall &call,
                                         const BuildOptions &options) {
  Model copy = clone();
  if (options.fakeConvertMode)
    setFakeConvertModes(copy.getModule(), *options.fakeConvertMode);
  if (options.entry.empty())
    return copy;
  llvm::Expected<size_t> entry = copy.findEntry(options.entry);
  if (!entry)
    return entry.takeError();
  // Other entries that this one calls become private functions.
  for (auto [index, function] : llvm::enumerate(copy.getEntryFunctions()))
    if (index != *entry)
      function.setPrivate();
  PassManager manager(&session->getContext());
  prepareToCompile(manager);
  manager.addPass(createSymbolDCEPass());
  if (failed(manager.run(copy.getModule())))
    return call.fail();
  return copy;
}

llvm::Error Model::build(EmitKind kind, const BuildOptions &options,
                         StringRef baseName, llvm::raw_pwrite_stream &os,
                         std::string *sidecar, ReadBack readBack) {
  SessionCall call(*session);
  if (llvm::Error error = requireValid(call))
    return error;
  llvm::Expected<Model> copy = copyToBuild(call, options);
  if (!copy)
    return copy.takeError();
  if (failed(compileTo(copy->getModule(), kind, options, baseName, os, sidecar,
                       readBack)) ||
      call.isCancelled())
    return call.fail();
  return llvm::Error::success();
}

llvm::Error Model::emit(EmitKind kind, const BuildOptions &options,
                        StringRef baseName, llvm::raw_pwrite_stream &os,
                        std::string *sidecar) {
  if (kind == EmitKind::Shared)
    return makeError(ErrorKind::Unsupported,
                     "a shared library must be written to a file");
  return build(kind, options, baseName, os, sidecar);
}

namespace {
/// Writes to an OutputFile, which records errors.
class OutputFileStream final : public llvm::raw_pwrite_stream {
public:
  explicit OutputFileStream(OutputFile &file) : file(file) {}
  ~OutputFileStream() override { flush(); }

private:
  void write_impl(const char *bytes, size_t size) override {
    file.write({bytes, size});
    position += size;
  }
  void pwrite_impl(const char *bytes, size_t size, uint64_t offset) override {
    flush();
    file.overwrite({bytes, size}, offset);
  }
  uint64_t current_pos() const override { return position; }
  size_t preferred_buffer_size() const override { return 1 << 16; }

  OutputFile &file;
  uint64_t position = 0;
};
} // namespace

llvm::Error Model::buildToFile(EmitKind kind, const BuildOptions &options,
                               StringRef baseName, OutputFile &file,
                               std::string *sidecar) {
  // Buffer the output, so that a later failure does not leave a partial stream.
  if (file.isStream()) {
    SmallVector<char, 0> contents;
    llvm::raw_svector_ostream os(contents);
    llvm::Error error = build(kind, options, baseName, os, sidecar, [&] {
      return llvm::MemoryBuffer::getMemBuffer(os.str(), "",
                                              /*RequiresNullTerminator=*/false);
    });
    if (!error)
      file.write(os.str());
    return error;
  }
  OutputFileStream os(file);
  return build(kind, options, baseName, os, sidecar,
               [&]() -> std::unique_ptr<llvm::MemoryBuffer> {
                 auto buffer = llvm::MemoryBuffer::getOpenFile(
                     file.getDescriptor(), file.getPath(), os.tell(),
                     /*RequiresNullTerminator=*/false);
                 return buffer ? std::move(*buffer) : nullptr;
               });
}

llvm::Error Model::emitToFile(EmitKind kind, StringRef path,
                              const BuildOptions &options) {
  StringRef suffix = getSidecarSuffix(kind);
  StringRef extension = llvm::sys::path::extension(path);
  if (!suffix.empty() && extension.consume_front(".") && extension == suffix)
    return makeError(ErrorKind::Argument, "the ." + suffix + " file next to '" +
                                              path + "' would overwrite it");
  std::string sidecar;
  SmallVector<OutputFile, 2> files;
  OutputFile &output = files.emplace_back(path.str());
  auto buildTo = [&](OutputFile &file) {
    return buildToFile(kind, options, llvm::sys::path::stem(path), file,
                       suffix.empty() ? nullptr : &sidecar);
  };
  if (kind == EmitKind::Shared) {
    llvm::Error failed = llvm::Error::success();
    auto writeObject = [&](OutputFile &object) {
      failed = llvm::joinErrors(std::move(failed), buildTo(object));
      bool isWritten = !failed;
      return isWritten;
    };
    llvm::Error error = linkShared(writeObject, output, options);
    if (failed) {
      llvm::consumeError(std::move(error));
      return failed;
    }
    if (error)
      return makeFileError(path, llvm::toString(std::move(error)),
                           output.getError());
  } else if (llvm::Error error = buildTo(output)) {
    return error;
  }
  // Streams have no sidecar file.
  if (!suffix.empty() && !output.isStream()) {
    SmallString<128> sidecarPath = path;
    llvm::sys::path::replace_extension(sidecarPath, suffix);
    files.emplace_back(sidecarPath.str().str()).write(sidecar);
  }
  if (OutputFile *failed = OutputFile::commitAll(files.data(), files.size()))
    return makeFileError(failed->getPath(), failed->getError().message(),
                         failed->getError());
  return llvm::Error::success();
}

LogicalResult quant_float::convertLayers(ModuleOp module) {
  ConvertOpenVinoNodesToOnnxPassOptions options;
  options.allowUnsupported = true;
  PassManager manager(module.getContext());
  prepareToCompile(manager);
  manager.addPass(createConvertOpenVinoNodesToOnnxPass(options));
  return manager.run(module);
}

/// Fails if the code cannot run in this process. If no chip is specified,
/// selects that of the first GPU.
static llvm::Error fitToThisProcess(CompileOptions &options) {
  // The name of a CPU may imply the architecture. The compiler reports CPUs
  // that LLVM does not support.
  std::string triple = options.triple;
  if (triple.empty()) {
    if (auto cpus = TargetCpu::getLevels(triple, options.cpu))
      triple = cpus->front().triple;
    else
      llvm::consumeError(cpus.takeError());
  }
  llvm::Triple targetTriple(triple), own(llvm::sys::getProcessTriple());
  // A triple without an operating system matches all of them.
  if (!triple.empty() && (targetTriple.getArch() != own.getArch() ||
                          (targetTriple.getOS() != llvm::Triple::UnknownOS &&
                           targetTriple.getOS() != own.getOS())))
    return makeError(
        ErrorKind::Unsupported,
        "code for '" + (options.triple.empty() ? options.cpu : options.triple) +
            "' cannot run in this process, which is for '" +
            llvm::sys::getProcessTriple() + "'");
  if (options.target != Target::NVVM)
    return llvm::Error::success();
  llvm::Expected<std::string> chip = getDeviceChip();
  if (chip && options.chip.empty())
    options.chip = *chip;
  return chip.takeError();
}

llvm::Expected<CompiledModel>
Model::compileToFile(StringRef path, const BuildOptions &requested) {
  BuildOptions options = requested;
  if (llvm::Error error = fitToThisProcess(options))
    return std::move(error);
  if (llvm::Error error = emitToFile(EmitKind::Shared, path, options))
    return std::move(error);
  return CompiledModel::load(path);
}

llvm::Expected<CompiledModel> Model::compile(const BuildOptions &requested) {
  BuildOptions options = requested;
  if (llvm::Error error = fitToThisProcess(options))
    return std::move(error);
  options.inProcess = options.cpu == "host";
  SessionCall call(*session);
  if (llvm::Error error = requireValid(call))
    return std::move(error);
  llvm::Expected<Model> copy = copyToBuild(call, options);
  if (!copy)
    return copy.takeError();
  ModuleOp lowered = copy->getModule();
  if (options.partition) {
    // Discard the code between the subgraphs, which is not compiled.
    PassManager manager(&session->getContext());
    prepareToCompile(manager);
    StageOptions stages;
    stages.partition = true;
    buildPartition(manager, stages);
    if (failed(manager.run(lowered)))
      return call.fail();
    options.partition = false;
  }
  Weights weights;
  if (options.target == Target::NVVM) {
    if (failed(convertLayers(lowered)))
      return call.fail();
    llvm::Expected<Weights> hoisted = hoistWeights(lowered, session->context);
    if (!hoisted)
      return makeError(ErrorKind::Model, hoisted.takeError());
    weights = std::move(*hoisted);
  }
  auto context = std::make_unique<llvm::LLVMContext>();
  ExternalConstants constants;
  FailureOr<CpuLevel> compiled =
      compileToLLVM(lowered, options, *context, &constants);
  if (failed(compiled) || !call.progress("generate", ""))
    return call.fail();
  FailureOr<std::vector<EntryPointInfo>> infos = getEntryPoints(lowered);
  if (failed(infos))
    return call.fail();

  auto code = std::make_unique<CompiledModel::Code>();
  code->constantsOwner = session->context;
  // Code for CPUs has its weights as constants.
  if (options.target == Target::CPU)
    weights.resize(infos->size());
  SmallVector<std::string> symbols;
  for (auto [info, tensors] : llvm::zip_equal(*infos, weights)) {
    symbols.push_back(info.symbol);
    // The metadata of an operation that was not created from this function may
    // have fewer inputs.
    if (tensors.empty() || tensors.size() > info.inputs.size())
      continue;
    info.inputs.truncate(info.inputs.size() - tensors.size());
    llvm::Expected<std::vector<Tensor>> deviceTensors = makeTensors(
        tensors, [](const Tensor &tensor) { return tensor.copy(true); });
    if (!deviceTensors)
      return deviceTensors.takeError();
    code->weights.push_back(std::move(*deviceTensors));
    code->weightDescriptors.push_back(describe(code->weights.back()));
    symbols.back() =
        addForwarders(*compiled->module, info.symbol, info.inputs.size(),
                      code->weightDescriptors.back());
  }
  llvm::Expected<std::unique_ptr<JitModule>> jit =
      JitModule::create(std::move(compiled->module), std::move(context),
                        std::move(compiled->machine), constants);
  if (!jit)
    return makeError(ErrorKind::Model, jit.takeError());
  code->jit = std::move(*jit);
  CompiledModel result(options.target, std::move(code));
  result.startTiming = quantFloatGpuStartTiming;
  result.stopTiming = quantFloatGpuStopTiming;
  for (auto [info, symbol] : llvm::zip_equal(*infos, symbols)) {
    llvm::Expected<JitModule::EntryFunction> run =
        result.code->jit->getEntry(symbol);
    if (!run)
      return makeError(ErrorKind::Model, run.takeError());
    llvm::Expected<JitModule::SizesFunction> sizes =
        result.code->jit->getOutputSizes(symbol);
    if (!sizes)
      return makeError(ErrorKind::Model, sizes.takeError());
    result.entries.push_back({std::move(info), *run, *sizes});
  }
  return result;
}

//===----------------------------------------------------------------------===//
// The Reference
//===----------------------------------------------------------------------===//

llvm::Expected<std::pair<Model, func::FuncOp>>
Model::copyForReference(SessionCall &call, size_t entry) {
  if (llvm::Error error = requireValid(call))
    return std::move(error);
  Model copy = clone();
  if (failed(convertLayers(copy.getModule())) || call.isCancelled())
    return call.fail();
  SmallVector<func::FuncOp> functions = copy.getEntryFunctions();
  if (entry >= functions.size())
    return makeIndexError("entry", functions.size(), entry);
  return std::pair(std::move(copy), functions[entry]);
}

llvm::Expected<ReferenceModel> Model::prepareReference(size_t entry) {
  SessionCall call(*session);
  llvm::Expected<std::pair<Model, func::FuncOp>> copy =
      copyForReference(call, entry);
  if (!copy)
    return copy.takeError();
  if (failed(checkReferenceSupports(copy->second)))
    return call.fail();
  return ReferenceModel(std::move(copy->first), copy->second);
}

llvm::Expected<std::vector<Tensor>>
quant_float::bindInputs(func::FuncOp function, ArrayRef<qf_tensor> inputs) {
  if (inputs.size() != function.getNumArguments())
    return makeError(ErrorKind::Count,
                     "function '" + function.getSymName() + "' has " +
                         Twine(function.getNumArguments()) +
                         " inputs, but got " + Twine(inputs.size()));
  std::vector<Tensor> bound;
  for (auto [index, type, input] :
       llvm::enumerate(function.getArgumentTypes(), inputs)) {
    std::string name = "input " + std::to_string(index) + ": ";
    auto expected = dyn_cast<RankedTensorType>(type);
    if (!expected)
      return makeError(ErrorKind::Model, name + "expected a ranked tensor");
    Type elementType = expected.getElementType();
    auto refuse = [&](ErrorKind kind, const Twine &actual) {
      return makeError(kind, name + "expected " +
                                 spellTensor(elementType, expected.getShape()) +
                                 ", but got " + actual);
    };
    // Check the rank before reading any sizes.
    if (input.rank != expected.getRank())
      return refuse(ErrorKind::Rank, "rank " + Twine(input.rank));
    if (input.rank && !input.sizes)
      return makeError(ErrorKind::Null, name + "sizes must not be null");
    ArrayRef<int64_t> sizes(input.sizes, input.rank);
    MLIRContext *context = function.getContext();
    // The Reference works on unpacked elements.
    bool isOfTensors = findSlotElement(input.dtype);
    Type actual = getTypeFromDataType(context, input.dtype & ~kPackedFlag);
    std::string spelt =
        spellTensor(actual ? actual : NoneType::get(context), sizes);
    if (actual != elementType || !isOfTensors)
      return refuse(ErrorKind::ElementType, spelt);
    for (auto [size, expectedSize] :
         llvm::zip_equal(sizes, expected.getShape()))
      if (size < 0 ||
          (!ShapedType::isDynamic(expectedSize) && size != expectedSize))
        return refuse(ErrorKind::Size, spelt);
    llvm::Expected<Tensor> view = Tensor::view(input);
    if (!view)
      return llvm::handleErrors(view.takeError(), [&](const ModelError &error) {
        return makeError(error.kind, name + error.message);
      });
    llvm::Expected<Tensor> unpacked = view->unpack();
    if (!unpacked)
      return unpacked.takeError();
    bound.push_back(std::move(*unpacked));
  }
  return bound;
}

llvm::Expected<std::vector<Tensor>>
ReferenceModel::run(ArrayRef<qf_tensor> inputs) const {
  llvm::Expected<std::vector<Tensor>> bound = bindInputs(function, inputs);
  if (!bound)
    return bound.takeError();
  llvm::Expected<std::vector<Tensor>> results =
      evaluateWithReference(function, *bound);
  if (!results)
    return results.takeError();
  // The results may alias inputs or constants, so copy them.
  return makeTensors(*results,
                     [](const Tensor &result) { return result.copy(); });
}

llvm::Expected<std::vector<Tensor>>
Model::evaluate(size_t entry, ArrayRef<qf_tensor> inputs) {
  llvm::Expected<ReferenceModel> reference = prepareReference(entry);
  if (!reference)
    return reference.takeError();
  return reference->run(inputs);
}
