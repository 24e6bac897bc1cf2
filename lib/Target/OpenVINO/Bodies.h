//===- Bodies.h - What passes in and out of bodies --------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// If, Loop and TensorIterator run networks of their own. Elements of the file,
// lists of numbers and attributes of a NodeOp say the same of their ports.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_TARGET_OPENVINO_BODIES_H
#define QUANT_FLOAT_LIB_TARGET_OPENVINO_BODIES_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <array>

namespace mlir::quant_float::openvino_import {

/// By the positions of the layer's inputs and outputs, and of Parameters and
/// Results in the body; -1 for none. Where a tensor is cut along an axis, with
/// the numbers of the file.
struct BodyPorts {
  using List = SmallVector<int64_t>;
  /// For each Parameter.
  List inputs, inputAxes, inputStarts, inputEnds, inputStrides, inputParts,
      backEdges;
  /// For each output.
  List outputs, outputAxes, outputStarts, outputEnds, outputStrides,
      outputParts;
  int64_t iteration = -1, condition = -1;

  /// A list and the attribute that has it, behind the body's prefix.
  struct Field {
    StringLiteral name;
    List BodyPorts::*list;
    bool isOfOutputs;
  };
  static ArrayRef<Field> getFields(bool isLoop);

  /// A number of one cut: its attribute of an element, what it is where that
  /// is missing, and its lists.
  struct CutField {
    const char *name;
    int64_t byDefault;
    List BodyPorts::*inputs;
    List BodyPorts::*outputs;
  };
  static const std::array<CutField, 5> kCutFields;
};

/// The names of Loop's special ports, an input's and an output's.
constexpr StringLiteral kIterationPurpose = "current_iteration",
                        kConditionPurpose = "execution_condition";
/// Attributes of a NodeOp with their positions.
constexpr StringLiteral kIterationAttrName = "iteration",
                        kConditionAttrName = "condition";

/// What the names of elements and attributes begin with, for each body that a
/// layer of the type runs; none for other layers.
ArrayRef<StringLiteral> getBodyPrefixes(StringRef layerType);
/// Whether the bodies are steps of a loop.
inline bool isLoopLayer(StringRef layerType) { return layerType != "If"; }

} // namespace mlir::quant_float::openvino_import

#endif // QUANT_FLOAT_LIB_TARGET_OPENVINO_BODIES_H
