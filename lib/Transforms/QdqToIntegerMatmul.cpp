//===- QdqToIntegerMatmul.cpp - QDQ to integer matmul ---------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// If both operands are dequantized from 8-bit integers, scales are factored out
// of the reduction:
//
//   sum(sx * (x - zx) * (sw[c] * (w - zw[c]))) + bias[c]
//   // becomes
//   f32(sum((x - zx) * (w - zw[c]))) * (sx * sw[c]) + bias[c]
//
// The reduction is exact and uses the integer instructions of the target.
//
//===----------------------------------------------------------------------===//

#include "MatvecLimit.h"
#include "NodeBuilder.h"
#include "RewriteUtils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "quant-float/IR/Constants.h"
#include "quant-float/IR/QuantFloatOps.h"
#include "quant-float/IR/TransposeConstant.h"
#include "quant-float/Transforms/Passes.h"
#include "llvm/Support/DebugLog.h"

namespace mlir::quant_float {
#define GEN_PASS_DEF_QUANTFLOATQDQTOINTEGERMATMULPASS
#include "quant-float/Transforms/Passes.h.inc"
} // namespace mlir::quant_float

#define DEBUG_TYPE "quant-float-qdq-to-integer-matmul"

using namespace mlir;
using namespace mlir::quant_float;

/// The first opset that has ConvInteger and MatMulInteger, and the forms of the
/// surrounding ops that are used here.
static constexpr int64_t kOpset = 13;

/// The maximum number of products whose sum fits into 32 bits: 2^31 / 255^2.
static constexpr int64_t kMaxProducts = 33025;

namespace {
/// An operand that is dequantized from 8-bit integers, and its scales: one, or
/// one per index of an axis.
struct QuantizedOperand {
  DequantizeOp op;
  SmallVector<APFloat> scales;

  bool isPerTensor() const { return scales.size() == 1; }
};
} // namespace

static std::optional<QuantizedOperand> getQuantizedOperand(Value value) {
  auto op = value.getDefiningOp<DequantizeOp>();
  if (!op || !getElementTypeOrSelf(op.getType()).isF32() ||
      op.getBlockSize().value_or(0) != 0)
    return std::nullopt;
  auto type = dyn_cast<RankedTensorType>(op.getInput().getType());
  auto scale = dyn_cast<RankedTensorType>(op.getScale().getType());
  auto element = type ? dyn_cast<IntegerType>(type.getElementType()) : nullptr;
  if (!element || element.getWidth() != 8 || !scale || scale.getRank() > 1 ||
      !scale.getElementType().isF32() || !scale.hasStaticShape())
    return std::nullopt;
  std::optional<SmallVector<APInt>> bits = getConstantElements(op.getScale());
  if (!bits || bits->empty())
    return std::nullopt;
  QuantizedOperand operand{op, {}};
  for (const APInt &number : *bits)
    operand.scales.emplace_back(APFloat::IEEEsingle(), number);
  // Expand a splat of scales.
  operand.scales.resize(scale.getNumElements(), operand.scales.front());
  return operand;
}

/// Returns whether the scale is per tensor or along this axis.
static bool isPerTensorOrAlong(QuantizedOperand operand, int64_t axis) {
  auto type = cast<RankedTensorType>(operand.op.getInput().getType());
  int64_t own = static_cast<int64_t>(operand.op.getAxis().value_or(1));
  return operand.isPerTensor() || own == axis || own + type.getRank() == axis;
}

/// Returns whether the number of rows exceeds that of a matvec (R7). False if
/// it is not known.
static bool hasManyRows(Value x) {
  auto type = cast<RankedTensorType>(x.getType());
  int64_t rows = 1;
  for (int64_t size : type.getShape().drop_back()) {
    if (ShapedType::isDynamic(size))
      return false;
    rows = std::min<int64_t>(rows * size, kMaxMatvecRows + 1);
  }
  return type.getRank() > 1 && rows > kMaxMatvecRows;
}

/// Returns the zero point, or a constant 0 if there is none.
static Value getZeroPointOrZero(NodeBuilder &nodes, DequantizeOp op) {
  if (Value point = op.getZeroPoint())
    return point;
  return nodes.makeScalar(getElementTypeOrSelf(op.getInput()), 0);
}

static int64_t getInteger(NodeOp node, StringRef name) {
  auto attribute = node.getNodeAttributes().getAs<IntegerAttr>(name);
  return attribute ? attribute.getInt() : 0;
}

static bool isOne(NodeOp node, StringRef name) {
  auto attribute = node.getNodeAttributes().getAs<FloatAttr>(name);
  return !attribute || attribute.getValue().isExactlyValue(1.0);
}

/// Returns whether the node is a matmul or convolution that was converted.
static bool convertToInteger(RewriterBase &rewriter, NodeOp node) {
  std::optional<NodeKind> kind = getNodeKind(node);
  bool isConv = kind == NodeKind::Conv, isGemm = kind == NodeKind::Gemm;
  if ((!isConv && !isGemm && kind != NodeKind::MatMul) ||
      node.getInputs().size() < 2 || node->getNumResults() != 1)
    return false;
  auto refuse = [&](StringRef reason) {
    LDBG() << "not converting " << node << ": " << reason;
    return false;
  };
  auto type = dyn_cast<RankedTensorType>(node->getResult(0).getType());
  std::optional<QuantizedOperand> x = getQuantizedOperand(node.getInputs()[0]);
  std::optional<QuantizedOperand> weights =
      getQuantizedOperand(node.getInputs()[1]);
  Value bias = node.getInputs().size() > 2 ? node.getInputs()[2] : Value();
  if (!type || !x || !weights || !x->isPerTensor())
    return refuse("the operands are not dequantized from 8-bit integers with "
                  "constant scales, one for the lhs");
  auto weightType = cast<RankedTensorType>(weights->op.getInput().getType());
  if (!weightType.hasStaticShape() || weightType.getNumElements() == 0)
    return refuse("the weights are empty or of a dynamic size");
  // The lowering of the node reports invalid nodes.
  int64_t rank = type.getRank();
  auto xType = cast<RankedTensorType>(x->op.getInput().getType());
  auto biasType =
      bias ? dyn_cast<RankedTensorType>(bias.getType()) : RankedTensorType();
  if (rank < 2 || weightType.getRank() < 2 ||
      (isConv && (xType.getRank() != rank || weightType.getRank() != rank)) ||
      (isGemm && (xType.getRank() != 2 || rank != 2)) ||
      (bias && (!biasType || !biasType.getElementType().isF32() ||
                (isConv ? biasType.getRank() != 1 : biasType.getRank() > 2))))
    return refuse("the types are not those of the node");
  Value quantizedWeights = weights->op.getInput();
  ElementsAttr transposed;
  bool isTransposed = isGemm && getInteger(node, "transB");
  if (!isPerTensorOrAlong(
          *weights, isConv || isTransposed ? 0 : weightType.getRank() - 1) ||
      (!isConv &&
       (weightType.getRank() != 2 || !hasManyRows(x->op.getInput()))))
    return refuse("the scales are not per channel, or there are few rows");
  if (isGemm && (getInteger(node, "transA") || !isOne(node, "alpha") ||
                 !isOne(node, "beta")))
    return refuse("the lhs is transposed, or products are scaled");
  if (isTransposed) {
    ElementsAttr constant;
    if (!matchPattern(quantizedWeights, m_Constant(&constant)))
      return refuse("the transposed weights are not a constant");
    transposed = transposeConstant(constant);
  }
  // Sums of the products of 9-bit differences must fit into 32 bits.
  int64_t depth = weightType.getNumElements() /
                  (isConv || isTransposed ? weightType.getDimSize(0)
                                          : weightType.getDimSize(1));
  if (depth > kMaxProducts)
    return refuse("the accumulator may overflow");
  // If a product of scales is zero, subnormal or not finite, the rewrite would
  // round differently.
  for (const APFloat &scale : weights->scales)
    if (!(x->scales.front() * scale).isNormal())
      return refuse("a product of scales is not a normal number");
  // The shape of per-channel scales: channels are the second dimension of the
  // result.
  SmallVector<int64_t> perChannel;
  if (isConv) {
    perChannel.assign(rank, 1);
    perChannel[1] = -1;
  }

  LDBG() << "converting " << node;
  rewriter.setInsertionPoint(node);
  NodeBuilder nodes{rewriter, node.getLoc(), kOpset};
  if (transposed)
    quantizedWeights = createConstant(rewriter, quantizedWeights.getLoc(),
                                      cast<TypedAttr>(transposed));
  SmallVector<float> scales;
  for (const APFloat &scale : weights->scales)
    scales.push_back((x->scales.front() * scale).convertToFloat());
  SmallVector<int64_t> shape;
  if (!weights->isPerTensor()) {
    shape.push_back(scales.size());
    if (isConv) {
      shape = perChannel;
      shape[1] = scales.size();
    }
  }
  Value scale =
      createConstant(rewriter, node.getLoc(),
                     DenseElementsAttr::get(
                         RankedTensorType::get(shape, rewriter.getF32Type()),
                         ArrayRef<float>(scales)));
  SmallVector<NamedAttribute> attributes;
  if (isConv)
    llvm::append_range(attributes, node.getNodeAttributes());
  SmallVector<Value> inputs{x->op.getInput(), quantizedWeights,
                            getZeroPointOrZero(nodes, x->op),
                            getZeroPointOrZero(nodes, weights->op)};
  Value matmul =
      nodes.makeNode(isConv ? "ConvInteger" : "MatMulInteger", inputs,
                     type.clone(rewriter.getI32Type()), attributes);
  Value result = nodes.makeNode(
      "Mul", {nodes.cast(matmul, rewriter.getF32Type(), "sums"), scale}, type);
  if (bias) {
    if (isConv) {
      Value sizes = createConstant(rewriter, node.getLoc(),
                                   rewriter.getI64TensorAttr(perChannel));
      shape = perChannel;
      shape[1] = biasType.getDimSize(0);
      bias = nodes.makeNode("Reshape", {bias, sizes}, biasType.clone(shape));
    }
    result = nodes.makeNode("Add", {result, bias}, type);
  }
  rewriter.replaceOp(node, result);
  return true;
}

namespace {
struct QdqToIntegerMatmul final
    : quant_float::impl::QuantFloatQdqToIntegerMatmulPassBase<
          QdqToIntegerMatmul> {
  void runOnOperation() override {
    SmallVector<NodeOp> nodes;
    getOperation()->walk([&](NodeOp node) { nodes.push_back(node); });
    IRRewriter rewriter(&getContext());
    for (NodeOp node : nodes)
      if (convertToInteger(rewriter, node))
        ++numConverted;
  }
};
} // namespace
