//===- LoweringTarget.cpp - Target properties -----------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/Lowering/LoweringTarget.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"

#include "quant-float/IR/CodegenAttributes.h"
#include "quant-float/IR/QuantFloatAttributes.h"
#include "quant-float/TargetInfo/NvidiaChip.h"
#include "quant-float/TargetInfo/TargetCpu.h"
#include "llvm/TargetParser/Triple.h"

using namespace mlir;
using namespace mlir::quant_float;

LoweringTarget LoweringTarget::get(const TargetCpu &cpu) {
  LoweringTarget target;
  target.cpu = std::make_shared<const TargetCpu>(cpu);
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
  } else if (triple.isRISCV64()) {
    // RISC-V's instructions replace every NaN by the positive canonical one, so
    // that f16 conversions of zvfhmin are not usable.
    target.machine = Machine::RISCV;
    target.hasFma = target.hasLongConversions = true;
  }
  target.dividesByReciprocal = target.hasFma;
#define QUANT_FLOAT_CPU_FEATURE(Name, FeatureMachine, Needs)                   \
  if (target.machine == Machine::FeatureMachine)                               \
    target.missing[size_t(ConversionFeature::Name)] = cpu.getMissing(Needs);
#include "quant-float/Lowering/Conversions.def"
  return target;
}

/// The target of the nearest module that has one.
static TargetAttr lookupTarget(Operation *op) {
  for (; op; op = op->getParentOp())
    if (auto target = op->getAttrOfType<TargetAttr>(kTargetAttrName))
      return target;
  return {};
}

// The attribute's verifier has resolved the names before.
LoweringTarget LoweringTarget::lookup(Operation *op) {
  TargetAttr target = lookupTarget(op);
  if (!target || target.getKind() != TargetKind::CPU)
    return LoweringTarget();
  return get(llvm::cantFail(TargetCpu::get(
      target.getTriple(), target.getProcessor(), target.getFeatures())));
}

std::optional<NvidiaChip> quant_float::lookupChip(Operation *op) {
  TargetAttr target = lookupTarget(op);
  if (!target || target.getKind() != TargetKind::NVVM)
    return std::nullopt;
  return llvm::cantFail(
      NvidiaChip::get(target.getProcessor(), target.getFeatures()));
}

LoweringTarget LoweringTarget::get(const NvidiaChip &chip) {
  LoweringTarget target;
  target.machine = Machine::Nvidia;
  target.hasFma = target.hasHalfConversions = target.hasLongConversions = true;
  target.keepsSubnormals = target.packsBytes = true;
  // Every NaN that an instruction produces is 0x7FFFFFFF.
  target.makesCanonicalNaNs = false;
  target.hasMinimum = chip.has(NvidiaFeature::Minimum);
  target.hasMinimumNumber = target.hasMinimum;
#define QUANT_FLOAT_NVIDIA_FEATURE(Name, Group)                                \
  target.missing[size_t(ConversionFeature::Name)] =                            \
      chip.getMissing(NvidiaFeature::Group);
#include "quant-float/Lowering/Conversions.def"
  return target;
}
