//===- Elements.h - Element types, arrays, files ----------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_TOOLS_GPULAUNCH_ELEMENTS_H
#define QUANT_FLOAT_TOOLS_GPULAUNCH_ELEMENTS_H

#include "Error.h"
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace launch {

/// An element type as tensors in memory have it: one element per byte-rounded
/// slot.
struct ElementType {
  const char *name;
  /// NumPy's kind and size, and what else is taken for it in files.
  const char *npy, *alternatives;
  unsigned bits, slotBytes;
  /// Of floats of 16 bits and more; 0 for all others.
  unsigned mantissaBits, bias;
  bool isSigned;
  /// A qf_dtype.
  int32_t dtype;
};

/// Null for a name that is none.
const ElementType *findElementType(std::string_view name);

/// "f32[2x3]"
std::string spell(const ElementType &type, const std::vector<int64_t> &sizes);

/// Memory of the host that may not be there.
class Buffer {
public:
  Buffer() = default;
  ~Buffer();
  Buffer(Buffer &&other);
  Buffer &operator=(Buffer &&other);

  bool allocate(size_t bytes, Error &error);
  char *data() { return memory; }
  const char *data() const { return memory; }
  size_t size() const { return bytes; }

private:
  char *memory = nullptr;
  size_t bytes = 0;
};

struct Array {
  const ElementType *type = nullptr;
  std::vector<int64_t> sizes;
  Buffer bytes;

  int64_t getNumElements() const;
};

/// Bytes of a tensor; nothing where the sizes are too large.
std::optional<size_t> countBytes(const ElementType &type,
                                 const std::vector<int64_t> &sizes);
bool allocate(Array &array, Error &error);

/// Reads a row-major .npy file of this element type.
bool readNpy(const std::string &path, const ElementType &type, Array &array,
             Error &error);

/// Writes a file aside and then in place of `path`.
bool writeFile(const std::string &path, std::string_view head,
               std::string_view body, Error &error);
bool writeNpy(const std::string &path, const Array &array, Error &error);

/// The whole of a file, and a zero byte.
bool readFile(const std::string &path, std::string &text, Error &error);

/// The values that quant-float-run gives its input `index` for this seed.
void fillRandom(Array &array, uint64_t seed, uint64_t index);

/// The bits of an element are its number, counted from `first`.
void fillRange(Array &array, uint64_t first);

/// Makes all NaNs one; of types without, where a NaN becomes either zero, both
/// zeros.
void mergeNaNs(Array &array);

/// 64 bits that change with any bit and any order.
uint64_t digest(const char *bytes, size_t count);

} // namespace launch

#endif // QUANT_FLOAT_TOOLS_GPULAUNCH_ELEMENTS_H
