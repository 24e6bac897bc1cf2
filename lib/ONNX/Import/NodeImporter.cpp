//===- NodeImporter.cpp - Import of nodes ---------------------------------===//
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
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "quant-float/IR/Constants.h"
#include "quant-float/IR/OpsetRules.h"
#include "quant-float/Support/Locations.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::onnx_import;

using Proto = ::onnx::AttributeProto;

const ResolvedAttribute *NodeInput::find(StringRef name) const {
  const auto *found = llvm::find_if(
      attributes, [&](const ResolvedAttribute &a) { return a.name == name; });
  return found == attributes.end() ? nullptr : found;
}

/// Copies an attribute, without the nodes of graphs and the elements of
/// tensors.
static void copyAttribute(const ResolvedAttribute &attribute,
                          ::onnx::AttributeProto &copy) {
  const ::onnx::AttributeProto &proto = *attribute.proto;
  copy.set_name(attribute.name.str());
  copy.set_type(attribute.kind);
  switch (attribute.kind) {
  case ::onnx::AttributeProto::GRAPH:
    *copy.mutable_g()->mutable_input() = proto.g().input();
    *copy.mutable_g()->mutable_output() = proto.g().output();
    break;
  case ::onnx::AttributeProto::TENSOR:
    copy.mutable_t()->set_data_type(proto.t().data_type());
    *copy.mutable_t()->mutable_dims() = proto.t().dims();
    break;
  case ::onnx::AttributeProto::GRAPHS:
  case ::onnx::AttributeProto::TENSORS:
  case ::onnx::AttributeProto::SPARSE_TENSOR:
  case ::onnx::AttributeProto::SPARSE_TENSORS:
    break;
  default:
    // The name and the type can differ from those in the file.
    copy = proto;
    copy.set_name(attribute.name.str());
    copy.set_type(attribute.kind);
  }
}

::onnx::NodeProto NodeInput::resolve() const {
  ::onnx::NodeProto resolved;
  resolved.set_op_type(node.op_type());
  resolved.set_domain(domain.str());
  *resolved.mutable_input() = node.input();
  *resolved.mutable_output() = node.output();
  for (const ResolvedAttribute &attribute : attributes)
    copyAttribute(attribute, *resolved.add_attribute());
  return resolved;
}

LogicalResult Importer::resolveAttributes(NodeInput &input) {
  llvm::StringSet<> seen;
  for (Proto &attribute : *input.node.mutable_attribute()) {
    StringRef name = attribute.name();
    std::string shown = printable(name);
    if (name.empty())
      return diagnose(input.subject, Diag::NoAttributeName);
    if (!seen.insert(name).second)
      return diagnose(input.subject, Diag::DuplicateAttribute, shown);

    if (StringRef reference = attribute.ref_attr_name(); !reference.empty()) {
      if (!input.scope.environment)
        return diagnose(input.subject, Diag::RefOutsideFunction, shown,
                        printable(reference));
      auto found = input.scope.environment->find(reference);
      // If the call omits the attribute and it has no default, the node has
      // none either.
      if (found == input.scope.environment->end())
        continue;
      ResolvedAttribute resolved = found->second;
      if (attribute.type() != Proto::UNDEFINED &&
          attribute.type() != resolved.kind)
        return diagnose(input.subject, Diag::AttributeKind, shown,
                        getKindName(attribute.type()),
                        getKindName(resolved.kind));
      resolved.name = name;
      input.attributes.push_back(resolved);
      continue;
    }
    FailureOr<AttributeKind> kind = getKind(attribute, input.subject);
    if (failed(kind))
      return failure();
    input.attributes.push_back({name, &attribute, *kind, &input.scope});
  }
  return success();
}

/// Returns the name of the node in an exported model. For a node of a function
/// the names of the calls precede it, because names of nodes are unique.
static std::string makeModelName(const NodeInput &input) {
  std::string name = input.node.name();
  if (name.empty() || !input.scope.call)
    return name;
  Location loc = input.subject.loc;
  while (auto call = dyn_cast<CallSiteLoc>(loc)) {
    loc = call.getCaller();
    name = (quant_float::getNodeName(loc) + "/" + name).str();
  }
  return name;
}

void Importer::keepNode(Operation *op, NodeInput &input) {
  if (!input.scope.call)
    return keepRest(op, input.node);
  ::onnx::NodeProto named;
  named.set_name(makeModelName(input));
  named.set_doc_string(input.node.doc_string());
  named.set_overload(input.node.overload());
  *named.mutable_metadata_props() = input.node.metadata_props();
  keepRest(op, named);
}

LogicalResult Importer::importNode(::onnx::NodeProto &node, OpBuilder &builder,
                                   Scope &scope) {
  Location loc = makeLoc(getNodeName(node), scope);
  std::string prefix = describe(node);
  if (scope.call)
    prefix = scope.call->prefix + ": " + prefix;
  NodeInput input{node, scope, Subject{loc, std::move(prefix)}};
  if (node.op_type().empty())
    return diagnose(input.subject, Diag::NoOpType);
  if (failed(resolveAttributes(input)))
    return failure();
  for (auto [index, name] : llvm::enumerate(node.input())) {
    std::optional<Value> value = name.empty() ? Value() : scope.lookup(name);
    if (!value)
      return diagnose(input.subject, Diag::UndefinedInput, index,
                      printable(name));
    input.operands.push_back(*value);
  }

  // A model can define operators of any domain as functions.
  const Function *function = functions.lookup(node);
  if (function && function->isExpanded)
    return importCall(input, *function, builder);

  input.domain = normalizeDomain(node.domain());
  if (!function && failed(tolerateDomain(input)))
    return failure();
  StringRef domain = input.domain;
  auto opset = scope.opsets->find(domain);
  if (opset != scope.opsets->end()) {
    input.opset = opset->second;
  } else if (function) {
    // The function imports the domains that it uses, so the call needs no
    // opset.
    input.opset = 1;
  } else if (domain == kMicrosoftDomain ||
             hasFunction(node.op_type(), domain.str(), /*opset=*/1)) {
    // The tools of ONNX Runtime and QONNX write and accept files without this
    // import.
    input.opset = getNewestOpset(OpKind::MicrosoftQuantizeLinear);
    if (!std::exchange(hasAssumedOpset, true))
      (void)diagnose(input.subject, Diag::AssumedOpsetImport, domain,
                     input.opset);
  } else {
    return diagnose(input.subject, Diag::NoOpsetImport, showDomain(domain));
  }
  if (function) {
    if (failed(checkCall(input, *function)))
      return failure();
    input.isCall = true;
    return importOpaque(input, builder);
  }
  if (failed(tolerateAttributes(input)) || failed(tolerateVersion(input)))
    return failure();
  std::optional<NodeKind> kind = input.getKind();
  if (kind == NodeKind::Constant)
    return importConstant(input, builder);
  if (kind == NodeKind::Identity && !options.keepsSource)
    return importIdentity(input, builder);
  return importOpaque(input, builder);
}

//===----------------------------------------------------------------------===//
// Identity and Constant
//===----------------------------------------------------------------------===//

LogicalResult Importer::importIdentity(NodeInput &input, OpBuilder &builder) {
  if (input.operands.size() != 1)
    return diagnose(input.subject, Diag::InputCount, 1, input.operands.size());
  if (input.node.output_size() != 1)
    return diagnose(input.subject, Diag::OutputCount, input.node.output_size());
  Value operand = input.operands.front();
  if (!operand)
    return diagnose(input.subject, Diag::AbsentInput, 0);
  if (!input.attributes.empty())
    return diagnose(input.subject, Diag::UnknownAttribute,
                    printable(input.attributes.front().name));
  Type declared = input.scope.getDeclared(input.node.output(0));
  if (declared && isa<UnknownType>(operand.getType()))
    return importOpaque(input, builder);
  if (!onlyDeclared.contains(operand) &&
      failed(verifyDeclared(input.scope, input.node.output(0),
                            operand.getType(), input.subject)))
    return failure();
  return defineOutputs(input, operand);
}

/// Returns the value of a Constant whose attribute is not a tensor.
static TypedAttr makeConstant(MLIRContext *context, AttributeKind kind,
                              const Proto &proto) {
  Builder builder(context);
  auto getType = [&](Type elementType, std::optional<int64_t> size) {
    return RankedTensorType::get(
        size ? ArrayRef<int64_t>(*size) : ArrayRef<int64_t>(), elementType);
  };
  Type string = StringType::get(context);
  switch (kind) {
  case Proto::FLOAT:
    return DenseElementsAttr::get(getType(builder.getF32Type(), {}), proto.f());
  case Proto::INT:
    return DenseElementsAttr::get(getType(builder.getI64Type(), {}), proto.i());
  case Proto::STRING:
    return DenseStringElementsAttr::get(getType(string, {}),
                                        StringRef(proto.s()));
  case Proto::FLOATS:
    return DenseElementsAttr::get(
        getType(builder.getF32Type(), proto.floats_size()),
        ArrayRef(proto.floats().data(), proto.floats_size()));
  case Proto::INTS:
    return DenseElementsAttr::get(
        getType(builder.getI64Type(), proto.ints_size()),
        ArrayRef<int64_t>(
            SmallVector<int64_t>(proto.ints().begin(), proto.ints().end())));
  default:
    return DenseStringElementsAttr::get(
        getType(string, proto.strings_size()),
        SmallVector<StringRef>(proto.strings().begin(), proto.strings().end()));
  }
}

LogicalResult Importer::importConstant(NodeInput &input, OpBuilder &builder) {
  if (!input.operands.empty())
    return diagnose(input.subject, Diag::InputCount, 0, input.operands.size());
  if (input.node.output_size() != 1)
    return diagnose(input.subject, Diag::OutputCount, input.node.output_size());
  if (input.attributes.size() != 1)
    return diagnose(input.subject, Diag::ConstantForms,
                    input.attributes.size());
  const ResolvedAttribute &attribute = input.attributes.front();
  auto expected = llvm::StringSwitch<AttributeKind>(attribute.name)
                      .Case("value", Proto::TENSOR)
                      .Case("sparse_value", Proto::SPARSE_TENSOR)
                      .Case("value_float", Proto::FLOAT)
                      .Case("value_floats", Proto::FLOATS)
                      .Case("value_int", Proto::INT)
                      .Case("value_ints", Proto::INTS)
                      .Case("value_string", Proto::STRING)
                      .Case("value_strings", Proto::STRINGS)
                      .Default(Proto::UNDEFINED);
  if (expected == Proto::UNDEFINED)
    return diagnose(input.subject, Diag::UnknownAttribute,
                    printable(attribute.name));
  if (attribute.kind != expected)
    return diagnose(input.subject, Diag::AttributeKind, attribute.name,
                    getKindName(expected), getKindName(attribute.kind));

  StringRef name = getNodeName(input.node);
  Subject here = input.subject / ("attribute '" + Twine(attribute.name) + "'");
  TypedAttr value;
  if (expected == Proto::TENSOR || expected == Proto::SPARSE_TENSOR) {
    FailureOr<ElementsAttr> elements =
        expected == Proto::TENSOR
            ? decoder.decode(*attribute.proto->mutable_t(), name, here,
                             /*consume=*/activeCalls.empty())
            : decoder.decodeSparse(*attribute.proto->mutable_sparse_tensor(),
                                   name, here);
    if (failed(elements))
      return failure();
    value = cast<TypedAttr>(*elements);
  } else {
    value = makeConstant(context, attribute.kind, *attribute.proto);
  }
  if (failed(verifyDeclared(input.scope, input.node.output(0), value.getType(),
                            input.subject)))
    return failure();
  auto constant = createConstant(builder, input.subject.loc, value);
  keepNode(constant, input);
  return defineOutputs(input, constant->getResults());
}

//===----------------------------------------------------------------------===//
// Other nodes
//===----------------------------------------------------------------------===//

LogicalResult Importer::importBody(NodeInput &input,
                                   const ResolvedAttribute &attribute,
                                   ::onnx::GraphProto &graph, StringRef name,
                                   Region &region) {
  Block &block = region.emplaceBlock();
  Scope scope{/*parent=*/attribute.scope, attribute.scope->opsets,
              attribute.scope->environment, attribute.scope->call};
  SmallVector<Value> outputs;
  Subject here = input.subject / ("body '" + Twine(printable(name)) + "'");
  if (failed(tolerateBodyInputs(input, *attribute.scope, graph, here)) ||
      failed(importGraph(graph, block, scope, here, outputs,
                         inferBodyInputTypes(input))))
    return failure();
  OpBuilder builder(context);
  builder.setInsertionPointToEnd(&block);
  YieldOp::create(builder, input.subject.loc, outputs);
  return success();
}

/// Whether `declared` adds nothing to the shape of `type`.
static bool tellsShape(Type type, Type declared) {
  auto shape = dyn_cast<RankedTensorType>(type);
  auto other = dyn_cast_or_null<RankedTensorType>(declared);
  if (!shape || !other || shape.getRank() != other.getRank())
    return shape || !other;
  return llvm::all_of(
      llvm::zip(shape.getShape(), other.getShape()), [](auto sizes) {
        auto [size, known] = sizes;
        return !ShapedType::isDynamic(size) || ShapedType::isDynamic(known);
      });
}

/// Merges the declared and the inferred type of a value. If they contradict
/// each other, returns the inferred type if `trustsInferred`, and the declared
/// type otherwise.
static Type combineTypes(Type declared, Type inferred, bool trustsInferred) {
  if (!inferred || !areCompatible(declared, inferred))
    return inferred && trustsInferred ? inferred : declared;
  auto shape = dyn_cast<RankedTensorType>(declared);
  auto other = dyn_cast<RankedTensorType>(inferred);
  if (!shape || !other)
    return shape ? declared : inferred;
  SmallVector<int64_t> sizes(shape.getShape());
  for (auto [size, otherSize] : llvm::zip_equal(sizes, other.getShape()))
    if (ShapedType::isDynamic(size))
      size = otherSize;
  return shape.clone(sizes);
}

FailureOr<NodeOp> Importer::createNode(NodeInput &input, OpBuilder &builder) {
  SmallVector<NamedAttribute> attributes;
  SmallVector<std::string> bodyNames;
  SmallVector<std::unique_ptr<Region>> bodies;
  for (const ResolvedAttribute &attribute : input.attributes) {
    auto addBody = [&](::onnx::GraphProto &graph, const Twine &name) {
      bodyNames.push_back(name.str());
      bodies.push_back(std::make_unique<Region>());
      return importBody(input, attribute, graph, bodyNames.back(),
                        *bodies.back());
    };
    if (attribute.kind == Proto::GRAPH) {
      if (failed(addBody(*attribute.proto->mutable_g(), attribute.name)))
        return failure();
    } else if (attribute.kind == Proto::GRAPHS) {
      for (auto [index, graph] :
           llvm::enumerate(*attribute.proto->mutable_graphs()))
        if (failed(addBody(graph, attribute.name + "[" + Twine(index) + "]")))
          return failure();
    } else {
      FailureOr<Attribute> value = importAttribute(
          *attribute.proto, attribute.kind, decoder, input.subject);
      if (failed(value))
        return failure();
      attributes.push_back(builder.getNamedAttr(attribute.name, *value));
    }
  }

  SmallVector<Value> operands;
  SmallVector<int64_t> absent;
  for (auto [index, operand] : llvm::enumerate(input.operands)) {
    if (operand)
      operands.push_back(operand);
    else
      absent.push_back(index);
  }

  StringRef domain = input.domain;
  StringRef opType = input.node.op_type();
  bool isComputed =
      bodies.empty() && llvm::none_of(input.operands, [&](Value operand) {
        return operand && onlyDeclared.contains(operand);
      });
  if (failed(inferTypes(input, bodies, bodyNames)))
    return failure();
  SmallVector<Type> resultTypes;
  SmallVector<unsigned> known;
  for (auto [index, name] : llvm::enumerate(input.node.output())) {
    Type declared = name.empty() ? Type() : input.scope.getDeclared(name);
    Type type = input.resultTypes[index];
    if (!isComputed || !type || !tellsShape(type, declared))
      known.push_back(index);
    // The declared type can be more precise.
    if (declared)
      type = combineTypes(declared, type, isComputed);
    resultTypes.push_back(type ? type : UnknownType::get(context));
  }

  std::string name =
      options.keepsSource ? makeModelName(input) : input.node.name();
  StringAttr nodeName =
      name.empty() ? StringAttr() : builder.getStringAttr(name);
  SmallVector<StringRef> bodyNameRefs(bodyNames.begin(), bodyNames.end());
  auto op = NodeOp::create(
      builder, input.subject.loc, resultTypes, opType, operands, domain,
      input.opset, nodeName, builder.getDictionaryAttr(attributes), absent,
      builder.getStrArrayAttr(bodyNameRefs), bodies.size());
  for (auto [region, body] : llvm::zip_equal(op->getRegions(), bodies))
    region.takeBody(*body);
  for (unsigned index : known)
    onlyDeclared.insert(op->getResult(index));
  // importQuantization checks quantization nodes.
  if (isComputed && !isQuantizationNode(op))
    for (auto [name, type] : llvm::zip(input.node.output(), input.resultTypes))
      if (type &&
          failed(verifyDeclared(input.scope, name, type, input.subject)))
        return failure();
  return op;
}

LogicalResult Importer::importOpaque(NodeInput &input, OpBuilder &builder) {
  FailureOr<NodeOp> node = createNode(input, builder);
  if (failed(node))
    return failure();
  keepNode(*node, input);
  if (resolvesNodes && !input.isCall && isQuantizationNode(*node))
    return importQuantization(input, *node, builder);
  return defineOutputs(input, (*node)->getResults());
}

//===----------------------------------------------------------------------===//
// Quantization nodes
//===----------------------------------------------------------------------===//

void Importer::warnOfMissingType(NodeInput &input,
                                 const NodeResolution &resolution) {
  // Files rarely declare shapes of intermediate values, and later passes infer
  // them. After an invalid node, missing types are not an error of the model.
  if (resolution.missesRank || hasInvalidNodes || options.keepsSource)
    return;
  Diag id =
      !resolution.resultTypes.empty() ? Diag::UntypedInput : Diag::UntypedLike;
  (void)diagnose(
      input.subject, id,
      resolution.describeMissing(input.node.input(resolution.missingInput)));
}

LogicalResult Importer::importQuantization(NodeInput &input, NodeOp node,
                                           OpBuilder &builder) {
  if (failed(tolerateVersion(input, node, builder)))
    return failure();
  auto emitError = [&] {
    return beginDiagnostic(input.subject, DiagnosticSeverity::Error);
  };
  // Report the errors of all nodes; the import fails at the end. Callers that
  // do not verify the module diagnose the remaining node themselves.
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
    if (failed(verifyDeclared(input.scope, name, type, input.subject)))
      return failure();
  if (!isComputed && resolution->op)
    onlyDeclared.insert_range(resolution->op->getResults());
  if (resolution->isVerified)
    return defineOutputs(input, node->getResults());
  Operation *op = resolution->op;
  if (op && options.keepsSource)
    op->setAttr(kNodeSourceAttrName, node->getAttr(kNodeSourceAttrName));
  if (!op) {
    warnOfMissingType(input, *resolution);
    for (auto [result, type] :
         llvm::zip(node->getResults(), resolution->resultTypes))
      result.setType(type);
    return defineOutputs(input, node->getResults());
  }
  if (options.verify && failed(verifyResolvedNode(op, emitError)))
    hasInvalidNodes = true;
  // Erase the results from the set: other values may be allocated at their
  // addresses.
  for (Value result : node->getResults())
    onlyDeclared.erase(result);
  node.erase();
  return defineOutputs(input, op->getResults());
}
