//===- EmulationTarget.h - Target properties --------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_EMULATION_EMULATIONTARGET_H
#define QUANT_FLOAT_EMULATION_EMULATIONTARGET_H

#include "mlir/IR/MLIRContext.h"
#include "mlir/Support/LLVM.h"
#include <array>
#include <string>

namespace mlir::quant_float {

struct NvidiaChip;
struct TargetCpu;

/// The machines that have conversion instructions.
enum class Machine { None, X86, AArch64, RISCV, Nvidia };

/// Groups of conversion instructions: what a machine has all or none of.
enum class ConversionFeature {
#define QUANT_FLOAT_CONVERSION_FEATURE(Name, Machine) Name,
#include "quant-float/Emulation/Conversions.def"
};
constexpr size_t kConversionFeatures = 0
#define QUANT_FLOAT_CONVERSION_FEATURE(Name, Machine) +1
#include "quant-float/Emulation/Conversions.def"
    ;

/// What conversions ask about the machine that they are made for. Unless
/// something is said they use what every machine has: integers and f32.
struct EmulationTarget {
  EmulationTarget() { missing.fill("needs another machine"); }
  static EmulationTarget get(const TargetCpu &cpu);
  static EmulationTarget get(const NvidiaChip &chip);
  /// Of the options of a pass: no machine where there is no name of a CPU.
  /// Fails after an error about names that are wrong.
  static FailureOr<EmulationTarget> get(MLIRContext *context, StringRef triple,
                                        StringRef cpu, StringRef features);

  bool has(ConversionFeature feature) const {
    return missing[size_t(feature)].empty();
  }

  Machine machine = Machine::None;
  /// By ConversionFeature what is missing for its instructions, to be said
  /// after the name of one: "needs avx512vbmi". Empty where nothing is.
  std::array<std::string, kConversionFeatures> missing;

  /// Bytes of the registers to fill.
  unsigned vectorBytes = 16;
  /// How many of them there are.
  unsigned vectorRegisters = 32;
  /// Fused multiply-add is an instruction (elsewhere it is a call into libm).
  bool hasFma = false;
  /// The smaller and the larger of two floats, or NaN if one is, are
  /// instructions (arith.minimumf).
  bool hasMinimum = false;
  /// And so is the other one than a NaN of any kind (arith.minnumf).
  bool hasMinimumNumber = false;
  /// f32 are rounded to the nearest i32 by an instruction, NaN to 0.
  bool roundsToIntegers = false;
  /// The instruction for the smaller of two floats is `a < b ? a : b`, for
  /// every kind of NaN.
  bool minIsSelect = false;
  /// f32 to f16 and back are instructions.
  bool hasHalfConversions = false;
  /// f32 to bf16 is one, which rounds subnormals, too.
  bool hasBFloatConversions = false;
  /// Vectors of 64-bit integers become floats by an instruction.
  bool hasLongConversions = false;
  /// Conversions between floats leave the sign of a NaN alone.
  bool keepsNaNSigns = false;
  /// NaNs that arithmetic and conversions make are quiet, without payload.
  bool makesCanonicalNaNs = true;
  /// Arithmetic on subnormals is exact, whatever callers have set, and fast.
  bool keepsSubnormals = false;
  /// Products and fused multiply-adds of subnormals are slow (x86).
  bool avoidsSubnormals = false;
  /// But subnormals are taken for zero.
  bool flushesSubnormals = false;
  /// Vectors of bytes are computed with by fours, as integers.
  bool packsBytes = false;
  /// Floats divided by a scalar are multiplied by its reciprocal and corrected,
  /// where a branch may ask whether that is exact.
  bool dividesByReciprocal = false;
};

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_EMULATION_EMULATIONTARGET_H
