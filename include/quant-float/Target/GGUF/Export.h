//===- Export.h - GGUF export -----------------------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The weights of a module as importers make them: one function without
// arguments, whose results are constants or `dequantize` of constants, under
// their names (`quant_float.name`). GGUF's version is 3, and the file says
// nothing of the model that they are of.
//
// Constants are tensors of F32, F16, BF16, F64, I8 to I64. Quantized weights
// are in the smallest of ggml's block formats that has their codes, scales and
// minimums, bit by bit: what it decodes to is compared. A code less its zero
// point is a code, where an i8 is enough; a scale of several blocks is
// repeated; scales of other types are f16 where each of them has that value.
// All else is an error that says what cannot be carried over.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_TARGET_GGUF_EXPORT_H
#define QUANT_FLOAT_TARGET_GGUF_EXPORT_H

#include "quant-float/Target/ReadWeights.h"

namespace mlir::quant_float {

/// Writes the weights. Fails after an error diagnostic that names the weight.
LogicalResult exportGguf(ModuleOp module, raw_ostream &os);

/// Registers --export-gguf with mlir-translate's machinery.
void registerToGgufTranslation(ReadWeights read);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_TARGET_GGUF_EXPORT_H
