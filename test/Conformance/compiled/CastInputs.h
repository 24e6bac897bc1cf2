//===- CastInputs.h - Inputs of casts ---------------------------*- C++ -*-===//
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

/// Returns elements of `from`, unpacked, to cast to `to`.
///
/// Types of up to 16 bits: all encodings, some more than once. For types below
/// 8 bits, all bytes, because unused bits are ignored.
///
/// Wider types: special values; powers of two; every value of `to` of up to 16
/// bits and every midpoint of two of them, each with two neighbors on both
/// sides and with both signs; and `randomCount` random bit patterns with a
/// fixed seed.
std::vector<char> makeCastInputs(Type from, Type to, size_t randomCount);

} // namespace mlir::quant_float::test

#endif // QUANT_FLOAT_TEST_CONFORMANCE_COMPILED_CASTINPUTS_H
