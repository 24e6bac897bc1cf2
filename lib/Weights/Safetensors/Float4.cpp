//===- Float4.cpp - Weights of f4E2M1FN -----------------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WeightImporter.h"
#include "quant-float/Support/Printable.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::safetensors_import;

/// The number of elements that share a scale in MXFP4 and in NVFP4.
static constexpr int64_t kMxGroup = 32, kNvGroup = 16;

/// A byte has two elements; the first is in the low nibble.
FailureOr<Value> WeightImporter::makeFloat4(const Tensor &quantized,
                                            ArrayRef<int64_t> dims) {
  return makeConstant(quantized, b.getType<Float4E2M1FNType>(), dims,
                      quantized.bytes);
}

static SmallVector<int64_t> getUnpackedDims(const Tensor &quantized) {
  SmallVector<int64_t> dims = quantized.dims;
  if (!dims.empty())
    dims.back() *= 2;
  return dims;
}

FailureOr<Value> WeightImporter::importGroups(
    const Parts &parts, int64_t size,
    llvm::function_ref<Value(Value, Value, ArrayRef<int64_t>)> combine) {
  const Tensor &quantized = *parts.quantized, &scale = *parts.others[0];
  const Tensor *globalScale = parts.others[1];
  SmallVector<int64_t> dims = getUnpackedDims(quantized);
  Scaling scaling{dims, int64_t(dims.size()) - 1, size, 1};
  // Quantized values of other widths have the same names.
  if (dims.empty() || dims.back() % size)
    return diagnose(scale.subject, Diag::ScaleShape, spellShape(scale.dims),
                    spellShape(dims));
  scaling.dims.back() /= size;
  if (failed(checkShape(scale, scaling.dims, quantized)))
    return failure();
  if (globalScale && globalScale->count != 1)
    return checkShape(*globalScale, {1}, scale);
  FailureOr<Value> quantizedValue = makeFloat4(quantized, dims);
  FailureOr<Value> scaleValue = makeScale(scale, scaling);
  if (failed(quantizedValue) || failed(scaleValue))
    return failure();
  if (globalScale) {
    FailureOr<Value> globalScaleValue =
        makeConstant(*globalScale, b.getF32Type(), {}, globalScale->bytes);
    if (failed(globalScaleValue))
      return failure();
    *scaleValue = combine(*scaleValue, *globalScaleValue, scaling.dims);
  }
  return module.dequantize(*quantizedValue, *scaleValue, /*zeroPoint=*/{},
                           scaling.axis, scaling.blockSize);
}

FailureOr<Value> WeightImporter::importMxfp4(const Parts &parts) {
  return importGroups(parts, kMxGroup, nullptr);
}

FailureOr<Value> WeightImporter::importNvfp4(const Parts &parts) {
  return importGroups(
      parts, kNvGroup,
      [&](Value scale, Value globalScale, ArrayRef<int64_t> dims) {
        Value wide = module.cast(scale, b.getF32Type());
        return module.makeNode("Div", {wide, globalScale}, dims);
      });
}

FailureOr<Value> WeightImporter::importModelOpt(const Parts &parts) {
  return importGroups(
      parts, kNvGroup, [&](Value scale, Value globalScale, ArrayRef<int64_t>) {
        return module.dequantize(scale, globalScale, /*zeroPoint=*/{},
                                 /*axis=*/std::nullopt, /*blockSize=*/0);
      });
}

FailureOr<Value> WeightImporter::importBlocks(const Parts &parts) {
  const Tensor &blocks = *parts.quantized, &scales = *parts.others[0];
  SmallVector<int64_t> dims = getUnpackedDims(blocks);
  if (dims.size() < 2 || dims.back() != kMxGroup)
    return diagnose(scales.subject, Diag::ScaleShape, spellShape(scales.dims),
                    spellShape(dims));
  if (failed(checkShape(scales, ArrayRef(blocks.dims).drop_back(), blocks)))
    return failure();
  dims.pop_back();
  dims.back() *= kMxGroup;
  Scaling scaling{scales.dims, int64_t(dims.size()) - 1, kMxGroup, 1};
  FailureOr<Value> quantized = makeFloat4(blocks, dims);
  FailureOr<Value> scale = makeScale(scales, scaling);
  if (failed(quantized) || failed(scale))
    return failure();
  return module.dequantize(*quantized, *scale, /*zeroPoint=*/{}, scaling.axis,
                           scaling.blockSize);
}
