//===- npy-fuzzer.cpp - Arbitrary bytes as a .npy file --------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The first byte is the element type that is expected, the rest is the file. It
// has to give elements or an error, and the elements, written and read again,
// the same ones.
//
//===----------------------------------------------------------------------===//

#include "quant-float/TensorData/Npy.h"
#include <cstdlib>

using namespace mlir::quant_float;

/// The elements as entry points take them, in a block of just their size.
static std::string convert(const NpyContents &contents,
                           const ElementLayout &element) {
  // Of one allocation, so that the sanitizer knows the end.
  std::vector<char> slots(contents.data.size());
  convertNpy(contents, element, slots.data());
  return std::string(slots.begin(), slots.end());
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const ElementLayout *element = size ? getElementLayout(data[0]) : nullptr;
  if (!element)
    return 0;
  // A copy, which ends where the file does.
  std::vector<char> file(data + 1, data + size);
  NpyContents contents;
  std::string error;
  if (!parseNpy({file.data(), file.size()}, *element, contents, error)) {
    if (error.empty())
      std::abort();
    return 0;
  }
  std::string slots = convert(contents, *element);
  std::string written = makeNpyHeader(*element, contents.sizes) + slots;
  NpyContents again;
  if (!parseNpy(written, *element, again, error) ||
      again.sizes != contents.sizes || convert(again, *element) != slots)
    std::abort();
  return 0;
}
