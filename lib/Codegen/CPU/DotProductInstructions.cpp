//===- DotProductInstructions.cpp - Integer dot products ------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DotProductInstructions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "quant-float/Support/InlineAsm.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::quant_float;

/// How an instruction combines the products of the elements of a lane.
enum class DotKind {
  /// Accumulates all products in the lane; both operands are signed.
  Signed,
  /// Accumulates all products in the lane; the weights' operand is unsigned.
  Unsigned,
  /// As above, with both operands unsigned. Used only for PackedDotProduct.
  NoSigns,
  /// Adds two products of bytes to a 16-bit sum, with saturation; the weights'
  /// operand is unsigned.
  BytePairs,
  /// Adds two products of 16-bit integers, without an accumulator.
  Pairs
};

/// An instruction that takes operands of `bytes` bytes.
struct quant_float::DotInstruction {
  ConversionFeature feature;
  unsigned width;
  int64_t bytes;
  DotKind kind;
  const char *intrinsic;
  /// For BytePairs: the instruction that adds adjacent 16-bit sums, by a
  /// multiplication by one.
  const char *pairs = nullptr;
};

/// In order of preference: the first match is used. If none matches, the
/// multiplications are in 32 bits.
static constexpr DotInstruction kInstructions[] = {
    {ConversionFeature::Avx512Vnni, 8, 64, DotKind::Unsigned,
     "llvm.x86.avx512.vpdpbusd.512"},
    {ConversionFeature::Avx512Vnni, 8, 32, DotKind::Unsigned,
     "llvm.x86.avx512.vpdpbusd.256"},
    {ConversionFeature::AvxVnni, 8, 32, DotKind::Unsigned,
     "llvm.x86.avx512.vpdpbusd.256"},
    {ConversionFeature::I8mm, 8, 16, DotKind::Unsigned,
     "llvm.aarch64.neon.usdot"},
    {ConversionFeature::Dotprod, 8, 16, DotKind::Signed,
     "llvm.aarch64.neon.sdot"},
    {ConversionFeature::Dotprod, 8, 16, DotKind::NoSigns,
     "llvm.aarch64.neon.udot"},
    {ConversionFeature::Avx512bw, 8, 64, DotKind::BytePairs,
     "llvm.x86.avx512.pmaddubs.w.512", "llvm.x86.avx512.pmaddw.d.512"},
    {ConversionFeature::Avx2, 8, 32, DotKind::BytePairs,
     "llvm.x86.avx2.pmadd.ub.sw", "llvm.x86.avx2.pmadd.wd"},
    {ConversionFeature::Ssse3, 8, 16, DotKind::BytePairs,
     "llvm.x86.ssse3.pmadd.ub.sw.128", "llvm.x86.sse2.pmadd.wd"},
    {ConversionFeature::Avx512Vnni, 16, 64, DotKind::Signed,
     "llvm.x86.avx512.vpdpwssd.512"},
    {ConversionFeature::Avx512Vnni, 16, 32, DotKind::Signed,
     "llvm.x86.avx512.vpdpwssd.256"},
    {ConversionFeature::AvxVnni, 16, 32, DotKind::Signed,
     "llvm.x86.avx512.vpdpwssd.256"},
    {ConversionFeature::Avx512bw, 16, 64, DotKind::Pairs,
     "llvm.x86.avx512.pmaddw.d.512"},
    {ConversionFeature::Avx2, 16, 32, DotKind::Pairs, "llvm.x86.avx2.pmadd.wd"},
    {ConversionFeature::Sse2, 16, 16, DotKind::Pairs, "llvm.x86.sse2.pmadd.wd"},
};

DotProductInstructions::DotProductInstructions(
    const WeightContraction &contraction, const LoweringTarget &target,
    int64_t lanes, unsigned xBits)
    : values(contraction.values), bits(contraction.bits), target(target) {
  int64_t most = (1 << bits) - 1;
  if (!values.isCode)
    most = *llvm::max_element(values.integers);
  for (const DotInstruction &row : kInstructions) {
    if (row.kind == DotKind::NoSigns)
      continue;
    // The products of all fields are added in 16 bits, which must not overflow.
    if (row.kind == DotKind::BytePairs &&
        2 * (row.width / bits) * most * 127 > 32767)
      continue;
    // Values of fewer than 8 bits are used as signed bytes only if they fit.
    // Bytes of 8 bits are converted to signed ones by isSigned(), but values
    // from a lookup table are not.
    if (row.width == 8 && row.kind == DotKind::Signed && bits < 8 && most > 127)
      continue;
    if (row.width < xBits || row.bytes != 4 * lanes || !target.has(row.feature))
      continue;
    instruction = &row;
    width = row.width;
    return;
  }
}

bool DotProductInstructions::isSigned() const {
  return bits == 8 && width == 8 && instruction->kind == DotKind::Signed;
}

int64_t DotProductInstructions::getOffset() const {
  return values.offset - (isSigned() ? 128 : 0);
}

static Value makeSplat(ImplicitLocOpBuilder &b, Type type, uint64_t number) {
  auto vector = cast<VectorType>(type);
  return arith::ConstantOp::create(
      b, DenseElementsAttr::get(
             vector, APInt(64, number).trunc(vector.getElementTypeBitWidth())));
}

/// Replicates `number` in all fields of `bits` bits of a 32-bit integer.
static uint64_t repeat(uint64_t number, unsigned bits) {
  uint64_t packed = 0;
  for (unsigned bit = 0; bit < 32; bit += bits)
    packed |= number << bit;
  return packed;
}

/// Unpacks integers of `from` bits from i32 lanes to vectors of `width`-bit
/// elements.
static void split(ImplicitLocOpBuilder &b, Value packed, unsigned from,
                  unsigned width, SmallVectorImpl<Value> &fields) {
  auto type = cast<VectorType>(packed.getType());
  auto narrow = VectorType::get({type.getNumElements() * 32 / width},
                                b.getIntegerType(width));
  for (unsigned shift = 0; shift < width; shift += from) {
    Value field = packed;
    if (shift)
      field = arith::ShRUIOp::create(b, field, makeSplat(b, type, shift));
    if (from < width)
      field = arith::AndIOp::create(
          b, field, makeSplat(b, type, repeat((1u << from) - 1, width)));
    fields.push_back(vector::BitCastOp::create(b, narrow, field));
  }
}

SmallVector<Value> DotProductInstructions::spread(ImplicitLocOpBuilder &b,
                                                  Value packed) const {
  SmallVector<Value> fields;
  if (values.isCode) {
    unsigned flip = values.flip ^ (isSigned() ? 128 : 0);
    if (flip)
      packed = arith::XOrIOp::create(
          b, packed, makeSplat(b, packed.getType(), repeat(flip, bits)));
    split(b, packed, bits, width, fields);
    return fields;
  }
  // Table lookup returns the values of the low halves of the bytes and those of
  // the high halves separately.
  SmallVector<Value> halves[2];
  auto bytes = lookUpHalves(b, values, target, packed);
  split(b, bytes.first, 8, width, halves[0]);
  split(b, bytes.second, 8, width, halves[1]);
  for (auto [low, high] : llvm::zip(halves[0], halves[1]))
    fields.append({low, high});
  return fields;
}

Value DotProductInstructions::add(ImplicitLocOpBuilder &b, Value accumulator,
                                  ArrayRef<Value> fields,
                                  ArrayRef<Value> x) const {
  auto call = [&](const char *intrinsic, Type type, ValueRange operands) {
    return LLVM::CallIntrinsicOp::create(b, type, b.getStringAttr(intrinsic),
                                         operands)
        .getResult(0);
  };
  auto type = cast<VectorType>(accumulator.getType());
  Value pairs;
  for (auto [field, factor] : llvm::zip_equal(fields, x)) {
    if (!instruction) {
      accumulator = arith::AddIOp::create(
          b, accumulator, arith::MulIOp::create(b, field, factor));
      continue;
    }
    switch (instruction->kind) {
    case DotKind::Signed:
    case DotKind::Unsigned:
    case DotKind::NoSigns:
      accumulator =
          call(instruction->intrinsic, type, {accumulator, field, factor});
      break;
    case DotKind::BytePairs: {
      auto half = VectorType::get({2 * type.getNumElements()}, b.getI16Type());
      Value next = call(instruction->intrinsic, half, {field, factor});
      pairs = pairs ? arith::AddIOp::create(b, pairs, next).getResult() : next;
      break;
    }
    case DotKind::Pairs:
      accumulator = arith::AddIOp::create(
          b, accumulator, call(instruction->intrinsic, type, {field, factor}));
      break;
    }
  }
  if (!pairs)
    return accumulator;
  return arith::AddIOp::create(b, accumulator,
                               call(instruction->pairs, type,
                                    {pairs, makeSplat(b, pairs.getType(), 1)}));
}

//===----------------------------------------------------------------------===//
// Packed i32 operands
//===----------------------------------------------------------------------===//

SmallVector<IntegerType> quant_float::getDotTypes(Operation *op) {
  SmallVector<IntegerType> types;
  if (auto attribute = op->getAttrOfType<ArrayAttr>(kPackedOperandsAttrName))
    for (Attribute factor : attribute)
      if (auto type = dyn_cast<TypeAttr>(factor))
        if (auto integer = dyn_cast<IntegerType>(type.getValue()))
          types.push_back(integer);
  // The attribute is discardable, so other ops may have it with any value.
  bool isSupported = types.size() == 2 &&
                     types[0].getWidth() == types[1].getWidth() &&
                     llvm::all_of(op->getOperandTypes(), [](Type type) {
                       return getElementTypeOrSelf(type).isInteger(32);
                     });
  return isSupported ? types : SmallVector<IntegerType>();
}

static bool hasSigns(DotKind kind, bool lhs, bool rhs) {
  switch (kind) {
  case DotKind::Signed:
  case DotKind::Pairs:
    return lhs && rhs;
  case DotKind::Unsigned:
    return lhs != rhs;
  case DotKind::NoSigns:
    return !lhs && !rhs;
  case DotKind::BytePairs:
    break;
  }
  return false;
}

/// Returns the widest instruction that accumulates without saturation.
std::optional<PackedDotProduct>
PackedDotProduct::get(const LoweringTarget &target,
                      ArrayRef<IntegerType> types) {
  for (const DotInstruction &row : kInstructions) {
    if (row.width != types[0].getWidth() || row.bytes > target.vectorBytes ||
        !hasSigns(row.kind, !types[0].isUnsigned(), !types[1].isUnsigned()) ||
        !target.has(row.feature))
      continue;
    PackedDotProduct dots(row);
    dots.isTurned = row.kind == DotKind::Unsigned && types[1].isUnsigned();
    return dots;
  }
  return std::nullopt;
}

std::optional<PackedDotProduct>
PackedDotProduct::get(const LoweringTarget &target, Operation *op) {
  SmallVector<IntegerType> types = getDotTypes(op);
  return types.empty() ? std::nullopt : get(target, types);
}

bool PackedDotProduct::hasSeparateAdd() const {
  return instruction->kind == DotKind::Pairs;
}

int64_t PackedDotProduct::getLanes() const { return instruction->bytes / 4; }

StringRef PackedDotProduct::getName() const { return instruction->intrinsic; }

Value PackedDotProduct::multiply(ImplicitLocOpBuilder &b, Value lhs,
                                 Value rhs) const {
  if (isTurned)
    std::swap(lhs, rhs);
  auto numbers = VectorType::get({getLanes() * 32 / instruction->width},
                                 b.getIntegerType(instruction->width));
  Value left = vector::BitCastOp::create(b, numbers, lhs);
  Value right = vector::BitCastOp::create(b, numbers, rhs);
  return LLVM::CallIntrinsicOp::create(b, lhs.getType(),
                                       b.getStringAttr(instruction->intrinsic),
                                       ValueRange{left, right})
      .getResult(0);
}

/// Inserts empty inline assembly between additions. Otherwise LLVM reassociates
/// the additions and adds up the products first, each of which then needs a
/// register.
static Value keepOrder(ImplicitLocOpBuilder &b, Value accumulator) {
  return createInlineAsm(b, b.getLoc(), accumulator.getType(), accumulator,
                         /*text=*/"",
                         /*constraints=*/"=v,0", /*hasSideEffects=*/false)
      .getResult(0);
}

Value PackedDotProduct::add(ImplicitLocOpBuilder &b, Value accumulator,
                            Value lhs, Value rhs) const {
  if (isTurned)
    std::swap(lhs, rhs);
  auto type = cast<VectorType>(accumulator.getType());
  int64_t all = type.getNumElements();
  int64_t lanes = getLanes();
  Value result;
  for (int64_t from = 0; from < all; from += lanes) {
    // The last register may be partial.
    int64_t count = std::min(lanes, all - from);
    auto full = VectorType::get({lanes}, b.getI32Type());
    auto take = [&](Value value) -> Value {
      if (all == lanes)
        return value;
      if (count != all)
        value = vector::ExtractStridedSliceOp::create(b, value, from, count, 1);
      if (count == lanes)
        return value;
      Value zeros = arith::ConstantOp::create(b, b.getZeroAttr(full));
      return vector::InsertStridedSliceOp::create(b, value, zeros, 0, 1);
    };
    auto numbers = VectorType::get({lanes * 32 / instruction->width},
                                   b.getIntegerType(instruction->width));
    auto split = [&](Value value) -> Value {
      return vector::BitCastOp::create(b, numbers, take(value));
    };
    Value before = take(accumulator), left = split(lhs), right = split(rhs);
    SmallVector<Value> operands{left, right};
    if (!hasSeparateAdd())
      operands.insert(operands.begin(), before);
    Value next = LLVM::CallIntrinsicOp::create(
                     b, full, b.getStringAttr(instruction->intrinsic), operands)
                     .getResult(0);
    if (hasSeparateAdd())
      next = keepOrder(b, arith::AddIOp::create(b, before, next));
    if (all == lanes)
      return next;
    if (count != lanes)
      next = vector::ExtractStridedSliceOp::create(b, next, 0, count, 1);
    if (count == all)
      return next;
    result = vector::InsertStridedSliceOp::create(
        b, next, result ? result : accumulator, from, 1);
  }
  return result;
}

Value quant_float::addPackedProducts(ImplicitLocOpBuilder &b, Value accumulator,
                                     Value lhs, Value rhs,
                                     ArrayRef<IntegerType> types) {
  int width = types.front().getWidth();
  auto take = [&](Value lanes, IntegerType type, int from) -> Value {
    auto amount = [&](int bits) -> Value {
      return arith::ConstantIntOp::create(b, bits, 32);
    };
    if (int above = 32 - width - from)
      lanes = arith::ShLIOp::create(b, lanes, amount(above));
    if (type.isUnsigned())
      return arith::ShRUIOp::create(b, lanes, amount(32 - width));
    return arith::ShRSIOp::create(b, lanes, amount(32 - width));
  };
  for (int from = 0; from < 32; from += width)
    accumulator = arith::AddIOp::create(
        b, accumulator,
        arith::MulIOp::create(b, take(lhs, types[0], from),
                              take(rhs, types[1], from)));
  return accumulator;
}
