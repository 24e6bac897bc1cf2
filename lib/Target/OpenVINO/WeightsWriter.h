//===- WeightsWriter.h - The .bin file of a model ---------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_TARGET_OPENVINO_WEIGHTSWRITER_H
#define QUANT_FLOAT_LIB_TARGET_OPENVINO_WEIGHTSWRITER_H

#include "../Common/Payload.h"
#include "Types.h"
#include "quant-float/Target/OpenVINO/Export.h"
#include <map>

namespace mlir::quant_float::openvino_import {

/// Writes constants, the same bytes once; the counterpart of Weights.
class WeightsWriter {
public:
  explicit WeightsWriter(const OpenVinoExportOptions &options)
      : options(options) {}

  /// Where a constant is.
  struct Place {
    uint64_t offset, size;
  };

  /// Writes the elements. They are stored as `elementType` is where that is
  /// possible, which it becomes what it is not.
  FailureOr<Place> write(ElementsAttr elements, ElementType &elementType,
                         const Subject &subject);

private:
  LogicalResult append(ArrayRef<char> bytes, const Subject &subject);

  const OpenVinoExportOptions &options;
  uint64_t end = 0;
  /// By digest and size.
  std::map<std::pair<std::array<uint8_t, 32>, uint64_t>, uint64_t> offsets;
};

} // namespace mlir::quant_float::openvino_import

#endif // QUANT_FLOAT_LIB_TARGET_OPENVINO_WEIGHTSWRITER_H
