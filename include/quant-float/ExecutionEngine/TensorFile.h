//===- TensorFile.h - Tensors in files --------------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Errors do not name the file; callers put `<file>: error: ` before them.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_EXECUTIONENGINE_TENSORFILE_H
#define QUANT_FLOAT_EXECUTIONENGINE_TENSORFILE_H

#include "quant-float/ExecutionEngine/Tensor.h"
#include "quant-float/Support/OutputFile.h"

namespace mlir::quant_float {

/// What a file may hold and how its elements are to be read.
struct ExpectedTensor {
  Type elementType;
  /// kDynamic where any size will do.
  llvm::SmallVector<int64_t> sizes;
};

/// Reads a file by its suffix: .npy (readNpy), .pb (readOnnxTensor), .bin or
/// .raw (the bytes of the slots; at most one size may be open). Element type,
/// rank and sizes must be the expected ones.
llvm::Expected<Tensor> readTensorFile(StringRef path,
                                      const ExpectedTensor &expected);

/// Reads NumPy's format, versions 1 to 3 (P3). Narrow floats are their codes,
/// one per byte, in |u1, or as ml_dtypes writes them; bfloat16 is <u2 or V2;
/// int4 and int2 are |i1, uint4 and uint2 |u1. Large files are mapped, big
/// endian and column-major ones converted.
llvm::Expected<Tensor> readNpy(StringRef path, Type elementType);

/// Reads a serialized ONNX TensorProto of any payload form, without external
/// data.
llvm::Expected<Tensor> readOnnxTensor(StringRef path, MLIRContext *context);

/// Writes NumPy's format as readNpy expects it.
bool writeNpy(OutputFile &file, const Tensor &tensor);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_EXECUTIONENGINE_TENSORFILE_H
