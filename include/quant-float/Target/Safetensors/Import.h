//===- Import.h - Safetensors import ----------------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checkpoints in safetensors, of one file or, by an index `*.json`, of several.
// One public function without arguments, `weights`, whose results are the
// tensors in the order of the files, under their names (`quant_float.name`).
//
// Tensors that are by themselves are constants, the file's own bytes where it
// is mapped. Tensors that are a quantized weight together are one result, named
// as the weight is in the model that was quantized; it is in f32, and what
// `dequantize` says of constants, codes of less than a byte packed. The scales
// of a group are along the last axis, which is that of a layer's inputs:
//
// - compressed-tensors: `weight` of i8 and float8 with scales per tensor,
//   channel, group and block; pack-quantized (words of i2, i4 or i8); nvfp4-
//   and mxfp4-pack-quantized. NVFP4's scale of scales is a divisor there, a
//   node Div.
// - ModelOpt's NVFP4 and FP8: the scales are `dequantize` of f8E4M3FN by the
//   tensor's one, `weight_scale_2`.
// - MXFP8 with scales in f8E8M0FNU, and float8 in blocks with
//   `weight_scale_inv`, which is a factor.
// - GPTQ (2, 4 and 8 bits, also where `g_idx` puts the columns of a group
//   apart: a node Gather behind `dequantize` puts them in order again) and AWQ
//   (version gemm): what they store by inputs is here by outputs, as in the
//   model's own weights. Which of them it is, config.json says.
// - `*_blocks` with `*_scales`: MXFP4 in rows of blocks; the same with Quark's
//   names.
// - ModelOpt's INT4 AWQ: two rows of i4 in one of bytes.
// - bitsandbytes: LLM.int8, whose scales are the largest of a row by 127 (a
//   node Div), and NF4 and FP4, whose values are constants in f32.
//
// A tensor beside which another is a scale by its name, and which is in no
// layout, is an error.
//
// A scale of blocks of rows is repeated for each row. What programs round the
// result to (mostly the type of the scales) is theirs; here it is exact but for
// the one rounding to f32.
//
// config.json beside the file is read for what tensors do not say themselves:
// `quant_method`, `bits`, `num_bits`, `checkpoint_format`, `version` and the
// sizes of groups and blocks; where it has none, `quantization_config` of the
// metadata. What ComfyUI says of layers has to be what their tensors say.
//
// The opset is the least that has the types: 23, 24 with f8E8M0FNU, 25 with 2
// bits.
//
// Source: https://github.com/huggingface/safetensors, and the packages that
// write these layouts: compressed-tensors, nvidia-modelopt, amd-quark,
// bitsandbytes, AutoAWQ, GPTQModel, ComfyUI, vLLM, transformers.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_TARGET_SAFETENSORS_IMPORT_H
#define QUANT_FLOAT_TARGET_SAFETENSORS_IMPORT_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace mlir::quant_float {

/// Imports the weights of the file, or index, `path`. Returns null after an
/// error diagnostic that names the file and the tensor.
OwningOpRef<ModuleOp> importSafetensors(StringRef path, MLIRContext *context);

/// Imports the weights in `bytes`; `name` stands for the file in diagnostics.
/// Nothing is read beside it: `config` is what config.json would say. Constants
/// do not refer to `bytes` afterwards.
OwningOpRef<ModuleOp> importSafetensorsBytes(StringRef bytes, StringRef name,
                                             MLIRContext *context,
                                             StringRef config = "{}");

/// Registers --import-safetensors with mlir-translate's machinery.
void registerFromSafetensorsTranslation();

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_TARGET_SAFETENSORS_IMPORT_H
