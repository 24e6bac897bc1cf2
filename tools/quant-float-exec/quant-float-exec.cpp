//===- quant-float-exec.cpp - Run a compiled library ----------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Options.h"
#include "Tensors.h"
#include "quant-float/Support/OutputFile.h"
#include "quant-float/TensorData/Npy.h"
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <sys/stat.h>

using namespace quant_float_exec;
using namespace mlir::quant_float;

namespace {

/// Everything between the command line and the exit code.
class Session {
public:
  Session(const Options &options, Error &error)
      : options(options), error(error) {}
  bool run();

private:
  /// What is wrong with the library, or with what it computes.
  bool fail(const std::string &what, int code = kWrongInput) {
    return error.fail(options.path, what, code);
  }
  bool showDevice();
  bool openDevice();
  bool openLibrary();
  bool selectEntries();
  void list() const;
  bool plan(const qf_entry &entry, InputPlan &inputs);
  bool gatherInputs(const qf_entry &entry, std::vector<Tensor> &inputs);
  bool isOnDevice() const { return !std::strcmp(library->target, "nvvm"); }
  bool allocateOutputs(const qf_entry &entry, const std::vector<Tensor> &inputs,
                       std::vector<Tensor> &outputs);
  bool call(const qf_entry &entry, const std::vector<Tensor> &inputs,
            std::vector<Tensor> &outputs);
  bool measure(const qf_entry &entry, const std::vector<qf_tensor> &inputs,
               std::vector<qf_tensor> &outputs, size_t bytes, int64_t elements);
  bool runEntry(const qf_entry &entry);
  bool sweep();
  void printDigests(const qf_entry &entry, uint64_t first,
                    std::vector<Tensor> &outputs);
  bool writeOutputs(const std::vector<Tensor> &outputs);

  const Options &options;
  Error &error;
  const qf_library *library = nullptr;
  std::vector<const qf_entry *> entries;
  CudaContext context;
};

} // namespace

/// Of code for the CPU, and when it is open, nothing.
bool Session::openDevice() {
  std::string what;
  if (library && (!isOnDevice() || context.isOpen()))
    return true;
  return context.open(options.device, what) ||
         (library ? fail(what) : error.fail("quant-float-exec", what));
}

bool Session::showDevice() {
  std::string name, version, what;
  if (!openDevice())
    return false;
  if (!context.getName(name, what) || !context.getCudaVersion(version, what))
    return error.fail("quant-float-exec", what);
  std::printf("sm_%u\n%s\n%s\n", context.getCapability(), name.c_str(),
              version.c_str());
  return true;
}

static bool isWhole(const qf_argument *arguments, int32_t count) {
  if (count < 0 || (count && !arguments))
    return false;
  return std::all_of(arguments, arguments + count, [](const qf_argument &one) {
    return one.name && one.rank >= 0 && (one.sizes || !one.rank);
  });
}

/// Whether nothing is missing that is looked at below.
static bool isWhole(const qf_library &library) {
  if (library.version < 1 || library.size < sizeof(qf_library) ||
      !library.producer || !library.target || !library.triple || !library.cpu ||
      !library.chip || library.num_entries < 0 ||
      (library.num_entries && !library.entries))
    return false;
  return std::all_of(library.entries, library.entries + library.num_entries,
                     [](const qf_entry &entry) {
                       return entry.symbol && entry.graph_name && entry.run &&
                              entry.output_sizes &&
                              isWhole(entry.inputs, entry.num_inputs) &&
                              isWhole(entry.outputs, entry.num_outputs);
                     });
}

bool Session::openLibrary() {
  struct stat status;
  std::string path = options.path;
  if (stat(path.c_str(), &status))
    return fail("cannot be read: " + std::string(std::strerror(errno)),
                kWrongUsage);
  // The loader would wait for the writer of a pipe.
  if (!S_ISREG(status.st_mode))
    return fail("cannot be read: it is not a regular file", kWrongUsage);
  // A name without a slash would be looked for elsewhere.
  if (path.find('/') == path.npos)
    path.insert(0, "./");
  // It stays: threads of its runtimes may outlive what is run here.
  void *object = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!object)
    return fail("cannot be loaded: " + std::string(dlerror()));
  using Get = const qf_library *();
  auto get = reinterpret_cast<Get *>(dlsym(object, "qf_get_library"));
  if (!get)
    return fail("expected a shared library that quant-float-compile has "
                "written, but it has no qf_get_library");
  library = get();
  if (!library)
    return fail("qf_get_library gave no description");
  if (library->version > QF_LIBRARY_VERSION) {
    uint32_t version = library->version;
    return fail("expected a description of version " +
                std::to_string(QF_LIBRARY_VERSION) + " or older, but got " +
                std::to_string(version) + ": a newer quant-float wrote it");
  }
  if (!isWhole(*library))
    return fail("the description of its functions is damaged");
  return true;
}

bool Session::selectEntries() {
  std::string names;
  for (int32_t i = 0; i < library->num_entries; ++i) {
    const qf_entry &entry = library->entries[i];
    names += (names.empty() ? "'" : ", '") + std::string(entry.symbol) + "'";
    // A function whose name was taken has a prefix.
    if (options.entry.empty() || options.entry == entry.symbol ||
        options.entry == entry.graph_name ||
        "graph_" + options.entry == entry.symbol)
      entries.push_back(&entry);
  }
  if (names.empty())
    return fail("there is no function to run");
  // A symbol is one function's alone; the other names need not be.
  for (const qf_entry *entry : entries)
    if (options.entry == entry->symbol) {
      entries = {entry};
      break;
    }
  if (entries.empty())
    return fail("no function is called '" + options.entry + "', there are " +
                    names,
                kWrongUsage);
  if (entries.size() > 1 && !options.isAll)
    return fail("expected --entry to choose one of the functions " + names +
                    ", or --all",
                kWrongUsage);
  return true;
}

void Session::list() const {
  std::printf("%s, for %s%s%s (%s, %s)\n", library->producer, library->target,
              *library->chip ? " " : "", library->chip, library->triple,
              library->cpu);
  auto print = [](const char *kind, const qf_argument *arguments,
                  int32_t count) {
    for (int32_t i = 0; i < count; ++i) {
      const qf_argument &argument = arguments[i];
      const ElementLayout *element = getElementLayout(argument.dtype);
      ElementLayout unknown = {};
      unknown.name = "?";
      std::string text =
          spellTensor(element ? *element : unknown,
                      {argument.sizes, argument.sizes + argument.rank});
      std::printf("  %s %d%s%s%s: %s\n", kind, i, *argument.name ? " '" : "",
                  argument.name, *argument.name ? "'" : "", text.c_str());
    }
  };
  for (int32_t i = 0; i < library->num_entries; ++i) {
    const qf_entry &entry = library->entries[i];
    std::printf("%s%s%s%s\n", entry.symbol, *entry.graph_name ? " '" : "",
                entry.graph_name, *entry.graph_name ? "'" : "");
    print("input", entry.inputs, entry.num_inputs);
    print("output", entry.outputs, entry.num_outputs);
  }
}

bool Session::plan(const qf_entry &entry, InputPlan &inputs) {
  for (int32_t i = 0; i < entry.num_inputs; ++i) {
    const qf_argument &argument = entry.inputs[i];
    PlannedInput &input = inputs.inputs.emplace_back();
    input.name = argument.name;
    input.element = getElementLayout(argument.dtype);
    input.sizes = {argument.sizes, argument.sizes + argument.rank};
    if (!input.element)
      return fail(inputs.describe(i) + ": unknown element type " +
                  std::to_string(argument.dtype));
  }
  return true;
}

bool Session::gatherInputs(const qf_entry &entry, std::vector<Tensor> &inputs) {
  InputPlan given;
  std::string what;
  if (!plan(entry, given))
    return false;
  std::vector<InputShape> shapes = options.shapes;
  // Of all functions, some have no such input.
  if (options.isAll)
    shapes.erase(std::remove_if(shapes.begin(), shapes.end(),
                                [&](const InputShape &shape) {
                                  return !given.find(shape.name);
                                }),
                 shapes.end());
  if (!given.applyShapes(shapes, what) ||
      !given.assignFiles(options.inputs, what))
    return error.failUsage(what);
  for (size_t i = 0; i < given.inputs.size(); ++i) {
    const PlannedInput &input = given.inputs[i];
    Tensor &tensor = inputs.emplace_back();
    if (!input.file.empty()) {
      // An unreadable file is wrong usage; what is in it is input.
      if (Memory file; !file.map(input.file, what))
        return error.fail(input.file,
                          given.describe(i) + " cannot be read: " + what,
                          kWrongUsage);
      if (!tensor.read(input, options.offsetBytes, what))
        return error.fail(input.file, given.describe(i) + ": " + what);
      continue;
    }
    if (!given.canBeRandom(i, options.seed.has_value(), what))
      return error.failUsage(what);
    tensor.element = input.element;
    tensor.sizes = input.sizes;
    if (!tensor.allocate(options.offsetBytes, what))
      return fail(given.describe(i) + ": " + what);
    fillRandom(*tensor.element, tensor.data, tensor.getNumElements(),
               getInputSeed(*options.seed, i));
  }
  return true;
}

bool Session::allocateOutputs(const qf_entry &entry,
                              const std::vector<Tensor> &inputs,
                              std::vector<Tensor> &outputs) {
  std::vector<qf_tensor> given;
  for (const Tensor &input : inputs)
    given.push_back(input.describe(input.data));
  std::vector<int64_t *> places;
  outputs.resize(entry.num_outputs);
  for (int32_t i = 0; i < entry.num_outputs; ++i) {
    outputs[i].element = getElementLayout(entry.outputs[i].dtype);
    if (!outputs[i].element)
      return fail("output " + std::to_string(i) + ": unknown element type " +
                  std::to_string(entry.outputs[i].dtype));
    outputs[i].sizes.resize(entry.outputs[i].rank);
    places.push_back(outputs[i].sizes.data());
  }
  char text[512] = "";
  std::string what;
  if (entry.output_sizes(given.data(), places.data(), text, sizeof text))
    return fail(text);
  for (Tensor &output : outputs)
    if (!output.allocate(options.offsetBytes, what))
      return fail(what);
  return true;
}

/// Prints what --time promises, of so many calls, which measure themselves.
bool Session::measure(const qf_entry &entry,
                      const std::vector<qf_tensor> &inputs,
                      std::vector<qf_tensor> &outputs, size_t bytes,
                      int64_t elements) {
  char text[512] = "";
  std::string what;
  // A copy reads and writes each of its bytes.
  size_t half = bytes / 2;
  DeviceMemory from(context), to(context);
  if (isOnDevice() &&
      (!from.allocate(half, 0, what) || !to.allocate(half, 0, what)))
    return fail(what);
  std::vector<double> seconds, copySeconds;
  for (unsigned i = 0; i < options.repeat; ++i) {
    auto start = std::chrono::steady_clock::now();
    if (library->start_timing)
      library->start_timing();
    int status = entry.run(inputs.data(), outputs.data(), text, sizeof text);
    std::chrono::duration<double> passed =
        std::chrono::steady_clock::now() - start;
    seconds.push_back(library->stop_timing ? library->stop_timing()
                                           : passed.count());
    if (status)
      return fail(text);
    // By turns: what slows one slows the other.
    if (isOnDevice() && !context.timeCopy(to.get(), from.get(), half,
                                          copySeconds.emplace_back(), what))
      return fail(what);
  }
  std::sort(seconds.begin(), seconds.end());
  double best = seconds.front();
  double median =
      (seconds[(options.repeat - 1) / 2] + seconds[options.repeat / 2]) / 2;
  auto perSecond = [](double count, double time) {
    return time > 0 ? count / time : 0.0;
  };
  std::printf("best_seconds: %.9g\nmedian_seconds: %.9g\n"
              "elements: %" PRId64 "\nelements_per_second: %.6g\n",
              best, median, elements,
              perSecond(static_cast<double>(elements), best));
  if (!isOnDevice())
    return true;
  double copy = *std::min_element(copySeconds.begin(), copySeconds.end());
  std::printf("bytes: %zu\nbytes_per_second: %.9g\ncopy_best_seconds: %.9g\n"
              "copy_bytes_per_second: %.9g\nof_copy: %.9g\n",
              bytes, perSecond(static_cast<double>(bytes), best), copy,
              perSecond(static_cast<double>(bytes), copy),
              perSecond(copy, best));
  return true;
}

bool Session::call(const qf_entry &entry, const std::vector<Tensor> &inputs,
                   std::vector<Tensor> &outputs) {
  // What is wrong with the inputs is said without a device.
  if (!allocateOutputs(entry, inputs, outputs) || !openDevice())
    return false;
  std::vector<DeviceMemory> held;
  std::vector<qf_tensor> given, taken;
  std::string what;
  size_t bytes = 0;
  int64_t elements = 0;
  auto add = [&](const Tensor &tensor, bool isInput,
                 std::vector<qf_tensor> &list) {
    void *where = tensor.data;
    bytes += tensor.bytes;
    if (isOnDevice()) {
      DeviceMemory &memory = held.emplace_back(context);
      if (!memory.allocate(tensor.bytes, options.offsetBytes, what) ||
          (isInput &&
           !context.upload(memory.get(), tensor.data, tensor.bytes, what)))
        return fail(what);
      where = reinterpret_cast<void *>(static_cast<uintptr_t>(memory.get()));
    }
    list.push_back(tensor.describe(where));
    return true;
  };
  for (const Tensor &input : inputs)
    if (!add(input, true, given))
      return false;
  for (const Tensor &output : outputs) {
    if (!add(output, false, taken))
      return false;
    elements += output.getNumElements();
  }
  char text[512] = "";
  if (entry.run(given.data(), taken.data(), text, sizeof text))
    return fail(text);
  if (options.isTimed && !measure(entry, given, taken, bytes, elements))
    return false;
  for (size_t i = 0; isOnDevice() && i < outputs.size(); ++i)
    if (!context.download(outputs[i].data, held[inputs.size() + i].get(),
                          outputs[i].bytes, what))
      return fail(what);
  return true;
}

void Session::printDigests(const qf_entry &entry, uint64_t first,
                           std::vector<Tensor> &outputs) {
  for (size_t i = 0; i < outputs.size(); ++i) {
    Tensor &output = outputs[i];
    int64_t count = output.getNumElements();
    if (options.mergesNaNs)
      mergeNaNs(*output.element, output.data, count);
    // Which function, which output, which elements.
    std::printf("digest: %s %zu %" PRIu64 " %" PRId64 " %016" PRIx64 "\n",
                entry.symbol, i, first, count,
                digest(output.data, output.bytes));
  }
}

bool Session::writeOutputs(const std::vector<Tensor> &outputs) {
  // With all folders above it.
  const std::string &folder = options.outputs;
  for (size_t end = 1; end <= folder.size(); ++end) {
    if (end != folder.size() && folder[end] != '/')
      continue;
    struct stat status;
    std::string part = folder.substr(0, end);
    if (mkdir(part.c_str(), 0777) &&
        (errno != EEXIST || stat(part.c_str(), &status) ||
         !S_ISDIR(status.st_mode)))
      return error.fail(folder,
                        "cannot be made: " + std::string(std::strerror(errno)),
                        kWrongUsage);
  }
  std::vector<OutputFile> files;
  files.reserve(outputs.size());
  for (size_t i = 0; i < outputs.size(); ++i) {
    const Tensor &output = outputs[i];
    OutputFile &file =
        files.emplace_back(folder + "/output_" + std::to_string(i) + ".npy");
    file.write(makeNpyHeader(*output.element, output.sizes)) &&
        file.write({output.data, output.bytes});
  }
  if (OutputFile *failed = OutputFile::commitAll(files.data(), files.size()))
    return error.fail(failed->getPath(),
                      "cannot be written: " + failed->getError().message(),
                      kWrongUsage);
  return true;
}

bool Session::runEntry(const qf_entry &entry) {
  std::vector<Tensor> inputs, outputs;
  if (!gatherInputs(entry, inputs))
    return false;
  if (options.isAll && !options.printsDigests)
    std::printf("entry: %s\n", entry.symbol);
  if (!call(entry, inputs, outputs))
    return false;
  inputs.clear();
  if (!options.outputs.empty() && !writeOutputs(outputs))
    return false;
  if (options.printsDigests)
    printDigests(entry, 0, outputs);
  else if (options.outputs.empty())
    for (size_t i = 0; i < outputs.size(); ++i)
      std::printf("output_%zu: %s\n", i,
                  spellTensor(*outputs[i].element, outputs[i].sizes).c_str());
  return true;
}

bool Session::sweep() {
  for (const qf_entry *entry : entries)
    if (entry->num_inputs != 1 || entry->inputs[0].rank != 1 ||
        entry->inputs[0].sizes[0] >= 0 ||
        !getElementLayout(entry->inputs[0].dtype))
      return fail("'" + std::string(entry->symbol) +
                  "': expected one input of one open size for --sweep");
  // The outputs of each function, whose memory the next chunk takes again.
  std::vector<std::vector<Tensor>> outputs(entries.size());
  std::vector<Tensor> inputs(1);
  std::string what;
  for (uint64_t done = 0; done < options.count; done += options.chunk) {
    uint64_t count = std::min(options.chunk, options.count - done);
    uint64_t first = options.first + done;
    Tensor &input = inputs[0];
    input.element = nullptr;
    for (size_t i = 0; i < entries.size(); ++i) {
      const ElementLayout *element =
          getElementLayout(entries[i]->inputs[0].dtype);
      if (element != input.element) {
        input.element = element;
        input.sizes = {static_cast<int64_t>(count)};
        if (!input.allocate(options.offsetBytes, what))
          return fail(what);
        fillRange(*element, input.data, input.getNumElements(), first);
      }
      if (!call(*entries[i], inputs, outputs[i]))
        return false;
      if (options.printsDigests)
        printDigests(*entries[i], first, outputs[i]);
    }
  }
  return true;
}

bool Session::run() {
  if (options.showsDevice)
    return showDevice();
  if (!openLibrary())
    return false;
  if (options.lists) {
    list();
    return true;
  }
  if (!selectEntries())
    return false;
  if (options.isSweep)
    return sweep();
  for (const qf_entry *entry : entries)
    if (!runEntry(*entry))
      return false;
  return true;
}

int main(int argc, char **argv) {
  Options options;
  Error error;
  if (parseOptions(argc, argv, options, error))
    Session(options, error).run();
  if (error.exitCode == kDone && (std::fflush(stdout) || std::ferror(stdout)))
    error.fail("standard output",
               "cannot be written: " + std::string(std::strerror(errno)),
               kWrongUsage);
  if (error.exitCode != kDone)
    std::fprintf(stderr, "%s\n", error.text.c_str());
  return error.exitCode;
}
