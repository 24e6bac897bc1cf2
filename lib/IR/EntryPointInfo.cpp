//===- EntryPointInfo.cpp - Entry point metadata --------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/IR/EntryPointInfo.h"
#include "mlir/IR/Builders.h"
#include "quant-float-c/EntryPoint.h"
#include "quant-float/Support/ElementTypes.h"

using namespace mlir;
using namespace mlir::quant_float;

static Attribute argumentToAttribute(Builder &builder,
                                     const EntryPointArgument &argument) {
  return builder.getDictionaryAttr(
      {builder.getNamedAttr("dtype", builder.getI32IntegerAttr(argument.dtype)),
       builder.getNamedAttr("name", builder.getStringAttr(argument.name)),
       builder.getNamedAttr("sizes",
                            builder.getDenseI64ArrayAttr(argument.sizes))});
}

int64_t EntryPointInfo::getNumDynamicSizes() const {
  int64_t count = 0;
  for (const EntryPointArgument &output : outputs)
    count += llvm::count(output.sizes, -1);
  return count;
}

EntryPointNames EntryPointInfo::getNames() const {
  EntryPointNames names = {symbol, graphName, {}, position};
  for (const EntryPointArgument &argument :
       llvm::concat<const EntryPointArgument>(inputs, outputs))
    names.arguments.push_back(argument.name);
  return names;
}

EntryPointInfo EntryPointInfo::withNames(const EntryPointNames &names) const {
  // Omit `sharing`.
  EntryPointInfo info = {
      names.symbol,   names.graphName, inputs,     outputs,
      checks,         messages,        hasStrings, hasDataDependentSizes,
      names.position,
      /*sharing=*/{}};
  for (auto [argument, name] :
       llvm::zip(llvm::concat<EntryPointArgument>(info.inputs, info.outputs),
                 names.arguments))
    argument.name = name;
  return info;
}

static ArrayAttr stringsToAttribute(Builder &builder,
                                    const std::vector<std::string> &strings) {
  return builder.getStrArrayAttr(
      llvm::SmallVector<StringRef>(strings.begin(), strings.end()));
}

DictionaryAttr EntryPointInfo::toAttribute(MLIRContext *context) const {
  Builder builder(context);
  auto list = [&](llvm::ArrayRef<EntryPointArgument> arguments) {
    llvm::SmallVector<Attribute> attributes;
    for (const EntryPointArgument &argument : arguments)
      attributes.push_back(argumentToAttribute(builder, argument));
    return builder.getArrayAttr(attributes);
  };
  llvm::SmallVector<NamedAttribute> entries = {
      builder.getNamedAttr("graph_name", builder.getStringAttr(graphName)),
      builder.getNamedAttr("inputs", list(inputs)),
      builder.getNamedAttr("outputs", list(outputs)),
      builder.getNamedAttr("symbol", builder.getStringAttr(symbol))};
  if (!checks.empty()) {
    llvm::SmallVector<Attribute> attributes;
    for (const EntryPointCheck &check : checks)
      attributes.push_back(builder.getDictionaryAttr(
          {builder.getNamedAttr("assertion",
                                builder.getBoolAttr(check.isAssertion)),
           builder.getNamedAttr(
               "dimension",
               builder.getDenseI64ArrayAttr({check.input, check.dimension})),
           builder.getNamedAttr("message",
                                builder.getStringAttr(check.message))}));
    entries.push_back(
        builder.getNamedAttr("checks", builder.getArrayAttr(attributes)));
  }
  if (hasStrings)
    entries.push_back(builder.getNamedAttr("strings", builder.getUnitAttr()));
  if (hasDataDependentSizes)
    entries.push_back(
        builder.getNamedAttr("data_dependent_sizes", builder.getUnitAttr()));
  if (!messages.empty())
    entries.push_back(builder.getNamedAttr(
        "messages", stringsToAttribute(builder, messages)));
  if (position)
    entries.push_back(
        builder.getNamedAttr("position", builder.getI64IntegerAttr(position)));
  if (!sharing.empty()) {
    llvm::SmallVector<Attribute> attributes;
    for (const EntryPointNames &names : sharing)
      attributes.push_back(builder.getDictionaryAttr(
          {builder.getNamedAttr("arguments",
                                stringsToAttribute(builder, names.arguments)),
           builder.getNamedAttr("graph_name",
                                builder.getStringAttr(names.graphName)),
           builder.getNamedAttr("position",
                                builder.getI64IntegerAttr(names.position)),
           builder.getNamedAttr("symbol",
                                builder.getStringAttr(names.symbol))}));
    entries.push_back(
        builder.getNamedAttr("sharing", builder.getArrayAttr(attributes)));
  }
  return builder.getDictionaryAttr(entries);
}

static FailureOr<EntryPointArgument> argumentFromAttribute(Attribute source) {
  auto dictionary = dyn_cast<DictionaryAttr>(source);
  if (!dictionary)
    return failure();
  auto name = dictionary.getAs<StringAttr>("name");
  auto dtype = dictionary.getAs<IntegerAttr>("dtype");
  auto sizes = dictionary.getAs<DenseI64ArrayAttr>("sizes");
  if (!name || !dtype || !dtype.getType().isInteger(32) || !sizes)
    return failure();
  EntryPointArgument argument;
  argument.name = name.str();
  argument.dtype = static_cast<int32_t>(dtype.getInt());
  argument.sizes.assign(sizes.asArrayRef().begin(), sizes.asArrayRef().end());
  if (!getElementBits(argument.dtype) ||
      llvm::any_of(argument.sizes, [](int64_t size) { return size < -1; }))
    return failure();
  return argument;
}

static FailureOr<EntryPointCheck> checkFromAttribute(Attribute source) {
  auto dictionary = dyn_cast<DictionaryAttr>(source);
  if (!dictionary)
    return failure();
  auto assertion = dictionary.getAs<BoolAttr>("assertion");
  auto position = dictionary.getAs<DenseI64ArrayAttr>("dimension");
  auto message = dictionary.getAs<StringAttr>("message");
  if (!assertion || !position || position.size() != 2 || !message)
    return failure();
  return EntryPointCheck{position[0], position[1], message.str(),
                         assertion.getValue()};
}

static FailureOr<std::string> stringFromAttribute(Attribute source) {
  auto string = dyn_cast<StringAttr>(source);
  if (!string)
    return failure();
  return string.str();
}

/// Appends the result of `one` for each element of the array attribute
/// `source`. Fails if the attribute is not an array or `one` fails.
template <typename List, typename Element>
static LogicalResult listFromAttribute(Attribute source, List &list,
                                       FailureOr<Element> (*one)(Attribute)) {
  auto attributes = dyn_cast_if_present<ArrayAttr>(source);
  if (!attributes)
    return failure();
  for (Attribute attribute : attributes) {
    FailureOr<Element> element = one(attribute);
    if (failed(element))
      return failure();
    list.push_back(std::move(*element));
  }
  return success();
}

static FailureOr<EntryPointNames> namesFromAttribute(Attribute source) {
  auto dictionary = dyn_cast<DictionaryAttr>(source);
  if (!dictionary)
    return failure();
  auto arguments = dictionary.getAs<ArrayAttr>("arguments");
  auto graphName = dictionary.getAs<StringAttr>("graph_name");
  auto position = dictionary.getAs<IntegerAttr>("position");
  auto symbol = dictionary.getAs<StringAttr>("symbol");
  if (!graphName || !position || !position.getType().isInteger(64) || !symbol ||
      symbol.empty())
    return failure();
  EntryPointNames names = {
      symbol.str(), graphName.str(), {}, position.getInt()};
  if (failed(
          listFromAttribute(arguments, names.arguments, stringFromAttribute)))
    return failure();
  return names;
}

/// Parses the result of toAttribute. Fails if the attribute is malformed.
static FailureOr<EntryPointInfo> infoFromAttribute(Attribute attribute) {
  auto dictionary = dyn_cast<DictionaryAttr>(attribute);
  if (!dictionary)
    return failure();
  auto symbol = dictionary.getAs<StringAttr>("symbol");
  auto graphName = dictionary.getAs<StringAttr>("graph_name");
  if (!symbol || symbol.empty() || !graphName)
    return failure();
  EntryPointInfo info;
  info.symbol = symbol.str();
  info.graphName = graphName.str();
  auto getList = [&](StringRef name) -> Attribute {
    Attribute list = dictionary.get(name);
    return list ? list : ArrayAttr::get(attribute.getContext(), {});
  };
  if (!dictionary.contains("inputs") || !dictionary.contains("outputs") ||
      failed(listFromAttribute(getList("inputs"), info.inputs,
                               argumentFromAttribute)) ||
      failed(listFromAttribute(getList("outputs"), info.outputs,
                               argumentFromAttribute)) ||
      failed(listFromAttribute(getList("checks"), info.checks,
                               checkFromAttribute)) ||
      failed(listFromAttribute(getList("messages"), info.messages,
                               stringFromAttribute)) ||
      failed(listFromAttribute(getList("sharing"), info.sharing,
                               namesFromAttribute)))
    return failure();
  for (const EntryPointNames &names : info.sharing)
    if (names.arguments.size() != info.inputs.size() + info.outputs.size())
      return failure();
  if (Attribute position = dictionary.get("position")) {
    auto number = dyn_cast<IntegerAttr>(position);
    if (!number || !number.getType().isInteger(64))
      return failure();
    info.position = number.getInt();
  }
  info.hasStrings = dictionary.contains("strings");
  info.hasDataDependentSizes = dictionary.contains("data_dependent_sizes");
  for (const EntryPointCheck &check : info.checks)
    if (check.input >= static_cast<int64_t>(info.inputs.size()))
      return failure();
  return info;
}

FailureOr<EntryPointInfo> EntryPointInfo::get(Operation *op) {
  Attribute attribute = op->getAttr(kEntryPointAttrName);
  FailureOr<EntryPointInfo> info = infoFromAttribute(attribute);
  if (failed(info))
    return op->emitError("'") << kEntryPointAttrName
                              << "': expected the description of an entry "
                                 "point, but got "
                              << attribute;
  return info;
}

// C programs also read the header, so it contains literal numbers.
#define QUANT_FLOAT_ELEMENT(Kind, Number, Onnx, Mlir, Getter, Class, Bits, C,  \
                            ...)                                               \
  static_assert(C == Number);
#include "quant-float/Support/ElementTypes.def"
static_assert(QF_PACKED == kPackedFlag);

int64_t mlir::quant_float::getElementBytes(int32_t dtype) {
  const ElementInfo *element = findElement(dtype);
  if (element && element->isString())
    return sizeof(*qf_strings().offsets);
  return element && !element->isPacked() ? element->getSlotBytes() : 0;
}

int64_t mlir::quant_float::getElementBits(int32_t dtype) {
  const ElementInfo *element = findElement(dtype);
  if (!element)
    return 0;
  if (element->isString())
    return 8 * getElementBytes(dtype);
  return element->isPacked() ? element->bits : 8 * element->getSlotBytes();
}

FailureOr<std::vector<EntryPointInfo>>
mlir::quant_float::getEntryPoints(ModuleOp module) {
  std::vector<EntryPointInfo> entryPoints;
  for (Operation &op : module.getBody()->getOperations()) {
    if (!op.hasAttr(kEntryPointAttrName))
      continue;
    FailureOr<EntryPointInfo> info = EntryPointInfo::get(&op);
    if (failed(info))
      return failure();
    for (const EntryPointNames &names : info->sharing)
      entryPoints.push_back(info->withNames(names));
    entryPoints.push_back(std::move(*info));
  }
  if (llvm::any_of(entryPoints, [](auto &info) { return info.position > 0; }))
    llvm::sort(entryPoints, [](auto &one, auto &other) {
      return std::tie(one.position, one.symbol) <
             std::tie(other.position, other.symbol);
    });
  return entryPoints;
}
