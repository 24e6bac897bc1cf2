//===- CompareForms.h - Whether two forms are the same ----------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_TARGET_ONNX_COMPAREFORMS_H
#define QUANT_FLOAT_LIB_TARGET_ONNX_COMPAREFORMS_H

#include "mlir/IR/Value.h"
#include <optional>
#include <string>

namespace mlir::quant_float::onnx_import {

/// Computes elements of two values from the `inputs` of both: from their
/// elements where they are constants, else from numbers of every kind. Says the
/// first that differs, codes standing for their numbers; none where none does,
/// or where they cannot be computed.
std::optional<std::string> findDifference(Value old, Value made,
                                          ArrayRef<Value> inputs);

} // namespace mlir::quant_float::onnx_import

#endif // QUANT_FLOAT_LIB_TARGET_ONNX_COMPAREFORMS_H
