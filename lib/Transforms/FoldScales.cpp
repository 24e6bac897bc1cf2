//===- FoldScales.cpp - Fold two-level scales -----------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Low-bit scales are often dequantized with a second scale:
//
//   dequantize(w, dequantize(s, g))  ->  dequantize(w, constant)
//
// This rewrite is always exact. If the outer scale is applied last,
//
//   Mul(dequantize(w, s), g)  ->  dequantize(w, s * g)
//
// both products are rounded, and the result may change. The pass applies the
// rewrite only if the result is the same for all quantized values.
//
//===----------------------------------------------------------------------===//

#include "RewriteUtils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/IR/Verifier.h"
#include "quant-float/IR/ElementTypes.h"
#include "quant-float/Reference/Cast.h"
#include "quant-float/Reference/Granularity.h"
#include "quant-float/Support/FloatFormat.h"
#include "quant-float/Transforms/Passes.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/Support/DebugLog.h"
#include <set>
#include <tuple>

namespace mlir::quant_float {
#define GEN_PASS_DEF_QUANTFLOATFOLDSCALESPASS
#include "quant-float/Transforms/Passes.h.inc"
} // namespace mlir::quant_float

#define DEBUG_TYPE "quant-float-fold-scales"

using namespace mlir;
using namespace mlir::quant_float;
using reference::Granularity;
using reference::ParameterElements;

namespace {
/// The maximum length of chains of nodes.
constexpr unsigned kMaxDepth = 8;
/// The maximum number of products to try.
constexpr uint64_t kMaxTrials = uint64_t(1) << 22;
/// The maximum number of elements of a computed scale.
constexpr int64_t kMaxElements = int64_t(1) << 24;

using Bits = SmallVector<APInt>;

struct FoldScalesPass final
    : quant_float::impl::QuantFloatFoldScalesPassBase<FoldScalesPass> {
  using QuantFloatFoldScalesPassBase::QuantFloatFoldScalesPassBase;
  void runOnOperation() override;
};
} // namespace

//===----------------------------------------------------------------------===//
// Constant evaluation of nodes
//===----------------------------------------------------------------------===//

static RankedTensorType getStaticType(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.hasStaticShape() &&
                 !llvm::is_contained(type.getShape(), 0)
             ? type
             : RankedTensorType();
}

/// Returns the static type if it has at most kMaxElements elements.
static RankedTensorType getSmallType(Value value) {
  RankedTensorType type = getStaticType(value);
  int64_t count = 1;
  for (int64_t size : type ? type.getShape() : ArrayRef<int64_t>())
    if (size > kMaxElements || (count *= size) > kMaxElements)
      return {};
  return type;
}

static bool isNode(Operation *op, ArrayRef<NodeKind> kinds) {
  auto node = dyn_cast_or_null<NodeOp>(op);
  return node && node->getNumResults() == 1 && node.getAbsentInputs().empty() &&
         llvm::is_contained(kinds, getNormalizedKind(node));
}

static APInt multiply(Type type, const APInt &one, const APInt &other) {
  const llvm::fltSemantics &semantics =
      cast<FloatType>(type).getFloatSemantics();
  APFloat product(semantics, one);
  product.multiply(APFloat(semantics, other), APFloat::rmNearestTiesToEven);
  return product.bitcastToAPInt();
}

static std::optional<Bits> computeConstant(Value value, unsigned depth = 0);

static std::optional<Bits> computeDequantize(DequantizeOp op, unsigned depth) {
  RankedTensorType type = getSmallType(op.getResult());
  RankedTensorType scaleType = getSmallType(op.getScale());
  std::optional<Bits> quantized = computeConstant(op.getInput(), depth);
  std::optional<Bits> scales = computeConstant(op.getScale(), depth);
  if (!type || !scaleType || !quantized || !scales)
    return std::nullopt;
  std::optional<Bits> zeroPoints;
  if (Value zeroPoint = op.getZeroPoint())
    if (!(zeroPoints = computeConstant(zeroPoint, depth)) ||
        zeroPoints->size() != scales->size())
      return std::nullopt;
  ParameterElements parameterIndices(op.getGranularity(), scaleType.getShape(),
                                     type.getShape());
  Bits results;
  for (auto [i, bits] : llvm::enumerate(*quantized)) {
    uint64_t position = parameterIndices[i];
    Parameters parameters{(*scales)[position], std::nullopt};
    if (zeroPoints)
      parameters.zeroPoint = (*zeroPoints)[position];
    results.push_back(evaluate(op, bits, parameters));
  }
  return results;
}

static std::optional<Bits> computeProduct(NodeOp op, unsigned depth) {
  RankedTensorType type = getSmallType(op.getResult(0));
  if (!type || op.getInputs().size() != 2 ||
      !isStandardFloat(type.getElementType()))
    return std::nullopt;
  std::optional<Bits> factors[2];
  std::optional<ParameterElements> parameterIndices[2];
  for (unsigned i : {0, 1}) {
    RankedTensorType factor = getStaticType(op.getInputs()[i]);
    if (!factor || factor.getElementType() != type.getElementType() ||
        !Granularity::getBroadcast().fits(factor.getShape(), type.getShape()) ||
        !(factors[i] = computeConstant(op.getInputs()[i], depth)))
      return std::nullopt;
    parameterIndices[i].emplace(Granularity::getBroadcast(), factor.getShape(),
                                type.getShape());
  }
  Bits results;
  for (int64_t i = 0; i < type.getNumElements(); ++i)
    results.push_back(multiply(type.getElementType(),
                               (*factors[0])[(*parameterIndices[0])[i]],
                               (*factors[1])[(*parameterIndices[1])[i]]));
  return results;
}

/// Returns the bit pattern of each element, if the value can be computed from
/// constants.
static std::optional<Bits> computeConstant(Value value, unsigned depth) {
  RankedTensorType type = getSmallType(value);
  if (!type || ++depth > kMaxDepth)
    return std::nullopt;
  if (std::optional<Bits> elements = getConstantElements(value)) {
    if (elements->size() == 1)
      elements->assign(type.getNumElements(), APInt(elements->front()));
    return elements;
  }
  Operation *op = value.getDefiningOp();
  if (auto dequantize = dyn_cast_or_null<DequantizeOp>(op))
    return computeDequantize(dequantize, depth);
  if (auto cast = dyn_cast_or_null<CastOp>(op)) {
    Type from = getElementTypeOrSelf(cast.getInput());
    if (cast.getRandom() || cast.getMode() || !isFloat(from) ||
        !isFloat(type.getElementType()))
      return std::nullopt;
    std::optional<Bits> elements = computeConstant(cast.getInput(), depth);
    if (elements)
      for (APInt &element : *elements)
        element = reference::castElement(from, type.getElementType(), element,
                                         getReferenceOptions(cast));
    return elements;
  }
  if (isNode(op, {NodeKind::Mul}))
    return computeProduct(cast<NodeOp>(op), depth);
  if (isNode(op, {NodeKind::Identity, NodeKind::Reshape, NodeKind::Squeeze,
                  NodeKind::Unsqueeze, NodeKind::Flatten}))
    if (RankedTensorType before = getSmallType(op->getOperand(0));
        before && before.getNumElements() == type.getNumElements() &&
        before.getElementType() == type.getElementType())
      return computeConstant(op->getOperand(0), depth);
  return std::nullopt;
}

/// Folds dequantize(w, dequantize(s, g)). Returns whether there is such a scale
/// and it is computed from constants.
static bool foldComputedScale(RewriterBase &rewriter,
                              QuantizationOpInterface op) {
  Value scale = op.getScaleValue();
  Operation *source = scale.getDefiningOp();
  if (!source || !isa<NodeOp, CastOp, DequantizeOp>(source))
    return false;
  std::optional<Bits> elements = computeConstant(scale);
  if (!elements) {
    emitNodeRemark(op) << "not folded: the scale is not computed from "
                          "constants, or has too many elements";
    return false;
  }
  LDBG() << "folding " << *source;
  rewriter.setInsertionPoint(op);
  Value constant = createConstantOfBits(rewriter, scale.getLoc(),
                                        scale.getType(), *elements);
  rewriter.modifyOpInPlace(op, [&] { op->replaceUsesOfWith(scale, constant); });
  eraseUnused(rewriter, scale);
  return true;
}

//===----------------------------------------------------------------------===//
// Multiplications after dequantization
//===----------------------------------------------------------------------===//

namespace {
/// A Mul of the result of a dequantize.
class ScaledDequantize {
public:
  ScaledDequantize(NodeOp mul, unsigned index)
      : mul(mul), op(mul.getInputs()[index].getDefiningOp<DequantizeOp>()),
        factor(mul.getInputs()[1 - index]) {}

  /// Folds the factor into the scale. Returns an error message if that is not
  /// possible, and an empty string otherwise.
  std::string fold(RewriterBase &rewriter);

private:
  std::string analyze();
  std::string prove();

  NodeOp mul;
  DequantizeOp op, candidate;
  Value factor;
  std::optional<Bits> scales, zeroPoints, factors;
  /// One size per dimension of the result: of the scale, of the factor, and of
  /// their product.
  SmallVector<int64_t> scaleSizes, factorSizes, sizes;
  /// For each element of the new scale: the product, and the indices of the
  /// scale and of the factor.
  Bits products;
  SmallVector<std::pair<uint64_t, uint64_t>> parameterIndices;
};
} // namespace

std::string ScaledDequantize::analyze() {
  RankedTensorType type = getStaticType(op.getResult());
  RankedTensorType scale = getSmallType(op.getScale());
  RankedTensorType other = getSmallType(factor);
  if (!type || !scale || !other || mul.getResult(0).getType() != type ||
      !isStandardFloat(type.getElementType()) ||
      other.getElementType() != type.getElementType() ||
      !Granularity::getBroadcast().fits(other.getShape(), type.getShape()))
    return "the types of both scales cannot be combined";
  scales = computeConstant(op.getScale());
  factors = computeConstant(factor);
  if (Value zeroPoint = op.getZeroPoint();
      zeroPoint && !(zeroPoints = computeConstant(zeroPoint)))
    return "the zero point is not a constant";
  if (!scales || !factors)
    return "one of the scales is not a constant";

  Granularity granularity = op.getGranularity();
  bool isBlocked = granularity.blockSize.has_value();
  int64_t rank = type.getRank();
  scaleSizes.assign(rank, 1);
  factorSizes.assign(rank, 1);
  std::optional<int64_t> axis = granularity.getAxis(rank);
  if (isBlocked)
    llvm::copy(scale.getShape(), scaleSizes.begin());
  else if (axis && scale.getNumElements() > 1)
    scaleSizes[*axis] = scale.getNumElements();
  llvm::copy(llvm::reverse(other.getShape()), factorSizes.rbegin());
  unsigned many = 0;
  for (auto [one, another] : llvm::zip_equal(scaleSizes, factorSizes)) {
    if (one != 1 && another != 1 && one != another)
      return "both scales apply to different slices of the weights";
    sizes.push_back(std::max(one, another));
    many += sizes.back() != 1;
  }
  if (isBlocked ? sizes != scaleSizes : many > 1)
    return "both scales apply to different slices of the weights";

  ParameterElements ofScale(Granularity::getBroadcast(), scaleSizes, sizes);
  ParameterElements ofFactor(Granularity::getBroadcast(), factorSizes, sizes);
  Type scaleType = scale.getElementType();
  for (int64_t i = 0, end = ShapedType::getNumElements(sizes); i < end; ++i) {
    parameterIndices.emplace_back(ofScale[i], ofFactor[i]);
    APInt bits = (*scales)[parameterIndices.back().first];
    if (scaleType != type.getElementType())
      bits = reference::castElement(scaleType, type.getElementType(), bits,
                                    reference::CastOptions());
    products.push_back(multiply(type.getElementType(), bits,
                                (*factors)[parameterIndices.back().second]));
  }
  return "";
}

/// Returns the encodings that occur in a constant, or all encodings of the type
/// if the value is not a constant.
static SmallVector<uint64_t> getEncodings(Value value, Type type) {
  unsigned width = getNumberWidth(type);
  llvm::BitVector found(1u << width, false);
  std::optional<ConstantBytes> bytes = getConstantBytes(value);
  if (bytes && width == 8) {
    for (char byte : bytes->bytes)
      found.set(uint8_t(byte));
  } else if (std::optional<Bits> elements = getSmallType(value)
                                                ? getConstantElements(value)
                                                : std::nullopt) {
    for (const APInt &element : *elements)
      found.set(element.getZExtValue());
  } else {
    found.set();
  }
  return SmallVector<uint64_t>(found.set_bits_begin(), found.set_bits_end());
}

/// Tries all quantized values with all combinations of scale and factor that
/// occur.
std::string ScaledDequantize::prove() {
  Type quantizedType = op.getQuantizedElementType();
  Type numbers = getElementTypeOrSelf(op.getType());
  unsigned width = getNumberWidth(quantizedType);
  if (width > kMaxEncodingWidth)
    return "encodings of more than 16 bits are not enumerated";
  SmallVector<uint64_t> tried = getEncodings(op.getInput(), quantizedType);
  std::set<std::tuple<uint64_t, uint64_t, uint64_t>> known;
  for (auto [i, position] : llvm::enumerate(parameterIndices)) {
    const APInt &scale = (*scales)[position.first];
    const APInt &other = (*factors)[position.second];
    Parameters before{scale, std::nullopt}, after{products[i], std::nullopt};
    if (zeroPoints)
      before.zeroPoint = after.zeroPoint = (*zeroPoints)[position.first];
    if (!known
             .insert({scale.getZExtValue(), other.getZExtValue(),
                      zeroPoints ? before.zeroPoint->getZExtValue() : 0})
             .second)
      continue;
    if (known.size() * tried.size() > kMaxTrials)
      return "it has too many different scales to enumerate all encodings";
    for (uint64_t encoding : tried) {
      APInt bits(width, encoding);
      APInt value = evaluate(op, bits, before);
      APInt twice = multiply(numbers, value, other);
      APInt once = evaluate(candidate, bits, after);
      // The sign of a NaN is unspecified (D8).
      if (twice == once || (getFloatValue(numbers, twice).isNaN() &&
                            getFloatValue(numbers, once).isNaN()))
        continue;
      return "encoding " + describeEncoding(quantizedType, bits) + " times " +
             describeEncoding(getElementTypeOrSelf(op.getScale()), scale) +
             " becomes " + describeEncoding(numbers, value) + ", which times " +
             describeEncoding(numbers, other) + " is " +
             describeEncoding(numbers, twice) + ", but " +
             describeEncoding(numbers, once) + " with one scale";
    }
  }
  return "";
}

std::string ScaledDequantize::fold(RewriterBase &rewriter) {
  if (std::string reason = analyze(); !reason.empty())
    return reason;
  // The new scale is per tensor, per axis or blocked, depending on the sizes.
  auto type = cast<RankedTensorType>(op.getType());
  bool isBlocked = op.getGranularity().blockSize.has_value();
  auto *many = llvm::find_if(sizes, [](int64_t size) { return size != 1; });
  SmallVector<int64_t> shape;
  if (isBlocked)
    shape = sizes;
  else if (many != sizes.end())
    shape.push_back(*many);

  rewriter.setInsertionPoint(mul);
  candidate = cast<DequantizeOp>(rewriter.clone(*op));
  if (!isBlocked && many != sizes.end())
    candidate->setAttr("axis",
                       rewriter.getI64IntegerAttr(many - sizes.begin()));
  rewriter.setInsertionPoint(candidate);
  auto make = [&](Value old, Type elementType, ArrayRef<APInt> bits) {
    auto type = RankedTensorType::get(shape, elementType);
    return createConstantOfBits(rewriter, old.getLoc(), type, bits);
  };
  candidate.getScaleMutable().assign(
      make(op.getScale(), type.getElementType(), products));
  if (Value zeroPoint = op.getZeroPoint())
    candidate.getZeroPointMutable().assign(
        make(zeroPoint, getElementTypeOrSelf(zeroPoint),
             llvm::map_to_vector(parameterIndices,
                                 [&](std::pair<uint64_t, uint64_t> position) {
                                   return (*zeroPoints)[position.first];
                                 })));
  std::string reason;
  {
    ScopedDiagnosticHandler handler(op.getContext(), [&](Diagnostic &problem) {
      reason = problem.str();
      return success();
    });
    (void)verify(candidate, /*verifyRecursively=*/false);
  }
  if (reason.empty())
    reason = prove();
  if (!reason.empty()) {
    eraseUnused(rewriter, candidate.getResult());
    return reason;
  }
  // The new op takes over the name of the Mul.
  candidate->setLoc(mul.getLoc());
  candidate->setDiscardableAttrs(mul->getDiscardableAttrDictionary());
  SmallVector<Value> unused(mul->getOperands());
  rewriter.replaceOp(mul, candidate->getResults());
  eraseUnused(rewriter, unused);
  return "";
}

void FoldScalesPass::runOnOperation() {
  IRRewriter rewriter(&getContext());
  SmallVector<QuantizationOpInterface> quantizations;
  getOperation()->walk(
      [&](QuantizationOpInterface op) { quantizations.push_back(op); });
  // Folding a scale only erases ops before the quantization that uses it, so
  // the remaining ops of the list stay valid.
  for (QuantizationOpInterface op : quantizations)
    if (foldComputedScale(rewriter, op))
      ++numScalesFolded;
  SmallVector<NodeOp> products;
  getOperation()->walk([&](NodeOp op) {
    if (isNode(op, {NodeKind::Mul}) && op.getInputs().size() == 2)
      products.push_back(op);
  });
  for (NodeOp op : products)
    for (unsigned i : {0, 1})
      if (auto dequantize = op.getInputs()[i].getDefiningOp<DequantizeOp>()) {
        // A factor that is only known at run time is not part of the scale.
        if (!computeConstant(op.getInputs()[1 - i]))
          continue;
        LDBG() << "folding " << op;
        std::string reason = ScaledDequantize(op, i).fold(rewriter);
        LDBG() << (reason.empty() ? "folded" : reason.c_str());
        if (reason.empty())
          ++numMultipliersFolded;
        else
          emitNodeRemark(op) << "not folded: " << reason;
        break;
      }
}
