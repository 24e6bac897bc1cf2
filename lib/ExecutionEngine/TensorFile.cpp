//===- TensorFile.cpp - Tensors in files ----------------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/ExecutionEngine/TensorFile.h"
#include "mlir/IR/BuiltinTypes.h"
#include "quant-float/IR/ElementTypes.h"
#include "quant-float/Support/InputFile.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace mlir::quant_float;

/// The bytes of the slots and nothing else; the file's length tells the one
/// size that may be open.
static llvm::Expected<Tensor> readRaw(StringRef path,
                                      const ExpectedTensor &expected) {
  auto file = openRegularFile(path);
  if (!file)
    return llvm::createStringError("cannot be read: " +
                                   llvm::toString(file.takeError()));
  std::shared_ptr<llvm::MemoryBuffer> owner = std::move(*file);
  StringRef bytes = owner->getBuffer();
  SmallVector<int64_t> sizes = expected.sizes;
  auto *open = llvm::find_if(sizes, ShapedType::isDynamic);
  if (open != sizes.end()) {
    *open = 1;
    if (llvm::any_of(sizes, ShapedType::isDynamic))
      return llvm::createStringError(
          "a raw file cannot tell several open sizes of " +
          spellTensor(expected.elementType, expected.sizes));
    llvm::Expected<int64_t> row = countBytes(expected.elementType, sizes);
    if (!row)
      return row.takeError();
    *open = *row ? bytes.size() / *row : 0;
  }
  return Tensor::view(expected.elementType, sizes,
                      ArrayRef(bytes.data(), bytes.size()), std::move(owner));
}

llvm::Expected<Tensor>
mlir::quant_float::readTensorFile(StringRef path,
                                  const ExpectedTensor &expected) {
  StringRef suffix = llvm::sys::path::extension(path);
  llvm::Expected<Tensor> tensor = [&]() -> llvm::Expected<Tensor> {
    if (suffix == ".npy")
      return readNpy(path, expected.elementType);
    if (suffix == ".pb")
      return readOnnxTensor(path, expected.elementType.getContext());
    if (suffix == ".bin" || suffix == ".raw")
      return readRaw(path, expected);
    return llvm::createStringError(
        "expected a file ending in .npy, .pb, .bin or .raw");
  }();
  if (!tensor)
    return tensor;
  bool fits = tensor->getElementType() == expected.elementType &&
              tensor->getSizes().size() == expected.sizes.size();
  if (fits)
    for (auto [size, wanted] :
         llvm::zip_equal(tensor->getSizes(), expected.sizes))
      fits &= ShapedType::isDynamic(wanted) || size == wanted;
  if (!fits)
    return llvm::createStringError(
        "expected " + spellTensor(expected.elementType, expected.sizes) +
        ", but got " +
        spellTensor(tensor->getElementType(), tensor->getSizes()));
  return tensor;
}
