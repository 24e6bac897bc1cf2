//===- quant-float-exec.cpp - Run a compiled library ----------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../RunTool.h"
#include "quant-float/Runtime/Cuda/CudaDevice.h"
#include "quant-float/Support/CompiledLibrary.h"
#include "quant-float/Support/InputFile.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>
#include <dlfcn.h>

using namespace mlir;
using namespace mlir::quant_float;
namespace cl = llvm::cl;

namespace {
struct Options : RunOptions {
  Options()
      : RunOptions("quant-float-exec", {".so"}, "MODEL.so",
                   "tensors for the inputs (.npy, raw .bin), in the order of "
                   "the graph or by name; accepts several values") {}

  cl::opt<bool> all{"all", cl::desc("run all functions in sequence")};
  cl::opt<bool> list{
      "list", cl::desc("print the contents of the library without running it")};
  cl::opt<bool> digest{"digest",
                       cl::desc("print a 64-bit hash of each output")};
  cl::opt<bool> mergeNaNs{
      "merge-nans",
      cl::desc("treat all NaNs as equal in hashes, because the sign of a NaN "
               "that arithmetic produces is unspecified")};
  cl::list<uint64_t> sweep{
      "sweep", cl::CommaSeparated, cl::value_desc("FIRST,COUNT"),
      cl::desc(
          "run functions with one input of one dynamic size on the COUNT "
          "elements with the encodings FIRST, FIRST + 1, ...; with --digest")};
  cl::opt<uint64_t> chunk{
      "chunk", cl::value_desc("N"), cl::init(uint64_t(1) << 26),
      cl::desc("number of elements of --sweep per call (default: 67108864)")};
  cl::opt<unsigned> device{"device", cl::value_desc("N"), cl::init(0),
                           cl::desc("index of the GPU (default: 0)")};
  cl::opt<uint64_t> offsetBytes{
      "offset-bytes", cl::value_desc("N"), cl::init(0),
      cl::desc("offset of all tensors from an aligned address, 0 to 4096 "
               "(default: 0)")};
  cl::opt<bool> showDevice{
      "show-device",
      cl::desc("print the chip and name of the GPU and the CUDA version that "
               "the driver supports; without MODEL.so")};

  llvm::Error check() const;
};

/// Runs the functions of a library.
class Runner {
public:
  Runner(Options &options, const qf_library &library)
      : options(options), library(library) {}
  llvm::Error run(const qf_entry &entry);
  llvm::Error sweep(ArrayRef<const qf_entry *> entries);

private:
  /// Returns an error about the library or its results.
  llvm::Error fail(const Twine &what) const {
    return quant_float::fail(options.model, what);
  }
  bool isOnDevice() const { return StringRef(library.target) == "nvvm"; }
  llvm::Expected<std::vector<TensorBuffer>> gatherInputs(const qf_entry &entry);
  llvm::Error openDevice();
  /// Calls the shape function of the entry point and returns its status.
  int findSizes(const qf_entry &entry, ArrayRef<qf_tensor> inputViews,
                std::vector<SmallVector<int64_t>> &sizes, std::string &error);
  /// `inputViews` are the inputs in the memory that the code reads.
  llvm::Error allocateOutputs(const qf_entry &entry,
                              ArrayRef<qf_tensor> inputViews,
                              std::vector<TensorBuffer> &outputs);
  llvm::Error call(const qf_entry &entry, ArrayRef<TensorBuffer> inputs,
                   std::vector<TensorBuffer> &outputs);
  llvm::Error measure(const qf_entry &entry, ArrayRef<qf_tensor> inputViews,
                      MutableArrayRef<qf_tensor> taken,
                      ArrayRef<TensorBuffer> inputs,
                      ArrayRef<TensorBuffer> outputs);
  void printDigests(const qf_entry &entry, uint64_t first,
                    MutableArrayRef<TensorBuffer> outputs);

  Options &options;
  const qf_library &library;
  /// The device that runs code for GPUs.
  std::optional<CudaDevice> device;
};

/// Device memory that is freed at the end.
class DeviceMemory {
public:
  explicit DeviceMemory(const CudaDevice *device) : device(device) {}
  ~DeviceMemory() {
    for (void *pointer : pointers)
      device->free(pointer);
  }
  llvm::Expected<char *> allocate(size_t bytes) {
    llvm::Expected<void *> pointer = device->allocate(bytes);
    if (!pointer)
      return pointer.takeError();
    pointers.push_back(*pointer);
    return static_cast<char *>(*pointer);
  }

private:
  const CudaDevice *device;
  std::vector<void *> pointers;
};
} // namespace

llvm::Error Options::check() const {
  if (llvm::Error error = checkRange("--chunk", 1, uint64_t(1) << 32, chunk))
    return error;
  if (llvm::Error error = checkRange("--offset-bytes", 0, 4096, offsetBytes))
    return error;
  if (llvm::Error error = checkRange("--device", 0, 1023, device))
    return error;
  if (!sweep.empty()) {
    if (sweep.size() != 2)
      return failUsage("--sweep: expected FIRST,COUNT, but got " +
                       Twine(sweep.size()) + " numbers");
    if (llvm::Error error =
            checkRange("--sweep: COUNT", 0, uint64_t(1) << 40, sweep[1]))
      return error;
  }
  if (showDevice && !model.empty())
    return failUsage("--show-device: expected no library");
  if (!showDevice && model.empty())
    return failUsage("expected a shared library, see --help");
  if (all && (!entry.empty() || !inputs.empty() || !outputs.empty()))
    return failUsage("--all: expected none of --entry, --inputs, --outputs");
  if (mergeNaNs && !digest)
    return failUsage("--merge-nans: expected --digest");
  if (!sweep.empty() && (random.getNumOccurrences() || !inputs.empty() ||
                         !shapes.empty() || !outputs.empty() || time))
    return failUsage("--sweep: expected none of --random, --inputs, --shapes, "
                     "--outputs, --time");
  return llvm::Error::success();
}

static llvm::Error showDevice(const Options &options) {
  llvm::Expected<CudaDevice> device =
      CudaDevice::open(static_cast<int>(options.device));
  if (!device)
    return device.takeError();
  llvm::Expected<std::string> name = device->getName();
  if (!name)
    return name.takeError();
  llvm::Expected<std::string> version = device->getCudaVersion();
  if (!version)
    return version.takeError();
  llvm::outs() << "sm_" << device->getCapability() << "\n"
               << *name << "\n"
               << *version << "\n";
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Libraries
//===----------------------------------------------------------------------===//

static llvm::Expected<const qf_library *> openLibrary(const std::string &path) {
  // dlopen would block on a pipe.
  if (llvm::Error error = openRegularFile(path).takeError())
    return fail(path, "cannot be read: " + llvm::toString(std::move(error)),
                kWrongUsage);
  // dlopen searches for names without a slash. The library is never closed,
  // because threads of its runtimes may outlive the run.
  bool hasFolder = StringRef(path).contains('/');
  void *object =
      dlopen(((hasFolder ? "" : "./") + path).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!object)
    return fail(path, "cannot be loaded: " + Twine(dlerror()));
  llvm::Expected<const qf_library *> library = getLibraryDescription(object);
  if (!library)
    return fail(path, llvm::toString(library.takeError()));
  return library;
}

static llvm::Expected<std::vector<const qf_entry *>>
selectEntries(const Options &options, const qf_library &library) {
  const std::string &name = options.entry;
  SmallVector<std::string> names;
  std::vector<const qf_entry *> entries;
  for (const qf_entry &entry :
       ArrayRef(library.entries, size_t(library.num_entries))) {
    names.push_back("'" + std::string(entry.symbol) + "'");
    // Symbols are unique; graph names need not be.
    if (name == entry.symbol)
      return std::vector<const qf_entry *>{&entry};
    // The symbol has a prefix if the graph's name was not available.
    if (name.empty() || name == entry.graph_name ||
        "graph_" + name == entry.symbol)
      entries.push_back(&entry);
  }
  if (names.empty())
    return fail(options.model, "there is no function to run");
  if (entries.empty())
    return fail(options.model,
                "no function is named '" + name + "'; the functions are " +
                    llvm::join(names, ", "),
                kWrongUsage);
  if (entries.size() > 1 && !options.all)
    return fail(options.model,
                "expected --entry to choose one of the functions " +
                    llvm::join(names, ", ") + ", or --all",
                kWrongUsage);
  return entries;
}

static std::string quote(StringRef name) {
  return name.empty() ? "" : (" '" + name + "'").str();
}

static void list(const qf_library &library) {
  llvm::outs() << library.producer << ", for " << library.target
               << (*library.chip ? " " : "") << library.chip << " ("
               << library.triple << ", " << library.cpu << ")\n";
  auto print = [](const char *kind, const qf_argument *arguments,
                  int32_t count) {
    for (int32_t i = 0; i < count; ++i) {
      const ElementInfo *element = findSlotElement(arguments[i].dtype);
      ElementInfo unknown = {};
      unknown.onnx = "?";
      llvm::outs() << "  " << kind << " " << i << quote(arguments[i].name)
                   << ": "
                   << spellTensor(element ? *element : unknown,
                                  ArrayRef(arguments[i].sizes,
                                           size_t(arguments[i].rank)))
                   << "\n";
    }
  };
  for (const qf_entry &entry :
       ArrayRef(library.entries, size_t(library.num_entries))) {
    llvm::outs() << entry.symbol << quote(entry.graph_name) << "\n";
    print("input", entry.inputs, entry.num_inputs);
    print("output", entry.outputs, entry.num_outputs);
  }
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

llvm::Expected<std::vector<TensorBuffer>>
Runner::gatherInputs(const qf_entry &entry) {
  std::vector<RunInput> inputs;
  for (const qf_argument &argument :
       ArrayRef(entry.inputs, size_t(entry.num_inputs))) {
    inputs.push_back(
        {argument.name, findSlotElement(argument.dtype),
         SmallVector<int64_t>(argument.sizes, argument.sizes + argument.rank),
         ""});
    if (!inputs.back().element)
      return fail(describeInput(inputs, inputs.size() - 1) +
                  ": unknown element type " + Twine(argument.dtype));
  }
  // With --all, some functions may lack an input that --shapes names.
  return options.gatherInputs(std::move(inputs), options.offsetBytes,
                              /*ignoresUnknown=*/options.all);
}

llvm::Error Runner::openDevice() {
  if (!isOnDevice() || device)
    return llvm::Error::success();
  llvm::Expected<CudaDevice> opened =
      CudaDevice::open(static_cast<int>(options.device));
  if (!opened)
    return opened.takeError();
  device.emplace(std::move(*opened));
  return llvm::Error::success();
}

int Runner::findSizes(const qf_entry &entry, ArrayRef<qf_tensor> inputViews,
                      std::vector<SmallVector<int64_t>> &sizes,
                      std::string &error) {
  sizes.clear();
  for (const qf_argument &output :
       ArrayRef(entry.outputs, size_t(entry.num_outputs)))
    sizes.emplace_back(output.rank);
  auto sizePointers = llvm::map_to_vector(
      sizes, [](SmallVector<int64_t> &each) { return each.data(); });
  char message[512] = "";
  int status = entry.output_sizes(inputViews.data(), sizePointers.data(),
                                  message, sizeof message);
  error = message;
  return status;
}

/// Reuses the memory of the last call if the shape is the same.
llvm::Error Runner::allocateOutputs(const qf_entry &entry,
                                    ArrayRef<qf_tensor> inputViews,
                                    std::vector<TensorBuffer> &outputs) {
  std::vector<SmallVector<int64_t>> sizes;
  std::string error;
  if (findSizes(entry, inputViews, sizes, error))
    return fail(error);
  ArrayRef<qf_argument> arguments(entry.outputs, size_t(entry.num_outputs));
  std::vector<TensorBuffer> before = std::move(outputs);
  outputs.clear();
  for (auto [index, output] : llvm::enumerate(arguments)) {
    if (index < before.size() &&
        before[index].getSizes() == ArrayRef(sizes[index])) {
      outputs.push_back(std::move(before[index]));
      continue;
    }
    const ElementInfo *element = findSlotElement(output.dtype);
    if (!element)
      return fail("output " + Twine(index) + ": unknown element type " +
                  Twine(output.dtype));
    llvm::Expected<TensorBuffer> tensor =
        TensorBuffer::allocate(*element, sizes[index], options.offsetBytes);
    if (!tensor)
      return fail(llvm::toString(tensor.takeError()));
    outputs.push_back(std::move(*tensor));
  }
  return llvm::Error::success();
}

/// Measures --repeat calls and prints the output of --time. The library
/// measures GPU time itself.
llvm::Error Runner::measure(const qf_entry &entry,
                            ArrayRef<qf_tensor> inputViews,
                            MutableArrayRef<qf_tensor> taken,
                            ArrayRef<TensorBuffer> inputs,
                            ArrayRef<TensorBuffer> outputs) {
  size_t bytes = 0;
  for (ArrayRef<TensorBuffer> tensors : {inputs, outputs})
    for (const TensorBuffer &tensor : tensors)
      bytes += tensor.getBytes().size();
  // A copy reads and writes each of its bytes.
  size_t half = bytes / 2;
  DeviceMemory memory(device ? &*device : nullptr);
  char *sizePointers[2] = {};
  if (device)
    for (char *&makeView : sizePointers) {
      llvm::Expected<char *> pointer = memory.allocate(half);
      if (!pointer)
        return pointer.takeError();
      makeView = *pointer;
    }
  std::vector<double> seconds, copySeconds;
  for (unsigned i = 0; i < options.repeat; ++i) {
    char message[512] = "";
    auto start = std::chrono::steady_clock::now();
    if (library.start_timing)
      library.start_timing();
    int status =
        entry.run(inputViews.data(), taken.data(), message, sizeof message);
    std::chrono::duration<double> passed =
        std::chrono::steady_clock::now() - start;
    seconds.push_back(library.stop_timing ? library.stop_timing()
                                          : passed.count());
    if (status)
      return fail(message);
    if (!device)
      continue;
    // Alternate between the two, so that both experience the same interference.
    llvm::Expected<double> copy =
        device->timeCopy(sizePointers[0], sizePointers[1], half);
    if (!copy)
      return copy.takeError();
    copySeconds.push_back(*copy);
  }
  double best = options.printTimes(std::move(seconds), outputs);
  if (!device)
    return llvm::Error::success();
  auto perSecond = [](double count, double time) {
    return time > 0 ? count / time : 0.0;
  };
  double copy = *llvm::min_element(copySeconds);
  llvm::outs() << "bytes: " << bytes << "\n"
               << llvm::format("bytes_per_second: %.9g\n"
                               "copy_best_seconds: %.9g\n"
                               "copy_bytes_per_second: %.9g\n",
                               perSecond(static_cast<double>(bytes), best),
                               copy,
                               perSecond(static_cast<double>(bytes), copy))
               << llvm::format("of_copy: %.9g\n", perSecond(copy, best));
  return llvm::Error::success();
}

llvm::Error Runner::call(const qf_entry &entry, ArrayRef<TensorBuffer> inputs,
                         std::vector<TensorBuffer> &outputs) {
  // Report wrong inputs even if there is no device.
  if (isOnDevice()) {
    std::vector<qf_tensor> shapes;
    for (const TensorBuffer &input : inputs)
      shapes.push_back(input.getDescriptor());
    for (qf_tensor &shape : shapes)
      shape.data = nullptr;
    std::vector<SmallVector<int64_t>> sizes;
    std::string error;
    int status = findSizes(entry, shapes, sizes, error);
    // QF_ERROR_NULL means that the shapes are data-dependent.
    if (status && status != QF_ERROR_NULL)
      return fail(error);
  }
  if (llvm::Error error = openDevice())
    return error;
  DeviceMemory memory(device ? &*device : nullptr);
  std::vector<qf_tensor> inputViews, taken;
  auto makeView = [&](const TensorBuffer &tensor,
                      std::vector<qf_tensor> &list) -> llvm::Error {
    qf_tensor &descriptor = list.emplace_back(tensor.getDescriptor());
    if (!device)
      return llvm::Error::success();
    llvm::Expected<char *> pointer =
        memory.allocate(tensor.getBytes().size() + options.offsetBytes);
    if (!pointer)
      return pointer.takeError();
    descriptor.data = *pointer + options.offsetBytes;
    return &list == &taken ? llvm::Error::success()
                           : device->upload(descriptor.data, tensor.getBytes());
  };
  for (const TensorBuffer &input : inputs)
    if (llvm::Error error = makeView(input, inputViews))
      return error;
  if (llvm::Error error = allocateOutputs(entry, inputViews, outputs))
    return error;
  for (const TensorBuffer &output : outputs)
    if (llvm::Error error = makeView(output, taken))
      return error;
  char message[512] = "";
  int status =
      entry.run(inputViews.data(), taken.data(), message, sizeof message);
  // Allocate the capacity that the call requested.
  for (size_t i = 0; status == QF_ERROR_CAPACITY && i < outputs.size(); ++i)
    if (llvm::Error error = outputs[i].makeRoom())
      return fail(llvm::toString(std::move(error)));
  if (status == QF_ERROR_CAPACITY)
    status =
        entry.run(inputViews.data(), taken.data(), message, sizeof message);
  if (status)
    return fail(message);
  if (options.time)
    if (llvm::Error error = measure(entry, inputViews, taken, inputs, outputs))
      return error;
  if (device)
    for (auto [output, descriptor] : llvm::zip_equal(outputs, taken))
      if (llvm::Error error =
              device->download(output.getMutableBytes(), descriptor.data))
        return error;
  return llvm::Error::success();
}

void Runner::printDigests(const qf_entry &entry, uint64_t first,
                          MutableArrayRef<TensorBuffer> outputs) {
  for (auto [index, output] : llvm::enumerate(outputs)) {
    int64_t count = output.getNumElements();
    if (options.mergeNaNs && !output.isOfStrings())
      mergeNaNs(output.getElement(), output.getMutableBytes().data(), count);
    // Columns: function, output, first element, number of elements, hash.
    llvm::outs() << "digest: " << entry.symbol << " " << index << " " << first
                 << " " << count << " "
                 << llvm::format_hex_no_prefix(digest(output), 16) << "\n";
  }
}

llvm::Error Runner::run(const qf_entry &entry) {
  llvm::Expected<std::vector<TensorBuffer>> inputs = gatherInputs(entry);
  if (!inputs)
    return inputs.takeError();
  if (options.all && !options.digest)
    llvm::outs() << "entry: " << entry.symbol << "\n";
  std::vector<TensorBuffer> outputs;
  if (llvm::Error error = call(entry, *inputs, outputs))
    return error;
  inputs->clear();
  if (!options.digest || !options.outputs.empty())
    if (llvm::Error error = options.writeOutputs(outputs))
      return error;
  if (options.digest)
    printDigests(entry, 0, outputs);
  return llvm::Error::success();
}

llvm::Error Runner::sweep(ArrayRef<const qf_entry *> entries) {
  for (const qf_entry *entry : entries)
    if (entry->num_inputs != 1 || entry->inputs[0].rank != 1 ||
        entry->inputs[0].sizes[0] >= 0 ||
        !findSlotElement(entry->inputs[0].dtype) ||
        entry->inputs[0].dtype == QF_STRING)
      return fail("'" + Twine(entry->symbol) +
                  "': expected one input with one dynamic size for --sweep");
  // The outputs of each function, whose memory the next chunk reuses.
  std::vector<std::vector<TensorBuffer>> outputs(entries.size());
  std::vector<TensorBuffer> input;
  uint64_t total = options.sweep[1];
  for (uint64_t done = 0; done < total; done += options.chunk) {
    auto count =
        static_cast<int64_t>(std::min<uint64_t>(options.chunk, total - done));
    uint64_t first = options.sweep[0] + done;
    const ElementInfo *filled = nullptr;
    for (auto [entry, taken] : llvm::zip_equal(entries, outputs)) {
      const ElementInfo *element = findSlotElement(entry->inputs[0].dtype);
      if (input.empty() || &input[0].getElement() != element ||
          input[0].getSizes() != ArrayRef(count)) {
        input.clear();
        llvm::Expected<TensorBuffer> tensor =
            TensorBuffer::allocate(*element, count, options.offsetBytes);
        if (!tensor)
          return fail(llvm::toString(tensor.takeError()));
        input.push_back(std::move(*tensor));
      }
      if (element != filled)
        fillRange(*element, input[0].getMutableBytes().data(), count, first);
      filled = element;
      if (llvm::Error error = call(*entry, input, taken))
        return error;
      if (options.digest)
        printDigests(*entry, first, taken);
    }
  }
  return llvm::Error::success();
}

static llvm::Error runLibrary(Options &options) {
  llvm::Expected<const qf_library *> library = openLibrary(options.model);
  if (!library)
    return library.takeError();
  if (options.list) {
    list(**library);
    return llvm::Error::success();
  }
  auto entries = selectEntries(options, **library);
  if (!entries)
    return entries.takeError();
  Runner runner(options, **library);
  if (!options.sweep.empty())
    return runner.sweep(*entries);
  for (const qf_entry *entry : *entries)
    if (llvm::Error error = runner.run(*entry))
      return error;
  return llvm::Error::success();
}

int main(int argc, char **argv) {
  reportShortenedFiles();
  // Remove LLVM's own options.
  cl::ResetCommandLineParser();
  cl::SetVersionPrinter([](llvm::raw_ostream &os) {
    os << "quant-float-exec, part of quant-float " QUANT_FLOAT_VERSION "\n";
  });
  Options options;
  llvm::Error error = options.parse(
      argc, argv, "runs a shared library of quant-float-compile\n");
  if (!error)
    error = options.check();
  if (!error)
    error = options.showDevice ? showDevice(options) : runLibrary(options);
  // Errors of the device do not contain the name of the library.
  if (error && !error.isA<ToolFailure>())
    error =
        fail(options.showDevice ? "quant-float-exec" : StringRef(options.model),
             llvm::toString(std::move(error)));
  return RunOptions::finish(std::move(error));
}
