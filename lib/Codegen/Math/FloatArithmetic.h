//===- FloatArithmetic.h - Builder of float arithmetic ----------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_CODEGEN_MATH_FLOATARITHMETIC_H
#define QUANT_FLOAT_LIB_CODEGEN_MATH_FLOATARITHMETIC_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/bit.h"

namespace mlir::quant_float {

/// Builds arithmetic on floats, f32 by default, and on integers of their width.
/// Operands are scalars or vectors of one shape. Operations are rounded
/// separately, except multiplyAdd(), which targets without FMA emulate.
class Arithmetic {
public:
  Arithmetic(OpBuilder &builder, Operation *op)
      : b(op->getLoc(), builder), type(op->getResult(0).getType()) {}
  /// Returns a builder of the same shape for f64.
  Arithmetic widen() {
    Arithmetic wide(*this);
    wide.type = withElement(b.getF64Type());
    return wide;
  }

  Value number(double value) {
    return splat(b.getFloatAttr(getElementTypeOrSelf(type), value), type);
  }
  Value integer(int64_t value) {
    Type type = getIntegerType();
    return splat(b.getIntegerAttr(getElementTypeOrSelf(type), value), type);
  }
  Value add(Value x, Value y) { return arith::AddFOp::create(b, x, y); }
  Value subtract(Value x, Value y) { return arith::SubFOp::create(b, x, y); }
  Value multiply(Value x, Value y) { return arith::MulFOp::create(b, x, y); }
  /// Computes x * y + z, rounded once.
  Value multiplyAdd(Value x, Value y, Value z) {
    return math::FmaOp::create(b, x, y, z);
  }
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
  /// Clamps x to the bounds and preserves NaN.
  Value clamp(Value x, double low, double high) {
    x = select(isLess(x, number(low)), number(low), x);
    return select(isLess(number(high), x), number(high), x);
  }
  /// Evaluates a polynomial by Horner's method. The coefficients are in the
  /// order of decreasing powers.
  Value polynomial(Value x, ArrayRef<double> coefficients) {
    Value result = number(coefficients.front());
    for (double coefficient : coefficients.drop_front())
      result = multiplyAdd(result, x, number(coefficient));
    return result;
  }
  /// Rounds to the nearest integer, ties to even. Returns it as an integer of
  /// the float's width and as a float. The magnitude must be below 2^22 for f32
  /// and 2^51 for f64.
  std::pair<Value, Value> round(Value x) {
    Value magic = number(isWide() ? 0x1.8p52 : 0x1.8p23);
    Value sum = add(x, magic);
    Value bits = arith::SubIOp::create(
        b, toBits(sum), integer(isWide() ? 0x4338000000000000 : 0x4B400000));
    return {bits, subtract(sum, magic)};
  }
  /// Returns 2^exponent, which must be a normal number.
  Value powerOfTwo(Value exponent) {
    Value biased =
        arith::AddIOp::create(b, exponent, integer(isWide() ? 1023 : 127));
    Value bits = arith::ShLIOp::create(b, biased, integer(mantissaBits()));
    return arith::BitcastOp::create(b, type, bits);
  }
  /// Splits a positive normal number into m * 2^k, with m in
  /// [low, 2 * low). Returns m and k, both as floats.
  std::pair<Value, Value> split(Value x, double low) {
    int64_t lowBits = isWide() ? llvm::bit_cast<int64_t>(low)
                               : llvm::bit_cast<int32_t>(float(low));
    Value bits = toBits(x);
    Value above = arith::SubIOp::create(b, bits, integer(lowBits));
    Value exponent = arith::ShRSIOp::create(b, above, integer(mantissaBits()));
    Value remainder = arith::SubIOp::create(
        b, bits, arith::ShLIOp::create(b, exponent, integer(mantissaBits())));
    return {arith::BitcastOp::create(b, type, remainder),
            arith::SIToFPOp::create(b, type, exponent)};
  }
  Value isEqual(Value x, Value y) {
    return arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, x, y);
  }
  Value halve(Value x) { return arith::ShRSIOp::create(b, x, integer(1)); }
  Value subtractIntegers(Value x, Value y) {
    return arith::SubIOp::create(b, x, y);
  }

  Value negate(Value x) { return arith::NegFOp::create(b, x); }
  Value squareRoot(Value x) { return math::SqrtOp::create(b, x); }
  Value isNaN(Value x) {
    return arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, x, x);
  }
  Value both(Value lhs, Value rhs) {
    return arith::AndIOp::create(b, lhs, rhs);
  }
  Value either(Value lhs, Value rhs) {
    return arith::OrIOp::create(b, lhs, rhs);
  }
  Value isNot(Value condition) {
    Type type = condition.getType();
    return arith::XOrIOp::create(b, condition,
                                 splat(b.getBoolAttr(true), type));
  }
  Value isInteger(Value x) { return isEqual(math::FloorOp::create(b, x), x); }
  // Conversions between f32 and f64.
  Value extend(Value x) {
    return arith::ExtFOp::create(b, type, x, arith::FastMathFlagsAttr());
  }
  Value truncate(Value x) { return arith::TruncFOp::create(b, type, x); }

  // Integer operations. They are unsigned, except for toFloat and
  // shiftRightSigned.
  Value toBits(Value x) {
    return arith::BitcastOp::create(b, getIntegerType(), x);
  }
  Value fromBits(Value x) { return arith::BitcastOp::create(b, type, x); }
  Value toFloat(Value x) { return arith::SIToFPOp::create(b, type, x); }
  /// Zero-extends to i64.
  Value extendInteger(Value x) {
    return arith::ExtUIOp::create(b, withElement(b.getI64Type()), x);
  }
  Value truncateInteger(Value x) {
    return arith::TruncIOp::create(b, withElement(b.getI32Type()), x);
  }
  Value addIntegers(Value x, Value y) { return arith::AddIOp::create(b, x, y); }
  Value multiplyIntegers(Value x, Value y) {
    return arith::MulIOp::create(b, x, y);
  }
  Value bitAnd(Value x, int64_t mask) {
    return arith::AndIOp::create(b, x, integer(mask));
  }
  Value bitOr(Value x, int64_t mask) {
    return arith::OrIOp::create(b, x, integer(mask));
  }
  Value bitXor(Value x, Value y) { return arith::XOrIOp::create(b, x, y); }
  Value shiftLeft(Value x, Value y) { return arith::ShLIOp::create(b, x, y); }
  Value shiftRight(Value x, Value y) { return arith::ShRUIOp::create(b, x, y); }
  Value shiftRightSigned(Value x, Value y) {
    return arith::ShRSIOp::create(b, x, y);
  }
  Value isSame(Value x, int64_t y) {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, x, integer(y));
  }

private:
  bool isWide() { return getElementTypeOrSelf(type).isF64(); }
  int64_t mantissaBits() { return isWide() ? 52 : 23; }
  Type withElement(Type element) {
    auto vector = dyn_cast<VectorType>(type);
    return vector ? Type(vector.clone(element)) : element;
  }
  Type getIntegerType() {
    return withElement(
        b.getIntegerType(getElementTypeOrSelf(type).getIntOrFloatBitWidth()));
  }
  Value splat(TypedAttr value, Type type) {
    auto vector = dyn_cast<VectorType>(type);
    TypedAttr all =
        vector ? cast<TypedAttr>(SplatElementsAttr::get(vector, value)) : value;
    return arith::ConstantOp::create(b, all);
  }

  ImplicitLocOpBuilder b;
  Type type;
};

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_CODEGEN_MATH_FLOATARITHMETIC_H
