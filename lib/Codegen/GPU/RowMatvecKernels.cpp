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
//       sum = -offset * (sums of x)
//       for term: sum += term(values) * x[chunk, term]
//       lanes += scale * sum
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
static constexpr int64_t kWordBytes = 4;

namespace {
class RowMatvecKernel final : public MatvecKernel {
public:
  using MatvecKernel::MatvecKernel;
  void emit() override;

private:
  static constexpr int64_t kThreads = 128;
  /// The maximum size of x in workgroup memory in bytes.
  static constexpr int64_t kMaxBytes = 24576;

  /// The number of lanes per thread. A 32-bit word contains all terms of one
  /// lane if values are packed, else one value for each of four lanes.
  int64_t getShare() const { return product.isPacked() ? 1 : kWordBytes; }
  int64_t getThreadsOfRow() const { return order.lanes / getShare(); }
  int64_t getGroups() const { return kThreads / getThreadsOfRow(); }
  /// The number of channels per thread.
  int64_t getRows() const { return product.isPacked() ? 2 : 1; }
  int64_t getRowsOfBlock() const { return getGroups() * getRows(); }
  int64_t getChunks() const {
    return llvm::divideCeil(product.getDepth(), order.getChunk());
  }
  VectorType getLanes() { return vectorOf(getShare(), b.getF32Type()); }
  bool isWhole() const { return product.getDepth() % order.getChunk() == 0; }
  /// Views an array of scalars as an array of vectors of the threads' lanes.
  Value viewLanes(Value shared) {
    SmallVector<int64_t> shape(cast<MemRefType>(shared.getType()).getShape());
    shape.back() /= getShare();
    return view(shared.getDefiningOp<memref::ViewOp>().getSource(), shape,
                getLanes());
  }

  void packX(Value from, int64_t count);
  /// The number of chunks per iteration.
  int64_t getMany() const { return product.isPacked() ? 4 : 2; }
  /// Accumulates `number` chunks, beginning with `first`, of the part that
  /// begins with chunk `from` and is in workgroup memory.
  SmallVector<Value> emitChunks(Value from, Value first, int64_t number,
                                ValueRange sums);
  void emitChunk(Value start, Value chunk, ArrayRef<Value> words,
                 MutableArrayRef<Value> sums);
  /// Returns the indices along K of the thread's words in a chunk.
  SmallVector<Value> getPlaces(Value start);
  /// Loads a word of quantized values at each of `places`, for each channel of
  /// the thread. Out-of-bounds values are zero.
  SmallVector<Value> loadCodes(ValueRange places);
  /// Returns the decoded factors of the thread's lanes in a channel, by term.
  SmallVector<Value> decode(Value start, ArrayRef<Value> words);
  /// Builds a value of the body that is the same for a block, for the thread's
  /// lanes.
  Value buildShared(Value value, Value start);
  void addLanes(ValueRange sums);

  /// x indexed by vector, chunk, term and lane; the same memory as vectors of
  /// the threads' lanes; and the sums of x of each lane of a chunk.
  Value packed, packedLanes, packedSums;
  /// The thread's first lane, its group, and its channels.
  Value lane, group;
  SmallVector<Value> channels;
  /// Whether the rows of weights are aligned to words; null if their size is
  /// not a multiple of a word.
  Value isAligned;
};
} // namespace

/// Rearranges x as CPU code does. The work is distributed by chunk and lane.
void RowMatvecKernel::packX(Value from, int64_t count) {
  forEachOf(count * order.lanes, kThreads, [&](Value place) {
    Value chunk = divide(place, order.lanes);
    Value lane = modulo(place, order.lanes);
    Value start = timesValue(plusValue(from, chunk), order.getChunk());
    for (int64_t vector = 0; vector < product.vectors; ++vector) {
      Value sum;
      for (int64_t term = 0; term < order.terms; ++term) {
        Value within =
            order.consecutive
                ? plusValue(timesValue(lane, order.terms), index(term))
                : plusValue(lane, index(term * order.lanes));
        Value place = plusValue(start, within);
        position[product.depth] = place;
        // The last part may have fewer chunks.
        bool isThere = isWhole() && getChunks() % count == 0;
        Value element = select(
            isThere ? Value() : isBelow(place, product.getDepth()),
            b.getF32Type(), [&] { return x(vector); },
            [&] { return number(0); });
        if (needsSums())
          sum = add(sum, element);
        double scale =
            terms ? std::ldexp(product.values.unit, -terms->getExponent(term))
                  : 1;
        if (scale != 1)
          element = multiply(element, number(scale));
        memref::StoreOp::create(
            b, element, packed,
            ValueRange{index(vector), chunk, index(term), lane});
      }
      if (!needsSums())
        continue;
      if (product.values.unit != 1)
        sum = multiply(sum, number(product.values.unit));
      memref::StoreOp::create(b, sum, packedSums,
                              ValueRange{index(vector), chunk, lane});
    }
  });
}

Value RowMatvecKernel::buildShared(Value value, Value start) {
  position[product.depth] = start;
  if (order.consecutive && product.block < order.getChunk()) {
    // Each block covers consecutive lanes of the chunk.
    Value within = timesValue(
        divide(timesValue(lane, order.terms), product.block), product.block);
    Value place = plusValue(start, within);
    if (!isWhole())
      place = arith::SelectOp::create(b, isBelow(place, product.getDepth()),
                                      place, start);
    position[product.depth] = place;
  }
  return spread(toFloat(buildScalar(value)), getShare());
}

SmallVector<Value> RowMatvecKernel::loadCodes(ValueRange places) {
  int64_t width = 8 * kWordBytes / product.bits, inByte = 8 / product.bits;
  Type element = getElementTypeOrSelf(product.codes->get());
  Type byte = product.isPacked() ? b.getI8Type() : element;
  auto type = vectorOf(kWordBytes, byte);
  // Loads `bytes` bytes at `place`.
  auto loadBytes = [&](Value place, int64_t bytes) -> Value {
    position[product.depth] = place;
    bool isInBytes = element == byte;
    int64_t count = isInBytes ? bytes : bytes * inByte;
    auto load =
        vector::LoadOp::create(b, vectorOf(count, element),
                               product.codes->get(), getIndices(product.codes));
    load.setAlignment(bytes);
    return isInBytes
               ? load.getResult()
               : vector::BitCastOp::create(b, vectorOf(bytes, byte), load);
  };
  auto isThere = [&](Value place) {
    return isWhole() ? Value() : isBelow(place, product.getDepth());
  };
  auto loadEach = [&](Value place) -> Value {
    SmallVector<Value> bytes;
    for (int64_t i = 0; i < kWordBytes; ++i) {
      Value here = plusValue(place, index(i * inByte));
      auto loadByte = [&]() -> Value {
        return vector::ExtractOp::create(b, loadBytes(here, 1), 0);
      };
      bytes.push_back(
          select(isThere(here), byte, loadByte, [&] { return zero(byte); }));
    }
    return vector::FromElementsOp::create(b, type, bytes);
  };
  auto loadAll = [&](llvm::function_ref<Value(Value)> loadWord) {
    SmallVector<Value> words;
    for (Value channel : channels) {
      position[product.channel] = channel;
      for (Value place : places)
        words.push_back(loadWord(place));
    }
    return words;
  };
  if (!isAligned)
    return loadAll(loadEach);
  // If the last word is in bounds, all are.
  Value isWide = isAligned;
  if (Value last = isThere(plusValue(places.back(), index(width - 1))))
    isWide = arith::AndIOp::create(b, isWide, last);
  SmallVector<Type> types(channels.size() * places.size(), type);
  auto branch = scf::IfOp::create(b, types, isWide, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(
      b, loadAll([&](Value place) { return loadBytes(place, kWordBytes); }));
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, loadAll(loadEach));
  return branch.getResults();
}

SmallVector<Value> RowMatvecKernel::getPlaces(Value start) {
  if (terms)
    return {plusValue(start, timesValue(lane, order.terms))};
  SmallVector<Value> places;
  for (int64_t term = 0; term < order.terms; ++term)
    places.push_back(
        plusValue(start, plusValue(lane, index(term * order.lanes))));
  return places;
}

SmallVector<Value> RowMatvecKernel::decode(Value start, ArrayRef<Value> words) {
  SmallVector<Value> factors;
  if (terms) {
    auto one = vectorOf(1, b.getI32Type());
    Value codes = vector::ExtractOp::create(
        b, vector::BitCastOp::create(b, one, words.front()), 0);
    for (Value factor : getFactors(codes, order.terms, [&](unsigned term) {
           return terms->getExponent(term);
         }))
      factors.push_back(spread(factor, 1));
    return factors;
  }
  position[product.depth] = start;
  for (Value word : words) {
    BodySlice slice(
        b, op,
        [&](OpOperand *operand) {
          return operand == product.codes ? word : load(operand);
        },
        [&](unsigned loop) { return getIndex(loop); });
    Value factor = toFloat(slice.build(product.decoded));
    if (product.point)
      factor = arith::SubFOp::create(
          b, factor, spread(toFloat(buildScalar(product.point)), getShare()));
    factors.push_back(factor);
  }
  return factors;
}

SmallVector<Value> RowMatvecKernel::emitChunks(Value from, Value first,
                                               int64_t number,
                                               ValueRange before) {
  SmallVector<Value> starts, places, sums(before);
  for (int64_t i = 0; i < number; ++i) {
    Value chunk = plusValue(from, plusValue(first, index(i)));
    starts.push_back(timesValue(chunk, order.getChunk()));
    llvm::append_range(places, getPlaces(starts.back()));
  }
  SmallVector<Value> words = loadCodes(places);
  size_t each = places.size() / number;
  for (int64_t i = 0; i < number; ++i) {
    SmallVector<Value> own;
    for (size_t row = 0; row < channels.size(); ++row)
      llvm::append_range(
          own, ArrayRef(words).slice(row * places.size() + i * each, each));
    emitChunk(starts[i], plusValue(first, index(i)), own, sums);
  }
  return sums;
}

void RowMatvecKernel::emitChunk(Value start, Value chunk, ArrayRef<Value> words,
                                MutableArrayRef<Value> sums) {
  Value lanesOfChunk = divide(lane, getShare());
  size_t each = words.size() / channels.size();
  for (auto [row, channel] : llvm::enumerate(channels)) {
    position[product.channel] = channel;
    SmallVector<Value> factors = decode(start, words.slice(row * each, each));
    Value scale = product.scale && product.block != product.getDepth()
                      ? buildShared(product.scale, start)
                      : Value();
    Value correction;
    if (needsSums())
      correction = getCorrection(
          product.point ? buildShared(product.point, start) : Value(),
          getShare());
    for (int64_t vector = 0; vector < product.vectors; ++vector) {
      Value sum;
      if (correction) {
        Value all = memref::LoadOp::create(
            b, packedSums, ValueRange{index(vector), chunk, lane});
        sum = multiply(correction, spread(all, getShare()));
      }
      for (auto [term, factor] : llvm::enumerate(factors)) {
        Value x = memref::LoadOp::create(
            b, packedLanes,
            ValueRange{index(vector), chunk, index(term), lanesOfChunk});
        sum = add(sum, multiply(factor, x));
      }
      Value &all = sums[row * product.vectors + vector];
      all = add(all, scale ? multiply(scale, sum) : sum);
    }
  }
}

void RowMatvecKernel::addLanes(ValueRange sums) {
  Value scalars =
      share({getRowsOfBlock(), product.vectors, order.lanes}, b.getF32Type());
  Value all = viewLanes(scalars);
  for (int64_t row = 0; row < getRows(); ++row)
    for (int64_t vector = 0; vector < product.vectors; ++vector)
      memref::StoreOp::create(
          b, sums[row * product.vectors + vector], all,
          ValueRange{plusValue(group, index(row * getGroups())), index(vector),
                     divide(lane, getShare())});
  barrier();
  ifThere(isBelow(thread, getRowsOfBlock()), [&] {
    Value channel = plusValue(timesValue(block, getRowsOfBlock()), thread);
    Value isThere;
    if (product.getChannels() % getRowsOfBlock() != 0)
      isThere = isBelow(channel, product.getChannels());
    ifThere(isThere, [&] {
      OpOperand *init = op.getDpsInitOperand(0);
      position[product.channel] = channel;
      position[product.depth] = b.getIndexAttr(0);
      Value scale = product.scale && product.block == product.getDepth()
                        ? toFloat(buildScalar(product.scale))
                        : Value();
      for (int64_t vector = 0; vector < product.vectors; ++vector) {
        SmallVector<Value> left;
        for (int64_t i = 0; i < order.lanes; ++i)
          left.push_back(memref::LoadOp::create(
              b, scalars, ValueRange{thread, index(vector), index(i)}));
        for (int64_t half = order.lanes / 2; half; half /= 2)
          for (int64_t i = 0; i < half; ++i)
            left[i] = add(left[i], left[half + i]);
        Value sum = scale ? multiply(scale, left[0]) : left[0];
        selectVector(vector);
        memref::StoreOp::create(b, add(load(init), sum), init->get(),
                                getIndices(init));
      }
    });
  });
}

void RowMatvecKernel::emit() {
  int64_t rows = getRowsOfBlock(), channelsCount = product.getChannels();
  beginBlocks(llvm::divideCeil(channelsCount, rows), kThreads);
  lane = timesValue(modulo(thread, getThreadsOfRow()), getShare());
  group = divide(thread, getThreadsOfRow());
  for (int64_t row = 0; row < getRows(); ++row) {
    Value channel = plusValue(timesValue(block, rows),
                              plusValue(group, index(row * getGroups())));
    // Out-of-bounds groups recompute the last channel.
    channels.push_back(channelsCount % rows ? clamp(channel, channelsCount)
                                            : channel);
  }
  auto codes = cast<MemRefType>(product.codes->get().getType());
  bool hasWords = codes.getLayout().isIdentity() &&
                  product.getDepth() * product.bits % (8 * kWordBytes) == 0;
  if (hasWords) {
    Value base =
        memref::ExtractAlignedPointerAsIndexOp::create(b, product.codes->get());
    isAligned = arith::CmpIOp::create(
        b, arith::CmpIPredicate::eq,
        arith::AndIOp::create(b, base, index(kWordBytes - 1)), index(0));
  }

  int64_t chunkBytes = product.vectors * (order.getChunk() + order.lanes) * 4;
  int64_t count =
      std::min(getChunks(), std::max<int64_t>(kMaxBytes / chunkBytes, 1));
  Type f32 = b.getF32Type();
  packed = share({product.vectors, count, order.terms, order.lanes}, f32);
  packedLanes = viewLanes(packed);
  if (needsSums())
    packedSums = share({product.vectors, count, order.lanes}, f32);

  SmallVector<Value> sums(getRows() * product.vectors, zero(getLanes()));
  int64_t parts = llvm::divideCeil(getChunks(), count);
  bool isWholePart = getChunks() % count == 0 && count % getMany() == 0;
  sums =
      loop(index(0), index(parts), 1, sums, [&](Value part, ValueRange sums) {
        Value from = timesValue(part, count);
        // Wait until no thread reads the previous part.
        if (parts > 1)
          barrier();
        packX(from, count);
        barrier();
        Value end = index(count);
        if (getChunks() % count != 0)
          end = arith::MinUIOp::create(
              b, end, arith::SubIOp::create(b, index(getChunks()), from));
        return loopByMany(index(0), end, getMany(), isWholePart, sums,
                          [&](Value first, int64_t number, ValueRange sums) {
                            return emitChunks(from, first, number, sums);
                          });
      });
  addLanes(sums);
}

std::unique_ptr<WeightContractionLoops> quant_float::makeVectorRows(
    KernelLaunches &launches, const WeightContraction &product,
    const ReductionSchedule &order, const LoweringTarget &target) {
  return std::make_unique<RowMatvecKernel>(launches, product, order, target);
}
