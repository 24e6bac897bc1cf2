//===- CompareForms.h - Comparison of replacements --------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_ONNX_OPSETS_COMPAREFORMS_H
#define QUANT_FLOAT_LIB_ONNX_OPSETS_COMPAREFORMS_H

#include "mlir/IR/Value.h"
#include <optional>
#include <string>

namespace mlir::quant_float::onnx_import {

/// Compares elements of two values that are computed from `inputs`: from the
/// elements of constants, and from generated test values otherwise. Returns a
/// description of the first difference; nullopt if there is none or an element
/// cannot be computed. If the element types differ, casts the elements of `old`
/// to the type of `made`.
std::optional<std::string> findDifference(Value old, Value made,
                                          ArrayRef<Value> inputs);

} // namespace mlir::quant_float::onnx_import

#endif // QUANT_FLOAT_LIB_ONNX_OPSETS_COMPAREFORMS_H
