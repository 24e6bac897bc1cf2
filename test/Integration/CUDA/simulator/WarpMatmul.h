//===- MatrixProducts.h - mma.sync ---------------------------- -*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_TEST_SIMULATOR_MATRIXPRODUCTS_H
#define QUANT_FLOAT_TEST_SIMULATOR_MATRIXPRODUCTS_H

#include <cstdint>
#include <string>
#include <vector>

namespace simulator {

/// What one thread has of a product: the registers of A, B and C, in this
/// order, and those of D. Registers that LLVM has as pairs of halves or as
/// floats are their bits.
struct MatrixProduct {
  /// LLVM's, behind `llvm.nvvm.mma.`: m16n8k32.row.col.s8.
  const char *name = nullptr;
  std::vector<uint32_t> operands;
  uint32_t results[4];
};

/// `D = A * B + C` of the 32 threads of a warp. What is wrong with it, or null.
const char *multiplyMatrices(MatrixProduct *const (&lanes)[32]);

/// The value of an element of the type `s8`, `u8`, `f16`, `bf16`, `e4m3` or
/// `e5m2`.
double decode(uint32_t code, const std::string &type);

/// The bits of the f32 sum of `start` and `count` products, of which chips keep
/// at least `kept` bits below the largest one.
uint32_t add(const double *terms, int count, float start, int kept);

} // namespace simulator

#endif // QUANT_FLOAT_TEST_SIMULATOR_MATRIXPRODUCTS_H
