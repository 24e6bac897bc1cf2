//===- ExternalData.h - External data of tensors ----------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_ONNX_COMMON_EXTERNALDATA_H
#define QUANT_FLOAT_LIB_ONNX_COMMON_EXTERNALDATA_H

#include "../../Interchange/Bytes.h"
#include "Diagnostics.h"
#include "llvm/ADT/StringMap.h"
#include <functional>
#include <memory>
#include <onnx/onnx_pb.h>
#include <string>

namespace mlir::quant_float::onnx_import {

/// Reads external data from files inside one folder; all other paths are
/// errors. Each file is mapped once.
class ExternalData {
public:
  /// If `folder` is empty, every read is an error. `onFile` is called with the
  /// name of each file that is opened, `onMapped` with the contents of each
  /// file that is mapped.
  explicit ExternalData(StringRef folder,
                        std::function<void(StringRef)> onFile = {},
                        std::function<void(ArrayRef<char>)> onMapped = {})
      : folder(folder), onFile(std::move(onFile)),
        onMapped(std::move(onMapped)) {}

  FailureOr<SharedBytes> read(const ::onnx::TensorProto &tensor,
                              const Subject &subject);

private:
  FailureOr<std::shared_ptr<llvm::MemoryBuffer>> open(StringRef location,
                                                      const Subject &subject);

  std::string folder;
  std::function<void(StringRef)> onFile;
  std::function<void(ArrayRef<char>)> onMapped;
  llvm::StringMap<std::shared_ptr<llvm::MemoryBuffer>> files;
  /// The SHA1 digests of the files that have a checksum, by location.
  llvm::StringMap<std::string> digests;
};

} // namespace mlir::quant_float::onnx_import

#endif // QUANT_FLOAT_LIB_ONNX_COMMON_EXTERNALDATA_H
