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
#include "quant-float/Conversion/Passes.h"
#include "quant-float/Conversion/ResolveNode.h"
#include "quant-float/Support/Printable.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::quant_float {
#define GEN_PASS_DEF_CONVERTOPENVINONODESTOONNXPASS
#include "quant-float/Conversion/Passes.h.inc"
} // namespace mlir::quant_float

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::openvino_layers;

namespace {
/// A row of OpenVinoLayers.def.
struct LayerRow {
  int64_t since;
  int fewest, most;
  SmallVector<AttributeRow, 2> attributes;
  LayerConversion conversion;
};

struct ConvertOpenVinoNodesToOnnx final
    : quant_float::impl::ConvertOpenVinoNodesToOnnxPassBase<
          ConvertOpenVinoNodesToOnnx> {
  using ConvertOpenVinoNodesToOnnxPassBase::ConvertOpenVinoNodesToOnnxPassBase;

  void runOnOperation() override;
  /// Whether nothing has to be said of the layer: it is converted, or left
  /// because of another one that is not.
  bool convertLayer(NodeOp node);
};
} // namespace

/// The row for a layer; null if there is none. Files spell types in several
/// ways ("Relu", "ReLU").
static const LayerRow *findRow(StringRef type, int64_t opset) {
  using namespace attribute_rows;
  static const llvm::StringMap<SmallVector<LayerRow, 2>> table = [] {
    llvm::StringMap<SmallVector<LayerRow, 2>> result;
#define QUANT_FLOAT_LIST(...) {__VA_ARGS__}
#define QUANT_FLOAT_LAYER(LayerType, Since, Fewest, Most, Elements,            \
                          Attributes, Conversion)                              \
  result[StringRef(#LayerType).lower()].push_back(                             \
      {Since, Fewest, Most, QUANT_FLOAT_LIST Attributes, Conversion});
#include "quant-float/Conversion/OpenVinoLayers.def"
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

/// Why the layer cannot be taken whatever it computes, if that is so.
static LogicalResult checkLayer(LayerContext &context, const LayerRow &row) {
  int count = context.inputs.size();
  if (count < row.fewest || (row.most >= 0 && count > row.most))
    return context.unsupported(
        "expected " +
        (row.most < 0 ? "at least " + Twine(row.fewest) : Twine(row.fewest)) +
        " inputs, but got " + Twine(count));
  for (auto [index, input] : llvm::enumerate(context.inputs))
    if (!isa<TensorType>(input.getType()))
      return context.unsupported("input " + Twine(index) + " has the type " +
                                 show(input.getType()));
  if (context.node->getNumResults() != 1)
    return context.unsupported("expected 1 output, but got " +
                               Twine(context.node->getNumResults()));
  if (std::optional<std::string> error =
          context.read(row.attributes, /*ignoresOthers=*/true))
    return context.unsupported(*error);
  return success();
}

/// Puts the new value in the place of the old one. What the file says of its
/// shape is kept as a hint where it may be right.
static LogicalResult replaceResult(LayerContext &context, Value value) {
  Value result = context.node->getResult(0);
  NodeOp node = context.node;
  bool isStrict = node->getParentOfType<ModuleOp>()->hasAttr(kStrictAttrName);
  Type elementType = getElementTypeOrSelf(value.getType());
  if (isa<TensorType>(result.getType()) &&
      getElementTypeOrSelf(result.getType()) != elementType)
    return context.unsupported(
        "output 0 is declared as " + show(result.getType()) +
        ", but has elements of type " + show(elementType));
  FailureOr<bool> agrees =
      verifyDeclaredType(result.getType(), value.getType(), "output 0",
                         isStrict, [&](DiagnosticSeverity severity) {
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
  result.replaceAllUsesWith(value);
  context.node.erase();
  return success();
}

/// Of a conversion that failed nothing is used.
static void eraseNewOps(NodeOp node, Operation *begin) {
  for (Operation *op = node->getPrevNode(); op && op != begin;) {
    Operation *previous = op->getPrevNode();
    op->erase();
    op = previous;
  }
}

bool ConvertOpenVinoNodesToOnnx::convertLayer(NodeOp node) {
  ImplicitLocOpBuilder builder(node.getLoc(), node);
  LayerContext context(node, builder);
  if (const LayerRow *row = findRow(node.getOpType(), node.getOpset())) {
    // What an unconverted layer makes may well be of unknown type.
    bool isBlocked = llvm::any_of(context.inputs, [](Value input) {
      return !isa<TensorType>(input.getType()) && input.getDefiningOp<NodeOp>();
    });
    if (isBlocked)
      return true;
    Operation *before = node->getPrevNode();
    if (succeeded(checkLayer(context, *row))) {
      FailureOr<Value> value = row->conversion(context);
      bool isMade = succeeded(value) && context.getProblem().empty();
      if (isMade && succeeded(replaceResult(context, *value)))
        return true;
      eraseNewOps(node, before);
      // What the file declares is wrong, and reported.
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
