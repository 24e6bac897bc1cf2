//===- TargetCpuTest.cpp - Names of CPUs and triples ----------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/TargetInfo/TargetCpu.h"
#include "quant-float/Support/LlvmCompat.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/Target/TargetMachine.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::quant_float;

namespace {
std::string getError(StringRef triple, StringRef cpu) {
  llvm::Expected<TargetCpu> result = TargetCpu::get(triple, cpu);
  return result ? "" : llvm::toString(result.takeError());
}

// LLVM would abort on some of these names, or print a message and continue.
TEST(TargetCpuTest, unknownNamesAreErrors) {
  EXPECT_EQ(getError("x86_64-linux-gnu", "nosuch"),
            "unknown cpu 'nosuch' for the triple 'x86_64-unknown-linux-gnu'");
  EXPECT_EQ(getError("x86_64-linux-gnu", "apple-m1"),
            "unknown cpu 'apple-m1' for the triple 'x86_64-unknown-linux-gnu'");
  EXPECT_EQ(getError("x86_64-linux-gnu", "pentium4"),
            "cpu 'pentium4' has no 64-bit mode");
  EXPECT_EQ(getError("riscv64-linux-gnu", "sifive-e20"),
            "cpu 'sifive-e20' has no 64-bit mode");
  EXPECT_EQ(getError("", "rv64gcv_zfoo"),
            "unknown cpu 'rv64gcv_zfoo': unsupported standard user-level "
            "extension 'zfoo'");
  EXPECT_EQ(getError("wasm32", ""), "expected an x86-64, aarch64 or riscv64 "
                                    "triple, but got 'wasm32'");
  for (StringRef triple :
       {"aarch64_be-unknown-linux-gnu", "aarch64-unknown-linux-gnu_ilp32",
        "i386-unknown-linux-gnu", "x86_64-unknown-linux-gnux32"})
    EXPECT_EQ(
        getError(triple, ""),
        "expected a little-endian triple with 64-bit pointers, but got '" +
            triple.str() + "'");
  EXPECT_EQ(getError("foo-bar", ""), "unknown target triple 'foo-bar'");
}

TEST(TargetCpuTest, everyCpuHasAMachine) {
  for (auto [triple, cpu] :
       {std::pair<StringRef, StringRef>{"x86_64-linux-gnu", ""},
        {"x86_64-linux-gnu", "znver4"},
        {"aarch64-linux-gnu", ""},
        {"riscv64-linux-gnu", "rv64gcv"}}) {
    SCOPED_TRACE(cpu.str());
    llvm::Expected<TargetCpu> known = TargetCpu::get(triple, cpu);
    ASSERT_TRUE(static_cast<bool>(known));
    EXPECT_TRUE(static_cast<bool>(known->createMachine()));
  }
}

// Features that the entry code cannot detect at run time are disabled, because
// using them could execute an illegal instruction.
TEST(TargetCpuTest, codeUsesWhatItCanAskFor) {
  struct {
    StringRef triple, cpu, kept, dropped;
  } table[] = {
      {"x86_64-linux-gnu", "diamondrapids", "avx512fp16", "egpr"},
      {"x86_64-linux-gnu", "diamondrapids", "avx10.2", "amx-fp8"},
      {"x86_64-linux-gnu", "znver5", "avx512vnni", "movdiri"},
      {"aarch64-linux-gnu", "ampere1c", "cssc", "wfxt"},
      {"aarch64-linux-gnu", "fujitsu-monaka", "fp8", "fp8fma"},
      {"aarch64-linux-gnu", "neoverse-v2", "sve2", "rcpc"},
      {"riscv64-linux-gnu", "sifive-p670", "v", "zbb"},
      {"riscv64-linux-gnu", "rv64gcv_zvfbfmin_zbb", "zvfbfmin", "zbb"},
      {"riscv64-linux-gnu", "rv64gcv_zvfofp8min", "experimental-zvfofp8min",
       "zvfbfmin"},
  };
  for (const auto &row : table) {
    SCOPED_TRACE(row.cpu.str());
    llvm::Expected<TargetCpu> cpu = TargetCpu::get(row.triple, row.cpu);
    ASSERT_TRUE(static_cast<bool>(cpu));
    llvm::Expected<std::unique_ptr<llvm::TargetMachine>> machine =
        cpu->createMachine();
    ASSERT_TRUE(static_cast<bool>(machine));
    const llvm::MCSubtargetInfo &has = getMCSubtargetInfo(**machine);
    for (StringRef name : {row.kept, row.dropped}) {
      EXPECT_EQ(has.checkFeatures(("+" + name).str()), name == row.kept);
      EXPECT_EQ(cpu->has(name), name == row.kept);
    }
  }
}

TEST(TargetCpuTest, aCpuBringsItsTriple) {
  llvm::Expected<TargetCpu> apple = TargetCpu::get("", "apple-m1");
  ASSERT_TRUE(static_cast<bool>(apple));
  EXPECT_EQ(apple->triple, "arm64-apple-macosx");
  llvm::Expected<TargetCpu> riscv = TargetCpu::get("", "rv64gcv");
  ASSERT_TRUE(static_cast<bool>(riscv));
  EXPECT_EQ(riscv->triple, "riscv64-unknown-linux-gnu");
}
} // namespace
