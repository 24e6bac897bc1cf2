//===- BufferSize.cpp - Bytes of buffers ----------------------------------===//
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

uint64_t quant_float::getStaticBytes(MemRefType type) {
  uint64_t bytes = DataLayout().getTypeSize(type.getElementType());
  for (int64_t size : type.getShape())
    if (!ShapedType::isDynamic(size))
      bytes = llvm::SaturatingMultiply(bytes, static_cast<uint64_t>(size));
  return bytes;
}
