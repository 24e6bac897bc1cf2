//===- Export.h - GGUF export -----------------------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Exports the weights of a module as the importers create them: one function
// without arguments, whose results are constants or `dequantize` of constants,
// with names in `quant_float.name`. The file has GGUF version 3 and no metadata
// about the model.
//
// Constants become tensors of F32, F16, BF16, F64, I8 to I64. Quantized weights
// are written in the smallest of ggml's block formats that represents their
// quantized values, scales and minimums exactly; the exporter decodes every
// block and compares. Zero points are subtracted from quantized values, if an
// i8 can represent the difference. A scale that covers several blocks is
// repeated. Scales of other types become f16 if f16 can represent all of them.
// A scale of the tensor other than 1 becomes a tensor with the suffix `.scale`
// instead of `.weight`.
// Everything else is an error that names the reason.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_WEIGHTS_GGUF_EXPORT_H
#define QUANT_FLOAT_WEIGHTS_GGUF_EXPORT_H

#include "quant-float/Interchange/ReadWeights.h"

namespace mlir::quant_float {

/// Writes the weights. Fails after an error diagnostic that names the weight.
LogicalResult exportGguf(ModuleOp module, raw_ostream &os);

/// Registers --export-gguf with mlir-translate's machinery.
void registerToGgufTranslation(ReadWeights read);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_WEIGHTS_GGUF_EXPORT_H
