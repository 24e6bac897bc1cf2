//===- WeightImporter.h - Tensors of a weight to the dialect ----*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_TARGET_SAFETENSORS_WEIGHTIMPORTER_H
#define QUANT_FLOAT_LIB_TARGET_SAFETENSORS_WEIGHTIMPORTER_H

#include "../Common/WeightsModule.h"
#include "Checkpoint.h"
#include "Layouts.h"
#include "llvm/Support/JSON.h"

namespace mlir::quant_float::safetensors_import {

/// The tensors of a weight. Those that may be left out are null then.
struct Parts {
  const Tensor *codes;
  std::array<const Tensor *, kMostParts> others;
};

/// How scales lie along the codes, as `dequantize` wants it.
struct Scaling {
  SmallVector<int64_t> dims;
  std::optional<int64_t> axis;
  int64_t blockSize = 0;
  /// Rows that a row of the scales is for.
  int64_t rows = 1;
};

/// Builds what the tensors of a weight mean. Each layout has a function.
class WeightImporter {
public:
  WeightImporter(const Checkpoint &checkpoint, WeightsModule &module,
                 MLIRContext *context)
      : checkpoint(checkpoint), module(module), b(context) {}

  FailureOr<Value> importPlain(const Tensor &tensor);
  FailureOr<Value> importScaled(const Parts &parts);
  FailureOr<Value> importPacked(const Parts &parts);
  FailureOr<Value> importMxfp4(const Parts &parts);
  FailureOr<Value> importNvfp4(const Parts &parts);
  FailureOr<Value> importModelOpt(const Parts &parts);
  FailureOr<Value> importWords(const Parts &parts);
  FailureOr<Value> importBlocks(const Parts &parts);
  FailureOr<Value> importPairsOfRows(const Parts &parts);
  FailureOr<Value> importLlmInt8(const Parts &parts);
  FailureOr<Value> importTable4(const Parts &parts);

private:
  FailureOr<Value> makeConstant(const Tensor &tensor, Type type,
                                ArrayRef<int64_t> dims, SharedBytes bytes);
  FailureOr<Value> finish(ElementsWriter &elements, const Tensor &tensor);
  /// How many of `size` elements share one of `count` scales; an error where
  /// config.json does not say it and several numbers fit.
  FailureOr<int64_t> getBlock(const Tensor &scale, int64_t size, int64_t count,
                              ArrayRef<int64_t> dims);
  FailureOr<std::pair<int64_t, int64_t>> getBlocks(const Tensor &scale,
                                                   ArrayRef<int64_t> dims,
                                                   int64_t scaleRows,
                                                   int64_t scaleColumns);
  FailureOr<Scaling> getScaling(const Tensor &scale, ArrayRef<int64_t> dims);
  FailureOr<Value> makeScale(const Tensor &scale, const Scaling &scaling);
  FailureOr<Value> makeFloat4(const Tensor &codes, ArrayRef<int64_t> dims);
  /// f4E2M1FN in groups of `size`. The scale of scales, where there is one, is
  /// the second operand of `combine`.
  FailureOr<Value> importGroups(
      const Parts &parts, int64_t size,
      llvm::function_ref<Value(Value, Value, ArrayRef<int64_t>)> combine);
  FailureOr<Value> transpose(const Tensor &tensor);
  FailureOr<SmallVector<float>> getBlockScales(const Parts &parts,
                                               const llvm::json::Object &state,
                                               int64_t count);
  FailureOr<int64_t> getBits(const Tensor &tensor, ArrayRef<int64_t> possible,
                             llvm::function_ref<bool(int64_t)> fits);
  LogicalResult checkShape(const Tensor &tensor, ArrayRef<int64_t> dims,
                           const Tensor &other);
  /// The columns in the order of their groups, where they are in another one.
  FailureOr<SmallVector<int64_t>> getOrder(const Tensor *groups, int64_t size,
                                           int64_t count);
  /// Puts columns that are in that order where they belong.
  Value reorder(Value value, ArrayRef<int64_t> order);
  Type getUnsigned(unsigned width) {
    return b.getIntegerType(width, /*isSigned=*/false);
  }

  const Checkpoint &checkpoint;
  WeightsModule &module;
  Builder b;
};

} // namespace mlir::quant_float::safetensors_import

#endif // QUANT_FLOAT_LIB_TARGET_SAFETENSORS_WEIGHTIMPORTER_H
