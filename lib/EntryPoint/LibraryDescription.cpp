//===- LibraryDescription.cpp - Describe a shared library -----------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Emits the structures of quant-float-c/EntryPoint.h as constants, field by
// field, because the layout is that of the target, not of the host.
//
//===----------------------------------------------------------------------===//

#include "quant-float-c/EntryPoint.h"
#include "quant-float/EntryPoint/Link.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

using namespace mlir::quant_float;
using llvm::ArrayRef;
using llvm::StringRef;

void mlir::quant_float::addLibraryDescription(
    llvm::Module &module, const llvm::TargetMachine &target,
    const LibraryDescription &library) {
  using Constants = llvm::SmallVector<llvm::Constant *>;
  llvm::LLVMContext &context = module.getContext();
  auto *pointer = llvm::PointerType::getUnqual(context);
  llvm::Constant *null = llvm::ConstantPointerNull::get(pointer);
  auto makeInt = [&](int64_t value) -> llvm::Constant * {
    return llvm::ConstantInt::getSigned(llvm::Type::getInt32Ty(context), value);
  };
  auto makeStruct = [&](ArrayRef<llvm::Constant *> fields) {
    return llvm::ConstantStruct::getAnon(context, fields);
  };
  // Returns the address of a new global with this value.
  auto makeGlobal = [&](llvm::Constant *value) -> llvm::Constant * {
    auto *global = new llvm::GlobalVariable(
        module, value->getType(), /*isConstant=*/true,
        llvm::GlobalValue::PrivateLinkage, value, "library");
    global->setUnnamedAddr(llvm::GlobalValue::UnnamedAddr::Global);
    return global;
  };
  // Returns the address of an array of the values, or null if there are none.
  auto makeGlobalArray = [&](ArrayRef<llvm::Constant *> values) {
    if (values.empty())
      return null;
    return makeGlobal(llvm::ConstantArray::get(
        llvm::ArrayType::get(values.front()->getType(), values.size()),
        values));
  };
  // Returns the address of a null-terminated string.
  auto makeString = [&](StringRef string) {
    return makeGlobal(llvm::ConstantDataArray::getString(context, string));
  };
  auto makeArguments = [&](ArrayRef<EntryPointArgument> arguments) {
    Constants result;
    for (const EntryPointArgument &argument : arguments) {
      llvm::SmallVector<uint64_t> sizes(argument.sizes.begin(),
                                        argument.sizes.end());
      result.push_back(makeStruct(
          {makeString(argument.name),
           sizes.empty()
               ? null
               : makeGlobal(llvm::ConstantDataArray::get(context, sizes)),
           makeInt(argument.sizes.size()), makeInt(argument.dtype)}));
    }
    return makeGlobalArray(result);
  };
  Constants entries;
  for (const EntryPointInfo &info : library.entryPoints)
    entries.push_back(
        makeStruct({makeString(info.symbol), makeString(info.graphName),
                    makeArguments(info.inputs), makeArguments(info.outputs),
                    makeInt(info.inputs.size()), makeInt(info.outputs.size()),
                    module.getNamedValue(info.symbol),
                    module.getNamedValue(info.symbol + "_output_sizes")}));
  auto getTimer = [&](StringRef name, llvm::Type *result) {
    return library.target == "nvvm"
               ? llvm::cast<llvm::Constant>(
                     module.getOrInsertFunction(name, result).getCallee())
               : null;
  };
  llvm::Constant *table = makeGlobal(makeStruct(
      {makeInt(QF_LIBRARY_VERSION), makeInt(sizeof(qf_library)),
       makeString("quant-float " QUANT_FLOAT_VERSION),
       makeString(library.target), makeString(target.getTargetTriple().str()),
       makeString(library.cpu), makeString(library.chip),
       makeGlobalArray(entries), makeInt(entries.size()), makeInt(0),
       getTimer("quantFloatGpuStartTiming", llvm::Type::getVoidTy(context)),
       getTimer("quantFloatGpuStopTiming", llvm::Type::getDoubleTy(context))}));

  auto *function = llvm::Function::Create(
      llvm::FunctionType::get(pointer, false),
      llvm::GlobalValue::ExternalLinkage, "qf_get_library", module);
  // Like the entry points, it must run on any CPU of the architecture.
  if (!library.entryPoints.empty())
    if (llvm::Function *entry =
            module.getFunction(library.entryPoints.front().symbol))
      for (const char *name : {"target-cpu", "target-features", "tune-cpu"})
        if (entry->hasFnAttribute(name))
          function->addFnAttr(entry->getFnAttribute(name));
  llvm::IRBuilder<> body(llvm::BasicBlock::Create(context, "", function));
  body.CreateRet(table);
}
