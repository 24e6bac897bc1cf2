//===- MicrosoftFunctions.cpp - Operators of ONNX Runtime -----------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Defines contributed operators of ONNX Runtime as specified by
// ContribOperators.md.
//
//===----------------------------------------------------------------------===//

#include "AttentionFunctions.h"
#include <limits>

using namespace mlir::quant_float;
using namespace mlir::quant_float::onnx_import;

using ::onnx::TensorProto;

//===----------------------------------------------------------------------===//
// Activations
//===----------------------------------------------------------------------===//

static void defineBiasGelu(Definition &d) {
  d.body.Add("S = Add (A, B)").Add("C = Gelu (S)");
}

/// Multiplies the left half of the columns by Gelu of the right half.
static void defineBiasSplitGelu(Definition &d) {
  d.body.Add("S = Add (X, bias)")
      .Add("Left, Right = Split <axis = -1, num_outputs = 2> (S)")
      .Add("G = Gelu (Right)")
      .Add("Y = Mul (Left, G)");
}

static void defineBiasAdd(Definition &d) {
  d.body.Add("S = Add (X, bias)").Add("Y = Add (S, skip)");
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

/// Equals ONNX's operator. Used for opsets that lack it.
static void defineLayerNormalization(Definition &d) {
  std::string source = d.hasOutput(1) || d.hasOutput(2)
                           ? "Y, Mean, InvStdDev = LayerNormalization (X, Scale"
                           : "Y = LayerNormalization (X, Scale";
  source += d.hasInput(2) ? ", B)" : ")";
  d.body.Add(source.c_str(), "axis", d.getInt("axis", -1), "epsilon",
             d.getFloat("epsilon", 1e-5F), "stash_type",
             d.getInt("stash_type", 1));
}

static void defineSimplified(Definition &d) {
  d.refuseOutput(1);
  d.body.Add("Y = RMSNormalization (X, scale)", "axis", d.getInt("axis", -1),
             "epsilon", d.getFloat("epsilon", 1e-5F), "stash_type",
             d.getInt("stash_type", 1));
}

/// Adds `input_skip_bias_sum`, the tensor to normalize.
static void defineSkipAdd(Definition &d, int bias) {
  d.body.Add("T = Add (input, skip)");
  d.body.Add(d.hasInput(bias) ? "input_skip_bias_sum = Add (T, bias)"
                              : "input_skip_bias_sum = Identity (T)");
}

static void defineSkipLayerNormalization(Definition &d) {
  defineSkipAdd(d, 4);
  std::string source =
      d.hasOutput(1) || d.hasOutput(2) ? "output, mean, inv_std_var" : "output";
  source += " = LayerNormalization (input_skip_bias_sum, gamma";
  source += d.hasInput(3) ? ", beta)" : ")";
  d.body.Add(source.c_str(), "axis", int64_t(-1), "epsilon",
             d.getFloat("epsilon", 1e-12F));
}

static void defineSkipSimplified(Definition &d) {
  d.refuseOutput(1);
  d.refuseOutput(2);
  defineSkipAdd(d, 3);
  d.body.Add("output = RMSNormalization (input_skip_bias_sum, gamma)", "axis",
             int64_t(-1), "epsilon", d.getFloat("epsilon", 1e-12F));
}

/// Adds `to`, the rows of a table at `indices`. The table may be
/// quantized.
static void addRows(Definition &d, const std::string &table,
                    const std::string &indices, const std::string &to,
                    bool isQuantized) {
  std::string rows = isQuantized ? to + "Q" : to;
  std::string from =
      isQuantized && table != "segment_embedding" ? table + "_quant" : table;
  d.body.Add(
      (rows + " = Gather <axis = 0> (" + from + ", " + indices + ")").c_str());
  if (isQuantized)
    d.body.Add((to + " = DequantizeLinear (" + rows + ", " + table +
                "_scale, " + table + "_zero_point)")
                   .c_str());
}

/// Adds `output`, the layer normalization of the sum of up to three embeddings.
static void defineEmbeddings(Definition &d, bool isQuantized,
                             const std::string &positions,
                             const std::string &scale, const std::string &shift,
                             const std::string &output) {
  addRows(d, "word_embedding", "input_ids", "Words", isQuantized);
  addRows(d, "position_embedding", positions, "Positions", isQuantized);
  d.body.Add("Sum = Add (Words, Positions)");
  if (d.hasInput(1) != d.hasInput(4))
    throw std::invalid_argument("expected inputs 1 and 4 together");
  if (d.hasInput(1)) {
    addRows(d, "segment_embedding", "segment_ids", "Segments", isQuantized);
    d.body.Add("embedding_sum = Add (Sum, Segments)");
  } else {
    d.body.Add("embedding_sum = Identity (Sum)");
  }
  d.body.Add((output + " = LayerNormalization (embedding_sum, " + scale + ", " +
              shift + ")")
                 .c_str(),
             "axis", int64_t(-1), "epsilon", d.getFloat("epsilon", 1e-12F));
}

/// Adds `Steps`, the positions of the tokens of a sequence.
static void addSteps(Definition &d) {
  d.body.Add("Length1 = Shape <start = 1, end = 2> (input_ids)")
      .Add("Length = Squeeze (Length1)")
      .Const("Zero", int64_t(0))
      .Const("One", int64_t(1))
      .Add("Steps = Range (Zero, Length, One)");
}

/// Adds the number of unmasked tokens of each sequence; 0 without a mask.
static void addCounts(Definition &d, const char *output) {
  if (!d.hasOutput(1))
    return;
  d.body.Const("Mark", int32_t(1)).Const1D("LastAxis", int64_t(1));
  d.body
      .Add(d.hasInput(7) ? "Counted = Equal (mask, Mark)"
                         : "Counted = Less (input_ids, input_ids)")
      .Add("Counts = Cast <to = 6> (Counted)")
      .Add((std::string(output) +
            " = ReduceSum <keepdims = 0> (Counts, LastAxis)")
               .c_str());
}

static void defineEmbedLayerNormalization(Definition &d) {
  bool hasPositions = d.hasInput(8);
  if (!hasPositions)
    addSteps(d);
  defineEmbeddings(d, /*isQuantized=*/false,
                   hasPositions ? "position_ids" : "Steps", "gamma", "beta",
                   "output");
  addCounts(d, "mask_index");
}

/// The tables, the scale and the shift of the normalization are quantized.
static void defineQEmbedLayerNormalization(Definition &d) {
  for (int input : {10, 15})
    if (d.hasInput(1) != d.hasInput(input))
      throw std::invalid_argument("expected inputs 1 and " +
                                  std::to_string(input) + " together");
  addSteps(d);
  for (const char *name : {"gamma", "beta"})
    d.body.Add((std::string(name) + " = DequantizeLinear (" + name +
                "_quant, " + name + "_scale, " + name + "_zero_point)")
                   .c_str());
  defineEmbeddings(d, /*isQuantized=*/true, "Steps", "gamma", "beta",
                   "layernorm_out");
  addCounts(d, "mask_index_out");
}

/// Returns the permutations that move the last axis (channels) to position 1,
/// and back.
static std::pair<std::vector<int64_t>, std::vector<int64_t>>
getChannelOrders(int rank) {
  std::vector<int64_t> first = {0, rank - 1}, last = {0};
  for (int axis = 1; axis < rank; ++axis) {
    if (axis < rank - 1)
      first.push_back(axis);
    last.push_back(axis == rank - 1 ? 1 : axis + 1);
  }
  return {first, last};
}

/// Channels are last by default.
static void defineGroupNorm(Definition &d) {
  bool isLast = d.getInt("channels_last", 1) != 0;
  bool isActivated = d.getInt("activation", 0) != 0;
  int rank = d.getRank(0);
  if (rank < 3)
    throw std::invalid_argument(
        "input 0: expected 3 dimensions or more, but got " +
        std::to_string(rank));
  auto [order, back] = getChannelOrders(rank);
  if (isLast)
    d.body.Add("First = Transpose (X)", "perm", order);
  else
    d.body.Add("First = Identity (X)");
  d.body.Add("Scale = CastLike (gamma, X)")
      .Add("Shift = CastLike (beta, X)")
      .Add("Normal = GroupNormalization (First, Scale, Shift)", "num_groups",
           d.getInt("groups", 0), "epsilon", d.getFloat("epsilon", 1e-5F));
  d.body.Add(isActivated ? "Factor = Sigmoid (Normal)"
                         : "Active = Identity (Normal)");
  if (isActivated)
    d.body.Add("Active = Mul (Normal, Factor)");
  if (isLast)
    d.body.Add("Y = Transpose (Active)", "perm", back);
  else
    d.body.Add("Y = Identity (Active)");
}

/// An operator that ONNX removed: adds a bias per channel.
static void defineImageScaler(Definition &d) {
  const auto *bias = d.find("bias");
  if (!bias || bias->floats().empty())
    throw std::invalid_argument("attribute 'bias' is missing");
  d.body
      .Const("BiasF",
             std::vector<float>(bias->floats().begin(), bias->floats().end()))
      .Const("Channels", std::vector<int64_t>{1, -1, 1, 1})
      .Const("FactorF", d.getFloat("scale", 1.0F))
      .Add("Factor = CastLike (FactorF, X)")
      .Add("Scaled = Mul (X, Factor)")
      .Add("BiasX = CastLike (BiasF, X)")
      .Add("Bias = Reshape (BiasX, Channels)")
      .Add("Y = Add (Scaled, Bias)");
}

//===----------------------------------------------------------------------===//
// Matmuls, convolutions and pooling
//===----------------------------------------------------------------------===//

/// Adds `name`T, an operand of a matmul. With `transBatch`, the rows are the
/// first axis, before the batch axes.
static void addOperand(Definition &d, int index, const std::string &name) {
  bool isTransposed = d.getInt("trans" + name, 0) != 0;
  bool isBatchLast = d.getInt("transBatch" + name, 0) != 0;
  int rank = isTransposed || isBatchLast ? d.getRank(index) : 0;
  // A vector is unchanged.
  if (rank < 2) {
    d.body.Add((name + "T = Identity (" + name + ")").c_str());
    return;
  }
  std::vector<int64_t> order(rank);
  for (int i = 0; i < rank; ++i)
    order[i] = i;
  if (isBatchLast)
    std::rotate(order.begin(), order.begin() + 1, order.end() - 1);
  if (isTransposed)
    std::swap(order[rank - 2], order[rank - 1]);
  d.body.Add((name + "T = Transpose (" + name + ")").c_str(), "perm", order);
}

static void defineFusedMatMul(Definition &d) {
  addOperand(d, 0, "A");
  addOperand(d, 1, "B");
  d.body.Const("Alpha", d.getFloat("alpha", 1.0F))
      .Add("P = MatMul (AT, BT)")
      .Add("AlphaT = CastLike (Alpha, P)")
      .Add("Y = Mul (AlphaT, P)");
}

static void defineGemmFastGelu(Definition &d) {
  d.body.Add("P = MatMul (X, W)")
      .Add(d.hasInput(2) ? "S = Add (P, bias)" : "S = Identity (P)")
      .Add("Y = Gelu <approximate = \"tanh\"> (S)");
}

/// Adds `to`, the attribute `activation` applied to `from`. `numbers` are the
/// attributes of the activation, in a fixed order.
static void addActivation(Definition &d, const std::string &from,
                          const std::string &to,
                          const std::vector<std::optional<float>> &numbers) {
  struct Activation {
    const char *name;
    std::vector<const char *> attributes;
  };
  static const std::vector<Activation> kActivations = {
      {"Celu", {"alpha"}},
      {"Elu", {"alpha"}},
      {"HardSigmoid", {"alpha", "beta"}},
      {"LeakyRelu", {"alpha"}},
      {"Relu", {}},
      {"Selu", {"alpha", nullptr, "gamma"}},
      {"Sigmoid", {}},
      {"Softplus", {}},
      {"Softsign", {}},
      {"Tanh", {}},
      {"ThresholdedRelu", {"alpha"}}};
  const auto *attribute = d.find("activation");
  std::string name = attribute ? attribute->s() : "";
  auto finish = [&](const std::string &op, const std::string &rest = "") {
    d.body.Add((to + " = " + op + " (" + from + rest + ")").c_str());
  };
  if (name.empty()) {
    finish("Identity");
    return;
  }
  if (name == "Clip") {
    if (numbers.size() < 2 || !numbers[0] || !numbers[1])
      throw std::invalid_argument("activation 'Clip': expected two numbers");
    d.body.Const("LowF", *numbers[0])
        .Const("HighF", *numbers[1])
        .Add(("Low = CastLike (LowF, " + from + ")").c_str())
        .Add(("High = CastLike (HighF, " + from + ")").c_str());
    finish("Clip", ", Low, High");
    return;
  }
  auto found =
      std::find_if(kActivations.begin(), kActivations.end(),
                   [&](const Activation &a) { return a.name == name; });
  if (found == kActivations.end())
    throw std::invalid_argument("attribute 'activation': no activation '" +
                                name + "' is defined");
  finish(name);
  for (size_t i = 0; i < found->attributes.size(); ++i)
    if (found->attributes[i] && i < numbers.size() && numbers[i])
      d.body.AddAttributeToNode(found->attributes[i], *numbers[i]);
}

/// A Gemm followed by an activation.
static void defineFusedGemm(Definition &d) {
  d.body.Add(d.hasInput(2) ? "G = Gemm (A, B, C)" : "G = Gemm (A, B)", "alpha",
             d.getFloat("alpha", 1.0F), "beta", d.getFloat("beta", 1.0F));
  d.copyAttributes({"transA", "transB"});
  std::vector<std::optional<float>> numbers;
  for (const char *name :
       {"activation_alpha", "activation_beta", "activation_gamma"}) {
    const auto *number = d.find(name);
    numbers.push_back(number ? std::optional(number->f()) : std::nullopt);
  }
  addActivation(d, "G", "Y", numbers);
}

/// A Conv, an optional tensor of its shape that is added, and an activation.
static void defineFusedConv(Definition &d) {
  d.body.Add(d.hasInput(2) ? "C = Conv (X, W, B)" : "C = Conv (X, W)");
  d.copyAttributes(
      {"auto_pad", "dilations", "group", "kernel_shape", "pads", "strides"});
  d.body.Add(d.hasInput(3) ? "S = Add (C, Z)" : "S = Identity (C)");
  std::vector<std::optional<float>> numbers;
  if (const auto *params = d.find("activation_params"))
    numbers.assign(params->floats().begin(), params->floats().end());
  addActivation(d, "S", "Y", numbers);
}

/// A MaxPool in NHWC layout.
static void defineNhwcMaxPool(Definition &d) {
  int rank = d.getRank(0);
  if (rank < 3)
    throw std::invalid_argument(
        "input 0: expected 3 dimensions or more, but got " +
        std::to_string(rank));
  auto [first, last] = getChannelOrders(rank);
  d.body.Add("F = Transpose (x)", "perm", first).Add("P = MaxPool (F)");
  d.copyAttributes({"auto_pad", "ceil_mode", "dilations", "kernel_shape",
                    "pads", "strides"});
  d.body.Add("y = Transpose (P)", "perm", last);
}

/// The values of the 4-bit encodings of FP4 and NF4, relative to the maximum
/// magnitude of a block.
static const std::vector<float> kBnb4Tables[] = {
    {0.0F, 5.208333333e-03F, 0.66666667F, 1.0F, 0.33333333F, 0.5F, 0.16666667F,
     0.25F, -0.0F, -5.208333333e-03F, -0.66666667F, -1.0F, -0.33333333F, -0.5F,
     -0.16666667F, -0.25F},
    {-1.0F, -0.6961928009986877F, -0.5250730514526367F, -0.39491748809814453F,
     -0.28444138169288635F, -0.18477343022823334F, -0.09105003625154495F, 0.0F,
     0.07958029955625534F, 0.16093020141124725F, 0.24611230194568634F,
     0.33791524171829224F, 0.44070982933044434F, 0.5626170039176941F,
     0.7229568362236023F, 1.0F}};

/// A matmul with a transposed, flat weight matrix: two encodings per byte, the
/// first one in the upper half, and a maximum magnitude per block.
static void defineMatMulBnb4(Definition &d) {
  d.expectInt("transB", 1);
  auto getSize = [&](const char *name) {
    int64_t size = d.getInt(name, 0);
    constexpr int64_t kMaxSize = 1 << 30;
    if (size < 1 || size > kMaxSize)
      throw std::invalid_argument(
          "attribute '" + std::string(name) + "': expected 1 to " +
          std::to_string(kMaxSize) + ", but got " + std::to_string(size));
    return size;
  };
  int64_t depth = getSize("K"), columns = getSize("N");
  int64_t block = getSize("block_size"), kind = d.getInt("quant_type", -1);
  constexpr int64_t kSmallest = 16;
  if (block < kSmallest || (block & (block - 1)) != 0)
    throw std::invalid_argument(
        "attribute 'block_size': expected a power of two from 16 on, but got " +
        std::to_string(block));
  if (kind != 0 && kind != 1)
    throw std::invalid_argument(
        "attribute 'quant_type': expected 0 or 1, but got " +
        std::to_string(kind));
  int64_t count = depth * columns;
  auto expectSize = [&](int index, int64_t size) {
    if (d.getRank(index) != 1 || d.getSize(index, 0) != size)
      throw std::invalid_argument("input " + std::to_string(index) +
                                  ": expected a vector of " +
                                  std::to_string(size) + " elements");
  };
  expectSize(1, count / 2 + count % 2);
  expectSize(2, (count - 1) / block + 1);
  d.body.Const("Table", kBnb4Tables[kind])
      .Const("Sixteen", int32_t(16))
      .Const1D("Zero", int64_t(0))
      .Const1D("One", int64_t(1))
      .Const1D("Count", count)
      .Const1D("Flat", int64_t(-1))
      .Const("BlockSizes", std::vector<int64_t>{1, block})
      .Const("Rows", std::vector<int64_t>{columns, depth})
      .Add("Bytes = Cast <to = 6> (B)")
      .Add("High = Div (Bytes, Sixteen)")
      .Add("Low = Mod (Bytes, Sixteen)")
      .Add("HighColumn = Unsqueeze (High, One)")
      .Add("LowColumn = Unsqueeze (Low, One)")
      .Add("Pairs = Concat <axis = 1> (HighColumn, LowColumn)")
      .Add("AllIndices = Reshape (Pairs, Flat)")
      .Add("Indices = Slice (AllIndices, Zero, Count)")
      .Add("Shares = Gather (Table, Indices)")
      .Add("Most = Cast <to = 1> (absmax)")
      .Add("MostColumn = Unsqueeze (Most, One)")
      .Add("MostRows = Expand (MostColumn, BlockSizes)")
      .Add("AllScales = Reshape (MostRows, Flat)")
      .Add("Scales = Slice (AllScales, Zero, Count)")
      .Add("Weights = Mul (Shares, Scales)")
      .Add("WeightRows = Reshape (Weights, Rows)")
      .Add("WeightColumns = Transpose <perm = [1, 0]> (WeightRows)")
      .Add("Factor = CastLike (WeightColumns, A)")
      .Add("Y = MatMul (A, Factor)");
}

/// Throws unless the sizes of the input are these. std::nullopt stands for any
/// size, and sizes that are unknown are checked by the nodes of the body.
static void expectShape(const Definition &d, int index,
                        const std::vector<std::optional<int64_t>> &sizes) {
  if (d.getRank(index) != static_cast<int>(sizes.size()))
    throw std::invalid_argument("input " + std::to_string(index) +
                                ": expected rank " +
                                std::to_string(sizes.size()) + ", but got " +
                                std::to_string(d.getRank(index)));
  for (int axis = 0; axis < static_cast<int>(sizes.size()); ++axis) {
    std::optional<int64_t> size = d.findSize(index, axis);
    if (size && sizes[axis] && *size != *sizes[axis])
      throw std::invalid_argument(
          "input " + std::to_string(index) + ": expected size " +
          std::to_string(*sizes[axis]) + " of axis " + std::to_string(axis) +
          ", but got " + std::to_string(*size));
  }
}

/// Throws unless the input has this element type.
static void expectElement(const Definition &d, int index, int element) {
  if (!d.hasInput(index))
    throw std::invalid_argument("input " + std::to_string(index) +
                                " is missing");
  if (d.getElement(index) != element)
    throw std::invalid_argument(
        "input " + std::to_string(index) + ": expected elements of type " +
        TensorProto::DataType_Name(element) + ", but got " +
        TensorProto::DataType_Name(d.getElement(index)));
}

/// Adds `Y`, the matmul of `activations` and the transpose of the dequantized
/// `values`, an N x K matrix with a scale per block of a row. It computes in
/// the type of input 0, to which the weights are rounded (R9).
static void addBlockQuantizedMatmul(Definition &d, const char *activations,
                                    const std::string &values,
                                    const std::string &scales, int scalesIndex,
                                    int biasIndex, int64_t defaultBlock,
                                    std::optional<int64_t> rows,
                                    std::optional<int64_t> depth) {
  constexpr int64_t kMaxSize = std::numeric_limits<int32_t>::max();
  int64_t block = d.getInt("block_size", defaultBlock);
  if (block < 1 || block > kMaxSize)
    throw std::invalid_argument("attribute 'block_size': expected 1 to " +
                                std::to_string(kMaxSize) + ", but got " +
                                std::to_string(block));
  int element = d.getElement(0);
  if (element != TensorProto::FLOAT16 && element != TensorProto::BFLOAT16)
    throw std::invalid_argument(
        "input 0: expected elements of type FLOAT16 or BFLOAT16, but got " +
        TensorProto::DataType_Name(element));
  if (d.getRank(0) == 0)
    throw std::invalid_argument("input 0: expected rank 1 or more, but got 0");
  std::optional<int64_t> columns = d.findSize(0, d.getRank(0) - 1);
  if (columns && depth && *columns != *depth)
    throw std::invalid_argument("input 0: expected size " +
                                std::to_string(*depth) + " of axis " +
                                std::to_string(d.getRank(0) - 1) +
                                ", but got " + std::to_string(*columns));
  std::optional<int64_t> blocks;
  if (depth)
    blocks = *depth / block + (*depth % block != 0);
  expectShape(d, scalesIndex, {rows, blocks});
  d.body
      .Add(("Weights = DequantizeLinear (" + values + ", " + scales + ")")
               .c_str(),
           "axis", int64_t(1), "block_size", block, "output_dtype",
           int64_t(element))
      .Add("Columns = Transpose <perm = [1, 0]> (Weights)")
      .Add((std::string(d.hasInput(biasIndex) ? "Product" : "Y") +
            " = MatMul (" + activations + ", Columns)")
               .c_str());
  if (!d.hasInput(biasIndex))
    return;
  expectElement(d, biasIndex, element);
  expectShape(d, biasIndex, {rows});
  d.body.Add("Y = Add (Product, bias)");
}

/// Throws unless the input may be an f32 with one element.
static void expectScalar(const Definition &d, int index) {
  expectElement(d, index, TensorProto::FLOAT);
  for (int axis = 0; axis < d.getRank(index); ++axis)
    if (int64_t size = d.findSize(index, axis).value_or(1); size != 1)
      throw std::invalid_argument("input " + std::to_string(index) +
                                  ": expected one element, but got " +
                                  std::to_string(size) + " along axis " +
                                  std::to_string(axis));
}

/// Adds `to`, an input with one element as a scalar.
static void addScalar(Definition &d, int index, const std::string &from,
                      const std::string &to) {
  expectScalar(d, index);
  d.body.Const(to + "Shape", std::vector<int64_t>{})
      .Add((to + " = Reshape (" + from + ", " + to + "Shape)").c_str());
}

/// The weights are pairs of f4E2M1FN per byte, the first one in the lower half,
/// and the scales are bytes of f8E4M3FN that are scaled in turn. The scale of
/// the activations has no effect.
static void defineMatMulBlockQuantizedFp4Weight(Definition &d) {
  d.opset = kBitCastOpset;
  for (int index : {1, 2})
    expectElement(d, index, TensorProto::UINT8);
  expectShape(d, 1, {std::nullopt, std::nullopt});
  std::optional<int64_t> depth = d.findSize(1, 1);
  if (depth && *depth > std::numeric_limits<int64_t>::max() / 2)
    throw std::invalid_argument("input 1: the size " + std::to_string(*depth) +
                                " of axis 1 is too large");
  if (depth)
    *depth *= 2;
  addScalar(d, 3, "weight_scale_2", "Global");
  if (d.hasInput(4))
    expectScalar(d, 4);
  d.body.Const1D("Last", int64_t(2))
      .Const("Wide", std::vector<int32_t>{0, 4})
      .Add("Shifts = Cast (Wide)", "to", int64_t(TensorProto::UINT8))
      .Add("Bytes = Unsqueeze (B, Last)")
      .Add("Halves = BitShift <direction = \"RIGHT\"> (Bytes, Shifts)")
      .Add("Rows = Flatten <axis = 1> (Halves)")
      .Add("Nibbles = Cast (Rows)", "to", int64_t(TensorProto::UINT4))
      .Add("Values = BitCast (Nibbles)", "to", int64_t(TensorProto::FLOAT4E2M1))
      .Add("Encodings = BitCast (weight_scale)", "to",
           int64_t(TensorProto::FLOAT8E4M3FN))
      .Add("Scales = DequantizeLinear (Encodings, Global)");
  addBlockQuantizedMatmul(d, "A", "Values", "Scales", 2, 5, 16,
                          d.findSize(1, 0), depth);
}

/// With a scale of the activations, they are rounded to f8E4M3FN.
static void defineMatMulBlockQuantizedFp8Weight(Definition &d) {
  expectElement(d, 1, TensorProto::FLOAT8E4M3FN);
  expectElement(d, 2, TensorProto::FLOAT);
  expectShape(d, 1, {std::nullopt, std::nullopt});
  const char *activations = "A";
  if (d.hasInput(3)) {
    addScalar(d, 3, "a_scale", "Scale");
    d.body
        .Add("Quantized = QuantizeLinear (A, Scale)", "output_dtype",
             int64_t(TensorProto::FLOAT8E4M3FN))
        .Add("Rounded = DequantizeLinear (Quantized, Scale)", "output_dtype",
             int64_t(d.getElement(0)));
    activations = "Rounded";
  }
  addBlockQuantizedMatmul(d, activations, "B", "b_scale", 2, 4, 128,
                          d.findSize(1, 0), d.findSize(1, 1));
}

//===----------------------------------------------------------------------===//
// Variants of ONNX's operators
//===----------------------------------------------------------------------===//

static void defineExpandDims(Definition &d) {
  d.body.Const1D("Flat", int64_t(-1))
      .Add("Axis = Cast <to = 7> (axis)")
      .Add("Axes = Reshape (Axis, Flat)")
      .Add("Y = Unsqueeze (X, Axes)");
}

static void defineGatherND(Definition &d) {
  d.body.Add("Places = Cast <to = 7> (indices)")
      .Add("output = GatherND (data, Places)");
}

static void defineGridSample(Definition &d) {
  static const std::map<std::string, std::string> kModes = {
      {"bilinear", "linear"}, {"nearest", "nearest"}, {"bicubic", "cubic"}};
  auto getString = [&](const char *name, const char *otherwise) {
    const auto *attribute = d.find(name);
    return attribute ? attribute->s() : std::string(otherwise);
  };
  std::string mode = getString("mode", "bilinear");
  auto found = kModes.find(mode);
  if (found == kModes.end())
    throw std::invalid_argument(
        "attribute 'mode': expected bilinear, nearest or bicubic, but got '" +
        mode + "'");
  d.body.Add("Y = GridSample (X, Grid)", "mode", found->second, "padding_mode",
             getString("padding_mode", "zeros"));
  d.copyAttributes({"align_corners"});
}

/// `pads` may have a leading axis of size 1.
static void definePad(Definition &d) {
  d.body.Const1D("Flat", int64_t(-1)).Add("Pads = Reshape (pads, Flat)");
  if (d.hasInput(2))
    d.body.Add("Values = Reshape (value, Flat)")
        .Add("Value = Squeeze (Values)");
  d.body.Add(d.hasInput(2) ? "output = Pad (data, Pads, Value)"
                           : "output = Pad (data, Pads)");
  d.copyAttributes({"mode"});
}

/// The inputs may have one axis.
static void defineRange(Definition &d) {
  d.body.Const("Scalar", std::vector<int64_t>())
      .Add("First = Reshape (start, Scalar)")
      .Add("End = Reshape (limit, Scalar)");
  if (d.hasInput(2))
    d.body.Add("Step = Reshape (delta, Scalar)");
  else
    d.body.Const("One", int32_t(1)).Add("Step = CastLike (One, First)");
  d.body.Add("Y = Range (First, End, Step)");
}

static void defineTrilu(Definition &d) {
  d.body.Add(d.hasInput(1) ? "Y = Trilu (X, k)" : "Y = Trilu (X)");
  d.copyAttributes({"upper"});
}

/// The elements are in the order of their first occurrence.
static void defineUnique(Definition &d) {
  d.body.Add("y, Firsts, idx, counts = Unique <sorted = 0> (x)");
}

/// Returns the distances between the rows of two matrices.
static void defineCDist(Definition &d) {
  const auto *attribute = d.find("metric");
  std::string metric = attribute ? attribute->s() : "sqeuclidean";
  if (metric != "sqeuclidean" && metric != "euclidean")
    throw std::invalid_argument(
        "attribute 'metric': expected sqeuclidean or euclidean, but got '" +
        metric + "'");
  d.body.Const1D("Rows", int64_t(1))
      .Const1D("Columns", int64_t(0))
      .Const1D("Last", int64_t(2))
      .Add("AR = Unsqueeze (A, Rows)")
      .Add("BR = Unsqueeze (B, Columns)")
      .Add("D = Sub (AR, BR)")
      .Add("Squares = ReduceSumSquare <keepdims = 0> (D, Last)")
      .Add(metric == "euclidean" ? "C = Sqrt (Squares)"
                                 : "C = Identity (Squares)");
}

/// Every operation is rounded to the element type of X.
static void defineScaledSiLU(Definition &d) {
  if (d.hasInput(1))
    d.body.Add("Factor = Cast <to = 1> (scale)");
  else
    d.body.Const("Factor", d.getFloat("alpha", 1.0F));
  d.body.Add("Wide = Cast <to = 1> (X)")
      .Add("Scaled = Mul (Factor, Wide)")
      .Add("Z = CastLike (Scaled, X)")
      .Add("S = Sigmoid (Z)")
      .Add("Y = Mul (Z, S)");
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

const FunctionRows &onnx_import::getMicrosoftRows() {
  static const FunctionRows rows = {
      {NodeKind::MicrosoftAttention,
       {{"input", "weights", "bias", "mask_index", "past", "attention_bias"},
        {"output", "present"},
        {"do_rotary", "mask_filter_value", "num_heads",
         "past_present_share_buffer", "qkv_hidden_sizes", "scale",
         "unidirectional"},
        defineAttention}},
      {NodeKind::MicrosoftBiasAdd,
       {{"X", "bias", "skip"}, {"Y"}, {}, defineBiasAdd}},
      {NodeKind::MicrosoftBiasGelu, {{"A", "B"}, {"C"}, {}, defineBiasGelu}},
      {NodeKind::MicrosoftBiasSplitGelu,
       {{"X", "bias"}, {"Y"}, {}, defineBiasSplitGelu}},
      {NodeKind::MicrosoftCDist, {{"A", "B"}, {"C"}, {"metric"}, defineCDist}},
      {NodeKind::MicrosoftEmbedLayerNormalization,
       {{"input_ids", "segment_ids", "word_embedding", "position_embedding",
         "segment_embedding", "gamma", "beta", "mask", "position_ids"},
        {"output", "mask_index", "embedding_sum"},
        {"epsilon", "mask_index_type"},
        defineEmbedLayerNormalization,
        /*like=*/2}},
      {NodeKind::MicrosoftExpandDims,
       {{"X", "axis"}, {"Y"}, {}, defineExpandDims}},
      {NodeKind::MicrosoftFastGelu, {{"X", "bias"}, {"Y"}, {}, defineFastGelu}},
      {NodeKind::MicrosoftFusedConv,
       {{"X", "W", "B", "Z"},
        {"Y"},
        {"activation", "activation_params", "auto_pad", "dilations", "group",
         "kernel_shape", "pads", "strides"},
        defineFusedConv}},
      {NodeKind::MicrosoftFusedGemm,
       {{"A", "B", "C"},
        {"Y"},
        {"activation", "activation_alpha", "activation_beta",
         "activation_gamma", "alpha", "beta", "transA", "transB"},
        defineFusedGemm}},
      {NodeKind::MicrosoftFusedMatMul,
       {{"A", "B"},
        {"Y"},
        {"alpha", "transA", "transB", "transBatchA", "transBatchB"},
        defineFusedMatMul}},
      {NodeKind::MicrosoftGatherND,
       {{"data", "indices"}, {"output"}, {}, defineGatherND}},
      {NodeKind::MicrosoftGelu, {{"X"}, {"Y"}, {}, defineGelu}},
      {NodeKind::MicrosoftGemmFastGelu,
       {{"X", "W", "bias"}, {"Y"}, {}, defineGemmFastGelu}},
      {NodeKind::MicrosoftGridSample,
       {{"X", "Grid"},
        {"Y"},
        {"align_corners", "mode", "padding_mode"},
        defineGridSample}},
      {NodeKind::MicrosoftGroupNorm,
       {{"X", "gamma", "beta"},
        {"Y"},
        {"activation", "channels_last", "epsilon", "groups"},
        defineGroupNorm}},
      {NodeKind::MicrosoftGroupQueryAttention,
       {{"query", "key", "value", "past_key", "past_value", "seqlens_k",
         "total_sequence_length", "cos_cache", "sin_cache", "position_ids",
         "attention_bias", "head_sink"},
        {"output", "present_key", "present_value", "output_qk"},
        {"do_rotary", "kv_num_heads", "local_window_size", "num_heads",
         "qk_output", "rotary_interleaved", "scale", "smooth_softmax",
         "softcap"},
        defineGroupQueryAttention}},
      {NodeKind::ImageScaler,
       {{"X"}, {"Y"}, {"bias", "scale"}, defineImageScaler}},
      {NodeKind::MicrosoftLayerNormalization,
       {{"X", "Scale", "B"},
        {"Y", "Mean", "InvStdDev"},
        {"axis", "epsilon", "stash_type"},
        defineLayerNormalization}},
      {NodeKind::MicrosoftMatMulBlockQuantizedFp4Weight,
       {{"A", "B", "weight_scale", "weight_scale_2", "input_scale", "bias"},
        {"Y"},
        {"block_size"},
        defineMatMulBlockQuantizedFp4Weight}},
      {NodeKind::MicrosoftMatMulBlockQuantizedFp8Weight,
       {{"A", "B", "b_scale", "a_scale", "bias"},
        {"Y"},
        {"block_size"},
        defineMatMulBlockQuantizedFp8Weight}},
      {NodeKind::MicrosoftMatMulBnb4,
       {{"A", "B", "absmax"},
        {"Y"},
        {"K", "N", "block_size", "quant_type", "training_mode", "transB"},
        defineMatMulBnb4}},
      {NodeKind::MicrosoftMultiHeadAttention,
       {{"query", "key", "value", "bias", "key_padding_mask", "attention_bias",
         "past_key", "past_value"},
        {"output", "present_key", "present_value"},
        {"mask_filter_value", "num_heads", "scale", "unidirectional"},
        defineMultiHeadAttention}},
      {NodeKind::MicrosoftNhwcMaxPool,
       {{"x"},
        {"y"},
        {"auto_pad", "ceil_mode", "dilations", "kernel_shape", "pads",
         "strides"},
        defineNhwcMaxPool}},
      {NodeKind::MicrosoftPad,
       {{"data", "pads", "value"}, {"output"}, {"mode"}, definePad}},
      {NodeKind::MicrosoftQAttention,
       {{"input", "weight", "bias", "input_scale", "weight_scale", "mask_index",
         "input_zero_point", "weight_zero_point", "past"},
        {"output", "present"},
        {"do_rotary", "mask_filter_value", "num_heads",
         "past_present_share_buffer", "scale", "unidirectional"},
        defineQAttention,
        /*like=*/3}},
      {NodeKind::MicrosoftQEmbedLayerNormalization,
       {{"input_ids", "segment_ids", "word_embedding_quant",
         "position_embedding_quant", "segment_embedding", "gamma_quant",
         "beta_quant", "mask", "word_embedding_scale",
         "position_embedding_scale", "segment_embedding_scale", "gamma_scale",
         "beta_scale", "word_embedding_zero_point",
         "position_embedding_zero_point", "segment_embedding_zero_point",
         "gamma_zero_point", "beta_zero_point"},
        {"layernorm_out", "mask_index_out"},
        {"epsilon"},
        defineQEmbedLayerNormalization,
        /*like=*/8}},
      {NodeKind::MicrosoftQuickGelu,
       {{"X"}, {"Y"}, {"alpha"}, defineQuickGelu}},
      {NodeKind::MicrosoftRange,
       {{"start", "limit", "delta"}, {"Y"}, {}, defineRange}},
      {NodeKind::MicrosoftRotaryEmbedding,
       {{"input", "position_ids", "cos_cache", "sin_cache"},
        {"output"},
        {"interleaved", "is_packed_batching", "num_heads",
         "rotary_embedding_dim", "scale"},
        defineRotaryEmbedding}},
      {NodeKind::MicrosoftScaledSiLU,
       {{"X", "scale"}, {"Y"}, {"alpha"}, defineScaledSiLU}},
      {NodeKind::MicrosoftSimplifiedLayerNormalization,
       {{"X", "scale"},
        {"Y", "inv_std_var"},
        {"axis", "epsilon", "stash_type"},
        defineSimplified}},
      {NodeKind::MicrosoftSkipLayerNormalization,
       {{"input", "skip", "gamma", "beta", "bias"},
        {"output", "mean", "inv_std_var", "input_skip_bias_sum"},
        {"epsilon"},
        defineSkipLayerNormalization}},
      {NodeKind::MicrosoftSkipSimplifiedLayerNormalization,
       {{"input", "skip", "gamma", "bias"},
        {"output", "mean", "inv_std_var", "input_skip_bias_sum"},
        {"epsilon"},
        defineSkipSimplified}},
      {NodeKind::MicrosoftTransposeMatMul,
       {{"A", "B"}, {"Y"}, {"alpha", "transA", "transB"}, defineFusedMatMul}},
      {NodeKind::MicrosoftTrilu, {{"X", "k"}, {"Y"}, {"upper"}, defineTrilu}},
      {NodeKind::MicrosoftUnique,
       {{"x"}, {"y", "idx", "counts"}, {}, defineUnique}},
  };
  return rows;
}
