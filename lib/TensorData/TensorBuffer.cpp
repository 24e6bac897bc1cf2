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

int64_t TensorBuffer::getNumElements() const {
  if (!element->isPacked())
    return bytes.size() / element->getSlotBytes();
  // Beside a size of 0, the product of the others may be any number.
  int64_t count = !bytes.empty();
  for (int64_t size : sizes)
    count *= bytes.empty() ? 1 : size;
  return count;
}

MutableArrayRef<char> TensorBuffer::getMutableBytes() {
  assert(isWritable && "views are read-only");
  return {const_cast<char *>(bytes.data()), bytes.size()};
}

/// The tensor in the packed form `element` of its type.
static llvm::Expected<TensorBuffer>
pack(const TensorBuffer &tensor, const ElementInfo &element, size_t offset) {
  llvm::Expected<TensorBuffer> packed =
      TensorBuffer::allocate(element, tensor.getSizes(), offset);
  if (packed)
    pack(element, tensor.getBytes().data(), tensor.getNumElements(),
         packed->getMutableBytes().data());
  return packed;
}

/// The file's length tells the one size that may be open.
static llvm::Error closeSizes(const ElementInfo &element, StringRef bytes,
                              SmallVector<int64_t> &sizes) {
  SmallVector<int64_t> given = sizes;
  auto *open = llvm::find(sizes, -1);
  if (open == sizes.end())
    return llvm::Error::success();
  *open = 1;
  if (element.isPacked())
    return llvm::createStringError("a raw file cannot tell the open size of " +
                                   spellTensor(element, given) +
                                   ", whose last byte may have bits behind it");
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
  // Other files than those of bare bytes have no packed form, or one of their
  // own.
  const ElementInfo &stored = *findElement(element.number & ~kPackedFlag);
  if (element.isPacked() && suffix != ".bin" && suffix != ".raw") {
    llvm::Expected<TensorBuffer> tensor =
        read(path, stored, sizes, /*offset=*/0, readOnnx);
    if (!tensor || &tensor->getElement() != &stored)
      return tensor;
    return pack(*tensor, element, offset);
  }
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
  if (tensor.getElement().isPacked()) {
    bool isWritten =
        file.write(makeNpyHeader(tensor.getElement(), tensor.getSizes()));
    constexpr int64_t kPart = 1 << 16;
    std::vector<char> slots(kPart);
    int64_t count = tensor.getNumElements();
    for (int64_t at = 0; isWritten && at < count; at += kPart) {
      int64_t size = std::min(kPart, count - at);
      unpack(tensor.getElement(), bytes.data(), at, size, slots.data());
      isWritten = file.write({slots.data(), static_cast<size_t>(size)});
    }
    return isWritten;
  }
  return file.write(makeNpyHeader(tensor.getElement(), tensor.getSizes())) &&
         file.write({bytes.data(), bytes.size()});
}
