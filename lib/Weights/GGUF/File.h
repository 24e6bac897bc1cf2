//===- File.h - Header of a GGUF file ---------------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_WEIGHTS_GGUF_FILE_H
#define QUANT_FLOAT_LIB_WEIGHTS_GGUF_FILE_H

#include "Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include <vector>

namespace mlir::quant_float::gguf_import {

struct Tensor {
  Subject subject;
  StringRef name;
  /// Outermost dimension first.
  SmallVector<int64_t> dims;
  unsigned format;
  /// Relative to the start of the data of all tensors.
  uint64_t offset;
};

/// The parsed header of a file, which is not trusted: every size is checked.
class File {
public:
  /// Emits an error and fails if the bytes are not a GGUF file or end too
  /// early.
  LogicalResult parse(StringRef bytes, Location loc);

  ArrayRef<Tensor> getTensors() const { return tensors; }
  /// Returns the data of all tensors.
  StringRef getData() const { return data; }
  uint64_t getAlignment() const { return alignment; }

private:
  std::vector<Tensor> tensors;
  StringRef data;
  uint64_t alignment = 32;
};

} // namespace mlir::quant_float::gguf_import

#endif // QUANT_FLOAT_LIB_WEIGHTS_GGUF_FILE_H
