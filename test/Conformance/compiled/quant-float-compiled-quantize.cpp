//===- quant-float-compiled-quantize.cpp - Prove compiled quantization ----===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A test program as quant-float-compiled-cast is, for quantize, dequantize and
// qdq: every quantized type in every granularity and layout, and a choice of
// the other types.
//
//===----------------------------------------------------------------------===//

#include "QuantizeCases.h"
#include "ScaledCases.h"
#include "quant-float/Support/FloatFormat.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::test;

/// A loop over rows of open length has to work on vectors.
static std::optional<LoopRules> getRules(const QuantizeCase &one) {
  static const StringRef layouts[] = {"rows", "tensor", "columns", "channels",
                                      "blocks32"};
  StringRef layout = one.layout->name;
  if (!llvm::is_contained(layouts, layout))
    return std::nullopt;
  LoopRules rules;
  // A round prepares the scales of its blocks.
  rules.mayPrepare = layout == "blocks32";
  // D3: of a negative quotient next to zero no sign is left where a zero point
  // is added, so that it must be exact.
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
