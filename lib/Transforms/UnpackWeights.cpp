//===- UnpackWeights.cpp - Convert packed weights to ONNX ops -------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/Transforms/UnpackWeights.h"
#include "NodeBuilder.h"
#include "RewriteUtils.h"
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
/// a result type that differs from the scale's, f4E2M1FN, and 2-bit values.
constexpr int64_t kBlocksOpset = 21, kResultTypeOpset = 23, kFloat4Opset = 23,
                  kTwoBitsOpset = 25;

/// The upper bound of sizes in attributes.
constexpr int64_t kMaxSize = std::numeric_limits<int32_t>::max();

/// A matmul with N rows of weights, each with blocks along K.
class PackedNode {
public:
  PackedNode(NodeOp node, int64_t opset, unsigned numInputs, unsigned bias)
      : node(node), opset(opset), numInputs(numInputs), bias(bias) {}
  virtual ~PackedNode() = default;

  /// Returns an error message if the node cannot be converted, and an empty
  /// string otherwise.
  std::string analyze();
  void unpack(RewriterBase &rewriter);
  NodeOp getNode() const { return node; }

protected:
  enum { kX, kQuantized, kScales };

  /// Checks the inputs and attributes of the operator.
  virtual std::string analyzeOperator() = 0;
  /// Returns the dequantized weights, a matrix with one row per output.
  virtual Value makeWeights(NodeBuilder &b) = 0;
  /// Returns the lhs of the matmul.
  virtual Value makeActivations(NodeBuilder &b) { return inputs[kX]; }
  /// Returns the type of the matmul and of the addition of the bias.
  virtual Type getComputeType() const = 0;

  int64_t getInt(StringRef name, int64_t defaultValue) const {
    auto value = NodeOp(node).getNodeAttributes().getAs<IntegerAttr>(name);
    return value ? value.getInt() : defaultValue;
  }
  /// Returns whether an input is a constant with this element type and number
  /// of elements.
  bool isConstant(unsigned input, Type elementType, int64_t count) const;
  bool isConstant(unsigned input, Type elementType,
                  ArrayRef<int64_t> shape) const {
    auto type = dyn_cast<RankedTensorType>(inputs[input].getType());
    return type && type.getShape() == shape &&
           isConstant(input, elementType, type.getNumElements());
  }
  /// Returns a constant with the bytes of an input in another type.
  Value retype(OpBuilder &builder, unsigned input, Type elementType,
               ArrayRef<int64_t> shape);
  /// Unpacks quantized values. Each row starts at a byte boundary and may end
  /// before one.
  Value unpackQuantized(OpBuilder &builder, unsigned input, int64_t columns);

  NodeOp node;
  int64_t opset;
  SmallVector<Value> inputs;
  Type elementType, quantizedType;
  int64_t rows = 0, depth = 0, blockSize = 0, bits = 0, blocks = 0;

private:
  unsigned numInputs, bias;
};

/// MatMulNBits. It dequantizes to f32 and computes in f32 (R5).
class NBitsNode final : public PackedNode {
public:
  NBitsNode(NodeOp node, int64_t opset)
      : PackedNode(node, opset, kNumInputs, kBias) {}

private:
  enum { kZeroPoints = kScales + 1, kGroups, kBias, kNumInputs };

  std::string analyzeOperator() override;
  Value makeWeights(NodeBuilder &b) override;
  Type getComputeType() const override {
    return Float32Type::get(node->getContext());
  }
};

/// MatMulBlockQuantizedFp4Weight and MatMulBlockQuantizedFp8Weight. They
/// dequantize to the type of the activations and compute in it (R9).
class BlockFloatNode final : public PackedNode {
public:
  BlockFloatNode(NodeOp node, int64_t opset)
      : PackedNode(node, opset, isPacked(node) ? kNumPackedInputs : kNumInputs,
                   isPacked(node) ? kPackedBias : kBias),
        hasPackedWeights(isPacked(node)) {}

private:
  enum { kActivationScale = kScales + 1, kBias, kNumInputs };
  enum { kScaleOfScales = kScales + 1, kUnused, kPackedBias, kNumPackedInputs };

  static bool isPacked(NodeOp node) {
    return getNodeKind(node) ==
           NodeKind::MicrosoftMatMulBlockQuantizedFp4Weight;
  }

  std::string analyzeOperator() override;
  Value makeWeights(NodeBuilder &b) override;
  Value makeActivations(NodeBuilder &b) override;
  Type getComputeType() const override { return elementType; }
  /// Creates a dequantize with a scale of f32, and a cast if the opset requires
  /// a result of the same type.
  Value makeDequantize(NodeBuilder &b, StringRef what, TensorType type,
                       Value quantized, Value scale, bool isBlocked) const;

  bool hasPackedWeights;
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
  inputs.resize(numInputs);
  int64_t position = 0;
  for (; operand != end && position < numInputs; ++position)
    if (!llvm::is_contained(absent, position))
      inputs[position] = *operand++;
  if (operand != end || !inputs[kX] || !inputs[kQuantized] ||
      !inputs[kScales] || node->getNumResults() != 1)
    return "its inputs or outputs do not match the operator";
  auto x = dyn_cast<TensorType>(inputs[kX].getType());
  if (!x || !isa<TensorType>(node->getResult(0).getType()))
    return "the type of its input is not known";
  elementType = x.getElementType();
  return analyzeOperator();
}

std::string NBitsNode::analyzeOperator() {
  rows = getInt("N", 0);
  depth = getInt("K", 0);
  blockSize = getInt("block_size", 0);
  bits = getInt("bits", 4);
  if (rows < 1 || rows > kMaxSize || depth < 1 || depth > kMaxSize ||
      blockSize < 16 || blockSize > kMaxSize ||
      !llvm::isPowerOf2_64(blockSize) ||
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
  quantizedType = builder.getIntegerType(bits, /*isSigned=*/false);
  if (!isConstant(kQuantized, bytes, rows * blocks * (blockSize / 8 * bits)) ||
      !isConstant(kScales, elementType, rows * blocks))
    return "its weights or scales are not constants of matching sizes";
  if (inputs[kZeroPoints] &&
      !isConstant(kZeroPoints, bytes,
                  rows * llvm::divideCeil(blocks * bits, 8)))
    return "its zero points are not ui8 constants of matching sizes";
  return "";
}

/// Returns whether the value is a constant f32 with one element.
static bool isScalar(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.getElementType().isF32() && type.hasStaticShape() &&
         type.getNumElements() == 1 && getConstantBytes(value);
}

std::string BlockFloatNode::analyzeOperator() {
  Builder builder(node.getContext());
  auto weightType = dyn_cast<RankedTensorType>(inputs[kQuantized].getType());
  if (!weightType || weightType.getRank() != 2 || !weightType.hasStaticShape())
    return "its weights or scales are not constants of matching sizes";
  blockSize = getInt("block_size", hasPackedWeights ? 16 : 128);
  rows = weightType.getDimSize(0);
  depth = weightType.getDimSize(1);
  bool hasOnlySize =
      llvm::all_of(node.getNodeAttributes(), [](NamedAttribute attribute) {
        return attribute.getName() == "block_size" &&
               isa<IntegerAttr>(attribute.getValue());
      });
  if (!hasOnlySize || rows < 1 || rows > kMaxSize || depth < 1 ||
      depth > kMaxSize / 2 || blockSize < 1 || blockSize > kMaxSize ||
      (!elementType.isF16() && !elementType.isBF16()))
    return "its attributes are not supported";
  if (opset < kBlocksOpset)
    return "DequantizeLinear supports blocks from opset 21 on";
  if (hasPackedWeights && opset < kFloat4Opset)
    return "DequantizeLinear supports f4E2M1FN from opset 23 on";
  bits = hasPackedWeights ? 4 : 8;
  depth = depth * 8 / bits;
  blocks = llvm::divideCeil(depth, blockSize);
  Type bytes = builder.getIntegerType(8, /*isSigned=*/false);
  quantizedType = hasPackedWeights ? Type(builder.getType<Float4E2M1FNType>())
                                   : Type(builder.getType<Float8E4M3FNType>());
  int64_t shape[] = {rows, blocks};
  if (!isConstant(kQuantized, hasPackedWeights ? bytes : quantizedType,
                  weightType.getShape()) ||
      !isConstant(kScales, hasPackedWeights ? bytes : builder.getF32Type(),
                  shape))
    return "its weights or scales are not constants of matching sizes";
  unsigned biasIndex = hasPackedWeights ? kPackedBias : kBias;
  if ((hasPackedWeights && !inputs[kScaleOfScales]) ||
      (inputs[biasIndex] &&
       inputs[biasIndex].getType() != RankedTensorType::get(rows, elementType)))
    return "its inputs or outputs do not match the operator";
  // Both operators have the scale of a tensor after the scales of the weights.
  static_assert(int(kScaleOfScales) == int(kActivationScale));
  if (inputs[kScaleOfScales] && !isScalar(inputs[kScaleOfScales]))
    return "its scale of a tensor is not a constant f32 with one element";
  return "";
}

Value PackedNode::retype(OpBuilder &builder, unsigned input, Type elementType,
                         ArrayRef<int64_t> shape) {
  ConstantBytes from = *getConstantBytes(inputs[input]);
  Value value = createConstantOfBytes(builder, inputs[input].getLoc(),
                                      RankedTensorType::get(shape, elementType),
                                      SmallVector<char>(from.bytes), from);
  keepConstantAttributes(inputs[input].getDefiningOp(), value.getDefiningOp());
  return value;
}

Value PackedNode::unpackQuantized(OpBuilder &builder, unsigned input,
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
      RankedTensorType::get({rows, columns}, quantizedType), std::move(made),
      from);
  keepConstantAttributes(inputs[input].getDefiningOp(), value.getDefiningOp());
  return value;
}

Value NBitsNode::makeWeights(NodeBuilder &b) {
  OpBuilder &builder = b.builder;
  int64_t perBlock[] = {rows, blocks};
  Value scales = retype(builder, kScales, elementType, perBlock);
  Value points =
      inputs[kZeroPoints]
          ? unpackQuantized(builder, kZeroPoints, blocks)
          : createConstantOfBits(builder, b.getLoc("zero_point"),
                                 RankedTensorType::get(perBlock, quantizedType),
                                 APInt(bits, 1 << (bits - 1)));
  return DequantizeOp::create(
      builder, b.getLoc("DequantizeLinear"),
      RankedTensorType::get({rows, depth}, builder.getF32Type()),
      unpackQuantized(builder, kQuantized, depth), scales, points, opset,
      /*domain=*/StringAttr(), /*axis=*/builder.getI64IntegerAttr(1),
      builder.getI64IntegerAttr(blockSize),
      /*ignored_attributes=*/ArrayAttr());
}

Value BlockFloatNode::makeDequantize(NodeBuilder &b, StringRef what,
                                     TensorType type, Value quantized,
                                     Value scale, bool isBlocked) const {
  auto getAttr = [&](int64_t value) {
    return isBlocked ? b.builder.getI64IntegerAttr(value) : IntegerAttr();
  };
  Type to =
      opset < kResultTypeOpset ? b.builder.getF32Type() : type.getElementType();
  Value result = DequantizeOp::create(
      b.builder, b.getLoc(what), type.clone(to), quantized, scale,
      /*zero_point=*/Value(), opset, /*domain=*/StringAttr(),
      /*axis=*/getAttr(1), getAttr(blockSize),
      /*ignored_attributes=*/ArrayAttr());
  return b.cast(result, type.getElementType(), "CastDequantized");
}

Value BlockFloatNode::makeWeights(NodeBuilder &b) {
  OpBuilder &builder = b.builder;
  int64_t perBlock[] = {rows, blocks};
  Type f32 = builder.getF32Type();
  auto type = RankedTensorType::get({rows, depth}, elementType);
  if (!hasPackedWeights)
    return makeDequantize(b, "DequantizeLinear", type, inputs[kQuantized],
                          inputs[kScales], /*isBlocked=*/true);
  Value encodings =
      retype(builder, kScales, builder.getType<Float8E4M3FNType>(), perBlock);
  Value scales = makeDequantize(
      b, "DequantizeScales", RankedTensorType::get(perBlock, f32), encodings,
      retype(builder, kScaleOfScales, f32, {}), /*isBlocked=*/false);
  return makeDequantize(b, "DequantizeLinear", type,
                        unpackQuantized(builder, kQuantized, depth), scales,
                        /*isBlocked=*/true);
}

Value BlockFloatNode::makeActivations(NodeBuilder &b) {
  if (hasPackedWeights || !inputs[kActivationScale])
    return inputs[kX];
  OpBuilder &builder = b.builder;
  auto type = cast<TensorType>(inputs[kX].getType());
  Value scale =
      retype(builder, kActivationScale, builder.getF32Type(), /*shape=*/{});
  Value x = inputs[kX];
  if (opset < kResultTypeOpset)
    x = b.cast(x, builder.getF32Type(), "CastActivations");
  Value quantized = QuantizeOp::create(
      builder, b.getLoc("QuantizeLinear"), type.clone(quantizedType), x, scale,
      /*zero_point=*/Value(), builder.getI64IntegerAttr(opset),
      /*domain=*/StringAttr(), /*axis=*/IntegerAttr(),
      /*block_size=*/IntegerAttr(), /*ignored_attributes=*/ArrayAttr(),
      /*saturate=*/BoolAttr(), /*precision=*/TypeAttr());
  return makeDequantize(b, "DequantizeActivations", type, quantized, scale,
                        /*isBlocked=*/false);
}

void PackedNode::unpack(RewriterBase &rewriter) {
  rewriter.setInsertionPoint(node);
  NodeBuilder b{rewriter, node.getLoc(), opset};
  Type computeType = getComputeType();
  Value weights = makeWeights(b);
  Value turned = b.makeNode(
      "Transpose", weights, RankedTensorType::get({depth, rows}, computeType),
      rewriter.getNamedAttr("perm", rewriter.getDenseI64ArrayAttr({1, 0})));
  auto type = cast<TensorType>(node->getResult(0).getType());
  Value x = b.cast(makeActivations(b), computeType, "Cast");
  Value result = b.makeNode("MatMul", {x, turned}, type.clone(computeType));
  if (inputs[bias])
    result = b.makeNode("Add",
                        {result, b.cast(inputs[bias], computeType, "CastBias")},
                        type.clone(computeType));
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

static bool hasFloatWeights(NodeOp node) {
  std::optional<NodeKind> kind = getNodeKind(node);
  return kind == NodeKind::MicrosoftMatMulBlockQuantizedFp4Weight ||
         kind == NodeKind::MicrosoftMatMulBlockQuantizedFp8Weight;
}

/// Returns the node if it has packed weights, or null.
static std::unique_ptr<PackedNode> getPackedNode(NodeOp node, int64_t opset) {
  if (getNodeKind(node) == NodeKind::MicrosoftMatMulNBits)
    return std::make_unique<NBitsNode>(node, opset);
  if (hasFloatWeights(node))
    return std::make_unique<BlockFloatNode>(node, opset);
  return nullptr;
}

void quant_float::unpackFloatWeights(ModuleOp module) {
  IRRewriter rewriter(module.getContext());
  SmallVector<NodeOp> found;
  module.walk([&](NodeOp node) {
    if (hasFloatWeights(node))
      found.push_back(node);
  });
  for (NodeOp node : found) {
    BlockFloatNode packed(node, kNewestOpset);
    if (packed.analyze().empty())
      packed.unpack(rewriter);
  }
}

void UnpackWeightsPass::runOnOperation() {
  IRRewriter rewriter(&getContext());
  SmallVector<std::unique_ptr<PackedNode>> found;
  int64_t opset = getOnnxOpset(getOperation()).value_or(0);
  getOperation()->walk([&](NodeOp node) {
    if (auto packed = getPackedNode(node, opset))
      found.push_back(std::move(packed));
  });
  for (const std::unique_ptr<PackedNode> &packed : found) {
    NodeOp node = packed->getNode();
    std::string reason = packed->analyze();
    if (!reason.empty()) {
      LDBG() << "not unpacking " << node << ": " << reason;
      emitNodeRemark(node) << "not unpacked: " << reason;
      continue;
    }
    LDBG() << "unpacking " << node;
    packed->unpack(rewriter);
    ++numUnpacked;
  }
}
