//===- Tensors.cpp - Tensors on the host and on a GPU ---------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tensors.h"

#include "quant-float/TensorData/Npy.h"
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

using namespace quant_float_exec;
using namespace mlir::quant_float;

Memory &Memory::operator=(Memory &&other) {
  std::swap(base, other.base);
  std::swap(offset, other.offset);
  std::swap(bytes, other.bytes);
  std::swap(mapped, other.mapped);
  return *this;
}

Memory::~Memory() {
  if (mapped)
    munmap(base, mapped);
  else
    std::free(base);
}

bool Memory::allocate(size_t count, size_t distance, std::string &error) {
  *this = Memory();
  constexpr size_t kPage = 4096;
  // One byte at least: an empty tensor has an address too.
  if (count <= SIZE_MAX / 2)
    base = static_cast<char *>(
        std::aligned_alloc(kPage, (count + distance + kPage) / kPage * kPage));
  if (!base) {
    error = "no memory for " + std::to_string(count) + " bytes";
    return false;
  }
  offset = distance;
  bytes = count;
  return true;
}

bool Memory::map(const std::string &path, std::string &error) {
  *this = Memory();
  struct stat status;
  // Opening a pipe would wait for a writer, and a device has no end.
  if (stat(path.c_str(), &status)) {
    error = std::strerror(errno);
    return false;
  }
  if (!S_ISREG(status.st_mode)) {
    error = "it is not a regular file";
    return false;
  }
  int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) {
    error = std::strerror(errno);
    return false;
  }
  // The file that is open, which need not be the one that was there before.
  if (fstat(file, &status) || !S_ISREG(status.st_mode)) {
    error = "it is not a regular file";
    close(file);
    return false;
  }
  bytes = static_cast<size_t>(status.st_size);
  void *where =
      bytes ? mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, file, 0) : nullptr;
  int code = errno;
  close(file);
  if (where == MAP_FAILED) {
    bytes = 0;
    error = std::strerror(code);
    return false;
  }
  base = static_cast<char *>(where);
  mapped = bytes;
  return true;
}

bool Tensor::allocate(size_t offset, std::string &error) {
  int64_t count;
  if (!countBytes(*element, sizes, count, error))
    return false;
  bytes = static_cast<size_t>(count);
  if (data && memory.size() == bytes)
    return true;
  if (!memory.allocate(bytes, offset, error)) {
    error = spellTensor(*element, sizes) + ": " + error;
    return false;
  }
  data = memory.data();
  return true;
}

bool Tensor::read(const PlannedInput &input, size_t offset,
                  std::string &error) {
  element = input.element;
  auto hasSuffix = [&](std::string_view suffix) {
    std::string_view path = input.file;
    return path.size() > suffix.size() &&
           path.substr(path.size() - suffix.size()) == suffix;
  };
  Memory file;
  if (!file.map(input.file, error))
    return false;
  NpyContents contents;
  contents.data = {file.data(), file.size()};
  if (hasSuffix(".npy")) {
    if (!parseNpy(contents.data, *element, contents, error))
      return false;
  } else if (hasSuffix(".bin") || hasSuffix(".raw")) {
    // The file's length tells the one size that may be open.
    contents.sizes = input.sizes;
    auto open = std::find(contents.sizes.begin(), contents.sizes.end(), -1);
    int64_t count;
    if (open != contents.sizes.end()) {
      *open = 1;
      if (std::count(contents.sizes.begin(), contents.sizes.end(), -1)) {
        error = "a raw file cannot tell several open sizes of " +
                spellTensor(*element, input.sizes);
        return false;
      }
      if (!countBytes(*element, contents.sizes, count, error))
        return false;
      *open = count ? static_cast<int64_t>(file.size()) / count : 0;
    }
    if (!countBytes(*element, contents.sizes, count, error))
      return false;
    if (static_cast<size_t>(count) != file.size()) {
      error = spellTensor(*element, contents.sizes) + ": expected " +
              std::to_string(count) + " bytes, but got " +
              std::to_string(file.size());
      return false;
    }
  } else {
    error = "expected a file ending in .npy, .bin or .raw";
    return false;
  }
  bool fits = contents.sizes.size() == input.sizes.size();
  for (size_t i = 0; fits && i < contents.sizes.size(); ++i)
    fits = input.sizes[i] < 0 || input.sizes[i] == contents.sizes[i];
  if (!fits) {
    error = "expected " + spellTensor(*element, input.sizes) + ", but got " +
            spellTensor(*element, contents.sizes);
    return false;
  }
  sizes = contents.sizes;
  if (contents.isAsWanted() && !offset) {
    bytes = contents.data.size();
    data = const_cast<char *>(contents.data.data());
    memory = std::move(file);
    return true;
  }
  if (!allocate(offset, error))
    return false;
  if (contents.isAsWanted())
    std::memcpy(data, contents.data.data(), bytes);
  else
    convertNpy(contents, *element, data);
  return true;
}

bool DeviceMemory::allocate(size_t bytes, size_t distance, std::string &error) {
  offset = distance;
  return context.allocate(bytes + distance, pointer, error);
}
