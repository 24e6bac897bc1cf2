//===- OnnxNodesToOpenVino.cpp - ONNX nodes to OpenVINO layers ------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/OpenVINO/FromONNX/OnnxNodesToOpenVino.h"
#include "FormContext.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "quant-float/Conversion/NodeToQuantFloat/ResolveNode.h"
#include "quant-float/IR/OpsetRules.h"
#include "quant-float/OpenVINO/FromONNX/Passes.h"
#include "quant-float/Support/Locations.h"
#include "quant-float/Support/Printable.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::quant_float {
#define GEN_PASS_DEF_CONVERTONNXNODESTOOPENVINOPASS
#include "quant-float/OpenVINO/FromONNX/Passes.h.inc"
} // namespace mlir::quant_float

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::openvino_forms;

namespace {
/// A row of OpenVinoForms.def.
struct FormRow {
  NodeKind layer;
  int minInputs, maxInputs;
  FormConversion conversion;
  /// The attributes' version, the newest one up to kOnnxOpsetOfForms.
  int64_t since = 0;
  SmallVector<AttributeRow, 2> attributes = {};
};

struct ConvertOnnxNodesToOpenVino final
    : quant_float::impl::ConvertOnnxNodesToOpenVinoPassBase<
          ConvertOnnxNodesToOpenVino> {
  void runOnOperation() override;
  /// Returns the values that replace the op's results.
  NodeResults convertOp(Operation *op, std::string &problem);
  bool replaceOp(Operation *op);
};
} // namespace

/// Returns the row of the operator; null if there is none.
static const FormRow *findRow(std::optional<NodeKind> kind) {
  using namespace attribute_rows;
  static const DenseMap<NodeKind, FormRow> rows = [] {
    DenseMap<NodeKind, FormRow> result;
#define QUANT_FLOAT_FORM(OpType, Layer, MinInputs, MaxInputs, Conversion)      \
  result[NodeKind::OpType] = {NodeKind::OpenVino##Layer, MinInputs, MaxInputs, \
                              Conversion};
#define QUANT_FLOAT_MICROSOFT_FORM(OpType, Layer, MinInputs, MaxInputs,        \
                                   Conversion)                                 \
  result[NodeKind::Microsoft##OpType] = {NodeKind::OpenVino##Layer, MinInputs, \
                                         MaxInputs, Conversion};
#include "quant-float/OpenVINO/FromONNX/OpenVinoForms.def"
    auto add = [&](NodeKind kind, int64_t since,
                   SmallVector<AttributeRow, 2> attributes) {
      auto row = result.find(kind);
      if (row == result.end() || since > kOnnxOpsetOfForms ||
          since < row->second.since)
        return;
      row->second.since = since;
      row->second.attributes = std::move(attributes);
    };
#define QUANT_FLOAT_LIST(...) {__VA_ARGS__}
#define QUANT_FLOAT_NODE(OpType, Since, MinInputs, MaxInputs, Kinds, Element,  \
                         Shape, Attributes, Conversion)                        \
  add(NodeKind::OpType, Since, QUANT_FLOAT_LIST Attributes);
#define QUANT_FLOAT_MICROSOFT_NODE(OpType, Since, MinInputs, MaxInputs, Kinds, \
                                   Element, Shape, Attributes, Conversion)     \
  add(NodeKind::Microsoft##OpType, Since, QUANT_FLOAT_LIST Attributes);
#define QUANT_FLOAT_ELEMENTWISE(OpType, Since, MinInputs, MaxInputs, Kinds,    \
                                Element, Attributes, Function)                 \
  add(NodeKind::OpType, Since, QUANT_FLOAT_LIST Attributes);
#include "quant-float/Conversion/NodeToQuantFloat/OnnxNodes.def"
#undef QUANT_FLOAT_LIST
    return result;
  }();
  auto found = kind ? rows.find(*kind) : rows.end();
  return found == rows.end() ? nullptr : &found->second;
}

bool quant_float::hasOpenVinoForm(StringRef domain, StringRef opType) {
  return findRow(findNodeKind(domain, opType));
}

//===----------------------------------------------------------------------===//
// One op
//===----------------------------------------------------------------------===//

static NodeResults convertNode(NodeOp node, const FormRow &row,
                               ImplicitLocOpBuilder &builder,
                               std::string &problem) {
  FormContext context(node, builder);
  int count = context.inputs.size();
  auto convert = [&]() -> NodeResults {
    bool fits = count >= row.minInputs &&
                (row.maxInputs < 0 || count <= row.maxInputs) &&
                llvm::all_of(ArrayRef(context.inputs).take_front(row.minInputs),
                             [](Value input) { return !!input; });
    fits &= node.getNumResults() != 0;
    if (!fits)
      return context.unsupported("its inputs or outputs do not match opset " +
                                 Twine(kOnnxOpsetOfForms));
    for (auto [index, input] : llvm::enumerate(context.inputs)) {
      if (!input)
        continue;
      Type type = input.getType();
      if (!isa<TensorType>(type) || isa<StringType>(getElementTypeOrSelf(type)))
        return context.unsupported("input " + Twine(index) + " has the type " +
                                   showType(type));
    }
    if (std::optional<std::string> error = context.read(row.attributes))
      return context.unsupported(*error);
    context.layerType = getNodeKindName(row.layer);
    return row.conversion(context);
  };
  NodeResults results = convert();
  problem = context.getProblem();
  return results;
}

NodeResults ConvertOnnxNodesToOpenVino::convertOp(Operation *op,
                                                  std::string &problem) {
  ImplicitLocOpBuilder builder(op->getLoc(), op);
  auto node = dyn_cast<NodeOp>(op);
  if (!node)
    return convertQuantization(op, builder, problem);
  if (isQuantizationNode(node)) {
    FailureOr<NodeResolution> resolution =
        resolveNode(builder, node, [&] { return emitNodeError(node); });
    if (failed(resolution))
      return failure();
    if (Operation *op = resolution->op) {
      if (failed(verifyResolvedNode(op, [&] { return emitNodeError(node); })))
        return failure();
      NodeResults results = convertQuantization(op, builder, problem);
      if (succeeded(results) && op->use_empty())
        op->erase();
      return results;
    }
  }
  const FormRow *row = findRow(getNodeKind(node));
  if (!row)
    return failure();
  if (node.getDomain().empty() && node.getOpset() != kOnnxOpsetOfForms) {
    problem = "it has opset " + std::to_string(node.getOpset()) + ", not " +
              std::to_string(kOnnxOpsetOfForms);
    return failure();
  }
  return convertNode(node, *row, builder, problem);
}

/// Names the new ops after `before`. An op that defines one of `values` keeps
/// the node's name; the names of others have a suffix.
static void nameOps(Operation *op, Operation *before, ArrayRef<Value> values) {
  llvm::StringMap<unsigned> counts;
  Operation *made = before ? before->getNextNode() : &op->getBlock()->front();
  for (; made != op; made = made->getNextNode()) {
    bool isLast = llvm::any_of(
        values, [&](Value value) { return value.getDefiningOp() == made; });
    if (isLast)
      continue;
    auto layer = dyn_cast<NodeOp>(made);
    StringRef what = layer ? layer.getOpType() : "Constant";
    unsigned count = ++counts[what];
    std::string suffix = ("/" + what).str();
    if (count > 1)
      suffix += "_" + std::to_string(count);
    made->setLoc(appendToName(op->getLoc(), suffix));
  }
}

static InFlightDiagnostic beginError(Operation *op) {
  if (auto node = dyn_cast<NodeOp>(op))
    return emitNodeError(node);
  StringRef kind = isa<CastOp>(op)       ? "Cast"
                   : isa<QuantizeOp>(op) ? "QuantizeLinear"
                                         : "DequantizeLinear";
  std::string name = printable(quant_float::getNodeName(op->getLoc()));
  return emitError(op->getLoc())
         << (name.empty() ? "node without a name" : "node '" + name + "'")
         << " (" << kind << "): ";
}

bool ConvertOnnxNodesToOpenVino::replaceOp(Operation *op) {
  Operation *before = op->getPrevNode();
  std::string problem;
  NodeResults values = convertOp(op, problem);
  if (failed(values) || values->size() < op->getNumResults()) {
    InFlightDiagnostic error = beginError(op) << "no equivalent in OpenVINO";
    if (!problem.empty())
      error << ": " << problem;
    return false;
  }
  nameOps(op, before, *values);
  for (auto [result, value] : llvm::zip(op->getResults(), *values)) {
    // The shape of a new value is unknown. Use the node's shape.
    auto type = dyn_cast<TensorType>(result.getType());
    bool isNew = value.use_empty() && value.getDefiningOp<NodeOp>();
    if (type && isNew && isa<UnrankedTensorType>(value.getType()))
      value.setType(
          withElementType(type, getElementTypeOrSelf(value.getType())));
    result.replaceAllUsesWith(value);
  }
  op->erase();
  return true;
}

void ConvertOnnxNodesToOpenVino::runOnOperation() {
  SmallVector<Operation *> ops;
  getOperation().walk<WalkOrder::PreOrder>([&](Operation *op) {
    auto node = dyn_cast<NodeOp>(op);
    if (node ? node.getDomain() != kOpenVinoDomain
             : isa<CastOp, QuantizeOp, DequantizeOp>(op)) {
      ops.push_back(op);
      return WalkResult::skip();
    }
    return WalkResult::advance();
  });
  bool isConverted = true;
  for (Operation *op : ops)
    isConverted &= replaceOp(op);
  if (!isConverted)
    return signalPassFailure();
  for (auto function : getOperation().getOps<func::FuncOp>())
    if (failed(updateFunctionType(function)))
      return signalPassFailure();
}
