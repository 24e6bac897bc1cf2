//===- EntryPointInfo.cpp - What callers of a function see ----------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/EntryPoint/EntryPointInfo.h"
#include "mlir/IR/Builders.h"
#include "quant-float-c/EntryPoint.h"

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

DictionaryAttr EntryPointInfo::toAttribute(MLIRContext *context) const {
  Builder builder(context);
  auto list = [&](llvm::ArrayRef<EntryPointArgument> arguments) {
    llvm::SmallVector<Attribute> attributes;
    for (const EntryPointArgument &argument : arguments)
      attributes.push_back(argumentToAttribute(builder, argument));
    return builder.getArrayAttr(attributes);
  };
  return builder.getDictionaryAttr(
      {builder.getNamedAttr("graph_name", builder.getStringAttr(graphName)),
       builder.getNamedAttr("inputs", list(inputs)),
       builder.getNamedAttr("outputs", list(outputs)),
       builder.getNamedAttr("symbol", builder.getStringAttr(symbol))});
}

static FailureOr<EntryPointArgument> argumentFromAttribute(Attribute given) {
  auto dictionary = dyn_cast<DictionaryAttr>(given);
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
  if (!getElementBytes(argument.dtype) ||
      llvm::any_of(argument.sizes, [](int64_t size) { return size < -1; }))
    return failure();
  return argument;
}

static LogicalResult
argumentsFromAttribute(ArrayAttr list,
                       llvm::SmallVectorImpl<EntryPointArgument> &arguments) {
  for (Attribute attribute : list) {
    FailureOr<EntryPointArgument> argument = argumentFromAttribute(attribute);
    if (failed(argument))
      return failure();
    arguments.push_back(std::move(*argument));
  }
  return success();
}

FailureOr<EntryPointInfo> EntryPointInfo::fromAttribute(Attribute attribute) {
  auto dictionary = dyn_cast<DictionaryAttr>(attribute);
  if (!dictionary)
    return failure();
  auto symbol = dictionary.getAs<StringAttr>("symbol");
  auto graphName = dictionary.getAs<StringAttr>("graph_name");
  auto inputs = dictionary.getAs<ArrayAttr>("inputs");
  auto outputs = dictionary.getAs<ArrayAttr>("outputs");
  if (!symbol || symbol.empty() || !graphName || !inputs || !outputs)
    return failure();
  EntryPointInfo info;
  info.symbol = symbol.str();
  info.graphName = graphName.str();
  if (failed(argumentsFromAttribute(inputs, info.inputs)) ||
      failed(argumentsFromAttribute(outputs, info.outputs)))
    return failure();
  return info;
}

int64_t mlir::quant_float::getElementBytes(int32_t dtype) {
  switch (dtype) {
  case QF_UINT8:
  case QF_INT8:
  case QF_BOOL:
  case QF_FLOAT8E4M3FN:
  case QF_FLOAT8E4M3FNUZ:
  case QF_FLOAT8E5M2:
  case QF_FLOAT8E5M2FNUZ:
  case QF_UINT4:
  case QF_INT4:
  case QF_FLOAT4E2M1:
  case QF_FLOAT8E8M0:
  case QF_UINT2:
  case QF_INT2:
  case QF_FLOAT6E2M3:
  case QF_FLOAT6E3M2:
    return 1;
  case QF_UINT16:
  case QF_INT16:
  case QF_FLOAT16:
  case QF_BFLOAT16:
    return 2;
  case QF_FLOAT32:
  case QF_INT32:
  case QF_UINT32:
    return 4;
  case QF_INT64:
  case QF_FLOAT64:
  case QF_UINT64:
    return 8;
  default:
    return 0;
  }
}

FailureOr<std::vector<EntryPointInfo>>
mlir::quant_float::getEntryPoints(ModuleOp module) {
  std::vector<EntryPointInfo> entryPoints;
  for (Operation &op : module.getBody()->getOperations()) {
    Attribute attribute = op.getAttr(kEntryPointAttrName);
    if (!attribute)
      continue;
    FailureOr<EntryPointInfo> info = EntryPointInfo::fromAttribute(attribute);
    if (failed(info))
      return op.emitError("'") << kEntryPointAttrName
                               << "': expected the description of an entry "
                                  "point, but got "
                               << attribute;
    entryPoints.push_back(std::move(*info));
  }
  return entryPoints;
}
