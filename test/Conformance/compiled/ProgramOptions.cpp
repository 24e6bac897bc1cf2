//===- ProgramOptions.cpp - Options of the test programs ------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgramOptions.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::quant_float;

void test::ProgramOptions::parse(int argc, char **argv) {
  llvm::cl::HideUnrelatedOptions(category);
  llvm::cl::ParseCommandLineOptions(argc, argv);
}

CompileOptions test::ProgramOptions::getCompileOptions() const {
  CompileOptions options;
  options.cpu = cpu;
  options.triple = triple;
  options.threads = threads;
  return options;
}

int test::ProgramOptions::report(size_t count, StringRef plural,
                                 FailureOr<size_t> failures) const {
  if (failed(failures))
    return 1;
  llvm::outs() << count << " " << plural << " for " << cpu << ": " << *failures
               << " failures\n";
  return *failures != 0 || count == 0;
}
