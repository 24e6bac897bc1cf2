//===- EliminateQdq.cpp - Eliminate dequantize-quantize pairs -------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Requantize.h"
#include "RewriteUtils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"
#include "quant-float/IR/Constants.h"
#include "quant-float/IR/ElementTypes.h"
#include "quant-float/Support/FloatFormat.h"
#include "quant-float/Support/Locations.h"
#include "quant-float/Support/OpsetImports.h"
#include "quant-float/Transforms/Passes.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/DebugLog.h"
#include <array>
#include <functional>
#include <limits>
#include <set>

namespace mlir::quant_float {
#define GEN_PASS_DEF_QUANTFLOATELIMINATEQDQPASS
#include "quant-float/Transforms/Passes.h.inc"
} // namespace mlir::quant_float

#define DEBUG_TYPE "quant-float-eliminate-qdq"

using namespace mlir;
using namespace mlir::quant_float;

//===----------------------------------------------------------------------===//
// Nodes between dequantize and quantize
//===----------------------------------------------------------------------===//

namespace {
constexpr int64_t kNever = std::numeric_limits<int64_t>::max();

/// A node of ONNX that moves the elements of its first input (or of all inputs,
/// for Concat) or selects among them (MaxPool). The numbers are the first
/// opsets that accept 8-bit integers, 16-bit integers, float8 and 4-bit
/// integers.
struct Movement {
  NodeKind kind;
  int64_t int8, int16, float8, int4;
};
constexpr Movement kMovements[] = {
    {NodeKind::Identity, 1, 1, 19, 21},
    {NodeKind::Reshape, 5, 5, 19, 21},
    {NodeKind::Flatten, 9, 9, 21, 21},
    {NodeKind::Squeeze, 1, 1, 21, 21},
    {NodeKind::Unsqueeze, 1, 1, 21, 21},
    {NodeKind::Transpose, 1, 1, 21, 21},
    {NodeKind::Slice, 1, 1, kNever, kNever},
    {NodeKind::Gather, 1, 1, kNever, kNever},
    {NodeKind::Tile, 6, 6, kNever, kNever},
    {NodeKind::Expand, 8, 8, kNever, kNever},
    {NodeKind::DepthToSpace, 1, 1, kNever, kNever},
    {NodeKind::SpaceToDepth, 1, 1, kNever, kNever},
    {NodeKind::Concat, 4, 4, kNever, kNever},
    {NodeKind::Pad, 11, 11, 21, 21},
    {NodeKind::MaxPool, 12, kNever, kNever, kNever},
};

/// The maximum length of chains of nodes.
constexpr unsigned kMaxDepth = 64;
/// The maximum number of different parameters to try.
constexpr size_t kMaxParameters = 4096;
constexpr int64_t kPadValue = 2;

/// Evaluates an elementwise op on the bits of a number. Returns nullopt if the
/// result is not specified uniquely: for NaN and for zeros whose sign matters.
using Step = std::function<std::optional<APInt>(const APInt &)>;
} // namespace

static const Movement *findMovement(NodeOp node) {
  std::optional<NodeKind> kind = getNormalizedKind(node);
  auto found = llvm::find_if(kMovements, [&](const Movement &movement) {
    return movement.kind == kind;
  });
  return found == std::end(kMovements) ? nullptr : found;
}

static int64_t getFirstOpset(const Movement &movement, Type type) {
  if (isFloat8(type))
    return movement.float8;
  if (type.isInteger(8))
    return movement.int8;
  if (type.isInteger(16))
    return movement.int16;
  return type.isInteger(4) ? movement.int4 : kNever;
}

static bool isElementwise(Operation *op) {
  if (isa<CastOp>(op))
    return true;
  auto node = dyn_cast<NodeOp>(op);
  return node && llvm::is_contained({NodeKind::Relu, NodeKind::Clip},
                                    getNormalizedKind(node));
}

/// Returns whether the value is computed from a dequantize through supported
/// nodes.
static bool isFromDequantize(Value value) {
  for (unsigned depth = 0; depth < kMaxDepth; ++depth) {
    Operation *op = value.getDefiningOp();
    if (!op)
      return false;
    if (isa<DequantizeOp>(op))
      return true;
    auto node = dyn_cast<NodeOp>(op);
    if (!isElementwise(op) && !(node && findMovement(node)))
      return false;
    if (op->getNumOperands() == 0)
      return false;
    value = op->getOperand(0);
  }
  return false;
}

/// Returns the operand for input `position` of the source node; null if it is
/// absent.
static Value getInput(NodeOp node, unsigned position) {
  unsigned index = position;
  for (int64_t absent : node.getAbsentInputs()) {
    if (absent == position)
      return {};
    index -= absent < position;
  }
  return index < node.getInputs().size() ? node.getInputs()[index] : Value();
}

/// Returns the bound of a Clip, or an infinity if it has none. Nullopt if the
/// bound is not constant.
static std::optional<APFloat> getBound(NodeOp node, bool isUpper) {
  constexpr int64_t kFirstOpsetWithInputs = 11;
  APFloat none = APFloat::getInf(APFloat::IEEEdouble(), !isUpper);
  if (node.getOpset() < kFirstOpsetWithInputs) {
    Attribute bound = node.getNodeAttributes().get(isUpper ? "max" : "min");
    if (!bound)
      return none;
    auto number = dyn_cast<FloatAttr>(bound);
    if (!number)
      return std::nullopt;
    APFloat value = number.getValue();
    bool losesInfo;
    value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                  &losesInfo);
    return value;
  }
  Value bound = getInput(node, isUpper ? 2 : 1);
  if (!bound)
    return none;
  Type type = getElementTypeOrSelf(bound);
  std::optional<SmallVector<APInt>> bits = getConstantElements(bound);
  if (!bits || bits->size() != 1 || !isFloat(type))
    return std::nullopt;
  return getFloatValue(type, bits->front());
}

static Step makeStep(CastOp op) {
  Type from = getElementTypeOrSelf(op.getInput());
  Type to = getElementTypeOrSelf(op.getResult());
  if (op.getRandom() || !op.hasOnnxRules() || !isStandardFloat(from) ||
      !isStandardFloat(to))
    return {};
  return [=, options = getReferenceOptions(op)](const APInt &bits) {
    return std::optional<APInt>(
        reference::castElement(from, to, bits, options));
  };
}

/// Creates the step of a Relu or Clip, which clamps to two bounds. The bounds
/// must be representable in the type.
static Step makeStep(NodeOp node) {
  auto type = dyn_cast<FloatType>(getElementTypeOrSelf(node.getResult(0)));
  if (!type || !isStandardFloat(type) ||
      getElementTypeOrSelf(node.getOperand(0)) != type)
    return {};
  bool isRelu = getNormalizedKind(node) == NodeKind::Relu;
  std::optional<APFloat> lower = isRelu ? APFloat(0.0) : getBound(node, false);
  std::optional<APFloat> upper =
      isRelu ? APFloat::getInf(APFloat::IEEEdouble()) : getBound(node, true);
  for (std::optional<APFloat> *bound : {&lower, &upper}) {
    if (!*bound || (*bound)->isNaN() || (*bound)->isNegZero())
      return {};
    bool losesInfo;
    (*bound)->convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                      &losesInfo);
    // The default bound of old versions is the maximum of f32, which may not be
    // representable.
    if (losesInfo)
      return {};
  }
  return [=](const APInt &bits) -> std::optional<APInt> {
    APFloat value(type.getFloatSemantics(), bits);
    if (value.isNaN() || value.isNegZero())
      return std::nullopt;
    if (value < *lower)
      value = *lower;
    if (value > *upper)
      value = *upper;
    return value.bitcastToAPInt();
  };
}

//===----------------------------------------------------------------------===//
// Elimination of one quantize
//===----------------------------------------------------------------------===//

namespace {
/// The elimination of one quantize: `find` analyzes it, `apply` rewrites it.
class Elimination {
public:
  Elimination(QuantizeOp op, RequantizationKind kind, bool anyNan,
              unsigned maxWidth)
      : quantize(op), kind(kind), anyNan(anyNan), maxWidth(maxWidth),
        to(op.getQuantizedElementType()) {}

  /// Returns whether the quantize can be eliminated. Otherwise getError returns
  /// the reason.
  bool find();
  void apply(RewriterBase &rewriter);
  StringRef getError() const { return error; }

private:
  /// A possible value of an intermediate tensor, and its quantized value.
  struct Point {
    APFloat value;
    APInt encoding;
  };
  /// The path from the quantize to a dequantize.
  struct Path {
    /// The elementwise ops, last one first. All are monotonic (non-decreasing).
    SmallVector<Step> steps;
    /// Below a MaxPool: the points that its windows can contain, their type,
    /// and the number of steps that follow the MaxPool. The mapping from points
    /// to quantized values must be monotonic.
    SmallVector<Point> *points = nullptr;
    Type pointType = {};
    size_t numStepsAfter = 0;
    unsigned depth = 0;
  };
  /// The requantization at a dequantize.
  struct Leaf {
    DequantizeOp op;
    EncodingMap map;
    Requantization requantization;
  };

  bool refuse(const Twine &reason) {
    error = reason.str();
    return false;
  }
  bool refuse(const Twine &reason, const EncodingMap &map,
              const Twine &where = "");
  bool refuseWidth() {
    return refuse("encodings of more than " + Twine(maxWidth) +
                  " bits are not enumerated");
  }
  bool findOpset(Operation *op);
  bool findAligned(DequantizeOp dequantize);
  bool findUnknown(DequantizeOp dequantize);
  bool visit(OpOperand &use, Path path);
  bool visitLeaf(OpOperand &use, DequantizeOp op, const Path &path);
  bool visitMovement(NodeOp node, const Movement &movement, Path path);
  bool visitPad(NodeOp node, const Path &path);
  bool visitMaxPool(NodeOp node, Path path);
  bool isIncreasing(SmallVector<Point> &points);
  /// Applies the steps to the bits of a number. Nullopt if the result of a step
  /// is not unique.
  std::optional<APInt> follow(APInt bits, const Path &path);
  bool isSame(const APInt &encoding, const APInt &other) const;
  Value build(RewriterBase &rewriter, OpOperand &use);

  QuantizeOp quantize;
  RequantizationKind kind;
  bool anyNan;
  unsigned maxWidth;
  Type to;
  Parameters parameters;
  /// The model's opset of ONNX; 0 if not determined yet.
  int64_t opset = 0;
  /// The dequantize ops, by the operand that reads their result.
  llvm::DenseMap<OpOperand *, Leaf> leaves;
  llvm::DenseMap<Operation *, APInt> padValues;
  /// All ops on the paths, users first.
  llvm::SetVector<Operation *> visited;
  std::string error;
  unsigned numBuilt = 0;
};

struct EliminateQdqPass final
    : quant_float::impl::QuantFloatEliminateQdqPassBase<EliminateQdqPass> {
  using QuantFloatEliminateQdqPassBase::QuantFloatEliminateQdqPassBase;

  void runOnOperation() override {
    SmallVector<QuantizeOp> found;
    getOperation()->walk([&](QuantizeOp op) {
      if (isFromDequantize(op.getInput()))
        found.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (QuantizeOp op : found) {
      Elimination elimination(
          op, requantize, anyNan,
          std::min<unsigned>(maxEncodingWidth, kMaxEncodingWidth));
      if (elimination.find()) {
        LDBG() << "eliminating " << op;
        elimination.apply(rewriter);
        ++numEliminated;
        continue;
      }
      ++numKept;
      LDBG() << "keeping " << op << ": " << elimination.getError();
      if (remarks)
        emitNodeRemark(op) << "not removed: " << elimination.getError();
    }
  }
};
} // namespace

/// Refuses with the first value that changes as an example.
bool Elimination::refuse(const Twine &reason, const EncodingMap &map,
                         const Twine &where) {
  uint64_t encoding = map.findChange();
  APInt bits(getNumberWidth(map.from), encoding);
  return refuse(reason + ": encoding " + describeEncoding(map.from, bits) +
                where + " becomes " +
                describeEncoding(map.to, map.results[encoding]));
}

/// The sign of a NaN that results from arithmetic is unspecified (D8).
bool Elimination::isSame(const APInt &encoding, const APInt &other) const {
  if (encoding == other || !isFloat(to) ||
      !getFloatValue(to, encoding).isNaN() || !getFloatValue(to, other).isNaN())
    return encoding == other;
  uint64_t magnitude = FloatFormat(to).magnitudeMask();
  return anyNan || (encoding.getZExtValue() & magnitude) ==
                       (other.getZExtValue() & magnitude);
}

bool Elimination::find() {
  if (quantize.getRandom())
    return refuse("it rounds stochastically");
  auto direct = quantize.getInput().getDefiningOp<DequantizeOp>();
  if (direct && getNumberWidth(direct.getQuantizedElementType()) > maxWidth)
    return refuseWidth();
  std::optional<SmallVector<Parameters>> constants =
      getConstantParameters(quantize);
  if (direct && (!constants || !getConstantParameters(direct)))
    return findUnknown(direct);
  if (!constants)
    return refuse("the scale or the zero point is not a constant");
  if (direct &&
      (quantize.getGranularity().axis || direct.getGranularity().axis))
    return findAligned(direct);
  if (quantize.getGranularity().axis || constants->size() != 1)
    return refuse("its parameters are not per tensor");
  if (!isa<TensorType>(quantize.getType()))
    return !direct ? refuse("nodes require tensors") : findAligned(direct);
  parameters = constants->front();
  return visit(quantize.getInputMutable(), Path());
}

/// Refuses if unknown parameters can change values: with the largest scale,
/// dequantized values become infinite.
bool Elimination::findUnknown(DequantizeOp dequantize) {
  constexpr StringLiteral kReason =
      "the scale or the zero point is not a constant";
  auto type = dyn_cast<FloatType>(getElementTypeOrSelf(quantize.getScale()));
  if (!type || type != getElementTypeOrSelf(dequantize.getScale()))
    return refuse(kReason);
  Parameters largest{
      APFloat::getLargest(type.getFloatSemantics()).bitcastToAPInt(), {}};
  Type from = dequantize.getQuantizedElementType();
  unsigned width = getNumberWidth(from);
  EncodingMap map{from, to, {}};
  for (uint64_t encoding = 0; encoding < uint64_t(1) << width; ++encoding)
    map.results.push_back(evaluate(
        quantize, evaluate(dequantize, APInt(width, encoding), largest),
        largest));
  if (map.isIdentity())
    return refuse(kReason);
  return refuse(kReason, map,
                " with a scale of " + describeEncoding(type, largest.scale));
}

/// Handles parameters that vary along the tensor. Every value must be preserved
/// by each combination of parameters that occurs.
bool Elimination::findAligned(DequantizeOp dequantize) {
  SmallVector<Parameters> quantizeParameters = *getConstantParameters(quantize);
  SmallVector<Parameters> dequantizeParameters =
      *getConstantParameters(dequantize);
  bool isAligned =
      quantizeParameters.size() == 1 || dequantizeParameters.size() == 1;
  if (!isAligned) {
    isAligned = quantize.getAxisIndex() == dequantize.getAxisIndex() &&
                quantize.getAxisIndex() &&
                quantize.getBlockSize() == dequantize.getBlockSize() &&
                quantizeParameters.size() == dequantizeParameters.size();
  }
  if (!isAligned)
    return refuse("their parameters belong to different slices of the values");

  Type from = dequantize.getQuantizedElementType();
  unsigned width = getNumberWidth(from);
  std::set<std::array<uint64_t, 4>> tried;
  for (size_t i = 0, count = std::max(quantizeParameters.size(),
                                      dequantizeParameters.size());
       i < count; ++i) {
    const Parameters &a =
        dequantizeParameters[dequantizeParameters.size() == 1 ? 0 : i];
    const Parameters &b =
        quantizeParameters[quantizeParameters.size() == 1 ? 0 : i];
    auto key = [](const std::optional<APInt> &bits) {
      return bits ? bits->getZExtValue() : 0;
    };
    if (!tried
             .insert({a.scale.getZExtValue(), key(a.zeroPoint),
                      b.scale.getZExtValue(), key(b.zeroPoint)})
             .second)
      continue;
    if (tried.size() > kMaxParameters)
      return refuse("it has more than " + Twine(kMaxParameters) +
                    " different parameters");
    EncodingMap map{from, to, {}};
    for (uint64_t encoding = 0; encoding < uint64_t(1) << width; ++encoding) {
      APInt bits(width, encoding);
      APInt result = evaluate(quantize, evaluate(dequantize, bits, a), b);
      map.results.push_back(from == to && isSame(bits, result) ? bits : result);
    }
    if (!map.isIdentity())
      return refuse("only the identity is removed here", map,
                    count == 1 ? Twine()
                               : " with element " + Twine(i) + " of the scale");
  }
  EncodingMap same{from, to, {}};
  leaves.try_emplace(&quantize.getInputMutable(),
                     Leaf{dequantize, same, {Requantization::Identity}});
  return true;
}

std::optional<APInt> Elimination::follow(APInt bits, const Path &path) {
  APInt inWindow = bits;
  for (size_t i = path.steps.size(); i-- > 0;) {
    std::optional<APInt> next = path.steps[i](bits);
    if (!next)
      return std::nullopt;
    bits = *next;
    if (i >= path.numStepsAfter)
      inWindow = bits;
  }
  APInt encoding = evaluate(quantize, bits, parameters);
  if (path.points)
    path.points->push_back({getFloatValue(path.pointType, inWindow), encoding});
  return encoding;
}

bool Elimination::visit(OpOperand &use, Path path) {
  Operation *op = use.get().getDefiningOp();
  if (!op)
    return refuse("it also depends on floats that are not dequantized");
  visited.insert(op);
  if (auto dequantize = dyn_cast<DequantizeOp>(op))
    return visitLeaf(use, dequantize, path);
  std::string name = op->getName().getStringRef().str();
  auto node = dyn_cast<NodeOp>(op);
  if (node)
    name = node.getOpType().str();
  if (!use.get().hasOneUse())
    return refuse("the result of " + name + " has other uses");
  if (++path.depth > kMaxDepth)
    return refuse("more than " + Twine(kMaxDepth) + " nodes are in between");
  if (isElementwise(op)) {
    Step step;
    if (auto cast = dyn_cast<CastOp>(op))
      step = makeStep(cast);
    else if (op->getNumOperands() && op->getNumResults() == 1)
      step = makeStep(node);
    if (!step)
      return refuse(name + " has non-constant bounds or unsupported types");
    path.steps.push_back(step);
    return visit(op->getOpOperand(0), path);
  }
  const Movement *movement = node ? findMovement(node) : nullptr;
  if (!movement || node.getInputs().empty())
    return refuse(name + " computes new values");
  return visitMovement(node, *movement, path);
}

bool Elimination::visitMovement(NodeOp node, const Movement &movement,
                                Path path) {
  std::string name = node.getOpType().str();
  if (int64_t(node.getOpset()) < getFirstOpset(movement, to)) {
    llvm::raw_string_ostream os(error);
    os << name << " of opset " << node.getOpset() << " does not accept " << to;
    return false;
  }
  for (Value other : node.getResults().drop_front())
    if (!other.use_empty())
      return refuse(name + " has a second result");
  unsigned count =
      movement.kind == NodeKind::Concat ? node.getInputs().size() : 1;
  for (Value input : node.getInputs().take_front(count))
    if (getElementTypeOrSelf(input) != getElementTypeOrSelf(node.getResult(0)))
      return refuse(name + " changes the type");
  if (movement.kind == NodeKind::MaxPool)
    return visitMaxPool(node, path);
  if (movement.kind == NodeKind::Pad && !visitPad(node, path))
    return false;
  for (unsigned i = 0; i < count; ++i)
    if (!visit(node->getOpOperand(i), path))
      return false;
  return true;
}

bool Elimination::visitPad(NodeOp node, const Path &path) {
  Attribute mode = node.getNodeAttributes().get("mode");
  if (mode && mode != StringAttr::get(node.getContext(), "constant"))
    return true;
  Type type = getElementTypeOrSelf(node.getInputs().front());
  if (!isFloat(type))
    return refuse("the elements of Pad are not floats");
  APInt bits = APInt::getZero(getNumberWidth(type));
  if (Value value = getInput(node, kPadValue)) {
    std::optional<SmallVector<APInt>> constant = getConstantElements(value);
    if (!constant || constant->size() != 1 ||
        getElementTypeOrSelf(value) != type)
      return refuse("the value of Pad is not a constant");
    bits = constant->front();
  }
  std::optional<APInt> encoding = follow(bits, path);
  if (!encoding)
    return refuse("the value of Pad is a NaN or a negative zero");
  padValues.try_emplace(node, *encoding);
  return true;
}

bool Elimination::visitMaxPool(NodeOp node, Path path) {
  // With ceil_mode, a window can lie outside of the input, and its result is
  // -inf.
  auto ceilMode =
      dyn_cast_or_null<IntegerAttr>(node.getNodeAttributes().get("ceil_mode"));
  if (ceilMode && !ceilMode.getValue().isZero())
    return refuse("windows of MaxPool may be empty with ceil_mode");
  // An enclosing MaxPool already checks the same condition for the same values.
  if (path.points)
    return visit(node->getOpOperand(0), path);
  SmallVector<Point> points;
  path.points = &points;
  path.pointType = getElementTypeOrSelf(node.getResult(0));
  path.numStepsAfter = path.steps.size();
  if (!isFloat(path.pointType))
    return refuse("the elements of MaxPool are not floats");
  return visit(node->getOpOperand(0), path) && isIncreasing(points);
}

bool Elimination::isIncreasing(SmallVector<Point> &points) {
  auto toNumber = [&](const APInt &encoding) {
    return to.isSignlessInteger() ? encoding.getSExtValue()
                                  : int64_t(encoding.getZExtValue());
  };
  for (const Point &point : points)
    if (point.value.isNaN())
      return refuse("MaxPool may select a NaN, which becomes " +
                    describeEncoding(to, point.encoding));
  llvm::sort(points, [&](const Point &a, const Point &b) {
    return a.value != b.value ? a.value < b.value
                              : toNumber(a.encoding) < toNumber(b.encoding);
  });
  for (size_t i = 1; i < points.size(); ++i) {
    const Point &a = points[i - 1], &b = points[i];
    if (toNumber(a.encoding) <= toNumber(b.encoding))
      continue;
    SmallString<32> less, greater;
    a.value.toString(less);
    b.value.toString(greater);
    return refuse("greater values do not have greater encodings, which MaxPool "
                  "requires: " +
                  less + " becomes " + describeEncoding(to, a.encoding) +
                  ", and " + greater + " " + describeEncoding(to, b.encoding));
  }
  return true;
}

bool Elimination::visitLeaf(OpOperand &use, DequantizeOp op, const Path &path) {
  Type from = op.getQuantizedElementType();
  if (getNumberWidth(from) > maxWidth)
    return refuseWidth();
  std::optional<SmallVector<Parameters>> constants = getConstantParameters(op);
  if (!constants || constants->size() != 1 || op.getGranularity().axis)
    return refuse("the dequantization parameters are not per-tensor constants");
  if (!isa<TensorType>(op.getType()))
    return refuse("nodes require tensors");
  if (!findOpset(op))
    return false;
  Type type = getElementTypeOrSelf(op.getType());
  unsigned width = getNumberWidth(from);
  EncodingMap map{from, to, {}};
  for (uint64_t encoding = 0; encoding < uint64_t(1) << width; ++encoding) {
    APInt bits(width, encoding);
    APInt value = evaluate(op, bits, constants->front());
    std::optional<APInt> result = follow(value, path);
    if (!result)
      return refuse("encoding " + describeEncoding(from, bits) + " is " +
                    describeEncoding(type, value) +
                    ", for which the results of Relu and Clip are ambiguous "
                    "zeros or NaNs");
    map.results.push_back(from == to && isSame(bits, *result) ? bits : *result);
  }
  std::string reason;
  std::optional<Requantization> requantization =
      chooseRequantization(map, kind, opset, reason);
  if (!requantization)
    return refuse(reason);
  leaves.try_emplace(&use, Leaf{op, std::move(map), *requantization});
  return true;
}

/// Determines the opset of new nodes.
bool Elimination::findOpset(Operation *op) {
  constexpr int64_t kDefaultOpset = 21;
  auto isOnnx = [](StringRef domain) {
    return domain.empty() || domain == "ai.onnx";
  };
  if (opset)
    return true;
  if (isOnnx(quantize.getStandardDomain())) {
    opset = quantize.getOpset();
    return true;
  }
  // Use the opset that the model imports.
  auto module = op->getParentOfType<ModuleOp>();
  opset = module ? getOnnxOpset(module).value_or(kDefaultOpset) : kDefaultOpset;
  return true;
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

Value Elimination::build(RewriterBase &rewriter, OpOperand &use) {
  if (auto found = leaves.find(&use); found != leaves.end()) {
    Leaf &leaf = found->second;
    Location loc = quantize.getLoc();
    StringRef name = getNodeName(loc);
    if (numBuilt++ && !name.empty())
      loc = NameLoc::get(rewriter.getStringAttr(name + "/" + Twine(numBuilt)),
                         loc);
    return buildRequantization(rewriter, loc, leaf.op.getInput(), leaf.map,
                               leaf.requantization, opset);
  }
  Operation *op = use.get().getDefiningOp();
  if (isElementwise(op))
    return build(rewriter, op->getOpOperand(0));
  auto node = cast<NodeOp>(op);
  SmallVector<Value> inputs = llvm::to_vector(node.getInputs());
  unsigned count =
      getNormalizedKind(node) == NodeKind::Concat ? inputs.size() : 1;
  for (unsigned i = 0; i < count; ++i)
    inputs[i] = build(rewriter, node->getOpOperand(i));
  SmallVector<int64_t> absent = llvm::to_vector(node.getAbsentInputs());
  if (auto value = padValues.find(node); value != padValues.end()) {
    Value constant = createConstantOfBits(
        rewriter, node.getLoc(), RankedTensorType::get({}, to), value->second);
    unsigned index = kPadValue - llvm::count_if(absent, [](int64_t position) {
                       return position < kPadValue;
                     });
    if (getInput(node, kPadValue))
      inputs[index] = constant;
    else
      inputs.insert(inputs.begin() + index, constant);
    llvm::erase(absent, int64_t(kPadValue));
  }
  auto moved = cast<NodeOp>(rewriter.clone(*node));
  moved.setAbsentInputs(absent);
  moved.getInputsMutable().assign(inputs);
  Value result = moved.getResult(0);
  result.setType(withElementType(result.getType(), to));
  return result;
}

void Elimination::apply(RewriterBase &rewriter) {
  rewriter.setInsertionPoint(quantize);
  OpOperand &use = quantize.getInputMutable();
  Value quantized = build(rewriter, use);
  if (quantized.getType() != quantize.getType())
    quantized = tensor::CastOp::create(rewriter, quantize.getLoc(),
                                       quantize.getType(), quantized);
  // Collect the ops that may become unused, in an order in which users precede
  // their operands.
  visited.insert(use.get().getDefiningOp());
  SmallVector<Operation *> users = {quantize};
  for (bool isDequantize : {false, true})
    llvm::copy_if(visited, std::back_inserter(users), [&](Operation *op) {
      return isa<DequantizeOp>(op) == isDequantize;
    });
  llvm::SetVector<Operation *> candidates(users.begin(), users.end());
  for (Operation *user : users)
    for (Value operand : user->getOperands())
      if (auto constant = operand.getDefiningOp<AnyConstantOp>())
        candidates.insert(constant);
  rewriter.replaceAllUsesWith(quantize.getResult(), quantized);
  for (Operation *op : candidates)
    if (op->use_empty())
      rewriter.eraseOp(op);
}
