//===- Export.h - ONNX export -----------------------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Exports a module with one function as an ONNX model:
//
// - Ops of the dialect become the nodes that they were imported from; `qdq`
//   becomes two nodes. A `quant_float.node` becomes the node that it describes.
// - `arith.constant` becomes an initializer, or a Constant if it was one.
// - `tensor.cast` becomes an Identity. So does a result of the function whose
//   name differs from the name of its value.
//
// If the module was imported with `keepsSource`, its attributes provide the
// names of values, strings, declared types, functions and metadata. Otherwise,
// values are named after their nodes.
//
// Import and export preserve a model up to this normal form:
//
// - Nodes follow the nodes that they depend on, and are otherwise in the order
//   of the file.
// - Tensors have raw_data or external data; strings have string_data.
// - Sparse initializers are dense and follow the other initializers. The
//   `sparse_value` of a Constant is a `value`.
// - Attributes have a type, and booleans are 0 or 1.
// - Declarations that contradict the type of a value are omitted.
// - A value of a body that hides a value of an enclosing graph is renamed.
// - CastLike is Cast if the value that determines the type no longer exists.
// - Every used domain is imported.
//
// Without `keepsSource`, in addition:
//
// - CastLike is Cast.
// - `axis` is written only if it has an effect, so never for per-tensor scales.
// - Constants, including those of expanded functions, are initializers.
//
// Exporting an imported export produces the same bytes.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_ONNX_EXPORT_EXPORT_H
#define QUANT_FLOAT_ONNX_EXPORT_EXPORT_H

#include "quant-float/Interchange/ReadWeights.h"
#include "quant-float/ONNX/Import/Import.h"
#include <string>

namespace mlir::quant_float {

struct OnnxExportOptions {
  /// The name of the external data file, in the folder of the model, for
  /// initializers of at least 1 KiB. If empty, the model contains them.
  std::string externalData;
  /// Appends to the external data file. Returns false if that fails.
  std::function<bool(StringRef)> writeExternal;
  /// Called with the elements of a constant after they are written.
  std::function<void(ArrayRef<char>)> onWritten;
};

/// Writes the model to `os`. Constants are written without a copy. Fails after
/// an error diagnostic that names the node and the value.
LogicalResult exportOnnx(ModuleOp module, raw_ostream &os,
                         const OnnxExportOptions &options = {});

/// Registers the translation --export-onnx, which reads ONNX models, the
/// formats that `read` accepts, and IR of `dialects`. The option functions are
/// called for each imported and exported model. `rewrite` is applied to
/// imported ONNX models before they are converted to the target opset.
void registerToOnnxTranslation(
    const DialectRegistry &dialects,
    std::function<FailureOr<OnnxImportOptions>()> getImportOptions,
    std::function<FailureOr<OnnxExportOptions>()> getOptions, ReadWeights read,
    std::function<LogicalResult(ModuleOp)> rewrite);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_ONNX_EXPORT_EXPORT_H
