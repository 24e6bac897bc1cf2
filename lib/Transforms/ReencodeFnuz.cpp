//===- ReencodeFnuz.cpp - Re-encode float8 to or from FNUZ ----------------===//
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
#include <array>

namespace mlir::quant_float {
#define GEN_PASS_DEF_QUANTFLOATREENCODEFNUZPASS
#include "quant-float/Transforms/Passes.h.inc"
} // namespace mlir::quant_float

#define DEBUG_TYPE "quant-float-reencode-fnuz"

using namespace mlir;
using namespace mlir::quant_float;

namespace {
/// A mapping of the encodings of a float8 type to its counterpart with or
/// without FNUZ. The counterpart's value is twice or half the original one.
struct Reencoding {
  Type from, to;
  /// 1 if values of the counterpart are twice the original ones, -1 if they are
  /// half.
  int exponent;
  /// Nullopt if the counterpart does not have the value.
  std::array<std::optional<uint8_t>, 256> encodings;

  Reencoding(Type from, Type to, int exponent, bool anyZero);
};

struct ReencodeFnuzPass final
    : quant_float::impl::QuantFloatReencodeFnuzPassBase<ReencodeFnuzPass> {
  using QuantFloatReencodeFnuzPassBase::QuantFloatReencodeFnuzPassBase;
  void runOnOperation() override;
};
} // namespace

Reencoding::Reencoding(Type from, Type to, int exponent, bool anyZero)
    : from(from), to(to), exponent(exponent) {
  FloatFormat source(from), destination(to);
  for (uint64_t encoding = 0; encoding < encodings.size(); ++encoding) {
    APFloat expected = scalbn(source.getValue(encoding), exponent,
                              APFloat::rmNearestTiesToEven);
    for (uint64_t other = 0; other < encodings.size() && !encodings[encoding];
         ++other) {
      APFloat found = destination.getValue(other);
      // A NaN may become any NaN (D8).
      if (expected.isNaN()
              ? found.isNaN() && other == destination.nanEncoding
              : found.bitwiseIsEqual(expected) ||
                    (anyZero && found.isZero() && expected.isZero()))
        encodings[encoding] = other;
    }
  }
}

/// Returns the counterpart of a float8 type; null for any other type.
static Type getSibling(Type type, bool toFnuz) {
  MLIRContext *context = type.getContext();
  if (toFnuz) {
    if (isa<Float8E4M3FNType>(type))
      return Float8E4M3FNUZType::get(context);
    return isa<Float8E5M2Type>(type) ? Float8E5M2FNUZType::get(context)
                                     : Type();
  }
  if (isa<Float8E4M3FNUZType>(type))
    return Float8E4M3FNType::get(context);
  return isa<Float8E5M2FNUZType>(type) ? Float8E5M2Type::get(context) : Type();
}

/// Emits a remark: values that are quantized at run time cannot be re-encoded,
/// because the maxima of the types differ.
static void refuseComputed(Operation *op, const Reencoding &reencoding) {
  FloatFormat source(reencoding.from), destination(reencoding.to);
  APFloat end = scalbn(destination.maxValue, -reencoding.exponent,
                       APFloat::rmNearestTiesToEven);
  const APFloat &larger = end < source.maxValue ? source.maxValue : end;
  SmallString<32> input, maxInput, lost;
  larger.toString(input);
  source.maxValue.toString(maxInput);
  end.toString(lost);
  emitNodeRemark(op)
      << "not re-encoded: the quantized values are not constant: an input of "
      << input << " times the scale becomes " << maxInput
      << " times the scale, but with " << reencoding.to << " " << lost;
}

/// Returns twice or half of each scale. Emits a remark and returns nullopt if
/// this is not possible.
static std::optional<SmallVector<APInt>> moveScales(DequantizeOp op,
                                                    int exponent) {
  auto type = dyn_cast<FloatType>(getElementTypeOrSelf(op.getScale()));
  std::optional<SmallVector<APInt>> scales = getConstantElements(op.getScale());
  if (!type || !scales) {
    emitNodeRemark(op) << "not re-encoded: the scale is not a constant, and "
                       << (exponent < 0 ? "twice" : "half")
                       << " its value may not be representable";
    return std::nullopt;
  }
  for (auto [index, bits] : llvm::enumerate(*scales)) {
    APFloat scale(type.getFloatSemantics(), bits);
    APFloat moved = scalbn(scale, -exponent, APFloat::rmNearestTiesToEven);
    APFloat back = scalbn(moved, exponent, APFloat::rmNearestTiesToEven);
    if (!scale.isFinite() || !back.bitwiseIsEqual(scale)) {
      emitNodeRemark(op) << "not re-encoded: element " << index
                         << " of the scale, " << describeEncoding(type, bits)
                         << ", has no " << (exponent < 0 ? "double" : "half")
                         << " in " << type;
      return std::nullopt;
    }
    bits = moved.bitcastToAPInt();
  }
  return scales;
}

/// Returns whether the weights are re-encoded. Otherwise emits a remark.
static bool reencode(RewriterBase &rewriter, DequantizeOp op,
                     const Reencoding &reencoding) {
  std::optional<ConstantBytes> constant = getConstantBytes(op.getInput());
  if (!constant) {
    refuseComputed(op, reencoding);
    return false;
  }
  SmallVector<char> bytes(constant->bytes);
  std::array<uint64_t, 256> lost = {};
  uint64_t numLost = 0, first = 0;
  auto type = cast<ShapedType>(op.getInput().getType());
  uint64_t count = type.hasStaticShape() ? type.getNumElements() : bytes.size();
  // A splat stands for all elements.
  uint64_t share = bytes.size() == 1 ? count : 1;
  for (auto [index, byte] : llvm::enumerate(bytes)) {
    if (std::optional<uint8_t> encoding = reencoding.encodings[uint8_t(byte)]) {
      byte = char(*encoding);
      continue;
    }
    if (numLost == 0)
      first = index;
    numLost += share;
    lost[uint8_t(byte)] += share;
  }
  if (numLost) {
    InFlightDiagnostic remark = emitNodeRemark(op);
    remark << "not re-encoded: " << numLost << " of " << count
           << " values have no counterpart in " << reencoding.to
           << ", the first is element " << first << ":";
    const char *separator = " ";
    for (uint64_t encoding = 0; encoding < lost.size(); ++encoding)
      if (lost[encoding]) {
        remark << separator << lost[encoding] << " of "
               << describeEncoding(reencoding.from, APInt(8, encoding));
        separator = ", ";
      }
    return false;
  }
  std::optional<SmallVector<APInt>> scales =
      moveScales(op, reencoding.exponent);
  if (!scales)
    return false;
  LDBG() << "re-encoding to " << reencoding.to << ": " << op;
  rewriter.setInsertionPoint(op);
  auto replace = [&](OpOperand &operand, Value value) {
    Operation *old = operand.get().getDefiningOp();
    keepConstantAttributes(old, value.getDefiningOp());
    rewriter.modifyOpInPlace(op, [&] { operand.set(value); });
    if (old->use_empty())
      rewriter.eraseOp(old);
  };
  auto withType = [&](Value value) {
    return cast<ShapedType>(value.getType()).clone(reencoding.to);
  };
  replace(op.getScaleMutable(),
          createConstantOfBits(rewriter, op.getScale().getLoc(),
                               op.getScale().getType(), *scales));
  replace(op.getInputMutable(),
          createConstantOfBytes(rewriter, op.getInput().getLoc(),
                                withType(op.getInput()), std::move(bytes),
                                *constant));
  // The zero point is zero and has no effect (Q7).
  if (Value zeroPoint = op.getZeroPoint()) {
    unsigned index = op->getNumOperands() - 1;
    replace(op->getOpOperand(index),
            createConstantOfBits(rewriter, zeroPoint.getLoc(),
                                 withType(zeroPoint), APInt::getZero(8)));
  }
  return true;
}

void ReencodeFnuzPass::runOnOperation() {
  IRRewriter rewriter(&getContext());
  SmallVector<DequantizeOp> found;
  getOperation()->walk([&](DequantizeOp op) { found.push_back(op); });
  for (DequantizeOp op : found) {
    Type from = op.getQuantizedElementType();
    Type to = getSibling(from, toFnuz);
    if (to && isa<TensorType>(op.getType()) &&
        reencode(rewriter, op, Reencoding(from, to, toFnuz ? -1 : 1, anyZero)))
      ++numReencoded;
  }
}
