//===- BindInput.cpp - Binds inputs to constants --------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Interchange/Elements.h"
#include "SessionCall.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Verifier.h"
#include "quant-float/IR/Constants.h"
#include "quant-float/IR/ElementTypes.h"
#include "quant-float/IR/QuantFloatDialect.h"
#include "quant-float/Model/Model.h"
#include "quant-float/Support/InputFile.h"

using namespace mlir;
using namespace mlir::quant_float;

/// Reads a file as a tensor of this element type and shape.
static llvm::Expected<TensorBuffer> readFile(StringRef path, StringRef name,
                                             const ElementInfo &element,
                                             ArrayRef<int64_t> sizes,
                                             MLIRContext *context) {
  if (llvm::Error unreadable = openRegularFile(path).takeError())
    return makeFileError(path, "cannot be read: " +
                                   llvm::toString(std::move(unreadable)));
  auto readOnnx = [&](StringRef file) -> llvm::Expected<TensorBuffer> {
    return Tensor::readOnnx(file, context);
  };
  llvm::Expected<TensorBuffer> value =
      readTensorFile(path, element, sizes, /*offset=*/0, readOnnx);
  if (!value)
    return makeError(ErrorKind::Model, "input '" + name + "': " + path + ": " +
                                           llvm::toString(value.takeError()));
  return value;
}

/// Copies the caller's tensor after checking its element type and shape.
static llvm::Expected<TensorBuffer> takeTensor(const qf_tensor &source,
                                               StringRef name,
                                               const ElementInfo &element,
                                               ArrayRef<int64_t> sizes) {
  llvm::Expected<Tensor> tensor = Tensor::view(source);
  if (!tensor)
    return tensor.takeError();
  auto fits = [](int64_t there, int64_t size) {
    return size < 0 || there == size;
  };
  if ((tensor->getElement().number & ~kPackedFlag) != element.number ||
      !llvm::equal(tensor->getSizes(), sizes, fits))
    return makeError(ErrorKind::Argument, "input '" + name + "': expected " +
                                              spellTensor(element, sizes) +
                                              ", but got " + tensor->spell());
  llvm::Expected<Tensor> slots = tensor->unpack();
  return slots ? slots->copy() : slots.takeError();
}

/// Returns the constant that `read` provides for an argument of this type.
static llvm::Expected<ElementsAttr> readConstant(
    StringRef name, Type argument,
    llvm::function_ref<llvm::Expected<TensorBuffer>(const ElementInfo &,
                                                    ArrayRef<int64_t>)>
        read) {
  auto tensor = dyn_cast<RankedTensorType>(argument);
  const ElementInfo *element =
      tensor ? findSlotElement(tensor.getElementType()) : nullptr;
  if (!element || element->isString()) {
    std::string printed;
    llvm::raw_string_ostream(printed) << argument;
    return makeError(ErrorKind::Argument,
                     "input '" + name +
                         "' cannot be bound: expected a ranked tensor of "
                         "numbers, but got " +
                         printed);
  }
  SmallVector<int64_t> sizes;
  for (int64_t size : tensor.getShape())
    sizes.push_back(ShapedType::isDynamic(size) ? -1 : size);
  llvm::Expected<TensorBuffer> value = read(*element, sizes);
  if (!value)
    return value.takeError();
  target::DecodedTensor decoded;
  decoded.elementType = tensor.getElementType();
  decoded.dims.assign(value->getSizes().begin(), value->getSizes().end());
  decoded.count = value->getNumElements();
  auto owner = std::make_shared<TensorBuffer>(std::move(*value));
  decoded.slots = {
      owner->getBytes().take_front(decoded.count * element->getSlotBytes()),
      owner};
  ElementsAttr made = target::makeElementsAttr(std::move(decoded), name);
  return made ? llvm::Expected<ElementsAttr>(made)
              : makeError(ErrorKind::Memory,
                          "no memory for input '" + name + "'");
}

/// Replaces an argument by a constant. Nodes use the constant's static type,
/// and all other users keep the declared type.
static void replaceArgument(BlockArgument argument, ElementsAttr value) {
  auto builder = OpBuilder::atBlockBegin(argument.getOwner());
  Value constant =
      createConstant(builder, argument.getLoc(), cast<TypedAttr>(value));
  Value declared = constant;
  if (constant.getType() != argument.getType())
    declared = tensor::CastOp::create(builder, argument.getLoc(),
                                      argument.getType(), constant);
  argument.replaceUsesWithIf(constant, [](OpOperand &use) {
    return isa_and_present<QuantFloatDialect>(use.getOwner()->getDialect());
  });
  argument.replaceAllUsesWith(declared);
  if (declared != constant && declared.use_empty())
    declared.getDefiningOp()->erase();
}

llvm::Error Model::bindInput(StringRef name, StringRef path) {
  return bindInput(
      name, [&](const ElementInfo &element, ArrayRef<int64_t> sizes) {
        return readFile(path, name, element, sizes, &session->getContext());
      });
}

llvm::Error Model::bindInput(StringRef name, const qf_tensor &tensor) {
  return bindInput(name,
                   [&](const ElementInfo &element, ArrayRef<int64_t> sizes) {
                     return takeTensor(tensor, name, element, sizes);
                   });
}

llvm::Error Model::bindInput(StringRef name, ReadInput read) {
  SessionCall call(*session);
  if (llvm::Error error = requireValid(call))
    return error;
  session->getContext()
      .loadDialect<arith::ArithDialect, tensor::TensorDialect>();
  bool isFound = false;
  for (func::FuncOp function : getEntryFunctions()) {
    auto indices = llvm::seq(function.getNumArguments());
    auto found = llvm::find_if(indices, [&](unsigned index) {
      auto nameAttr =
          function.getArgAttrOfType<StringAttr>(index, kNameAttrName);
      return nameAttr && nameAttr == name;
    });
    if (found == indices.end())
      continue;
    unsigned index = *found;
    isFound = true;
    if (!SymbolTable::symbolKnownUseEmpty(function, getModule()))
      return makeError(ErrorKind::Argument,
                       "input '" + name + "' cannot be bound: function '" +
                           function.getSymName() +
                           "' is called within the model");
    BlockArgument argument = function.getArgument(index);
    llvm::Expected<ElementsAttr> value =
        readConstant(name, argument.getType(), read);
    if (!value)
      return value.takeError();
    replaceArgument(argument, *value);
    if (failed(function.eraseArgument(index)))
      return call.fail();
  }
  if (!isFound)
    return makeError(ErrorKind::Argument,
                     "there is no input '" + name + "' to bind");
  isVerified = succeeded(mlir::verify(*module));
  return isVerified ? llvm::Error::success() : call.fail();
}
