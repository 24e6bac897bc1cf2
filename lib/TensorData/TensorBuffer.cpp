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

struct quant_float::TextMemory {
  TextMemory() = default;
  TextMemory(const TextMemory &) = delete;
  TextMemory &operator=(const TextMemory &) = delete;
  ~TextMemory() {
    std::free(strings.offsets);
    std::free(strings.bytes);
  }

  /// So many bytes in place of those that there are.
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

/// The elements of sizes that countBytes has let through.
static int64_t countElements(ArrayRef<int64_t> sizes) {
  // Beside a size of 0, the product of the others may be any number.
  uint64_t count = 1;
  for (int64_t size : sizes)
    count *= static_cast<uint64_t>(size);
  return static_cast<int64_t>(count);
}

int64_t TensorBuffer::getNumElements() const { return countElements(sizes); }

/// Empty strings, and so many bytes for others.
static std::shared_ptr<TextMemory> allocateTexts(int64_t count,
                                                 int64_t capacity) {
  auto memory = std::make_shared<TextMemory>();
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
    // Most numbers are no longer.
    constexpr int64_t kUsualBytes = 16;
    int64_t elements = countElements(sizes), capacity;
    if (!llvm::MulOverflow(elements, kUsualBytes, capacity))
      tensor.texts = allocateTexts(elements, capacity);
    if (!tensor.texts)
      return makeMemoryError(element, sizes, *count);
    tensor.strings = &tensor.texts->strings;
    return tensor;
  }
  // One byte at least: an empty tensor has an address too. Not `new`, which
  // ends the program when there is no memory.
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
TensorBuffer::viewTexts(ArrayRef<int64_t> sizes, const qf_strings *strings) {
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
  int64_t least = 0;
  for (auto [index, offset] :
       llvm::enumerate(ArrayRef(strings->offsets, count + 1))) {
    if (offset < least || offset > strings->capacity)
      return fail("offset " + Twine(index) + ": expected " + Twine(least) +
                  " to " + Twine(strings->capacity) + ", but got " +
                  Twine(offset));
    least = offset;
  }
  return tensor;
}

llvm::Expected<TensorBuffer>
TensorBuffer::makeTexts(ArrayRef<int64_t> sizes, ArrayRef<StringRef> texts) {
  const ElementInfo &element = *findElement(QF_STRING);
  if (llvm::Error error = countBytes(element, sizes).takeError())
    return std::move(error);
  TensorBuffer tensor(element, sizes);
  assert(countElements(sizes) == int64_t(texts.size()) && "one per element");
  int64_t capacity = 0;
  for (StringRef text : texts)
    capacity += text.size();
  tensor.texts = allocateTexts(texts.size(), capacity);
  if (!tensor.texts)
    return makeMemoryError(element, sizes, capacity);
  tensor.strings = &tensor.texts->strings;
  char *next = tensor.strings->bytes;
  for (auto [index, text] : llvm::enumerate(texts)) {
    next = llvm::copy(text, next);
    tensor.strings->offsets[index + 1] = next - tensor.strings->bytes;
  }
  tensor.strings->needed = capacity;
  return tensor;
}

std::vector<StringRef> TensorBuffer::getTexts() const {
  std::vector<StringRef> result;
  for (int64_t i = 0, e = getNumElements(); i < e; ++i)
    result.push_back(getText(i));
  return result;
}

llvm::Error TensorBuffer::makeRoom() {
  if (!texts || strings->needed <= strings->capacity)
    return llvm::Error::success();
  int64_t needed = strings->needed;
  // The texts are to be written anew.
  std::fill_n(strings->offsets, getNumElements() + 1, 0);
  return texts->reserve(needed) ? llvm::Error::success()
                                : makeMemoryError(*element, sizes, needed);
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
/// The strings of a file in NumPy's format.
static llvm::Expected<TensorBuffer>
makeTextsOfNpy(const NpyContents &contents) {
  llvm::Expected<std::vector<std::string>> texts = readNpyTexts(contents);
  if (!texts)
    return texts.takeError();
  return TensorBuffer::makeTexts(
      contents.sizes, std::vector<StringRef>(texts->begin(), texts->end()));
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
    if (element.isString())
      return makeTextsOfNpy(contents);
  } else if (element.isString() && (suffix == ".bin" || suffix == ".raw")) {
    return llvm::createStringError(
        "expected strings in a .npy" + Twine(readOnnx ? " or .pb" : "") +
        " file: where one ends, a raw file cannot tell");
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

std::vector<std::string> quant_float::makeRandomTexts(int64_t count,
                                                      uint64_t seed) {
  std::vector<int32_t> numbers(count);
  fillRandom(*findElement(QF_INT32), numbers.data(), count, seed);
  std::vector<std::string> texts;
  for (int32_t number : numbers) {
    std::string text = std::to_string(number / 16);
    // With a point in one of several places, and now and then an exponent.
    size_t places = number & 7;
    if (text.size() > places + 1)
      text.insert(text.size() - places, ".");
    if (number & 8)
      text += "e-" + std::to_string(places);
    texts.push_back(text);
  }
  return texts;
}

uint64_t quant_float::digest(const TensorBuffer &tensor) {
  if (!tensor.isOfTexts())
    return digest(tensor.getBytes().data(), tensor.getBytes().size());
  // Each text with its size in front, so that none runs into the next.
  std::string all;
  for (StringRef text : tensor.getTexts()) {
    all += std::to_string(text.size()) + ":";
    all += text;
  }
  return digest(all.data(), all.size());
}

llvm::Error quant_float::checkNpy(const TensorBuffer &tensor) {
  if (!tensor.isOfTexts())
    return llvm::Error::success();
  for (auto [index, text] : llvm::enumerate(tensor.getTexts()))
    if (llvm::Error error = checkNpyText(text))
      return llvm::createStringError("element " + Twine(index) + ": " +
                                     llvm::toString(std::move(error)));
  return llvm::Error::success();
}

bool quant_float::writeNpy(OutputFile &file, const TensorBuffer &tensor) {
  if (tensor.isOfTexts())
    return file.write(makeNpyTexts(tensor.getSizes(), tensor.getTexts()));
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
