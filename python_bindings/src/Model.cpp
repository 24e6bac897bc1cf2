//===- Model.cpp - Models and their sessions ------------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Native.h"
#include <atomic>
#include <memory>
#include <mutex>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <stdexcept>

using namespace quant_float_python;

namespace {

/// Compile options as Python passes them. Empty strings select the defaults.
struct Options {
  std::string cpu, triple, chip, entry;
  uint32_t threads = 1, level = 2;
  int32_t mode = QUANT_FLOAT_FAKE_CONVERT_OF_MODEL;
  int32_t accumulation = QUANT_FLOAT_ACCUMULATION_ORDERED;
  int32_t activations = QUANT_FLOAT_ACTIVATIONS_FLOAT;
  bool partition = false, nvvm = false;

  QuantFloatCompileOptions get() const {
    QuantFloatCompileOptions options;
    quantFloatCompileOptionsInit(&options, sizeof options);
    options.target = nvvm ? QUANT_FLOAT_TARGET_NVVM : QUANT_FLOAT_TARGET_CPU;
    options.optimizationLevel = level;
    options.threads = threads;
    options.fakeConvertMode = mode;
    options.accumulation = accumulation;
    options.activations = activations;
    options.cpu = cpu.empty() ? nullptr : cpu.c_str();
    options.triple = triple.empty() ? nullptr : triple.c_str();
    options.chip = chip.empty() ? nullptr : chip.c_str();
    options.partition = partition;
    options.entry = entry.empty() ? nullptr : entry.c_str();
    return options;
  }
};

/// Owns a model and its session. With one session per model, MLIR's types and
/// attributes are freed with the model, and models do not block each other.
class Model {
public:
  Model() = default;
  ~Model() { (void)destroy(); }
  Model(const Model &) = delete;
  Model &operator=(const Model &) = delete;

  static std::unique_ptr<Model> load(nb::bytes path, bool verify, int32_t mode,
                                     nb::object progress) {
    return read(verify, mode, progress,
                [&](QuantFloatSession session, QuantFloatLoadOptions &options,
                    QuantFloatModel *model, QuantFloatError *error) {
                  return quantFloatModelLoad(session, path.c_str(), &options,
                                             model, error);
                });
  }

  static std::unique_ptr<Model> parse(int32_t format, nb::bytes data,
                                      const std::string &name, bool verify,
                                      int32_t mode, nb::bytes folder,
                                      nb::bytes weights, nb::object progress) {
    return read(verify, mode, progress,
                [&](QuantFloatSession session, QuantFloatLoadOptions &options,
                    QuantFloatModel *model, QuantFloatError *error) {
                  options.name = name.c_str();
                  if (folder.size())
                    options.externalDataFolder = folder.c_str();
                  if (weights.size())
                    options.weightsPath = weights.c_str();
                  return quantFloatModelParse(session, format, data.data(),
                                              data.size(), &options, model,
                                              error);
                });
  }

  nb::list describe() {
    // The descriptions live until the model is closed, so hold the lock while
    // reading them. All threads wait for this lock without the GIL, so
    // acquiring the GIL while holding it cannot deadlock.
    nb::list result;
    size_t count = 0;
    {
      nb::gil_scoped_release release;
      closing.lock();
      count = quantFloatModelGetNumEntries(model);
    }
    std::lock_guard<std::mutex> lock(closing, std::adopt_lock);
    if (!model.load().id)
      raiseError(QUANT_FLOAT_ERROR_HANDLE, {}, "module");
    for (size_t i = 0; i < count; ++i) {
      const QuantFloatEntry *entry;
      {
        nb::gil_scoped_release release;
        entry = quantFloatModelGetEntry(model, i);
      }
      if (entry)
        result.append(describeEntry(*entry));
    }
    return result;
  }

  nb::bytes write(bool asBytecode) {
    QuantFloatBuffer buffer = {};
    invoke("module", {}, [&](QuantFloatError *error) {
      return quantFloatModelWrite(model, asBytecode, &buffer, error);
    });
    return take(buffer);
  }

  void verify() {
    invoke("module", {}, [&](QuantFloatError *error) {
      return quantFloatModelVerify(model, error);
    });
  }

  void runPasses(const std::string &pipeline) {
    invoke("module", {}, [&](QuantFloatError *error) {
      return quantFloatModelRunPasses(model, pipeline.c_str(), error);
    });
  }

  void bindInput(const std::string &name, nb::sequence tensor) {
    TensorArguments arguments(nb::borrow<nb::sequence>(nb::make_tuple(tensor)),
                              /*writable=*/false);
    invoke("module", {}, [&](QuantFloatError *error) {
      return quantFloatModelBindInput(model, name.c_str(), arguments.data(),
                                      error);
    });
  }

  void bindWeights(nb::bytes path) {
    invoke("module", {}, [&](QuantFloatError *error) {
      return quantFloatModelBindWeights(model, path.c_str(), error);
    });
  }

  std::string check(int64_t opset) {
    QuantFloatReport report = {};
    invoke("module", {}, [&](QuantFloatError *error) {
      return quantFloatModelCheck(model, opset, &report, error);
    });
    std::string json = quantFloatReportGetJson(report);
    (void)quantFloatReportDestroy(report);
    return json;
  }

  nb::object compile(const Options &options, nb::object progress) {
    QuantFloatKernel kernel = {};
    QuantFloatCompileOptions compileOptions = options.get();
    invoke("compiler", progress, [&](QuantFloatError *error) {
      return quantFloatModelCompile(model, &compileOptions, &kernel, error);
    });
    return wrapKernel(kernel);
  }

  nb::object compileToFile(nb::bytes path, const Options &options,
                           nb::object progress) {
    QuantFloatKernel kernel = {};
    QuantFloatCompileOptions compileOptions = options.get();
    invoke("compiler", progress, [&](QuantFloatError *error) {
      return quantFloatModelCompileToFile(model, &compileOptions, path.c_str(),
                                          &kernel, error);
    });
    return wrapKernel(kernel);
  }

  /// Returns [(node, type, elements, is constant, [(first mode, second mode,
  /// differing, [elements of each cause])])]. Uses the Reference if `options`
  /// is null.
  nb::list compareModes(size_t entry, nb::sequence inputs,
                        const Options *options) {
    TensorArguments arguments(inputs, /*writable=*/false);
    QuantFloatModeReport report = {};
    QuantFloatCompileOptions compileOptions = {};
    if (options)
      compileOptions = options->get();
    invoke("compiler", {}, [&](QuantFloatError *error) {
      return quantFloatModelCompareModes(
          model, entry, arguments.data(), arguments.size(),
          options ? &compileOptions : nullptr, &report, error);
    });
    nb::list result;
    for (size_t i = 0, e = quantFloatModeReportGetCount(report); i < e; ++i) {
      const QuantFloatFakeConvertReport &node =
          *quantFloatModeReportGet(report, i);
      nb::list comparisons;
      for (const QuantFloatModeComparison &comparison : node.comparisons) {
        nb::list causes;
        for (int64_t count : comparison.causes)
          causes.append(count);
        comparisons.append(nb::make_tuple(comparison.first, comparison.second,
                                          comparison.numDiffering, causes));
      }
      result.append(nb::make_tuple(decode(node.name), decode(node.destination),
                                   node.numElements, node.isConstant,
                                   comparisons));
    }
    (void)quantFloatModeReportDestroy(report);
    return result;
  }

  nb::bytes emit(int32_t kind, const Options &options, nb::object progress) {
    QuantFloatBuffer buffer = {};
    QuantFloatCompileOptions compileOptions = options.get();
    invoke("compiler", progress, [&](QuantFloatError *error) {
      return quantFloatModelEmit(model, kind, &compileOptions, nullptr, &buffer,
                                 error);
    });
    return take(buffer);
  }

  void emitToFile(int32_t kind, nb::bytes path, const Options &options,
                  nb::object progress) {
    QuantFloatCompileOptions compileOptions = options.get();
    invoke("compiler", progress, [&](QuantFloatError *error) {
      return quantFloatModelEmitToFile(model, kind, &compileOptions,
                                       path.c_str(), error);
    });
  }

  /// Returns the results as arrays of quantized values, or lists of strings.
  nb::list evaluate(size_t entry, nb::sequence inputs) {
    TensorArguments arguments(inputs, /*writable=*/false);
    QuantFloatTensors tensors = {};
    invoke("compiler", {}, [&](QuantFloatError *error) {
      return quantFloatModelEvaluate(model, entry, arguments.data(),
                                     arguments.size(), &tensors, error);
    });
    nb::capsule owner(new QuantFloatTensors(tensors), [](void *data) noexcept {
      auto *tensors = static_cast<QuantFloatTensors *>(data);
      (void)quantFloatTensorsDestroy(*tensors);
      delete tensors;
    });
    nb::list result;
    for (size_t i = 0, e = quantFloatTensorsGetCount(tensors); i < e; ++i) {
      const qf_tensor *tensor = quantFloatTensorsGet(tensors, i);
      std::vector<size_t> shape(tensor->sizes, tensor->sizes + tensor->rank);
      if (tensor->dtype == QF_STRING) {
        size_t count = 1;
        nb::list strings, sizes;
        for (size_t size : shape) {
          count *= size;
          sizes.append(size);
        }
        appendStrings(strings, *static_cast<const qf_strings *>(tensor->data),
                      count);
        result.append(nb::make_tuple(strings, nb::tuple(sizes)));
        continue;
      }
      nb::dlpack::dtype type = {
          static_cast<uint8_t>(nb::dlpack::dtype_code::UInt),
          static_cast<uint8_t>(8 * quantFloatDtypeGetBytes(tensor->dtype)), 1};
      result.append(nb::cast(nb::ndarray<nb::numpy>(
          tensor->data, shape.size(), shape.data(), owner, nullptr, type)));
    }
    return result;
  }

  void close() {
    nb::gil_scoped_release release;
    std::lock_guard<std::mutex> lock(closing);
    if (destroy() == QUANT_FLOAT_ERROR_BUSY)
      throw std::runtime_error(
          "a callback must not close the module that calls it");
  }

  bool isClosed() const { return !model.load().id; }

private:
  template <typename Function>
  static std::unique_ptr<Model> read(bool verify, int32_t mode,
                                     nb::object progress, Function &&function) {
    auto result = std::make_unique<Model>();
    invoke("module", progress, [&](QuantFloatError *error) {
      QuantFloatSessionOptions sessionOptions;
      quantFloatSessionOptionsInit(&sessionOptions, sizeof sessionOptions);
      sessionOptions.onProgress = &reportProgress;
      QuantFloatStatus status =
          quantFloatSessionCreate(&sessionOptions, &result->session, error);
      if (status != QUANT_FLOAT_OK)
        return status;
      QuantFloatLoadOptions options;
      quantFloatLoadOptionsInit(&options, sizeof options);
      options.verify = verify;
      options.fakeConvertMode = mode;
      QuantFloatModel model = {};
      status = function(result->session, options, &model, error);
      result->model = model;
      return status;
    });
    return result;
  }

  static nb::bytes take(QuantFloatBuffer buffer) {
    nb::bytes bytes(quantFloatBufferGetData(buffer),
                    quantFloatBufferGetSize(buffer));
    (void)quantFloatBufferDestroy(buffer);
    return bytes;
  }

  /// Destroys nothing if it is called from a callback of the session.
  QuantFloatStatus destroy() {
    QuantFloatStatus status = quantFloatModelDestroy(model);
    if (status == QUANT_FLOAT_ERROR_BUSY)
      return status;
    (void)quantFloatSessionDestroy(session);
    model = QuantFloatModel{};
    session = {};
    return status;
  }

  QuantFloatSession session = {};
  /// Atomic, because it is accessed without the GIL.
  std::atomic<QuantFloatModel> model{};
  /// Held while descriptions are read or destroyed.
  std::mutex closing;
};

} // namespace

void quant_float_python::defineModel(nb::module_ &module) {
  module.attr("MLIR") = static_cast<int>(QUANT_FLOAT_FORMAT_MLIR);
  module.attr("ONNX") = static_cast<int>(QUANT_FLOAT_FORMAT_ONNX);
  module.attr("OPENVINO") = static_cast<int>(QUANT_FLOAT_FORMAT_OPENVINO);

  nb::class_<Options>(module, "Options", "How to compile.")
      .def(nb::init<>())
      .def_rw("cpu", &Options::cpu)
      .def_rw("triple", &Options::triple)
      .def_rw("chip", &Options::chip)
      .def_rw("entry", &Options::entry)
      .def_rw("threads", &Options::threads)
      .def_rw("level", &Options::level)
      .def_rw("mode", &Options::mode)
      .def_rw("accumulation", &Options::accumulation)
      .def_rw("activations", &Options::activations)
      .def_rw("partition", &Options::partition)
      .def_rw("nvvm", &Options::nvvm);

  nb::class_<Model>(module, "Model", "A model in a separate session.")
      .def_static("load", &Model::load, nb::arg("path"), nb::arg("verify"),
                  nb::arg("mode"), nb::arg("progress").none())
      .def_static("parse", &Model::parse, nb::arg("format"), nb::arg("data"),
                  nb::arg("name"), nb::arg("verify"), nb::arg("mode"),
                  nb::arg("folder"), nb::arg("weights"),
                  nb::arg("progress").none())
      .def_prop_ro("closed", &Model::isClosed)
      .def("describe", &Model::describe)
      .def("write", &Model::write, nb::arg("as_bytecode"))
      .def("verify", &Model::verify)
      .def("run_passes", &Model::runPasses, nb::arg("pipeline"))
      .def("bind_input", &Model::bindInput, nb::arg("name"), nb::arg("tensor"))
      .def("bind_weights", &Model::bindWeights, nb::arg("path"))
      .def("check", &Model::check, nb::arg("opset"))
      .def("compile", &Model::compile, nb::arg("options"),
           nb::arg("progress").none())
      .def("compile_to_file", &Model::compileToFile, nb::arg("path"),
           nb::arg("options"), nb::arg("progress").none())
      .def("compare_modes", &Model::compareModes, nb::arg("entry"),
           nb::arg("inputs"), nb::arg("options").none())
      .def("emit", &Model::emit, nb::arg("kind"), nb::arg("options"),
           nb::arg("progress").none())
      .def("emit_to_file", &Model::emitToFile, nb::arg("kind"), nb::arg("path"),
           nb::arg("options"), nb::arg("progress").none())
      .def("evaluate", &Model::evaluate, nb::arg("entry"), nb::arg("inputs"))
      .def("close", &Model::close);
}
