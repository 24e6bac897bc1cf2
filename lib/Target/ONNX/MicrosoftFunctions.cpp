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
        .Const1D("Single", int64_t(1))
        .Add("First = Cast <to = 7> (position_ids)")
        .Add("Start = Reshape (First, Single)")
        .Add("Steps = Range (Zero, S, One)")
        .Add("Positions = Add (Start, Steps)")
        .Add("BS = Concat <axis = 0> (B1, S1)")
        .Add("Ids = Expand (Positions, BS)");
  else
    d.body.Add("Ids = Cast <to = 7> (position_ids)");
  d.body.Add("output = RotaryEmbedding (input, cos_cache, sin_cache, Ids)",
             "interleaved", d.getInt("interleaved", 0), "num_heads", heads,
             "rotary_embedding_dim", rotated);
}

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

/// What ONNX's Attention is asked for: `Q`, `K` and `V` of the body have four
/// dimensions (batch, heads, length, width), as the past has.
namespace {
struct Heads {
  Definition &d;
  int64_t count = d.getInt("num_heads", 0);

  Heads(Definition &d) : d(d) {
    if (count < 1)
      throw std::invalid_argument(
          "attribute 'num_heads': expected 1 or more, but got " +
          std::to_string(count));
    d.body.Const("HeadsShape", std::vector<int64_t>{0, 0, count, -1});
  }

  Definition &add(const std::string &text) {
    d.body.Add(text.c_str());
    return d;
  }

  /// (batch, length, heads * width)
  void split(const std::string &from, const std::string &to) {
    add(to + "S = Reshape (" + from + ", HeadsShape)");
    turn(to + "S", to);
  }
  /// (batch, length, heads, width)
  void turn(const std::string &from, const std::string &to) {
    add(to + " = Transpose <perm = [0, 2, 1, 3]> (" + from + ")");
  }
  /// Parts along the last axis but one.
  void unpack(const std::string &from, const std::vector<std::string> &to) {
    std::string parts, comma;
    for (const std::string &name : to) {
      parts += comma + name + "P";
      comma = ", ";
    }
    d.body.Const1D("Packed" + to[0], int64_t(3));
    d.body.Add((parts + " = Split (" + from + ")").c_str(), "axis", int64_t(3),
               "num_outputs", int64_t(to.size()));
    for (const std::string &name : to) {
      add(name + "U = Squeeze (" + name + "P, Packed" + to[0] + ")");
      turn(name + "U", name);
    }
  }
};
} // namespace

/// Makes `Mask`, what is added to the scores, of what says which keys count and
/// of what is added in any case; false where there is neither.
static bool defineMask(Definition &d, const char *padding, int paddingIndex,
                       const char *bias, int biasIndex, const char *past) {
  bool hasPadding = d.hasInput(paddingIndex), hasBias = d.hasInput(biasIndex);
  auto add = [&](const std::string &text) { d.body.Add(text.c_str()); };
  if (hasPadding) {
    int rank = d.getRank(paddingIndex);
    std::string keep = padding;
    if (rank == 1) {
      // The number of keys of each sequence.
      if (d.getSize(paddingIndex, 0) != d.getSize(0, 0))
        throw std::invalid_argument(
            "input " + std::to_string(paddingIndex) +
            ": expected one length for each sequence of the batch");
      d.body.Const("Zero", int64_t(0)).Const("One", int64_t(1));
      add("Length1 = Shape <start = 2, end = 3> (K)");
      add("Length = Squeeze (Length1)");
      if (past) {
        add("Past1 = Shape <start = 2, end = 3> (" + std::string(past) + ")");
        add("PastLength = Squeeze (Past1)");
        add("AllLength = Add (Length, PastLength)");
      } else {
        add("AllLength = Identity (Length)");
      }
      add("Steps = Range (Zero, AllLength, One)");
      d.body.Const1D("LastAxis", int64_t(1));
      add("Counts = Cast <to = 7> (" + keep + ")");
      add("CountColumn = Unsqueeze (Counts, LastAxis)");
      add("Inside = Less (Steps, CountColumn)");
      keep = "Inside";
      rank = 2;
    } else if (rank != 2 && rank != 3) {
      throw std::invalid_argument("input " + std::to_string(paddingIndex) +
                                  ": expected 1 to 3 dimensions, but got " +
                                  std::to_string(rank));
    }
    d.body
        .Const("PaddingAxes",
               rank == 2 ? std::vector<int64_t>{1, 2} : std::vector<int64_t>{1})
        .Const("Open", 0.0F)
        .Const("Filter", d.getFloat("mask_filter_value", -10000.0F));
    add("Kept = Cast <to = 9> (" + keep + ")");
    add("KeptKeys = Unsqueeze (Kept, PaddingAxes)");
    add("OpenT = CastLike (Open, Q)");
    add("FilterT = CastLike (Filter, Q)");
    add("Padding = Where (KeptKeys, OpenT, FilterT)");
  }
  if (hasPadding && hasBias)
    add("Mask = Add (Padding, " + std::string(bias) + ")");
  else if (hasPadding)
    add("Mask = Identity (Padding)");
  else if (hasBias)
    add("Mask = Identity (" + std::string(bias) + ")");
  return hasPadding || hasBias;
}

/// Of `Q`, `K`, `V`: `output`, and what the past becomes.
static void defineAttend(Definition &d, bool hasMask, const std::string &past,
                         const std::string &present) {
  std::string text = "Y" + present + " = Attention (Q, K, V";
  text += hasMask ? ", Mask" : past.empty() ? "" : ", ";
  text += past + ")";
  if (d.find("scale") && d.getFloat("scale", 0) != 0)
    d.body.Add(text.c_str(), "is_causal", d.getInt("unidirectional", 0),
               "scale", d.getFloat("scale", 0));
  else
    d.body.Add(text.c_str(), "is_causal", d.getInt("unidirectional", 0));
  d.body.Const("Joined", std::vector<int64_t>{0, 0, -1})
      .Add("YT = Transpose <perm = [0, 2, 1, 3]> (Y)")
      .Add("output = Reshape (YT, Joined)");
}

static void defineMultiHeadAttention(Definition &d) {
  Heads heads(d);
  bool isPacked = !d.hasInput(1);
  int queryRank = d.getRank(0);
  if (queryRank != (isPacked ? 5 : 3))
    throw std::invalid_argument(
        "input 0: expected " + std::string(isPacked ? "5" : "3") +
        " dimensions, but got " + std::to_string(queryRank));
  if (isPacked) {
    if (d.hasInput(3))
      throw std::invalid_argument("no bias of packed inputs is defined");
    heads.unpack("query", {"Q", "K", "V"});
  } else {
    int64_t begin = 0;
    int keyRank = d.getRank(1);
    bool hasBias = d.hasInput(3);
    if (hasBias && (keyRank != 3 || !d.hasInput(2)))
      throw std::invalid_argument("no bias of packed inputs is defined");
    std::string query = "query", key = "key", value = "value";
    if (hasBias) {
      const std::string names[] = {"query", "key", "value"};
      for (int i = 0; i < 3; ++i) {
        int64_t size = d.getSize(i, 2);
        d.body.Const1D(names[i] + "Begin", begin)
            .Const1D(names[i] + "End", begin + size);
        heads.add(names[i] + "Bias = Slice (bias, " + names[i] + "Begin, " +
                  names[i] + "End)");
        heads.add(names[i] + "Biased = Add (" + names[i] + ", " + names[i] +
                  "Bias)");
        begin += size;
      }
      query = "queryBiased", key = "keyBiased", value = "valueBiased";
    }
    heads.split(query, "Q");
    if (keyRank == 5) {
      heads.unpack("key", {"K", "V"});
    } else if (keyRank == 4) {
      heads.add("K = Identity (key)");
      heads.add("V = Identity (value)");
    } else {
      heads.split(key, "K");
      heads.split(value, "V");
    }
  }
  bool hasPast = d.hasInput(6) && d.hasInput(7);
  bool hasMask = defineMask(d, "key_padding_mask", 4, "attention_bias", 5,
                            hasPast ? "past_key" : nullptr);
  bool hasPresent = d.wantsOutput(1) || d.wantsOutput(2);
  defineAttend(d, hasMask, hasPast ? ", past_key, past_value" : "",
               hasPresent ? ", present_key, present_value" : "");
}

/// With the projection, the keys and values of the past in one tensor.
static void defineAttention(Definition &d) {
  Heads heads(d);
  for (const char *name : {"do_rotary", "past_present_share_buffer"})
    d.expectInt(name, 0);
  heads.add("Products = MatMul (input, weights)");
  heads.add(d.hasInput(2) ? "Projected = Add (Products, bias)"
                          : "Projected = Identity (Products)");
  if (const auto *sizes = d.find("qkv_hidden_sizes")) {
    d.body
        .Const("Sizes",
               std::vector<int64_t>(sizes->ints().begin(), sizes->ints().end()))
        .Add("QF, KF, VF = Split <axis = 2> (Projected, Sizes)");
  } else {
    heads.add("QF, KF, VF = Split <axis = 2, num_outputs = 3> (Projected)");
  }
  for (const char *name : {"Q", "K", "V"})
    heads.split(std::string(name) + "F", name);
  bool hasPast = d.hasInput(4), hasPresent = d.wantsOutput(1);
  if (hasPast) {
    d.body.Const("First", int64_t(0)).Const("Second", int64_t(1));
    heads.add("past_key = Gather <axis = 0> (past, First)");
    heads.add("past_value = Gather <axis = 0> (past, Second)");
  }
  bool hasMask = defineMask(d, "mask_index", 3, "attention_bias", 5,
                            hasPast ? "past_key" : nullptr);
  defineAttend(d, hasMask, hasPast ? ", past_key, past_value" : "",
               hasPresent ? ", present_key, present_value" : "");
  if (hasPresent) {
    d.body.Const1D("Front", int64_t(0));
    heads.add("PK = Unsqueeze (present_key, Front)");
    heads.add("PV = Unsqueeze (present_value, Front)");
    heads.add("present = Concat <axis = 0> (PK, PV)");
  }
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

static const Row *findRow(const std::string &opType) {
  static const std::map<std::string, Row> table = {
      {"Attention",
       {{"input", "weights", "bias", "mask_index", "past", "attention_bias"},
        {"output", "present"},
        {"do_rotary", "mask_filter_value", "num_heads",
         "past_present_share_buffer", "qkv_hidden_sizes", "scale",
         "unidirectional"},
        defineAttention}},
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
      {"MultiHeadAttention",
       {{"query", "key", "value", "bias", "key_padding_mask", "attention_bias",
         "past_key", "past_value"},
        {"output", "present_key", "present_value"},
        {"mask_filter_value", "num_heads", "scale", "unidirectional"},
        defineMultiHeadAttention}},
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
