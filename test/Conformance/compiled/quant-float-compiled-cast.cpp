//===- quant-float-compiled-cast.cpp - Prove the compiler's casts ---------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A test program: compiles every cast that there is and compares what it gives
// with the Reference, or looks at its assembly, or writes objects for another
// processor to run.
//
//===----------------------------------------------------------------------===//

#include "CastActions.h"
#include "Shards.h"
#include "quant-float/InitAll.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::test;

namespace cl = llvm::cl;

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  // LLVM's own options have taken some of the names.
  cl::ResetCommandLineParser();
  cl::OptionCategory category("options of quant-float-compiled-cast");
  cl::opt<std::string> cpu("cpu", cl::desc("target CPU"), cl::init("host"),
                           cl::cat(category));
  cl::opt<std::string> triple("triple", cl::desc("target triple"),
                              cl::cat(category));
  cl::opt<unsigned> threads("threads", cl::desc("threads of compiled code"),
                            cl::init(1), cl::cat(category));
  cl::opt<unsigned> random(
      "random", cl::desc("random patterns for sources of more than 16 bits"),
      cl::init(1 << 16), cl::cat(category));
  cl::opt<unsigned> batch("batch", cl::desc("functions of one module"),
                          cl::init(50), cl::cat(category));
  cl::opt<std::string> filter("filter",
                              cl::desc("only cases whose names have this text"),
                              cl::cat(category));
  cl::opt<std::string> shard(
      "shard", cl::desc("only the Kth of N shares of the cases, shuffled"),
      cl::value_desc("K/N"), cl::init("1/1"), cl::cat(category));
  cl::opt<bool> environments(
      "environments",
      cl::desc("run in every floating-point environment of a caller"),
      cl::cat(category));
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

  std::vector<CastCase> all = makeAllPairs(context);
  if (!loops && !environments)
    llvm::append_range(all, makeShapes(context));
  FailureOr<std::vector<CastCase>> cases =
      chooseCases(std::move(all), shard, filter);
  if (failed(cases))
    return 1;

  Settings settings;
  settings.compile.cpu = cpu;
  settings.compile.triple = triple;
  settings.compile.threads = threads;
  settings.randomCount = random;
  settings.environments = environments;
  settings.batchSize = std::max(1u, unsigned(batch));
  if (!emit.empty())
    return failed(emitCases(*cases, settings, emit, context));
  FailureOr<size_t> failures = loops ? checkLoops(*cases, settings, context)
                                     : runCases(*cases, settings, context);
  if (failed(failures))
    return 1;
  llvm::outs() << cases->size() << " casts for " << cpu << ": " << *failures
               << " failures\n";
  return *failures != 0;
}
