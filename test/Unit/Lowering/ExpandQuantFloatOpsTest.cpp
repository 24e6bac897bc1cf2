//===- ExpandQuantFloatOpsTest.cpp - The API for embedders ----------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/Lowering/ExpandQuantFloatOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "quant-float/Conversion/Passes.h"
#include "quant-float/IR/QuantFloatDialect.h"
#include "quant-float/TargetInfo/TargetCpu.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::quant_float;

namespace {
constexpr StringLiteral kModule = R"(
func.func @f(%x: vector<64xf32>, %s: f32, %t: f32) -> (vector<64xf32>, vector<64xf32>, vector<64xf8E5M2>) {
  %0 = quant_float.qdq %x, %s storage f8E4M3FN opset 23 : vector<64xf32>, f32 to vector<64xf32>
  %1 = quant_float.fakeconvert %x, %s, %t to f8E5M2 opset 13 : vector<64xf32>, f32, f32 to vector<64xf32>
  %2 = quant_float.cast %x opset 23 : vector<64xf32> to vector<64xf8E5M2>
  return %0, %1, %2 : vector<64xf32>, vector<64xf32>, vector<64xf8E5M2>
}
)";

std::string print(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream(text) << module;
  return text;
}

// The API has the same result as the pass, for every kind of target.
TEST(ExpandQuantFloatOpsTest, isWhatThePassDoes) {
  MLIRContext context;
  context.loadDialect<func::FuncDialect, QuantFloatDialect>();
  for (StringRef cpu : {"x86-64", "x86-64-v3", "znver4"}) {
    SCOPED_TRACE(cpu.str());
    auto module = parseSourceString<ModuleOp>(kModule, &context);
    auto other = parseSourceString<ModuleOp>(kModule, &context);
    ASSERT_TRUE(module && other);
    PassManager manager(&context);
    ConvertQuantFloatToArithPassOptions options;
    options.triple = "x86_64-linux-gnu";
    options.cpu = cpu;
    manager.addPass(createConvertQuantFloatToArithPass(options));
    ASSERT_TRUE(succeeded(manager.run(*module)));
    auto target = LoweringTarget::get(
        llvm::cantFail(TargetCpu::get("x86_64-linux-gnu", cpu)));
    // The expansion is prepared once and can be applied to any IR.
    QuantFloatExpansion expansion(&context, target);
    ASSERT_TRUE(succeeded(expansion.apply(*other)));
    EXPECT_EQ(print(*module), print(*other));
    other->walk([](Operation *op) {
      EXPECT_NE(op->getName().getDialectNamespace(), "quant_float");
    });
  }
}
} // namespace
