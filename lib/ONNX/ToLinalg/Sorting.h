//===- Sorting.h - Sort keys and sorting networks ---------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_ONNX_TOLINALG_SORTING_H
#define QUANT_FLOAT_LIB_ONNX_TOLINALG_SORTING_H

#include "Building.h"

namespace mlir::quant_float::onnx_nodes {

/// Returns the positions (i64) of the keys in sorted order along an axis. Equal
/// keys keep their order. The axis of the result is padded to a power of two.
/// Used for GPUs.
Value buildNetworkPositions(NodeContext &context, Value keys, int64_t axis,
                            bool descending);

/// Returns integers that compare like the elements of a tensor. `axis` becomes
/// the last axis.
Value buildSortKeys(NodeContext &context, Value tensor, int64_t axis,
                    bool descending);

} // namespace mlir::quant_float::onnx_nodes

#endif // QUANT_FLOAT_LIB_ONNX_TOLINALG_SORTING_H
