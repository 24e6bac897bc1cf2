//===- ProgramOptions.h - Options of the test programs ----------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_TEST_CONFORMANCE_COMPILED_PROGRAMOPTIONS_H
#define QUANT_FLOAT_TEST_CONFORMANCE_COMPILED_PROGRAMOPTIONS_H

#include "quant-float/Driver/Driver.h"
#include "llvm/Support/CommandLine.h"
#include <string>

namespace mlir::quant_float::test {

/// Removes LLVM's options, some of which have the same names.
struct NoOtherOptions {
  NoOtherOptions() { llvm::cl::ResetCommandLineParser(); }
};

/// The options of programs that compile cases. Only one instance may exist.
struct ProgramOptions : NoOtherOptions {
  llvm::cl::OptionCategory category{"options of this program"};
  llvm::cl::opt<std::string> cpu{"cpu", llvm::cl::desc("target CPU"),
                                 llvm::cl::init("host"),
                                 llvm::cl::cat(category)};
  llvm::cl::opt<std::string> triple{"triple", llvm::cl::desc("target triple"),
                                    llvm::cl::cat(category)};
  llvm::cl::opt<unsigned> threads{"threads",
                                  llvm::cl::desc("threads of compiled code"),
                                  llvm::cl::init(1), llvm::cl::cat(category)};
  llvm::cl::opt<unsigned> batch{"batch",
                                llvm::cl::desc("functions of one module"),
                                llvm::cl::init(50), llvm::cl::cat(category)};
  llvm::cl::opt<std::string> filter{
      "filter", llvm::cl::desc("only cases whose names contain this string"),
      llvm::cl::cat(category)};
  llvm::cl::opt<std::string> shard{
      "shard",
      llvm::cl::desc("only the Kth of N shares of the cases, shuffled"),
      llvm::cl::value_desc("K/N"), llvm::cl::init("1/1"),
      llvm::cl::cat(category)};
  llvm::cl::opt<bool> loops{"check-loops", llvm::cl::desc("check the assembly"),
                            llvm::cl::cat(category)};
  llvm::cl::opt<std::string> emit{
      "emit-assembly", llvm::cl::desc("write into a folder"),
      llvm::cl::value_desc("folder"), llvm::cl::cat(category)};

  void parse(int argc, char **argv);
  CompileOptions getCompileOptions() const;
  size_t getBatchSize() const { return std::max(1u, unsigned(batch)); }
  /// Prints the number of failed cases among `count` cases, called `plural`.
  /// Returns the exit status, which is a failure if there are no cases.
  int report(size_t count, StringRef plural, FailureOr<size_t> failures) const;
};

} // namespace mlir::quant_float::test

#endif // QUANT_FLOAT_TEST_CONFORMANCE_COMPILED_PROGRAMOPTIONS_H
