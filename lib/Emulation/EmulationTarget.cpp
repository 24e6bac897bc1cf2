//===- EmulationTarget.cpp - What CPUs and GPUs have ----------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/Emulation/EmulationTarget.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"

#include "quant-float/Support/NvidiaChip.h"
#include "quant-float/Support/TargetCpu.h"
#include "llvm/TargetParser/Triple.h"

using namespace mlir;
using namespace mlir::quant_float;

/// "needs a and b" of those that the CPU lacks; `names` are separated by
/// commas.
static std::string getMissing(const TargetCpu &cpu, StringRef names) {
  SmallVector<StringRef> needed, lacking;
  names.split(needed, ',');
  llvm::copy_if(needed, std::back_inserter(lacking),
                [&](StringRef name) { return !cpu.has(name); });
  return lacking.empty() ? std::string()
                         : "needs " + llvm::join(lacking, " and ");
}

EmulationTarget EmulationTarget::get(const TargetCpu &cpu) {
  EmulationTarget target;
  llvm::Triple triple(cpu.triple);
  if (triple.isX86()) {
    target.machine = Machine::X86;
    target.hasFma = cpu.has("fma");
    target.hasHalfConversions = cpu.has("f16c");
    target.minIsSelect = target.keepsNaNSigns = true;
    target.avoidsSubnormals = true;
    target.hasLongConversions = cpu.has("avx512dq");
    target.vectorBytes = cpu.has("avx512f") && cpu.has("avx512bw") ? 64
                         : cpu.has("avx2")                         ? 32
                                                                   : 16;
    target.vectorRegisters = target.vectorBytes == 64 ? 32 : 16;
  } else if (triple.isAArch64()) {
    target.machine = Machine::AArch64;
    target.hasFma = target.hasHalfConversions = true;
    target.hasLongConversions = target.keepsNaNSigns = true;
    target.hasMinimum = target.roundsToIntegers = true;
    target.hasBFloatConversions = cpu.has("bf16");
  } else {
    // RISC-V makes every NaN the positive one: the conversions of zvfhmin are
    // no use for f16.
    target.machine = Machine::RISCV;
    target.hasFma = target.hasLongConversions = true;
  }
  target.dividesByReciprocal = target.hasFma;
#define QUANT_FLOAT_CPU_FEATURE(Name, FeatureMachine, Needs)                   \
  if (target.machine == Machine::FeatureMachine)                               \
    target.missing[size_t(ConversionFeature::Name)] = getMissing(cpu, Needs);
#include "quant-float/Emulation/Conversions.def"
  return target;
}

FailureOr<EmulationTarget> EmulationTarget::get(MLIRContext *context,
                                                StringRef triple, StringRef cpu,
                                                StringRef features) {
  if (cpu.empty())
    return EmulationTarget();
  llvm::Expected<TargetCpu> known = TargetCpu::get(triple, cpu, features);
  if (!known)
    return emitError(UnknownLoc::get(context))
           << llvm::toString(known.takeError());
  return get(*known);
}

/// What keeps a chip from having a group of instructions; empty if it has them.
static std::string getMissing(const NvidiaChip &chip, NvidiaFeature group) {
  if (chip.has(group))
    return {};
  unsigned ptx = chip.getLeastPtx(group);
  if (!ptx)
    return "is not on " + chip.name;
  return "needs PTX " + getPtxName(ptx) + ", but got " + getPtxName(chip.ptx);
}

EmulationTarget EmulationTarget::get(const NvidiaChip &chip) {
  EmulationTarget target;
  target.machine = Machine::Nvidia;
  target.hasFma = target.hasHalfConversions = target.hasLongConversions = true;
  target.keepsSubnormals = target.packsBytes = true;
  // Each NaN that an instruction gives is 0x7FFFFFFF.
  target.makesCanonicalNaNs = false;
  target.hasMinimum = chip.has(NvidiaFeature::Minimum);
  target.hasMinimumNumber = target.hasMinimum;
#define QUANT_FLOAT_NVIDIA_FEATURE(Name, Group)                                \
  target.missing[size_t(ConversionFeature::Name)] =                            \
      getMissing(chip, NvidiaFeature::Group);
#include "quant-float/Emulation/Conversions.def"
  return target;
}
