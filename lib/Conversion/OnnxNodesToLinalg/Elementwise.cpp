//===- Elementwise.cpp - Ops on one element at a time ---------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Elementwise.h"
#include "Building.h"
#include "Conversions.h"
#include "ElementFunctions.h"
#include "mlir/IR/Matchers.h"
#include "quant-float/IR/ElementTypes.h"
#include "llvm/ADT/StringMap.h"
#include <limits>

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::onnx_nodes;
using namespace mlir::quant_float::onnx_nodes::kinds;

namespace {
enum class Result { Same, Boolean };

/// A row of Elementwise.def.
struct ElementwiseRow {
  unsigned kinds;
  Result result;
  ElementFn function;
};

/// The first opset whose ops broadcast as numpy does.
constexpr int64_t kFirstNumpyOpset = 7;
} // namespace

static const ElementwiseRow *findRow(StringRef opType) {
  using namespace functions;
  static const llvm::StringMap<ElementwiseRow> table = [] {
    llvm::StringMap<ElementwiseRow> result;
#define QUANT_FLOAT_ELEMENTWISE(OpType, Kinds, ResultKind, Function)           \
  result[#OpType] = {Kinds, Result::ResultKind, Function};
#include "Elementwise.def"
    return result;
  }();
  auto found = table.find(opType);
  return found == table.end() ? nullptr : &found->second;
}

/// Before opset 7 the second input's axes begin at `axis` of the first one's,
/// or end with them: gives it the axes of size 1 that numpy wants behind.
static LogicalResult alignSecond(NodeContext &context) {
  bool isPRelu = context.node.getOpType() == "PRelu";
  if (context.opset >= kFirstNumpyOpset || context.inputs.size() != 2 ||
      (!context.has("axis") && !isPRelu))
    return success();
  int64_t rank = context.type(0).getRank();
  int64_t secondRank = context.type(1).getRank();
  // One slope for each channel.
  int64_t axis = context.getInt("axis", 1);
  if (isPRelu &&
      (secondRank != 1 || context.type(1).getDimSize(0) == 1 || rank < 2))
    return success();
  if (axis < 0)
    axis += rank;
  if (axis < 0 || axis + secondRank > rank)
    return context.unsupported("axis must leave room for the " +
                               Twine(secondRank) + " axes of input 1 in " +
                               Twine(rank) + ", but got " + Twine(axis));
  SmallVector<OpFoldResult> sizes = context.getSizes(context.inputs[1]);
  SmallVector<OpFoldResult> padded = sizes;
  padded.append(rank - axis - secondRank, context.b.getIndexAttr(1));
  context.inputs[1] = context.reshape(context.inputs[1], padded);
  return success();
}

NodeResults onnx_nodes::convertElementwise(NodeContext &context) {
  const ElementwiseRow *row = findRow(context.node.getOpType());
  if (!row)
    return context.unsupported("it is in no table of elementwise ops");
  if (failed(context.requireSameType()) ||
      failed(context.requireKind(0, row->kinds)) ||
      failed(alignSecond(context)))
    return failure();
  Type elementType = context.elementType(0);
  bool isBoolean = row->result == Result::Boolean;
  Type resultType = isBoolean ? context.b.getI1Type() : elementType;
  return buildBroadcast(
      context, context.inputs, resultType,
      [&](ImplicitLocOpBuilder &b, ValueRange args) {
        ElementContext e{b, context, elementType, getComputeType(elementType)};
        SmallVector<Value> operands = llvm::map_to_vector(
            args, [&](Value arg) { return toCompute(b, arg); });
        return fromCompute(b, row->function(e, operands), resultType);
      });
}

//===----------------------------------------------------------------------===//
// Clip
//===----------------------------------------------------------------------===//

/// min(max(x, low), high), in this order: high wins over a greater low.
/// `getBound` makes low or high, with the elements of all inputs; null where
/// there is none.
static NodeResults buildClip(
    NodeContext &context,
    llvm::function_ref<Value(ElementContext &, ValueRange, bool)> getBound) {
  if (failed(context.requireSameType()))
    return failure();
  Type elementType = context.elementType(0);
  SmallVector<Value> inputs;
  for (Value input : context.inputs)
    if (input)
      inputs.push_back(input);
  return buildBroadcast(context, inputs, elementType,
                        [&](ImplicitLocOpBuilder &b, ValueRange args) {
                          ElementContext e{b, context, elementType,
                                           getComputeType(elementType)};
                          Value x = toCompute(b, args[0]);
                          if (Value low = getBound(e, args, /*isHigh=*/false))
                            x = functions::maximum(e, x, low);
                          if (Value high = getBound(e, args, /*isHigh=*/true))
                            x = functions::minimum(e, x, high);
                          return fromCompute(b, x, elementType);
                        });
}

NodeResults onnx_nodes::convertOpenClip(NodeContext &context) {
  return buildClip(
      context, [&](ElementContext &e, ValueRange, bool isHigh) -> Value {
        StringRef name = isHigh ? "max" : "min";
        return context.has(name) ? e.number(context.getFloat(name, 0))
                                 : Value();
      });
}

/// Without bounds infinities are clipped.
NodeResults onnx_nodes::convertFixedClip(NodeContext &context) {
  return buildClip(context, [&](ElementContext &e, ValueRange, bool isHigh) {
    float highest = std::numeric_limits<float>::max();
    return e.number(isHigh ? context.getFloat("max", highest)
                           : context.getFloat("min", -highest));
  });
}

NodeResults onnx_nodes::convertClip(NodeContext &context) {
  return buildClip(
      context, [&](ElementContext &e, ValueRange args, bool isHigh) -> Value {
        if (!context.input(isHigh ? 2 : 1))
          return Value();
        // The bounds are the arguments behind x, an absent one left out.
        return toCompute(e.b, isHigh ? args.back() : args[1]);
      });
}

//===----------------------------------------------------------------------===//
// Pow
//===----------------------------------------------------------------------===//

/// base^exponent in the base's integers, which wrap; by squaring.
static Value powInteger(ImplicitLocOpBuilder &b, Value base, Value exponent,
                        bool isSigned) {
  Type type = base.getType(), exponentType = exponent.getType();
  Value one = makeNumber(b, type, 1), zero = makeNumber(b, type, 0);
  Value exponentZero = makeNumber(b, exponentType, 0);
  auto isOdd = [&](Value value) {
    Value bit =
        b.createOrFold<arith::AndIOp>(value, makeNumber(b, exponentType, 1));
    return b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::ne, bit,
                                         exponentZero);
  };
  Value result = one, square = base;
  for (unsigned i = 0, n = exponentType.getIntOrFloatBitWidth(); i < n; ++i) {
    Value shifted = b.createOrFold<arith::ShRUIOp>(
        exponent, makeNumber(b, exponentType, i));
    Value product = b.createOrFold<arith::MulIOp>(result, square);
    result = b.createOrFold<arith::SelectOp>(isOdd(shifted), product, result);
    square = b.createOrFold<arith::MulIOp>(square, square);
  }
  if (!isSigned)
    return result;
  // 1 / base^n, toward zero: of ones only the sign is left.
  Value minusOne = makeNumber(b, type, -1);
  auto equals = [&](Value value) {
    return b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::eq, base, value);
  };
  Value sign = b.createOrFold<arith::SelectOp>(isOdd(exponent), minusOne, one);
  Value inverse = b.createOrFold<arith::SelectOp>(
      equals(one), one,
      b.createOrFold<arith::SelectOp>(equals(minusOne), sign, zero));
  Value isNegative = b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::slt,
                                                   exponent, exponentZero);
  return b.createOrFold<arith::SelectOp>(isNegative, inverse, result);
}

/// Whether the tensor is one number throughout, and which.
static std::optional<double> getSplat(Value tensor) {
  DenseElementsAttr elements;
  if (!matchPattern(tensor, m_Constant(&elements)) || !elements.isSplat())
    return std::nullopt;
  if (isa<FloatType>(elements.getElementType()))
    return elements.getSplatValue<APFloat>().convertToDouble();
  if (elements.getElementType().isUnsignedInteger())
    return elements.getSplatValue<APInt>().roundToDouble(/*isSigned=*/false);
  return elements.getSplatValue<APInt>().roundToDouble(/*isSigned=*/true);
}

/// The result has the base's type. Two types meet in f64, as in numpy, and the
/// power of integers is one of integers.
NodeResults onnx_nodes::convertPow(NodeContext &context) {
  if (failed(context.requireKind(0, Float | Integer)) ||
      failed(context.requireKind(1, Float | Integer)) ||
      failed(alignSecond(context)))
    return failure();
  Type elementType = context.elementType(0);
  Type exponentType = context.elementType(1);
  Type type = getComputeType(elementType);
  bool isSquare = getSplat(context.inputs[1]) == 2.0;
  bool isInteger =
      isa<IntegerType>(elementType) && isa<IntegerType>(exponentType);
  return buildBroadcast(
      context, context.inputs, elementType,
      [&](ImplicitLocOpBuilder &b, ValueRange args) -> Value {
        Value base = toCompute(b, args[0]), exponent = toCompute(b, args[1]);
        if (isSquare && !isInteger && isa<FloatType>(type))
          return fromCompute(b, b.createOrFold<arith::MulFOp>(base, base),
                             elementType);
        if (isInteger)
          return fromCompute(
              b,
              powInteger(b, base, exponent, !exponentType.isUnsignedInteger()),
              elementType);
        if (elementType == exponentType)
          return fromCompute(b, b.createOrFold<math::PowFOp>(base, exponent),
                             elementType);
        Value power = b.createOrFold<math::PowFOp>(
            b.createOrFold<CastOp>(args[0], b.getF64Type()),
            b.createOrFold<CastOp>(args[1], b.getF64Type()));
        return b.createOrFold<CastOp>(power, elementType);
      });
}

//===----------------------------------------------------------------------===//
// Where
//===----------------------------------------------------------------------===//

/// Elements are not looked at: they are chosen as they are stored.
NodeResults onnx_nodes::convertWhere(NodeContext &context) {
  if (failed(context.requireKind(0, Bool)) ||
      failed(context.requireSameType(1)))
    return failure();
  Type elementType = context.elementType(1);
  Type storageType = getStorageElementType(elementType);
  return buildBroadcast(
      context, context.inputs, elementType,
      [&](ImplicitLocOpBuilder &b, ValueRange args) {
        Value chosen = b.createOrFold<arith::SelectOp>(
            args[0], b.createOrFold<StorageCastOp>(storageType, args[1]),
            b.createOrFold<StorageCastOp>(storageType, args[2]));
        return b.createOrFold<StorageCastOp>(elementType, chosen);
      });
}

//===----------------------------------------------------------------------===//
// Mod, BitShift
//===----------------------------------------------------------------------===//

/// Floats have no modulo of the other kind before version 28.
NodeResults onnx_nodes::convertMod(NodeContext &context) {
  constexpr int64_t kFirstWithBoth = 28;
  if (isa<FloatType>(context.elementType(0)) &&
      !context.getFlag("fmod", false) && context.opset < kFirstWithBoth)
    return context.unsupported("fmod must be 1 for floats");
  return convertElementwise(context);
}

NodeResults onnx_nodes::convertBitShift(NodeContext &context) {
  StringRef direction = context.getString("direction", "");
  if (direction != "LEFT" && direction != "RIGHT")
    return context.unsupported("direction must be LEFT or RIGHT, but got '" +
                               direction + "'");
  return convertElementwise(context);
}
