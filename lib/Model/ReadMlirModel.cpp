//===- ReadMlirModel.cpp - Models in MLIR ---------------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReadMlirModel.h"
#include "ExplainOps.h"

#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Pass/PassManager.h"
#include "quant-float/Pipelines/Stages.h"
#include "quant-float/Support/ReadMlir.h"
#include "llvm/ADT/ScopeExit.h"

using namespace mlir;
using namespace mlir::quant_float;

/// Returns the attributes without those of unregistered dialects, such as
/// jax.result_info.
static DictionaryAttr dropUnregistered(DictionaryAttr attributes) {
  NamedAttrList kept;
  for (NamedAttribute attribute : attributes)
    if (!attribute.getName().getValue().contains('.') ||
        attribute.getNameDialect())
      kept.append(attribute);
  return kept.getDictionary(attributes.getContext());
}

/// Removes attributes of unregistered dialects, which are annotations.
static void dropAnnotations(ModuleOp module) {
  module.walk([](Operation *op) {
    op->setDiscardableAttrs(
        dropUnregistered(op->getDiscardableAttrDictionary()));
    auto function = dyn_cast<FunctionOpInterface>(op);
    if (!function)
      return;
    for (unsigned index : llvm::seq(function.getNumArguments()))
      if (DictionaryAttr attributes = function.getArgAttrDict(index))
        function.setArgAttrs(index, dropUnregistered(attributes));
    for (unsigned index : llvm::seq(function.getNumResults()))
      if (DictionaryAttr attributes = function.getResultAttrDict(index))
        function.setResultAttrs(index, dropUnregistered(attributes));
  });
}

/// Emits an error for the first op, type or attribute of an unregistered
/// dialect.
static LogicalResult requireRegistered(ModuleOp module) {
  WalkResult walked = module.walk([](Operation *op) -> WalkResult {
    if (!op->isRegistered())
      return op->emitError()
             << "op '" << op->getName() << "' is of an unknown dialect";
    auto isUnknown = [](Type type) {
      return type.walk([](OpaqueType) { return WalkResult::interrupt(); })
          .wasInterrupted();
    };
    for (Type type : op->getResultTypes())
      if (isUnknown(type))
        return op->emitError()
               << "type " << type << " is of an unknown dialect";
    for (Region &region : op->getRegions())
      for (BlockArgument argument : region.getArguments())
        if (isUnknown(argument.getType()))
          return op->emitError() << "type " << argument.getType()
                                 << " is of an unknown dialect";
    return WalkResult::advance();
  });
  return failure(walked.wasInterrupted());
}

/// Whether the module has ops of other compilers, or types that are not those
/// of a model's arguments.
static bool needsImport(ModuleOp module) {
  return module
      .walk([](Operation *op) {
        bool isForeign =
            !op->isRegistered() ||
            isa_and_present<quant::QuantDialect, tosa::TosaDialect>(
                op->getDialect());
        return isForeign ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Emits an error for the first op of a known dialect that is not in the
/// generic form, which requires the dialect.
static void reportPrettyForm(llvm::MemoryBufferRef buffer,
                             MLIRContext &context) {
  StringRef rest = buffer.getBuffer();
  for (unsigned line = 1; !rest.empty(); ++line) {
    StringRef text;
    std::tie(text, rest) = rest.split('\n');
    text = text.take_front(text.find("//"));
    // An op begins the line or follows its results.
    StringRef op = text.drop_front(text.find('=') + 1).ltrim();
    for (StringRef dialect :
         {"chlo", "iree_linalg_ext", "onnx", "stablehlo", "torch", "util"}) {
      StringRef name = op;
      if (!name.consume_front(dialect) || !name.starts_with("."))
        continue;
      emitError(FileLineColLoc::get(&context, buffer.getBufferIdentifier(),
                                    line, op.data() - text.data() + 1))
          << "the dialect '" << dialect
          << "' is read in the generic form only (--mlir-print-op-generic)";
      return;
    }
  }
}

OwningOpRef<ModuleOp>
quant_float::readMlirModel(std::unique_ptr<llvm::MemoryBuffer> buffer,
                           MLIRContext &context, const LoadOptions &options) {
  bool wasAllowed = context.allowsUnregisteredDialects();
  context.allowUnregisteredDialects(true);
  llvm::scope_exit restore(
      [&] { context.allowUnregisteredDialects(wasAllowed); });
  // Text is read through a reference, because it is inspected after an error.
  bool isText = !isBytecode(buffer->getMemBufferRef());
  std::unique_ptr<llvm::MemoryBuffer> text;
  if (isText) {
    text = std::move(buffer);
    buffer = llvm::MemoryBuffer::getMemBuffer(text->getMemBufferRef(),
                                              /*RequiresNullTerminator=*/false);
  }
  OwningOpRef<ModuleOp> module =
      readMlir(std::move(buffer), context, options.verify);
  if (!module) {
    if (text)
      reportPrettyForm(text->getMemBufferRef(), context);
    return nullptr;
  }
  if (options.onExplainedOp)
    explainOps(*module, options.onExplainedOp);
  if (needsImport(*module)) {
    PassManager manager(&context);
    buildImportOps(manager);
    if (failed(mlir::verify(*module)) || failed(manager.run(*module)))
      return nullptr;
  }
  if (failed(requireRegistered(*module)))
    return nullptr;
  dropAnnotations(*module);
  return module;
}
