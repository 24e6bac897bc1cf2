//===- NvidiaChip.h - A GPU and a version of PTX ----------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_SUPPORT_NVIDIACHIP_H
#define QUANT_FLOAT_SUPPORT_NVIDIACHIP_H

#include "mlir/Support/LLVM.h"
#include "llvm/Support/Error.h"
#include <string>

namespace mlir::quant_float {

/// Instructions that NVIDIA GPUs have or have not.
enum class NvidiaFeature {
  /// The smaller of two floats, or NaN if one is: min.NaN.
  Minimum,
  /// Conversions of f8E4M3FN and f8E5M2.
  Float8,
  /// Those of float4, float6 and f8E8M0FNU: of chips whose name ends in a or f.
  NarrowFloat,
  /// Products of matrices by a warp, of f16 and of bytes.
  Products,
  /// Larger ones of those, and of bf16.
  WideProducts,
  /// Those of f8E4M3FN and f8E5M2.
  Float8Products,
  /// Copies to shared memory that no register holds: cp.async.
  AsyncCopies,
};

/// An NVIDIA chip and a version of PTX that LLVM can make code for, and what
/// the lowerings ask of them.
struct NvidiaChip {
  /// Resolves names such as "sm_90a" and, for PTX 8.1, "81" or "ptx81". Without
  /// a version it is the least that has all of the chip's instructions.
  /// Fails, before LLVM could abort, for chips and versions that LLVM does not
  /// know, and for versions that do not know the chip.
  static llvm::Expected<NvidiaChip> get(StringRef chip, StringRef ptx = {});

  /// The least version of PTX by which the chip has these instructions; 0 if it
  /// has them by none.
  unsigned getLeastPtx(NvidiaFeature feature) const;
  bool has(NvidiaFeature feature) const;
  /// The least version of PTX that knows the chip: what LLVM takes if told
  /// none.
  unsigned getLeastPtx() const;

  /// As LLVM takes it: "+ptx81".
  std::string getFeatures() const;

  std::string name;
  /// Ten times the version, as LLVM writes it: 81.
  unsigned ptx = 0;
};

/// The name of PTX version 81: "8.1".
std::string getPtxName(unsigned ptx);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_SUPPORT_NVIDIACHIP_H
