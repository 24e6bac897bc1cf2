//===- Bytes.cpp - Tensor data --------------------------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bytes.h"
#include "Elements.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Process.h"
#include <cstdlib>
#if __has_include(<sys/mman.h>)
#include <sys/mman.h>
#endif

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::target;

std::pair<SharedBytes, char *> target::allocateBytes(size_t size) {
  // Do not use `new`: if it finds no memory, LLVM's tools exit, even for
  // nothrow.
  char *data = static_cast<char *>(std::malloc(std::max<size_t>(size, 1)));
  if (!data)
    return {SharedBytes(), nullptr};
  std::shared_ptr<char> buffer(data, std::free);
  return {SharedBytes{ArrayRef(data, size), std::move(buffer)}, data};
}

void target::dropPages(const SharedBytes &bytes) {
  if (!bytes.isMapped)
    return;
#ifdef MADV_DONTNEED
  // MemoryBuffer::dontNeedIfMmap calls posix_madvise, which glibc ignores for
  // this advice. Drop full pages only, because the first and last page may
  // hold other data that is still needed.
  uintptr_t page = llvm::sys::Process::getPageSizeEstimate();
  uintptr_t begin = llvm::alignTo(uintptr_t(bytes.data.begin()), page);
  uintptr_t end = llvm::alignDown(uintptr_t(bytes.data.end()), page);
  if (begin < end)
    (void)::madvise(reinterpret_cast<void *>(begin), end - begin,
                    MADV_DONTNEED);
#endif
}

SharedBytes target::copyBytes(const SharedBytes &bytes) {
  constexpr size_t kStep = size_t(1) << 25;
  auto [copy, destination] = allocateBytes(bytes.data.size());
  if (!destination)
    return copy;
  for (ArrayRef<char> rest = bytes.data; !rest.empty();) {
    ArrayRef<char> step = rest.take_front(kStep);
    destination = llvm::copy(step, destination);
    rest = rest.drop_front(step.size());
    dropPages({step, nullptr, bytes.isMapped});
  }
  return copy;
}

SharedBytes target::unpack(ArrayRef<char> packed, Type elementType,
                           int64_t count) {
  unsigned bits = getPackedBits(elementType);
  bool isSigned = elementType.isSignlessInteger();
  auto [bytes, slots] = allocateBytes(count);
  if (!slots)
    return bytes;
  for (int64_t i = 0; i != count; ++i) {
    size_t bit = size_t(i) * bits;
    // A 6-bit element may straddle two bytes. Elements of 2 and 4 bits never
    // do.
    unsigned window = uint8_t(packed[bit / 8]);
    if (bit % 8 + bits > 8)
      window |= unsigned(uint8_t(packed[bit / 8 + 1])) << 8;
    unsigned element =
        (window >> (bit % 8)) & llvm::maskTrailingOnes<unsigned>(bits);
    slots[i] = isSigned ? llvm::SignExtend32(element, bits) : element;
  }
  return bytes;
}

SharedBytes target::normalizeBooleans(ArrayRef<char> bytes) {
  auto [normal, slots] = allocateBytes(bytes.size());
  if (slots)
    llvm::transform(bytes, slots, [](char byte) { return byte != 0; });
  return normal;
}
