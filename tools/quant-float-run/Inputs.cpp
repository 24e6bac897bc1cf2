//===- Inputs.cpp - What a function is run on ---------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Inputs.h"
#include "quant-float/ExecutionEngine/TensorFile.h"
#include "quant-float/IR/ElementTypes.h"
#include "quant-float/Support/InputFile.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::quant_float;

std::optional<std::vector<Tensor>>
mlir::quant_float::gatherInputs(func::FuncOp function,
                                const Arguments &arguments, int &exitCode) {
  auto fail = [&](ToolExitCode code, const Twine &message) {
    llvm::errs() << message << "\n";
    exitCode = code;
    return std::nullopt;
  };
  std::string error;
  auto failUsage = [&] {
    return fail(kToolWrongUsage, "quant-float-run: error: " + error);
  };
  InputPlan plan;
  for (auto [index, type] : llvm::enumerate(function.getArgumentTypes())) {
    PlannedInput &input = plan.inputs.emplace_back();
    if (auto name = function.getArgAttrOfType<StringAttr>(index, kNameAttrName))
      input.name = name.str();
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || !getSlotBytes(tensor.getElementType())) {
      llvm::raw_string_ostream(error) << type;
      return fail(kToolWrongInput,
                  arguments.model + ": error: " + plan.describe(index) +
                      ": expected a ranked tensor of numbers, but got " +
                      error);
    }
    input.element = getElementLayout(*getOnnxDataType(tensor.getElementType()));
    for (int64_t size : tensor.getShape())
      input.sizes.push_back(ShapedType::isDynamic(size) ? -1 : size);
  }
  if (!plan.applyShapes(arguments.shapes, error) ||
      !plan.assignFiles(arguments.inputs, error))
    return failUsage();

  std::vector<Tensor> tensors;
  for (auto [index, input] : llvm::enumerate(plan.inputs)) {
    Type elementType =
        cast<RankedTensorType>(function.getArgumentTypes()[index])
            .getElementType();
    std::string name = plan.describe(index);
    if (input.file.empty()) {
      if (!plan.canBeRandom(index, arguments.randomSeed.has_value(), error))
        return failUsage();
      llvm::Expected<Tensor> tensor =
          Tensor::allocate(elementType, input.sizes);
      if (!tensor)
        return fail(kToolWrongInput, arguments.model + ": error: " + name +
                                         ": " +
                                         llvm::toString(tensor.takeError()));
      fillRandom(*tensor, getInputSeed(*arguments.randomSeed, index));
      tensors.push_back(std::move(*tensor));
      continue;
    }
    // An unreadable file is wrong usage; what is in it is input.
    if (llvm::Error unreadable = openRegularFile(input.file).takeError())
      return fail(kToolWrongUsage, input.file + ": error: " + name +
                                       " cannot be read: " +
                                       llvm::toString(std::move(unreadable)));
    ExpectedTensor expected{elementType,
                            llvm::to_vector(ArrayRef(input.sizes))};
    llvm::replace(expected.sizes, int64_t(-1), ShapedType::kDynamic);
    llvm::Expected<Tensor> tensor = readTensorFile(input.file, expected);
    if (!tensor)
      return fail(kToolWrongInput, input.file + ": error: " + name + ": " +
                                       llvm::toString(tensor.takeError()));
    tensors.push_back(std::move(*tensor));
  }
  return tensors;
}
