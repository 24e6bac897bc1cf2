//===- ModeComparison.cpp - --compare-modes of quant-float-run ------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModeComparison.h"
#include "CompiledRun.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "quant-float/ExecutionEngine/CompareModes.h"
#include "quant-float/ExecutionEngine/ReferenceEvaluator.h"
#include "quant-float/Support/Locations.h"
#include "quant-float/Support/Printable.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::quant_float;

/// The fakeconverts, or nothing after an error: there must be some, each one in
/// the function's own block and on ranked tensors.
static SmallVector<FakeConvertOp> findFakeConverts(func::FuncOp function) {
  SmallVector<FakeConvertOp> found;
  bool isSupported = true;
  function.walk([&](FakeConvertOp op) {
    found.push_back(op);
    if (op->getParentOp() != function) {
      op->emitError("--compare-modes: expected fakeconverts in no body of "
                    "another op");
      isSupported = false;
    } else if (!llvm::all_of(op->getOperandTypes(),
                             llvm::IsaPred<RankedTensorType>)) {
      op->emitError("--compare-modes: expected fakeconverts of ranked tensors");
      isSupported = false;
    }
  });
  if (found.empty())
    function.emitError("--compare-modes: expected a fakeconvert in '")
        << function.getSymName() << "'";
  return isSupported ? found : SmallVector<FakeConvertOp>();
}

/// Makes the function return the values, and drops what they do not need.
static void returnOnly(func::FuncOp function, ArrayRef<Value> values) {
  Block &block = function.front();
  block.getTerminator()->setOperands(values);
  function.setFunctionType(
      FunctionType::get(function.getContext(), block.getArgumentTypes(),
                        llvm::map_to_vector(values, [](Value value) {
                          return value.getType();
                        })));
  function.setAllResultAttrs(ArrayRef<Attribute>());
  SmallVector<Operation *> ops;
  for (Operation &op : block.without_terminator())
    ops.push_back(&op);
  for (Operation *op : llvm::reverse(ops))
    if (op->use_empty())
      op->erase();
}

static llvm::Expected<std::vector<Tensor>> run(const CompiledRun &compiled,
                                               ArrayRef<Tensor> inputs) {
  llvm::Expected<std::vector<Tensor>> outputs =
      compiled.allocateOutputs(inputs);
  if (!outputs)
    return outputs;
  CompiledRun::Call call = compiled.prepare(inputs, *outputs);
  if (llvm::Error error = compiled.run(call))
    return std::move(error);
  return outputs;
}

/// The values' tensors.
static llvm::Expected<std::vector<Tensor>>
compute(ModuleOp module, func::FuncOp function, ArrayRef<Value> values,
        const Arguments &arguments, ArrayRef<Tensor> inputs, int &exitCode) {
  // The fakeconverts are still needed when the function is compiled.
  IRMapping mapping;
  OwningOpRef<ModuleOp> copy = cast<ModuleOp>(module->clone(mapping));
  auto caller = cast<func::FuncOp>(mapping.lookup(function.getOperation()));
  returnOnly(caller, llvm::map_to_vector(values, [&](Value value) {
               return mapping.lookup(value);
             }));
  if (arguments.target == "reference") {
    if (succeeded(checkReferenceSupports(caller)))
      return evaluateWithReference(caller, inputs);
    exitCode = kToolWrongInput;
    return std::vector<Tensor>();
  }
  std::optional<CompiledRun> compiled =
      CompiledRun::compile(*copy, caller, arguments, exitCode);
  return compiled ? run(*compiled, inputs) : std::vector<Tensor>();
}

/// Prints an error as --compare-modes has it.
static int fail(const Arguments &arguments, llvm::Error error) {
  llvm::errs() << arguments.model
               << ": error: " << llvm::toString(std::move(error)) << "\n";
  return kToolWrongInput;
}

int mlir::quant_float::compareModes(ModuleOp module, func::FuncOp function,
                                    const Arguments &arguments,
                                    ArrayRef<Tensor> inputs) {
  SmallVector<FakeConvertOp> ops = findFakeConverts(function);
  if (ops.empty())
    return kToolWrongInput;

  // Only what is neither given nor constant has to be computed.
  llvm::DenseMap<Value, Tensor> tensors;
  for (auto [argument, input] :
       llvm::zip_equal(function.getArguments(), inputs))
    tensors.try_emplace(argument, input);
  llvm::SetVector<Value> needed;
  for (FakeConvertOp op : ops)
    for (Value operand : op->getOperands()) {
      if (tensors.contains(operand))
        continue;
      auto constant = operand.getDefiningOp<arith::ConstantOp>();
      if (!constant) {
        needed.insert(operand);
        continue;
      }
      llvm::Expected<Tensor> tensor =
          Tensor::fromAttribute(cast<ElementsAttr>(constant.getValue()),
                                getElementTypeOrSelf(operand));
      if (!tensor)
        return fail(arguments, tensor.takeError());
      tensors.try_emplace(operand, std::move(*tensor));
    }
  if (!needed.empty()) {
    int exitCode = kToolDone;
    llvm::Expected<std::vector<Tensor>> computed = compute(
        module, function, needed.getArrayRef(), arguments, inputs, exitCode);
    if (!computed)
      return fail(arguments, computed.takeError());
    if (exitCode != kToolDone)
      return exitCode;
    for (auto [value, tensor] : llvm::zip_equal(needed, *computed))
      tensors.try_emplace(value, tensor);
  }

  for (auto [index, op] : llvm::enumerate(ops)) {
    const Tensor &input = tensors.at(op.getInput());
    const Tensor *shift = op.getShift() ? &tensors.at(op.getShift()) : nullptr;
    llvm::Expected<ModeReport> report =
        compareModes(op, input, tensors.at(op.getScale()), shift);
    if (!report)
      return fail(arguments, report.takeError());
    llvm::outs() << "fakeconvert " << index;
    if (StringRef name = getNodeName(op->getLoc()); !name.empty())
      llvm::outs() << " '" << printable(name) << "'";
    llvm::outs() << ", "
                 << spellTensor(input.getElementType(), input.getSizes())
                 << " to " << op.getDestination();
    if (matchPattern(op.getInput(), m_Constant()))
      llvm::outs() << ", a constant, which OpenVINO folds as "
                   << stringifyFakeConvertMode(
                          FakeConvertMode::OpenVINOReference);
    llvm::outs() << "\n";
    printModeReport(llvm::outs(), *report);
  }
  return kToolDone;
}
