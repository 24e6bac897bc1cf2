//===- quant-float-compiled-fakeconvert.cpp - Test fakeconvert ------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compares compiled fakeconverts with the Reference: every mode and destination
// for every type, with and without a shift, for scales of all shapes.
//
//===----------------------------------------------------------------------===//

#include "FakeConvertCases.h"
#include "ScaledCases.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::test;

/// Returns the rules for layouts whose loop has a dynamic trip count, which
/// must be vectorized. Only OpenVINO's plugin never divides. The exact mode
/// divides by exceptional scales in a separate branch.
static std::optional<LoopRules> getRules(const FakeConvertCase &one) {
  StringRef layout = one.layout->name;
  if (layout != "tensor" && layout != "rows" && layout != "columns")
    return std::nullopt;
  LoopRules rules;
  rules.mayDivide = layout == "columns" ||
                    one.options.mode != reference::FakeConvertMode::OpenVINO;
  return rules;
}

static std::vector<ScaledCase> makeCases(MLIRContext &context) {
  std::vector<ScaledCase> cases;
  for (const FakeConvertCase &one : makeFakeConvertCases(context)) {
    auto makeRun = [one](size_t number) {
      FakeConvertRun run = makeFakeConvertRun(one, number);
      return ScaledRun{{{one.type, run.sizes, run.input},
                        {one.type, run.scaleSizes, run.scales},
                        {one.type, run.scaleSizes, run.shifts}},
                       {one.type, run.sizes, run.expected},
                       run.freedom};
    };
    cases.push_back({one.getName(), one.print(), one.layout->runs.size(),
                     makeRun, getRules(one)});
  }
  return cases;
}

int main(int argc, char **argv) {
  return runProgram(argc, argv, "fakeconverts", makeCases);
}
