//===- ConvertBlockQuantize.cpp - block_quantize to ONNX nodes ------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ONNX has no op that chooses the scales of blocks. This pass writes the body
// that block_quantize is compiled to (Lowering/ElementBodies.h) as nodes, one
// for each op, so that all rules have the same bits in both forms. Integers of
// the body become int64: their values are those of the body, and no op of the
// body relies on overflow except those on encodings, which are masked.
//
//===----------------------------------------------------------------------===//

#include "NodeBuilder.h"
#include "ReplacementCounter.h"
#include "RewriteUtils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "quant-float/IR/Constants.h"
#include "quant-float/IR/ElementTypes.h"
#include "quant-float/IR/OpsetRules.h"
#include "quant-float/IR/QuantFloatOps.h"
#include "quant-float/Lowering/ElementBodies.h"
#include "quant-float/Reference/BlockScale.h"
#include "quant-float/Support/FloatFormat.h"
#include "quant-float/Transforms/Passes.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/DebugLog.h"
#include <limits>

namespace mlir::quant_float {
#define GEN_PASS_DEF_QUANTFLOATCONVERTBLOCKQUANTIZEPASS
#include "quant-float/Transforms/Passes.h.inc"
} // namespace mlir::quant_float

#define DEBUG_TYPE "quant-float-convert-block-quantize"

using namespace mlir;
using namespace mlir::quant_float;
using reference::Granularity;

namespace {
/// The shapes of the tensors with a dimension for the blocks along each
/// dimension, and one for the elements of a block.
struct BlockShape {
  /// Those of the input, padded to full blocks.
  SmallVector<int64_t> padded, expanded;
  /// Those of the scales: with a dimension of size 1 for the elements of a
  /// block, and as results.
  SmallVector<int64_t> scales, results;
  /// The dimensions of `expanded` that a block covers.
  SmallVector<int64_t> reduced;
  bool isPadded = false;

  static std::optional<BlockShape>
  get(ArrayRef<int64_t> sizes, ArrayRef<int64_t> block, StringRef &reason);
};

/// Writes the body of an op on scalars as nodes on tensors.
class BodyToNodes {
public:
  BodyToNodes(NodeBuilder &node, const BlockShape &shape,
              ArrayRef<int64_t> sizes)
      : node(node), shape(shape), sizes(sizes) {}

  void map(Value scalar, Value tensor) { tensors[scalar] = tensor; }
  /// Returns the tensor with the elements of a value of the body, or null if
  /// an op of the body has no node.
  Value get(Value scalar);

private:
  Value convert(Operation *op);
  Value convertConstant(arith::ConstantOp op);
  Value convertBitcast(Value input, Type from, Type to);
  Value convertQuantize(QuantizeElementsOp op);
  /// Creates an elementwise node. Its shape is that of the operands after
  /// broadcasting.
  Value create(StringRef opType, ValueRange inputs, Type elementType);
  Type getInt(unsigned width) { return node.builder.getIntegerType(width); }
  Type getUnsigned(unsigned width) {
    return node.builder.getIntegerType(width, /*isSigned=*/false);
  }

  /// Returns a tensor with the sizes of the op's input. Slice has no narrow
  /// floats, so this comes before the conversion to one.
  Value restore(Value value);

  NodeBuilder &node;
  const BlockShape &shape;
  ArrayRef<int64_t> sizes;
  DenseMap<Value, Value> tensors;
};

/// See the description of the pass.
struct ConvertBlockQuantize final : OpRewritePattern<BlockQuantizeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(BlockQuantizeOp op,
                                PatternRewriter &rewriter) const override;
};
} // namespace

std::optional<BlockShape> BlockShape::get(ArrayRef<int64_t> sizes,
                                          ArrayRef<int64_t> block,
                                          StringRef &reason) {
  BlockShape shape;
  unsigned numDynamic = 0;
  auto add = [&](int64_t size, bool isReduced) {
    if (isReduced)
      shape.reduced.push_back(shape.expanded.size());
    shape.expanded.push_back(size);
    shape.scales.push_back(isReduced ? 1 : size);
  };
  for (auto [size, blockSize] : llvm::zip_equal(sizes, block)) {
    bool isDynamic = ShapedType::isDynamic(size);
    numDynamic += isDynamic;
    if (blockSize == 1) {
      add(size, /*isReduced=*/false);
      shape.padded.push_back(size);
      shape.results.push_back(size);
      continue;
    }
    if (isDynamic && blockSize != Granularity::kWholeDim) {
      reason = "a dimension that is divided into blocks has a dynamic size";
      return std::nullopt;
    }
    int64_t length =
        blockSize == Granularity::kWholeDim ? size : std::min(size, blockSize);
    if (length == 0) {
      reason = "it has no elements";
      return std::nullopt;
    }
    if (!isDynamic && size > std::numeric_limits<int64_t>::max() - length) {
      reason = "a dimension is too large to be padded";
      return std::nullopt;
    }
    int64_t count = isDynamic ? 1 : llvm::divideCeil(size, length);
    add(count, /*isReduced=*/false);
    add(length, /*isReduced=*/true);
    shape.results.push_back(count);
    shape.padded.push_back(isDynamic ? size : count * length);
    shape.isPadded |= shape.padded.back() != size;
  }
  // A Reshape infers one size.
  if (numDynamic > 1) {
    reason = "it has several dynamic sizes";
    return std::nullopt;
  }
  if (llvm::is_contained(sizes, 0)) {
    reason = "it has no elements";
    return std::nullopt;
  }
  return shape;
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

/// Returns a constant of the values, a vector of int64.
static Value makeList(NodeBuilder &node, ArrayRef<int64_t> values) {
  auto type = RankedTensorType::get({int64_t(values.size())},
                                    node.builder.getI64Type());
  return arith::ConstantOp::create(node.builder, node.getLoc("constant"),
                                   DenseElementsAttr::get(type, values));
}

static Value reshape(NodeBuilder &node, Value value, ArrayRef<int64_t> shape) {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getShape() == shape)
    return value;
  SmallVector<int64_t> sizes(shape);
  for (int64_t &size : sizes)
    if (ShapedType::isDynamic(size))
      size = -1;
  return node.makeNode("Reshape", {value, makeList(node, sizes)},
                       type.clone(shape));
}

static Value createBitCast(NodeBuilder &node, Value input, Type to) {
  // Bodies often cast bits to a float and back.
  auto source = input.getDefiningOp<NodeOp>();
  if (source && source.getOpType() == "BitCast" &&
      getElementTypeOrSelf(source.getInputs()[0]) == to)
    return source.getInputs()[0];
  return node.makeNode(
      "BitCast", input, cast<RankedTensorType>(input.getType()).clone(to),
      node.builder.getNamedAttr(
          "to", node.builder.getI64IntegerAttr(*getOnnxDataType(to))));
}

/// Pads the input with zeros to full blocks.
static Value pad(NodeBuilder &node, Value x, ArrayRef<int64_t> padded) {
  auto type = cast<RankedTensorType>(x.getType());
  SmallVector<int64_t> pads(2 * type.getRank(), 0);
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (!type.isDynamicDim(dim))
      pads[type.getRank() + dim] = padded[dim] - type.getDimSize(dim);
  return node.makeNode("Pad", {x, makeList(node, pads)}, type.clone(padded));
}

/// Returns the slice of these sizes at the start of each axis.
static Value slice(NodeBuilder &node, Value x, ArrayRef<int64_t> sizes) {
  SmallVector<int64_t> starts(sizes.size(), 0), ends(sizes);
  for (int64_t &end : ends)
    if (ShapedType::isDynamic(end))
      end = std::numeric_limits<int64_t>::max();
  return node.makeNode("Slice",
                       {x, makeList(node, starts), makeList(node, ends)},
                       cast<RankedTensorType>(x.getType()).clone(sizes));
}

/// Returns the largest magnitudes along dimensions, which stay with size 1. As
/// integers, the bits of magnitudes are ordered, and NaN is the largest.
static Value getAmax(NodeBuilder &node, Value x, ArrayRef<int64_t> dims) {
  OpBuilder &builder = node.builder;
  auto type = cast<RankedTensorType>(x.getType());
  Value bits = createBitCast(node, x, builder.getI32Type());
  bits = node.compute("BitwiseAnd", bits, 0x7fffffff);
  SmallVector<int64_t> shape(type.getShape());
  for (int64_t dim : dims)
    shape[dim] = 1;
  if (!dims.empty())
    bits = node.makeNode(
        "ReduceMax", {bits, makeList(node, dims)},
        RankedTensorType::get(shape, builder.getI32Type()),
        builder.getNamedAttr("keepdims", builder.getI64IntegerAttr(1)));
  return createBitCast(node, bits, builder.getF32Type());
}

Value BodyToNodes::restore(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getShape() != ArrayRef<int64_t>(shape.expanded))
    return value;
  value = reshape(node, value, shape.padded);
  return shape.isPadded ? slice(node, value, sizes) : value;
}

Value BodyToNodes::create(StringRef opType, ValueRange inputs,
                          Type elementType) {
  SmallVector<int64_t> shape;
  for (Value input : inputs) {
    auto own = cast<RankedTensorType>(input.getType()).getShape();
    // Shapes of lower rank are those of scalars.
    if (own.size() > shape.size())
      shape.assign(own.begin(), own.end());
    else if (own.size() == shape.size())
      for (auto [size, other] : llvm::zip_equal(shape, own))
        size = size == 1 ? other : size;
  }
  return node.makeNode(opType, inputs,
                       RankedTensorType::get(shape, elementType));
}

Value BodyToNodes::convertConstant(arith::ConstantOp op) {
  if (auto number = dyn_cast<FloatAttr>(op.getValue()))
    return createConstantOfBits(node.builder, node.getLoc("constant"),
                                RankedTensorType::get({}, number.getType()),
                                number.getValue().bitcastToAPInt());
  auto number = dyn_cast<IntegerAttr>(op.getValue());
  return number ? node.makeScalar(getInt(64), number.getInt()) : Value();
}

/// Converts between integers of the body, which are int64, and floats.
Value BodyToNodes::convertBitcast(Value input, Type from, Type to) {
  unsigned width = std::min(getNumberWidth(from), getNumberWidth(to));
  // 32-bit integers are signed; encodings of smaller floats are unsigned.
  Type bits = width == 32 ? getInt(32) : getUnsigned(width);
  if (isa<IntegerType>(to))
    return node.cast(createBitCast(node, input, bits), getInt(64), "bits");
  return createBitCast(node, node.cast(input, bits, "bits"), to);
}

/// Converts the quantization of a quotient to QuantizeLinear by 1.
Value BodyToNodes::convertQuantize(QuantizeElementsOp op) {
  Value input = get(op.getInput());
  if (!input)
    return {};
  input = restore(input);
  OpBuilder &builder = node.builder;
  Value one =
      createConstantOfBits(builder, node.getLoc("constant"),
                           RankedTensorType::get({}, builder.getF32Type()),
                           APFloat(1.0f).bitcastToAPInt());
  auto type = cast<RankedTensorType>(input.getType());
  Value result = QuantizeOp::create(
      builder, node.getLoc("quantized"), type.clone(op.getType()), input, one,
      /*zero_point=*/Value(), builder.getI64IntegerAttr(node.opset),
      /*domain=*/StringAttr(), /*axis=*/IntegerAttr(),
      /*block_size=*/IntegerAttr(), /*ignored_attributes=*/ArrayAttr(),
      /*saturate=*/BoolAttr(), /*precision=*/TypeAttr(), /*random=*/Value());
  // Other ops of the body read integers as int64.
  return isa<IntegerType>(op.getType())
             ? node.cast(result, getInt(64), "integers")
             : result;
}

Value BodyToNodes::get(Value scalar) {
  auto [entry, isNew] = tensors.try_emplace(scalar);
  if (!isNew)
    return entry->second;
  Operation *op = scalar.getDefiningOp();
  Value result = op ? convert(op) : Value();
  if (!result && op)
    LDBG() << "no node for " << *op;
  tensors[scalar] = result;
  return result;
}

Value BodyToNodes::convert(Operation *op) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return convertConstant(constant);
  if (auto quantize = dyn_cast<QuantizeElementsOp>(op))
    return convertQuantize(quantize);
  SmallVector<Value> inputs;
  for (Value operand : op->getOperands()) {
    inputs.push_back(get(operand));
    if (!inputs.back())
      return {};
  }
  Type from = op->getNumOperands() ? op->getOperand(0).getType() : Type();
  Type to = op->getResult(0).getType();
  Type boolean = getInt(1), element = isa<FloatType>(to) ? to : getInt(64);
  auto compare = [&](StringRef opType, bool swaps = false) {
    if (swaps)
      std::swap(inputs[0], inputs[1]);
    return create(opType, inputs, boolean);
  };
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case(
          [&](arith::BitcastOp) { return convertBitcast(inputs[0], from, to); })
      .Case([&](StorageCastOp) {
        // The stored encoding of a float, or an integer itself.
        Type narrow =
            isa<IntegerType>(to) && getNumberWidth(to) == 8 ? from : to;
        return isa<FloatType>(narrow)
                   ? convertBitcast(restore(inputs[0]), from, to)
                   : inputs[0];
      })
      .Case([&](CastOp cast) { return node.cast(inputs[0], to, "cast"); })
      .Case<arith::TruncIOp, arith::ExtUIOp>([&](auto) { return inputs[0]; })
      .Case([&](arith::FPToSIOp) {
        return node.cast(inputs[0], getInt(64), "integers");
      })
      .Case<arith::AddFOp, arith::AddIOp>(
          [&](auto) { return create("Add", inputs, element); })
      .Case([&](arith::SubFOp) { return create("Sub", inputs, element); })
      .Case([&](arith::SubIOp) {
        Value result = create("Sub", inputs, element);
        return getNumberWidth(to) == 8 ? node.compute("BitwiseAnd", result, 255)
                                       : result;
      })
      .Case([&](arith::MulFOp) { return create("Mul", inputs, element); })
      .Case([&](arith::DivFOp) { return create("Div", inputs, element); })
      .Case([&](arith::AndIOp) {
        return to.isInteger(1) ? create("And", inputs, boolean)
                               : create("BitwiseAnd", inputs, element);
      })
      .Case([&](arith::OrIOp) { return create("BitwiseOr", inputs, element); })
      .Case([&](arith::MaxSIOp) { return create("Max", inputs, element); })
      .Case([&](arith::MinSIOp) { return create("Min", inputs, element); })
      .Case([&](arith::ShRUIOp shift) -> Value {
        // ONNX shifts unsigned integers only. The integers are not negative,
        // except those of which only the sign is kept.
        std::optional<int64_t> amount = getConstantIntValue(shift.getRhs());
        if (!amount)
          return {};
        Value bits = node.compute("BitwiseAnd", inputs[0], 0xffffffff);
        return node.compute("Div", bits, int64_t(1) << *amount);
      })
      .Case([&](arith::SelectOp) { return create("Where", inputs, element); })
      .Case([&](arith::CmpIOp compareOp) -> Value {
        switch (compareOp.getPredicate()) {
        case arith::CmpIPredicate::eq:
          return compare("Equal");
        case arith::CmpIPredicate::ult:
        case arith::CmpIPredicate::slt:
          return compare("Less");
        case arith::CmpIPredicate::uge:
        case arith::CmpIPredicate::sge:
          return compare("GreaterOrEqual");
        default:
          return {};
        }
      })
      .Case([&](arith::CmpFOp compareOp) -> Value {
        switch (compareOp.getPredicate()) {
        case arith::CmpFPredicate::OEQ:
          return compare("Equal");
        case arith::CmpFPredicate::OLT:
          return compare("Less");
        case arith::CmpFPredicate::OGT:
          return compare("Greater");
        case arith::CmpFPredicate::OGE:
          return compare("GreaterOrEqual");
        case arith::CmpFPredicate::UNO:
          if (compareOp.getLhs() == compareOp.getRhs())
            return create("IsNaN", inputs[0], boolean);
          return {};
        default:
          return {};
        }
      })
      .Default(Value());
}

//===----------------------------------------------------------------------===//
// Pattern
//===----------------------------------------------------------------------===//

/// Returns why the types have no nodes, or an empty string.
static StringRef findUnsupported(BlockQuantizeOp op) {
  if (op.getRandom())
    return "ONNX does not have stochastic rounding";
  for (Value value : {op.getValues(), op.getScales()})
    if (!getOnnxDataType(getElementTypeOrSelf(value)))
      return "ONNX does not have one of its types";
  return "";
}

LogicalResult
ConvertBlockQuantize::matchAndRewrite(BlockQuantizeOp op,
                                      PatternRewriter &rewriter) const {
  StringRef reason = findUnsupported(op);
  std::optional<BlockShape> shape;
  auto type = cast<RankedTensorType>(op.getInput().getType());
  if (reason.empty())
    shape = BlockShape::get(type.getShape(), op.getBlock(), reason);
  if (!shape) {
    LDBG() << "not converting " << op << ": " << reason;
    emitNodeRemark(op) << "not converted to nodes: " << reason;
    return failure();
  }
  LDBG() << "converting " << op;
  NodeBuilder node{rewriter, op.getLoc(), kNewestOpset};
  Type f32 = rewriter.getF32Type();
  Value x = node.cast(op.getInput(), f32, "input");
  if (shape->isPadded)
    x = pad(node, x, shape->padded);
  x = reshape(node, x, shape->expanded);
  Value amax = getAmax(node, x, shape->reduced);
  auto toScalar = [&](Value value) {
    return value ? reshape(node, value, {}) : value;
  };
  Value tensorAmax = toScalar(op.getTensorAmax());
  Value tensorScale = toScalar(op.getTensorScale());
  Value computed = op.getComputedTensorScale();
  if (computed && !tensorAmax)
    tensorAmax = toScalar(getAmax(
        node, amax, llvm::to_vector(llvm::seq<int64_t>(shape->scales.size()))));

  // The bodies are built on scalars in a temporary block.
  Block body;
  OpBuilder builder(rewriter.getContext());
  builder.setInsertionPointToEnd(&body);
  Location loc = op.getLoc();
  BodyToNodes nodes(node, *shape, type.getShape());
  auto argument = [&](Value tensor) -> Value {
    if (!tensor)
      return {};
    Value scalar = body.addArgument(getElementTypeOrSelf(tensor), loc);
    nodes.map(scalar, tensor);
    return scalar;
  };
  Type element = getElementTypeOrSelf(op.getValues());
  Type scaleType = getElementTypeOrSelf(op.getScales());
  TensorLevelOperands tensor{argument(tensorAmax), argument(tensorScale)};
  Value scalarAmax = argument(amax), scalarX = argument(x);
  auto scaleOp =
      BlockScaleOp::create(builder, loc, scaleType, scalarAmax, tensor.amax,
                           tensor.scale, op.getRule(), element);
  Value scales =
      nodes.get(buildElementBody(builder, loc, scaleOp, scalarAmax, tensor));
  Value scalarScale = argument(scales);
  auto elementOp = BlockQuantizeElementsOp::create(
      builder, loc, element, scalarX, scalarScale, tensor.amax, tensor.scale,
      /*random=*/Value(), /*block=*/DenseI64ArrayAttr(), op.getRuleAttr(),
      op.getRoundModeAttr());
  Value values = nodes.get(buildElementBody(builder, loc, elementOp, scalarX,
                                            scalarScale, tensor, Value()));
  if (isa<IntegerType>(element))
    values = node.cast(values, element, "values");
  SmallVector<Value> results{values, reshape(node, scales, shape->results)};
  if (computed) {
    auto tensorOp = TensorScaleOp::create(builder, loc, tensor.amax);
    Value result =
        nodes.get(buildElementBody(builder, loc, tensorOp, tensor.amax));
    auto computedType = cast<RankedTensorType>(computed.getType());
    results.push_back(reshape(node, result, computedType.getShape()));
  }
  // The op's results may have other static sizes (V8).
  for (auto [result, own] : llvm::zip_equal(results, op.getResults()))
    if (result.getType() != own.getType())
      result.setType(own.getType());
  rewriter.replaceOp(op, results);
  return success();
}

namespace {
struct ConvertBlockQuantizePass final
    : quant_float::impl::QuantFloatConvertBlockQuantizePassBase<
          ConvertBlockQuantizePass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<ConvertBlockQuantize>(&getContext());
    ReplacementCounter<BlockQuantizeOp> counter(numConverted);
    walkAndApplyPatterns(getOperation(), std::move(patterns), &counter);
  }
};
} // namespace
