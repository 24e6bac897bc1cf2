//===- DecodeDifferences.cpp - Convert differences of small integers ------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Integers of 2 and 4 bits are masked to small non-negative ones before a zero
// point is subtracted. An integer below 2^23 is the mantissa of a float close
// to 2^23, so unpacking bytes with constant bytes converts them to floats. One
// subtraction of floats computes the difference:
//
//   a - b  ->  (2^23 + a) - (2^23 + b) (exact)
//
// Of two elements in one byte, the upper one is not shifted. Its value is 16
// times as large, so it becomes the mantissa of a float close to 2^19, whose
// lowest bit has the corresponding weight.
//
// Extensions of bytes and conversions of integers would take as many
// instructions, but CPUs with AVX2 execute all of the extensions on two ports.
//
//===----------------------------------------------------------------------===//

#include "../SIMD/Unpack.h"
#include "Instructions.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "quant-float/IR/QuantFloatOps.h"

using namespace mlir;
using namespace mlir::quant_float;

/// The number of bytes of a register of AVX2, and of 32-bit elements of a
/// register of AVX-512.
static constexpr int64_t kBytes = 32, kWideLanes = 16;
/// The bits of 2^23, whose lowest bits are replaced by a byte, and of 2^19.
static constexpr uint64_t kOrigin = 0x4B000000, kUpperOrigin = 0x49000000;

/// Returns the bits that may be set in the bytes.
static uint64_t getPossibleBits(Value value) {
  DenseIntElementsAttr constant;
  if (matchPattern(value, m_Constant(&constant))) {
    uint64_t bits = 0;
    for (const APInt &number : constant)
      bits |= number.getZExtValue();
    return bits;
  }
  if (auto op = value.getDefiningOp<vector::BitCastOp>())
    return getPossibleBits(op.getSource());
  Operation *op = value.getDefiningOp();
  APInt number;
  if (!isa_and_nonnull<arith::AndIOp, arith::XOrIOp>(op) ||
      !matchPattern(op->getOperand(1), m_ConstantInt(&number)))
    return 0xFF;
  uint64_t bits = 0;
  for (unsigned i = 0; i < number.getBitWidth(); i += 8)
    bits |= number.extractBitsAsZExtValue(8, i);
  if (isa<arith::AndIOp>(op))
    return bits;
  return bits | getPossibleBits(op->getOperand(0));
}

static bool isSmall(Value value) { return getPossibleBits(value) < 0x80; }

/// Creates a vector constant with `even` and `odd` in alternating elements, for
/// the lower and the upper element of each byte.
static Value alternate(VectorBuilder &lanes, Value like, uint64_t even,
                       uint64_t odd) {
  auto type = cast<VectorType>(like.getType());
  unsigned width = type.getElementTypeBitWidth();
  SmallVector<APInt> numbers;
  for (int64_t i = 0; i < type.getNumElements(); ++i)
    numbers.emplace_back(width, i % 2 ? odd : even);
  return lanes.make<arith::ConstantOp>(DenseElementsAttr::get(type, numbers));
}

/// Broadcasts a byte to 32-bit elements. For packed elements, the odd ones are
/// shifted left by 4. Masks of the byte are applied to the vector instead,
/// because loads can broadcast, while a move from a general register has a high
/// latency.
static Value spreadByte(VectorBuilder &lanes, Value byte, int64_t count,
                        bool isPacked) {
  Operation *op = byte.getDefiningOp();
  APInt number;
  if (isa_and_nonnull<arith::AndIOp, arith::XOrIOp>(op) &&
      matchPattern(op->getOperand(1), m_ConstantInt(&number))) {
    Value bits = spreadByte(lanes, op->getOperand(0), count, isPacked);
    uint64_t even = number.getZExtValue();
    Value operand = alternate(lanes, bits, even, isPacked ? even << 4 : even);
    VectorBuilder own = lanes.withShapeOf(bits);
    return isa<arith::AndIOp>(op) ? own.make<arith::AndIOp>(bits, operand)
                                  : own.make<arith::XOrIOp>(bits, operand);
  }
  Value bytes = lanes.make<vector::BroadcastOp>(
      VectorType::get(4 * count, lanes.getInt(8)), byte);
  Value bits = lanes.make<vector::BitCastOp>(
      VectorType::get(count, lanes.getInt(32)), bytes);
  VectorBuilder own = lanes.withShapeOf(bits);
  return isPacked ? own.make<arith::ShLIOp>(bits, alternate(lanes, bits, 0, 4))
                  : bits;
}

/// Returns the origin plus a small byte, in `count` elements.
static Value addByteToOrigin(VectorBuilder &lanes, Value byte, int64_t count,
                             bool isPacked) {
  Value bits = spreadByte(lanes, byte, count, isPacked);
  VectorBuilder own = lanes.withShapeOf(bits);
  bits = own.make<arith::XOrIOp>(
      bits, alternate(lanes, bits, kOrigin, isPacked ? kUpperOrigin : kOrigin));
  return own.bitcast(bits, lanes.getBuilder().getF32Type());
}

/// Repeats the elements of a register.
static Value repeat(VectorBuilder &lanes, Value part, int64_t count) {
  int64_t size = cast<VectorType>(part.getType()).getNumElements();
  SmallVector<int64_t> order;
  for (int64_t i = 0; i < count; ++i)
    order.push_back(i % size);
  return lanes.make<vector::ShuffleOp>(part, part, order);
}

namespace {
/// 4-bit elements, two in a byte, and the bits that are flipped in each.
struct PackedElements {
  Value bytes;
  uint64_t flips = 0;
};
} // namespace

/// Matches the ops with which LowerPackedElements unpacks a register of bytes:
///
///   w = extui %bytes : vector<16xi8> to vector<16xi16>
///   (w | w << 4) & 0x0F0F                       (bitcast to bytes)
///
/// optionally followed by a flip of bits.
static std::optional<PackedElements> matchPacked(Value value) {
  PackedElements elements;
  APInt number;
  auto flip = value.getDefiningOp<arith::XOrIOp>();
  if (flip && matchPattern(flip.getRhs(), m_ConstantInt(&number))) {
    elements.flips = number.getZExtValue();
    value = flip.getLhs();
  }
  auto low = value.getDefiningOp<arith::AndIOp>();
  if (low && matchPattern(low.getRhs(), m_ConstantInt(&number)) &&
      number == 0xF)
    value = low.getLhs();
  auto cast = value.getDefiningOp<vector::BitCastOp>();
  auto mask = cast ? cast.getSource().getDefiningOp<arith::AndIOp>() : nullptr;
  auto both = mask ? mask.getLhs().getDefiningOp<arith::OrIOp>() : nullptr;
  if (!both || !matchPattern(mask.getRhs(), m_ConstantInt(&number)) ||
      number != 0x0F0F || elements.flips > 0xF)
    return std::nullopt;
  for (auto [extended, moved] : {std::pair(both.getLhs(), both.getRhs()),
                                 std::pair(both.getRhs(), both.getLhs())}) {
    auto wide = extended.getDefiningOp<arith::ExtUIOp>();
    auto shift = moved.getDefiningOp<arith::ShLIOp>();
    if (!wide || !shift || shift.getLhs() != extended ||
        !matchPattern(shift.getRhs(), m_ConstantInt(&number)) || number != 4)
      continue;
    elements.bytes = wide.getIn();
    auto type = mlir::cast<VectorType>(elements.bytes.getType());
    if (type.getNumElements() == kBytes / 2 &&
        type.getElementType().isInteger(8))
      return elements;
  }
  return std::nullopt;
}

/// Repeats each byte, once for its lower and once for its upper element, in the
/// order of Unpacker::deal.
static Value dealPacked(VectorBuilder &lanes, const PackedElements &elements) {
  SmallVector<int64_t> order;
  for (int64_t lane : {0, 1})
    for (int64_t group = 0; group < 4; ++group)
      for (int64_t i : {0, 1})
        order.append(2, 4 * group + 2 * lane + i);
  Value bytes =
      lanes.make<vector::ShuffleOp>(elements.bytes, elements.bytes, order);
  bytes = lanes.make<arith::AndIOp>(bytes, alternate(lanes, bytes, 0x0F, 0xF0));
  return lanes.make<arith::XOrIOp>(
      bytes, alternate(lanes, bytes, elements.flips, elements.flips << 4));
}

/// Returns the origin plus the bytes of a register, as f32.
static Value addToOrigin(VectorBuilder &lanes, Value bytes,
                         const std::optional<PackedElements> &packed) {
  simd::Unpacker unpacker(lanes, bytes);
  Value zeros = lanes.integer(bytes, 0);
  bytes = packed ? dealPacked(lanes, *packed)
                 : unpacker.deal(bytes, /*resultBytes=*/4);
  SmallVector<Value> parts;
  for (Value i16Vector : unpacker.unpack(bytes, zeros, 1)) {
    i16Vector = unpacker.withElements(i16Vector, 2);
    Value upper = alternate(lanes, i16Vector, kOrigin >> 16,
                            (packed ? kUpperOrigin : kOrigin) >> 16);
    llvm::append_range(parts, unpacker.unpack(i16Vector, upper, 2));
  }
  return unpacker.join(parts, lanes.getBuilder().getF32Type());
}

/// Returns the origin plus constant bytes, as f32.
static Value addToOrigin(VectorBuilder &lanes, DenseIntElementsAttr bytes) {
  SmallVector<APInt> numbers;
  for (const APInt &number : bytes)
    numbers.emplace_back(32, kOrigin | number.getZExtValue());
  Value bits = lanes.make<arith::ConstantOp>(DenseElementsAttr::get(
      VectorType::get(numbers.size(), lanes.getInt(32)), numbers));
  return lanes.withShapeOf(bits).bitcast(bits, lanes.getBuilder().getF32Type());
}

/// If `value` is computed from its lowest bits by masks and flips, returns the
/// results for all values of these bits, and sets `value` to the source. The
/// other bits of the source are ignored. Returns none for other values.
static std::optional<SmallVector<APInt>> tabulate(Value &value) {
  SmallVector<std::pair<Operation *, APInt>> ops;
  APInt number;
  for (Operation *op = value.getDefiningOp();
       isa_and_nonnull<arith::AndIOp, arith::XOrIOp>(op) &&
       matchPattern(op->getOperand(1), m_ConstantInt(&number));
       op = value.getDefiningOp()) {
    ops.emplace_back(op, number);
    value = op->getOperand(0);
  }
  if (ops.empty() || !isa<arith::AndIOp>(ops.back().first) ||
      ops.back().second.uge(kWideLanes))
    return std::nullopt;
  SmallVector<APInt> entries;
  for (int64_t i = 0; i < kWideLanes; ++i) {
    APInt entry(8, i);
    for (auto [op, number] : llvm::reverse(ops))
      entry = isa<arith::AndIOp>(op) ? entry & number : entry ^ number;
    entries.push_back(entry);
  }
  return entries;
}

/// Looks up entries in a register of AVX-512 with 16 entries. The low bits of
/// the bytes are the indices.
static Value lookUpEntries(VectorBuilder &lanes, Value entries, Value indices) {
  Value table = lanes.withShapeOf(entries).toBits(entries);
  Value wide = lanes.resize(indices, 32);
  int64_t count = cast<VectorType>(wide.getType()).getNumElements();
  Value result = lanes.make<arith::ConstantOp>(
      lanes.getBuilder().getZeroAttr(wide.getType()));
  for (int64_t i = 0; i < count; i += kWideLanes) {
    Value part =
        lanes.make<vector::ExtractStridedSliceOp>(wide, i, kWideLanes, 1);
    Value found =
        LLVM::CallIntrinsicOp::create(
            lanes.getBuilder(), lanes.getLoc(), part.getType(),
            lanes.getBuilder().getStringAttr("llvm.x86.avx512.permvar.si.512"),
            ValueRange{table, part})
            .getResult(0);
    result = lanes.make<vector::InsertStridedSliceOp>(found, result, i, 1);
  }
  return lanes.bitcast(result, lanes.getBuilder().getF32Type());
}

/// Returns the multiplication with a scalar that is the only user of `op`, and
/// sets `scalar`, or returns null.
static arith::MulFOp getMultiply(CastOp op, Value &scalar) {
  auto multiply = op->hasOneUse() ? dyn_cast<arith::MulFOp>(*op->user_begin())
                                  : arith::MulFOp();
  if (!multiply)
    return {};
  Value other = multiply.getLhs() == op.getResult() ? multiply.getRhs()
                                                    : multiply.getLhs();
  auto broadcast = other.getDefiningOp<vector::BroadcastOp>();
  if (!broadcast || isa<VectorType>(broadcast.getSource().getType()))
    return {};
  scalar = broadcast.getSource();
  return multiply;
}

namespace {
/// Converts the differences of small bytes to f32. Also matches any constant
/// %a.
///
/// %d = subi %a, broadcast %b : vector<32xi8>
/// %y = cast %d : vector<32xi8> to vector<32xf32>
struct CastOpOfDifference final : OpRewritePattern<CastOp> {
  CastOpOfDifference(MLIRContext *context, const LoweringTarget &target)
      : OpRewritePattern(context, /*benefit=*/2), target(target) {}

  LogicalResult matchAndRewrite(CastOp op,
                                PatternRewriter &rewriter) const override {
    auto type = dyn_cast<VectorType>(op.getType());
    auto difference = op.getInput().getDefiningOp<arith::SubIOp>();
    if (!type || type.getRank() != 1 || type.isScalable() ||
        !type.getElementType().isF32() || !difference ||
        !getElementTypeOrSelf(difference.getType()).isInteger(8))
      return rewriter.notifyMatchFailure(op,
                                         "not a vector of 8-bit differences");
    Value minuend = difference.getLhs();
    auto broadcast = difference.getRhs().getDefiningOp<vector::BroadcastOp>();
    if (!broadcast || isa<VectorType>(broadcast.getSource().getType()) ||
        !isSmall(minuend) || !isSmall(broadcast.getSource()))
      return rewriter.notifyMatchFailure(op,
                                         "the operands are not small integers");

    VectorBuilder lanes(rewriter, op.getLoc(), op.getInput(), target);
    DenseIntElementsAttr constant;
    if (matchPattern(minuend, m_Constant(&constant))) {
      rewriter.replaceOpWithNewOp<arith::SubFOp>(
          op, addToOrigin(lanes, constant),
          addByteToOrigin(lanes, broadcast.getSource(), type.getDimSize(0),
                          /*isPacked=*/false));
      return success();
    }
    if (target.vectorBytes > kBytes && type.getDimSize(0) % kWideLanes == 0)
      return lookUp(op, minuend, broadcast.getSource(), rewriter);
    if (type.getDimSize(0) != kBytes || target.vectorBytes != kBytes)
      return rewriter.notifyMatchFailure(op,
                                         "not the size of an AVX2 register");
    std::optional<PackedElements> packed = matchPacked(minuend);
    Value subtrahend = addByteToOrigin(lanes, broadcast.getSource(), kBytes / 4,
                                       packed.has_value());
    rewriter.replaceOpWithNewOp<arith::SubFOp>(
        op, addToOrigin(lanes, minuend, packed),
        repeat(lanes, subtrahend, kBytes));
    return success();
  }

  /// With AVX-512, computes a register with all 16 differences, multiplied by
  /// the scalar of a user, and looks up that of each element.
  LogicalResult lookUp(CastOp op, Value minuend, Value subtrahend,
                       PatternRewriter &rewriter) const {
    std::optional<SmallVector<APInt>> entries = tabulate(minuend);
    if (!entries)
      return rewriter.notifyMatchFailure(op, "more than 16 values");
    Value factor;
    arith::MulFOp multiply = getMultiply(op, factor);
    if (multiply)
      rewriter.setInsertionPoint(multiply);
    VectorBuilder lanes(rewriter, op.getLoc(), minuend, target);
    auto type = VectorType::get(kWideLanes, rewriter.getI8Type());
    Value table = lanes.make<arith::SubFOp>(
        addToOrigin(lanes, DenseIntElementsAttr::get(type, *entries)),
        addByteToOrigin(lanes, subtrahend, kWideLanes, /*isPacked=*/false));
    if (factor)
      table = lanes.make<arith::MulFOp>(
          table, lanes.withShapeOf(table).spread(factor));
    Value found = lookUpEntries(lanes, table, minuend);
    if (!multiply) {
      rewriter.replaceOp(op, found);
      return success();
    }
    // The pattern may only erase the op itself.
    rewriter.replaceAllUsesWith(multiply, found);
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(
        op, rewriter.getZeroAttr(op.getType()));
    return success();
  }

  const LoweringTarget &target;
};
} // namespace

void x86::populateDifferencePatterns(const LoweringTarget &target,
                                     RewritePatternSet &patterns) {
  patterns.add<CastOpOfDifference>(patterns.getContext(), target);
}
