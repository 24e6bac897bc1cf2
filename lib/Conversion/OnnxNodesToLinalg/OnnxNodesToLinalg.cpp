//===- OnnxNodesToLinalg.cpp - Ordinary ONNX nodes to linalg --------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NodeContext.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "quant-float/Conversion/Passes.h"
#include "quant-float/Conversion/ResolveNode.h"
#include "quant-float/EntryPoint/EntryPointInfo.h"
#include "quant-float/IR/ElementTypes.h"
#include "quant-float/Support/BufferSize.h"
#include "quant-float/Support/Printable.h"
#include "quant-float/Target/ONNX/ExpandNode.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSwitch.h"

namespace mlir::quant_float {
#define GEN_PASS_DEF_CONVERTONNXNODESTOLINALGPASS
#include "quant-float/Conversion/Passes.h.inc"
} // namespace mlir::quant_float

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::onnx_nodes;

namespace {
/// A row of OnnxNodes.def.
struct NodeRow {
  int64_t since;
  int fewest, most;
  unsigned kinds;
  SmallVector<AttributeRow, 2> attributes;
  NodeConversion conversion;
};
} // namespace

/// "Add", "com.microsoft.QLinearAdd".
static std::string getFullName(NodeOp node) {
  StringRef domain = node.getDomain();
  return (domain.empty() ? node.getOpType() : domain + "." + node.getOpType())
      .str();
}

/// The rows of all versions of the op; none if there are none.
static ArrayRef<NodeRow> findVersions(NodeOp node) {
  using namespace attribute_rows;
  using namespace kinds;
  static const llvm::StringMap<SmallVector<NodeRow, 2>> table = [] {
    llvm::StringMap<SmallVector<NodeRow, 2>> result;
#define QUANT_FLOAT_LIST(...) {__VA_ARGS__}
#define QUANT_FLOAT_NODE(OpType, Since, Fewest, Most, Kinds, Element, Shape,   \
                         Attributes, Conversion)                               \
  result[#OpType].push_back(                                                   \
      {Since, Fewest, Most, Kinds, QUANT_FLOAT_LIST Attributes, Conversion});
#define QUANT_FLOAT_ELEMENTWISE(OpType, Since, Fewest, Most, Kinds, Element,   \
                                Attributes, Function)                          \
  QUANT_FLOAT_NODE(OpType, Since, Fewest, Most, Kinds, Element, Same,          \
                   Attributes, convertElementwise)
#define QUANT_FLOAT_MICROSOFT_NODE(OpType, Since, Fewest, Most, Kinds,         \
                                   Element, Shape, Attributes, Conversion)     \
  result["com.microsoft." #OpType].push_back(                                  \
      {Since, Fewest, Most, Kinds, QUANT_FLOAT_LIST Attributes, Conversion});
#include "quant-float/Conversion/OnnxNodes.def"
#undef QUANT_FLOAT_LIST
    return result;
  }();
  auto found = table.find(getFullName(node));
  if (found == table.end())
    return {};
  return found->second;
}

/// The row for a node of the opset; null if there is none.
static const NodeRow *findRow(ArrayRef<NodeRow> versions, int64_t opset) {
  const NodeRow *newest = nullptr;
  for (const NodeRow &row : versions)
    if (row.since <= opset && (!newest || row.since > newest->since))
      newest = &row;
  return newest;
}

namespace {
/// Opsets from `since` on and before `before`; none at first.
struct OpsetRange {
  int64_t since = std::numeric_limits<int64_t>::max();
  int64_t before = 0;
};
} // namespace

/// The opsets in which the op has an attribute; none if it never has.
static OpsetRange findOpsets(ArrayRef<NodeRow> versions, StringRef name) {
  OpsetRange range;
  for (const NodeRow &row : versions) {
    int64_t end = std::numeric_limits<int64_t>::max();
    for (const NodeRow &other : versions)
      if (other.since > row.since)
        end = std::min(end, other.since);
    for (const AttributeRow &attribute : row.attributes) {
      if (attribute.name != name)
        continue;
      range.since = std::min(range.since, std::max(row.since, attribute.since));
      range.before = std::max(range.before, std::min(end, attribute.before));
    }
  }
  return range;
}

/// The opset from which on ONNX has no such op.
static int64_t findRemoval(StringRef opType) {
  return llvm::StringSwitch<int64_t>(opType)
#define QUANT_FLOAT_REMOVED_NODE(OpType, Opset) .Case(#OpType, Opset)
#include "quant-float/Conversion/OnnxNodes.def"
      .Default(std::numeric_limits<int64_t>::max());
}

namespace {
struct ConvertOnnxNodesToLinalg final
    : quant_float::impl::ConvertOnnxNodesToLinalgPassBase<
          ConvertOnnxNodesToLinalg> {
  using ConvertOnnxNodesToLinalgPassBase::ConvertOnnxNodesToLinalgPassBase;

  void runOnOperation() override;
  /// Whether all nodes have been converted.
  bool convertFunction(func::FuncOp function);
  /// The same of a block, a node's body among them.
  bool convertBlock(Block &block, SizeCache &sizeCache);
  /// Whether nothing has to be said of the node: it is converted, or left
  /// because of another one that is not.
  bool convertNode(NodeOp node, SizeCache &sizeCache);
  /// The same for nodes that become ops of the dialect, which the importer
  /// left as they are for want of types.
  bool resolveNode(NodeContext &context);
  /// Converts what ONNX defines the node by. Whether nothing has to be said of
  /// it; fails, and leaves nothing behind, where it cannot be.
  FailureOr<bool> convertExpansion(NodeContext &context, SizeCache &sizeCache);
  /// Remembers a node that stays. Whether nothing has to be said of it.
  bool keepUnconverted(NodeOp node);
  /// Holds what the file declares of the results against what they are.
  LogicalResult verifyDeclared(NodeContext &context, ArrayRef<Value> values);
  LogicalResult replaceResults(NodeContext &context, ArrayRef<Value> values);

  /// What comes from nodes that are not converted, and what from values that
  /// the file declares with other shapes: what is wrong behind them is told
  /// there.
  llvm::DenseSet<Value> unconverted, misdeclared;
  /// See NodeContext.
  uint64_t numUnseeded = 0;
};
} // namespace

static constexpr StringLiteral kTooManyElements =
    ", whose sizes have no product of 64 bits";

/// Whether the number of elements does not fit what MLIR counts them with.
static bool hasTooManyElements(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && !countElements(tensor.getShape());
}

/// Requires the opset to have the op, and those of its attributes that another
/// opset has.
static LogicalResult checkOpset(NodeContext &context,
                                ArrayRef<NodeRow> versions) {
  int64_t opset = context.opset;
  int64_t removal = findRemoval(getFullName(context.node));
  if (opset >= removal)
    return context.unsupported("the op exists before opset " + Twine(removal) +
                               " only, but the node is of opset " +
                               Twine(opset));
  for (NamedAttribute attribute : context.node.getNodeAttributes()) {
    OpsetRange range = findOpsets(versions, attribute.getName());
    if (range.since >= range.before)
      continue;
    std::string text =
        ("attribute '" + attribute.getName().getValue() + "' exists ").str();
    if (opset < range.since)
      return context.unsupported(text + "from opset " + Twine(range.since) +
                                 " on, but the node is of opset " +
                                 Twine(opset));
    if (opset >= range.before)
      return context.unsupported(text + "before opset " + Twine(range.before) +
                                 " only, but the node is of opset " +
                                 Twine(opset));
  }
  return success();
}

/// Why the inputs or attributes of the node cannot be taken, if that is so.
static LogicalResult checkNode(NodeContext &context, const NodeRow &row) {
  int count = context.inputs.size();
  if (count < row.fewest || (row.most >= 0 && count > row.most)) {
    std::string expected = std::to_string(row.fewest);
    if (row.most < 0)
      expected = "at least " + expected;
    else if (row.most != row.fewest)
      expected += " to " + std::to_string(row.most);
    return context.unsupported("expected " + expected + " inputs, but got " +
                               Twine(count));
  }
  for (auto [index, input] : llvm::enumerate(context.inputs)) {
    if (!input) {
      // Those of any number are all alike.
      if (static_cast<int>(index) < row.fewest ||
          (row.most < 0 && row.fewest > 0))
        return context.unsupported("input " + Twine(index) + " is absent");
      continue;
    }
    std::string text =
        ("input " + Twine(index) + " has the type " + show(input.getType()))
            .str();
    auto type = dyn_cast<RankedTensorType>(input.getType());
    bool takesSequence = row.kinds == kinds::Sequence && index == 0;
    if (takesSequence && !isSequence(input))
      return context.unsupported("input " + Twine(index) +
                                 " is no sequence whose tensors are known");
    if (!takesSequence && isSequence(input))
      return context.unsupported("input " + Twine(index) + " is a sequence");
    if (takesSequence)
      continue;
    if (!type && !isa<TensorType, UnknownType>(input.getType()))
      return context.unsupported(text + ", which is no tensor");
    if (!type)
      return context.unsupported(text + ", whose rank is not known");
    // What takes elements of any kind only moves them.
    bool maybeStrings = row.kinds == kinds::Any && (index == 0 || row.most < 0);
    if (!getElementKind(type.getElementType()) ||
        (!type.getElementType().isIntOrFloat() && !maybeStrings))
      return context.unsupported(text);
    if (hasTooManyElements(type))
      return context.unsupported(text + kTooManyElements);
    if (type.getRank() > kMostDimensions)
      return context.unsupported(
          "input " + Twine(index) + " must have at most " +
          Twine(kMostDimensions) + " dimensions, but got " +
          Twine(type.getRank()));
  }
  if (row.kinds != kinds::Any && row.kinds != kinds::Sequence &&
      failed(context.requireKind(0, row.kinds)))
    return failure();
  if (std::optional<std::string> error = context.read(row.attributes))
    return context.unsupported(*error);
  return success();
}

/// "output 'y'" of a graph's output, else "output 0".
static std::string describeOutput(OpResult result) {
  for (OpOperand &use : result.getUses()) {
    auto function = dyn_cast<func::FuncOp>(use.getOwner()->getParentOp());
    if (!function || !isa<func::ReturnOp>(use.getOwner()))
      continue;
    if (auto name = function.getResultAttrOfType<StringAttr>(
            use.getOperandNumber(), kNameAttrName))
      return "output '" + printable(name.getValue()) + "'";
  }
  return ("output " + Twine(result.getResultNumber())).str();
}

LogicalResult ConvertOnnxNodesToLinalg::verifyDeclared(NodeContext &context,
                                                       ArrayRef<Value> values) {
  NodeOp node = context.node;
  bool isStrict = getOperation()->hasAttr(kStrictAttrName);
  bool isBehind = llvm::any_of(node.getInputs(), [&](Value input) {
    return misdeclared.contains(input);
  });
  for (auto [result, value] : llvm::zip(node.getResults(), values)) {
    if (!value)
      continue;
    Type declared = result.getType();
    bool isSame = getElementTypeOrSelf(declared) == getElementTypeOrSelf(value);
    // Nodes that are still to be converted take what comes.
    bool isNeeded = llvm::any_of(
        result.getUsers(), [](Operation *user) { return !isa<NodeOp>(user); });
    if (isBehind && isSame) {
      misdeclared.insert(value);
      continue;
    }
    // What is behind may have been made for the declared elements.
    if (!isSame && allowUnsupported && !isa<UnknownType>(declared))
      return context.unsupported("other elements are declared");
    FailureOr<bool> agrees = verifyDeclaredType(
        declared, value.getType(), describeOutput(cast<OpResult>(result)),
        isStrict || (!isSame && isNeeded), [&](DiagnosticSeverity severity) {
          return emitNodeDiagnostic(node, severity);
        });
    if (failed(agrees)) {
      misdeclared.insert_range(node.getResults());
      return failure();
    }
    if (!*agrees)
      misdeclared.insert(value);
  }
  return success();
}

/// Puts the new values in the place of the old ones.
LogicalResult ConvertOnnxNodesToLinalg::replaceResults(NodeContext &context,
                                                       ArrayRef<Value> values) {
  for (auto [index, result] : llvm::enumerate(context.node.getResults())) {
    Value value = index < values.size() ? values[index] : Value();
    if (!value && !result.use_empty())
      return context.unsupported("output " + Twine(index) +
                                 " is not supported");
    if (value && hasTooManyElements(value.getType()))
      return context.unsupported("output " + Twine(index) + " has the type " +
                                 show(value.getType()) + kTooManyElements);
  }
  if (failed(verifyDeclared(context, values)))
    return failure();
  for (auto [index, result] : llvm::enumerate(context.node.getResults()))
    if (!result.use_empty())
      result.replaceAllUsesWith(values[index]);
  context.node.erase();
  return success();
}

/// Gives the results of an op behind converted nodes the shapes that are known
/// by now.
static void refineResultTypes(Operation &op) {
  auto inferrer = dyn_cast<InferShapedTypeOpInterface>(op);
  if (!inferrer || !isa<QuantFloatDialect>(op.getDialect()))
    return;
  SmallVector<ShapedTypeComponents> components;
  if (failed(inferrer.inferReturnTypeComponents(
          op.getContext(), op.getLoc(), op.getOperands(),
          op.getAttrDictionary(), op.getPropertiesStorage(), op.getRegions(),
          components)))
    return;
  for (auto [result, component] : llvm::zip_equal(op.getResults(), components))
    if (auto type = dyn_cast<TensorType>(result.getType());
        type && component.hasRank())
      result.setType(
          RankedTensorType::get(component.getDims(), type.getElementType()));
}

/// Casts of shape arithmetic: tensors of scalars stay such. Returns the result.
static Value convertScalarCast(CastOp op) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  auto type = dyn_cast<RankedTensorType>(op.getType());
  std::optional<SmallVector<Value>> scalars = getScalars(b, op.getInput());
  if (!type || !type.hasStaticShape() || !scalars || op.getRandom() ||
      !type.getElementType().isIntOrFloat())
    return op;
  for (Value &scalar : *scalars)
    scalar = b.createOrFold<CastOp>(type.getElementType(), scalar,
                                    /*random=*/Value(), op.getOpsetAttr(),
                                    op.getLikeAttr(), op.getSaturateAttr(),
                                    op.getRoundModeAttr(), op.getModeAttr());
  Value result = makeTensor(b, *scalars, type);
  op.replaceAllUsesWith(result);
  op.erase();
  return result;
}

bool ConvertOnnxNodesToLinalg::keepUnconverted(NodeOp node) {
  bool isBehind = llvm::any_of(node.getInputs(), [&](Value input) {
    return unconverted.contains(input);
  });
  unconverted.insert_range(node.getResults());
  return allowUnsupported || isBehind;
}

bool ConvertOnnxNodesToLinalg::resolveNode(NodeContext &context) {
  FailureOr<NodeResolution> resolution =
      resolveQuantFloatNode(context.b, context.node);
  if (failed(resolution)) {
    unconverted.insert_range(context.node.getResults());
    return false;
  }
  Operation *op = resolution->op;
  if (!op) {
    if (keepUnconverted(context.node))
      return true;
    emitNodeError(context.node) << resolution->describeMissing();
    return false;
  }
  refineResultTypes(*op);
  if (succeeded(
          replaceResults(context, SmallVector<Value>(op->getResults())))) {
    if (auto cast = dyn_cast<CastOp>(op))
      convertScalarCast(cast);
    return true;
  }
  if (!context.getProblem().empty())
    op->emitError() << context.getProblem();
  return false;
}

FailureOr<bool>
ConvertOnnxNodesToLinalg::convertExpansion(NodeContext &context,
                                           SizeCache &sizeCache) {
  NodeOp node = context.node;
  Operation *before = node->getPrevNode();
  auto getMade = [&] {
    Block::iterator begin =
        before ? std::next(before->getIterator()) : node->getBlock()->begin();
    return llvm::make_range(begin, node->getIterator());
  };
  std::string problem;
  NodeExpansion expansion;
  Operation *holder = nullptr;
  {
    // What is wrong inside is told of the node.
    ScopedDiagnosticHandler handler(
        node.getContext(), [&](Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() == DiagnosticSeverity::Error &&
              problem.empty())
            problem = diagnostic.str();
          return success();
        });
    expansion = expandNode(context.b, node);
    SmallVector<Value> used;
    llvm::copy_if(expansion.results, std::back_inserter(used),
                  [](Value value) { return bool(value); });
    // The results change with the conversion of what makes them.
    holder = UnrealizedConversionCastOp::create(context.b, TypeRange(), used);
    SmallVector<NodeOp> nodes;
    for (Operation &op : getMade())
      if (auto made = dyn_cast<NodeOp>(op))
        nodes.push_back(made);
    for (NodeOp made : nodes)
      if (!convertNode(made, sizeCache))
        break;
  }
  bool isConverted = !expansion.results.empty() && problem.empty() &&
                     llvm::none_of(getMade(), llvm::IsaPred<NodeOp>);
  if (isConverted) {
    SmallVector<Value> results = expansion.results;
    unsigned next = 0;
    for (Value &result : results)
      if (result)
        result = holder->getOperand(next++);
    holder->erase();
    if (succeeded(replaceResults(context, results)))
      return true;
    // What the file declares is wrong, and reported.
    if (context.getProblem().empty())
      return false;
  } else {
    if (!expansion.problem.empty())
      (void)context.unsupported(expansion.problem);
    else if (!problem.empty())
      (void)context.unsupported("of the function that defines it, " + problem);
  }
  SmallVector<Operation *> made =
      llvm::map_to_vector(getMade(), [](Operation &op) { return &op; });
  for (Operation *op : llvm::reverse(made)) {
    for (Value result : op->getResults()) {
      unconverted.erase(result);
      misdeclared.erase(result);
    }
    op->erase();
  }
  sizeCache = SizeCache();
  return failure();
}

/// Of what a conversion that failed has made, from `begin` to the node, only
/// the assertions would stay.
static void eraseAssertions(NodeOp node, Operation *begin) {
  for (Operation *op = node->getPrevNode(); op && op != begin;) {
    Operation *previous = op->getPrevNode();
    if (isa<cf::AssertOp>(op))
      op->erase();
    op = previous;
  }
}

bool ConvertOnnxNodesToLinalg::convertNode(NodeOp node, SizeCache &sizeCache) {
  ImplicitLocOpBuilder builder(node.getLoc(), node);
  NodeContext context(node, builder, sizeCache);
  // A body with nodes that stay stays, too, and errors name those.
  bool isBodyConverted = true;
  auto convertBody = [&](Block &body) {
    isBodyConverted &=
        convertBlock(body, sizeCache) &&
        !body.walk([](NodeOp) { return WalkResult::interrupt(); })
             .wasInterrupted();
    return isBodyConverted;
  };
  context.convertBody = convertBody;
  context.numUnseeded = &numUnseeded;
  context.onDevice = onDevice;
  ArrayRef<NodeRow> versions = findVersions(node);
  const NodeRow *row = findRow(versions, context.opset);
  // Some have no op of their own, but a row.
  if (!row && isQuantizationNode(node))
    return resolveNode(context);
  if (row && succeeded(checkOpset(context, versions)) &&
      succeeded(checkNode(context, *row))) {
    Operation *before = node->getPrevNode();
    NodeResults results = row->conversion(context);
    if (succeeded(results) && context.getProblem().empty()) {
      if (succeeded(replaceResults(context, *results)))
        return true;
      // What the file declares is wrong, and reported.
      if (context.getProblem().empty())
        return false;
    }
    eraseAssertions(node, before);
    if (!isBodyConverted) {
      keepUnconverted(node);
      return allowUnsupported;
    }
  }
  bool isBehind = llvm::any_of(node.getInputs(), [&](Value input) {
    return unconverted.contains(input);
  });
  if (!row && !isBehind)
    if (FailureOr<bool> done = convertExpansion(context, sizeCache);
        succeeded(done))
      return *done;
  // What has no lowering whatever it is given is told in any case.
  bool isKept = keepUnconverted(node);
  if (isKept && (row || allowUnsupported || isDefinedByFunction(node)))
    return true;
  InFlightDiagnostic error = emitNodeError(node)
                             << "no lowering of " << describeOp(node, row);
  if (!context.getProblem().empty())
    error << ": " << context.getProblem();
  return false;
}

bool ConvertOnnxNodesToLinalg::convertBlock(Block &block,
                                            SizeCache &sizeCache) {
  bool isConverted = true;
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (auto node = dyn_cast<NodeOp>(op)) {
      isConverted &= convertNode(node, sizeCache);
      continue;
    }
    refineResultTypes(op);
    SmallVector<llvm::DenseSet<Value> *, 2> behind;
    for (llvm::DenseSet<Value> *values : {&unconverted, &misdeclared})
      if (llvm::any_of(op.getOperands(),
                       [&](Value value) { return values->contains(value); }))
        behind.push_back(values);
    SmallVector<Value> results(op.getResults());
    if (auto cast = dyn_cast<CastOp>(op))
      results = {convertScalarCast(cast)};
    for (llvm::DenseSet<Value> *values : behind)
      values->insert_range(results);
  }
  return isConverted;
}

/// What is left of sequences whose tensors have all been taken.
static void eraseSequences(func::FuncOp function) {
  SmallVector<Operation *> sequences;
  function.walk([&](UnrealizedConversionCastOp op) {
    if (op->getNumResults() == 1 && isSequence(op->getResult(0)))
      sequences.push_back(op);
  });
  for (Operation *op : llvm::reverse(sequences))
    if (op->use_empty())
      op->erase();
}

bool ConvertOnnxNodesToLinalg::convertFunction(func::FuncOp function) {
  bool isConverted = true;
  SizeCache sizeCache;
  numUnseeded = 0;
  for (Block &block : function.getBody())
    isConverted &= convertBlock(block, sizeCache);
  eraseSequences(function);
  return isConverted && succeeded(updateFunctionType(function));
}

/// LLVM has no instruction or intrinsic for erf.
static void approximateErf(ModuleOp module) {
  SmallVector<Operation *> ops;
  module.walk([&](math::ErfOp op) { ops.push_back(op); });
  RewritePatternSet patterns(module.getContext());
  populatePolynomialApproximateErfPattern(patterns);
  GreedyRewriteConfig config;
  config.setStrictness(GreedyRewriteStrictness::ExistingOps);
  (void)applyOpPatternsGreedily(ops, std::move(patterns), config);
}

void ConvertOnnxNodesToLinalg::runOnOperation() {
  bool isConverted = true;
  for (auto function : getOperation().getOps<func::FuncOp>())
    if (!function.isExternal())
      isConverted &= convertFunction(function);
  if (!isConverted)
    return signalPassFailure();
  approximateErf(getOperation());
}
