//===- Export.h - Safetensors export ----------------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The weights of a module as importers make them: one function without
// arguments, whose results are constants or `dequantize` of constants, under
// their names (`quant_float.name`). Constants are tensors as they are. What
// quantized weights become, by the layout asked for:
//
// - Auto: f8E4M3FN, f8E5M2 and codes of 8 bits are `weight` with
//   `weight_scale`, codes of 4 and 2 bits pack-quantized, f4E2M1FN is
//   nvfp4-pack-quantized, ModelOpt's or mxfp4-pack-quantized, by its scales
//   (`*_blocks` where the name does not end in `.weight`).
// - Gptq: integers of 8, 4 and 2 bits, version 1 unless a zero point is 0.
// - Awq: integers of 4 bits.
//
// Unsigned codes and their zero points are both less by half of the range where
// a layout has signed ones. Scales of two levels are one in f32, which is what
// `dequantize` computes with. A minimum is a zero point where it is a whole
// number of scales. All else is an error that says what cannot be carried over.
//
// The metadata has a `quantization_config` for the importer here; in a
// config.json other programs want more of it.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_TARGET_SAFETENSORS_EXPORT_H
#define QUANT_FLOAT_TARGET_SAFETENSORS_EXPORT_H

#include "quant-float/Target/ReadWeights.h"

namespace mlir::quant_float {

enum class SafetensorsLayout { Auto, Gptq, Awq };

/// Writes the weights. Fails after an error diagnostic that names the weight.
LogicalResult exportSafetensors(ModuleOp module, raw_ostream &os,
                                SafetensorsLayout layout);

/// Registers --export-safetensors with mlir-translate's machinery.
void registerToSafetensorsTranslation(
    ReadWeights read, std::function<SafetensorsLayout()> getLayout);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_TARGET_SAFETENSORS_EXPORT_H
