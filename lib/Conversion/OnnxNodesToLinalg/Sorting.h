//===- Sorting.h - Keys that order like elements ----------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_CONVERSION_ONNXNODESTOLINALG_SORTING_H
#define QUANT_FLOAT_LIB_CONVERSION_ONNXNODESTOLINALG_SORTING_H

#include "Building.h"

namespace mlir::quant_float::onnx_nodes {

/// The positions of the keys along an axis in their order, as i64; of equal
/// keys the first comes first. The axis of the result is longer than that of
/// the keys: a power of two. For GPUs.
Value buildNetworkPositions(NodeContext &context, Value keys, int64_t axis,
                            bool descending);

/// Integers that order like the elements of a tensor, the axis last.
Value buildSortKeys(NodeContext &context, Value tensor, int64_t axis,
                    bool descending);

} // namespace mlir::quant_float::onnx_nodes

#endif // QUANT_FLOAT_LIB_CONVERSION_ONNXNODESTOLINALG_SORTING_H
