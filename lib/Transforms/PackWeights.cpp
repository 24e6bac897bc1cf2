//===- PackWeights.cpp - Convert block-quantized matmuls to MatMulNBits ---===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RewriteUtils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"
#include "quant-float/IR/Constants.h"
#include "quant-float/IR/ElementTypes.h"
#include "quant-float/IR/OpsetRules.h"
#include "quant-float/IR/TransposeConstant.h"
#include "quant-float/Transforms/Passes.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/DebugLog.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::quant_float {
#define GEN_PASS_DEF_QUANTFLOATPACKWEIGHTSPASS
#include "quant-float/Transforms/Passes.h.inc"
} // namespace mlir::quant_float

#define DEBUG_TYPE "quant-float-pack-weights"

using namespace mlir;
using namespace mlir::quant_float;

namespace {
/// Reads the quantized values of a constant, which have at most 8 bits.
class ElementReader {
public:
  explicit ElementReader(ElementsAttr elements);

  bool isValid() const { return !bytes.empty(); }
  unsigned operator[](int64_t i) const {
    if (bytes.size() == 1)
      i = 0;
    unsigned byte = uint8_t(isPacked ? bytes[i * bits / 8] : bytes[i]);
    return byte >> (isPacked ? i * bits % 8 : 0) & ((1u << bits) - 1);
  }

private:
  ArrayRef<char> bytes;
  unsigned bits;
  bool isPacked = false;
};

/// A matmul whose weights are the result of a dequantize.
class WeightMatmul {
public:
  explicit WeightMatmul(NodeOp node) : node(node) {}

  /// Returns whether the node is a matmul with block-quantized weights. It may
  /// still not be convertible.
  bool match();
  /// Returns an error message if the node cannot be converted, and an empty
  /// string otherwise.
  std::string analyze();
  void pack(RewriterBase &rewriter);

private:
  int64_t getInt(StringRef name) const {
    auto value = NodeOp(node).getNodeAttributes().getAs<IntegerAttr>(name);
    return value ? value.getInt() : 0;
  }
  /// Returns a constant of the weights, transposed if necessary so that rows
  /// are outputs; null if the value is not constant.
  ElementsAttr getRows(Value value) const;
  /// Packs the quantized values of each row into full bytes.
  Value packRows(OpBuilder &builder, Location loc, ElementsAttr elements,
                 int64_t columns, ArrayRef<int64_t> shape);

  NodeOp node;
  DequantizeOp weights;
  Value bias;
  ElementsAttr quantized, scales, points;
  /// Whether the rows of the original weights are inputs.
  bool isAcross = false;
  int64_t rows = 0, depth = 0, blockSize = 0, blocks = 0;
  unsigned bits = 0;
};

struct PackWeightsPass final
    : quant_float::impl::QuantFloatPackWeightsPassBase<PackWeightsPass> {
  using QuantFloatPackWeightsPassBase::QuantFloatPackWeightsPassBase;
  void runOnOperation() override;
};
} // namespace

ElementReader::ElementReader(ElementsAttr elements)
    : bits(elements.getElementType().getIntOrFloatBitWidth()) {
  if (auto dense = dyn_cast<DenseElementsAttr>(elements)) {
    bytes = dense.getRawData();
    return;
  }
  auto resource = dyn_cast<DenseResourceElementsAttr>(elements);
  AsmResourceBlob *blob =
      resource ? resource.getRawHandle().getBlob() : nullptr;
  if (!blob)
    return;
  isPacked = quant_float::isPacked(resource);
  int64_t count = elements.getNumElements();
  int64_t size = isPacked ? llvm::divideCeil(count * bits, 8) : count;
  if (static_cast<int64_t>(blob->getData().size()) == size)
    bytes = blob->getData();
}

bool WeightMatmul::match() {
  if (!node.getAbsentInputs().empty() || node.getInputs().size() < 2 ||
      node->getNumResults() != 1)
    return false;
  Value weightOperand = node.getInputs()[1];
  bool isTransposed = false;
  std::optional<NodeKind> kind = getNodeKind(node);
  if (kind == NodeKind::MatMul) {
    auto transpose = weightOperand.getDefiningOp<NodeOp>();
    auto perm =
        transpose && getNodeKind(transpose) == NodeKind::Transpose &&
                transpose->getNumOperands() == 1
            ? transpose.getNodeAttributes().getAs<DenseI64ArrayAttr>("perm")
            : DenseI64ArrayAttr();
    isTransposed = perm && perm.asArrayRef() == ArrayRef<int64_t>{1, 0};
    if (isTransposed)
      weightOperand = transpose.getInputs()[0];
  } else if (kind == NodeKind::Gemm) {
    isTransposed = getInt("transB") != 0;
    if (node.getInputs().size() > 2)
      bias = node.getInputs()[2];
  } else {
    return false;
  }
  isAcross = !isTransposed;
  weights = weightOperand.getDefiningOp<DequantizeOp>();
  return weights && weights.getBlockSize().value_or(0) != 0;
}

ElementsAttr WeightMatmul::getRows(Value value) const {
  auto constant = value.getDefiningOp<AnyConstantOp>();
  auto elements =
      constant ? dyn_cast<ElementsAttr>(constant.getValue()) : ElementsAttr();
  if (!elements || elements.getShapedType().getRank() != 2)
    return {};
  return isAcross ? transposeConstant(elements) : elements;
}

std::string WeightMatmul::analyze() {
  auto type = dyn_cast<RankedTensorType>(weights.getType());
  auto x = dyn_cast<TensorType>(node.getInputs()[0].getType());
  if (!type || type.getRank() != 2 || !type.hasStaticShape() || !x)
    return "its weights are not a matrix of static size";
  rows = type.getDimSize(isAcross ? 1 : 0);
  depth = type.getDimSize(isAcross ? 0 : 1);
  blockSize = *weights.getBlockSize();
  int64_t axis = *weights.getAxisIndex();
  if (axis != (isAcross ? 0 : 1))
    return "its blocks are not along the reduction dimension";
  if (rows == 0 || depth == 0 || blockSize < 16 ||
      !llvm::isPowerOf2_64(blockSize))
    return "the block size must be a power of two of at least 16";
  if (getElementTypeOrSelf(weights.getScale()) != x.getElementType() ||
      !x.getElementType().isF32() || !type.getElementType().isF32())
    return "its scales and results must be f32, because MatMulNBits does not "
           "round weights to other types";
  Type quantizedType = weights.getQuantizedElementType();
  bits = quantizedType.isInteger() ? quantizedType.getIntOrFloatBitWidth() : 0;
  if (bits != 2 && bits != 4 && bits != 8)
    return "its quantized values must be integers of 2, 4 or 8 bits";
  if (getNodeKind(node) == NodeKind::Gemm) {
    auto isOne = [&](StringRef name) {
      auto value = node.getNodeAttributes().getAs<FloatAttr>(name);
      return !value || value.getValueAsDouble() == 1;
    };
    if (getInt("transA") || !isOne("alpha") || !isOne("beta"))
      return "it transposes or scales its other inputs";
    auto type = bias ? dyn_cast<RankedTensorType>(bias.getType())
                     : RankedTensorType::get(rows, x.getElementType());
    if (!type || type.getRank() != 1 || type.getDimSize(0) != rows)
      return "its bias does not have one element per column";
  }
  blocks = llvm::divideCeil(depth, blockSize);
  quantized = getRows(weights.getInput());
  scales = getRows(weights.getScale());
  if (weights.getZeroPoint())
    points = getRows(weights.getZeroPoint());
  auto isAvailable = [](ElementsAttr elements) {
    return elements && ElementReader(elements).isValid();
  };
  if (!isAvailable(quantized) || !scales ||
      (weights.getZeroPoint() && !isAvailable(points)))
    return "its weights, scales or zero points are not constants";
  return "";
}

Value WeightMatmul::packRows(OpBuilder &builder, Location loc,
                             ElementsAttr elements, int64_t columns,
                             ArrayRef<int64_t> shape) {
  ElementReader reader(elements);
  // Convert signed values to unsigned ones by adding half of the range to
  // values and zero points.
  bool isSigned = weights.getQuantizedElementType().isSignlessInteger();
  unsigned shift = isSigned ? 1u << (bits - 1) : 0;
  int64_t count = ShapedType::getNumElements(shape), size = count / rows;
  SmallVector<char> made(count, 0);
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t i = 0; i < columns; ++i)
      made[row * size + i * bits / 8] |= (reader[row * columns + i] ^ shift)
                                         << i * bits % 8;
  auto type = RankedTensorType::get(
      shape, builder.getIntegerType(8, /*isSigned=*/false));
  ConstantBytes like{{}, isa<DenseResourceElementsAttr>(elements)};
  return createConstantOfBytes(builder, loc, type, std::move(made), like);
}

void WeightMatmul::pack(RewriterBase &rewriter) {
  rewriter.setInsertionPoint(node);
  SmallVector<Value> inputs = {node.getInputs()[0]};
  auto add = [&](Value old, Value made) {
    keepConstantAttributes(old.getDefiningOp(), made.getDefiningOp());
    inputs.push_back(made);
  };
  Location loc = weights.getInput().getLoc();
  add(weights.getInput(), packRows(rewriter, loc, quantized, depth,
                                   {rows, blocks, blockSize * bits / 8}));
  loc = weights.getScale().getLoc();
  add(weights.getScale(),
      createConstant(rewriter, loc, cast<TypedAttr>(scales)));
  SmallVector<int64_t> absent;
  int64_t bytes = llvm::divideCeil(blocks * bits, 8);
  if (Value old = weights.getZeroPoint()) {
    add(old, packRows(rewriter, old.getLoc(), points, blocks, {rows * bytes}));
  } else if (!weights.getQuantizedElementType().isSignlessInteger()) {
    // The default zero point is half of the range, which is the zero of signed
    // values. Unsigned values need an explicit zero.
    Type type = RankedTensorType::get(
        rows * bytes, rewriter.getIntegerType(8, /*isSigned=*/false));
    inputs.push_back(
        createConstantOfBits(rewriter, node.getLoc(), type, APInt::getZero(8)));
  } else if (bias) {
    absent.push_back(3);
  }
  if (bias) {
    absent.push_back(4);
    inputs.push_back(bias);
  }
  auto number = [&](StringRef name, int64_t value) {
    return rewriter.getNamedAttr(name, rewriter.getI64IntegerAttr(value));
  };
  NamedAttribute attributes[] = {number("K", depth), number("N", rows),
                                 number("bits", bits),
                                 number("block_size", blockSize)};
  auto packed = NodeOp::create(rewriter, node.getLoc(), node->getResultTypes(),
                               "MatMulNBits", inputs, kMicrosoftDomain,
                               /*opset=*/1, node.getNodeNameAttr(),
                               rewriter.getDictionaryAttr(attributes), absent,
                               rewriter.getStrArrayAttr({}), /*bodiesCount=*/0);
  packed->setDiscardableAttrs(node->getDiscardableAttrDictionary());
  // Erase the unused ops from the matmul back to the constants.
  llvm::SetVector<Operation *> unused;
  unused.insert(node.getInputs()[1].getDefiningOp());
  unused.insert(weights);
  for (Value operand : weights->getOperands())
    unused.insert(operand.getDefiningOp());
  rewriter.replaceOp(node, packed);
  for (Operation *op : unused)
    if (op->use_empty())
      rewriter.eraseOp(op);
}

void PackWeightsPass::runOnOperation() {
  IRRewriter rewriter(&getContext());
  SmallVector<NodeOp> found;
  getOperation()->walk([&](NodeOp node) {
    if (llvm::is_contained({NodeKind::MatMul, NodeKind::Gemm},
                           getNodeKind(node)))
      found.push_back(node);
  });
  for (NodeOp node : found) {
    WeightMatmul matmul(node);
    if (!matmul.match())
      continue;
    std::string reason = matmul.analyze();
    if (!reason.empty()) {
      LDBG() << "not packing " << node << ": " << reason;
      emitNodeRemark(node) << "not packed: " << reason;
      continue;
    }
    LDBG() << "packing " << node;
    matmul.pack(rewriter);
    ++numPacked;
  }
}
