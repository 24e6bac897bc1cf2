//===- Import.h - OpenVINO import -------------------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Imports OpenVINO's IR: an .xml file with the layers, and a .bin file with the
// data of constants. The importer is mechanical: the module represents the
// file. A model becomes one public function. Its arguments are the Parameters
// and its results the Results, both in the order of the file. Other layers are
// imported only if a Result or an Assign depends on them.
//
// - Const becomes `arith.constant`. Large constants become resources, as in the
//   ONNX importer, and refer to the mapped .bin file if its layout is that of
//   kernels. u1 becomes i1. nf4, which MLIR lacks, becomes f32.
// - FakeConvert becomes `quant_float.fakeconvert`. Attributes record the
//   effects of constant operands on its result.
// - Every other layer becomes a `quant_float.node` with the domain "openvino",
//   or, for layers outside of the opsets, the domain in the file. The types of
//   its results are those of the ports. The bodies of If, Loop and
//   TensorIterator become regions; other bodies are ignored with a warning.
//
// Names are in locations (`loc("layer"("file":line:column))`) and in the
// attribute `quant_float.name` of arguments and results, which is the tensor's
// first name or else the layer's. The attribute `quant_float.shape` of
// arguments keeps bounds of sizes other than 0 and infinity.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_OPENVINO_IMPORT_IMPORT_H
#define QUANT_FLOAT_OPENVINO_IMPORT_IMPORT_H

#include "mlir/IR/OwningOpRef.h"
#include "quant-float/OpenVINO/Common/FakeConvertMode.h"
#include <functional>

namespace mlir::quant_float {

struct OpenVinoImportOptions {
  /// The implementation whose arithmetic FakeConvert follows. The default is
  /// OpenVINO's CPU plugin.
  FakeConvertMode fakeConvertMode = FakeConvertMode::OpenVINO;
  /// Whether to verify the module and fail if it is invalid. A tool that
  /// reports on every node separately disables it; fakeconvert then remains as
  /// in the file.
  bool verify = true;
  /// Whether it is an error if the type of a port differs from that of the
  /// layer, as in OnnxImportOptions.
  bool strict = false;
  /// Whether to keep everything that Export.h needs to write the same model, in
  /// attributes (`quant_float.openvino_*`).
  bool keepsSource = false;
  /// Called with the contents of the .bin file if it is mapped.
  std::function<void(ArrayRef<char>)> onMappedFile;
};

/// Imports the model in the file `path`, with the constants in the .bin file in
/// the same folder. Returns null after an error diagnostic that names the file,
/// the location and the layer.
OwningOpRef<ModuleOp> importOpenVino(StringRef path, MLIRContext *context,
                                     const OpenVinoImportOptions &options = {});

/// Imports the model in `xml`. `name` is the name of the file in diagnostics.
/// If `weightsPath` is empty, constants that are not empty are errors.
/// Constants do not refer to `xml`.
OwningOpRef<ModuleOp>
importOpenVinoBytes(StringRef xml, StringRef name, StringRef weightsPath,
                    MLIRContext *context,
                    const OpenVinoImportOptions &options = {});

/// Registers --import-openvino with mlir-translate's machinery. `getOptions` is
/// called when a model is imported.
void registerFromOpenVinoTranslation(
    std::function<OpenVinoImportOptions()> getOptions = {});

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_OPENVINO_IMPORT_IMPORT_H
