//===- Errors.cpp - Converts errors to exceptions, and reports progress ---===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Native.h"
#include <cstring>
#include <nanobind/stl/string.h>

using namespace quant_float_python;

nb::object quant_float_python::decode(const char *text) {
  PyObject *decoded = PyUnicode_DecodeUTF8(
      text ? text : "", text ? strlen(text) : 0, "backslashreplace");
  if (!decoded)
    throw nb::python_error();
  return nb::steal(decoded);
}

static nb::object makeDiagnostic(nb::handle type,
                                 const QuantFloatDiagnostic &diagnostic) {
  static const char *const severities[] = {"error", "warning", "remark",
                                           "note"};
  nb::list notes;
  for (size_t i = 0; i < diagnostic.numNotes; ++i)
    notes.append(makeDiagnostic(type, diagnostic.notes[i]));
  return type(severities[diagnostic.severity & 3], decode(diagnostic.message),
              decode(diagnostic.file), diagnostic.line, diagnostic.column,
              nb::tuple(notes), decode(diagnostic.node));
}

void quant_float_python::raiseError(QuantFloatStatus status,
                                    QuantFloatError error, const char *what) {
  nb::object errors = nb::module_::import_("quant_float._errors");
  nb::object type = errors.attr("Diagnostic");
  nb::list diagnostics;
  size_t count = quantFloatErrorGetNumDiagnostics(error);
  for (size_t i = 0; i < count; ++i)
    diagnostics.append(
        makeDiagnostic(type, *quantFloatErrorGetDiagnostic(error, i)));
  nb::object message = decode(quantFloatErrorGetMessage(error));
  int32_t number = quantFloatErrorGetErrno(error);
  const char *path = quantFloatErrorGetFile(error);
  // Decode the path as Python does for file names.
  nb::object name = nb::steal(PyUnicode_DecodeFSDefault(path ? path : ""));
  (void)quantFloatErrorDestroy(error);
  nb::object exception =
      errors.attr("make_error")(static_cast<int>(status), message,
                                nb::tuple(diagnostics), what, number, name);
  PyErr_SetObject(exception.type().ptr(), exception.ptr());
  throw nb::python_error();
}

static thread_local ProgressCall *currentCall = nullptr;

ProgressCall::ProgressCall(nb::handle callback)
    : callback(callback), lastCheck(std::chrono::steady_clock::now()),
      outer(currentCall) {
  currentCall = this;
}

ProgressCall::~ProgressCall() { currentCall = outer; }

bool quant_float_python::reportProgress(const QuantFloatProgress *progress,
                                        void *) {
  ProgressCall *call = currentCall;
  if (!call)
    return true;
  if (call->exception)
    return false;
  bool hasCallback = call->callback.is_valid() && !call->callback.is_none();
  // Without a callback, only check for Ctrl-C now and then, because other
  // threads may hold the GIL for a while.
  auto now = std::chrono::steady_clock::now();
  if (!hasCallback && now - call->lastCheck < std::chrono::milliseconds(100))
    return true;
  nb::gil_scoped_acquire acquire;
  try {
    if (PyErr_CheckSignals())
      throw nb::python_error();
    call->lastCheck = std::chrono::steady_clock::now();
    if (!hasCallback)
      return true;
    nb::object result = call->callback(
        progress->stage, decode(progress->detail), progress->done);
    return result.ptr() != Py_False;
  } catch (...) {
    call->exception = std::current_exception();
    return false;
  }
}
