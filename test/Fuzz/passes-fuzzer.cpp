//===- passes-fuzzer.cpp - Fuzzer of passes on MLIR -----------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The first line is a pass pipeline, and a module follows. The pipeline must
// convert the module, or a diagnostic must be emitted. If the line is empty,
// the same holds for reading the module as a model and exporting it to ONNX.
//
//===----------------------------------------------------------------------===//

#include "MutateOps.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "quant-float/IR/OpsetRules.h"
#include "quant-float/InitAll.h"
#include "quant-float/Model/ReadMlirModel.h"
#include "quant-float/ONNX/Export/Export.h"
#include "quant-float/Support/OpsetImports.h"
#include <cstring>

using namespace mlir;
using namespace mlir::quant_float;

/// Emits no diagnostics, but counts the errors.
class SilentContext {
public:
  SilentContext()
      : context(makeRegistry(), MLIRContext::Threading::DISABLED),
        handler(&context, [this](Diagnostic &diagnostic) {
          errors += diagnostic.getSeverity() == DiagnosticSeverity::Error;
          return success();
        }) {}

  MLIRContext context;
  unsigned errors = 0;

private:
  static DialectRegistry makeRegistry() {
    static bool once = [] {
      quant_float::registerAllPasses();
      return true;
    }();
    (void)once;
    DialectRegistry registry;
    mlir::registerAllDialects(registry);
    mlir::registerAllExtensions(registry);
    quant_float::registerAllDialects(registry);
    return registry;
  }
  ScopedDiagnosticHandler handler;
};

/// Aborts unless exactly one of success and errors is the case.
static void require(bool succeeded, unsigned errors, StringRef what) {
  if (succeeded == (errors == 0))
    return;
  llvm::errs() << what
               << (succeeded ? ": success with an error\n"
                             : ": failure without an error\n");
  std::abort();
}

static void readAndExport(StringRef text, SilentContext &silent) {
  bool isConverted;
  OwningOpRef<ModuleOp> module =
      readMlirGraph(llvm::MemoryBuffer::getMemBufferCopy(text, "fuzzed.mlir"),
                    silent.context, isConverted);
  require(bool(module), silent.errors, "readMlirGraph");
  if (!module)
    return;
  if (!getOnnxOpset(*module))
    setOnnxOpset(*module, kNewestOpset);
  llvm::raw_null_ostream os;
  bool done = succeeded(exportOnnx(*module, os));
  require(done, silent.errors, "exportOnnx");
}

/// Upstream's inliner crashes on ops of unknown dialects with regions in the
/// module.
static bool hasUnknownRegion(ModuleOp module) {
  return llvm::any_of(module.getOps(), [](Operation &op) {
    return !op.isRegistered() && op.getNumRegions();
  });
}

static void runPipeline(StringRef pipeline, StringRef text,
                        SilentContext &silent) {
  ParserConfig config(&silent.context);
  auto module = parseSourceString<ModuleOp>(text, config);
  PassManager manager(&silent.context, ModuleOp::getOperationName(),
                      PassManager::Nesting::Implicit);
  if (!module || hasUnknownRegion(*module) ||
      failed(parsePassPipeline(pipeline, manager, llvm::nulls())))
    return;
  silent.errors = 0;
  bool done = succeeded(manager.run(*module));
  require(done, silent.errors, pipeline);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  // A context for many inputs: registration takes longer than most of them.
  static std::unique_ptr<SilentContext> silent;
  static unsigned uses = 0;
  if (uses++ % 256 == 0)
    silent = std::make_unique<SilentContext>();
  silent->errors = 0;
  silent->context.allowUnregisteredDialects();
  auto [pipeline, text] =
      StringRef(reinterpret_cast<const char *>(data), size).split('\n');
  if (pipeline.empty())
    readAndExport(text, *silent);
  else
    runPipeline(pipeline, text, *silent);
  return 0;
}

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize);

static std::string printGeneric(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream os(text);
  module->print(os, OpPrintingFlags().printGenericOpForm().assumeVerified());
  return text;
}

/// Parses the module, and applies a few mutations to its generic form.
static std::string mutateOps(StringRef text, unsigned seed) {
  SilentContext known;
  known.context.allowUnregisteredDialects();
  ParserConfig config(&known.context, /*verifyAfterParse=*/false);
  auto parsed = parseSourceString<ModuleOp>(text, config);
  if (!parsed)
    return {};
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.allowUnregisteredDialects();
  ScopedDiagnosticHandler handler(&context,
                                  [](Diagnostic &) { return success(); });
  ParserConfig generic(&context, /*verifyAfterParse=*/false);
  auto module = parseSourceString<ModuleOp>(printGeneric(*parsed), generic);
  if (!module)
    return {};
  for (unsigned i = 0, end = 1 + seed % 3; i < end; ++i)
    test::OpMutator(*module, seed + i).mutate();
  return printGeneric(*module);
}

/// The pipeline stays: most of those that could be made of its bytes are of
/// upstream passes.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size,
                                          size_t maxSize, unsigned seed) {
  StringRef bytes(reinterpret_cast<const char *>(data), size);
  size_t start = std::min(bytes.find('\n'), size - 1) + 1;
  if (seed % 8 == 0)
    return start +
           LLVMFuzzerMutate(data + start, size - start, maxSize - start);
  std::string mutated = mutateOps(bytes.drop_front(start), seed / 8);
  if (mutated.empty() || mutated.size() > maxSize - start)
    return size;
  std::memcpy(data + start, mutated.data(), mutated.size());
  return start + mutated.size();
}
