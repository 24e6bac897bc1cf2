//===- Session.cpp - Sessions, diagnostics and progress -------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SessionCall.h"
#include "mlir/Pass/Pass.h"
#include "quant-float/InitAll.h"
#include "llvm/Support/FileSystem.h"

using namespace mlir;
using namespace mlir::quant_float;

static std::shared_ptr<MLIRContext> createContext() {
  DialectRegistry registry;
  registerAllDialects(registry);
  auto context =
      std::make_shared<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
  context->printOpOnDiagnostic(false);
  return context;
}

Session::Session(SessionOptions options)
    : context(createContext()), options(std::move(options)) {}

Session::Session(MLIRContext &context, SessionOptions options)
    : context(&context, [](MLIRContext *) {}), options(std::move(options)) {}

Session::~Session() = default;

SessionCall::SessionCall(Session &session)
    : session(session), outer(session.innermost),
      handler(&session.getContext(), [this](Diagnostic &diagnostic) {
        diagnostics.emplace_back(diagnostic);
        if (const auto &callback = this->session.options.onDiagnostic)
          callback(diagnostics.back());
        return success();
      }) {
  session.innermost = this;
  if (outer || !session.options.onProgress)
    return;
  // Report progress before each pass, and skip the remaining passes after
  // cancellation.
  session.getContext().registerActionHandler(
      [&session](llvm::function_ref<void()> transform,
                 const tracing::Action &action) {
        if (auto *pass = dyn_cast<PassExecutionAction>(&action))
          if (!session.innermost->progress("lower",
                                           pass->getPass().getArgument()))
            return;
        transform();
      });
}

SessionCall::~SessionCall() {
  session.innermost = outer;
  if (!outer && session.options.onProgress)
    session.getContext().registerActionHandler(nullptr);
}

bool SessionCall::progress(const char *stage, StringRef detail) {
  if (cancelled || !session.options.onProgress)
    return !cancelled;
  if (lastStage != stage)
    done = 0;
  lastStage = stage;
  cancelled = !session.options.onProgress({stage, detail, done++});
  return !cancelled;
}

llvm::Error SessionCall::fail(ErrorKind kind, const Twine &message) {
  return llvm::make_error<ModelError>(kind, message, std::move(diagnostics));
}

llvm::Error SessionCall::fail(ErrorKind kind) {
  if (cancelled)
    return fail(ErrorKind::Cancelled, "cancelled by the progress callback");
  for (const DiagnosticRecord &diagnostic : diagnostics)
    if (diagnostic.severity == DiagnosticSeverity::Error) {
      std::string printed;
      llvm::raw_string_ostream(printed) << diagnostic << diagnostic.message;
      return fail(kind, printed);
    }
  return fail(kind, "the operation failed without a diagnostic");
}

std::error_code quant_float::probeFile(StringRef path) {
  llvm::sys::fs::file_status status;
  if (std::error_code error = llvm::sys::fs::status(path, status))
    return error;
  if (llvm::sys::fs::is_directory(status))
    return std::make_error_code(std::errc::is_a_directory);
  // Opening a pipe would block until a writer opens it.
  if (!llvm::sys::fs::is_regular_file(status))
    return {};
  llvm::Expected<llvm::sys::fs::file_t> file =
      llvm::sys::fs::openNativeFileForRead(path);
  if (!file)
    return llvm::errorToErrorCode(file.takeError());
  return llvm::sys::fs::closeFile(*file);
}

llvm::Error SessionCall::failFile(StringRef path) {
  std::string message;
  for (const DiagnosticRecord &diagnostic : diagnostics)
    if (diagnostic.severity == DiagnosticSeverity::Error)
      message = diagnostic.message;
  auto error = std::make_unique<ModelError>(ErrorKind::File, message,
                                            std::move(diagnostics));
  error->file = path.str();
  error->code = probeFile(path);
  return llvm::Error(std::move(error));
}
