//===- TensorEncoder.cpp - Attributes to stored tensors -------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TensorEncoder.h"
#include "../Common/Elements.h"
#include "Types.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "quant-float/IR/ElementTypes.h"
#include "quant-float/TensorData/Elements.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::onnx_import;

namespace {
/// From here on payloads are written from where they are.
constexpr size_t kSmallestPayload = size_t(1) << 12;
/// From here on they are external data, as ONNX's own tools have it.
constexpr size_t kSmallestExternal = 1024;
/// Where each begins in its file: any element can be read in its place.
constexpr uint64_t kExternalAlignment = 64;
} // namespace

//===----------------------------------------------------------------------===//
// The elements as the file has them
//===----------------------------------------------------------------------===//

/// `count` times the one element.
static SharedBytes repeat(ArrayRef<char> element, int64_t count) {
  uint64_t size = llvm::SaturatingMultiply<uint64_t>(element.size(), count);
  auto [bytes, at] = allocateBytes(size);
  if (at)
    for (int64_t i = 0; i != count; ++i)
      at = llvm::copy(element, at);
  return bytes;
}

/// One element per slot to the packed form of 2-, 4- and 6-bit types.
static SharedBytes packSlots(const SharedBytes &slots, Type elementType,
                             int64_t count) {
  const ElementInfo *packed =
      findElement(kPackedFlag | *getDataType(elementType));
  auto [bytes, at] = allocateBytes(packed->getBytes(count));
  if (at)
    pack(*packed, slots.data.data(), count, at);
  return bytes;
}

/// The payload; none where the attribute has none, no bytes where there is no
/// memory for them. Not owned where it is the attribute's.
static std::optional<SharedBytes> getPayload(ElementsAttr elements,
                                             Type elementType) {
  int64_t count = elements.getNumElements();
  SharedBytes slots;
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(elements)) {
    AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    if (!blob)
      return std::nullopt;
    slots.data = blob->getData();
    if (isPackable(getPackedBits(elementType)) && isPacked(resource))
      return slots;
  } else if (auto dense = dyn_cast<DenseIntOrFPElementsAttr>(elements)) {
    if (elementType.isInteger(1)) {
      auto [bytes, at] = allocateBytes(count);
      if (at)
        llvm::copy(dense.getValues<bool>(), at);
      return bytes;
    }
    slots.data = dense.getRawData();
    if (dense.isSplat())
      slots = repeat(slots.data, count);
  } else {
    return std::nullopt;
  }
  if (getPackedBits(elementType) < 8 && !slots.data.empty())
    return packSlots(slots, elementType, count);
  return slots;
}

//===----------------------------------------------------------------------===//
// TensorEncoder
//===----------------------------------------------------------------------===//

LogicalResult TensorEncoder::writeExternal(::onnx::TensorProto &tensor,
                                           ArrayRef<char> bytes,
                                           const Subject &subject) {
  constexpr size_t kStep = size_t(1) << 25;
  uint64_t offset = llvm::alignTo(externalSize, kExternalAlignment);
  bool done = options.writeExternal(std::string(offset - externalSize, '\0'));
  for (ArrayRef<char> rest = bytes; done && !rest.empty();) {
    ArrayRef<char> step = rest.take_front(kStep);
    done = options.writeExternal(StringRef(step.data(), step.size()));
    rest = rest.drop_front(step.size());
    if (options.onWritten)
      options.onWritten(step);
  }
  if (!done)
    return diagnose(subject, Diag::ExternalWrite,
                    printable(options.externalData));
  externalSize = offset + bytes.size();
  tensor.set_data_location(::onnx::TensorProto::EXTERNAL);
  auto add = [&](StringRef key, std::string value) {
    auto *entry = tensor.add_external_data();
    entry->set_key(key.str());
    entry->set_value(std::move(value));
  };
  add("location", options.externalData);
  add("offset", std::to_string(offset));
  add("length", std::to_string(bytes.size()));
  return success();
}

LogicalResult TensorEncoder::encode(ElementsAttr elements,
                                    ::onnx::TensorProto &tensor,
                                    const Subject &subject,
                                    bool mayBeExternal) {
  Type elementType = elements.getElementType();
  std::optional<int32_t> number = getOnnxNumber(elementType);
  if (!number)
    return diagnose(subject, Diag::NoOnnxType, elements.getShapedType());
  tensor.set_data_type(*number);
  ArrayRef<int64_t> dims = elements.getShapedType().getShape();
  tensor.mutable_dims()->Assign(dims.begin(), dims.end());

  if (auto strings = dyn_cast<DenseStringElementsAttr>(elements)) {
    for (StringRef text : strings.getValues<StringRef>())
      tensor.add_string_data(text.str());
    return success();
  }
  std::optional<SharedBytes> payload = getPayload(elements, elementType);
  if (!payload)
    return diagnose(subject, Diag::NoElements, elements.getShapedType());
  uint64_t expected =
      getPackedSize(getPackedBits(elementType), elements.getNumElements());
  if (payload->data.empty() && expected != 0)
    return diagnose(subject, Diag::NoMemory, elements.getShapedType());
  if (payload->data.size() != expected)
    return diagnose(subject, Diag::PayloadBytes, expected,
                    elements.getShapedType(), payload->data.size());
  if (mayBeExternal && !options.externalData.empty() &&
      expected >= kSmallestExternal)
    return writeExternal(tensor, payload->data, subject);
  if (expected >= kSmallestPayload)
    writer.add(tensor, std::move(*payload));
  else
    tensor.set_raw_data(payload->data.data(), payload->data.size());
  return success();
}
