//===- IreeFunctions.cpp - Functions of IREE ------------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IreeFunctions.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "quant-float/Conversion/NodeToQuantFloat/OnnxNodeBuilder.h"
#include "quant-float/Conversion/OpImport/UnregisteredOp.h"
#include "quant-float/IR/Constants.h"
#include "quant-float/Support/Printable.h"

using namespace mlir;
using namespace mlir::quant_float;

/// Whether the type is a type of the dialect hal with this name. The dialect is
/// not registered.
static bool isHalType(Type type, StringRef name) {
  auto opaque = dyn_cast<mlir::OpaqueType>(type);
  return opaque && opaque.getDialectNamespace() == "hal" &&
         opaque.getTypeData() == name;
}

static bool isBuffer(Type type) { return isHalType(type, "buffer_view"); }
static bool isFence(Type type) { return isHalType(type, "fence"); }

static bool isOp(Operation *op, StringRef name) {
  return op && op->getName().getStringRef() == name;
}

static LogicalResult unsupported(Operation *op, const Twine &reason) {
  return op->emitError() << "no conversion of '"
                         << printable(op->getName().getStringRef())
                         << "': " << reason;
}

namespace {
/// A function of the dialect util.
struct IreeFunction {
  Operation *op;
  FunctionType type;
  StringAttr visibility;
};

class FunctionConverter {
public:
  explicit FunctionConverter(ModuleOp module) : module(module) {}

  LogicalResult run();

private:
  LogicalResult collect();
  /// Erases the function if it only starts another function and waits for its
  /// end, and renames the other function.
  LogicalResult eraseWrapper(IreeFunction function);
  LogicalResult convertGlobals();
  LogicalResult convertFunction(StringAttr name, IreeFunction function);
  LogicalResult convertArguments(Block &entry);
  LogicalResult convertBody(func::FuncOp function);
  /// Replaces a return by one of tensors.
  LogicalResult convertReturn(Operation *op);
  LogicalResult convertCall(Operation *op);

  ModuleOp module;
  /// The functions by their names.
  llvm::MapVector<StringAttr, IreeFunction> functions;
  /// The new names of asynchronous functions.
  DenseMap<StringAttr, StringAttr> names;
};
} // namespace

LogicalResult FunctionConverter::collect() {
  for (Operation &op : *module.getBody()) {
    if (!isOp(&op, "util.func"))
      continue;
    UnregisteredOp unregistered(&op);
    auto name =
        dyn_cast_or_null<StringAttr>(unregistered.getAttribute("sym_name"));
    auto attr =
        dyn_cast_or_null<TypeAttr>(unregistered.getAttribute("function_type"));
    auto type = attr ? dyn_cast<FunctionType>(attr.getValue()) : FunctionType();
    if (!name || !type || op.getNumRegions() != 1 || op.getNumOperands() != 0 ||
        op.getNumResults() != 0)
      return unsupported(&op, "expected a function with a name and a type");
    Region &body = op.getRegion(0);
    if (!body.empty() &&
        !llvm::equal(body.getArgumentTypes(), type.getInputs()))
      return unsupported(&op, "expected arguments of the function's type");
    auto visibility = dyn_cast_or_null<StringAttr>(
        unregistered.getAttribute("sym_visibility"));
    functions[name] = {&op, type, visibility};
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Asynchronous functions
//===----------------------------------------------------------------------===//

LogicalResult FunctionConverter::eraseWrapper(IreeFunction function) {
  Region &body = function.op->getRegion(0);
  Operation *call = nullptr;
  body.walk([&](Operation *op) {
    if (isOp(op, "util.call") && llvm::any_of(op->getOperandTypes(), isFence))
      call = op;
  });
  if (!call)
    return success();
  auto callee = dyn_cast_or_null<FlatSymbolRefAttr>(
      UnregisteredOp(call).getAttribute("callee"));
  auto isKnown = [](Operation &op) {
    return llvm::is_contained({"util", "hal", "arith"},
                              op.getName().getDialectNamespace()) &&
           op.getNumRegions() == 0;
  };
  SmallVector<Value> passed(llvm::make_filter_range(
      call->getOperands(), [](Value v) { return !isFence(v.getType()); }));
  if (!callee || !functions.contains(callee.getAttr()) || !body.hasOneBlock() ||
      !llvm::all_of(body.front(), isKnown) ||
      !isOp(&body.front().back(), "util.return") ||
      !llvm::equal(body.front().back().getOperands(), call->getResults()) ||
      !llvm::equal(passed, body.getArguments()))
    return unsupported(call, "expected a function that passes its arguments "
                             "to an asynchronous function and returns its "
                             "results");
  auto name =
      cast<StringAttr>(UnregisteredOp(function.op).getAttribute("sym_name"));
  if (!names.insert({callee.getAttr(), name}).second)
    return unsupported(call,
                       "another function calls '" + callee.getValue() + "'");
  return success();
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

LogicalResult FunctionConverter::convertGlobals() {
  llvm::DenseMap<StringAttr, Operation *> globals;
  for (Operation &op : *module.getBody())
    if (isOp(&op, "util.global"))
      if (auto name = dyn_cast_or_null<StringAttr>(
              UnregisteredOp(&op).getAttribute("sym_name")))
        globals[name] = &op;
  WalkResult walked = module.walk([&](Operation *load) -> WalkResult {
    if (!isOp(load, "util.global.load"))
      return WalkResult::advance();
    UnregisteredOp unregistered(load);
    auto symbol = dyn_cast_or_null<FlatSymbolRefAttr>(
        unregistered.getAttribute("global"));
    Operation *global = symbol ? globals.lookup(symbol.getAttr()) : nullptr;
    if (!global || load->getNumResults() != 1)
      return unsupported(load, "expected a global of this module");
    UnregisteredOp source(global);
    auto value =
        dyn_cast_or_null<ElementsAttr>(source.getAttribute("initial_value"));
    if (source.getAttribute("is_mutable") || !value ||
        value.getType() != load->getResult(0).getType())
      return unsupported(global, "expected a constant tensor");
    OpBuilder builder(load);
    load->getResult(0).replaceAllUsesWith(
        createConstant(builder, load->getLoc(), cast<TypedAttr>(value)));
    load->erase();
    return WalkResult::advance();
  });
  if (walked.wasInterrupted())
    return failure();
  for (auto [name, global] : globals)
    global->erase();
  return success();
}

//===----------------------------------------------------------------------===//
// Functions on tensors
//===----------------------------------------------------------------------===//

/// Returns the tensor type that the buffer is imported as.
static FailureOr<RankedTensorType> getImportedType(BlockArgument buffer) {
  RankedTensorType result;
  for (Operation *user : buffer.getUsers()) {
    if (!isOp(user, "hal.tensor.import"))
      continue;
    auto type = user->getNumResults() == 1
                    ? dyn_cast<RankedTensorType>(user->getResult(0).getType())
                    : RankedTensorType();
    if (!type || user->getOperand(0) != buffer)
      return unsupported(user, "expected a buffer and a ranked tensor");
    if (result && result != type)
      return unsupported(user, "the same buffer has the types " +
                                   showType(result) + " and " + showType(type));
    result = type;
  }
  if (!result)
    return buffer.getOwner()->getParentOp()->emitError()
           << "no conversion of argument " << buffer.getArgNumber()
           << ": expected an import of the buffer";
  return result;
}

LogicalResult FunctionConverter::convertArguments(Block &entry) {
  for (BlockArgument argument : entry.getArguments()) {
    if (isFence(argument.getType())) {
      for (OpOperand &use : llvm::make_early_inc_range(argument.getUses())) {
        Operation *user = use.getOwner();
        if (!isOp(user, "hal.tensor.import") &&
            !isOp(user, "hal.tensor.barrier"))
          return unsupported(user, "a use of a fence");
      }
      continue;
    }
    if (!isBuffer(argument.getType()))
      continue;
    FailureOr<RankedTensorType> type = getImportedType(argument);
    if (failed(type))
      return failure();
    argument.setType(*type);
  }
  return success();
}

LogicalResult FunctionConverter::convertReturn(Operation *op) {
  OpBuilder builder(op);
  SmallVector<Value> values;
  for (Value value : op->getOperands()) {
    Operation *source = value.getDefiningOp();
    values.push_back(isOp(source, "hal.tensor.export") &&
                             source->getNumOperands() != 0
                         ? source->getOperand(0)
                         : value);
  }
  func::ReturnOp::create(builder, op->getLoc(), values);
  op->erase();
  return success();
}

LogicalResult FunctionConverter::convertCall(Operation *op) {
  auto callee = dyn_cast_or_null<FlatSymbolRefAttr>(
      UnregisteredOp(op).getAttribute("callee"));
  if (!callee)
    return unsupported(op, "expected a function");
  OpBuilder builder(op);
  auto call = func::CallOp::create(builder, op->getLoc(), callee,
                                   op->getResultTypes(), op->getOperands());
  op->replaceAllUsesWith(call);
  op->erase();
  return success();
}

LogicalResult FunctionConverter::convertBody(func::FuncOp function) {
  SmallVector<Operation *> ops, exports;
  function.getBody().walk([&](Operation *op) { ops.push_back(op); });
  for (Operation *op : ops) {
    size_t operands = op->getNumOperands();
    bool isPlain = op->getNumRegions() == 0 && op->getNumSuccessors() == 0;
    if (!isPlain)
      continue;
    if (isOp(op, "hal.tensor.import") && operands >= 1 &&
        op->getNumResults() == 1) {
      if (op->getOperand(0).getType() != op->getResult(0).getType())
        return unsupported(op, "expected an argument of the function");
      op->replaceAllUsesWith(op->getOperands().take_front(1));
      op->erase();
    } else if (isOp(op, "hal.tensor.barrier") && operands >= 1) {
      OperandRange tensors = op->getOperands().drop_back(1);
      if (!isFence(op->getOperand(operands - 1).getType()) ||
          !llvm::equal(tensors.getTypes(), op->getResultTypes()))
        return unsupported(op, "expected tensors and a fence");
      op->replaceAllUsesWith(tensors);
      op->erase();
    } else if (isOp(op, "hal.buffer_view.dim") && operands == 1 &&
               op->getNumResults() == 1 &&
               op->getResult(0).getType().isIndex()) {
      auto type = dyn_cast<RankedTensorType>(op->getOperand(0).getType());
      std::optional<int64_t> index = UnregisteredOp(op).getInt("index");
      if (!type || !index || *index < 0 || *index >= type.getRank())
        return unsupported(op, "expected a dimension of an argument");
      OpBuilder builder(op);
      op->getResult(0).replaceAllUsesWith(tensor::DimOp::create(
          builder, op->getLoc(), op->getOperand(0), *index));
      op->erase();
    } else if (isOp(op, "hal.tensor.export")) {
      exports.push_back(op);
    } else if (isOp(op, "util.return")) {
      if (failed(convertReturn(op)))
        return failure();
    } else if (isOp(op, "util.call")) {
      if (failed(convertCall(op)))
        return failure();
    }
  }
  for (Operation *op : exports)
    if (op->use_empty())
      op->erase();
  return success();
}

LogicalResult FunctionConverter::convertFunction(StringAttr name,
                                                 IreeFunction function) {
  Region &body = function.op->getRegion(0);
  if (!body.empty() && failed(convertArguments(body.front())))
    return failure();
  OpBuilder builder(function.op);
  StringAttr newName = names.lookup(name);
  auto result = func::FuncOp::create(builder, function.op->getLoc(),
                                     newName ? newName : name, function.type);
  if (function.visibility && function.visibility.getValue() != "public")
    result.setSymVisibilityAttr(function.visibility);
  result.getBody().takeBody(body);
  function.op->erase();
  if (result.isDeclaration())
    return success();
  if (failed(convertBody(result)))
    return failure();
  Block &entry = result.getBody().front();
  entry.eraseArguments([](BlockArgument argument) {
    return isFence(argument.getType()) && argument.use_empty();
  });
  SmallVector<Type> results(function.type.getResults());
  for (Block &block : result.getBody())
    if (auto returned = dyn_cast_or_null<func::ReturnOp>(
            block.empty() ? nullptr : &block.back()))
      llvm::append_range(results = {}, returned.getOperandTypes());
  result.setType(FunctionType::get(module.getContext(),
                                   entry.getArgumentTypes(), results));
  return success();
}

LogicalResult FunctionConverter::run() {
  if (failed(collect()))
    return failure();
  for (auto [name, function] : functions)
    if (failed(eraseWrapper(function)))
      return failure();
  for (auto [name, wrapper] : names) {
    if (names.contains(wrapper))
      return unsupported(functions[name].op, "a chain of asynchronous calls");
    functions[name].visibility = functions[wrapper].visibility;
  }
  for (auto [name, wrapper] : names) {
    functions[wrapper].op->erase();
    functions.erase(wrapper);
  }
  if (failed(convertGlobals()))
    return failure();
  for (auto [name, function] : functions)
    if (failed(convertFunction(name, function)))
      return failure();
  bool isConverted = true;
  module.walk([&](Operation *op) {
    if (!llvm::is_contained({"util", "hal"},
                            op->getName().getDialectNamespace()))
      return;
    op->emitError() << "no conversion of '"
                    << printable(op->getName().getStringRef()) << "'";
    isConverted = false;
  });
  return success(isConverted);
}

LogicalResult quant_float::iree_ops::convertIreeFunctions(ModuleOp module) {
  return FunctionConverter(module).run();
}
