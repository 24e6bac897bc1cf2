//===- WeightDecoding.cpp - Decode packed weights to f32 ------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WeightDecoding.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::quant_float;

/// Returns the number of bits of the field that holds a term: the encoding, or
/// the byte that is looked up for it.
static unsigned getFieldBits(const EncodingValues &values, unsigned bits) {
  return values.isEncoding ? bits : 8;
}

WeightDecoding::WeightDecoding(const EncodingValues &values, unsigned bits,
                               const LoweringTarget &target)
    : values(values), bits(bits), target(target) {
  unsigned count = 32 / bits, field = getFieldBits(values, bits);
  // A lookup gives two vectors, for the encodings in the low and in the high
  // halves of bytes.
  unsigned vectors = values.isEncoding ? 1 : 2;
  for (unsigned term = 0; term < count; ++term) {
    unsigned shift = field * (term / vectors);
    // The uppermost field is shifted down, because it would be negative in
    // place.
    exponents.push_back(shift + field == 32 ? 0 : int(shift));
  }
}

static Value makeSplat(ImplicitLocOpBuilder &b, Type type, uint64_t number) {
  auto vector = cast<VectorType>(type);
  unsigned width = vector.getElementTypeBitWidth();
  return arith::ConstantOp::create(
      b, DenseElementsAttr::get(vector, APInt(64, number).trunc(width)));
}

namespace {
/// An instruction that looks up bytes in a table of 16 entries.
struct LookUp {
  ConversionFeature feature;
  int64_t bytes;
  const char *intrinsic;
  bool tableFirst;
};
} // namespace

/// The first instruction for the vector's size that the target has is used.
static constexpr LookUp kLookUps[] = {
    {ConversionFeature::Avx512bw, 64, "llvm.x86.avx512.pshuf.b.512", true},
    {ConversionFeature::Avx2, 32, "llvm.x86.avx2.pshuf.b", true},
    {ConversionFeature::Ssse3, 16, "llvm.x86.ssse3.pshuf.b.128", true},
    {ConversionFeature::Neon, 16, "llvm.aarch64.neon.tbl1", true},
};

static Value lookUp(ImplicitLocOpBuilder &b, const EncodingValues &values,
                    const LoweringTarget &target, Value bytes) {
  auto type = cast<VectorType>(bytes.getType());
  int64_t size = type.getNumElements();
  for (const LookUp &row : kLookUps) {
    if (row.bytes != size || !target.has(row.feature))
      continue;
    SmallVector<int8_t> entries;
    for (int64_t i = 0; i < size; ++i)
      entries.push_back(values.integers[i % 16]);
    Value table = arith::ConstantOp::create(
        b, DenseElementsAttr::get(type, ArrayRef(entries)));
    return LLVM::CallIntrinsicOp::create(b, type,
                                         b.getStringAttr(row.intrinsic),
                                         ValueRange{table, bytes})
        .getResult(0);
  }
  Value result = makeSplat(b, type, values.integers[0]);
  for (unsigned encoding = 1; encoding < values.integers.size(); ++encoding) {
    Value isEncoding = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, bytes,
                                             makeSplat(b, type, encoding));
    result = arith::SelectOp::create(
        b, isEncoding, makeSplat(b, type, values.integers[encoding]), result);
  }
  return result;
}

std::pair<Value, Value> quant_float::lookUpHalves(ImplicitLocOpBuilder &b,
                                                  const EncodingValues &values,
                                                  const LoweringTarget &target,
                                                  Value packed) {
  auto type = cast<VectorType>(packed.getType());
  auto bytes = VectorType::get({4 * type.getNumElements()}, b.getI8Type());
  auto lookUpLow = [&](Value half) -> Value {
    half = arith::AndIOp::create(b, half, makeSplat(b, type, 0x0f0f0f0f));
    half = lookUp(b, values, target, vector::BitCastOp::create(b, bytes, half));
    return vector::BitCastOp::create(b, type, half);
  };
  Value low = lookUpLow(packed);
  return {low,
          lookUpLow(arith::ShRUIOp::create(b, packed, makeSplat(b, type, 4)))};
}

SmallVector<Value> WeightDecoding::decode(ImplicitLocOpBuilder &b,
                                          Value packed) const {
  auto type = cast<VectorType>(packed.getType());
  SmallVector<Value> sources;
  if (values.isEncoding) {
    if (values.flip) {
      uint64_t all = 0;
      for (unsigned bit = 0; bit < 32; bit += bits)
        all |= uint64_t(values.flip) << bit;
      packed = arith::XOrIOp::create(b, packed, makeSplat(b, type, all));
    }
    sources.push_back(packed);
  } else {
    auto [low, high] = lookUpHalves(b, values, target, packed);
    sources = {low, high};
  }
  unsigned field = getFieldBits(values, bits);
  uint64_t mask = (1u << field) - 1;
  SmallVector<Value> terms;
  for (unsigned term = 0; term < getCount(); ++term) {
    Value source = sources[term % sources.size()];
    unsigned shift = field * (term / sources.size());
    source = shift + field == 32
                 ? Value(arith::ShRUIOp::create(b, source,
                                                makeSplat(b, type, shift)))
                 : Value(arith::AndIOp::create(
                       b, source, makeSplat(b, type, mask << shift)));
    terms.push_back(
        arith::SIToFPOp::create(b, type.clone(b.getF32Type()), source));
  }
  return terms;
}
