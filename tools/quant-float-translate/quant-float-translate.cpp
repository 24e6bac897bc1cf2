//===- quant-float-translate.cpp - Importers and exporters ----------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../FakeConvertModeOption.h"
#include "mlir/InitAllTranslations.h"
#include "mlir/Tools/mlir-translate/MlirTranslateMain.h"
#include "quant-float/Target/ONNX/Import.h"
#include "quant-float/Target/OpenVINO/Import.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include <string>

namespace fs = llvm::sys::fs;

namespace {
/// The file that `-o` names, written aside and renamed at the end: upstream's
/// driver empties it before it reads the input, and removes it on failure.
class OutputAside {
public:
  explicit OutputAside(llvm::MutableArrayRef<char *> arguments) {
    for (size_t i = 1; i < arguments.size(); ++i) {
      llvm::StringRef argument = arguments[i], name = argument.ltrim('-');
      if (argument == "--")
        return;
      if (name.size() == argument.size() || !name.consume_front("o"))
        continue;
      bool isNext = name.empty() && i + 1 < arguments.size();
      if (!isNext && !name.consume_front("="))
        continue;
      std::string given = isNext ? arguments[i + 1] : name.str();
      // Pipes and devices lose nothing; a link stays one.
      if (given == "-" || (fs::exists(given) && !fs::is_regular_file(given)))
        continue;
      if (fs::real_path(given, path))
        path = given;
      llvm::SmallString<128> unique;
      fs::createUniquePath(path + ".%%%%%%.tmp", unique,
                           /*MakeAbsolute=*/false);
      aside = unique.str().str();
      replaced = isNext ? aside : "-o=" + aside;
      arguments[isNext ? i + 1 : i] = replaced.data();
      return;
    }
  }

  /// Fails if the output cannot be put in its place.
  llvm::LogicalResult finish(llvm::LogicalResult result) {
    if (aside.empty())
      return result;
    if (succeeded(result)) {
      std::error_code code = fs::rename(aside, path);
      if (!code)
        return result;
      llvm::errs() << path << ": error: cannot be written: " << code.message()
                   << "\n";
    }
    fs::remove(aside);
    return llvm::failure();
  }

private:
  llvm::SmallString<128> path;
  std::string aside, replaced;
};
} // namespace

/// Upstream's driver reads all of the input before any importer sees it, and a
/// device such as /dev/zero has no end.
static bool isDevice(llvm::StringRef path) {
  fs::file_status status;
  return !fs::status(path, status) &&
         (status.type() == fs::file_type::character_file ||
          status.type() == fs::file_type::block_file);
}

int main(int argc, char **argv) {
  llvm::SmallVector<char *> arguments(argv, argv + argc);
  for (size_t i = 1; i < arguments.size(); ++i) {
    llvm::StringRef before = llvm::StringRef(arguments[i - 1]).ltrim('-');
    if (before == "o" || !isDevice(arguments[i]))
      continue;
    llvm::errs() << arguments[i]
                 << ": error: expected a file or a pipe, but got a device\n";
    return 1;
  }
  OutputAside output(arguments);
  mlir::registerAllTranslations();
  mlir::quant_float::registerFromOnnxTranslation();
  mlir::quant_float::FakeConvertModeOption fakeConvertMode;
  mlir::quant_float::registerFromOpenVinoTranslation([&] {
    mlir::quant_float::OpenVinoImportOptions options;
    options.fakeConvertMode =
        fakeConvertMode.get().value_or(options.fakeConvertMode);
    return options;
  });
  arguments.push_back(nullptr);
  return failed(output.finish(mlir::mlirTranslateMain(
      argc, arguments.data(), "quant-float translation driver\n")));
}
