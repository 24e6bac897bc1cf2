//===- Names.h - Names of nodes, values and functions -----------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_ONNX_COMMON_NAMES_H
#define QUANT_FLOAT_LIB_ONNX_COMMON_NAMES_H

#include "../../Interchange/Names.h"
#include <onnx/onnx_pb.h>
#include <string>

namespace mlir::quant_float::onnx_import {

/// Returns `domain`, with "ai.onnx" replaced by "".
StringRef normalizeDomain(StringRef domain);

/// Returns a normalized domain as it appears in diagnostics.
std::string showDomain(StringRef domain);

/// Returns the name of the node, or of its first named output if the node has
/// none.
StringRef getNodeName(const ::onnx::NodeProto &node);

/// Returns the description of the node in diagnostics: "node 'c1' (Cast)", or
/// "node of 'y' (Cast)" for a node without a name.
std::string describe(const ::onnx::NodeProto &node);

} // namespace mlir::quant_float::onnx_import

#endif // QUANT_FLOAT_LIB_ONNX_COMMON_NAMES_H
