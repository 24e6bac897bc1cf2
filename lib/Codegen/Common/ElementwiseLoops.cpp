//===- ElementwiseLoops.cpp - Loops of elementwise ops --------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ElementwiseLoops.h"

#include "BufferAccesses.h"
#include "LinalgUtils.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/TypeUtilities.h"
#include "quant-float/IR/QuantFloatOps.h"
#include "quant-float/Support/Indices.h"
#include <numeric>

using namespace mlir;
using namespace mlir::quant_float;
using linalg::GenericOp;

/// The number of elements per iteration of a loop over small blocks.
static constexpr int64_t kRoundSize = 256;

/// Clones `op` with other operands and indexing maps. `mapping` receives the
/// values of the body.
static GenericOp replaceOperands(RewriterBase &rewriter, GenericOp op,
                                 ValueRange inputs, ValueRange outputs,
                                 ArrayRef<AffineMap> maps, unsigned loops,
                                 IRMapping &mapping) {
  SmallVector<utils::IteratorType> iterators(loops,
                                             utils::IteratorType::parallel);
  auto replacement = GenericOp::create(rewriter, op.getLoc(), inputs, outputs,
                                       maps, iterators);
  op.getRegion().cloneInto(&replacement.getRegion(), mapping);
  return replacement;
}

static GenericOp replaceOperands(RewriterBase &rewriter, GenericOp op,
                                 ValueRange inputs, ValueRange outputs,
                                 ArrayRef<AffineMap> maps, unsigned loops) {
  IRMapping mapping;
  return replaceOperands(rewriter, op, inputs, outputs, maps, loops, mapping);
}

GenericOp quant_float::loadInvariantInputs(RewriterBase &rewriter,
                                           GenericOp op) {
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  bool isChanged = false;
  rewriter.setInsertionPoint(op);
  for (auto [input, map] : llvm::zip(op.getInputs(), MutableArrayRef(maps))) {
    inputs.push_back(input);
    if (!isa<MemRefType>(input.getType()) || !map.isConstant())
      continue;
    SmallVector<Value> indices;
    for (int64_t index : map.getConstantResults())
      indices.push_back(
          arith::ConstantIndexOp::create(rewriter, op.getLoc(), index));
    inputs.back() =
        memref::LoadOp::create(rewriter, op.getLoc(), input, indices);
    map = AffineMap::get(op.getNumLoops(), 0, op.getContext());
    isChanged = true;
  }
  if (!isChanged)
    return op;
  GenericOp loaded = replaceOperands(rewriter, op, inputs, op.getOutputs(),
                                     maps, op.getNumLoops());
  rewriter.eraseOp(op);
  return loaded;
}

//===----------------------------------------------------------------------===//
// Collapsing
//===----------------------------------------------------------------------===//

/// Returns B if `index` is `d floordiv B`, where d is the loop's index; 1 if it
/// is d; else 0.
static int64_t getDivisor(AffineExpr index, unsigned loop) {
  if (getLoop(index) == loop)
    return 1;
  std::optional<BlockIndex> block = getBlockIndex(index);
  return block && getLoop(block->position) == loop ? block->size : 0;
}

/// Whether the rows along this dimension are contiguous in memory.
static bool areContiguous(MemRefType type, unsigned dimension) {
  SmallVector<int64_t> strides;
  int64_t offset;
  return succeeded(type.getStridesAndOffset(strides, offset)) &&
         !type.isDynamicDim(dimension + 1) &&
         !ShapedType::isDynamic(strides[dimension]) &&
         !ShapedType::isDynamic(strides[dimension + 1]) &&
         strides[dimension] ==
             strides[dimension + 1] * type.getDimSize(dimension + 1);
}

/// Whether this operand allows merging loops `first` and `first` + 1. The
/// latter has `extent` iterations.
static bool canMerge(Value operand, AffineMap map, unsigned first,
                     int64_t extent) {
  bool usesFirst = map.isFunctionOfDim(first);
  if (!usesFirst && !map.isFunctionOfDim(first + 1))
    return true;
  auto type = cast<MemRefType>(operand.getType());
  // Each loop must be used once, in adjacent dimensions. Blocks must not extend
  // past the end of a row.
  unsigned uses = 0, pairs = 0;
  for (unsigned i = 0; i < map.getNumResults(); ++i) {
    AffineExpr index = map.getResult(i);
    uses += index.isFunctionOfDim(first) || index.isFunctionOfDim(first + 1);
    if (i + 1 == map.getNumResults() || getLoop(index) != first)
      continue;
    int64_t divisor = getDivisor(map.getResult(i + 1), first + 1);
    // The rows of a subview may be contiguous.
    if (!type.getLayout().isIdentity() && !areContiguous(type, i))
      return false;
    pairs += divisor == 1 || (divisor > 1 && !ShapedType::isDynamic(extent) &&
                              extent % divisor == 0 &&
                              type.getDimSize(i + 1) == extent / divisor);
  }
  return uses == 2 && pairs == 1;
}

GenericOp quant_float::collapseLoops(RewriterBase &rewriter, GenericOp op) {
  unsigned loops = op.getNumLoops();
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  // The new loop of each loop.
  SmallVector<unsigned> group(loops, 0);
  for (unsigned i = 1; i < loops; ++i) {
    bool merges =
        !op.hasIndexSemantics() &&
        llvm::all_of(
            llvm::zip_equal(op->getOperands(), op.getIndexingMapsArray()),
            [&](auto pair) {
              return canMerge(std::get<0>(pair), std::get<1>(pair), i - 1,
                              ranges[i]);
            });
    group[i] = group[i - 1] + !merges;
  }
  if (loops == 0 || group.back() + 1 == loops)
    return op;

  rewriter.setInsertionPoint(op);
  SmallVector<AffineExpr> replacements;
  for (unsigned one : group)
    replacements.push_back(rewriter.getAffineDimExpr(one));
  SmallVector<Value> operands;
  SmallVector<AffineMap> maps;
  for (auto [operand, map] :
       llvm::zip_equal(op->getOperands(), op.getIndexingMapsArray())) {
    SmallVector<ReassociationIndices> dims;
    SmallVector<AffineExpr> indices;
    std::optional<unsigned> last;
    for (auto [position, index] : llvm::enumerate(map.getResults())) {
      AffineExpr collapsed = index.replaceDims(replacements);
      // The next loop of the same group, possibly divided by a block size.
      if (last && *last + 1 < loops && group[*last] == group[*last + 1] &&
          getDivisor(index, *last + 1)) {
        indices.back() = collapsed;
      } else {
        dims.emplace_back();
        indices.push_back(collapsed);
      }
      dims.back().push_back(position);
      last = getLoop(index);
    }
    operands.push_back(dims.size() == map.getNumResults()
                           ? operand
                           : memref::CollapseShapeOp::create(
                                 rewriter, op.getLoc(), operand, dims)
                                 .getResult());
    maps.push_back(
        AffineMap::get(group.back() + 1, 0, indices, op.getContext()));
  }
  ValueRange all(operands);
  unsigned inputs = op.getNumDpsInputs();
  GenericOp collapsed =
      replaceOperands(rewriter, op, all.take_front(inputs),
                      all.drop_front(inputs), maps, group.back() + 1);
  rewriter.eraseOp(op);
  return collapsed;
}

//===----------------------------------------------------------------------===//
// Loop nests
//===----------------------------------------------------------------------===//

/// Returns the size of the blocks along `loop` in which an index is constant: 0
/// if it does not depend on the loop or is its index, and nullopt for other
/// expressions.
static std::optional<int64_t> findBlockSize(AffineExpr index, unsigned loop) {
  if (!index.isFunctionOfDim(loop) || getLoop(index))
    return 0;
  std::optional<BlockIndex> block = getBlockIndex(index);
  if (!block || getLoop(block->position) != loop)
    return std::nullopt;
  return block->size;
}

/// Whether a value in the op's body is invariant in the loop.
static bool isInvariant(GenericOp op, Value value, unsigned loop) {
  if (value.getParentBlock() != op.getBody())
    return true;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    OpOperand *operand = op.getMatchingOpOperand(argument);
    return op.isDpsInput(operand) &&
           !op.getMatchingIndexingMap(operand).isFunctionOfDim(loop);
  }
  Operation *source = value.getDefiningOp();
  if (auto index = dyn_cast<linalg::IndexOp>(source))
    return index.getDim() != loop;
  return source->getNumRegions() == 0 &&
         (isPure(source) || isa<memref::LoadOp>(source)) &&
         llvm::all_of(source->getOperands(), [&](Value operand) {
           return isInvariant(op, operand, loop);
         });
}

static bool isIndexOf(Value value, unsigned loop) {
  auto index = value.getDefiningOp<linalg::IndexOp>();
  return index && index.getDim() == loop;
}

/// Whether the value is the loop's index plus a loop-invariant value.
static bool advancesWith(GenericOp op, Value value, unsigned loop) {
  if (auto addOp = value.getDefiningOp<arith::AddIOp>()) {
    bool isFirst = isInvariant(op, addOp.getLhs(), loop);
    return (isFirst || isInvariant(op, addOp.getRhs(), loop)) &&
           advancesWith(op, isFirst ? addOp.getRhs() : addOp.getLhs(), loop);
  }
  return isIndexOf(value, loop);
}

static std::optional<RowLoad> getRowLoad(GenericOp op, memref::LoadOp load,
                                         unsigned inner) {
  if (load.getMemRef().getParentBlock() == op.getBody())
    return std::nullopt;
  RowLoad row{load};
  for (auto [position, index] : llvm::enumerate(load.getIndices())) {
    if (isInvariant(op, index, inner))
      continue;
    if (advancesWith(op, index, inner) && !row.isContiguous &&
        position + 1 == load.getIndices().size() &&
        load.getMemRefType().isLastDimUnitStride()) {
      row.isContiguous = true;
      continue;
    }
    auto block = index.getDefiningOp<arith::DivUIOp>();
    std::optional<int64_t> size =
        block ? getConstantIntValue(block.getRhs()) : std::nullopt;
    if (!size || *size <= 0 || !isIndexOf(block.getLhs(), inner))
      return std::nullopt;
    row.blockSize = std::gcd(row.blockSize, *size);
  }
  // Either one element for each index, or one for each block.
  if (row.isContiguous && row.blockSize)
    return std::nullopt;
  return row;
}

/// Returns all loads of the body if each of them is a RowLoad and reads nothing
/// that the op writes, else none.
static SmallVector<RowLoad> findRowLoads(GenericOp op, unsigned inner) {
  SmallVector<RowLoad> rows;
  for (auto load : op.getBody()->getOps<memref::LoadOp>()) {
    // Loads of indices are hoisted together with the loads that use them.
    if (isInvariant(op, load, inner) &&
        llvm::all_of(load->getUsers(), [](Operation *user) {
          return user->getNumResults() == 1 &&
                 user->getResult(0).getType().isIndex();
        }))
      continue;
    std::optional<RowLoad> row = getRowLoad(op, load, inner);
    if (!row)
      return {};
    rows.push_back(*row);
  }
  if (rows.empty())
    return rows;
  BufferAccesses accesses(op);
  return accesses.canRepeat() ? rows : SmallVector<RowLoad>();
}

bool ElementwiseLoopNest::analyze() {
  for (OpOperand &output : op.getDpsInitsMutable())
    if (!op.getMatchingIndexingMap(&output).isPermutation())
      return false;
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  // Choose the last dimension of the output that has more than one element.
  std::optional<unsigned> chosen;
  for (AffineExpr index : map.getResults())
    if (!chosen || ranges[*getLoop(index)] != 1)
      chosen = getLoop(index);
  if (!chosen)
    return false;
  inner = *chosen;
  for (AffineMap map : op.getIndexingMapsArray()) {
    unsigned plain = 0;
    for (AffineExpr index : map.getResults()) {
      std::optional<int64_t> size = findBlockSize(index, inner);
      if (!size)
        return false;
      blockSize = std::gcd(blockSize, *size);
      plain += getLoop(index) == inner;
    }
    // Diagonal accesses are not supported.
    if (plain > 1)
      return false;
  }
  rowLoads = findRowLoads(op, inner);
  for (const RowLoad &row : rowLoads)
    blockSize = std::gcd(blockSize, row.blockSize);
  return true;
}

Value ElementwiseLoopNest::getExtent(unsigned loop) {
  if (!ShapedType::isDynamic(ranges[loop]))
    return arith::ConstantIndexOp::create(rewriter, loc, ranges[loop]);
  OpOperand *output = op.getDpsInitOperand(0);
  AffineMap map = op.getMatchingIndexingMap(output);
  unsigned position = *map.getResultPosition(rewriter.getAffineDimExpr(loop));
  return rewriter.createOrFold<memref::DimOp>(loc, output->get(), position);
}

/// Replaces `affine.apply` of `e floordiv c [+ offset]` by an unsigned
/// division, because the lowering of affine ops also supports negative numbers,
/// which takes more instructions. Returns any other value unchanged.
static Value divideUnsigned(RewriterBase &rewriter, Value value) {
  auto apply = value.getDefiningOp<affine::AffineApplyOp>();
  if (!apply)
    return value;
  AffineMap map = apply.getAffineMap();
  AffineExpr index = map.getResult(0);
  int64_t offset = 0;
  if (auto sum = dyn_cast<AffineBinaryOpExpr>(index);
      sum && sum.getKind() == AffineExprKind::Add)
    if (auto constant = dyn_cast<AffineConstantExpr>(sum.getRHS())) {
      offset = constant.getValue();
      index = sum.getLHS();
    }
  auto quotient = dyn_cast<AffineBinaryOpExpr>(index);
  if (!quotient || quotient.getKind() != AffineExprKind::FloorDiv)
    return value;
  auto divisor = dyn_cast<AffineConstantExpr>(quotient.getRHS());
  if (!divisor)
    return value;
  Location loc = apply.getLoc();
  Value dividend = createAffineApply(
      rewriter, loc,
      AffineMap::get(map.getNumDims(), map.getNumSymbols(), quotient.getLHS()),
      getAsOpFoldResult(apply.getOperands()));
  Value result = arith::DivUIOp::create(
      rewriter, loc, dividend,
      arith::ConstantIndexOp::create(rewriter, loc, divisor.getValue()));
  if (offset != 0)
    result = arith::AddIOp::create(
        rewriter, loc, result,
        arith::ConstantIndexOp::create(rewriter, loc, offset));
  rewriter.eraseOp(apply);
  return result;
}

Value ElementwiseLoopNest::makeIndex(AffineExpr index) {
  if (std::optional<unsigned> loop = getLoop(index))
    return indices[*loop];
  AffineMap map = AffineMap::get(indices.size(), 0, index);
  Value value =
      createIndices(rewriter, loc, map, getAsOpFoldResult(indices)).front();
  // No index of a loop is negative.
  return getBlockIndex(index) ? divideUnsigned(rewriter, value) : value;
}

/// Returns a view of `size` elements of the buffer along one dimension.
Value ElementwiseLoopNest::makeView(Value buffer, ArrayRef<Value> at,
                                    unsigned dimension, OpFoldResult size) {
  auto type = cast<MemRefType>(buffer.getType());
  SmallVector<OpFoldResult> offsets = getAsOpFoldResult(at);
  SmallVector<OpFoldResult> sizes(at.size(), rewriter.getIndexAttr(1));
  SmallVector<OpFoldResult> strides = sizes;
  sizes[dimension] = size;
  int64_t length = ShapedType::kDynamic;
  if (std::optional<int64_t> known = getConstantIntValue(size))
    length = *known;
  auto viewType =
      cast<MemRefType>(memref::SubViewOp::inferRankReducedResultType(
          {length}, type, offsets, sizes, strides));
  return memref::SubViewOp::create(rewriter, loc, viewType, buffer, offsets,
                                   sizes, strides);
}

static void eraseDeadOps(RewriterBase &rewriter, GenericOp op) {
  for (Operation &nested :
       llvm::make_early_inc_range(llvm::reverse(*op.getBody())))
    if (isOpTriviallyDead(&nested))
      rewriter.eraseOp(&nested);
}

/// Replaces the loads in the copy of the body of `op` in `tile` by inputs,
/// which follow the other inputs, and erases the ops that computed their
/// indices.
static void replaceLoads(RewriterBase &rewriter, GenericOp op, GenericOp tile,
                         ArrayRef<RowLoad> rows) {
  if (rows.empty())
    return;
  SmallVector<Operation *> copies;
  ArrayRef<RowLoad> next = rows;
  for (auto [original, copy] : llvm::zip_equal(*op.getBody(), *tile.getBody()))
    if (!next.empty() && RowLoad(next.front()).op == &original) {
      copies.push_back(&copy);
      next = next.drop_front();
    }
  unsigned inputs = op.getNumDpsInputs();
  for (auto [index, copy] : llvm::enumerate(copies)) {
    BlockArgument element = tile.getBody()->insertArgument(
        inputs + index, copy->getResult(0).getType(), copy->getLoc());
    rewriter.replaceOp(copy, element);
  }
  eraseDeadOps(rewriter, tile);
}

Value ElementwiseLoopNest::hoist(Value value, ValueRange arguments,
                                 IRMapping &hoisted) {
  if (value.getParentBlock() != GenericOp(op).getBody())
    return value;
  if (Value known = hoisted.lookupOrNull(value))
    return known;
  if (auto argument = dyn_cast<BlockArgument>(value))
    return arguments[argument.getArgNumber()];
  Operation *source = value.getDefiningOp();
  if (auto index = dyn_cast<linalg::IndexOp>(source))
    return indices[index.getDim()];
  for (Value operand : source->getOperands())
    hoisted.map(operand, hoist(operand, arguments, hoisted));
  return rewriter.clone(*source, hoisted)->getResult(0);
}

/// Returns the operands of the op for `size` elements at the current indices,
/// and their indexing maps: views along the inner loop, and scalars.
SmallVector<Value>
ElementwiseLoopNest::loadOperands(SmallVectorImpl<AffineMap> &maps,
                                  OpFoldResult size) {
  SmallVector<Value> operands;
  AffineMap along = rewriter.getDimIdentityMap();
  AffineMap none = AffineMap::get(1, 0, op.getContext());
  for (auto [operand, map] :
       llvm::zip_equal(op->getOperands(), op.getIndexingMapsArray())) {
    auto type = dyn_cast<MemRefType>(operand.getType());
    if (!type) {
      operands.push_back(operand);
      maps.push_back(none);
      continue;
    }
    SmallVector<Value> at;
    std::optional<unsigned> dimension;
    for (auto [position, index] : llvm::enumerate(map.getResults())) {
      at.push_back(makeIndex(index));
      if (getLoop(index) == inner)
        dimension = position;
    }
    if (!dimension) {
      operands.push_back(memref::LoadOp::create(rewriter, loc, operand, at));
      maps.push_back(none);
      continue;
    }
    operands.push_back(makeView(operand, at, *dimension, size));
    maps.push_back(along);
  }
  return operands;
}

static bool isByte(Type type) {
  return type.isIntOrFloat() && type.getIntOrFloatBitWidth() <= 8;
}

/// Finds the values of the body that are constant in a block. They are computed
/// from inputs with one element per block, and from values that are invariant
/// in the inner loop.
void ElementwiseLoopNest::collectBlockValues() {
  enum class Kind { Invariant, Block, Element };
  llvm::SmallDenseMap<Value, Kind> kinds;
  auto getKind = [&](Value value) {
    auto known = kinds.find(value);
    return known == kinds.end() ? Kind::Invariant : known->second;
  };
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    bool isPlain = llvm::any_of(map.getResults(), [&](AffineExpr index) {
      return getLoop(index) == inner;
    });
    kinds[op.getMatchingBlockArgument(&operand)] =
        isPlain || !op.isDpsInput(&operand) ? Kind::Element
        : map.isFunctionOfDim(inner)        ? Kind::Block
                                            : Kind::Invariant;
  }
  blockValues.clear();
  hasByteFloats = false;
  for (Operation &nested : *op.getBody()) {
    Kind kind = Kind::Invariant;
    for (Value operand : nested.getOperands())
      kind = std::max(kind, getKind(operand));
    auto index = dyn_cast<linalg::IndexOp>(nested);
    if ((index && index.getDim() == inner) || nested.getNumRegions() != 0 ||
        !isPure(&nested) || nested.hasTrait<OpTrait::IsTerminator>())
      kind = Kind::Element;
    for (Value result : nested.getResults())
      kinds[result] = kind;
    if (kind != Kind::Element)
      continue;
    for (Value operand : nested.getOperands())
      if (getKind(operand) == Kind::Element)
        hasByteFloats |=
            isByte(operand.getType()) && isa<FloatType>(operand.getType());
      else if (getKind(operand) == Kind::Block &&
               !llvm::is_contained(blockValues, operand))
        blockValues.push_back(operand);
  }
}

bool ElementwiseLoopNest::canJoinBlocks() {
  if (!rowLoads.empty())
    return false;
  collectBlockValues();
  // Several blocks in a vector only help if results of one byte are packed from
  // several registers, or if 8-bit floats are decoded by lookups of full
  // registers. Other ops are as fast with one block. A division by a scalar is
  // cheaper than a division by a vector.
  return (hasByteFloats ||
          llvm::any_of(op.getBody()->getTerminator()->getOperandTypes(),
                       isByte)) &&
         llvm::none_of(op.getBody()->getOps<QuantizeElementsOp>(),
                       [&](QuantizeElementsOp op) {
                         return llvm::is_contained(blockValues, op.getScale());
                       });
}

GenericOp ElementwiseLoopNest::buildTileOfBlocks(OpFoldResult offset,
                                                 int64_t count) {
  AffineExpr start = rewriter.getAffineDimExpr(0);
  // For each value, the scalar of each block.
  SmallVector<SmallVector<Value>> scalars(blockValues.size());
  SmallVector<Value> operands;
  SmallVector<AffineMap> maps;
  for (int64_t block = 0; block < count; ++block) {
    indices[inner] =
        createAffineApply(rewriter, loc, start + block * blockSize, {offset});
    SmallVector<AffineMap> operandMaps;
    SmallVector<Value> loaded =
        loadOperands(operandMaps, rewriter.getIndexAttr(count * blockSize));
    IRMapping hoisted;
    for (auto [value, all] : llvm::zip_equal(blockValues, scalars))
      all.push_back(hoist(value, loaded, hoisted));
    if (block == 0) {
      operands = loaded;
      maps = operandMaps;
    }
  }
  ValueRange all(operands);
  unsigned inputs = op.getNumDpsInputs();
  IRMapping mapping;
  GenericOp tile = replaceOperands(rewriter, op, all.take_front(inputs),
                                   all.drop_front(inputs), maps, 1, mapping);
  // The views start at the first block.
  indices[inner] = getValueOrCreateConstantIndexOp(rewriter, loc, offset);
  replaceIndices(tile);
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToStart(tile.getBody());
  Value index = linalg::IndexOp::create(rewriter, loc, 0);
  for (auto [value, ofBlock] : llvm::zip_equal(blockValues, scalars)) {
    Value selected = ofBlock.back();
    for (int64_t block = count - 2; block >= 0; --block) {
      Value end = arith::ConstantIndexOp::create(rewriter, loc,
                                                 (block + 1) * blockSize);
      Value isBefore = arith::CmpIOp::create(
          rewriter, loc, arith::CmpIPredicate::ult, index, end);
      selected = arith::SelectOp::create(rewriter, loc, isBefore,
                                         ofBlock[block], selected);
    }
    rewriter.replaceAllUsesWith(mapping.lookup(value), selected);
  }
  eraseDeadOps(rewriter, tile);
  return tile;
}

GenericOp ElementwiseLoopNest::buildTile(OpFoldResult offset, OpFoldResult size,
                                         Operation *first) {
  OpBuilder::InsertPoint end = rewriter.saveInsertionPoint();
  if (first)
    rewriter.setInsertionPoint(first);
  indices[inner] = getValueOrCreateConstantIndexOp(rewriter, loc, offset);
  SmallVector<AffineMap> maps;
  SmallVector<Value> operands = loadOperands(maps, size);
  AffineMap along = rewriter.getDimIdentityMap();
  AffineMap none = AffineMap::get(1, 0, op.getContext());
  unsigned inputs = op.getNumDpsInputs();
  SmallVector<Value> rows;
  SmallVector<AffineMap> rowMaps;
  IRMapping hoisted;
  for (const RowLoad &row : rowLoads) {
    memref::LoadOp load = row.op;
    SmallVector<Value> at =
        llvm::map_to_vector(load.getIndices(), [&](Value index) {
          return hoist(index, operands, hoisted);
        });
    rowMaps.push_back(row.isContiguous ? along : none);
    rows.push_back(
        row.isContiguous
            ? makeView(load.getMemRef(), at, at.size() - 1, size)
            : memref::LoadOp::create(rewriter, loc, load.getMemRef(), at)
                  .getResult());
  }
  rewriter.restoreInsertionPoint(end);
  operands.insert(operands.begin() + inputs, rows.begin(), rows.end());
  maps.insert(maps.begin() + inputs, rowMaps.begin(), rowMaps.end());
  ValueRange all(operands);
  GenericOp tile =
      replaceOperands(rewriter, op, all.take_front(inputs + rows.size()),
                      all.drop_front(inputs + rows.size()), maps, 1);
  replaceLoads(rewriter, op, tile, rowLoads);
  replaceIndices(tile);
  return tile;
}

/// Replaces the indices of the op's loops in the body of a tile at the current
/// indices.
void ElementwiseLoopNest::replaceIndices(GenericOp tile) {
  OpBuilder::InsertionGuard guard(rewriter);
  SmallVector<linalg::IndexOp> indexOps;
  tile.walk([&](linalg::IndexOp index) { indexOps.push_back(index); });
  for (linalg::IndexOp index : indexOps) {
    Value outside = indices[index.getDim()];
    if (index.getDim() != inner) {
      rewriter.replaceOp(index, outside);
      continue;
    }
    rewriter.setInsertionPoint(index);
    Value inside = linalg::IndexOp::create(rewriter, loc, 0);
    rewriter.replaceOpWithNewOp<arith::AddIOp>(index, outside, inside);
  }
}

namespace {
/// Builds the loop nest of an op.
class OuterLoops {
public:
  OuterLoops(RewriterBase &rewriter, GenericOp op, ElementwiseLoopNest &nest,
             int64_t vectorSize)
      : rewriter(rewriter), loc(op.getLoc()), op(op), nest(nest),
        blockSize(nest.getBlockSize()) {
    if (blockSize && vectorSize > blockSize && vectorSize % blockSize == 0 &&
        nest.canJoinBlocks())
      joined = vectorSize / blockSize;
  }

  SmallVector<GenericOp> build(int64_t rowsPerThread);

private:
  Value buildThreadLoop(Value extent, int64_t rows);
  void buildBlockLoop(OpFoldResult from, OpFoldResult to, int64_t count);
  void buildBlocks();

  RewriterBase &rewriter;
  Location loc;
  GenericOp op;
  ElementwiseLoopNest &nest;
  int64_t blockSize;
  /// The number of blocks in a vector.
  int64_t joined = 1;
  SmallVector<GenericOp> tiles;
};
} // namespace

/// Builds a loop over full blocks from `from` to `to`, with `count` blocks per
/// iteration. Scales that are divided by are loaded at the beginning of the
/// iteration, so that they are prepared for the division together. Other scales
/// are not, because they would only occupy registers.
void OuterLoops::buildBlockLoop(OpFoldResult from, OpFoldResult to,
                                int64_t count) {
  auto getValue = [&](OpFoldResult value) {
    return getValueOrCreateConstantIndexOp(rewriter, loc, value);
  };
  Value step = arith::ConstantIndexOp::create(rewriter, loc, count * blockSize);
  auto blocks =
      scf::ForOp::create(rewriter, loc, getValue(from), getValue(to), step);
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(blocks.getBody()->getTerminator());
  AffineExpr start = rewriter.getAffineDimExpr(0);
  bool divides = !op.getBody()->getOps<QuantizeElementsOp>().empty();
  GenericOp first;
  int64_t inTile = count % joined == 0 ? joined : 1;
  for (int64_t i = 0; i < count; i += inTile) {
    OpBuilder::InsertionGuard guard(rewriter);
    if (first)
      rewriter.setInsertionPoint(first);
    OpFoldResult offset = affine::makeComposedFoldedAffineApply(
        rewriter, loc, start + i * blockSize,
        {OpFoldResult(blocks.getInductionVar())});
    rewriter.setInsertionPoint(blocks.getBody()->getTerminator());
    tiles.push_back(
        inTile > 1
            ? nest.buildTileOfBlocks(offset, inTile)
            : nest.buildTile(offset, rewriter.getIndexAttr(blockSize), first));
    if (divides && !first)
      first = tiles.back();
  }
}

/// Builds loops over full blocks, and the remainder.
void OuterLoops::buildBlocks() {
  OpFoldResult zero = rewriter.getIndexAttr(0);
  OpFoldResult extent = getAsOpFoldResult(nest.getExtent(nest.getInner()));
  if (!blockSize) {
    tiles.push_back(nest.buildTile(zero, extent));
    return;
  }
  AffineExpr size = rewriter.getAffineDimExpr(0);
  auto roundDown = [&](int64_t to) {
    return affine::makeComposedFoldedAffineApply(
        rewriter, loc, size.floorDiv(to) * to, {extent});
  };
  // A block of one or two vectors is too small for an iteration.
  int64_t count = std::max<int64_t>(kRoundSize / blockSize, 1);
  OpFoldResult roundsEnd = roundDown(count * blockSize);
  OpFoldResult full = roundDown(blockSize);
  if (count > 1 && !isConstantIntValue(roundsEnd, 0))
    buildBlockLoop(zero, roundsEnd, count);
  else
    roundsEnd = zero;
  if (roundsEnd != full)
    buildBlockLoop(roundsEnd, full, 1);
  OpFoldResult remaining = affine::makeComposedFoldedAffineApply(
      rewriter, loc, size % blockSize, {extent});
  if (isConstantIntValue(remaining, 0))
    return;
  // The scale of the remainder is in bounds only if the remainder is not empty.
  Value rest = getValueOrCreateConstantIndexOp(rewriter, loc, remaining);
  Value none = arith::ConstantIndexOp::create(rewriter, loc, 0);
  Value isPartial = arith::CmpIOp::create(rewriter, loc,
                                          arith::CmpIPredicate::ne, rest, none);
  auto partial = scf::IfOp::create(rewriter, loc, isPartial);
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToStart(partial.thenBlock());
  tiles.push_back(nest.buildTile(full, remaining));
}

/// Builds a parallel loop in which each thread processes `rows` indices.
/// Returns the index.
Value OuterLoops::buildThreadLoop(Value extent, int64_t rows) {
  AffineExpr size = rewriter.getAffineDimExpr(0);
  AffineExpr number = rewriter.getAffineDimExpr(1);
  auto apply = [&](AffineExpr result, ArrayRef<OpFoldResult> operands) {
    return affine::makeComposedFoldedAffineApply(rewriter, loc, result,
                                                 operands);
  };
  OpFoldResult groups = apply(size.ceilDiv(rows), {getAsOpFoldResult(extent)});
  auto forall = scf::ForallOp::create(rewriter, loc, {groups}, ValueRange(),
                                      /*mapping=*/std::nullopt);
  rewriter.setInsertionPoint(forall.getTerminator());
  Value group = forall.getInductionVars().front();
  if (rows == 1)
    return group;
  auto get = [&](OpFoldResult value) {
    return getValueOrCreateConstantIndexOp(rewriter, loc, value);
  };
  Value from = get(apply(size * rows, {group}));
  OpFoldResult to = affine::makeComposedFoldedAffineMin(
      rewriter, loc,
      AffineMap::get(2, 0, {size, number * rows + rows}, rewriter.getContext()),
      {getAsOpFoldResult(extent), OpFoldResult(group)});
  Value one = arith::ConstantIndexOp::create(rewriter, loc, 1);
  auto inGroup = scf::ForOp::create(rewriter, loc, from, get(to), one);
  rewriter.setInsertionPoint(inGroup.getBody()->getTerminator());
  return inGroup.getInductionVar();
}

SmallVector<GenericOp> OuterLoops::build(int64_t rowsPerThread) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0);
  Value one = arith::ConstantIndexOp::create(rewriter, loc, 1);
  for (auto [loop, range] : llvm::enumerate(nest.getRanges())) {
    if (loop == nest.getInner())
      continue;
    if (range == 1) {
      nest.setIndex(loop, zero);
      continue;
    }
    Value extent = nest.getExtent(loop);
    if (rowsPerThread) {
      nest.setIndex(loop, buildThreadLoop(extent, rowsPerThread));
      rowsPerThread = 0;
      continue;
    }
    auto loopOp = scf::ForOp::create(rewriter, loc, zero, extent, one);
    nest.setIndex(loop, loopOp.getInductionVar());
    rewriter.setInsertionPoint(loopOp.getBody()->getTerminator());
  }
  buildBlocks();
  return std::move(tiles);
}

bool quant_float::needsOuterLoops(GenericOp op) {
  return op.getNumLoops() != 1 || !findRowLoads(op, 0).empty() ||
         llvm::any_of(op.getIndexingMapsArray(), [](AffineMap map) {
           return map.getNumResults() != 0 && !map.isIdentity();
         });
}

SmallVector<GenericOp> quant_float::buildOuterLoops(RewriterBase &rewriter,
                                                    GenericOp op,
                                                    int64_t vectorSize,
                                                    int64_t rowsPerThread) {
  ElementwiseLoopNest nest(rewriter, op);
  if (!nest.analyze())
    return {};
  SmallVector<GenericOp> tiles =
      OuterLoops(rewriter, op, nest, vectorSize).build(rowsPerThread);
  rewriter.eraseOp(op);
  return tiles;
}
