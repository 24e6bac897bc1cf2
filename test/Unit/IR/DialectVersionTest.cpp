//===- DialectVersionTest.cpp - Upgrades of older bytecode ----------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/IR/DialectVersion.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::quant_float;

namespace {
/// Records a step in an attribute of the module.
void mark(Operation *module, StringRef name) {
  Builder builder(module->getContext());
  std::string steps;
  if (auto earlier = module->getAttrOfType<StringAttr>("steps"))
    steps = earlier.str() + ",";
  module->setAttr("steps", builder.getStringAttr(steps + name.str()));
}

LogicalResult first(Operation *module) { return mark(module, "1"), success(); }
LogicalResult second(Operation *module) { return mark(module, "2"), success(); }
LogicalResult third(Operation *module) { return mark(module, "3"), success(); }
LogicalResult refuse(Operation *module) {
  return module->emitOpError("has no newer form");
}

class DialectVersionTest : public testing::Test {
protected:
  /// Returns the steps that were applied to IR of version `from`, or the
  /// errors.
  std::string upgrade(QuantFloatDialectVersion from,
                      ArrayRef<DialectUpgrade> steps) {
    OwningOpRef<ModuleOp> module(
        ModuleOp::create(UnknownLoc::get(&context), "m"));
    std::string errors;
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      errors += diagnostic.str();
      return success();
    });
    if (failed(applyUpgrades(*module, from, steps)))
      return errors;
    auto marks = (*module)->getAttrOfType<StringAttr>("steps");
    return marks ? marks.str() : "";
  }

  MLIRContext context;
};

TEST_F(DialectVersionTest, olderIsByMajorThenMinor) {
  using Version = QuantFloatDialectVersion;
  EXPECT_TRUE(Version(0, 9) < Version(0, 10));
  EXPECT_TRUE(Version(0, 10) < Version(1, 0));
  EXPECT_FALSE(Version(1, 0) < Version(0, 10));
  EXPECT_FALSE(Version(1, 0) < Version(1, 0));
  EXPECT_EQ(Version(0, 10).str(), "0.10");
}

// Applies exactly the steps that a version needs, oldest first.
TEST_F(DialectVersionTest, stepsFromAVersion) {
  const DialectUpgrade steps[] = {
      {{0, 1}, first}, {{0, 2}, second}, {{1, 0}, third}};
  EXPECT_EQ(upgrade({0, 0}, steps), "1,2,3");
  EXPECT_EQ(upgrade({0, 1}, steps), "1,2,3");
  EXPECT_EQ(upgrade({0, 2}, steps), "2,3");
  EXPECT_EQ(upgrade({0, 7}, steps), "3");
  EXPECT_EQ(upgrade({1, 0}, steps), "3");
  EXPECT_EQ(upgrade({1, 1}, steps), "");
  EXPECT_EQ(upgrade({0, 0}, {}), "");
}

TEST_F(DialectVersionTest, aStepThatFailsIsTheLast) {
  const DialectUpgrade steps[] = {{{0, 1}, refuse}, {{0, 1}, first}};
  EXPECT_EQ(upgrade({0, 1}, steps), "'builtin.module' op has no newer form");
  EXPECT_EQ(upgrade({0, 2}, steps), "");
}
} // namespace
