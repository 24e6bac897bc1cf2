//===- Emit.cpp - Writing what the compiler makes, for C ------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompileOptions.h"
#include "quant-float/Compiler/WriteOutput.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::capi;

namespace {
/// What is asked for, with everything that can be wrong without a model
/// checked.
struct Request {
  EmitKind kind;
  QuantFloatCompileOptions given;
  CompileOptions options;
};

/// What the compiler made.
struct Output {
  SmallVector<char, 0> contents;
  /// The header beside it; empty where there is none.
  std::string beside;

  StringRef getContents() const { return {contents.data(), contents.size()}; }
};
} // namespace

static QuantFloatStatus readRequest(int32_t kind,
                                    const QuantFloatCompileOptions *given,
                                    Request &request, ErrorReport &report) {
  if (kind < QUANT_FLOAT_EMIT_MLIR || kind > QUANT_FLOAT_EMIT_CUBIN)
    return report.makeError(QUANT_FLOAT_ERROR_ARGUMENT,
                            "kind must be 0 to 8, but got " + Twine(kind));
  request.kind = static_cast<EmitKind>(kind);
  return readCompileOptions(given, request.given, request.options, report);
}

static QuantFloatStatus emit(ModelObject &model, const Request &request,
                             StringRef baseName, Output &output,
                             SessionCall &call) {
  OwningOpRef<ModuleOp> copy =
      copyToCompile(model, request.given.fakeConvertMode);
  llvm::raw_svector_ostream os(output.contents);
  bool hasBeside = !getSuffixBeside(request.kind).empty();
  if (failed(compileTo(*copy, request.kind, request.options, baseName, os,
                       hasBeside ? &output.beside : nullptr)) ||
      call.isCancelled())
    return call.makeDiagnosed(QUANT_FLOAT_ERROR_MODEL);
  return QUANT_FLOAT_OK;
}

QuantFloatStatus quantFloatModelEmit(QuantFloatModel model, int32_t kind,
                                     const QuantFloatCompileOptions *options,
                                     const char *baseName,
                                     QuantFloatBuffer *buffer,
                                     QuantFloatError *error) {
  ErrorReport report(error);
  if (!buffer)
    return report.makeNull("buffer");
  *buffer = {};
  Request request;
  if (QuantFloatStatus status = readRequest(kind, options, request, report))
    return status;
  if (request.kind == EmitKind::Shared)
    return report.makeError(QUANT_FLOAT_ERROR_UNSUPPORTED,
                            "a shared library needs a file to go to");
  return withValidModel(
      model, report, [&](ModelObject &object, SessionCall &call) {
        Output output;
        QuantFloatStatus status =
            emit(object, request, baseName ? baseName : "model", output, call);
        return status ? status
                      : giveBuffer(output.getContents(), buffer, report);
      });
}

QuantFloatStatus
quantFloatModelEmitToFile(QuantFloatModel model, int32_t kind,
                          const QuantFloatCompileOptions *options,
                          const char *path, QuantFloatError *error) {
  ErrorReport report(error);
  if (!path)
    return report.makeNull("path");
  Request request;
  if (QuantFloatStatus status = readRequest(kind, options, request, report))
    return status;
  // The tools write to standard output for "-".
  if (StringRef(path).empty() || StringRef(path) == "-")
    return report.makeError(QUANT_FLOAT_ERROR_FILE,
                            Twine("expected the path of a file, but got '") +
                                path + "'");
  StringRef suffix = getSuffixBeside(request.kind);
  StringRef extension = llvm::sys::path::extension(path);
  if (!suffix.empty() && extension.consume_front(".") && extension == suffix)
    return report.makeError(QUANT_FLOAT_ERROR_ARGUMENT,
                            Twine("what is written beside '") + path +
                                "' would take its place");
  return withValidModel(
      model, report, [&](ModelObject &object, SessionCall &call) {
        Output output;
        if (QuantFloatStatus status = emit(
                object, request, llvm::sys::path::stem(path), output, call))
          return status;
        if (std::optional<OutputProblem> problem =
                writeOutput(request.kind, path, output.getContents(),
                            output.beside, request.options))
          return report.makeError(QUANT_FLOAT_ERROR_FILE,
                                  problem->path + ": " + problem->reason);
        return QUANT_FLOAT_OK;
      });
}
