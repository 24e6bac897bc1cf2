//===- Payload.cpp - Constants in file layout -----------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Payload.h"
#include "Elements.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "quant-float/IR/ElementTypes.h"
#include "quant-float/Support/LlvmCompat.h"
#include "quant-float/TensorData/Elements.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::target;

/// Returns `count` copies of the element.
static SharedBytes repeat(ArrayRef<char> element, int64_t count) {
  uint64_t size = llvm::SaturatingMultiply<uint64_t>(element.size(), count);
  auto [bytes, at] = allocateBytes(size);
  if (at)
    for (int64_t i = 0; i != count; ++i)
      at = llvm::copy(element, at);
  return bytes;
}

/// Packs the elements of 2-, 4- and 6-bit types.
static SharedBytes packSlots(const SharedBytes &slots, Type elementType,
                             int64_t count) {
  const ElementInfo *packed =
      findElement(kPackedFlag | *getDataType(elementType));
  auto [bytes, at] = allocateBytes(packed->getBytes(count));
  if (at)
    pack(*packed, slots.data.data(), count, at);
  return bytes;
}

std::optional<SharedBytes> target::getPayload(ElementsAttr elements) {
  Type elementType = elements.getElementType();
  unsigned bits = getPackedBits(elementType);
  if (bits == 0 || (bits < 8 && !getDataType(elementType)))
    return std::nullopt;
  int64_t count = elements.getNumElements();
  SharedBytes slots;
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(elements)) {
    AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    if (!blob)
      return std::nullopt;
    slots.data = blob->getData();
    if (isPackable(bits) && isPacked(resource))
      return slots;
  } else if (auto dense = dyn_cast<DenseTypedElementsAttr>(elements)) {
    if (elementType.isInteger(1)) {
      auto [bytes, at] = allocateBytes(count);
      if (at)
        llvm::copy(dense.getValues<bool>(), at);
      return bytes;
    }
    slots.data = dense.getRawData();
    if (dense.isSplat())
      slots = repeat(slots.data, count);
  } else {
    return std::nullopt;
  }
  if (bits < 8 && !slots.data.empty())
    return packSlots(slots, elementType, count);
  return slots;
}
