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

using namespace mlir;
using namespace mlir::quant_float;

const ElementInfo *quant_float::findSlotElement(Type elementType) {
  std::optional<int32_t> dtype = getOnnxDataType(elementType);
  return dtype ? findSlotElement(*dtype) : nullptr;
}

int64_t quant_float::getSlotBytes(Type elementType) {
  const ElementInfo *element = findSlotElement(elementType);
  return element ? element->getSlotBytes() : 0;
}

std::string quant_float::spellTensor(Type elementType,
                                     ArrayRef<int64_t> sizes) {
  ElementInfo unknown = {};
  std::string name;
  const ElementInfo *element = findSlotElement(elementType);
  if (!element) {
    llvm::raw_string_ostream(name) << elementType;
    unknown.onnx = name.c_str();
    element = &unknown;
  }
  return spellTensor(*element, sizes, ShapedType::kDynamic);
}

/// Or an error that says that there is none.
static llvm::Expected<const ElementInfo *>
requireSlotElement(Type elementType, ArrayRef<int64_t> sizes) {
  if (const ElementInfo *element = findSlotElement(elementType))
    return element;
  return llvm::createStringError(
      spellTensor(elementType, sizes) +
      ": expected an element type that tensors in memory can have");
}

llvm::Expected<int64_t> quant_float::countBytes(Type elementType,
                                                ArrayRef<int64_t> sizes) {
  auto element = requireSlotElement(elementType, sizes);
  return element ? countBytes(**element, sizes) : element.takeError();
}

static llvm::Expected<Tensor> addType(Type elementType,
                                      llvm::Expected<TensorBuffer> buffer) {
  if (!buffer)
    return buffer.takeError();
  return Tensor(elementType, std::move(*buffer));
}

llvm::Expected<Tensor> Tensor::allocate(Type elementType,
                                        ArrayRef<int64_t> sizes) {
  auto element = requireSlotElement(elementType, sizes);
  if (!element)
    return element.takeError();
  return addType(elementType, TensorBuffer::allocate(**element, sizes));
}

llvm::Expected<Tensor> Tensor::view(Type elementType, ArrayRef<int64_t> sizes,
                                    ArrayRef<char> bytes,
                                    std::shared_ptr<const void> owner) {
  auto element = requireSlotElement(elementType, sizes);
  if (!element)
    return element.takeError();
  return addType(elementType,
                 TensorBuffer::view(**element, sizes, bytes, std::move(owner)));
}

Tensor Tensor::withElementType(Type type) const {
  Tensor result = *this;
  result.elementType = type;
  result.element = findSlotElement(type);
  return result;
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
