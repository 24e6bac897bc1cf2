//===- TensorBuffer.h - Tensors in memory and in files ----------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_TENSORDATA_TENSORBUFFER_H
#define QUANT_FLOAT_TENSORDATA_TENSORBUFFER_H

#include "quant-float-c/EntryPoint.h"
#include "quant-float/Support/OutputFile.h"
#include "quant-float/TensorData/Elements.h"
#include <memory>

namespace mlir::quant_float {

/// A tensor as entry points take it: row-major, one value per byte-rounded slot
/// or packed, as its element type says, little endian. Copies share the memory.
class TensorBuffer {
public:
  /// Memory of its own, not initialized, so many bytes from alignment. Fails
  /// for sizes below 0 or too large, and without memory.
  static llvm::Expected<TensorBuffer> allocate(const ElementInfo &element,
                                               ArrayRef<int64_t> sizes,
                                               size_t offset = 0);
  /// Somebody else's memory, which lives as long as `owner`. It must hold
  /// exactly the elements.
  static llvm::Expected<TensorBuffer> view(const ElementInfo &element,
                                           ArrayRef<int64_t> sizes,
                                           ArrayRef<char> bytes,
                                           std::shared_ptr<const void> owner);

  const ElementInfo &getElement() const { return *element; }
  ArrayRef<int64_t> getSizes() const { return sizes; }
  int64_t getNumElements() const;
  ArrayRef<char> getBytes() const { return bytes; }
  /// Only of tensors that `allocate` made.
  MutableArrayRef<char> getMutableBytes();

  /// The argument of an entry point, valid as long as this object. As an output
  /// only of tensors that `allocate` made.
  qf_tensor getDescriptor() const {
    return {const_cast<char *>(bytes.data()), sizes.data(),
            static_cast<int32_t>(sizes.size()), element->number};
  }

protected:
  TensorBuffer(const ElementInfo &element, ArrayRef<int64_t> sizes)
      : element(&element), sizes(sizes) {}

  const ElementInfo *element;

private:
  SmallVector<int64_t> sizes;
  ArrayRef<char> bytes;
  std::shared_ptr<const void> owner;
  bool isWritable = false;
};

/// Reads files of other suffixes.
using TensorReader =
    llvm::function_ref<llvm::Expected<TensorBuffer>(StringRef path)>;

/// Reads a file by its suffix: .npy (Npy.h), .bin or .raw (the bytes of the
/// slots, or the packed ones; at most one size may be open, of packed elements
/// none), and .pb by `readOnnx` where that is given. Element type, rank and
/// sizes, but for those that are -1, must be the expected ones; elements that
/// are to be packed are so after reading. What is as entry points take it stays
/// mapped, unless the tensor is to be `offset` bytes from alignment. Errors do
/// not name the file.
llvm::Expected<TensorBuffer> readTensorFile(StringRef path,
                                            const ElementInfo &element,
                                            ArrayRef<int64_t> sizes,
                                            size_t offset = 0,
                                            TensorReader readOnnx = nullptr);

/// Writes NumPy's format, packed elements one per byte.
bool writeNpy(OutputFile &file, const TensorBuffer &tensor);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_TENSORDATA_TENSORBUFFER_H
