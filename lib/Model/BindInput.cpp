//===- BindInput.cpp - Binds inputs to constants --------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Interchange/Elements.h"
#include "SessionCall.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Verifier.h"
#include "quant-float/IR/Constants.h"
#include "quant-float/IR/ElementTypes.h"
#include "quant-float/IR/QuantFloatDialect.h"
#include "quant-float/Model/Model.h"
#include "quant-float/Support/InputFile.h"
#include "quant-float/Weights/GGUF/Import.h"
#include "quant-float/Weights/Safetensors/Import.h"

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

/// Replaces an argument by a value with a static type, which nodes use. All
/// other users keep the declared type.
static void replaceArgument(OpBuilder &builder, BlockArgument argument,
                            Value value) {
  Value declared = value;
  if (value.getType() != argument.getType())
    declared = tensor::CastOp::create(builder, argument.getLoc(),
                                      argument.getType(), value);
  argument.replaceUsesWithIf(value, [](OpOperand &use) {
    return isa_and_present<QuantFloatDialect>(use.getOwner()->getDialect());
  });
  argument.replaceAllUsesWith(declared);
  if (declared != value && declared.use_empty())
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

llvm::Expected<size_t> Model::bindArguments(
    SessionCall &call, llvm::function_ref<bool(StringRef)> isBound,
    llvm::function_ref<llvm::Error(BlockArgument, StringRef)> bind) {
  size_t count = 0;
  for (func::FuncOp function : getEntryFunctions()) {
    // From the last, so that erasing keeps the indices of the others.
    for (unsigned index :
         llvm::reverse(llvm::seq(function.getNumArguments()))) {
      auto name = function.getArgAttrOfType<StringAttr>(index, kNameAttrName);
      if (!name || !isBound(name))
        continue;
      if (!SymbolTable::symbolKnownUseEmpty(function, getModule()))
        return makeError(
            ErrorKind::Argument,
            "input '" + name.getValue() + "' cannot be bound: function '" +
                function.getSymName() + "' is called within the model");
      if (llvm::Error error = bind(function.getArgument(index), name))
        return std::move(error);
      if (failed(function.eraseArgument(index)))
        return call.fail();
      ++count;
    }
  }
  isVerified = succeeded(mlir::verify(*module));
  return isVerified ? llvm::Expected<size_t>(count) : call.fail();
}

llvm::Error Model::bindInput(StringRef name, ReadInput read) {
  SessionCall call(*session);
  if (llvm::Error error = requireValid(call))
    return error;
  session->getContext()
      .loadDialect<arith::ArithDialect, tensor::TensorDialect>();
  llvm::Expected<size_t> count = bindArguments(
      call, [&](StringRef other) { return other == name; },
      [&](BlockArgument argument, StringRef) -> llvm::Error {
        llvm::Expected<ElementsAttr> value =
            readConstant(name, argument.getType(), read);
        if (!value)
          return value.takeError();
        auto builder = OpBuilder::atBlockBegin(argument.getOwner());
        replaceArgument(builder, argument,
                        createConstant(builder, argument.getLoc(),
                                       cast<TypedAttr>(*value)));
        return llvm::Error::success();
      });
  if (!count)
    return count.takeError();
  if (*count == 0)
    return makeError(ErrorKind::Argument,
                     "there is no input '" + name + "' to bind");
  return llvm::Error::success();
}

/// Reads the weights of a file as a function without arguments.
static OwningOpRef<ModuleOp> readWeights(StringRef path, MLIRContext *context) {
  if (path.ends_with(".gguf"))
    return importGguf(path, context);
  if (path.ends_with(".safetensors") ||
      path.ends_with(".safetensors.index.json"))
    return importSafetensors(path, context);
  emitError(FileLineColLoc::get(context, path, 0, 0))
      << "expected weights in .safetensors, .safetensors.index.json or .gguf";
  return nullptr;
}

/// Copies an op and the ops that compute its operands.
static Value copyWeight(Value value, IRMapping &mapping, OpBuilder &builder) {
  SetVector<Operation *> slice;
  // Functions of weights have no arguments and no ops with regions.
  (void)getBackwardSlice(value, &slice);
  slice.insert(value.getDefiningOp());
  for (Operation *op : slice)
    if (!mapping.contains(op))
      builder.clone(*op, mapping);
  return mapping.lookup(value);
}

llvm::Error Model::bindWeights(StringRef path) {
  SessionCall call(*session);
  if (llvm::Error error = requireValid(call))
    return error;
  MLIRContext &context = session->getContext();
  context.loadDialect<arith::ArithDialect, tensor::TensorDialect>();
  OwningOpRef<ModuleOp> weights = readWeights(path, &context);
  if (!weights)
    return call.failFile(path);
  auto function = *weights->getOps<func::FuncOp>().begin();
  Operation *terminator = function.getBody().front().getTerminator();
  llvm::StringMap<Value> values;
  for (auto [index, value] : llvm::enumerate(terminator->getOperands()))
    values[function.getResultAttrOfType<StringAttr>(index, kNameAttrName)] =
        value;
  llvm::Expected<size_t> count = bindArguments(
      call, [&](StringRef name) { return values.contains(name); },
      [&](BlockArgument argument, StringRef name) -> llvm::Error {
        auto type = cast<RankedTensorType>(values[name].getType());
        auto expected = dyn_cast<TensorType>(argument.getType());
        if (!expected || expected.getElementType() != type.getElementType() ||
            failed(verifyCompatibleShape(expected, type))) {
          std::string message;
          llvm::raw_string_ostream(message)
              << "input '" << name << "': " << path << ": expected "
              << argument.getType() << ", but got " << type;
          return makeError(ErrorKind::Argument, message);
        }
        auto builder = OpBuilder::atBlockBegin(argument.getOwner());
        IRMapping mapping;
        replaceArgument(builder, argument,
                        copyWeight(values[name], mapping, builder));
        return llvm::Error::success();
      });
  if (!count)
    return count.takeError();
  if (*count == 0)
    return makeError(ErrorKind::Argument,
                     path + ": no weight has the name of an input");
  return llvm::Error::success();
}
