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
#include <optional>

using namespace mlir::quant_float;

/// The elements as entry points take them, in a block of just their size.
static std::string convert(const NpyContents &contents,
                           const ElementInfo &element) {
  // Of one allocation, so that the sanitizer knows the end.
  std::vector<char> slots(contents.data.size());
  convertNpy(contents, element, slots.data());
  return std::string(slots.begin(), slots.end());
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const ElementInfo *element = size ? findSlotElement(data[0]) : nullptr;
  if (!element)
    return 0;
  // A copy, which ends where the file does.
  std::vector<char> file(data + 1, data + size);
  auto parse = [&](llvm::StringRef bytes) {
    llvm::Expected<NpyContents> contents = parseNpy(bytes, *element);
    if (!contents && llvm::toString(contents.takeError()).empty())
      std::abort();
    return contents ? std::optional(*contents) : std::nullopt;
  };
  std::optional<NpyContents> contents = parse({file.data(), file.size()});
  if (!contents)
    return 0;
  std::string slots = convert(*contents, *element);
  std::string written = makeNpyHeader(*element, contents->sizes) + slots;
  std::optional<NpyContents> again = parse(written);
  if (!again || again->sizes != contents->sizes ||
      convert(*again, *element) != slots)
    std::abort();
  return 0;
}
