//===- OpsetImports.h - Opset imports of a module ---------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_SUPPORT_OPSETIMPORTS_H
#define QUANT_FLOAT_SUPPORT_OPSETIMPORTS_H

#include "mlir/IR/BuiltinOps.h"
#include <optional>

namespace mlir::quant_float {

/// The module attribute with the opset of each domain that the model imports;
/// ONNX's default domain is "ai.onnx".
constexpr llvm::StringLiteral kOpsetImportsAttrName =
    "quant_float.opset_imports";

/// Returns the opset of ONNX's default domain, or nullopt if the module does
/// not specify it.
std::optional<int64_t> getOnnxOpset(ModuleOp module);

/// Sets the opset of ONNX's default domain as the only import of the module.
void setOnnxOpset(ModuleOp module, int64_t opset);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_SUPPORT_OPSETIMPORTS_H
