//===- RecurrentActivations.cpp - Activations of RNN, GRU and LSTM --------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RecurrentActivations.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::onnx_nodes;

using BuilderT = ImplicitLocOpBuilder;

static Value tanh(BuilderT &b, Value x) { return math::TanhOp::create(b, x); }
static Value sigmoid(BuilderT &b, Value x) {
  Value one = number(b, x, 1);
  Value power = math::ExpOp::create(b, arith::NegFOp::create(b, x));
  return arith::DivFOp::create(b, one, add(b, one, power));
}
/// Returns `y` if x is above `limit`, or else `z`.
static Value above(BuilderT &b, Value x, Value limit, Value y, Value z) {
  Value isAbove = arith::CmpFOp::create(b, arith::CmpFPredicate::OGT, x, limit);
  return arith::SelectOp::create(b, isAbove, y, z);
}
static const Activation *findActivation(StringRef name) {
  static const Activation table[] = {
      {"Sigmoid", 0, 0, 0,
       [](BuilderT &b, Value x, Value, Value) { return sigmoid(b, x); }},
      {"Tanh", 0, 0, 0,
       [](BuilderT &b, Value x, Value, Value) { return tanh(b, x); }},
      {"Relu", 0, 0, 0,
       [](BuilderT &b, Value x, Value, Value) -> Value {
         return arith::MaximumFOp::create(b, x, number(b, x, 0));
       }},
      {"Affine", 2, 1, 0,
       [](BuilderT &b, Value x, Value alpha, Value beta) {
         return add(b, mul(b, alpha, x), beta);
       }},
      {"LeakyRelu", 1, 0.01, 0,
       [](BuilderT &b, Value x, Value alpha, Value) {
         return above(b, number(b, x, 0), x, mul(b, alpha, x), x);
       }},
      {"ThresholdedRelu", 1, 1, 0,
       [](BuilderT &b, Value x, Value alpha, Value) {
         return above(b, x, alpha, x, number(b, x, 0));
       }},
      {"ScaledTanh", 2, 1, 1,
       [](BuilderT &b, Value x, Value alpha, Value beta) {
         return mul(b, alpha, tanh(b, mul(b, beta, x)));
       }},
      {"HardSigmoid", 2, 0.2, 0.5,
       [](BuilderT &b, Value x, Value alpha, Value beta) {
         return clamp(b, add(b, mul(b, alpha, x), beta), number(b, x, 0),
                      number(b, x, 1));
       }},
      {"Elu", 1, 1, 0,
       [](BuilderT &b, Value x, Value alpha, Value) {
         Value zero = number(b, x, 0);
         Value power = add(b, math::ExpOp::create(b, x), number(b, x, -1));
         return above(b, zero, x, mul(b, alpha, power), x);
       }},
      {"Softsign", 0, 0, 0,
       [](BuilderT &b, Value x, Value, Value) -> Value {
         Value size = math::AbsFOp::create(b, x);
         return arith::DivFOp::create(b, x, add(b, number(b, x, 1), size));
       }},
      {"Softplus", 0, 0, 0,
       [](BuilderT &b, Value x, Value, Value) {
         Value size = math::AbsFOp::create(b, x);
         Value power = math::ExpOp::create(b, arith::NegFOp::create(b, size));
         Value log = math::LogOp::create(b, add(b, number(b, x, 1), power));
         return add(b, arith::MaximumFOp::create(b, x, number(b, x, 0)), log);
       }},
  };
  const Activation *found = llvm::find_if(table, [&](const Activation &row) {
    return name.equals_insensitive(row.name);
  });
  return found == std::end(table) ? nullptr : found;
}

FailureOr<SmallVector<Activation>>
onnx_nodes::getActivations(NodeContext &context, ArrayRef<StringRef> defaults,
                           size_t directions) {
  SmallVector<StringRef> names;
  if (context.has("activations")) {
    auto attribute = dyn_cast<ArrayAttr>(context.getAttribute("activations"));
    if (!attribute || !llvm::all_of(attribute, llvm::IsaPred<StringAttr>))
      return context.unsupported(
          "attribute 'activations' must be a list of strings");
    for (Attribute name : attribute)
      names.push_back(cast<StringAttr>(name).getValue());
  } else {
    for (size_t i = 0; i < directions; ++i)
      llvm::append_range(names, defaults);
  }
  size_t expected = directions * defaults.size();
  // The default in the schema of RNN has two activations, even for one
  // direction, which uses the first one. Models may have it as an explicit
  // list. Any other list must have the exact length.
  constexpr StringRef kSchemaDefault[] = {"Tanh", "Tanh"};
  if (context.kind == NodeKind::RNN &&
      ArrayRef(names) == ArrayRef(kSchemaDefault))
    names.truncate(expected);
  if (names.size() != expected)
    return context.unsupported("expected " + Twine(expected) +
                               " activations, but got " + Twine(names.size()));
  SmallVector<float> alphas = context.getFloats("activation_alpha");
  SmallVector<float> betas = context.getFloats("activation_beta");
  size_t nextAlpha = 0, nextBeta = 0;
  SmallVector<Activation> activations;
  for (StringRef name : names) {
    const Activation *found = findActivation(name);
    if (!found)
      return context.unsupported("there is no activation '" + name + "'");
    activations.push_back(*found);
    if (found->numbers > 0 && nextAlpha < alphas.size())
      activations.back().alpha = alphas[nextAlpha++];
    if (found->numbers > 1 && nextBeta < betas.size())
      activations.back().beta = betas[nextBeta++];
  }
  return activations;
}
