//===- QuantizeWeights.cpp - Quantize constant float weights --------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NodeBuilder.h"
#include "RewriteUtils.h"
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
#include "quant-float/Transforms/QuantizeBlocks.h"
#include "llvm/ADT/SetVector.h"
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

/// A use of a weight by an op, possibly through a Transpose.
struct WeightUse {
  OpOperand *operand;
  NodeOp transpose;
  Weight weight;

  void set(OpBuilder &builder, Value replacement);
};

/// The quantized elements of a matrix, and its scales, which have the rank of
/// the matrix.
struct QuantizedMatrix {
  SmallVector<char> values, scales;
  SmallVector<int64_t> scaleSizes;
  std::optional<APFloat> tensorScale;
  /// Whether `values` and `scales` have one element, which is that of all.
  bool isSplat = false;
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
  LogicalResult scaleIntegers(ArrayRef<int64_t> sizes, ArrayRef<int64_t> block,
                              QuantizedMatrix &matrix) const;

  OpBuilder &builder;
  const WeightFormat &format;
  BlockScaleRule rule;
  Type element, scale;
  DenseMap<std::pair<Value, int64_t>, Value> quantized;
  /// For each type of weights.
  DenseMap<Type, std::unique_ptr<TabulatedQuantizer>> quantizers;
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

/// Returns whether an element of f32, f16 or bf16 is infinite or NaN.
static bool hasNonFinite(Type type, ArrayRef<char> bytes) {
  unsigned width = getElementBytes(type);
  uint64_t exponent = FloatFormat(type).infinityEncoding;
  for (size_t i = 0; i < bytes.size(); i += width) {
    uint64_t bits = 0;
    memcpy(&bits, &bytes[i], width);
    if ((bits & exponent) == exponent)
      return true;
  }
  return false;
}

/// Returns whether a scale is NaN, or an infinite f32.
static bool hasNonFiniteScale(Type scale, ArrayRef<char> bytes) {
  if (scale.isF32())
    return hasNonFinite(scale, bytes);
  return llvm::is_contained(bytes, char(FloatFormat(scale).nanEncoding));
}

LogicalResult WeightQuantizer::scaleIntegers(ArrayRef<int64_t> sizes,
                                             ArrayRef<int64_t> block,
                                             QuantizedMatrix &matrix) const {
  constexpr uint8_t kShift = 6;
  if (!element.isInteger(8) || !isa<Float8E8M0FNUType>(scale))
    return success();
  auto isSmall = [](char encoding) { return uint8_t(encoding) < kShift; };
  if (llvm::any_of(matrix.scales, isSmall)) {
    // A block of zeros may have any scale.
    auto granularity = reference::Granularity::getBlocks(block);
    reference::ParameterElements blocks(
        granularity, granularity.getParameterSizes(sizes), sizes);
    for (auto [i, value] : llvm::enumerate(matrix.values))
      if (value != 0 && isSmall(matrix.scales[blocks[i]]))
        return failure();
  }
  for (char &encoding : matrix.scales)
    encoding = isSmall(encoding) ? 0 : char(uint8_t(encoding) - kShift);
  return success();
}

StringRef WeightQuantizer::quantize(const ConstantBytes &bytes,
                                    RankedTensorType type,
                                    int64_t reductionAxis,
                                    QuantizedMatrix &result) {
  Type x = type.getElementType();
  ArrayRef<char> in = bytes.bytes;
  if (hasNonFinite(x, in))
    return "it has an infinite element or NaN";
  reference::BlockScaleRule referenceRule = getReferenceRule(rule);
  SmallVector<int64_t> sizes(type.getShape()), block(2, format.outputs);
  block[reductionAxis] = format.inputs;
  auto granularity = reference::Granularity::getBlocks(block);
  result.scaleSizes = granularity.getParameterSizes(sizes);
  int64_t xBytes = getElementBytes(x);
  // All blocks of a splat are equal, also partial ones.
  result.isSplat = int64_t(in.size()) == xBytes && type.getNumElements() != 1;
  if (result.isSplat)
    sizes = {1, 1};
  SmallVector<int64_t> scaleSizes = granularity.getParameterSizes(sizes);
  result.values.resize_for_overwrite(sizes[0] * sizes[1]);
  result.scales.resize_for_overwrite(scaleSizes[0] * scaleSizes[1] *
                                     getElementBytes(scale));
  std::unique_ptr<TabulatedQuantizer> &quantizer = quantizers[x];
  if (!quantizer)
    quantizer =
        std::make_unique<TabulatedQuantizer>(referenceRule, x, scale, element);
  APFloat amax = quantizer->getAmax(in);
  reference::TensorLevel tensor;
  if (reference::isTwoLevel(referenceRule)) {
    tensor.amax = amax;
    // Rules that compute with the reciprocal limit it.
    if (!tensor.amax->isZero() && !(APFloat(2688.0f) / *tensor.amax).isFinite())
      return "its elements are too small for a scale of the tensor";
    result.tensorScale = reference::getTensorScale(*tensor.amax);
  } else if (isa<Float8E4M3FNType>(scale)) {
    // ONNX has no scales of f8E4M3FN.
    result.tensorScale = APFloat(1.0f);
  }
  quantizer->prepare(tensor, amax, scaleSizes[0] * scaleSizes[1]);
  // Rows of blocks are independent of each other.
  int64_t step =
      block[0] == reference::Granularity::kWholeDim ? sizes[0] : block[0];
  int64_t perRow = sizes[1], scalesPerRow = scaleSizes[1];
  // A thread has enough rows to be worth a task.
  constexpr int64_t kMinElements = 65536;
  int64_t rowsOfTask = llvm::divideCeil(kMinElements, step * perRow) * step;
  parallelFor(
      builder.getContext(), 0, llvm::divideCeil(sizes[0], rowsOfTask),
      [&](size_t index) {
        int64_t first = index * rowsOfTask;
        int64_t rows = std::min(rowsOfTask, sizes[0] - first);
        auto slice = [&](auto array, int64_t start, int64_t length,
                         int64_t width) {
          return array.slice(start * width, length * width);
        };
        MatrixBuffers matrix{
            rows, perRow, slice(in, first * perRow, rows * perRow, xBytes),
            slice(MutableArrayRef(result.values), first * perRow, rows * perRow,
                  1),
            slice(MutableArrayRef(result.scales), first / step * scalesPerRow,
                  llvm::divideCeil(rows, step) * scalesPerRow,
                  getElementBytes(scale))};
        quantizer->quantize(matrix, block);
      });
  if (hasNonFiniteScale(scale, result.scales))
    return "a scale is not finite";
  if (failed(scaleIntegers(sizes, block, result)))
    return "its scales are too small for MXINT8";
  return "";
}

/// Repeats the scales of blocks of several outputs for each of them.
static void repeatScales(QuantizedMatrix &matrix, int64_t axis,
                         int64_t blockSize, int64_t size, unsigned width) {
  SmallVector<int64_t> sizes = matrix.scaleSizes;
  sizes[axis] = size;
  if (matrix.isSplat) {
    matrix.scaleSizes = sizes;
    return;
  }
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
  auto [entry, isNew] =
      quantized.try_emplace({weight.value, weight.reductionAxis});
  Value &result = entry->second;
  if (!isNew)
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

void WeightUse::set(OpBuilder &builder, Value replacement) {
  if (!transpose) {
    operand->set(replacement);
    return;
  }
  // Other users of the Transpose keep the weight as it is.
  NodeOp own = transpose;
  if (!transpose->hasOneUse()) {
    builder.setInsertionPoint(operand->getOwner());
    own = cast<NodeOp>(builder.clone(*transpose));
    own->setDiscardableAttrs(DictionaryAttr::get(builder.getContext()));
    own.removeNodeNameAttr();
    operand->set(own->getResult(0));
  }
  own->setOperand(0, replacement);
}

/// Returns the matrix of constants that is the weight of a matmul, if it is
/// one.
static std::optional<WeightUse> getWeight(NodeOp node) {
  std::optional<NodeKind> kind = getNormalizedKind(node);
  if ((kind != NodeKind::MatMul && kind != NodeKind::Gemm) ||
      node.getInputs().size() < 2)
    return std::nullopt;
  auto transB = node.getNodeAttributes().getAs<IntegerAttr>("transB");
  bool isTransposed = kind == NodeKind::Gemm && transB && transB.getInt() != 0;
  WeightUse use{&node->getOpOperand(1),
                NodeOp(),
                {node.getInputs()[1], isTransposed ? 1 : 0}};
  auto transpose = use.weight.value.getDefiningOp<NodeOp>();
  if (!transpose)
    return use;
  // By default, the dimensions are reversed.
  auto perm = transpose.getNodeAttributes().getAs<DenseI64ArrayAttr>("perm");
  if (getNormalizedKind(transpose) != NodeKind::Transpose ||
      transpose.getInputs().size() != 1 ||
      (perm && perm.asArrayRef() != ArrayRef<int64_t>{1, 0}))
    return std::nullopt;
  use.transpose = transpose;
  use.weight = {transpose.getInputs()[0], isTransposed ? 0 : 1};
  return use;
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
    InFlightDiagnostic error = emitError(module.getLoc())
                               << "rule must be one of ";
    llvm::interleaveComma(
        llvm::seq<uint32_t>(0, getMaxEnumValForBlockScaleRule() + 1), error,
        [&](uint32_t value) {
          error << stringifyBlockScaleRule(BlockScaleRule(value));
        });
    error << ", but got '" << rule << "'";
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
  SmallVector<WeightUse> uses;
  llvm::SmallSetVector<Operation *, 16> weights;
  bool isAnyExcluded = false;
  auto add = [&](const WeightUse &use, StringRef name) {
    if (!isMatrix(use.weight.value))
      return;
    if (!exclude.empty() && excluded.match(name))
      isAnyExcluded = true;
    else
      uses.push_back(use);
  };
  module.walk([&](NodeOp node) {
    if (std::optional<WeightUse> use = getWeight(node))
      add(*use, getNodeName(use->weight.value.getLoc()));
  });
  module.walk([&](func::FuncOp function) {
    if (function.getNumArguments() != 0 || !function.getBody().hasOneBlock())
      return;
    for (OpOperand &result :
         function.getBody().front().getTerminator()->getOpOperands()) {
      auto name = function.getResultAttrOfType<StringAttr>(
          result.getOperandNumber(), kNameAttrName);
      if (name && name.getValue().ends_with("weight"))
        add({&result, NodeOp(), {result.get(), 1}}, name.getValue());
    }
  });
  if (uses.empty() && !isAnyExcluded)
    emitWarning(module.getLoc(),
                "no weights to quantize: expected MatMul or Gemm with a "
                "constant matrix of floats, or matrices of a checkpoint");
  else if (uses.empty())
    emitWarning(module.getLoc(),
                "no weights to quantize: 'exclude' matches all names");

  OpBuilder builder(&getContext());
  WeightQuantizer quantizer(builder, *row, *scaleRule, element, scale);
  DenseSet<Value> counted;
  for (WeightUse &use : uses) {
    Value replacement = quantizer.quantize(use.weight);
    if (!replacement)
      continue;
    use.set(builder, replacement);
    numQuantized += counted.insert(replacement).second;
  }
  for (const WeightUse &use : uses)
    weights.insert(use.weight.value.getDefiningOp());
  for (Operation *constant : weights)
    if (constant->use_empty())
      constant->erase();
}
