//===- TargetCpu.h - Target CPUs --------------------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_TARGETINFO_TARGETCPU_H
#define QUANT_FLOAT_TARGETINFO_TARGETCPU_H

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

/// Returns the LLVM names of the features that compiled code can check at run
/// time, in the order of their bits.
ArrayRef<StringRef> getVerifiableFeatures(const llvm::Triple &triple);

/// A triple and a CPU that LLVM supports.
struct TargetCpu {
  /// Resolves names. An empty triple means the host's, or that of the only
  /// architecture with the CPU. "host" means the host CPU with all of its
  /// features, an empty CPU the triple's baseline. For RISC-V the CPU may be a
  /// set of extensions, "rv64gcv". Fails for names that LLVM does not know, for
  /// which LLVM would abort. `features`, if not empty, replaces the features
  /// that the CPU's name implies here. Results are cached per process.
  static llvm::Expected<TargetCpu> get(StringRef triple, StringRef cpu,
                                       StringRef features = {});

  /// Returns the CPUs of a list, "x86-64-v3,x86-64-v4", those with the most
  /// required features first. Fails if they do not have the same triple, and if
  /// two of them cannot be distinguished by run-time checks.
  static llvm::Expected<std::vector<TargetCpu>> getLevels(StringRef triple,
                                                          StringRef cpus);

  /// Returns the features that code must check at run time; bit i corresponds
  /// to element i of getVerifiableFeatures.
  uint64_t getRequiredFeatures() const;

  /// Returns whether the CPU has the feature of this name.
  bool has(StringRef feature) const;
  /// Returns "needs a and b" for the features that the CPU lacks of a list
  /// separated by commas; an empty string if it has them all.
  std::string getMissing(StringRef features) const;

  /// Creates a target machine with optimization level 0 to 3.
  llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
  createMachine(unsigned optLevel = 3) const;

  std::string triple;
  /// The CPU name in LLVM.
  std::string cpu;
  /// The name that was requested.
  std::string name;
  /// Features as in "+avx2,-sse4a", in addition to those that the CPU's name
  /// implies.
  std::string features;

private:
  static llvm::Expected<TargetCpu> lookup(StringRef triple, StringRef cpu,
                                          StringRef features);

  std::shared_ptr<const llvm::MCSubtargetInfo> subtarget;
};

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_TARGETINFO_TARGETCPU_H
