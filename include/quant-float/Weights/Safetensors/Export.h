//===- Export.h - Safetensors export ----------------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Exports the weights of a module as the importers create them: one function
// without arguments, whose results are constants or `dequantize` of constants,
// with names in `quant_float.name`. Constants are written unchanged. The layout
// option selects how quantized weights are written:
//
// - Auto: float8 (f8E4M3FN, f8E5M2 and their FNUZ variants) and 8-bit integers
//   become `weight` with `weight_scale`, and 4- and 2-bit integers become
//   pack-quantized. f4E2M1FN becomes nvfp4-pack-quantized, ModelOpt's layout or
//   mxfp4-pack-quantized, depending on its scales, or `*_blocks` for MXFP4 if
//   the name does not end in `weight`.
// - Gptq: integers of 8, 4 and 2 bits, in version 1 unless a zero point is 0.
// - Awq: integers of 4 bits.
//
// If a layout stores signed values, half of the range is subtracted from
// unsigned values and their zero points. Scales of two levels are combined to
// f32, which is the precision in which `dequantize` computes, unless the layout
// has two levels too. A minimum becomes a zero point if it is an integer
// multiple of the scale. Everything else is an error that names the reason.
//
// The metadata has a `quantization_config` for this project's importer. Other
// programs need more members in a config.json.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_WEIGHTS_SAFETENSORS_EXPORT_H
#define QUANT_FLOAT_WEIGHTS_SAFETENSORS_EXPORT_H

#include "quant-float/Interchange/ReadWeights.h"

namespace mlir::quant_float {

enum class SafetensorsLayout { Auto, Gptq, Awq };

/// Writes the weights. Fails after an error diagnostic that names the weight.
LogicalResult exportSafetensors(ModuleOp module, raw_ostream &os,
                                SafetensorsLayout layout);

/// Registers --export-safetensors with mlir-translate's machinery.
void registerToSafetensorsTranslation(
    ReadWeights read, std::function<SafetensorsLayout()> getLayout);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_WEIGHTS_SAFETENSORS_EXPORT_H
