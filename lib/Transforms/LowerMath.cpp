//===- LowerMath.cpp - Mathematical functions on vectors ------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Conversion/MathToLibm/MathToLibm.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/DialectConversion.h"
#include "quant-float/Transforms/Passes.h"
#include "llvm/ADT/bit.h"
#include <limits>

namespace mlir::quant_float {
#define GEN_PASS_DEF_QUANTFLOATLOWERMATHPASS
#include "quant-float/Transforms/Passes.h.inc"
} // namespace mlir::quant_float

using namespace mlir;
using namespace mlir::quant_float;

namespace {

/// Arithmetic on f32 and i32, on scalars or vectors of one shape. Products and
/// sums are rounded apart, so that bits do not depend on the target.
class Arithmetic {
public:
  Arithmetic(OpBuilder &builder, Operation *op)
      : b(op->getLoc(), builder), type(op->getResult(0).getType()) {}

  Value number(float value) { return splat(b.getF32FloatAttr(value), type); }
  Value integer(int32_t value) {
    return splat(b.getI32IntegerAttr(value), getIntegerType());
  }
  Value add(Value x, Value y) { return arith::AddFOp::create(b, x, y); }
  Value subtract(Value x, Value y) { return arith::SubFOp::create(b, x, y); }
  Value multiply(Value x, Value y) { return arith::MulFOp::create(b, x, y); }
  Value divide(Value x, Value y) { return arith::DivFOp::create(b, x, y); }
  Value isLess(Value x, Value y) {
    return arith::CmpFOp::create(b, arith::CmpFPredicate::OLT, x, y);
  }
  Value select(Value condition, Value x, Value y) {
    return arith::SelectOp::create(b, condition, x, y);
  }
  Value magnitude(Value x) { return math::AbsFOp::create(b, x); }
  Value copySign(Value x, Value sign) {
    return math::CopySignOp::create(b, x, sign);
  }
  /// x between the bounds, and NaN where it is.
  Value clamp(Value x, float low, float high) {
    x = select(isLess(x, number(low)), number(low), x);
    return select(isLess(number(high), x), number(high), x);
  }
  /// Coefficients from that of the highest power down.
  Value polynomial(Value x, ArrayRef<float> coefficients) {
    Value result = number(coefficients.front());
    for (float coefficient : coefficients.drop_front())
      result = add(multiply(result, x), number(coefficient));
    return result;
  }
  /// The nearest integer, in its float's low bits and as a float.
  std::pair<Value, Value> round(Value x) {
    Value magic = number(0x1.8p23f);
    Value sum = add(x, magic);
    Value bits = arith::SubIOp::create(
        b, arith::BitcastOp::create(b, getIntegerType(), sum),
        integer(0x4B400000));
    return {bits, subtract(sum, magic)};
  }
  /// 2 to a power between -126 and 127.
  Value powerOfTwo(Value exponent) {
    Value biased = arith::AddIOp::create(b, exponent, integer(127));
    Value bits = arith::ShLIOp::create(b, biased, integer(23));
    return arith::BitcastOp::create(b, type, bits);
  }
  /// A positive normal number as m * 2^k, m from `least` on and below its
  /// double; k is a float as well.
  std::pair<Value, Value> split(Value x, float least) {
    Value bits = arith::BitcastOp::create(b, getIntegerType(), x);
    Value above =
        arith::SubIOp::create(b, bits, integer(llvm::bit_cast<int32_t>(least)));
    Value exponent = arith::ShRSIOp::create(b, above, integer(23));
    Value rest = arith::SubIOp::create(
        b, bits, arith::ShLIOp::create(b, exponent, integer(23)));
    return {arith::BitcastOp::create(b, type, rest),
            arith::SIToFPOp::create(b, type, exponent)};
  }
  Value isEqual(Value x, Value y) {
    return arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, x, y);
  }
  Value halve(Value x) { return arith::ShRSIOp::create(b, x, integer(1)); }
  Value subtractIntegers(Value x, Value y) {
    return arith::SubIOp::create(b, x, y);
  }

private:
  Type getIntegerType() {
    auto vector = dyn_cast<VectorType>(type);
    return vector ? Type(vector.clone(b.getI32Type())) : b.getI32Type();
  }
  Value splat(TypedAttr value, Type wanted) {
    auto vector = dyn_cast<VectorType>(wanted);
    TypedAttr all =
        vector ? cast<TypedAttr>(SplatElementsAttr::get(vector, value)) : value;
    return arith::ConstantOp::create(b, all);
  }

  ImplicitLocOpBuilder b;
  Type type;
};

} // namespace

/// e^x = 2^k * e^r with r = x - k ln 2 and |r| at most half of ln 2. ln 2 is in
/// two parts, the first short enough for exact products; 2^k in two factors,
/// of which the last may overflow or leave a subnormal.
static Value expandExp(Arithmetic &a, Value x) {
  x = a.clamp(x, -104.0f, 89.0f);
  auto [k, whole] = a.round(a.multiply(x, a.number(0x1.715476p+0f)));
  Value r = a.subtract(x, a.multiply(whole, a.number(0.693359375f)));
  r = a.subtract(r, a.multiply(whole, a.number(-2.12194440e-4f)));
  Value p =
      a.polynomial(r, {1.9875691500e-4f, 1.3981999507e-3f, 8.3334519073e-3f,
                       4.1665795894e-2f, 1.6666665459e-1f, 5.0000001201e-1f});
  p = a.add(a.add(a.multiply(a.multiply(r, r), p), r), a.number(1.0f));
  Value half = a.halve(k);
  Value rest = a.subtractIntegers(k, half);
  return a.multiply(a.multiply(p, a.powerOfTwo(half)), a.powerOfTwo(rest));
}

/// An odd polynomial near zero, 1 - 2 / (e^2|x| + 1) elsewhere.
static Value expandTanh(Arithmetic &a, Value x) {
  Value magnitude = a.magnitude(x);
  Value exp = expandExp(a, a.add(magnitude, magnitude));
  Value one = a.number(1.0f);
  Value large = a.subtract(one, a.divide(a.number(2.0f), a.add(exp, one)));
  Value square = a.multiply(x, x);
  Value p = a.polynomial(square, {-5.70498872745e-3f, 2.06390887954e-2f,
                                  -5.37397155531e-2f, 1.33314422036e-1f,
                                  -3.33332819422e-1f});
  Value small = a.add(a.multiply(a.multiply(p, square), x), x);
  // Also of zeros, whose sign the sum may lose.
  return a.copySign(
      a.select(a.isLess(magnitude, a.number(0.625f)), small, large), x);
}

/// log x = k ln 2 + log m with m next to 1, of which a polynomial without its
/// first two terms is added to them; ln 2 is in two parts.
static Value expandLog(Arithmetic &a, Value x) {
  Value zero = a.number(0.0f), one = a.number(1.0f);
  Value isTiny = a.isLess(x, a.number(0x1p-126f));
  Value normal = a.select(isTiny, a.multiply(x, a.number(0x1p23f)), x);
  auto [m, k] = a.split(normal, /*least=*/0x1.6a09e6p-1f);
  k = a.select(isTiny, a.subtract(k, a.number(23.0f)), k);
  Value f = a.subtract(m, one), square = a.multiply(f, f);
  Value p =
      a.polynomial(f, {7.0376836292e-2f, -1.1514610310e-1f, 1.1676998740e-1f,
                       -1.2420140846e-1f, 1.4249322787e-1f, -1.6668057665e-1f,
                       2.0000714765e-1f, -2.4999993993e-1f, 3.3333331174e-1f});
  Value rest = a.multiply(a.multiply(p, f), square);
  rest = a.add(rest, a.multiply(k, a.number(-2.12194440e-4f)));
  rest = a.subtract(rest, a.multiply(square, a.number(0.5f)));
  Value result = a.add(a.add(f, rest), a.multiply(k, a.number(0.693359375f)));
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
  result = a.select(a.isEqual(x, zero), a.number(-kInfinity), result);
  result = a.select(a.isLess(x, zero), a.number(kNaN), result);
  // Infinity and NaN stay.
  return a.select(a.isLess(x, a.number(kInfinity)), result, x);
}

static bool isSingle(Operation *op) {
  return getElementTypeOrSelf(op->getResult(0)).isF32();
}

namespace {
struct LowerMath final
    : quant_float::impl::QuantFloatLowerMathPassBase<LowerMath> {
  using QuantFloatLowerMathPassBase::QuantFloatLowerMathPassBase;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) {
      if (isa<math::ExpOp, math::LogOp, math::TanhOp>(op) && isSingle(op))
        ops.push_back(op);
    });
    for (Operation *op : ops) {
      rewriter.setInsertionPoint(op);
      Arithmetic arithmetic(rewriter, op);
      Value x = op->getOperand(0);
      rewriter.replaceOp(op, isa<math::ExpOp>(op) ? expandExp(arithmetic, x)
                             : isa<math::LogOp>(op)
                                 ? expandLog(arithmetic, x)
                                 : expandTanh(arithmetic, x));
    }

    // The C library has the rest; what are instructions, or become some, stays.
    ConversionTarget target(getContext());
    target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
    target.addIllegalOp<
        math::AcosOp, math::AcoshOp, math::AsinOp, math::AsinhOp, math::AtanOp,
        math::Atan2Op, math::AtanhOp, math::CbrtOp, math::CosOp, math::CoshOp,
        math::ErfOp, math::ErfcOp, math::ExpOp, math::Exp2Op, math::ExpM1Op,
        math::LogOp, math::Log2Op, math::Log10Op, math::Log1pOp, math::PowFOp,
        math::SinOp, math::SinhOp, math::TanOp, math::TanhOp>();
    if (!libm)
      return refuse(target);
    RewritePatternSet patterns(&getContext());
    populateMathToLibmConversionPatterns(patterns);
    if (failed(applyPartialConversion(getOperation(), target,
                                      std::move(patterns))))
      signalPassFailure();
  }

private:
  void refuse(const ConversionTarget &target) {
    getOperation().walk([&](Operation *op) {
      if (!target.isIllegal(op))
        return;
      op->emitOpError() << "has no lowering for this target: expected a "
                           "function that is arithmetic, but got "
                        << op->getResult(0).getType();
      signalPassFailure();
    });
  }
};
} // namespace
