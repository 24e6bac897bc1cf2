//===- Weights.cpp - Data of constants ------------------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Weights.h"
#include "../../Interchange/Nf4.h"
#include "../../Interchange/Shapes.h"
#include "quant-float/Support/InputFile.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::openvino_import;

//===----------------------------------------------------------------------===//
// The file
//===----------------------------------------------------------------------===//

LogicalResult Weights::open(const Subject &subject) {
  if (file)
    return success();
  if (path.empty())
    return diagnose(subject, Diag::NoWeights);
  auto opened = openRegularFile(path);
  if (!opened)
    return diagnose(subject, Diag::WeightsOpen, printable(path),
                    llvm::toString(opened.takeError()));
  file = std::move(*opened);
  if (StringRef content = file->getBuffer(); onMapped && isMapped(*file))
    onMapped(ArrayRef(content.data(), content.size()));
  return success();
}

FailureOr<SharedBytes> Weights::read(uint64_t offset, uint64_t size,
                                     const Subject &subject) {
  if (size == 0)
    return SharedBytes();
  if (failed(open(subject)))
    return failure();
  StringRef content = file->getBuffer();
  if (offset > content.size() || size > content.size() - offset)
    return diagnose(subject, Diag::WeightsBounds, offset,
                    llvm::SaturatingAdd(offset, size), printable(path),
                    content.size());
  return SharedBytes{ArrayRef(content.data() + offset, size), file,
                     isMapped(*file)};
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

/// Unpacks u1, whose first element is the highest bit.
static SharedBytes unpackBits(ArrayRef<char> packed, int64_t count) {
  auto [bytes, slots] = allocateBytes(count);
  for (int64_t i = 0; slots && i != count; ++i)
    slots[i] = (uint8_t(packed[i / 8]) >> (7 - i % 8)) & 1;
  return bytes;
}

/// Returns the f32 values of unpacked nf4 encodings.
static SharedBytes decodeNf4(ArrayRef<char> encodings) {
  auto [bytes, slots] = allocateBytes(encodings.size() * sizeof(float));
  if (!slots)
    return bytes;
  for (char encoding : encodings) {
    llvm::support::endian::write<float>(
        slots, target::kNf4Values[uint8_t(encoding)], llvm::endianness::little);
    slots += sizeof(float);
  }
  return bytes;
}

/// Returns the number of bits of an element in the file.
static unsigned getStoredBits(const ElementType &elementType) {
  switch (elementType.storage) {
  case Storage::HighFirst:
    return 1;
  case Storage::Nf4:
    return 4;
  default:
    return getPackedBits(elementType.type);
  }
}

static SharedBytes decode(const SharedBytes &stored,
                          const ElementType &elementType, int64_t count) {
  Type type = elementType.type;
  switch (elementType.storage) {
  case Storage::LowFirst:
    return unpack(stored.data, type, count);
  case Storage::HighFirst:
    return unpackBits(stored.data, count);
  case Storage::Nf4: {
    Type u4 = IntegerType::get(type.getContext(), 4, IntegerType::Unsigned);
    return decodeNf4(unpack(stored.data, u4, count).data);
  }
  default:
    return type.isInteger(1) ? normalizeBooleans(stored.data) : stored;
  }
}

SharedBytes Weights::getSlots(const SharedBytes &stored,
                              const ElementType &elementType, int64_t count,
                              uint64_t offset) {
  std::tuple key(offset, count, elementType.type.getAsOpaquePointer(),
                 elementType.storage);
  if (auto existing = copies.find(key); existing != copies.end())
    return existing->second;
  SharedBytes slots =
      alignBytes(decode(stored, elementType, count), elementType.type);
  if (slots.data.data() == stored.data.data())
    return slots;
  dropPages(stored);
  copies[key] = slots;
  return slots;
}

/// Strings have a header of 32-bit numbers: the number of strings, the offset
/// of the first one, and the end of each in the bytes after the header.
FailureOr<ElementsAttr> Weights::readStrings(const ElementType &elementType,
                                             ArrayRef<int64_t> dims,
                                             int64_t count, uint64_t offset,
                                             uint64_t size,
                                             const Subject &subject) {
  auto type = RankedTensorType::get(dims, elementType.type);
  if (count == 0)
    return ElementsAttr(
        DenseStringElementsAttr::get(type, ArrayRef<StringRef>()));
  constexpr uint64_t kFieldBytes = sizeof(uint32_t);
  uint64_t header = llvm::SaturatingMultiply<uint64_t>(
      kFieldBytes, llvm::SaturatingAdd<uint64_t>(count, 2));
  if (size < header)
    return diagnose(subject, Diag::ConstantSize, header,
                    (elementType.name + " of shape " + spellShape(dims)).str(),
                    size);
  FailureOr<SharedBytes> stored = read(offset, size, subject);
  if (failed(stored))
    return failure();
  auto getField = [&](uint64_t index) -> uint64_t {
    return llvm::support::endian::read32le(stored->data.data() +
                                           index * kFieldBytes);
  };
  if (getField(0) != uint64_t(count))
    return diagnose(subject, Diag::ConstantCount, count, getField(0));
  StringRef bytes(stored->data.data() + header, size - header);
  SmallVector<StringRef> strings;
  uint64_t begin = getField(1);
  for (int64_t i = 0; i < count; ++i) {
    uint64_t end = getField(i + 2);
    if (begin > end || end > bytes.size())
      return diagnose(subject, Diag::ConstantOffset, i, begin, bytes.size(),
                      end);
    strings.push_back(bytes.slice(begin, end));
    begin = end;
  }
  return ElementsAttr(DenseStringElementsAttr::get(type, strings));
}

FailureOr<ElementsAttr> Weights::read(const ElementType &elementType,
                                      ArrayRef<int64_t> dims, uint64_t offset,
                                      uint64_t size, StringRef name,
                                      const Subject &subject) {
  FailureOr<int64_t> count = checkShape<Diag>(dims, subject);
  if (failed(count))
    return failure();
  if (elementType.storage == Storage::Strings)
    return readStrings(elementType, dims, *count, offset, size, subject);
  uint64_t needed = getPackedSize(getStoredBits(elementType), *count);
  if (size < needed)
    return diagnose(subject, Diag::ConstantSize, needed,
                    (elementType.name + " of shape " + spellShape(dims)).str(),
                    size);
  std::tuple key(offset, std::vector<int64_t>(dims.begin(), dims.end()),
                 elementType.type.getAsOpaquePointer(), elementType.storage);
  if (auto made = attributes.find(key); made != attributes.end())
    return made->second;
  FailureOr<SharedBytes> stored = read(offset, size, subject);
  if (failed(stored))
    return failure();
  // Ignore the bytes after the elements.
  stored->data = stored->data.take_front(needed);
  bool isPacked = elementType.storage == Storage::LowFirst &&
                  staysPacked(elementType.type, *count);
  DecodedTensor decoded{
      elementType.type,
      SmallVector<int64_t>(dims),
      *count,
      isPacked ? *stored : getSlots(*stored, elementType, *count, offset),
      isPacked,
      {}};
  if (isMissing(decoded))
    return diagnose(subject, Diag::NoMemory,
                    llvm::SaturatingMultiply<uint64_t>(
                        *count, getSlotBytes(elementType.type)));
  ElementsAttr made = makeElementsAttr(std::move(decoded), name);
  attributes[key] = made;
  return made;
}
