//===- RowMatvecKernels.cpp - Row matvecs on GPUs -------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Matvecs whose weights are K-contiguous. The accumulation order is that of CPU
// code (R7), with threads in the role of vector lanes:
//
//   for each part of the chunks:
//     all: rearrange x in workgroup memory, as on CPUs
//     barrier
//     each thread, for its lanes of a channel, for each chunk:
//       load 4 bytes of quantized values at once
//       acc = -offset * (sums of x)
//       for term: acc += term(values) * x[chunk, term]
//       lanes += scale * acc
//   all: store lanes to workgroup memory; barrier
//   a thread for each channel: reduces the lanes
//
//===----------------------------------------------------------------------===//

#include "MatvecKernels.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::quant_float;

/// The size of a thread's load in bytes.
static constexpr int64_t kLoadBytes = 4;

namespace {
class RowMatvecKernel final : public MatvecKernel {
public:
  using MatvecKernel::MatvecKernel;
  void emit() override;

private:
  static constexpr int64_t kThreads = 128;
  /// The maximum size of x in workgroup memory in bytes.
  static constexpr int64_t kMaxBytes = 24576;

  /// The number of lanes per thread. A 32-bit load contains all terms of one
  /// lane if values are packed, else one value for each of four lanes.
  int64_t getShare() const { return contraction.isPacked() ? 1 : kLoadBytes; }
  int64_t getThreadsPerRow() const { return order.lanes / getShare(); }
  int64_t getGroups() const { return kThreads / getThreadsPerRow(); }
  /// The number of channels per thread.
  int64_t getRows() const { return contraction.isPacked() ? 2 : 1; }
  int64_t getRowsOfBlock() const { return getGroups() * getRows(); }
  int64_t getChunks() const {
    return llvm::divideCeil(contraction.getDepth(), order.getChunk());
  }
  VectorType getLanes() { return vectorOf(getShare(), b.getF32Type()); }
  bool isDivisible() const {
    return contraction.getDepth() % order.getChunk() == 0;
  }
  /// Views an array of scalars as an array of vectors of the threads' lanes.
  Value viewLanes(Value shared) {
    SmallVector<int64_t> shape(cast<MemRefType>(shared.getType()).getShape());
    shape.back() /= getShare();
    return view(shared.getDefiningOp<memref::ViewOp>().getSource(), shape,
                getLanes());
  }

  void packX(Value from, int64_t count);
  /// The number of chunks per iteration.
  int64_t getUnroll() const { return contraction.isPacked() ? 4 : 2; }
  /// Accumulates `number` chunks, beginning with `first`, of the part that
  /// begins with chunk `from` and is in workgroup memory.
  SmallVector<Value> emitChunks(Value from, Value first, int64_t number,
                                ValueRange accumulators);
  void emitChunk(Value start, Value chunk, ArrayRef<Value> loads,
                 MutableArrayRef<Value> accumulators);
  /// Returns the indices along K of the thread's loads in a chunk.
  SmallVector<Value> getKIndices(Value start);
  /// Loads 4 bytes of quantized values at each of `kIndices`, for each channel
  /// of the thread. Out-of-bounds values are zero.
  SmallVector<Value> loadQuantized(ValueRange kIndices);
  /// Returns the decoded values of the thread's lanes in a channel, by term.
  SmallVector<Value> decode(Value start, ArrayRef<Value> loads);
  /// Builds a value of the body that is the same for a block, for the thread's
  /// lanes.
  Value buildShared(Value value, Value start);
  void addLanes(ValueRange accumulators);

  /// x indexed by vector, chunk, term and lane, and the sums of x of each lane
  /// of a chunk. Both also as vectors of the threads' lanes.
  Value packed, packedLanes, inputSums, inputSumLanes;
  /// The thread's first lane, its group, and its channels.
  Value lane, group;
  SmallVector<Value> channels;
  /// Whether the rows of weights are aligned to loads; null if their size is
  /// not a multiple of a load.
  Value isAligned;
};
} // namespace

/// Rearranges x as CPU code does. The work is distributed by chunk and lane.
void RowMatvecKernel::packX(Value from, int64_t count) {
  forEachElement(count * order.lanes, kThreads, [&](Value flat) {
    Value chunk = divide(flat, order.lanes);
    Value lane = modulo(flat, order.lanes);
    Value start = timesValue(plusValue(from, chunk), order.getChunk());
    for (int64_t vector = 0; vector < contraction.vectors; ++vector) {
      Value inputSum;
      for (int64_t term = 0; term < order.terms; ++term) {
        Value within =
            order.consecutive
                ? plusValue(timesValue(lane, order.terms), index(term))
                : plusValue(lane, index(term * order.lanes));
        Value k = plusValue(start, within);
        position[contraction.depth] = k;
        // The last part may have fewer chunks.
        bool isInBounds = isDivisible() && getChunks() % count == 0;
        Value element = emitIfElse(
            isInBounds ? Value() : isBelow(k, contraction.getDepth()),
            b.getF32Type(), [&] { return x(vector); },
            [&] { return number(0); });
        if (needsInputSums())
          inputSum = add(inputSum, element);
        double scale = terms ? std::ldexp(contraction.values.unit,
                                          -terms->getExponent(term))
                             : 1;
        if (scale != 1)
          element = multiply(element, number(scale));
        memref::StoreOp::create(
            b, element, packed,
            ValueRange{index(vector), chunk, index(term), lane});
      }
      if (!needsInputSums())
        continue;
      if (contraction.values.unit != 1)
        inputSum = multiply(inputSum, number(contraction.values.unit));
      memref::StoreOp::create(b, inputSum, inputSums,
                              ValueRange{index(vector), chunk, lane});
    }
  });
}

Value RowMatvecKernel::buildShared(Value value, Value start) {
  position[contraction.depth] = start;
  if (order.consecutive && contraction.block < order.getChunk()) {
    // Each block covers consecutive lanes of the chunk.
    Value within =
        timesValue(divide(timesValue(lane, order.terms), contraction.block),
                   contraction.block);
    Value k = plusValue(start, within);
    if (!isDivisible())
      k = arith::SelectOp::create(b, isBelow(k, contraction.getDepth()), k,
                                  start);
    position[contraction.depth] = k;
  }
  return broadcast(toFloat(buildScalar(value)), getShare());
}

SmallVector<Value> RowMatvecKernel::loadQuantized(ValueRange kIndices) {
  int64_t width = 8 * kLoadBytes / contraction.bits,
          inByte = 8 / contraction.bits;
  Type element = getElementTypeOrSelf(contraction.quantized->get());
  Type byte = contraction.isPacked() ? b.getI8Type() : element;
  auto type = vectorOf(kLoadBytes, byte);
  // Loads `bytes` bytes at `k`.
  auto loadBytes = [&](Value k, int64_t bytes) -> Value {
    position[contraction.depth] = k;
    bool isInBytes = element == byte;
    int64_t count = isInBytes ? bytes : bytes * inByte;
    auto load = vector::LoadOp::create(b, vectorOf(count, element),
                                       contraction.quantized->get(),
                                       getIndices(contraction.quantized));
    load.setAlignment(bytes);
    return isInBytes
               ? load.getResult()
               : vector::BitCastOp::create(b, vectorOf(bytes, byte), load);
  };
  auto isInBounds = [&](Value k) {
    return isDivisible() ? Value() : isBelow(k, contraction.getDepth());
  };
  auto loadEach = [&](Value k) -> Value {
    SmallVector<Value> bytes;
    for (int64_t i = 0; i < kLoadBytes; ++i) {
      Value here = plusValue(k, index(i * inByte));
      auto loadByte = [&]() -> Value {
        return vector::ExtractOp::create(b, loadBytes(here, 1), 0);
      };
      bytes.push_back(emitIfElse(isInBounds(here), byte, loadByte,
                                 [&] { return zero(byte); }));
    }
    return vector::FromElementsOp::create(b, type, bytes);
  };
  auto loadAll = [&](llvm::function_ref<Value(Value)> loadOne) {
    SmallVector<Value> loads;
    for (Value channel : channels) {
      position[contraction.channel] = channel;
      for (Value k : kIndices)
        loads.push_back(loadOne(k));
    }
    return loads;
  };
  if (!isAligned)
    return loadAll(loadEach);
  // If the last load is in bounds, all are.
  Value isWide = isAligned;
  if (Value last = isInBounds(plusValue(kIndices.back(), index(width - 1))))
    isWide = arith::AndIOp::create(b, isWide, last);
  SmallVector<Type> types(channels.size() * kIndices.size(), type);
  return quant_float::emitIfElse(
      b, b.getLoc(), types, isWide,
      [&] {
        return loadAll([&](Value k) { return loadBytes(k, kLoadBytes); });
      },
      [&] { return loadAll(loadEach); });
}

SmallVector<Value> RowMatvecKernel::getKIndices(Value start) {
  if (terms)
    return {plusValue(start, timesValue(lane, order.terms))};
  SmallVector<Value> kIndices;
  for (int64_t term = 0; term < order.terms; ++term)
    kIndices.push_back(
        plusValue(start, plusValue(lane, index(term * order.lanes))));
  return kIndices;
}

SmallVector<Value> RowMatvecKernel::decode(Value start, ArrayRef<Value> loads) {
  SmallVector<Value> weights;
  if (terms) {
    auto one = vectorOf(1, b.getI32Type());
    Value packed = vector::ExtractOp::create(
        b, vector::BitCastOp::create(b, one, loads.front()), 0);
    for (Value weight : decodeFields(packed, order.terms, [&](unsigned term) {
           return terms->getExponent(term);
         }))
      weights.push_back(broadcast(weight, 1));
    return weights;
  }
  position[contraction.depth] = start;
  for (Value loaded : loads) {
    BodySlice slice(
        b, op,
        [&](OpOperand *operand) {
          return operand == contraction.quantized ? loaded : load(operand);
        },
        [&](unsigned loop) { return getIndex(loop); });
    Value weight = toFloat(slice.build(contraction.decoded));
    if (contraction.point)
      weight = arith::SubFOp::create(
          b, weight,
          broadcast(toFloat(buildScalar(contraction.point)), getShare()));
    weights.push_back(weight);
  }
  return weights;
}

SmallVector<Value> RowMatvecKernel::emitChunks(Value from, Value first,
                                               int64_t number,
                                               ValueRange before) {
  SmallVector<Value> starts, kIndices, accumulators(before);
  for (int64_t i = 0; i < number; ++i) {
    Value chunk = plusValue(from, plusValue(first, index(i)));
    starts.push_back(timesValue(chunk, order.getChunk()));
    llvm::append_range(kIndices, getKIndices(starts.back()));
  }
  SmallVector<Value> loads = loadQuantized(kIndices);
  size_t each = kIndices.size() / number;
  for (int64_t i = 0; i < number; ++i) {
    SmallVector<Value> own;
    for (size_t row = 0; row < channels.size(); ++row)
      llvm::append_range(
          own, ArrayRef(loads).slice(row * kIndices.size() + i * each, each));
    emitChunk(starts[i], plusValue(first, index(i)), own, accumulators);
  }
  return accumulators;
}

void RowMatvecKernel::emitChunk(Value start, Value chunk, ArrayRef<Value> loads,
                                MutableArrayRef<Value> accumulators) {
  Value lanesOfChunk = divide(lane, getShare());
  size_t each = loads.size() / channels.size();
  for (auto [row, channel] : llvm::enumerate(channels)) {
    position[contraction.channel] = channel;
    SmallVector<Value> weights = decode(start, loads.slice(row * each, each));
    Value scale =
        contraction.scale && contraction.block != contraction.getDepth()
            ? buildShared(contraction.scale, start)
            : Value();
    Value correction, minimum;
    if (needsCorrection())
      correction = getCorrection(
          contraction.point ? buildShared(contraction.point, start) : Value(),
          getShare());
    if (contraction.minimum)
      minimum = buildShared(contraction.minimum, start);
    for (int64_t vector = 0; vector < contraction.vectors; ++vector) {
      Value accumulator, inputSum;
      if (needsInputSums())
        inputSum = memref::LoadOp::create(
            b, inputSumLanes, ValueRange{index(vector), chunk, lanesOfChunk});
      if (correction)
        accumulator = multiply(correction, inputSum);
      for (auto [term, weight] : llvm::enumerate(weights)) {
        Value x = memref::LoadOp::create(
            b, packedLanes,
            ValueRange{index(vector), chunk, index(term), lanesOfChunk});
        accumulator = accumulate(accumulator, weight, x);
      }
      Value &all = accumulators[row * contraction.vectors + vector];
      all = scale ? accumulate(all, scale, accumulator) : add(all, accumulator);
      if (minimum)
        all = accumulateMinimum(all, minimum, inputSum);
    }
  }
}

void RowMatvecKernel::addLanes(ValueRange accumulators) {
  Value scalars = share({getRowsOfBlock(), contraction.vectors, order.lanes},
                        b.getF32Type());
  Value all = viewLanes(scalars);
  for (int64_t row = 0; row < getRows(); ++row)
    for (int64_t vector = 0; vector < contraction.vectors; ++vector)
      memref::StoreOp::create(
          b, accumulators[row * contraction.vectors + vector], all,
          ValueRange{plusValue(group, index(row * getGroups())), index(vector),
                     divide(lane, getShare())});
  barrier();
  emitIf(isBelow(thread, getRowsOfBlock()), [&] {
    Value channel = plusValue(timesValue(block, getRowsOfBlock()), thread);
    Value isInBounds;
    if (contraction.getChannels() % getRowsOfBlock() != 0)
      isInBounds = isBelow(channel, contraction.getChannels());
    emitIf(isInBounds, [&] {
      OpOperand *init = op.getDpsInitOperand(0);
      position[contraction.channel] = channel;
      position[contraction.depth] = b.getIndexAttr(0);
      Value scale = getChannelScale();
      for (int64_t vector = 0; vector < contraction.vectors; ++vector) {
        SmallVector<Value> sums;
        for (int64_t i = 0; i < order.lanes; ++i)
          sums.push_back(memref::LoadOp::create(
              b, scalars, ValueRange{thread, index(vector), index(i)}));
        for (int64_t half = order.lanes / 2; half; half /= 2)
          for (int64_t i = 0; i < half; ++i)
            sums[i] = add(sums[i], sums[half + i]);
        Value accumulator = scale ? multiply(scale, sums[0]) : sums[0];
        selectVector(vector);
        memref::StoreOp::create(b, add(load(init), accumulator), init->get(),
                                getIndices(init));
      }
    });
  });
}

void RowMatvecKernel::emit() {
  int64_t rows = getRowsOfBlock(), channelsCount = contraction.getChannels();
  beginBlocks(llvm::divideCeil(channelsCount, rows), kThreads);
  lane = timesValue(modulo(thread, getThreadsPerRow()), getShare());
  group = divide(thread, getThreadsPerRow());
  for (int64_t row = 0; row < getRows(); ++row) {
    Value channel = plusValue(timesValue(block, rows),
                              plusValue(group, index(row * getGroups())));
    // Out-of-bounds groups recompute the last channel.
    channels.push_back(channelsCount % rows ? clamp(channel, channelsCount)
                                            : channel);
  }
  auto type = cast<MemRefType>(contraction.quantized->get().getType());
  bool hasAlignedRows =
      type.getLayout().isIdentity() &&
      contraction.getDepth() * contraction.bits % (8 * kLoadBytes) == 0;
  if (hasAlignedRows) {
    Value base = memref::ExtractAlignedPointerAsIndexOp::create(
        b, contraction.quantized->get());
    isAligned = arith::CmpIOp::create(
        b, arith::CmpIPredicate::eq,
        arith::AndIOp::create(b, base, index(kLoadBytes - 1)), index(0));
  }

  int64_t chunkBytes =
      contraction.vectors * (order.getChunk() + order.lanes) * 4;
  int64_t count =
      std::min(getChunks(), std::max<int64_t>(kMaxBytes / chunkBytes, 1));
  Type f32 = b.getF32Type();
  packed = share({contraction.vectors, count, order.terms, order.lanes}, f32);
  packedLanes = viewLanes(packed);
  if (needsInputSums()) {
    inputSums = share({contraction.vectors, count, order.lanes}, f32);
    inputSumLanes = viewLanes(inputSums);
  }

  SmallVector<Value> accumulators(getRows() * contraction.vectors,
                                  zero(getLanes()));
  int64_t numParts = llvm::divideCeil(getChunks(), count);
  bool isDivisiblePart = getChunks() % count == 0 && count % getUnroll() == 0;
  accumulators =
      loop(index(0), index(numParts), 1, accumulators,
           [&](Value part, ValueRange accumulators) {
             Value from = timesValue(part, count);
             // Wait until no thread reads the previous part.
             if (numParts > 1)
               barrier();
             packX(from, count);
             barrier();
             Value end = index(count);
             if (getChunks() % count != 0)
               end = arith::MinUIOp::create(
                   b, end, arith::SubIOp::create(b, index(getChunks()), from));
             return unrolledLoop(
                 index(0), end, getUnroll(), isDivisiblePart, accumulators,
                 [&](Value first, int64_t number, ValueRange accumulators) {
                   return emitChunks(from, first, number, accumulators);
                 });
           });
  addLanes(accumulators);
}

std::unique_ptr<WeightContractionLoops> quant_float::makeVectorRows(
    KernelLaunches &launches, const WeightContraction &contraction,
    const ReductionSchedule &order, const LoweringTarget &target) {
  return std::make_unique<RowMatvecKernel>(launches, contraction, order,
                                           target);
}
