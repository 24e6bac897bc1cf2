//===- ConvertOpset.cpp - Conversion of models to another opset -----------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/ONNX/Opsets/ConvertOpset.h"
#include "../Common/Attributes.h"
#include "../Common/Names.h"
#include "../Common/Source.h"
#include "../Common/Types.h"
#include "../Import/Importer.h"
#include "../Versions/VersionConverter.h"
#include "OpsetConverter.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Iterators.h"
#include "quant-float/IR/Constants.h"
#include "quant-float/IR/OpsetRules.h"
#include "quant-float/ONNX/Import/ExpandNode.h"
#include "quant-float/Support/Locations.h"
#include "quant-float/Support/OpsetImports.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/JSON.h"
#include <algorithm>

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::onnx_import;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

bool onnx_import::hasElementType(const OpsetOptions &options,
                                 Type elementType) {
  if (llvm::is_contained(options.without, getOnnxTypeName(elementType)))
    return false;
  // Cast accepts each type from the first opset on that has the type.
  std::optional<int64_t> first =
      getFirstOpset(OpKind::Cast, OpRole::First, elementType);
  return !first || *first <= options.opset;
}

//===----------------------------------------------------------------------===//
// Reports
//===----------------------------------------------------------------------===//

static std::string getOpType(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::string>(op)
      .Case([](NodeOp node) { return node.getOpType().str(); })
      .Case([](CastOp cast) {
        return std::string(cast.getLike() ? "CastLike" : "Cast");
      })
      .Case([](QuantizeOp) { return std::string("QuantizeLinear"); })
      .Case([](DequantizeOp) { return std::string("DequantizeLinear"); })
      .Case([](AnyConstantOp constant) {
        bool isNode = constant->hasAttr(kNodeSourceAttrName);
        return std::string(isNode ? "Constant" : "initializer");
      })
      .Default([](Operation *other) {
        return other->getName().getStringRef().str();
      });
}

void OpsetConverter::note(Operation *op, ConversionKind kind,
                          const Twine &detail) {
  conversion.nodes.push_back({printable(quant_float::getNodeName(op->getLoc())),
                              printable(getOpType(op)), kind, detail.str()});
}

void OpsetConverter::refuse(Operation *op, const Twine &reason) {
  note(op, ConversionKind::Refused, reason);
  Subject subject = describeOp(op);
  std::string name = printable(quant_float::getNodeName(op->getLoc()));
  if (!name.empty())
    subject.prefix = (isa<AnyConstantOp>(op) ? "" : "node ") + ("'" + name) +
                     "' (" + printable(getOpType(op)) + ")";
  (void)diagnose(subject, Diag::NoConversion, options.opset, reason.str());
  hasRefused = true;
}

StringRef quant_float::stringifyConversionKind(ConversionKind kind) {
  static constexpr StringLiteral kNames[] = {"unchanged", "restated", "adapted",
                                             "refused"};
  return kNames[static_cast<unsigned>(kind)];
}

void quant_float::printConversion(raw_ostream &os,
                                  const OpsetConversion &conversion) {
  os << "opset " << conversion.from << " to " << conversion.to << ":";
  for (unsigned i = 0; i <= static_cast<unsigned>(ConversionKind::Refused);
       ++i) {
    auto kind = static_cast<ConversionKind>(i);
    os << (i ? ", " : " ")
       << llvm::count_if(conversion.nodes,
                         [&](const auto &node) { return node.kind == kind; })
       << " " << stringifyConversionKind(kind);
  }
  os << "\n";
  for (const ConvertedNode &node : conversion.nodes) {
    if (node.kind == ConversionKind::Unchanged)
      continue;
    os << stringifyConversionKind(node.kind) << " '" << node.name << "' ("
       << node.opType << ")";
    if (!node.detail.empty())
      os << ": " << node.detail;
    os << "\n";
  }
}

void quant_float::printConversionAsJson(raw_ostream &os,
                                        const OpsetConversion &conversion) {
  llvm::json::OStream json(os, /*IndentSize=*/2);
  json.object([&] {
    json.attribute("from", conversion.from);
    json.attribute("to", conversion.to);
    json.attributeArray("nodes", [&] {
      for (const ConvertedNode &node : conversion.nodes)
        json.object([&] {
          json.attribute("name", node.name);
          json.attribute("op_type", node.opType);
          json.attribute("kind", stringifyConversionKind(node.kind));
          json.attribute("detail", node.detail);
        });
    });
  });
  os << "\n";
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

bool OpsetConverter::leaveOut(Operation *op) {
  Type elementType = getTensorElementType(op->getResult(0).getType());
  if (!op->use_empty() || !elementType || hasElementType(options, elementType))
    return false;
  note(op, ConversionKind::Adapted, "removed, because it has no uses");
  unused.remove(op);
  op->erase();
  return true;
}

void OpsetConverter::convertConstant(AnyConstantOp op) {
  if (leaveOut(op))
    return;
  // A Constant has attributes other than tensors since opset 12. In older
  // opsets it has an equivalent tensor.
  if (op->hasAttr(kNodeSourceAttrName)) {
    ::onnx::NodeProto node;
    if (failed(readSource(op, kNodeSourceAttrName, node)))
      return void(hasRefused = true);
    bool isOther = node.attribute_size() == 1 &&
                   node.attribute(0).name() != "value" && options.opset < 12;
    if (isOther) {
      node.mutable_attribute(0)->set_name("value");
      keepSource(op, node);
      note(op, ConversionKind::Restated, "as a tensor");
    }
  }
  bool areUsersKept = llvm::all_of(op->getUsers(), [&](Operation *user) {
    auto dequantize = dyn_cast<DequantizeOp>(user);
    return dequantize && isKept(dequantize);
  });
  if (!areUsersKept || op->use_empty())
    (void)hasResultTypes(op);
}

//===----------------------------------------------------------------------===//
// Ordinary nodes
//===----------------------------------------------------------------------===//

std::string OpsetConverter::describeUnsupportedType(Type elementType) {
  std::string name = getOnnxTypeName(elementType).str();
  return llvm::is_contained(options.without, name)
             ? "the model must not use type " + name
             : "the opset has no type " + name;
}

bool OpsetConverter::hasResultTypes(Operation *op) {
  for (Type type : op->getResultTypes()) {
    Type elementType = getTensorElementType(type);
    if (!elementType || hasElementType(options, elementType))
      continue;
    refuse(op, describeUnsupportedType(elementType));
    return false;
  }
  return true;
}

/// Exports the node for ONNX's library. All inputs have distinct names. Returns
/// false if the node has bodies or other attributes that are not plain; these
/// are exported without their values.
static bool exportNode(NodeOp op, KnownNode &known) {
  ::onnx::NodeProto &proto = known.node;
  proto.set_op_type(op.getOpType().str());
  auto operand = op.getInputs().begin();
  unsigned count = op.getInputs().size() + op.getAbsentInputs().size();
  for (unsigned i = 0; i != count; ++i) {
    KnownInput &input = known.inputs.emplace_back();
    if (llvm::is_contained(op.getAbsentInputs(), i)) {
      proto.add_input("");
      continue;
    }
    Value value = *operand++;
    proto.add_input("input" + std::to_string(i));
    input.isPresent = true;
    input.type = exportType(value.getType());
    input.data = exportData(value);
  }
  for (unsigned i = 0; i != op.getNumResults(); ++i)
    proto.add_output("output" + std::to_string(i));
  bool isPlain = op->getNumRegions() == 0;
  for (NamedAttribute attribute : op.getNodeAttributes()) {
    ::onnx::AttributeProto &added = *proto.add_attribute();
    added.set_name(attribute.getName().str());
    if (exportPlainAttribute(attribute.getValue(), added))
      continue;
    isPlain = false;
    using Proto = ::onnx::AttributeProto;
    if (isa<ElementsAttr>(attribute.getValue())) {
      added.set_type(Proto::TENSOR);
      (void)added.mutable_t();
    } else if (isa<ArrayAttr>(attribute.getValue())) {
      added.set_type(Proto::STRINGS);
    }
  }
  for (StringRef name : op.getBodyNames().getAsValueRange<StringAttr>()) {
    ::onnx::AttributeProto &added = *proto.add_attribute();
    added.set_name(name.str());
    added.set_type(::onnx::AttributeProto::GRAPH);
    (void)added.mutable_g();
  }
  return isPlain;
}

FailureOr<SmallVector<Operation *>>
OpsetConverter::replaceNode(NodeOp op, Operation *before,
                            ArrayRef<Value> results) {
  ::onnx::NodeProto source;
  if (failed(readSource(op, kNodeSourceAttrName, source)))
    return failure();
  Operation *last = results.empty() || !results.front()
                        ? nullptr
                        : results.front().getDefiningOp();
  SmallVector<Operation *> made;
  Operation *added = before ? before->getNextNode() : &op->getBlock()->front();
  for (; added != op; added = added->getNextNode()) {
    made.push_back(added);
    auto node = dyn_cast<NodeOp>(added);
    std::string opType = node ? node.getOpType().str() : "Constant";
    if (added == last) {
      added->setLoc(op->getLoc());
      continue;
    }
    std::string name = quant_float::getNodeName(op->getLoc()).str();
    std::string unique = names.make(name + "/" + opType);
    added->setLoc(appendToName(op->getLoc(), unique.substr(name.size())));
  }
  // The op that defines the results takes over the names of the node.
  if (last && last->getResults() == ValueRange(results)) {
    source.clear_attribute();
    source.clear_input();
    keepSource(last, source);
    if (auto node = dyn_cast<NodeOp>(last))
      node.setNodeNameAttr(op.getNodeNameAttr());
  }
  for (Value input : op.getInputs())
    if (Operation *constant = input.getDefiningOp<AnyConstantOp>())
      unused.insert(constant);
  for (auto [result, replacement] : llvm::zip_equal(op.getResults(), results)) {
    Value value = replacement;
    if (!value)
      continue;
    value.setType(result.getType());
    result.replaceAllUsesWith(value);
  }
  op.erase();
  return made;
}

LogicalResult OpsetConverter::adaptNode(NodeOp op, ::onnx::NodeProto &proto,
                                        ::onnx::FunctionProto &body) {
  OpBuilder builder(op);
  Operation *before = op->getPrevNode();
  Importer importer(op.getContext(), "", "", OnnxImportOptions());
  FailureOr<SmallVector<Value>> results =
      importer.importExpansion(op, proto, body, builder);
  if (failed(results) ||
      !llvm::all_of(*results, [](Value value) { return !!value; }))
    return failure();
  return LogicalResult(replaceNode(op, before, *results));
}

/// If the opset lacks an equivalent of a node of the function, conversion
/// fails.
bool OpsetConverter::expandNode(NodeOp op) {
  Operation *before = op->getPrevNode();
  OpBuilder builder(op);
  NodeExpansion expansion = quant_float::expandNode(builder, op, options.opset);
  if (expansion.results.empty())
    return false;
  // Report the node before it is erased.
  note(op, ConversionKind::Adapted, "expanded to its function body");
  size_t first = conversion.nodes.size();
  FailureOr<SmallVector<Operation *>> made =
      replaceNode(op, before, expansion.results);
  if (failed(made)) {
    conversion.nodes.back().kind = ConversionKind::Refused;
    conversion.nodes.back().detail.clear();
    return hasRefused = true;
  }
  // Erase unused results, and the ops that only they use.
  for (Operation *&part : llvm::reverse(*made))
    if (part->use_empty()) {
      part->erase();
      part = nullptr;
    }
  for (Operation *part : *made)
    if (part)
      convertOp(part);
  // Report only those nodes of the function that are refused, and with them the
  // node itself.
  auto &nodes = conversion.nodes;
  nodes.erase(std::remove_if(nodes.begin() + first, nodes.end(),
                             [](const ConvertedNode &node) {
                               return node.kind != ConversionKind::Refused;
                             }),
              nodes.end());
  if (nodes.size() != first) {
    nodes[first - 1].kind = ConversionKind::Refused;
    nodes[first - 1].detail =
        "a node of the function that defines it is refused";
  }
  return true;
}

/// Returns an attribute that a conversion sets, and its representation in
/// reports.
static std::pair<Attribute, std::string>
importPlainAttribute(MLIRContext *context,
                     const ::onnx::AttributeProto &attribute) {
  Builder builder(context);
  std::string printed;
  llvm::raw_string_ostream os(printed);
  switch (attribute.type()) {
  case ::onnx::AttributeProto::INT:
    os << attribute.i();
    return {builder.getI64IntegerAttr(attribute.i()), printed};
  case ::onnx::AttributeProto::FLOAT:
    os << attribute.f();
    return {builder.getF32FloatAttr(attribute.f()), printed};
  case ::onnx::AttributeProto::INTS: {
    SmallVector<int64_t> values(attribute.ints().begin(),
                                attribute.ints().end());
    os << "[";
    llvm::interleaveComma(values, os);
    os << "]";
    return {builder.getDenseI64ArrayAttr(values), printed};
  }
  default:
    return {builder.getStringAttr(attribute.s()), printable(attribute.s())};
  }
}

void OpsetConverter::convertNode(NodeOp op) {
  for (Region &region : op.getBodies()) {
    for (BlockArgument argument : region.getArguments())
      if (Type type = getTensorElementType(argument.getType());
          type && !hasElementType(options, type))
        return refuse(op, "for a body input, " + describeUnsupportedType(type));
    convertBlock(region.front());
  }
  if (options.lacksOperator && options.lacksOperator(op) && expandNode(op))
    return;
  if (!op.getDomain().empty()) {
    if (hasResultTypes(op))
      note(op, ConversionKind::Unchanged);
    return;
  }
  if (!hasResultTypes(op))
    return;
  KnownNode known;
  known.opset = op.getOpset();
  bool isPlain = exportNode(op, known);
  std::vector<::onnx::TypeProto> outputs;
  for (Type type : op.getResultTypes())
    outputs.push_back(exportType(type));
  NodeConversion found =
      onnx_import::convertNode(known, outputs, options.opset);
  if (found.stays) {
    op.setOpset(options.opset);
    NamedAttrList attributes(op.getNodeAttributes());
    std::string detail;
    for (const std::string &name : found.dropped)
      if (attributes.erase(name))
        detail += (detail.empty() ? "without " : ", ") + name;
    for (const ::onnx::AttributeProto &attribute : found.set) {
      auto [value, printed] = importPlainAttribute(op.getContext(), attribute);
      attributes.set(attribute.name(), value);
      detail += (detail.empty() ? "with " : ", with ") + attribute.name() +
                " " + printed;
    }
    op.setNodeAttributesAttr(attributes.getDictionary(op.getContext()));
    return note(op,
                found.isSameVersion ? ConversionKind::Unchanged
                                    : ConversionKind::Restated,
                detail);
  }
  if (!found.body)
    return expandNode(op) ? void() : refuse(op, printable(found.problem));
  if (!isPlain)
    return refuse(op, "the versions of the operator differ");
  // Report the node before it is erased.
  note(op, ConversionKind::Adapted);
  // The attribute values are part of the body.
  known.node.clear_attribute();
  if (failed(adaptNode(op, known.node, *found.body))) {
    conversion.nodes.pop_back();
    refuse(op, "its replacement does not fit");
  }
}

//===----------------------------------------------------------------------===//
// Graphs and models
//===----------------------------------------------------------------------===//

void OpsetConverter::convertOp(Operation *op) {
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](AnyConstantOp constant) { convertConstant(constant); })
      .Case([&](NodeOp node) { convertNode(node); })
      .Case([&](CastOp cast) { convertCast(cast); })
      .Case([&](QuantizeOp quantize) { convertQuantize(quantize); })
      .Case([&](DequantizeOp dequantize) { convertDequantize(dequantize); })
      .Default([&](Operation *other) { refuse(other, "not an ONNX node"); });
}

void OpsetConverter::convertBlock(Block &block) {
  // Report errors of nodes before those of their constants. Constants that no
  // node uses anymore are not converted.
  for (Operation &op : llvm::make_early_inc_range(block.without_terminator()))
    if (!isa<AnyConstantOp>(op))
      convertOp(&op);
  for (auto op : llvm::make_early_inc_range(block.getOps<AnyConstantOp>()))
    convertConstant(op);
}

/// Returns the first IR version that has the opset and, if necessary,
/// functions.
static int64_t getIrVersion(int64_t opset, bool hasFunctions) {
  static constexpr int64_t kFirstIrVersionWithFunctions = 8;
  int64_t version = onnx_import::getFirstIrVersion(opset);
  return hasFunctions ? std::max(version, kFirstIrVersionWithFunctions)
                      : version;
}

LogicalResult OpsetConverter::convertSource(ModuleOp module) {
  ::onnx::ModelProto model;
  if (failed(readSource(module, kModelSourceAttrName, model)))
    return failure();
  // Modules that were imported from other formats, such as files of weights,
  // have no opset.
  std::optional<int64_t> imported = getOnnxOpset(module);
  if (!model.has_ir_version() && !imported)
    return diagnose({module.getLoc(), ""}, Diag::NoConversion, options.opset,
                    "the module has no ONNX opset");
  if (options.opset == 0) {
    options.opset = imported.value_or(0);
    for (const auto &import : model.opset_import())
      if (normalizeDomain(import.domain()).empty())
        options.opset = import.version();
    if (options.opset < kOldestTargetOpset)
      return diagnose(
          {module.getLoc(), ""}, Diag::NoConversion, options.opset,
          ("the oldest supported target opset is " + Twine(kOldestTargetOpset))
              .str());
  }
  if (!model.has_ir_version()) {
    conversion.from = *imported;
    conversion.to = options.opset;
    setOnnxOpset(module, options.opset);
    return success();
  }
  conversion.to = options.opset;
  auto convertImports = [&](auto &message) {
    int64_t from = options.opset;
    for (auto &import : *message.mutable_opset_import())
      if (normalizeDomain(import.domain()).empty()) {
        from = import.version();
        import.set_version(options.opset);
      }
    return from;
  };
  conversion.from = convertImports(model);
  for (::onnx::FunctionProto &function : *model.mutable_functions()) {
    int64_t from = convertImports(function);
    (void)anyNode(function.node(), [&](const ::onnx::NodeProto &node) {
      if (!normalizeDomain(node.domain()).empty() ||
          isSameVersion(node.op_type(), from, options.opset))
        return false;
      std::string reason = "the function '" + printable(function.name()) +
                           "' uses it and is not expanded";
      conversion.nodes.push_back({printable(onnx_import::getNodeName(node)),
                                  printable(node.op_type()),
                                  ConversionKind::Refused, reason});
      (void)diagnose(Subject{module.getLoc(), describe(node)},
                     Diag::NoConversion, options.opset, reason);
      return hasRefused = true;
    });
  }
  if (model.training_info_size() != 0 && conversion.from != options.opset) {
    hasRefused = true;
    (void)diagnose({module.getLoc(), ""}, Diag::NoConversion, options.opset,
                   "the model has training information");
  }
  model.set_ir_version(
      getIrVersion(options.opset, model.functions_size() != 0));
  keepSource(module, model);
  return success();
}

template <typename OpTy>
static SmallVector<OpTy> collect(func::FuncOp function) {
  SmallVector<OpTy> ops;
  function.walk([&](OpTy op) { ops.push_back(op); });
  return ops;
}

void OpsetConverter::expandTypes(func::FuncOp function) {
  // Visit users before the ops that they use. An imported CastLike does not use
  // the value that determines its type.
  function.walk<WalkOrder::PostOrder, ReverseIterator>([&](Operation *op) {
    if (isa<CastOp, QuantizeOp>(op))
      (void)leaveOut(op);
  });
  SmallVector<NodeOp> nodes = collect<NodeOp>(function);
  for (NodeOp op : llvm::reverse(nodes))
    sinkMovement(op);
  // Replace scales before the ops that use them.
  for (CastOp op : collect<CastOp>(function))
    if (llvm::any_of(op.getResult().getUses(), isScale))
      expandRoundTrip(op);
  for (QuantizeOp op : collect<QuantizeOp>(function))
    expandRoundTrip(op);
  for (CastOp op : collect<CastOp>(function))
    expandRoundTrip(op);
  for (QuantizeOp op : collect<QuantizeOp>(function))
    expandQuantize(op);
  for (DequantizeOp op : collect<DequantizeOp>(function))
    expandDequantize(op);
  for (CastOp op : collect<CastOp>(function))
    expandCast(op);
}

LogicalResult OpsetConverter::convertModel(ModuleOp module) {
  if (failed(convertSource(module)))
    return failure();
  names.collect(module);
  for (auto function : module.getOps<func::FuncOp>()) {
    for (BlockArgument argument : function.getArguments()) {
      Type type = getTensorElementType(argument.getType());
      if (!type || hasElementType(options, type))
        continue;
      std::string reason = describeUnsupportedType(type);
      std::string name = printable(quant_float::getNodeName(argument.getLoc()));
      conversion.nodes.push_back(
          {name, "input", ConversionKind::Refused, reason});
      (void)diagnose(
          Subject{stripCalls(argument.getLoc()), "graph input '" + name + "'"},
          Diag::NoConversion, options.opset, reason);
      hasRefused = true;
    }
    if (hasRefused)
      continue;
    expandTypes(function);
    Block &block = function.getBody().front();
    convertBlock(block);
    function.setFunctionType(
        FunctionType::get(module.getContext(), block.getArgumentTypes(),
                          block.getTerminator()->getOperandTypes()));
  }
  if (hasRefused)
    return failure();
  for (Operation *constant : unused)
    if (constant->use_empty())
      constant->erase();
  return success();
}

LogicalResult quant_float::convertOpset(ModuleOp module,
                                        const OpsetOptions &options,
                                        OpsetConversion &conversion) {
  return OpsetConverter(options, conversion).convertModel(module);
}
