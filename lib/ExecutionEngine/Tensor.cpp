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
#include "quant-float/IR/ElementTypes.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>

using namespace mlir;
using namespace mlir::quant_float;

/// Null for types that tensors in memory cannot have.
static const ElementLayout *findLayout(Type elementType) {
  std::optional<int32_t> dtype = getOnnxDataType(elementType);
  return dtype ? getElementLayout(*dtype) : nullptr;
}

const ElementLayout &mlir::quant_float::getLayout(Type elementType) {
  return *findLayout(elementType);
}

int64_t mlir::quant_float::getSlotBytes(Type elementType) {
  const ElementLayout *layout = findLayout(elementType);
  return layout ? layout->slotBytes : 0;
}

std::string mlir::quant_float::spellTensor(Type elementType,
                                           ArrayRef<int64_t> sizes) {
  ElementLayout unknown = {};
  std::string name;
  const ElementLayout *layout = findLayout(elementType);
  if (!layout) {
    llvm::raw_string_ostream(name) << elementType;
    unknown.name = name.c_str();
    layout = &unknown;
  }
  return spellTensor(*layout, sizes.vec(), ShapedType::kDynamic);
}

llvm::Expected<int64_t> mlir::quant_float::countBytes(Type elementType,
                                                      ArrayRef<int64_t> sizes) {
  const ElementLayout *layout = findLayout(elementType);
  if (!layout)
    return llvm::createStringError(
        spellTensor(elementType, sizes) +
        ": expected an element type that tensors in memory can have");
  int64_t bytes;
  std::string error;
  if (!countBytes(*layout, sizes.vec(), bytes, error))
    return llvm::createStringError(error);
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

void mlir::quant_float::fillRandom(Tensor &tensor, uint64_t seed) {
  fillRandom(getLayout(tensor.getElementType()),
             tensor.getMutableBytes().data(), tensor.getNumElements(), seed);
}
