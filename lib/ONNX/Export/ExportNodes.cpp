//===- ExportNodes.cpp - Export of nodes ----------------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Common/Names.h"
#include "../Common/Source.h"
#include "../Common/Types.h"
#include "Exporter.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "quant-float/IR/Constants.h"
#include "quant-float/IR/OpsetRules.h"
#include "quant-float/Support/LlvmCompat.h"
#include "quant-float/Support/Locations.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::onnx_import;

namespace {
/// The first opset in which `to` of Cast is a number.
constexpr int64_t kFirstOpsetWithNumber = 6;
constexpr int64_t kDefaultAxis = 1;
} // namespace

//===----------------------------------------------------------------------===//
// All nodes
//===----------------------------------------------------------------------===//

LogicalResult Exporter::requireOpset(StringRef domain, int64_t opset,
                                     const Subject &subject) {
  int64_t version = opsets.try_emplace(domain.str(), opset).first->second;
  if (version != opset)
    return diagnose(subject, Diag::OpsetConflict, version, showDomain(domain),
                    opset);
  return success();
}

FailureOr<::onnx::NodeProto *>
Exporter::addNode(Operation &op, StringRef opType, StringRef domain,
                  int64_t opset, ::onnx::GraphProto &graph) {
  ::onnx::NodeProto &node = *graph.add_node();
  if (failed(readSource(&op, kNodeSourceAttrName, node)) ||
      failed(requireOpset(domain, opset, describeOp(&op))))
    return failure();
  node.set_op_type(opType.str());
  if (normalizeDomain(node.domain()) != domain)
    node.set_domain(domain.str());
  StringRef name = quant_float::getNodeName(op.getLoc());
  if (!op.hasAttr(kNodeSourceAttrName) && !name.empty())
    node.set_name(name.str());
  return &node;
}

LogicalResult Exporter::setAttributes(::onnx::NodeProto &node,
                                      ArrayRef<NodeAttribute> attributes,
                                      const Subject &subject) {
  auto *protos = node.mutable_attribute();
  auto find = [&](StringRef name) {
    return llvm::find_if(*protos, [&](const ::onnx::AttributeProto &proto) {
      return proto.name() == name;
    });
  };
  for (const NodeAttribute &attribute : attributes) {
    auto found = find(attribute.name);
    if (found == protos->end() && attribute.isDefault)
      continue;
    ::onnx::AttributeProto &proto =
        found == protos->end() ? *protos->Add() : *found;
    proto.set_name(attribute.name.str());
    if (failed(exportAttribute(attribute.value, proto, subject)))
      return failure();
  }
  return success();
}

/// Removes the attributes for which `isNeeded` returns false.
static void keepAttributes(::onnx::NodeProto &node,
                           llvm::function_ref<bool(StringRef)> isNeeded) {
  auto *protos = node.mutable_attribute();
  for (int i = protos->size(); i-- > 0;)
    if (!isNeeded(protos->Get(i).name()))
      protos->DeleteSubrange(i, 1);
}

/// Sets the inputs of the node. The name of an absent input is empty.
static void setInputs(::onnx::NodeProto &node, ArrayRef<std::string> inputs) {
  node.clear_input();
  for (const std::string &input : inputs)
    node.add_input(input);
}

void Exporter::nameOutputs(Operation &op, ::onnx::NodeProto &node,
                           Scope &scope) {
  // The stored source may list more outputs than the op has results.
  while (node.output_size() > static_cast<int>(op.getNumResults()))
    node.mutable_output()->RemoveLast();
  for (auto [index, result] : llvm::enumerate(op.getResults())) {
    bool hasName = static_cast<int>(index) < node.output_size();
    // The source omits this output, and nothing uses it.
    if (hasName && node.output(index).empty() && result.use_empty())
      continue;
    std::string preferred =
        hasName ? node.output(index) : preferredNames.lookup(result);
    name(result, preferred, scope);
    if (hasName)
      node.set_output(index, names[result]);
    else
      node.add_output(names[result]);
  }
}

std::string Exporter::addIdentity(StringRef input, StringRef preferred,
                                  ::onnx::GraphProto &graph, Scope &scope) {
  ::onnx::NodeProto &node = *graph.add_node();
  node.set_op_type("Identity");
  node.add_input(input.str());
  std::string name = !preferred.empty() && !scope.defines(preferred)
                         ? preferred.str()
                         : makeName(preferred);
  scope.defined.insert(name);
  node.add_output(name);
  return name;
}

//===----------------------------------------------------------------------===//
// quant_float.node
//===----------------------------------------------------------------------===//

/// Splits the name of a body into its attribute and its index. "branches[2]" is
/// the third graph of a list; any other name is an attribute with one graph.
static std::pair<StringRef, std::optional<unsigned>>
parseBodyName(StringRef name) {
  StringRef rest = name;
  unsigned index;
  if (rest.consume_back("]")) {
    auto [attribute, number] = rest.rsplit('[');
    if (!number.getAsInteger(10, index))
      return {attribute, index};
  }
  return {name, std::nullopt};
}

LogicalResult Exporter::exportBodies(NodeOp op, ::onnx::NodeProto &node,
                                     const Scope &scope,
                                     const Subject &subject) {
  using Proto = ::onnx::AttributeProto;
  for (auto [bodyName, region] : llvm::zip(
           op.getBodyNames().getAsValueRange<StringAttr>(), op.getBodies())) {
    auto [name, index] = parseBodyName(bodyName);
    Proto *proto = nullptr;
    for (Proto &attribute : *node.mutable_attribute())
      if (attribute.name() == name)
        proto = &attribute;
    if (!proto) {
      proto = node.add_attribute();
      proto->set_name(name.str());
    }
    proto->set_type(index ? Proto::GRAPHS : Proto::GRAPH);
    // The importer numbers the graphs of a list in order.
    while (index && proto->graphs_size() <= static_cast<int>(*index) &&
           proto->graphs_size() < static_cast<int>(op.getBodies().size()))
      proto->add_graphs();
    if (index && static_cast<int>(*index) >= proto->graphs_size())
      return diagnose(subject, Diag::NoAttributeForm, printable(name),
                      "'" + printable(bodyName) + "'");
    ::onnx::GraphProto &graph =
        index ? *proto->mutable_graphs(*index) : *proto->mutable_g();
    if (!graph.has_name())
      graph.set_name(printable(bodyName));
    if (failed(exportGraph(region.front(), graph, &scope,
                           subject /
                               ("body '" + Twine(printable(bodyName)) + "'"))))
      return failure();
  }
  return success();
}

LogicalResult Exporter::exportNode(NodeOp op, ::onnx::GraphProto &graph,
                                   Scope &scope) {
  Subject subject = describeOp(op);
  if (op.getDomain() == kOpenVinoDomain)
    return diagnose(subject, Diag::NoNode, "an OpenVINO layer");
  FailureOr<::onnx::NodeProto *> node =
      addNode(*op, op.getOpType(), normalizeDomain(op.getDomain()),
              op.getOpset(), graph);
  if (failed(node))
    return failure();
  if (op.getNodeName())
    (*node)->set_name(op.getNodeName()->str());
  else if (!op->hasAttr(kNodeSourceAttrName))
    (*node)->clear_name();

  SmallVector<std::string> inputs;
  ArrayRef<int64_t> absent = op.getAbsentInputs();
  for (Value input : op.getInputs()) {
    while (llvm::is_contained(absent, inputs.size()))
      inputs.emplace_back();
    inputs.push_back(names.lookup(input));
  }
  while (llvm::is_contained(absent, inputs.size()))
    inputs.emplace_back();
  setInputs(**node, inputs);

  DictionaryAttr values = op.getNodeAttributes();
  llvm::StringSet<> bodies;
  for (StringRef name : op.getBodyNames().getAsValueRange<StringAttr>())
    bodies.insert(parseBodyName(name).first);
  llvm::StringSet<> emptyLists;
  for (const auto &proto : (*node)->attribute())
    if (proto.type() == ::onnx::AttributeProto::GRAPHS &&
        proto.graphs_size() == 0)
      emptyLists.insert(proto.name());
  keepAttributes(**node, [&](StringRef name) {
    return values.contains(name) || bodies.contains(name) ||
           emptyLists.contains(name);
  });
  SmallVector<NodeAttribute> attributes;
  for (NamedAttribute attribute : values)
    attributes.push_back({attribute.getName(), attribute.getValue()});
  if (failed(setAttributes(**node, attributes, subject)) ||
      failed(exportBodies(op, **node, scope, subject)))
    return failure();
  nameOutputs(*op, **node, scope);
  return success();
}

//===----------------------------------------------------------------------===//
// Ops of the dialect
//===----------------------------------------------------------------------===//

static IntegerAttr getNumber(Type elementType) {
  return Builder(elementType.getContext())
      .getI64IntegerAttr(getOnnxNumber(elementType).value_or(0));
}

LogicalResult Exporter::exportCast(CastOp op, ::onnx::GraphProto &graph,
                                   Scope &scope) {
  Subject subject = describeOp(op);
  if (CastModeAttr mode = op.getModeAttr())
    return diagnose(subject, Diag::NoNode,
                    "a cast of mode " + stringifyCastMode(mode.getValue()));
  FailureOr<::onnx::NodeProto *> node =
      addNode(*op, "Cast", "", op.getOpset(), graph);
  if (failed(node))
    return failure();
  // The source keeps only the name of the value that determines the type. If
  // the value no longer exists, Cast has the same result (C15).
  Type to = getElementTypeOrSelf(op.getType());
  Value other = op.getLike() && (*node)->input_size() == 2
                    ? scope.lookup((*node)->input(1))
                    : Value();
  bool isLike = other && getElementTypeOrSelf(other) == to;
  std::string input = names.lookup(op.getInput());
  if (isLike) {
    (*node)->set_op_type("CastLike");
    (*node)->set_input(0, input);
  } else {
    setInputs(**node, input);
  }

  Builder builder(op.getContext());
  SmallVector<NodeAttribute> attributes;
  if (!getOnnxNumber(to))
    return diagnose(subject, Diag::NoOnnxType, to);
  if (!isLike && op.getOpset() < kFirstOpsetWithNumber)
    attributes.push_back(
        {"to", builder.getStringAttr(getOnnxTypeName(to).upper())});
  else if (!isLike)
    attributes.push_back({"to", getNumber(to)});
  if (BoolAttr saturate = op.getSaturateAttr())
    attributes.push_back({"saturate", saturate});
  if (RoundModeAttr mode = op.getRoundModeAttr())
    attributes.push_back(
        {"round_mode",
         builder.getStringAttr(stringifyRoundMode(mode.getValue()))});
  keepAttributes(**node, [&](StringRef name) {
    return llvm::any_of(attributes, [&](const NodeAttribute &attribute) {
      return attribute.name == name;
    });
  });
  if (failed(setAttributes(**node, attributes, subject)))
    return failure();
  nameOutputs(*op, **node, scope);
  return success();
}

LogicalResult Exporter::exportQuantization(QuantizationOpInterface op,
                                           ::onnx::GraphProto &graph,
                                           Scope &scope) {
  Subject subject = describeOp(op);
  StringRef domain = op.getStandardDomain();
  if (domain == kOwnDomain)
    return diagnose(subject, Diag::NoNode, "the domain 'quant_float'");
  Builder builder(op.getContext());
  auto quantize = dyn_cast<QuantizeOp>(op.getOperation());
  auto qdq = dyn_cast<QdqOp>(op.getOperation());

  bool hasSource = op->hasAttr(kNodeSourceAttrName);
  auto addHalf = [&](bool isQuantize,
                     std::string input) -> FailureOr<::onnx::NodeProto *> {
    FailureOr<::onnx::NodeProto *> node =
        addNode(*op, isQuantize ? "QuantizeLinear" : "DequantizeLinear", domain,
                op.getStandardOpset(), graph);
    if (failed(node))
      return failure();
    SmallVector<std::string> inputs = {std::move(input),
                                       names.lookup(op.getScaleValue())};
    Value zeroPoint = op.getZeroPointValue();
    if (zeroPoint)
      inputs.push_back(names.lookup(zeroPoint));
    // The source lists the absent zero point explicitly.
    else if (hasSource && (*node)->input_size() == 3)
      inputs.emplace_back();
    setInputs(**node, inputs);

    SmallVector<NodeAttribute> attributes;
    auto addInt = [&](StringRef name, int64_t value, bool isDefault = false) {
      attributes.push_back({name, builder.getI64IntegerAttr(value), isDefault});
    };
    // If the source omits a default axis, the export omits it, too.
    if (std::optional<int64_t> axis = op.getAxisAttribute())
      addInt("axis", *axis, hasSource && *axis == kDefaultAxis);
    if (std::optional<int64_t> blockSize = op.getBlockSizeAttribute())
      addInt("block_size", *blockSize);
    // The result of a quantize has the type of the zero point, or ui8 without
    // one; the result of a dequantize has the type of the scale (Q5, Q6).
    Type result = isQuantize ? op.getQuantizedElementType()
                             : getElementTypeOrSelf(op->getResult(0).getType());
    Type implied = getElementTypeOrSelf(
        isQuantize ? (zeroPoint ? zeroPoint.getType()
                                : builder.getIntegerType(8, false))
                   : op.getScaleValue().getType());
    if (result != implied)
      attributes.push_back({"output_dtype", getNumber(result)});
    BoolAttr saturate;
    TypeAttr precision;
    if (isQuantize) {
      saturate = quantize ? quantize.getSaturateAttr() : qdq.getSaturateAttr();
      precision =
          quantize ? quantize.getPrecisionAttr() : qdq.getPrecisionAttr();
    }
    if (saturate)
      attributes.push_back({"saturate", saturate});
    if (precision)
      attributes.push_back({"precision", getNumber(precision.getValue())});
    // Attributes without an effect stay as they are in the source.
    ArrayAttr ignored = op->getAttrOfType<ArrayAttr>("ignored_attributes");
    keepAttributes(**node, [&](StringRef name) {
      auto isName = [&](const NodeAttribute &attribute) {
        return attribute.name == name;
      };
      return llvm::any_of(attributes, isName) ||
             (ignored &&
              llvm::is_contained(ignored.getAsValueRange<StringAttr>(), name));
    });
    if (failed(setAttributes(**node, attributes, subject)))
      return failure();
    return node;
  };

  std::string input = names.lookup(op.getInputValue());
  if (qdq) {
    FailureOr<::onnx::NodeProto *> node = addHalf(true, input);
    if (failed(node))
      return failure();
    input = makeName(quant_float::getNodeName(op->getLoc()));
    scope.defined.insert(input);
    (*node)->clear_output();
    (*node)->add_output(input);
  }
  FailureOr<::onnx::NodeProto *> node = addHalf(quantize != nullptr, input);
  if (failed(node))
    return failure();
  nameOutputs(*op, **node, scope);
  return success();
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

/// Returns the elements as a value of the attribute `name` of Constant; null if
/// only the attribute `value` can represent them.
static Attribute getConstantForm(StringRef name, ElementsAttr elements) {
  Builder builder(elements.getContext());
  ShapedType type = elements.getShapedType();
  bool isFloat = type.getElementType().isF32();
  bool isInt = type.getElementType().isSignlessInteger(64);
  bool isScalar = type.getRank() == 0, isList = type.getRank() == 1;
  if (auto strings = dyn_cast<DenseStringElementsAttr>(elements)) {
    if (isScalar && name == "value_string")
      return builder.getStringAttr(strings.getRawStringData().front());
    if (isList && name == "value_strings")
      return builder.getStrArrayAttr(
          llvm::to_vector(strings.getValues<StringRef>()));
    return {};
  }
  auto dense = dyn_cast<DenseTypedElementsAttr>(elements);
  if (!dense)
    return {};
  if (isFloat && isScalar && name == "value_float")
    return builder.getF32FloatAttr(*dense.value_begin<float>());
  if (isFloat && isList && name == "value_floats")
    return builder.getDenseF32ArrayAttr(
        llvm::to_vector(dense.getValues<float>()));
  if (isInt && isScalar && name == "value_int")
    return builder.getI64IntegerAttr(*dense.value_begin<int64_t>());
  if (isInt && isList && name == "value_ints")
    return builder.getDenseI64ArrayAttr(
        llvm::to_vector(dense.getValues<int64_t>()));
  return {};
}

LogicalResult Exporter::exportConstant(AnyConstantOp op,
                                       ::onnx::GraphProto &graph,
                                       Scope &scope) {
  Subject subject = describeOp(op);
  auto elements = dyn_cast<ElementsAttr>(op.getValue());
  if (!elements || !isa<TensorType>(op.getType()))
    return diagnose(subject, Diag::NoOnnxType, op.getType());
  if (!op->hasAttr(kNodeSourceAttrName)) {
    ::onnx::TensorProto &tensor = *graph.add_initializer();
    if (failed(readSource(op, kTensorSourceAttrName, tensor)))
      return failure();
    name(op, tensor.name().empty() ? preferredNames.lookup(op) : tensor.name(),
         scope);
    tensor.set_name(names[op]);
    return encoder.encode(elements, tensor, subject, /*mayBeExternal=*/true);
  }

  ::onnx::NodeProto &node = *graph.add_node();
  if (failed(readSource(op, kNodeSourceAttrName, node)))
    return failure();
  node.set_op_type("Constant");
  node.clear_input();
  if (node.attribute_size() != 1) {
    node.clear_attribute();
    node.add_attribute();
  }
  ::onnx::AttributeProto &attribute = *node.mutable_attribute(0);
  Attribute value = getConstantForm(attribute.name(), elements);
  if (!value) {
    attribute.set_name("value");
    value = elements;
  }
  if (failed(exportAttribute(value, attribute, subject)))
    return failure();
  nameOutputs(*op, node, scope);
  return success();
}

LogicalResult Exporter::exportOp(Operation &op, ::onnx::GraphProto &graph,
                                 Scope &scope) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(&op)
      .Case([&](AnyConstantOp constant) {
        return exportConstant(constant, graph, scope);
      })
      .Case([&](NodeOp node) { return exportNode(node, graph, scope); })
      .Case([&](CastOp cast) { return exportCast(cast, graph, scope); })
      .Case([&](QuantizationOpInterface quantization) {
        return exportQuantization(quantization, graph, scope);
      })
      .Case([&](tensor::CastOp cast) {
        names[cast] = addIdentity(names.lookup(cast.getSource()),
                                  preferredNames.lookup(cast), graph, scope);
        return success();
      })
      .Default([&](Operation *other) {
        return diagnose(describeOp(other), Diag::NoNode,
                        other->getName().getStringRef());
      });
}
