//===- LenientImport.cpp - Import of invalid but unambiguous models -------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Common/Names.h"
#include "../Common/Types.h"
#include "../Schemas/Schemas.h"
#include "Importer.h"
#include "quant-float/Conversion/NodeToQuantFloat/ResolveNode.h"
#include "quant-float/IR/OpsetRules.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::onnx_import;

using Proto = ::onnx::AttributeProto;

/// Accepts an operator of com.microsoft in ONNX's own domain if that domain has
/// no operator of that name.
LogicalResult Importer::tolerateDomain(NodeInput &input) {
  const std::string &opType = input.node.op_type();
  if (!input.domain.empty() || isOperator(opType, "") ||
      !isMicrosoftOperator(opType))
    return success();
  input.domain = kMicrosoftDomain;
  // Such a model does not import com.microsoft.
  hasAssumedOpset = true;
  return warn(options.strict, input.subject, Diag::OtherDomain, showDomain(""),
              kMicrosoftDomain);
}

/// Accepts an int for a float attribute if a float represents it exactly, and a
/// list of one int for an int attribute.
LogicalResult Importer::tolerateAttributes(NodeInput &input) {
  constexpr unsigned kFloatDigits = std::numeric_limits<float>::digits;
  // The opset rules check the attributes of quantization nodes.
  bool isHeld = findOpKind(input.domain, input.node.op_type()).has_value();
  for (ResolvedAttribute &attribute : input.attributes) {
    bool isList = attribute.kind == Proto::INTS;
    if ((attribute.kind != Proto::INT && !isList) ||
        (isList && (isHeld || attribute.proto->ints_size() != 1)))
      continue;
    int kind = getAttributeKind(input.node.op_type(), input.domain.str(),
                                input.opset, attribute.name.str());
    if (kind != (isList ? Proto::INT : Proto::FLOAT))
      continue;
    int64_t number = isList ? attribute.proto->ints(0) : attribute.proto->i();
    if (!isList && std::abs(static_cast<double>(number)) > (1 << kFloatDigits))
      continue;
    std::string name = printable(attribute.name);
    if (failed(isList ? warn(options.strict, input.subject,
                             Diag::ListForInteger, name, number)
                      : warn(options.strict, input.subject,
                             Diag::IntegerForFloat, name, number)))
      return failure();
    // Do not modify the attribute in place: it can belong to a call and be used
    // by other nodes.
    Proto &proto = corrected.emplace_back();
    proto.set_name(attribute.name.str());
    if (isList) {
      proto.set_type(Proto::INT);
      proto.set_i(number);
    } else {
      proto.set_type(Proto::FLOAT);
      proto.set_f(static_cast<float>(number));
    }
    attribute.kind = proto.type();
    attribute.proto = &proto;
  }
  return success();
}

/// Removes inputs of an If's body that name values of the enclosing graph. If
/// passes no inputs to its bodies, and the names refer to the same values
/// without the declaration.
LogicalResult Importer::tolerateBodyInputs(const NodeInput &input,
                                           const Scope &outside,
                                           ::onnx::GraphProto &body,
                                           const Subject &subject) {
  if (input.getKind() != NodeKind::If)
    return success();
  llvm::StringSet<> constants;
  for (const auto &initializer : body.initializer())
    constants.insert(initializer.name());
  auto &inputs = *body.mutable_input();
  for (auto it = inputs.begin(); it != inputs.end();) {
    std::optional<Value> value = outside.lookup(it->name());
    if (constants.contains(it->name()) || !value || !*value) {
      ++it;
      continue;
    }
    std::string what = "graph input '" + printable(it->name()) + "'";
    FailureOr<Type> type = convertType(it->type(), subject / Twine(what));
    if (failed(type))
      return failure();
    if (!areCompatible(*type, value->getType())) {
      ++it;
      continue;
    }
    if (failed(warn(options.strict, subject / Twine(what), Diag::BodyInput)))
      return failure();
    it = inputs.erase(it);
  }
  return success();
}

/// Returns the first version, from the node's opset on, in which the values of
/// the attributes have their intended meaning: the names of the modes that
/// GridSample introduced in opset 20, and Mod of floats with `fmod` = 0, whose
/// remainder has the sign of the divisor.
static int64_t findMeaningVersion(const NodeInput &input) {
  std::optional<NodeKind> kind = input.getKind();
  if (kind == NodeKind::GridSample) {
    constexpr int64_t kNewNames = 20;
    const ResolvedAttribute *mode = input.find("mode");
    if (mode && mode->kind == Proto::STRING &&
        (mode->proto->s() == "linear" || mode->proto->s() == "cubic"))
      return std::max(input.opset, kNewNames);
  }
  if (kind == NodeKind::Mod) {
    constexpr int64_t kFloats = 28;
    const ResolvedAttribute *fmod = input.find("fmod");
    auto type = input.operands.empty() || !input.operands[0]
                    ? TensorType()
                    : dyn_cast<TensorType>(input.operands[0].getType());
    if (type && isa<FloatType>(type.getElementType()) &&
        (!fmod || (fmod->kind == Proto::INT && fmod->proto->i() == 0)))
      return std::max(input.opset, kFloats);
  }
  return input.opset;
}

/// Accepts inputs, attributes and values that only another version of the
/// operator has.
LogicalResult Importer::tolerateVersion(NodeInput &input) {
  // The opset rules check quantization nodes. An exported model has one opset
  // for all nodes.
  if (findOpKind(input.domain, input.node.op_type()) ||
      (options.keepsSource && !options.isConverted))
    return success();
  int64_t version = findMeaningVersion(input);
  if (version == input.opset)
    version = findFittingVersion(input.resolve(), input.opset);
  if (version == input.opset)
    return success();
  int64_t opset = std::exchange(input.opset, version);
  return warn(options.strict, input.subject, Diag::OtherVersion, opset,
              version);
}

/// Whether the opset rules accept the node, as far as its types are known.
static bool isValidIn(int64_t opset, NodeOp node, OpBuilder &builder) {
  ScopedDiagnosticHandler silent(node.getContext(),
                                 [](Diagnostic &) { return success(); });
  auto emitError = [&] { return node.emitError(); };
  int64_t old = node.getOpset();
  node.setOpset(opset);
  FailureOr<NodeResolution> resolution = resolveNode(builder, node, emitError);
  bool isValid = succeeded(resolution);
  if (isValid && resolution->op) {
    isValid = succeeded(verifyResolvedNode(resolution->op, emitError));
    resolution->op->erase();
  }
  node.setOpset(old);
  return isValid;
}

/// Accepts an axis of QuantizeLinear and DequantizeLinear in opsets that lack
/// it, because it has the same meaning in all opsets that have it. If the model
/// is to be converted, also accepts other features of later versions, such as
/// types.
LogicalResult Importer::tolerateVersion(NodeInput &input, NodeOp node,
                                        OpBuilder &builder) {
  std::optional<OpKind> kind = findOpKind(input.domain, input.node.op_type());
  if (!kind || !input.domain.empty())
    return success();
  constexpr int64_t kFirstOpsetWithAxis = 13;
  bool isQuantization =
      *kind == OpKind::QuantizeLinear || *kind == OpKind::DequantizeLinear;
  bool hasAxis = isQuantization && input.find("axis") &&
                 input.opset >= getOpVersions(*kind).front().since &&
                 input.opset < kFirstOpsetWithAxis;
  if (!options.isConverted && (!hasAxis || options.keepsSource))
    return success();
  if (isValidIn(input.opset, node, builder))
    return success();
  for (const OpVersion &version : getOpVersions(*kind)) {
    if (version.since <= input.opset ||
        (!options.isConverted && version.since > kFirstOpsetWithAxis) ||
        !isValidIn(version.since, node, builder))
      continue;
    int64_t opset = std::exchange(input.opset, version.since);
    node.setOpset(input.opset);
    return warn(options.strict, input.subject, Diag::OtherVersion, opset,
                version.since);
  }
  return success();
}
