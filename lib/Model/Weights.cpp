//===- Weights.cpp - Large constants of models for GPUs -------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompiledCode.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "quant-float/IR/Constants.h"
#include "quant-float/IR/ElementTypes.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

using namespace mlir;
using namespace mlir::quant_float;

static llvm::Error hoist(func::FuncOp function,
                         const std::shared_ptr<const void> &owner,
                         std::vector<Tensor> &tensors) {
  constexpr size_t kLarge = 64 * 1024;
  for (auto constant : llvm::make_early_inc_range(
           function.getBody().front().getOps<AnyConstantOp>())) {
    auto type = dyn_cast<RankedTensorType>(constant.getType());
    auto resource = dyn_cast<DenseResourceElementsAttr>(constant.getValue());
    AsmResourceBlob *blob =
        type && resource ? resource.getRawHandle().getBlob() : nullptr;
    if (!blob || blob->getData().size() < kLarge ||
        !findSlotElement(type.getElementType()))
      continue;
    int32_t dtype = getDtype(type.getElementType());
    NamedAttrList attributes;
    if (isPacked(resource)) {
      dtype |= kPackedFlag;
      attributes.set(kPackedAttrName, UnitAttr::get(function.getContext()));
    }
    llvm::Expected<Tensor> tensor =
        Tensor::view(dtype, type.getShape(), blob->getData(), owner);
    if (!tensor)
      return tensor.takeError();
    unsigned index = function.getNumArguments();
    if (failed(function.insertArgument(
            index, type, attributes.getDictionary(function.getContext()),
            constant.getLoc())))
      continue;
    constant.getResult().replaceAllUsesWith(function.getArgument(index));
    constant.erase();
    tensors.push_back(std::move(*tensor));
  }
  return llvm::Error::success();
}

llvm::Expected<Weights>
quant_float::hoistWeights(ModuleOp module, std::shared_ptr<const void> owner) {
  llvm::StringSet<> used;
  if (auto uses = SymbolTable::getSymbolUses(&module.getBodyRegion()))
    for (SymbolTable::SymbolUse use : *uses)
      used.insert(use.getSymbolRef().getRootReference());
  Weights weights;
  // Functions without tensors have no entry point.
  auto isShaped = [](Type type) {
    return isa<TensorType, BaseMemRefType>(type);
  };
  for (auto function : module.getOps<func::FuncOp>()) {
    if (!function.isPublic() || function.isExternal() ||
        (llvm::none_of(function.getArgumentTypes(), isShaped) &&
         llvm::none_of(function.getResultTypes(), isShaped)))
      continue;
    weights.emplace_back();
    if (!used.contains(function.getSymName()))
      if (llvm::Error error = hoist(function, owner, weights.back()))
        return std::move(error);
  }
  return weights;
}

/// Adds a function `name` that calls `callee` with the weights appended to the
/// inputs.
static void addForwarder(llvm::Function *callee, const Twine &name,
                         size_t numInputs, ArrayRef<qf_tensor> weights) {
  llvm::Module &module = *callee->getParent();
  llvm::LLVMContext &context = module.getContext();
  auto *function =
      llvm::Function::Create(callee->getFunctionType(),
                             llvm::GlobalValue::ExternalLinkage, name, module);
  auto addBlock = [&](const char *name) {
    return llvm::BasicBlock::Create(context, name, function);
  };
  llvm::BasicBlock *entry = addBlock("entry"), *copy = addBlock("copy"),
                   *call = addBlock("call");
  llvm::IRBuilder<> builder(entry);
  constexpr uint64_t kSize = sizeof(qf_tensor);
  uint64_t ownSize = numInputs * kSize;
  llvm::Align align(alignof(qf_tensor));
  llvm::AllocaInst *all = builder.CreateAlloca(llvm::ArrayType::get(
      builder.getInt64Ty(), (ownSize + weights.size() * kSize) / 8));
  llvm::Value *behind =
      builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), all, ownSize);
  llvm::Value *source = builder.CreateIntToPtr(
      builder.getInt64(reinterpret_cast<uintptr_t>(weights.data())),
      builder.getPtrTy());
  builder.CreateMemCpy(behind, align, source, align, weights.size() * kSize);
  // Pass a null pointer on: the entry point reports it.
  llvm::Value *inputs = function->getArg(0);
  llvm::Value *isNull =
      numInputs ? builder.CreateIsNull(inputs) : builder.getFalse();
  builder.CreateCondBr(isNull, call, copy);
  builder.SetInsertPoint(copy);
  builder.CreateMemCpy(all, align, inputs, align, ownSize);
  builder.CreateBr(call);
  builder.SetInsertPoint(call);
  llvm::PHINode *input = builder.CreatePHI(builder.getPtrTy(), 2);
  input->addIncoming(inputs, entry);
  input->addIncoming(all, copy);
  SmallVector<llvm::Value *> arguments = {input};
  for (llvm::Argument &argument : llvm::drop_begin(function->args()))
    arguments.push_back(&argument);
  builder.CreateRet(builder.CreateCall(callee, arguments));
}

std::string quant_float::addForwarders(llvm::Module &module, StringRef symbol,
                                       size_t numInputs,
                                       ArrayRef<qf_tensor> weights) {
  // Symbols of entry points contain no dot, so this name is unused.
  std::string name = (symbol + ".weights").str();
  for (StringRef suffix : {"", "_output_sizes"})
    if (llvm::Function *callee = module.getFunction((symbol + suffix).str()))
      addForwarder(callee, name + suffix, numInputs, weights);
  return name;
}
