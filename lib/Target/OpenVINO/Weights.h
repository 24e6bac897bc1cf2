//===- Weights.h - The bytes of constants -----------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_TARGET_OPENVINO_WEIGHTS_H
#define QUANT_FLOAT_LIB_TARGET_OPENVINO_WEIGHTS_H
#include "Types.h"
#include "llvm/Support/MemoryBuffer.h"
#include <functional>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

namespace mlir::quant_float::openvino_import {

/// The .bin file, mapped when the first constant needs it.
class Weights {
public:
  /// An empty path: there is none, every constant with bytes is refused.
  /// `onMapped` is told of the file's bytes.
  explicit Weights(StringRef path,
                   std::function<void(ArrayRef<char>)> onMapped = {})
      : path(path), onMapped(std::move(onMapped)) {}

  /// The elements of a constant in `size` bytes from `offset` on. The
  /// attribute refers to a blob called `name` where it is large.
  FailureOr<ElementsAttr> read(const ElementType &elementType,
                               ArrayRef<int64_t> dims, uint64_t offset,
                               uint64_t size, StringRef name,
                               const Subject &subject);

private:
  FailureOr<ElementsAttr> readTexts(const ElementType &elementType,
                                    ArrayRef<int64_t> dims, int64_t count,
                                    uint64_t offset, uint64_t size,
                                    const Subject &subject);
  LogicalResult open(const Subject &subject);
  FailureOr<SharedBytes> read(uint64_t offset, uint64_t size,
                              const Subject &subject);
  /// The elements, one per slot: in the file itself, or in a copy.
  SharedBytes getSlots(const SharedBytes &stored,
                       const ElementType &elementType, int64_t count,
                       uint64_t offset);

  std::string path;
  std::function<void(ArrayRef<char>)> onMapped;
  std::shared_ptr<llvm::MemoryBuffer> file;
  /// Constants that share bytes share the copy, too: by offset, number of
  /// elements and their type.
  std::map<std::tuple<uint64_t, int64_t, const void *, Storage>, SharedBytes>
      copies;
  /// And the attribute, where the shapes are the same.
  std::map<std::tuple<uint64_t, std::vector<int64_t>, const void *, Storage>,
           ElementsAttr>
      attributes;
};

} // namespace mlir::quant_float::openvino_import

#endif // QUANT_FLOAT_LIB_TARGET_OPENVINO_WEIGHTS_H
