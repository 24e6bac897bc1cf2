//===- TransposeWeights.cpp - Make weights K-contiguous -------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WeightContraction.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "quant-float/Codegen/Common/Passes.h"
#include "quant-float/IR/QuantFloatOps.h"
#include "quant-float/IR/TransposeConstant.h"
#include "llvm/Support/DebugLog.h"

namespace mlir::quant_float {
#define GEN_PASS_DEF_QUANTFLOATTRANSPOSEWEIGHTSPASS
#include "quant-float/Codegen/Common/Passes.h.inc"
} // namespace mlir::quant_float

#define DEBUG_TYPE "quant-float-transpose-weights"

using namespace mlir;
using namespace mlir::quant_float;

namespace {
struct TransposeWeights final
    : quant_float::impl::QuantFloatTransposeWeightsPassBase<TransposeWeights> {
  using QuantFloatTransposeWeightsPassBase::QuantFloatTransposeWeightsPassBase;
  void runOnOperation() override;
};
} // namespace

/// Whether the matmul has so few rows that it dequantizes its weights where it
/// uses them.
static bool isMatvec(NodeOp matmul) {
  auto type = dyn_cast<RankedTensorType>(matmul.getInputs()[0].getType());
  if (!type || type.getRank() == 0)
    return false;
  SmallVector<int64_t> sizes(type.getShape());
  auto transA = matmul.getNodeAttributes().getAs<IntegerAttr>("transA");
  sizes.erase(transA && transA.getInt() ? sizes.begin() : sizes.end() - 1);
  int64_t vectors = 1;
  for (int64_t size : sizes) {
    if (ShapedType::isDynamic(size) || size > kMaxMatvecRows)
      return false;
    if ((vectors *= size) > kMaxMatvecRows)
      return false;
  }
  return true;
}

/// Returns the MatMul or Gemm with few rows, or with any number if `anyRows`,
/// that is the only user of the weights, if K is not contiguous in them; else
/// null.
static NodeOp getMatmul(DequantizeOp weights, bool anyRows) {
  if (!weights->hasOneUse())
    return {};
  OpOperand &use = *weights->use_begin();
  auto node = dyn_cast<NodeOp>(use.getOwner());
  if (!node || use.getOperandNumber() != 1 ||
      !llvm::is_contained({NodeKind::MatMul, NodeKind::Gemm},
                          getNodeKind(node)))
    return {};
  auto transB = node.getNodeAttributes().getAs<IntegerAttr>("transB");
  bool isTransposed = transB && transB.getInt();
  return !isTransposed && (anyRows || isMatvec(node)) ? node : NodeOp();
}

static bool isFloat8(DequantizeOp weights) {
  Type element = getElementTypeOrSelf(weights.getInput());
  return isa<FloatType>(element) && element.getIntOrFloatBitWidth() == 8;
}

/// Whether the transposed weights have an accumulation order for K-contiguous
/// weights (R7).
static bool hasRows(DequantizeOp weights, RankedTensorType type) {
  unsigned bits =
      getElementTypeOrSelf(weights.getInput()).getIntOrFloatBitWidth();
  auto scale = dyn_cast<RankedTensorType>(weights.getScale().getType());
  if (!scale || (bits != 8 && bits != 4 && bits != 2))
    return false;
  int64_t depth = type.getDimSize(0), axis = weights.getAxis().value_or(1);
  axis += axis < 0 ? 2 : 0;
  int64_t block =
      scale.getRank() == 2 ? weights.getBlockSize().value_or(0) : depth;
  // Many float8 values are decoded at once. A chunk of a block has too few.
  if (isFloat8(weights) && block != depth)
    return false;
  // A scale for each index of K has no blocks.
  if (block == 0 || (scale.getRank() > 0 && axis != (block == depth ? 1 : 0)))
    return false;
  return depth % 8 * bits % 8 == 0 &&
         ReductionSchedule::forRows(bits, block, depth)
             .hasFullBlocks(block, depth);
}

/// Returns the transposed constant, or null if the value is not a constant.
/// Constants of rank 0 or 1 are unchanged.
static ElementsAttr transposeOperand(Value value) {
  ElementsAttr elements;
  if (!matchPattern(value, m_Constant(&elements)))
    return {};
  return elements.getShapedType().getRank() < 2 ? elements
                                                : transposeConstant(elements);
}

/// Returns whether the weights are transposed.
static bool transpose(RewriterBase &rewriter, DequantizeOp op, bool anyRows) {
  auto type = dyn_cast<RankedTensorType>(op.getType());
  if (!type || type.getRank() != 2 || !type.hasStaticShape() ||
      !op.getInput().hasOneUse())
    return false;
  NodeOp matmul = getMatmul(op, anyRows);
  if (!matmul || !hasRows(op, type)) {
    LDBG() << "no matmul of few rows, or no accumulation order: " << op;
    return false;
  }
  SmallVector<ElementsAttr> constants;
  for (Value operand : op->getOperands()) {
    constants.push_back(transposeOperand(operand));
    if (!constants.back())
      return false;
  }

  LDBG() << "transposing the weights of " << op;
  rewriter.setInsertionPoint(op);
  SmallVector<Value> operands;
  for (auto [operand, constant] : llvm::zip(op->getOperands(), constants))
    operands.push_back(arith::ConstantOp::create(rewriter, operand.getLoc(),
                                                 cast<TypedAttr>(constant)));
  // Without an axis there is a single scale.
  IntegerAttr axis = op.getAxisAttr();
  if (axis)
    axis = IntegerAttr::get(axis.getType(),
                            1 - (axis.getInt() + (axis.getInt() < 0 ? 2 : 0)));
  auto transposed = DequantizeOp::create(
      rewriter, op.getLoc(),
      type.clone({type.getDimSize(1), type.getDimSize(0)}), operands[0],
      operands[1], operands.size() > 2 ? operands[2] : Value(),
      op.getOpsetAttr(), op.getDomainAttr(), axis, op.getBlockSizeAttr(),
      op.getIgnoredAttributesAttr());
  NamedAttribute order =
      rewriter.getNamedAttr("perm", rewriter.getDenseI64ArrayAttr({1, 0}));
  SmallVector<Operation *> old;
  for (Value operand : op->getOperands())
    old.push_back(operand.getDefiningOp());
  rewriter.replaceOpWithNewOp<NodeOp>(
      op, TypeRange(type), "Transpose", transposed->getResults(), /*domain=*/"",
      matmul.getOpset(), /*node_name=*/StringAttr(),
      rewriter.getDictionaryAttr(order), ArrayRef<int64_t>(),
      rewriter.getStrArrayAttr({}), /*bodiesCount=*/0);
  for (Operation *constant :
       llvm::SetVector<Operation *>(old.begin(), old.end()))
    if (constant->use_empty())
      rewriter.eraseOp(constant);
  return true;
}

void TransposeWeights::runOnOperation() {
  IRRewriter rewriter(&getContext());
  SmallVector<DequantizeOp> found;
  getOperation()->walk([&](DequantizeOp op) { found.push_back(op); });
  for (DequantizeOp op : found)
    if (transpose(rewriter, op, anyRows && !isFloat8(op)))
      ++numTransposed;
}
