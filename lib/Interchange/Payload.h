//===- Payload.h - Constants in file layout ---------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_INTERCHANGE_PAYLOAD_H
#define QUANT_FLOAT_LIB_INTERCHANGE_PAYLOAD_H

#include "Bytes.h"
#include "mlir/IR/BuiltinAttributes.h"

namespace mlir::quant_float::target {

/// Returns the elements as a file stores them, with elements of 2, 4 and 6 bits
/// packed. Returns nullopt if the attribute has no such data, and no bytes if
/// memory allocation fails. Bytes without an owner belong to the attribute.
std::optional<SharedBytes> getPayload(ElementsAttr elements);

} // namespace mlir::quant_float::target

#endif // QUANT_FLOAT_LIB_INTERCHANGE_PAYLOAD_H
