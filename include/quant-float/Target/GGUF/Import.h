//===- Import.h - GGUF import -----------------------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// GGUF, versions 2 and 3: the weights of a model in ggml's block formats. One
// public function without arguments, `weights`, whose results are the tensors
// of the file, in its order and under its names (`quant_float.name`), sizes in
// the order of rows (the file has the innermost first).
//
// Tensors of ordinary elements (F64, F32, F16, BF16, I8 to I64) are constants,
// the file's own bytes where it is mapped. Of block formats codes and scales
// are constants as the file has them, in the order of elements, and the result,
// in f32, is what ggml's dequantize_row_* computes, bit by bit:
//
// - Q4_0, Q5_0, Q8_0, IQ4_NL: `dequantize` of signed codes by f16 scales of
//   blocks of 32. IQ4_NL's codes are the values of its table.
// - Q6_K, Q3_K, IQ4_XS: the scales themselves are `dequantize` of integers by
//   an f16 scale of the block of 256.
// - Q4_1, Q5_1: as Q4_0, of unsigned codes; then the block's minimum is added
//   (a node Add).
// - Q2_K, Q4_K, Q5_K: as Q6_K, of unsigned codes; then the minimum, which has
//   two levels as well, is subtracted (a node Sub).
// - MXFP4: `dequantize` of f4E2M1FN by f8E8M0FNU. A zero whose code has a sign
//   has it here, too, but not in ggml. The scale that is NaN in f8E8M0FNU is
//   refused: ggml computes with 2^127.
//
// The opset is the least that has the types: 23, 24 with MXFP4, 25 with Q2_K.
//
// Other formats are refused. What a file says of the model beside its weights
// (architecture, vocabulary) is checked to be well-formed and left out.
//
// Source: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md,
// ggml-quants.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_TARGET_GGUF_IMPORT_H
#define QUANT_FLOAT_TARGET_GGUF_IMPORT_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace mlir::quant_float {

/// Imports the weights in the file `path`. Returns null after an error
/// diagnostic that names the file and the tensor.
OwningOpRef<ModuleOp> importGguf(StringRef path, MLIRContext *context);

/// Imports the weights in `bytes`; `name` stands for the file in diagnostics.
/// Constants do not refer to `bytes` afterwards.
OwningOpRef<ModuleOp> importGgufBytes(StringRef bytes, StringRef name,
                                      MLIRContext *context);

/// Registers --import-gguf with mlir-translate's machinery.
void registerFromGgufTranslation();

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_TARGET_GGUF_IMPORT_H
