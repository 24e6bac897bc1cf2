//===- Export.h - ONNX export -----------------------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The way back of Import.h. A module with one function becomes a model:
//
// - the dialect's ops become the nodes that they came from, `qdq` two of them;
//   `quant_float.node` is what it says;
// - `arith.constant` becomes an initializer, or a Constant where it was one;
// - `tensor.cast`, and a result that is not named as its value is, become
//   Identity.
//
// What the module was imported from with `keepsSource` says the rest: names of
// values, texts, declared types, functions, metadata. Without it values are
// named after their nodes.
//
// Import and export give the same model up to this normal form:
//
// - nodes come after those that they depend on, otherwise in the file's order;
// - tensors have raw_data, or external data; strings string_data;
// - sparse initializers are dense initializers behind the others, and a
//   Constant's `sparse_value` is a `value`;
// - attributes have a type, and booleans are 0 and 1;
// - declarations that contradict what a value is are left out;
// - a value of a body that hides one of a graph around it gets a name of its
//   own;
// - CastLike is Cast where the value that tells the type is not there any more;
// - every domain that is used is imported.
//
// Without `keepsSource` also
//
// - CastLike is Cast;
// - `axis` is written where it matters only, of per tensor scales never;
// - Constants, those of functions that were expanded too, are initializers.
//
// Exporting the result again gives the same bytes.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_TARGET_ONNX_EXPORT_H
#define QUANT_FLOAT_TARGET_ONNX_EXPORT_H

#include "quant-float/Target/ONNX/Import.h"
#include "quant-float/Target/ReadWeights.h"
#include <string>

namespace mlir::quant_float {

struct OnnxExportOptions {
  /// The file, in the folder of the model, that has the initializers of 1 KiB
  /// and more. Without a name the model has them.
  std::string externalData;
  /// Appends to that file; false when that fails.
  std::function<bool(StringRef)> writeExternal;
  /// Is told of the elements of a constant that are not needed any more.
  std::function<void(ArrayRef<char>)> onWritten;
};

/// Writes the model to `os`. Constants are written from where they are. Fails
/// after an error diagnostic that names the node and the value.
LogicalResult exportOnnx(ModuleOp module, raw_ostream &os,
                         const OnnxExportOptions &options = {});

/// Registers --export-onnx with mlir-translate's machinery, for models in
/// `.onnx` and what `read` takes, which may be of these dialects. The functions
/// are called when a model is read and exported.
void registerToOnnxTranslation(
    const DialectRegistry &dialects,
    std::function<FailureOr<OnnxImportOptions>()> getImportOptions,
    std::function<FailureOr<OnnxExportOptions>()> getOptions, ReadWeights read);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_TARGET_ONNX_EXPORT_H
