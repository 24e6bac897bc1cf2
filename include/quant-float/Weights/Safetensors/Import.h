//===- Import.h - Safetensors import ----------------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Imports checkpoints in safetensors, of one file or of several files that an
// index `*.json` lists. The result is one public function without arguments,
// `weights`, whose results are the tensors in the order of the files, with
// names in `quant_float.name`.
//
// Plain tensors become constants, which refer to the file's data if it is
// mapped. The tensors of a quantized weight become one result with the name of
// the weight in the original model. It is an f32 `dequantize` of constants;
// quantized values of less than a byte are packed. The scales of groups are
// along the last axis, which is that of a layer's inputs. The supported layouts
// are:
//
// - compressed-tensors: `weight` of i8 and float8 with scales per tensor,
//   channel, group and block; pack-quantized (32-bit words of i2, i4 or i8);
//   nvfp4- and mxfp4-pack-quantized. NVFP4's scale of scales is a divisor,
//   which becomes a node Div.
// - ModelOpt's NVFP4 and FP8: the scales are `dequantize` of f8E4M3FN by the
//   scale of the tensor, `weight_scale_2`.
// - MXFP8 with scales of f8E8M0FNU, and blocked float8 with `weight_scale_inv`,
//   which is a multiplier.
// - GPTQ (2, 4 and 8 bits) and AWQ (version gemm). Both store weights by
//   inputs; the result is by outputs, as in the original model. If GPTQ's
//   `g_idx` reorders columns, a node Gather after `dequantize` restores their
//   order. config.json specifies which of the two layouts a checkpoint has.
// - `*_blocks` with `*_scales`: MXFP4 in rows of blocks; the same with Quark's
//   names.
// - ModelOpt's INT4 AWQ: a row of bytes has two rows of i4.
// - bitsandbytes: LLM.int8, whose scales are the largest magnitude of a row
//   divided by 127 (a node Div), and NF4 and FP4, whose values become f32
//   constants.
//
// It is an error if the name of a tensor marks it as a scale of another tensor
// and no layout includes it.
//
// A scale of blocks of several rows is repeated for each row. Programs round
// the result to another type, mostly that of the scales. The importer does not:
// the result is exact except for the rounding to f32.
//
// The importer reads config.json in the same folder for properties that do not
// follow from the tensors: `quant_method`, `bits`, `num_bits`,
// `checkpoint_format`, `version` and the sizes of groups and blocks. Without
// it, it reads `quantization_config` in the metadata. ComfyUI's metadata about
// layers must match their tensors.
//
// The opset is the lowest that supports the types: 23, 24 with f8E8M0FNU, 25
// with 2 bits.
//
// Source: https://github.com/huggingface/safetensors, and the packages that
// write these layouts: compressed-tensors, nvidia-modelopt, amd-quark,
// bitsandbytes, AutoAWQ, GPTQModel, ComfyUI, vLLM, transformers.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_WEIGHTS_SAFETENSORS_IMPORT_H
#define QUANT_FLOAT_WEIGHTS_SAFETENSORS_IMPORT_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace mlir::quant_float {

/// Imports the weights of the file, or index, `path`. Returns null after an
/// error diagnostic that names the file and the tensor.
OwningOpRef<ModuleOp> importSafetensors(StringRef path, MLIRContext *context);

/// Imports the weights in `bytes`. `name` is the name of the file in
/// diagnostics. Reads no other files; `config` replaces config.json. Constants
/// do not refer to `bytes`.
OwningOpRef<ModuleOp> importSafetensorsBytes(StringRef bytes, StringRef name,
                                             MLIRContext *context,
                                             StringRef config = "{}");

/// Registers --import-safetensors with mlir-translate's machinery.
void registerFromSafetensorsTranslation();

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_WEIGHTS_SAFETENSORS_IMPORT_H
