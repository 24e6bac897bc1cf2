//===- Weights.h - Data of constants ----------------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_OPENVINO_COMMON_WEIGHTS_H
#define QUANT_FLOAT_LIB_OPENVINO_COMMON_WEIGHTS_H
#include "Types.h"
#include "llvm/Support/MemoryBuffer.h"
#include <functional>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

namespace mlir::quant_float::openvino_import {

/// The .bin file, which is mapped when the first constant needs it.
class Weights {
public:
  /// An empty path means that there is no file, and all constants that are not
  /// empty are errors. `onMapped` is called with the contents if the file is
  /// mapped.
  explicit Weights(StringRef path,
                   std::function<void(ArrayRef<char>)> onMapped = {})
      : path(path), onMapped(std::move(onMapped)) {}

  /// Reads a constant of `size` bytes at `offset`. A large constant becomes a
  /// resource called `name`.
  FailureOr<ElementsAttr> read(const ElementType &elementType,
                               ArrayRef<int64_t> dims, uint64_t offset,
                               uint64_t size, StringRef name,
                               const Subject &subject);

private:
  FailureOr<ElementsAttr> readStrings(const ElementType &elementType,
                                      ArrayRef<int64_t> dims, int64_t count,
                                      uint64_t offset, uint64_t size,
                                      const Subject &subject);
  LogicalResult open(const Subject &subject);
  FailureOr<SharedBytes> read(uint64_t offset, uint64_t size,
                              const Subject &subject);
  /// Returns the unpacked elements, which refer to the file or to a copy.
  SharedBytes getSlots(const SharedBytes &stored,
                       const ElementType &elementType, int64_t count,
                       uint64_t offset);

  std::string path;
  std::function<void(ArrayRef<char>)> onMapped;
  std::shared_ptr<llvm::MemoryBuffer> file;
  /// The unpacked copies, by offset, number of elements and type, so that
  /// constants with the same data share a copy.
  std::map<std::tuple<uint64_t, int64_t, const void *, Storage>, SharedBytes>
      copies;
  /// The attributes, which constants with the same data and shape share.
  std::map<std::tuple<uint64_t, std::vector<int64_t>, const void *, Storage>,
           ElementsAttr>
      attributes;
};

} // namespace mlir::quant_float::openvino_import

#endif // QUANT_FLOAT_LIB_OPENVINO_COMMON_WEIGHTS_H
