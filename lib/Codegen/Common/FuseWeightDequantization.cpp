//===- FuseWeightDequantization.cpp - Fuse dequantization -----------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LinalgUtils.h"
#include "WeightContraction.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "quant-float/Codegen/Common/Passes.h"
#include "quant-float/IR/QuantFloatOps.h"
#include "quant-float/Support/Indices.h"
#include "llvm/Support/DebugLog.h"

namespace mlir::quant_float {
#define GEN_PASS_DEF_QUANTFLOATFUSEWEIGHTDEQUANTIZATIONPASS
#include "quant-float/Codegen/Common/Passes.h.inc"
} // namespace mlir::quant_float

#define DEBUG_TYPE "quant-float-fuse-weight-dequantization"

using namespace mlir;
using namespace mlir::quant_float;
using linalg::GenericOp;

/// Whether each weight is used for at most kMaxMatvecRows elements of the
/// result, so that it is dequantized a few times at most.
static bool isMatvec(GenericOp op, OpOperand &weights) {
  AffineMap map = op.getMatchingIndexingMap(&weights);
  int64_t rows = 1;
  for (auto [loop, range] : llvm::enumerate(op.getStaticLoopRanges()))
    if (!map.isFunctionOfDim(loop)) {
      if (ShapedType::isDynamic(range) || range > kMaxMatvecRows)
        return false;
      rows *= range;
    }
  return rows <= kMaxMatvecRows;
}

/// Whether the quantized values of the fused matmul are an input of the
/// decoder. A matmul may convert elements of its other operand itself, as that
/// of QLinearMatMul does. These would count as weights if the decoder's input
/// does not have quantized values.
static bool readsQuantized(GenericOp decoder,
                           const WeightContraction &contraction) {
  unsigned uses = llvm::count_if(
      GenericOp(contraction.op).getDpsInputOperands(), [&](OpOperand *input) {
        return input->get() == contraction.quantized->get();
      });
  return uses == 1 &&
         llvm::is_contained(decoder.getInputs(), contraction.quantized->get());
}

/// Returns the loops of dynamic size that the weights do not depend on, if all
/// operands are indexed by them directly, the other loops are static, and few
/// of these are rows; else none.
static SmallVector<unsigned> getDynamicRows(GenericOp op, OpOperand &weights) {
  if (op.hasIndexSemantics() || op.getNumDpsInits() != 1)
    return {};
  AffineMap map = op.getMatchingIndexingMap(&weights);
  SmallVector<unsigned> loops;
  int64_t staticRows = 1;
  for (auto [loop, range] : llvm::enumerate(op.getStaticLoopRanges())) {
    bool isRow = !map.isFunctionOfDim(loop);
    if (!ShapedType::isDynamic(range)) {
      staticRows *= isRow ? std::min(range, kMaxMatvecRows + 1) : 1;
      continue;
    }
    if (!isRow ||
        op.getIteratorTypesArray()[loop] != utils::IteratorType::parallel)
      return {};
    loops.push_back(loop);
  }
  bool isIndexedDirectly =
      llvm::all_of(op.getIndexingMapsArray(), [&](AffineMap map) {
        return llvm::all_of(map.getResults(), [&](AffineExpr index) {
          return getLoop(index) || llvm::none_of(loops, [&](unsigned loop) {
                   return index.isFunctionOfDim(loop);
                 });
        });
      });
  if (!isIndexedDirectly || staticRows > kMaxMatvecRows)
    return {};
  return loops;
}

/// Whether the op computes scales or minimums from constants by instructions
/// that every CPU has: a matvec repeats the computation for each block.
static bool isCheapScale(GenericOp op) {
  if (!op || !isElementwiseOnTensors(op) || op->getNumResults() != 1)
    return false;
  return llvm::all_of(op.getInputs(), isWeight) &&
         llvm::all_of(op.getBody()->without_terminator(), [](Operation &op) {
           if (auto cast = dyn_cast<CastOp>(op)) {
             Type source = cast.getInput().getType();
             return source.isInteger() || source.isF16();
           }
           return isa<StorageCastOp, arith::MulFOp>(op);
         });
}

/// Converts f16 inputs that several elements share before the op instead of in
/// its body.
static void widenFactors(RewriterBase &rewriter, GenericOp scales) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(scales);
  auto result = cast<ShapedType>(scales->getResult(0).getType());
  for (OpOperand *input : scales.getDpsInputOperands()) {
    auto type = dyn_cast<RankedTensorType>(input->get().getType());
    BlockArgument argument = scales.getMatchingBlockArgument(input);
    auto cast = argument.hasOneUse() ? dyn_cast<CastOp>(*argument.user_begin())
                                     : CastOp();
    if (!type || !cast || !type.getElementType().isF16() ||
        type.getNumElements() >= result.getNumElements())
      continue;
    RankedTensorType wide = type.clone(cast.getType());
    Location loc = scales.getLoc();
    Value init = tensor::EmptyOp::create(rewriter, loc, wide, ValueRange());
    AffineMap identity = rewriter.getMultiDimIdentityMap(type.getRank());
    SmallVector<utils::IteratorType> loops(type.getRank(),
                                           utils::IteratorType::parallel);
    auto factors = GenericOp::create(
        rewriter, loc, wide, input->get(), init, {identity, identity}, loops,
        [&](OpBuilder &builder, Location loc, ValueRange arguments) {
          IRMapping mapping;
          mapping.map(argument, arguments[0]);
          linalg::YieldOp::create(builder, loc,
                                  builder.clone(*cast, mapping)->getResults());
        });
    input->set(factors.getResult(0));
    argument.setType(wide.getElementType());
    rewriter.replaceOp(cast, argument);
  }
}

namespace {
/// Branches on the number of rows of a matmul: few rows are computed one by
/// one.
class RowBranch {
public:
  RowBranch(RewriterBase &rewriter, GenericOp op, ArrayRef<unsigned> loops)
      : b(rewriter), loc(op.getLoc()), op(op), loops(loops) {}

  /// Creates the branch before the op, and moves the decoder into the branch
  /// for many rows. `fuse` fuses the weights into the matmul of a row. If it
  /// fails, the op is left unchanged.
  LogicalResult emit(GenericOp decoder,
                     llvm::function_ref<FailureOr<Value>(GenericOp)> fuse);

private:
  Value getSize(unsigned loop);
  Value emitLoops(ArrayRef<unsigned> rest, Value init);
  Value emitRow(Value init);
  Value getSlice(Value operand, AffineMap map,
                 SmallVectorImpl<OpFoldResult> &offsets,
                 SmallVectorImpl<OpFoldResult> &sizes);

  RewriterBase &b;
  Location loc;
  GenericOp op;
  ArrayRef<unsigned> loops;
  DenseMap<unsigned, Value> position;
  llvm::function_ref<FailureOr<Value>(GenericOp)> fuseRow;
  bool isFused = true;
};
} // namespace

Value RowBranch::getSize(unsigned loop) {
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  unsigned dim = *map.getResultPosition(b.getAffineDimExpr(loop));
  return tensor::DimOp::create(b, loc, op.getDpsInits()[0], dim);
}

/// Returns the slice of an operand for the current row.
Value RowBranch::getSlice(Value operand, AffineMap map,
                          SmallVectorImpl<OpFoldResult> &offsets,
                          SmallVectorImpl<OpFoldResult> &sizes) {
  sizes = tensor::getMixedSizes(b, loc, operand);
  offsets.assign(sizes.size(), b.getIndexAttr(0));
  bool isSliced = false;
  for (auto [dim, index] : llvm::enumerate(map.getResults()))
    if (std::optional<unsigned> loop = getLoop(index);
        loop && position.contains(*loop)) {
      offsets[dim] = position[*loop];
      sizes[dim] = b.getIndexAttr(1);
      isSliced = true;
    }
  if (!isSliced)
    return operand;
  SmallVector<OpFoldResult> strides(sizes.size(), b.getIndexAttr(1));
  return tensor::ExtractSliceOp::create(b, loc, operand, offsets, sizes,
                                        strides);
}

Value RowBranch::emitRow(Value init) {
  SmallVector<OpFoldResult> offsets, sizes;
  SmallVector<Value> operands;
  for (OpOperand *input : op.getDpsInputOperands())
    operands.push_back(isa<RankedTensorType>(input->get().getType())
                           ? getSlice(input->get(),
                                      op.getMatchingIndexingMap(input), offsets,
                                      sizes)
                           : input->get());
  Value slice = getSlice(
      init, op.getMatchingIndexingMap(op.getDpsInitOperand(0)), offsets, sizes);
  operands.push_back(slice);
  auto row = cast<GenericOp>(
      mlir::clone(b, op.getOperation(), slice.getType(), operands));
  FailureOr<Value> result = fuseRow(row);
  isFused = succeeded(result);
  if (!isFused)
    return init;
  SmallVector<OpFoldResult> strides(sizes.size(), b.getIndexAttr(1));
  return tensor::InsertSliceOp::create(b, loc, *result, init, offsets, sizes,
                                       strides);
}

Value RowBranch::emitLoops(ArrayRef<unsigned> rest, Value init) {
  if (rest.empty())
    return emitRow(init);
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  auto loop =
      scf::ForOp::create(b, loc, zero, getSize(rest.front()), one, init);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  position[rest.front()] = loop.getInductionVar();
  scf::YieldOp::create(b, loc,
                       emitLoops(rest.drop_front(), loop.getRegionIterArg(0)));
  return loop.getResult(0);
}

LogicalResult
RowBranch::emit(GenericOp decoder,
                llvm::function_ref<FailureOr<Value>(GenericOp)> fuse) {
  fuseRow = fuse;
  b.setInsertionPoint(op);
  int64_t staticRows = 1;
  AffineMap weights;
  for (OpOperand *input : op.getDpsInputOperands())
    if (input->get() == decoder->getResult(0))
      weights = op.getMatchingIndexingMap(input);
  for (auto [loop, range] : llvm::enumerate(op.getStaticLoopRanges()))
    if (!weights.isFunctionOfDim(loop) && !ShapedType::isDynamic(range))
      staticRows *= range;
  Value rows = arith::ConstantIndexOp::create(b, loc, staticRows);
  for (unsigned loop : loops)
    rows = arith::MulIOp::create(b, loc, rows, getSize(loop));
  Value maxRows = arith::ConstantIndexOp::create(b, loc, kMaxMatvecRows);
  Value isSkinny =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ule, rows, maxRows);
  auto branch = scf::IfOp::create(b, loc, op.getResultTypes(), isSkinny,
                                  /*withElseRegion=*/true);
  b.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(b, loc, emitLoops(loops, op.getDpsInits()[0]));
  if (!isFused) {
    b.eraseOp(branch);
    return failure();
  }
  b.setInsertionPointToStart(branch.elseBlock());
  auto yield = scf::YieldOp::create(b, loc, op->getResults());
  b.replaceAllUsesExcept(op->getResult(0), branch.getResult(0), yield);
  b.moveOpBefore(decoder, yield);
  b.moveOpBefore(op, yield);
  // A row computes the scales that it reads.
  for (Value scale : decoder.getInputs())
    if (auto producer = scale.getDefiningOp<GenericOp>();
        producer && producer->hasOneUse() && isCheapScale(producer))
      b.moveOpBefore(producer, decoder);
  return success();
}

namespace {
struct FuseWeightDequantization final
    : quant_float::impl::QuantFloatFuseWeightDequantizationPassBase<
          FuseWeightDequantization> {
  using QuantFloatFuseWeightDequantizationPassBase::
      QuantFloatFuseWeightDequantizationPassBase;

  LogicalResult initialize(MLIRContext *context) override {
    if (llvm::is_contained({0u, 8u, 16u}, unsigned(xBits)))
      return success();
    return emitError(UnknownLoc::get(context))
           << "x-bits: expected 0, 8 or 16, but got " << unsigned(xBits);
  }

  void runOnOperation() override {
    SmallVector<GenericOp> ops =
        collectGenericOps(getOperation(), [](GenericOp op) {
          return op.hasPureTensorSemantics() && op.getNumReductionLoops() == 1;
        });
    IRRewriter rewriter(&getContext());
    for (GenericOp op : ops)
      fuse(rewriter, op);
  }

  void fuse(RewriterBase &rewriter, GenericOp op) {
    for (OpOperand *operand : op.getDpsInputOperands()) {
      auto decoder = operand->get().getDefiningOp<GenericOp>();
      if (!decoder || !decoder->hasOneUse() ||
          !linalg::areElementwiseOpsFusable(operand))
        continue;
      SmallVector<unsigned> rows;
      if (dynamicRows && decoder->getBlock() == op->getBlock())
        rows = getDynamicRows(op, *operand);
      if (rows.empty()) {
        if (succeeded(fuseDecoder(rewriter, op, *operand, decoder)))
          return;
        continue;
      }
      unsigned number = operand->getOperandNumber();
      // Fusion would keep the result of a decoder with other users.
      auto fuseRow = [&](GenericOp row) {
        rewriter.setInsertionPoint(row);
        auto own = cast<GenericOp>(rewriter.clone(*decoder));
        row->setOperand(number, own->getResult(0));
        FailureOr<Value> fused =
            fuse(rewriter, row, row->getOpOperand(number), own);
        if (succeeded(fused)) {
          rewriter.setInsertionPointAfter(row);
          rewriter.eraseOp(row);
          rewriter.eraseOp(own);
        }
        return fused;
      };
      LogicalResult isBranch =
          RowBranch(rewriter, op, rows).emit(decoder, fuseRow);
      if (succeeded(isBranch)) {
        // If x is quantized, many rows have fused weights, too.
        (void)fuseDecoder(rewriter, op, op->getOpOperand(number), decoder);
        return;
      }
    }
  }

  /// Fuses the decoder into the matmul if it has few rows or if x is quantized.
  LogicalResult fuseDecoder(RewriterBase &rewriter, GenericOp op,
                            OpOperand &operand, GenericOp decoder) {
    if (!isMatvec(op, operand) && !xBits)
      return failure();
    FailureOr<Value> fused = fuse(rewriter, op, operand, decoder);
    if (failed(fused))
      return failure();
    rewriter.replaceOp(op, *fused);
    if (decoder->use_empty())
      rewriter.eraseOp(decoder);
    return success();
  }

  /// Returns the result of a matmul with the decoder fused into it, or fails
  /// and leaves the op as it is.
  FailureOr<Value> fuse(RewriterBase &rewriter, GenericOp op,
                        OpOperand &operand, GenericOp decoder) {
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPoint(op);
    FailureOr<linalg::ElementwiseOpFusionResult> fused =
        linalg::fuseElementwiseOps(rewriter, &operand);
    if (failed(fused))
      return failure();
    auto contraction = cast<GenericOp>(fused->fusedOp);
    Value result = fused->replacements.lookup(op->getResult(0));
    std::optional<WeightContraction> found =
        WeightContraction::get(contraction, xBits != 0);
    if (!found || !readsQuantized(decoder, *found) ||
        !(found->isMatvec() || found->takesIntegers())) {
      LDBG() << "no contraction of weights at " << op.getLoc();
      rewriter.eraseOp(contraction);
      return failure();
    }
    ReductionSchedule order = found->getOrder(xBits);
    // With 8-bit weights and floats, computing scales takes longer than reading
    // them from a buffer.
    if (found->isPacked() || order.xBits)
      fuseScales(rewriter, contraction, decoder, result);
    contraction->setAttr(kReductionScheduleAttrName,
                         order.toAttribute(&getContext()));
    LDBG() << "fusing the dequantization at " << decoder.getLoc()
           << " into the matmul at " << op.getLoc();
    ++numFused;
    return result;
  }

  /// Fuses the computation of the decoder's scales and minimums into the
  /// matmul.
  void fuseScales(RewriterBase &rewriter, GenericOp &contraction,
                  GenericOp decoder, Value &result) {
    for (Value scale : decoder.getInputs()) {
      auto producer = scale.getDefiningOp<GenericOp>();
      if (!isCheapScale(producer))
        continue;
      unsigned number = llvm::find(contraction.getInputs(), scale) -
                        contraction.getInputs().begin();
      // Fusion would keep the result of a producer with other users.
      auto own = cast<GenericOp>(rewriter.clone(*producer));
      widenFactors(rewriter, own);
      contraction->setOperand(number, own->getResult(0));
      FailureOr<linalg::ElementwiseOpFusionResult> fused =
          linalg::fuseElementwiseOps(rewriter,
                                     &contraction->getOpOperand(number));
      auto combined =
          succeeded(fused) ? cast<GenericOp>(fused->fusedOp) : GenericOp();
      if (combined && WeightContraction::get(combined, xBits != 0)) {
        result = fused->replacements.lookup(result);
        rewriter.eraseOp(contraction);
        contraction = combined;
      } else {
        if (combined)
          rewriter.eraseOp(combined);
        contraction->setOperand(number, scale);
      }
      rewriter.eraseOp(own);
    }
  }
};
} // namespace
