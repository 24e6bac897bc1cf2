//===- OpsetImports.h - The opsets that a module's model has ----*- C++ -*-===//
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

/// A module's attribute with the opset of each domain that the model imports,
/// ONNX's own as "ai.onnx".
constexpr llvm::StringLiteral kOpsetImportsAttrName =
    "quant_float.opset_imports";

/// The opset of ONNX's own domain; none where the module does not tell.
std::optional<int64_t> getOnnxOpset(ModuleOp module);

/// Says that the module has this opset of ONNX's own domain and no other.
void setOnnxOpset(ModuleOp module, int64_t opset);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_SUPPORT_OPSETIMPORTS_H
