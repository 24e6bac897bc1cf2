//===- OpenVinoNodesToOnnx.cpp - OpenVINO layers to ONNX nodes ------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LayerContext.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "quant-float/Conversion/NodeToQuantFloat/ResolveNode.h"
#include "quant-float/OpenVINO/ToONNX/Passes.h"
#include "quant-float/Support/Printable.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::quant_float {
#define GEN_PASS_DEF_CONVERTOPENVINONODESTOONNXPASS
#include "quant-float/OpenVINO/ToONNX/Passes.h.inc"
} // namespace mlir::quant_float

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::openvino_layers;

namespace {
/// A row of OpenVinoLayers.def.
struct LayerRow {
  int64_t since;
  int minInputs, maxInputs;
  SmallVector<AttributeRow, 2> attributes;
  LayerConversion conversion;
  /// The ONNX operator; empty if the conversion does not use it.
  StringRef onnxType;
};

struct ConvertOpenVinoNodesToOnnx final
    : quant_float::impl::ConvertOpenVinoNodesToOnnxPassBase<
          ConvertOpenVinoNodesToOnnx> {
  using ConvertOpenVinoNodesToOnnxPassBase::ConvertOpenVinoNodesToOnnxPassBase;

  void runOnOperation() override;
  /// Returns false if an error was reported. Returns true if the layer is
  /// converted, or remains because it is allowed to or because a layer that
  /// defines an input remains.
  bool convertLayer(NodeOp node);
};
} // namespace

/// Returns the row for a layer, or null if there is none. Types are
/// case-insensitive, because files have both "Relu" and "ReLU".
static const LayerRow *findRow(StringRef type, int64_t opset) {
  using namespace attribute_rows;
  static const llvm::StringMap<SmallVector<LayerRow, 2>> table = [] {
    llvm::StringMap<SmallVector<LayerRow, 2>> result;
#define QUANT_FLOAT_LIST(...) {__VA_ARGS__}
#define QUANT_FLOAT_NODE_LAYER(LayerType, Since, MinInputs, MaxInputs,         \
                               Elements, OnnxType, Attributes, Conversion)     \
  result[getNodeKindName(NodeKind::OpenVino##LayerType).lower()].push_back(    \
      {Since, MinInputs, MaxInputs, QUANT_FLOAT_LIST Attributes, Conversion,   \
       #OnnxType});
#define QUANT_FLOAT_LAYER(LayerType, Since, MinInputs, MaxInputs, Elements,    \
                          Attributes, Conversion)                              \
  QUANT_FLOAT_NODE_LAYER(LayerType, Since, MinInputs, MaxInputs, Elements, ,   \
                         Attributes, Conversion)
#include "quant-float/OpenVINO/Common/OpenVinoLayers.def"
#undef QUANT_FLOAT_LIST
    return result;
  }();
  const LayerRow *newest = nullptr;
  auto found = table.find(type.lower());
  if (found == table.end())
    return nullptr;
  for (const LayerRow &row : found->second)
    if (row.since <= opset && (!newest || row.since > newest->since))
      newest = &row;
  return newest;
}

/// Returns a string such as "2", "at least 1", "1 to 2".
static std::string countInputs(const LayerRow &row) {
  if (row.maxInputs < 0)
    return "at least " + std::to_string(row.minInputs);
  if (row.maxInputs > row.minInputs)
    return std::to_string(row.minInputs) + " to " +
           std::to_string(row.maxInputs);
  return std::to_string(row.minInputs);
}

/// Checks the inputs and attributes against the row.
static LogicalResult checkLayer(LayerContext &context, const LayerRow &row) {
  int count = context.inputs.size();
  if (count < row.minInputs || (row.maxInputs >= 0 && count > row.maxInputs))
    return context.unsupported("expected " + countInputs(row) +
                               " inputs, but got " + Twine(count));
  for (auto [index, input] : llvm::enumerate(context.inputs))
    if (!isa<TensorType>(input.getType()))
      return context.unsupported("input " + Twine(index) + " has the type " +
                                 showType(input.getType()));
  if (std::optional<std::string> error =
          context.read(row.attributes, /*ignoresUnknown=*/true))
    return context.unsupported(*error);
  context.onnxType = row.onnxType;
  return success();
}

/// Checks the declared type of a result against the new value. The declared
/// shape becomes the value's type if it may be correct.
static LogicalResult adoptType(LayerContext &context, unsigned index,
                               Value value) {
  NodeOp node = context.node;
  Value result = node->getResult(index);
  std::string output = "output " + std::to_string(index);
  bool isStrict = node->getParentOfType<ModuleOp>()->hasAttr(kStrictAttrName);
  Type elementType = getElementTypeOrSelf(value.getType());
  if (isa<TensorType>(result.getType()) &&
      getElementTypeOrSelf(result.getType()) != elementType)
    return context.unsupported(
        output + " is declared as " + showType(result.getType()) +
        ", but has elements of type " + showType(elementType));
  FailureOr<bool> agrees =
      verifyDeclaredType(result.getType(), value.getType(), output, isStrict,
                         [&](DiagnosticSeverity severity) {
                           return emitNodeDiagnostic(node, severity);
                         });
  if (failed(agrees))
    return failure();
  auto declared = dyn_cast<TensorType>(result.getType());
  auto type = cast<TensorType>(value.getType());
  bool isNew = isa_and_nonnull<NodeOp, CastOp>(value.getDefiningOp()) &&
               value.use_empty();
  bool isNode = isNew && isa<NodeOp>(value.getDefiningOp());
  if (declared && *agrees && isNew &&
      (isNode || declared.hasRank() == type.hasRank()))
    value.setType(declared);
  return success();
}

/// Replaces the layer's results, which may be fewer than the values. A null
/// value belongs to an unused result.
static LogicalResult replaceResults(LayerContext &context, ValueRange values) {
  size_t count = context.node->getNumResults();
  if (count == 0 || count > values.size())
    return context.unsupported("expected " + Twine(values.size()) +
                               " output(s), but got " + Twine(count));
  for (size_t index : llvm::seq(count))
    if (values[index] && failed(adoptType(context, index, values[index])))
      return failure();
  for (size_t index : llvm::seq(count))
    if (values[index])
      context.node->getResult(index).replaceAllUsesWith(values[index]);
  context.node.erase();
  return success();
}

bool ConvertOpenVinoNodesToOnnx::convertLayer(NodeOp node) {
  ImplicitLocOpBuilder builder(node.getLoc(), node);
  LayerContext context(node, builder);
  if (const LayerRow *row = findRow(node.getOpType(), node.getOpset())) {
    // The types of an unconverted layer's results may be unknown.
    bool isBlocked = llvm::any_of(context.inputs, [](Value input) {
      return !isa<TensorType>(input.getType()) && input.getDefiningOp<NodeOp>();
    });
    if (isBlocked)
      return true;
    Operation *before = node->getPrevNode();
    if (succeeded(checkLayer(context, *row))) {
      LayerResults values = row->conversion(context);
      bool isMade = succeeded(values) && context.getProblem().empty();
      if (isMade && succeeded(replaceResults(context, *values)))
        return true;
      eraseNewOps(node, before);
      // The declared type is wrong, which is already reported.
      if (isMade && context.getProblem().empty())
        return false;
    }
  }
  if (allowUnsupported)
    return true;
  InFlightDiagnostic error = emitNodeError(node)
                             << "no lowering of the OpenVINO layer '"
                             << printable(node.getOpType()) << "'";
  if (!context.getProblem().empty())
    error << ": " << context.getProblem();
  return false;
}

void ConvertOpenVinoNodesToOnnx::runOnOperation() {
  bool isConverted = true;
  SmallVector<NodeOp> layers;
  getOperation().walk<WalkOrder::PreOrder>([&](NodeOp node) {
    if (node.getDomain() == kOpenVinoDomain)
      layers.push_back(node);
  });
  for (NodeOp layer : layers)
    isConverted &= convertLayer(layer);
  if (!isConverted)
    return signalPassFailure();
  if (layers.empty())
    return;
  for (auto function : getOperation().getOps<func::FuncOp>())
    if (failed(updateFunctionType(function)))
      return signalPassFailure();
}
