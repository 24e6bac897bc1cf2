//===- Bodies.h - Inputs and outputs of layer bodies ------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// If, Loop and TensorIterator contain networks. Their inputs and outputs are
// specified by elements in files, by the lists of BodyPorts, and by attributes
// of a NodeOp.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_OPENVINO_IMPORT_BODIES_H
#define QUANT_FLOAT_LIB_OPENVINO_IMPORT_BODIES_H

#include "mlir/Support/LLVM.h"
#include "quant-float/Support/NodeKind.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <array>

namespace mlir::quant_float::openvino_import {

/// The connections between a layer and its body, by the positions of the
/// layer's inputs and outputs and of the body's Parameters and Results; -1 if
/// there is none. The numbers of tensors that are sliced along an axis are
/// those of the file.
struct BodyPorts {
  using List = SmallVector<int64_t>;
  /// One entry for each Parameter.
  List inputs, inputAxes, inputStarts, inputEnds, inputStrides, inputParts,
      backEdges;
  /// One entry for each output.
  List outputs, outputAxes, outputStarts, outputEnds, outputStrides,
      outputParts;
  int64_t iteration = -1, condition = -1;

  /// A list, and the name of its attribute without the body's prefix.
  struct Field {
    StringLiteral name;
    List BodyPorts::*list;
    bool isOfOutputs;
  };
  static ArrayRef<Field> getFields(bool isLoop);

  /// A number of a slice: its XML attribute, its default, and its lists for
  /// inputs and outputs.
  struct CutField {
    const char *name;
    int64_t byDefault;
    List BodyPorts::*inputs;
    List BodyPorts::*outputs;
  };
  static const std::array<CutField, 5> kCutFields;
};

/// The purposes of Loop's special ports, which are an input and an output.
constexpr StringLiteral kIterationPurpose = "current_iteration",
                        kConditionPurpose = "execution_condition";
/// The attributes of a NodeOp with the positions of these ports.
constexpr StringLiteral kIterationAttrName = "iteration",
                        kConditionAttrName = "condition";

/// Returns the prefixes of elements and attributes, one for each body of a
/// layer of this kind. Empty for layers without bodies.
ArrayRef<StringLiteral> getBodyPrefixes(std::optional<NodeKind> layer);
/// Whether the bodies are iterations of a loop.
inline bool isLoopLayer(std::optional<NodeKind> layer) {
  return layer != NodeKind::OpenVinoIf;
}

} // namespace mlir::quant_float::openvino_import

#endif // QUANT_FLOAT_LIB_OPENVINO_IMPORT_BODIES_H
