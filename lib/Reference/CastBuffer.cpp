//===- CastBuffer.cpp - Casts of buffers ----------------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Casts.h"
#include "StorageUnits.h"
#include "llvm/ADT/SmallVector.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::reference;
using llvm::APInt;

LogicalResult reference::castBuffer(Type from, Type to, ArrayRef<char> in,
                                    MutableArrayRef<char> out,
                                    const CastOptions &options) {
  std::optional<Format> fromFormat = getFormat(from);
  std::optional<Format> toFormat = getFormat(to);
  if (!fromFormat || !toFormat)
    return failure();
  size_t inSize = getSlotSize(*fromFormat);
  size_t outSize = getSlotSize(*toFormat);
  size_t count = in.size() / inSize;
  if (count * inSize != in.size() || count * outSize != out.size())
    return failure();

  bool isIdentity = from == to && !options.projection; // V7
  auto cast = [&](uint64_t slot) {
    APInt bits = toBits(*fromFormat, slot);
    return toSlot(
        *toFormat,
        isIdentity ? bits : castElement(*fromFormat, *toFormat, bits, options));
  };

  // If there are more elements than encodings, cast every encoding once.
  SmallVector<uint64_t, 0> table;
  uint64_t numEncodings = uint64_t(1) << std::min(fromFormat->width, 63u);
  if (fromFormat->width <= 16 && count > numEncodings) {
    table.reserve(numEncodings);
    for (uint64_t encoding = 0; encoding < numEncodings; ++encoding)
      table.push_back(cast(encoding));
  }
  for (size_t i = 0; i < count; ++i) {
    uint64_t slot = loadSlot(*fromFormat, in, i);
    uint64_t result =
        table.empty() ? cast(slot) : table[slot & (numEncodings - 1)];
    storeSlot(*toFormat, out, i, result);
  }
  return success();
}
