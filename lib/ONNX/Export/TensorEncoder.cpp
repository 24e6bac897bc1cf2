//===- TensorEncoder.cpp - Attributes to stored tensors -------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TensorEncoder.h"
#include "../../Interchange/Elements.h"
#include "../../Interchange/Payload.h"
#include "../Common/Types.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::onnx_import;

namespace {
/// The size in bytes from which on payloads are written without a copy.
constexpr size_t kSmallestPayload = size_t(1) << 12;
/// The size in bytes from which on payloads are external data. ONNX's own tools
/// use the same threshold.
constexpr size_t kSmallestExternal = 1024;
/// The alignment of payloads in the external data file. It suffices for every
/// element type, so a mapped file can be used in place.
constexpr uint64_t kExternalAlignment = 64;
} // namespace

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
    for (StringRef string : strings.getValues<StringRef>())
      tensor.add_string_data(string.str());
    return success();
  }
  std::optional<SharedBytes> payload = getPayload(elements);
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
