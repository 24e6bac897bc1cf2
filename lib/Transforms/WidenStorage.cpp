//===- WidenStorage.cpp - Widen types of quantized values -----------------===//
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
#include "quant-float/IR/ElementTypes.h"
#include "quant-float/Support/FloatFormat.h"
#include "quant-float/Transforms/Passes.h"
#include "llvm/Support/DebugLog.h"

namespace mlir::quant_float {
#define GEN_PASS_DEF_QUANTFLOATWIDENSTORAGEPASS
#include "quant-float/Transforms/Passes.h.inc"
} // namespace mlir::quant_float

#define DEBUG_TYPE "quant-float-widen-storage"

using namespace mlir;
using namespace mlir::quant_float;

namespace {
struct WidenStoragePass final
    : quant_float::impl::QuantFloatWidenStoragePassBase<WidenStoragePass> {
  using QuantFloatWidenStoragePassBase::QuantFloatWidenStoragePassBase;
  void runOnOperation() override;
};
} // namespace

/// Returns the wider type that represents all numbers of `type`, or null.
static Type getWider(Type type, bool isSigned) {
  Builder builder(type.getContext());
  if (isa<IntegerType>(type) && getNumberWidth(type) < 8)
    return type.isSignlessInteger() || isSigned
               ? builder.getI8Type()
               : builder.getIntegerType(8, /*isSigned=*/false);
  if (isSigned && type.isUnsignedInteger(8))
    return builder.getI8Type();
  return isa<Float4E2M1FNType>(type) ? Float8E4M3FNType::get(type.getContext())
                                     : Type();
}

/// Returns the encoding of the same number, or of the number minus 128 if ui8
/// becomes i8.
static APInt widen(Type from, Type to, const APInt &bits) {
  if (isFloat(from))
    return reference::castElement(from, to, bits, reference::CastOptions());
  if (from.isUnsignedInteger(8))
    return bits ^ APInt::getSignMask(8);
  return from.isSignlessInteger() ? bits.sext(8) : bits.zext(8);
}

/// Emits a remark: values that are quantized at run time cannot be widened,
/// because the types saturate differently. Includes an example.
static void refuseComputed(DequantizeOp op, Type from, Type to) {
  InFlightDiagnostic remark = emitNodeRemark(op);
  remark << "not widened: the quantized values are not constant";
  if (isa<IntegerType>(from) && getNumberWidth(from) < 8) {
    unsigned width = getNumberWidth(from);
    APInt last = from.isSignlessInteger() ? APInt::getSignedMaxValue(width)
                                          : APInt::getMaxValue(width);
    int64_t number = last.getZExtValue();
    remark << ": an input of " << number + 1
           << " times the scale without a zero point becomes encoding "
           << describeEncoding(from, last) << ", but with " << to << " "
           << describeEncoding(to, APInt(8, number + 1));
  }
}

/// Returns whether the storage is widened. Otherwise emits a remark.
static bool widen(RewriterBase &rewriter, DequantizeOp op, Type to) {
  Type from = op.getQuantizedElementType();
  StringRef domain = op.getStandardDomain();
  OpKind kind = domain == kMicrosoftDomain ? OpKind::MicrosoftDequantizeLinear
                : domain == kOwnDomain     ? OpKind::OwnDequantizeLinear
                                           : OpKind::DequantizeLinear;
  const OpVersion *version = getOpVersion(kind, op.getOpset());
  std::optional<SmallVector<APInt>> quantized =
      getConstantElements(op.getInput());
  if (!quantized) {
    refuseComputed(op, from, to);
    return false;
  }
  std::optional<SmallVector<APInt>> zeroPoints;
  Value zeroPoint = op.getZeroPoint();
  if (zeroPoint && !(zeroPoints = getConstantElements(zeroPoint))) {
    emitNodeRemark(op) << "not widened: the zero point is not a constant";
    return false;
  }
  // float8 zero points have no effect (Q7), but other types subtract theirs.
  // Only a zero can be dropped: subtracting +0 changes no value.
  bool losesZeroPoint = zeroPoint && isFloat8(to) &&
                        !llvm::all_of(*zeroPoints, [](const APInt &point) {
                          return point.isZero();
                        });
  if (losesZeroPoint) {
    emitNodeRemark(op) << "not widened: " << to
                       << " has no zero point, and this one is not 0";
    return false;
  }
  if (!version || !version->accepts(OpRole::First, to)) {
    emitNodeRemark(op) << "not widened: DequantizeLinear of opset "
                       << op.getOpset() << " does not accept " << to;
    return false;
  }
  // The implicit zero point of ui8 is 0, which becomes an explicit -128.
  LDBG() << "widening to " << to << ": " << op;
  bool isShifted = from.isUnsignedInteger(8);
  rewriter.setInsertionPoint(op);
  auto replace = [&](OpOperand &operand, ArrayRef<APInt> bits) {
    Operation *old = operand.get().getDefiningOp();
    SmallVector<APInt> wide = llvm::map_to_vector(
        bits, [&](const APInt &element) { return widen(from, to, element); });
    Value value = createConstantOfBits(
        rewriter, old->getLoc(), withElementType(operand.get().getType(), to),
        wide);
    keepConstantAttributes(old, value.getDefiningOp());
    rewriter.modifyOpInPlace(op, [&] { operand.set(value); });
    if (old->use_empty())
      rewriter.eraseOp(old);
  };
  replace(op.getInputMutable(), *quantized);
  if (zeroPoint)
    replace(op->getOpOperand(op->getNumOperands() - 1), *zeroPoints);
  else if (isShifted)
    rewriter.modifyOpInPlace(op, [&] {
      op.getZeroPointMutable().assign(createConstantOfBits(
          rewriter, op.getLoc(), withElementType(op.getScale().getType(), to),
          APInt::getSignMask(8)));
    });
  return true;
}

void WidenStoragePass::runOnOperation() {
  IRRewriter rewriter(&getContext());
  SmallVector<DequantizeOp> found;
  getOperation()->walk([&](DequantizeOp op) { found.push_back(op); });
  for (DequantizeOp op : found)
    if (Type to = getWider(op.getQuantizedElementType(), isSigned);
        to && isa<TensorType>(op.getType()) && widen(rewriter, op, to))
      ++numWidened;
}
