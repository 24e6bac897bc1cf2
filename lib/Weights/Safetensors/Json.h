//===- Json.h - JSON from untrusted files -----------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_WEIGHTS_SAFETENSORS_JSON_H
#define QUANT_FLOAT_LIB_WEIGHTS_SAFETENSORS_JSON_H

#include "Diagnostics.h"
#include "llvm/Support/JSON.h"

namespace mlir::quant_float::safetensors_import {

/// The maximum size of a header in bytes, which is the limit of the package
/// safetensors.
inline constexpr uint64_t kLargestHeader = 100'000'000;

/// Parses a string that is a JSON object. Deep nesting and duplicate keys are
/// errors, because LLVM's parser is recursive and keeps the last value of a
/// duplicate key.
FailureOr<llvm::json::Object> parseJson(StringRef text, const Subject &subject);

/// Returns a value as printed in messages. Abbreviates long values.
std::string spell(const llvm::json::Value *value);

/// Returns the sizes, or nullopt unless the value is an array of integers that
/// are not negative.
std::optional<SmallVector<int64_t>> getSizes(const llvm::json::Value *value);

} // namespace mlir::quant_float::safetensors_import

#endif // QUANT_FLOAT_LIB_WEIGHTS_SAFETENSORS_JSON_H
