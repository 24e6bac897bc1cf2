//===- TileAndVectorize.cpp - Tile and vectorize elementwise ops ----------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Common/ApplyPatternsTo.h"
#include "../Common/BufferAccesses.h"
#include "../Common/ElementwiseLoops.h"
#include "../Common/LinalgUtils.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/TileUsingInterface.h"
#include "mlir/Dialect/SCF/Transforms/Transforms.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "quant-float/Codegen/CPU/Passes.h"
#include "quant-float/IR/ElementTypes.h"
#include "quant-float/Support/FloatFormat.h"
#include "llvm/Support/DebugLog.h"
#include <numeric>

namespace mlir::quant_float {
#define GEN_PASS_DEF_QUANTFLOATTILEANDVECTORIZEPASS
#include "quant-float/Codegen/CPU/Passes.h.inc"
} // namespace mlir::quant_float

#define DEBUG_TYPE "quant-float-tile-and-vectorize"

using namespace mlir;
using namespace mlir::quant_float;
using linalg::GenericOp;

/// The number of elements in a chunk that a thread processes. The cost of
/// distributing a chunk is negligible in comparison.
static constexpr int64_t kChunkSize = 32768;
/// The minimum number of elements for which several threads are faster than
/// one.
static constexpr int64_t kMinParallel = 8 * kChunkSize;
/// The minimum number of elements of an op that is distributed together with
/// others.
static constexpr int64_t kMinDistributedSize = 2 * kChunkSize;

static bool isElementwiseOnMemrefs(GenericOp op) {
  return op.hasPureBufferSemantics() && isElementwise(op);
}

static FailureOr<scf::SCFTilingResult>
tile(RewriterBase &rewriter, GenericOp op, int64_t size,
     scf::SCFTilingOptions::LoopType loopType) {
  scf::SCFTilingOptions options;
  options.setTileSizes({rewriter.getIndexAttr(size)});
  options.setLoopType(loopType);
  rewriter.setInsertionPoint(op);
  FailureOr<scf::SCFTilingResult> tiled = scf::tileUsingSCF(
      rewriter, cast<TilingInterface>(op.getOperation()), options);
  if (succeeded(tiled))
    rewriter.eraseOp(op);
  return tiled;
}

/// Returns the number of elements of an op, or nullopt if it is dynamic.
static std::optional<int64_t> getStaticSize(GenericOp op) {
  int64_t size = 1;
  for (int64_t range : op.getStaticLoopRanges()) {
    if (ShapedType::isDynamic(range))
      return std::nullopt;
    size *= range;
  }
  return size;
}

/// Returns how many iterations of the outermost loop one thread processes
/// together, so that no two threads write to the same byte. Returns nullopt if
/// the layout does not allow this.
static std::optional<int64_t> getRowsPerThread(GenericOp op) {
  int64_t rows = 1;
  for (OpOperand &output : op.getDpsInitsMutable()) {
    if (!hasPackedElements(output.get()))
      continue;
    auto type = cast<MemRefType>(output.get().getType());
    if (!type.getLayout().isIdentity() ||
        !op.getMatchingIndexingMap(&output).isIdentity())
      return std::nullopt;
    // The size of a row in bits, modulo 8. Dynamic sizes are ignored: a factor
    // only makes the row more aligned. Leading dimensions of size 1 have no
    // loop.
    ArrayRef<int64_t> sizes =
        type.getShape().drop_while([](int64_t size) { return size == 1; });
    int64_t rowBits = type.getElementTypeBitWidth();
    for (int64_t size : sizes.drop_front(!sizes.empty()))
      if (!ShapedType::isDynamic(size))
        rowBits = rowBits * (size % 8) % 8;
    rows = std::lcm(rows, 8 / std::gcd<int64_t>(rowBits, 8));
  }
  return rows;
}

/// Whether the op can be distributed among threads.
static bool canDistribute(GenericOp op) {
  return getStaticSize(op).value_or(kMinDistributedSize) >=
             kMinDistributedSize &&
         getRowsPerThread(op);
}

/// Moves the ops between `ops` and `next` before `ops`, if all of them only
/// read and are independent of `ops`. Returns false and moves nothing
/// otherwise.
static bool makeAdjacent(RewriterBase &rewriter, ArrayRef<GenericOp> ops,
                         GenericOp next) {
  GenericOp first = ops.front();
  if (first->getBlock() != next->getBlock())
    return false;
  BufferAccesses accesses;
  for (GenericOp op : ops)
    accesses.add(op);
  SmallVector<Operation *> between;
  for (Operation *op = ops.back()->getNextNode(); op != next;
       op = op->getNextNode()) {
    BufferAccesses opAccesses(op);
    if (!opAccesses.isReading() || !opAccesses.isIndependentOf(accesses))
      return false;
    between.push_back(op);
  }
  for (Operation *op : between)
    rewriter.moveOpBefore(op, first);
  return true;
}

namespace {
struct TileAndVectorize final
    : quant_float::impl::QuantFloatTileAndVectorizePassBase<TileAndVectorize> {
  using QuantFloatTileAndVectorizePassBase::QuantFloatTileAndVectorizePassBase;

  LogicalResult initialize(MLIRContext *context) override;
  void runOnOperation() override;
  LogicalResult distribute(RewriterBase &rewriter, ArrayRef<GenericOp> ops);
  LogicalResult tileInParallel(RewriterBase &rewriter, GenericOp op);
  LogicalResult tileSequentially(RewriterBase &rewriter, GenericOp op);
  LogicalResult tileAndPeel(RewriterBase &rewriter, GenericOp op);
  void simplify();
  void vectorize(RewriterBase &rewriter, GenericOp op);

  FrozenRewritePatternSet simplifications;
};
} // namespace

/// Distributes adjacent ops among threads if the ops have enough elements in
/// total. The threads do not sleep between the ops. If the sizes are dynamic,
/// the emitted code chooses at run time, because waking threads takes longer
/// than processing few elements.
LogicalResult TileAndVectorize::distribute(RewriterBase &rewriter,
                                           ArrayRef<GenericOp> ops) {
  GenericOp first = ops.front();
  Location loc = first.getLoc();
  rewriter.setInsertionPoint(first);
  int64_t staticSize = 0;
  Value size;
  for (GenericOp op : ops) {
    if (std::optional<int64_t> opSize = getStaticSize(op)) {
      staticSize += *opSize;
      continue;
    }
    Value opSize;
    for (Value extent : createLoopExtents(rewriter, loc, op))
      opSize = opSize
                   ? rewriter.createOrFold<arith::MulIOp>(loc, opSize, extent)
                   : extent;
    size =
        size ? rewriter.createOrFold<arith::AddIOp>(loc, size, opSize) : opSize;
  }
  auto tileEach = [&](ArrayRef<GenericOp> ops, auto tile) {
    return success(llvm::all_of(ops, [&](GenericOp op) {
      return succeeded((this->*tile)(rewriter, op));
    }));
  };
  if (staticSize >= kMinParallel)
    return tileEach(ops, &TileAndVectorize::tileInParallel);
  if (!size)
    return tileEach(ops, &TileAndVectorize::tileSequentially);

  Value minSize =
      arith::ConstantIndexOp::create(rewriter, loc, kMinParallel - staticSize);
  Value isLarge = arith::CmpIOp::create(
      rewriter, loc, arith::CmpIPredicate::sge, size, minSize);
  auto branch = scf::IfOp::create(rewriter, loc, isLarge,
                                  /*withElseRegion=*/true);
  rewriter.setInsertionPointToStart(branch.thenBlock());
  SmallVector<GenericOp> distributed;
  for (GenericOp op : ops) {
    distributed.push_back(cast<GenericOp>(rewriter.clone(*op)));
    rewriter.moveOpBefore(op, branch.elseBlock()->getTerminator());
  }
  return failure(
      failed(tileEach(ops, &TileAndVectorize::tileSequentially)) ||
      failed(tileEach(distributed, &TileAndVectorize::tileInParallel)));
}

/// Returns the chunk size for an op with a single loop. Chunks start at block
/// and byte boundaries. Returns nullopt for other ops.
static std::optional<int64_t> getChunkSize(GenericOp op) {
  if (op.getNumLoops() != 1)
    return std::nullopt;
  int64_t unit = 8;
  for (AffineMap map : op.getIndexingMapsArray())
    for (AffineExpr index : map.getResults()) {
      if (isa<AffineDimExpr, AffineConstantExpr>(index))
        continue;
      auto block = dyn_cast<AffineBinaryOpExpr>(index);
      auto size =
          block ? dyn_cast<AffineConstantExpr>(block.getRHS()) : nullptr;
      if (!size || block.getKind() != AffineExprKind::FloorDiv ||
          !isa<AffineDimExpr>(block.getLHS()) || size.getValue() > kChunkSize)
        return std::nullopt;
      unit = std::lcm(unit, size.getValue());
      if (unit > kMinParallel)
        return std::nullopt;
    }
  return llvm::alignTo(kChunkSize, unit);
}

/// Distributes chunks of a single loop, or iterations of the outermost of
/// several loops.
LogicalResult TileAndVectorize::tileInParallel(RewriterBase &rewriter,
                                               GenericOp op) {
  LDBG() << "distributing the op at " << op.getLoc() << " among threads";
  ++numDistributed;
  std::optional<int64_t> chunkSize = getChunkSize(op);
  if (needsOuterLoops(op) && !chunkSize) {
    for (GenericOp inner :
         buildOuterLoops(rewriter, op, tileSize, *getRowsPerThread(op)))
      if (failed(tileAndPeel(rewriter, inner)))
        return failure();
    return success();
  }
  FailureOr<scf::SCFTilingResult> chunks =
      tile(rewriter, op, chunkSize.value_or(kChunkSize),
           scf::SCFTilingOptions::LoopType::ForallOp);
  if (failed(chunks))
    return failure();
  return tileSequentially(rewriter, cast<GenericOp>(chunks->tiledOps.front()));
}

LogicalResult TileAndVectorize::tileSequentially(RewriterBase &rewriter,
                                                 GenericOp op) {
  if (!needsOuterLoops(op))
    return tileAndPeel(rewriter, op);
  for (GenericOp inner : buildOuterLoops(rewriter, op, tileSize))
    if (failed(tileAndPeel(rewriter, inner)))
      return failure();
  return success();
}

/// Whether elements of the innermost loop may be computed twice, by tiles at
/// any offset.
static bool canOverlapTiles(GenericOp op) {
  unsigned inner = op.getNumLoops() - 1;
  BufferAccesses accesses(op);
  return accesses.canRepeat() &&
         llvm::all_of(op.getIndexingMapsArray(), [&](AffineMap map) {
           return llvm::all_of(map.getResults(), [&](AffineExpr index) {
             return isa<AffineDimExpr>(index) || !index.isFunctionOfDim(inner);
           });
         });
}

/// Executes the loop over full tiles a second time for one tile that ends at
/// the last element, if there is at least one full tile. In this case the
/// remainder loop `rest` is empty.
static void overlapLastTile(RewriterBase &rewriter, scf::ForOp loop,
                            scf::ForOp rest) {
  Location loc = loop.getLoc();
  rewriter.setInsertionPoint(loop);
  Value from = loop.getLowerBound(), split = loop.getUpperBound();
  Value end = rest.getUpperBound(), step = loop.getStep();
  auto compare = [&](arith::CmpIPredicate predicate, Value lhs,
                     Value rhs) -> Value {
    return rewriter.createOrFold<arith::CmpIOp>(loc, predicate, lhs, rhs);
  };
  auto select = [&](Value condition, Value lhs, Value rhs) -> Value {
    return rewriter.createOrFold<arith::SelectOp>(loc, condition, lhs, rhs);
  };
  Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0);
  Value one = arith::ConstantIndexOp::create(rewriter, loc, 1);
  Value two = arith::ConstantIndexOp::create(rewriter, loc, 2);
  Value hasTiles = compare(arith::CmpIPredicate::slt, from, split);
  Value hasRemainder = compare(arith::CmpIPredicate::slt, split, end);
  Value hasBoth =
      rewriter.createOrFold<arith::AndIOp>(loc, hasTiles, hasRemainder);
  auto versions =
      scf::ForOp::create(rewriter, loc, zero, select(hasBoth, two, one), one);
  rewriter.setInsertionPointToStart(versions.getBody());
  Value isFirst =
      compare(arith::CmpIPredicate::eq, versions.getInductionVar(), zero);
  Value last = rewriter.createOrFold<arith::SubIOp>(loc, end, step);
  Value start = select(isFirst, from, last), stop = select(isFirst, split, end);
  rewriter.moveOpBefore(loop, versions.getBody()->getTerminator());
  loop.setLowerBound(start);
  loop.setUpperBound(stop);
  rewriter.setInsertionPoint(rest);
  rest.setLowerBound(select(hasTiles, end, rest.getLowerBound()));
}

/// Whether the op is min(step, upper bound - induction variable) of the loop.
static bool isTileSize(affine::AffineMinOp op, scf::ForOp loop, int64_t step) {
  MLIRContext *context = op.getContext();
  AffineExpr position = getAffineDimExpr(0, context);
  AffineExpr end = getAffineSymbolExpr(0, context);
  std::optional<int64_t> constantEnd =
      getConstantIntValue(loop.getUpperBound());
  if (constantEnd)
    end = getAffineConstantExpr(*constantEnd, context);
  AffineMap map = op.getMap();
  SmallVector<AffineExpr> replacements;
  for (Value operand : op.getOperands()) {
    if (operand != loop.getInductionVar() && operand != loop.getUpperBound())
      return false;
    replacements.push_back(operand == loop.getInductionVar() ? position : end);
  }
  auto isStep = [&](AffineExpr expr) {
    auto constant = dyn_cast<AffineConstantExpr>(expr);
    return constant && constant.getValue() == step;
  };
  auto isRest = [&](AffineExpr expr) {
    AffineExpr replaced = expr.replaceDimsAndSymbols(
        ArrayRef(replacements).take_front(map.getNumDims()),
        ArrayRef(replacements).drop_front(map.getNumDims()));
    return simplifyAffineExpr(replaced - (end - position), 1, 1) == 0;
  };
  return map.getNumResults() == 2 &&
         ((isStep(map.getResult(0)) && isRest(map.getResult(1))) ||
          (isStep(map.getResult(1)) && isRest(map.getResult(0))));
}

/// Splits the remainder off the loop over full tiles. Upstream's peeling solves
/// constraints to simplify the tile sizes, which is slow. The sizes that tiling
/// creates have a known form, and upstream's peeling is only used for others.
static LogicalResult peel(RewriterBase &rewriter, scf::ForOp loop,
                          scf::ForOp &rest) {
  std::optional<int64_t> step = getConstantIntValue(loop.getStep());
  SmallVector<affine::AffineMinOp> sizes;
  WalkResult others = loop.getBody()->walk([&](Operation *op) {
    if (isa<affine::AffineMaxOp>(op))
      return WalkResult::interrupt();
    auto size = dyn_cast<affine::AffineMinOp>(op);
    if (!size)
      return WalkResult::advance();
    sizes.push_back(size);
    return step && *step > 1 && isTileSize(size, loop, *step)
               ? WalkResult::advance()
               : WalkResult::interrupt();
  });
  std::optional<int64_t> from = getConstantIntValue(loop.getLowerBound());
  std::optional<int64_t> to = getConstantIntValue(loop.getUpperBound());
  if (others.wasInterrupted() || sizes.empty() || (from && to))
    return scf::peelForLoopAndSimplifyBounds(rewriter, loop, rest);

  Location loc = loop.getLoc();
  AffineExpr lower, upper;
  bindSymbols(rewriter.getContext(), lower, upper);
  OpFoldResult end = loop.getUpperBound();
  rewriter.setInsertionPoint(loop);
  Value split =
      createAffineApply(rewriter, loc, upper - (upper - lower) % *step,
                        {getAsOpFoldResult(loop.getLowerBound()), end});
  IRMapping mapping;
  rewriter.setInsertionPointAfter(loop);
  rest = cast<scf::ForOp>(rewriter.clone(*loop, mapping));
  rest.setLowerBound(split);
  loop.setUpperBound(split);
  AffineExpr position = rewriter.getAffineDimExpr(0);
  AffineExpr bound = rewriter.getAffineSymbolExpr(0);
  for (affine::AffineMinOp size : sizes) {
    Operation *cloned = mapping.lookup(size.getOperation());
    rewriter.setInsertionPoint(cloned);
    rewriter.replaceOp(
        cloned, createAffineApply(rewriter, loc, bound - position,
                                  {OpFoldResult(rest.getInductionVar()), end}));
    rewriter.setInsertionPoint(size);
    rewriter.replaceOp(
        size, arith::ConstantIndexOp::create(rewriter, loc, *step).getResult());
  }
  return success();
}

/// Whether a vector of so many elements would be split into smaller vectors and
/// scalars, which overlapping tiles avoid.
static bool hasPartialVectors(int64_t elements) {
  constexpr int64_t kMin = 8, kFull = 16;
  return elements > kMin && elements % kFull != 0;
}

LogicalResult TileAndVectorize::tileAndPeel(RewriterBase &rewriter,
                                            GenericOp op) {
  int64_t extent = op.getStaticLoopRanges().back();
  bool isStatic = !ShapedType::isDynamic(extent);
  bool overlaps =
      (!maskedTail || (isStatic && hasPartialVectors(extent % tileSize))) &&
      canOverlapTiles(op);
  int64_t size = tileSize;
  // A small op becomes a single vector or, if its size is not a power of two,
  // two overlapping vectors whose size is a power of two.
  if (isStatic && extent <= size) {
    if (!overlaps || !hasPartialVectors(extent))
      return success();
    size = llvm::bit_floor<uint64_t>(extent);
  }
  FailureOr<scf::SCFTilingResult> tiles =
      tile(rewriter, op, size, scf::SCFTilingOptions::LoopType::ForOp);
  if (failed(tiles))
    return failure();
  auto loop = dyn_cast<scf::ForOp>(tiles->loops.back().getOperation());
  scf::ForOp rest;
  // The loop has no remainder if peeling fails.
  if (loop && succeeded(peel(rewriter, loop, rest)) && overlaps)
    overlapLastTile(rewriter, loop, rest);
  return success();
}

LogicalResult TileAndVectorize::initialize(MLIRContext *context) {
  RewritePatternSet set(context);
  linalg::populateLinalgTilingCanonicalizationPatterns(set);
  memref::SubViewOp::getCanonicalizationPatterns(set, context);
  memref::CastOp::getCanonicalizationPatterns(set, context);
  memref::ExpandShapeOp::getCanonicalizationPatterns(set, context);
  memref::CollapseShapeOp::getCanonicalizationPatterns(set, context);
  GenericOp::getCanonicalizationPatterns(set, context);
  simplifications = std::move(set);
  return success();
}

/// Propagates the static sizes of full tiles to the types.
void TileAndVectorize::simplify() {
  applyPatternsTo(getOperation(), simplifications, [](Operation *op) {
    return isa_and_present<affine::AffineDialect, linalg::LinalgDialect,
                           memref::MemRefDialect, scf::SCFDialect>(
        op->getDialect());
  });
}

namespace {
/// Replaces the floats of the dialect in the body of an op by integer types
/// during vectorization, because upstream only vectorizes builtin types.
class PlaceholderTypes {
public:
  explicit PlaceholderTypes(GenericOp op) : root(op->getParentOp()) {
    op.getBody()->walk([&](Operation *inner) {
      for (Value result : inner->getResults())
        if (isFloat(result.getType()) && !isa<FloatType>(result.getType()))
          result.setType(get(result.getType()));
    });
  }
  ~PlaceholderTypes() {
    if (types.empty())
      return;
    root->walk([&](Operation *inner) {
      for (Value result : inner->getResults()) {
        auto integer =
            dyn_cast<IntegerType>(getElementTypeOrSelf(result.getType()));
        if (integer && integer.getWidth() >= kFirstWidth &&
            integer.getWidth() - kFirstWidth < types.size())
          result.setType(withElementType(
              result.getType(), types[integer.getWidth() - kFirstWidth]));
      }
    });
  }

private:
  /// No other value has an integer of this width.
  static constexpr unsigned kFirstWidth = IntegerType::kMaxWidth - 256;

  Type get(Type type) {
    auto *found = llvm::find(types, type);
    unsigned index = found - types.begin();
    if (found == types.end())
      types.push_back(type);
    return IntegerType::get(type.getContext(), kFirstWidth + index);
  }

  Operation *root;
  SmallVector<Type, 2> types;
};
} // namespace

void TileAndVectorize::vectorize(RewriterBase &rewriter, GenericOp op) {
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  bool isStatic = llvm::none_of(ranges, ShapedType::isDynamic);
  SmallVector<int64_t> sizes;
  if (!isStatic) {
    if (!maskedTail) {
      LDBG() << "no vectors for a remainder of dynamic size at " << op.getLoc();
      return;
    }
    for (int64_t range : ranges)
      sizes.push_back(ShapedType::isDynamic(range) ? tileSize : range);
  }
  PlaceholderTypes placeholders(op);
  if (failed(linalg::vectorizeOpPrecondition(
          op, sizes, SmallVector<bool>(sizes.size(), false)))) {
    LDBG() << "upstream does not vectorize the op at " << op.getLoc();
    return;
  }
  rewriter.setInsertionPoint(op);
  FailureOr<linalg::VectorizationResult> vectorized = linalg::vectorize(
      rewriter, op, sizes, SmallVector<bool>(sizes.size(), false));
  if (failed(vectorized))
    return;
  ++numVectorized;
  rewriter.replaceOp(op, vectorized->replacements);
}

void TileAndVectorize::runOnOperation() {
  if (tileSize < 1) {
    getOperation()->emitError()
        << "tile-size: expected 1 or more, but got " << tileSize.getValue();
    return signalPassFailure();
  }
  IRRewriter rewriter(&getContext());
  SmallVector<GenericOp> ops =
      collectGenericOps(getOperation(), isElementwiseOnMemrefs);
  if (ops.empty())
    return;
  for (GenericOp &op : ops)
    op = collapseLoops(rewriter, loadInvariantInputs(rewriter, op));
  for (ArrayRef<GenericOp> rest = ops; !rest.empty();) {
    size_t count = 1;
    if (parallel && canDistribute(rest.front()))
      while (count < rest.size() && canDistribute(rest[count]) &&
             makeAdjacent(rewriter, rest.take_front(count), rest[count]))
        ++count;
    bool isDistributed = parallel && canDistribute(rest.front());
    if (failed(isDistributed ? distribute(rewriter, rest.take_front(count))
                             : tileSequentially(rewriter, rest.front())))
      return signalPassFailure();
    rest = rest.drop_front(count);
  }
  simplify();
  for (GenericOp op : collectGenericOps(getOperation(), isElementwiseOnMemrefs))
    vectorize(rewriter, op);
}
