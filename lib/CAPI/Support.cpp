//===- Support.cpp - Errors, buffers and versions -------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float-c/Support.h"

#include "Objects.h"
#include "llvm/Config/llvm-config.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::capi;

namespace {
struct ErrorObject final : Object {
  static constexpr HandleKind kKind = HandleKind::Error;

  ErrorObject(std::string message, ModelError source)
      : message(std::move(message)), error(std::move(source)),
        views(error.diagnostics.begin(), error.diagnostics.end()) {}

  std::string message;
  ModelError error;
  std::vector<DiagnosticView> views;
};
} // namespace

static QuantFloatDiagnostic getView(const DiagnosticRecord &record) {
  static constexpr int32_t severities[] = {
      QUANT_FLOAT_SEVERITY_NOTE, QUANT_FLOAT_SEVERITY_WARNING,
      QUANT_FLOAT_SEVERITY_ERROR, QUANT_FLOAT_SEVERITY_REMARK};
  QuantFloatDiagnostic view = {};
  view.severity = severities[static_cast<unsigned>(record.severity)];
  view.line = record.line;
  view.column = record.column;
  view.message = record.message.c_str();
  view.file = record.file.empty() ? nullptr : record.file.c_str();
  view.node = record.node.empty() ? nullptr : record.node.c_str();
  return view;
}

DiagnosticView::DiagnosticView(const DiagnosticRecord &record)
    : view(getView(record)) {
  for (const DiagnosticRecord &note : record.notes)
    notes.push_back(getView(note));
  view.notes = notes.data();
  view.numNotes = notes.size();
}

llvm::Error capi::fail(QuantFloatStatus status, const Twine &message) {
  return makeError(static_cast<ErrorKind>(status), message);
}

llvm::Error capi::failHandle(HandleKind kind, uint64_t id) {
  return fail(QUANT_FLOAT_ERROR_HANDLE, describeBadHandle(kind, id));
}

llvm::Error capi::failNull(const Twine &name) {
  return fail(QUANT_FLOAT_ERROR_NULL, name + " must not be null");
}

static std::string spell(const ModelError &error) {
  std::string text;
  llvm::raw_string_ostream os(text);
  error.log(os);
  return text;
}

QuantFloatStatus capi::finish(llvm::Error result, QuantFloatError *error) {
  QuantFloatStatus status = QUANT_FLOAT_OK;
  llvm::handleAllErrors(std::move(result), [&](ModelError &source) {
    status = static_cast<QuantFloatStatus>(source.kind);
    // If the table of objects is full, the caller only gets the status.
    if (error)
      error->id = addObject(
          HandleKind::Error,
          std::make_unique<ErrorObject>(spell(source), std::move(source)));
  });
  return status;
}

llvm::Error capi::checkPath(const char *path) {
  if (!path)
    return failNull("path");
  if (StringRef(path).empty() || StringRef(path) == "-")
    return fail(QUANT_FLOAT_ERROR_FILE,
                Twine("expected the path of a file, but got '") + path + "'");
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

uint32_t quantFloatGetAbiVersion(void) { return QUANT_FLOAT_ABI_VERSION; }

const char *quantFloatGetVersion(void) { return QUANT_FLOAT_VERSION; }

const char *quantFloatGetLLVMVersion(void) { return LLVM_VERSION_STRING; }

const char *quantFloatStatusGetName(int32_t status) {
  static constexpr std::pair<int32_t, const char *> names[] = {
      {QUANT_FLOAT_OK, "ok"},
      {QUANT_FLOAT_ERROR_NULL, "null"},
      {QUANT_FLOAT_ERROR_ELEMENT_TYPE, "element type"},
      {QUANT_FLOAT_ERROR_RANK, "rank"},
      {QUANT_FLOAT_ERROR_SIZE, "size"},
      {QUANT_FLOAT_ERROR_OVERLAP, "overlap"},
      {QUANT_FLOAT_ERROR_CPU, "cpu"},
      {QUANT_FLOAT_ERROR_MEMORY, "memory"},
      {QUANT_FLOAT_ERROR_VALUE, "value"},
      {QUANT_FLOAT_ERROR_DEVICE, "device"},
      {QUANT_FLOAT_ERROR_ALIGNMENT, "alignment"},
      {QUANT_FLOAT_ERROR_CAPACITY, "capacity"},
      {QUANT_FLOAT_ERROR_HANDLE, "handle"},
      {QUANT_FLOAT_ERROR_ARGUMENT, "argument"},
      {QUANT_FLOAT_ERROR_COUNT, "count"},
      {QUANT_FLOAT_ERROR_FILE, "file"},
      {QUANT_FLOAT_ERROR_MODEL, "model"},
      {QUANT_FLOAT_ERROR_UNSUPPORTED, "unsupported"},
      {QUANT_FLOAT_ERROR_CANCELLED, "cancelled"},
      {QUANT_FLOAT_ERROR_BUSY, "busy"},
      {QUANT_FLOAT_ERROR_ADDRESS, "address"},
  };
  for (auto [known, name] : names)
    if (known == status)
      return name;
  return "unknown";
}

QuantFloatStatus quantFloatErrorDestroy(QuantFloatError error) {
  return destroyHandle(HandleKind::Error, error.id);
}

QuantFloatStatus quantFloatErrorGetStatus(QuantFloatError error) {
  Ref<ErrorObject> object(error.id);
  if (object)
    return static_cast<QuantFloatStatus>(object->error.kind);
  return error.id ? QUANT_FLOAT_ERROR_HANDLE : QUANT_FLOAT_OK;
}

const char *quantFloatErrorGetMessage(QuantFloatError error) {
  Ref<ErrorObject> object(error.id);
  return object ? object->message.c_str() : "";
}

const char *quantFloatErrorGetFile(QuantFloatError error) {
  Ref<ErrorObject> object(error.id);
  return object && !object->error.file.empty() ? object->error.file.c_str()
                                               : nullptr;
}

int32_t quantFloatErrorGetErrno(QuantFloatError error) {
  Ref<ErrorObject> object(error.id);
  if (!object)
    return 0;
  const std::error_code &code = object->error.code;
  bool isOfSystem = code.category() == std::generic_category() ||
                    code.category() == std::system_category();
  return isOfSystem ? code.value() : 0;
}

size_t quantFloatErrorGetNumDiagnostics(QuantFloatError error) {
  Ref<ErrorObject> object(error.id);
  return object ? object->views.size() : 0;
}

const QuantFloatDiagnostic *quantFloatErrorGetDiagnostic(QuantFloatError error,
                                                         size_t index) {
  Ref<ErrorObject> object(error.id);
  return object && index < object->views.size() ? &object->views[index].get()
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
