//===- VendorFunctions.cpp - Quantizers of TensorRT and Quark -------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Defines the operators of domain `trt` as implemented by the importers of
// onnx-tensorrt (onnxOpImporters.cpp) and the exporters of NVIDIA's Model
// Optimizer (modelopt/torch/quantization and modelopt/onnx/export), and those
// of domain `com.amd.quark`, formerly `com.vai.quantize`, as documented by
// Quark.
//
//===----------------------------------------------------------------------===//

#include "FunctionRows.h"

using namespace mlir::quant_float;
using namespace mlir::quant_float::onnx_import;

using ::onnx::TensorProto;

//===----------------------------------------------------------------------===//
// TensorRT
//===----------------------------------------------------------------------===//

/// Adds `axis` and `block_size` to the last node. If the node lacks them, they
/// follow from the shapes. A vector of scales is along the first axis.
static void addGranularity(Definition &d) {
  int64_t axis = d.getInt("axis", 0), block = d.getInt("block_size", 0);
  if (block == 0 && d.getRank(1) > 1) {
    int rank = d.getRank(0);
    if (d.getRank(1) != rank)
      throw std::invalid_argument("input 1: expected rank " +
                                  std::to_string(rank) + ", but got " +
                                  std::to_string(d.getRank(1)));
    for (int i = 0; i < rank; ++i) {
      int64_t size = d.getSize(0, i), count = d.getSize(1, i);
      if (size == count)
        continue;
      if (block != 0 || count == 0 || size % count != 0)
        throw std::invalid_argument(
            "input 1: expected blocks along one axis of input 0");
      axis = i;
      block = size / count;
    }
    block = std::max<int64_t>(block, 1);
  }
  d.body.AddAttributeToNode("axis", axis);
  if (block != 0)
    d.body.AddAttributeToNode("block_size", block);
}

static void defineTrtQuantize(Definition &d, int64_t element) {
  d.body.Add(d.hasInput(2) ? "y = QuantizeLinear (x, scale, zero_point)"
                           : "y = QuantizeLinear (x, scale)");
  addGranularity(d);
  if (!d.hasInput(2))
    d.body.AddAttributeToNode("output_dtype", element);
}

static void defineFp8Quantize(Definition &d) {
  defineTrtQuantize(d, TensorProto::FLOAT8E4M3FN);
}
static void defineInt4Quantize(Definition &d) {
  defineTrtQuantize(d, TensorProto::INT4);
}

/// Adds `to`, an input of this type that files may store as bytes.
static void addEncodings(Definition &d, int index, const std::string &from,
                         const std::string &to, int64_t element) {
  d.opset = kBitCastOpset;
  if (d.getElement(index) == TensorProto::UINT8)
    d.body.Add((to + " = BitCast (" + from + ")").c_str(), "to", element);
  else
    d.body.Add((to + " = Identity (" + from + ")").c_str());
}

static void defineFp8Dequantize(Definition &d) {
  addEncodings(d, 0, "x", "Quantized", TensorProto::FLOAT8E4M3FN);
  d.body.Add(d.hasInput(2)
                 ? "y = DequantizeLinear (Quantized, scale, zero_point)"
                 : "y = DequantizeLinear (Quantized, scale)");
  addGranularity(d);
}

static void defineInt4Dequantize(Definition &d) {
  d.body.Add(d.hasInput(2) ? "y = DequantizeLinear (x, scale, zero_point)"
                           : "y = DequantizeLinear (x, scale)");
  addGranularity(d);
}

/// The scales are powers of two, one per block.
static void defineMxfp8Dequantize(Definition &d) {
  addEncodings(d, 0, "x", "Quantized", TensorProto::FLOAT8E4M3FN);
  addEncodings(d, 1, "scale", "Powers", TensorProto::FLOAT8E8M0);
  d.body.Add("y = DequantizeLinear (Quantized, Powers)", "axis",
             d.getInt("axis", -1), "block_size", d.getInt("block_size", 32),
             "output_dtype", d.getInt("output_dtype", TensorProto::FLOAT));
}

/// Adds `Most`, the maximum magnitude of each block along the last axis, in
/// f32. Returns the block size.
static int64_t addBlockMaxima(Definition &d, int64_t defaultBlock) {
  int rank = d.getRank(0);
  int64_t axis = d.getInt("axis", -1);
  int64_t block = d.getInt("block_size", defaultBlock);
  if (rank < 1 || (axis != -1 && axis != rank - 1))
    throw std::invalid_argument("attribute 'axis': expected the last axis, but "
                                "got " +
                                std::to_string(axis));
  int64_t size = d.getSize(0, rank - 1);
  if (block < 1 || size % block != 0)
    throw std::invalid_argument(
        "attribute 'block_size': expected a divisor of " +
        std::to_string(size) + ", but got " + std::to_string(block));
  std::vector<int64_t> shape(rank, 0);
  shape.back() = size / block;
  shape.push_back(block);
  d.body.Const("BlockShape", shape)
      .Const1D("Inner", int64_t(rank))
      .Add("Wide = Cast <to = 1> (x)")
      .Add("Sizes = Abs (Wide)")
      .Add("Blocks = Reshape (Sizes, BlockShape)")
      .Add("Most = ReduceMax <keepdims = 0> (Blocks, Inner)");
  return block;
}

/// The scale of a block is the smallest power of two that scales its maximum
/// magnitude to at most 448.
static void defineMxfp8Quantize(Definition &d) {
  d.opset = kBitCastOpset;
  constexpr float kLargest = 448;
  int64_t block = addBlockMaxima(d, 32);
  int64_t element = d.getInt("output_dtype", TensorProto::FLOAT8E4M3FN);
  d.body.Const("Largest", kLargest)
      .Add("Shares = Div (Most, Largest)")
      .Add("Powers = Cast <round_mode = \"up\"> (Shares)", "to",
           int64_t(TensorProto::FLOAT8E8M0))
      .Add("y = QuantizeLinear (Wide, Powers)", "axis", int64_t(-1),
           "block_size", block, "output_dtype", element)
      .Add("scales = BitCast (Powers)", "to", int64_t(TensorProto::UINT8));
}

/// The scale of a block is its maximum magnitude divided by 6, and is itself
/// quantized with the scale of the tensor. The block is divided by the
/// dequantized scale.
static void defineFp4Quantize(Definition &d) {
  constexpr float kLargest = 6;
  int64_t block = addBlockMaxima(d, 16);
  int64_t element = d.getInt("scale_type", TensorProto::FLOAT8E4M3FN);
  d.body.Const("Largest", kLargest)
      .Const("Zero", 0.0F)
      .Const("One", 1.0F)
      .Add("Whole = Cast <to = 1> (scale)")
      .Add("Shares = Div (Most, Largest)")
      .Add("scales = QuantizeLinear (Shares, Whole)", "output_dtype", element)
      .Add("Meant = DequantizeLinear (scales, Whole)")
      // A block of zeros remains zero.
      .Add("IsZero = Equal (Meant, Zero)")
      .Add("Divisors = Where (IsZero, One, Meant)")
      .Add("y = QuantizeLinear (Wide, Divisors)", "axis", int64_t(-1),
           "block_size", block, "output_dtype",
           int64_t(TensorProto::FLOAT4E2M1));
}

const FunctionRows &onnx_import::getTensorRtRows() {
  static const FunctionRow dequantize = {{"x", "scale", "zero_point"},
                                         {"y"},
                                         {"axis", "block_size"},
                                         defineInt4Dequantize,
                                         /*like=*/1};
  static const FunctionRows rows = {
      {NodeKind::TensorRtDequantizeLinear, dequantize},
      {NodeKind::TensorRtTRT_FP4DynamicQuantize,
       {{"x", "scale"},
        {"y", "scales"},
        {"axis", "block_size", "scale_type"},
        defineFp4Quantize,
        /*like=*/-1}},
      {NodeKind::TensorRtTRT_FP8DequantizeLinear,
       {{"x", "scale", "zero_point"},
        {"y"},
        {"axis", "block_size"},
        defineFp8Dequantize,
        /*like=*/1}},
      {NodeKind::TensorRtTRT_FP8QuantizeLinear,
       {{"x", "scale", "zero_point"},
        {"y"},
        {"axis", "block_size"},
        defineFp8Quantize,
        /*like=*/2}},
      {NodeKind::TensorRtTRT_INT4DequantizeLinear, dequantize},
      {NodeKind::TensorRtTRT_INT4QuantizeLinear,
       {{"x", "scale", "zero_point"},
        {"y"},
        {"axis", "block_size"},
        defineInt4Quantize,
        /*like=*/2}},
      {NodeKind::TensorRtTRT_MXFP8DequantizeLinear,
       {{"x", "scale"},
        {"y"},
        {"axis", "block_size", "output_dtype"},
        defineMxfp8Dequantize,
        /*like=*/-1}},
      {NodeKind::TensorRtTRT_MXFP8DynamicQuantize,
       {{"x"},
        {"y", "scales"},
        {"axis", "block_size", "output_dtype"},
        defineMxfp8Quantize,
        /*like=*/-1}},
  };
  return rows;
}

//===----------------------------------------------------------------------===//
// Quark
//===----------------------------------------------------------------------===//

/// Whether ONNX's operators support quantized values of the type.
static bool isOfOnnx(int element) {
  switch (element) {
  case TensorProto::INT8:
  case TensorProto::UINT8:
  case TensorProto::INT16:
  case TensorProto::UINT16:
  case TensorProto::INT4:
  case TensorProto::UINT4:
    return true;
  default:
    return false;
  }
}

/// Adds `ScaleAll` and `PointAll`, the latter in f64, reshaped to broadcast
/// along their axis of x.
static void addAlongAxis(Definition &d) {
  std::vector<int64_t> shape;
  if (d.getRank(1) == 1) {
    int64_t rank = d.getRank(0), axis = d.getInt("axis", 1);
    axis += axis < 0 ? rank : 0;
    if (d.findSize(1, 0) != 1) {
      if (axis < 0 || axis >= rank)
        throw std::invalid_argument("attribute 'axis': expected an axis of " +
                                    std::to_string(rank) + " dimensions");
      shape.assign(rank, 1);
      shape[axis] = -1;
    }
  }
  d.body.Const("Along", shape)
      .Add("Wide = Cast <to = 1> (scale)")
      .Add("ScaleAll = Reshape (Wide, Along)")
      .Add("Point = Cast <to = 11> (zero_point)")
      .Add("PointAll = Reshape (Point, Along)");
}

/// For types that ONNX's QuantizeLinear lacks: rounds to integers, unless the
/// type is a float, and clamps to the range of the type.
static void defineExtendedQuantize(Definition &d) {
  int element = d.getElement(2);
  if (!d.hasInput(2) || isOfOnnx(element)) {
    d.body.Add(d.hasInput(2) ? "y = QuantizeLinear (x, scale, zero_point)"
                             : "y = QuantizeLinear (x, scale)",
               "axis", d.getInt("axis", 1));
    return;
  }
  static const std::map<int, std::pair<double, double>> kEnds = {
      {TensorProto::INT32, {-2147483648.0, 2147483647.0}},
      {TensorProto::UINT32, {0.0, 4294967295.0}},
      {TensorProto::FLOAT16, {-65504.0, 65504.0}},
      {TensorProto::BFLOAT16, {-0x1.fep127, 0x1.fep127}}};
  auto ends = kEnds.find(element);
  if (ends == kEnds.end())
    throw std::invalid_argument(
        "input 2: expected integers of 4 to 32 bits, float16 or bfloat16");
  bool isFloat =
      element == TensorProto::FLOAT16 || element == TensorProto::BFLOAT16;
  addAlongAxis(d);
  d.body.Const("Low", ends->second.first)
      .Const("High", ends->second.second)
      .Add("Floats = Cast <to = 1> (x)")
      .Add("Quotient = Div (Floats, ScaleAll)")
      .Add(isFloat ? "Whole = Identity (Quotient)" : "Whole = Round (Quotient)")
      .Add("Wider = Cast <to = 11> (Whole)")
      .Add("Moved = Add (Wider, PointAll)")
      .Add("NotBelow = Max (Moved, Low)")
      .Add("Inside = Min (NotBelow, High)")
      .Add("y = Cast (Inside)", "to", int64_t(element));
}

static void defineExtendedDequantize(Definition &d) {
  int element = d.getElement(0);
  if (!d.hasInput(2) || isOfOnnx(element)) {
    d.body.Add(d.hasInput(2) ? "y = DequantizeLinear (x, scale, zero_point)"
                             : "y = DequantizeLinear (x, scale)",
               "axis", d.getInt("axis", 1));
    return;
  }
  addAlongAxis(d);
  d.body.Add("Quantized = Cast <to = 11> (x)")
      .Add("Difference = Sub (Quantized, PointAll)")
      .Add("Floats = Cast <to = 1> (Difference)")
      .Add("Product = Mul (Floats, ScaleAll)")
      .Add("y = CastLike (Product, scale)");
}

const FunctionRows &onnx_import::getQuarkRows() {
  static const FunctionRow quantize = {{"x", "scale", "zero_point"},
                                       {"y"},
                                       {"axis"},
                                       defineExtendedQuantize,
                                       /*like=*/2},
                           dequantize = {{"x", "scale", "zero_point"},
                                         {"y"},
                                         {"axis"},
                                         defineExtendedDequantize,
                                         /*like=*/1};
  static const FunctionRows rows = {
      {NodeKind::QuarkExtendedDequantizeLinear, dequantize},
      {NodeKind::QuarkExtendedQuantizeLinear, quantize},
      {NodeKind::QuarkVitisDequantizeLinear, dequantize},
      {NodeKind::QuarkVitisQuantizeLinear, quantize},
  };
  return rows;
}
