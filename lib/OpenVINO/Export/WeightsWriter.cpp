//===- WeightsWriter.cpp - Writer of the .bin file ------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WeightsWriter.h"
#include "../../Interchange/Nf4.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::openvino_import;

namespace {
/// The alignment of constants, which is sufficient for all element types.
constexpr uint64_t kAlignment = 64;
constexpr size_t kStep = size_t(1) << 25;
} // namespace

//===----------------------------------------------------------------------===//
// Bytes
//===----------------------------------------------------------------------===//

/// Encodes strings with the header that Weights::readStrings reads.
static FailureOr<SharedBytes> encodeStrings(DenseStringElementsAttr strings,
                                            const Subject &subject) {
  constexpr uint64_t kLargest = std::numeric_limits<uint32_t>::max();
  constexpr uint64_t kFieldBytes = sizeof(uint32_t);
  uint64_t count = strings.getNumElements(), size = 0;
  for (StringRef element : strings.getValues<StringRef>())
    size = llvm::SaturatingAdd<uint64_t>(size, element.size());
  if (size > kLargest || count > kLargest)
    return diagnose(subject, Diag::LongStrings, kLargest, size, count);
  auto [encoded, header] = allocateBytes(kFieldBytes * (count + 2) + size);
  if (!header)
    return encoded;
  char *at = header;
  char *bytes = at + kFieldBytes * (count + 2);
  uint32_t end = 0;
  auto add = [&](uint32_t field) {
    llvm::support::endian::write32le(at, field);
    at += kFieldBytes;
  };
  add(count);
  add(end);
  for (StringRef element : strings.getValues<StringRef>()) {
    bytes = llvm::copy(element, bytes);
    add(end += element.size());
  }
  return encoded;
}

/// Packs u1, whose first element is the highest bit.
static SharedBytes packBits(ArrayRef<char> booleans) {
  auto [bytes, at] = allocateBytes(llvm::divideCeil(booleans.size(), 8));
  if (!at)
    return bytes;
  std::fill_n(at, bytes.data.size(), 0);
  for (auto [index, value] : llvm::enumerate(booleans))
    at[index / 8] |= char(value != 0) << (7 - index % 8);
  return bytes;
}

/// Returns the nf4 encodings, two per byte, or nullopt if a value is not an nf4
/// value.
static std::optional<SharedBytes> encodeNf4(ArrayRef<char> values) {
  size_t count = values.size() / sizeof(float);
  auto [bytes, at] = allocateBytes(llvm::divideCeil(count, 2));
  if (!at)
    return bytes;
  std::fill_n(at, bytes.data.size(), 0);
  for (size_t i = 0; i != count; ++i) {
    uint32_t bits =
        llvm::support::endian::read32le(values.data() + i * sizeof(float));
    auto found = llvm::find_if(target::kNf4Values, [&](float value) {
      return llvm::bit_cast<uint32_t>(value) == bits;
    });
    if (found == std::end(target::kNf4Values))
      return std::nullopt;
    at[i / 2] |= char((found - std::begin(target::kNf4Values)) << (i % 2 * 4));
  }
  return bytes;
}

//===----------------------------------------------------------------------===//
// WeightsWriter
//===----------------------------------------------------------------------===//

/// Calls `use` for consecutive parts of the bytes, and `onWritten` after each.
/// Stops and returns false if `use` returns false.
static bool forEachStep(ArrayRef<char> bytes,
                        llvm::function_ref<bool(ArrayRef<char>)> use,
                        const std::function<void(ArrayRef<char>)> &onWritten) {
  while (!bytes.empty()) {
    ArrayRef<char> step = bytes.take_front(kStep);
    if (!use(step))
      return false;
    if (onWritten)
      onWritten(step);
    bytes = bytes.drop_front(step.size());
  }
  return true;
}

LogicalResult WeightsWriter::append(ArrayRef<char> bytes,
                                    const Subject &subject) {
  if (!options.writeWeights)
    return diagnose(subject, Diag::NoWeightsOut);
  uint64_t offset = llvm::alignTo(end, kAlignment);
  bool done = options.writeWeights(std::string(offset - end, '\0')) &&
              forEachStep(
                  bytes,
                  [&](ArrayRef<char> step) {
                    return options.writeWeights({step.data(), step.size()});
                  },
                  options.onWritten);
  if (!done)
    return diagnose(subject, Diag::WeightsWrite);
  end = offset + bytes.size();
  return success();
}

/// Returns the data for the file. Changes `elementType` if it is nf4 and the
/// values are not nf4 values.
static FailureOr<SharedBytes> encode(ElementsAttr elements,
                                     ElementType &elementType,
                                     const Subject &subject) {
  if (auto strings = dyn_cast<DenseStringElementsAttr>(elements))
    return encodeStrings(strings, subject);
  ShapedType type = elements.getShapedType();
  std::optional<SharedBytes> payload = getPayload(elements);
  if (!payload)
    return diagnose(subject, Diag::NoElements, type);
  uint64_t expected = getPackedSize(getPackedBits(elements.getElementType()),
                                    elements.getNumElements());
  if (payload->data.size() != expected)
    return diagnose(subject, Diag::PayloadBytes, expected, type,
                    payload->data.size());
  if (elementType.storage == Storage::HighFirst)
    return packBits(payload->data);
  if (elementType.storage != Storage::Nf4)
    return *payload;
  if (std::optional<SharedBytes> encodings = encodeNf4(payload->data))
    return *encodings;
  elementType = *findElementType(elements.getElementType());
  return *payload;
}

FailureOr<WeightsWriter::Range> WeightsWriter::write(ElementsAttr elements,
                                                     ElementType &elementType,
                                                     const Subject &subject) {
  if (elements.getNumElements() == 0)
    return Range{0, 0};
  FailureOr<SharedBytes> encoded = encode(elements, elementType, subject);
  if (failed(encoded))
    return failure();
  ArrayRef<char> bytes = encoded->data;
  if (bytes.empty())
    return diagnose(subject, Diag::NoMemory,
                    getPackedSize(getPackedBits(elements.getElementType()),
                                  elements.getNumElements()));
  llvm::BLAKE3 hash;
  forEachStep(
      bytes,
      [&](ArrayRef<char> step) {
        hash.update(StringRef(step.data(), step.size()));
        return true;
      },
      options.onWritten);
  auto [known, isNew] =
      offsets.try_emplace({hash.final<32>(), bytes.size()}, 0);
  if (isNew) {
    if (failed(append(bytes, subject)))
      return failure();
    known->second = end - bytes.size();
  }
  return Range{known->second, bytes.size()};
}
