//===- TensorBuffer.cpp - Tensors in memory and in files ------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/TensorData/TensorBuffer.h"

#include "quant-float/Support/InputFile.h"
#include "quant-float/TensorData/Npy.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Path.h"
#include <cstdlib>

using namespace mlir;
using namespace mlir::quant_float;

llvm::Expected<TensorBuffer> TensorBuffer::allocate(const ElementInfo &element,
                                                    ArrayRef<int64_t> sizes,
                                                    size_t offset) {
  llvm::Expected<int64_t> count = countBytes(element, sizes);
  if (!count)
    return count.takeError();
  TensorBuffer tensor(element, sizes);
  // One byte at least: an empty tensor has an address too. Not `new`, which
  // ends the program when there is no memory.
  size_t rounded =
      (static_cast<uint64_t>(*count) + offset + 64) & ~uint64_t(63);
  auto *memory = static_cast<char *>(std::aligned_alloc(64, rounded));
  if (!memory)
    return llvm::createStringError(spellTensor(element, sizes) +
                                   ": no memory for " + Twine(*count) +
                                   " bytes");
  tensor.owner = std::shared_ptr<void>(memory, std::free);
  tensor.bytes = ArrayRef(memory + offset, *count);
  tensor.isWritable = true;
  return tensor;
}

llvm::Expected<TensorBuffer>
TensorBuffer::view(const ElementInfo &element, ArrayRef<int64_t> sizes,
                   ArrayRef<char> bytes, std::shared_ptr<const void> owner) {
  llvm::Expected<int64_t> count = countBytes(element, sizes);
  if (!count)
    return count.takeError();
  if (static_cast<uint64_t>(*count) != bytes.size())
    return llvm::createStringError(spellTensor(element, sizes) + ": expected " +
                                   Twine(*count) + " bytes, but got " +
                                   Twine(bytes.size()));
  TensorBuffer tensor(element, sizes);
  tensor.bytes = bytes;
  tensor.owner = std::move(owner);
  return tensor;
}

MutableArrayRef<char> TensorBuffer::getMutableBytes() {
  assert(isWritable && "views are read-only");
  return {const_cast<char *>(bytes.data()), bytes.size()};
}

/// The file's length tells the one size that may be open.
static llvm::Error closeSizes(const ElementInfo &element, StringRef bytes,
                              SmallVector<int64_t> &sizes) {
  SmallVector<int64_t> given = sizes;
  auto *open = llvm::find(sizes, -1);
  if (open == sizes.end())
    return llvm::Error::success();
  *open = 1;
  if (llvm::is_contained(sizes, -1))
    return llvm::createStringError(
        "a raw file cannot tell several open sizes of " +
        spellTensor(element, given));
  llvm::Expected<int64_t> row = countBytes(element, sizes);
  if (!row)
    return row.takeError();
  *open = *row ? bytes.size() / *row : 0;
  return llvm::Error::success();
}

/// Of any sizes.
static llvm::Expected<TensorBuffer> read(StringRef path,
                                         const ElementInfo &element,
                                         ArrayRef<int64_t> sizes, size_t offset,
                                         TensorReader readOnnx) {
  auto file = openRegularFile(path);
  if (!file)
    return llvm::createStringError("cannot be read: " +
                                   llvm::toString(file.takeError()));
  std::shared_ptr<llvm::MemoryBuffer> owner = std::move(*file);
  StringRef suffix = llvm::sys::path::extension(path);
  NpyContents contents;
  if (suffix == ".npy") {
    llvm::Expected<NpyContents> parsed = parseNpy(owner->getBuffer(), element);
    if (!parsed)
      return parsed.takeError();
    contents = std::move(*parsed);
  } else if (suffix == ".bin" || suffix == ".raw") {
    contents.data = owner->getBuffer();
    contents.sizes = SmallVector<int64_t>(sizes);
    if (llvm::Error error = closeSizes(element, contents.data, contents.sizes))
      return std::move(error);
  } else if (readOnnx && suffix == ".pb") {
    return readOnnx(path);
  } else {
    return llvm::createStringError("expected a file ending in .npy, " +
                                   Twine(readOnnx ? ".pb, " : "") +
                                   ".bin or .raw");
  }
  llvm::Expected<TensorBuffer> tensor = TensorBuffer::view(
      element, contents.sizes,
      ArrayRef(contents.data.data(), contents.data.size()), std::move(owner));
  if (!tensor || (contents.isAsWanted() && !offset))
    return tensor;
  llvm::Expected<TensorBuffer> copy =
      TensorBuffer::allocate(element, contents.sizes, offset);
  if (copy)
    convertNpy(contents, element, copy->getMutableBytes().data());
  return copy;
}

llvm::Expected<TensorBuffer>
quant_float::readTensorFile(StringRef path, const ElementInfo &element,
                            ArrayRef<int64_t> sizes, size_t offset,
                            TensorReader readOnnx) {
  llvm::Expected<TensorBuffer> tensor =
      read(path, element, sizes, offset, readOnnx);
  if (!tensor)
    return tensor;
  auto fits = [](int64_t size, int64_t wanted) {
    return wanted < 0 || size == wanted;
  };
  if (&tensor->getElement() != &element ||
      !llvm::equal(tensor->getSizes(), sizes, fits))
    return llvm::createStringError(
        "expected " + spellTensor(element, sizes) + ", but got " +
        spellTensor(tensor->getElement(), tensor->getSizes()));
  return tensor;
}

bool quant_float::writeNpy(OutputFile &file, const TensorBuffer &tensor) {
  ArrayRef<char> bytes = tensor.getBytes();
  return file.write(makeNpyHeader(tensor.getElement(), tensor.getSizes())) &&
         file.write({bytes.data(), bytes.size()});
}
