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
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Path.h"
#include <cstdlib>

using namespace mlir;
using namespace mlir::quant_float;

struct quant_float::StringMemory {
  StringMemory() = default;
  StringMemory(const StringMemory &) = delete;
  StringMemory &operator=(const StringMemory &) = delete;
  ~StringMemory() {
    std::free(strings.offsets);
    std::free(strings.bytes);
  }

  /// Replaces the bytes by `capacity` uninitialized bytes. Returns false if
  /// memory allocation fails.
  bool reserve(int64_t capacity) {
    std::free(strings.bytes);
    strings.bytes =
        static_cast<char *>(std::malloc(std::max<int64_t>(capacity, 1)));
    strings.capacity = strings.bytes ? capacity : 0;
    return strings.bytes;
  }

  qf_strings strings = {};
};

static llvm::Error makeMemoryError(const ElementInfo &element,
                                   ArrayRef<int64_t> sizes, int64_t bytes) {
  return llvm::createStringError(spellTensor(element, sizes) +
                                 ": no memory for " + Twine(bytes) + " bytes");
}

/// Returns the number of elements. countBytes must accept the sizes.
static int64_t countElements(ArrayRef<int64_t> sizes) {
  // If one size is 0, the product of the others may overflow.
  uint64_t count = 1;
  for (int64_t size : sizes)
    count *= static_cast<uint64_t>(size);
  return static_cast<int64_t>(count);
}

int64_t TensorBuffer::getNumElements() const { return countElements(sizes); }

/// Allocates `count` empty strings and `capacity` bytes for their later
/// contents. Returns null if memory allocation fails.
static std::shared_ptr<StringMemory> allocateStrings(int64_t count,
                                                     int64_t capacity) {
  auto memory = std::make_shared<StringMemory>();
  memory->strings.offsets =
      static_cast<int64_t *>(std::calloc(count + 1, sizeof(int64_t)));
  if (!memory->strings.offsets || !memory->reserve(capacity))
    return nullptr;
  return memory;
}

llvm::Expected<TensorBuffer> TensorBuffer::allocate(const ElementInfo &element,
                                                    ArrayRef<int64_t> sizes,
                                                    size_t offset) {
  llvm::Expected<int64_t> count = countBytes(element, sizes);
  if (!count)
    return count.takeError();
  TensorBuffer tensor(element, sizes);
  if (element.isString()) {
    // Most numbers have at most this many characters.
    constexpr int64_t kUsualBytes = 16;
    int64_t elements = countElements(sizes), capacity;
    if (!llvm::MulOverflow(elements, kUsualBytes, capacity))
      tensor.stringMemory = allocateStrings(elements, capacity);
    if (!tensor.stringMemory)
      return makeMemoryError(element, sizes, *count);
    tensor.strings = &tensor.stringMemory->strings;
    return tensor;
  }
  // At least one byte, so that an empty tensor has an address too. Do not use
  // `new`, which terminates the program if memory allocation fails.
  size_t rounded =
      (static_cast<uint64_t>(*count) + offset + 64) & ~uint64_t(63);
  auto *memory = static_cast<char *>(std::aligned_alloc(64, rounded));
  if (!memory)
    return makeMemoryError(element, sizes, *count);
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

llvm::Expected<TensorBuffer>
TensorBuffer::viewStrings(ArrayRef<int64_t> sizes, const qf_strings *strings) {
  const ElementInfo &element = *findElement(QF_STRING);
  if (llvm::Error error = countBytes(element, sizes).takeError())
    return std::move(error);
  TensorBuffer tensor(element, sizes);
  tensor.strings = const_cast<qf_strings *>(strings);
  int64_t count = countElements(sizes);
  if (!count)
    return tensor;
  auto fail = [&](const Twine &what) {
    return llvm::createStringError(spellTensor(element, sizes) + ": " + what);
  };
  if (!strings || !strings->offsets)
    return fail("data and offsets must not be null");
  if (!strings->bytes && strings->capacity)
    return fail("bytes must not be null");
  int64_t min = 0;
  for (auto [index, offset] :
       llvm::enumerate(ArrayRef(strings->offsets, count + 1))) {
    if (offset < min || offset > strings->capacity)
      return fail("offset " + Twine(index) + ": expected " + Twine(min) +
                  " to " + Twine(strings->capacity) + ", but got " +
                  Twine(offset));
    min = offset;
  }
  return tensor;
}

llvm::Expected<TensorBuffer>
TensorBuffer::makeStrings(ArrayRef<int64_t> sizes,
                          ArrayRef<StringRef> strings) {
  const ElementInfo &element = *findElement(QF_STRING);
  if (llvm::Error error = countBytes(element, sizes).takeError())
    return std::move(error);
  TensorBuffer tensor(element, sizes);
  assert(countElements(sizes) == int64_t(strings.size()) && "one per element");
  int64_t capacity = 0;
  for (StringRef string : strings)
    capacity += string.size();
  tensor.stringMemory = allocateStrings(strings.size(), capacity);
  if (!tensor.stringMemory)
    return makeMemoryError(element, sizes, capacity);
  tensor.strings = &tensor.stringMemory->strings;
  char *next = tensor.strings->bytes;
  for (auto [index, string] : llvm::enumerate(strings)) {
    next = llvm::copy(string, next);
    tensor.strings->offsets[index + 1] = next - tensor.strings->bytes;
  }
  tensor.strings->needed = capacity;
  return tensor;
}

std::vector<StringRef> TensorBuffer::getStrings() const {
  std::vector<StringRef> result;
  for (int64_t i = 0, e = getNumElements(); i < e; ++i)
    result.push_back(getString(i));
  return result;
}

llvm::Error TensorBuffer::makeRoom() {
  if (!stringMemory || strings->needed <= strings->capacity)
    return llvm::Error::success();
  int64_t needed = strings->needed;
  // The caller writes all strings again.
  std::fill_n(strings->offsets, getNumElements() + 1, 0);
  return stringMemory->reserve(needed)
             ? llvm::Error::success()
             : makeMemoryError(*element, sizes, needed);
}

MutableArrayRef<char> TensorBuffer::getMutableBytes() {
  assert(isWritable && "views are read-only");
  return {const_cast<char *>(bytes.data()), bytes.size()};
}

/// Packs the tensor. `element` is the packed form of its element type.
static llvm::Expected<TensorBuffer>
pack(const TensorBuffer &tensor, const ElementInfo &element, size_t offset) {
  llvm::Expected<TensorBuffer> packed =
      TensorBuffer::allocate(element, tensor.getSizes(), offset);
  if (packed)
    pack(element, tensor.getBytes().data(), tensor.getNumElements(),
         packed->getMutableBytes().data());
  return packed;
}

/// Computes the dynamic size, of which there may be one, from the length of the
/// file.
static llvm::Error inferDynamicSize(const ElementInfo &element, StringRef bytes,
                                    SmallVector<int64_t> &sizes) {
  SmallVector<int64_t> logicalSizes = sizes;
  auto *dynamicSize = llvm::find(sizes, -1);
  if (dynamicSize == sizes.end())
    return llvm::Error::success();
  *dynamicSize = 1;
  if (element.isPacked())
    return llvm::createStringError(
        "a raw file does not determine the dynamic size of " +
        spellTensor(element, logicalSizes) +
        ", whose last byte may have padding bits");
  if (llvm::is_contained(sizes, -1))
    return llvm::createStringError(
        "a raw file does not determine several dynamic sizes of " +
        spellTensor(element, logicalSizes));
  llvm::Expected<int64_t> row = countBytes(element, sizes);
  if (!row)
    return row.takeError();
  *dynamicSize = *row ? bytes.size() / *row : 0;
  return llvm::Error::success();
}

/// Converts the strings of a .npy file, whose sizes are not checked.
static llvm::Expected<TensorBuffer>
makeStringsOfNpy(const NpyContents &contents) {
  llvm::Expected<std::vector<std::string>> strings = readNpyStrings(contents);
  if (!strings)
    return strings.takeError();
  return TensorBuffer::makeStrings(
      contents.sizes, std::vector<StringRef>(strings->begin(), strings->end()));
}

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
  // Only files of raw bytes store this packed form. Read other files unpacked,
  // and pack the elements afterward.
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
    if (element.isString())
      return makeStringsOfNpy(contents);
  } else if (element.isString() && (suffix == ".bin" || suffix == ".raw")) {
    return llvm::createStringError(
        "expected strings in a .npy" + Twine(readOnnx ? " or .pb" : "") +
        " file, because a raw file does not store where they end");
  } else if (suffix == ".bin" || suffix == ".raw") {
    contents.data = owner->getBuffer();
    contents.sizes = SmallVector<int64_t>(sizes);
    if (llvm::Error error =
            inferDynamicSize(element, contents.data, contents.sizes))
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
  if (!tensor || (contents.needsNoConversion() && !offset))
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
  auto fits = [](int64_t size, int64_t expectedSize) {
    return expectedSize < 0 || size == expectedSize;
  };
  if (&tensor->getElement() != &element ||
      !llvm::equal(tensor->getSizes(), sizes, fits))
    return llvm::createStringError(
        "expected " + spellTensor(element, sizes) + ", but got " +
        spellTensor(tensor->getElement(), tensor->getSizes()));
  return tensor;
}

std::vector<std::string> quant_float::makeRandomStrings(int64_t count,
                                                        uint64_t seed) {
  std::vector<int32_t> numbers(count);
  fillRandom(*findElement(QF_INT32), numbers.data(), count, seed);
  std::vector<std::string> strings;
  for (int32_t number : numbers) {
    std::string string = std::to_string(number / 16);
    // Insert a decimal point at one of several positions, and append an
    // exponent to half of the strings.
    size_t decimals = number & 7;
    if (string.size() > decimals + 1)
      string.insert(string.size() - decimals, ".");
    if (number & 8)
      string += "e-" + std::to_string(decimals);
    strings.push_back(string);
  }
  return strings;
}

uint64_t quant_float::digest(const TensorBuffer &tensor) {
  if (!tensor.isOfStrings())
    return digest(tensor.getBytes().data(), tensor.getBytes().size());
  // Prepend the size of each string, so that the boundaries of the strings
  // affect the digest.
  std::string all;
  for (StringRef string : tensor.getStrings()) {
    all += std::to_string(string.size()) + ":";
    all += string;
  }
  return digest(all.data(), all.size());
}

llvm::Error quant_float::checkNpy(const TensorBuffer &tensor) {
  if (!tensor.isOfStrings())
    return llvm::Error::success();
  for (auto [index, string] : llvm::enumerate(tensor.getStrings()))
    if (llvm::Error error = checkNpyString(string))
      return llvm::createStringError("element " + Twine(index) + ": " +
                                     llvm::toString(std::move(error)));
  return llvm::Error::success();
}

bool quant_float::writeNpy(OutputFile &file, const TensorBuffer &tensor) {
  if (tensor.isOfStrings())
    return file.write(makeNpyStrings(tensor.getSizes(), tensor.getStrings()));
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
