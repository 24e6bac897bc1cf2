//===- ModelInputs.cpp - The inputs of a model's function -----------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModelInputs.h"

#include "quant-float/IR/EntryPointInfo.h"

using namespace mlir;
using namespace mlir::quant_float;

llvm::Expected<std::vector<Tensor>>
quant_float::gatherInputs(InputOptions &options, func::FuncOp function) {
  std::vector<RunInput> inputs;
  for (auto [index, type] : llvm::enumerate(function.getArgumentTypes())) {
    RunInput &input = inputs.emplace_back();
    if (auto name = function.getArgAttrOfType<StringAttr>(index, kNameAttrName))
      input.name = name.str();
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (tensor)
      input.element = findSlotElement(tensor.getElementType());
    if (input.element && function.getArgAttr(index, kPackedAttrName))
      input.element = findSlotElement(input.element->number | kPackedFlag);
    if (!input.element) {
      std::string printed;
      llvm::raw_string_ostream(printed) << type;
      return fail(
          options.model,
          describeInput(inputs, index) +
              ": expected a ranked tensor of numbers or strings, but got " +
              printed);
    }
    for (int64_t size : tensor.getShape())
      input.sizes.push_back(ShapedType::isDynamic(size) ? -1 : size);
  }
  auto readOnnx = [&](StringRef path) -> llvm::Expected<TensorBuffer> {
    return Tensor::readOnnx(path, function.getContext());
  };
  auto buffers = options.gatherInputs(std::move(inputs), /*offset=*/0,
                                      /*ignoresUnknown=*/false, readOnnx);
  if (!buffers)
    return buffers.takeError();
  return std::vector<Tensor>(buffers->begin(), buffers->end());
}
