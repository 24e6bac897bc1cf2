//===- onnx-import-fuzzer.cpp - Arbitrary bytes as an ONNX model ----------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Any byte sequence has to give a module or a diagnostic. What was imported is
// also printed, because a broken module often shows only there.
//
//===----------------------------------------------------------------------===//

#include "LargePayloads.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "quant-float/Target/ONNX/Import.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>
#include <onnx/onnx_pb.h>

using namespace mlir;

/// A folder with one file for models that have external data.
static std::string makeDataFolder() {
  SmallString<128> folder;
  if (llvm::sys::fs::createUniqueDirectory("onnx-import-fuzzer", folder))
    return {};
  SmallString<128> file(folder);
  llvm::sys::path::append(file, "data.bin");
  std::error_code error;
  llvm::raw_fd_ostream os(file, error);
  if (!error)
    os << std::string(4096, 'd');
  return folder.str().str();
}

/// Payloads that are kept out of protobuf's reach have to be the ones that it
/// would have found, and the rest of the model has to stay what it is.
static void checkTrimming(StringRef bytes) {
  auto trimmed =
      quant_float::onnx_import::trimPayloads(bytes, /*smallestPayload=*/1);
  if (!trimmed)
    return;
  onnx::ModelProto whole, rebuilt;
  bool parsed = whole.ParseFromArray(bytes.data(), int(bytes.size()));
  if (rebuilt.ParseFromString(trimmed->bytes) != parsed)
    std::abort();
  if (!parsed)
    return;
  for (auto [index, payload] : trimmed->payloads)
    rebuilt.mutable_graph()->mutable_initializer(index)->set_raw_data(
        payload.data(), payload.size());
  if (whole.SerializeAsString() != rebuilt.SerializeAsString())
    std::abort();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const std::string folder = [] {
    std::string made = makeDataFolder();
    static std::string toRemove = made;
    std::atexit([] { (void)llvm::sys::fs::remove_directories(toRemove); });
    return made;
  }();

  MLIRContext context(MLIRContext::Threading::DISABLED);
  unsigned errors = 0;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    errors += diagnostic.getSeverity() == DiagnosticSeverity::Error;
    return success();
  });
  StringRef bytes(reinterpret_cast<const char *>(data), size);
  checkTrimming(bytes);
  OwningOpRef<ModuleOp> module =
      quant_float::importOnnxBytes(bytes, "fuzzed.onnx", folder, &context);
  // Failure without a message, or a message without failure, is a bug as well.
  if (!module != (errors != 0))
    std::abort();
  if (module)
    module->print(llvm::nulls());
  return 0;
}
