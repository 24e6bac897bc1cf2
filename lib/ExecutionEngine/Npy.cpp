//===- Npy.cpp - NumPy's file format --------------------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/TensorData/Npy.h"
#include "quant-float/ExecutionEngine/TensorFile.h"
#include "quant-float/Support/InputFile.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;
using namespace mlir::quant_float;

llvm::Expected<Tensor> mlir::quant_float::readNpy(StringRef path,
                                                  Type elementType) {
  auto file = openRegularFile(path);
  if (!file)
    return llvm::createStringError("cannot be read: " +
                                   llvm::toString(file.takeError()));
  std::shared_ptr<llvm::MemoryBuffer> owner = std::move(*file);
  if (!getSlotBytes(elementType))
    return countBytes(elementType, {}).takeError();
  const ElementLayout &layout = getLayout(elementType);
  NpyContents contents;
  std::string error;
  if (!parseNpy(owner->getBuffer(), layout, contents, error))
    return llvm::createStringError(error);
  if (contents.isAsWanted())
    return Tensor::view(elementType, contents.sizes,
                        ArrayRef(contents.data.data(), contents.data.size()),
                        std::move(owner));
  llvm::Expected<Tensor> tensor = Tensor::allocate(elementType, contents.sizes);
  if (tensor)
    convertNpy(contents, layout, tensor->getMutableBytes().data());
  return tensor;
}

bool mlir::quant_float::writeNpy(OutputFile &file, const Tensor &tensor) {
  ArrayRef<char> bytes = tensor.getBytes();
  return file.write(makeNpyHeader(getLayout(tensor.getElementType()),
                                  tensor.getSizes().vec())) &&
         file.write({bytes.data(), bytes.size()});
}
