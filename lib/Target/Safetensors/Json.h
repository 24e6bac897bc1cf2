//===- Json.h - JSON that nobody vouches for --------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_TARGET_SAFETENSORS_JSON_H
#define QUANT_FLOAT_LIB_TARGET_SAFETENSORS_JSON_H

#include "Diagnostics.h"
#include "llvm/Support/JSON.h"

namespace mlir::quant_float::safetensors_import {

/// What the package safetensors reads of a header at most.
inline constexpr uint64_t kLargestHeader = 100'000'000;

/// The object that the text is. LLVM's parser is recursive, and the last of
/// several values of a key wins there; here deep nesting and keys that an
/// object is given twice are errors.
FailureOr<llvm::json::Object> parseJson(StringRef text, const Subject &subject);

/// A value, for a message.
std::string spell(const llvm::json::Value *value);

/// Sizes that are not negative; none where a value is not that.
std::optional<SmallVector<int64_t>> getSizes(const llvm::json::Value *value);

} // namespace mlir::quant_float::safetensors_import

#endif // QUANT_FLOAT_LIB_TARGET_SAFETENSORS_JSON_H
