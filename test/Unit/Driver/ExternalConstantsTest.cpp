//===- ExternalConstantsTest.cpp - Constants outside of LLVM --------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/Parser/Parser.h"
#include "quant-float/Driver/Driver.h"
#include "quant-float/InitAll.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::quant_float;

namespace {
constexpr int64_t kDepth = 256, kColumns = 128;

char getWeight(int64_t row, int64_t column) {
  return char(row * 31 + column * 7);
}

/// Compiles a module in which the constant that is marked `weights` refers to
/// given bytes.
class ExternalConstantsTest : public ::testing::Test {
protected:
  ExternalConstantsTest() {
    DialectRegistry registry;
    registerAllDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  FailureOr<CpuLevel> compile(StringRef element, ArrayRef<char> bytes,
                              StringRef body) {
    auto type = cast<ShapedType>(parseType(element, &context));
    auto resource = DenseResourceElementsAttr::get(
        type, "weights",
        UnmanagedAsmResourceBlob::allocateWithAlign(bytes, /*align=*/1));
    module = parseSourceString<ModuleOp>(body, &context);
    if (!module)
      return failure();
    module->walk([&](Operation *op) {
      if (op->hasAttr("weights")) {
        op->setAttr("value", resource);
        op->removeAttr("weights");
      }
    });
    CompileOptions options;
    options.cpu = "cascadelake";
    options.triple = "x86_64-unknown-linux-gnu";
    return compileToLLVM(*module, options, llvmContext, &constants);
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  llvm::LLVMContext llvmContext;
  ExternalConstants constants;
};

constexpr StringLiteral kMatmul = R"(
  func.func @f(%x: tensor<64x256xui8>) -> tensor<64x128xi32> {
    %w = arith.constant {weights} dense<0> : tensor<256x128xi8>
    %y = quant_float.node "MatMulInteger"(%x, %w) opset 10
         : (tensor<64x256xui8>, tensor<256x128xi8>) -> tensor<64x128xi32>
    return %y : tensor<64x128xi32>
  })";

TEST_F(ExternalConstantsTest, AreWeightsInVnniLayout) {
  std::vector<char> weights;
  for (int64_t row = 0; row < kDepth; ++row)
    for (int64_t column = 0; column < kColumns; ++column)
      weights.push_back(getWeight(row, column));
  ASSERT_TRUE(succeeded(compile("tensor<256x128xi8>", weights, kMatmul)));
  // Each group of four bytes has the same column and consecutive rows.
  ASSERT_EQ(constants.size(), 1u);
  ArrayRef<char> packed = constants.front().second;
  ASSERT_EQ(packed.size(), weights.size());
  for (auto [index, byte] : llvm::enumerate(packed)) {
    int64_t row = index / (4 * kColumns) * 4 + index % 4;
    EXPECT_EQ(byte, getWeight(row, index / 4 % kColumns));
  }
}

constexpr StringLiteral kAdd = R"(
  func.func @f(%x: tensor<8192xf32>) -> tensor<8192xf32> {
    %w = arith.constant {weights} dense<0.0> : tensor<8192xf32>
    %y = arith.addf %x, %w : tensor<8192xf32>
    return %y : tensor<8192xf32>
  })";

TEST_F(ExternalConstantsTest, StayWhereTheyAre) {
  std::vector<float> numbers(8192, 1.5f);
  ArrayRef<char> bytes(reinterpret_cast<const char *>(numbers.data()),
                       numbers.size() * sizeof(float));
  FailureOr<CpuLevel> compiled = compile("tensor<8192xf32>", bytes, kAdd);
  ASSERT_TRUE(succeeded(compiled));
  ASSERT_EQ(constants.size(), 1u);
  const auto &[name, found] = constants.front();
  EXPECT_EQ(found.data(), bytes.data());
  llvm::GlobalVariable *global = compiled->module->getGlobalVariable(name);
  ASSERT_TRUE(global);
  EXPECT_TRUE(global->isDeclaration());
  EXPECT_TRUE(llvm::isAddrAligned(*global->getAlign(), bytes.data()));
}

TEST_F(ExternalConstantsTest, AreAligned) {
  std::vector<float> numbers(8193, 1.5f);
  ArrayRef<char> bytes(reinterpret_cast<const char *>(numbers.data()) + 1,
                       8192 * sizeof(float));
  ASSERT_TRUE(succeeded(compile("tensor<8192xf32>", bytes, kAdd)));
  EXPECT_TRUE(constants.empty());
}
} // namespace
