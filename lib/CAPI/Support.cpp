//===- Support.cpp - What the C API is made of ----------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float-c/Support.h"

#include "Report.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Diagnostics.h"
#include "quant-float/Support/Locations.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::capi;

namespace {
struct ErrorObject final : Object {
  static constexpr HandleKind kKind = HandleKind::Error;

  ErrorObject(QuantFloatStatus status, std::string message,
              std::vector<OwnedDiagnostic> diagnostics)
      : status(status), message(std::move(message)),
        diagnostics(std::move(diagnostics)) {
    for (OwnedDiagnostic &diagnostic : this->diagnostics)
      views.push_back(diagnostic.getView());
  }

  QuantFloatStatus status;
  std::string message;
  std::vector<OwnedDiagnostic> diagnostics;
  std::vector<QuantFloatDiagnostic> views;
};

struct BufferObject final : Object {
  static constexpr HandleKind kKind = HandleKind::Buffer;

  explicit BufferObject(StringRef bytes) : bytes(bytes) {}

  std::string bytes;
};
} // namespace

//===----------------------------------------------------------------------===//
// Diagnostics
//===----------------------------------------------------------------------===//

static int32_t getSeverity(DiagnosticSeverity severity) {
  switch (severity) {
  case DiagnosticSeverity::Note:
    return QUANT_FLOAT_SEVERITY_NOTE;
  case DiagnosticSeverity::Warning:
    return QUANT_FLOAT_SEVERITY_WARNING;
  case DiagnosticSeverity::Remark:
    return QUANT_FLOAT_SEVERITY_REMARK;
  case DiagnosticSeverity::Error:
    break;
  }
  return QUANT_FLOAT_SEVERITY_ERROR;
}

OwnedDiagnostic::OwnedDiagnostic(const Diagnostic &diagnostic)
    : severity(getSeverity(diagnostic.getSeverity())),
      message(diagnostic.str()), node(getNodeName(diagnostic.getLocation())) {
  if (auto place = diagnostic.getLocation()->findInstanceOf<FileLineColLoc>()) {
    file = place.getFilename().str();
    line = place.getLine();
    column = line ? place.getColumn() : 0;
  }
  for (const Diagnostic &note : diagnostic.getNotes())
    notes.emplace_back(note);
}

std::string OwnedDiagnostic::describe() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (!file.empty()) {
    os << file << ":";
    if (line)
      os << line << ":" << column << ":";
    os << " ";
  }
  os << message;
  return text;
}

QuantFloatDiagnostic OwnedDiagnostic::getView() {
  noteViews.clear();
  for (OwnedDiagnostic &note : notes)
    noteViews.push_back(note.getView());
  QuantFloatDiagnostic view = {};
  view.severity = severity;
  view.line = line;
  view.column = column;
  view.numNotes = noteViews.size();
  view.message = message.c_str();
  view.file = file.empty() ? nullptr : file.c_str();
  view.node = node.empty() ? nullptr : node.c_str();
  view.notes = noteViews.data();
  return view;
}

//===----------------------------------------------------------------------===//
// ErrorReport
//===----------------------------------------------------------------------===//

QuantFloatStatus ErrorReport::makeError(QuantFloatStatus status,
                                        const Twine &message) {
  return makeError(status, message, {});
}

QuantFloatStatus ErrorReport::makeError(QuantFloatStatus status,
                                        llvm::Error error) {
  return makeError(status, llvm::toString(std::move(error)));
}

QuantFloatStatus
ErrorReport::makeError(QuantFloatStatus status, const Twine &message,
                       std::vector<OwnedDiagnostic> diagnostics) {
  // Without room for one more the status has to do.
  if (error)
    error->id = addObject(HandleKind::Error,
                          std::make_unique<ErrorObject>(
                              status, message.str(), std::move(diagnostics)));
  return status;
}

QuantFloatStatus ErrorReport::makeTooMany() {
  return makeError(QUANT_FLOAT_ERROR_MEMORY,
                   "too many objects: destroy what is not needed any more");
}

QuantFloatStatus capi::giveBuffer(StringRef bytes, QuantFloatBuffer *buffer,
                                  ErrorReport &report) {
  return report.give(buffer, HandleKind::Buffer,
                     std::make_unique<BufferObject>(bytes));
}

//===----------------------------------------------------------------------===//
// The functions
//===----------------------------------------------------------------------===//

uint32_t quantFloatGetAbiVersion(void) { return QUANT_FLOAT_ABI_VERSION; }

const char *quantFloatGetVersion(void) { return QUANT_FLOAT_VERSION; }

const char *quantFloatGetLLVMVersion(void) { return LLVM_VERSION_STRING; }

const char *quantFloatStatusGetName(int32_t status) {
  switch (status) {
  case QUANT_FLOAT_OK:
    return "ok";
  case QUANT_FLOAT_ERROR_NULL:
    return "null";
  case QUANT_FLOAT_ERROR_ELEMENT_TYPE:
    return "element type";
  case QUANT_FLOAT_ERROR_RANK:
    return "rank";
  case QUANT_FLOAT_ERROR_SIZE:
    return "size";
  case QUANT_FLOAT_ERROR_OVERLAP:
    return "overlap";
  case QUANT_FLOAT_ERROR_CPU:
    return "cpu";
  case QUANT_FLOAT_ERROR_MEMORY:
    return "memory";
  case QUANT_FLOAT_ERROR_VALUE:
    return "value";
  case QUANT_FLOAT_ERROR_DEVICE:
    return "device";
  case QUANT_FLOAT_ERROR_HANDLE:
    return "handle";
  case QUANT_FLOAT_ERROR_ARGUMENT:
    return "argument";
  case QUANT_FLOAT_ERROR_COUNT:
    return "count";
  case QUANT_FLOAT_ERROR_FILE:
    return "file";
  case QUANT_FLOAT_ERROR_MODEL:
    return "model";
  case QUANT_FLOAT_ERROR_UNSUPPORTED:
    return "unsupported";
  case QUANT_FLOAT_ERROR_CANCELLED:
    return "cancelled";
  case QUANT_FLOAT_ERROR_BUSY:
    return "busy";
  case QUANT_FLOAT_ERROR_ADDRESS:
    return "address";
  }
  return "unknown";
}

QuantFloatStatus quantFloatErrorDestroy(QuantFloatError error) {
  return destroyHandle(HandleKind::Error, error.id);
}

QuantFloatStatus quantFloatErrorGetStatus(QuantFloatError error) {
  Ref<ErrorObject> object(error.id);
  if (object)
    return object->status;
  return error.id ? QUANT_FLOAT_ERROR_HANDLE : QUANT_FLOAT_OK;
}

const char *quantFloatErrorGetMessage(QuantFloatError error) {
  Ref<ErrorObject> object(error.id);
  return object ? object->message.c_str() : "";
}

size_t quantFloatErrorGetNumDiagnostics(QuantFloatError error) {
  Ref<ErrorObject> object(error.id);
  return object ? object->views.size() : 0;
}

const QuantFloatDiagnostic *quantFloatErrorGetDiagnostic(QuantFloatError error,
                                                         size_t index) {
  Ref<ErrorObject> object(error.id);
  return object && index < object->views.size() ? &object->views[index]
                                                : nullptr;
}

const char *quantFloatBufferGetData(QuantFloatBuffer buffer) {
  Ref<BufferObject> object(buffer.id);
  return object ? object->bytes.c_str() : nullptr;
}

size_t quantFloatBufferGetSize(QuantFloatBuffer buffer) {
  Ref<BufferObject> object(buffer.id);
  return object ? object->bytes.size() : 0;
}

QuantFloatStatus quantFloatBufferDestroy(QuantFloatBuffer buffer) {
  return destroyHandle(HandleKind::Buffer, buffer.id);
}

size_t quantFloatGetNumLiveObjects(void) { return countLiveObjects(); }
