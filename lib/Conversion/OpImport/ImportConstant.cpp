//===- ImportConstant.cpp - Constants of other compilers ------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/Conversion/OpImport/ImportConstant.h"

#include "mlir/IR/DialectResourceBlobManager.h"
#include "quant-float/Support/BufferSize.h"

using namespace mlir;
using namespace mlir::quant_float;

TypedAttr quant_float::importConstant(Attribute attribute, int64_t maxDense) {
  auto elements = dyn_cast_or_null<ElementsAttr>(attribute);
  if (!elements || !elements.getElementType().isIntOrFloat())
    return {};
  Type elementType = elements.getElementType();
  if (auto integer = dyn_cast<IntegerType>(elementType);
      integer && integer.isSigned())
    elementType = IntegerType::get(integer.getContext(), integer.getWidth());
  auto type =
      RankedTensorType::get(elements.getShapedType().getShape(), elementType);
  if (auto dense = dyn_cast<DenseElementsAttr>(attribute))
    return dense.getElementType() == elementType ? dense
                                                 : dense.bitcast(elementType);
  auto resource = dyn_cast<DenseResourceElementsAttr>(attribute);
  AsmResourceBlob *blob =
      resource ? resource.getRawHandle().getBlob() : nullptr;
  std::optional<int64_t> count = countElements(type.getShape());
  if (!blob || !count)
    return {};
  // Elements of less than 8 bits have a byte each.
  ArrayRef<char> data = blob->getData();
  unsigned width = elementType.getIntOrFloatBitWidth();
  size_t size = std::max(width / 8, 1u);
  if (data.size() % size != 0 ||
      static_cast<int64_t>(data.size() / size) != *count)
    return {};
  if (*count <= maxDense) {
    if (width == 1) {
      auto flags = llvm::map_to_vector(data, [](char c) { return c != 0; });
      return DenseElementsAttr::get(type, ArrayRef<bool>(flags));
    }
    if (width % 8 == 0)
      return DenseElementsAttr::getFromRawBuffer(type, data);
  }
  return DenseResourceElementsAttr::get(type, resource.getRawHandle());
}
