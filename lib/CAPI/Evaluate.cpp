//===- Evaluate.cpp - Computing with the Reference, for C -----------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompileOptions.h"
#include "Kernel.h"
#include "mlir/Pass/PassManager.h"
#include "quant-float/Conversion/Passes.h"
#include "quant-float/ExecutionEngine/ReferenceEvaluator.h"
#include "quant-float/IR/ElementTypes.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::capi;

/// OpenVINO's layers become casts that the Reference knows.
static LogicalResult convertLayers(ModuleOp module) {
  ConvertOpenVinoNodesToOnnxPassOptions options;
  options.allowUnsupported = true;
  PassManager manager(module.getContext());
  manager.addPass(createConvertOpenVinoNodesToOnnxPass(options));
  return manager.run(module);
}

static std::string spell(MLIRContext *context, const qf_tensor &tensor) {
  Type elementType = getTypeFromOnnxDataType(context, tensor.dtype);
  return spellTensor(elementType ? elementType : NoneType::get(context),
                     {tensor.sizes, static_cast<size_t>(tensor.rank)});
}

/// The caller's memory as an argument of the function, which it has to fit.
static QuantFloatStatus readInput(const qf_tensor &given, Type type,
                                  unsigned index, std::vector<Tensor> &inputs,
                                  ErrorReport &report) {
  auto expected = cast<RankedTensorType>(type);
  std::string name = ("input " + Twine(index)).str();
  auto refuse = [&](QuantFloatStatus status, const Twine &given) {
    return report.makeError(status, name + ": expected " +
                                        spellTensor(expected.getElementType(),
                                                    expected.getShape()) +
                                        ", but got " + given);
  };
  if (given.rank != expected.getRank())
    return refuse(QUANT_FLOAT_ERROR_RANK, "rank " + Twine(given.rank));
  if (given.rank && !given.sizes)
    return report.makeNull(name + ": sizes");
  MLIRContext *context = type.getContext();
  if (getTypeFromOnnxDataType(context, given.dtype) !=
      expected.getElementType())
    return refuse(QUANT_FLOAT_ERROR_ELEMENT_TYPE, spell(context, given));
  ArrayRef<int64_t> sizes(given.sizes, given.rank);
  for (auto [size, wanted] : llvm::zip_equal(sizes, expected.getShape()))
    if (size < 0 || (!ShapedType::isDynamic(wanted) && size != wanted))
      return refuse(QUANT_FLOAT_ERROR_SIZE, spell(context, given));
  llvm::Expected<int64_t> bytes = countBytes(expected.getElementType(), sizes);
  if (!bytes)
    return report.makeError(QUANT_FLOAT_ERROR_SIZE, bytes.takeError());
  if (*bytes && !given.data)
    return report.makeNull(name + ": data");
  llvm::Expected<Tensor> tensor = Tensor::view(
      expected.getElementType(), sizes,
      ArrayRef(static_cast<const char *>(given.data), *bytes), nullptr);
  if (!tensor)
    return report.makeError(QUANT_FLOAT_ERROR_SIZE, tensor.takeError());
  inputs.push_back(std::move(*tensor));
  return QUANT_FLOAT_OK;
}

/// The results in memory of their own: they may be inputs or constants.
static llvm::Expected<std::vector<Tensor>> evaluate(func::FuncOp function,
                                                    ArrayRef<Tensor> inputs) {
  llvm::Expected<std::vector<Tensor>> results =
      evaluateWithReference(function, inputs);
  if (!results)
    return results;
  for (Tensor &result : *results) {
    llvm::Expected<Tensor> copy =
        Tensor::allocate(result.getElementType(), result.getSizes());
    if (!copy)
      return copy.takeError();
    llvm::copy(result.getBytes(), copy->getMutableBytes().begin());
    result = std::move(*copy);
  }
  return results;
}

QuantFloatStatus quantFloatModelEvaluate(QuantFloatModel model, size_t entry,
                                         const qf_tensor *inputs,
                                         size_t numInputs,
                                         QuantFloatTensors *results,
                                         QuantFloatError *error) {
  ErrorReport report(error);
  if (!results)
    return report.makeNull("results");
  *results = {};
  if (!inputs && numInputs)
    return report.makeNull("inputs");
  auto run = [&](ModelObject &object, SessionCall &call) {
    OwningOpRef<ModuleOp> copy =
        copyToCompile(object, QUANT_FLOAT_FAKE_CONVERT_OF_MODEL);
    if (failed(convertLayers(*copy)) || call.isCancelled())
      return call.makeDiagnosed(QUANT_FLOAT_ERROR_MODEL);
    SmallVector<func::FuncOp> functions = getEntryFunctions(*copy);
    if (entry >= functions.size())
      return report.makeError(QUANT_FLOAT_ERROR_ARGUMENT,
                              "entry must be below " + Twine(functions.size()) +
                                  ", but got " + Twine(entry));
    func::FuncOp function = functions[entry];
    if (failed(checkReferenceSupports(function)))
      return call.makeDiagnosed(QUANT_FLOAT_ERROR_MODEL);
    if (numInputs != function.getNumArguments())
      return report.makeError(QUANT_FLOAT_ERROR_COUNT,
                              "function '" + function.getSymName() + "' has " +
                                  Twine(function.getNumArguments()) +
                                  " inputs, but got " + Twine(numInputs));
    std::vector<Tensor> tensors;
    for (auto [index, type] : llvm::enumerate(function.getArgumentTypes()))
      if (QuantFloatStatus status =
              readInput(inputs[index], type, index, tensors, report))
        return status;
    llvm::Expected<std::vector<Tensor>> computed = evaluate(function, tensors);
    if (!computed)
      return report.makeError(QUANT_FLOAT_ERROR_SIZE, computed.takeError());
    return report.give(results, HandleKind::Tensors,
                       std::make_unique<TensorsObject>(std::move(*computed)));
  };
  return withValidModel(model, report, run);
}
