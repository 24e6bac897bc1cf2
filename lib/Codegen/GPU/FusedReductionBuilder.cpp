//===- FusedReductionBuilder.cpp - Kernels of fused reductions ------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A group of threads computes a tile. Its elements are vectors ("chunks") of
// adjacent elements of a row; chunk number s * group size + thread is slot s of
// a thread:
//
//   load the slots of each input
//   for each op:
//     elementwise: compute each slot, or what all slots share
//     reduction: combine the elements of a slot, slots, and threads
//   store the slots of each result
//
// Threads exchange values by shuffles in a warp, and through workgroup memory
// between warps. Reductions whose order is fixed read the tile from workgroup
// memory, by one thread of each tile.
//
//===----------------------------------------------------------------------===//

#include "FusedReductions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "quant-float/Support/BufferSize.h"
#include "quant-float/Support/Indices.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::quant_float;
using linalg::LinalgOp;

static constexpr int64_t kAccessBytes = 16, kWarp = 32;

namespace mlir::quant_float {
class FusedReductionBuilder {
public:
  FusedReductionBuilder(FusedReductions &fused, KernelLaunches &launches)
      : fused(fused), launches(launches),
        b(launches.loc, launches.rewriter.getContext()) {}

  void build();

private:
  using Member = FusedReductions::Member;
  using Reduction = FusedReductions::Reduction;
  /// The value of each slot, or one that all slots share. A scalar stands for a
  /// vector of equal elements.
  using Values = SmallVector<Value>;

  void collectBuffers();
  void begin();
  Value computeIsVector();
  void eraseOps();

  Values read(OpOperand &operand);
  Values load(Value buffer);
  void store(Value buffer, const Values &values);
  void evaluate(const Member &member);
  void reduce(const Member &member, Reduction kind);
  Value reduceInOrder(const Member &member, Value start);
  Value reduceThreads(Operation *combiner, Value value, int64_t threads);
  Value reduceLanes(Operation *combiner, Value value);
  Value reduceWarps(Operation *combiner, Value value);
  /// Computes the body for a slot, without the op that accumulates.
  void computeBody(const Member &member, unsigned slot, IRMapping &mapping);
  unsigned mapArguments(const Member &member, SmallVectorImpl<Values> &values);
  Value mask(const Member &member, unsigned slot, Value value, Value neutral);

  Value createLike(Operation *op, ValueRange operands);
  /// Creates an op of the body; on vectors if an operand is one.
  void clone(Operation *op, IRMapping &mapping);
  Value broadcast(Value value);
  Value zero(Type type);
  Type vectorOf(Type element) {
    return fused.width == 1 ? element : VectorType::get({fused.width}, element);
  }
  /// Allocates elements in workgroup memory.
  Value share(int64_t count, Type element);
  Value view(Value shared, int64_t count, Type element);
  void storeShared(Value value, Value tile, Value position);
  /// The number of elements of a tile.
  int64_t tileSize() const { return fused.chunks * fused.width; }

  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(b, value);
  }
  Value add(Value one, Value other) {
    return b.createOrFold<arith::AddIOp>(one, other);
  }
  Value multiply(Value one, Value other) {
    return b.createOrFold<arith::MulIOp>(one, other);
  }
  Value compare(arith::CmpIPredicate kind, Value left, Value right) {
    return arith::CmpIOp::create(b, kind, left, right);
  }
  Value below(Value left, Value right) {
    return compare(arith::CmpIPredicate::ult, left, right);
  }
  Value both(Value one, Value other) {
    return !one ? other : !other ? one : arith::AndIOp::create(b, one, other);
  }
  /// Adds to a condition that the elements of a slot are below `extent` along a
  /// loop of the consumer.
  Value bothBelow(Value isValid, unsigned slot, unsigned loop, Value extent);
  /// Creates `body` under a condition, which is null if it always holds, and
  /// zeros otherwise.
  Value ifElseZero(Value condition, Type type,
                   llvm::function_ref<Value()> body);
  void ifTrue(Value condition, llvm::function_ref<void()> body);

  /// Whether adjacent elements of a tile have different values: whether a
  /// coordinate is the index in the last loop, or in its blocks.
  bool isVector(ArrayRef<Coordinate> own) const {
    return llvm::any_of(own, [&](const Coordinate &each) {
      return (each.kind == Coordinate::Whole ||
              each.kind == Coordinate::Within) &&
             each.loop == fused.getLast();
    });
  }
  /// Whether the value differs between the elements of a tile, or between those
  /// of a thread.
  bool variesInTile(ArrayRef<Coordinate> own) const;
  bool variesBySlot(ArrayRef<Coordinate> own) const;
  bool hasVectorAccess(Value buffer) const;
  Value getIndex(const Coordinate &own, unsigned slot);
  SmallVector<Value> getIndices(Value buffer, unsigned slot);
  /// Whether a static size of a loop is a multiple of the tile's.
  bool isDivisible(unsigned loop) const {
    int64_t size = fused.sizes[loop];
    return !ShapedType::isDynamic(size) && size % fused.tile[loop] == 0;
  }
  /// Whether the chunk of a slot is in the tensor, and whether its row is.
  Value getGuard(unsigned slot, bool isOfRow = false);

  FusedReductions &fused;
  KernelLaunches &launches;
  ImplicitLocOpBuilder b;

  /// The buffers in global memory.
  llvm::SmallSetVector<Value, 8> loaded, stored;
  /// The sizes of the consumer's loops, and the tile's first index.
  SmallVector<Value> sizes, first;
  /// Whether there is such a tile; null if there is.
  Value isInside;
  /// The number of the thread in the block, and in its group; that of the
  /// group.
  Value threadInBlock, thread, group;
  /// Whether the kernel accesses entire vectors.
  Value isVectorized;
  struct Slot {
    Value chunk, row, column, isChunk;
    SmallVector<Value> indices;
  };
  SmallVector<Slot> slots;
  /// The current value of each buffer, and those that are zero out of bounds.
  DenseMap<Value, Values> current;
  llvm::SmallDenseSet<Value> zeroPadded;
  /// Tiles in workgroup memory, by the value of the first slot.
  DenseMap<Value, Value> sharedTiles;
};
} // namespace mlir::quant_float

//===----------------------------------------------------------------------===//
// Coordinates
//===----------------------------------------------------------------------===//

bool FusedReductionBuilder::variesInTile(ArrayRef<Coordinate> own) const {
  return llvm::any_of(own, [&](const Coordinate &each) {
    if (each.kind == Coordinate::One)
      return false;
    int64_t extent = fused.tile[each.loop];
    return each.kind == Coordinate::Block ? each.size < extent : extent > 1;
  });
}

bool FusedReductionBuilder::variesBySlot(ArrayRef<Coordinate> own) const {
  // A thread's columns are the same in all rows.
  SmallVector<Coordinate> varying(own);
  llvm::erase_if(varying, [&](const Coordinate &each) {
    return fused.isColumns() && each.loop == fused.getLast();
  });
  return fused.slots > 1 && variesInTile(varying);
}

Value FusedReductionBuilder::getIndex(const Coordinate &own, unsigned slot) {
  if (own.kind == Coordinate::One)
    return index(0);
  Value position = slots[slot].indices[own.loop];
  switch (own.kind) {
  case Coordinate::Block:
    return arith::DivUIOp::create(b, position, index(own.size));
  case Coordinate::Within:
    return arith::RemUIOp::create(b, position, index(own.size));
  default:
    return position;
  }
}

SmallVector<Value> FusedReductionBuilder::getIndices(Value buffer,
                                                     unsigned slot) {
  return llvm::map_to_vector(
      fused.coordinates.lookup(buffer),
      [&](const Coordinate &own) { return getIndex(own, slot); });
}

Value FusedReductionBuilder::getGuard(unsigned slot, bool isOfRow) {
  Value guard = both(isInside, slots[slot].isChunk);
  for (unsigned loop = 0; loop < sizes.size(); ++loop)
    if (fused.tile[loop] > 1 && !isDivisible(loop) &&
        !(isOfRow && loop == fused.getLast()))
      guard = both(guard, below(slots[slot].indices[loop], sizes[loop]));
  return guard;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// Whether the elements of a vector in memory have the layout of those of a
/// buffer.
static bool fillsSlots(Type element) {
  return element.isIntOrFloat() &&
         element.getIntOrFloatBitWidth() == 8 * getStrideBytes(element);
}

bool FusedReductionBuilder::hasVectorAccess(Value buffer) const {
  auto type = cast<MemRefType>(buffer.getType());
  auto own = fused.coordinates.lookup(buffer);
  return fused.width > 1 && isVector(own) &&
         own.back() == Coordinate{Coordinate::Whole, fused.getLast(), 0} &&
         type.isLastDimUnitStride() && fillsSlots(type.getElementType());
}

static int64_t getAccessBytes(Value buffer, int64_t width) {
  Type element = cast<MemRefType>(buffer.getType()).getElementType();
  return std::min(kAccessBytes, width * getStrideBytes(element));
}

/// Whether all rows are multiples of the vectors, and aligned to them.
Value FusedReductionBuilder::computeIsVector() {
  Value rest;
  auto addRest = [&](Value value) {
    rest = rest ? b.createOrFold<arith::OrIOp>(rest, value) : value;
  };
  SmallVector<Value> buffers(loaded.begin(), loaded.end());
  buffers.append(stored.begin(), stored.end());
  for (Value buffer : buffers) {
    if (!hasVectorAccess(buffer))
      continue;
    int64_t bytes =
        getStrideBytes(cast<MemRefType>(buffer.getType()).getElementType());
    Value low = index(getAccessBytes(buffer, fused.width) - 1);
    auto metadata = memref::ExtractStridedMetadataOp::create(b, buffer);
    Value base = memref::ExtractAlignedPointerAsIndexOp::create(
        b, metadata.getBaseBuffer());
    auto addBytes = [&](Value elements) {
      Value count = multiply(elements, index(bytes));
      addRest(b.createOrFold<arith::AndIOp>(count, low));
    };
    addRest(arith::AndIOp::create(b, base, low));
    addBytes(metadata.getOffset());
    for (Value stride : ValueRange(metadata.getStrides()).drop_back())
      addBytes(stride);
  }
  if (!rest)
    return nullptr;
  if (fused.sizes.back() % fused.width != 0 ||
      ShapedType::isDynamic(fused.sizes.back()))
    addRest(arith::RemUIOp::create(b, sizes.back(), index(fused.width)));
  return compare(arith::CmpIPredicate::eq, rest, index(0));
}

Value FusedReductionBuilder::zero(Type type) {
  Type element = getElementTypeOrSelf(type);
  Type bits = element;
  // Not all floats have a zero.
  if (isa<FloatType>(element))
    bits = b.getIntegerType(element.getIntOrFloatBitWidth());
  Type whole = bits;
  if (auto vector = dyn_cast<VectorType>(type))
    whole = vector.clone(bits);
  Value constant = arith::ConstantOp::create(b, b.getZeroAttr(whole));
  return bits == element ? constant
                         : arith::BitcastOp::create(b, type, constant);
}

Value FusedReductionBuilder::ifElseZero(Value condition, Type type,
                                        llvm::function_ref<Value()> body) {
  if (!condition)
    return body();
  auto branch = scf::IfOp::create(b, TypeRange(type), condition,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(b, body());
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, zero(type));
  return branch.getResult(0);
}

void FusedReductionBuilder::ifTrue(Value condition,
                                   llvm::function_ref<void()> body) {
  if (!condition)
    return body();
  auto branch = scf::IfOp::create(b, condition);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  body();
}

FusedReductionBuilder::Values FusedReductionBuilder::load(Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  Type element = type.getElementType();
  auto own = fused.coordinates.lookup(buffer);
  unsigned count = variesBySlot(own) ? fused.slots : 1;
  Values values;
  auto loadElement = [&](ArrayRef<Value> indices) -> Value {
    return memref::LoadOp::create(b, buffer, indices);
  };
  if (!isVector(own)) {
    bool isOne = llvm::all_of(own, [](const Coordinate &each) {
      return each.kind == Coordinate::One;
    });
    for (unsigned slot = 0; slot < count; ++slot) {
      SmallVector<Value> indices = getIndices(buffer, slot);
      values.push_back(ifElseZero(isOne ? Value() : getGuard(slot), element,
                                  [&] { return loadElement(indices); }));
    }
    return values;
  }
  zeroPadded.insert(buffer);
  if (fused.width == 1) {
    for (unsigned slot = 0; slot < count; ++slot) {
      SmallVector<Value> indices = getIndices(buffer, slot);
      values.push_back(ifElseZero(getGuard(slot), element,
                                  [&] { return loadElement(indices); }));
    }
    return values;
  }
  Type vector = vectorOf(element);
  auto loadVectors = [&] {
    Values vectors;
    for (unsigned slot = 0; slot < count; ++slot) {
      SmallVector<Value> indices = getIndices(buffer, slot);
      vectors.push_back(ifElseZero(getGuard(slot), vector, [&]() -> Value {
        auto load = vector::LoadOp::create(b, cast<VectorType>(vector), buffer,
                                           indices);
        load.setAlignment(getAccessBytes(buffer, fused.width));
        return load;
      }));
    }
    return vectors;
  };
  auto loadElements = [&] {
    Values vectors;
    for (unsigned slot = 0; slot < count; ++slot) {
      SmallVector<Value> elements;
      for (int64_t lane = 0; lane < fused.width; ++lane) {
        Value &column = slots[slot].indices.back();
        Value start = column;
        column = arith::AddIOp::create(b, start, index(lane));
        SmallVector<Value> indices = getIndices(buffer, slot);
        Value guard =
            both(getGuard(slot, /*isOfRow=*/true), below(column, sizes.back()));
        elements.push_back(
            ifElseZero(guard, element, [&] { return loadElement(indices); }));
        slots[slot].indices.back() = start;
      }
      vectors.push_back(vector::FromElementsOp::create(
          b, cast<VectorType>(vector), elements));
    }
    return vectors;
  };
  if (!hasVectorAccess(buffer))
    return loadElements();
  auto branch = scf::IfOp::create(b, SmallVector<Type>(count, vector),
                                  isVectorized, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(b, loadVectors());
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, loadElements());
  return Values(branch.getResults());
}

void FusedReductionBuilder::store(Value buffer, const Values &values) {
  auto own = fused.coordinates.lookup(buffer);
  unsigned count = variesBySlot(own) ? fused.slots : 1;
  auto get = [&](unsigned slot) {
    return values[values.size() == 1 ? 0 : slot];
  };
  if (!isVector(own) || fused.width == 1) {
    for (unsigned slot = 0; slot < count; ++slot) {
      // The first of the threads and slots that share the value.
      Value guard = both(isInside, slots[slot].isChunk);
      bool hasColumn = isVector(own);
      std::optional<int64_t> rows, columns;
      SmallVector<Value> indices = getIndices(buffer, slot);
      for (auto [dimension, each] : llvm::enumerate(own)) {
        if (each.kind == Coordinate::One)
          continue;
        if (each.kind == Coordinate::Block)
          (each.loop == fused.getLast() ? columns : rows) = each.size;
        if (fused.rowLoop == each.loop && each.kind == Coordinate::Whole)
          rows = 1;
        if (isDivisible(each.loop))
          continue;
        if (each.kind == Coordinate::Block)
          guard = both(
              guard, below(indices[dimension], b.createOrFold<memref::DimOp>(
                                                   buffer, index(dimension))));
        else if (fused.tile[each.loop] > 1)
          guard = both(guard, below(indices[dimension], sizes[each.loop]));
      }
      auto isFirst = [&](Value position, int64_t extent,
                         std::optional<int64_t> size) {
        if (extent == 1 || size == 1)
          return;
        if (size && *size < extent)
          position = arith::RemUIOp::create(b, position, index(*size));
        guard =
            both(guard, compare(arith::CmpIPredicate::eq, position, index(0)));
      };
      if (!hasColumn)
        isFirst(slots[slot].column, fused.tile.back(), columns);
      if (fused.rowLoop && (!hasColumn || !fused.isColumns()))
        isFirst(slots[slot].row, fused.tile[*fused.rowLoop], rows);
      ifTrue(guard,
             [&] { memref::StoreOp::create(b, get(slot), buffer, indices); });
    }
    return;
  }
  auto storeVectors = [&] {
    for (unsigned slot = 0; slot < count; ++slot) {
      SmallVector<Value> indices = getIndices(buffer, slot);
      Value vector = broadcast(get(slot));
      ifTrue(getGuard(slot), [&] {
        auto store = vector::StoreOp::create(b, vector, buffer, indices);
        store.setAlignment(getAccessBytes(buffer, fused.width));
      });
    }
  };
  auto storeElements = [&] {
    for (unsigned slot = 0; slot < count; ++slot)
      for (int64_t lane = 0; lane < fused.width; ++lane) {
        Value &column = slots[slot].indices.back();
        Value start = column;
        column = arith::AddIOp::create(b, start, index(lane));
        SmallVector<Value> indices = getIndices(buffer, slot);
        Value guard =
            both(getGuard(slot, /*isOfRow=*/true), below(column, sizes.back()));
        slots[slot].indices.back() = start;
        Value element = get(slot);
        if (isa<VectorType>(element.getType()))
          element = vector::ExtractOp::create(b, element, lane);
        ifTrue(guard,
               [&] { memref::StoreOp::create(b, element, buffer, indices); });
      }
  };
  if (!hasVectorAccess(buffer))
    return storeElements();
  auto branch = scf::IfOp::create(b, isVectorized, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  storeVectors();
  b.setInsertionPointToStart(branch.elseBlock());
  storeElements();
}

FusedReductionBuilder::Values FusedReductionBuilder::read(OpOperand &operand) {
  if (!isa<MemRefType>(operand.get().getType()))
    return {operand.get()};
  Value buffer = FusedReductions::getBufferOfView(operand.get());
  auto found = current.find(buffer);
  if (found != current.end())
    return found->second;
  Values values = load(buffer);
  current[buffer] = values;
  return values;
}

Value FusedReductionBuilder::share(int64_t count, Type element) {
  auto space =
      gpu::AddressSpaceAttr::get(b.getContext(), gpu::AddressSpace::Workgroup);
  auto type = MemRefType::get({count * getStrideBytes(element)}, b.getI8Type(),
                              MemRefLayoutAttrInterface(), Attribute(space));
  return view(launches.launch.addWorkgroupAttribution(type, b.getLoc()), count,
              element);
}

/// Returns a view of `count` elements or vectors of workgroup memory.
Value FusedReductionBuilder::view(Value shared, int64_t count, Type element) {
  if (auto source = shared.getDefiningOp<memref::ViewOp>())
    shared = source.getSource();
  Attribute space = cast<MemRefType>(shared.getType()).getMemorySpace();
  auto type =
      MemRefType::get({count}, element, MemRefLayoutAttrInterface(), space);
  return memref::ViewOp::create(b, type, shared, index(0), ValueRange());
}

void FusedReductionBuilder::storeShared(Value value, Value tile,
                                        Value position) {
  auto vector = dyn_cast<VectorType>(value.getType());
  if (!vector) {
    memref::StoreOp::create(b, value, tile, position);
    return;
  }
  // Pieces of the widest access.
  Type element = vector.getElementType();
  int64_t piece = std::min(fused.width, kAccessBytes / getStrideBytes(element));
  int64_t count = cast<MemRefType>(tile.getType()).getDimSize(0) / piece;
  Value pieces = view(tile, count, VectorType::get({piece}, element));
  Value first = arith::DivUIOp::create(b, position, index(piece));
  for (int64_t i = 0; i < fused.width / piece; ++i) {
    Value part =
        vector::ExtractStridedSliceOp::create(b, value, i * piece, piece, 1);
    memref::StoreOp::create(b, part, pieces, add(first, index(i)));
  }
}

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

Value FusedReductionBuilder::bothBelow(Value isValid, unsigned slot,
                                       unsigned loop, Value extent) {
  Value position = slots[slot].indices[loop];
  if (loop == fused.getLast() && fused.width > 1) {
    auto type = VectorType::get({fused.width}, b.getIndexType());
    position = arith::AddIOp::create(b, broadcast(position),
                                     vector::StepOp::create(b, type));
    extent = broadcast(extent);
    if (isValid)
      isValid = broadcast(isValid);
  }
  return both(isValid, below(position, extent));
}

Value FusedReductionBuilder::broadcast(Value value) {
  if (fused.width == 1 || isa<VectorType>(value.getType()))
    return value;
  return vector::BroadcastOp::create(
      b, cast<VectorType>(vectorOf(value.getType())), value);
}

Value FusedReductionBuilder::createLike(Operation *op, ValueRange operands) {
  SmallVector<Value> all(operands);
  Type type = op->getResult(0).getType();
  if (llvm::any_of(all, [](Value operand) {
        return isa<VectorType>(operand.getType());
      })) {
    type = vectorOf(type);
    for (Value &operand : all)
      operand = broadcast(operand);
  }
  return b
      .create(op->getLoc(), op->getName().getIdentifier(), all, type,
              op->getAttrs())
      ->getResult(0);
}

void FusedReductionBuilder::clone(Operation *op, IRMapping &mapping) {
  if (op->getNumOperands() == 0) {
    b.clone(*op, mapping);
    return;
  }
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(mapping.lookupOrDefault(operand));
  mapping.map(op->getResult(0), createLike(op, operands));
}

/// Returns the number of slots that have different arguments.
unsigned FusedReductionBuilder::mapArguments(const Member &member,
                                             SmallVectorImpl<Values> &values) {
  LinalgOp op = member.op;
  size_t count = 1;
  for (OpOperand &operand : op->getOpOperands()) {
    BlockArgument argument = op.getMatchingBlockArgument(&operand);
    values.emplace_back();
    if (argument.use_empty() ||
        (op.isDpsInit(&operand) && op.getNumReductionLoops() != 0))
      continue;
    values.back() = read(operand);
    count = std::max(count, values.back().size());
  }
  for (Operation &each : *op.getBlock())
    if (auto number = dyn_cast<linalg::IndexOp>(each);
        number && variesBySlot(member.loops[number.getDim()]))
      count = fused.slots;
  return count;
}

void FusedReductionBuilder::computeBody(const Member &member, unsigned slot,
                                        IRMapping &mapping) {
  LinalgOp op = member.op;
  Operation *combiner = op.getNumReductionLoops() != 0
                            ? FusedReductions::getCombiner(op)
                            : nullptr;
  for (Operation &each : op.getBlock()->without_terminator()) {
    if (&each == combiner)
      continue;
    if (auto number = dyn_cast<linalg::IndexOp>(each)) {
      const Coordinate &own = member.loops[number.getDim()];
      Value value = getIndex(own, slot);
      if (fused.width > 1 && own.loop == fused.getLast() &&
          (own.kind == Coordinate::Whole || own.kind == Coordinate::Within)) {
        auto type = VectorType::get({fused.width}, b.getIndexType());
        Value lanes = vector::StepOp::create(b, type);
        value = arith::AddIOp::create(b, broadcast(value), lanes);
      }
      mapping.map(number.getResult(), value);
      continue;
    }
    clone(&each, mapping);
  }
}

void FusedReductionBuilder::evaluate(const Member &member) {
  LinalgOp op = member.op;
  SmallVector<Values> arguments;
  unsigned count = mapArguments(member, arguments);
  auto domain = dyn_cast_or_null<memref::SubViewOp>(member.domain);
  SmallVector<Values> results(op.getNumDpsInits());
  Values previous;
  Value buffer;
  bool isZeroPadded = false;
  if (domain) {
    buffer = FusedReductions::getBufferOfView(domain.getSource());
    previous = current.lookup(buffer);
    Value source = FusedReductions::getBufferOfView(op.getDpsInputs()[0]);
    // The rest of what was loaded is already zero.
    isZeroPadded = op.getNumDpsInputs() == 1 && zeroPadded.contains(source) &&
                   op.getBlock()->getTerminator()->getOperand(0) ==
                       op.getBlock()->getArgument(0) &&
                   previous.size() == 1 &&
                   (matchPattern(previous[0], m_Zero()) ||
                    matchPattern(previous[0], m_PosZeroFloat()));
    if (!isZeroPadded)
      count = fused.slots;
  }
  for (unsigned slot = 0; slot < count; ++slot) {
    IRMapping mapping;
    for (auto [argument, values] :
         llvm::zip_equal(op.getBlock()->getArguments(), arguments))
      if (!values.empty())
        mapping.map(argument, values[values.size() == 1 ? 0 : slot]);
    computeBody(member, slot, mapping);
    for (auto [result, value] : llvm::zip_equal(
             results, op.getBlock()->getTerminator()->getOperands()))
      result.push_back(mapping.lookupOrDefault(value));
    if (!domain || isZeroPadded)
      continue;
    // Elements of the domain replace those of the padded buffer.
    Value isValid;
    auto own = fused.coordinates.lookup(buffer);
    for (auto [each, size] : llvm::zip_equal(own, domain.getMixedSizes())) {
      if (each.kind != Coordinate::Whole)
        continue;
      Value extent = getValueOrCreateConstantIndexOp(b, b.getLoc(), size);
      isValid = bothBelow(isValid, slot, each.loop, extent);
    }
    if (!isValid)
      continue;
    Value old = previous[previous.size() == 1 ? 0 : slot];
    Value &value = results[0].back();
    if (isa<VectorType>(isValid.getType()) ||
        isa<VectorType>(value.getType()) || isa<VectorType>(old.getType())) {
      isValid = broadcast(isValid);
      value = broadcast(value);
      old = broadcast(old);
    }
    value = arith::SelectOp::create(b, isValid, value, old);
  }
  for (auto [output, values] : llvm::zip_equal(op.getDpsInits(), results)) {
    Value target =
        FusedReductions::getBufferOfView(domain ? domain.getSource() : output);
    current[target] = values;
    zeroPadded.erase(target);
  }
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

Value FusedReductionBuilder::reduceLanes(Operation *combiner, Value value) {
  auto type = dyn_cast<VectorType>(value.getType());
  if (!type)
    return value;
  SmallVector<Value> lanes;
  for (int64_t lane = 0; lane < type.getNumElements(); ++lane)
    lanes.push_back(vector::ExtractOp::create(b, value, lane));
  while (lanes.size() > 1) {
    size_t half = lanes.size() / 2;
    for (size_t i = 0; i < half; ++i)
      lanes[i] = createLike(combiner, {lanes[i], lanes[i + half]});
    lanes.truncate(half);
  }
  return lanes[0];
}

/// Combines the values of `threads` adjacent threads.
Value FusedReductionBuilder::reduceThreads(Operation *combiner, Value value,
                                           int64_t threads) {
  Type type = value.getType();
  Type bits = b.getIntegerType(type.getIntOrFloatBitWidth());
  Type i32 = b.getI32Type();
  for (int64_t offset = 1; offset < threads; offset *= 2) {
    Value word = value;
    if (bits != type)
      word = arith::BitcastOp::create(b, bits, word);
    if (bits != i32)
      word = arith::ExtUIOp::create(b, i32, word);
    Value other =
        gpu::ShuffleOp::create(
            b, word, arith::ConstantIntOp::create(b, offset, 32),
            arith::ConstantIntOp::create(b, kWarp, 32), gpu::ShuffleMode::XOR)
            .getShuffleResult();
    if (bits != i32)
      other = arith::TruncIOp::create(b, bits, other);
    if (bits != type)
      other = arith::BitcastOp::create(b, type, other);
    value = createLike(combiner, {value, other});
  }
  return value;
}

/// Combines the values of the warps of a tile.
Value FusedReductionBuilder::reduceWarps(Operation *combiner, Value value) {
  int64_t warps = fused.groupSize / kWarp;
  if (warps <= 1)
    return value;
  Value shared = share(fused.numThreads / kWarp, value.getType());
  Value lane = arith::RemUIOp::create(b, threadInBlock, index(kWarp));
  Value warp = arith::DivUIOp::create(b, threadInBlock, index(kWarp));
  ifTrue(compare(arith::CmpIPredicate::eq, lane, index(0)),
         [&] { memref::StoreOp::create(b, value, shared, warp); });
  gpu::BarrierOp::create(b);
  Value from = arith::MulIOp::create(b, group, index(warps));
  Value result;
  for (int64_t i = 0; i < warps; ++i) {
    Value position = arith::AddIOp::create(b, from, index(i));
    Value next = memref::LoadOp::create(b, shared, position);
    result = result ? createLike(combiner, {result, next}) : next;
  }
  return result;
}

/// Replaces elements that the reduction does not have.
Value FusedReductionBuilder::mask(const Member &member, unsigned slot,
                                  Value value, Value neutral) {
  LinalgOp op = member.op;
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  Value isValid = slots[slot].isChunk;
  for (auto [loop, own] : llvm::enumerate(member.loops)) {
    if (own.kind != Coordinate::Whole ||
        op.getIteratorTypesArray()[loop] == utils::IteratorType::parallel ||
        ranges[loop] == fused.tile[own.loop])
      continue;
    isValid = bothBelow(isValid, slot, own.loop, index(ranges[loop]));
  }
  if (!isValid)
    return value;
  if (isa<VectorType>(isValid.getType()) || isa<VectorType>(value.getType())) {
    isValid = broadcast(isValid);
    value = broadcast(value);
    neutral = broadcast(neutral);
  }
  return arith::SelectOp::create(b, isValid, value, neutral);
}

Value FusedReductionBuilder::reduceInOrder(const Member &member, Value start) {
  LinalgOp op = member.op;
  // Share what differs between the elements.
  SmallVector<Value> tiles, scalars;
  for (OpOperand *input : op.getDpsInputOperands()) {
    tiles.emplace_back();
    scalars.emplace_back();
    if (op.getMatchingBlockArgument(input).use_empty())
      continue;
    Values values = read(*input);
    Type type = getElementTypeOrSelf(values[0].getType());
    if (!isa<MemRefType>(input->get().getType()) ||
        !variesInTile(fused.coordinates.lookup(
            FusedReductions::getBufferOfView(input->get())))) {
      scalars.back() = values[0];
      continue;
    }
    Value &tile = sharedTiles[values[0]];
    if (!tile) {
      int64_t groups = fused.numThreads / fused.groupSize;
      tile = share(groups * tileSize(), type);
      Value from = multiply(group, index(tileSize()));
      for (unsigned slot = 0; slot < fused.slots; ++slot) {
        Value offset = multiply(slots[slot].chunk, index(fused.width));
        Value position = arith::AddIOp::create(b, from, offset);
        Value value = broadcast(values[values.size() == 1 ? 0 : slot]);
        ifTrue(slots[slot].isChunk,
               [&] { storeShared(value, tile, position); });
      }
      gpu::BarrierOp::create(b);
    }
    tiles.back() = tile;
  }
  int64_t count = 1;
  for (auto [kind, range, own] : llvm::zip_equal(
           op.getIteratorTypesArray(), op.getStaticLoopRanges(), member.loops))
    if (kind == utils::IteratorType::reduction)
      count *= range;
  Value result = share(fused.numThreads / fused.groupSize, start.getType());
  ifTrue(compare(arith::CmpIPredicate::eq, thread, index(0)), [&] {
    Value from = multiply(group, index(tileSize()));
    Value to = arith::AddIOp::create(b, from, index(count));
    auto loop = scf::ForOp::create(b, from, to, index(1), ValueRange{start});
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(loop.getBody());
      IRMapping mapping;
      mapping.map(op.getBlock()->getArguments().back(),
                  loop.getRegionIterArg(0));
      for (auto [argument, tile, scalar] :
           llvm::zip(op.getBlock()->getArguments(), tiles, scalars)) {
        if (scalar)
          mapping.map(argument, scalar);
        else if (tile)
          mapping.map(argument,
                      memref::LoadOp::create(b, tile, loop.getInductionVar()));
      }
      for (Operation &each : op.getBlock()->without_terminator())
        b.clone(each, mapping);
      scf::YieldOp::create(b,
                           mapping.lookupOrDefault(
                               op.getBlock()->getTerminator()->getOperand(0)));
    }
    memref::StoreOp::create(b, loop.getResult(0), result, group);
  });
  gpu::BarrierOp::create(b);
  return memref::LoadOp::create(b, result, group);
}

void FusedReductionBuilder::reduce(const Member &member, Reduction kind) {
  LinalgOp op = member.op;
  OpOperand &output = *op.getDpsInitOperand(0);
  Values starts = read(output);
  Value buffer = FusedReductions::getBufferOfView(output.get());
  auto setResult = [&](Values values) {
    current[buffer] = std::move(values);
    zeroPadded.erase(buffer);
  };
  if (kind == Reduction::Ordered)
    return setResult({reduceInOrder(member, starts[0])});
  Operation *combiner = FusedReductions::getCombiner(op);
  Value accumulator = op.getBlock()->getArguments().back();
  unsigned which = combiner->getOperand(0) == accumulator;
  SmallVector<Values> arguments;
  mapArguments(member, arguments);
  Values values;
  bool isColumns = kind == Reduction::Columns;
  Value neutral;
  if (!isColumns)
    neutral = arith::ConstantOp::create(b, *arith::getNeutralElement(combiner));
  for (unsigned slot = 0; slot < fused.slots; ++slot) {
    IRMapping mapping;
    for (auto [argument, given] :
         llvm::zip_equal(op.getBlock()->getArguments(), arguments))
      if (!given.empty())
        mapping.map(argument, given[given.size() == 1 ? 0 : slot]);
    computeBody(member, slot, mapping);
    Value value = mapping.lookupOrDefault(combiner->getOperand(which));
    if (kind == Reduction::Tile)
      value = mask(member, slot, value, neutral);
    values.push_back(isColumns ? value : broadcast(value));
  }
  if (isColumns) {
    Value result = broadcast(starts[0]);
    for (Value value : values) {
      Value operands[] = {result, result};
      operands[which] = value;
      result = createLike(combiner, operands);
    }
    return setResult({result});
  }
  if (kind == Reduction::Blocks) {
    SmallVector<unsigned> reduced;
    op.getReductionDims(reduced);
    int64_t size = fused.tile.back();
    for (unsigned loop : reduced)
      if (member.loops[loop].kind == Coordinate::Within)
        size = member.loops[loop].size;
    for (auto [slot, value] : llvm::enumerate(values)) {
      value = reduceThreads(combiner, reduceLanes(combiner, value),
                            size / fused.width);
      value =
          createLike(combiner, {value, starts[starts.size() == 1 ? 0 : slot]});
    }
    return setResult(values);
  }
  Value result = values[0];
  for (Value value : ArrayRef(values).drop_front())
    result = createLike(combiner, {result, value});
  result = reduceLanes(combiner, result);
  result = reduceThreads(combiner, result, std::min(kWarp, fused.groupSize));
  result = reduceWarps(combiner, result);
  setResult({createLike(combiner, {result, starts[0]})});
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

void FusedReductionBuilder::collectBuffers() {
  llvm::SmallDenseSet<Value> written;
  for (const Member &member : llvm::reverse(fused.members)) {
    LinalgOp op = member.op;
    for (OpOperand &operand : op->getOpOperands()) {
      if (!isa<MemRefType>(operand.get().getType()) ||
          op.getMatchingBlockArgument(&operand).use_empty())
        continue;
      Value buffer = FusedReductions::getBufferOfView(operand.get());
      if (!written.contains(buffer))
        loaded.insert(buffer);
    }
    for (Value output : op.getDpsInits()) {
      if (member.domain)
        output = cast<memref::SubViewOp>(member.domain).getSource();
      Value buffer = FusedReductions::getBufferOfView(output);
      written.insert(buffer);
      if (!fused.isInternal(buffer))
        stored.insert(buffer);
    }
  }
}

void FusedReductionBuilder::begin() {
  Value total = index(1);
  SmallVector<Value> counts;
  Value output = fused.consumer.getDpsInits()[0];
  for (unsigned loop = 0; loop < fused.sizes.size(); ++loop) {
    sizes.push_back(ShapedType::isDynamic(fused.sizes[loop])
                        ? b.createOrFold<memref::DimOp>(output, index(loop))
                        : index(fused.sizes[loop]));
    Value tile = index(fused.tile[loop]);
    Value count = b.createOrFold<arith::CeilDivUIOp>(sizes[loop], tile);
    // There may be more blocks than those of the consumer's elements.
    for (Value buffer : stored)
      for (auto [dimension, own] :
           llvm::enumerate(fused.coordinates.lookup(buffer)))
        if (own.kind == Coordinate::Block && own.loop == loop) {
          Value blocks =
              b.createOrFold<memref::DimOp>(buffer, index(dimension));
          Value elements = multiply(blocks, index(own.size));
          count = b.createOrFold<arith::MaxUIOp>(
              count, b.createOrFold<arith::CeilDivUIOp>(elements, tile));
        }
    counts.push_back(count);
    total = multiply(total, count);
  }
  int64_t groups = fused.numThreads / fused.groupSize;
  Value blocks = b.createOrFold<arith::CeilDivUIOp>(total, index(groups));
  Value block = launches.beginBlocks(blocks, fused.numThreads);
  b.restoreInsertionPoint(launches.rewriter.saveInsertionPoint());
  threadInBlock = launches.launch.getThreadIds().x;
  Value groupThreads = index(fused.groupSize);
  thread = b.createOrFold<arith::RemUIOp>(threadInBlock, groupThreads);
  group = b.createOrFold<arith::DivUIOp>(threadInBlock, groupThreads);
  Value number = add(multiply(block, index(groups)), group);
  std::optional<int64_t> known = getConstantIntValue(total);
  if (!known || *known == 0 || *known % groups != 0)
    isInside = below(number, total);
  launches.rewriter.restoreInsertionPoint(b.saveInsertionPoint());
  for (auto [position, extent] :
       llvm::zip_equal(launches.delinearize(number, counts), fused.tile))
    first.push_back(multiply(position, index(extent)));
  int64_t rowChunks = fused.tile.back() / fused.width;
  for (int64_t i = 0; i < fused.slots; ++i) {
    Slot slot;
    slot.chunk = add(thread, index(i * fused.groupSize));
    slot.row = b.createOrFold<arith::DivUIOp>(slot.chunk, index(rowChunks));
    slot.column =
        multiply(b.createOrFold<arith::RemUIOp>(slot.chunk, index(rowChunks)),
                 index(fused.width));
    if ((i + 1) * fused.groupSize > fused.chunks)
      slot.isChunk = below(slot.chunk, index(fused.chunks));
    slot.indices = first;
    slot.indices.back() = add(first.back(), slot.column);
    if (fused.rowLoop)
      slot.indices[*fused.rowLoop] = add(first[*fused.rowLoop], slot.row);
    slots.push_back(slot);
  }
  isVectorized = computeIsVector();
}

void FusedReductionBuilder::eraseOps() {
  IRRewriter &rewriter = launches.rewriter;
  llvm::SmallSetVector<Value, 8> buffers;
  for (const Member &member : fused.members)
    for (Value operand : member.op->getOperands())
      if (isa<MemRefType>(operand.getType()))
        buffers.insert(getRoot(operand));
  // What the ops read is freed after the kernel.
  SmallVector<memref::DeallocOp> freed;
  for (Operation *op = fused.members.back().op; op != fused.consumer;
       op = op->getNextNode())
    if (auto dealloc = dyn_cast<memref::DeallocOp>(op);
        dealloc && buffers.contains(getRoot(dealloc.getMemref())))
      freed.push_back(dealloc);
  for (memref::DeallocOp dealloc : freed)
    rewriter.moveOpAfter(dealloc, fused.consumer);
  for (Member &member : fused.members)
    rewriter.eraseOp(member.op);
  std::function<bool(Value)> isDead = [&](Value view) {
    return llvm::all_of(view.getUsers(), [&](Operation *user) {
      return isa<memref::DeallocOp>(user) ||
             (isa<ViewLikeOpInterface>(user) && user->getNumResults() == 1 &&
              isDead(user->getResult(0)));
    });
  };
  std::function<void(Value)> eraseUsers = [&](Value view) {
    for (Operation *user : llvm::make_early_inc_range(view.getUsers())) {
      for (Value result : user->getResults())
        eraseUsers(result);
      rewriter.eraseOp(user);
    }
  };
  for (Value buffer : buffers)
    if (auto alloc = buffer.getDefiningOp<memref::AllocOp>();
        alloc && isDead(buffer)) {
      eraseUsers(buffer);
      rewriter.eraseOp(alloc);
    }
}

void FusedReductionBuilder::build() {
  b.setInsertionPoint(fused.consumer);
  launches.rewriter.setInsertionPoint(fused.consumer);
  collectBuffers();
  begin();
  for (const Member &member : llvm::reverse(fused.members)) {
    Reduction kind;
    fused.classify(member, kind);
    if (kind == Reduction::None)
      evaluate(member);
    else
      reduce(member, kind);
  }
  for (Value buffer : stored)
    store(buffer, current[buffer]);
  launches.endLaunch();
  eraseOps();
}

void FusedReductions::build(KernelLaunches &launches) {
  launches.loc = consumer.getLoc();
  FusedReductionBuilder(*this, launches).build();
}
