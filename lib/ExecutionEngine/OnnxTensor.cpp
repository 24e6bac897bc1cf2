//===- OnnxTensor.cpp - Serialized ONNX tensors ---------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../ONNX/Common/TensorDecoder.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"
#include "quant-float/ExecutionEngine/Tensor.h"
#include "quant-float/IR/ElementTypes.h"
#include "quant-float/Support/InputFile.h"
#include "llvm/Support/MemoryBuffer.h"
#include <google/protobuf/io/coded_stream.h>

using namespace mlir;
using namespace mlir::quant_float;

llvm::Expected<Tensor> Tensor::readOnnx(StringRef path, MLIRContext *context) {
  auto file = openRegularFile(path);
  if (!file)
    return llvm::createStringError("cannot be read: " +
                                   llvm::toString(file.takeError()));
  StringRef bytes = (*file)->getBuffer();
  if (bytes.size() > static_cast<uint64_t>(std::numeric_limits<int>::max()))
    return llvm::createStringError(
        "expected an ONNX tensor of at most 2147483647 bytes, but got " +
        llvm::Twine(bytes.size()));
  ::onnx::TensorProto proto;
  google::protobuf::io::CodedInputStream stream(bytes.bytes_begin(),
                                                static_cast<int>(bytes.size()));
  if (!proto.ParseFromCodedStream(&stream) || !stream.ConsumedEntireMessage())
    return llvm::createStringError("expected a serialized ONNX TensorProto, "
                                   "but the file cannot be parsed");
  file->reset();

  // The decoder reports diagnostics. Return the first error.
  std::string message;
  ScopedDiagnosticHandler handler(context, [&](Diagnostic &diagnostic) {
    if (message.empty() &&
        diagnostic.getSeverity() == DiagnosticSeverity::Error)
      message = diagnostic.str();
    return success();
  });
  onnx_import::ExternalData noExternalData("");
  onnx_import::TensorDecoder decoder(noExternalData);
  onnx_import::Subject subject{FileLineColLoc::get(context, path, 0, 0), ""};
  FailureOr<ElementsAttr> attribute =
      decoder.decode(proto, "tensor", subject, /*consume=*/true);
  if (failed(attribute))
    return llvm::createStringError(message);
  Type elementType = attribute->getElementType();
  if (!findSlotElement(elementType))
    return llvm::createStringError(
        spellTensor(elementType, attribute->getShapedType().getShape()) +
        ": expected an element type with a representation in memory");
  return Tensor::fromAttribute(*attribute, elementType);
}
