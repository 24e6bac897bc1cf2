//===- AttentionFunctions.cpp - ONNX Runtime's attention ------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttentionFunctions.h"
#include <limits>

using namespace mlir::quant_float;
using namespace mlir::quant_float::onnx_import;

/// ONNX's RotaryEmbedding has the positions as its last input and requires all
/// of them. If `position_ids` has rank 1, it is the position of the first
/// element of each sequence.
void onnx_import::defineRotaryEmbedding(Definition &d) {
  d.expectInt("is_packed_batching", 0);
  if (d.getFloat("scale", 1.0F) != 1.0F)
    throw std::invalid_argument("attribute 'scale': expected 1");
  int rank = d.getRank(0);
  if (rank != 3 && rank != 4)
    throw std::invalid_argument(
        "input 0: expected 3 or 4 dimensions, but got " + std::to_string(rank));
  int64_t rotated = d.getInt("rotary_embedding_dim", 0);
  int64_t heads = d.getInt("num_heads", 0);
  // Without either attribute, a head has the width of the rotated part.
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

/// Builds the inputs of ONNX's Attention: `Q`, `K` and `V` of the body have
/// four dimensions (batch, heads, length, width), like the past.
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

  Definition &add(const std::string &source) {
    d.body.Add(source.c_str());
    return d;
  }

  /// Splits (batch, length, heads * width).
  void split(const std::string &from, const std::string &to,
             const std::string &shape = "HeadsShape") {
    add(to + "S = Reshape (" + from + ", " + shape + ")");
    turn(to + "S", to);
  }
  /// Transposes (batch, length, heads, width).
  void turn(const std::string &from, const std::string &to) {
    add(to + " = Transpose <perm = [0, 2, 1, 3]> (" + from + ")");
  }
  /// Splits into parts along the second-to-last axis.
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

/// Adds `Mask`, the sum of the mask of padding and of the attention bias.
/// Returns false if the node has neither.
static bool defineMask(Definition &d, const char *padding, int paddingIndex,
                       bool beginsCount, const char *bias, int biasIndex,
                       const char *past) {
  bool hasPadding = d.hasInput(paddingIndex), hasBias = d.hasInput(biasIndex);
  auto add = [&](const std::string &source) { d.body.Add(source.c_str()); };
  if (hasPadding) {
    int rank = d.getRank(paddingIndex);
    std::string keep = padding;
    if (rank == 1) {
      // The ends of the keys of each sequence. The starts of all sequences may
      // follow.
      int64_t count = d.getSize(paddingIndex, 0), batch = d.getSize(0, 0);
      bool hasBegins = beginsCount && count == 2 * batch;
      if (count != batch && !hasBegins)
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
      add("Bounds = Cast <to = 7> (" + keep + ")");
      add(hasBegins
              ? "Ends, Begins = Split <axis = 0, num_outputs = 2> (Bounds)"
              : "Ends = Identity (Bounds)");
      add("EndColumn = Unsqueeze (Ends, LastAxis)");
      add("Inside = Less (Steps, EndColumn)");
      if (hasBegins) {
        add("BeginColumn = Unsqueeze (Begins, LastAxis)");
        add("Begun = GreaterOrEqual (Steps, BeginColumn)");
        add("Spanned = And (Begun, Inside)");
      }
      keep = hasBegins ? "Spanned" : "Inside";
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

/// Computes `output` and the present state from `Q`, `K`, `V` and the past.
static void defineAttend(Definition &d, bool hasMask, const std::string &past,
                         const std::string &present) {
  // ONNX's Attention multiplies by the square root of the scale, which
  // therefore cannot be negative.
  float scale = d.getFloat("scale", 0);
  if (scale < 0) {
    d.body.Const("Scale", scale)
        .Add("ScaleT = CastLike (Scale, Q)")
        .Add("ScaledQ = Mul (Q, ScaleT)");
    scale = 1;
  }
  std::string source = "Y" + present + " = Attention (";
  source += d.getFloat("scale", 0) < 0 ? "ScaledQ, K, V" : "Q, K, V";
  source += hasMask ? ", Mask" : past.empty() ? "" : ", ";
  source += past + ")";
  if (scale != 0)
    d.body.Add(source.c_str(), "is_causal", d.getInt("unidirectional", 0),
               "scale", scale);
  else
    d.body.Add(source.c_str(), "is_causal", d.getInt("unidirectional", 0));
  d.body.Const("Joined", std::vector<int64_t>{0, 0, -1})
      .Add("YT = Transpose <perm = [0, 2, 1, 3]> (Y)")
      .Add("output = Reshape (YT, Joined)");
}

void onnx_import::defineMultiHeadAttention(Definition &d) {
  Heads heads(d);
  bool isPacked = !d.hasInput(1);
  int queryRank = d.getRank(0);
  if (queryRank != (isPacked ? 5 : 3))
    throw std::invalid_argument(
        "input 0: expected " + std::string(isPacked ? "5" : "3") +
        " dimensions, but got " + std::to_string(queryRank));
  if (isPacked) {
    if (d.hasInput(3))
      throw std::invalid_argument("a bias of packed inputs is not supported");
    heads.unpack("query", {"Q", "K", "V"});
  } else {
    int64_t begin = 0;
    int keyRank = d.getRank(1);
    // For unequal lengths, the mask of ONNX Runtime is not triangular.
    std::optional<int64_t> queries = d.findSize(0, 1),
                           keys = d.findSize(1, keyRank == 4 ? 2 : 1);
    if (d.getInt("unidirectional", 0) && queries && keys && *queries != *keys)
      throw std::invalid_argument(
          "unidirectional attention of " + std::to_string(*queries) +
          " queries and " + std::to_string(*keys) + " keys is not defined");
    bool hasBias = d.hasInput(3);
    if (hasBias && (keyRank != 3 || !d.hasInput(2)))
      throw std::invalid_argument("a bias of packed inputs is not supported");
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
  bool hasPast = d.hasInput(6);
  if (hasPast != d.hasInput(7))
    throw std::invalid_argument("expected inputs 6 and 7 together");
  bool hasMask = defineMask(d, "key_padding_mask", 4, false, "attention_bias",
                            5, hasPast ? "past_key" : nullptr);
  bool hasPresent = d.hasOutput(1) || d.hasOutput(2);
  defineAttend(d, hasMask, hasPast ? ", past_key, past_value" : "",
               hasPresent ? ", present_key, present_value" : "");
}

/// Computes attention from `Projected`, the concatenation of queries, keys and
/// values. The past keys and values are one tensor. `mask`, `past` and `bias`
/// are the indices of inputs; -1 if the operator lacks the input.
static void defineProjected(Definition &d, Heads &heads, int mask, int past,
                            int bias) {
  for (const char *name : {"do_rotary", "past_present_share_buffer"})
    d.expectInt(name, 0);
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
  bool hasPast = d.hasInput(past), hasPresent = d.hasOutput(1);
  if (hasPast) {
    d.body.Const("First", int64_t(0)).Const("Second", int64_t(1));
    heads.add("past_key = Gather <axis = 0> (past, First)");
    heads.add("past_value = Gather <axis = 0> (past, Second)");
  }
  bool hasMask = defineMask(d, "mask_index", mask, true, "attention_bias", bias,
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

void onnx_import::defineAttention(Definition &d) {
  Heads heads(d);
  heads.add("Products = MatMul (input, weights)");
  heads.add(d.hasInput(2) ? "Projected = Add (Products, bias)"
                          : "Projected = Identity (Products)");
  defineProjected(d, heads, /*mask=*/3, /*past=*/4, /*bias=*/5);
}

/// The projection has quantized operands.
void onnx_import::defineQAttention(Definition &d) {
  Heads heads(d);
  d.body.AddOpset("com.microsoft", 1);
  std::string points = d.hasInput(6) ? ", input_zero_point" : ", ";
  points += d.hasInput(7) ? ", weight_zero_point" : ", ";
  heads.add("Projected = com.microsoft.MatMulIntegerToFloat (input, weight, "
            "input_scale, weight_scale" +
            points + ", bias)");
  defineProjected(d, heads, /*mask=*/5, /*past=*/8, /*bias=*/-1);
}

/// Adds the present keys or values: the past of each sequence, its new keys or
/// values, and zeros.
static void defineCache(Definition &d, const std::string &part, bool hasPast) {
  auto add = [&](const std::string &source) { d.body.Add(source.c_str()); };
  std::string fresh = part == "key" ? "NewK" : "NewV";
  add(hasPast
          ? part + "All = Concat <axis = 2> (past_" + part + ", " + fresh + ")"
          : part + "All = Identity (" + fresh + ")");
  add(part + "Head = Shape <start = 1, end = 2> (" + fresh + ")");
  add(part + "Width = Shape <start = 3, end = 4> (" + fresh + ")");
  add(part + "Sizes = Concat <axis = 0> (Batch1, " + part + "Head, Places1, " +
      part + "Width)");
  add(part + "From = Expand (From, " + part + "Sizes)");
  add(part + "Taken = GatherElements <axis = 2> (" + part + "All, " + part +
      "From)");
  add(part + "Nothing = CastLike (NothingF, " + fresh + ")");
  add("present_" + part + " = Where (IsFilled, " + part + "Taken, " + part +
      "Nothing)");
}

/// Several heads of the query share keys and values, which follow those of the
/// past. Each sequence has `seqlens_k` + 1 keys in total. The cache keeps its
/// length, or has that of the longest sequence. If all keys are new, the past
/// is an empty buffer.
void onnx_import::defineGroupQueryAttention(Definition &d) {
  Heads heads(d);
  d.expectInt("qk_output", 0);
  d.refuseOutput(3);
  int64_t groups = d.getInt("kv_num_heads", 0);
  if (groups < 1 || heads.count % groups != 0)
    throw std::invalid_argument(
        "attribute 'kv_num_heads': expected a divisor of " +
        std::to_string(heads.count) + ", but got " + std::to_string(groups));
  bool hasPast = d.hasInput(3), isPacked = !d.hasInput(1);
  if (hasPast != d.hasInput(4))
    throw std::invalid_argument("expected inputs 3 and 4 together");
  if (isPacked != !d.hasInput(2))
    throw std::invalid_argument("expected inputs 1 and 2 together");

  // Heads.
  if (isPacked) {
    d.body
        .Const("AllHeads",
               std::vector<int64_t>{0, 0, heads.count + 2 * groups, -1})
        .Const("Parts", std::vector<int64_t>{heads.count, groups, groups})
        .Add("Packed = Reshape (query, AllHeads)")
        .Add("Turned = Transpose <perm = [0, 2, 1, 3]> (Packed)")
        .Add("PlainQ, PlainK, NewV = Split <axis = 1> (Turned, Parts)");
  } else {
    heads.split("query", "PlainQ");
    d.body.Const("GroupsShape", std::vector<int64_t>{0, 0, groups, -1});
    heads.split("key", "PlainK", "GroupsShape");
    heads.split("value", "NewV", "GroupsShape");
  }

  // `Before` is the number of past keys of each sequence (B, 1, 1, 1), and
  // `Reached` the position of each new key (B, 1, S, 1).
  d.body.Const("Zero", int64_t(0))
      .Const("One", int64_t(1))
      .Const1D("MinusOne", int64_t(-1))
      .Const("NothingF", 0.0F)
      .Const("Column", std::vector<int64_t>{-1, 1, 1, 1})
      .Const("Row", std::vector<int64_t>{1, 1, -1, 1})
      .Add("Batch1 = Shape <start = 0, end = 1> (query)")
      .Add("New1 = Shape <start = 1, end = 2> (query)")
      .Add("New = Squeeze (New1)")
      .Add("Last = Cast <to = 7> (seqlens_k)")
      .Add("LastColumn = Reshape (Last, Column)")
      .Add("Total = Add (LastColumn, One)")
      .Add("Most = Cast <to = 7> (total_sequence_length)")
      .Add("Most1 = Reshape (Most, MinusOne)")
      .Add("Longest = Squeeze (Most1)")
      .Add("IsFirst = Equal (New, Longest)")
      .Add("TotalBefore = Sub (Total, New)")
      .Add("Before = Where (IsFirst, Zero, TotalBefore)")
      .Add("NewSteps = Range (Zero, New, One)")
      .Add("NewRow = Reshape (NewSteps, Row)")
      .Add("Reached = Add (Before, NewRow)");

  // Positions.
  if (d.getInt("do_rotary", 0)) {
    if (d.hasInput(9))
      // If all keys are new, the other positions follow from the first one.
      d.body.Add("Given = Cast <to = 7> (position_ids)")
          .Add("GivenSizes = Shape (Given)")
          .Add("FlatIds = Reshape (Given, MinusOne)")
          .Add("FirstId = Gather <axis = 0> (FlatIds, Zero)")
          .Add("FromFirst = Add (FirstId, NewSteps)")
          .Add("FirstIds = Expand (FromFirst, GivenSizes)")
          .Add("Ids = Where (IsFirst, FirstIds, Given)");
    else
      d.body.Const("Plane", std::vector<int64_t>{0, -1})
          .Add("Ids = Reshape (Reached, Plane)");
    int64_t interleaved = d.getInt("rotary_interleaved", 0);
    int64_t rotated = 2 * d.getSize(7, 1);
    for (const char *part : {"Q", "K"})
      d.body.Add((std::string(part == std::string("Q") ? "Q" : "NewK") +
                  " = RotaryEmbedding (Plain" + part +
                  ", cos_cache, sin_cache, Ids)")
                     .c_str(),
                 "interleaved", interleaved, "rotary_embedding_dim", rotated);
  } else {
    d.body.Add("Q = Identity (PlainQ)").Add("NewK = Identity (PlainK)");
  }

  // Cache.
  if (hasPast)
    d.body.Add("Past1 = Shape <start = 2, end = 3> (past_key)")
        .Add("Places1 = Max (Past1, Most1)")
        .Add("Places = Squeeze (Places1)");
  else
    d.body.Add("Places1 = Identity (Most1)")
        .Add("Places = Identity (Longest)")
        .Const1D("Past1", int64_t(0));
  d.body.Add("Steps = Range (Zero, Places, One)")
      .Add("StepRow = Reshape (Steps, Row)")
      .Add("Filled = Add (Before, New)")
      .Add("IsFilled = Less (StepRow, Filled)")
      .Add("IsOld = Less (StepRow, Before)")
      .Add("Since = Sub (StepRow, Before)")
      .Add("FromNew = Add (Since, Past1)")
      .Add("FromAny = Where (IsOld, StepRow, FromNew)")
      .Add("From = Where (IsFilled, FromAny, Zero)");
  defineCache(d, "key", hasPast);
  defineCache(d, "value", hasPast);

  // Scores. Heads that share keys are rows of one matmul.
  float scale = d.getFloat("scale", 0), cap = d.getFloat("softcap", 0);
  if (scale != 0)
    d.body.Const("ScaleF", scale);
  else
    d.body.Add("Width1 = Shape <start = 3, end = 4> (Q)")
        .Add("WidthF = Cast <to = 1> (Width1)")
        .Add("Root = Sqrt (WidthF)")
        .Add("ScaleF = Reciprocal (Root)");
  d.body.Const("Merged", std::vector<int64_t>{0, groups, -1, 0})
      .Add("Scale = CastLike (ScaleF, Q)")
      .Add("ScaledQ = Mul (Q, Scale)")
      .Add("RowsQ = Reshape (ScaledQ, Merged)")
      .Add("KT = Transpose <perm = [0, 1, 3, 2]> (present_key)")
      .Add("Products = MatMul (RowsQ, KT)")
      .Add("Outer = Shape <start = 0, end = 3> (Q)")
      .Add("ScoreSizes = Concat <axis = 0> (Outer, Places1)")
      .Add("Scores = Reshape (Products, ScoreSizes)");
  if (cap != 0)
    d.body.Const("CapF", cap)
        .Add("Cap = CastLike (CapF, Q)")
        .Add("Shares = Div (Scores, Cap)")
        .Add("Bent = Tanh (Shares)")
        .Add("Capped = Mul (Bent, Cap)");
  else
    d.body.Add("Capped = Identity (Scores)");
  if (d.hasInput(10))
    // The bias has the length of the longest sequence.
    d.body.Const("NoPads", std::vector<int64_t>(7, 0))
        .Add("Rest = Sub (Places1, Most1)")
        .Add("Pads = Concat <axis = 0> (NoPads, Rest)")
        .Add("Bias = Pad (attention_bias, Pads)")
        .Add("Biased = Add (Capped, Bias)");
  else
    d.body.Add("Biased = Identity (Capped)");

  // Causal mask. A row past the end of its sequence is masked like the last
  // one.
  d.body.Add("FileLocation = Min (Reached, LastColumn)")
      .Add("IsPast = LessOrEqual (Steps, FileLocation)");
  if (int64_t window = d.getInt("local_window_size", -1); window >= 0)
    d.body.Const("Window", window)
        .Add("Outside = Sub (FileLocation, Window)")
        .Add("IsNear = Greater (Steps, Outside)")
        .Add("Counts = And (IsPast, IsNear)");
  else
    d.body.Add("Counts = Identity (IsPast)");
  d.body.Const("LowestF", -std::numeric_limits<float>::infinity())
      .Add("Lowest = CastLike (LowestF, Q)")
      .Add("Masked = Where (Counts, Biased, Lowest)");

  // A sink contributes to the denominator of the softmax, and has no value.
  if (d.hasInput(11) || d.getInt("smooth_softmax", 0) > 0) {
    d.body.Const("Heads", std::vector<int64_t>{1, -1, 1, 1})
        .Const1D("Single", int64_t(1))
        .Const1D("KeyAxis", int64_t(3))
        .Const1D("First", int64_t(0))
        .Add("SinkSizes = Concat <axis = 0> (Outer, Single)")
        .Add(d.hasInput(11) ? "Sink = Reshape (head_sink, Heads)"
                            : "Sink = CastLike (NothingF, Q)")
        .Add("Sinks = Expand (Sink, SinkSizes)")
        .Add("WithSink = Concat <axis = 3> (Masked, Sinks)")
        .Add("AllWeights = Softmax <axis = -1> (WithSink)")
        .Add("Weights = Slice (AllWeights, First, MinusOne, KeyAxis)");
  } else {
    d.body.Add("Weights = Softmax <axis = -1> (Masked)");
  }
  d.body.Const("Joined", std::vector<int64_t>{0, 0, -1})
      .Add("WeightRows = Reshape (Weights, Merged)")
      .Add("Rows = MatMul (WeightRows, present_value)")
      .Add("Sizes = Concat <axis = 0> (Outer, MinusOne)")
      .Add("Y = Reshape (Rows, Sizes)")
      .Add("YT = Transpose <perm = [0, 2, 1, 3]> (Y)")
      .Add("output = Reshape (YT, Joined)");
}
