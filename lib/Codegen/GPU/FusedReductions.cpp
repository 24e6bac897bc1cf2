//===- FusedReductions.cpp - Reductions fused with their users ------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Matches reductions of rows or blocks together with the elementwise ops that
// use their results, such as
//
//   amax(i, b)  = max of |x(i, 32 b + j)|
//   scale(i, b) = f(amax(i, b))
//   q(i, j)     = g(x(i, j), scale(i, j floordiv 32))
//
// The last op, the consumer, determines the iteration space. Each index of the
// other ops corresponds to a coordinate in this space: the index of a loop, the
// index of a block of its indices, or the index within such a block. The
// coordinates are propagated from the consumer to the ops before it.
// FusedReductionBuilder.cpp builds the kernel.
//
//===----------------------------------------------------------------------===//

#include "FusedReductions.h"

#include "../Common/LinalgUtils.h"
#include "ElementwiseWidth.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "quant-float/IR/CodegenAttributes.h"
#include "quant-float/IR/ElementTypes.h"
#include "quant-float/Support/BufferSize.h"
#include "quant-float/Support/Indices.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/DebugLog.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

#define DEBUG_TYPE "quant-float-fuse-gpu-reductions"

using namespace mlir;
using namespace mlir::quant_float;
using linalg::LinalgOp;

/// The maximum number of elements of a row or block that a thread keeps in
/// registers.
static constexpr int64_t kMaxElements = 32;
/// The maximum number of elements of a block along another dimension, which one
/// thread reduces, and the size of such a block in bytes above which a thread
/// processes only one column.
static constexpr int64_t kMaxColumnElements = 128, kMaxColumnBytes = 256;
static constexpr int64_t kBlockSize = 256, kMaxBlockSize = 1024;
/// The limit of static workgroup memory, less a reserve for results.
static constexpr int64_t kMaxSharedBytes = 48 * 1024 - 512;

using Coordinates = SmallVector<Coordinate>;

//===----------------------------------------------------------------------===//
// Coordinates
//===----------------------------------------------------------------------===//

/// Returns the coordinates of an expanded shape. An inner size of `B` divides
/// an index into the index of a block of B and the index in it.
static std::optional<Coordinates> expand(ArrayRef<Coordinate> source,
                                         ArrayRef<ReassociationIndices> groups,
                                         ArrayRef<int64_t> shape) {
  Coordinates result(shape.size());
  for (auto [coordinate, group] : llvm::zip_equal(source, groups)) {
    SmallVector<int64_t> used;
    for (int64_t dimension : group)
      if (shape[dimension] != 1)
        used.push_back(dimension);
    if (used.size() > 2)
      return std::nullopt;
    if (used.empty())
      continue;
    if (used.size() == 1) {
      result[used[0]] = coordinate;
      continue;
    }
    int64_t size = shape[used[1]];
    if (coordinate.kind != Coordinate::Loop || ShapedType::isDynamic(size))
      return std::nullopt;
    result[used[0]] = {Coordinate::Block, coordinate.loop, size};
    result[used[1]] = {Coordinate::InBlock, coordinate.loop, size};
  }
  return result;
}

/// The inverse.
static std::optional<Coordinates>
collapse(ArrayRef<Coordinate> source, ArrayRef<ReassociationIndices> groups) {
  Coordinates result;
  for (const ReassociationIndices &group : groups) {
    Coordinates used;
    for (int64_t dimension : group)
      if (source[dimension].kind != Coordinate::Unit)
        used.push_back(source[dimension]);
    if (used.empty()) {
      result.emplace_back();
    } else if (used.size() == 1) {
      result.push_back(used[0]);
    } else if (used.size() == 2 && used[0].kind == Coordinate::Block &&
               used[1].kind == Coordinate::InBlock &&
               used[0].loop == used[1].loop && used[0].size == used[1].size) {
      result.push_back({Coordinate::Loop, used[0].loop, 0});
    } else {
      return std::nullopt;
    }
  }
  return result;
}

/// Dimensions of one element have no coordinate.
static void dropUnitDimensions(MutableArrayRef<Coordinate> coordinates,
                               Value view) {
  auto type = cast<MemRefType>(view.getType());
  for (auto [coordinate, size] : llvm::zip_equal(coordinates, type.getShape()))
    if (size == 1)
      coordinate = Coordinate();
}

Value FusedReductions::getBufferOfView(Value view) {
  while (Operation *op = view.getDefiningOp()) {
    if (!isa<memref::CastOp, memref::ExpandShapeOp, memref::CollapseShapeOp>(
            op))
      break;
    view = op->getOperand(0);
  }
  return view;
}

std::optional<Coordinates> FusedReductions::getCoordinates(Value view) {
  std::optional<Coordinates> result;
  if (auto cast = view.getDefiningOp<memref::CastOp>()) {
    result = getCoordinates(cast.getSource());
  } else if (auto op = view.getDefiningOp<memref::ExpandShapeOp>()) {
    if (std::optional<Coordinates> source = getCoordinates(op.getSrc()))
      result = expand(*source, op.getReassociationIndices(),
                      op.getResultType().getShape());
  } else if (auto op = view.getDefiningOp<memref::CollapseShapeOp>()) {
    if (std::optional<Coordinates> source = getCoordinates(op.getSrc()))
      result = collapse(*source, op.getReassociationIndices());
  } else if (auto found = coordinates.find(view); found != coordinates.end()) {
    result = found->second;
  }
  if (result)
    dropUnitDimensions(*result, view);
  return result;
}

bool FusedReductions::setCoordinates(Value view, ArrayRef<Coordinate> wanted) {
  Coordinates viewCoordinates(wanted);
  dropUnitDimensions(viewCoordinates, view);
  if (std::optional<Coordinates> known = getCoordinates(view))
    return *known == viewCoordinates;
  if (auto cast = view.getDefiningOp<memref::CastOp>())
    return isa<MemRefType>(cast.getSource().getType()) &&
           setCoordinates(cast.getSource(), viewCoordinates);
  if (auto op = view.getDefiningOp<memref::ExpandShapeOp>()) {
    std::optional<Coordinates> source =
        collapse(viewCoordinates, op.getReassociationIndices());
    return source && setCoordinates(op.getSrc(), *source);
  }
  if (auto op = view.getDefiningOp<memref::CollapseShapeOp>()) {
    std::optional<Coordinates> source =
        expand(viewCoordinates, op.getReassociationIndices(),
               op.getSrcType().getShape());
    return source && setCoordinates(op.getSrc(), *source);
  }
  // Two buffers with coordinates must not overlap.
  if (coordinates.contains(view) || llvm::any_of(coordinates, [&](auto &other) {
        return getRoot(other.first) == getRoot(view);
      }))
    return false;
  coordinates[view] = viewCoordinates;
  return true;
}

//===----------------------------------------------------------------------===//
// Matching
//===----------------------------------------------------------------------===//

FusedReductions::FusedReductions(LinalgOp consumer, bool reassociate,
                                 const FusedOps &fusedOps)
    : consumer(consumer), reassociate(reassociate), fusedOps(fusedOps),
      sizes(consumer.getStaticLoopRanges()) {}

/// Whether the body can be computed on vectors.
static bool isVectorizable(LinalgOp op) {
  return op.getBlock() &&
         llvm::all_of(op.getBlock()->without_terminator(),
                      [](Operation &bodyOp) {
                        if (isa<linalg::IndexOp, arith::ConstantOp>(bodyOp))
                          return true;
                        return bodyOp.getNumRegions() == 0 &&
                               bodyOp.getNumResults() == 1 &&
                               OpTrait::hasElementwiseMappableTraits(&bodyOp) &&
                               isPure(&bodyOp);
                      });
}

/// Returns the view of the start of a larger buffer; or null.
static memref::SubViewOp getDomain(Value view) {
  auto subview = view.getDefiningOp<memref::SubViewOp>();
  auto isConstant = [](ArrayRef<OpFoldResult> values, int64_t constant) {
    return llvm::all_of(values, [&](OpFoldResult value) {
      return isConstantIntValue(value, constant);
    });
  };
  if (subview &&
      subview.getSourceType().getRank() == subview.getType().getRank() &&
      isConstant(subview.getMixedOffsets(), 0) &&
      isConstant(subview.getMixedStrides(), 1))
    return subview;
  return nullptr;
}

bool FusedReductions::add(LinalgOp op) {
  DenseMap<Value, Coordinates> previous = coordinates;
  llvm::SmallDenseSet<Value> previousShared = shared;
  size_t count = members.size();
  if (tryToAdd(op))
    return true;
  coordinates = std::move(previous);
  shared = std::move(previousShared);
  members.truncate(count);
  return false;
}

bool FusedReductions::tryToAdd(LinalgOp op) {
  if (!op.hasPureBufferSemantics() || !isVectorizable(op) ||
      op->hasAttr(kReductionScheduleAttrName) ||
      (op != consumer && op->hasAttr(kLoweringConfigAttrName)))
    return false;
  // Packed elements can only be results.
  for (OpOperand &operand : op->getOpOperands())
    if (hasPackedElements(operand.get()) &&
        (op != consumer || !op.isDpsInit(&operand) ||
         !op.getMatchingBlockArgument(&operand).use_empty()))
      return false;
  BufferAccesses accesses;
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<MemRefType>(operand.get().getType()))
      continue;
    Value root = getRoot(operand.get());
    if (root.getDefiningOp<memref::AllocOp>()) {
      BufferAccesses access;
      access.add(root, /*isWrite=*/true);
      if (!access.isIndependentOf(between))
        shared.insert(root);
    } else {
      accesses.add(root, op.isDpsInit(&operand));
    }
  }
  if (!accesses.isIndependentOf(between))
    return false;

  Member member{op, {}, nullptr};
  SmallVector<std::optional<Coordinate>> loops(op.getNumLoops());
  for (auto [loop, range] : llvm::enumerate(op.getStaticLoopRanges()))
    if (range == 1)
      loops[loop] = Coordinate();
  // Propagates coordinates from the dimensions of an operand to loops.
  auto propagate = [&](AffineMap map, ArrayRef<Coordinate> known) {
    for (auto [index, coordinate] : llvm::zip_equal(map.getResults(), known))
      if (std::optional<unsigned> loop = getLoop(index);
          loop && !loops[*loop] && coordinate.kind != Coordinate::Unit)
        loops[*loop] = coordinate;
  };
  if (op == consumer) {
    for (unsigned loop = 0; loop < sizes.size(); ++loop)
      if (!loops[loop])
        loops[loop] = Coordinate{Coordinate::Loop, loop, 0};
  }
  for (OpOperand &output : op.getDpsInitsMutable()) {
    Value view = output.get();
    if (memref::SubViewOp domain = getDomain(view)) {
      member.domain = domain;
      view = domain.getSource();
      if (op.getNumDpsInits() != 1)
        return false;
    }
    if (std::optional<Coordinates> known = getCoordinates(view))
      propagate(op.getMatchingIndexingMap(&output), *known);
  }
  for (OpOperand *input : op.getDpsInputOperands()) {
    Value view = input->get();
    if (!isa<MemRefType>(view.getType()) ||
        llvm::all_of(loops, [](auto &loop) { return loop.has_value(); }))
      continue;
    Value buffer = getBufferOfView(view);
    if (!getCoordinates(view)) {
      // The input of a reduction that nothing else reads directly.
      auto type = cast<MemRefType>(buffer.getType());
      if (type.getRank() != int64_t(sizes.size()))
        return false;
      Coordinates identity;
      for (unsigned loop = 0; loop < sizes.size(); ++loop)
        identity.push_back({Coordinate::Loop, loop, 0});
      if (!setCoordinates(buffer, identity))
        return false;
    }
    if (std::optional<Coordinates> known = getCoordinates(view))
      propagate(op.getMatchingIndexingMap(input), *known);
  }
  for (std::optional<Coordinate> &loop : loops) {
    // Two loops with the same coordinate would access a diagonal.
    if (!loop || (loop->kind != Coordinate::Unit &&
                  llvm::is_contained(member.loops, *loop)))
      return false;
    member.loops.push_back(*loop);
  }
  // Propagate coordinates from loops to the dimensions of operands.
  for (OpOperand &operand : op->getOpOperands()) {
    Value view = operand.get();
    if (!isa<MemRefType>(view.getType())) {
      if (op.isDpsInit(&operand))
        return false;
      continue;
    }
    if (member.domain && op.isDpsInit(&operand))
      view = cast<memref::SubViewOp>(member.domain).getSource();
    Coordinates viewCoordinates;
    for (AffineExpr index : op.getMatchingIndexingMap(&operand).getResults()) {
      if (std::optional<unsigned> loop = getLoop(index)) {
        viewCoordinates.push_back(member.loops[*loop]);
        continue;
      }
      std::optional<BlockIndex> block = getBlockIndex(index);
      std::optional<unsigned> loop =
          block ? getLoop(block->position) : std::nullopt;
      if (loop && member.loops[*loop].kind == Coordinate::Loop) {
        viewCoordinates.push_back(
            {Coordinate::Block, member.loops[*loop].loop, block->size});
      } else if (isa<AffineConstantExpr>(index) ||
                 (loop && member.loops[*loop].kind == Coordinate::Unit)) {
        viewCoordinates.emplace_back();
        auto constant = dyn_cast<AffineConstantExpr>(index);
        if (constant && constant.getValue() != 0)
          return false;
      } else {
        return false;
      }
    }
    if (!setCoordinates(view, viewCoordinates))
      return false;
  }
  members.push_back(member);
  Reduction kind;
  return chooseTile() && llvm::all_of(members, [&](const Member &member) {
           return classify(member, kind);
         });
}

/// Whether a reduction is the same in any order.
static bool isReorderable(Operation *combiner, bool reassociate) {
  Type type = combiner->getResult(0).getType();
  return arith::getNeutralElement(combiner) &&
         (type.isInteger() || reassociate) &&
         type.getIntOrFloatBitWidth() <= 32;
}

Operation *FusedReductions::getCombiner(LinalgOp op) {
  if (op.getNumDpsInits() != 1)
    return nullptr;
  Block *body = op.getBlock();
  Value accumulator = body->getArguments().back();
  Operation *combiner = body->getTerminator()->getOperand(0).getDefiningOp();
  if (!combiner || combiner->getNumOperands() != 2 ||
      !accumulator.hasOneUse() || *accumulator.user_begin() != combiner ||
      combiner->getNumResults() != 1)
    return nullptr;
  return combiner;
}

bool FusedReductions::classify(const Member &member, Reduction &kind) const {
  LinalgOp op = member.op;
  kind = Reduction::None;
  SmallVector<unsigned> reduced;
  op.getReductionDims(reduced);
  llvm::erase_if(reduced, [&](unsigned loop) {
    return member.loops[loop].kind == Coordinate::Unit;
  });
  if (reduced.empty())
    return op.getNumReductionLoops() == 0;
  if (member.domain)
    return false;
  Operation *combiner = getCombiner(op);
  bool isLast = false, isRow = false, isTile = true;
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  for (unsigned loop : reduced) {
    const Coordinate &coordinate = member.loops[loop];
    (coordinate.loop == getLast() ? isLast : isRow) = true;
    if (coordinate.kind == Coordinate::Block)
      return false;
    if (coordinate.loop != getLast() && rowLoop != coordinate.loop)
      return false;
    if (coordinate.kind == Coordinate::Loop)
      continue;
    isTile &= coordinate.size == tile[coordinate.loop];
    // Blocks of several rows are entire tiles.
    if (coordinate.loop != getLast() && !isTile)
      return false;
  }
  bool isFree = combiner && isReorderable(combiner, reassociate);
  if (isColumns()) {
    kind = Reduction::Columns;
    // Threads reduce their elements in the order of the rows.
    const Coordinate &row = member.loops[reduced[0]];
    return reduced.size() == 1 && isRow && combiner &&
           (row.kind == Coordinate::InBlock ||
            ranges[reduced[0]] == tile[row.loop]) &&
           isTile;
  }
  if (!isLast)
    return false;
  isTile &= isRow || !rowLoop;
  if (!isTile) {
    // A block of adjacent elements of a row, of one or several threads.
    const Coordinate &coordinate = member.loops[reduced.back()];
    int64_t size = coordinate.kind == Coordinate::InBlock
                       ? coordinate.size
                       : ranges[reduced.back()];
    int64_t threads = size / width;
    kind = Reduction::Blocks;
    return !isRow && isFree && size % width == 0 &&
           llvm::isPowerOf2_64(threads) && threads <= kWarpSize &&
           threads <= groupSize && tile[getLast()] % size == 0 &&
           (coordinate.kind == Coordinate::InBlock || size == tile[getLast()]);
  }
  kind = isFree ? Reduction::Tile : Reduction::Ordered;
  if (isFree)
    return true;
  // One thread cannot compute indices of the chunks.
  if (!op.getBlock()->getOps<linalg::IndexOp>().empty() ||
      llvm::any_of(op->getOperandTypes(), [](Type type) {
        Type element = getElementTypeOrSelf(type);
        return !element.isIntOrFloat() ||
               element.getIntOrFloatBitWidth() % 8 != 0;
      }))
    return false;
  // The order of the loops is that of the elements of a tile.
  bool isInOrder =
      reduced.size() == 1 ||
      (reduced.size() == 2 && member.loops[reduced[0]].loop == *rowLoop &&
       ranges[reduced[1]] == tile.back());
  return isInOrder && op.getNumDpsInits() == 1 &&
         llvm::all_of(reduced, [&](unsigned loop) {
           return member.loops[loop].kind == Coordinate::Loop;
         });
}

static bool isAllocated(Value view) {
  return FusedReductions::getBufferOfView(view)
             .getDefiningOp<memref::AllocOp>() != nullptr;
}

bool FusedReductions::chooseColumnTile() {
  int64_t rows = tile[*rowLoop];
  int64_t bytes = 1, minWidth = 1;
  for (const Member &member : members)
    for (Value operand : member.op->getOperands())
      if (auto type = dyn_cast<MemRefType>(operand.getType());
          type && !isAllocated(operand)) {
        bytes = std::max(bytes, getStrideBytes(type.getElementType()));
        if (hasPackedElements(operand))
          minWidth =
              std::max(minWidth, getElementsPerByte(type.getElementType()));
      }
  width = 8;
  while (width > minWidth && (rows * width * bytes > kMaxColumnBytes ||
                              width * bytes > kMaxAccessBytes))
    width /= 2;
  // A row of at least one vector.
  int64_t last = sizes.back();
  while (!ShapedType::isDynamic(last) && width > std::max<int64_t>(last, 1))
    width /= 2;
  if (rows * width > kMaxColumnElements)
    return false;
  tile[getLast()] = width;
  chunks = slots = rows;
  groupSize = 1;
  numThreads = kBlockSize;
  return true;
}

bool FusedReductions::chooseRowTile(int64_t unit) {
  int64_t maxBytes = 1, maxStoredBytes = 1;
  for (Member &member : members)
    for (OpOperand &operand : member.op->getOpOperands()) {
      auto type = dyn_cast<MemRefType>(operand.get().getType());
      if (!type)
        continue;
      int64_t bytes = getStrideBytes(type.getElementType());
      if (!isAllocated(operand.get()))
        maxBytes = std::max(maxBytes, bytes);
      if (member.op == consumer && member.op.isDpsInit(&operand))
        maxStoredBytes = std::max(maxStoredBytes, bytes);
    }
  // Each thread stores a result with one access, which leaves no gaps between
  // those of adjacent threads.
  int64_t limit =
      std::max(kMaxAccessBytes / maxStoredBytes, kMaxAccessBytes / maxBytes);
  width = limit;
  while (unit % width != 0)
    width /= 2;
  int64_t rows = rowLoop ? tile[*rowLoop] : 1;
  if (rows > kMaxBlockSize * kMaxElements ||
      tile.back() > kMaxBlockSize * kMaxElements / rows)
    return false;
  chunks = rows * (tile.back() / width);
  int64_t maxSlots = std::max<int64_t>(kMaxElements / width, 1);
  auto chooseGroup = [&](int64_t slots) {
    groupSize = llvm::PowerOf2Ceil(llvm::divideCeil(chunks, slots));
  };
  if (chunks <= kWarpSize)
    chooseGroup(1);
  else if (chunks <= kWarpSize * maxSlots)
    groupSize = kWarpSize;
  else
    chooseGroup(maxSlots);
  if (groupSize > kMaxBlockSize)
    return false;
  slots = llvm::divideCeil(chunks, groupSize);
  numThreads = std::max(kBlockSize, groupSize);

  // Ordered reductions read the tile from workgroup memory.
  int64_t bytes = 0;
  for (Member &member : members) {
    Reduction kind;
    if (!classify(member, kind))
      return false;
    if (kind != Reduction::Ordered)
      continue;
    for (Value input : member.op.getDpsInputs())
      if (auto type = dyn_cast<MemRefType>(input.getType()))
        // A buffer may be overwritten between two reductions.
        bytes += rows * tile.back() * getStrideBytes(type.getElementType());
  }
  while (numThreads > std::max(kWarpSize, groupSize) &&
         bytes * (numThreads / groupSize) > kMaxSharedBytes)
    numThreads /= 2;
  return bytes * (numThreads / groupSize) <= kMaxSharedBytes;
}

bool FusedReductions::chooseTile() {
  tile.assign(sizes.size(), 1);
  rowLoop.reset();
  // The ranges of the reductions over all indices of a loop.
  SmallVector<int64_t> rows(sizes.size(), 1);
  // The number of elements of a row that vectors may not exceed.
  int64_t unit = 0;
  for (Member &member : members) {
    SmallVector<int64_t> ranges = member.op.getStaticLoopRanges();
    SmallVector<unsigned> reduced;
    member.op.getReductionDims(reduced);
    for (unsigned loop : reduced) {
      const Coordinate &coordinate = member.loops[loop];
      if (coordinate.kind == Coordinate::Unit)
        continue;
      if (coordinate.kind == Coordinate::Block)
        return false;
      int64_t size = coordinate.kind == Coordinate::InBlock ? coordinate.size
                                                            : ranges[loop];
      if (ShapedType::isDynamic(size) || size <= 0 ||
          size > kMaxBlockSize * kMaxElements)
        return false;
      if (coordinate.kind == Coordinate::Loop)
        rows[coordinate.loop] = std::max(rows[coordinate.loop], size);
      else
        tile[coordinate.loop] = std::lcm(tile[coordinate.loop], size);
      if (tile[coordinate.loop] > kMaxBlockSize * kMaxElements)
        return false;
    }
  }
  // Rows consist of full blocks.
  for (auto [extent, row] : llvm::zip_equal(tile, rows))
    extent *= llvm::divideCeil(row, extent);
  for (auto &[buffer, bufferCoordinates] : coordinates)
    for (const Coordinate &coordinate : bufferCoordinates)
      if (coordinate.kind == Coordinate::Block && coordinate.loop == getLast())
        unit = std::gcd(unit, coordinate.size);
  for (unsigned loop = 0; loop < getLast(); ++loop)
    if (tile[loop] > 1) {
      if (rowLoop)
        return false;
      rowLoop = loop;
    }
  groupSize = 0;
  if (rowLoop && tile.back() == 1)
    // Blocks along another dimension.
    return (unit == 0) && chooseColumnTile();
  unit = std::gcd(unit, tile.back());
  return chooseRowTile(unit);
}

/// Whether all buffers that the kernel loads or stores have the sizes of the
/// consumer's loops. The coordinates do not imply this: the input of a
/// reduction may be larger than the tensor that the consumer computes.
bool FusedReductions::haveEqualSizes() {
  llvm::SmallDenseSet<Value> equal;
  auto hasLoop = [&](Value buffer) {
    return llvm::any_of(coordinates.lookup(buffer),
                        [](const Coordinate &coordinate) {
                          return coordinate.kind == Coordinate::Loop;
                        });
  };
  auto isStatic = [&](Value buffer) {
    auto type = cast<MemRefType>(buffer.getType());
    return llvm::all_of(
        llvm::zip_equal(type.getShape(), coordinates.lookup(buffer)),
        [&](auto pair) {
          auto [size, coordinate] = pair;
          return coordinate.kind != Coordinate::Loop ||
                 (!ShapedType::isDynamic(size) &&
                  size == sizes[coordinate.loop]);
        });
  };
  // From the consumer to the producers. The loops of an op have the sizes of
  // each operand that they index.
  for (Member &member : members) {
    llvm::SmallDenseSet<unsigned> loops;
    for (OpOperand &operand : member.op->getOpOperands()) {
      Value view = operand.get();
      if (!isa<MemRefType>(view.getType()) || getDomain(view))
        continue;
      Value buffer = getBufferOfView(view);
      if (member.op == consumer || equal.contains(buffer) || isStatic(buffer))
        for (unsigned loop = 0; loop < member.loops.size(); ++loop)
          if (member.op.getMatchingIndexingMap(&operand).isFunctionOfDim(loop))
            loops.insert(loop);
    }
    for (OpOperand &operand : member.op->getOpOperands()) {
      Value view = operand.get();
      if (!isa<MemRefType>(view.getType()) || getDomain(view))
        continue;
      AffineMap map = member.op.getMatchingIndexingMap(&operand);
      bool isKnown = true;
      for (unsigned loop = 0; loop < member.loops.size(); ++loop)
        isKnown &= !map.isFunctionOfDim(loop) || loops.contains(loop) ||
                   member.loops[loop].kind != Coordinate::Loop;
      Value buffer = getBufferOfView(view);
      // The indices of a reshaped view differ from those of the buffer.
      bool isPlain =
          llvm::none_of(member.loops, [](const Coordinate &coordinate) {
            return coordinate.kind == Coordinate::InBlock;
          });
      if ((isKnown && isPlain) || isStatic(buffer) || !hasLoop(buffer))
        equal.insert(buffer);
    }
  }
  llvm::SmallDenseSet<Value> written;
  for (Member &member : llvm::reverse(members)) {
    for (OpOperand *input : member.op.getDpsInputOperands())
      if (isa<MemRefType>(input->get().getType())) {
        Value buffer = getBufferOfView(input->get());
        if (!written.contains(buffer) && !equal.contains(buffer))
          return false;
      }
    for (Value output : member.op.getDpsInits()) {
      memref::SubViewOp domain = getDomain(output);
      Value buffer = getBufferOfView(domain ? domain.getSource() : output);
      // The remainder of a padded buffer must be known, and must not be stored.
      if (domain && !written.contains(buffer))
        return false;
      if (!equal.contains(buffer) && !isInternal(buffer))
        return false;
      if (domain && !isInternal(buffer))
        return false;
      written.insert(buffer);
    }
  }
  return true;
}

bool FusedReductions::writesEntireBytes() {
  return llvm::all_of(consumer.getDpsInits(), [&](Value output) {
    if (!hasPackedElements(output))
      return true;
    Value buffer = getBufferOfView(output);
    auto type = cast<MemRefType>(buffer.getType());
    int64_t elements = getElementsPerByte(type.getElementType());
    int64_t rowSize = type.getRank() ? type.getShape().back() : 1;
    return type.getLayout().isIdentity() && !ShapedType::isDynamic(rowSize) &&
           rowSize % elements == 0 && width % elements == 0 &&
           coordinates.lookup(buffer).back() ==
               Coordinate{Coordinate::Loop, getLast(), 0};
  });
}

/// Whether the op overwrites all elements of the buffer.
static bool overwrites(Operation *op, Value buffer) {
  auto linalgOp = dyn_cast<LinalgOp>(op);
  if (!linalgOp || llvm::is_contained(linalgOp.getDpsInputs(), buffer))
    return false;
  return llvm::any_of(linalgOp.getDpsInitsMutable(), [&](OpOperand &init) {
    return init.get() == buffer &&
           linalgOp.getMatchingIndexingMap(&init).isPermutation() &&
           linalgOp.getMatchingBlockArgument(&init).use_empty();
  });
}

bool FusedReductions::isInternal(Value buffer) const {
  Block *block = consumer->getBlock();
  if (!buffer.getDefiningOp<memref::AllocOp>() ||
      buffer.getParentBlock() != block)
    return false;
  SmallVector<Operation *> users;
  SmallVector<Value> views{buffer};
  while (!views.empty())
    for (Operation *user : views.pop_back_val().getUsers()) {
      if (isa<ViewLikeOpInterface>(user) && user->getNumResults() == 1)
        views.push_back(user->getResult(0));
      else if (fusedOps.isInternal(user, buffer))
        continue;
      else if (user->getBlock() != block || fusedOps.contains(user))
        return false;
      else if (!isa<memref::DeallocOp, memref::DimOp>(user))
        users.push_back(user);
    }
  llvm::sort(users, [](Operation *lhs, Operation *rhs) {
    return lhs->isBeforeInBlock(rhs);
  });
  auto isMember = [&](Operation *op) {
    return llvm::any_of(members,
                        [&](const Member &member) { return member.op == op; });
  };
  for (auto [one, next] :
       llvm::zip(users, llvm::drop_begin(users, !users.empty())))
    if (isMember(one) != isMember(next) && !overwrites(next, buffer))
      return false;
  return true;
}

std::optional<FusedReductions>
FusedReductions::match(LinalgOp consumer, bool reassociate,
                       const FusedOps &fusedOps) {
  if (consumer.getNumLoops() == 0 ||
      consumer.getNumParallelLoops() != consumer.getNumLoops() ||
      !llvm::all_of(consumer.getDpsInitsMutable(), [&](OpOperand &init) {
        return consumer.getMatchingIndexingMap(&init).isIdentity();
      }))
    return std::nullopt;
  // An input is shared by several elements.
  if (llvm::all_of(consumer.getDpsInputOperands(), [&](OpOperand *input) {
        return consumer.getMatchingIndexingMap(input).isPermutation();
      }))
    return std::nullopt;
  FusedReductions fused(consumer, reassociate, fusedOps);
  if (!fused.add(consumer))
    return std::nullopt;
  // The buffers whose values at this point the members read.
  llvm::SmallDenseSet<Value> liveIn;
  auto addLiveIn = [&](LinalgOp op) {
    for (Value output : op.getDpsInits())
      if (overwrites(op, output))
        liveIn.erase(output);
    for (OpOperand &operand : op->getOpOperands())
      if (isa<MemRefType>(operand.get().getType()) &&
          !op.getMatchingBlockArgument(&operand).use_empty())
        liveIn.insert(getBufferOfView(operand.get()));
  };
  addLiveIn(consumer);
  for (Operation *op = consumer->getPrevNode(); op; op = op->getPrevNode()) {
    if (isMemoryEffectFree(op) || isa<memref::AllocOp>(op) ||
        fusedOps.contains(op))
      continue;
    // Memory is freed after the kernel.
    if (isa<memref::DeallocOp>(op))
      continue;
    auto linalgOp = dyn_cast<LinalgOp>(op);
    if (linalgOp && llvm::any_of(linalgOp.getDpsInits(), [&](Value output) {
          memref::SubViewOp domain = getDomain(output);
          return liveIn.contains(
              getBufferOfView(domain ? domain.getSource() : output));
        })) {
      if (!fused.add(linalgOp))
        break;
      addLiveIn(linalgOp);
      continue;
    }
    fused.between.add(op);
  }
  // Choose the tile again: an op that could not be added has changed it.
  bool isReduced = false;
  if (!fused.chooseTile() || !fused.writesEntireBytes())
    return std::nullopt;
  for (const Member &member : fused.members) {
    Reduction kind;
    if (!fused.classify(member, kind))
      return std::nullopt;
    isReduced |= kind != Reduction::None;
  }
  if (!isReduced || !fused.haveEqualSizes() ||
      !llvm::all_of(fused.shared,
                    [&](Value buffer) { return fused.isInternal(buffer); }))
    return std::nullopt;
  LDBG() << "fusing " << fused.members.size() << " ops into "
         << consumer.getLoc();
  return fused;
}

void FusedOps::add(const FusedReductions &kernel) {
  llvm::DenseMap<Value, bool> isInternal;
  SmallVector<std::pair<Operation *, Value>> accesses;
  for (LinalgOp op : kernel.getOps())
    for (Value operand : op->getOperands())
      if (isa<MemRefType>(operand.getType())) {
        Value buffer = FusedReductions::getBufferOfView(operand);
        auto [known, isNew] = isInternal.try_emplace(buffer);
        if (isNew)
          known->second = kernel.isInternal(buffer);
        if (known->second)
          accesses.push_back({op, buffer});
      }
  internalAccesses.insert(accesses.begin(), accesses.end());
  for (LinalgOp op : kernel.getOps())
    ops.insert(op);
}

SmallVector<LinalgOp> FusedReductions::getOps() const {
  SmallVector<LinalgOp> ops;
  for (const Member &member : llvm::reverse(members))
    ops.push_back(member.op);
  return ops;
}
