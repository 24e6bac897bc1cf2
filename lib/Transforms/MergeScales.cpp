//===- MergeScales.cpp - Merge equal scales -------------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RewriteUtils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"
#include "quant-float/Support/FloatFormat.h"
#include "quant-float/Transforms/Passes.h"
#include "llvm/Support/DebugLog.h"

namespace mlir::quant_float {
#define GEN_PASS_DEF_QUANTFLOATMERGESCALESPASS
#include "quant-float/Transforms/Passes.h.inc"
} // namespace mlir::quant_float

#define DEBUG_TYPE "quant-float-merge-scales"

using namespace mlir;
using namespace mlir::quant_float;

namespace {
/// The constant scales and zero points of an op, which have a static shape.
struct ParameterTensor {
  SmallVector<int64_t> shape;
  SmallVector<APInt> scales, zeroPoints;

  bool areAlike(int64_t i, int64_t j) const {
    auto differs = [&](const SmallVector<APInt> &values) {
      return values.size() > 1 && values[i] != values[j];
    };
    return !differs(scales) && !differs(zeroPoints);
  }
  Parameters get(int64_t i) const {
    Parameters result{scales[scales.size() > 1 ? i : 0], std::nullopt};
    if (!zeroPoints.empty())
      result.zeroPoint = zeroPoints[zeroPoints.size() > 1 ? i : 0];
    return result;
  }
  /// Returns the indices of two elements that differ and whose indices only
  /// differ in dimension `dim`, where the index of the first one is 0. Nullopt
  /// if the parameters do not vary along the dimension.
  std::optional<std::pair<int64_t, int64_t>> findUnlike(unsigned dim) const;
};

struct MergeScalesPass final
    : quant_float::impl::QuantFloatMergeScalesPassBase<MergeScalesPass> {
  using QuantFloatMergeScalesPassBase::QuantFloatMergeScalesPassBase;
  void runOnOperation() override;
};
} // namespace

std::optional<std::pair<int64_t, int64_t>>
ParameterTensor::findUnlike(unsigned dim) const {
  int64_t inner =
      ShapedType::getNumElements(ArrayRef(shape).drop_front(dim + 1));
  int64_t count = ShapedType::getNumElements(shape);
  for (int64_t i = 0; i < count; ++i) {
    int64_t first = i - i / inner % shape[dim] * inner;
    if (!areAlike(first, i))
      return std::pair(first, i);
  }
  return std::nullopt;
}

/// Returns nullopt if the parameters are not constants of a non-empty static
/// shape.
static std::optional<ParameterTensor> getTensor(QuantizationOpInterface op) {
  auto type = dyn_cast<RankedTensorType>(op.getScaleValue().getType());
  std::optional<SmallVector<APInt>> scales =
      getConstantElements(op.getScaleValue());
  if (!type || !type.hasStaticShape() || type.getNumElements() == 0 || !scales)
    return std::nullopt;
  ParameterTensor tensor{SmallVector<int64_t>(type.getShape()), *scales, {}};
  if (Value zeroPoint = op.getZeroPointValue()) {
    std::optional<SmallVector<APInt>> points = getConstantElements(zeroPoint);
    if (!points ||
        cast<ShapedType>(zeroPoint.getType()).getShape() != type.getShape())
      return std::nullopt;
    tensor.zeroPoints = *points;
  }
  return tensor;
}

/// Emits a remark that two elements differ, with a quantized value that
/// demonstrates it.
static void refuse(QuantizationOpInterface op, const ParameterTensor &tensor,
                   std::pair<int64_t, int64_t> unlike) {
  InFlightDiagnostic remark = emitNodeRemark(op);
  remark << "not merged: elements " << unlike.first << " and " << unlike.second
         << " of the scale or zero point differ";
  auto dequantize = dyn_cast<DequantizeOp>(op.getOperation());
  Type quantizedType = op.getQuantizedElementType();
  if (!dequantize || getNumberWidth(quantizedType) > kMaxEncodingWidth)
    return;
  Type result = getElementTypeOrSelf(dequantize.getType());
  for (uint64_t encoding = 0; encoding < 1u << getNumberWidth(quantizedType);
       ++encoding) {
    APInt bits(getNumberWidth(quantizedType), encoding);
    APInt one = evaluate(dequantize, bits, tensor.get(unlike.first));
    APInt other = evaluate(dequantize, bits, tensor.get(unlike.second));
    if (one == other)
      continue;
    remark << ": encoding " << describeEncoding(quantizedType, bits)
           << " becomes " << describeEncoding(result, one) << " and "
           << describeEncoding(result, other);
    return;
  }
}

/// Sets a per-tensor scale, or a per-axis scale along `dim`, from the first
/// elements along the other dimensions. Every version that has blocks supports
/// both.
static void setParameters(RewriterBase &rewriter, QuantizationOpInterface op,
                          const ParameterTensor &tensor,
                          std::optional<unsigned> dim) {
  SmallVector<int64_t> indices = {0}, shape;
  if (dim) {
    int64_t inner =
        ShapedType::getNumElements(ArrayRef(tensor.shape).drop_front(*dim + 1));
    shape.push_back(tensor.shape[*dim]);
    for (int64_t i = 1; i < shape.front(); ++i)
      indices.push_back(i * inner);
  }
  rewriter.setInsertionPoint(op);
  auto replace = [&](Value old, ArrayRef<APInt> bits) {
    SmallVector<APInt> merged =
        llvm::map_to_vector(indices, [&](int64_t index) {
          return bits[bits.size() > 1 ? index : 0];
        });
    Type type = RankedTensorType::get(shape, getElementTypeOrSelf(old));
    Value value = createConstantOfBits(rewriter, old.getLoc(), type, merged);
    keepConstantAttributes(old.getDefiningOp(), value.getDefiningOp());
    rewriter.modifyOpInPlace(op, [&] { op->replaceUsesOfWith(old, value); });
    if (old.use_empty())
      rewriter.eraseOp(old.getDefiningOp());
  };
  replace(op.getScaleValue(), tensor.scales);
  if (Value zeroPoint = op.getZeroPointValue())
    replace(zeroPoint, tensor.zeroPoints);
  rewriter.modifyOpInPlace(op, [&] {
    op->removeAttr("block_size");
    op->removeAttr("axis");
    if (dim)
      op->setAttr("axis", rewriter.getI64IntegerAttr(*dim));
  });
}

/// Returns whether there are fewer scales now.
static bool merge(RewriterBase &rewriter, QuantizationOpInterface op) {
  auto scale = dyn_cast<RankedTensorType>(op.getScaleValue().getType());
  // A scale with one element of rank 1 may already be per tensor.
  if (!scale || scale.getRank() == 0 ||
      (scale.getRank() == 1 && scale.getDimSize(0) == 1))
    return false;
  std::optional<ParameterTensor> tensor = getTensor(op);
  if (!tensor) {
    emitNodeRemark(op)
        << "not merged: the scale or the zero point is not a constant";
    return false;
  }
  std::optional<int64_t> blocked;
  if (op.getBlockSizeAttribute().value_or(0) != 0)
    blocked = op.getGranularity().getAxis(scale.getRank());
  // The scales may vary along one dimension that is not the blocked one.
  std::optional<unsigned> axis;
  for (unsigned dim = 0; dim < tensor->shape.size(); ++dim) {
    std::optional<std::pair<int64_t, int64_t>> unlike = tensor->findUnlike(dim);
    if (!unlike)
      continue;
    if (axis || blocked == dim || tensor->shape.size() == 1) {
      refuse(op, *tensor, *unlike);
      return false;
    }
    axis = dim;
  }
  LDBG() << "merging the scales of " << *op << ", which vary along dimension "
         << axis;
  setParameters(rewriter, op, *tensor, axis);
  return true;
}

void MergeScalesPass::runOnOperation() {
  IRRewriter rewriter(&getContext());
  SmallVector<QuantizationOpInterface> found;
  getOperation()->walk(
      [&](QuantizationOpInterface op) { found.push_back(op); });
  for (QuantizationOpInterface op : found)
    if (isa<RankedTensorType>(op->getResult(0).getType()) &&
        merge(rewriter, op))
      ++numMerged;
}
