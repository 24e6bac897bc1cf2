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

/// The memory of a string tensor, allocated by malloc.
struct StringMemory;

/// A tensor in the layout of entry points: row-major, little endian, unpacked
/// (one value per integral number of bytes) or packed according to its element
/// type; a qf_strings for strings. Copies share the memory.
class TensorBuffer {
public:
  /// Allocates uninitialized memory, `offset` bytes from an aligned address.
  /// Fails if sizes are negative or too large, and if memory allocation fails.
  /// Strings are empty and have capacity for short strings.
  static llvm::Expected<TensorBuffer> allocate(const ElementInfo &element,
                                               ArrayRef<int64_t> sizes,
                                               size_t offset = 0);
  /// Creates a view of memory that `owner` keeps alive. It must have the exact
  /// size of the elements.
  static llvm::Expected<TensorBuffer> view(const ElementInfo &element,
                                           ArrayRef<int64_t> sizes,
                                           ArrayRef<char> bytes,
                                           std::shared_ptr<const void> owner);
  /// Creates a view of strings. Fails if the offsets are invalid.
  static llvm::Expected<TensorBuffer> viewStrings(ArrayRef<int64_t> sizes,
                                                  const qf_strings *strings);
  /// Creates a string tensor with these elements, whose number must match the
  /// sizes.
  static llvm::Expected<TensorBuffer> makeStrings(ArrayRef<int64_t> sizes,
                                                  ArrayRef<StringRef> strings);

  const ElementInfo &getElement() const { return *element; }
  ArrayRef<int64_t> getSizes() const { return sizes; }
  int64_t getNumElements() const;
  /// Returns the bytes; not for strings.
  ArrayRef<char> getBytes() const { return bytes; }
  /// Returns the writable bytes; only for tensors created by `allocate`.
  MutableArrayRef<char> getMutableBytes();

  bool isOfStrings() const { return element->isString(); }
  /// Returns an element of a string tensor.
  StringRef getString(int64_t index) const {
    const int64_t *offset = strings->offsets + index;
    return {strings->bytes + offset[0], size_t(offset[1] - offset[0])};
  }
  std::vector<StringRef> getStrings() const;
  /// Grows the capacity of a string tensor created by `allocate` as required,
  /// after a call that failed with QF_ERROR_CAPACITY. Has no effect on other
  /// tensors.
  llvm::Error makeRoom();

  /// Returns the argument for an entry point, which is valid for the lifetime
  /// of this object. Only tensors created by `allocate` may be outputs.
  qf_tensor getDescriptor() const {
    void *data = isOfStrings() ? static_cast<void *>(strings)
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
  /// For string tensors; may be null if there are no elements.
  qf_strings *strings = nullptr;
  /// For string tensors created by `allocate`.
  std::shared_ptr<StringMemory> stringMemory;
};

/// Reads files with other suffixes.
using TensorReader =
    llvm::function_ref<llvm::Expected<TensorBuffer>(StringRef path)>;

/// Reads a file according to its suffix: .npy (Npy.h), .bin or .raw (the bytes
/// of the elements; at most one size may be dynamic, none for packed elements),
/// and .pb by `readOnnx` if it is not null. Element type, rank and sizes must
/// match the expected ones, except for sizes of -1. Elements of a packed type
/// are packed after reading. Data in the layout of entry points stays mapped,
/// unless `offset` bytes from an aligned address are requested. Errors do not
/// name the file.
llvm::Expected<TensorBuffer> readTensorFile(StringRef path,
                                            const ElementInfo &element,
                                            ArrayRef<int64_t> sizes,
                                            size_t offset = 0,
                                            TensorReader readOnnx = nullptr);

/// Returns strings of numbers that only depend on `seed`.
std::vector<std::string> makeRandomStrings(int64_t count, uint64_t seed);

/// Returns a 64-bit hash of the elements, to compare tensors of the same type
/// and sizes.
uint64_t digest(const TensorBuffer &tensor);

/// Returns an error if NumPy's format cannot represent the tensor: strings that
/// are not UTF-8 or end with a zero byte.
llvm::Error checkNpy(const TensorBuffer &tensor);

/// Writes NumPy's format; packed elements are unpacked to one per byte.
/// checkNpy must accept the tensor.
bool writeNpy(OutputFile &file, const TensorBuffer &tensor);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_TENSORDATA_TENSORBUFFER_H
