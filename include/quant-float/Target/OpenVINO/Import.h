//===- Import.h - OpenVINO import -------------------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// OpenVINO's IR: an .xml file with the layers, and beside it a .bin file with
// the bytes of the constants. The importer is mechanical: it says what the file
// says. One public function per model, its arguments the Parameters and its
// results the Results, both in the order of the file. Other layers are imported
// as far as a Result depends on them.
//
// - Const becomes `arith.constant`. Large ones are resources, as of the ONNX
//   importer, over the mapped .bin file where its layout is a kernel's. u1 is
//   i1; the values of nf4, which MLIR lacks, are those of f32.
// - FakeConvert becomes `quant_float.fakeconvert`; what its bits owe to
//   constants of the model is frozen in attributes.
// - Every other layer becomes a `quant_float.node` of the domain "openvino";
//   layers outside of the opsets have the domain that the file says. The types
//   of its results are those of the ports. Bodies are not imported.
//
// Names live in locations (`loc("layer"("file":line:column))`) and in the
// attribute `quant_float.name` of arguments and results: the tensor's first
// name, else the layer's. Bounds of sizes other than 0 and infinity are kept in
// the attribute `quant_float.shape` of arguments.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_TARGET_OPENVINO_IMPORT_H
#define QUANT_FLOAT_TARGET_OPENVINO_IMPORT_H

#include "mlir/IR/OwningOpRef.h"
#include "quant-float/Target/OpenVINO/FakeConvertMode.h"
#include <functional>

namespace mlir::quant_float {

struct OpenVinoImportOptions {
  /// Whose arithmetic FakeConvert follows: by default the CPU plugin's, as it
  /// is OpenVINO models that are imported.
  FakeConvertMode fakeConvertMode = FakeConvertMode::OpenVINO;
  /// Verify the module and fail when it is invalid. A tool that reports on
  /// every node by itself switches this off; fakeconvert then stays as the file
  /// has it.
  bool verify = true;
  /// As in OnnxImportOptions: whether another type of a port than the layer's
  /// is an error.
  bool strict = false;
  /// Keep what Export.h needs to write the same model, in attributes
  /// (`quant_float.openvino_*`).
  bool keepsSource = false;
  /// Is told of the file of constants, where it is mapped.
  std::function<void(ArrayRef<char>)> onMappedFile;
};

/// Imports the model in the file `path`; its constants are those of the .bin
/// file beside it. Returns null after an error diagnostic that names the file,
/// the place and the layer.
OwningOpRef<ModuleOp> importOpenVino(StringRef path, MLIRContext *context,
                                     const OpenVinoImportOptions &options = {});

/// Imports the model in `xml`; `name` stands for the file in diagnostics.
/// Without a `weightsPath` constants are refused. Constants do not refer to
/// `xml` afterwards.
OwningOpRef<ModuleOp>
importOpenVinoBytes(StringRef xml, StringRef name, StringRef weightsPath,
                    MLIRContext *context,
                    const OpenVinoImportOptions &options = {});

/// Registers --import-openvino with mlir-translate's machinery; `getOptions` is
/// called when a model is imported.
void registerFromOpenVinoTranslation(
    std::function<OpenVinoImportOptions()> getOptions = {});

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_TARGET_OPENVINO_IMPORT_H
