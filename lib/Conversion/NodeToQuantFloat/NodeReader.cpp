//===- NodeReader.cpp - Reader of quantization nodes ----------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NodeReader.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::quant_float;

NodeReader::NodeReader(NodeOp node, NodeErrorFn emitError)
    : NodeAttributes(node), errorFn(emitError) {
  // The node may violate N2. An index out of order only shifts the other
  // inputs.
  ArrayRef<int64_t> absent = node.getAbsentInputs();
  for (Value input : node.getInputs()) {
    while (!absent.empty() && absent.front() == int64_t(inputs.size())) {
      inputs.push_back(Value());
      absent = absent.drop_front();
    }
    inputs.push_back(input);
  }
  inputs.resize(inputs.size() + absent.size());
}

Value NodeReader::getInput(unsigned index) const {
  return index < inputs.size() ? inputs[index] : Value();
}

Type NodeReader::getElementType(unsigned index) const {
  Value input = getInput(index);
  auto tensor = input ? dyn_cast<TensorType>(input.getType()) : TensorType();
  return tensor ? tensor.getElementType() : Type();
}

LogicalResult NodeReader::checkValues(size_t min, size_t max,
                                      size_t outputs) const {
  if (inputs.size() < min || inputs.size() > max) {
    std::string range = std::to_string(min);
    if (max != min)
      range += (max == min + 1 ? " or " : " to ") + std::to_string(max);
    return emitError() << "expected " << range << " input(s), but got "
                       << inputs.size();
  }
  for (auto [index, input] : llvm::enumerate(inputs)) {
    if (!input && index < min)
      return emitError() << "input " << index << " is absent";
    if (input && !isa<TensorType, UnknownType>(input.getType()))
      return emitError() << "input " << index << ": expected a tensor, but got "
                         << input.getType();
  }
  if (size_t count = getNode()->getNumResults(); count != outputs)
    return emitError() << "expected " << outputs << " output"
                       << (outputs == 1 ? "" : "s") << ", but got " << count;
  return success();
}

LogicalResult NodeReader::checkAttributes(ArrayRef<AttributeRow> rows) {
  if (std::optional<std::string> error = read(rows))
    return emitError() << *error;
  return success();
}

BoolAttr NodeReader::getSaturate() const {
  return has("saturate") ? BoolAttr::get(NodeOp(getNode())->getContext(),
                                         getFlag("saturate"))
                         : BoolAttr();
}
