//===- MicrosoftFunctions.cpp - Operators of ONNX Runtime -----------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// By ONNX Runtime's documentation of its contributed operators,
// ContribOperators.md.
//
//===----------------------------------------------------------------------===//

#include "MicrosoftFunctions.h"
#include <algorithm>
#include <map>
#include <onnx/defs/function.h>
#include <stdexcept>

using namespace mlir::quant_float;

namespace {
/// The first opset with all operators that bodies are made of.
constexpr int kBodyOpset = 23;

/// A node, and the body that is made of it.
struct Definition {
  const ::onnx::NodeProto &node;
  const std::vector<::onnx::TypeProto> &types;
  ::onnx::FunctionBuilder &body;

  bool hasInput(int index) const {
    return index < node.input_size() && !node.input(index).empty();
  }
  bool wantsOutput(int index) const {
    return index < node.output_size() && !node.output(index).empty();
  }
  const ::onnx::AttributeProto *find(const std::string &name) const {
    auto found = std::find_if(node.attribute().begin(), node.attribute().end(),
                              [&](const auto &a) { return a.name() == name; });
    return found == node.attribute().end() ? nullptr : &*found;
  }
  int64_t getInt(const std::string &name, int64_t defaultValue) const {
    const auto *attribute = find(name);
    return attribute ? attribute->i() : defaultValue;
  }
  float getFloat(const std::string &name, float defaultValue) const {
    const auto *attribute = find(name);
    return attribute ? attribute->f() : defaultValue;
  }
  /// The number of dimensions, which has to be known.
  int getRank(int index) const {
    const auto &type = types.at(index);
    if (!type.has_tensor_type() || !type.tensor_type().has_shape())
      throw std::invalid_argument("the rank of input " + std::to_string(index) +
                                  " is not known");
    return type.tensor_type().shape().dim_size();
  }
  /// A size that is known.
  int64_t getSize(int index, int axis) const {
    if (axis >= getRank(index) ||
        !types[index].tensor_type().shape().dim(axis).has_dim_value())
      throw std::invalid_argument("the size of axis " + std::to_string(axis) +
                                  " of input " + std::to_string(index) +
                                  " is not known");
    return types[index].tensor_type().shape().dim(axis).dim_value();
  }
  void refuseOutput(int index) const {
    if (wantsOutput(index))
      throw std::invalid_argument("output " + std::to_string(index) +
                                  " is not computed");
  }
  void expectInt(const std::string &name, int64_t only) const {
    if (getInt(name, only) != only)
      throw std::invalid_argument("attribute '" + name + "': expected " +
                                  std::to_string(only) + ", but got " +
                                  std::to_string(getInt(name, only)));
  }
};

struct Row {
  std::vector<std::string> inputs, outputs, attributes;
  void (*define)(Definition &);
};
} // namespace

//===----------------------------------------------------------------------===//
// Activations
//===----------------------------------------------------------------------===//

static void defineBiasGelu(Definition &d) {
  d.body.Add("S = Add (A, B)").Add("C = Gelu (S)");
}

static void defineGelu(Definition &d) { d.body.Add("Y = Gelu (X)"); }

static void defineFastGelu(Definition &d) {
  d.body.Add(d.hasInput(1) ? "S = Add (X, bias)" : "S = Identity (X)")
      .Add("Y = Gelu <approximate = \"tanh\"> (S)");
}

static void defineQuickGelu(Definition &d) {
  d.body.Const("A", d.getFloat("alpha", 1.702F))
      .Add("AT = CastLike (A, X)")
      .Add("M = Mul (AT, X)")
      .Add("S = Sigmoid (M)")
      .Add("Y = Mul (X, S)");
}

//===----------------------------------------------------------------------===//
// Normalizations
//===----------------------------------------------------------------------===//

/// The same as ONNX's, in versions before it has it.
static void defineLayerNormalization(Definition &d) {
  std::string text = d.wantsOutput(1) || d.wantsOutput(2)
                         ? "Y, Mean, InvStdDev = LayerNormalization (X, Scale"
                         : "Y = LayerNormalization (X, Scale";
  text += d.hasInput(2) ? ", B)" : ")";
  d.body.Add(text.c_str(), "axis", d.getInt("axis", -1), "epsilon",
             d.getFloat("epsilon", 1e-5F), "stash_type",
             d.getInt("stash_type", 1));
}

static void defineSimplified(Definition &d) {
  d.refuseOutput(1);
  d.body.Add("Y = RMSNormalization (X, scale)", "axis", d.getInt("axis", -1),
             "epsilon", d.getFloat("epsilon", 1e-5F), "stash_type",
             d.getInt("stash_type", 1));
}

/// What is normalized: the sum of both and of a bias.
static void defineSkipSum(Definition &d, int bias) {
  d.refuseOutput(1);
  d.refuseOutput(2);
  d.body.Add("T = Add (input, skip)");
  d.body.Add(d.hasInput(bias) ? "input_skip_bias_sum = Add (T, bias)"
                              : "input_skip_bias_sum = Identity (T)");
}

static void defineSkipLayerNormalization(Definition &d) {
  defineSkipSum(d, 4);
  d.body.Add(
      d.hasInput(3)
          ? "output = LayerNormalization (input_skip_bias_sum, gamma, beta)"
          : "output = LayerNormalization (input_skip_bias_sum, gamma)",
      "axis", int64_t(-1), "epsilon", d.getFloat("epsilon", 1e-12F));
}

static void defineSkipSimplified(Definition &d) {
  defineSkipSum(d, 3);
  d.body.Add("output = RMSNormalization (input_skip_bias_sum, gamma)", "axis",
             int64_t(-1), "epsilon", d.getFloat("epsilon", 1e-12F));
}

//===----------------------------------------------------------------------===//
// Products and positions
//===----------------------------------------------------------------------===//

static void defineFusedMatMul(Definition &d) {
  d.expectInt("transBatchA", 0);
  d.expectInt("transBatchB", 0);
  auto addOperand = [&](int index, const std::string &name, bool isTransposed) {
    int rank = isTransposed ? d.getRank(index) : 0;
    // A vector stays as it is.
    if (rank < 2) {
      d.body.Add((name + "T = Identity (" + name + ")").c_str());
      return;
    }
    std::vector<int64_t> order(rank);
    for (int i = 0; i < rank; ++i)
      order[i] = i;
    std::swap(order[rank - 2], order[rank - 1]);
    d.body.Add((name + "T = Transpose (" + name + ")").c_str(), "perm", order);
  };
  addOperand(0, "A", d.getInt("transA", 0));
  addOperand(1, "B", d.getInt("transB", 0));
  d.body.Const("Alpha", d.getFloat("alpha", 1.0F))
      .Add("P = MatMul (AT, BT)")
      .Add("AlphaT = CastLike (Alpha, P)")
      .Add("Y = Mul (AlphaT, P)");
}

/// ONNX's has the positions last; one position is that of the first element of
/// each sequence.
static void defineRotaryEmbedding(Definition &d) {
  d.expectInt("is_packed_batching", 0);
  if (d.getFloat("scale", 1.0F) != 1.0F)
    throw std::invalid_argument("attribute 'scale': expected 1");
  int rank = d.getRank(0);
  if (rank != 3 && rank != 4)
    throw std::invalid_argument(
        "input 0: expected 3 or 4 dimensions, but got " + std::to_string(rank));
  int64_t rotated = d.getInt("rotary_embedding_dim", 0);
  int64_t heads = d.getInt("num_heads", 0);
  // Without either a head is as wide as what is turned.
  if (rank == 3 && heads == 0) {
    int64_t width = 2 * d.getSize(2, 1);
    int64_t all = d.getSize(0, 2);
    if (width == 0 || all % width != 0)
      throw std::invalid_argument("attribute 'num_heads' is missing");
    heads = all / width;
  }
  d.body.Add("B1 = Shape <start = 0, end = 1> (input)")
      .Add(rank == 3 ? "S1 = Shape <start = 1, end = 2> (input)"
                     : "S1 = Shape <start = 2, end = 3> (input)");
  if (d.getRank(1) == 1)
    d.body.Add("S = Squeeze (S1)")
        .Const("Zero", int64_t(0))
        .Const("One", int64_t(1))
        .Add("Steps = Range (Zero, S, One)")
        .Add("Positions = Add (position_ids, Steps)")
        .Add("BS = Concat <axis = 0> (B1, S1)")
        .Add("Ids = Expand (Positions, BS)");
  else
    d.body.Add("Ids = Identity (position_ids)");
  d.body.Add("output = RotaryEmbedding (input, cos_cache, sin_cache, Ids)",
             "interleaved", d.getInt("interleaved", 0), "num_heads", heads,
             "rotary_embedding_dim", rotated);
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

static const Row *findRow(const std::string &opType) {
  static const std::map<std::string, Row> table = {
      {"BiasGelu", {{"A", "B"}, {"C"}, {}, defineBiasGelu}},
      {"FastGelu", {{"X", "bias"}, {"Y"}, {}, defineFastGelu}},
      {"FusedMatMul",
       {{"A", "B"},
        {"Y"},
        {"alpha", "transA", "transB", "transBatchA", "transBatchB"},
        defineFusedMatMul}},
      {"Gelu", {{"X"}, {"Y"}, {}, defineGelu}},
      {"LayerNormalization",
       {{"X", "Scale", "B"},
        {"Y", "Mean", "InvStdDev"},
        {"axis", "epsilon", "stash_type"},
        defineLayerNormalization}},
      {"QuickGelu", {{"X"}, {"Y"}, {"alpha"}, defineQuickGelu}},
      {"RotaryEmbedding",
       {{"input", "position_ids", "cos_cache", "sin_cache"},
        {"output"},
        {"interleaved", "is_packed_batching", "num_heads",
         "rotary_embedding_dim", "scale"},
        defineRotaryEmbedding}},
      {"SimplifiedLayerNormalization",
       {{"X", "scale"},
        {"Y", "inv_std_var"},
        {"axis", "epsilon", "stash_type"},
        defineSimplified}},
      {"SkipLayerNormalization",
       {{"input", "skip", "gamma", "beta", "bias"},
        {"output", "mean", "inv_std_var", "input_skip_bias_sum"},
        {"epsilon"},
        defineSkipLayerNormalization}},
      {"SkipSimplifiedLayerNormalization",
       {{"input", "skip", "gamma", "bias"},
        {"output", "mean", "inv_std_var", "input_skip_bias_sum"},
        {"epsilon"},
        defineSkipSimplified}},
  };
  auto found = table.find(opType);
  return found == table.end() ? nullptr : &found->second;
}

bool onnx_import::hasMicrosoftFunction(const std::string &opType,
                                       const std::string &domain) {
  // ONNX has got these two later.
  bool isEarly = opType == "Gelu" || opType == "LayerNormalization";
  return (domain == "com.microsoft" || (domain.empty() && isEarly)) &&
         findRow(opType);
}

::onnx::FunctionProto onnx_import::buildMicrosoftFunction(
    const ::onnx::NodeProto &node,
    const std::vector<::onnx::TypeProto> &inputTypes) {
  const Row &row = *findRow(node.op_type());
  auto expectAtMost = [](const char *what, size_t most, int count) {
    if (count > static_cast<int>(most))
      throw std::invalid_argument("expected at most " + std::to_string(most) +
                                  " " + what + ", but got " +
                                  std::to_string(count));
  };
  expectAtMost("inputs", row.inputs.size(), node.input_size());
  expectAtMost("outputs", row.outputs.size(), node.output_size());
  for (const auto &attribute : node.attribute())
    if (std::find(row.attributes.begin(), row.attributes.end(),
                  attribute.name()) == row.attributes.end())
      throw std::invalid_argument("unknown attribute '" + attribute.name() +
                                  "'");
  ::onnx::FunctionProto function;
  function.set_name(node.op_type());
  for (const auto &attribute : node.attribute())
    function.add_attribute(attribute.name());
  for (int i = 0; i < node.input_size(); ++i)
    function.add_input(row.inputs[i]);
  for (int i = 0; i < node.output_size(); ++i)
    function.add_output(row.outputs[i]);
  ::onnx::FunctionBuilder body(function);
  body.AddOpset("", kBodyOpset);
  Definition definition{node, inputTypes, body};
  row.define(definition);
  return function;
}
