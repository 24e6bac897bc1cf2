//===- ResolveNode.cpp - Quantization nodes to ops of the dialect ---------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/Conversion/NodeToQuantFloat/ResolveNode.h"

#include "NodeReader.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/IR/Verifier.h"
#include "quant-float/Support/Locations.h"
#include "quant-float/Support/Printable.h"

using namespace mlir;
using namespace mlir::quant_float;

/// Returns the op with opset rules that the node represents, valid or not.
static std::optional<OpKind> getKind(NodeOp node) {
  // Unverified IR may lack either attribute.
  if (!node.getOpTypeAttr() || !node.getOpsetAttr())
    return std::nullopt;
  StringRef domain = node.getDomain();
  // This domain does not occur in model files.
  if (domain == kOwnDomain)
    return std::nullopt;
  return findOpKind(domain == "ai.onnx" ? "" : domain, node.getOpType());
}

/// Whether the node is OpenVINO's FakeConvert, whose versions are equal.
static bool isFakeConvert(NodeOp node) {
  return node.getOpTypeAttr() && node.getOpsetAttr() &&
         getNodeKind(node) == NodeKind::OpenVinoFakeConvert;
}

std::string NodeResolution::describeMissing(StringRef name) const {
  std::string shown = name.empty() ? "" : " '" + printable(name) + "'";
  return ("the " + Twine(missesRank ? "rank" : "type") + " of input " +
          Twine(missingInput) + shown + " is not known")
      .str();
}

bool quant_float::isQuantizationNode(NodeOp node) {
  return getKind(node) || isFakeConvert(node);
}

Type quant_float::getResultType(Type input, Type elementType) {
  if (auto shape = dyn_cast<RankedTensorType>(input))
    return RankedTensorType::get(shape.getShape(), elementType);
  return UnrankedTensorType::get(elementType);
}

FailureOr<NodeResolution> quant_float::resolveNode(OpBuilder &builder,
                                                   NodeOp node,
                                                   NodeErrorFn emitError) {
  NodeReader reader(node, emitError);
  if (isFakeConvert(node))
    return resolveFakeConvert(builder, reader);
  std::optional<OpKind> kind = getKind(node);
  if (!kind)
    return NodeResolution();
  switch (*kind) {
  case OpKind::Cast:
  case OpKind::CastLike:
    return resolveCast(builder, reader, kind == OpKind::CastLike);
  case OpKind::QuantizeLinear:
  case OpKind::MicrosoftQuantizeLinear:
    return resolveQuantization(builder, reader, /*isQuantize=*/true);
  case OpKind::DequantizeLinear:
  case OpKind::MicrosoftDequantizeLinear:
    return resolveQuantization(builder, reader, /*isQuantize=*/false);
  case OpKind::DynamicQuantizeLinear:
  case OpKind::BitCast:
  case OpKind::ConvInteger:
  case OpKind::MatMulInteger:
  case OpKind::QLinearConv:
  case OpKind::QLinearMatMul:
  case OpKind::MicrosoftQGemm:
    return verifyNode(reader, *kind);
  case OpKind::OwnCast:
  case OpKind::OwnQuantizeLinear:
  case OpKind::OwnDequantizeLinear:
    break;
  }
  return NodeResolution();
}

FailureOr<bool> quant_float::verifyDeclaredType(Type declared, Type type,
                                                const Twine &what, bool strict,
                                                NodeDiagnosticFn begin) {
  if (areCompatible(declared, type))
    return true;
  begin(strict ? DiagnosticSeverity::Error : DiagnosticSeverity::Warning)
      << what << ": declared as " << declared << ", but got " << type;
  if (strict)
    return failure();
  return false;
}

LogicalResult quant_float::verifyDeclaredTypes(NodeOp node,
                                               const NodeResolution &resolution,
                                               bool strict,
                                               NodeDiagnosticFn begin) {
  // resultTypes may be empty.
  for (auto [index, types] : llvm::enumerate(
           llvm::zip(node->getResultTypes(), resolution.resultTypes))) {
    auto [declared, type] = types;
    bool isSame = getElementTypeOrSelf(declared) == getElementTypeOrSelf(type);
    if (failed(verifyDeclaredType(declared, type, "output " + Twine(index),
                                  strict || !isSame, begin)))
      return failure();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Functions for passes
//===----------------------------------------------------------------------===//

/// Returns "node 'c1' (Cast)" or "node of 'y' (Cast)", as the importer does.
static std::string describe(NodeOp node) {
  std::string opType = " (" + printable(node.getOpType()) + ")";
  if (std::optional<StringRef> name = node.getNodeName())
    return "node '" + printable(*name) + "'" + opType;
  if (auto loc = dyn_cast<NameLoc>(stripCalls(node.getLoc())))
    return "node of '" + printable(loc.getName()) + "'" + opType;
  return "node without a name" + opType;
}

InFlightDiagnostic
quant_float::emitNodeDiagnostic(NodeOp node, DiagnosticSeverity severity) {
  Location loc = stripCalls(node.getLoc());
  InFlightDiagnostic diagnostic = severity == DiagnosticSeverity::Warning
                                      ? mlir::emitWarning(loc)
                                      : mlir::emitError(loc);
  diagnostic << describe(node) << ": ";
  return diagnostic;
}

InFlightDiagnostic quant_float::emitNodeError(NodeOp node) {
  return emitNodeDiagnostic(node, DiagnosticSeverity::Error);
}

std::string quant_float::describeOp(NodeOp node, bool isKnown) {
  std::string name = "'" + printable(node.getOpType()) + "'";
  StringRef domain = node.getDomain();
  if (isKnown)
    return (domain.empty() ? "the ONNX op " : "the op ") + name;
  return "the op " + name + " of the domain '" +
         (domain.empty() ? "ai.onnx" : printable(domain)) + "'";
}

LogicalResult quant_float::verifyResolvedNode(Operation *op,
                                              NodeErrorFn emitError) {
  MLIRContext *context = op->getContext();
  std::vector<Diagnostic> found;
  LogicalResult result = success();
  {
    ScopedDiagnosticHandler handler(context, [&](Diagnostic &diagnostic) {
      found.push_back(std::move(diagnostic));
      return success();
    });
    // The user knows the node, so the generic form of the op is no help.
    bool printOp = context->shouldPrintOpOnDiagnostic();
    context->printOpOnDiagnostic(false);
    result = mlir::verify(op, /*verifyRecursively=*/false);
    context->printOpOnDiagnostic(printOp);
  }
  // The verifier's prefix names the op, which the user does not know.
  std::string prefix = ("'" + op->getName().getStringRef() + "' op ").str();
  for (Diagnostic &diagnostic : found) {
    InFlightDiagnostic shown = emitError();
    std::string printed = diagnostic.str();
    StringRef message = printed;
    message.consume_front(prefix);
    shown << message;
    for (Diagnostic &note : diagnostic.getNotes())
      shown.attachNote() << note.str();
  }
  return result;
}

FailureOr<NodeResolution> quant_float::resolveQuantFloatNode(OpBuilder &builder,
                                                             NodeOp node) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(node);
  FailureOr<NodeResolution> resolution =
      resolveNode(builder, node, [&] { return emitNodeError(node); });
  if (failed(resolution))
    return failure();
  Operation *op = resolution->op;
  if (op &&
      failed(verifyResolvedNode(op, [&] { return emitNodeError(node); }))) {
    op->erase();
    return failure();
  }
  return resolution;
}
