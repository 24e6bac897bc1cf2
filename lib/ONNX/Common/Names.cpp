//===- Names.cpp - Names of nodes, values and functions -------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Names.h"
#include "Diagnostics.h"

using namespace mlir;
using namespace mlir::quant_float;

StringRef onnx_import::normalizeDomain(StringRef domain) {
  return domain == "ai.onnx" ? StringRef() : domain;
}

std::string onnx_import::showDomain(StringRef domain) {
  return domain.empty() ? "ai.onnx" : printable(domain);
}

StringRef onnx_import::getNodeName(const ::onnx::NodeProto &node) {
  if (!node.name().empty())
    return node.name();
  for (const std::string &output : node.output())
    if (!output.empty())
      return output;
  return {};
}

std::string onnx_import::describe(const ::onnx::NodeProto &node) {
  std::string name = printable(getNodeName(node));
  std::string opType = printable(node.op_type());
  std::string suffix = opType.empty() ? "" : " (" + opType + ")";
  if (name.empty())
    return "node without a name" + suffix;
  return (node.name().empty() ? "node of '" : "node '") + name + "'" + suffix;
}
