//===- Tensor.cpp - Tensors in memory -------------------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/ExecutionEngine/Tensor.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "quant-float/EntryPoint/EntryPointInfo.h"
#include "quant-float/IR/ElementTypes.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>

using namespace mlir;
using namespace mlir::quant_float;

int64_t mlir::quant_float::getSlotBytes(Type elementType) {
  std::optional<int32_t> dtype = getOnnxDataType(elementType);
  return dtype ? getElementBytes(*dtype) : 0;
}

std::string mlir::quant_float::spellTensor(Type elementType,
                                           ArrayRef<int64_t> sizes) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (getOnnxDataType(elementType))
    os << getOnnxTypeName(elementType);
  else
    os << elementType;
  os << "[";
  llvm::interleave(
      sizes, os,
      [&](int64_t size) {
        if (ShapedType::isDynamic(size))
          os << "?";
        else
          os << size;
      },
      "x");
  os << "]";
  return text;
}

llvm::Expected<int64_t> mlir::quant_float::countBytes(Type elementType,
                                                      ArrayRef<int64_t> sizes) {
  int64_t bytes = getSlotBytes(elementType);
  if (!bytes)
    return llvm::createStringError(
        spellTensor(elementType, sizes) +
        ": expected an element type that tensors in memory can have");
  bool overflow = false;
  bool empty = false;
  for (int64_t size : sizes) {
    if (size < 0)
      return llvm::createStringError(spellTensor(elementType, sizes) +
                                     ": expected sizes of 0 or more, but got " +
                                     llvm::Twine(size));
    empty |= size == 0;
    overflow |= llvm::MulOverflow(bytes, size, bytes);
  }
  if (empty)
    return 0;
  if (overflow)
    return llvm::createStringError(spellTensor(elementType, sizes) +
                                   ": expected fewer than 2^63 bytes");
  return bytes;
}

llvm::Expected<Tensor> Tensor::allocate(Type elementType,
                                        ArrayRef<int64_t> sizes) {
  llvm::Expected<int64_t> count = countBytes(elementType, sizes);
  if (!count)
    return count.takeError();
  Tensor tensor(elementType, sizes);
  // One byte at least: an empty tensor has an address too. Not `new`, which
  // ends the program when there is no memory.
  std::size_t rounded = (static_cast<uint64_t>(*count) + 64) & ~uint64_t(63);
  void *memory = std::aligned_alloc(64, rounded);
  if (!memory)
    return llvm::createStringError(spellTensor(elementType, sizes) +
                                   ": no memory for " + llvm::Twine(*count) +
                                   " bytes");
  tensor.owner = std::shared_ptr<void>(memory, std::free);
  tensor.bytes = ArrayRef(static_cast<const char *>(memory), *count);
  tensor.isWritable = true;
  return tensor;
}

llvm::Expected<Tensor> Tensor::view(Type elementType, ArrayRef<int64_t> sizes,
                                    ArrayRef<char> bytes,
                                    std::shared_ptr<const void> owner) {
  llvm::Expected<int64_t> count = countBytes(elementType, sizes);
  if (!count)
    return count.takeError();
  if (static_cast<uint64_t>(*count) != bytes.size())
    return llvm::createStringError(
        spellTensor(elementType, sizes) + ": expected " + llvm::Twine(*count) +
        " bytes, but got " + llvm::Twine(bytes.size()));
  Tensor tensor(elementType, sizes);
  tensor.bytes = bytes;
  tensor.owner = std::move(owner);
  return tensor;
}

int64_t Tensor::getNumElements() const {
  return bytes.size() / getSlotBytes(elementType);
}

MutableArrayRef<char> Tensor::getMutableBytes() {
  assert(isWritable && "views are read-only");
  return {const_cast<char *>(bytes.data()), bytes.size()};
}

qf_tensor Tensor::getDescriptor() const {
  return {const_cast<char *>(bytes.data()), sizes.data(),
          static_cast<int32_t>(sizes.size()), *getOnnxDataType(elementType)};
}

/// One element's bits into its slot: integers of 4 and 2 bits sign-extended,
/// everything else zero-extended.
static void storeElement(const llvm::APInt &bits, bool isSigned, char *slot,
                         unsigned slotBytes) {
  llvm::APInt extended = isSigned ? bits.sextOrTrunc(8 * slotBytes)
                                  : bits.zextOrTrunc(8 * slotBytes);
  uint64_t value = extended.getZExtValue();
  for (unsigned i = 0; i < slotBytes; ++i)
    slot[i] = static_cast<char>(value >> (8 * i));
}

llvm::Expected<Tensor> Tensor::fromAttribute(ElementsAttr attribute,
                                             Type elementType) {
  auto shaped = cast<ShapedType>(attribute.getType());
  if (!shaped.hasStaticShape())
    return llvm::createStringError("expected a constant of static shape");
  // A resource is already laid out as slots.
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(attribute)) {
    AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    if (!blob)
      return llvm::createStringError("resource '" +
                                     resource.getRawHandle().getKey() +
                                     "' of a constant is missing");
    return view(elementType, shaped.getShape(), blob->getData(), nullptr);
  }
  auto dense = dyn_cast<DenseElementsAttr>(attribute);
  if (!dense)
    return llvm::createStringError("expected a dense constant");
  llvm::Expected<Tensor> tensor = allocate(elementType, shaped.getShape());
  if (!tensor)
    return tensor.takeError();
  unsigned slotBytes = getSlotBytes(elementType);
  char *slot = tensor->getMutableBytes().data();
  bool isSigned = elementType.isSignlessInteger() && !elementType.isInteger(1);
  if (isa<FloatType>(dense.getElementType())) {
    for (const APFloat &value : dense.getValues<APFloat>()) {
      storeElement(value.bitcastToAPInt(), false, slot, slotBytes);
      slot += slotBytes;
    }
  } else if (isa<IntegerType>(dense.getElementType())) {
    for (const APInt &value : dense.getValues<APInt>()) {
      storeElement(value, isSigned, slot, slotBytes);
      slot += slotBytes;
    }
  } else {
    return llvm::createStringError("expected a constant of numbers");
  }
  return tensor;
}

/// SplitMix64: each element's bits follow from its position alone.
static uint64_t scramble(uint64_t value) {
  value += 0x9e3779b97f4a7c15u;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
  return value ^ (value >> 31);
}

void mlir::quant_float::fillRandom(Tensor &tensor, uint64_t seed) {
  Type type = tensor.getElementType();
  unsigned slotBytes = getSlotBytes(type);
  unsigned width = type.getIntOrFloatBitWidth();
  char *slot = tensor.getMutableBytes().data();
  auto floatType = dyn_cast<FloatType>(type);
  bool isOrdinaryFloat = floatType && width >= 16;
  bool isSigned = type.isSignlessInteger() && width > 1;
  // Mantissa bits and bias of the float types.
  unsigned mantissa = isOrdinaryFloat ? floatType.getFPMantissaWidth() - 1 : 0;
  uint64_t bias =
      isOrdinaryFloat
          ? llvm::APFloat::semanticsMaxExponent(floatType.getFloatSemantics())
          : 0;
  uint64_t base = scramble(seed);
  for (int64_t i = 0, e = tensor.getNumElements(); i < e; ++i) {
    uint64_t bits = scramble(base + static_cast<uint64_t>(i));
    uint64_t value = bits >> (64 - width);
    if (isOrdinaryFloat) {
      // Random sign and mantissa, one of the eleven exponents -8 to 2.
      uint64_t exponent = bias - 8 + (bits & 0xff) % 11;
      uint64_t kept =
          (uint64_t(1) << (width - 1)) | ((uint64_t(1) << mantissa) - 1);
      value = (value & kept) | (exponent << mantissa);
    } else if (isSigned) {
      value = static_cast<uint64_t>(static_cast<int64_t>(bits) >> (64 - width));
    }
    for (unsigned j = 0; j < slotBytes; ++j)
      slot[j] = static_cast<char>(value >> (8 * j));
    slot += slotBytes;
  }
}
