//===- Integers.cpp - Exact integer matmuls and convolutions --------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// OpenVINO's CPU plugin computes matmuls in f32, also those of i32. A reduction
// of integers is exact in f32, in any accumulation order, if no magnitude
// exceeds 2^24. If larger magnitudes are possible, the operands are split into
// digits. Each pair of digits has a separate matmul, and the i32 results are
// added with wraparound (R1).
//
//===----------------------------------------------------------------------===//

#include "FormContext.h"
#include "mlir/IR/TypeUtilities.h"
#include "quant-float/IR/ElementTypes.h"
#include "quant-float/IR/OpsetRules.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::openvino_forms;

/// The largest magnitude up to which f32 represents all integers.
static constexpr int64_t kMaxExact = int64_t(1) << 24;

/// The bits of a digit, and its largest magnitude. The last digit is signed.
static constexpr unsigned kDigitBits = 4;
static constexpr int64_t kMaxDigit = int64_t(1) << kDigitBits;

namespace {
/// An operand of type i32.
struct IntegerOperand {
  Value value;
  /// The type of the matmul's operand.
  Type type;
  /// The upper bound of the magnitude of an element.
  int64_t max;
};

/// Creates the layer that multiplies two operands in f32.
using MultiplyFn = llvm::function_ref<FailureOr<Value>(Value lhs, Value rhs)>;
} // namespace

/// Subtracts the zero point from the elements of an input. If `shape` is not
/// empty, a zero point of rank 1 is reshaped to it before it is broadcast.
static FailureOr<IntegerOperand> makeOperand(FormContext &context, size_t index,
                                             size_t point,
                                             ArrayRef<int64_t> shape) {
  Type i32 = context.b.getI32Type();
  auto type = dyn_cast<IntegerType>(context.elementType(index));
  if (!type || type.getWidth() > 16)
    return context.unsupported("input " + Twine(index) + " has the type " +
                               showType(context.inputs[index].getType()));
  IntegerOperand operand{
      context.convert(context.inputs[index], i32),
      withElementType(context.inputs[index].getType(), context.b.getF32Type()),
      (int64_t(1) << type.getWidth()) - 1};
  if (!context.hasInput(point)) {
    if (!type.isUnsigned())
      operand.max = int64_t(1) << (type.getWidth() - 1);
    return operand;
  }
  Value zero = context.convert(context.inputs[point], i32);
  FailureOr<int64_t> rank = context.requireRank(point);
  if (failed(rank))
    return failure();
  if (*rank == 1 && !shape.empty())
    zero = context.reshape(zero, shape);
  operand.value = context.broadcast("Subtract", {operand.value, zero});
  return operand;
}

/// Splits an operand into digits in f32, the lowest first. If `isSingleDigit`,
/// the operand is a single digit.
static SmallVector<Value> splitDigits(FormContext &context,
                                      const IntegerOperand &operand,
                                      bool isSingleDigit) {
  Type i32 = context.b.getI32Type(), f32 = context.b.getF32Type();
  SmallVector<Value> digits;
  Value rest = operand.value;
  double unit = 1;
  auto add = [&](Value digit) {
    digit = context.convert(digit, f32);
    if (unit != 1)
      digit = context.broadcast("Multiply",
                                {digit, context.makeNumber(f32, 1 / unit)});
    digit.setType(operand.type);
    digits.push_back(digit);
  };
  for (int64_t max = operand.max; !isSingleDigit && max > kMaxDigit;
       max = llvm::divideCeil(max, kMaxDigit)) {
    Value mask = context.makeNumber(i32, unit * (kMaxDigit - 1));
    Value low = context.broadcast("BitwiseAnd", {rest, mask});
    add(low);
    rest = context.broadcast("Subtract", {rest, low});
    unit *= kMaxDigit;
  }
  add(rest);
  return digits;
}

/// Computes reductions of `count` products each, as i32.
static NodeResults multiplyExactly(FormContext &context,
                                   const IntegerOperand &lhs,
                                   const IntegerOperand &rhs, int64_t count,
                                   MultiplyFn multiply) {
  Type i32 = context.b.getI32Type();
  auto fits = [&](int64_t mostLhs, int64_t mostRhs) {
    return count <= kMaxExact / (mostLhs * mostRhs);
  };
  bool isLhsSingleDigit = fits(lhs.max, rhs.max);
  bool isRhsSingleDigit = isLhsSingleDigit || fits(kMaxDigit, rhs.max);
  if (!isRhsSingleDigit && !fits(kMaxDigit, kMaxDigit))
    return context.unsupported("accumulation of " + Twine(count) + " products");
  SmallVector<Value> lhsDigits = splitDigits(context, lhs, isLhsSingleDigit);
  SmallVector<Value> rhsDigits = splitDigits(context, rhs, isRhsSingleDigit);
  Value accumulator;
  for (auto [i, lhsDigit] : llvm::enumerate(lhsDigits))
    for (auto [j, rhsDigit] : llvm::enumerate(rhsDigits)) {
      FailureOr<Value> matmul = multiply(lhsDigit, rhsDigit);
      if (failed(matmul))
        return failure();
      Value term = context.convert(*matmul, i32);
      unsigned shift = kDigitBits * (i + j);
      // Terms that are shifted by 32 bits or more have no effect.
      if (shift >= 32)
        continue;
      if (shift)
        term = context.broadcast(
            "Multiply",
            {term, context.makeNumber(i32, int32_t(uint32_t(1) << shift))});
      accumulator =
          accumulator ? context.broadcast("Add", {accumulator, term}) : term;
    }
  return accumulator;
}

NodeResults openvino_forms::convertMatMulInteger(FormContext &context) {
  FailureOr<int64_t> lhsRank = context.requireRank(0);
  FailureOr<int64_t> rhsRank = context.requireRank(1);
  if (failed(lhsRank) || failed(rhsRank))
    return failure();
  if (*lhsRank < 1 || *rhsRank < 1)
    return context.unsupported("an operand of rank 0");
  RankedTensorType lhsType = context.getRanked(0),
                   rhsType = context.getRanked(1);
  int64_t count = lhsType.getShape().back();
  if (ShapedType::isDynamic(count))
    count = rhsType.getDimSize(std::max<int64_t>(*rhsRank - 2, 0));
  if (ShapedType::isDynamic(count))
    return context.unsupported("the size of the reduction axis is not known");
  // A zero point for each row of the lhs.
  SmallVector<int64_t> perRow = {-1, 1};
  FailureOr<IntegerOperand> lhs = makeOperand(
      context, 0, 2, *lhsRank > 1 ? ArrayRef(perRow) : ArrayRef<int64_t>());
  FailureOr<IntegerOperand> rhs = makeOperand(context, 1, 3, {});
  if (failed(lhs) || failed(rhs))
    return failure();
  return multiplyExactly(
      context, *lhs, *rhs, count, [&](Value left, Value right) {
        return FailureOr<Value>(
            context.apply("MatMul", {left, right},
                          {context.flagAttr("transpose_a", false),
                           context.flagAttr("transpose_b", false)}));
      });
}

NodeResults openvino_forms::convertConvInteger(FormContext &context) {
  FailureOr<int64_t> rank = context.requireRank(1);
  if (failed(rank))
    return failure();
  int64_t count = 1;
  for (int64_t size :
       context.getRanked(1).getShape().drop_front(std::min<int64_t>(*rank, 1)))
    if (ShapedType::isDynamic(size) || llvm::MulOverflow(count, size, count))
      return context.unsupported("the size of the reduction axis is not known");
  // A zero point for each output channel.
  SmallVector<int64_t> perChannel(*rank, 1);
  if (*rank)
    perChannel[0] = -1;
  FailureOr<IntegerOperand> input = makeOperand(context, 0, 2, {});
  FailureOr<IntegerOperand> filters = makeOperand(context, 1, 3, perChannel);
  if (failed(input) || failed(filters))
    return failure();
  // ONNX pads with the zero point, which is 0 after the subtraction.
  return multiplyExactly(context, *input, *filters, count,
                         [&](Value left, Value right) -> FailureOr<Value> {
                           context.inputs = {left, right};
                           NodeResults result = convertConv(context);
                           if (failed(result))
                             return failure();
                           return result->front();
                         });
}
