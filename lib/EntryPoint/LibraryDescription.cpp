//===- LibraryDescription.cpp - What a shared library holds ---------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The structures of quant-float-c/EntryPoint.h as constants, field by field:
// the code may be for another machine than the one that compiles it.
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

namespace {

/// Makes private constants of one module.
class ConstantBuilder {
public:
  explicit ConstantBuilder(llvm::Module &module)
      : module(module), context(module.getContext()) {}

  llvm::Constant *makeInt(int64_t value) {
    return llvm::ConstantInt::getSigned(llvm::Type::getInt32Ty(context), value);
  }
  /// A text that ends at its first zero byte.
  llvm::Constant *makeText(StringRef text) {
    return place(llvm::ConstantDataArray::getString(context, text));
  }
  llvm::Constant *makeStruct(ArrayRef<llvm::Constant *> fields) {
    return llvm::ConstantStruct::getAnon(context, fields);
  }
  llvm::Constant *makeArguments(ArrayRef<EntryPointArgument> arguments);
  llvm::Constant *makeEntry(const EntryPointInfo &info);
  /// The address of an array of constants; null if there are none.
  llvm::Constant *placeAll(ArrayRef<llvm::Constant *> values);
  /// The address of a constant.
  llvm::Constant *place(llvm::Constant *value);
  llvm::Constant *makeNull() {
    return llvm::ConstantPointerNull::get(
        llvm::PointerType::getUnqual(context));
  }

private:
  llvm::Module &module;
  llvm::LLVMContext &context;
};

} // namespace

llvm::Constant *ConstantBuilder::place(llvm::Constant *value) {
  auto *global = new llvm::GlobalVariable(
      module, value->getType(), /*isConstant=*/true,
      llvm::GlobalValue::PrivateLinkage, value, "library");
  global->setUnnamedAddr(llvm::GlobalValue::UnnamedAddr::Global);
  return global;
}

llvm::Constant *ConstantBuilder::placeAll(ArrayRef<llvm::Constant *> values) {
  if (values.empty())
    return makeNull();
  return place(llvm::ConstantArray::get(
      llvm::ArrayType::get(values.front()->getType(), values.size()), values));
}

llvm::Constant *
ConstantBuilder::makeArguments(ArrayRef<EntryPointArgument> arguments) {
  llvm::SmallVector<llvm::Constant *> result;
  for (const EntryPointArgument &argument : arguments) {
    llvm::SmallVector<uint64_t> sizes(argument.sizes.begin(),
                                      argument.sizes.end());
    result.push_back(makeStruct(
        {makeText(argument.name),
         sizes.empty() ? makeNull()
                       : place(llvm::ConstantDataArray::get(context, sizes)),
         makeInt(argument.sizes.size()), makeInt(argument.dtype)}));
  }
  return placeAll(result);
}

llvm::Constant *ConstantBuilder::makeEntry(const EntryPointInfo &info) {
  return makeStruct({makeText(info.symbol), makeText(info.graphName),
                     makeArguments(info.inputs), makeArguments(info.outputs),
                     makeInt(info.inputs.size()), makeInt(info.outputs.size()),
                     module.getNamedValue(info.symbol),
                     module.getNamedValue(info.symbol + "_output_sizes")});
}

void mlir::quant_float::addLibraryDescription(
    llvm::Module &module, const llvm::TargetMachine &target,
    const LibraryDescription &library) {
  ConstantBuilder builder(module);
  llvm::LLVMContext &context = module.getContext();
  auto getTimer = [&](StringRef name, llvm::Type *result) -> llvm::Constant * {
    if (library.target != "nvvm")
      return builder.makeNull();
    return llvm::cast<llvm::Constant>(
        module.getOrInsertFunction(name, result).getCallee());
  };
  llvm::SmallVector<llvm::Constant *> entries;
  for (const EntryPointInfo &info : library.entryPoints)
    entries.push_back(builder.makeEntry(info));
  uint32_t size = sizeof(qf_library);
  llvm::Constant *table = builder.place(builder.makeStruct(
      {builder.makeInt(QF_LIBRARY_VERSION), builder.makeInt(size),
       builder.makeText("quant-float " QUANT_FLOAT_VERSION),
       builder.makeText(library.target),
       builder.makeText(target.getTargetTriple().str()),
       builder.makeText(target.getTargetCPU()), builder.makeText(library.chip),
       builder.placeAll(entries), builder.makeInt(entries.size()),
       builder.makeInt(0),
       getTimer("quantFloatGpuStartTiming", llvm::Type::getVoidTy(context)),
       getTimer("quantFloatGpuStopTiming", llvm::Type::getDoubleTy(context))}));

  auto *pointer = llvm::PointerType::getUnqual(context);
  auto *function = llvm::Function::Create(
      llvm::FunctionType::get(pointer, false),
      llvm::GlobalValue::ExternalLinkage, "qf_get_library", module);
  // Like the entry points: any CPU may ask.
  if (!library.entryPoints.empty())
    if (llvm::Function *entry =
            module.getFunction(library.entryPoints.front().symbol))
      for (const char *name : {"target-cpu", "target-features", "tune-cpu"})
        if (entry->hasFnAttribute(name))
          function->addFnAttr(entry->getFnAttribute(name));
  llvm::IRBuilder<> body(llvm::BasicBlock::Create(context, "", function));
  body.CreateRet(table);
}
