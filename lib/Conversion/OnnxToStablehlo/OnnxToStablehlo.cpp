//===- OnnxToStablehlo.cpp - ONNX nodes to StableHLO ----------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Forms.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "quant-float/Conversion/Passes.h"
#include "quant-float/IR/Constants.h"
#include "quant-float/Support/Printable.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mlir::quant_float {
#define GEN_PASS_DEF_CONVERTONNXTOSTABLEHLOPASS
#include "quant-float/Conversion/Passes.h.inc"
} // namespace mlir::quant_float

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::onnx_forms;

namespace {
/// A row of OnnxForms.def.
struct FormRow {
  int minInputs, maxInputs;
  FormConversion conversion;
  StringRef name;
  /// Converts a node with several results; otherwise null.
  FormExpansion expansion = nullptr;
};

struct ConvertOnnxToStablehlo final
    : quant_float::impl::ConvertOnnxToStablehloPassBase<
          ConvertOnnxToStablehlo> {
  using ConvertOnnxToStablehloPassBase::ConvertOnnxToStablehloPassBase;

  void runOnOperation() override;

private:
  LogicalResult convertFunction(func::FuncOp function);
  /// Converts an op and replaces its uses. Emits an error on failure.
  LogicalResult convert(Operation *op);

  /// The functions that have callers.
  llvm::StringSet<> called;
};
} // namespace

static const FormRow *findRow(NodeOp node) {
  static const llvm::StringMap<FormRow> table = [] {
    llvm::StringMap<FormRow> result;
#define QUANT_FLOAT_FORM(OpType, MinInputs, MaxInputs, Conversion)             \
  result[#OpType] = {MinInputs, MaxInputs, Conversion, ""};
#define QUANT_FLOAT_FORM_RESULTS(OpType, MinInputs, MaxInputs, Expansion)      \
  result[#OpType] = {MinInputs, MaxInputs, nullptr, "", Expansion};
#define QUANT_FLOAT_ELEMENTWISE_FORM(OpType, Inputs, Name)                     \
  result[#OpType] = {Inputs < 0 ? 1 : Inputs, Inputs, convertElementwise, Name};
#define QUANT_FLOAT_COMPARISON_FORM(OpType, Direction)                         \
  result[#OpType] = {2, 2, convertComparison, Direction};
#define QUANT_FLOAT_REDUCTION_FORM(OpType, Name)                               \
  result[#OpType] = {1, 2, convertReduction, Name};
#include "quant-float/Conversion/OnnxToStablehlo/OnnxForms.def"
    return result;
  }();
  if (!node.getDomain().empty())
    return nullptr;
  auto found = table.find(node.getOpType());
  return found == table.end() ? nullptr : &found->second;
}

/// Sets the operands of a node, absent ones included.
static void setInputs(Form &form, NodeOp node) {
  auto operand = node.getInputs().begin();
  size_t count = node.getInputs().size() + node.getAbsentInputs().size();
  for (size_t i = 0; i != count; ++i)
    form.inputs.push_back(
        llvm::is_contained(node.getAbsentInputs(), i) ? Value() : *operand++);
}

/// Requires that all operands have static shapes.
static LogicalResult checkOperands(Form &form) {
  for (auto [index, input] : llvm::enumerate(form.inputs)) {
    if (!input)
      continue;
    auto type = dyn_cast<RankedTensorType>(input.getType());
    if (!type || !type.hasStaticShape())
      return form.unsupported("operand " + Twine(index) + " has the type " +
                              showType(input.getType()) +
                              ", but must have a static shape");
  }
  return success();
}

static FailureOr<SmallVector<Value>> toResults(FailureOr<Value> value) {
  if (failed(value))
    return failure();
  return SmallVector<Value>{*value};
}

static FailureOr<SmallVector<Value>> convertNode(Form &form, NodeOp node) {
  const FormRow *row = findRow(node);
  if (!row || (!row->expansion &&
               (node->getNumRegions() != 0 || node->getNumResults() != 1)))
    return form.unsupported("the node is not in the table of forms");
  int count = form.inputs.size();
  if (count < row->minInputs || (row->maxInputs >= 0 && count > row->maxInputs))
    return form.unsupported("an unexpected number of inputs, " + Twine(count));
  // Optional inputs follow the required ones.
  for (int i = 0; i < row->minInputs; ++i)
    if (!form.inputs[i])
      return form.unsupported("input " + Twine(i) + " is absent");
  form.name = row->name;
  if (!row->expansion)
    return toResults(row->conversion(form));
  FailureOr<SmallVector<Value>> values = row->expansion(form);
  if (succeeded(values) && values->size() != node->getNumResults())
    return form.unsupported("an unexpected number of results");
  return values;
}

LogicalResult ConvertOnnxToStablehlo::convert(Operation *op) {
  ImplicitLocOpBuilder builder(op->getLoc(), op);
  Form form(op, builder);
  FailureOr<SmallVector<Value>> values = failure();
  Operation *before = op->getPrevNode();
  auto convertBody = [&](Block &block) {
    bool isConverted = true;
    for (Operation &inner : llvm::make_early_inc_range(block))
      if (!isa<YieldOp>(inner))
        isConverted &= succeeded(convert(&inner));
    return success(isConverted);
  };
  form.convertBody = convertBody;
  if (auto node = dyn_cast<NodeOp>(op))
    setInputs(form, node);
  else
    form.inputs = llvm::to_vector(op->getOperands());
  if (succeeded(checkOperands(form)))
    values =
        llvm::TypeSwitch<Operation *, FailureOr<SmallVector<Value>>>(op)
            .Case<NodeOp>([&](NodeOp node) { return convertNode(form, node); })
            .Case<CastOp>([&](auto) { return toResults(convertCast(form)); })
            .Case<QuantizeOp>(
                [&](auto) { return toResults(convertQuantize(form)); })
            .Case<DequantizeOp>(
                [&](auto) { return toResults(convertDequantize(form)); })
            .Case<QdqOp>([&](auto) { return toResults(convertQdq(form)); })
            .Case<tensor::CastOp>([&](auto) { return form.inputs; })
            .Default([&](Operation *other) -> FailureOr<SmallVector<Value>> {
              if (AnyConstantOp constant = dyn_cast<AnyConstantOp>(other))
                if (auto elements = dyn_cast<ElementsAttr>(constant.getValue()))
                  return SmallVector<Value>{form.constant(elements)};
              return form.unsupported("the op has no form in StableHLO");
            });
  if (succeeded(values)) {
    op->replaceAllUsesWith(*values);
    op->erase();
    return success();
  }
  // The errors of ops in bodies are emitted already.
  if (form.getProblem().empty())
    return failure();
  eraseNewOps(op, before);
  std::string name = op->getName().getStringRef().str();
  if (auto node = dyn_cast<NodeOp>(op))
    name = node.getOpType().str();
  return op->emitError() << "no StableHLO for '" << printable(name)
                         << "': " << form.getProblem();
}

LogicalResult ConvertOnnxToStablehlo::convertFunction(func::FuncOp function) {
  auto end =
      dyn_cast<func::ReturnOp>(function.getBody().back().getTerminator());
  if (!end || !function.getBody().hasOneBlock())
    return function.emitError("expected a function of one block with a return");
  bool isConverted = true;
  for (Operation &op : llvm::make_early_inc_range(function.getBody().front()))
    if (!isa<func::ReturnOp, func::CallOp>(op))
      isConverted &= succeeded(convert(&op));
  if (!isConverted)
    return failure();
  // The declared shapes may be unknown, but callers use them.
  if (end.getOperandTypes() == function.getResultTypes())
    return success();
  if (called.contains(function.getSymName()))
    return function.emitError("expected the types of the returned values as "
                              "result types, which callers use");
  function.setType(FunctionType::get(&getContext(), function.getArgumentTypes(),
                                     end.getOperandTypes()));
  return success();
}

void ConvertOnnxToStablehlo::runOnOperation() {
  if (!getContext().allowsUnregisteredDialects()) {
    getOperation().emitError("StableHLO is not registered: allow unregistered "
                             "dialects (--allow-unregistered-dialect)");
    return signalPassFailure();
  }
  called.clear();
  getOperation().walk(
      [&](func::CallOp call) { called.insert(call.getCallee()); });
  bool isConverted = true;
  for (auto function : getOperation().getOps<func::FuncOp>())
    if (!function.isExternal())
      isConverted &= succeeded(convertFunction(function));
  if (!isConverted)
    signalPassFailure();
}
