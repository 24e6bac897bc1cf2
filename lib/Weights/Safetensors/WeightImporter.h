//===- WeightImporter.h - Import of quantized weights -----------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_WEIGHTS_SAFETENSORS_WEIGHTIMPORTER_H
#define QUANT_FLOAT_LIB_WEIGHTS_SAFETENSORS_WEIGHTIMPORTER_H

#include "../Common/WeightsModule.h"
#include "Checkpoint.h"
#include "Layouts.h"
#include "llvm/Support/JSON.h"

namespace mlir::quant_float::safetensors_import {

/// The tensors of a weight. Optional tensors that are missing are null.
struct Parts {
  const Tensor *quantized;
  std::array<const Tensor *, kMaxParts> others;
};

/// The granularity of scales, as `dequantize` specifies it.
struct Scaling {
  SmallVector<int64_t> dims;
  std::optional<int64_t> axis;
  int64_t blockSize = 0;
  /// The number of rows that share a row of scales.
  int64_t rows = 1;
};

/// Creates the ops for the tensors of a weight, with a function for each
/// layout.
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
  FailureOr<Value> importPackedI32(const Parts &parts);
  FailureOr<Value> importBlocks(const Parts &parts);
  FailureOr<Value> importPairsOfRows(const Parts &parts);
  FailureOr<Value> importLlmInt8(const Parts &parts);
  FailureOr<Value> importTable4(const Parts &parts);

private:
  FailureOr<Value> makeConstant(const Tensor &tensor, Type type,
                                ArrayRef<int64_t> dims, SharedBytes bytes);
  FailureOr<Value> finish(ElementsWriter &elements, const Tensor &tensor);
  /// Returns the number of elements that share a scale, if `count` scales cover
  /// `size` elements. Emits an error if several numbers are possible and
  /// config.json does not specify one.
  FailureOr<int64_t> getBlock(const Tensor &scale, int64_t size, int64_t count,
                              ArrayRef<int64_t> dims);
  FailureOr<std::pair<int64_t, int64_t>> getBlocks(const Tensor &scale,
                                                   ArrayRef<int64_t> dims,
                                                   int64_t scaleRows,
                                                   int64_t scaleColumns);
  FailureOr<Scaling> getScaling(const Tensor &scale, ArrayRef<int64_t> dims);
  FailureOr<Value> makeScale(const Tensor &scale, const Scaling &scaling);
  FailureOr<Value> makeFloat4(const Tensor &quantized, ArrayRef<int64_t> dims);
  /// Imports f4E2M1FN in groups of `size` elements. If the scales have a scale,
  /// `combine` creates the combined scales; the scale of scales is its second
  /// operand.
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
  /// Returns the columns sorted by group, or nothing if they are sorted
  /// already.
  FailureOr<SmallVector<int64_t>> getOrder(const Tensor *groups, int64_t size,
                                           int64_t count);
  /// Reorders sorted columns to their original order.
  Value reorder(Value value, ArrayRef<int64_t> order);
  Type getUnsigned(unsigned width) {
    return b.getIntegerType(width, /*isSigned=*/false);
  }

  const Checkpoint &checkpoint;
  WeightsModule &module;
  Builder b;
};

} // namespace mlir::quant_float::safetensors_import

#endif // QUANT_FLOAT_LIB_WEIGHTS_SAFETENSORS_WEIGHTIMPORTER_H
