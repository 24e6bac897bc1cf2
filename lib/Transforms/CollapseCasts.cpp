//===- CollapseCasts.cpp - Collapse chains of casts -----------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RewriteUtils.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"
#include "quant-float/Support/FloatFormat.h"
#include "quant-float/Transforms/Passes.h"
#include "llvm/Support/DebugLog.h"

namespace mlir::quant_float {
#define GEN_PASS_DEF_QUANTFLOATCOLLAPSECASTSPASS
#include "quant-float/Transforms/Passes.h.inc"
} // namespace mlir::quant_float

#define DEBUG_TYPE "quant-float-collapse-casts"

using namespace mlir;
using namespace mlir::quant_float;

namespace {
/// A chain of two casts, and the single cast that would replace it.
struct Chain {
  CastOp inner, outer;
  Type from, via, to;

  Chain(CastOp inner, CastOp outer)
      : inner(inner), outer(outer),
        from(getElementTypeOrSelf(inner.getInput())),
        via(getElementTypeOrSelf(inner.getResult())),
        to(getElementTypeOrSelf(outer.getResult())) {}

  APInt follow(const APInt &bits) const {
    APInt between =
        reference::castElement(from, via, bits, getReferenceOptions(inner));
    return reference::castElement(via, to, between, getReferenceOptions(outer));
  }
  /// If the types are equal, the cast is the identity (V7).
  APInt skip(const APInt &bits) const {
    return from == to ? bits
                      : reference::castElement(from, to, bits,
                                               getReferenceOptions(outer));
  }
};

struct CollapseCastsPass final
    : quant_float::impl::QuantFloatCollapseCastsPassBase<CollapseCastsPass> {
  void runOnOperation() override;
};
} // namespace

static bool isPlain(CastOp op) {
  return !op.getRandom() && op.hasOnnxRules() &&
         reference::isSupported(getElementTypeOrSelf(op.getInput())) &&
         reference::isSupported(getElementTypeOrSelf(op.getResult()));
}

static bool isInteger(Type type) {
  return isa<IntegerType>(type) && !type.isInteger(1);
}

/// Returns whether a rule guarantees that the single cast is equivalent. Used
/// for types with too many encodings to try all.
static bool isExactByRule(const Chain &chain) {
  // Both casts keep low bits (C12).
  if (isInteger(chain.from) && isInteger(chain.via) && isInteger(chain.to))
    return getNumberWidth(chain.via) >= getNumberWidth(chain.to) ||
           isExactCast(chain.from, chain.via);
  bool isFromInteger = isInteger(chain.from);
  // A float that represents every source value preserves integers, if none
  // exceeds the 32 bits that casts to integers saturate to (C11).
  if (isFromInteger && chain.from.isSignlessInteger() &&
      getNumberWidth(chain.from) <= 32 && isStandardFloat(chain.via) &&
      isInteger(chain.to))
    return isExactCast(chain.from, chain.via);
  // Both results are low bits of the same 32-bit integer (C11).
  auto saturatesTo32 = [](Type type) {
    return isInteger(type) && getNumberWidth(type) <= 32 &&
           !type.isUnsignedInteger(32);
  };
  if (isFloat(chain.from) && saturatesTo32(chain.via) &&
      saturatesTo32(chain.to))
    return getNumberWidth(chain.via) >= getNumberWidth(chain.to);
  // Integers that the intermediate float rounds exceed the range of the last
  // type.
  if (isFromInteger && isStandardFloat(chain.via) && isFloat(chain.to)) {
    FloatFormat via(chain.via), last(chain.to);
    // An intermediate infinity saturates like the integer does, except in FNUZ
    // types before opset 24, where it becomes NaN (C4).
    bool isInfinite =
        chain.via.isF16() && last.isFNUZ && CastOp(chain.outer).getOpset() < 24;
    if (!isInfinite && ilogb(last.maxValue) <= int(via.mantissaBits))
      return true;
  }
  // The intermediate type represents every value. Conversions of an integer
  // through a float to an integer are excluded, because out-of-range values
  // differ (C11, C12). Equal types are excluded because NaN payloads are lost
  // (V7).
  return chain.from != chain.to && isExactCast(chain.from, chain.via) &&
         (isa<IntegerType>(chain.from) == isa<IntegerType>(chain.via) ||
          !isa<IntegerType>(chain.to));
}

/// Returns values at which roundings can differ: powers of two, midpoints of
/// two neighboring values of the last type, and the neighbors of both.
static SmallVector<APInt> makeCandidates(const Chain &chain) {
  SmallVector<APInt> candidates;
  unsigned width = getNumberWidth(chain.from);
  if (isa<IntegerType>(chain.from)) {
    for (unsigned bit = 0; bit < width; ++bit)
      for (int64_t step : {0, -1, 1}) {
        APInt number = APInt::getOneBitSet(width, bit) +
                       APInt(width, step, /*isSigned=*/true);
        candidates.push_back(number);
        candidates.push_back(-number);
      }
    // Neighbors of the midpoint of two floats.
    if (isFloat(chain.to)) {
      unsigned mantissaBits = FloatFormat(chain.to).mantissaBits;
      for (unsigned bit = mantissaBits + 2; bit < width; ++bit) {
        APInt half = APInt::getOneBitSet(width, bit - mantissaBits - 1);
        candidates.push_back((APInt::getOneBitSet(width, bit) | half) + 1);
        candidates.push_back((APInt::getOneBitSet(width, bit) | half) - 1);
      }
    }
    return candidates;
  }
  const llvm::fltSemantics &semantics =
      cast<FloatType>(chain.from).getFloatSemantics();
  auto add = [&](APFloat value) {
    bool losesInfo;
    value.convert(semantics, APFloat::rmNearestTiesToEven, &losesInfo);
    for (int sign = 0; sign < 2; ++sign) {
      APFloat up = value, down = value;
      up.next(/*nextDown=*/false);
      down.next(/*nextDown=*/true);
      for (const APFloat &number : {value, up, down})
        candidates.push_back(number.bitcastToAPInt());
      value.changeSign();
    }
  };
  for (const APFloat &special :
       {APFloat::getZero(semantics), APFloat::getInf(semantics),
        APFloat::getLargest(semantics), APFloat::getSmallest(semantics)})
    add(special);
  for (int exponent = -160; exponent < 140; ++exponent)
    for (double factor : {1.0, 1.5, 1.00390625, 1.0009765625, 1.0000001})
      add(scalbn(APFloat(factor), exponent, APFloat::rmNearestTiesToEven));
  if (isFloat(chain.to) && getNumberWidth(chain.to) <= kMaxEncodingWidth) {
    FloatFormat format(chain.to);
    uint64_t step = format.width > 8 ? 61 : 1;
    for (uint64_t encoding = 0; encoding < format.maxEncoding;
         encoding += step) {
      APFloat middle = format.getValue(encoding);
      middle.add(format.getValue(encoding + 1), APFloat::rmNearestTiesToEven);
      add(scalbn(middle, -1, APFloat::rmNearestTiesToEven));
    }
  }
  // NaNs with and without a payload.
  APInt quiet = APFloat::getQNaN(semantics).bitcastToAPInt();
  candidates.push_back(quiet);
  candidates.push_back(quiet | 1);
  candidates.push_back(quiet | APInt::getSignMask(width));
  return candidates;
}

/// Returns an input for which the chain and the single cast differ; nullopt if
/// there is none or none was found.
static std::optional<APInt> findDifference(const Chain &chain) {
  unsigned width = getNumberWidth(chain.from);
  auto differs = [&](const APInt &bits) {
    return chain.follow(bits) != chain.skip(bits);
  };
  if (width > kMaxEncodingWidth) {
    for (const APInt &bits : makeCandidates(chain))
      if (differs(bits))
        return bits;
    return std::nullopt;
  }
  for (uint64_t encoding = 0; encoding < uint64_t(1) << width; ++encoding)
    if (APInt bits(width, encoding); differs(bits))
      return bits;
  return std::nullopt;
}

/// Collapses the chain that ends with `outer`. Emits a remark if the result
/// would change.
static bool collapse(RewriterBase &rewriter, CastOp outer) {
  auto inner = outer.getInput().getDefiningOp<CastOp>();
  if (!inner || !isPlain(inner) || !isPlain(outer))
    return false;
  Chain chain(inner, outer);
  if (chain.from == chain.via || chain.via == chain.to)
    return false;
  auto refuse = [&]() { return emitNodeRemark(outer) << "not collapsed: "; };
  bool isSmall = getNumberWidth(chain.from) <= kMaxEncodingWidth;
  std::optional<APInt> bits;
  if (isSmall || !isExactByRule(chain)) {
    bits = findDifference(chain);
    if (bits) {
      refuse() << describeEncoding(chain.from, *bits) << " of " << chain.from
               << " becomes " << describeEncoding(chain.to, chain.follow(*bits))
               << " via " << chain.via << ", but "
               << describeEncoding(chain.to, chain.skip(*bits)) << " directly";
      return false;
    }
    if (!isSmall) {
      refuse() << "no rule proves that " << chain.from << " via " << chain.via
               << " gives the same " << chain.to;
      return false;
    }
  }
  Value input = inner.getInput();
  if (chain.from == chain.to) {
    if (input.getType() != outer.getType()) {
      refuse() << "its result type is more static than the input type";
      return false;
    }
    LDBG() << "removing " << outer;
    rewriter.replaceOp(outer, input);
  } else {
    const OpVersion *version = getOpVersion(getOpKind(outer), outer.getOpset());
    if (!version || !version->accepts(OpRole::First, chain.from)) {
      refuse() << "Cast of opset " << outer.getOpset() << " does not accept "
               << chain.from;
      return false;
    }
    if (failed(verifyCompatibleShape(input.getType(), outer.getType()))) {
      LDBG() << "not collapsed, because the shapes differ: " << outer;
      return false;
    }
    LDBG() << "collapsing " << inner << " and " << outer;
    rewriter.modifyOpInPlace(outer,
                             [&] { outer.getInputMutable().assign(input); });
  }
  if (inner->use_empty())
    rewriter.eraseOp(inner);
  return true;
}

void CollapseCastsPass::runOnOperation() {
  // Process casts in order, so that the chain of the operand is already
  // collapsed.
  SmallVector<CastOp> casts;
  getOperation()->walk([&](CastOp op) { casts.push_back(op); });
  IRRewriter rewriter(&getContext());
  for (CastOp op : casts)
    if (collapse(rewriter, op))
      ++numCollapsed;
}
