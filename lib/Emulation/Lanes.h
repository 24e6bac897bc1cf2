//===- Lanes.h - Arithmetic on scalars and vectors alike --------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_EMULATION_LANES_H
#define QUANT_FLOAT_LIB_EMULATION_LANES_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"
#include "quant-float/Emulation/EmulationTarget.h"

namespace mlir::quant_float {

/// Whether a NaN that the op takes or makes has no specified bits (D8).
inline bool isArithmetic(Operation *op) {
  return isa_and_nonnull<arith::AddFOp, arith::SubFOp, arith::MulFOp,
                         arith::DivFOp, math::FmaOp>(op);
}

/// Builds arith ops on the lanes of a vector, or on one scalar. Constants are
/// splat to the shape and take the type of the operand beside them.
class Lanes {
public:
  /// `like` is a value of the shape to work on.
  Lanes(OpBuilder &builder, Location loc, Value like,
        const EmulationTarget &target)
      : builder(builder), loc(loc), shape(dyn_cast<VectorType>(like.getType())),
        target(target) {}

  /// The same on the shape of another value.
  Lanes withShapeOf(Value like) const { return {builder, loc, like, target}; }

  const EmulationTarget &getTarget() const { return target; }
  OpBuilder &getBuilder() const { return builder; }
  Location getLoc() const { return loc; }

  Type getType(Type element) const {
    return shape ? Type(VectorType::get(shape.getShape(), element,
                                        shape.getScalableDims()))
                 : element;
  }
  IntegerType getInt(unsigned width) const {
    return builder.getIntegerType(width);
  }
  static unsigned getWidth(Value value) {
    return getElementTypeOrSelf(value).getIntOrFloatBitWidth();
  }

  Value constant(TypedAttr value) {
    Type type = getType(value.getType());
    if (shape)
      value = DenseElementsAttr::get(cast<ShapedType>(type), value);
    return arith::ConstantOp::create(builder, loc, value);
  }
  /// The low bits of `number`, as an integer of the width of `like`.
  Value integer(Value like, uint64_t number) {
    unsigned width = getWidth(like);
    return constant(builder.getIntegerAttr(
        getInt(width), APInt(64, number).zextOrTrunc(width)));
  }
  Value number(FloatType type, const APFloat &value) {
    APFloat converted = value;
    bool losesInfo;
    converted.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                      &losesInfo);
    return constant(builder.getFloatAttr(type, converted));
  }
  /// 2^exponent.
  Value powerOfTwo(FloatType type, int exponent) {
    APFloat one(type.getFloatSemantics(), 1);
    return number(type, scalbn(one, exponent, APFloat::rmNearestTiesToEven));
  }

  Value bitAnd(Value a, uint64_t mask) {
    return make<arith::AndIOp>(a, integer(a, mask));
  }
  Value bitOr(Value a, uint64_t mask) {
    return make<arith::OrIOp>(a, integer(a, mask));
  }
  Value add(Value a, uint64_t number) {
    return make<arith::AddIOp>(a, integer(a, number));
  }
  Value shl(Value a, unsigned count) {
    return make<arith::ShLIOp>(a, integer(a, count));
  }
  Value shrU(Value a, unsigned count) {
    return make<arith::ShRUIOp>(a, integer(a, count));
  }
  Value shrS(Value a, unsigned count) {
    return make<arith::ShRSIOp>(a, integer(a, count));
  }
  Value select(Value condition, Value a, Value b) {
    return make<arith::SelectOp>(condition, a, b);
  }
  Value select(Value condition, uint64_t a, Value b) {
    return select(condition, integer(b, a), b);
  }
  Value compare(arith::CmpIPredicate predicate, Value a, Value b) {
    return make<arith::CmpIOp>(predicate, a, b);
  }
  Value compare(arith::CmpIPredicate predicate, Value a, uint64_t b) {
    return compare(predicate, a, integer(a, b));
  }
  Value compare(arith::CmpFPredicate predicate, Value a, Value b) {
    return make<arith::CmpFOp>(predicate, a, b);
  }
  Value isNaN(Value a) { return compare(arith::CmpFPredicate::UNO, a, a); }

  Value bitcast(Value a, Type element) {
    if (getElementTypeOrSelf(a) == element)
      return a;
    return arith::BitcastOp::create(builder, loc, getType(element), a);
  }
  Value toBits(Value a) { return bitcast(a, getInt(getWidth(a))); }

  /// An integer of `width` bits: the low bits, or extended by signedness.
  Value resize(Value a, unsigned width, bool isSigned = false) {
    Type type = getType(getInt(width));
    if (getWidth(a) == width)
      return a;
    if (getWidth(a) > width)
      return arith::TruncIOp::create(builder, loc, type, a);
    if (isSigned)
      return arith::ExtSIOp::create(builder, loc, type, a);
    return arith::ExtUIOp::create(builder, loc, type, a);
  }

  /// A scalar in all lanes; what has lanes stays.
  Value spread(Value value) {
    if (!shape || isa<VectorType>(value.getType()))
      return value;
    return vector::BroadcastOp::create(builder, loc, getType(value.getType()),
                                       value);
  }

  /// a * factor + c, where the product is exact, so that rounding it apart
  /// changes nothing on targets without the fused instruction.
  Value multiplyAdd(Value a, Value factor, Value c) {
    if (target.hasFma)
      return make<math::FmaOp>(a, factor, c);
    return make<arith::AddFOp>(make<arith::MulFOp>(a, factor), c);
  }

  /// power * factor + c, where `power` is a power of two and no subnormal, and
  /// `c` may be one. A fused multiply-add takes an assist for a subnormal
  /// addend on some CPUs; an addition does not. The product is exact, or
  /// infinite in both forms.
  Value addScaledPower(Value power, const APFloat &factor, Value c) {
    Value scale = number(cast<FloatType>(getElementTypeOrSelf(power)), factor);
    if (!target.avoidsSubnormals || target.flushesSubnormals)
      return multiplyAdd(power, scale, c);
    return make<arith::AddFOp>(make<arith::MulFOp>(power, scale), c);
  }

  /// The smaller of the two; where `value` is NaN, that.
  Value cap(Value value, Value limit) {
    if (target.hasMinimum)
      return make<arith::MinimumFOp>(value, limit);
    return select(compare(arith::CmpFPredicate::OLT, limit, value), limit,
                  value);
  }

  /// The larger of the two; where `value` is NaN, that.
  Value raise(Value value, Value limit) {
    if (target.hasMinimum)
      return make<arith::MaximumFOp>(value, limit);
    return select(compare(arith::CmpFPredicate::OGT, limit, value), limit,
                  value);
  }
  /// The larger of two that are no NaNs.
  Value getLarger(Value a, Value b) {
    if (target.hasMinimum)
      return make<arith::MaximumFOp>(a, b);
    return select(compare(arith::CmpFPredicate::OGT, a, b), a, b);
  }

  template <typename OpTy, typename... Args> Value make(Args &&...args) {
    return OpTy::create(builder, loc, std::forward<Args>(args)...);
  }
  template <typename OpTy> Value convert(Value a, Type element) {
    return OpTy::create(builder, loc, getType(element), a);
  }

private:
  OpBuilder &builder;
  Location loc;
  VectorType shape;
  const EmulationTarget &target;
};

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_EMULATION_LANES_H
