//===- quant-float-compiled-cast.cpp - Test casts -------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A test program that compiles every cast and compares the results with the
// Reference, inspects the assembly, or writes files for another processor.
//
//===----------------------------------------------------------------------===//

#include "CastActions.h"
#include "ProgramOptions.h"
#include "Programs.h"
#include "Shards.h"
#include "llvm/Support/InitLLVM.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::test;

namespace cl = llvm::cl;

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  ProgramOptions options;
  cl::opt<unsigned> random(
      "random", cl::desc("random patterns for sources of more than 16 bits"),
      cl::init(1 << 16), cl::cat(options.category));
  cl::opt<bool> environments(
      "environments",
      cl::desc("run in every floating-point environment of a caller"),
      cl::cat(options.category));
  options.parse(argc, argv);
  MLIRContext context(MLIRContext::Threading::DISABLED);
  loadDialects(context);

  std::vector<CastCase> all = makeAllPairs(context);
  if (!options.loops && !environments)
    llvm::append_range(all, makeShapes(context));
  FailureOr<std::vector<CastCase>> cases =
      chooseCases(std::move(all), options.shard, options.filter);
  if (failed(cases))
    return 1;

  Settings settings;
  settings.compile = options.getCompileOptions();
  settings.randomCount = random;
  settings.environments = environments;
  settings.batchSize = options.getBatchSize();
  if (!options.emit.empty())
    return failed(emitCases(*cases, settings, options.emit, context));
  return options.report(cases->size(), "casts",
                        options.loops ? checkLoops(*cases, settings, context)
                                      : runCases(*cases, settings, context));
}
