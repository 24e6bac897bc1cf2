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
#include "mlir/Interfaces/CastInterfaces.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "quant-float/Conversion/OpImport/ImportConstant.h"
#include "quant-float/Conversion/Passes.h"
#include "quant-float/IR/EntryPointInfo.h"
#include "quant-float/IR/OpsetRules.h"
#include "quant-float/Pipelines/Stages.h"
#include "quant-float/Support/Locations.h"
#include "quant-float/Support/OpsetImports.h"
#include "quant-float/Support/ReadMlir.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringMap.h"

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

/// Returns the functions that the function calls or refers to.
static SmallVector<func::FuncOp>
getCallees(func::FuncOp function, const llvm::StringMap<func::FuncOp> &all) {
  SmallVector<func::FuncOp> callees;
  function.walk([&](Operation *op) {
    if (!isa<func::CallOp, func::ConstantOp>(op))
      return;
    // Ops that are not verified may lack the attribute.
    auto callee = op->getAttrOfType<FlatSymbolRefAttr>(
        isa<func::CallOp>(op) ? "callee" : "value");
    if (func::FuncOp found = callee ? all.lookup(callee.getValue()) : nullptr)
      callees.push_back(found);
  });
  return callees;
}

/// Emits an error for the first function that calls itself. Nothing limits the
/// depth of the calls of a model.
static LogicalResult refuseRecursion(ModuleOp module) {
  llvm::StringMap<func::FuncOp> all;
  for (auto function : module.getOps<func::FuncOp>())
    if (auto name = function->getAttrOfType<StringAttr>(
            SymbolTable::getSymbolAttrName()))
      all.try_emplace(name, function);
  // A function is open while its callees are visited. Chains of calls may be
  // long, so the stack is explicit.
  enum class State { Open, Closed };
  llvm::DenseMap<Operation *, State> states;
  SmallVector<std::pair<func::FuncOp, SmallVector<func::FuncOp>>> stack;
  for (auto root : module.getOps<func::FuncOp>()) {
    if (states.contains(root))
      continue;
    states[root] = State::Open;
    stack.emplace_back(root, getCallees(root, all));
    while (!stack.empty()) {
      auto &[function, callees] = stack.back();
      if (callees.empty()) {
        states[function] = State::Closed;
        stack.pop_back();
        continue;
      }
      func::FuncOp callee = callees.pop_back_val();
      auto [state, isNew] = states.try_emplace(callee, State::Open);
      if (isNew)
        stack.emplace_back(callee, getCallees(callee, all));
      else if (state->second == State::Open)
        return callee->emitError()
               << "function "
               << callee->getAttr(SymbolTable::getSymbolAttrName())
               << " calls itself: recursion is not supported";
    }
  }
  return success();
}

/// Adds the name of the model to errors at locations in other files, such as
/// the source of the program that wrote the model, and to those without a
/// location.
static void addModelName(Diagnostic &diagnostic, StringRef name,
                         bool &mayLackAttributes) {
  if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
    return;
  Location loc = diagnostic.getLocation();
  auto file = loc->findInstanceOf<FileLineColLoc>();
  if (file && file.getFilename() == name)
    return;
  auto model = FileLineColLoc::get(loc.getContext(), name, 0, 0);
  diagnostic.attachNote(model) << "the model contains the op of this error";
  // Once for all errors.
  if (std::exchange(mayLackAttributes, false))
    diagnostic.attachNote(model)
        << "bytecode of a compiler that registers the dialect does not store "
           "attributes by name: write text in the generic form "
           "(--mlir-print-op-generic)";
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

/// Emits an error for bytecode of VHLO, StableHLO's stable form, because MLIR's
/// reader only names the dialect.
static void reportVhlo(llvm::MemoryBufferRef buffer, MLIRContext &context) {
  // The name of the dialect ends with a null byte.
  if (buffer.getBuffer().contains(StringRef("vhlo\0", 5)))
    emitError(FileLineColLoc::get(&context, buffer.getBufferIdentifier(), 0, 0))
        << "VHLO bytecode is not read: convert it to StableHLO in the generic "
           "form with stablehlo.deserialize_portable_artifact of jaxlib";
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

/// Parses a model and converts the ops of other compilers. Sets `isConverted`
/// if there are any.
static OwningOpRef<ModuleOp>
readAndConvert(std::unique_ptr<llvm::MemoryBuffer> buffer, MLIRContext &context,
               const LoadOptions &options, bool &isConverted) {
  // Models of other compilers have ops and types of these.
  DialectRegistry dialects;
  dialects.insert<quant::QuantDialect, tosa::TosaDialect>();
  context.appendDialectRegistry(dialects);
  bool wasAllowed = context.allowsUnregisteredDialects();
  context.allowUnregisteredDialects(true);
  llvm::scope_exit restore(
      [&] { context.allowUnregisteredDialects(wasAllowed); });
  std::string name = buffer->getBufferIdentifier().str();
  bool mayLackAttributes = false;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    addModelName(diagnostic, name, mayLackAttributes);
    // Another handler prints it.
    return failure();
  });
  // Read through a reference, because the input is inspected after an error.
  llvm::MemoryBufferRef bytes = buffer->getMemBufferRef();
  OwningOpRef<ModuleOp> module = readMlir(
      llvm::MemoryBuffer::getMemBuffer(bytes, /*RequiresNullTerminator=*/false),
      context, options.verify);
  bool isFromBytecode = isBytecode(bytes);
  if (!module) {
    if (isFromBytecode)
      reportVhlo(bytes, context);
    else
      reportPrettyForm(bytes, context);
    return nullptr;
  }
  buffer.reset();
  if (options.onExplainedOp)
    explainOps(*module, options.onExplainedOp);
  isConverted = needsImport(*module);
  if (isConverted) {
    mayLackAttributes = isFromBytecode;
    PassManager manager(&context);
    buildImportOps(manager);
    if (failed(mlir::verify(*module)) || failed(manager.run(*module)))
      return nullptr;
  }
  if (failed(requireRegistered(*module)) || failed(refuseRecursion(*module)))
    return nullptr;
  dropAnnotations(*module);
  makeExtractedConstantsDense(*module);
  return module;
}

OwningOpRef<ModuleOp>
quant_float::readMlirModel(std::unique_ptr<llvm::MemoryBuffer> buffer,
                           MLIRContext &context, const LoadOptions &options) {
  bool isConverted;
  return readAndConvert(std::move(buffer), context, options, isConverted);
}

/// Names the arguments and results that have no name.
static void nameArguments(func::FuncOp function) {
  StringAttr name =
      StringAttr::get(function.getContext(), StringRef(kNameAttrName));
  Builder b(function.getContext());
  for (BlockArgument argument : function.getArguments()) {
    unsigned index = argument.getArgNumber();
    if (getNodeName(argument.getLoc()).empty() &&
        !function.getArgAttr(index, name))
      function.setArgAttr(index, name,
                          b.getStringAttr("input_" + Twine(index)));
  }
  for (unsigned index = 0; index < function.getNumResults(); ++index)
    if (!function.getResultAttr(index, name))
      function.setResultAttr(index, name,
                             b.getStringAttr("output_" + Twine(index)));
}

/// Whether the module has casts of the arith dialect on tensors.
static bool hasCasts(ModuleOp module) {
  return module
      .walk([](Operation *op) {
        bool isCast = isa<CastOpInterface>(op) &&
                      isa_and_present<arith::ArithDialect>(op->getDialect()) &&
                      isa<TensorType>(op->getResult(0).getType());
        return isCast ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

OwningOpRef<ModuleOp>
quant_float::readMlirGraph(std::unique_ptr<llvm::MemoryBuffer> buffer,
                           MLIRContext &context, bool &isConverted) {
  OwningOpRef<ModuleOp> module =
      readAndConvert(std::move(buffer), context, {}, isConverted);
  if (!module)
    return module;
  isConverted |= hasCasts(*module);
  if (!isConverted)
    return module;
  PassManager manager(&context);
  manager.addPass(createQuantFloatLegalizeArithPass());
  manager.addPass(createInlinerPass());
  manager.addPass(createSymbolDCEPass());
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
  if (failed(manager.run(*module)))
    return nullptr;
  for (auto function : module->getOps<func::FuncOp>())
    if (!function.isExternal())
      nameArguments(function);
  setOnnxOpset(*module, kNewestOpset);
  return module;
}
