//===- VerifyNode.cpp - Quantization nodes that remain nodes --------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Verifies the opset rules of the nodes that have no op, and therefore no op
// verifier, in the dialect.
//
//===----------------------------------------------------------------------===//

#include "NodeReader.h"
#include "mlir/IR/TypeUtilities.h"
#include "quant-float/IR/OpsetVerifier.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;
using namespace mlir::quant_float;

namespace {
/// The inputs and attributes that OnnxNodes.def specifies for one version.
struct NodeForm {
  int64_t since;
  size_t minInputs, maxInputs;
  SmallVector<AttributeRow> attributes;
};
} // namespace

/// Returns the newest row that is not newer than `opset`. Each of the ops has a
/// row from the first opset of its rules.
static const NodeForm &findForm(NodeKind kind, int64_t opset) {
  using namespace attribute_rows;
  static const DenseMap<NodeKind, SmallVector<NodeForm, 2>> table = [] {
    DenseMap<NodeKind, SmallVector<NodeForm, 2>> result;
#define QUANT_FLOAT_LIST(...) {__VA_ARGS__}
#define QUANT_FLOAT_NODE(OpType, Since, MinInputs, MaxInputs, Kinds, Element,  \
                         Shape, Attributes, Conversion)                        \
  result[NodeKind::OpType].push_back({Since, MinInputs,                        \
                                      static_cast<size_t>(MaxInputs),          \
                                      QUANT_FLOAT_LIST Attributes});
#define QUANT_FLOAT_MICROSOFT_NODE(OpType, Since, MinInputs, MaxInputs, Kinds, \
                                   Element, Shape, Attributes, Conversion)     \
  result[NodeKind::Microsoft##OpType].push_back(                               \
      {Since, MinInputs, static_cast<size_t>(MaxInputs),                       \
       QUANT_FLOAT_LIST Attributes});
#include "quant-float/Conversion/NodeToQuantFloat/OnnxNodes.def"
#undef QUANT_FLOAT_LIST
    return result;
  }();
  const SmallVector<NodeForm, 2> &forms = table.at(kind);
  const NodeForm *newest = &forms.front();
  for (const NodeForm &form : forms)
    if (form.since <= opset && form.since > newest->since)
      newest = &form;
  return *newest;
}

/// Returns a letter for each input. Inputs with the same letter have the same
/// type. The opset rules for `a` and `b` are those of the first role, for `s`
/// (scales) those of the second, and for `y` (the result's type) those of the
/// third. `i` stands for an input of i32, and `-` for one without a rule.
static StringRef getInputs(OpKind kind) {
  switch (kind) {
  case OpKind::ConvInteger:
  case OpKind::MatMulInteger:
    return "abab";
  case OpKind::QLinearConv:
  case OpKind::QLinearMatMul:
    return "asabsbsy-";
  case OpKind::MicrosoftQGemm:
    return "asabsbisy";
  default:
    return "a";
  }
}

static OpRole getRole(char letter) {
  return letter == 's'   ? OpRole::Second
         : letter == 'y' ? OpRole::Third
                         : OpRole::First;
}

/// Whether the op is well-defined for this integer type, although no version
/// accepts it.
static bool isTolerated(OpKind kind, Type type) {
  return (kind == OpKind::ConvInteger || kind == OpKind::MatMulInteger) &&
         (type.isInteger(4) || type.isInteger(16));
}

/// Verifies the types of the inputs against the rules and each other. Returns
/// whether all types are known; otherwise sets `missing`.
static FailureOr<bool> verifyInputs(NodeReader &node,
                                    const OpsetVerifier &rules, OpKind kind,
                                    unsigned &missing) {
  StringRef letters = getInputs(kind);
  bool isKnown = true;
  for (size_t i = letters.size(); i-- > 0;) {
    Type type = node.getElementType(i);
    if (node.getInput(i) && !type) {
      missing = i;
      isKnown = false;
    }
    // The importer keeps complex types, which no rule lists.
    if (!type || letters[i] == '-' || isa<ComplexType>(type))
      continue;
    if (letters[i] == 'i') {
      if (!type.isSignlessInteger(32))
        return node.emitError()
               << "input " << i << ": expected elements of type 'i32', but got "
               << type;
      continue;
    }
    size_t first = letters.find(letters[i]);
    auto module = node.getNode()->getParentOfType<ModuleOp>();
    bool isStrict = module && module->hasAttr(kStrictAttrName);
    if (!isStrict && isTolerated(kind, type)) {
      if (i == first)
        emitNodeDiagnostic(node.getNode(), DiagnosticSeverity::Warning)
            << "input " << i << ": expected integers of 8 bits, but got "
            << type << ", whose products are also accumulated in 32 bits";
    } else if (failed(rules.verifyType(getRole(letters[i]), type))) {
      return failure();
    }
    Type other = node.getElementType(first);
    if (other && type != other)
      return node.emitError()
             << "input " << i << ": expected elements of type " << other
             << " as input " << first << " has, but got " << type;
  }
  return isKnown;
}

/// Returns the node's declared type if it has this element type, or else an
/// unranked tensor.
static Type getKnownType(NodeOp node, Type elementType) {
  auto declared = dyn_cast<TensorType>(node->getResult(0).getType());
  if (declared && declared.getElementType() == elementType)
    return declared;
  return UnrankedTensorType::get(elementType);
}

/// Returns the types of the results as far as they are known.
static SmallVector<Type, 3> getResultTypes(NodeReader &node, OpKind kind) {
  NodeOp op = node.getNode();
  MLIRContext *context = op->getContext();
  Type input = node.getInput(0).getType();
  switch (kind) {
  case OpKind::DynamicQuantizeLinear: {
    // Quantized values as uint8, and a scalar scale and zero point (D9).
    Type uint8 = IntegerType::get(context, 8, IntegerType::Unsigned);
    return {getResultType(input, uint8),
            RankedTensorType::get({}, Float32Type::get(context)),
            RankedTensorType::get({}, uint8)};
  }
  case OpKind::BitCast:
    return {getResultType(input, node.getType("to"))};
  case OpKind::ConvInteger:
  case OpKind::MatMulInteger:
    return {getKnownType(op, IntegerType::get(context, 32))};
  default:
    size_t result = getInputs(kind).find('y');
    if (Type type = node.getElementType(result))
      return {getKnownType(op, type)};
    // QGemm without a zero point of the result dequantizes.
    if (kind == OpKind::MicrosoftQGemm && !node.getInput(result))
      return {getKnownType(op, Float32Type::get(context))};
    return {};
  }
}

FailureOr<NodeResolution> quant_float::verifyNode(NodeReader &node,
                                                  OpKind kind) {
  // V4 first: no other rule applies to a version that does not exist.
  FailureOr<OpsetVerifier> rules = OpsetVerifier::get(
      [&] { return node.emitError(); }, kind, node.getOpset());
  if (failed(rules))
    return failure();
  const NodeForm &form = findForm(getNodeKind(kind), node.getOpset());
  // All outputs are mandatory in ONNX.
  size_t outputs = kind == OpKind::DynamicQuantizeLinear ? 3 : 1;
  if (failed(node.checkValues(form.minInputs, form.maxInputs, outputs)) ||
      failed(node.checkAttributes(form.attributes)))
    return failure();
  NodeResolution result;
  result.resultTypes = getResultTypes(node, kind);
  FailureOr<bool> isKnown =
      verifyInputs(node, *rules, kind, result.missingInput);
  if (failed(isKnown))
    return failure();
  Type to = kind == OpKind::BitCast ? node.getType("to") : Type();
  if (to && failed(rules->verifyType(OpRole::Second, to)))
    return failure();
  result.isVerified = *isKnown;
  return result;
}
