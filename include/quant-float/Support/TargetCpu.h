//===- TargetCpu.h - The CPU that code is made for --------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_SUPPORT_TARGETCPU_H
#define QUANT_FLOAT_SUPPORT_TARGETCPU_H

#include "mlir/Support/LLVM.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <string>

namespace llvm {
class TargetMachine;
class Triple;
} // namespace llvm

namespace mlir::quant_float {

/// LLVM's names of the features that compiled code can ask the machine for, in
/// the order of their bits.
ArrayRef<StringRef> getVerifiableFeatures(const llvm::Triple &triple);

/// A triple and a CPU that LLVM knows, and what the lowerings ask of them.
struct TargetCpu {
  /// Resolves names: an empty triple is that of this machine, or of the only
  /// architecture that knows the CPU; "host" is this machine's CPU with all its
  /// features, an empty CPU the triple's baseline. For RISC-V the CPU may be a
  /// set of extensions, "rv64gcv".
  /// Fails, before LLVM could abort, for names that LLVM does not know.
  /// `features`, if given, replace those that the CPU's name stands for here.
  static llvm::Expected<TargetCpu> get(StringRef triple, StringRef cpu,
                                       StringRef features = {});

  /// A machine that makes code at optimization level 0 to 3.
  llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
  createMachine(unsigned optLevel = 3) const;

  std::string triple;
  std::string cpu;
  /// As in "+avx2,-sse4a"; beyond what the CPU's name implies.
  std::string features;

  /// Fused multiply-add is an instruction (elsewhere it is a call into libm).
  bool hasFma = false;
  /// f32 to f16 and back are instructions, which keep the signs of NaNs.
  bool hasHalfConversions = false;
  /// The instruction for the smaller of two floats is `a < b ? a : b`, for
  /// every kind of NaN.
  bool minIsSelect = false;
  /// Conversions between floats leave the sign of a NaN alone.
  bool keepsNaNSigns = false;
  /// NaNs that arithmetic and conversions make are quiet, without payload.
  bool makesCanonicalNaNs = true;
  /// Vectors of 64-bit integers become floats by an instruction.
  bool hasLongConversions = false;
  /// The smaller of two floats, or NaN if one is, is an instruction
  /// (arith.minimumf), and so is the other one than a NaN (arith.minnumf).
  bool hasMinimum = false;
  /// Arithmetic on subnormals is exact, whatever callers have set, and fast.
  bool keepsSubnormals = false;
  /// Vectors of bytes are computed with by fours, as integers.
  bool packsBytes = false;
  /// Table look-ups of 128 bytes are an instruction (AVX-512 VBMI).
  bool hasByteTables = false;
  /// Bytes of the registers to fill.
  unsigned vectorBytes = 16;
};

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_SUPPORT_TARGETCPU_H
