//===- MatrixInstructionTest.cpp - Matrix instructions --------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/TargetInfo/MatrixInstruction.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/Support/FormatVariadic.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::quant_float;

namespace {
// The names state the shapes of a GPU's instructions.
TEST(MatrixInstructionTest, namesAreThoseOfLlvmAndPtx) {
  for (const MatrixInstruction &row : getMatrixInstructions()) {
    SCOPED_TRACE(row.name.str());
    StringRef name = row.name;
    if (!row.chipFeature) {
      EXPECT_TRUE(llvm::Intrinsic::lookupIntrinsicID(name));
      continue;
    }
    if (row.unit == MatrixUnit::Warpgroup) {
      EXPECT_EQ(name.str(),
                llvm::formatv("wgmma.mma_async.m{0}nNk{1}.{2}.{3}.{4}", row.m,
                              row.k, getPtxType(row.accumulator),
                              getPtxType(row.a), getPtxType(row.b))
                    .str());
      continue;
    }
    EXPECT_TRUE(name.consume_front("mma.sync."));
    EXPECT_TRUE(
        llvm::Intrinsic::lookupIntrinsicID(("llvm.nvvm.mma." + name).str()));
    EXPECT_TRUE(name.starts_with(
        llvm::formatv("m{0}n{1}k{2}.row.col.", row.m, row.n, row.k).str()));
  }
}

// Compiled code checks the features before it uses an instruction.
TEST(MatrixInstructionTest, featuresCanBeChecked) {
  for (const MatrixInstruction &row : getMatrixInstructions()) {
    llvm::Triple triple(llvm::Triple::getArchTypeName(row.arch) +
                        "-unknown-linux-gnu");
    SmallVector<StringRef> names;
    row.cpuFeatures.split(names, ',', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
    // All x86-64 CPUs have SSE2.
    for (StringRef name : names)
      EXPECT_TRUE(name == "sse2" ||
                  llvm::is_contained(getVerifiableFeatures(triple), name))
          << name.str();
  }
}

TEST(MatrixInstructionTest, chooseTheFirstThatTheTargetHas) {
  auto choose = [](MatrixTarget target, MatrixElement lhs, MatrixElement rhs,
                   bool isAligned = true) {
    MatrixInstructionChoice choice = chooseMatrixInstruction(
        target,
        [&](const MatrixInstruction &row) {
          return row.accumulator != MatrixElement::Int16 && row.takes(lhs, rhs);
        },
        [&](const MatrixInstruction &row) -> std::string {
          return isAligned || row.unit != MatrixUnit::Warpgroup
                     ? ""
                     : "needs aligned rows";
        });
    std::string name =
        choice.instruction ? choice.instruction->name.str() : "none";
    return std::pair(name, choice.lacks);
  };
  using Result = std::pair<std::string, std::vector<std::string>>;
  auto signedByte = MatrixElement::Int8, unsignedByte = MatrixElement::UInt8;
  auto getCpu = [](StringRef triple, StringRef name) {
    return llvm::cantFail(TargetCpu::get(triple, name));
  };
  TargetCpu sapphire = getCpu("x86_64-linux-gnu", "sapphirerapids"),
            alder = getCpu("x86_64-linux-gnu", "alderlake"),
            graviton = getCpu("aarch64-linux-gnu", "neoverse-v1"),
            old = getCpu("aarch64-linux-gnu", "cortex-a72");
  EXPECT_EQ(choose(&sapphire, signedByte, unsignedByte),
            Result("llvm.x86.tdpbsud", {}));
  EXPECT_EQ(
      choose(&alder, signedByte, unsignedByte),
      Result("llvm.x86.avx512.vpdpbusd.256",
             {"llvm.x86.tdpbsud needs amx-int8 and amx-tile",
              "llvm.x86.avx512.vpdpbusd.512 needs avx512vnni and avx512vl and "
              "avx512bw",
              "llvm.x86.avx512.vpdpbusd.256 needs avx512vnni and avx512vl and "
              "avx512bw"}));
  EXPECT_EQ(choose(&graviton, signedByte, unsignedByte),
            Result("llvm.aarch64.neon.usmmla", {}));
  EXPECT_EQ(choose(&old, unsignedByte, unsignedByte),
            Result("none", {"llvm.aarch64.neon.ummla needs i8mm",
                            "llvm.aarch64.neon.udot needs dotprod"}));
  auto half = MatrixElement::Float16;
  auto hopper = llvm::cantFail(NvidiaChip::get("sm_90a")),
       turing = llvm::cantFail(NvidiaChip::get("sm_75", "64"));
  EXPECT_EQ(choose(&hopper, half, half),
            Result("wgmma.mma_async.m64nNk16.f32.f16.f16", {}));
  EXPECT_EQ(
      choose(&hopper, half, half, /*isAligned=*/false),
      Result("mma.sync.m16n8k16.row.col.f32.f32",
             {"wgmma.mma_async.m64nNk16.f32.f16.f16 needs aligned rows"}));
  EXPECT_EQ(
      choose(&turing, half, half),
      Result("none", {"wgmma.mma_async.m64nNk16.f32.f16.f16 is not available "
                      "on sm_75",
                      "mma.sync.m16n8k16.row.col.f32.f32 is not available on "
                      "sm_75",
                      "mma.sync.m16n8k8.row.col.f32.f32 needs PTX 6.5, but got "
                      "6.4"}));
  EXPECT_EQ(choose(nullptr, half, half), Result("none", {}));
}
} // namespace
