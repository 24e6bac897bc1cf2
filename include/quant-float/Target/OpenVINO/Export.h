//===- Export.h - OpenVINO export -------------------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The way back of Import.h. A module with one function becomes a model: its
// arguments the Parameters, its results the Results, `arith.constant` a Const,
// `fakeconvert` a FakeConvert, `cast` of mode openvino a Convert,
// `quant_float.node` of an OpenVINO domain the layer that it says, with the
// bodies of If, Loop and TensorIterator.
//
// What the module was imported from with `keepsSource` says the rest: names of
// tensors, spellings, rt_info, metadata. Without it layers are named after
// their ops.
//
// Import and export give the same model up to this normal form:
//
// - the version is 11;
// - Parameters come first, Results last, both in the file's order, other layers
//   after those that they depend on, otherwise in the file's order; what no
//   Result and no Assign depends on is left out, except Parameters;
// - layers are numbered in that order, the ports of each from 0, inputs before
//   outputs; edges are in the order of these numbers; bodies likewise, with
//   port maps in the order of Parameters and outputs behind the ports;
// - constants are in the order of their layers, each at a multiple of 64 bytes,
//   bytes that are the same once;
// - of an attribute given twice the first stays; attributes of `data` that
//   contradict the op, and types of ports that contradict the value, say what
//   the op and the value say;
// - comments, the text between elements and its layout are not kept.
//
// A zero shift of FakeConvert that the importer has dropped, as the plugin
// does, is a Const of its own again. Exporting the result again gives the same
// bytes.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_TARGET_OPENVINO_EXPORT_H
#define QUANT_FLOAT_TARGET_OPENVINO_EXPORT_H

#include "quant-float/Target/OpenVINO/Import.h"
#include "quant-float/Target/ReadWeights.h"

namespace mlir::quant_float {

struct OpenVinoExportOptions {
  /// Appends to the file of constants; false when that fails. Without it
  /// constants with bytes are refused.
  std::function<bool(StringRef)> writeWeights;
  /// Is told of the elements of a constant that are not needed any more, as far
  /// as that is known by now.
  std::function<void(ArrayRef<char>)> onWritten;
};

/// Writes the .xml file to `os`. Constants are written from where they are.
/// Fails after an error diagnostic that names the layer and the value.
LogicalResult exportOpenVino(ModuleOp module, raw_ostream &os,
                             const OpenVinoExportOptions &options = {});

/// Registers --export-openvino with mlir-translate's machinery, for models in
/// `.xml` and what `read` takes. The functions are called when a model is read
/// and exported.
void registerToOpenVinoTranslation(
    const DialectRegistry &dialects,
    std::function<OpenVinoImportOptions()> getImportOptions,
    std::function<OpenVinoExportOptions()> getOptions, ReadWeights read);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_TARGET_OPENVINO_EXPORT_H
