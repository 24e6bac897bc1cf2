//===- Export.h - OpenVINO export -------------------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The inverse of Import.h. A module with one function becomes a model: its
// arguments become Parameters, its results Results, `arith.constant` a Const,
// `fakeconvert` a FakeConvert, `cast` with mode openvino a Convert, and
// `quant_float.node` of an OpenVINO domain the layer that it represents, with
// the bodies of If, Loop and TensorIterator.
//
// If the module was imported with `keepsSource`, its attributes provide
// everything else: tensor names, spellings, rt_info, metadata. Otherwise,
// layers are named after their ops.
//
// Import followed by export preserves the model up to this normal form:
//
// - The version is 11.
// - Parameters come first and Results last, both in the file's order. Other
//   layers follow those on which they depend, and are otherwise in the file's
//   order. Layers on which no Result or Assign depends are removed, except
//   Parameters.
// - Layers are numbered in that order, and the ports of each from 0, inputs
//   before outputs. Edges are in the order of these numbers. The same applies
//   to bodies; their port maps are in the order of Parameters and outputs, and
//   follow the ports.
// - Constants are in the order of their layers, each at a multiple of 64 bytes.
//   Equal data is stored once.
// - If an attribute is specified twice, the first one remains. Attributes of
//   `data` that contradict the op, and port types that contradict the value,
//   are replaced.
// - Comments and the text between elements are removed.
//
// A zero shift of FakeConvert that the importer removed, as the plugin does,
// becomes a separate Const again. Importing and exporting the result again
// produces the same bytes.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_OPENVINO_EXPORT_EXPORT_H
#define QUANT_FLOAT_OPENVINO_EXPORT_EXPORT_H

#include "quant-float/Interchange/ReadWeights.h"
#include "quant-float/OpenVINO/Import/Import.h"

namespace mlir::quant_float {

struct OpenVinoExportOptions {
  /// Appends to the file of constants. Returns false if that fails. Without
  /// this function, constants that are not empty are errors.
  std::function<bool(StringRef)> writeWeights;
  /// Called with the data of a constant after a pass over it, for example to
  /// drop pages. The exporter may read the data again.
  std::function<void(ArrayRef<char>)> onWritten;
};

/// Writes the .xml file to `os`, and passes the data of constants to
/// `writeWeights`. Fails after an error diagnostic that names the layer and the
/// value.
LogicalResult exportOpenVino(ModuleOp module, raw_ostream &os,
                             const OpenVinoExportOptions &options = {});

/// Registers --export-openvino with mlir-translate's machinery, for `.xml`
/// models and all inputs that `read` accepts. The functions are called when a
/// model is imported and exported.
void registerToOpenVinoTranslation(
    const DialectRegistry &dialects,
    std::function<OpenVinoImportOptions()> getImportOptions,
    std::function<OpenVinoExportOptions()> getOptions, ReadWeights read);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_OPENVINO_EXPORT_EXPORT_H
