//===- Elements.cpp - Tensor elements -------------------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Elements.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "quant-float/Support/ElementTypes.h"
#include "llvm/Support/Alignment.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::target;

namespace {
/// Larger constants become resources, because the context hashes the data of
/// other attributes and never frees it.
constexpr int64_t kLargestInlineBytes = 1024;
} // namespace

unsigned target::getSlotBytes(Type elementType) {
  if (auto complex = dyn_cast<ComplexType>(elementType))
    return 2 * getSlotBytes(complex.getElementType());
  return elementType.isIntOrFloat()
             ? llvm::divideCeil(elementType.getIntOrFloatBitWidth(), 8)
             : 0;
}

unsigned target::getPackedBits(Type elementType) {
  if (auto complex = dyn_cast<ComplexType>(elementType))
    return 2 * getPackedBits(complex.getElementType());
  if (!elementType.isIntOrFloat())
    return 0;
  // bool takes a byte (P1).
  unsigned bits = elementType.getIntOrFloatBitWidth();
  return bits == 1 ? 8 : bits;
}

uint64_t target::getPackedSize(unsigned bits, int64_t count) {
  // ceil(count * bits / 8) without overflow: 8 elements have an integral number
  // of bytes.
  return llvm::SaturatingAdd<uint64_t>(
      llvm::SaturatingMultiply<uint64_t>(count / 8, bits),
      llvm::divideCeil(count % 8 * bits, 8));
}

bool target::staysPacked(Type elementType, int64_t count) {
  unsigned bits = getPackedBits(elementType);
  return isPackable(bits) &&
         getPackedSize(bits, count) > uint64_t(kLargestInlineBytes);
}

std::string target::spellShape(ArrayRef<int64_t> dims) {
  // The shape in a corrupt file may have a million dimensions.
  constexpr size_t kShown = 16;
  std::string result = "[";
  llvm::raw_string_ostream os(result);
  llvm::interleaveComma(dims.take_front(kShown), os, [&](int64_t dim) {
    if (ShapedType::isDynamic(dim))
      os << "?";
    else
      os << dim;
  });
  os << (dims.size() > kShown ? ", ...]" : "]");
  return result;
}

std::string target::spellTensor(Type elementType, ArrayRef<int64_t> dims) {
  std::string result;
  llvm::raw_string_ostream os(result);
  if (dims.empty())
    os << elementType;
  else if (dims.size() <= 16)
    os << RankedTensorType::get(dims, elementType);
  else
    os << elementType << " of shape " << spellShape(dims);
  return result;
}

bool target::isMissing(const DecodedTensor &tensor) {
  return tensor.count != 0 && tensor.slots.data.empty() &&
         tensor.strings.empty();
}

/// Returns the alignment of the unpacked elements of a type.
static llvm::Align getAlignment(Type elementType) {
  return llvm::Align(llvm::PowerOf2Ceil(getSlotBytes(elementType)));
}

SharedBytes target::alignBytes(SharedBytes bytes, Type elementType) {
  // Small constants are copied into their attribute.
  bool isReadInPlace =
      int64_t(bytes.data.size()) <= kLargestInlineBytes ||
      llvm::isAddrAligned(getAlignment(elementType), bytes.data.data());
  return isReadInPlace ? bytes : copyBytes(bytes);
}

ElementsAttr target::makeElementsAttr(DecodedTensor tensor, StringRef name) {
  Type elementType = tensor.elementType;
  auto type = RankedTensorType::get(tensor.dims, elementType);
  unsigned slotBytes = getSlotBytes(elementType);
  if (slotBytes == 0)
    return DenseStringElementsAttr::get(type, tensor.strings);
  if (tensor.count == 0)
    return DenseElementsAttr::get(type, ArrayRef<Attribute>());

  if (!tensor.isPacked)
    tensor.slots = alignBytes(std::move(tensor.slots), elementType);
  if (isMissing(tensor))
    return {};
  ArrayRef<char> data = tensor.slots.data;
  if (int64_t(data.size()) > kLargestInlineBytes) {
    AsmResourceBlob blob(
        data, /*dataAlignment=*/getAlignment(elementType).value(),
        [owner = std::move(tensor.slots.owner)](void *, size_t, size_t) {},
        /*dataIsMutable=*/false);
    return DenseResourceElementsAttr::get(type, name, std::move(blob));
  }

  if (elementType.isInteger(1)) {
    SmallVector<bool> values(data.begin(), data.end());
    return DenseElementsAttr::get(type, values);
  }
  // Attributes are equal if their bytes are equal. Store encodings without sign
  // extension, as MLIR's parser does.
  SmallVector<char> encodings;
  if (elementType.isSignlessInteger() && getPackedBits(elementType) < 8) {
    char mask = llvm::maskTrailingOnes<unsigned>(getPackedBits(elementType));
    for (char slot : data)
      encodings.push_back(slot & mask);
    data = encodings;
  }
  return DenseElementsAttr::getFromRawBuffer(type, data);
}
