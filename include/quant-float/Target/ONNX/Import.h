//===- Import.h - ONNX import -----------------------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The importer is mechanical: it says what the file says. One public function
// per model, its arguments the graph inputs that no initializer gives.
//
// - Cast and CastLike become `quant_float.cast` with exactly the attributes the
//   node has; the op's verifier judges them. Where the file does not tell the
//   type of the input they stay a `quant_float.node`, with a warning.
// - Constant (every form) and initializers (every payload form) become
//   `arith.constant`. An initializer that is also a graph input is a constant,
//   not an argument: ONNX calls its value a default, and nobody else gives one.
// - Identity disappears: its output is its input. It stays a node where the
//   type of the input is unknown and the file declares one for the output.
// - Calls of model-local functions are replaced by the function's nodes.
// - Every other node becomes `quant_float.node`.
//
// Names live in locations (`loc("node"("file":0:0))`), in the attribute
// `quant_float.name` of arguments and results, and in `quant_float.graph_name`
// of the function, whose symbol is made a C identifier.
//
// Constants. Up to 1 KiB: a DenseElementsAttr as MLIR itself would parse it (i1
// one bit per element; i4 and i2 one byte each, the code zero-extended). More:
// a DenseResourceElementsAttr whose blob is the buffer a kernel reads: one
// value per byte-rounded slot, little endian, i1 one byte 0 or 1, i4 and i2
// sign-extended, ui4, ui2, f4 and f6 zero-extended codes; what is packed in the
// file and more than 1 KiB there stays packed (P1), a blob of fewer bytes than
// elements. External data in these layouts is the mapped file itself.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_TARGET_ONNX_IMPORT_H
#define QUANT_FLOAT_TARGET_ONNX_IMPORT_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include <functional>
#include <optional>

namespace mlir::quant_float {

struct OnnxImportOptions {
  /// Take this opset of the standard domain instead of the model's own.
  std::optional<int64_t> opset;
  /// Verify the module and fail when it is invalid. A tool that reports on
  /// every node by itself switches this off.
  bool verify = true;
  /// Refuse a model that declares another type of a value than it has; a
  /// warning otherwise. What only the lowering of ordinary nodes finds out is
  /// refused there: the module remembers it (`quant_float.strict`).
  bool strict = false;
  /// Keep the model as its file has it, for Export.h: functions are not
  /// expanded, Identity stays a node, and what the dialect has no place for is
  /// in attributes (`quant_float.onnx_*`).
  bool keepsSource = false;
  /// With `keepsSource`: expand the functions whose nodes are others in this
  /// opset, for ConvertOpset.h.
  std::optional<int64_t> targetOpset;
  /// With `keepsSource`: the model is converted by ConvertOpset.h, so that its
  /// nodes need not be of one opset. One that is invalid in the model's is
  /// taken as one of another that has it.
  bool isConverted = false;
  /// With `keepsSource`: expand all functions, for who looks for types.
  bool expandsFunctions = false;
  /// Is told of each file of external data that is read, by its name in the
  /// model.
  std::function<void(StringRef)> onExternalFile;
  /// Is told of each file that constants refer to while it is mapped.
  std::function<void(ArrayRef<char>)> onMappedFile;
};

/// Imports the model in the file `path`. External data is looked up beside it
/// and nowhere else. Returns null after an error diagnostic that names the
/// file, the node and the value.
OwningOpRef<ModuleOp> importOnnx(StringRef path, MLIRContext *context,
                                 const OnnxImportOptions &options = {});

/// Imports the model in `bytes`; `name` stands for the file in diagnostics.
/// With an empty `externalDataFolder` external data is refused. Constants do
/// not refer to `bytes` afterwards.
OwningOpRef<ModuleOp> importOnnxBytes(StringRef bytes, StringRef name,
                                      StringRef externalDataFolder,
                                      MLIRContext *context,
                                      const OnnxImportOptions &options = {});

/// Registers --import-onnx with mlir-translate's machinery; `getOptions` is
/// called when a model is imported.
void registerFromOnnxTranslation(
    std::function<OnnxImportOptions()> getOptions = {});

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_TARGET_ONNX_IMPORT_H
