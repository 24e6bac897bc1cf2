//===- File.h - Safetensors files -------------------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_WEIGHTS_SAFETENSORS_FILE_H
#define QUANT_FLOAT_LIB_WEIGHTS_SAFETENSORS_FILE_H

#include "../../Interchange/Bytes.h"
#include "Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include <vector>

namespace mlir::quant_float::safetensors_import {

/// The supported element types, by the names that files use.
enum class DType {
  BOOL,
  F4,
  U8,
  I8,
  F8_E5M2,
  F8_E4M3,
  F8_E5M2FNUZ,
  F8_E4M3FNUZ,
  F8_E8M0,
  I16,
  U16,
  F16,
  BF16,
  I32,
  U32,
  F32,
  C64,
  F64,
  I64,
  U64,
};

Type getType(DType dtype, MLIRContext *context);
/// Returns nullopt if files have no name for the type.
std::optional<DType> getDType(Type elementType);
StringRef getName(DType dtype);

struct Tensor {
  Subject subject;
  std::string name;
  DType dtype;
  SmallVector<int64_t> dims;
  int64_t count;
  /// The offset in the data of its file.
  uint64_t begin;
  SharedBytes bytes;
};

/// The metadata key whose value is the string of config.json's value for this
/// key.
inline constexpr llvm::StringLiteral kConfigKey = "quantization_config";

/// The metadata about the weights of a file, as JSON.
struct Metadata {
  std::optional<std::string> config;
  /// ComfyUI's table of the formats of layers.
  std::optional<std::string> layers;
};

/// Appends the tensors of a file, in the order of their data. `owner` owns the
/// bytes; if it is null, constants copy them.
LogicalResult parseFile(StringRef bytes,
                        std::shared_ptr<llvm::MemoryBuffer> owner, Location loc,
                        std::vector<Tensor> &tensors, Metadata &metadata);

} // namespace mlir::quant_float::safetensors_import

#endif // QUANT_FLOAT_LIB_WEIGHTS_SAFETENSORS_FILE_H
