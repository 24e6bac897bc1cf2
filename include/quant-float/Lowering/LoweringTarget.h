//===- LoweringTarget.h - Target properties ---------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LOWERING_LOWERINGTARGET_H
#define QUANT_FLOAT_LOWERING_LOWERINGTARGET_H

#include "mlir/IR/MLIRContext.h"
#include "mlir/Support/LLVM.h"
#include <array>
#include <memory>
#include <string>

namespace mlir::quant_float {

struct NvidiaChip;
struct TargetCpu;

/// The architectures that have conversion instructions.
enum class Machine { None, X86, AArch64, RISCV, Nvidia };

/// Groups of conversion instructions. A target supports a group entirely or not
/// at all.
enum class ConversionFeature {
#define QUANT_FLOAT_CONVERSION_FEATURE(Name, Machine) Name,
#include "quant-float/Lowering/Conversions.def"
};
constexpr size_t kConversionFeatures = 0
#define QUANT_FLOAT_CONVERSION_FEATURE(Name, Machine) +1
#include "quant-float/Lowering/Conversions.def"
    ;

/// The properties of the target that determine how conversions are lowered. The
/// default is a target without conversion instructions: integers and f32 only.
struct LoweringTarget {
  LoweringTarget() { missing.fill("is not an instruction of the target"); }
  static LoweringTarget get(const TargetCpu &cpu);
  static LoweringTarget get(const NvidiaChip &chip);
  /// Returns the CPU of the attribute `quant_float.target` of the nearest
  /// module around `op` that has one; the default target if there is none, or
  /// if it is a GPU.
  static LoweringTarget lookup(Operation *op);

  bool has(ConversionFeature feature) const {
    return missing[size_t(feature)].empty();
  }

  Machine machine = Machine::None;
  /// The CPU; null for a GPU and for the default target.
  std::shared_ptr<const TargetCpu> cpu;
  /// For each ConversionFeature, why the target does not have its instructions,
  /// as a phrase that follows the name of an instruction: "needs avx512vbmi".
  /// Empty if the target has them.
  std::array<std::string, kConversionFeatures> missing;

  /// The size of a vector register in bytes.
  unsigned vectorBytes = 16;
  /// The number of vector registers.
  unsigned vectorRegisters = 32;
  /// Whether fused multiply-add is an instruction. Otherwise f32 uses f64, and
  /// f64 calls libm.
  bool hasFma = false;
  /// Whether arith.minimumf and arith.maximumf are instructions. They return
  /// NaN if one operand is NaN.
  bool hasMinimum = false;
  /// Whether arith.minnumf and arith.maxnumf are instructions. They return the
  /// other operand if one is NaN of any kind.
  bool hasMinimumNumber = false;
  /// Whether an instruction rounds f32 to the nearest i32, and NaN to 0.
  bool roundsToIntegers = false;
  /// Whether the minimum instruction computes `a < b ? a : b` for all operands,
  /// including NaNs.
  bool minIsSelect = false;
  /// Whether conversions between f32 and f16 are instructions.
  bool hasHalfConversions = false;
  /// Whether an instruction converts f32 to bf16 and also rounds subnormals.
  bool hasBFloatConversions = false;
  /// Whether an instruction converts vectors of 64-bit integers to floats.
  bool hasLongConversions = false;
  /// Whether conversions between floats preserve the sign of a NaN.
  bool keepsNaNSigns = false;
  /// Whether arithmetic and conversions produce quiet NaNs without payload.
  bool makesCanonicalNaNs = true;
  /// Whether arithmetic on subnormals is fast, and exact in every environment
  /// of the caller.
  bool keepsSubnormals = false;
  /// Whether multiplications and fused multiply-adds of subnormals are slow
  /// (x86).
  bool avoidsSubnormals = false;
  /// Whether arithmetic treats subnormals as zero.
  bool flushesSubnormals = false;
  /// Whether vectors of bytes are computed as 32-bit integers of four bytes.
  bool packsBytes = false;
  /// Whether divisions of floats by a scalar are replaced by a multiplication
  /// with its reciprocal and a correction, with a branch that checks that the
  /// result is exact.
  bool dividesByReciprocal = false;
};

/// Returns the chip of the attribute `quant_float.target` of the nearest module
/// around `op` that has one; none if there is none, or if it is a CPU.
std::optional<NvidiaChip> lookupChip(Operation *op);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LOWERING_LOWERINGTARGET_H
