//===- VectorBuilder.h - Builder of vector ops ------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_LOWERING_VECTORBUILDER_H
#define QUANT_FLOAT_LIB_LOWERING_VECTORBUILDER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"
#include "quant-float/Lowering/LoweringTarget.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::quant_float {

/// Whether the bits of a NaN operand or result of the op are unspecified (D8).
inline bool isArithmetic(Operation *op) {
  return isa_and_nonnull<arith::AddFOp, arith::SubFOp, arith::MulFOp,
                         arith::DivFOp, math::FmaOp>(op);
}

/// Whether only arithmetic uses the value, directly or after its elements have
/// been moved, so that the bits of a NaN are unspecified. False without users.
inline bool isOnlyUsedByArithmetic(Value value) {
  if (value.use_empty())
    return false;
  // An op may use a value several times, so paths are not followed twice.
  llvm::SetVector<Operation *> users(value.user_begin(), value.user_end());
  for (size_t i = 0; i < users.size(); ++i) {
    Operation *user = users[i];
    if (isArithmetic(user))
      continue;
    if (!isa<vector::BroadcastOp, vector::ExtractOp,
             vector::ExtractStridedSliceOp, vector::ShapeCastOp,
             vector::ShuffleOp>(user) ||
        user->use_empty())
      return false;
    users.insert(user->user_begin(), user->user_end());
  }
  return true;
}

/// Builds arith ops on vectors or on scalars. Constants are splat to the shape
/// and have the type of the other operand.
class VectorBuilder {
public:
  /// `like` is a value of the shape on which ops are built.
  VectorBuilder(OpBuilder &builder, Location loc, Value like,
                const LoweringTarget &target)
      : builder(builder), loc(loc), shape(dyn_cast<VectorType>(like.getType())),
        target(target) {}

  /// Returns a builder for the shape of another value.
  VectorBuilder withShapeOf(Value like) const {
    return {builder, loc, like, target};
  }

  const LoweringTarget &getTarget() const { return target; }
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
  /// Creates the low bits of `number` as an integer of the width of `like`.
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
  /// Creates 2^exponent.
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

  /// Truncates or extends an integer to `width` bits.
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

  /// Broadcasts a scalar to the shape. Vectors remain unchanged.
  Value spread(Value value) {
    if (!shape || isa<VectorType>(value.getType()))
      return value;
    return vector::BroadcastOp::create(builder, loc, getType(value.getType()),
                                       value);
  }

  /// Computes a * factor + c. The product must be exact, so that targets
  /// without fused multiply-add compute the same result.
  Value multiplyAdd(Value a, Value factor, Value c) {
    if (target.hasFma)
      return make<math::FmaOp>(a, factor, c);
    return make<arith::AddFOp>(make<arith::MulFOp>(a, factor), c);
  }

  /// Computes power * factor + c, where `power` is a power of two and not
  /// subnormal, and `c` may be subnormal. On some CPUs, a fused multiply-add
  /// needs a microcode assist for a subnormal addend, but an addition does not.
  /// The product is exact, or infinite in both cases.
  Value addScaledPower(Value power, const APFloat &factor, Value c) {
    Value scale = number(cast<FloatType>(getElementTypeOrSelf(power)), factor);
    if (!target.avoidsSubnormals || target.flushesSubnormals)
      return multiplyAdd(power, scale, c);
    return make<arith::AddFOp>(make<arith::MulFOp>(power, scale), c);
  }

  /// Returns the minimum; NaN if `value` is NaN.
  Value cap(Value value, Value limit) {
    if (target.hasMinimum)
      return make<arith::MinimumFOp>(value, limit);
    return select(compare(arith::CmpFPredicate::OLT, limit, value), limit,
                  value);
  }

  /// Returns the maximum; NaN if `value` is NaN.
  Value raise(Value value, Value limit) {
    if (target.hasMinimum)
      return make<arith::MaximumFOp>(value, limit);
    return select(compare(arith::CmpFPredicate::OGT, limit, value), limit,
                  value);
  }
  /// Returns the maximum of two values that are not NaN.
  Value getLarger(Value a, Value b) {
    if (target.hasMinimum)
      return make<arith::MaximumFOp>(a, b);
    return select(compare(arith::CmpFPredicate::OGT, a, b), a, b);
  }

  template <typename OpTy, typename... Args> Value make(Args &&...args) {
    return OpTy::create(builder, loc, std::forward<Args>(args)...);
  }
  template <typename OpTy> Value convert(Value a, Type element) {
    // Some casts have flags, for which `create` takes one more argument.
    OperationState state(loc, OpTy::getOperationName(), a, getType(element));
    return builder.create(state)->getResult(0);
  }

private:
  OpBuilder &builder;
  Location loc;
  VectorType shape;
  const LoweringTarget &target;
};

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_LOWERING_VECTORBUILDER_H
