//===- LinkCpuLevels.cpp - Kernels for several CPUs in one module ---------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of what EmitCWrappers makes for an entry point @f, levels differ in @f.invoke
// and what that calls. All levels' come to be @f.invoke.0, @f.invoke.1, ...,
// and @f.invoke, which the runtime calls after it has looked at the machine,
// goes to that of the level it found.
//
//===----------------------------------------------------------------------===//

#include "quant-float/EntryPoint/Link.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Linker/Linker.h"

using namespace mlir::quant_float;
using llvm::StringRef;

/// Everything that names no CPU is compiled for `target`'s.
static void setTarget(llvm::Module &module, const llvm::TargetMachine &target) {
  for (llvm::Function &function : module) {
    if (function.isDeclaration() || function.hasFnAttribute("target-cpu"))
      continue;
    if (!target.getTargetCPU().empty())
      function.addFnAttr("target-cpu", target.getTargetCPU());
    // Even when empty: without the attribute a code generator set up for
    // another CPU, such as the JIT's for this machine, would add that CPU's
    // features.
    function.addFnAttr("target-features", target.getTargetFeatureString());
  }
}

/// Makes `invoke` go to one function for each level, the first of which has its
/// body; the others are declared.
static void addChoice(llvm::Function &invoke, size_t numLevels) {
  llvm::Module &module = *invoke.getParent();
  llvm::LLVMContext &context = module.getContext();
  std::string name = invoke.getName().str();
  invoke.setName(name + ".0");
  auto *choice =
      llvm::Function::Create(invoke.getFunctionType(),
                             llvm::GlobalValue::InternalLinkage, name, module);
  invoke.replaceAllUsesWith(choice);
  // As around `invoke`, nothing may move out of this call.
  choice->addFnAttr(llvm::Attribute::NoInline);
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(context, "", choice));
  llvm::SmallVector<llvm::Value *> arguments(
      llvm::make_pointer_range(choice->args()));
  auto callIn = [&](llvm::Function *callee) {
    auto *block = llvm::BasicBlock::Create(context, "", choice);
    llvm::IRBuilder<> call(block);
    call.CreateRet(call.CreateCall(callee, arguments));
    return block;
  };
  llvm::Value *level = builder.CreateCall(
      module.getOrInsertFunction("__qf_get_cpu_level", builder.getInt64Ty()));
  llvm::SwitchInst *jump =
      builder.CreateSwitch(level, callIn(&invoke), numLevels - 1);
  for (size_t i = 1; i < numLevels; ++i)
    jump->addCase(
        builder.getInt64(i),
        callIn(llvm::Function::Create(invoke.getFunctionType(),
                                      llvm::GlobalValue::ExternalLinkage,
                                      name + "." + llvm::Twine(i), module)));
}

llvm::Error
mlir::quant_float::linkCpuLevels(llvm::MutableArrayRef<CpuLevel> levels) {
  for (CpuLevel &level : levels)
    setTarget(*level.module, *level.machine);
  if (levels.size() == 1)
    return llvm::Error::success();

  llvm::Module &module = *levels.front().module;
  llvm::SmallVector<std::string> names;
  for (llvm::Function &function : module)
    if (function.getName().ends_with(".invoke"))
      names.push_back(function.getName().str());
  for (StringRef name : names)
    addChoice(*module.getFunction(name), levels.size());
  for (auto [i, level] : llvm::enumerate(levels)) {
    // All levels have the model's weights: what optimizes keeps one of each.
    for (llvm::GlobalVariable &global : level.module->globals())
      if (global.isConstant() && global.hasLocalLinkage())
        global.setUnnamedAddr(llvm::GlobalValue::UnnamedAddr::Global);
    if (i == 0)
      continue;
    std::string suffix = ("." + llvm::Twine(i)).str();
    for (StringRef name : names) {
      llvm::Function *invoke = level.module->getFunction(name);
      invoke->setName(name + suffix);
      invoke->setLinkage(llvm::GlobalValue::ExternalLinkage);
    }
    if (llvm::Linker::linkModules(module, std::move(level.module),
                                  llvm::Linker::Flags::LinkOnlyNeeded))
      return llvm::createStringError("kernels for '" + level.cpu.name +
                                     "' do not link");
    for (StringRef name : names)
      module.getFunction((name + suffix).str())
          ->setLinkage(llvm::GlobalValue::InternalLinkage);
  }
  return llvm::Error::success();
}
