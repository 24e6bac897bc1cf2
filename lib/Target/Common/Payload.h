//===- Payload.h - Constants as files have them -----------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_TARGET_COMMON_PAYLOAD_H
#define QUANT_FLOAT_LIB_TARGET_COMMON_PAYLOAD_H

#include "Bytes.h"
#include "mlir/IR/BuiltinAttributes.h"

namespace mlir::quant_float::target {

/// The elements, those of 2, 4 and 6 bits packed; none where the attribute has
/// none, no bytes where there is no memory for them. Not owned where they are
/// the attribute's.
std::optional<SharedBytes> getPayload(ElementsAttr elements);

} // namespace mlir::quant_float::target

#endif // QUANT_FLOAT_LIB_TARGET_COMMON_PAYLOAD_H
