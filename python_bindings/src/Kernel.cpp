//===- Kernel.cpp - Compiled kernels --------------------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Native.h"
#include <atomic>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

using namespace quant_float_python;

namespace {

/// Owns a kernel. Handles are safe after destruction: a call on a closed kernel
/// returns an error.
class Kernel {
public:
  explicit Kernel(QuantFloatKernel kernel) : kernel(kernel) {}
  ~Kernel() { (void)quantFloatKernelDestroy(kernel); }
  Kernel(const Kernel &) = delete;
  Kernel &operator=(const Kernel &) = delete;

  size_t getNumEntries() const { return quantFloatKernelGetNumEntries(kernel); }

  nb::tuple describe(size_t entry) const {
    const QuantFloatEntry *description =
        quantFloatKernelGetEntry(kernel, entry);
    if (!description)
      raiseError(QUANT_FLOAT_ERROR_HANDLE, {}, "kernel");
    return describeEntry(*description);
  }

  nb::list getOutputShapes(size_t entry, nb::sequence inputs,
                           bool onDevice) const {
    const QuantFloatEntry *description =
        quantFloatKernelGetEntry(kernel, entry);
    if (!description)
      raiseError(QUANT_FLOAT_ERROR_HANDLE, {}, "kernel");
    TensorArguments arguments(inputs, /*writable=*/false);
    std::vector<std::vector<int64_t>> shapes;
    for (size_t i = 0; i < description->numOutputs; ++i)
      shapes.emplace_back(description->outputs[i].rank);
    std::vector<int64_t *> places;
    for (std::vector<int64_t> &shape : shapes)
      places.push_back(shape.data());
    QuantFloatError error = {};
    auto *getSizes = onDevice ? &quantFloatKernelGetOutputSizes
                              : &quantFloatKernelGetOutputSizesOnHost;
    QuantFloatStatus status =
        getSizes(kernel, entry, arguments.data(), arguments.size(),
                 places.data(), places.size(), &error);
    if (status != QUANT_FLOAT_OK)
      raiseError(status, error, "kernel");
    nb::list result;
    for (const std::vector<int64_t> &shape : shapes)
      result.append(nb::tuple(nb::cast(shape)));
    return result;
  }

  /// Runs on host memory or, for addresses, on device memory.
  void run(size_t entry, nb::sequence inputs, nb::sequence outputs,
           bool onDevice) const {
    TensorArguments in(inputs, /*writable=*/false);
    TensorArguments out(outputs, /*writable=*/true);
    invoke("kernel", {}, [&](QuantFloatError *error) {
      auto *run = onDevice ? &quantFloatKernelRun : &quantFloatKernelRunOnHost;
      auto call = [&] {
        return run(kernel, entry, in.data(), in.size(), out.data(), out.size(),
                   error);
      };
      QuantFloatStatus status = call();
      if (status != QUANT_FLOAT_ERROR_CAPACITY)
        return status;
      // Allocate the capacity that the failed call requested.
      (void)quantFloatErrorDestroy(*error);
      *error = QuantFloatError{};
      out.makeRoom();
      return call();
    });
    out.fillLists();
  }

  nb::object allocateOutputs(size_t entry, nb::sequence inputs) const {
    TensorArguments in(inputs, /*writable=*/false);
    QuantFloatTensors tensors = {};
    invoke("kernel", {}, [&](QuantFloatError *error) {
      return quantFloatKernelAllocateOutputs(kernel, entry, in.data(),
                                             in.size(), &tensors, error);
    });
    return wrapTensors(tensors);
  }

  bool isForDevice() const {
    return quantFloatKernelGetTarget(kernel) == QUANT_FLOAT_TARGET_NVVM;
  }

  /// Returns the address of the entry point's C function. It is valid as long
  /// as the kernel is not closed.
  uintptr_t getFunction(size_t entry) const {
    int (*run)(const qf_tensor *, qf_tensor *, char *, size_t) = nullptr;
    invoke("kernel", {}, [&](QuantFloatError *error) {
      return quantFloatKernelGetFunctions(kernel, entry, &run, nullptr, error);
    });
    return reinterpret_cast<uintptr_t>(run);
  }

  void close() {
    (void)quantFloatKernelDestroy(kernel);
    kernel = QuantFloatKernel{};
  }

  bool isClosed() const { return !kernel.load().id; }

private:
  /// Atomic, because another thread may close the kernel while a call has
  /// released the GIL.
  std::atomic<QuantFloatKernel> kernel;
};

} // namespace

static nb::list describeArguments(const QuantFloatArgument *arguments,
                                  size_t count) {
  nb::list result;
  for (const QuantFloatArgument &argument :
       std::vector<QuantFloatArgument>(arguments, arguments + count)) {
    nb::list sizes;
    for (int32_t i = 0; i < argument.rank; ++i)
      sizes.append(argument.sizes[i]);
    nb::object shape = nb::none();
    if (argument.rank >= 0)
      shape = nb::tuple(sizes);
    result.append(nb::make_tuple(decode(argument.name), argument.dtype, shape));
  }
  return result;
}

nb::tuple quant_float_python::describeEntry(const QuantFloatEntry &entry) {
  return nb::make_tuple(decode(entry.name), decode(entry.graphName),
                        describeArguments(entry.inputs, entry.numInputs),
                        describeArguments(entry.outputs, entry.numOutputs));
}

static nb::object loadKernel(nb::bytes path) {
  QuantFloatKernel kernel = {};
  invoke("module", {}, [&](QuantFloatError *error) {
    return quantFloatKernelLoad(path.c_str(), &kernel, error);
  });
  return wrapKernel(kernel);
}

nb::object quant_float_python::wrapKernel(QuantFloatKernel kernel) {
  return nb::cast(new Kernel(kernel), nb::rv_policy::take_ownership);
}

void quant_float_python::defineKernel(nb::module_ &module) {
  nb::class_<Kernel>(module, "Kernel", "Functions compiled into this process.")
      .def_prop_ro("num_entries", &Kernel::getNumEntries)
      .def_prop_ro("closed", &Kernel::isClosed)
      .def_prop_ro("for_device", &Kernel::isForDevice)
      .def_static("load", &loadKernel, nb::arg("path"))
      .def("describe", &Kernel::describe, nb::arg("entry"))
      .def("get_output_shapes", &Kernel::getOutputShapes, nb::arg("entry"),
           nb::arg("inputs"), nb::arg("on_device"))
      .def("run", &Kernel::run, nb::arg("entry"), nb::arg("inputs"),
           nb::arg("outputs"), nb::arg("on_device"))
      .def("get_function", &Kernel::getFunction, nb::arg("entry"))
      .def("allocate_outputs", &Kernel::allocateOutputs, nb::arg("entry"),
           nb::arg("inputs"))
      .def("close", &Kernel::close);
}
