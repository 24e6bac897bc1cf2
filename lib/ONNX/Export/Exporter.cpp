//===- Exporter.cpp - Export of models and graphs -------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Exporter.h"
#include "../Common/Names.h"
#include "../Common/Source.h"
#include "../Common/Types.h"
#include "../Common/Wire.h"
#include "quant-float/IR/Constants.h"
#include "quant-float/IR/EntryPointInfo.h"
#include "quant-float/IR/OpsetRules.h"
#include "quant-float/Support/Locations.h"
#include "quant-float/Support/OpsetImports.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::onnx_import;

namespace {
/// The opset of modules that do not specify one. Every current runtime supports
/// it.
constexpr int64_t kDefaultOpset = 13;
} // namespace

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

static void collectNames(const ::onnx::GraphProto &graph,
                         llvm::StringSet<> &names);

static void collectNames(const ::onnx::NodeProto &node,
                         llvm::StringSet<> &names) {
  names.insert_range(node.output());
  for (const auto &attribute : node.attribute()) {
    if (attribute.has_g())
      collectNames(attribute.g(), names);
    for (const auto &graph : attribute.graphs())
      collectNames(graph, names);
  }
}

static void collectNames(const ::onnx::GraphProto &graph,
                         llvm::StringSet<> &names) {
  for (const auto &input : graph.input())
    names.insert(input.name());
  for (const auto &output : graph.output())
    names.insert(output.name());
}

/// Collects all names in the stored sources of the module.
static void collectNames(ModuleOp module, llvm::StringSet<> &names) {
  module.walk([&](Operation *op) {
    // The export of the op reports a malformed source.
    ScopedDiagnosticHandler silence(op->getContext(),
                                    [](Diagnostic &) { return success(); });
    ::onnx::NodeProto node;
    ::onnx::TensorProto tensor;
    ::onnx::GraphProto graph;
    if (succeeded(readSource(op, kNodeSourceAttrName, node)))
      collectNames(node, names);
    if (succeeded(readSource(op, kTensorSourceAttrName, tensor)))
      names.insert(tensor.name());
    if (succeeded(readSource(op, kGraphSourceAttrName, graph)))
      collectNames(graph, names);
  });
}

std::string Exporter::makeName(StringRef base) {
  if (used.empty()) {
    // Makes the set nonempty, so that the names are collected once.
    used.insert("");
    collectNames(module, used);
    for (const auto &entry : preferredNames)
      used.insert(entry.second);
  }
  if (base.empty())
    base = "value";
  std::string name = base.str();
  // Names stay in use, so smaller suffixes are not tried again.
  for (unsigned &suffix = suffixes[base]; !used.insert(name).second;)
    name = (base + "_" + Twine(++suffix)).str();
  return name;
}

void Exporter::name(Value value, StringRef preferred, Scope &scope) {
  std::string &name = names[value];
  if (!preferred.empty() && !scope.defines(preferred))
    name = preferred.str();
  else
    name = makeName(quant_float::getNodeName(value.getLoc()));
  scope.defined.insert(name);
  scope.made[name] = value;
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

LogicalResult Exporter::declare(::onnx::ValueInfoProto &info, StringRef name,
                                Type type, const Subject &subject) {
  Subject here = subject / ("value '" + Twine(printable(name)) + "'");
  info.set_name(name.str());
  if (info.has_type()) {
    FailureOr<Type> existing = convertType(info.type(), here);
    if (failed(existing))
      return failure();
    if (areCompatible(*existing, type))
      return success();
    info.clear_type();
  }
  if (isa<UnknownType>(type))
    return success();
  return exportType(type, *info.mutable_type(), here);
}

LogicalResult Exporter::exportInputs(Block &block, ::onnx::GraphProto &graph,
                                     Scope &scope, const Subject &subject) {
  llvm::StringSet<> constants;
  for (auto constant : block.getOps<AnyConstantOp>()) {
    ::onnx::TensorProto tensor;
    if (failed(readSource(constant, kTensorSourceAttrName, tensor)))
      return failure();
    constants.insert(tensor.name());
  }
  SmallVector<::onnx::ValueInfoProto *> inputs;
  for (::onnx::ValueInfoProto &input : *graph.mutable_input())
    if (!constants.contains(input.name()))
      inputs.push_back(&input);
  // The stored source does not match the function.
  if (inputs.size() != block.getNumArguments()) {
    graph.clear_input();
    inputs.clear();
  }
  auto function = dyn_cast<func::FuncOp>(block.getParentOp());
  for (BlockArgument argument : block.getArguments()) {
    unsigned index = argument.getArgNumber();
    if (index < inputs.size()) {
      name(argument, inputs[index]->name(), scope);
      // If the source does not declare a type, the export does not either.
      if (inputs[index]->has_type() &&
          failed(declare(*inputs[index], names[argument], argument.getType(),
                         subject)))
        return failure();
      inputs[index]->set_name(names[argument]);
      continue;
    }
    auto nameAttr =
        function ? function.getArgAttrOfType<StringAttr>(index, kNameAttrName)
                 : StringAttr();
    name(argument,
         nameAttr ? nameAttr.getValue()
                  : quant_float::getNodeName(argument.getLoc()),
         scope);
    if (failed(declare(*graph.add_input(), names[argument], argument.getType(),
                       subject)))
      return failure();
  }
  return success();
}

LogicalResult Exporter::exportOutputs(Operation *terminator,
                                      ::onnx::GraphProto &graph, Scope &scope,
                                      const Subject &subject) {
  ValueRange outputs = terminator->getOperands();
  bool hasSource = graph.output_size() == static_cast<int>(outputs.size());
  if (!hasSource)
    graph.clear_output();
  llvm::StringSet<> seen;
  for (auto [index, value] : llvm::enumerate(outputs)) {
    bool isDeclared = hasSource;
    ::onnx::ValueInfoProto &info =
        hasSource ? *graph.mutable_output(index) : *graph.add_output();
    std::string preferred =
        hasSource ? info.name() : preferredNames.lookup(value);
    std::string name = names.lookup(value);
    // Only the result of a node of this graph can be its output without an
    // Identity.
    Operation *made = value.getDefiningOp();
    bool isMadeHere = made && made->getBlock() == terminator->getBlock();
    bool isOwn =
        hasSource ? name == preferred : isMadeHere && !seen.contains(name);
    if (!isOwn)
      name = addIdentity(name, preferred, graph, scope);
    seen.insert(name);
    if (isDeclared && !info.has_type())
      continue;
    if (failed(declare(info, name, value.getType(), subject)))
      return failure();
  }
  return success();
}

LogicalResult Exporter::exportGraph(Block &block, ::onnx::GraphProto &graph,
                                    const Scope *parent,
                                    const Subject &subject) {
  Scope scope{parent};
  if (failed(exportInputs(block, graph, scope, subject)))
    return failure();
  for (Operation &op : block.without_terminator())
    if (failed(exportOp(op, graph, scope)))
      return failure();
  if (failed(exportOutputs(block.getTerminator(), graph, scope, subject)))
    return failure();

  auto *infos = graph.mutable_value_info();
  for (int i = infos->size(); i-- > 0;) {
    auto made = scope.made.find(infos->Get(i).name());
    if (made == scope.made.end())
      continue;
    FailureOr<Type> declared = convertType(infos->Get(i).type(), subject);
    if (failed(declared))
      return failure();
    if (!areCompatible(*declared, made->second.getType()))
      infos->DeleteSubrange(i, 1);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Models
//===----------------------------------------------------------------------===//

/// Whether a tensor in the message has external data.
static bool refersToFiles(StringRef bytes, Message message) {
  constexpr uint64_t kDataLocationField = 14;
  return !forEachField(bytes, [&](const Field &field) {
    if (message == Message::Tensor && field.number == kDataLocationField)
      return field.value != ::onnx::TensorProto::EXTERNAL;
    Message inner = getMessage(message, field.number);
    return !field.isChunk || inner == Message::None ||
           !refersToFiles(field.content, inner);
  });
}

LogicalResult Exporter::finishModel(ModuleOp module, ::onnx::ModelProto &model,
                                    const Subject &subject) {
  auto source = module->getAttrOfType<StringAttr>(kModelSourceAttrName);
  if (source && refersToFiles(source, Message::Model))
    return diagnose(subject, Diag::ExternalKept);
  auto version = module->getAttrOfType<IntegerAttr>("quant_float.ir_version");
  auto imports = module->getAttrOfType<DictionaryAttr>(kOpsetImportsAttrName);
  if (!model.has_ir_version()) {
    if (imports)
      for (NamedAttribute import : imports)
        if (auto opset = dyn_cast<IntegerAttr>(import.getValue()))
          opsets.try_emplace(normalizeDomain(import.getName()).str(),
                             opset.getInt());
    if (auto producer =
            module->getAttrOfType<StringAttr>("quant_float.producer"))
      model.set_producer_name(producer.str());
    opsets.try_emplace("", kDefaultOpset);
    model.set_ir_version(std::max(version ? version.getInt() : 0,
                                  getFirstIrVersion(opsets.at(""))));
  }
  if (model.ir_version() < kFirstIrVersionWithOpsets)
    return success();
  for (auto &import : *model.mutable_opset_import()) {
    auto opset = opsets.find(normalizeDomain(import.domain()).str());
    if (opset == opsets.end())
      continue;
    import.set_version(opset->second);
  }
  for (const auto &import : model.opset_import())
    opsets.erase(normalizeDomain(import.domain()).str());
  for (const auto &[domain, opset] : opsets) {
    auto *import = model.add_opset_import();
    import->set_domain(domain);
    import->set_version(opset);
  }
  return success();
}

LogicalResult Exporter::exportModel(ModuleOp newModule, raw_ostream &os) {
  module = newModule;
  Subject file{module.getLoc(), ""};
  SmallVector<func::FuncOp> functions;
  for (Operation &op : *module.getBody()) {
    auto function = dyn_cast<func::FuncOp>(op);
    if (!function)
      return diagnose(describeOp(&op), Diag::NoNode, "expected a function");
    if (!function.isExternal())
      functions.push_back(function);
  }
  if (functions.size() != 1)
    return diagnose(file, Diag::FunctionCount, functions.size());
  func::FuncOp function = functions.front();
  if (!function.getBody().hasOneBlock())
    return diagnose(describeOp(function), Diag::NoNode,
                    "a function with several blocks");

  ::onnx::ModelProto model;
  if (failed(readSource(module, kModelSourceAttrName, model)))
    return failure();
  ::onnx::GraphProto &graph = *model.mutable_graph();
  if (failed(readSource(function, kGraphSourceAttrName, graph)))
    return failure();
  if (!graph.has_name()) {
    auto name = function->getAttrOfType<StringAttr>(kGraphNameAttrName);
    graph.set_name((name ? name.getValue() : function.getSymName()).str());
  }
  Block &block = function.getBody().front();
  if (graph.output_size() == 0)
    for (auto [index, value] :
         llvm::enumerate(block.getTerminator()->getOperands()))
      if (auto name =
              function.getResultAttrOfType<StringAttr>(index, kNameAttrName))
        preferredNames.try_emplace(value, name.str());
  if (failed(exportGraph(block, graph, /*parent=*/nullptr, file)) ||
      failed(finishModel(module, model, file)))
    return failure();

  constexpr uint64_t kLargest = std::numeric_limits<int>::max();
  uint64_t size = model.ByteSizeLong();
  if (size <= kLargest)
    size = encoder.getWriter().layOut(model);
  if (size > kLargest)
    return diagnose(file, Diag::TooLargeToWrite, kLargest, size);
  encoder.getWriter().write(os, options.onWritten);
  return success();
}
