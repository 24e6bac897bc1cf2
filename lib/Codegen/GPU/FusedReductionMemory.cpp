//===- FusedReductionMemory.cpp - Loads and stores of fused reductions ----===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Common/LinalgUtils.h"
#include "ElementwiseWidth.h"
#include "FusedReductionBuilder.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "quant-float/IR/ElementTypes.h"
#include "quant-float/Support/BufferSize.h"

using namespace mlir;
using namespace mlir::quant_float;
using linalg::LinalgOp;

/// Returns the distance of adjacent elements in memory.
static int64_t getStrideBits(Type element) {
  return isPackedElementType(element) ? element.getIntOrFloatBitWidth()
                                      : 8 * getStrideBytes(element);
}

bool FusedReductionBuilder::hasVectorAccess(Value buffer) const {
  auto type = cast<MemRefType>(buffer.getType());
  auto coordinates = fused.coordinates.lookup(buffer);
  return fused.width > 1 && isVector(coordinates) &&
         coordinates.back() ==
             Coordinate{Coordinate::Loop, fused.getLast(), 0} &&
         type.isLastDimUnitStride() && fillsSlots(type);
}

/// Returns the alignment of `width` elements in bytes: the size of an access,
/// or of its parts if it is not a power of two.
static int64_t getAlignment(Value buffer, int64_t width) {
  Type element = cast<MemRefType>(buffer.getType()).getElementType();
  int64_t bytes = width * getStrideBits(element) / 8;
  return std::min(kMaxAccessBytes, bytes & -bytes);
}

/// Whether all rows consist of full, aligned vectors.
Value FusedReductionBuilder::computeIsVectorized() {
  // The bits of all addresses and sizes that must be zero.
  Value misaligned;
  auto addMisaligned = [&](Value value) {
    misaligned =
        misaligned ? b.createOrFold<arith::OrIOp>(misaligned, value) : value;
  };
  SmallVector<Value> buffers(loaded.begin(), loaded.end());
  buffers.append(stored.begin(), stored.end());
  for (Value buffer : buffers) {
    if (!hasVectorAccess(buffer))
      continue;
    int64_t bits =
        getStrideBits(cast<MemRefType>(buffer.getType()).getElementType());
    int64_t alignment = getAlignment(buffer, fused.width);
    auto metadata = memref::ExtractStridedMetadataOp::create(b, buffer);
    Value base = memref::ExtractAlignedPointerAsIndexOp::create(
        b, metadata.getBaseBuffer());
    auto addDistance = [&](Value elements) {
      addMisaligned(b.createOrFold<arith::AndIOp>(
          multiply(elements, index(bits)), index(8 * alignment - 1)));
    };
    addMisaligned(arith::AndIOp::create(b, base, index(alignment - 1)));
    addDistance(metadata.getOffset());
    for (Value stride : ValueRange(metadata.getStrides()).drop_back())
      addDistance(stride);
  }
  if (!misaligned)
    return nullptr;
  if (fused.sizes.back() % fused.width != 0 ||
      ShapedType::isDynamic(fused.sizes.back()))
    addMisaligned(arith::RemUIOp::create(b, sizes.back(), index(fused.width)));
  return compare(arith::CmpIPredicate::eq, misaligned, index(0));
}

Value FusedReductionBuilder::zero(Type type) {
  Type element = getElementTypeOrSelf(type);
  Type bits = element;
  // Not all floats have a zero.
  if (isa<FloatType>(element))
    bits = b.getIntegerType(element.getIntOrFloatBitWidth());
  Type integers = bits;
  if (auto vector = dyn_cast<VectorType>(type))
    integers = vector.clone(bits);
  Value constant = arith::ConstantOp::create(b, b.getZeroAttr(integers));
  return bits == element ? constant
                         : arith::BitcastOp::create(b, type, constant);
}

void FusedReductionBuilder::forEachLane(
    Value buffer, unsigned slot, int64_t step,
    llvm::function_ref<void(int64_t, ArrayRef<Value>, Value)> body) {
  Value start = slots[slot].indices.back();
  for (int64_t lane = 0; lane < fused.width; lane += step) {
    Value column = arith::AddIOp::create(b, start, index(lane));
    slots[slot].indices.back() = column;
    SmallVector<Value> indices = getIndices(buffer, slot);
    Value guard = createAnd(getGuard(slot, /*isInRow=*/true),
                            isBelow(column, sizes.back()));
    body(lane, indices, guard);
  }
  slots[slot].indices.back() = start;
}

FusedReductionBuilder::Values FusedReductionBuilder::load(Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  Type element = type.getElementType();
  auto coordinates = fused.coordinates.lookup(buffer);
  unsigned count = variesBySlot(coordinates) ? fused.slots : 1;
  Values values;
  auto loadElement = [&](ArrayRef<Value> indices) -> Value {
    return memref::LoadOp::create(b, buffer, indices);
  };
  if (isVector(coordinates))
    zeroPadded.insert(buffer);
  if (!isVector(coordinates) || fused.width == 1) {
    bool isScalar = llvm::all_of(coordinates, [](const Coordinate &coordinate) {
      return coordinate.kind == Coordinate::Unit;
    });
    for (unsigned slot = 0; slot < count; ++slot) {
      SmallVector<Value> indices = getIndices(buffer, slot);
      values.push_back(emitIfOrZero(isScalar ? Value() : getGuard(slot),
                                    element,
                                    [&] { return loadElement(indices); }));
    }
    return values;
  }
  Type vector = vectorOf(element);
  auto loadVectors = [&] {
    Values vectors;
    for (unsigned slot = 0; slot < count; ++slot) {
      SmallVector<Value> indices = getIndices(buffer, slot);
      vectors.push_back(emitIfOrZero(getGuard(slot), vector, [&]() -> Value {
        auto load = vector::LoadOp::create(b, cast<VectorType>(vector), buffer,
                                           indices);
        load.setAlignment(getAlignment(buffer, fused.width));
        return load;
      }));
    }
    return vectors;
  };
  auto loadElements = [&] {
    Values vectors;
    for (unsigned slot = 0; slot < count; ++slot) {
      SmallVector<Value> elements;
      forEachLane(buffer, slot, /*step=*/1,
                  [&](int64_t, ArrayRef<Value> indices, Value guard) {
                    elements.push_back(emitIfOrZero(
                        guard, element, [&] { return loadElement(indices); }));
                  });
      vectors.push_back(vector::FromElementsOp::create(
          b, cast<VectorType>(vector), elements));
    }
    return vectors;
  };
  if (!hasVectorAccess(buffer))
    return loadElements();
  return emitIfElse(b, b.getLoc(), SmallVector<Type>(count, vector),
                    isVectorized, loadVectors, loadElements);
}

void FusedReductionBuilder::store(Value buffer, const Values &values) {
  auto coordinates = fused.coordinates.lookup(buffer);
  unsigned count = variesBySlot(coordinates) ? fused.slots : 1;
  auto get = [&](unsigned slot) {
    return values[values.size() == 1 ? 0 : slot];
  };
  if (!isVector(coordinates) || fused.width == 1) {
    for (unsigned slot = 0; slot < count; ++slot) {
      // The first of the threads and slots that share the value.
      Value guard = createAnd(isInBounds, slots[slot].isChunk);
      bool hasColumn = isVector(coordinates);
      std::optional<int64_t> rows, columns;
      SmallVector<Value> indices = getIndices(buffer, slot);
      for (auto [dimension, coordinate] : llvm::enumerate(coordinates)) {
        if (coordinate.kind == Coordinate::Unit)
          continue;
        if (coordinate.kind == Coordinate::Block)
          (coordinate.loop == fused.getLast() ? columns : rows) =
              coordinate.size;
        if (fused.rowLoop == coordinate.loop &&
            coordinate.kind == Coordinate::Loop)
          rows = 1;
        if (isDivisible(coordinate.loop))
          continue;
        if (coordinate.kind == Coordinate::Block)
          guard = createAnd(guard, isBelow(indices[dimension],
                                           b.createOrFold<memref::DimOp>(
                                               buffer, index(dimension))));
        else if (fused.tile[coordinate.loop] > 1)
          guard = createAnd(
              guard, isBelow(indices[dimension], sizes[coordinate.loop]));
      }
      auto isFirst = [&](Value position, int64_t extent,
                         std::optional<int64_t> size) {
        if (extent == 1 || size == 1)
          return;
        if (size && *size < extent)
          position = arith::RemUIOp::create(b, position, index(*size));
        guard = createAnd(
            guard, compare(arith::CmpIPredicate::eq, position, index(0)));
      };
      if (!hasColumn)
        isFirst(slots[slot].column, fused.tile.back(), columns);
      if (fused.rowLoop && (!hasColumn || !fused.isColumns()))
        isFirst(slots[slot].row, fused.tile[*fused.rowLoop], rows);
      emitIf(guard,
             [&] { memref::StoreOp::create(b, get(slot), buffer, indices); });
    }
    return;
  }
  auto storeVectors = [&] {
    for (unsigned slot = 0; slot < count; ++slot) {
      SmallVector<Value> indices = getIndices(buffer, slot);
      Value vector = broadcast(get(slot));
      emitIf(getGuard(slot), [&] {
        auto store = vector::StoreOp::create(b, vector, buffer, indices);
        store.setAlignment(getAlignment(buffer, fused.width));
      });
    }
  };
  // Packed elements are stored in groups that fill entire bytes.
  int64_t groupSize =
      hasPackedElements(buffer)
          ? getElementsPerByte(
                cast<MemRefType>(buffer.getType()).getElementType())
          : 1;
  auto storeElements = [&] {
    for (unsigned slot = 0; slot < count; ++slot)
      forEachLane(buffer, slot, groupSize,
                  [&](int64_t lane, ArrayRef<Value> indices, Value guard) {
                    Value value = get(slot);
                    if (groupSize > 1) {
                      Value group = vector::ExtractStridedSliceOp::create(
                          b, broadcast(value), lane, groupSize, 1);
                      emitIf(guard, [&] {
                        vector::StoreOp::create(b, group, buffer, indices)
                            .setAlignment(1);
                      });
                      return;
                    }
                    if (isa<VectorType>(value.getType()))
                      value = vector::ExtractOp::create(b, value, lane);
                    emitIf(guard, [&] {
                      memref::StoreOp::create(b, value, buffer, indices);
                    });
                  });
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

Value FusedReductionBuilder::allocate(int64_t count, Type element) {
  Value memory =
      launches.allocateWorkgroupMemory(count * getStrideBytes(element));
  return viewWorkgroupMemory(b, b.getLoc(), memory, {count}, element);
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
  int64_t piece =
      std::min(fused.width, kMaxAccessBytes / getStrideBytes(element));
  int64_t count = cast<MemRefType>(tile.getType()).getDimSize(0) / piece;
  Value memory = tile.getDefiningOp<memref::ViewOp>().getSource();
  Value pieces = viewWorkgroupMemory(b, b.getLoc(), memory, {count},
                                     VectorType::get({piece}, element));
  Value first = arith::DivUIOp::create(b, position, index(piece));
  for (int64_t i = 0; i < fused.width / piece; ++i) {
    Value part =
        vector::ExtractStridedSliceOp::create(b, value, i * piece, piece, 1);
    memref::StoreOp::create(b, part, pieces, add(first, index(i)));
  }
}
