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

/// Returns the number of pairs of products of unsigned integers and signed
/// bytes that can be added in 16 bits.
static int64_t getMaxPairs(int64_t maxInteger) {
  return 32767 / (2 * 127 * std::max<int64_t>(maxInteger, 1));
}

DotProductInstructions::DotProductInstructions(
    const WeightContraction &contraction, const LoweringTarget &target,
    int64_t lanes, unsigned xBits)
    : values(contraction.values), bits(contraction.bits), target(target) {
  maxInteger =
      values.isEncoding ? (1 << bits) - 1 : *llvm::max_element(values.integers);
  auto isApplicable = [&](const MatrixInstruction &row) {
    // Activations are signed.
    if (!row.isDotProduct() || row.b == MatrixElement::UInt8)
      return false;
    // The products of all fields are added in 16 bits, which must not overflow.
    if (row.accumulator == MatrixElement::Int16 &&
        8 / bits > getMaxPairs(maxInteger))
      return false;
    // Values of fewer than 8 bits are used as signed bytes only if they fit.
    // Bytes of 8 bits are converted to signed ones by isSigned(), but values
    // from a lookup table are not.
    if (row.a == MatrixElement::Int8 && bits < 8 && maxInteger > 127)
      return false;
    return 8 * row.getBytes() >= xBits && row.getSize() == 4 * lanes;
  };
  // If the target has no such instruction, multiply in 32 bits.
  instruction =
      chooseMatrixInstruction(target.cpu.get(), isApplicable).instruction;
  if (instruction)
    width = 8 * instruction->getBytes();
}

int64_t DotProductInstructions::getMaxFields() const {
  return instruction && instruction->accumulator == MatrixElement::Int16
             ? getMaxPairs(maxInteger)
             : std::numeric_limits<int64_t>::max();
}

bool DotProductInstructions::isSigned() const {
  return bits == 8 && instruction && instruction->a == MatrixElement::Int8;
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
  if (values.isEncoding) {
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

static Value call(ImplicitLocOpBuilder &b, const MatrixInstruction &instruction,
                  Type type, ValueRange operands) {
  return LLVM::CallIntrinsicOp::create(
             b, type, b.getStringAttr(instruction.name), operands)
      .getResult(0);
}

Value DotProductInstructions::add(ImplicitLocOpBuilder &b, Value accumulator,
                                  ArrayRef<Value> fields,
                                  ArrayRef<Value> x) const {
  auto type = cast<VectorType>(accumulator.getType());
  Value pairs;
  for (auto [field, factor] : llvm::zip_equal(fields, x)) {
    if (!instruction) {
      accumulator = arith::AddIOp::create(
          b, accumulator, arith::MulIOp::create(b, field, factor));
      continue;
    }
    if (instruction->unit == MatrixUnit::Lanes) {
      accumulator = call(b, *instruction, type, {accumulator, field, factor});
    } else if (instruction->accumulator == MatrixElement::Int16) {
      auto half = VectorType::get({2 * type.getNumElements()}, b.getI16Type());
      Value next = call(b, *instruction, half, {field, factor});
      pairs = pairs ? arith::AddIOp::create(b, pairs, next).getResult() : next;
    } else {
      accumulator = arith::AddIOp::create(
          b, accumulator, call(b, *instruction, type, {field, factor}));
    }
  }
  if (!pairs)
    return accumulator;
  // Add adjacent sums of 16 bits by a multiplication by one.
  const MatrixInstruction *row =
      llvm::find_if(getMatrixInstructions(), [&](const MatrixInstruction &row) {
        return row.unit == MatrixUnit::LanePairs &&
               row.a == MatrixElement::Int16 &&
               row.getSize() == instruction->getSize();
      });
  assert(row != getMatrixInstructions().end() &&
         "each instruction on bytes has one on 16-bit integers of its size");
  Value ones = makeSplat(b, pairs.getType(), 1);
  return arith::AddIOp::create(b, accumulator,
                               call(b, *row, type, {pairs, ones}));
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

static std::optional<MatrixElement> getElement(IntegerType type) {
  if (type.getWidth() == 8)
    return type.isUnsigned() ? MatrixElement::UInt8 : MatrixElement::Int8;
  if (type.getWidth() == 16 && !type.isUnsigned())
    return MatrixElement::Int16;
  return std::nullopt;
}

MatrixInstructionChoice quant_float::chooseMatrixInstruction(
    const LoweringTarget &target, ArrayRef<IntegerType> types,
    llvm::function_ref<bool(const MatrixInstruction &)> isCandidate) {
  if (types.empty())
    return {};
  std::optional<MatrixElement> a = getElement(types[0]);
  std::optional<MatrixElement> b = getElement(types[1]);
  return chooseMatrixInstruction(
      target.cpu.get(), [&](const MatrixInstruction &row) {
        return row.accumulator == MatrixElement::Int32 && a && b &&
               row.takes(*a, *b) && isCandidate(row);
      });
}

bool quant_float::isSwapped(const MatrixInstruction &instruction,
                            IntegerType first) {
  return instruction.a != getElement(first);
}

std::optional<PackedDotProduct>
PackedDotProduct::get(const LoweringTarget &target,
                      ArrayRef<IntegerType> types) {
  const MatrixInstruction *row =
      chooseMatrixInstruction(target, types, [&](const MatrixInstruction &row) {
        return row.isDotProduct() && row.getSize() <= target.vectorBytes;
      }).instruction;
  if (!row)
    return std::nullopt;
  return PackedDotProduct(*row, isSwapped(*row, types[0]));
}

VectorType PackedDotProduct::getElements(Builder &b) const {
  return VectorType::get({instruction->n * instruction->k},
                         b.getIntegerType(8 * instruction->getBytes()));
}

Value PackedDotProduct::multiply(ImplicitLocOpBuilder &b, Value lhs,
                                 Value rhs) const {
  if (swapsOperands)
    std::swap(lhs, rhs);
  VectorType elements = getElements(b);
  Value left = vector::BitCastOp::create(b, elements, lhs);
  Value right = vector::BitCastOp::create(b, elements, rhs);
  return call(b, *instruction, lhs.getType(), {left, right});
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
  if (swapsOperands)
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
    auto split = [&](Value value) -> Value {
      return vector::BitCastOp::create(b, getElements(b), take(value));
    };
    Value before = take(accumulator), left = split(lhs), right = split(rhs);
    SmallVector<Value> operands{left, right};
    if (!hasSeparateAdd())
      operands.insert(operands.begin(), before);
    Value next = call(b, *instruction, full, operands);
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
