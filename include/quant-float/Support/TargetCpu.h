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
#include <vector>

namespace llvm {
class MCSubtargetInfo;
class TargetMachine;
class Triple;
} // namespace llvm

namespace mlir::quant_float {

/// LLVM's names of the features that compiled code can ask the machine for, in
/// the order of their bits.
ArrayRef<StringRef> getVerifiableFeatures(const llvm::Triple &triple);

/// A triple and a CPU that LLVM knows.
struct TargetCpu {
  /// Resolves names: an empty triple is that of this machine, or of the only
  /// architecture that knows the CPU; "host" is this machine's CPU with all its
  /// features, an empty CPU the triple's baseline. For RISC-V the CPU may be a
  /// set of extensions, "rv64gcv".
  /// Fails, before LLVM could abort, for names that LLVM does not know.
  /// `features`, if given, replace those that the CPU's name stands for here.
  /// A CPU is looked up once in a process.
  static llvm::Expected<TargetCpu> get(StringRef triple, StringRef cpu,
                                       StringRef features = {});

  /// The CPUs of a list, "x86-64-v3,x86-64-v4", those first that need most of a
  /// machine. Fails if they are not for one triple, and if no machine could be
  /// asked which of two it is.
  static llvm::Expected<std::vector<TargetCpu>> getLevels(StringRef triple,
                                                          StringRef cpus);

  /// The features that code has to ask the machine for, bit i of
  /// getVerifiableFeatures.
  uint64_t getRequiredFeatures() const;

  /// Whether it has a feature of this name.
  bool has(StringRef feature) const;

  /// A machine that makes code at optimization level 0 to 3.
  llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
  createMachine(unsigned optLevel = 3) const;

  std::string triple;
  /// LLVM's name.
  std::string cpu;
  /// The one that was asked for.
  std::string name;
  /// As in "+avx2,-sse4a"; beyond what the CPU's name implies.
  std::string features;

private:
  static llvm::Expected<TargetCpu> lookup(StringRef triple, StringRef cpu,
                                          StringRef features);

  std::shared_ptr<const llvm::MCSubtargetInfo> subtarget;
};

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_SUPPORT_TARGETCPU_H
