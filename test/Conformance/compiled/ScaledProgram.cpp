//===- ScaledProgram.cpp - Test programs of ops with scales ---------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScaledCases.h"
#include "Shards.h"
#include "quant-float/InitAll.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::quant_float;

namespace cl = llvm::cl;

int test::runProgram(
    int argc, char **argv, StringRef plural,
    llvm::function_ref<std::vector<ScaledCase>(MLIRContext &)> make) {
  llvm::InitLLVM init(argc, argv);
  // LLVM's own options have taken some of the names.
  cl::ResetCommandLineParser();
  cl::OptionCategory category("options of this program");
  cl::opt<std::string> cpu("cpu", cl::desc("target CPU"), cl::init("host"),
                           cl::cat(category));
  cl::opt<std::string> triple("triple", cl::desc("target triple"),
                              cl::cat(category));
  cl::opt<unsigned> threads("threads", cl::desc("threads of compiled code"),
                            cl::init(1), cl::cat(category));
  cl::opt<unsigned> batch("batch", cl::desc("functions of one module"),
                          cl::init(50), cl::cat(category));
  cl::opt<std::string> filter("filter",
                              cl::desc("only cases whose names have this text"),
                              cl::cat(category));
  cl::opt<std::string> shard(
      "shard", cl::desc("only the Kth of N shares of the cases, shuffled"),
      cl::value_desc("K/N"), cl::init("1/1"), cl::cat(category));
  cl::opt<bool> loops("check-loops", cl::desc("look at the assembly"),
                      cl::cat(category));
  cl::opt<std::string> emit("emit-assembly", cl::desc("write into a folder"),
                            cl::value_desc("folder"), cl::cat(category));
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv);

  DialectRegistry registry;
  registerAllDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();

  std::vector<ScaledCase> all = make(context);
  // Others are not counted as checked.
  if (loops)
    llvm::erase_if(all, [](const ScaledCase &one) { return !one.rules; });
  FailureOr<std::vector<ScaledCase>> cases =
      chooseCases(std::move(all), shard, filter);
  if (failed(cases))
    return 1;

  CompileOptions options;
  options.cpu = cpu;
  options.triple = triple;
  options.threads = threads;
  size_t batchSize = std::max(1u, unsigned(batch));
  if (!emit.empty())
    return failed(emitCases(*cases, options, batchSize, emit, context));
  FailureOr<size_t> failures =
      loops ? checkLoops(*cases, options, batchSize, context)
            : runCases(*cases, options, batchSize, context);
  if (failed(failures))
    return 1;
  llvm::outs() << cases->size() << " " << plural << " for " << cpu << ": "
               << *failures << " failures\n";
  return *failures != 0;
}
