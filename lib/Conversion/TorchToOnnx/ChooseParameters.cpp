//===- ChooseParameters.cpp - Scales and zero points of tensors -----------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The ops of quantized_decomposed that compute scales and zero points from the
// values of a tensor or of its rows.
//
//===----------------------------------------------------------------------===//

#include "Conversions.h"
#include "QuantizationUtils.h"
#include "quant-float/Support/FloatFormat.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::torch_ops;

static NodeResults chooseParameters(OpImporter &op, bool isSymmetric) {
  FailureOr<Value> input = requireSingle(op, 0);
  FailureOr<QuantizedRange> range = requireRange(op, 1, 4);
  FailureOr<double> epsilon = requireDouble(op, 3);
  if (failed(input) || failed(range) || failed(epsilon))
    return failure();
  if (range->low >= range->high)
    return failOperand(op, 2, "more than one quantized value");
  TorchMath math(op);
  int64_t rank = op.getRanked(0).getRank();
  auto [low, high] =
      findRange(math, op.inputs[0], llvm::to_vector(llvm::seq(rank)),
                /*keepDims=*/false);
  Value min = math.reshape(
      math.makeNumber(op.b.getF32Type(), Number::fromFloat(*epsilon)), {1});
  double steps = static_cast<double>(range->high - range->low);
  if (isSymmetric) {
    Value extent = math.apply("Max", {math.sub(int64_t(0), low), high});
    Value scale = math.apply("Max", {math.div(extent, steps / 2), min});
    Type unsignedByte = op.b.getIntegerType(8, /*isSigned=*/false);
    Value results[] = {math.to(scale, op.b.getF64Type()),
                       op.makeInts(range->type == unsignedByte ? 128 : 0)};
    return ValueRange(results);
  }
  Value scale = math.apply("Max", {math.div(math.sub(high, low), steps), min});
  Value rounded = math.to(math.round(math.div(low, scale)), op.b.getI32Type());
  Value zeroPoint =
      math.clamp(math.sub(range->low, rounded), range->low, range->high);
  Value results[] = {math.to(scale, op.b.getF64Type()),
                     math.to(zeroPoint, op.b.getI64Type())};
  return ValueRange(results);
}

NodeResults torch_ops::convertChooseParameters(OpImporter &op) {
  return chooseParameters(op, /*isSymmetric=*/false);
}

NodeResults torch_ops::convertChooseParametersSymmetric(OpImporter &op) {
  return chooseParameters(op, /*isSymmetric=*/true);
}

/// Requires a tensor of floats with axes.
static FailureOr<Value> requireRows(OpImporter &op) {
  FailureOr<Value> input = requireRankedTensor(op, 0);
  if (failed(input))
    return failure();
  if (!isStandardFloat(op.elementType(0)) || op.getRanked(0).getRank() == 0)
    return failOperand(op, 0, "a tensor of floats with axes");
  return *input;
}

NodeResults torch_ops::convertChoosePerToken(OpImporter &op) {
  FailureOr<Value> input = requireRows(op);
  FailureOr<Type> type = requireDtype(op, 1);
  if (failed(input) || failed(type))
    return failure();
  if (!type->isSignlessInteger(8))
    return failOperand(op, 1, "the number of int8");
  TorchMath math(op);
  Type from = op.elementType(0);
  Value magnitude = math.apply("Abs", {*input});
  magnitude = math.to(magnitude, math.getComputeType(from));
  Value scale =
      math.to(math.reduce("ReduceMax", magnitude, op.getRanked(0).getRank() - 1,
                          /*keepDims=*/true),
              from);
  if (from.isF16())
    scale = math.to(scale, op.b.getF32Type());
  scale = math.div(math.clamp(scale, 1e-5, std::nullopt), int64_t(127));
  Value zeroPoint = math.mul(scale, int64_t(0));
  // Infinite and NaN scales have zero points of 0, too.
  zeroPoint = math.where(math.compare("Equal", zeroPoint, int64_t(0)),
                         zeroPoint, int64_t(0));
  // PyTorch declares f64 and i64, but returns the type of the scales, which the
  // arithmetic of the other ops depends on.
  Value computed[] = {scale, zeroPoint}, declared[2];
  bool isValid = true;
  for (size_t index : {0, 1}) {
    declared[index] = math.to(computed[index], op.resultElementType(index));
    isValid &= areCompatible(op.resultType(index), declared[index].getType());
  }
  // The caller reports invalid types, and erases the new ops.
  if (!isValid || !op.getProblem().empty())
    return ValueRange(declared);
  for (size_t index : {0, 1})
    op.op->getResult(index).replaceUsesWithIf(
        computed[index], [](OpOperand &use) {
          StringRef user = use.getOwner()->getName().getStringRef();
          return user == "torch.quantized_decomposed.quantize_per_token" ||
                 user == "torch.quantized_decomposed.dequantize_per_token";
        });
  return ValueRange(declared);
}

NodeResults torch_ops::convertChoosePerTokenAsymmetric(OpImporter &op) {
  FailureOr<Value> input = requireRows(op);
  if (failed(input))
    return failure();
  TorchMath math(op);
  constexpr int64_t kLow = -128, kHigh = 127;
  auto [low, high] = findRange(math, *input, op.getRanked(0).getRank() - 1,
                               /*keepDims=*/true);
  // The smallest scale is the precision of f32.
  constexpr double kEpsilon = 1.1920928955078125e-7;
  Value scale = math.clamp(math.div(math.sub(high, low), double(kHigh - kLow)),
                           kEpsilon, std::nullopt);
  Value lowest = math.div(low, scale), highest = math.div(high, scale);
  Value lowError = math.add(kLow, lowest), highError = math.add(kHigh, highest);
  Value isFromLow =
      math.compare("Greater", math.add(lowError, highError), int64_t(0));
  Value zeroPoint =
      math.where(isFromLow, math.sub(kLow, lowest), math.sub(kHigh, highest));
  zeroPoint = math.round(math.clamp(zeroPoint, kLow, kHigh));
  Value results[] = {math.to(scale, op.b.getF64Type()),
                     math.to(zeroPoint, op.b.getI64Type())};
  return ValueRange(results);
}
