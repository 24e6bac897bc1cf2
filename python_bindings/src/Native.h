//===- Native.h - The C API for Python --------------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// The extension module quant_float._native. It wraps handles of the C API as
// objects, converts errors to exceptions, and passes numpy arrays as tensors.
// The Python code of the package validates arguments.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_PYTHON_NATIVE_H
#define QUANT_FLOAT_PYTHON_NATIVE_H

#include "quant-float-c/Compiler.h"
#include <Python.h>
#include <chrono>
#include <exception>
#include <memory>
#include <nanobind/nanobind.h>
#include <vector>

namespace quant_float_python {

namespace nb = nanobind;

/// Throws the exception of quant_float._errors for a failed call, and destroys
/// the error. `what` is the kind of object that was called.
[[noreturn]] void raiseError(QuantFloatStatus status, QuantFloatError error,
                             const char *what);

/// Converts a string of the library, which may contain any bytes, to a Python
/// string.
nb::object decode(const char *text);

/// A call during which the C API may report progress on this thread.
struct ProgressCall {
  explicit ProgressCall(nb::handle callback);
  ~ProgressCall();
  ProgressCall(const ProgressCall &) = delete;
  ProgressCall &operator=(const ProgressCall &) = delete;

  nb::handle callback;
  /// The exception of the callback or of a signal handler.
  std::exception_ptr exception;
  /// The time of the last check for signals.
  std::chrono::steady_clock::time_point lastCheck;
  ProgressCall *outer;
};

/// The progress callback of sessions. Notifies the innermost call on this
/// thread.
bool reportProgress(const QuantFloatProgress *progress, void *userData);

/// Calls `function(&error)` without the GIL, and throws if it fails.
template <typename Function>
void invoke(const char *what, nb::handle callback, Function &&function) {
  QuantFloatError error = {};
  QuantFloatStatus status;
  ProgressCall call(callback);
  {
    nb::gil_scoped_release release;
    status = function(&error);
  }
  if (call.exception) {
    (void)quantFloatErrorDestroy(error);
    std::rethrow_exception(call.exception);
  }
  if (status != QUANT_FLOAT_OK)
    raiseError(status, error, what);
}

/// Tensor arguments, given as tuples (data, dtype, sizes). The data is an
/// array, an address that is passed on, or None for a null pointer. For strings
/// it is a list of str or, for outputs, a list to fill.
class TensorArguments {
public:
  TensorArguments(nb::sequence items, bool writable);
  ~TensorArguments();
  TensorArguments(const TensorArguments &) = delete;
  TensorArguments &operator=(const TensorArguments &) = delete;

  qf_tensor *data() { return tensors.data(); }
  size_t size() const { return tensors.size(); }
  size_t countBytes(size_t index) const { return bytes[index]; }

  /// Allocates the capacity that a call which failed with
  /// QUANT_FLOAT_ERROR_CAPACITY requested.
  void makeRoom();
  /// Appends the output strings to their lists.
  void fillLists();

private:
  /// The memory of a string tensor.
  struct Strings {
    size_t count = 0;
    nb::list list;
    std::vector<int64_t> offsets;
    std::vector<char> bytes;
    qf_strings strings = {};

    void setMemory();
  };

  void add(nb::tuple item, bool writable);
  void *addStrings(nb::handle list, size_t count, bool writable);
  void release();

  std::vector<qf_tensor> tensors;
  std::vector<std::vector<int64_t>> sizes;
  std::vector<size_t> bytes;
  std::vector<Py_buffer> buffers;
  /// Pointers to these are passed to the library, so they must not move.
  std::vector<std::unique_ptr<Strings>> strings;
};

/// Appends the `count` strings of a tensor to a list. Throws if one is not
/// valid UTF-8.
void appendStrings(nb::list list, const qf_strings &strings, size_t count);

/// Returns (name, graph name, inputs, outputs). Inputs and outputs are lists of
/// (name, dtype, sizes).
nb::tuple describeEntry(const QuantFloatEntry &entry);

nb::object wrapKernel(QuantFloatKernel kernel);
nb::object wrapTensors(QuantFloatTensors tensors);

void defineArrays(nb::module_ &module);
void defineKernel(nb::module_ &module);
void defineModel(nb::module_ &module);
void defineOpsets(nb::module_ &module);
void defineTensors(nb::module_ &module);

} // namespace quant_float_python

#endif // QUANT_FLOAT_PYTHON_NATIVE_H
