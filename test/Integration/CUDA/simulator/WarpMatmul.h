//===- WarpMatmul.h - mma.sync -------------------------------- -*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_TEST_SIMULATOR_WARPMATMUL_H
#define QUANT_FLOAT_TEST_SIMULATOR_WARPMATMUL_H

#include <cstdint>
#include <string>
#include <vector>

namespace simulator {

/// One thread's part of a matmul: the registers of A, B and C, in this order,
/// and those of D, as bits.
struct WarpMatmul {
  /// The suffix of LLVM's intrinsic `llvm.nvvm.mma.`: m16n8k32.row.col.s8.
  const char *name = nullptr;
  std::vector<uint32_t> operands;
  uint32_t results[4];
};

/// Computes `D = A * B + C` for the 32 threads of a warp. Returns an error, or
/// null.
const char *multiplyMatrices(WarpMatmul *const (&lanes)[32]);

/// The value of an element of the type `s8`, `u8`, `f16`, `bf16`, `e4m3` or
/// `e5m2`.
double decode(uint32_t encoding, const std::string &type);

/// The bits of the f32 sum of `start` and `count` products. Chips keep at least
/// `kept` bits below the largest one.
uint32_t add(const double *terms, int count, float start, int kept);

} // namespace simulator

#endif // QUANT_FLOAT_TEST_SIMULATOR_WARPMATMUL_H
