//===- Names.h - Names of nodes, values and functions -----------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_TARGET_ONNX_NAMES_H
#define QUANT_FLOAT_LIB_TARGET_ONNX_NAMES_H

#include "../Common/Names.h"
#include <onnx/onnx_pb.h>
#include <string>

namespace mlir::quant_float::onnx_import {

/// The domain with "ai.onnx" and "" made one.
StringRef normalizeDomain(StringRef domain);

/// A normalized domain in a message.
std::string showDomain(StringRef domain);

/// The node's name, or the first named output when it has none.
StringRef getNodeName(const ::onnx::NodeProto &node);

/// "node 'c1' (Cast)", "node of 'y' (Cast)": how diagnostics call a node.
std::string describe(const ::onnx::NodeProto &node);

} // namespace mlir::quant_float::onnx_import

#endif // QUANT_FLOAT_LIB_TARGET_ONNX_NAMES_H
