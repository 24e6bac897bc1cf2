//===- CompiledModel.cpp - Compiled models --------------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompiledCode.h"
#include "SessionCall.h"
#include "quant-float/IR/ElementTypes.h"
#include "quant-float/IR/QuantFloatDialect.h"
#include "quant-float/Support/CompiledLibrary.h"
#include "quant-float/Support/FloatFormat.h"
#include "quant-float/Support/InputFile.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <chrono>
#include <cmath>
#include <dlfcn.h>
#include <map>
#include <mutex>

using namespace mlir;
using namespace mlir::quant_float;

/// Long enough for all messages of entry points, unless names are long.
static constexpr size_t kMessageSize = 512;

CompiledModel::CompiledModel(Target target, std::unique_ptr<Code> code)
    : target(target), code(std::move(code)) {}
CompiledModel::CompiledModel(CompiledModel &&) = default;
CompiledModel &CompiledModel::operator=(CompiledModel &&) = default;
CompiledModel::~CompiledModel() = default;

static SmallVector<EntryPointArgument>
readArguments(const qf_argument *arguments, int32_t count) {
  SmallVector<EntryPointArgument> result;
  for (const qf_argument &argument : ArrayRef(arguments, size_t(count)))
    result.push_back(
        {argument.name, argument.dtype,
         SmallVector<int64_t>(argument.sizes, argument.sizes + argument.rank)});
  return result;
}

/// Opens a shared library. On failure, returns null, and dlerror has the
/// reason. dlopen identifies a library by its name even if the file was
/// replaced. Therefore different files that had the same path while open are
/// opened under different names, which differ in the number of "./" components.
static std::shared_ptr<void> openLibrary(StringRef path) {
  using FileID = llvm::sys::fs::UniqueID;
  static std::mutex mutex;
  static llvm::StringMap<std::vector<std::weak_ptr<FileID>>> opened;
  // A fork in another thread must not leave the child with a locked mutex.
  static const int registered = pthread_atfork(
      [] { mutex.lock(); }, [] { mutex.unlock(); }, [] { mutex.unlock(); });
  (void)registered;
  std::lock_guard<std::mutex> lock(mutex);
  FileID id;
  // Ignore errors: dlopen fails if the file does not exist.
  (void)llvm::sys::fs::getUniqueID(path, id);
  // Open each file under only one name, because dlopen remembers all names of a
  // library that is open.
  static std::map<FileID, std::weak_ptr<void>> loaded;
  if (std::shared_ptr<void> known = loaded[id].lock())
    return known;
  std::vector<std::weak_ptr<FileID>> &files = opened[path];
  std::string name = llvm::sys::path::parent_path(path).str() + "/";
  std::shared_ptr<FileID> file;
  size_t number = 0;
  for (; number < files.size(); ++number, name += "./") {
    file = files[number].lock();
    if (!file || *file == id)
      break;
  }
  if (number == files.size())
    files.emplace_back();
  if (!file || !(*file == id))
    files[number] = file = std::make_shared<FileID>(id);
  name += llvm::sys::path::filename(path);
  void *handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    return nullptr;
  // Keep the name reserved until the library is closed.
  std::shared_ptr<void> library(handle, [file](void *handle) {
    std::lock_guard<std::mutex> lock(mutex);
    dlclose(handle);
  });
  loaded[id] = library;
  return library;
}

llvm::Expected<CompiledModel> CompiledModel::load(StringRef path) {
  // dlopen searches for names without a slash.
  SmallString<128> file(path);
  if (std::error_code code = llvm::sys::fs::make_absolute(file))
    return makeFileError(path, code.message(), code);
  llvm::sys::path::remove_dots(file);
  auto buffer = openRegularFile(file);
  if (!buffer)
    return makeFileError(path, llvm::toString(buffer.takeError()),
                         probeFile(file));
  // Check the file first, because accessing a mapping beyond the end of a
  // truncated file crashes.
  if (llvm::Error error =
          llvm::object::ObjectFile::createObjectFile(**buffer).takeError())
    return makeFileError(path, "expected a shared library, but " +
                                   llvm::toString(std::move(error)));
  auto code = std::make_unique<Code>();
  code->library = openLibrary(file);
  void *handle = code->library.get();
  if (!handle)
    return makeFileError(path, dlerror());
  llvm::Expected<const qf_library *> description =
      getLibraryDescription(handle);
  if (!description)
    return llvm::handleErrors(
        description.takeError(), [&](const llvm::StringError &error) {
          return error.convertToErrorCode() == std::errc::not_supported
                     ? makeError(ErrorKind::Unsupported,
                                 path + ": " + error.getMessage())
                     : makeFileError(path, error.getMessage());
        });
  const qf_library *library = *description;
  bool isForGpu = StringRef(library->target) == "nvvm";
  CompiledModel result(isForGpu ? Target::NVVM : Target::CPU, std::move(code));
  result.startTiming = library->start_timing;
  result.stopTiming = library->stop_timing;
  for (const qf_entry &entry :
       ArrayRef(library->entries, size_t(library->num_entries))) {
    EntryPointInfo info;
    info.symbol = entry.symbol;
    info.graphName = entry.graph_name;
    info.inputs = readArguments(entry.inputs, entry.num_inputs);
    info.outputs = readArguments(entry.outputs, entry.num_outputs);
    result.entries.push_back({std::move(info), entry.run, entry.output_sizes});
  }
  return result;
}

llvm::Expected<size_t> quant_float::findByName(StringRef name,
                                               StringRef chooser,
                                               ArrayRef<EntryNames> entries) {
  SmallVector<size_t> found;
  std::string known;
  for (auto [index, names] : llvm::enumerate(entries)) {
    known += (known.empty() ? "'" : ", '") + names.first.str() + "'";
    if (name.empty() || name == names.first || name == names.second)
      found.push_back(index);
  }
  if (found.size() == 1)
    return found.front();
  if (known.empty())
    return makeError(ErrorKind::Model, "there is no function to run");
  if (found.empty())
    return makeError(ErrorKind::Argument, "no function is named '" + name +
                                              "'; the functions are " + known);
  if (name.empty())
    return makeError(ErrorKind::Argument,
                     "expected " + chooser +
                         " to choose one of the functions " + known);
  return makeError(ErrorKind::Argument,
                   "more than one function is named '" + name + "'");
}

llvm::Expected<size_t> CompiledModel::findEntry(StringRef name,
                                                StringRef chooser) const {
  return findByName(
      name, chooser, llvm::map_to_vector(entries, [](const Entry &entry) {
        return EntryNames(entry.info.symbol, entry.info.graphName);
      }));
}

llvm::Error CompiledModel::checkCall(size_t entry, size_t numInputs,
                                     size_t numOutputs) const {
  if (entry >= entries.size())
    return makeIndexError("entry", entries.size(), entry);
  const EntryPointInfo &info = entries[entry].info;
  auto refuse = [&](StringRef what, size_t expected, size_t actual) {
    return makeError(ErrorKind::Count, "function '" + info.symbol + "' has " +
                                           Twine(expected) + " " + what +
                                           ", but got " + Twine(actual));
  };
  if (numInputs != info.inputs.size())
    return refuse("inputs", info.inputs.size(), numInputs);
  if (numOutputs != info.outputs.size())
    return refuse("outputs", info.outputs.size(), numOutputs);
  return llvm::Error::success();
}

/// Converts the status that an entry point returned to an error.
static llvm::Error getResult(int status, const char *message) {
  return status ? makeError(static_cast<ErrorKind>(status), message)
                : llvm::Error::success();
}

llvm::Error CompiledModel::getOutputSizes(size_t entry,
                                          ArrayRef<qf_tensor> inputs,
                                          ArrayRef<int64_t *> sizes) const {
  if (llvm::Error error = checkCall(entry, inputs.size(), sizes.size()))
    return error;
  char message[kMessageSize];
  return getResult(entries[entry].outputSizes(inputs.data(), sizes.data(),
                                              message, sizeof message),
                   message);
}

llvm::Error
CompiledModel::getOutputSizesOnHost(size_t entry, ArrayRef<qf_tensor> inputs,
                                    ArrayRef<int64_t *> sizes) const {
  if (target != Target::NVVM)
    return getOutputSizes(entry, inputs, sizes);
  // Shapes rarely depend on tensor data, so try without copying the data.
  std::vector<qf_tensor> shapes = inputs.vec();
  for (qf_tensor &shape : shapes)
    shape.data = nullptr;
  bool isMissed = false;
  llvm::Error error = llvm::handleErrors(
      getOutputSizes(entry, shapes, sizes),
      [&](std::unique_ptr<ModelError> failure) -> llvm::Error {
        isMissed = failure->kind == ErrorKind::Null;
        return isMissed ? llvm::Error::success()
                        : llvm::Error(std::move(failure));
      });
  if (error || !isMissed)
    return error;
  llvm::Expected<std::vector<Tensor>> deviceTensors =
      makeTensors(inputs, [](const qf_tensor &input) {
        return Tensor::copy(input, /*onDevice=*/true);
      });
  if (!deviceTensors)
    return deviceTensors.takeError();
  return getOutputSizes(entry, describe(*deviceTensors), sizes);
}

llvm::Error CompiledModel::run(size_t entry, ArrayRef<qf_tensor> inputs,
                               MutableArrayRef<qf_tensor> outputs) const {
  if (llvm::Error error = checkCall(entry, inputs.size(), outputs.size()))
    return error;
  char message[kMessageSize];
  return getResult(entries[entry].run(inputs.data(), outputs.data(), message,
                                      sizeof message),
                   message);
}

//===----------------------------------------------------------------------===//
// Runs on tensors
//===----------------------------------------------------------------------===//

llvm::Expected<std::vector<Tensor>>
CompiledModel::allocateOutputs(size_t entry, ArrayRef<qf_tensor> inputs) const {
  std::vector<SmallVector<int64_t>> sizes;
  std::vector<int64_t *> sizePointers;
  ArrayRef<EntryPointArgument> arguments;
  if (entry < entries.size())
    arguments = entries[entry].info.outputs;
  for (const EntryPointArgument &output : arguments)
    sizes.emplace_back(output.sizes.size());
  for (SmallVector<int64_t> &outputSizes : sizes)
    sizePointers.push_back(outputSizes.data());
  if (llvm::Error error = getOutputSizes(entry, inputs, sizePointers))
    return std::move(error);
  return makeTensors(
      llvm::zip_equal(arguments, sizes), [&](const auto &output) {
        return Tensor::allocate(std::get<0>(output).dtype, std::get<1>(output),
                                target == Target::NVVM);
      });
}

llvm::Expected<PreparedRun>
CompiledModel::prepare(size_t entry, ArrayRef<Tensor> inputs) const {
  PreparedRun run(*this, entry);
  run.inputs = inputs.vec();
  if (target == Target::NVVM) {
    llvm::Expected<std::vector<Tensor>> deviceTensors = makeTensors(
        inputs, [](const Tensor &input) { return input.copy(true); });
    if (!deviceTensors)
      return deviceTensors.takeError();
    run.inputs = std::move(*deviceTensors);
  }
  llvm::Expected<std::vector<Tensor>> outputs =
      allocateOutputs(entry, describe(run.inputs));
  if (!outputs)
    return outputs.takeError();
  run.outputs = std::move(*outputs);
  run.inputDescriptors = describe(run.inputs);
  run.outputDescriptors = describe(run.outputs);
  return run;
}

llvm::Error CompiledModel::runOnHost(size_t entry, ArrayRef<qf_tensor> inputs,
                                     MutableArrayRef<qf_tensor> outputs) const {
  if (target != Target::NVVM)
    return run(entry, inputs, outputs);
  if (llvm::Error error = checkCall(entry, inputs.size(), outputs.size()))
    return error;
  llvm::Expected<std::vector<Tensor>> results = makeTensors(
      outputs, [](const qf_tensor &output) { return Tensor::view(output); });
  if (!results)
    return results.takeError();
  llvm::Expected<std::vector<Tensor>> taken =
      makeTensors(inputs, [](const qf_tensor &input) {
        return Tensor::copy(input, /*onDevice=*/true);
      });
  if (!taken)
    return taken.takeError();
  llvm::Expected<std::vector<Tensor>> deviceTensors =
      makeTensors(*results, [](const Tensor &result) {
        return Tensor::allocate(result.getElement().number, result.getSizes(),
                                /*onDevice=*/true);
      });
  if (!deviceTensors)
    return deviceTensors.takeError();
  std::vector<qf_tensor> outputViews = describe(*deviceTensors);
  if (llvm::Error error = run(entry, describe(*taken), outputViews))
    return error;
  for (auto [output, result, computed] :
       llvm::zip_equal(outputs, *results, *deviceTensors))
    if (llvm::Error error = computed.read(
            {static_cast<char *>(output.data), result.getBytes().size()}))
      return error;
  return llvm::Error::success();
}

llvm::Error PreparedRun::run() {
  auto call = [&] {
    return model->run(entry, inputDescriptors, outputDescriptors);
  };
  return llvm::handleErrors(
      call(), [&](std::unique_ptr<ModelError> failure) -> llvm::Error {
        if (failure->kind != ErrorKind::Capacity)
          return llvm::Error(std::move(failure));
        // Allocate the capacity that the failed run requested.
        for (Tensor &output : outputs)
          if (llvm::Error error = output.makeRoom())
            return makeError(ErrorKind::Memory, std::move(error));
        return call();
      });
}

llvm::Expected<double> PreparedRun::time() {
  bool isOnDevice = model->getTarget() == Target::NVVM;
  if (isOnDevice)
    model->startTiming();
  auto start = std::chrono::steady_clock::now();
  llvm::Error error = run();
  std::chrono::duration<double> passed =
      std::chrono::steady_clock::now() - start;
  double seconds = isOnDevice ? model->stopTiming() : passed.count();
  if (error)
    return std::move(error);
  return seconds;
}

llvm::Expected<std::vector<Tensor>> PreparedRun::takeOutputs() {
  if (model->getTarget() == Target::NVVM)
    return makeTensors(outputs,
                       [](const Tensor &output) { return output.copy(); });
  return std::move(outputs);
}

llvm::Expected<std::vector<Tensor>>
CompiledModel::run(size_t entry, ArrayRef<Tensor> inputs) const {
  llvm::Expected<PreparedRun> prepared = prepare(entry, inputs);
  if (!prepared)
    return prepared.takeError();
  if (llvm::Error error = prepared->run())
    return std::move(error);
  return prepared->takeOutputs();
}

//===----------------------------------------------------------------------===//
// Comparison of two runs
//===----------------------------------------------------------------------===//

/// Returns the number that an element represents, and its bits.
static std::pair<double, uint64_t> readElement(Type type, const char *slot,
                                               unsigned bytes) {
  uint64_t bits = 0;
  for (unsigned i = 0; i < bytes; ++i)
    bits |= uint64_t(static_cast<unsigned char>(slot[i])) << (8 * i);
  unsigned width = getNumberWidth(type);
  APInt value(64, bits);
  value = value.trunc(width);
  bits = value.getZExtValue();
  if (!isFloat(type))
    return {type.isUnsignedInteger() || width == 1
                ? static_cast<double>(bits)
                : static_cast<double>(value.getSExtValue()),
            bits};
  llvm::APFloat number = FloatFormat(type).getValue(bits);
  if (number.isNaN())
    return {NAN, ~uint64_t(0)};
  return {number.convertToDouble(), bits};
}

llvm::Expected<TensorDifference>
quant_float::compareTensors(const qf_tensor &one, const qf_tensor &other) {
  auto take = [](const qf_tensor &source) {
    llvm::Expected<Tensor> tensor = Tensor::view(source);
    return tensor ? tensor->unpack() : std::move(tensor);
  };
  llvm::Expected<Tensor> first = take(one);
  if (!first)
    return first.takeError();
  llvm::Expected<Tensor> second = take(other);
  if (!second)
    return second.takeError();
  if (&first->getElement() != &second->getElement() ||
      first->getSizes() != second->getSizes())
    return makeError(ErrorKind::Size,
                     "expected tensors of the same type and shape, but got " +
                         first->spell() + " and " + second->spell());
  TensorDifference result;
  result.numElements = first->getNumElements();
  if (first->isOfStrings()) {
    for (int64_t i = 0; i < result.numElements; ++i)
      if (first->getString(i) != second->getString(i) && !result.numDiffering++)
        result.first = i;
    return result;
  }
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.loadDialect<QuantFloatDialect>();
  Type type = getTypeFromDataType(&context, first->getElement().number);
  unsigned bytes = first->getElement().getSlotBytes();
  for (int64_t i = 0; i < result.numElements; ++i) {
    auto read = [&](const Tensor &tensor) {
      return readElement(type, tensor.getBytes().data() + i * bytes, bytes);
    };
    auto [x, xBits] = read(*first);
    auto [y, yBits] = read(*second);
    if (xBits == yBits)
      continue;
    if (!result.numDiffering++)
      result.first = i;
    double difference = x == y ? 0 : std::fabs(x - y);
    // Keep a NaN as the largest difference.
    if (!(difference <= result.largest))
      result.largest = std::isnan(result.largest) ? result.largest : difference;
  }
  return result;
}
