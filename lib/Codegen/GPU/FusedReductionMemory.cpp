//===- FusedReductionMemory.cpp - Loads and stores of fused reductions ----===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FusedReductionBuilder.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "quant-float/Support/BufferSize.h"

using namespace mlir;
using namespace mlir::quant_float;
using linalg::LinalgOp;

static constexpr int64_t kAccessBytes = 16;

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
