//===- quant-float-translate.cpp - Importers and exporters ----------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../FakeConvertModeOption.h"
#include "../WriteThrough.h"
#include "mlir/InitAllTranslations.h"
#include "mlir/Tools/mlir-translate/MlirTranslateMain.h"
#include "quant-float/Target/ONNX/Import.h"
#include "quant-float/Target/OpenVINO/Import.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include <string>

namespace fs = llvm::sys::fs;

/// The argument that names the output, with what is before the name in it; null
/// where there is none.
static char **findOutput(llvm::MutableArrayRef<char *> arguments,
                         llvm::StringRef &before) {
  for (size_t i = 1; i < arguments.size(); ++i) {
    llvm::StringRef argument = arguments[i], name = argument.ltrim('-');
    if (argument == "--")
      break;
    if (name.size() == argument.size() || !name.consume_front("o"))
      continue;
    if (name.empty() && i + 1 < arguments.size())
      return &arguments[i + 1];
    if (name.consume_front("=")) {
      before = argument.drop_back(name.size());
      return &arguments[i];
    }
  }
  return nullptr;
}

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
  mlir::registerAllTranslations();
  mlir::quant_float::StrictOption strict;
  mlir::quant_float::registerFromOnnxTranslation([&] {
    mlir::quant_float::OnnxImportOptions options;
    options.strict = strict;
    return options;
  });
  mlir::quant_float::FakeConvertModeOption fakeConvertMode;
  mlir::quant_float::registerFromOpenVinoTranslation([&] {
    mlir::quant_float::OpenVinoImportOptions options;
    options.fakeConvertMode =
        fakeConvertMode.get().value_or(options.fakeConvertMode);
    options.strict = strict;
    return options;
  });
  arguments.push_back(nullptr);
  auto translate = [&] {
    return mlir::mlirTranslateMain(argc, arguments.data(),
                                   "quant-float translation driver\n");
  };
  llvm::StringRef before;
  char **output =
      findOutput(llvm::MutableArrayRef(arguments).drop_back(), before);
  if (!output)
    return failed(translate());
  llvm::StringRef path = llvm::StringRef(*output).drop_front(before.size());
  return failed(
      mlir::quant_float::writeThrough(path, [&](llvm::StringRef name) {
        std::string replaced = (before + name).str();
        *output = replaced.data();
        return translate();
      }));
}
