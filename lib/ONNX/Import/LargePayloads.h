//===- LargePayloads.h - Large payloads left in the file --------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_ONNX_IMPORT_LARGEPAYLOADS_H
#define QUANT_FLOAT_LIB_ONNX_IMPORT_LARGEPAYLOADS_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>
#include <vector>

namespace mlir::quant_float::onnx_import {

/// A serialized model without its large payloads.
struct TrimmedModel {
  /// The model. Large raw_data fields of the graph's initializers are empty.
  std::string bytes;
  /// The removed payloads, by the index of the initializer.
  std::vector<std::pair<int, ArrayRef<char>>> payloads;
};

/// Removes large payloads from a serialized model, so that protobuf does not
/// copy them: most bytes of a model are weights, which the mapped file already
/// holds. Returns nullopt if there are no large payloads, or if the model has
/// several graph fields or raw_data fields of a tensor, or is malformed.
/// Protobuf then parses the entire model.
std::optional<TrimmedModel> trimPayloads(StringRef model,
                                         size_t smallestPayload = 1 << 16);

} // namespace mlir::quant_float::onnx_import

#endif // QUANT_FLOAT_LIB_ONNX_IMPORT_LARGEPAYLOADS_H
