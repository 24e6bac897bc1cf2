//===- Importer.cpp - Import of a model -----------------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Importer.h"
#include "../Common/Names.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "quant-float/IR/EntryPointInfo.h"
#include "quant-float/IR/QuantFloatDialect.h"
#include "quant-float/Support/OpsetImports.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::onnx_import;

namespace {
/// The newest IR version that the importer supports.
constexpr int64_t kNewestIrVersion = 14;
} // namespace

Importer::Importer(MLIRContext *context, StringRef fileName, StringRef folder,
                   const OnnxImportOptions &options)
    : context(context), options(options),
      file{FileLineColLoc::get(context, fileName, 0, 0), ""},
      externalData(folder, options.onExternalFile, options.onMappedFile),
      decoder(externalData) {}

//===----------------------------------------------------------------------===//
// Model
//===----------------------------------------------------------------------===//

LogicalResult Importer::checkModel(const ::onnx::ModelProto &model) {
  if (!model.has_ir_version())
    return diagnose(file, Diag::NoIrVersion);
  if (model.ir_version() < 1 || model.ir_version() > kNewestIrVersion)
    return diagnose(file, Diag::BadIrVersion, kNewestIrVersion,
                    model.ir_version());
  if (!model.has_graph())
    return diagnose(file, Diag::NoGraph);
  if (model.training_info_size() != 0 && !options.keepsSource)
    (void)diagnose(file, Diag::TrainingIgnored);
  return success();
}

LogicalResult Importer::importOpsets(
    const google::protobuf::RepeatedPtrField<::onnx::OperatorSetIdProto>
        &imports,
    Opsets &opsets, const Subject &subject) {
  for (const auto &import : imports) {
    StringRef domain = normalizeDomain(import.domain());
    if (import.version() < 1)
      return diagnose(subject, Diag::BadOpsetVersion, printable(domain),
                      import.version());
    // Some writers import a domain several times, once for each of their
    // converters.
    int64_t version =
        opsets.try_emplace(domain, import.version()).first->second;
    if (version != import.version())
      return diagnose(subject, Diag::DuplicateOpsetImport, showDomain(domain),
                      version, import.version());
  }
  if (options.opset && opsets.contains(""))
    opsets[""] = *options.opset;
  return success();
}

void Importer::annotateModule(ModuleOp module,
                              const ::onnx::ModelProto &model) {
  Builder builder(context);
  module->setAttr("quant_float.ir_version",
                  builder.getI64IntegerAttr(model.ir_version()));
  if (!model.producer_name().empty()) {
    std::string producer = model.producer_name();
    if (!model.producer_version().empty())
      producer += " " + model.producer_version();
    module->setAttr("quant_float.producer", builder.getStringAttr(producer));
  }
  NamedAttrList opsets;
  for (const auto &entry : modelOpsets) {
    StringRef domain = entry.getKey().empty() ? "ai.onnx" : entry.getKey();
    opsets.append(domain, builder.getI64IntegerAttr(entry.getValue()));
  }
  module->setAttr(kOpsetImportsAttrName, opsets.getDictionary(context));
  if (options.strict)
    module->setAttr(kStrictAttrName, builder.getUnitAttr());
}

/// Keeps the rest of the model without the functions that are expanded. The
/// domains of their nodes become imports of the model.
void Importer::keepModel(ModuleOp module, ::onnx::ModelProto &model) {
  if (!options.keepsSource)
    return;
  google::protobuf::RepeatedPtrField<::onnx::FunctionProto> all;
  all.Swap(model.mutable_functions());
  Opsets opsets = modelOpsets;
  google::protobuf::RepeatedPtrField<::onnx::OperatorSetIdProto> imports =
      model.opset_import();
  for (auto &function : functions.getFunctions()) {
    if (!function->isExpanded) {
      *model.add_functions() = *function->proto;
      continue;
    }
    for (const auto &import : function->proto->opset_import())
      if (StringRef domain = normalizeDomain(import.domain());
          opsets.try_emplace(domain, import.version()).second)
        *model.add_opset_import() = import;
  }
  keepSource(module, model);
  model.mutable_opset_import()->Swap(&imports);
  all.Swap(model.mutable_functions());
}

OwningOpRef<ModuleOp> Importer::importModel(::onnx::ModelProto &model) {
  if (failed(checkModel(model)) ||
      failed(importOpsets(model.opset_import(), modelOpsets, file)))
    return nullptr;
  if (model.ir_version() < kFirstIrVersionWithOpsets)
    modelOpsets.try_emplace("", options.opset.value_or(1));
  if (failed(functions.build(model, file)))
    return nullptr;
  for (auto &function : functions.getFunctions())
    if (failed(importOpsets(function->proto->opset_import(), function->opsets,
                            file / ("function '" + function->shownName + "'"))))
      return nullptr;

  if (options.keepsSource && !options.expandsFunctions)
    functions.keep(options.targetOpset);

  OwningOpRef<ModuleOp> module = ModuleOp::create(file.loc);
  annotateModule(*module, model);
  keepModel(*module, model);
  if (failed(importMain(*model.mutable_graph(), *module)))
    return nullptr;
  if (hasInvalidNodes || (options.verify && failed(mlir::verify(*module))))
    return nullptr;
  return module;
}

//===----------------------------------------------------------------------===//
// Main graph
//===----------------------------------------------------------------------===//

LogicalResult Importer::importMain(::onnx::GraphProto &graph, ModuleOp module) {
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  Location loc = NameLoc::get(builder.getStringAttr(graph.name()), file.loc);
  // The types of the results are known only after the import of the nodes.
  auto function =
      func::FuncOp::create(builder, loc, makeIdentifier(graph.name()),
                           builder.getFunctionType({}, {}));
  function->setAttr(kGraphNameAttrName, builder.getStringAttr(graph.name()));
  keepRest(function, graph);
  Block &block = *function.addEntryBlock();
  Scope scope{/*parent=*/nullptr, &modelOpsets, /*environment=*/nullptr,
              /*call=*/nullptr};
  SmallVector<Value> outputs;
  if (failed(importGraph(graph, block, scope, file, outputs)))
    return failure();

  auto bodyBuilder = OpBuilder::atBlockEnd(&block);
  func::ReturnOp::create(bodyBuilder, file.loc, outputs);
  function.setFunctionType(builder.getFunctionType(
      block.getArgumentTypes(), ValueRange(outputs).getTypes()));

  // The location of an argument holds its name.
  SmallVector<DictionaryAttr> inputNames, outputNames;
  auto getNameAttr = [&](StringAttr name) {
    return builder.getDictionaryAttr(builder.getNamedAttr(kNameAttrName, name));
  };
  for (BlockArgument argument : block.getArguments())
    inputNames.push_back(
        getNameAttr(cast<NameLoc>(argument.getLoc()).getName()));
  for (const ::onnx::ValueInfoProto &output : graph.output())
    outputNames.push_back(getNameAttr(builder.getStringAttr(output.name())));
  function.setAllArgAttrs(inputNames);
  function.setAllResultAttrs(outputNames);
  return success();
}
