//===- LargePayloads.h - Large payloads left in the file --------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_TARGET_ONNX_LARGEPAYLOADS_H
#define QUANT_FLOAT_LIB_TARGET_ONNX_LARGEPAYLOADS_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>
#include <vector>

namespace mlir::quant_float::onnx_import {

/// A serialized model whose large weights stay behind.
struct TrimmedModel {
  /// The same model with the large raw_data of the graph's initializers made
  /// empty.
  std::string bytes;
  /// What was there, by the initializer's number.
  std::vector<std::pair<int, ArrayRef<char>>> payloads;
};

/// Cuts large payloads out of a serialized model before protobuf copies them:
/// a model is mostly weights, and a mapped file holds them already. None when
/// there is nothing to gain, or the bytes are not laid out as every writer does
/// it; protobuf then judges all of them.
std::optional<TrimmedModel> trimPayloads(StringRef model,
                                         size_t smallestPayload = 1 << 16);

} // namespace mlir::quant_float::onnx_import

#endif // QUANT_FLOAT_LIB_TARGET_ONNX_LARGEPAYLOADS_H
