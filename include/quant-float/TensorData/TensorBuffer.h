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
#include <vector>

namespace mlir::quant_float {

/// Memory of a string tensor, from malloc.
struct TextMemory;

/// A tensor as entry points take it: row-major, one value per byte-rounded slot
/// or packed, as its element type says, little endian; of strings a qf_strings.
/// Copies share the memory.
class TensorBuffer {
public:
  /// Memory of its own, not initialized, so many bytes from alignment. Fails
  /// for sizes below 0 or too large, and without memory. Strings are empty, and
  /// there is room for short ones.
  static llvm::Expected<TensorBuffer> allocate(const ElementInfo &element,
                                               ArrayRef<int64_t> sizes,
                                               size_t offset = 0);
  /// Somebody else's memory, which lives as long as `owner`. It must hold
  /// exactly the elements.
  static llvm::Expected<TensorBuffer> view(const ElementInfo &element,
                                           ArrayRef<int64_t> sizes,
                                           ArrayRef<char> bytes,
                                           std::shared_ptr<const void> owner);
  /// The same of strings. Fails where their offsets are not possible ones.
  static llvm::Expected<TensorBuffer> viewTexts(ArrayRef<int64_t> sizes,
                                                const qf_strings *strings);
  /// A string tensor with these elements, as many as the sizes give.
  static llvm::Expected<TensorBuffer> makeTexts(ArrayRef<int64_t> sizes,
                                                ArrayRef<StringRef> texts);

  const ElementInfo &getElement() const { return *element; }
  ArrayRef<int64_t> getSizes() const { return sizes; }
  int64_t getNumElements() const;
  /// Not of strings.
  ArrayRef<char> getBytes() const { return bytes; }
  /// Only of tensors that `allocate` made.
  MutableArrayRef<char> getMutableBytes();

  bool isOfTexts() const { return element->isString(); }
  /// An element of a string tensor.
  StringRef getText(int64_t index) const {
    const int64_t *offset = strings->offsets + index;
    return {strings->bytes + offset[0], size_t(offset[1] - offset[0])};
  }
  std::vector<StringRef> getTexts() const;
  /// After a call that failed with QF_ERROR_CAPACITY, gives a string tensor
  /// that `allocate` made the room that it needs; does nothing to others.
  llvm::Error makeRoom();

  /// The argument of an entry point, valid as long as this object. As an output
  /// only of tensors that `allocate` made.
  qf_tensor getDescriptor() const {
    void *data = isOfTexts() ? static_cast<void *>(strings)
                             : const_cast<char *>(bytes.data());
    return {data, sizes.data(), static_cast<int32_t>(sizes.size()),
            element->number};
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
  /// Of string tensors; null where there are no elements, perhaps.
  qf_strings *strings = nullptr;
  /// Of those that `allocate` made.
  std::shared_ptr<TextMemory> texts;
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

/// Strings, each of a number, that depend on `seed` alone.
std::vector<std::string> makeRandomTexts(int64_t count, uint64_t seed);

/// 64 bits that tell one tensor from another of its type and sizes.
uint64_t digest(const TensorBuffer &tensor);

/// What of a tensor NumPy's format cannot hold: strings that are no UTF-8, or
/// end with a zero.
llvm::Error checkNpy(const TensorBuffer &tensor);

/// Writes NumPy's format, packed elements one per byte, of a tensor that
/// checkNpy has nothing against.
bool writeNpy(OutputFile &file, const TensorBuffer &tensor);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_TENSORDATA_TENSORBUFFER_H
