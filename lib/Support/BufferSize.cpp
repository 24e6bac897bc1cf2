//===- BufferSize.cpp - Sizes of tensors and buffers ----------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/Support/BufferSize.h"

#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::quant_float;

std::optional<int64_t> quant_float::countElements(ArrayRef<int64_t> sizes) {
  int64_t count = 1;
  bool empty = false;
  for (int64_t size : sizes) {
    empty |= size == 0;
    if (size != 0 && !ShapedType::isDynamic(size) &&
        llvm::MulOverflow(count, size, count))
      return std::nullopt;
  }
  return empty ? 0 : count;
}

int64_t quant_float::getStrideBytes(Type elementType) {
  if (!elementType.isIntOrFloat())
    return sizeof(int64_t);
  uint64_t bits = std::max(elementType.getIntOrFloatBitWidth(), 8u);
  return llvm::PowerOf2Ceil(bits) / 8;
}

uint64_t quant_float::getStaticBytes(MemRefType type) {
  uint64_t bytes = DataLayout().getTypeSize(type.getElementType());
  for (int64_t size : type.getShape())
    if (!ShapedType::isDynamic(size))
      bytes = llvm::SaturatingMultiply(bytes, static_cast<uint64_t>(size));
  return bytes;
}
