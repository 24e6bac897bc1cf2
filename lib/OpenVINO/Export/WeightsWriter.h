//===- WeightsWriter.h - Writer of the .bin file ----------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_OPENVINO_EXPORT_WEIGHTSWRITER_H
#define QUANT_FLOAT_LIB_OPENVINO_EXPORT_WEIGHTSWRITER_H

#include "../../Interchange/Payload.h"
#include "../Common/Types.h"
#include "quant-float/OpenVINO/Export/Export.h"
#include <map>

namespace mlir::quant_float::openvino_import {

/// Writes constants, and equal data only once. The counterpart of Weights.
class WeightsWriter {
public:
  explicit WeightsWriter(const OpenVinoExportOptions &options)
      : options(options) {}

  /// The location of a constant in the file.
  struct Range {
    uint64_t offset, size;
  };

  /// Writes the elements as `elementType` if possible. Otherwise, writes them
  /// as another type and sets `elementType` to it.
  FailureOr<Range> write(ElementsAttr elements, ElementType &elementType,
                         const Subject &subject);

private:
  LogicalResult append(ArrayRef<char> bytes, const Subject &subject);

  const OpenVinoExportOptions &options;
  uint64_t end = 0;
  /// The offsets of constants, by digest and size.
  std::map<std::pair<std::array<uint8_t, 32>, uint64_t>, uint64_t> offsets;
};

} // namespace mlir::quant_float::openvino_import

#endif // QUANT_FLOAT_LIB_OPENVINO_EXPORT_WEIGHTSWRITER_H
