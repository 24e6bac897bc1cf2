//===- Importer.cpp - Import of OpenVINO models ---------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Importer.h"
#include "../../Interchange/Names.h"
#include "../Common/Source.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Verifier.h"
#include "quant-float/IR/Constants.h"
#include "quant-float/IR/EntryPointInfo.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::openvino_import;

//===----------------------------------------------------------------------===//
// Model
//===----------------------------------------------------------------------===//

OwningOpRef<ModuleOp> Importer::importModel() {
  OwningOpRef<ModuleOp> module = ModuleOp::create(file);
  (*module)->setAttr("quant_float.openvino_ir_version",
                     builder.getI64IntegerAttr(network->getVersion()));
  builder.setInsertionPointToEnd(module->getBody());
  StringAttr name = builder.getStringAttr(network->getName());
  function = func::FuncOp::create(builder, NameLoc::get(name, file),
                                  makeIdentifier(name),
                                  builder.getFunctionType({}, {}));
  function->setAttr(kGraphNameAttrName, name);
  block = function.addEntryBlock();
  builder.setInsertionPointToEnd(block);
  if (options.keepsSource)
    (*module)->setAttr(kModelSourceAttrName,
                       makeSource(context, network->getRoot(), kGraph));
  if (failed(importLayers()))
    return nullptr;
  if (hasInvalidLayers || (options.verify && failed(mlir::verify(*module))))
    return nullptr;
  // Set the modes after verification, because it would not check a shift that a
  // mode removes.
  if (options.verify)
    setFakeConvertModes(*module, options.fakeConvertMode);
  return module;
}

LogicalResult Importer::importLayers() {
  if (failed(importGraph()))
    return failure();
  func::ReturnOp::create(builder, file, returned);
  function.setFunctionType(builder.getFunctionType(
      function.front().getArgumentTypes(), ValueRange(returned).getTypes()));
  function.setAllArgAttrs(argumentAttributes);
  function.setAllResultAttrs(resultAttributes);
  return success();
}

LogicalResult Importer::importGraph() {
  FailureOr<SmallVector<unsigned>> order = network->sortLayers();
  if (failed(order))
    return failure();
  // Arguments and results are in the order of the file.
  SmallVector<unsigned> parameters, results;
  for (auto [index, layer] : llvm::enumerate(network->getLayers())) {
    std::optional<NodeKind> kind = layer.getKind();
    if (kind == NodeKind::OpenVinoParameter)
      parameters.push_back(index);
    if (kind != NodeKind::OpenVinoResult)
      continue;
    // Results are imported last, so no layer may depend on them.
    if (failed(checkPorts(layer, 1, 0)))
      return failure();
    results.push_back(index);
  }
  llvm::erase_if(*order, [&](unsigned index) {
    return llvm::is_contained(
        {NodeKind::OpenVinoParameter, NodeKind::OpenVinoResult},
        network->getLayers()[index].getKind());
  });
  for (ArrayRef<unsigned> layers :
       {ArrayRef(parameters), ArrayRef(*order), ArrayRef(results)})
    for (unsigned index : layers)
      if (failed(importLayer(index)))
        return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// Layers
//===----------------------------------------------------------------------===//

LogicalResult Importer::importLayer(unsigned index) {
  const Layer &layer = network->getLayers()[index];
  SmallVector<Value> operands;
  for (const InputPort &port : layer.inputs)
    operands.push_back(values.lookup({port.source->layer, port.source->port}));
  std::optional<NodeKind> kind = layer.getKind();
  if (kind == NodeKind::OpenVinoParameter)
    return importParameter(index, operands);
  if (kind == NodeKind::OpenVinoResult)
    return importResult(index, operands);
  if (kind == NodeKind::OpenVinoConst)
    return importConstant(index, operands);
  return importNode(index, operands);
}

void Importer::keepSource(const Layer &layer, NamedAttrList &attributes) {
  if (options.keepsSource)
    attributes.set(kLayerSourceAttrName, makeSource(context, layer.node));
}

void Importer::keepSource(const Layer &layer, Operation *op,
                          ArrayRef<StringRef> leftOut) {
  if (options.keepsSource)
    op->setAttr(kLayerSourceAttrName, makeSource(context, layer.node, leftOut));
}

void Importer::define(unsigned index, ValueRange defined) {
  for (auto [port, value] : llvm::enumerate(defined))
    values[{index, port}] = value;
}

LogicalResult Importer::checkPorts(const Layer &layer, size_t inputs,
                                   size_t outputs) {
  if (layer.inputs.size() != inputs)
    return diagnose(layer.subject, Diag::InputCount, inputs,
                    layer.inputs.size());
  if (layer.outputs.size() != outputs)
    return diagnose(layer.subject, Diag::OutputCount, outputs,
                    layer.outputs.size());
  return success();
}

/// Returns the first of a list of tensor names. A comma within a name is "\\,".
static std::string getFirstName(StringRef names) {
  std::string name;
  for (; !names.empty() && names.front() != ','; names = names.drop_front()) {
    if (names.front() == '\\' && names.size() > 1)
      names = names.drop_front();
    name += names.front();
  }
  return name;
}

/// Returns the user-visible name of a tensor: its first name, or the layer's if
/// it has none.
static std::string getTensorName(StringRef names, const Layer &layer) {
  std::string name = getFirstName(names);
  return name.empty() ? layer.name.str() : name;
}

LogicalResult Importer::defineData(unsigned index, Value value) {
  const Layer &layer = network->getLayers()[index];
  define(index, value);
  FailureOr<Type> declared = convertPort(layer.outputs.front().node,
                                         /*knowsRank=*/false, layer.subject);
  if (failed(declared))
    return failure();
  // OpenVINO ignores the declared type, so a difference is an error only if
  // strict.
  FailureOr<bool> agrees =
      verifyDeclaredType(*declared, value.getType(), "output 0", options.strict,
                         [&](DiagnosticSeverity severity) {
                           return beginDiagnostic(layer.subject, severity);
                         });
  return failure(failed(agrees));
}

LogicalResult Importer::importParameter(unsigned index, ValueRange operands) {
  const Layer &layer = network->getLayers()[index];
  if (failed(checkPorts(layer, 0, 1)))
    return failure();
  FailureOr<pugi::xml_node> data =
      findChild(layer.node, "data", layer.subject, /*isRequired=*/true);
  if (failed(data))
    return failure();
  FailureOr<DataType> read = readDataType(*data, layer.subject);
  if (failed(read))
    return failure();
  auto &[element, shape, shapeSpelling] = *read;
  if (!element.type || element.storage == Storage::Nf4)
    return diagnose(layer.subject, Diag::UnsupportedElementType, "element_type",
                    element.name);
  FailureOr<Type> type = makeTensorType(element.type, shape, layer.subject);
  if (failed(type))
    return failure();

  if (failed(defineData(index, block->addArgument(*type, layer.subject.loc))))
    return failure();
  StringRef names = layer.outputs.front().node.attribute("names").value();
  NamedAttrList attributes;
  attributes.set(kNameAttrName,
                 builder.getStringAttr(getTensorName(names, layer)));
  if (shape.hasBounds)
    attributes.set(kShapeAttrName, builder.getStringAttr(shapeSpelling));
  keepSource(layer, attributes);
  argumentAttributes.push_back(attributes.getDictionary(context));
  return success();
}

LogicalResult Importer::importResult(unsigned index, ValueRange operands) {
  const Layer &layer = network->getLayers()[index];
  Source source = *layer.inputs.front().source;
  const Layer &from = network->getLayers()[source.layer];
  StringRef names = layer.node.attribute("output_names").value();
  if (names.empty())
    names = from.outputs[source.port].node.attribute("names").value();
  returned.push_back(operands.front());
  NamedAttrList attributes;
  attributes.set(kNameAttrName,
                 builder.getStringAttr(getTensorName(names, from)));
  keepSource(layer, attributes);
  resultAttributes.push_back(attributes.getDictionary(context));
  return success();
}

LogicalResult Importer::importConstant(unsigned index, ValueRange operands) {
  const Layer &layer = network->getLayers()[index];
  const Subject &subject = layer.subject;
  if (failed(checkPorts(layer, 0, 1)))
    return failure();
  FailureOr<pugi::xml_node> data =
      findChild(layer.node, "data", subject, /*isRequired=*/true);
  if (failed(data))
    return failure();
  FailureOr<DataType> read = readDataType(*data, subject);
  if (failed(read))
    return failure();
  auto &[element, shape, shapeSpelling] = *read;
  FailureOr<uint64_t> offset = readNumber(*data, "offset", subject);
  if (failed(offset))
    return failure();
  FailureOr<uint64_t> size = readNumber(*data, "size", subject);
  if (failed(size))
    return failure();
  if (element.storage == Storage::None)
    return diagnose(subject, Diag::UnsupportedElementType, "element_type",
                    element.name);
  if (!shape.isRanked || ShapedType::isDynamicShape(shape.dims))
    return diagnose(subject, Diag::BadShape, printable(shapeSpelling));
  FailureOr<ElementsAttr> value =
      weights.read(element, shape.dims, *offset, *size,
                   layer.name.empty() ? layer.type : layer.name, subject);
  if (failed(value))
    return failure();
  auto op = createConstant(builder, subject.loc, cast<TypedAttr>(*value));
  keepSource(layer, op);
  return defineData(index, op);
}

//===----------------------------------------------------------------------===//
// Other layers
//===----------------------------------------------------------------------===//

void Importer::warnOfBodies(const Layer &layer) {
  for (pugi::xml_node child : layer.node.children())
    if (StringRef(child.name()).ends_with("body"))
      (void)diagnose(layer.subject, Diag::BodyIgnored, printable(child.name()));
}

/// Replaces the node by an op of the dialect.
LogicalResult Importer::resolve(unsigned index, NodeOp node) {
  const Subject &subject = network->getLayers()[index].subject;
  auto emitError = [&] {
    return beginDiagnostic(subject, DiagnosticSeverity::Error);
  };
  // Callers that disable verification report the errors of each layer later,
  // based on the remaining node.
  std::optional<ScopedDiagnosticHandler> silence;
  if (!options.verify)
    silence.emplace(context, [](Diagnostic &) { return success(); });
  FailureOr<NodeResolution> resolution = resolveNode(builder, node, emitError);
  silence.reset();
  // Continue with the other layers to report all errors. The import fails at
  // the end.
  if (failed(resolution)) {
    hasInvalidLayers |= options.verify;
    return success();
  }
  if (failed(verifyDeclaredTypes(node, *resolution, options.strict,
                                 [&](DiagnosticSeverity severity) {
                                   return beginDiagnostic(subject, severity);
                                 })))
    return failure();
  Operation *op = resolution->op;
  if (!op) {
    if (!hasInvalidLayers)
      (void)diagnose(subject, Diag::UntypedInput,
                     resolution->describeMissing());
    return success();
  }
  if (options.verify && failed(verifyResolvedNode(op, emitError)))
    hasInvalidLayers = true;
  keepSource(network->getLayers()[index], op);
  node.erase();
  define(index, op->getResults());
  return success();
}

LogicalResult Importer::importNode(unsigned index, ValueRange operands) {
  const Layer &layer = network->getLayers()[index];
  FailureOr<pugi::xml_node> data = findChild(layer.node, "data", layer.subject);
  if (failed(data))
    return failure();
  FailureOr<DictionaryAttr> attributes = importAttributes(
      layer.domain == kOpenVinoDomain ? layer.type : StringRef(), *data,
      layer.subject);
  if (failed(attributes))
    return failure();
  SmallVector<Type> types;
  // A port without dimensions may be a scalar or unranked. It is a scalar only
  // if all inputs have static shapes.
  bool knowsRank = llvm::all_of(operands, [](Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    return type && type.hasStaticShape();
  });
  for (const OutputPort &port : layer.outputs) {
    FailureOr<Type> type = convertPort(
        port.node, knowsRank, layer.subject / ("port " + Twine(port.id)));
    if (failed(type))
      return failure();
    types.push_back(*type);
  }
  FailureOr<SmallVector<Body>> bodies = readBodies(layer);
  if (failed(bodies))
    return failure();
  NamedAttrList all(*attributes);
  SmallVector<StringRef> bodyNames;
  for (const Body &body : *bodies) {
    bodyNames.push_back(body.name);
    all.append(body.ports);
  }

  StringAttr name =
      layer.name.empty() ? StringAttr() : builder.getStringAttr(layer.name);
  auto node = NodeOp::create(
      builder, layer.subject.loc, types, layer.type, operands, layer.domain,
      layer.opset, name, all.getDictionary(context), ArrayRef<int64_t>(),
      builder.getStrArrayAttr(bodyNames), bodyNames.size());
  // Bodies become regions.
  SmallVector<StringRef> leftOut;
  for (const Body &body : *bodies)
    leftOut.append({body.name, body.mapName, kBackEdgesElement});
  keepSource(layer, node, leftOut);
  define(index, node->getResults());
  SmallVector<Attribute> sources;
  for (auto [body, region] : llvm::zip_equal(*bodies, node.getBodies())) {
    if (failed(importBody(body, region)))
      return failure();
    sources.push_back(body.source);
  }
  if (options.keepsSource && !sources.empty())
    node->setAttr(kBodiesSourceAttrName, builder.getArrayAttr(sources));
  return isQuantizationNode(node) ? resolve(index, node) : success();
}
