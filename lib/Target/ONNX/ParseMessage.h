//===- ParseMessage.h - Messages of protobuf from strangers -----*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_TARGET_ONNX_PARSEMESSAGE_H
#define QUANT_FLOAT_LIB_TARGET_ONNX_PARSEMESSAGE_H

#include "Diagnostics.h"
#include <google/protobuf/message.h>

namespace mlir::quant_float::onnx_import {

/// Parses a message that takes all of the bytes, fewer than 2^31. Messages
/// nested deeper than protobuf's limit, 100, are refused, so recursion over
/// what was parsed is bounded.
LogicalResult parseMessage(StringRef bytes, google::protobuf::Message &message,
                           const Subject &subject);

} // namespace mlir::quant_float::onnx_import

#endif // QUANT_FLOAT_LIB_TARGET_ONNX_PARSEMESSAGE_H
