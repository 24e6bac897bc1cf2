//===- File.h - What a GGUF file says it holds ------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_TARGET_GGUF_FILE_H
#define QUANT_FLOAT_LIB_TARGET_GGUF_FILE_H

#include "Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include <vector>

namespace mlir::quant_float::gguf_import {

struct Tensor {
  Subject subject;
  StringRef name;
  /// Outermost first.
  SmallVector<int64_t> dims;
  unsigned format;
  /// In the data of all tensors.
  uint64_t offset;
};

/// The header of a file, which is read without believing any of it.
class File {
public:
  /// An error of what is no GGUF file, or ends too soon.
  LogicalResult parse(StringRef bytes, Location loc);

  ArrayRef<Tensor> getTensors() const { return tensors; }
  /// The bytes of all tensors.
  StringRef getData() const { return data; }
  uint64_t getAlignment() const { return alignment; }

private:
  std::vector<Tensor> tensors;
  StringRef data;
  uint64_t alignment = 32;
};

} // namespace mlir::quant_float::gguf_import

#endif // QUANT_FLOAT_LIB_TARGET_GGUF_FILE_H
