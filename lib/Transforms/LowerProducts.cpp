//===- LowerProducts.cpp - Products with weights as loops of vectors ------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two forms, by what is next to each other in memory:
//
// Summed elements are: several channels at once go along the summed loop. Each
// has kLanes sums, in as many registers as they need.
//
//   for n by rows:
//     for chunk of k:
//       for part of the lanes, row:
//         codes = load w[n + row, chunk]
//         sum = -offset * (sums of x)
//         for term: sum += term(codes) * x[chunk, term]     // x is rearranged
//         lanes[row] += scale * sum
//     y[n + row] = sum of lanes
//
// Channels are: vectors of them are added to for a block of the summed loop.
//
//   for block of k:
//     for n by vectors:
//       for k in block: for term: sum[term] += term(load w[k, n]) * x[k]
//       y[n] += scale * (sum - offset * (sum of x))
//
// Products and sums are rounded one by one, which every machine does alike.
//
//===----------------------------------------------------------------------===//

#include "WeightTerms.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "quant-float/Emulation/EmulationTarget.h"
#include "quant-float/IR/QuantFloatOps.h"
#include "quant-float/Support/TargetCpu.h"
#include "quant-float/Transforms/Passes.h"

namespace mlir::quant_float {
#define GEN_PASS_DEF_QUANTFLOATLOWERPRODUCTSPASS
#include "quant-float/Transforms/Passes.h.inc"
} // namespace mlir::quant_float

using namespace mlir;
using namespace mlir::quant_float;
using linalg::GenericOp;

/// Below so many weights one thread is faster than several.
static constexpr int64_t kMinParallel = 1 << 18;
/// Channels that a thread takes together.
static constexpr int64_t kChannelsOfThread = 64;
/// So far ahead weights are asked for: the hardware does not look beyond pages,
/// which rows of codes are not longer than.
static constexpr int64_t kPrefetchBytes = 16384, kLineBytes = 64;

namespace {
/// What both forms do.
class ProductLoops {
public:
  ProductLoops(const WeightProduct &product, const SumOrder &order,
               const EmulationTarget &target, bool parallel)
      : product(product), order(order), target(target), op(product.op),
        b(op.getLoc(), op), position(op.getNumLoops(), b.getIndexAttr(0)),
        lanes(std::min<int64_t>(target.vectorBytes / 4, kMostLanes)),
        parallel(parallel &&
                 product.getChannels() * product.getDepth() >= kMinParallel) {
    if (product.isPacked())
      terms.emplace(this->product.values, product.bits, target);
  }
  virtual ~ProductLoops() = default;

protected:
  static constexpr int64_t kMostLanes = 16;

  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(b, value);
  }
  Value number(double value) {
    return arith::ConstantOp::create(b, b.getF32FloatAttr(value));
  }
  VectorType vectorOf(int64_t count, Type element) {
    return VectorType::get({count}, element);
  }
  Value splat(double value, int64_t count) {
    return arith::ConstantOp::create(
        b,
        DenseElementsAttr::get(vectorOf(count, b.getF32Type()), float(value)));
  }
  Value spread(Value value, int64_t count) {
    if (isa<VectorType>(value.getType()))
      return value;
    return vector::BroadcastOp::create(b, vectorOf(count, value.getType()),
                                       value);
  }
  Value add(Value one, Value other) {
    return one ? arith::AddFOp::create(b, one, other).getResult() : other;
  }
  Value multiply(Value one, Value other) {
    return arith::MulFOp::create(b, one, other);
  }
  OpFoldResult plus(OpFoldResult place, int64_t offset) {
    return affine::makeComposedFoldedAffineApply(
        b, b.getLoc(), b.getAffineDimExpr(0) + offset, {place});
  }
  OpFoldResult times(OpFoldResult place, int64_t factor) {
    return affine::makeComposedFoldedAffineApply(
        b, b.getLoc(), b.getAffineDimExpr(0) * factor, {place});
  }
  Value toValue(OpFoldResult place) {
    return getValueOrCreateConstantIndexOp(b, b.getLoc(), place);
  }
  /// Where the operand is at the position of the loops.
  SmallVector<Value> getIndices(OpOperand *operand);
  Value load(OpOperand *operand);
  Value load(OpOperand *operand, int64_t count);
  Value getIndex(unsigned loop) { return toValue(position[loop]); }
  /// A value of the body, of scalars at the position.
  Value buildScalar(Value value);
  /// As f32.
  Value toFloat(Value value);
  /// Sets the other loops to the combination of their indices.
  void selectVector(int64_t vector);
  /// So many codes from the position on, as many words as lanes; words that
  /// are not all there have zeros.
  Value loadWords(int64_t count);
  Value x(int64_t vector) {
    selectVector(vector);
    return toFloat(buildScalar(product.x));
  }
  void prefetch(int64_t ahead);
  /// Elements that a code is decoded together with: floats fill a register of
  /// their codes, integers one of f32, which they are loaded into.
  int64_t getDecoded() {
    Type element = getElementTypeOrSelf(product.codes->get());
    return isa<FloatType>(element) ? 32 : lanes;
  }
  Value slice(Value vector, int64_t from, int64_t count) {
    if (cast<VectorType>(vector.getType()).getNumElements() == count)
      return vector;
    return vector::ExtractStridedSliceOp::create(b, vector, from, count, 1);
  }
  /// A vector with zeros behind.
  Value pad(Value vector, int64_t count) {
    auto type = cast<VectorType>(vector.getType());
    if (type.getNumElements() == count)
      return vector;
    Value zeros = arith::ConstantOp::create(
        b, b.getZeroAttr(vectorOf(count, type.getElementType())));
    return vector::InsertStridedSliceOp::create(b, vector, zeros, 0, 1);
  }
  bool needsSums() {
    return product.isPacked() && (product.values.offset || product.point);
  }
  /// What sums of x are multiplied by in a block: -(offset + point).
  Value getCorrection(Value point, int64_t count);
  /// A loop from 0 to `count`, in threads if there are several.
  void forEach(int64_t count, bool inThreads,
               llvm::function_ref<void(OpFoldResult)> body);

  const WeightProduct &product;
  SumOrder order;
  const EmulationTarget &target;
  GenericOp op;
  ImplicitLocOpBuilder b;
  SmallVector<OpFoldResult> position;
  int64_t lanes;
  bool parallel;
  std::optional<WeightTerms> terms;
};
} // namespace

SmallVector<Value> ProductLoops::getIndices(OpOperand *operand) {
  AffineMap map = op.getMatchingIndexingMap(operand);
  SmallVector<Value> indices;
  for (AffineExpr expression : map.getResults())
    indices.push_back(toValue(affine::makeComposedFoldedAffineApply(
        b, b.getLoc(), AffineMap::get(map.getNumDims(), 0, expression),
        position)));
  return indices;
}

Value ProductLoops::load(OpOperand *operand) {
  return memref::LoadOp::create(b, operand->get(), getIndices(operand));
}

Value ProductLoops::load(OpOperand *operand, int64_t count) {
  Type element = cast<MemRefType>(operand->get().getType()).getElementType();
  return vector::LoadOp::create(b, vectorOf(count, element), operand->get(),
                                getIndices(operand));
}

Value ProductLoops::buildScalar(Value value) {
  return BodySlice(
             b, op, [&](OpOperand *operand) { return load(operand); },
             [&](unsigned loop) { return getIndex(loop); })
      .build(value);
}

Value ProductLoops::toFloat(Value value) {
  Type element = getElementTypeOrSelf(value.getType());
  if (element.isF32())
    return value;
  return b.createOrFold<CastOp>(value, b.getF32Type());
}

void ProductLoops::selectVector(int64_t vector) {
  for (unsigned loop : llvm::reverse(product.others)) {
    position[loop] = b.getIndexAttr(vector % product.getRange(loop));
    vector /= product.getRange(loop);
  }
}

Value ProductLoops::loadWords(int64_t count) {
  int64_t bytes = count * product.bits / 8;
  auto type = vectorOf(bytes, b.getI8Type());
  Value loaded;
  if (getElementTypeOrSelf(product.codes->get()).isInteger(8))
    loaded = load(product.codes, bytes);
  else
    loaded = vector::BitCastOp::create(b, type, load(product.codes, count));
  return vector::BitCastOp::create(b, vectorOf(lanes, b.getI32Type()),
                                   pad(loaded, 4 * lanes));
}

/// Beyond the end nothing is read.
void ProductLoops::prefetch(int64_t ahead) {
  unsigned inner = product.isAlongDepth ? product.depth : product.channel;
  OpFoldResult here = position[inner];
  position[inner] = plus(here, ahead);
  memref::PrefetchOp::create(b, product.codes->get(), getIndices(product.codes),
                             /*isWrite=*/false, /*localityHint=*/3,
                             /*isDataCache=*/true);
  position[inner] = here;
}

Value ProductLoops::getCorrection(Value point, int64_t count) {
  Value offset = splat(-double(product.values.offset), count);
  if (!point)
    return offset;
  return arith::SubFOp::create(b, offset, spread(point, count));
}

void ProductLoops::forEach(int64_t count, bool inThreads,
                           llvm::function_ref<void(OpFoldResult)> body) {
  if (count == 0)
    return;
  if (count == 1)
    return body(b.getIndexAttr(0));
  OpBuilder::InsertionGuard guard(b);
  if (inThreads) {
    auto loop = scf::ForallOp::create(
        b, ArrayRef<OpFoldResult>{b.getIndexAttr(count)}, ValueRange(),
        /*mapping=*/std::nullopt);
    b.setInsertionPointToStart(loop.getBody());
    return body(loop.getInductionVar(0));
  }
  auto loop = scf::ForOp::create(b, index(0), index(count), index(1));
  b.setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVar());
}

//===----------------------------------------------------------------------===//
// Along the summed loop
//===----------------------------------------------------------------------===//

namespace {
class RowProducts : ProductLoops {
public:
  using ProductLoops::ProductLoops;
  void emit();

private:
  int64_t getChunks() {
    return llvm::divideCeil(product.getDepth(), order.getChunk());
  }
  int64_t getParts() const { return order.lanes / lanes; }
  int64_t chooseRows();
  void packX();
  void packElement(int64_t vector, OpFoldResult chunk, Value lane, int64_t term,
                   Value &sum, bool isPartial);
  void emitRows(OpFoldResult first, int64_t rows);
  SmallVector<Value> emitChunk(OpFoldResult first, int64_t rows,
                               OpFoldResult chunk, int64_t count,
                               ValueRange sums);
  Value startSum(int64_t vector, OpFoldResult chunk, int64_t part,
                 int64_t count);
  /// What is decoded together: some terms of some parts.
  struct Step {
    int64_t part, parts, term, terms;
  };
  SmallVector<Step> getSteps();
  /// The vectors of a step, by term and part; null where nothing is left.
  SmallVector<Value> decode(const Step &step, int64_t count);
  /// A value of the body that blocks share, for the lanes of a part.
  Value buildShared(Value value, int64_t part, int64_t count);
  Value reduce(ValueRange parts);

  /// x by vector, chunk, term and lane, and what lanes of a chunk add up to.
  Value packed, packedSums;
  /// The first element of the chunk that is emitted.
  OpFoldResult start;
};
} // namespace

/// As many as there are registers for, with the sums of one part.
int64_t RowProducts::chooseRows() {
  // What floats are decoded by needs registers, too.
  int64_t rows = getDecoded() > lanes ? 2 : target.vectorBytes == 64 ? 8 : 4;
  while (rows > 1 &&
         rows * product.vectors * (getParts() + 1) + 3 > target.vectorRegisters)
    rows /= 2;
  return std::min(rows, product.getChannels());
}

void RowProducts::emit() {
  packX();
  int64_t rows = chooseRows(), channels = product.getChannels();
  int64_t group = parallel ? std::max(kChannelsOfThread, rows) : rows;
  forEach(channels / group, parallel, [&](OpFoldResult number) {
    OpFoldResult first = times(number, group);
    forEach(group / rows, false, [&](OpFoldResult inner) {
      AffineExpr d0, d1;
      bindDims(b.getContext(), d0, d1);
      emitRows(affine::makeComposedFoldedAffineApply(
                   b, b.getLoc(), d0 + d1 * rows, {first, inner}),
               rows);
    });
  });
  int64_t done = channels / group * group;
  forEach((channels - done) / rows, false, [&](OpFoldResult number) {
    emitRows(plus(times(number, rows), done), rows);
  });
  if (int64_t rest = channels % rows)
    emitRows(b.getIndexAttr(channels - rest), rest);
  memref::DeallocOp::create(b, packed);
  if (packedSums)
    memref::DeallocOp::create(b, packedSums);
}

void RowProducts::packElement(int64_t vector, OpFoldResult chunk, Value lane,
                              int64_t term, Value &sum, bool isPartial) {
  AffineExpr d0, d1;
  bindDims(b.getContext(), d0, d1);
  AffineExpr within =
      order.consecutive ? d1 * order.terms + term : d1 + term * order.lanes;
  OpFoldResult place = affine::makeComposedFoldedAffineApply(
      b, b.getLoc(), d0 * order.getChunk() + within, {chunk, lane});
  position[product.depth] = place;
  Value element;
  if (isPartial) {
    Value isThere =
        arith::CmpIOp::create(b, arith::CmpIPredicate::ult, toValue(place),
                              index(product.getDepth()));
    auto branch = scf::IfOp::create(b, TypeRange(b.getF32Type()), isThere,
                                    /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    scf::YieldOp::create(b, x(vector));
    b.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(b, number(0));
    element = branch.getResult(0);
  } else {
    element = x(vector);
  }
  if (needsSums())
    sum = add(sum, element);
  double scale =
      terms ? std::ldexp(product.values.unit, -terms->getExponent(term)) : 1;
  if (scale != 1)
    element = multiply(element, number(scale));
  memref::StoreOp::create(
      b, element, packed,
      ValueRange{index(vector), toValue(chunk), index(term), lane});
}

void RowProducts::packX() {
  Type f32 = b.getF32Type();
  auto alignment = b.getI64IntegerAttr(64);
  auto allocate = [&](ArrayRef<int64_t> sizes) -> Value {
    return memref::AllocOp::create(b, MemRefType::get(sizes, f32), alignment);
  };
  packed = allocate({product.vectors, getChunks(), order.terms, order.lanes});
  if (needsSums())
    packedSums = allocate({product.vectors, getChunks(), order.lanes});
  auto packChunk = [&](OpFoldResult chunk, bool isPartial) {
    auto loop = scf::ForOp::create(b, index(0), index(order.lanes), index(1));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value lane = loop.getInductionVar();
    for (int64_t vector = 0; vector < product.vectors; ++vector) {
      Value sum;
      for (int64_t term = 0; term < order.terms; ++term)
        packElement(vector, chunk, lane, term, sum, isPartial);
      if (!needsSums())
        continue;
      if (product.values.unit != 1)
        sum = multiply(sum, number(product.values.unit));
      memref::StoreOp::create(b, sum, packedSums,
                              ValueRange{index(vector), toValue(chunk), lane});
    }
  };
  int64_t full = product.getDepth() / order.getChunk();
  forEach(full, false, [&](OpFoldResult chunk) { packChunk(chunk, false); });
  if (full != getChunks())
    packChunk(b.getIndexAttr(full), true);
}

void RowProducts::emitRows(OpFoldResult first, int64_t rows) {
  SmallVector<Value> sums(rows * product.vectors * getParts(), splat(0, lanes));
  int64_t chunk = order.getChunk(), full = product.getDepth() / chunk;
  if (full) {
    auto loop = scf::ForOp::create(b, index(0), index(full), index(1), sums);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    scf::YieldOp::create(b, emitChunk(first, rows, loop.getInductionVar(),
                                      chunk, loop.getRegionIterArgs()));
    sums = loop.getResults();
  }
  if (int64_t rest = product.getDepth() % chunk)
    sums = emitChunk(first, rows, b.getIndexAttr(full), rest, sums);
  OpOperand *init = op.getDpsInitOperand(0);
  ValueRange all(sums);
  for (int64_t row = 0; row < rows; ++row) {
    position[product.channel] = plus(first, row);
    position[product.depth] = b.getIndexAttr(0);
    Value scale = product.scale && product.block == product.getDepth()
                      ? toFloat(buildScalar(product.scale))
                      : Value();
    for (int64_t vector = 0; vector < product.vectors; ++vector) {
      selectVector(vector);
      Value sum = reduce(all.take_front(getParts()));
      all = all.drop_front(getParts());
      if (scale)
        sum = multiply(scale, sum);
      memref::StoreOp::create(b, add(load(init), sum), init->get(),
                              getIndices(init));
    }
  }
}

/// Halves are added until one lane is left.
Value RowProducts::reduce(ValueRange parts) {
  SmallVector<Value> left(parts);
  while (left.size() > 1) {
    size_t half = left.size() / 2;
    for (size_t i = 0; i < half; ++i)
      left[i] = add(left[i], left[half + i]);
    left.resize(half);
  }
  Value sum = left.front();
  for (int64_t count = lanes / 2; count; count /= 2)
    sum = add(vector::ExtractStridedSliceOp::create(b, sum, 0, count, 1),
              vector::ExtractStridedSliceOp::create(b, sum, count, count, 1));
  return vector::ExtractOp::create(b, sum, 0);
}

SmallVector<RowProducts::Step> RowProducts::getSteps() {
  SmallVector<Step> steps;
  int64_t each =
      std::clamp<int64_t>(getDecoded() / order.lanes, 1, order.terms);
  if (getDecoded() > lanes)
    for (int64_t term = 0; term < order.terms; term += each)
      steps.push_back({0, getParts(), term, each});
  else
    for (int64_t part = 0; part < getParts(); ++part)
      steps.push_back({part, 1, 0, order.terms});
  return steps;
}

SmallVector<Value> RowProducts::decode(const Step &step, int64_t count) {
  SmallVector<Value> results(step.parts * step.terms);
  if (terms) {
    int64_t each = lanes * order.terms, from = step.part * each;
    position[product.depth] = plus(start, from);
    return from < count
               ? terms->decode(b, loadWords(std::min(count - from, each)))
               : results;
  }
  // Next to each other are all parts of a term, or one.
  int64_t width = step.parts * lanes;
  int64_t together = step.parts == 1 ? 1 : step.terms;
  for (int64_t term = 0; term < step.terms; term += together) {
    int64_t from = (step.term + term) * order.lanes + step.part * lanes;
    int64_t here = std::min(together * width, count - from);
    if (here <= 0)
      break;
    position[product.depth] = plus(start, from);
    BodySlice slice(
        b, op,
        [&](OpOperand *operand) {
          return operand == product.codes ? load(operand, here) : load(operand);
        },
        [&](unsigned loop) { return getIndex(loop); });
    Value value = toFloat(slice.build(product.decoded));
    if (product.point)
      value = arith::SubFOp::create(
          b, value, spread(toFloat(buildScalar(product.point)), here));
    value = pad(value, together * width);
    for (int64_t i = 0; i < together * step.parts && i * lanes < here; ++i)
      results[term * step.parts + i] = this->slice(value, i * lanes, lanes);
  }
  return results;
}

Value RowProducts::buildShared(Value value, int64_t part, int64_t count) {
  int64_t first = terms ? part * lanes * order.terms : 0;
  // Elements that the lanes of the part span; a block of others has them all.
  int64_t span = terms ? lanes * order.terms : 1;
  int64_t blocks = std::max<int64_t>(span / product.block, 1);
  auto at = [&](int64_t block) {
    int64_t offset = first + block * product.block;
    position[product.depth] = plus(start, offset < count ? offset : 0);
  };
  if (blocks == 1) {
    at(0);
    return spread(toFloat(buildScalar(value)), lanes);
  }
  SmallVector<int64_t> order;
  for (int64_t lane = 0; lane < lanes; ++lane)
    order.push_back(lane * blocks / lanes);
  // Side by side in memory: one vector.
  auto isSimple = [&](OpOperand *operand) {
    AffineMap map = op.getMatchingIndexingMap(operand);
    if (!map.isFunctionOfDim(product.depth))
      return true;
    for (AffineExpr index : map.getResults().drop_back())
      if (index.isFunctionOfDim(product.depth))
        return false;
    auto index = dyn_cast<AffineBinaryOpExpr>(map.getResults().back());
    auto type = cast<MemRefType>(operand->get().getType());
    return index && index.getRHS() == b.getAffineConstantExpr(product.block) &&
           type.isLastDimUnitStride();
  };
  if (count >= first + span && !usesIndex(op, value) &&
      llvm::all_of(getSources(op, value), isSimple)) {
    at(0);
    BodySlice slice(
        b, op,
        [&](OpOperand *operand) -> Value {
          bool varies =
              op.getMatchingIndexingMap(operand).isFunctionOfDim(product.depth);
          return varies ? load(operand, blocks) : load(operand);
        },
        [&](unsigned loop) { return getIndex(loop); });
    Value each = spread(toFloat(slice.build(value)), blocks);
    return vector::ShuffleOp::create(b, each, each, order);
  }
  Value result;
  for (int64_t block = 0; block < blocks; ++block) {
    at(block);
    Value each = spread(toFloat(buildScalar(value)), lanes);
    SmallVector<int64_t> mask;
    for (int64_t lane = 0; lane < lanes; ++lane)
      mask.push_back(order[lane] == block ? lanes + lane : lane);
    result =
        result ? Value(vector::ShuffleOp::create(b, result, each, mask)) : each;
  }
  return result;
}

SmallVector<Value> RowProducts::emitChunk(OpFoldResult first, int64_t rows,
                                          OpFoldResult chunk, int64_t count,
                                          ValueRange sums) {
  SmallVector<Value> results(sums);
  VectorType type = vectorOf(lanes, b.getF32Type());
  start = times(chunk, order.getChunk());
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t byte = 0; byte < count * product.bits / 8;
         byte += kLineBytes) {
      position[product.channel] = plus(first, row);
      position[product.depth] = start;
      prefetch((kPrefetchBytes + byte) * 8 / product.bits);
    }
  // By row, vector and part.
  SmallVector<Value> partial(sums.size());
  auto getNumber = [&](int64_t row, int64_t vector, int64_t part) {
    return (row * product.vectors + vector) * getParts() + part;
  };
  for (const Step &step : getSteps()) {
    SmallVector<SmallVector<Value>> decoded;
    for (int64_t row = 0; row < rows; ++row) {
      position[product.channel] = plus(first, row);
      decoded.push_back(decode(step, count));
      if (needsSums())
        for (int64_t vector = 0; vector < product.vectors; ++vector)
          partial[getNumber(row, vector, step.part)] =
              startSum(vector, chunk, step.part, count);
    }
    for (int64_t term = 0; term < step.terms; ++term)
      for (int64_t part = 0; part < step.parts; ++part) {
        if (!decoded[0][term * step.parts + part])
          continue;
        for (int64_t vector = 0; vector < product.vectors; ++vector) {
          Value factor = vector::LoadOp::create(
              b, type, packed,
              ValueRange{index(vector), toValue(chunk), index(step.term + term),
                         index((step.part + part) * lanes)});
          for (int64_t row = 0; row < rows; ++row) {
            Value &sum = partial[getNumber(row, vector, step.part + part)];
            sum = add(sum,
                      multiply(decoded[row][term * step.parts + part], factor));
          }
        }
      }
    if (step.term + step.terms < order.terms)
      continue;
    for (int64_t part = step.part; part < step.part + step.parts; ++part)
      for (int64_t row = 0; row < rows; ++row) {
        position[product.channel] = plus(first, row);
        Value scale = product.scale && product.block != product.getDepth()
                          ? buildShared(product.scale, part, count)
                          : Value();
        for (int64_t vector = 0; vector < product.vectors; ++vector) {
          int64_t number = getNumber(row, vector, part);
          Value value = partial[number];
          // Nothing is left for these lanes.
          if (value)
            results[number] =
                add(results[number], scale ? multiply(scale, value) : value);
        }
      }
  }
  return results;
}

/// What the sum of a chunk's part begins with: what offset and point take away.
Value RowProducts::startSum(int64_t vector, OpFoldResult chunk, int64_t part,
                            int64_t count) {
  Value point =
      product.point ? buildShared(product.point, part, count) : Value();
  Value sum = vector::LoadOp::create(
      b, vectorOf(lanes, b.getF32Type()), packedSums,
      ValueRange{index(vector), toValue(chunk), index(part * lanes)});
  return multiply(getCorrection(point, lanes), sum);
}

//===----------------------------------------------------------------------===//
// Along the channels
//===----------------------------------------------------------------------===//

namespace {
class ColumnProducts : ProductLoops {
public:
  using ProductLoops::ProductLoops;
  void emit();

private:
  int64_t getTile() const {
    if (terms)
      return lanes * terms->getCount();
    int64_t registers = 8;
    return lanes * std::max<int64_t>(registers / product.vectors, 1);
  }
  void emitBlocks(OpFoldResult first, int64_t columns);
  void emitTile(OpFoldResult first, int64_t columns, OpFoldResult from,
                int64_t depth, ValueRange sums);
  SmallVector<Value> decode(int64_t columns);
  /// What is in each vector, by terms or next to each other, in order.
  Value merge(ValueRange vectors, int64_t columns);
  /// A value of the body, for so many columns at the position.
  Value buildShared(Value value, int64_t columns);
};
} // namespace

void ColumnProducts::emit() {
  int64_t tile = getTile(), channels = product.getChannels();
  int64_t panel = parallel ? std::max<int64_t>(512 / tile, 1) * tile : channels;
  forEach(channels / panel, parallel, [&](OpFoldResult number) {
    emitBlocks(times(number, panel), panel);
  });
  if (int64_t rest = channels % panel)
    emitBlocks(b.getIndexAttr(channels - rest), rest);
}

/// All blocks of some columns.
void ColumnProducts::emitBlocks(OpFoldResult first, int64_t columns) {
  auto emitBlock = [&](OpFoldResult from, int64_t depth) {
    // Of what is a sum of x each vector has one.
    SmallVector<Value> sums;
    if (needsSums())
      for (int64_t vector = 0; vector < product.vectors; ++vector) {
        auto loop =
            scf::ForOp::create(b, index(0), index(depth), index(1), number(0));
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPointToStart(loop.getBody());
        AffineExpr d0, d1;
        bindDims(b.getContext(), d0, d1);
        position[product.depth] = affine::makeComposedFoldedAffineApply(
            b, b.getLoc(), d0 + d1, {from, loop.getInductionVar()});
        scf::YieldOp::create(b, add(loop.getRegionIterArg(0), x(vector)));
        sums.push_back(loop.getResult(0));
      }
    int64_t tile = getTile();
    forEach(columns / tile, false, [&](OpFoldResult number) {
      AffineExpr d0, d1;
      bindDims(b.getContext(), d0, d1);
      emitTile(affine::makeComposedFoldedAffineApply(
                   b, b.getLoc(), d0 + d1 * tile, {first, number}),
               tile, from, depth, sums);
    });
    if (int64_t rest = columns % tile)
      emitTile(plus(first, columns - rest), rest, from, depth, sums);
  };
  int64_t block = order.terms, depth = product.getDepth();
  forEach(depth / block, false,
          [&](OpFoldResult number) { emitBlock(times(number, block), block); });
  if (int64_t rest = depth % block)
    emitBlock(b.getIndexAttr(depth - rest), rest);
}

SmallVector<Value> ColumnProducts::decode(int64_t columns) {
  if (terms)
    return terms->decode(b, loadWords(columns));
  SmallVector<Value> results;
  OpFoldResult first = position[product.channel];
  for (int64_t from = 0; from < columns; from += lanes) {
    int64_t count = std::min(lanes, columns - from);
    position[product.channel] = plus(first, from);
    Value value = toFloat(buildShared(product.decoded, count));
    if (product.point)
      value = arith::SubFOp::create(b, value,
                                    toFloat(buildShared(product.point, count)));
    results.push_back(value);
  }
  position[product.channel] = first;
  return results;
}

Value ColumnProducts::buildShared(Value value, int64_t columns) {
  BodySlice slice(
      b, op,
      [&](OpOperand *operand) -> Value {
        bool varies =
            op.getMatchingIndexingMap(operand).isFunctionOfDim(product.channel);
        return varies ? load(operand, columns) : load(operand);
      },
      [&](unsigned loop) { return getIndex(loop); });
  return spread(slice.build(value), columns);
}

/// Element t of lane l is column l * terms + t: pairs that are half of the
/// terms apart are interleaved until one vector is left.
Value ColumnProducts::merge(ValueRange vectors, int64_t columns) {
  SmallVector<Value> left(vectors);
  while (left.size() > 1) {
    size_t half = left.size() / 2;
    for (size_t i = 0; i < half; ++i)
      left[i] = vector::InterleaveOp::create(b, left[i], left[half + i]);
    left.resize(half);
  }
  if (columns == getTile())
    return left.front();
  return vector::ExtractStridedSliceOp::create(b, left.front(), 0, columns, 1);
}

void ColumnProducts::emitTile(OpFoldResult first, int64_t columns,
                              OpFoldResult from, int64_t depth,
                              ValueRange sums) {
  OpOperand *init = op.getDpsInitOperand(0);
  int64_t each = terms ? terms->getCount() : llvm::divideCeil(columns, lanes);
  auto getCount = [&](int64_t number) {
    return terms ? lanes : std::min(lanes, columns - number * lanes);
  };
  SmallVector<Value> partial;
  for (int64_t vector = 0; vector < product.vectors; ++vector)
    for (int64_t i = 0; i < each; ++i)
      partial.push_back(splat(0, getCount(i)));
  auto loop = scf::ForOp::create(b, index(0), index(depth), index(1), partial);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    AffineExpr d0, d1;
    bindDims(b.getContext(), d0, d1);
    position[product.channel] = first;
    position[product.depth] = affine::makeComposedFoldedAffineApply(
        b, b.getLoc(), d0 + d1, {from, loop.getInductionVar()});
    for (int64_t byte = 0; byte < columns * product.bits / 8;
         byte += kLineBytes)
      prefetch((4 * kLineBytes + byte) * 8 / product.bits);
    SmallVector<Value> decoded = decode(columns);
    SmallVector<Value> next;
    for (int64_t vector = 0; vector < product.vectors; ++vector) {
      Value factor = x(vector);
      for (int64_t i = 0; i < each; ++i)
        next.push_back(add(loop.getRegionIterArg(vector * each + i),
                           multiply(decoded[i], spread(factor, getCount(i)))));
    }
    scf::YieldOp::create(b, next);
  }
  ValueRange all = loop.getResults();
  position[product.depth] = from;
  auto finish = [&](Value sum, OpFoldResult place, int64_t count,
                    int64_t vector) {
    position[product.channel] = place;
    if (needsSums()) {
      Value point =
          product.point ? toFloat(buildShared(product.point, count)) : Value();
      Value whole =
          multiply(getCorrection(point, count), spread(sums[vector], count));
      sum = add(sum, whole);
    }
    if (terms && product.values.unit != 1)
      sum = multiply(sum, splat(product.values.unit, count));
    if (product.scale)
      sum = multiply(toFloat(buildShared(product.scale, count)), sum);
    selectVector(vector);
    SmallVector<Value> indices = getIndices(init);
    Value before = load(init, count);
    vector::StoreOp::create(b, add(before, sum), init->get(), indices);
  };
  for (int64_t vector = 0; vector < product.vectors; ++vector) {
    SmallVector<Value> own(all.slice(vector * each, each));
    if (!terms) {
      for (int64_t i = 0; i < each; ++i)
        finish(own[i], plus(first, i * lanes), getCount(i), vector);
      continue;
    }
    for (int64_t i = 0; i < each; ++i)
      if (int exponent = terms->getExponent(i))
        own[i] = multiply(own[i], splat(std::ldexp(1.0, -exponent), lanes));
    finish(merge(own, columns), first, columns, vector);
  }
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct LowerProducts final
    : quant_float::impl::QuantFloatLowerProductsPassBase<LowerProducts> {
  using QuantFloatLowerProductsPassBase::QuantFloatLowerProductsPassBase;

  LogicalResult initialize(MLIRContext *context) override {
    if (cpu.empty())
      return success();
    llvm::Expected<TargetCpu> known = TargetCpu::get(triple, cpu, features);
    if (!known)
      return emitError(UnknownLoc::get(context))
             << llvm::toString(known.takeError());
    target = EmulationTarget::get(*known);
    return success();
  }

  void runOnOperation() override {
    SmallVector<GenericOp> ops;
    getOperation()->walk([&](GenericOp op) {
      if (op->hasAttr(kSumOrderAttrName))
        ops.push_back(op);
    });
    for (GenericOp op : ops) {
      std::optional<SumOrder> order = SumOrder::get(op);
      std::optional<WeightProduct> product = WeightProduct::get(op);
      if (!product || order != product->getOrder() || !isContiguous(op)) {
        op.emitOpError("has no lowering that keeps the order of its sums");
        return signalPassFailure();
      }
      if (product->isAlongDepth)
        RowProducts(*product, *order, target, threads != 1).emit();
      else
        ColumnProducts(*product, *order, target, threads != 1).emit();
      op.erase();
    }
  }

  static bool isContiguous(GenericOp op) {
    return op.hasPureBufferSemantics() &&
           llvm::all_of(op->getOperands(), [](Value operand) {
             auto type = dyn_cast<MemRefType>(operand.getType());
             return type && (type.getRank() == 0 || type.isLastDimUnitStride());
           });
  }

  EmulationTarget target;
};
} // namespace
