//===- QuantizationImporter.cpp - Nodes with ops of the dialect -----------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Importer.h"
#include "Types.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::onnx_import;

void Importer::warnOfMissingType(NodeInput &input,
                                 const NodeResolution &resolution) {
  // Files rarely tell the shapes inside, which later passes find. And behind an
  // invalid node types are missing for no fault of the model's.
  if (resolution.missesRank || hasInvalidNodes)
    return;
  Diag id =
      !resolution.resultTypes.empty() ? Diag::UntypedInput : Diag::UntypedLike;
  (void)diagnose(
      input.subject, id,
      resolution.describeMissing(input.node.input(resolution.missingInput)));
}

LogicalResult Importer::importQuantization(NodeInput &input, NodeOp node,
                                           OpBuilder &builder) {
  auto emitError = [&] {
    return beginDiagnostic(input.subject, DiagnosticSeverity::Error);
  };
  // What a node says wrong is told of all nodes; the import fails in the end.
  // Who reports on the nodes by themselves finds it again in the kept node.
  std::optional<ScopedDiagnosticHandler> silence;
  if (!options.verify)
    silence.emplace(context, [](Diagnostic &) { return success(); });
  FailureOr<NodeResolution> resolution = resolveNode(builder, node, emitError);
  silence.reset();
  if (failed(resolution)) {
    hasInvalidNodes |= options.verify;
    return defineOutputs(input, node->getResults());
  }

  bool isComputed = llvm::none_of(input.operands, [&](Value operand) {
    return operand && onlyDeclared.contains(operand);
  });
  for (auto [name, type] :
       llvm::zip(input.node.output(), resolution->resultTypes))
    if (failed(verifyDeclared(input.scope, name, type, input.subject,
                              /*hasRules=*/true)))
      return failure();
  if (!isComputed && resolution->op)
    onlyDeclared.insert_range(resolution->op->getResults());
  if (resolution->isVerified)
    return defineOutputs(input, node->getResults());
  Operation *op = resolution->op;
  if (!op) {
    warnOfMissingType(input, *resolution);
    for (auto [result, type] :
         llvm::zip(node->getResults(), resolution->resultTypes))
      result.setType(type);
    return defineOutputs(input, node->getResults());
  }
  if (options.verify && failed(verifyResolvedNode(op, emitError)))
    hasInvalidNodes = true;
  // Other values may get their addresses.
  for (Value result : node->getResults())
    onlyDeclared.erase(result);
  node.erase();
  return defineOutputs(input, op->getResults());
}
