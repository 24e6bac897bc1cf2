//===- ExternalData.h - Tensors kept in files of their own ------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_TARGET_ONNX_EXTERNALDATA_H
#define QUANT_FLOAT_LIB_TARGET_ONNX_EXTERNALDATA_H

#include "../Common/Bytes.h"
#include "Diagnostics.h"
#include "llvm/ADT/StringMap.h"
#include <functional>
#include <memory>
#include <onnx/onnx_pb.h>
#include <string>

namespace mlir::quant_float::onnx_import {

/// Reads external data, strictly from files inside one folder. Files are
/// mapped, once each.
class ExternalData {
public:
  /// An empty folder: there is none, every tensor is refused. `onFile` is told
  /// the name of each file, `onMapped` of its bytes.
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
  /// Their checksums, as far as they were asked for.
  llvm::StringMap<std::string> digests;
};

} // namespace mlir::quant_float::onnx_import

#endif // QUANT_FLOAT_LIB_TARGET_ONNX_EXTERNALDATA_H
