//===- Payload.cpp - The payload forms of a TensorProto -------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Payload.h"
#include "Types.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Process.h"
#if __has_include(<sys/mman.h>)
#include <sys/mman.h>
#endif

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::onnx_import;

std::pair<SharedBytes, char *> onnx_import::allocateBytes(size_t size) {
  std::shared_ptr<char> buffer(new char[size], std::default_delete<char[]>());
  char *data = buffer.get();
  return {SharedBytes{ArrayRef(data, size), std::move(buffer)}, data};
}

void onnx_import::dropPages(const SharedBytes &bytes) {
  if (!bytes.isMapped)
    return;
#ifdef MADV_DONTNEED
  // MemoryBuffer::dontNeedIfMmap asks through posix_madvise, which glibc
  // ignores. Only whole pages: the others may still be wanted.
  uintptr_t page = llvm::sys::Process::getPageSizeEstimate();
  uintptr_t begin = llvm::alignTo(uintptr_t(bytes.data.begin()), page);
  uintptr_t end = llvm::alignDown(uintptr_t(bytes.data.end()), page);
  if (begin < end)
    (void)::madvise(reinterpret_cast<void *>(begin), end - begin,
                    MADV_DONTNEED);
#endif
}

SharedBytes onnx_import::copyBytes(const SharedBytes &bytes) {
  constexpr size_t kStep = size_t(1) << 25;
  auto [copy, destination] = allocateBytes(bytes.data.size());
  for (ArrayRef<char> rest = bytes.data; !rest.empty();) {
    ArrayRef<char> step = rest.take_front(kStep);
    destination = llvm::copy(step, destination);
    rest = rest.drop_front(step.size());
    dropPages({step, nullptr, bytes.isMapped});
  }
  return copy;
}

SharedBytes onnx_import::unpack(ArrayRef<char> packed, Type elementType,
                                int64_t count) {
  unsigned bits = getPackedBits(elementType);
  bool isSigned = elementType.isSignlessInteger();
  auto [bytes, slots] = allocateBytes(count);
  for (int64_t i = 0; i != count; ++i) {
    size_t bit = size_t(i) * bits;
    // A 6-bit code may straddle two bytes; the codes of the others never do.
    unsigned window = uint8_t(packed[bit / 8]);
    if (bit % 8 + bits > 8)
      window |= unsigned(uint8_t(packed[bit / 8 + 1])) << 8;
    unsigned code =
        (window >> (bit % 8)) & llvm::maskTrailingOnes<unsigned>(bits);
    slots[i] = isSigned ? llvm::SignExtend32(code, bits) : code;
  }
  return bytes;
}

SharedBytes onnx_import::normalizeBooleans(ArrayRef<char> bytes) {
  auto [normal, slots] = allocateBytes(bytes.size());
  llvm::transform(bytes, slots, [](char byte) { return byte != 0; });
  return normal;
}

//===----------------------------------------------------------------------===//
// Typed fields
//===----------------------------------------------------------------------===//

StringRef onnx_import::getTypedField(Type elementType) {
  if (auto complex = dyn_cast<ComplexType>(elementType))
    elementType = complex.getElementType();
  if (elementType.isF32())
    return "float_data";
  if (elementType.isF64())
    return "double_data";
  if (elementType.isSignlessInteger(64))
    return "int64_data";
  if (elementType.isUnsignedInteger(32) || elementType.isUnsignedInteger(64))
    return "uint64_data";
  return elementType.isIntOrFloat() ? "int32_data" : "string_data";
}

SmallVector<StringRef>
onnx_import::getFilledPayloads(const ::onnx::TensorProto &tensor) {
  SmallVector<StringRef> filled;
  auto note = [&](bool isFilled, StringRef name) {
    if (isFilled)
      filled.push_back(name);
  };
  note(!tensor.raw_data().empty(), "raw_data");
  note(tensor.float_data_size(), "float_data");
  note(tensor.int32_data_size(), "int32_data");
  note(tensor.string_data_size(), "string_data");
  note(tensor.int64_data_size(), "int64_data");
  note(tensor.double_data_size(), "double_data");
  note(tensor.uint64_data_size(), "uint64_data");
  return filled;
}

/// Copies entries that are the slots, for `Slot` as wide as `Entry` or
/// narrower.
template <typename Slot, typename Field>
static SharedBytes copyEntries(const Field &field) {
  auto [bytes, slots] = allocateBytes(field.size() * sizeof(Slot));
  for (auto entry : field) {
    llvm::support::endian::write<Slot>(slots, Slot(entry),
                                       llvm::endianness::little);
    slots += sizeof(Slot);
  }
  return bytes;
}

/// An entry stands for `bits` bits, written as a signed or an unsigned number.
template <typename Field>
static LogicalResult checkRange(const Field &field, unsigned bits, bool isCode,
                                Type elementType, StringRef name,
                                const Subject &subject) {
  for (auto [index, entry] : llvm::enumerate(field)) {
    bool fits = llvm::isUIntN(bits, uint64_t(entry)) ||
                (!isCode && llvm::isIntN(bits, int64_t(entry)));
    if (!fits)
      return diagnose(subject, Diag::EntryRange, index, name, entry,
                      spellTensor(elementType, {}));
  }
  return success();
}

/// int32_data holds whole values or the bit patterns of float types, and one
/// entry per *byte* of packed 2- and 4-bit codes (P2).
static LogicalResult decodeInt32Field(const ::onnx::TensorProto &tensor,
                                      DecodedTensor &decoded,
                                      const Subject &subject) {
  Type type = decoded.elementType;
  unsigned bits = getPackedBits(type);
  bool isPacked = bits == 2 || bits == 4;
  // An unsigned pattern above the sign bit, or a negative number of an integer
  // type: both are written in practice. A 6-bit code is never negative.
  if (failed(checkRange(tensor.int32_data(), isPacked ? 8 : bits, bits == 6,
                        type, "int32_data", subject)))
    return failure();
  switch (bits) {
  case 2:
  case 4: {
    SharedBytes packed = copyEntries<uint8_t>(tensor.int32_data());
    decoded.slots = unpack(packed.data, type, decoded.count);
    return success();
  }
  case 16:
    decoded.slots = copyEntries<uint16_t>(tensor.int32_data());
    return success();
  case 32:
    decoded.slots = copyEntries<uint32_t>(tensor.int32_data());
    return success();
  default:
    decoded.slots = copyEntries<uint8_t>(tensor.int32_data());
    if (type.isInteger(1))
      decoded.slots = normalizeBooleans(decoded.slots.data);
    return success();
  }
}

LogicalResult onnx_import::decodeTypedField(const ::onnx::TensorProto &tensor,
                                            DecodedTensor &decoded,
                                            const Subject &subject) {
  Type type = decoded.elementType;
  StringRef field = getTypedField(type);
  unsigned bits = getPackedBits(type);
  unsigned perEntry = bits == 2 || bits == 4 ? 8 / bits : 1;
  uint64_t expected = isa<ComplexType>(type)
                          ? llvm::SaturatingMultiply<uint64_t>(decoded.count, 2)
                          : llvm::divideCeil(uint64_t(decoded.count), perEntry);
  uint64_t found = field == "float_data"    ? tensor.float_data_size()
                   : field == "double_data" ? tensor.double_data_size()
                   : field == "int64_data"  ? tensor.int64_data_size()
                   : field == "uint64_data" ? tensor.uint64_data_size()
                   : field == "int32_data"  ? tensor.int32_data_size()
                                            : tensor.string_data_size();
  if (found != expected)
    return diagnose(subject, Diag::PayloadEntries, expected, field,
                    spellTensor(type, decoded.dims), found);

  if (field == "float_data")
    decoded.slots = copyEntries<float>(tensor.float_data());
  else if (field == "double_data")
    decoded.slots = copyEntries<double>(tensor.double_data());
  else if (field == "int64_data")
    decoded.slots = copyEntries<int64_t>(tensor.int64_data());
  else if (field == "int32_data")
    return decodeInt32Field(tensor, decoded, subject);
  else if (field == "string_data")
    decoded.strings.assign(tensor.string_data().begin(),
                           tensor.string_data().end());
  else if (bits == 64)
    decoded.slots = copyEntries<uint64_t>(tensor.uint64_data());
  else if (failed(checkRange(tensor.uint64_data(), bits, /*isCode=*/true, type,
                             field, subject)))
    return failure();
  else
    decoded.slots = copyEntries<uint32_t>(tensor.uint64_data());
  return success();
}
