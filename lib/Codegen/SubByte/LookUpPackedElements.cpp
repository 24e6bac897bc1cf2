//===- LookUpPackedElements.cpp - Table lookup of encodings ---------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// There are at most 16 encodings of up to 4 bits. The result of elementwise ops
// on a vector of encodings depends on each encoding alone if the other operands
// are uniform, as scales and zero points of a block are:
//
//   y[i] = f(encoding[i])  ->  table[e] = f(e);  y[i] = table[encoding[i]]
//
// The same ops on a vector of 16 elements compute the table. It is a constant
// if the encoding is the only variable operand, and is hoisted out of loops if
// the other operands are invariant. AVX-512's permutes take indices from the
// low bits of elements and ignore the bits above. One instruction, which
// extracts any 8 adjacent bits of 64 for each byte, converts packed encodings
// to such indices.
//
// AVX2 looks up bytes in 16 entries per half of a register. A constant table is
// looked up byte by byte, except for bytes that are the same in all entries,
// and the results are interleaved to elements. Encodings are distributed to the
// halves such that the elements end up in order.
//
//===----------------------------------------------------------------------===//

#include "LookUpPackedElements.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "quant-float/IR/QuantFloatOps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::quant_float;

/// The number of entries of a table, as 4-bit encodings need. Tables for fewer
/// bits repeat, so that lookups ignore the bits above an encoding.
static constexpr int64_t kEntries = 16;
static constexpr int64_t kRegisterBits = 512;

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

namespace {
/// Computes tables for all values that depend on the encodings alone.
class Tables {
public:
  Tables(arith::ExtUIOp encodings, unsigned bits);

  /// Returns the values to look up and their tables. Each of these values has
  /// elements of 8, 16 or 32 bits, depends on a cast, and has a user without a
  /// table.
  SmallVector<std::pair<Value, Value>> getResults() const;

private:
  Value getTable(OpBuilder &builder, Value operand) const;
  bool add(Operation &op);

  int64_t count;
  llvm::MapVector<Value, Value> tables;
  /// The values that depend on a cast. A lookup of other values is not
  /// profitable.
  llvm::DenseSet<Value> converted;
};
} // namespace

static VectorType getTableType(Type elementType) {
  return VectorType::get(kEntries, elementType);
}

Tables::Tables(arith::ExtUIOp encodings, unsigned bits)
    : count(cast<VectorType>(encodings.getType()).getNumElements()) {
  SmallVector<int8_t> numbers;
  for (int64_t i = 0; i < kEntries; ++i)
    numbers.push_back(i & llvm::maskTrailingOnes<uint64_t>(bits));
  OpBuilder builder(encodings);
  tables[encodings] = arith::ConstantOp::create(
      builder, encodings.getLoc(),
      DenseElementsAttr::get(getTableType(builder.getI8Type()),
                             ArrayRef<int8_t>(numbers)));
  for (Operation *op = encodings->getNextNode(); op; op = op->getNextNode())
    add(*op);
}

/// Returns the table that corresponds to an operand of an elementwise op; null
/// if the operand depends on more than the encoding.
Value Tables::getTable(OpBuilder &builder, Value operand) const {
  if (const auto *known = tables.find(operand); known != tables.end())
    return known->second;
  auto type = dyn_cast<VectorType>(operand.getType());
  if (!type)
    return operand;
  VectorType tableType = getTableType(type.getElementType());
  Location loc = operand.getLoc();
  DenseElementsAttr constant;
  if (matchPattern(operand, m_Constant(&constant)))
    return constant.isSplat()
               ? arith::ConstantOp::create(builder, loc,
                                           constant.resizeSplat(tableType))
                     .getResult()
               : Value();
  auto broadcast = operand.getDefiningOp<vector::BroadcastOp>();
  if (!broadcast || isa<VectorType>(broadcast.getSourceType()))
    return {};
  return vector::BroadcastOp::create(builder, loc, tableType,
                                     broadcast.getSource());
}

bool Tables::add(Operation &op) {
  if (!llvm::any_of(op.getOperands(),
                    [&](Value operand) { return tables.contains(operand); }) ||
      !OpTrait::hasElementwiseMappableTraits(&op) || !isMemoryEffectFree(&op) ||
      op.getNumResults() != 1)
    return false;
  OpBuilder builder(&op);
  IRMapping mapping;
  for (Value operand : op.getOperands()) {
    Value table = getTable(builder, operand);
    if (!table)
      return false;
    mapping.map(operand, table);
  }
  Value result = op.getResult(0);
  Operation *cloned = builder.clone(op, mapping);
  cloned->getResult(0).setType(getTableType(getElementTypeOrSelf(result)));
  tables[result] = cloned->getResult(0);
  SmallVector<Value> folded;
  if (succeeded(builder.tryFold(cloned, folded)) && !folded.empty()) {
    tables[result] = folded.front();
    cloned->erase();
  }
  if (isa<CastOp>(op) || llvm::any_of(op.getOperands(), [&](Value operand) {
        return converted.contains(operand);
      }))
    converted.insert(result);
  return true;
}

SmallVector<std::pair<Value, Value>> Tables::getResults() const {
  SmallVector<std::pair<Value, Value>> results;
  for (auto [value, table] : tables) {
    bool hasOtherUses = llvm::any_of(value.getUsers(), [&](Operation *user) {
      return user->getNumResults() != 1 || !tables.contains(user->getResult(0));
    });
    unsigned width = getElementTypeOrSelf(value).getIntOrFloatBitWidth();
    if (hasOtherUses && converted.contains(value) &&
        llvm::is_contained({8u, 16u, 32u}, width))
      results.push_back({value, table});
  }
  return results;
}

//===----------------------------------------------------------------------===//
// Lookups with AVX-512
//===----------------------------------------------------------------------===//

namespace {
class LookUp {
public:
  /// Creates lookups for encodings of `bits` bits.
  LookUp(ImplicitLocOpBuilder &b, unsigned bits) : b(b), bits(bits) {}

  /// Looks up the first `count` encodings of `packed` in `table`.
  Value build(Value table, Value packed, int64_t count);

private:
  Value callIntrinsic(StringRef name, VectorType type, ValueRange operands) {
    return LLVM::CallIntrinsicOp::create(b, type, b.getStringAttr(name),
                                         operands)
        .getResult(0);
  }
  Value makeIndices(Value packed, int64_t first, unsigned width);

  ImplicitLocOpBuilder &b;
  unsigned bits;
};
} // namespace

/// Returns a register of elements of `width` bits that contain encoding `first`
/// and the following ones in their low bits. `packed` are the packed
/// encodings in 64-bit elements.
Value LookUp::makeIndices(Value packed, int64_t first, unsigned width) {
  auto bytesType = VectorType::get(kRegisterBits / 8, b.getI8Type());
  int64_t limit = cast<VectorType>(packed.getType()).getNumElements();
  SmallVector<int64_t> sources;
  SmallVector<int8_t> bitPositions(kRegisterBits / 8, 0);
  for (int64_t at = 0; at < kRegisterBits; at += width) {
    int64_t bit = (first + at / width) * bits;
    bitPositions[at / 8] = bit % 64;
    // The encodings of 64 bits of results are in one element.
    if (at % 64 == 0)
      sources.push_back(std::min(bit / 64, limit - 1));
  }
  Value data = vector::ShuffleOp::create(b, packed, packed, sources);
  Value control = arith::ConstantOp::create(
      b, DenseElementsAttr::get(bytesType, ArrayRef<int8_t>(bitPositions)));
  Value indices =
      callIntrinsic("llvm.x86.avx512.pmultishift.qb.512", bytesType,
                    {control, vector::BitCastOp::create(b, bytesType, data)});
  return vector::BitCastOp::create(
      b, VectorType::get(kRegisterBits / width, b.getIntegerType(width)),
      indices);
}

Value LookUp::build(Value table, Value packed, int64_t count) {
  Type elementType = getElementTypeOrSelf(table);
  unsigned width = elementType.getIntOrFloatBitWidth();
  int64_t lanes = kRegisterBits / width;
  auto registerType = VectorType::get(lanes, b.getIntegerType(width));

  // Pad the packed encodings to full 64-bit elements. The padding is not used.
  int64_t bytes = cast<VectorType>(packed.getType()).getNumElements();
  int64_t paddedBytes = llvm::alignTo(bytes, 8);
  if (bytes != paddedBytes) {
    SmallVector<int64_t> order;
    for (int64_t i = 0; i < paddedBytes; ++i)
      order.push_back(i < bytes ? i : ShapedType::kDynamic);
    llvm::replace(order, ShapedType::kDynamic, vector::ShuffleOp::kPoisonIndex);
    packed = vector::ShuffleOp::create(b, packed, packed, order);
  }
  Value elements = vector::BitCastOp::create(
      b, VectorType::get(paddedBytes / 8, b.getI64Type()), packed);

  // Repeat the table to fill a register.
  SmallVector<int64_t> order;
  for (int64_t i = 0; i < lanes; ++i)
    order.push_back(i % kEntries);
  Value entries = arith::BitcastOp::create(
      b, getTableType(registerType.getElementType()), table);
  if (lanes != kEntries)
    entries = vector::ShuffleOp::create(b, entries, entries, order);

  StringRef permute = width == 32   ? "llvm.x86.avx512.permvar.si.512"
                      : width == 16 ? "llvm.x86.avx512.permvar.hi.512"
                                    : "llvm.x86.avx512.permvar.qi.512";
  auto type = VectorType::get(llvm::alignTo(count, lanes),
                              registerType.getElementType());
  Value result = arith::ConstantOp::create(b, b.getZeroAttr(type));
  for (int64_t first = 0; first < count; first += lanes) {
    Value part = callIntrinsic(permute, registerType,
                               {entries, makeIndices(elements, first, width)});
    result = vector::InsertStridedSliceOp::create(b, part, result, first, 1);
  }
  if (type.getNumElements() != count)
    result = vector::ExtractStridedSliceOp::create(b, result, 0, count, 1);
  return arith::BitcastOp::create(b, VectorType::get(count, elementType),
                                  result);
}

void quant_float::lookUpPackedElements(arith::ExtUIOp encodings, Value packed,
                                       unsigned bits) {
  int64_t count = cast<VectorType>(encodings.getType()).getNumElements();
  for (auto [value, table] : Tables(encodings, bits).getResults()) {
    ImplicitLocOpBuilder b(value.getLoc(), value.getContext());
    b.setInsertionPointAfterValue(value);
    Value found = LookUp(b, bits).build(table, packed, count);
    value.replaceAllUsesWith(found);
  }
}

//===----------------------------------------------------------------------===//
// Lookups with AVX2
//===----------------------------------------------------------------------===//

namespace {
/// Looks up 32 4-bit encodings, in registers of 32 bytes.
class NibbleLookUp {
public:
  NibbleLookUp(ImplicitLocOpBuilder &b) : b(b) {}

  Value build(DenseElementsAttr table, Value packed);

private:
  static constexpr int64_t kBytes = 32, kHalf = kBytes / 2;

  VectorType getRegister(int64_t bytes) {
    return VectorType::get(kBytes / bytes, b.getIntegerType(8 * bytes));
  }
  Value splat(VectorType type, uint64_t number) {
    return arith::ConstantOp::create(
        b, DenseElementsAttr::get(
               type, b.getIntegerAttr(type.getElementType(), number)));
  }
  Value makeIndices(Value packed, int64_t groups);
  Value lookUpByte(ArrayRef<APInt> entries, int64_t byte, Value indices);
  SmallVector<Value> unpack(Value low, Value high, int64_t bytes);

  ImplicitLocOpBuilder &b;
};
} // namespace

/// Returns the encodings with one in each byte. Each half of the register has
/// `groups` groups: the j-th group of each half is for the j-th register of
/// results.
Value NibbleLookUp::makeIndices(Value packed, int64_t groups) {
  // Each 16-bit element is a byte of packed encodings and a byte of zeros.
  int64_t size = kHalf / groups / 2;
  SmallVector<int64_t> order;
  for (int64_t half : {0, 1})
    for (int64_t group = 0; group < groups; ++group)
      for (int64_t i = 0; i < size; ++i)
        order.append({(2 * group + half) * size + i, kHalf});
  VectorType i16Type = getRegister(2);
  Value zeros = splat(VectorType::get(kHalf, b.getI8Type()), /*number=*/0);
  Value elements = vector::BitCastOp::create(
      b, i16Type, vector::ShuffleOp::create(b, packed, zeros, order));
  Value moved = arith::ShLIOp::create(b, elements, splat(i16Type, 4));
  Value encodings = arith::AndIOp::create(
      b, arith::OrIOp::create(b, elements, moved), splat(i16Type, 0x0F0F));
  return vector::BitCastOp::create(b, getRegister(1), encodings);
}

Value NibbleLookUp::lookUpByte(ArrayRef<APInt> entries, int64_t byte,
                               Value indices) {
  SmallVector<int8_t> bytes;
  for (int64_t i = 0; i < kBytes; ++i)
    bytes.push_back(
        int8_t(entries[i % kEntries].extractBitsAsZExtValue(8, 8 * byte)));
  VectorType type = getRegister(1);
  if (llvm::all_equal(bytes))
    return splat(type, uint8_t(bytes.front()));
  Value table = arith::ConstantOp::create(
      b, DenseElementsAttr::get(type, ArrayRef(bytes)));
  return LLVM::CallIntrinsicOp::create(b, type,
                                       b.getStringAttr("llvm.x86.avx2.pshuf.b"),
                                       ValueRange{table, indices})
      .getResult(0);
}

/// Interleaves elements of `bytes` bytes within each half of the registers.
SmallVector<Value> NibbleLookUp::unpack(Value low, Value high, int64_t bytes) {
  VectorType type = getRegister(bytes);
  int64_t count = type.getNumElements();
  SmallVector<Value> results;
  for (int64_t part : {0, 1}) {
    SmallVector<int64_t> order;
    for (int64_t half : {0, 1})
      for (int64_t i = 0; i < count / 4; ++i) {
        int64_t at = half * count / 2 + part * count / 4 + i;
        order.append({at, count + at});
      }
    results.push_back(vector::ShuffleOp::create(
        b, vector::BitCastOp::create(b, type, low),
        vector::BitCastOp::create(b, type, high), order));
  }
  return results;
}

Value NibbleLookUp::build(DenseElementsAttr table, Value packed) {
  Type elementType = table.getElementType();
  int64_t bytes = elementType.getIntOrFloatBitWidth() / 8;
  SmallVector<APInt> entries;
  if (isa<FloatType>(elementType))
    for (const APFloat &value : table.getValues<APFloat>())
      entries.push_back(value.bitcastToAPInt());
  else
    llvm::append_range(entries, table.getValues<APInt>());
  Value indices = makeIndices(packed, /*groups=*/bytes);
  SmallVector<Value> registers;
  for (int64_t i = 0; i < bytes; ++i)
    registers.push_back(lookUpByte(entries, i, indices));
  for (int64_t size = 1; size < bytes; size *= 2) {
    // The first step gives the low and high parts of bytes 0 and 1, then those
    // of bytes 2 and 3. The second step combines corresponding parts.
    SmallVector<Value> wider;
    if (size == 1)
      for (int64_t i = 0; i < bytes; i += 2)
        llvm::append_range(wider, unpack(registers[i], registers[i + 1], size));
    else
      for (int64_t i : {0, 1})
        llvm::append_range(wider, unpack(registers[i], registers[i + 2], size));
    registers = std::move(wider);
  }
  auto partType = getRegister(bytes);
  int64_t count = partType.getNumElements();
  auto type = VectorType::get(kBytes, partType.getElementType());
  Value result = arith::ConstantOp::create(b, b.getZeroAttr(type));
  for (auto [i, part] : llvm::enumerate(registers))
    result = vector::InsertStridedSliceOp::create(
        b, vector::BitCastOp::create(b, partType, part), result,
        int64_t(i) * count, 1);
  return arith::BitcastOp::create(b, VectorType::get(kBytes, elementType),
                                  result);
}

void quant_float::lookUpNibbles(arith::ExtUIOp encodings, Value packed) {
  for (auto [value, table] : Tables(encodings, /*bits=*/4).getResults()) {
    DenseElementsAttr constant;
    if (getElementTypeOrSelf(value).getIntOrFloatBitWidth() == 8 ||
        !matchPattern(table, m_Constant(&constant)))
      continue;
    ImplicitLocOpBuilder b(value.getLoc(), value.getContext());
    b.setInsertionPointAfterValue(value);
    value.replaceAllUsesWith(NibbleLookUp(b).build(constant, packed));
  }
}
