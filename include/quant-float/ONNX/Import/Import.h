//===- Import.h - ONNX import -----------------------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The importer represents the file without interpretation. A model becomes one
// public function, whose arguments are the graph inputs without an initializer.
//
// - Cast and CastLike become `quant_float.cast` with exactly the attributes of
//   the node, which the op's verifier checks. If the type of the input is
//   unknown, they become a `quant_float.node`, with a warning.
// - Constants and initializers, with any form of payload, become
//   `arith.constant`. An initializer that is also a graph input is a constant,
//   not an argument: ONNX calls its value a default, but no caller can override
//   it.
// - Identity is replaced by its input. It remains a node if the type of the
//   input is unknown and the file declares the type of the output.
// - Calls of model-local functions are replaced by the nodes of the function.
// - Every other node becomes `quant_float.node`.
//
// Names are stored in locations (`loc("node"("file":0:0))`), in the attribute
// `quant_float.name` of arguments and results, and in the attribute
// `quant_float.graph_name` of the function. The symbol name of the function is
// the graph name converted to a C identifier.
//
// A constant of up to 1 KiB is a DenseElementsAttr as MLIR's parser creates it:
// i1 has one bit per element, i4 and i2 have one byte per element,
// zero-extended. A larger constant is a DenseResourceElementsAttr whose blob is
// the buffer that a kernel reads: little endian, one storage unit of full
// bytes per element. i1 is a byte 0 or 1; i4 and i2 are sign-extended; ui4,
// ui2, f4 and f6 are zero-extended. Elements that are packed in the file, and
// take more than 1 KiB there, stay packed (P1): the blob then has fewer bytes
// than elements. If external data has one of these layouts, the blob is the
// mapped file.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_ONNX_IMPORT_IMPORT_H
#define QUANT_FLOAT_ONNX_IMPORT_IMPORT_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include <functional>
#include <optional>

namespace mlir::quant_float {

struct OnnxImportOptions {
  /// If set, replaces the model's opset of ONNX's own domain.
  std::optional<int64_t> opset;
  /// Whether to verify the module, and to fail if it is invalid. Tools that
  /// report on every node separately disable this.
  bool verify = true;
  /// Whether a contradiction between the declared and the actual type of a
  /// value is an error instead of a warning. The module keeps the option in
  /// `quant_float.strict`, because the lowering detects some of these
  /// contradictions.
  bool strict = false;
  /// Whether to keep the model for export (Export.h): functions are not
  /// expanded, Identity stays a node, and the attributes `quant_float.onnx_*`
  /// keep what the dialect does not represent.
  bool keepsSource = false;
  /// With `keepsSource`: expand functions with nodes that this opset defines
  /// differently, for ConvertOpset.h.
  std::optional<int64_t> targetOpset;
  /// With `keepsSource`: ConvertOpset.h converts the model, so nodes can be of
  /// different opsets. A node that is invalid in the model's opset is imported
  /// in another opset in which it is valid.
  bool isConverted = false;
  /// With `keepsSource`: expand all functions, for callers that need the types
  /// of their values.
  bool expandsFunctions = false;
  /// Called with the name of each external data file that is read, as spelled
  /// in the model.
  std::function<void(StringRef)> onExternalFile;
  /// Called with the contents of each mapped file that constants refer to.
  std::function<void(ArrayRef<char>)> onMappedFile;
};

/// Imports the model in the file `path`. External data is read only from the
/// folder of the file. Returns null after an error diagnostic that names the
/// file, the node and the value.
OwningOpRef<ModuleOp> importOnnx(StringRef path, MLIRContext *context,
                                 const OnnxImportOptions &options = {});

/// Imports the model in `bytes`. `name` is the name of the file in diagnostics.
/// If `externalDataFolder` is empty, external data is an error. The module does
/// not refer to `bytes`.
OwningOpRef<ModuleOp> importOnnxBytes(StringRef bytes, StringRef name,
                                      StringRef externalDataFolder,
                                      MLIRContext *context,
                                      const OnnxImportOptions &options = {});

/// Registers the translation --import-onnx. `getOptions` is called for each
/// imported model.
void registerFromOnnxTranslation(
    std::function<OnnxImportOptions()> getOptions = {});

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_ONNX_IMPORT_IMPORT_H
