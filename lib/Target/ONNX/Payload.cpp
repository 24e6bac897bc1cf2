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

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::onnx_import;

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
  if (!slots)
    return bytes;
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
    if (packed.data.empty())
      return success();
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
