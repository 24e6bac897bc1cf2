//===- Entries.cpp - Entry points as C sees them --------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Entries.h"

#include "quant-float/IR/ElementTypes.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::capi;

/// Stands for the sizes of a value without a rank.
static constexpr int64_t kUnranked = -2;

static std::vector<QuantFloatArgument>
getViews(llvm::ArrayRef<EntryPointArgument> arguments) {
  std::vector<QuantFloatArgument> views;
  for (const EntryPointArgument &argument : arguments) {
    bool isRanked = !llvm::is_contained(argument.sizes, kUnranked);
    views.push_back(
        {argument.name.c_str(), isRanked ? argument.sizes.data() : nullptr,
         isRanked ? static_cast<int32_t>(argument.sizes.size()) : -1,
         argument.dtype});
  }
  return views;
}

OwnedEntry::OwnedEntry(EntryPointInfo given)
    : info(std::move(given)), inputs(getViews(info.inputs)),
      outputs(getViews(info.outputs)),
      entry{info.symbol.c_str(), info.graphName.c_str(), inputs.data(),
            inputs.size(),       outputs.data(),         outputs.size()} {}

SmallVector<func::FuncOp> capi::getEntryFunctions(ModuleOp module) {
  SmallVector<func::FuncOp> functions;
  // Ops that nobody has verified may lack a name or a type.
  for (auto function : module.getOps<func::FuncOp>())
    if (function->getAttrOfType<StringAttr>(SymbolTable::getSymbolAttrName()) &&
        function.getFunctionTypeAttr() &&
        isa<FunctionType>(function.getFunctionTypeAttr().getValue()) &&
        function.isPublic() && !function.isExternal())
      functions.push_back(function);
  return functions;
}

static EntryPointArgument describe(Type type, DictionaryAttr attributes) {
  EntryPointArgument argument;
  if (attributes)
    if (auto name = attributes.getAs<StringAttr>(kNameAttrName))
      argument.name = name.str();
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    argument.sizes.push_back(kUnranked);
  else
    for (int64_t size : tensor.getShape())
      argument.sizes.push_back(ShapedType::isDynamic(size) ? -1 : size);
  int32_t dtype = getOnnxDataType(getElementTypeOrSelf(type)).value_or(0);
  argument.dtype = getElementBytes(dtype) ? dtype : 0;
  return argument;
}

/// The attributes of an argument or result, of which unverified functions may
/// have too few or others than dictionaries.
static DictionaryAttr getAttributes(ArrayAttr attributes, size_t index) {
  return attributes && index < attributes.size()
             ? dyn_cast<DictionaryAttr>(attributes[index])
             : DictionaryAttr();
}

std::unique_ptr<OwnedEntry> capi::describeFunction(func::FuncOp function) {
  EntryPointInfo info;
  info.symbol = function.getSymName().str();
  if (auto name = function->getAttrOfType<StringAttr>(kGraphNameAttrName))
    info.graphName = name.str();
  for (auto [index, type] : llvm::enumerate(function.getArgumentTypes()))
    info.inputs.push_back(
        describe(type, getAttributes(function.getArgAttrsAttr(), index)));
  for (auto [index, type] : llvm::enumerate(function.getResultTypes()))
    info.outputs.push_back(
        describe(type, getAttributes(function.getResAttrsAttr(), index)));
  return std::make_unique<OwnedEntry>(std::move(info));
}
