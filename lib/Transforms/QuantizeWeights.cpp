//===- QuantizeWeights.cpp - Quantize constant float weights --------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Encodings.h"
#include "NodeBuilder.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Threading.h"
#include "quant-float/IR/Constants.h"
#include "quant-float/IR/ElementTypes.h"
#include "quant-float/IR/EntryPointInfo.h"
#include "quant-float/IR/OpsetRules.h"
#include "quant-float/IR/QuantFloatOps.h"
#include "quant-float/Reference/BlockScale.h"
#include "quant-float/Support/FloatFormat.h"
#include "quant-float/Support/Locations.h"
#include "quant-float/Transforms/Passes.h"
#include "llvm/Support/DebugLog.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Regex.h"

namespace mlir::quant_float {
#define GEN_PASS_DEF_QUANTFLOATQUANTIZEWEIGHTSPASS
#include "quant-float/Transforms/Passes.h.inc"
} // namespace mlir::quant_float

#define DEBUG_TYPE "quant-float-quantize-weights"

using namespace mlir;
using namespace mlir::quant_float;

namespace {
/// A row of WeightFormats.def.
struct WeightFormat {
  StringLiteral name, element, scale;
  int64_t outputs, inputs;
};

/// A matrix of weights, and the axis of it along which matmuls reduce.
struct Weight {
  Value value;
  int64_t reductionAxis;
};

/// The quantized elements of a matrix, and its scales, which have the rank of
/// the matrix.
struct QuantizedMatrix {
  SmallVector<char> values, scales;
  SmallVector<int64_t> scaleSizes;
  std::optional<APFloat> tensorScale;
};

class WeightQuantizer {
public:
  WeightQuantizer(OpBuilder &builder, const WeightFormat &format,
                  BlockScaleRule rule, Type element, Type scale)
      : builder(builder), format(format), rule(rule), element(element),
        scale(scale) {}

  /// Returns the dequantized weight, or null after a remark if it stays.
  Value quantize(const Weight &weight);

private:
  /// Returns the reason why a weight stays, if it does.
  StringRef quantize(const ConstantBytes &bytes, RankedTensorType type,
                     int64_t reductionAxis, QuantizedMatrix &result);
  /// Multiplies the scales of MXINT8 by 1/64. Fails if they underflow.
  LogicalResult scaleIntegers(const QuantizedMatrix &matrix,
                              MutableArrayRef<char> scales) const;

  OpBuilder &builder;
  const WeightFormat &format;
  BlockScaleRule rule;
  Type element, scale;
  DenseMap<std::pair<Value, int64_t>, Value> quantized;
};

struct QuantizeWeightsPass final
    : quant_float::impl::QuantFloatQuantizeWeightsPassBase<
          QuantizeWeightsPass> {
  using QuantFloatQuantizeWeightsPassBase::QuantFloatQuantizeWeightsPassBase;
  void runOnOperation() override;
};
} // namespace

static ArrayRef<WeightFormat> getFormats() {
  static constexpr WeightFormat formats[] = {
#define QUANT_FLOAT_WEIGHT_FORMAT(Name, Element, Scale, Outputs, Inputs)       \
  {Name, Element, Scale, Outputs, Inputs},
#include "quant-float/Transforms/WeightFormats.def"
  };
  return formats;
}

static unsigned getElementBytes(Type type) {
  return llvm::divideCeil(getNumberWidth(type), 8);
}

/// Returns whether a scale is infinite or NaN, which it is if an element of its
/// block is.
static bool isNonFinite(Type scale, ArrayRef<char> bytes) {
  if (scale.isF32())
    for (size_t i = 0; i < bytes.size(); i += 4) {
      uint32_t bits;
      memcpy(&bits, &bytes[i], 4);
      if ((bits & 0x7f800000) == 0x7f800000)
        return true;
    }
  uint8_t nan = isa<Float8E8M0FNUType>(scale) ? 0xff : 0x7f;
  return !scale.isF32() && llvm::is_contained(bytes, char(nan));
}

LogicalResult
WeightQuantizer::scaleIntegers(const QuantizedMatrix &matrix,
                               MutableArrayRef<char> scales) const {
  if (!element.isInteger(8) || !isa<Float8E8M0FNUType>(scale))
    return success();
  for (char &code : scales) {
    // A block of zeros has the encoding 0, and may have any scale.
    if (uint8_t(code) < 6 && code != 0)
      return failure();
    code = code == 0 ? 0 : char(uint8_t(code) - 6);
  }
  return success();
}

StringRef WeightQuantizer::quantize(const ConstantBytes &bytes,
                                    RankedTensorType type,
                                    int64_t reductionAxis,
                                    QuantizedMatrix &result) {
  Type x = type.getElementType();
  reference::BlockScaleRule referenceRule = getReferenceRule(rule);
  SmallVector<int64_t> sizes(type.getShape()), block(2, format.outputs);
  block[reductionAxis] = format.inputs;
  result.scaleSizes =
      reference::Granularity::getBlocks(block).getParameterSizes(sizes);
  int64_t count = type.getNumElements(), xBytes = getElementBytes(x);
  // A splat has the bytes of one element.
  SmallVector<char> expanded;
  ArrayRef<char> in = bytes.bytes;
  if (int64_t(in.size()) == xBytes && count != 1) {
    for (int64_t i = 0; i < count; ++i)
      expanded.append(in.begin(), in.end());
    in = expanded;
  }
  result.values.resize_for_overwrite(count * getElementBytes(element));
  result.scales.resize_for_overwrite(
      ShapedType::getNumElements(result.scaleSizes) * getElementBytes(scale));
  reference::TensorLevel tensor;
  if (reference::isTwoLevel(referenceRule)) {
    tensor.amax = reference::getAmax(x, in);
    if (!tensor.amax->isFinite())
      return "it has an infinite element or NaN";
    result.tensorScale = reference::getTensorScale(*tensor.amax);
  }
  // Rows of blocks are independent of each other.
  int64_t step =
      block[0] == reference::Granularity::kWholeDim ? sizes[0] : block[0];
  int64_t perRow = sizes[1], scalesPerRow = result.scaleSizes[1];
  LogicalResult quantized = failableParallelForEachN(
      builder.getContext(), 0, llvm::divideCeil(sizes[0], step),
      [&](size_t index) {
        int64_t first = index * step, rows = std::min(step, sizes[0] - first);
        auto slice = [&](auto array, int64_t start, int64_t length,
                         int64_t width) {
          return array.slice(start * width, length * width);
        };
        return reference::blockQuantizeBuffer(
            referenceRule, x, scale, element, {rows, perRow}, block,
            slice(in, first * perRow, rows * perRow, xBytes), tensor,
            std::nullopt,
            {slice(MutableArrayRef(result.values), first * perRow,
                   rows * perRow, getElementBytes(element)),
             slice(MutableArrayRef(result.scales), index * scalesPerRow,
                   scalesPerRow, getElementBytes(scale))});
      });
  if (failed(quantized))
    return "it cannot be quantized";
  if (isNonFinite(scale, result.scales))
    return "it has an infinite element or NaN";
  if (failed(scaleIntegers(result, result.scales)))
    return "its scales are too small for MXINT8";
  return "";
}

/// Repeats the scales of blocks of several outputs for each of them.
static void repeatScales(QuantizedMatrix &matrix, int64_t axis,
                         int64_t blockSize, int64_t size, unsigned width) {
  SmallVector<int64_t> sizes = matrix.scaleSizes;
  sizes[axis] = size;
  SmallVector<char> repeated;
  for (int64_t i = 0; i < sizes[0]; ++i)
    for (int64_t j = 0; j < sizes[1]; ++j) {
      int64_t row = axis == 0 ? i / blockSize : i;
      int64_t column = axis == 1 ? j / blockSize : j;
      const char *scale =
          &matrix.scales[(row * matrix.scaleSizes[1] + column) * width];
      repeated.append(scale, scale + width);
    }
  matrix.scales = std::move(repeated);
  matrix.scaleSizes = sizes;
}

Value WeightQuantizer::quantize(const Weight &weight) {
  Value &result = quantized[{weight.value, weight.reductionAxis}];
  if (result)
    return result;
  Operation *constant = weight.value.getDefiningOp();
  std::optional<ConstantBytes> bytes = getConstantBytes(weight.value);
  auto type = cast<RankedTensorType>(weight.value.getType());
  QuantizedMatrix matrix;
  StringRef reason = "its elements are not available";
  if (bytes)
    reason = quantize(*bytes, type, weight.reductionAxis, matrix);
  if (!reason.empty()) {
    LDBG() << "not quantizing " << type << " at " << constant->getLoc() << ": "
           << reason;
    emitNodeRemark(constant) << "not quantized: " << reason;
    return {};
  }
  LDBG() << "quantizing " << type << " at " << constant->getLoc();
  int64_t axis = weight.reductionAxis, outputAxis = 1 - axis;
  if (format.outputs > 1)
    repeatScales(matrix, outputAxis, format.outputs,
                 type.getDimSize(outputAxis), getElementBytes(scale));
  bool isPerChannel = format.inputs == reference::Granularity::kWholeDim;
  if (isPerChannel)
    matrix.scaleSizes = {matrix.scaleSizes[outputAxis]};

  builder.setInsertionPointAfter(constant);
  NodeBuilder node{builder, constant->getLoc(), kNewestOpset};
  Value values =
      createConstantOfBytes(builder, constant->getLoc(), type.clone(element),
                            std::move(matrix.values), *bytes);
  keepConstantAttributes(constant, values.getDefiningOp());
  Value scales = createConstantOfBytes(
      builder, node.getLoc("scale"),
      RankedTensorType::get(matrix.scaleSizes, scale), std::move(matrix.scales),
      ConstantBytes{{}, /*isResource=*/false});
  auto dequantize = [&](Location loc, Type type, Value input, Value factor,
                        IntegerAttr axis, IntegerAttr blockSize) -> Value {
    return DequantizeOp::create(builder, loc, type, input, factor,
                                /*zero_point=*/Value(),
                                builder.getI64IntegerAttr(kNewestOpset),
                                /*domain=*/StringAttr(), axis, blockSize,
                                /*ignored_attributes=*/ArrayAttr());
  };
  if (matrix.tensorScale) {
    auto f32 = builder.getF32Type();
    Value tensorScale = createConstantOfBits(
        builder, node.getLoc("tensor_scale"), RankedTensorType::get({}, f32),
        matrix.tensorScale->bitcastToAPInt());
    scales = dequantize(node.getLoc("scales"),
                        RankedTensorType::get(matrix.scaleSizes, f32), scales,
                        tensorScale, IntegerAttr(), IntegerAttr());
  }
  result = dequantize(
      node.getLoc("dequantized"), type, values, scales,
      builder.getI64IntegerAttr(isPerChannel ? outputAxis : axis),
      isPerChannel ? IntegerAttr() : builder.getI64IntegerAttr(format.inputs));
  return result;
}

/// Returns the matrix of constants that is the weight of a matmul's operand, if
/// it is one.
static std::optional<Weight> getWeight(NodeOp node) {
  std::optional<NodeKind> kind = getNormalizedKind(node);
  if ((kind != NodeKind::MatMul && kind != NodeKind::Gemm) ||
      node.getInputs().size() < 2)
    return std::nullopt;
  auto getInt = [&](StringRef name) {
    auto value = node.getNodeAttributes().getAs<IntegerAttr>(name);
    return value ? value.getInt() : 0;
  };
  Weight weight{node.getInputs()[1], 0};
  if (kind == NodeKind::Gemm && getInt("transB") != 0)
    weight.reductionAxis = 1;
  if (auto transpose = weight.value.getDefiningOp<NodeOp>()) {
    auto perm = transpose.getNodeAttributes().getAs<DenseI64ArrayAttr>("perm");
    if (getNormalizedKind(transpose) != NodeKind::Transpose ||
        transpose.getInputs().size() != 1 || !perm ||
        perm.asArrayRef() != ArrayRef<int64_t>{1, 0})
      return std::nullopt;
    weight = {transpose.getInputs()[0], 1 - weight.reductionAxis};
  }
  return weight;
}

/// Returns whether the value is a constant matrix of floats.
static bool isMatrix(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.hasStaticShape() && type.getRank() == 2 &&
         type.getNumElements() != 0 &&
         isa<Float32Type, Float16Type, BFloat16Type>(type.getElementType()) &&
         value.getDefiningOp<AnyConstantOp>();
}

void QuantizeWeightsPass::runOnOperation() {
  ModuleOp module = getOperation();
  const WeightFormat *row =
      llvm::find_if(getFormats(), [&](const WeightFormat &candidate) {
        return candidate.name == format;
      });
  if (row == getFormats().end()) {
    InFlightDiagnostic error = emitError(module.getLoc())
                               << "format must be one of ";
    llvm::interleaveComma(getFormats(), error,
                          [&](const WeightFormat &row) { error << row.name; });
    error << ", but got '" << format << "'";
    return signalPassFailure();
  }
  std::optional<BlockScaleRule> scaleRule = symbolizeBlockScaleRule(rule);
  if (!scaleRule) {
    emitError(module.getLoc())
        << "there is no rule '" << rule << "' for the scales of weights";
    return signalPassFailure();
  }
  Type element = parseType(row->element, &getContext());
  Type scale = parseType(row->scale, &getContext());
  if (!reference::isSupported(getReferenceRule(*scaleRule), element, scale)) {
    emitError(module.getLoc())
        << "rule " << rule << " does not define scales of " << scale
        << " for elements of " << element << ", which format " << format
        << " has";
    return signalPassFailure();
  }
  llvm::Regex excluded(exclude);
  std::string reason;
  if (!exclude.empty() && !excluded.isValid(reason)) {
    emitError(module.getLoc())
        << "exclude must be a regular expression, but got '" << exclude
        << "': " << reason;
    return signalPassFailure();
  }
  auto isExcluded = [&](StringRef name) {
    return !exclude.empty() && excluded.match(name);
  };

  // The uses of weights.
  SmallVector<std::pair<OpOperand *, Weight>> uses;
  module.walk([&](NodeOp node) {
    std::optional<Weight> weight = getWeight(node);
    if (!weight || !isMatrix(weight->value) ||
        isExcluded(getNodeName(weight->value.getLoc())))
      return;
    OpOperand &operand = node->getOpOperand(1);
    auto transpose = operand.get().getDefiningOp<NodeOp>();
    uses.push_back(
        {transpose ? &transpose->getOpOperand(0) : &operand, *weight});
  });
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function.isExternal() || function.getNumArguments() != 0)
      continue;
    for (OpOperand &result :
         function.getBody().front().getTerminator()->getOpOperands()) {
      auto name = function.getResultAttrOfType<StringAttr>(
          result.getOperandNumber(), kNameAttrName);
      if (name && name.getValue().ends_with("weight") &&
          isMatrix(result.get()) && !isExcluded(name.getValue()))
        uses.push_back({&result, {result.get(), 1}});
    }
  }

  if (uses.empty())
    emitWarning(module.getLoc(),
                "no weights to quantize: expected MatMul or Gemm with a "
                "constant matrix of floats, or matrices of a "
                "checkpoint");
  OpBuilder builder(&getContext());
  WeightQuantizer quantizer(builder, *row, *scaleRule, element, scale);
  DenseSet<Value> counted;
  for (auto &[use, weight] : uses) {
    // Another matmul may have replaced the operand of a shared transpose.
    if (use->get() != weight.value)
      continue;
    Value replacement = quantizer.quantize(weight);
    if (!replacement)
      continue;
    use->set(replacement);
    numQuantized += counted.insert(replacement).second;
    if (Operation *constant = weight.value.getDefiningOp();
        constant->use_empty())
      constant->erase();
  }
}
