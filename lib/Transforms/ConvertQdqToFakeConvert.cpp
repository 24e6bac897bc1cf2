//===- ConvertQdqToFakeConvert.cpp - float8 qdq to fakeconvert ------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "QdqPair.h"
#include "ReciprocalScale.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"
#include "quant-float/Support/FloatFormat.h"
#include "quant-float/Transforms/Passes.h"
#include "llvm/Support/DebugLog.h"

namespace mlir::quant_float {
#define GEN_PASS_DEF_QUANTFLOATCONVERTQDQTOFAKECONVERTPASS
#include "quant-float/Transforms/Passes.h.inc"
} // namespace mlir::quant_float

#define DEBUG_TYPE "quant-float-convert-qdq-to-fakeconvert"

using namespace mlir;
using namespace mlir::quant_float;

namespace {
/// A qdq, or a quantize-dequantize pair.
struct Qdq {
  /// The op whose result is replaced.
  Operation *op;
  QuantizationOpInterface quantize;
  QuantizeSemantics semantics;

  Value getInput() { return quantize.getInputValue(); }
  Type getStorage() { return quantize.getQuantizedElementType(); }
  FloatType getType() {
    return cast<FloatType>(getElementTypeOrSelf(getInput()));
  }
};

struct ConvertQdqToFakeConvertPass final
    : quant_float::impl::QuantFloatConvertQdqToFakeConvertPassBase<
          ConvertQdqToFakeConvertPass> {
  void runOnOperation() override;
};
} // namespace

/// Returns the float8 qdq whose result is that of `op`, or nullopt.
static std::optional<Qdq> findQdq(Operation *op) {
  std::optional<Qdq> result;
  if (auto qdq = dyn_cast<QdqOp>(op))
    result = {op, qdq, qdq.getSemantics()};
  else if (auto dequantize = dyn_cast<DequantizeOp>(op))
    if (QuantizeOp quantize = findQuantizeOfPair(dequantize))
      result = {op, quantize, quantize.getSemantics()};
  if (!result || !isFloat8(result->getStorage()))
    return std::nullopt;
  return result;
}

static bool holdsValuesOf(FloatType precision, FloatType type) {
  return precision.isF64() || precision.isF32() || precision == type;
}

/// Returns whether rounding the quotient to the precision (D2) can change the
/// result of the cast to float8. If it cannot, the f32 product of fakeconvert
/// gives the same number, and overflow saturates in both ops. In the subnormal
/// range, only f16 rounds values that float8 can distinguish, and only those of
/// f8E5M2.
static bool roundsTwice(Qdq qdq, const ReciprocalScale &scale) {
  FloatType precision = qdq.semantics.precision;
  if (!holdsValuesOf(precision, qdq.getType()))
    return true;
  return precision.isF16() && isa<Float8E5M2Type>(qdq.getStorage()) &&
         llvm::any_of(scale.values, [](const APFloat &reciprocal) {
           return ilogb(reciprocal) < 0;
         });
}

/// Converts the qdq. Returns an error message if this is not possible.
static std::string convert(RewriterBase &rewriter, Qdq qdq) {
  QuantizationOpInterface quantize = qdq.quantize;
  Type storage = qdq.getStorage();
  std::string error;
  llvm::raw_string_ostream os(error);
  if (!isa<Float8E4M3FNType, Float8E5M2Type>(storage)) {
    os << "fakeconvert only rounds to f8E4M3FN and f8E5M2, but got " << storage;
    return error;
  }
  if (!qdq.semantics.saturate)
    return "fakeconvert saturates";
  if (quantize.getRandomValue())
    return "fakeconvert rounds to nearest, not stochastically";
  reference::Granularity granularity = quantize.getGranularity();
  if (granularity.blockSize)
    return "a scale per block does not broadcast";
  auto shaped = dyn_cast<ShapedType>(qdq.getInput().getType());
  if (granularity.axis && !shaped.hasRank())
    return "the input's rank is not known";
  ReciprocalScale scale =
      findReciprocals(quantize.getScaleValue(), qdq.getType());
  if (!scale.error.empty())
    return scale.error;
  if (roundsTwice(qdq, scale)) {
    os << "the quotient is rounded to " << qdq.semantics.precision
       << " before the cast to " << storage;
    return error;
  }

  // For rank 4, a scale of shape [C] along axis 1 becomes [1, C, 1, 1].
  SmallVector<int64_t> sizes;
  if (std::optional<int64_t> axis = quantize.getAxisIndex()) {
    sizes.assign(shaped.getRank(), 1);
    auto scaleType = cast<ShapedType>(quantize.getScaleValue().getType());
    if (isa<VectorType>(scaleType) && cast<VectorType>(scaleType).isScalable())
      return "the scale is a scalable vector";
    sizes[*axis] = scaleType.getDimSize(0);
  }
  rewriter.setInsertionPoint(qdq.op);
  Value constant =
      createConstant(rewriter, quantize.getScaleValue().getLoc(), scale,
                     qdq.getType(), sizes, isa_and_nonnull<TensorType>(shaped));
  auto converted = FakeConvertOp::create(
      rewriter, qdq.op->getLoc(), qdq.op->getResult(0).getType(),
      qdq.getInput(), constant, /*shift=*/Value(), TypeAttr::get(storage),
      FakeConvertModeAttr(), FakeConvertReciprocalAttr(),
      /*positive_zero=*/UnitAttr(), /*neutral_shift=*/UnitAttr(),
      rewriter.getI64IntegerAttr(kFirstFakeConvertOpset));
  bool isPair = quantize != qdq.op;
  rewriter.replaceOp(qdq.op, converted);
  if (isPair)
    rewriter.eraseOp(quantize);
  return {};
}

void ConvertQdqToFakeConvertPass::runOnOperation() {
  SmallVector<Qdq> found;
  getOperation()->walk([&](Operation *op) {
    if (std::optional<Qdq> qdq = findQdq(op))
      found.push_back(*qdq);
  });
  IRRewriter rewriter(&getContext());
  for (const Qdq &qdq : found) {
    LDBG() << "converting " << *qdq.op;
    std::string error = convert(rewriter, qdq);
    if (error.empty()) {
      ++numConverted;
      continue;
    }
    LDBG() << "not converted: " << error;
    qdq.op->emitRemark("not converted to fakeconvert: ") << error;
  }
}
