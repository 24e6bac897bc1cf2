//===- LowerPackedElements.cpp - Lower packed elements to bytes -----------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LookUpPackedElements.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/TypeUtilities.h"
#include "quant-float/Codegen/SubByte/Passes.h"
#include "quant-float/IR/ElementTypes.h"
#include "quant-float/IR/EntryPointInfo.h"
#include "quant-float/Support/ElementTypes.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

namespace mlir::quant_float {
#define GEN_PASS_DEF_QUANTFLOATLOWERPACKEDELEMENTSPASS
#include "quant-float/Codegen/SubByte/Passes.h.inc"
} // namespace mlir::quant_float

using namespace mlir;
using namespace mlir::quant_float;

/// Returns the number of bits of an element of a packed buffer, or nullopt if
/// the buffer is not packed.
static std::optional<unsigned> getPackedBits(Type type) {
  auto buffer = dyn_cast<MemRefType>(type);
  if (!buffer || !isPackedElementType(buffer.getElementType()))
    return std::nullopt;
  return buffer.getElementTypeBitWidth();
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

namespace {

/// Reads and writes elements of a packed buffer, starting at one position.
///
/// A group is the smallest number of elements that fills entire bytes: two
/// 4-bit elements, or four 2-bit or 6-bit elements. In a vector, each group is
/// a lane with one byte for each element.
class PackedAccess {
public:
  /// Accesses `buffer`, whose sizes and strides count elements, at `indices`.
  /// With `inOrder`, elements are written in order, and vectors begin on a byte
  /// boundary.
  PackedAccess(ImplicitLocOpBuilder &b, Value buffer, ValueRange indices,
               unsigned bits, bool inOrder = false, int64_t registerBytes = 0);

  /// Returns how many of `count` elements are in full groups.
  int64_t roundDownToGroups(int64_t count) const {
    return count - count % groupSize;
  }
  Value read();
  /// Prefetches the byte that contains the element.
  void prefetch(memref::PrefetchOp op);
  /// Reads the bytes of `count` elements, shifted to begin with the first
  /// element. With `limit`, only `limit` elements are in bounds.
  Value readBytes(int64_t count, Value limit = {});
  /// Reads the bytes of `count` elements that begin on a byte boundary, with
  /// this alignment.
  Value readBytes(int64_t count, uint64_t alignment);
  /// Unpacks to one element per byte.
  Value spread(Value packed, int64_t count);
  void write(Value element);
  /// Writes a vector of i8, whose low bits are the elements.
  void write(TypedValue<VectorType> elements);
  /// Writes the first `limit` elements of a vector.
  void write(TypedValue<VectorType> elements, Value limit);
  /// Writes a vector that begins on a byte boundary, with the attributes of
  /// `store`.
  void write(TypedValue<VectorType> elements, vector::StoreOp store);

private:
  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(b, value);
  }
  Value constantLike(Type type, uint64_t number) {
    return arith::ConstantOp::create(b, makeSplat(type, number));
  }
  TypedAttr makeSplat(Type type, uint64_t number);
  Value keep(Value value, uint64_t mask) {
    return arith::AndIOp::create(b, value, constantLike(value.getType(), mask));
  }
  Value shiftLeft(Value value, unsigned amount) {
    return amount ? arith::ShLIOp::create(b, value,
                                          constantLike(value.getType(), amount))
                        .getResult()
                  : value;
  }
  Value shiftRight(Value value, unsigned amount) {
    return amount ? arith::ShRUIOp::create(
                        b, value, constantLike(value.getType(), amount))
                        .getResult()
                  : value;
  }
  Value merge(Value lhs, Value rhs) {
    return lhs ? arith::OrIOp::create(b, lhs, rhs).getResult() : rhs;
  }
  /// Returns the index of the byte that contains the bit at `ahead` bits after
  /// the first one.
  Value getByteIndex(int64_t ahead = 0);
  /// Returns the number of bits before the element in its first byte.
  Value getBitsBefore();
  /// Returns the number of bytes that contain parts of `count` elements.
  Value getNumTouchedBytes(Value count);
  Value view(Value end);
  Value load(VectorType type, Value bytes, Value at, Value limit);
  Value pack(TypedValue<VectorType> elements);

  ImplicitLocOpBuilder &b;
  unsigned bits;
  bool inOrder;
  /// The size of a register of AVX2 or AVX-512 in bytes; 0 if there is none.
  int64_t registerBytes;
  int64_t groupSize;
  /// The base of the buffer, a memref<i8>.
  Value base;
  /// The position of the element's first bit.
  Value bit;
};

} // namespace

PackedAccess::PackedAccess(ImplicitLocOpBuilder &b, Value buffer,
                           ValueRange indices, unsigned bits, bool inOrder,
                           int64_t registerBytes)
    : b(b), bits(bits), inOrder(inOrder), registerBytes(registerBytes),
      groupSize(8 / std::gcd(8u, bits)) {
  auto metadata = memref::ExtractStridedMetadataOp::create(b, buffer);
  base = metadata.getBaseBuffer();
  SmallVector<int64_t> strides;
  int64_t offset;
  auto type = cast<MemRefType>(buffer.getType());
  if (failed(type.getStridesAndOffset(strides, offset))) {
    offset = ShapedType::kDynamic;
    strides.assign(type.getRank(), ShapedType::kDynamic);
  }
  auto get = [&](int64_t known, Value value) {
    return ShapedType::isDynamic(known) ? value : index(known);
  };
  Value element = get(offset, metadata.getOffset());
  for (auto [position, stride, value] :
       llvm::zip_equal(indices, strides, metadata.getStrides()))
    element = b.createOrFold<arith::AddIOp>(
        element, b.createOrFold<arith::MulIOp>(position, get(stride, value)));
  // Buffers have far fewer than 2^63 bits, so this does not overflow.
  bit = b.createOrFold<arith::MulIOp>(element, index(bits),
                                      arith::IntegerOverflowFlags::nsw |
                                          arith::IntegerOverflowFlags::nuw);
}

TypedAttr PackedAccess::makeSplat(Type type, uint64_t number) {
  if (auto vector = dyn_cast<VectorType>(type))
    return DenseElementsAttr::get(
        vector, b.getIntegerAttr(vector.getElementType(), number));
  return b.getIntegerAttr(type, number);
}

Value PackedAccess::getByteIndex(int64_t ahead) {
  Value position = b.createOrFold<arith::AddIOp>(bit, index(ahead));
  return b.createOrFold<arith::ShRUIOp>(position, index(3));
}

Value PackedAccess::getBitsBefore() {
  return b.createOrFold<arith::AndIOp>(bit, index(7));
}

Value PackedAccess::getNumTouchedBytes(Value count) {
  Value all = b.createOrFold<arith::MulIOp>(count, index(bits));
  Value last = b.createOrFold<arith::AddIOp>(
      b.createOrFold<arith::AddIOp>(getBitsBefore(), all), index(7));
  return b.createOrFold<arith::ShRUIOp>(last, index(3));
}

/// Returns a view of the buffer's bytes up to `end`.
Value PackedAccess::view(Value end) {
  OpFoldResult zero = b.getIndexAttr(0), one = b.getIndexAttr(1);
  auto type = MemRefType::get({ShapedType::kDynamic}, b.getI8Type(),
                              StridedLayoutAttr::get(b.getContext(), 0, {1}));
  return memref::ReinterpretCastOp::create(b, type, base, zero,
                                           ArrayRef<OpFoldResult>{end}, one);
}

/// A 6-bit element may span two bytes. The second load is at the byte of the
/// element's last bit, which is in bounds even if the element has only one
/// byte.
Value PackedAccess::read() {
  Value first = getByteIndex(), last = getByteIndex(bits - 1);
  Value bytes = view(b.createOrFold<arith::AddIOp>(last, index(1)));
  Type i16 = b.getIntegerType(16);
  auto load = [&](Value at) -> Value {
    Value byte = memref::LoadOp::create(b, bytes, at);
    return arith::ExtUIOp::create(b, i16, byte);
  };
  Value window = load(first);
  if (groupSize * bits > 8)
    window = merge(window, shiftLeft(load(last), 8));
  Value before = arith::IndexCastOp::create(b, i16, getBitsBefore());
  window = arith::ShRUIOp::create(b, window, before);
  return keep(arith::TruncIOp::create(b, b.getI8Type(), window),
              llvm::maskTrailingOnes<uint64_t>(bits));
}

void PackedAccess::prefetch(memref::PrefetchOp op) {
  Value at = getByteIndex();
  memref::PrefetchOp::create(
      b, view(b.createOrFold<arith::AddIOp>(at, index(1))), at, op.getIsWrite(),
      op.getLocalityHint(), op.getIsDataCache());
}

void PackedAccess::write(Value element) {
  Value first = getByteIndex(), last = getByteIndex(bits - 1);
  Value bytes = view(b.createOrFold<arith::AddIOp>(last, index(1)));
  Type i8 = b.getI8Type(), i16 = b.getIntegerType(16);
  uint64_t mask = llvm::maskTrailingOnes<uint64_t>(bits);
  Value before = arith::IndexCastOp::create(b, i16, getBitsBefore());
  auto shift = [&](Value value) -> Value {
    return arith::ShLIOp::create(b, value, before);
  };
  Value value = shift(keep(arith::ExtUIOp::create(b, i16, element), mask));
  Value window = shift(constantLike(value.getType(), mask));
  auto update = [&](Value at, unsigned amount) {
    auto cut = [&](Value window) -> Value {
      return arith::TruncIOp::create(b, i8, shiftRight(window, amount));
    };
    Value byte = memref::LoadOp::create(b, bytes, at);
    Value others = cut(window);
    // Later elements of the byte are written afterward: clear all bits from the
    // lowest one of this element up.
    if (inOrder)
      others =
          merge(others, arith::SubIOp::create(b, constantLike(i8, 0), others));
    others =
        arith::XOrIOp::create(b, others, constantLike(others.getType(), 0xff));
    byte = merge(arith::AndIOp::create(b, byte, others), cut(value));
    memref::StoreOp::create(b, byte, bytes, at);
  };
  update(first, 0);
  if (groupSize * bits > 8)
    update(last, 8);
}

/// Loads the bytes at `at`, or if `limit` is not null the first `limit` bytes,
/// with zeros after them.
Value PackedAccess::load(VectorType type, Value bytes, Value at, Value limit) {
  if (!limit)
    return vector::LoadOp::create(b, type, bytes, at);
  Value mask =
      vector::CreateMaskOp::create(b, type.clone(b.getI1Type()), limit);
  Value zeros = constantLike(type, 0);
  return vector::MaskedLoadOp::create(b, type, bytes, at, mask, zeros);
}

Value PackedAccess::readBytes(int64_t count, Value limit) {
  int64_t numBytes = count * bits / 8;
  auto type = VectorType::get({numBytes}, b.getI8Type());
  Value first = getByteIndex(), before = getBitsBefore();
  Value bytes = view(b.createOrFold<arith::AddIOp>(first, index(numBytes + 1)));
  Value isAligned =
      arith::CmpIOp::create(b, arith::CmpIPredicate::eq, before, index(0));
  Value numTouched = limit ? getNumTouchedBytes(limit) : Value();
  Value loaded = load(type, bytes, first, numTouched);
  auto branch = scf::IfOp::create(b, TypeRange(type), isAligned,
                                  /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    scf::YieldOp::create(b, loaded);
    b.setInsertionPointToStart(branch.elseBlock());
    // The last element ends in the byte after the first load.
    Value nextByte = b.createOrFold<arith::AddIOp>(first, index(1));
    // The first byte contains bits before the vector, so `numTouched` is not 0.
    Value remaining =
        limit ? b.createOrFold<arith::SubIOp>(numTouched, index(1)) : Value();
    Value next = load(type, bytes, nextByte, remaining);
    Value low = arith::IndexCastOp::create(b, b.getI8Type(), before);
    Value high = arith::SubIOp::create(b, constantLike(low.getType(), 8), low);
    // An unaligned 4-bit element begins in the middle of a byte.
    Value amount = bits == 4 ? constantLike(type, 4)
                             : vector::BroadcastOp::create(b, type, low);
    Value rest =
        bits == 4 ? amount : vector::BroadcastOp::create(b, type, high);
    Value joined =
        arith::OrIOp::create(b, arith::ShRUIOp::create(b, loaded, amount),
                             arith::ShLIOp::create(b, next, rest));
    scf::YieldOp::create(b, joined);
  }
  return branch.getResult(0);
}

Value PackedAccess::readBytes(int64_t count, uint64_t alignment) {
  int64_t numBytes = count * bits / 8;
  Value first = getByteIndex();
  Value bytes = view(b.createOrFold<arith::AddIOp>(first, index(numBytes)));
  auto load = vector::LoadOp::create(
      b, VectorType::get({numBytes}, b.getI8Type()), bytes, first);
  load.setAlignment(alignment);
  return load;
}

/// Unpacks each group in its lane. For 4-bit elements and a group x:
///   (x | x << 4) & 0xf0f
Value PackedAccess::spread(Value packed, int64_t count) {
  int64_t numGroups = count / groupSize;
  auto laneType = VectorType::get({numGroups}, b.getIntegerType(8 * groupSize));
  Value lanes;
  if (groupSize * bits == 8) {
    lanes = arith::ExtUIOp::create(b, laneType, packed);
  } else {
    // Extend the three bytes of a group by a fourth, which is masked off below.
    SmallVector<int64_t> order;
    for (int64_t i = 0; i < numGroups; ++i)
      order.append({3 * i, 3 * i + 1, 3 * i + 2, 3 * i + 2});
    Value spread = vector::ShuffleOp::create(b, packed, packed, order);
    lanes = vector::BitCastOp::create(b, laneType, spread);
  }
  uint64_t mask = llvm::maskTrailingOnes<uint64_t>(bits), all = 0;
  // In groups of one byte, shifted copies overlap only in bits that the mask
  // clears, so that one mask at the end suffices.
  bool isOneByte = groupSize * bits == 8;
  Value elements;
  for (int64_t i = 0; i < groupSize; ++i) {
    Value moved = shiftLeft(lanes, i * (8 - bits));
    all |= mask << (8 * i);
    elements =
        merge(elements, isOneByte ? moved : keep(moved, mask << (8 * i)));
  }
  if (isOneByte)
    elements = keep(elements, all);
  return vector::BitCastOp::create(b, VectorType::get({count}, b.getI8Type()),
                                   elements);
}

/// Packs the low halves of a register's bytes, two per byte, with an
/// instruction that multiplies bytes and adds adjacent products.
static Value packByMultiplication(ImplicitLocOpBuilder &b, Value elements) {
  auto type = cast<VectorType>(elements.getType());
  int64_t count = type.getNumElements();
  auto makeConstant = [&](ArrayRef<int8_t> values) {
    return arith::ConstantOp::create(b, DenseElementsAttr::get(type, values));
  };
  SmallVector<int8_t> factors;
  for (int64_t i = 0; i < count / 2; ++i)
    factors.append({1, 16});
  StringRef name = count == 64 ? "llvm.x86.avx512.pmaddubs.w.512"
                               : "llvm.x86.avx2.pmadd.ub.sw";
  Value nibbles = arith::AndIOp::create(b, elements, makeConstant({0xF}));
  auto sums = LLVM::CallIntrinsicOp::create(
      b, VectorType::get(count / 2, b.getI16Type()), b.getStringAttr(name),
      ValueRange{nibbles, makeConstant(factors)});
  return arith::TruncIOp::create(b, VectorType::get(count / 2, b.getI8Type()),
                                 sums.getResult(0));
}

Value PackedAccess::pack(TypedValue<VectorType> elements) {
  int64_t count = elements.getType().getNumElements();
  int64_t numBytes = count * bits / 8, numGroups = count / groupSize;
  auto type = VectorType::get({numBytes}, b.getI8Type());
  if (bits == 4 && registerBytes && count == registerBytes)
    return packByMultiplication(b, elements);
  Value lanes = vector::BitCastOp::create(
      b, VectorType::get({numGroups}, b.getIntegerType(8 * groupSize)),
      elements);
  uint64_t mask = llvm::maskTrailingOnes<uint64_t>(bits);
  Value packed;
  for (int64_t i = 0; i < groupSize; ++i)
    packed = merge(packed,
                   keep(shiftRight(lanes, i * (8 - bits)), mask << (bits * i)));
  if (groupSize * bits == 8) {
    packed = arith::TruncIOp::create(b, type, packed);
  } else {
    Value spread = vector::BitCastOp::create(
        b, VectorType::get({4 * numGroups}, b.getI8Type()), packed);
    SmallVector<int64_t> order;
    for (int64_t i = 0; i < numGroups; ++i)
      order.append({4 * i, 4 * i + 1, 4 * i + 2});
    packed = vector::ShuffleOp::create(b, spread, spread, order);
  }
  return packed;
}

void PackedAccess::write(TypedValue<VectorType> elements) {
  Value packed = pack(elements);
  auto type = cast<VectorType>(packed.getType());
  int64_t numBytes = type.getNumElements();
  Value first = getByteIndex(), before = getBitsBefore();
  Value nextByte = b.createOrFold<arith::AddIOp>(first, index(numBytes));
  Value bytes = view(b.createOrFold<arith::AddIOp>(nextByte, index(1)));
  if (inOrder) {
    vector::StoreOp::create(b, packed, bytes, first);
    return;
  }
  Value isAligned =
      arith::CmpIOp::create(b, arith::CmpIPredicate::eq, before, index(0));
  auto branch = scf::IfOp::create(b, isAligned, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  vector::StoreOp::create(b, packed, bytes, first);
  // Preserve the bits before the vector in its first byte, and the bits after
  // it in its last byte.
  b.setInsertionPointToStart(branch.elseBlock());
  Value low = arith::IndexCastOp::create(b, b.getI8Type(), before);
  Value high = arith::SubIOp::create(b, constantLike(low.getType(), 8), low);
  Value ones = constantLike(b.getI8Type(), 0xff);
  Value inFront = arith::ShRUIOp::create(b, ones, high);
  Value atEnd = arith::ShLIOp::create(b, ones, low);
  Value carried = arith::ShRUIOp::create(
      b, packed, vector::BroadcastOp::create(b, type, high));
  Value moved = arith::ShLIOp::create(
      b, packed, vector::BroadcastOp::create(b, type, low));
  Value before0 = arith::AndIOp::create(
      b, memref::LoadOp::create(b, bytes, first), inFront);
  Value head = vector::BroadcastOp::create(b, type, before0);
  SmallVector<int64_t> order = {0};
  for (int64_t i = 0; i + 1 < numBytes; ++i)
    order.push_back(numBytes + i);
  Value shifted = vector::ShuffleOp::create(b, head, carried, order);
  vector::StoreOp::create(b, merge(moved, shifted), bytes, first);
  Value tail = arith::AndIOp::create(
      b, memref::LoadOp::create(b, bytes, nextByte), atEnd);
  Value lastBits = vector::ExtractOp::create(b, carried, numBytes - 1);
  memref::StoreOp::create(b, merge(tail, lastBits), bytes, nextByte);
}

void PackedAccess::write(TypedValue<VectorType> elements,
                         vector::StoreOp store) {
  Value packed = pack(elements);
  int64_t numBytes = cast<VectorType>(packed.getType()).getNumElements();
  Value first = getByteIndex();
  Value bytes = view(b.createOrFold<arith::AddIOp>(first, index(numBytes)));
  auto bytewise = vector::StoreOp::create(b, packed, bytes, first);
  bytewise.setNontemporal(store.getNontemporal());
  bytewise.setAlignmentAttr(store.getAlignmentAttr());
}

/// Uses a vector with one more byte than the elements need. Shifts the
/// elements' bits and a mask of the valid bits to the position of the first
/// bit, then merges them with the existing bytes.
void PackedAccess::write(TypedValue<VectorType> elements, Value limit) {
  Value packed = pack(elements);
  auto packedType = cast<VectorType>(packed.getType());
  int64_t numBytes = packedType.getNumElements();
  auto type = VectorType::get(llvm::PowerOf2Ceil(numBytes + 1), b.getI8Type());
  VectorType maskType = type.clone(b.getI1Type());
  Value zeros = constantLike(type, 0), ones = constantLike(type, 0xff);
  SmallVector<int64_t> order;
  for (int64_t i = 0; i < type.getNumElements(); ++i)
    order.push_back(std::min(i, numBytes));
  Value wide =
      vector::ShuffleOp::create(b, packed, constantLike(packedType, 0), order);

  Value numBits = b.createOrFold<arith::MulIOp>(limit, index(bits));
  auto maskFirst = [&](Value count) -> Value {
    return vector::CreateMaskOp::create(b, maskType, count);
  };
  auto getBytes = [&](Value bits) -> Value {
    return b.createOrFold<arith::ShRUIOp>(bits, index(3));
  };
  Value rest = arith::IndexCastOp::create(
      b, b.getI8Type(), b.createOrFold<arith::AndIOp>(numBits, index(7)));
  Value one = constantLike(b.getI8Type(), 1);
  Value partial =
      arith::SubIOp::create(b, arith::ShLIOp::create(b, one, rest), one);
  Value counts = arith::SelectOp::create(
      b, maskFirst(getBytes(b.createOrFold<arith::AddIOp>(numBits, index(7)))),
      vector::BroadcastOp::create(b, type, partial), zeros);
  counts =
      arith::SelectOp::create(b, maskFirst(getBytes(numBits)), ones, counts);

  Value low = arith::IndexCastOp::create(b, b.getI8Type(), getBitsBefore());
  Value high = arith::SubIOp::create(b, constantLike(b.getI8Type(), 7), low);
  order.assign(1, type.getNumElements());
  for (int64_t i = 0; i + 1 < type.getNumElements(); ++i)
    order.push_back(i);
  auto move = [&](Value value) {
    Value carried = vector::ShuffleOp::create(b, value, zeros, order);
    // Shift by 8 - low, at most 8, in two steps: i8 cannot be shifted by 8.
    carried = arith::ShRUIOp::create(
        b, shiftRight(carried, 1), vector::BroadcastOp::create(b, type, high));
    Value moved = arith::ShLIOp::create(
        b, value, vector::BroadcastOp::create(b, type, low));
    return merge(moved, carried);
  };
  counts = move(counts);

  Value first = getByteIndex(), numTouched = getNumTouchedBytes(limit);
  Value bytes = view(b.createOrFold<arith::AddIOp>(first, numTouched));
  Value others = arith::XOrIOp::create(b, counts, ones);
  Value merged = merge(
      arith::AndIOp::create(b, move(wide), counts),
      arith::AndIOp::create(b, load(type, bytes, first, numTouched), others));
  vector::MaskedStoreOp::create(b, bytes, first, maskFirst(numTouched), merged);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct LowerPackedElements final
    : quant_float::impl::QuantFloatLowerPackedElementsPassBase<
          LowerPackedElements> {
  using QuantFloatLowerPackedElementsPassBase::
      QuantFloatLowerPackedElementsPassBase;

  void runOnOperation() override;
  LogicalResult lowerAccess(Operation *op, unsigned bits);
};
} // namespace

/// Replaces the loaded value of `op` by its elements in bytes. Extensions
/// to these bytes need no op; other users get a truncation.
static void replaceElements(OpBuilder &builder, Operation *op, Value bytes) {
  Value result = op->getResult(0);
  for (Operation *user : llvm::make_early_inc_range(result.getUsers()))
    if (isa<arith::ExtUIOp>(user) &&
        user->getResult(0).getType() == bytes.getType()) {
      user->getResult(0).replaceAllUsesWith(bytes);
      user->erase();
    }
  if (!result.use_empty())
    result.replaceAllUsesWith(arith::TruncIOp::create(builder, op->getLoc(),
                                                      result.getType(), bytes));
}

static Value getBytes(ImplicitLocOpBuilder &b, Value elements) {
  Type type = withElementType(elements.getType(), b.getI8Type());
  if (auto cut = elements.getDefiningOp<arith::TruncIOp>())
    if (cut.getIn().getType() == type)
      return cut.getIn();
  return arith::ExtUIOp::create(b, type, elements);
}

/// Whether the transfer accesses adjacent elements, beginning at its indices.
/// With a mask, these must be the first elements of the vector.
static bool isContiguous(VectorTransferOpInterface op) {
  return (!op.getMask() ||
          op.getMask().getDefiningOp<vector::CreateMaskOp>()) &&
         !op.hasOutOfBoundsDim() && op.getPermutationMap().isMinorIdentity() &&
         cast<MemRefType>(op.getBase().getType()).isLastDimUnitStride();
}

/// Returns the number of elements that the mask enables; null if there is none.
static Value getLimit(VectorTransferOpInterface op) {
  if (!op.getMask())
    return {};
  return op.getMask().getDefiningOp<vector::CreateMaskOp>().getOperand(0);
}

/// Calls `visit` with the number and the indices of each element from `from` up
/// to `count`, the elements that are not in full groups.
static void visitRemainder(
    ImplicitLocOpBuilder &b, ValueRange indices, int64_t from, int64_t count,
    llvm::function_ref<void(int64_t element, ValueRange indices)> visit) {
  SmallVector<Value> at(indices);
  for (int64_t i = from; i < count; ++i) {
    at.back() = b.createOrFold<arith::AddIOp>(
        indices.back(), arith::ConstantIndexOp::create(b, i));
    visit(i, at);
  }
}

/// Replaces `op`, which reads a vector, or the first `limit` elements of it.
static LogicalResult readVector(Operation *op, Value buffer, ValueRange indices,
                                Value limit, unsigned bits, bool permutes,
                                int64_t registerBytes) {
  ImplicitLocOpBuilder b(op->getLoc(), op);
  int64_t count = cast<VectorType>(op->getResult(0).getType()).getNumElements();
  PackedAccess access(b, buffer, indices, bits);
  int64_t full = access.roundDownToGroups(count);
  if (full == count) {
    // An alignment states that the vector begins and ends on byte boundaries.
    auto load = dyn_cast<vector::LoadOp>(op);
    Value packed = load && load.getAlignment()
                       ? access.readBytes(count, *load.getAlignment())
                       : access.readBytes(count, limit);
    // Bitcasts of the vector use the packed bytes.
    for (Operation *user : llvm::make_early_inc_range(op->getUsers()))
      if (auto bits = dyn_cast<vector::BitCastOp>(user)) {
        bits.replaceAllUsesWith(
            b.createOrFold<vector::BitCastOp>(bits.getType(), packed));
        bits.erase();
      }
    if (op->use_empty())
      return success();
    for (Operation *user : op->getUsers()) {
      auto encodings = dyn_cast<arith::ExtUIOp>(user);
      if (bits > 4 || !encodings ||
          !getElementTypeOrSelf(encodings.getType()).isInteger(8))
        continue;
      if (permutes)
        lookUpPackedElements(encodings, packed, bits);
      else if (bits == 4 && count == registerBytes && count == 32)
        lookUpNibbles(encodings, packed);
    }
    replaceElements(b, op, access.spread(packed, count));
    return success();
  }
  if (limit)
    return failure();
  auto type = VectorType::get(count, b.getI8Type());
  Value elements = arith::ConstantOp::create(b, b.getZeroAttr(type));
  if (full)
    elements = vector::InsertStridedSliceOp::create(
        b, access.spread(access.readBytes(full), full), elements, 0, 1);
  visitRemainder(b, indices, full, count, [&](int64_t element, ValueRange at) {
    elements = vector::InsertOp::create(
        b, PackedAccess(b, buffer, at, bits).read(), elements, element);
  });
  replaceElements(b, op, elements);
  return success();
}

static LogicalResult writeVector(ImplicitLocOpBuilder &b, Value buffer,
                                 ValueRange indices, Value elements,
                                 Value limit, unsigned bits, bool inOrder,
                                 int64_t registerBytes) {
  auto vector = cast<TypedValue<VectorType>>(elements);
  PackedAccess access(b, buffer, indices, bits, inOrder, registerBytes);
  int64_t count = vector.getType().getNumElements();
  int64_t full = access.roundDownToGroups(count);
  if (limit) {
    if (full != count)
      return failure();
    access.write(vector, limit);
    return success();
  }
  if (full)
    access.write(cast<TypedValue<VectorType>>(
        b.createOrFold<vector::ExtractStridedSliceOp>(vector, 0, full, 1)));
  visitRemainder(b, indices, full, count, [&](int64_t element, ValueRange at) {
    PackedAccess(b, buffer, at, bits, inOrder)
        .write(vector::ExtractOp::create(b, elements, element).getResult());
  });
  return success();
}

/// Lowers an op that reads or writes packed elements. The buffer already has a
/// type of bytes, whose sizes, strides and offset still count elements.
LogicalResult LowerPackedElements::lowerAccess(Operation *op, unsigned bits) {
  ImplicitLocOpBuilder b(op->getLoc(), op);
  auto reportUnsupported = [&] {
    return op->emitOpError("has no lowering for packed elements");
  };
  if (auto load = dyn_cast<memref::LoadOp>(op)) {
    PackedAccess access(b, load.getMemRef(), load.getIndices(), bits);
    replaceElements(b, op, access.read());
  } else if (auto store = dyn_cast<memref::StoreOp>(op)) {
    Value byte = getBytes(b, store.getValue());
    PackedAccess(b, store.getMemRef(), store.getIndices(), bits, inOrder)
        .write(byte);
  } else if (auto load = dyn_cast<vector::LoadOp>(op)) {
    if (load.getVectorType().getRank() != 1 ||
        failed(readVector(op, load.getBase(), load.getIndices(),
                          /*limit=*/Value(), bits, permutes, registerBytes)))
      return reportUnsupported();
  } else if (auto read = dyn_cast<vector::TransferReadOp>(op)) {
    if (read.getVectorType().getRank() != 1 || !isContiguous(read) ||
        failed(readVector(op, read.getBase(), read.getIndices(), getLimit(read),
                          bits, permutes, registerBytes)))
      return reportUnsupported();
  } else if (auto store = dyn_cast<vector::StoreOp>(op)) {
    // An alignment states that the vector begins and ends on byte boundaries.
    auto vector =
        cast<TypedValue<VectorType>>(getBytes(b, store.getValueToStore()));
    PackedAccess access(b, store.getBase(), store.getIndices(), bits, inOrder,
                        registerBytes);
    if (!store.getAlignment() || vector.getType().getRank() != 1 ||
        access.roundDownToGroups(vector.getType().getNumElements()) !=
            vector.getType().getNumElements())
      return reportUnsupported();
    access.write(vector, store);
  } else if (auto write = dyn_cast<vector::TransferWriteOp>(op)) {
    if (write.getVectorType().getRank() != 1 || !isContiguous(write) ||
        failed(writeVector(b, write.getBase(), write.getIndices(),
                           getBytes(b, write.getVector()), getLimit(write),
                           bits, inOrder, registerBytes)))
      return reportUnsupported();
  } else if (auto prefetch = dyn_cast<memref::PrefetchOp>(op)) {
    PackedAccess(b, prefetch.getMemref(), prefetch.getIndices(), bits)
        .prefetch(prefetch);
  } else {
    return reportUnsupported();
  }
  op->erase();
  return success();
}

/// Converts a packed constant to an array of its bytes:
///
/// memref.global @g : memref<3x5xi4> = dense_resource<w>
/// %0 = memref.get_global @g : memref<3x5xi4>
/// ->
/// memref.global @g : memref<8xi8> = dense_resource<w>
/// %1 = memref.get_global @g : memref<8xi8>
/// %0 = memref.reinterpret_cast %1 to ... : memref<8xi8> to memref<3x5xi8>
static LogicalResult lowerGlobal(memref::GlobalOp global) {
  auto resource =
      dyn_cast_or_null<DenseResourceElementsAttr>(global.getInitialValueAttr());
  if (!resource || !isPacked(resource))
    return global.emitOpError("has no lowering: expected a constant with "
                              "packed elements in a dense resource");
  Builder builder(global.getContext());
  int64_t bytes = resource.getRawHandle().getBlob()->getData().size();
  auto type = MemRefType::get({bytes}, builder.getI8Type());
  global.setType(type);
  global.setInitialValueAttr(DenseResourceElementsAttr::get(
      RankedTensorType::get({bytes}, builder.getI8Type()),
      resource.getRawHandle()));
  return success();
}

static void lowerGetGlobal(memref::GetGlobalOp op) {
  OpBuilder builder(op);
  auto type = cast<MemRefType>(op.getType());
  auto bytesType = MemRefType::get(
      {static_cast<int64_t>(getPackedBytes(type.getElementTypeBitWidth(),
                                           type.getNumElements()))},
      builder.getI8Type());
  Value bytes = memref::GetGlobalOp::create(builder, op.getLoc(), bytesType,
                                            op.getName());
  SmallVector<int64_t> strides = type.getStridesAndOffset().first;
  auto elements = memref::ReinterpretCastOp::create(
      builder, op.getLoc(),
      MemRefType::get(type.getShape(), builder.getI8Type()), bytes,
      /*offset=*/0, type.getShape(), strides);
  op.replaceAllUsesWith(elements.getResult());
  op.erase();
}

/// Clears the byte in which the last element of each packed result ends. Stores
/// merge elements into this byte and preserve the bits after them.
static void clearPadding(func::FuncOp kernel, const EntryPointInfo &info) {
  ImplicitLocOpBuilder b(kernel.getLoc(), kernel.getContext());
  b.setInsertionPointToStart(&kernel.getBody().front());
  for (auto [index, output] : llvm::enumerate(info.outputs)) {
    const ElementInfo *element = findElement(output.dtype);
    if (!element || !element->isPacked())
      continue;
    Value buffer = kernel.getArgument(info.inputs.size() + index);
    auto metadata = memref::ExtractStridedMetadataOp::create(b, buffer);
    Value count = arith::ConstantIndexOp::create(b, 1);
    for (auto [size, value] :
         llvm::zip_equal(output.sizes, metadata.getSizes())) {
      Value extent = value;
      if (size >= 0)
        extent = arith::ConstantIndexOp::create(b, size);
      count = b.createOrFold<arith::MulIOp>(count, extent);
    }
    Value bits = b.createOrFold<arith::MulIOp>(
        count, arith::ConstantIndexOp::create(b, element->bits));
    Value rest = b.createOrFold<arith::AndIOp>(
        bits, arith::ConstantIndexOp::create(b, 7));
    Value zero = arith::ConstantIndexOp::create(b, 0);
    Value isPartial =
        arith::CmpIOp::create(b, arith::CmpIPredicate::ne, rest, zero);
    auto branch = scf::IfOp::create(b, isPartial);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    Value last = b.createOrFold<arith::ShRUIOp>(
        bits, arith::ConstantIndexOp::create(b, 3));
    auto type = MemRefType::get({ShapedType::kDynamic}, b.getI8Type(),
                                StridedLayoutAttr::get(b.getContext(), 0, {1}));
    Value end = b.createOrFold<arith::AddIOp>(
        last, arith::ConstantIndexOp::create(b, 1));
    Value bytes = memref::ReinterpretCastOp::create(
        b, type, metadata.getBaseBuffer(), b.getIndexAttr(0),
        ArrayRef<OpFoldResult>{end}, ArrayRef<OpFoldResult>{b.getIndexAttr(1)});
    memref::StoreOp::create(b, arith::ConstantIntOp::create(b, 0, 8), bytes,
                            last);
  }
}

static Type getBytesType(Type type) {
  return cast<MemRefType>(type).clone(IntegerType::get(type.getContext(), 8));
}

void LowerPackedElements::runOnOperation() {
  ModuleOp module = getOperation();
  // Collect accesses before the types change, because the types state the
  // number of bits.
  SmallVector<std::pair<Operation *, unsigned>> accesses;
  SmallVector<Value> buffers;
  SmallVector<memref::GetGlobalOp> constants;
  SmallVector<func::FuncOp> functions;
  bool isInvalid = false;
  module.walk([&](Operation *op) {
    if (auto global = dyn_cast<memref::GlobalOp>(op)) {
      if (getPackedBits(global.getType()))
        isInvalid |= failed(lowerGlobal(global));
      return;
    }
    if (auto get = dyn_cast<memref::GetGlobalOp>(op)) {
      if (getPackedBits(get.getType()))
        constants.push_back(get);
      return;
    }
    auto collect = [&](Value value) {
      if (getPackedBits(value.getType()))
        buffers.push_back(value);
    };
    for (Value result : op->getResults())
      collect(result);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Value argument : block.getArguments())
          collect(argument);
    if (auto function = dyn_cast<func::FuncOp>(op))
      functions.push_back(function);
    // Views and ops that forward buffers need new types only.
    if (!isa<memref::LoadOp, memref::StoreOp, vector::LoadOp, vector::StoreOp,
             VectorTransferOpInterface, memref::CopyOp, memref::PrefetchOp>(op))
      return;
    for (Value operand : op->getOperands())
      if (std::optional<unsigned> bits = getPackedBits(operand.getType())) {
        accesses.push_back({op, *bits});
        break;
      }
  });
  if (isInvalid)
    return signalPassFailure();
  for (memref::GetGlobalOp constant : constants)
    lowerGetGlobal(constant);
  for (Value buffer : buffers)
    buffer.setType(getBytesType(buffer.getType()));
  for (auto [op, bits] : accesses)
    if (failed(lowerAccess(op, bits)))
      return signalPassFailure();
  for (func::FuncOp function : functions) {
    auto convert = [](TypeRange types) {
      return llvm::map_to_vector(types, [](Type type) {
        return getPackedBits(type) ? getBytesType(type) : type;
      });
    };
    function.setFunctionType(
        FunctionType::get(&getContext(), convert(function.getArgumentTypes()),
                          convert(function.getResultTypes())));
    if (!function->hasAttr(kEntryPointAttrName) || function.isExternal())
      continue;
    FailureOr<EntryPointInfo> info = EntryPointInfo::get(function);
    if (failed(info))
      return signalPassFailure();
    if (!inOrder)
      clearPadding(function, *info);
  }
}
