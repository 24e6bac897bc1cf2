//===- quant-float-compiled-quantize.cpp - Test quantization --------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A test program like quant-float-compiled-cast, for quantize, dequantize and
// qdq: every quantized type in every granularity and layout, and a selection of
// the other types.
//
//===----------------------------------------------------------------------===//

#include "QuantizeCases.h"
#include "ScaledCases.h"
#include "quant-float/Support/FloatFormat.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::test;

/// Returns the rules for layouts whose loop has a dynamic trip count, which
/// must be vectorized.
static std::optional<LoopRules> getRules(const QuantizeCase &one) {
  static const StringRef layouts[] = {"rows", "tensor", "columns", "channels",
                                      "blocks32"};
  StringRef layout = one.layout->name;
  if (!llvm::is_contained(layouts, layout))
    return std::nullopt;
  LoopRules rules;
  // An iteration prepares the scales of its blocks.
  rules.mayPrepare = layout == "blocks32";
  // If a zero point is added, a quotient next to zero must be exact (D3), so
  // the loop may divide.
  bool addsZeroPoint = one.hasZeroPoint && isa<FloatType>(one.quantized) &&
                       !isFloat8(one.quantized);
  rules.mayDivide = rules.mayPrepare || layout == "columns" || addsZeroPoint ||
                    one.getPrecision().isF64();
  return rules;
}

static std::vector<ScaledCase> makeCases(MLIRContext &context) {
  std::vector<ScaledCase> cases;
  for (const QuantizeCase &one : makeQuantizeCases(context)) {
    auto makeRun = [one](size_t number) {
      QuantizeRun run = makeQuantizeRun(one, number);
      return ScaledRun{{{one.getInputType(), run.sizes, run.input},
                        {one.scale, run.scaleSizes, run.scales},
                        {one.quantized, run.scaleSizes, run.zeroPoints}},
                       {one.getResultType(), run.sizes, run.expected},
                       run.freedom};
    };
    cases.push_back({one.getName(), one.print(), one.layout->runs.size(),
                     makeRun, getRules(one)});
  }
  return cases;
}

int main(int argc, char **argv) {
  return runProgram(argc, argv, "quantizations", makeCases);
}
