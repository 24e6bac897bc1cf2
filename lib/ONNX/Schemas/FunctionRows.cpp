//===- FunctionRows.cpp - Operators defined by functions ------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FunctionRows.h"

using namespace mlir::quant_float;
using namespace mlir::quant_float::onnx_import;

/// Returns the domain of NodeKinds.def that has the operators of the domain.
static std::string getKnownDomain(const std::string &domain) {
  if (domain == "com.vai.quantize")
    return "com.amd.quark";
  if (domain == "onnx.brevitas" || domain == "finn.custom_op.general")
    return "qonnx.custom_op.general";
  return domain;
}

/// Returns the row of the operator; null if there is none.
static const FunctionRow *findRow(const std::string &opType,
                                  const std::string &domain) {
  std::optional<NodeKind> kind = findNodeKind(getKnownDomain(domain), opType);
  if (!kind)
    return nullptr;
  // ONNX's own domain gained these operators later.
  if (kind == NodeKind::Gelu)
    kind = NodeKind::MicrosoftGelu;
  else if (kind == NodeKind::LayerNormalization)
    kind = NodeKind::MicrosoftLayerNormalization;
  for (const FunctionRows *rows :
       {&getMicrosoftRows(), &getMachineLearningRows(), &getTensorRtRows(),
        &getQuarkRows(), &getQonnxRows()})
    if (auto found = rows->find(*kind); found != rows->end())
      return &found->second;
  return nullptr;
}

bool onnx_import::hasFunctionRow(const std::string &opType,
                                 const std::string &domain) {
  return findRow(opType, domain);
}

int onnx_import::getInputLikeOutput(const std::string &opType,
                                    const std::string &domain) {
  return findRow(opType, domain)->like;
}

::onnx::FunctionProto onnx_import::buildFunctionOfRow(
    const ::onnx::NodeProto &node,
    const std::vector<::onnx::TypeProto> &inputTypes) {
  const FunctionRow &row = *findRow(node.op_type(), node.domain());
  auto expectAtMost = [](const char *what, size_t max, int count) {
    if (count > static_cast<int>(max))
      throw std::invalid_argument("expected at most " + std::to_string(max) +
                                  " " + what + ", but got " +
                                  std::to_string(count));
  };
  expectAtMost("inputs", row.inputs.size(), node.input_size());
  expectAtMost("outputs", row.outputs.size(), node.output_size());
  for (const auto &attribute : node.attribute())
    if (std::find(row.attributes.begin(), row.attributes.end(),
                  attribute.name()) == row.attributes.end())
      throw std::invalid_argument("unknown attribute '" + attribute.name() +
                                  "'");
  ::onnx::FunctionProto function;
  function.set_name(node.op_type());
  for (const auto &attribute : node.attribute())
    function.add_attribute(attribute.name());
  for (int i = 0; i < node.input_size(); ++i)
    function.add_input(row.inputs[i]);
  for (int i = 0; i < node.output_size(); ++i)
    function.add_output(row.outputs[i]);
  ::onnx::FunctionBuilder body(function);
  Definition definition{node, inputTypes, body, function};
  row.define(definition);
  body.AddOpset("", definition.opset);
  return function;
}
