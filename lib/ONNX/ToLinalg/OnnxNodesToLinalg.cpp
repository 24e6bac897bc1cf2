//===- OnnxNodesToLinalg.cpp - Lowering of ONNX nodes to linalg -----------===//
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
#include "quant-float/Conversion/NodeToQuantFloat/ResolveNode.h"
#include "quant-float/IR/ElementTypes.h"
#include "quant-float/IR/EntryPointInfo.h"
#include "quant-float/ONNX/Import/ExpandNode.h"
#include "quant-float/ONNX/ToLinalg/Passes.h"
#include "quant-float/Support/BufferSize.h"
#include "quant-float/Support/Printable.h"
#include "llvm/ADT/DenseSet.h"

namespace mlir::quant_float {
#define GEN_PASS_DEF_CONVERTONNXNODESTOLINALGPASS
#include "quant-float/ONNX/ToLinalg/Passes.h.inc"
} // namespace mlir::quant_float

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::onnx_nodes;

namespace {
/// A row of OnnxNodes.def.
struct NodeRow {
  int64_t since;
  int minInputs, maxInputs;
  unsigned kinds;
  SmallVector<AttributeRow, 2> attributes;
  NodeConversion conversion;
};
} // namespace

/// Returns the rows of all versions of the op, or none if the op is unknown.
static ArrayRef<NodeRow> findVersions(std::optional<NodeKind> kind) {
  using namespace attribute_rows;
  using namespace kinds;
  static const DenseMap<NodeKind, SmallVector<NodeRow, 2>> table = [] {
    DenseMap<NodeKind, SmallVector<NodeRow, 2>> result;
#define QUANT_FLOAT_LIST(...) {__VA_ARGS__}
#define QUANT_FLOAT_NODE(OpType, Since, MinInputs, MaxInputs, Kinds, Element,  \
                         Shape, Attributes, Conversion)                        \
  result[NodeKind::OpType].push_back({Since, MinInputs, MaxInputs, Kinds,      \
                                      QUANT_FLOAT_LIST Attributes,             \
                                      Conversion});
#define QUANT_FLOAT_ELEMENTWISE(OpType, Since, MinInputs, MaxInputs, Kinds,    \
                                Element, Attributes, Function)                 \
  QUANT_FLOAT_NODE(OpType, Since, MinInputs, MaxInputs, Kinds, Element, Same,  \
                   Attributes, convertElementwise)
#define QUANT_FLOAT_MICROSOFT_NODE(OpType, Since, MinInputs, MaxInputs, Kinds, \
                                   Element, Shape, Attributes, Conversion)     \
  result[NodeKind::Microsoft##OpType].push_back(                               \
      {Since, MinInputs, MaxInputs, Kinds, QUANT_FLOAT_LIST Attributes,        \
       Conversion});
#include "quant-float/Conversion/NodeToQuantFloat/OnnxNodes.def"
#undef QUANT_FLOAT_LIST
    return result;
  }();
  auto found = kind ? table.find(*kind) : table.end();
  if (found == table.end())
    return {};
  return found->second;
}

/// Returns the row that applies to a node of the opset, or null.
static const NodeRow *findRow(ArrayRef<NodeRow> versions, int64_t opset) {
  const NodeRow *newest = nullptr;
  for (const NodeRow &row : versions)
    if (row.since <= opset && (!newest || row.since > newest->since))
      newest = &row;
  return newest;
}

namespace {
/// A half-open range [since, before) of opsets. Empty by default.
struct OpsetRange {
  int64_t since = std::numeric_limits<int64_t>::max();
  int64_t before = 0;
};
} // namespace

/// Returns the opsets in which the op has the attribute. The range is empty if
/// no version has it.
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

/// Returns the first opset that no longer has the op.
static int64_t findRemoval(std::optional<NodeKind> kind) {
#define QUANT_FLOAT_REMOVED_NODE(OpType, Opset)                                \
  if (kind == NodeKind::OpType)                                                \
    return Opset;
#include "quant-float/Conversion/NodeToQuantFloat/OnnxNodes.def"
  return std::numeric_limits<int64_t>::max();
}

namespace {
struct ConvertOnnxNodesToLinalg final
    : quant_float::impl::ConvertOnnxNodesToLinalgPassBase<
          ConvertOnnxNodesToLinalg> {
  using ConvertOnnxNodesToLinalgPassBase::ConvertOnnxNodesToLinalgPassBase;

  void runOnOperation() override;
  /// Converts all nodes of the function. Returns false if an error was emitted;
  /// nodes that remain deliberately are not errors.
  bool convertFunction(func::FuncOp function);
  /// The same for a block, which may be the body of a node.
  bool convertBlock(Block &block, SizeCache &sizeCache);
  /// Converts a node. Returns false if an error was emitted. Returns true if
  /// the node is converted or remains, for example because it depends on an
  /// unconverted node.
  bool convertNode(NodeOp node, SizeCache &sizeCache);
  /// The same for nodes that become ops of the dialect, which the importer
  /// keeps as nodes if types are missing.
  bool resolveNode(NodeContext &context);
  /// Expands the node to the function that defines it in ONNX and converts the
  /// expansion. Returns the result of convertNode, or erases the expansion and
  /// fails if it cannot be converted.
  FailureOr<bool> convertExpansion(NodeContext &context, SizeCache &sizeCache);
  /// Records a node that remains. Returns true if that is no error: unsupported
  /// nodes are allowed, or the node depends on an unconverted node.
  bool keepUnconverted(NodeOp node);
  /// Compares the result types that the file declares with those of `values`.
  LogicalResult verifyDeclared(NodeContext &context, ArrayRef<Value> values);
  LogicalResult replaceResults(NodeContext &context, ArrayRef<Value> values);

  /// Results of unconverted nodes, and values whose declared shape is wrong,
  /// together with the values that depend on them. Only the first error or
  /// warning in a chain is reported.
  llvm::DenseSet<Value> unconverted, misdeclared;
  /// The counter that NodeContext::numUnseeded points to.
  uint64_t numUnseeded = 0;
};
} // namespace

static constexpr StringLiteral kTooManyElements =
    ", whose number of elements exceeds 64 bits";

/// Whether the number of elements overflows the 64-bit integer that MLIR counts
/// them with.
static bool hasTooManyElements(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && !countElements(tensor.getShape());
}

/// Checks that the op exists in the opset, and that attributes which exist in
/// some opset exist in this one.
static LogicalResult checkOpset(NodeContext &context,
                                ArrayRef<NodeRow> versions) {
  int64_t opset = context.opset;
  int64_t removal = findRemoval(context.kind);
  if (opset >= removal)
    return context.unsupported("the op exists before opset " + Twine(removal) +
                               " only, but the node has opset " + Twine(opset));
  for (NamedAttribute attribute : context.node.getNodeAttributes()) {
    OpsetRange range = findOpsets(versions, attribute.getName());
    if (range.since >= range.before)
      continue;
    std::string prefix =
        ("attribute '" + attribute.getName().getValue() + "' exists ").str();
    if (opset < range.since)
      return context.unsupported(prefix + "from opset " + Twine(range.since) +
                                 " on, but the node has opset " + Twine(opset));
    if (opset >= range.before)
      return context.unsupported(
          prefix + "before opset " + Twine(range.before) +
          " only, but the node has opset " + Twine(opset));
  }
  return success();
}

/// Checks the inputs and attributes of the node. Fails with the reason if the
/// conversion does not accept them.
static LogicalResult checkNode(NodeContext &context, const NodeRow &row) {
  int count = context.inputs.size();
  if (count < row.minInputs || (row.maxInputs >= 0 && count > row.maxInputs)) {
    std::string expected = std::to_string(row.minInputs);
    if (row.maxInputs < 0)
      expected = "at least " + expected;
    else if (row.maxInputs != row.minInputs)
      expected += " to " + std::to_string(row.maxInputs);
    return context.unsupported("expected " + expected + " inputs, but got " +
                               Twine(count));
  }
  for (auto [index, input] : llvm::enumerate(context.inputs)) {
    if (!input) {
      // Variadic inputs are all required.
      if (static_cast<int>(index) < row.minInputs ||
          (row.maxInputs < 0 && row.minInputs > 0))
        return context.unsupported("input " + Twine(index) + " is absent");
      continue;
    }
    std::string prefix =
        ("input " + Twine(index) + " has the type " + show(input.getType()))
            .str();
    auto type = dyn_cast<RankedTensorType>(input.getType());
    bool takesSequence = row.kinds == kinds::Sequence && index == 0;
    if (takesSequence && !isSequence(input))
      return context.unsupported("input " + Twine(index) +
                                 " is not a sequence of known tensors");
    if (!takesSequence && isSequence(input))
      return context.unsupported("input " + Twine(index) + " is a sequence");
    if (takesSequence)
      continue;
    if (!type && !isa<TensorType, UnknownType>(input.getType()))
      return context.unsupported(prefix + ", which is not a tensor");
    if (!type)
      return context.unsupported(prefix + ", whose rank is not known");
    // Conversions that accept all kinds only move elements, so input 0 and
    // variadic inputs may be strings.
    bool maybeStrings =
        row.kinds == kinds::Any && (index == 0 || row.maxInputs < 0);
    if (!getElementKind(type.getElementType()) ||
        (!type.getElementType().isIntOrFloat() && !maybeStrings))
      return context.unsupported(prefix);
    if (hasTooManyElements(type))
      return context.unsupported(prefix + kTooManyElements);
    if (type.getRank() > kMaxDimensions)
      return context.unsupported("input " + Twine(index) +
                                 " must have at most " + Twine(kMaxDimensions) +
                                 " dimensions, but got " +
                                 Twine(type.getRank()));
  }
  if (row.kinds != kinds::Any && row.kinds != kinds::Sequence &&
      failed(context.requireKind(0, row.kinds)))
    return failure();
  if (std::optional<std::string> error = context.read(row.attributes))
    return context.unsupported(*error);
  return success();
}

/// Returns "output 'y'" for an output of the graph, and "output 0" for others.
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
  bool hasMisdeclaredInput = llvm::any_of(node.getInputs(), [&](Value input) {
    return misdeclared.contains(input);
  });
  for (auto [result, value] : llvm::zip(node.getResults(), values)) {
    if (!value)
      continue;
    Type declared = result.getType();
    bool isSame = getElementTypeOrSelf(declared) == getElementTypeOrSelf(value);
    // Nodes that are converted later accept any type. Other users require the
    // declared element type.
    bool isNeeded = llvm::any_of(
        result.getUsers(), [](Operation *user) { return !isa<NodeOp>(user); });
    if (hasMisdeclaredInput && isSame) {
      misdeclared.insert(value);
      continue;
    }
    // Unconverted users may have been created for the declared element type.
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

/// Replaces the results of the node with the new values and erases the node.
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

/// Refines the result types of an op of the dialect with the shapes of its
/// converted operands.
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

/// Folds a cast in shape arithmetic, so that the result is a tensor of scalars
/// again. Returns the result.
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
                                    op.getRoundModeAttr(), op.getModeAttr(),
                                    op.getProjectionAttr());
  Value result = makeTensor(b, *scalars, type);
  op.replaceAllUsesWith(result);
  op.erase();
  return result;
}

bool ConvertOnnxNodesToLinalg::keepUnconverted(NodeOp node) {
  bool hasUnconvertedInput = llvm::any_of(node.getInputs(), [&](Value input) {
    return unconverted.contains(input);
  });
  unconverted.insert_range(node.getResults());
  return allowUnsupported || hasUnconvertedInput;
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
    // Report errors in the expansion as errors of the node itself.
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
    // Hold the results as operands of a temporary op, because converting the
    // expansion replaces them.
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
    // A wrong declaration of the file has been reported.
    if (context.getProblem().empty())
      return false;
  } else {
    if (!expansion.problem.empty())
      (void)context.unsupported(expansion.problem);
    else if (!problem.empty())
      (void)context.unsupported("in its function body, " + problem);
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

/// Erases the assertions between `begin` and the node. A failed conversion
/// leaves its other ops dead, but assertions have side effects.
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
  // If a node of a body remains, the enclosing node remains, too. Errors name
  // the inner node.
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
  ArrayRef<NodeRow> versions = findVersions(context.kind);
  const NodeRow *row = findRow(versions, context.opset);
  // Some of these nodes have a row instead of an op of the dialect.
  if (!row && isQuantizationNode(node))
    return resolveNode(context);
  if (row && succeeded(checkOpset(context, versions)) &&
      succeeded(checkNode(context, *row))) {
    Operation *before = node->getPrevNode();
    NodeResults results = row->conversion(context);
    if (succeeded(results) && context.getProblem().empty()) {
      if (succeeded(replaceResults(context, *results)))
        return true;
      // A wrong declaration of the file has been reported.
      if (context.getProblem().empty())
        return false;
    }
    eraseAssertions(node, before);
    if (!isBodyConverted) {
      keepUnconverted(node);
      return allowUnsupported;
    }
  }
  bool hasUnconvertedInput = llvm::any_of(node.getInputs(), [&](Value input) {
    return unconverted.contains(input);
  });
  if (!row && !hasUnconvertedInput)
    if (FailureOr<bool> done = convertExpansion(context, sizeCache);
        succeeded(done))
      return *done;
  // An op that has no lowering at all is reported even if it depends on another
  // unconverted node.
  bool isIgnored = keepUnconverted(node);
  if (isIgnored && (row || allowUnsupported || isDefinedByFunction(node)))
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
    SmallVector<llvm::DenseSet<Value> *, 2> propagated;
    for (llvm::DenseSet<Value> *values : {&unconverted, &misdeclared})
      if (llvm::any_of(op.getOperands(),
                       [&](Value value) { return values->contains(value); }))
        propagated.push_back(values);
    SmallVector<Value> results(op.getResults());
    if (auto cast = dyn_cast<CastOp>(op))
      results = {convertScalarCast(cast)};
    for (llvm::DenseSet<Value> *values : propagated)
      values->insert_range(results);
  }
  return isConverted;
}

/// Erases sequences that are no longer used.
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

/// Expands math.erf to a polynomial, because LLVM has no intrinsic for it.
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
