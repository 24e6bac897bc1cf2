//===- DefaultAttributesTest.cpp - Attributes with a default value --------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "quant-float/IR/QuantFloatOps.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::quant_float;

namespace {
constexpr char kModule[] = R"(
  func.func @f(%x: tensor<4x64xf32>, %s: tensor<4x2xf8E8M0FNU>,
               %p: tensor<4x2x!quant_float.binary8p1uf>, %i: tensor<4x64xi64>) {
    %0 = quant_float.node "Relu"(%x) opset 21 : (tensor<4x64xf32>) -> tensor<4x64xf32>
    %1 = quant_float.block_quantize_elements %x, %s block [1, 32] rule rceil
        : tensor<4x64xf32>, tensor<4x2xf8E8M0FNU> to tensor<4x64xf8E4M3FN>
    %2 = quant_float.block_dequantize %1, %s block [1, 32]
        : tensor<4x64xf8E4M3FN>, tensor<4x2xf8E8M0FNU> to tensor<4x64xf32>
    %3 = quant_float.convert_to_block %x, %p block [1, 32] projection <D1, NearestTiesToEven, SatFinite>
        : tensor<4x64xf32>, tensor<4x2x!quant_float.binary8p1uf> to tensor<4x64x!quant_float.binary8p4se>
    %4 = quant_float.quantize_elements %x, %x saturate false
        : tensor<4x64xf32>, tensor<4x64xf32> to tensor<4x64xf8E4M3FN>
    %5 = quant_float.cast_strings %x to %i from f32 to !quant_float.string
        : tensor<4x64xf32>, tensor<4x64xi64> -> tensor<4x64xi64>
    return
  }
)";

/// The readers of bytecode set properties like this, and so do passes.
TEST(DefaultAttributesTest, nullIsInvalid) {
  MLIRContext context;
  context.loadDialect<QuantFloatDialect, func::FuncDialect>();
  std::string errors;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    errors += diagnostic.str();
    return success();
  });
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(kModule, &context);
  ASSERT_TRUE(module) << errors;
  // An attribute of no op.
  Attribute other = FloatAttr::get(Float64Type::get(&context), 0.5);
  size_t ops = 0, attributes = 0;
  module->walk([&](Operation *op) {
    if (!isa<QuantFloatDialect>(op->getDialect()))
      return;
    ++ops;
    for (StringAttr name : op->getName().getAttributeNames()) {
      std::optional<Attribute> before = op->getInherentAttr(name);
      // The number of operands of each group is not an attribute that readers
      // set.
      if (!before || !*before || name == "operandSegmentSizes")
        continue;
      errors.clear();
      op->setAttr(name, other);
      EXPECT_TRUE(failed(verify(op))) << name.str();
      EXPECT_NE(errors.find("'" + name.str() + "'"), std::string::npos)
          << errors;
      if (name == "domain")
        EXPECT_NE(errors.find("has no attribute 'domain' of its type"),
                  std::string::npos)
            << errors;
      op->setAttr(name, *before);
      EXPECT_TRUE(succeeded(verify(op))) << name.str() << errors;
      ++attributes;
    }
  });
  EXPECT_EQ(ops, 6u);
  EXPECT_GT(attributes, 14u);
}
} // namespace
