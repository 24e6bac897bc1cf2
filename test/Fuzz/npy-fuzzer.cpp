//===- npy-fuzzer.cpp - Fuzzer of the .npy reader -------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The first byte is the expected element type; the rest is the file. It must
// give elements or an error. Writing and reading the elements again must not
// change them.
//
//===----------------------------------------------------------------------===//

#include "quant-float/TensorData/Npy.h"
#include <cstdlib>
#include <optional>

using namespace mlir::quant_float;

/// Converts the elements to the layout of entry points.
static std::string convert(const NpyContents &contents,
                           const ElementInfo &element) {
  // The allocation has the exact size, so that the sanitizer detects overruns.
  std::vector<char> slots(contents.data.size());
  convertNpy(contents, element, slots.data());
  return std::string(slots.begin(), slots.end());
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const ElementInfo *element = size ? findSlotElement(data[0]) : nullptr;
  if (!element)
    return 0;
  // Copy the file, so that the allocation has the exact size.
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
