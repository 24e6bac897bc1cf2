//===- ScaledProgram.cpp - Test programs of ops with scales ---------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgramOptions.h"
#include "Programs.h"
#include "ScaledCases.h"
#include "Shards.h"
#include "llvm/Support/InitLLVM.h"

using namespace mlir;
using namespace mlir::quant_float;

int test::runProgram(
    int argc, char **argv, StringRef plural,
    llvm::function_ref<std::vector<ScaledCase>(MLIRContext &)> make) {
  llvm::InitLLVM init(argc, argv);
  ProgramOptions options;
  options.parse(argc, argv);
  MLIRContext context(MLIRContext::Threading::DISABLED);
  loadDialects(context);

  std::vector<ScaledCase> all = make(context);
  // Cases without rules are not counted.
  if (options.loops)
    llvm::erase_if(all, [](const ScaledCase &one) { return !one.rules; });
  FailureOr<std::vector<ScaledCase>> cases =
      chooseCases(std::move(all), options.shard, options.filter);
  if (failed(cases))
    return 1;

  CompileOptions compile = options.getCompileOptions();
  size_t batchSize = options.getBatchSize();
  if (!options.emit.empty())
    return failed(emitCases(*cases, compile, batchSize, options.emit, context));
  return options.report(cases->size(), plural,
                        options.loops
                            ? checkLoops(*cases, compile, batchSize, context)
                            : runCases(*cases, compile, batchSize, context));
}
