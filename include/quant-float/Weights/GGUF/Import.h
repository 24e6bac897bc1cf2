//===- Import.h - GGUF import -----------------------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Imports GGUF, versions 2 and 3: the weights of a model in ggml's block
// formats. The result is one public function without arguments, `weights`,
// whose results are the tensors in the order of the file, with names in
// `quant_float.name`. Shapes are row-major (the file stores the innermost size
// first).
//
// Tensors of ordinary elements (F64, F32, F16, BF16, I8 to I64) become
// constants, which refer to the file's data if it is mapped. For block formats,
// quantized values and scales become constants with the values of the file, in
// the order of elements. The result is f32 and has the same bits as the result
// of ggml's dequantize_row_*:
//
// - Q4_0, Q5_0, Q8_0, IQ4_NL: `dequantize` of signed values by f16 scales of
//   blocks of 32. The quantized values of IQ4_NL are the values of its table.
// - Q6_K, Q3_K, IQ4_XS: the scales are themselves `dequantize` of integers by
//   an f16 scale of the block of 256.
// - Q4_1, Q5_1: as Q4_0, of unsigned values; a node Add adds the block's
//   minimum.
// - Q2_K, Q4_K, Q5_K: as Q6_K, of unsigned values; a node Sub subtracts the
//   minimum, which is quantized as the scale is.
// - MXFP4: `dequantize` of f4E2M1FN by f8E8M0FNU. Unlike in ggml, a zero keeps
//   the sign of its encoding. A scale with f8E8M0FNU's encoding of NaN, which
//   ggml treats as a number, is rejected.
// - NVFP4: as MXFP4; the scales are themselves `dequantize` of f8E4M3FN by the
//   scale of the tensor, which is the tensor with the suffix `.scale` instead
//   of `.weight`, or 1 without it. Their signs are ignored, and NaN is 0.
//
// The opset is the lowest that supports the types: 23, 24 with MXFP4, 25 with
// Q2_K.
//
// Other formats are rejected. Metadata about the model (architecture,
// vocabulary) is parsed to check that it is well-formed, and ignored.
//
// Source: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md,
// ggml-quants.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_WEIGHTS_GGUF_IMPORT_H
#define QUANT_FLOAT_WEIGHTS_GGUF_IMPORT_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace mlir::quant_float {

/// Imports the weights in the file `path`. Returns null after an error
/// diagnostic that names the file and the tensor.
OwningOpRef<ModuleOp> importGguf(StringRef path, MLIRContext *context);

/// Imports the weights in `bytes`. `name` is the name of the file in
/// diagnostics. Constants do not refer to `bytes`.
OwningOpRef<ModuleOp> importGgufBytes(StringRef bytes, StringRef name,
                                      MLIRContext *context);

/// Registers --import-gguf with mlir-translate's machinery.
void registerFromGgufTranslation();

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_WEIGHTS_GGUF_IMPORT_H
