//===- UnpackWeights.cpp - Convert MatMulNBits to ONNX ops ----------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Encodings.h"
#include "NodeBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"
#include "quant-float/IR/Constants.h"
#include "quant-float/IR/OpsetRules.h"
#include "quant-float/Support/Locations.h"
#include "quant-float/Support/OpsetImports.h"
#include "quant-float/Transforms/Passes.h"
#include "llvm/Support/DebugLog.h"
#include "llvm/Support/MathExtras.h"
#include <limits>

namespace mlir::quant_float {
#define GEN_PASS_DEF_QUANTFLOATUNPACKWEIGHTSPASS
#include "quant-float/Transforms/Passes.h.inc"
} // namespace mlir::quant_float

#define DEBUG_TYPE "quant-float-unpack-weights"

using namespace mlir;
using namespace mlir::quant_float;

namespace {
/// The first opsets in which DequantizeLinear supports blocks and 4-bit values,
/// a result type that differs from the scale's, and 2-bit values.
constexpr int64_t kBlocksOpset = 21, kResultTypeOpset = 23, kTwoBitsOpset = 25;

/// A MatMulNBits with N rows of weights, each with blocks along K.
class PackedNode {
public:
  PackedNode(NodeOp node, int64_t opset) : node(node), opset(opset) {}

  /// Returns an error message if the node cannot be converted, and an empty
  /// string otherwise.
  std::string analyze();
  void unpack(RewriterBase &rewriter);

private:
  enum { kX, kCodes, kScales, kZeroPoints, kGroups, kBias, kNumInputs };

  int64_t getInt(StringRef name, int64_t defaultValue) const {
    auto value = NodeOp(node).getNodeAttributes().getAs<IntegerAttr>(name);
    return value ? value.getInt() : defaultValue;
  }
  /// Returns whether an input is a constant with this element type and number
  /// of elements.
  bool isConstant(unsigned input, Type elementType, int64_t count) const;
  /// Unpacks quantized values. Each row starts at a byte boundary and may end
  /// before one.
  Value unpackCodes(OpBuilder &builder, unsigned input, int64_t columns);

  NodeOp node;
  int64_t opset;
  Value inputs[kNumInputs];
  Type elementType, codeType;
  int64_t rows = 0, depth = 0, blockSize = 0, bits = 0, blocks = 0;
};

struct UnpackWeightsPass final
    : quant_float::impl::QuantFloatUnpackWeightsPassBase<UnpackWeightsPass> {
  using QuantFloatUnpackWeightsPassBase::QuantFloatUnpackWeightsPassBase;
  void runOnOperation() override;
};
} // namespace

bool PackedNode::isConstant(unsigned input, Type elementType,
                            int64_t count) const {
  auto type = dyn_cast<RankedTensorType>(inputs[input].getType());
  return type && type.hasStaticShape() &&
         type.getElementType() == elementType &&
         type.getNumElements() == count && getConstantBytes(inputs[input]);
}

std::string PackedNode::analyze() {
  ArrayRef<int64_t> absent = node.getAbsentInputs();
  auto operand = node.getInputs().begin(), end = node.getInputs().end();
  int64_t position = 0;
  for (; operand != end && position < kNumInputs; ++position)
    if (!llvm::is_contained(absent, position))
      inputs[position] = *operand++;
  if (operand != end || !inputs[kX] || !inputs[kCodes] || !inputs[kScales] ||
      node->getNumResults() != 1)
    return "its inputs or outputs do not match the operator";
  auto x = dyn_cast<TensorType>(inputs[kX].getType());
  if (!x || !isa<TensorType>(node->getResult(0).getType()))
    return "the type of its input is not known";
  elementType = x.getElementType();
  rows = getInt("N", 0);
  depth = getInt("K", 0);
  blockSize = getInt("block_size", 0);
  bits = getInt("bits", 4);
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
  if (rows < 1 || rows > kMost || depth < 1 || depth > kMost ||
      blockSize < 16 || blockSize > kMost || !llvm::isPowerOf2_64(blockSize) ||
      (bits != 2 && bits != 4 && bits != 8) || getInt("weight_prepacked", 0))
    return "its attributes are not supported";
  if (inputs[kGroups])
    return "its columns are permuted by g_idx";
  if (depth * bits % 8 != 0)
    return "its rows of quantized values do not end on a byte boundary";
  if (opset < kBlocksOpset)
    return "DequantizeLinear supports blocks from opset 21 on";
  if (bits == 2 && opset < kTwoBitsOpset)
    return "DequantizeLinear supports 2-bit values from opset 25 on";
  if (!elementType.isF32() && opset < kResultTypeOpset)
    return "it dequantizes to f32, which DequantizeLinear supports for scales "
           "of other types from opset 23 on";
  blocks = llvm::divideCeil(depth, blockSize);
  Builder builder(node.getContext());
  Type bytes = builder.getIntegerType(8, /*isSigned=*/false);
  codeType = builder.getIntegerType(bits, /*isSigned=*/false);
  if (!isConstant(kCodes, bytes, rows * blocks * (blockSize / 8 * bits)) ||
      !isConstant(kScales, elementType, rows * blocks))
    return "its weights or scales are not constants of matching sizes";
  if (inputs[kZeroPoints] &&
      !isConstant(kZeroPoints, bytes,
                  rows * llvm::divideCeil(blocks * bits, 8)))
    return "its zero points are not ui8 constants of matching sizes";
  return "";
}

Value PackedNode::unpackCodes(OpBuilder &builder, unsigned input,
                              int64_t columns) {
  ConstantBytes from = *getConstantBytes(inputs[input]);
  auto type = cast<RankedTensorType>(inputs[input].getType());
  int64_t stride = type.getNumElements() / rows;
  auto getByte = [&](int64_t row, int64_t column) -> unsigned char {
    return from.bytes[from.bytes.size() == 1 ? 0 : row * stride + column];
  };
  // Values in a resource stay packed, as in the file that they were read from.
  bool isPacked = from.isResource && columns * bits % 8 == 0;
  int64_t width = isPacked ? columns * bits / 8 : columns;
  SmallVector<char> made;
  made.reserve(rows * width);
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t i = 0; i < width; ++i)
      made.push_back(isPacked ? getByte(row, i)
                              : getByte(row, i * bits / 8) >> i * bits % 8 &
                                    ((1 << bits) - 1));
  Value value = createConstantOfBytes(
      builder, inputs[input].getLoc(),
      RankedTensorType::get({rows, columns}, codeType), std::move(made), from);
  keepConstantAttributes(inputs[input].getDefiningOp(), value.getDefiningOp());
  return value;
}

void PackedNode::unpack(RewriterBase &rewriter) {
  rewriter.setInsertionPoint(node);
  NodeBuilder b{rewriter, node.getLoc(), opset};
  Type f32 = rewriter.getF32Type();
  auto perBlock = [&](Type type) {
    return RankedTensorType::get({rows, blocks}, type);
  };
  ConstantBytes scaleBytes = *getConstantBytes(inputs[kScales]);
  Value scales = createConstantOfBytes(
      rewriter, inputs[kScales].getLoc(), perBlock(elementType),
      SmallVector<char>(scaleBytes.bytes), scaleBytes);
  keepConstantAttributes(inputs[kScales].getDefiningOp(),
                         scales.getDefiningOp());
  Value points = inputs[kZeroPoints]
                     ? unpackCodes(rewriter, kZeroPoints, blocks)
                     : createConstantOfBits(rewriter, b.getLoc("zero_point"),
                                            perBlock(codeType),
                                            APInt(bits, 1 << (bits - 1)));
  Value weights = DequantizeOp::create(
      rewriter, b.getLoc("DequantizeLinear"),
      RankedTensorType::get({rows, depth}, f32),
      unpackCodes(rewriter, kCodes, depth), scales, points, opset,
      /*domain=*/StringAttr(), /*axis=*/rewriter.getI64IntegerAttr(1),
      rewriter.getI64IntegerAttr(blockSize),
      /*ignored_attributes=*/ArrayAttr());
  Value turned = b.makeNode(
      "Transpose", weights, RankedTensorType::get({depth, rows}, f32),
      rewriter.getNamedAttr("perm", rewriter.getDenseI64ArrayAttr({1, 0})));
  auto type = cast<TensorType>(node->getResult(0).getType());
  Value x = b.cast(inputs[kX], f32, "Cast");
  Value result = b.makeNode("MatMul", {x, turned}, type.clone(f32));
  if (inputs[kBias])
    result = b.makeNode("Add", {result, b.cast(inputs[kBias], f32, "CastBias")},
                        type.clone(f32));
  result = b.cast(result, type.getElementType(), "CastResult");
  SmallVector<Operation *> constants;
  for (Value operand : node.getInputs())
    if (Operation *op = operand.getDefiningOp<AnyConstantOp>())
      constants.push_back(op);
  // The last node, which produces the result, takes over the name and
  // attributes.
  Operation *last = result.getDefiningOp();
  last->setLoc(node.getLoc());
  last->setDiscardableAttrs(node->getDiscardableAttrDictionary());
  rewriter.replaceOp(node, result);
  for (Operation *constant : constants)
    if (constant->use_empty())
      rewriter.eraseOp(constant);
}

void UnpackWeightsPass::runOnOperation() {
  IRRewriter rewriter(&getContext());
  SmallVector<NodeOp> found;
  getOperation()->walk([&](NodeOp node) {
    if (getNodeKind(node) == NodeKind::MicrosoftMatMulNBits)
      found.push_back(node);
  });
  int64_t opset = getOnnxOpset(getOperation()).value_or(0);
  for (NodeOp node : found) {
    PackedNode packed(node, opset);
    std::string reason = packed.analyze();
    if (!reason.empty()) {
      LDBG() << "not unpacking " << node << ": " << reason;
      emitNodeRemark(node) << "not unpacked: " << reason;
      continue;
    }
    LDBG() << "unpacking " << node;
    packed.unpack(rewriter);
    ++numUnpacked;
  }
}
