//===- ExtractWeights.cpp - Extract the weights of a model ----------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A weight is a dequantize of constants, with the ops that compute its scales
// and permute its columns, or a constant of floats that the network uses. It is
// named after the constant that holds its elements. The name ends with
// `.weight`; any suffix after that is dropped.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "quant-float/IR/Constants.h"
#include "quant-float/IR/EntryPointInfo.h"
#include "quant-float/IR/QuantFloatOps.h"
#include "quant-float/IR/TransposeConstant.h"
#include "quant-float/Support/Locations.h"
#include "quant-float/Transforms/Passes.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/DebugLog.h"

namespace mlir::quant_float {
#define GEN_PASS_DEF_QUANTFLOATEXTRACTWEIGHTSPASS
#include "quant-float/Transforms/Passes.h.inc"
} // namespace mlir::quant_float

#define DEBUG_TYPE "quant-float-extract-weights"

using namespace mlir;
using namespace mlir::quant_float;

namespace {
/// Collects the weights of functions.
class Extraction {
public:
  Extraction(OpBuilder &builder) : builder(builder) {}

  /// Clones the op at the insertion point of the builder if it only depends on
  /// constants.
  void clone(Operation *op);
  /// Adds the clone of the op to the results if it is a weight.
  void add(Operation *op);

  SmallVector<Value> results;
  SmallVector<Attribute> attributes;

private:
  /// Returns whether the network computes with the value, so that it is neither
  /// part of another weight nor the scale of a quantized value.
  bool isUsed(Value value) const;
  /// Returns the transposed weight if a matmul has its outputs as columns, so
  /// that rows are outputs. Null otherwise, and if the weight cannot be
  /// transposed.
  Value turn(DequantizeOp op);
  std::string makeName(Operation *source);

  OpBuilder &builder;
  IRMapping cloned;
  /// Maps an op to the dequantize or constant that provides the elements of its
  /// clone. Contains all ops that have been cloned.
  DenseMap<Operation *, Operation *> sources;
  llvm::StringMap<unsigned> counts;
};

struct ExtractWeightsPass final
    : quant_float::impl::QuantFloatExtractWeightsPassBase<ExtractWeightsPass> {
  using QuantFloatExtractWeightsPassBase::QuantFloatExtractWeightsPassBase;
  void runOnOperation() override;
};
} // namespace

/// Returns whether the op can be a part of a weight in a file.
static bool isPart(Operation *op) {
  if (isa<AnyConstantOp, DequantizeOp, CastOp>(op))
    return true;
  auto node = dyn_cast<NodeOp>(op);
  return node && node->getNumRegions() == 0 && node->getNumOperands() != 0 &&
         node->getNumResults() == 1 &&
         llvm::is_contained({NodeKind::Add, NodeKind::Div, NodeKind::Gather,
                             NodeKind::Reshape, NodeKind::Sub},
                            getNodeKind(node));
}

void Extraction::clone(Operation *op) {
  if (!isPart(op) || !llvm::all_of(op->getOperands(), [&](Value operand) {
        return sources.contains(operand.getDefiningOp());
      }))
    return;
  bool isSource = isa<AnyConstantOp, DequantizeOp>(op);
  sources[op] = isSource ? op : sources[op->getOperand(0).getDefiningOp()];
  builder.clone(*op, cloned);
}

bool Extraction::isUsed(Value value) const {
  return llvm::any_of(value.getUses(), [&](OpOperand &use) {
    Operation *user = use.getOwner();
    bool isParameter =
        isa<QuantizationOpInterface>(user) && use.getOperandNumber() > 0;
    return !isParameter && !sources.contains(user);
  });
}

Value Extraction::turn(DequantizeOp op) {
  auto type = dyn_cast<RankedTensorType>(op.getType());
  if (!type || type.getRank() != 2 || !op->hasOneUse())
    return {};
  OpOperand &use = *op->use_begin();
  auto matmul = dyn_cast<NodeOp>(use.getOwner());
  auto transB = matmul ? matmul.getNodeAttributes().getAs<IntegerAttr>("transB")
                       : IntegerAttr();
  if (!matmul || use.getOperandNumber() != 1)
    return {};
  std::optional<NodeKind> kind = getNodeKind(matmul);
  if (kind != NodeKind::MatMul &&
      (kind != NodeKind::Gemm || (transB && transB.getInt() != 0)))
    return {};
  SmallVector<Value> turned;
  for (Value operand : op->getOperands()) {
    auto constant = operand.getDefiningOp<AnyConstantOp>();
    auto elements =
        constant ? dyn_cast<ElementsAttr>(constant.getValue()) : ElementsAttr();
    // Per-tensor and per-axis scales have at most rank 1 and need no
    // transposition.
    if (elements && elements.getShapedType().getRank() >= 2)
      elements = transposeConstant(elements);
    if (!elements)
      return {};
    turned.push_back(
        createConstant(builder, operand.getLoc(), cast<TypedAttr>(elements)));
  }
  IRMapping values;
  for (auto [from, to] : llvm::zip_equal(op->getOperands(), turned))
    values.map(from, to);
  auto clone = cast<DequantizeOp>(builder.clone(*op, values));
  clone.getResult().setType(RankedTensorType::get(
      {type.getDimSize(1), type.getDimSize(0)}, type.getElementType()));
  // Without an axis, the scale is one element, of rank 0 or 1.
  if (std::optional<int64_t> axis = op.getAxis())
    clone.setAxis(*axis < 0 ? -3 - *axis : 1 - *axis);
  return clone;
}

std::string Extraction::makeName(Operation *source) {
  auto dequantize = dyn_cast<DequantizeOp>(source);
  Value elements = dequantize ? dequantize.getInput() : source->getResult(0);
  StringRef name = getNodeName(elements.getLoc());
  // Quantization tools append suffixes to the names of the original weights.
  StringRef ending = dequantize ? ".weight" : "", stem = name;
  if (dequantize)
    stem = name.take_front(name.find(ending));
  if (stem.empty())
    stem = "unnamed";
  // Two weights may have the same quantized values, and thus the same name.
  unsigned number = counts[stem]++;
  return (stem + (number ? "." + Twine(number) : Twine("")) + ending).str();
}

void Extraction::add(Operation *op) {
  Operation *source = sources.lookup(op);
  if (!source || !isUsed(op->getResult(0)))
    return;
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (!type || type.getRank() == 0 || !isa<FloatType>(type.getElementType())) {
    LDBG() << "not extracting " << op->getResult(0).getType() << " at "
           << op->getLoc();
    return;
  }
  auto dequantize = dyn_cast<DequantizeOp>(op);
  Value turned = dequantize ? turn(dequantize) : Value();
  LDBG() << "extracting " << type << (turned ? ", transposed," : "") << " at "
         << op->getLoc();
  results.push_back(turned ? turned : cloned.lookup(op->getResult(0)));
  attributes.push_back(builder.getDictionaryAttr(builder.getNamedAttr(
      kNameAttrName, builder.getStringAttr(makeName(source)))));
}

void ExtractWeightsPass::runOnOperation() {
  ModuleOp module = getOperation();
  SmallVector<func::FuncOp> functions =
      llvm::to_vector(module.getOps<func::FuncOp>());
  OpBuilder builder(module.getContext());
  builder.setInsertionPointToEnd(module.getBody());
  auto made = func::FuncOp::create(builder, module.getLoc(), "weights",
                                   builder.getFunctionType({}, {}));
  builder.setInsertionPointToEnd(made.addEntryBlock());
  Extraction extraction(builder);
  for (func::FuncOp function : functions) {
    function.walk<WalkOrder::PreOrder>(
        [&](Operation *op) { extraction.clone(op); });
    function.walk<WalkOrder::PreOrder>(
        [&](Operation *op) { extraction.add(op); });
  }
  numExtracted += extraction.results.size();
  func::ReturnOp::create(builder, module.getLoc(), extraction.results);
  made.setFunctionType(
      builder.getFunctionType({}, ValueRange(extraction.results).getTypes()));
  made.setAllResultAttrs(extraction.attributes);
  for (func::FuncOp function : functions)
    function.erase();
  // Erase clones that are not part of a weight.
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(made.front())))
    if (op.use_empty() && !op.hasTrait<OpTrait::IsTerminator>())
      op.erase();
}
