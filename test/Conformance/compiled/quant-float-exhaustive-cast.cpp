//===- quant-float-exhaustive-cast.cpp - Every f32 there is ---------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A test program: casts all 2^32 patterns of f32 to every narrow float, with
// every attribute, and compares the results with a scalar oracle. Writes what
// it found as JSON.
//
//===----------------------------------------------------------------------===//

#include "CastCases.h"
#include "StepTable.h"
#include "quant-float/Compiler/Driver.h"
#include "quant-float/ExecutionEngine/JitModule.h"
#include "quant-float/IR/ElementTypes.h"
#include "quant-float/InitAll.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/JSON.h"
#include <chrono>
#include <numeric>

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::test;

/// Patterns at a time: what fits into a core's own cache.
static constexpr size_t kChunk = 1 << 17;

static std::string spell(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

static std::optional<StepTable> makeTable(const CastCase &one) {
  StepOptions options;
  options.saturate = one.saturate.value_or(true);
  options.opset = one.opset;
  switch (one.getReferenceOptions().scaleRounding) {
  case reference::ScaleRounding::Up:
    options.roundMode = "up";
    break;
  case reference::ScaleRounding::Down:
    options.roundMode = "down";
    break;
  case reference::ScaleRounding::Nearest:
    options.roundMode = "nearest";
    break;
  }
  return StepTable::make(spell(one.to), options);
}

/// The number of patterns whose results are wrong.
static uint64_t countMismatches(const CastCase &one, const StepTable &table,
                                JitModule::EntryFunction entry) {
  std::vector<uint32_t> patterns(kChunk);
  std::vector<uint8_t> made(kChunk), expected(kChunk);
  std::iota(patterns.begin(), patterns.end(), 0);
  int64_t size = kChunk;
  qf_tensor input = {patterns.data(), &size, 1, *getOnnxDataType(one.from)};
  qf_tensor output = {made.data(), &size, 1, *getOnnxDataType(one.to)};
  uint64_t mismatches = 0;
  for (uint64_t first = 0; first >> 32 == 0; first += kChunk) {
    char message[256];
    if (entry(&input, &output, message, sizeof message)) {
      llvm::errs() << one.getName() << ": " << message << "\n";
      return uint64_t(1) << 32;
    }
    table.fill(uint32_t(first), kChunk, expected.data());
    if (memcmp(made.data(), expected.data(), kChunk))
      for (size_t i = 0; i < kChunk; ++i)
        if (made[i] != expected[i] && mismatches++ < 8)
          llvm::outs() << llvm::formatv(
              "{0}: {1:x} gives {2:x}, expected {3:x}\n", one.getName(),
              patterns[i], made[i], expected[i]);
    for (uint32_t &pattern : patterns)
      pattern += kChunk;
  }
  return mismatches;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  if (argc != 3) {
    llvm::errs() << "usage: quant-float-exhaustive-cast CPU OUTPUT.json\n";
    return 2;
  }
  DialectRegistry registry;
  registerAllDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();

  std::vector<CastCase> cases;
  for (const CastCase &one : makeAllPairs(context))
    if (one.from.isF32() && makeTable(one))
      cases.push_back(one);
  OwningOpRef<ModuleOp> module = makeModule(cases, context);
  CompileOptions options;
  options.cpu = argv[1];
  auto llvmContext = std::make_unique<llvm::LLVMContext>();
  FailureOr<std::unique_ptr<llvm::Module>> compiled =
      compileToLLVM(*module, options, *llvmContext);
  if (failed(compiled))
    return 1;
  llvm::Expected<std::unique_ptr<JitModule>> jit =
      JitModule::create(std::move(*compiled), std::move(llvmContext));
  if (!jit) {
    llvm::errs() << llvm::toString(jit.takeError()) << "\n";
    return 1;
  }

  llvm::json::Array results;
  uint64_t total = 0;
  double totalSeconds = 0;
  for (const CastCase &one : cases) {
    llvm::Expected<JitModule::EntryFunction> entry =
        (*jit)->getEntry(one.getName());
    if (!entry) {
      llvm::errs() << llvm::toString(entry.takeError()) << "\n";
      return 1;
    }
    auto start = std::chrono::steady_clock::now();
    uint64_t mismatches = countMismatches(one, *makeTable(one), *entry);
    std::chrono::duration<double> seconds =
        std::chrono::steady_clock::now() - start;
    total += mismatches;
    totalSeconds += seconds.count();
    results.push_back(llvm::json::Object{
        {"cast", one.getName()},
        {"inputs", int64_t(1) << 32},
        {"mismatches", int64_t(mismatches)},
        {"seconds", llvm::formatv("{0:f1}", seconds.count()).str()}});
  }
  llvm::outs() << cases.size() << " casts of all f32 for " << options.cpu
               << ": " << total << " mismatches in "
               << llvm::formatv("{0:f0}", totalSeconds) << " seconds\n";

  std::error_code error;
  llvm::raw_fd_ostream file(argv[2], error);
  if (error) {
    llvm::errs() << argv[2] << ": error: " << error.message() << "\n";
    return 1;
  }
  file << llvm::formatv(
      "{0:2}\n",
      llvm::json::Value(llvm::json::Object{
          {"test", "all f32 patterns to every narrow float, compiled code "
                   "against a scalar oracle"},
          {"compiled_for", options.cpu},
          {"mismatches", int64_t(total)},
          {"seconds", llvm::formatv("{0:f1}", totalSeconds).str()},
          {"casts", std::move(results)}}));
  return total != 0;
}
