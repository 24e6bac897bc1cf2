//===- ReadMlirModel.cpp - Models in MLIR ---------------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/Model/ReadMlirModel.h"
#include "ExplainOps.h"

#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "quant-float/Conversion/OpImport/ImportConstant.h"
#include "quant-float/Pipelines/Stages.h"
#include "quant-float/Support/ReadMlir.h"
#include "llvm/ADT/ScopeExit.h"

using namespace mlir;
using namespace mlir::quant_float;

/// Returns the attributes without those of unregistered dialects, such as
/// jax.result_info.
static Attribute dropUnregistered(Attribute attributes) {
  auto dictionary = dyn_cast<DictionaryAttr>(attributes);
  if (!dictionary)
    return attributes;
  NamedAttrList kept;
  for (NamedAttribute attribute : dictionary)
    if (!attribute.getName().getValue().contains('.') ||
        attribute.getNameDialect())
      kept.append(attribute);
  return kept.getDictionary(attributes.getContext());
}

/// Removes attributes of unregistered dialects, which are annotations.
static void dropAnnotations(ModuleOp module) {
  module.walk([](Operation *op) {
    op->setDiscardableAttrs(cast<DictionaryAttr>(
        dropUnregistered(op->getDiscardableAttrDictionary())));
    // Functions that are not verified may have a type that is no function type.
    for (StringRef name : {"arg_attrs", "res_attrs"}) {
      auto lists = op->getAttrOfType<ArrayAttr>(name);
      if (!isa<func::FuncOp>(op) || !lists)
        continue;
      op->setAttr(
          name,
          ArrayAttr::get(op->getContext(),
                         llvm::map_to_vector(lists, [](Attribute attributes) {
                           return dropUnregistered(attributes);
                         })));
    }
  });
}

/// Makes resources dense of which an element is extracted. Folders of MLIR
/// abort on those that are not.
static void makeExtractedConstantsDense(ModuleOp module) {
  module.walk([](tensor::ExtractOp op) {
    auto constant = op.getTensor().getDefiningOp<arith::ConstantOp>();
    if (!constant || !isa<DenseResourceElementsAttr>(constant.getValue()))
      return;
    TypedAttr dense = importConstant(constant.getValue(),
                                     std::numeric_limits<int64_t>::max());
    if (dense && dense.getType() == constant.getType())
      constant.setValueAttr(dense);
  });
}

/// Returns the first type of a result or block argument of the op that
/// `isFound` accepts, or null.
static Type findType(Operation *op, llvm::function_ref<bool(Type)> isFound) {
  auto contains = [&](Type type) {
    return type
        .walk([&](Type part) {
          return isFound(part) ? WalkResult::interrupt()
                               : WalkResult::advance();
        })
        .wasInterrupted();
  };
  for (Type type : op->getResultTypes())
    if (contains(type))
      return type;
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (Type type : block.getArgumentTypes())
        if (contains(type))
          return type;
  return {};
}

static bool isUnknown(Type type) { return isa<OpaqueType>(type); }

/// Emits an error for the first op or type of an unregistered dialect.
static LogicalResult requireRegistered(ModuleOp module) {
  WalkResult walked = module.walk([](Operation *op) -> WalkResult {
    if (!op->isRegistered())
      return op->emitError()
             << "op '" << op->getName() << "' is of an unknown dialect";
    if (Type type = findType(op, isUnknown))
      return op->emitError() << "type " << type << " is of an unknown dialect";
    return WalkResult::advance();
  });
  return failure(walked.wasInterrupted());
}

/// Whether the module has ops or types of dialects that are converted.
static bool needsImport(ModuleOp module) {
  return module
      .walk([](Operation *op) {
        bool isForeign =
            !op->isRegistered() ||
            isa_and_present<quant::QuantDialect, tosa::TosaDialect>(
                op->getDialect()) ||
            findType(op, [](Type type) {
              return isUnknown(type) || isa<quant::QuantizedType>(type);
            });
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
  makeExtractedConstantsDense(*module);
  return module;
}
