//===- CastInputs.h - What to cast ------------------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_TEST_CONFORMANCE_COMPILED_CASTINPUTS_H
#define QUANT_FLOAT_TEST_CONFORMANCE_COMPILED_CASTINPUTS_H

#include "mlir/IR/Types.h"
#include <vector>

namespace mlir::quant_float::test {

/// Elements of `from`, one per slot, to cast to `to`.
///
/// Up to 16 bits: every code (every byte for the types below 8 bits, whose
/// unused bits do not count), some more than once. Wider: special values,
/// powers of two, every value of `to` of up to 16 bits and every midpoint
/// between two of them, each with two neighbours on both sides and of both
/// signs, and `randomCount` seeded random patterns.
std::vector<char> makeCastInputs(Type from, Type to, size_t randomCount);

} // namespace mlir::quant_float::test

#endif // QUANT_FLOAT_TEST_CONFORMANCE_COMPILED_CASTINPUTS_H
