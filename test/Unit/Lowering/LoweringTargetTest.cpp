//===- LoweringTargetTest.cpp - Features of CPUs and GPUs -----------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/Lowering/LoweringTarget.h"
#include "quant-float/TargetInfo/NvidiaChip.h"
#include "quant-float/TargetInfo/TargetCpu.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::quant_float;

namespace {
TEST(EmulationTargetTest, whatCpusHave) {
  struct {
    StringRef triple, cpu;
    bool fma, half, tables;
    unsigned bytes;
  } table[] = {
      {"x86_64-linux-gnu", "", false, false, false, 16},
      {"x86_64-linux-gnu", "x86-64-v2", false, false, false, 16},
      {"x86_64-linux-gnu", "x86-64-v3", true, true, false, 32},
      {"x86_64-linux-gnu", "x86-64-v4", true, true, false, 64},
      {"x86_64-linux-gnu", "znver4", true, true, true, 64},
      {"aarch64-linux-gnu", "", true, true, false, 16},
      {"riscv64-linux-gnu", "rv64gcv", true, false, false, 16},
  };
  for (const auto &row : table) {
    SCOPED_TRACE(row.cpu.str());
    llvm::Expected<TargetCpu> cpu = TargetCpu::get(row.triple, row.cpu);
    ASSERT_TRUE(static_cast<bool>(cpu));
    LoweringTarget target = LoweringTarget::get(*cpu);
    EXPECT_EQ(target.hasFma, row.fma);
    EXPECT_EQ(target.hasHalfConversions, row.half);
    EXPECT_EQ(target.has(ConversionFeature::Avx512Vbmi), row.tables);
    EXPECT_EQ(target.vectorBytes, row.bytes);
  }
}

// Features of other architectures are never available.
TEST(EmulationTargetTest, whatIsMissing) {
  auto cpu = llvm::cantFail(TargetCpu::get("x86_64-linux-gnu", "x86-64-v3"));
  auto chip = llvm::cantFail(NvidiaChip::get("sm_89", "80"));
  LoweringTarget none, v3 = LoweringTarget::get(cpu),
                       ada = LoweringTarget::get(chip);
  auto getMissing = [](const LoweringTarget &target,
                       ConversionFeature feature) {
    return target.missing[size_t(feature)];
  };
  EXPECT_EQ(getMissing(v3, ConversionFeature::F16c), "");
  EXPECT_EQ(getMissing(v3, ConversionFeature::Avx512Vbmi),
            "needs avx512vbmi and avx512bw");
  EXPECT_FALSE(v3.has(ConversionFeature::NvidiaFloat8));
  EXPECT_EQ(getMissing(ada, ConversionFeature::NvidiaFloat8),
            "needs PTX 8.1, but got 8.0");
  EXPECT_EQ(getMissing(ada, ConversionFeature::NvidiaNarrowFloat),
            "is not available on sm_89");
  EXPECT_FALSE(none.has(ConversionFeature::Neon));
  // A CPU that has not been looked up has no triple.
  LoweringTarget unknown = LoweringTarget::get(TargetCpu());
  EXPECT_EQ(unknown.machine, Machine::None);
  EXPECT_FALSE(unknown.hasFma);
}
} // namespace
