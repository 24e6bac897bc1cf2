//===- DeinterleaveStridedCopies.cpp - De-interleave strided copies -------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Convolutions of stride two read an image that is split into even and odd
// columns (FlattenConvSpatialDims). This pass computes both from the same
// loads:
//
//   even[w] = image[2 * w], odd[w] = image[2 * w + 1]
//   // becomes
//   %pairs = vector.load %image[2 * w] : vector<32xf32>
//   %even = vector.shuffle %pairs [0, 2, ...], %odd = ... [1, 3, ...]
//
//===----------------------------------------------------------------------===//

#include "../Common/LinalgUtils.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "quant-float/Codegen/CPU/Passes.h"
#include "quant-float/IR/ElementTypes.h"
#include "quant-float/Support/Indices.h"
#include "llvm/Support/DebugLog.h"

namespace mlir::quant_float {
#define GEN_PASS_DEF_QUANTFLOATDEINTERLEAVESTRIDEDCOPIESPASS
#include "quant-float/Codegen/CPU/Passes.h.inc"
} // namespace mlir::quant_float

#define DEBUG_TYPE "quant-float-deinterleave-strided-copies"

using namespace mlir;
using namespace mlir::quant_float;
using linalg::GenericOp;

namespace {
/// A copy of the even or the odd columns of `image`, or of both.
struct StridedCopy {
  GenericOp op;
  Value image, result;
  /// The loop over the two parities, if the copy has both. The loop over
  /// columns is the last loop.
  std::optional<unsigned> parity;
};
} // namespace

static std::optional<StridedCopy> match(GenericOp op) {
  if (!op.hasPureBufferSemantics() || op.getNumDpsInputs() != 1 ||
      op.getNumDpsInits() != 1 || op.getNumReductionLoops() != 0 ||
      op.getNumLoops() == 0 ||
      op.getBody()->getTerminator()->getOperand(0) !=
          op.getBody()->getArgument(0))
    return std::nullopt;
  StridedCopy copy{op, op.getDpsInputs().front(), op.getDpsInits().front(), {}};
  auto image = dyn_cast<MemRefType>(copy.image.getType());
  auto result = cast<MemRefType>(copy.result.getType());
  AffineMap from = op.getIndexingMapsArray().front();
  if (!image || !op.getIndexingMapsArray().back().isIdentity() ||
      from.getNumResults() == 0 || !image.isLastDimUnitStride() ||
      !result.isLastDimUnitStride())
    return std::nullopt;
  Type element = image.getElementType();
  if (!element.isIntOrFloat() || isPackedElementType(element) ||
      element.getIntOrFloatBitWidth() < 8)
    return std::nullopt;
  unsigned column = op.getNumLoops() - 1;
  MLIRContext *context = op.getContext();
  AffineExpr last = from.getResults().back(),
             first = simplifyAffineExpr(
                 last - getAffineDimExpr(column, context) * 2,
                 from.getNumDims(), 0);
  for (AffineExpr expression : from.getResults().drop_back())
    if (expression.isFunctionOfDim(column))
      return std::nullopt;
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  if (ranges[column] == 0)
    return std::nullopt;
  if (first == 0)
    return copy;
  copy.parity = getLoop(first);
  // With a stride of three, the rest is the loop over columns itself.
  if (!copy.parity || *copy.parity == column || ranges[*copy.parity] != 2)
    return std::nullopt;
  for (AffineExpr expression : from.getResults().drop_back())
    if (expression.isFunctionOfDim(*copy.parity))
      return std::nullopt;
  return copy;
}

namespace {
/// Emits the loops of one copy.
class Splitting {
public:
  Splitting(const StridedCopy &copy, int64_t vectorBytes)
      : copy(copy), op(copy.op), b(op.getLoc(), op),
        position(op.getNumLoops()) {
    auto type = cast<MemRefType>(copy.image.getType());
    lanes =
        std::max<int64_t>(vectorBytes / (type.getElementTypeBitWidth() / 8), 1);
    width = type.getShape().back();
    columns = op.getStaticLoopRanges().back();
  }

  void emit();

private:
  void emitRow();
  void emitDynamicRow();
  void emitLoop(Value from, Value to, int64_t count);
  void emitVectors(OpFoldResult column, int64_t count);

  const StridedCopy &copy;
  GenericOp op;
  ImplicitLocOpBuilder b;
  SmallVector<OpFoldResult> position;
  int64_t lanes, width, columns;
};
} // namespace

/// Emits the copy of `count` columns of each parity.
void Splitting::emitVectors(OpFoldResult column, int64_t count) {
  Type element = cast<MemRefType>(copy.image.getType()).getElementType();
  auto getIndices = [&](AffineMap map) {
    return createIndices(b, op.getLoc(), map, position);
  };
  AffineMap from = op.getIndexingMapsArray().front(),
            to = op.getIndexingMapsArray().back();
  position.back() = column;
  if (copy.parity)
    position[*copy.parity] = b.getIndexAttr(0);
  // A single column at the end of a row may have no neighbor to load.
  Value pairs;
  if (count > 1)
    pairs = vector::LoadOp::create(b, VectorType::get({2 * count}, element),
                                   copy.image, getIndices(from));
  for (int64_t parity = 0; parity < (copy.parity ? 2 : 1); ++parity) {
    if (copy.parity)
      position[*copy.parity] = b.getIndexAttr(parity);
    if (!pairs) {
      Value value = memref::LoadOp::create(b, copy.image, getIndices(from));
      memref::StoreOp::create(b, value, copy.result, getIndices(to));
      continue;
    }
    SmallVector<int64_t> mask;
    for (int64_t lane = 0; lane < count; ++lane)
      mask.push_back(2 * lane + parity);
    Value vector = vector::ShuffleOp::create(b, pairs, pairs, mask);
    vector::StoreOp::create(b, vector, copy.result, getIndices(to));
  }
}

/// Emits a loop over columns that copies `count` of them per iteration.
void Splitting::emitLoop(Value from, Value to, int64_t count) {
  auto loop =
      scf::ForOp::create(b, from, to, arith::ConstantIndexOp::create(b, count));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  emitVectors(loop.getInductionVar(), count);
}

/// For dynamic sizes, copies full vectors, then narrower ones for the
/// remainder.
void Splitting::emitDynamicRow() {
  unsigned last = cast<MemRefType>(copy.image.getType()).getRank() - 1;
  Value end = b.createOrFold<memref::DimOp>(copy.result, position.size() - 1);
  Value extent = b.createOrFold<memref::DimOp>(copy.image, last);
  Value two = arith::ConstantIndexOp::create(b, 2);
  Value safe =
      arith::MinUIOp::create(b, end, arith::DivUIOp::create(b, extent, two));
  Value done = arith::ConstantIndexOp::create(b, 0);
  for (int64_t count = llvm::bit_floor<uint64_t>(lanes); count; count /= 2) {
    Value stop = end;
    if (count > 1)
      stop = arith::AndIOp::create(b, safe,
                                   arith::ConstantIndexOp::create(b, -count));
    emitLoop(done, stop, count);
    done = stop;
  }
}

void Splitting::emitRow() {
  if (ShapedType::isDynamic(columns) || ShapedType::isDynamic(width))
    return emitDynamicRow();
  // The number of columns whose pairs are in bounds of the row.
  int64_t safe = std::min(columns, width / 2);
  int64_t done = safe / lanes * lanes;
  if (done > lanes)
    emitLoop(arith::ConstantIndexOp::create(b, 0),
             arith::ConstantIndexOp::create(b, done), lanes);
  else if (done)
    emitVectors(b.getIndexAttr(0), lanes);
  // The remainder is one more full vector, which ends with the row and overlaps
  // the previous one.
  if (done && done != columns && safe == columns)
    return emitVectors(b.getIndexAttr(columns - lanes), lanes);
  while (done != columns) {
    int64_t count = std::max<int64_t>(
        llvm::bit_floor<uint64_t>(std::max<int64_t>(safe - done, 1)), 1);
    emitVectors(b.getIndexAttr(done), count);
    done += count;
  }
}

void Splitting::emit() {
  for (unsigned loop = 0; loop + 1 < op.getNumLoops(); ++loop) {
    if (loop == copy.parity)
      continue;
    if (op.getStaticLoopRanges()[loop] == 1) {
      position[loop] = b.getIndexAttr(0);
      continue;
    }
    Value extent = b.createOrFold<memref::DimOp>(copy.result, loop);
    auto around =
        scf::ForOp::create(b, arith::ConstantIndexOp::create(b, 0), extent,
                           arith::ConstantIndexOp::create(b, 1));
    position[loop] = around.getInductionVar();
    b.setInsertionPointToStart(around.getBody());
  }
  emitRow();
}

namespace {
struct DeinterleaveStridedCopies final
    : quant_float::impl::QuantFloatDeinterleaveStridedCopiesPassBase<
          DeinterleaveStridedCopies> {
  using QuantFloatDeinterleaveStridedCopiesPassBase::
      QuantFloatDeinterleaveStridedCopiesPassBase;

  void runOnOperation() override {
    // The size of the code is proportional to it.
    constexpr int64_t kMax = 1024;
    if (vectorBytes < 1 || vectorBytes > kMax) {
      getOperation()->emitError() << "vector-bytes: expected 1 to " << kMax
                                  << ", but got " << vectorBytes.getValue();
      return signalPassFailure();
    }
    SmallVector<StridedCopy> found;
    getOperation()->walk([&](GenericOp op) {
      if (std::optional<StridedCopy> copy = match(op))
        found.push_back(*copy);
    });
    numLowered += found.size();
    for (StridedCopy &copy : found) {
      LDBG() << "de-interleaving " << (copy.parity ? "both phases" : "a phase")
             << " at " << copy.op.getLoc();
      Splitting(copy, vectorBytes).emit();
      copy.op.erase();
    }
  }
};
} // namespace
