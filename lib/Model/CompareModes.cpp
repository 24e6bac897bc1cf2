//===- CompareModes.cpp - How the modes of fakeconverts differ ----------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompiledCode.h"
#include "SessionCall.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "quant-float/Model/Model.h"
#include "quant-float/Support/Locations.h"
#include "quant-float/Support/Printable.h"
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
      op->emitError("expected fakeconverts in no body of another op to compare "
                    "their modes");
      isSupported = false;
    } else if (!llvm::all_of(op->getOperandTypes(),
                             llvm::IsaPred<RankedTensorType>)) {
      op->emitError("expected fakeconverts of ranked tensors to compare their "
                    "modes");
      isSupported = false;
    }
  });
  if (found.empty())
    function.emitError("expected a fakeconvert in '")
        << function.getSymName() << "' to compare its modes";
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

/// The values' tensors.
static llvm::Expected<std::vector<Tensor>>
compute(Session &session, func::FuncOp function, ArrayRef<Value> values,
        ArrayRef<Tensor> inputs, const BuildOptions *options) {
  // The fakeconverts are still needed when the function is compiled.
  IRMapping mapping;
  auto module = function->getParentOfType<ModuleOp>();
  OwningOpRef<ModuleOp> copy = cast<ModuleOp>(module->clone(mapping));
  auto caller = cast<func::FuncOp>(mapping.lookup(function.getOperation()));
  returnOnly(caller, llvm::map_to_vector(values, [&](Value value) {
               return mapping.lookup(value);
             }));
  Model model(session, std::move(copy));
  if (!options) {
    llvm::Expected<size_t> entry = model.findEntry(function.getSymName());
    return entry ? model.evaluate(*entry, describe(inputs)) : entry.takeError();
  }
  BuildOptions build = *options;
  build.entry = function.getSymName().str();
  llvm::Expected<CompiledModel> compiled = model.compile(build);
  if (!compiled)
    return compiled.takeError();
  return compiled->run(0, inputs);
}

llvm::Expected<std::vector<FakeConvertReport>>
Model::compareModes(size_t entry, ArrayRef<qf_tensor> inputs,
                    const BuildOptions *options) {
  SessionCall call(*session);
  if (llvm::Error error = requireValid(call))
    return std::move(error);
  // OpenVINO's layers have become casts there.
  Model copy = clone();
  if (failed(convertLayers(copy.getModule())) || call.isCancelled())
    return call.fail();
  llvm::Expected<func::FuncOp> found = copy.getEntryFunction(entry);
  if (!found)
    return found.takeError();
  func::FuncOp function = *found;
  llvm::Expected<std::vector<Tensor>> bound = bindInputs(function, inputs);
  if (!bound)
    return bound.takeError();
  SmallVector<FakeConvertOp> ops = findFakeConverts(function);
  if (ops.empty())
    return call.fail();

  // Only what is neither given nor constant has to be computed.
  llvm::DenseMap<Value, Tensor> tensors;
  for (auto [argument, input] :
       llvm::zip_equal(function.getArguments(), *bound))
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
        return makeError(ErrorKind::Model, tensor.takeError());
      tensors.try_emplace(operand, std::move(*tensor));
    }
  if (!needed.empty()) {
    llvm::Expected<std::vector<Tensor>> computed =
        compute(*session, function, needed.getArrayRef(), *bound, options);
    if (!computed)
      return computed.takeError();
    for (auto [value, tensor] : llvm::zip_equal(needed, *computed))
      tensors.try_emplace(value,
                          tensor.withElementType(getElementTypeOrSelf(value)));
  }

  std::vector<FakeConvertReport> reports;
  for (FakeConvertOp op : ops) {
    const Tensor &input = tensors.at(op.getInput());
    const Tensor *shift = op.getShift() ? &tensors.at(op.getShift()) : nullptr;
    llvm::Expected<ModeReport> modes =
        quant_float::compareModes(op, input, tensors.at(op.getScale()), shift);
    if (!modes)
      return makeError(ErrorKind::Size, modes.takeError());
    reports.push_back({getNodeName(op->getLoc()).str(),
                       getElementTypeOrSelf(op.getInput()), op.getDestination(),
                       llvm::to_vector(input.getSizes()),
                       matchPattern(op.getInput(), m_Constant()), *modes});
  }
  return reports;
}

void quant_float::printFakeConvertReport(llvm::raw_ostream &os, size_t index,
                                         const FakeConvertReport &report) {
  os << "fakeconvert " << index;
  if (!report.name.empty())
    os << " '" << printable(report.name) << "'";
  os << ", " << spellTensor(report.elementType, report.sizes) << " to "
     << report.destination;
  if (report.isConstant)
    os << ", a constant, which OpenVINO folds as "
       << stringifyFakeConvertMode(FakeConvertMode::OpenVINOReference);
  os << "\n";
  printModeReport(os, report.modes);
}
