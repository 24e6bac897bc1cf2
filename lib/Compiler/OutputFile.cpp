//===- OutputFile.cpp - Files that the compiler writes --------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/Compiler/OutputFile.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace mlir::quant_float;

using llvm::sys::fs::TempFile;

/// Links the bytes of an object into a shared library.
static llvm::Error writeSharedLibrary(StringRef path, StringRef object,
                                      const CompileOptions &options) {
  SmallString<128> objectPath;
  if (std::error_code code =
          llvm::sys::fs::createTemporaryFile("quant-float", "o", objectPath))
    return llvm::errorCodeToError(code);
  llvm::FileRemover removeObject(objectPath);
  if (llvm::Error error =
          llvm::writeToOutput(objectPath, [&](llvm::raw_ostream &os) {
            os << object;
            return llvm::Error::success();
          }))
    return error;
  return linkShared(objectPath, path, options);
}

static llvm::Error writeContents(int descriptor, StringRef contents) {
  llvm::raw_fd_ostream os(descriptor, /*shouldClose=*/false);
  os << contents;
  os.flush();
  std::error_code code = os.error();
  os.clear_error();
  return llvm::errorCodeToError(code);
}

std::optional<OutputProblem>
quant_float::writeOutput(EmitKind kind, StringRef path, StringRef contents,
                         StringRef beside, const CompileOptions &options) {
  if (path == "-") {
    llvm::outs() << contents;
    return std::nullopt;
  }
  struct Output {
    SmallString<128> path;
    StringRef contents;
    bool isShared;
    std::optional<TempFile> file = std::nullopt;
  };
  SmallVector<Output, 2> outputs;
  outputs.push_back({path, contents, kind == EmitKind::Shared});
  if (StringRef suffix = getSuffixBeside(kind); !suffix.empty()) {
    outputs.push_back({path, beside, false});
    llvm::sys::path::replace_extension(outputs.back().path, suffix);
  }

  auto write = [&](Output &output) -> llvm::Error {
    // The rename would fail, when the other file may have its place.
    if (llvm::sys::fs::is_directory(output.path))
      return llvm::errorCodeToError(
          std::make_error_code(std::errc::is_a_directory));
    // Nothing may take the place of a device.
    if (output.path == "/dev/null")
      return llvm::Error::success();
    // Beside the output, so that the rename stays within one file system.
    llvm::Expected<TempFile> file =
        TempFile::create(output.path + ".%%%%%%",
                         llvm::sys::fs::all_read | llvm::sys::fs::all_write);
    if (!file)
      return file.takeError();
    output.file = std::move(*file);
    return output.isShared ? writeSharedLibrary(output.file->TmpName,
                                                output.contents, options)
                           : writeContents(output.file->FD, output.contents);
  };
  auto keep = [](Output &output) {
    return output.file ? output.file->keep(output.path)
                       : llvm::Error::success();
  };
  std::optional<OutputProblem> problem;
  auto tryAll = [&](llvm::function_ref<llvm::Error(Output &)> step) {
    for (Output &output : outputs)
      if (problem)
        break;
      else if (llvm::Error error = step(output))
        problem = {output.path.str().str(), llvm::toString(std::move(error))};
  };
  tryAll(write);
  tryAll(keep);
  // Those that were kept, or that keep() has dropped, have no name any more.
  for (Output &output : outputs)
    if (output.file && !output.file->TmpName.empty())
      llvm::consumeError(output.file->discard());
  return problem;
}
