//===- WriteOutput.cpp - Files that the compiler writes -------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/Compiler/WriteOutput.h"

#include "quant-float/Support/OutputFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Signals.h"
#include <csignal>

using namespace mlir;
using namespace mlir::quant_float;

namespace {
/// The name of a file that goes when the program is interrupted.
class FileOnLoan {
public:
  explicit FileOnLoan(StringRef name) : name(name) {
    // Handlers of signals that end the program pass them on; the one of SIGUSR1
    // does not, and is of no use here.
    struct sigaction before;
    sigaction(SIGUSR1, nullptr, &before);
    llvm::sys::RemoveFileOnSignal(name);
    sigaction(SIGUSR1, &before, nullptr);
  }
  ~FileOnLoan() { llvm::sys::DontRemoveFileOnSignal(name); }

private:
  StringRef name;
};
} // namespace

/// Links the bytes of an object into a shared library.
static llvm::Error linkInto(OutputFile &output, StringRef contents,
                            const CompileOptions &options) {
  SmallString<128> objectPath;
  if (std::error_code code =
          llvm::sys::fs::createTemporaryFile("quant-float", "o", objectPath))
    return llvm::errorCodeToError(code);
  llvm::FileRemover removeObject(objectPath);
  FileOnLoan object(objectPath);
  OutputFile file(objectPath.str().str());
  if (!file.write(contents) || !file.commit())
    return llvm::createFileError(objectPath, file.getError());
  StringRef name = output.getName();
  if (name.empty())
    return llvm::errorCodeToError(output.getError());
  FileOnLoan library(name);
  return linkShared(objectPath, name, options);
}

std::optional<OutputProblem>
quant_float::writeOutput(EmitKind kind, StringRef path, StringRef contents,
                         StringRef beside, const CompileOptions &options) {
  SmallVector<OutputFile, 2> files;
  files.emplace_back(path.str());
  StringRef suffix = getSuffixBeside(kind);
  if (!suffix.empty() && !files.front().isStream()) {
    SmallString<128> besidePath = path;
    llvm::sys::path::replace_extension(besidePath, suffix);
    files.emplace_back(besidePath.str().str());
    files.back().write(beside);
  }
  if (kind != EmitKind::Shared)
    files.front().write(contents);
  else if (llvm::Error error = linkInto(files.front(), contents, options))
    return OutputProblem{path.str(), llvm::toString(std::move(error)),
                         files.front().getError()};
  if (OutputFile *failed = OutputFile::commitAll(files.data(), files.size()))
    return OutputProblem{failed->getPath(), failed->getError().message(),
                         failed->getError()};
  return std::nullopt;
}
