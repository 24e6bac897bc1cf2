//===- TensorDecoder.cpp - Stored tensors to attributes -------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TensorDecoder.h"
#include "../../Interchange/Shapes.h"
#include "Types.h"
#include "Wire.h"
#include "mlir/IR/Builders.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::onnx_import;

//===----------------------------------------------------------------------===//
// Typed fields
//===----------------------------------------------------------------------===//

/// Returns the typed field (float_data, ...) that the standard prescribes for
/// the element type.
static StringRef getTypedField(Type elementType) {
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

/// Returns the names of the payload fields that are not empty.
static SmallVector<StringRef>
getFilledPayloads(const ::onnx::TensorProto &tensor) {
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

/// Copies each entry of a typed field to one storage unit. `Slot` is at most as
/// wide as the entry.
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

/// Fails after an error if an entry is not representable in `bits` bits, as an
/// unsigned number or, unless `isUnsigned`, as a signed number.
template <typename Field>
static LogicalResult checkRange(const Field &field, unsigned bits,
                                bool isUnsigned, Type elementType,
                                StringRef name, const Subject &subject) {
  for (auto [index, entry] : llvm::enumerate(field)) {
    bool fits = llvm::isUIntN(bits, uint64_t(entry)) ||
                (!isUnsigned && llvm::isIntN(bits, int64_t(entry)));
    if (!fits)
      return diagnose(subject, Diag::EntryRange, index, name, entry,
                      spellTensor(elementType, {}));
  }
  return success();
}

/// Decodes int32_data. An entry is a value, the bit pattern of a float, or one
/// *byte* of packed 2- or 4-bit elements (P2).
static LogicalResult decodeInt32Field(const ::onnx::TensorProto &tensor,
                                      DecodedTensor &decoded,
                                      const Subject &subject) {
  Type type = decoded.elementType;
  unsigned bits = getPackedBits(type);
  bool isPacked = bits == 2 || bits == 4;
  // Writers store integers as negative numbers or as unsigned bit patterns with
  // the sign bit set. A 6-bit encoding is never negative.
  if (failed(checkRange(tensor.int32_data(), isPacked ? 8 : bits, bits == 6,
                        type, "int32_data", subject)))
    return failure();
  switch (bits) {
  case 2:
  case 4: {
    SharedBytes packed = copyEntries<uint8_t>(tensor.int32_data());
    if (packed.data.empty())
      return success();
    decoded.slots = decoded.isPacked ? std::move(packed)
                                     : unpack(packed.data, type, decoded.count);
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

/// Decodes the typed field to storage units; all other payload fields of
/// `tensor` are empty. Strings go to `decoded.strings`, which refers to
/// `tensor`.
static LogicalResult decodeTypedField(const ::onnx::TensorProto &tensor,
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
  else if (failed(checkRange(tensor.uint64_data(), bits, /*isUnsigned=*/true,
                             type, field, subject)))
    return failure();
  else
    decoded.slots = copyEntries<uint32_t>(tensor.uint64_data());
  return success();
}

//===----------------------------------------------------------------------===//
// Dense tensors
//===----------------------------------------------------------------------===//

static LogicalResult diagnoseMemory(const DecodedTensor &tensor,
                                    const Subject &subject) {
  return diagnose(subject, Diag::NoMemory,
                  spellTensor(tensor.elementType, tensor.dims));
}

FailureOr<DecodedTensor>
TensorDecoder::decodeElements(::onnx::TensorProto &tensor,
                              const Subject &subject, bool consume,
                              bool mayStayPacked) {
  DecodedTensor decoded;
  decoded.elementType =
      getElementType(subject.loc.getContext(), tensor.data_type());
  if (!decoded.elementType)
    return diagnose(subject, Diag::StoredElementType, tensor.data_type());
  for (auto [index, dim] : llvm::enumerate(tensor.dims())) {
    if (dim < 0)
      return diagnose(subject, Diag::StoredDim, index, dim);
    decoded.dims.push_back(dim);
  }
  FailureOr<int64_t> count = checkShape<Diag>(decoded.dims, subject);
  if (failed(count))
    return failure();
  decoded.count = *count;
  if (tensor.has_segment())
    return diagnose(subject, Diag::Segmented);

  // If the schema does not define the value of an enum, protobuf stores it as
  // an unknown field.
  constexpr int kDataLocationField = 14;
  StringRef unknown = tensor.unknown_fields();
  FieldHead head;
  for (size_t at = 0; readFieldHead(unknown, at, head); at += head.size)
    if (head.number == kDataLocationField && head.type == WireType::Varint)
      return diagnose(subject, Diag::UnknownDataLocation, head.value);

  SmallVector<StringRef> filled = getFilledPayloads(tensor);
  auto cached = cachedPayloads.find(&tensor);
  bool isCached = cached != cachedPayloads.end();
  if (isCached)
    filled.insert(filled.begin(), "raw_data");
  bool isExternal = tensor.data_location() == ::onnx::TensorProto::EXTERNAL;
  if (isExternal)
    filled.insert(filled.begin(), "external_data");
  if (filled.size() > 1)
    return diagnose(subject, Diag::SeveralPayloads, filled[0], filled[1]);
  bool isRaw = isExternal || tensor.has_raw_data();
  StringRef typedField = getTypedField(decoded.elementType);
  bool isString = typedField == "string_data";
  if (!filled.empty() && filled[0] != typedField && (!isRaw || isString))
    return diagnose(subject, Diag::WrongField,
                    spellTensor(decoded.elementType, {}), typedField,
                    filled[0]);
  // The standard does not pack 6-bit elements in int32_data.
  decoded.isPacked = mayStayPacked &&
                     staysPacked(decoded.elementType, decoded.count) &&
                     (isRaw || getPackedBits(decoded.elementType) != 6);
  if (!isRaw || isString) {
    if (failed(decodeTypedField(tensor, decoded, subject)))
      return failure();
    if (isMissing(decoded))
      return diagnoseMemory(decoded, subject);
    return decoded;
  }

  SharedBytes payload;
  if (isExternal) {
    FailureOr<SharedBytes> external = externalData.read(tensor, subject);
    if (failed(external))
      return failure();
    payload = std::move(*external);
  } else if (isCached) {
    payload = cached->second;
  } else if (consume) {
    std::shared_ptr<const std::string> owner(tensor.release_raw_data());
    payload = {ArrayRef(owner->data(), owner->size()), owner};
  } else {
    const std::string &raw = tensor.raw_data();
    payload = copyBytes({ArrayRef(raw.data(), raw.size()), nullptr});
    if (payload.data.size() != raw.size())
      return diagnoseMemory(decoded, subject);
  }

  unsigned bits = getPackedBits(decoded.elementType);
  uint64_t expected = getPackedSize(bits, decoded.count);
  if (payload.data.size() != expected)
    return diagnose(subject, Diag::PayloadBytes, expected,
                    spellTensor(decoded.elementType, decoded.dims),
                    payload.data.size());
  if (decoded.isPacked)
    decoded.slots = payload;
  else if (bits < 8)
    decoded.slots = unpack(payload.data, decoded.elementType, decoded.count);
  else if (decoded.elementType.isInteger(1))
    decoded.slots = normalizeBooleans(payload.data);
  else
    decoded.slots = payload;
  if (decoded.slots.data.data() != payload.data.data())
    dropPages(payload);
  if (isMissing(decoded))
    return diagnoseMemory(decoded, subject);
  return decoded;
}

FailureOr<ElementsAttr> TensorDecoder::decode(::onnx::TensorProto &tensor,
                                              StringRef name,
                                              const Subject &subject,
                                              bool consume) {
  FailureOr<DecodedTensor> decoded =
      decodeElements(tensor, subject, consume, /*mayStayPacked=*/true);
  if (failed(decoded))
    return failure();
  ElementsAttr elements = makeElementsAttr(*decoded, name);
  if (!elements)
    return diagnoseMemory(*decoded, subject);
  return elements;
}

//===----------------------------------------------------------------------===//
// Sparse tensors
//===----------------------------------------------------------------------===//

namespace {
/// The upper bound of the bytes of all sparse tensors of a model, as dense
/// tensors. A dense tensor has at least as many bytes in the file, but a few
/// bytes of the file can declare a sparse tensor of any size.
constexpr int64_t kLargestSparseBytes = int64_t(1) << 28;
} // namespace

/// Returns the linear index of the `entry`-th value in the dense tensor, or
/// nullopt if it is out of bounds. `indices` has a linear index or one
/// coordinate per dimension for each value.
static std::optional<int64_t> getPosition(const DecodedTensor &indices,
                                          int64_t entry, ArrayRef<int64_t> dims,
                                          int64_t count) {
  auto read = [&](int64_t i) {
    return int64_t(
        llvm::support::endian::read64le(indices.slots.data.data() + 8 * i));
  };
  if (indices.dims.size() == 1) {
    int64_t position = read(entry);
    return position >= 0 && position < count ? std::optional(position)
                                             : std::nullopt;
  }
  int64_t position = 0;
  for (auto [axis, dim] : llvm::enumerate(dims)) {
    int64_t coordinate = read(entry * int64_t(dims.size()) + int64_t(axis));
    if (coordinate < 0 || coordinate >= dim)
      return std::nullopt;
    position = position * dim + coordinate;
  }
  return position;
}

FailureOr<ElementsAttr>
TensorDecoder::decodeSparse(::onnx::SparseTensorProto &tensor, StringRef name,
                            const Subject &subject) {
  DecodedTensor dense;
  for (auto [index, dim] : llvm::enumerate(tensor.dims())) {
    if (dim < 0)
      return diagnose(subject, Diag::StoredDim, index, dim);
    dense.dims.push_back(dim);
  }
  FailureOr<int64_t> count = checkShape<Diag>(dense.dims, subject);
  if (failed(count))
    return failure();
  dense.count = *count;

  FailureOr<DecodedTensor> values =
      decodeElements(*tensor.mutable_values(), subject / "values",
                     /*consume=*/false, /*mayStayPacked=*/false);
  if (failed(values))
    return failure();
  FailureOr<DecodedTensor> indices =
      decodeElements(*tensor.mutable_indices(), subject / "indices",
                     /*consume=*/false, /*mayStayPacked=*/false);
  if (failed(indices))
    return failure();

  dense.elementType = values->elementType;
  int64_t slotBytes = getSlotBytes(dense.elementType);
  // Sparse strings have no default value, and f8E8M0FNU has no zero.
  if (slotBytes == 0 || isa<Float8E8M0FNUType>(dense.elementType))
    return diagnose(subject, Diag::SparseType,
                    spellTensor(dense.elementType, {}));
  int64_t bytes;
  if (llvm::MulOverflow(dense.count, slotBytes, bytes) ||
      llvm::AddOverflow(sparseBytes, bytes, sparseBytes))
    sparseBytes = std::numeric_limits<int64_t>::max();
  if (sparseBytes > kLargestSparseBytes)
    return diagnose(subject, Diag::SparseSize, kLargestSparseBytes,
                    sparseBytes);
  if (values->dims.size() != 1)
    return diagnose(subject, Diag::SparseValues,
                    spellTensor(values->elementType, values->dims));
  SmallVector<int64_t> flat = {values->count};
  SmallVector<int64_t> coordinates = {values->count,
                                      int64_t(dense.dims.size())};
  if (!indices->elementType.isSignlessInteger(64) ||
      (indices->dims != flat && indices->dims != coordinates))
    return diagnose(subject, Diag::SparseIndices, spellShape(flat),
                    spellShape(coordinates),
                    spellTensor(indices->elementType, indices->dims));

  // A tensor of zeros is a splat.
  Builder builder(subject.loc.getContext());
  TypedAttr zero = builder.getZeroAttr(dense.elementType);
  if (values->count == 0 && dense.count != 0 && zero)
    return ElementsAttr(DenseElementsAttr::get(
        RankedTensorType::get(dense.dims, dense.elementType), Attribute(zero)));

  auto [slots, destination] = allocateBytes(bytes);
  if (!destination)
    return diagnose(subject, Diag::NoMemory,
                    spellTensor(dense.elementType, dense.dims));
  std::fill_n(destination, bytes, 0);
  int64_t previous = -1;
  for (int64_t entry = 0; entry != values->count; ++entry) {
    std::optional<int64_t> position =
        getPosition(*indices, entry, dense.dims, dense.count);
    if (!position)
      return diagnose(subject, Diag::SparseIndexRange, entry,
                      spellShape(dense.dims));
    if (*position <= previous)
      return diagnose(subject, Diag::SparseOrder, *position, previous);
    previous = *position;
    std::copy_n(values->slots.data.data() + entry * slotBytes, slotBytes,
                destination + *position * slotBytes);
  }
  dense.slots = std::move(slots);
  return makeElementsAttr(std::move(dense), name);
}
