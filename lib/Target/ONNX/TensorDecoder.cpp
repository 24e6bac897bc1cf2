//===- TensorDecoder.cpp - Stored tensors to attributes -------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TensorDecoder.h"
#include "Payload.h"
#include "Types.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::onnx_import;

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
                              const Subject &subject, bool consume) {
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
  FailureOr<int64_t> count = checkShape(decoded.dims, subject);
  if (failed(count))
    return failure();
  decoded.count = *count;
  if (tensor.has_segment())
    return diagnose(subject, Diag::Segmented);

  // An enum value that the schema does not know is an unknown field.
  constexpr int kDataLocationField = 14;
  const auto &unknown = tensor.unknown_fields();
  for (int i = 0; i < unknown.field_count(); ++i)
    if (unknown.field(i).number() == kDataLocationField &&
        unknown.field(i).type() == google::protobuf::UnknownField::TYPE_VARINT)
      return diagnose(subject, Diag::UnknownDataLocation,
                      unknown.field(i).varint());

  SmallVector<StringRef> filled = getFilledPayloads(tensor);
  auto kept = keptPayloads.find(&tensor);
  bool isKept = kept != keptPayloads.end();
  if (isKept)
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
  } else if (isKept) {
    payload = kept->second;
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
  if (bits < 8)
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
  FailureOr<DecodedTensor> decoded = decodeElements(tensor, subject, consume);
  if (failed(decoded))
    return failure();
  ElementsAttr elements = makeElementsAttr(*decoded, name);
  if (!elements)
    return diagnoseMemory(*decoded, subject);
  return elements;
}
