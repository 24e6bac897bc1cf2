//===- Diagnostics.h - Diagnostics of the ONNX importer --------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_TARGET_ONNX_DIAGNOSTICS_H
#define QUANT_FLOAT_LIB_TARGET_ONNX_DIAGNOSTICS_H

#include "mlir/IR/Location.h"
#include "quant-float/Support/Printable.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/LogicalResult.h"
#include <string>

namespace mlir::quant_float::onnx_import {

enum class Diag {
#define ERROR(Id, Text) Id,
#define WARNING(Id, Text) Id,
#include "Diagnostics.def"
};

/// What a diagnostic is about: a place and the words that begin the message,
/// e.g. "node 'c1' (Cast)". No words: the file as a whole.
struct Subject {
  Location loc;
  std::string text;

  /// A part of this subject: "node 'c1' (Constant): attribute 'value'".
  Subject operator/(const Twine &part) const {
    return {loc, text.empty() ? part.str() : text + ": " + part.str()};
  }
};

/// The place inside the function. The subject names the calls; as notes they
/// would only repeat the name of the file.
Location stripCalls(Location loc);

/// Emits the diagnostic; always failure, which is what an error returns.
LogicalResult emit(const Subject &subject, Diag id, const Twine &text);
const char *getFormat(Diag id);

template <typename... Args>
LogicalResult diagnose(const Subject &subject, Diag id, Args &&...args) {
  return emit(subject, id,
              llvm::formatv(getFormat(id), std::forward<Args>(args)...).str());
}

} // namespace mlir::quant_float::onnx_import

#endif // QUANT_FLOAT_LIB_TARGET_ONNX_DIAGNOSTICS_H
