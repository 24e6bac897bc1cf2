//===- Exporter.cpp - Export of OpenVINO models ---------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Exporter.h"
#include "../Common/Network.h"
#include "../Common/Source.h"
#include "mlir/IR/TypeUtilities.h"
#include "quant-float/IR/Constants.h"
#include "quant-float/IR/ElementTypes.h"
#include "quant-float/IR/EntryPointInfo.h"
#include "quant-float/IR/OpsetRules.h"
#include "quant-float/Support/Locations.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::openvino_import;

/// Returns the subject of diagnostics about an op: "layer 'c1' (Convert)".
static Subject describeOp(Operation *op) {
  std::string name = printable(quant_float::getNodeName(op->getLoc()));
  auto node = dyn_cast<NodeOp>(op);
  std::string what =
      node ? printable(node.getOpType()) : op->getName().getStringRef().str();
  return {stripCalls(op->getLoc()),
          name.empty() ? "op '" + what + "'"
                       : "layer '" + name + "' (" + what + ")"};
}

//===----------------------------------------------------------------------===//
// Elements and attributes
//===----------------------------------------------------------------------===//

/// Sets an attribute of an element. An existing one keeps its position.
static LogicalResult setString(pugi::xml_node node, const char *name,
                               StringRef value, const Subject &subject) {
  if (value.contains('\0'))
    return diagnose(subject, Diag::NoXmlForm, name, printable(value));
  pugi::xml_attribute attribute = node.attribute(name);
  if (!attribute)
    attribute = node.append_attribute(name);
  attribute.set_value(value.str().c_str());
  return success();
}

static void setNumber(pugi::xml_node node, const char *name, uint64_t number) {
  pugi::xml_attribute attribute = node.attribute(name);
  if (!attribute)
    attribute = node.append_attribute(name);
  attribute.set_value(static_cast<unsigned long long>(number));
}

/// Returns a child of a layer, which is inserted in the correct order if it
/// does not exist.
static pugi::xml_node getChild(pugi::xml_node layer, StringRef name) {
  if (pugi::xml_node child = layer.child(name.data()))
    return child;
  for (StringRef next : {"data", "input", "output"}) {
    pugi::xml_node before = layer.child(next.data());
    // The order is alphabetical.
    if (before && next > name)
      return layer.insert_child_before(name.data(), before);
  }
  pugi::xml_node last;
  for (StringRef next : {"data", "input", "output"})
    if (pugi::xml_node child = layer.child(next.data()))
      last = child;
  return last ? layer.insert_child_after(name.data(), last)
              : layer.prepend_child(name.data());
}

/// Returns a list of names. A comma within a name is written as "\\,".
static std::string writeNames(ArrayRef<StringRef> names) {
  std::string list;
  for (StringRef name : names) {
    if (!list.empty())
      list += ',';
    for (char letter : name)
      list += letter == ',' ? std::string("\\,") : std::string(1, letter);
  }
  return list;
}

/// Whether XML permits the string as the name of an attribute.
static bool isXmlName(StringRef name) {
  auto isStart = [](char letter) {
    return llvm::isAlpha(letter) || letter == '_' || letter == ':' ||
           uint8_t(letter) >= 0x80;
  };
  return !name.empty() && isStart(name.front()) &&
         llvm::all_of(name, [&](char letter) {
           return isStart(letter) || llvm::isDigit(letter) || letter == '-' ||
                  letter == '.';
         });
}

/// Sets the attributes of `data`. Attributes that have the same value already
/// keep the file's spelling.
static LogicalResult setAttributes(pugi::xml_node layer, StringRef layerType,
                                   DictionaryAttr values,
                                   const Subject &subject) {
  pugi::xml_node data = layer.child("data");
  if (!data && values.empty())
    return success();
  FailureOr<DictionaryAttr> existing =
      importAttributes(layerType, data, subject);
  if (failed(existing))
    return failure();
  data = getChild(layer, "data");
  llvm::StringSet<> seen;
  for (pugi::xml_attribute attribute = data.first_attribute(); attribute;) {
    pugi::xml_attribute next = attribute.next_attribute();
    StringRef name = attribute.name();
    if (!values.contains(name) || !seen.insert(name).second)
      data.remove_attribute(attribute);
    attribute = next;
  }
  for (NamedAttribute value : values) {
    if (existing->get(value.getName()) == value.getValue())
      continue;
    std::optional<std::string> spelling = writeAttribute(value.getValue());
    if (!spelling || !isXmlName(value.getName()))
      return diagnose(subject, Diag::NoAttributeForm,
                      printable(value.getName()), value.getValue());
    if (failed(
            setString(data, value.getName().str().c_str(), *spelling, subject)))
      return failure();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Ports
//===----------------------------------------------------------------------===//

/// Declares the type of a port, unless the existing declaration is compatible
/// with it.
static LogicalResult setPort(pugi::xml_node port, Type type, bool hasSource,
                             const Subject &subject) {
  FailureOr<Type> declared = convertPort(port, /*knowsRank=*/false, subject);
  if (failed(declared))
    return failure();
  if (hasSource && areCompatible(*declared, type))
    return success();
  if (isa<UnknownType>(type))
    return setString(port, "precision", "UNSPECIFIED", subject);
  std::optional<ElementType> element =
      findElementType(getElementTypeOrSelf(type));
  if (!element || !isa<TensorType>(type))
    return diagnose(subject, Diag::NoType, type);
  while (port.remove_child("dim"))
    ;
  if (auto ranked = dyn_cast<RankedTensorType>(type))
    for (int64_t dim : llvm::reverse(ranked.getShape()))
      port.prepend_child("dim").text().set(
          static_cast<long long>(ShapedType::isDynamic(dim) ? -1 : dim));
  return setString(port, "precision", element->precision, subject);
}

/// Makes the layer's element, "input" or "output", contain `count` ports with
/// ids from `first` on.
static SmallVector<pugi::xml_node> numberPorts(pugi::xml_node layer,
                                               StringRef element, size_t count,
                                               unsigned first) {
  SmallVector<pugi::xml_node> ports;
  if (count == 0) {
    layer.remove_child(element.data());
    return ports;
  }
  pugi::xml_node list = getChild(layer, element);
  llvm::append_range(ports, list.children());
  while (ports.size() > count)
    list.remove_child(ports.pop_back_val());
  while (ports.size() < count)
    ports.push_back(list.append_child("port"));
  for (pugi::xml_node port : ports)
    setNumber(port, "id", first++);
  return ports;
}

SmallVector<Exporter::Port> Exporter::getPorts(ValueRange values) const {
  return llvm::map_to_vector(values,
                             [&](Value value) { return ports.lookup(value); });
}

FailureOr<pugi::xml_node> Exporter::addLayer(const LayerKind &kind,
                                             Attribute source,
                                             ArrayRef<Port> inputs,
                                             TypeRange outputs,
                                             const Subject &subject) {
  FailureOr<pugi::xml_node> appended =
      appendSource(layers, "layer", source, kLayerSourceAttrName, subject);
  if (failed(appended))
    return failure();
  pugi::xml_node layer = *appended;
  unsigned id = layerCount++;
  setNumber(layer, "id", id);
  bool isNamed = !kind.name.empty() || !layer.attribute("name");
  if (isNamed && failed(setString(layer, "name", kind.name, subject)))
    return failure();
  StringRef existing = layer.attribute("type").value();
  if (getCanonicalType(existing) != kind.type &&
      failed(setString(layer, "type", kind.type, subject)))
    return failure();
  if (failed(setString(layer, "version", kind.version, subject)))
    return failure();
  for (pugi::xml_node child : layer.children())
    if (StringRef(child.name()).ends_with("body"))
      return diagnose(subject, Diag::BodyLost, printable(child.name()));

  for (auto [number, input, port] :
       llvm::enumerate(inputs, numberPorts(layer, "input", inputs.size(), 0))) {
    if (failed(setPort(port, input.type, bool(source),
                       subject / ("input " + Twine(number)))))
      return failure();
    edges.push_back({input.layer, input.port, id, unsigned(number)});
  }
  for (auto [number, type, port] :
       llvm::enumerate(outputs, numberPorts(layer, "output", outputs.size(),
                                            inputs.size())))
    if (failed(setPort(port, type, bool(source),
                       subject / ("output " + Twine(number)))))
      return failure();
  return layer;
}

FailureOr<pugi::xml_node> Exporter::addLayer(const LayerKind &kind,
                                             Attribute source,
                                             ArrayRef<Port> inputs,
                                             ValueRange results,
                                             const Subject &subject) {
  unsigned id = layerCount;
  FailureOr<pugi::xml_node> layer =
      addLayer(kind, source, inputs, results.getTypes(), subject);
  if (failed(layer))
    return failure();
  unsigned number = inputs.size();
  for (auto [result, port] :
       llvm::zip(results, layer->child("output").children())) {
    ports[result] = {id, number++, result.getType()};
    ArrayRef<StringRef> names = resultNames[result];
    if (!source && !names.empty() &&
        failed(setString(port, "names", writeNames(names), subject)))
      return failure();
  }
  return layer;
}

//===----------------------------------------------------------------------===//
// Parameters and Results
//===----------------------------------------------------------------------===//

/// Returns an attribute of an argument or result, or null if it or the
/// dictionary is missing.
static Attribute getAttribute(DictionaryAttr attributes, StringRef name) {
  return attributes ? attributes.get(name) : Attribute();
}

static StringRef getString(DictionaryAttr attributes, StringRef name) {
  auto string = dyn_cast_or_null<StringAttr>(getAttribute(attributes, name));
  return string ? string.getValue() : StringRef();
}

LogicalResult Exporter::exportParameter(BlockArgument argument,
                                        DictionaryAttr attributes) {
  StringRef name = getString(attributes, kNameAttrName);
  StringRef layerName = quant_float::getNodeName(argument.getLoc());
  Subject subject{stripCalls(argument.getLoc()),
                  "argument '" + printable(name) + "'"};
  Type type = argument.getType();
  std::optional<ElementType> element =
      findElementType(getElementTypeOrSelf(type));
  if (!element || !isa<TensorType, UnknownType>(type))
    return diagnose(subject, Diag::NoType, type);
  Attribute source = getAttribute(attributes, kLayerSourceAttrName);
  if (!source && !name.empty())
    resultNames[argument].insert(resultNames[argument].begin(), name);
  FailureOr<pugi::xml_node> layer =
      addLayer({source              ? layerName
                : layerName.empty() ? name
                                    : layerName,
                "Parameter", "opset1"},
               source, {}, ValueRange(argument), subject);
  if (failed(layer))
    return failure();

  pugi::xml_node data = getChild(*layer, "data");
  if (source) {
    FailureOr<DataType> existing = readDataType(data, subject);
    if (failed(existing))
      return failure();
    FailureOr<Type> existingType =
        existing->element.type
            ? makeTensorType(existing->element.type, existing->shape, subject)
            : FailureOr<Type>(Type());
    if (failed(existingType))
      return failure();
    if (*existingType == type)
      return success();
  }
  StringRef shape = getString(attributes, kShapeAttrName);
  if (!shape.empty()) {
    FailureOr<Shape> parsed = parseShape(shape, subject);
    if (failed(parsed))
      return failure();
    FailureOr<Type> bounded = makeTensorType(element->type, *parsed, subject);
    if (failed(bounded))
      return failure();
    if (*bounded != type)
      shape = "";
  }
  return success(
      succeeded(setString(data, "shape",
                          shape.empty() ? writeShape(type) : shape.str(),
                          subject)) &&
      succeeded(setString(data, "element_type", element->name, subject)));
}

LogicalResult Exporter::exportResult(Value value, DictionaryAttr attributes,
                                     Location loc) {
  Attribute source = getAttribute(attributes, kLayerSourceAttrName);
  StringRef name = getString(attributes, kNameAttrName);
  Subject subject{loc, "result '" + printable(name) + "'"};
  std::string layerName =
      source ? "" : (name.empty() ? "result" : name).str() + "/sink_port_0";
  FailureOr<pugi::xml_node> layer =
      addLayer({layerName, "Result", "opset1"}, source, getPorts(value),
               TypeRange(), subject);
  if (failed(layer) || source || name.empty())
    return success(succeeded(layer));
  return setString(*layer, "output_names", writeNames(name), subject);
}

//===----------------------------------------------------------------------===//
// Layers
//===----------------------------------------------------------------------===//

LogicalResult Exporter::setElements(pugi::xml_node layer, Attribute source,
                                    ElementsAttr elements,
                                    const Subject &subject) {
  std::optional<ElementType> element =
      findElementType(elements.getElementType());
  if (!element || element->storage == Storage::None)
    return diagnose(subject, Diag::NoType, elements.getType());
  pugi::xml_node data = getChild(layer, "data");
  bool hasSameShape = false;
  if (source) {
    FailureOr<DataType> existing = readDataType(data, subject);
    if (failed(existing))
      return failure();
    if (existing->element.type == element->type)
      element = existing->element;
    hasSameShape =
        existing->shape.isRanked &&
        ArrayRef(existing->shape.dims) == elements.getShapedType().getShape();
  }
  FailureOr<WeightsWriter::Range> range =
      weights.write(elements, *element, subject);
  if (failed(range))
    return failure();
  // An existing name that differs only in letter case remains.
  if (!StringRef(data.attribute("element_type").value())
           .equals_insensitive(element->name) &&
      failed(setString(data, "element_type", element->name, subject)))
    return failure();
  if (!hasSameShape &&
      failed(setString(data, "shape", writeShape(elements.getType()), subject)))
    return failure();
  setNumber(data, "offset", range->offset);
  setNumber(data, "size", range->size);
  for (pugi::xml_node port : layer.child("output").children())
    if (pugi::xml_attribute precision = port.attribute("precision");
        precision &&
        !StringRef(precision.value()).equals_insensitive(element->precision))
      precision.set_value(element->precision.data());
  return success();
}

LogicalResult Exporter::exportConstant(AnyConstantOp op) {
  Subject subject = describeOp(op);
  auto elements = dyn_cast<ElementsAttr>(op.getValue());
  if (!elements || !isa<TensorType>(op.getType()))
    return diagnose(subject, Diag::NoType, op.getType());
  Attribute source = op->getAttr(kLayerSourceAttrName);
  FailureOr<pugi::xml_node> layer =
      addLayer({quant_float::getNodeName(op.getLoc()), "Const", "opset1"},
               source, {}, ValueRange(op->getResults()), subject);
  return success(succeeded(layer) &&
                 succeeded(setElements(*layer, source, elements, subject)));
}

LogicalResult Exporter::exportFakeConvert(FakeConvertOp op) {
  Subject subject = describeOp(op);
  Attribute source = op->getAttr(kLayerSourceAttrName);
  StringRef name = quant_float::getNodeName(op.getLoc());
  SmallVector<Port> inputs = getPorts(op->getOperands());
  constexpr size_t kInputsWithShift = 3;
  if (source && !op.getShift()) {
    pugi::xml_document document;
    FailureOr<pugi::xml_node> existing =
        appendSource(document, "layer", source, kLayerSourceAttrName, subject);
    if (failed(existing))
      return failure();
    auto existingPorts = existing->child("input").children();
    if (std::distance(existingPorts.begin(), existingPorts.end()) ==
        kInputsWithShift) {
      // The importer removed a shift of zero. Write it again.
      FailureOr<Type> shape =
          convertPort(*std::next(existingPorts.begin(), kInputsWithShift - 1),
                      /*knowsRank=*/true, subject);
      if (failed(shape))
        return failure();
      Type element = getElementTypeOrSelf(op.getInput());
      auto ranked = dyn_cast<RankedTensorType>(*shape);
      auto type = RankedTensorType::get(ranked && ranked.hasStaticShape()
                                            ? ranked.getShape()
                                            : ArrayRef<int64_t>(),
                                        element);
      auto zeros = DenseElementsAttr::get(
          type, Builder(op.getContext()).getZeroAttr(element));
      unsigned id = layerCount;
      FailureOr<pugi::xml_node> layer = addLayer(
          {"", "Const", "opset1"}, /*source=*/{}, {}, TypeRange(type), subject);
      if (failed(layer) ||
          failed(setElements(*layer, /*source=*/{}, zeros, subject)))
        return failure();
      inputs.push_back({id, 0, type});
    }
  }
  FailureOr<pugi::xml_node> layer =
      addLayer({name, "FakeConvert", "opset" + std::to_string(op.getOpset())},
               source, inputs, ValueRange(op->getResults()), subject);
  if (failed(layer))
    return failure();
  return setAttributes(
      *layer, "FakeConvert",
      DictionaryAttr::get(
          op.getContext(),
          NamedAttribute(StringAttr::get(op.getContext(), "destination_type"),
                         op.getDestinationAttr())),
      subject);
}

LogicalResult Exporter::exportCast(CastOp op) {
  Subject subject = describeOp(op);
  if (op.getMode() != CastMode::OpenVINO)
    return diagnose(subject, Diag::NoLayer, "a cast with ONNX semantics");
  Type to = getElementTypeOrSelf(op.getType());
  if (!findElementType(to))
    return diagnose(subject, Diag::NoType, to);
  FailureOr<pugi::xml_node> layer =
      addLayer({quant_float::getNodeName(op.getLoc()), "Convert", "opset1"},
               /*source=*/{}, getPorts(op.getInput()),
               ValueRange(op->getResults()), subject);
  if (failed(layer))
    return failure();
  return setString(getChild(*layer, "data"), "destination_type",
                   findElementType(to)->name, subject);
}

LogicalResult Exporter::exportNode(NodeOp op) {
  Subject subject = describeOp(op);
  bool isOpenVino = op.getDomain() == kOpenVinoDomain;
  // A layer of an extension is recognizable only if the model is from OpenVINO.
  if (!isOpenVino && (op.getDomain().empty() ||
                      !module->hasAttr("quant_float.openvino_ir_version")))
    return diagnose(subject, Diag::NoLayer, "an ONNX node");
  if (!op.getAbsentInputs().empty())
    return diagnose(subject, Diag::NoLayer, "an absent input");
  StringRef name =
      op.getNodeName().value_or(quant_float::getNodeName(op.getLoc()));
  std::string version = isOpenVino ? "opset" + std::to_string(op.getOpset())
                                   : op.getDomain().str();
  FailureOr<pugi::xml_node> layer = addLayer(
      {name, op.getOpType(), version}, op->getAttr(kLayerSourceAttrName),
      getPorts(op.getInputs()), ValueRange(op->getResults()), subject);
  if (failed(layer) ||
      failed(setAttributes(*layer, isOpenVino ? op.getOpType() : StringRef(),
                           getLayerAttributes(op), subject)))
    return failure();
  return op.getNumRegions() ? exportBodies(op, *layer, subject) : success();
}

LogicalResult Exporter::exportOp(Operation &op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(&op)
      .Case([&](AnyConstantOp constant) { return exportConstant(constant); })
      .Case([&](FakeConvertOp convert) { return exportFakeConvert(convert); })
      .Case([&](CastOp cast) { return exportCast(cast); })
      .Case([&](NodeOp node) { return exportNode(node); })
      .Default([&](Operation *other) {
        return diagnose(describeOp(other), Diag::NoLayer,
                        other->getName().getStringRef());
      });
}

//===----------------------------------------------------------------------===//
// Models
//===----------------------------------------------------------------------===//

void Exporter::findLiveOps(Block &block) {
  for (Operation &op : llvm::reverse(block)) {
    auto node = dyn_cast<NodeOp>(op);
    bool isLive = op.hasTrait<OpTrait::IsTerminator>() ||
                  (node && findNodeKind(kOpenVinoDomain, node.getOpType()) ==
                               NodeKind::OpenVinoAssign) ||
                  llvm::any_of(op.getUsers(), [&](Operation *user) {
                    return live.contains(user);
                  });
    if (isLive)
      live.insert(&op);
  }
}

LogicalResult Exporter::exportGraph(pugi::xml_node network, Block &block,
                                    ArrayRef<DictionaryAttr> arguments,
                                    ArrayRef<DictionaryAttr> results,
                                    Location loc) {
  for (StringRef element : kGraph)
    while (network.remove_child(element.data()))
      ;
  layers = network.prepend_child(kGraph[0].data());
  pugi::xml_node list = network.insert_child_after(kGraph[1].data(), layers);
  ValueRange values = block.getTerminator()->getOperands();
  for (auto [value, attributes] : llvm::zip_equal(values, results)) {
    StringRef name = getString(attributes, kNameAttrName);
    if (!name.empty() && !llvm::is_contained(resultNames[value], name))
      resultNames[value].push_back(name);
  }
  findLiveOps(block);
  for (auto [argument, attributes] :
       llvm::zip_equal(block.getArguments(), arguments))
    if (failed(exportParameter(argument, attributes)))
      return failure();
  for (Operation &op : block.without_terminator())
    if (live.contains(&op) && failed(exportOp(op)))
      return failure();
  for (auto [value, attributes] : llvm::zip_equal(values, results))
    if (failed(exportResult(value, attributes, loc)))
      return failure();

  llvm::sort(edges);
  constexpr const char *kEnds[] = {"from-layer", "from-port", "to-layer",
                                   "to-port"};
  for (const std::array<unsigned, 4> &ends : edges) {
    pugi::xml_node edge = list.append_child("edge");
    for (auto [name, end] : llvm::zip(kEnds, ends))
      setNumber(edge, name, end);
  }
  return success();
}

namespace {
/// Makes pugixml write to a stream.
struct StreamWriter final : pugi::xml_writer {
  explicit StreamWriter(raw_ostream &os) : os(os) {}
  void write(const void *data, size_t size) override {
    os.write(static_cast<const char *>(data), size);
  }

  raw_ostream &os;
};
} // namespace

LogicalResult Exporter::exportModel(raw_ostream &os) {
  Subject file{module.getLoc(), ""};
  SmallVector<func::FuncOp> functions;
  for (Operation &op : *module.getBody()) {
    auto function = dyn_cast<func::FuncOp>(op);
    if (!function)
      return diagnose(describeOp(&op), Diag::NoLayer, "expected a function");
    if (!function.isExternal())
      functions.push_back(function);
  }
  if (functions.size() != 1)
    return diagnose(file, Diag::FunctionCount, functions.size());
  func::FuncOp function = functions.front();
  if (!function.getBody().hasOneBlock())
    return diagnose(describeOp(function), Diag::NoLayer,
                    "a function with several blocks");

  FailureOr<pugi::xml_node> net =
      appendSource(document, "net", module->getAttr(kModelSourceAttrName),
                   kModelSourceAttrName, file);
  if (failed(net))
    return failure();
  auto name = function->getAttrOfType<StringAttr>(kGraphNameAttrName);
  if (failed(setString(*net, "name",
                       name ? name.getValue() : function.getSymName(), file)))
    return failure();
  setNumber(*net, "version", 11);
  SmallVector<DictionaryAttr> arguments, results;
  function.getAllArgAttrs(arguments);
  function.getAllResultAttrs(results);
  if (failed(exportGraph(*net, function.front(), arguments, results,
                         function.getLoc())))
    return failure();
  StreamWriter writer(os);
  document.save(writer, "\t", pugi::format_default, pugi::encoding_utf8);
  return success();
}
