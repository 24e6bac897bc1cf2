//===- Forms.h - ONNX nodes as StableHLO ------------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_CONVERSION_ONNXTOSTABLEHLO_FORMS_H
#define QUANT_FLOAT_LIB_CONVERSION_ONNXTOSTABLEHLO_FORMS_H

#include "StablehloBuilder.h"
#include "quant-float/Conversion/NodeToQuantFloat/OnnxNodeBuilder.h"
#include "quant-float/IR/QuantFloatOps.h"

namespace mlir::quant_float::onnx_forms {

/// One op that is converted, and its converted operands.
class Form : public StablehloBuilder {
public:
  Form(Operation *op, ImplicitLocOpBuilder &b) : StablehloBuilder(b), op(op) {}

  Operation *op;
  /// The operands; null if an optional input is absent.
  SmallVector<Value> inputs;
  /// The StableHLO op, or the comparison direction, of the row.
  StringRef name;
  /// Converts the ops of a body of the node. Emits an error on failure.
  llvm::function_ref<LogicalResult(Block &)> convertBody;

  NodeOp getNode() const { return llvm::cast<NodeOp>(op); }
  bool hasInput(size_t index) const {
    return index < inputs.size() && inputs[index];
  }
  int64_t getInt(StringRef attribute, int64_t byDefault) const;
  std::optional<SmallVector<int64_t>> getInts(StringRef attribute) const;
  bool isConstant(size_t index) const;
  /// Returns the elements of an input that is a constant list of integers.
  FailureOr<SmallVector<int64_t>> requireInts(size_t index);
  /// Returns an axis, counted from the front. Fails if it is out of range.
  FailureOr<int64_t> requireAxis(int64_t axis, int64_t rank);

  LogicalResult unsupported(const Twine &reason);
  const std::string &getProblem() const { return problem; }

private:
  std::string problem;
};

/// Returns the value of the op's only result.
using FormConversion = FailureOr<Value> (*)(Form &);
/// Returns the values of the op's results.
using FormExpansion = FailureOr<SmallVector<Value>> (*)(Form &);

FailureOr<Value> convertElementwise(Form &form);
FailureOr<Value> convertComparison(Form &form);
FailureOr<Value> convertReduction(Form &form);
#define QUANT_FLOAT_FORM(OpType, MinInputs, MaxInputs, Conversion)             \
  FailureOr<Value> Conversion(Form &form);
#define QUANT_FLOAT_FORM_RESULTS(OpType, MinInputs, MaxInputs, Expansion)      \
  FailureOr<SmallVector<Value>> Expansion(Form &form);
#include "quant-float/Conversion/OnnxToStablehlo/OnnxForms.def"

FailureOr<Value> convertCast(Form &form);
FailureOr<Value> convertQuantize(Form &form);
FailureOr<Value> convertDequantize(Form &form);
FailureOr<Value> convertQdq(Form &form);

} // namespace mlir::quant_float::onnx_forms

#endif // QUANT_FLOAT_LIB_CONVERSION_ONNXTOSTABLEHLO_FORMS_H
