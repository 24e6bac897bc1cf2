//===- NvidiaChip.h - NVIDIA chips and PTX versions -------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_TARGETINFO_NVIDIACHIP_H
#define QUANT_FLOAT_TARGETINFO_NVIDIACHIP_H

#include "mlir/Support/LLVM.h"
#include "llvm/Support/Error.h"
#include <string>

namespace mlir::quant_float {

/// Optional instructions of NVIDIA GPUs.
enum class NvidiaFeature {
  /// The minimum of two floats, or NaN if one is NaN: min.NaN.
  Minimum,
  /// Conversions from and to f8E4M3FN and f8E5M2.
  Float8,
  /// Conversions from and to float4, float6 and f8E8M0FNU, on chips whose name
  /// ends in a or f.
  NarrowFloat,
  /// Warp-level matrix instructions (mma.sync) on f16 and 8-bit integers.
  Mma,
  /// Matrix instructions of larger shapes, and on bf16.
  WideMma,
  /// Matrix instructions on f8E4M3FN and f8E5M2.
  Float8Mma,
  /// Asynchronous copies to shared memory that bypass registers: cp.async.
  AsyncCopies,
  /// Matrix instructions of four warps on operands in shared memory:
  /// wgmma.mma_async.
  Wgmma,
};

/// An NVIDIA chip and a PTX version that LLVM supports, with queries for the
/// lowerings.
struct NvidiaChip {
  /// Resolves names such as "sm_90a" and, for PTX 8.1, "81" or "ptx81". Without
  /// a version, selects the lowest that supports all of the chip's
  /// instructions. Fails for chips and versions that LLVM does not support, for
  /// which LLVM would abort, and for versions that do not support the chip.
  static llvm::Expected<NvidiaChip> get(StringRef chip, StringRef ptx = {});

  /// Returns the lowest PTX version with these instructions for the chip; 0 if
  /// the chip lacks them.
  unsigned getLeastPtx(NvidiaFeature feature) const;
  bool has(NvidiaFeature feature) const;
  /// Returns why the chip or the PTX version does not have these instructions,
  /// as a phrase that follows the name of one: "is not available on sm_80".
  /// Empty if it has them.
  std::string getMissing(NvidiaFeature feature) const;
  /// Returns the lowest PTX version that supports the chip, which is LLVM's
  /// default.
  unsigned getLeastPtx() const;

  /// Returns the LLVM target features, such as "+ptx81".
  std::string getFeatures() const;

  std::string name;
  /// Ten times the version, as in LLVM: 81.
  unsigned ptx = 0;
};

/// Returns the name of a PTX version: "8.1" for 81.
std::string getPtxName(unsigned ptx);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_TARGETINFO_NVIDIACHIP_H
