//===- LinkCpuVersions.cpp - Link kernels for several CPUs ----------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Function multiversioning. Of the functions that EmitCWrappers creates for an
// entry point @f, only @f.invoke and its callees differ between CPU levels.
// They are linked as @f.invoke.0, @f.invoke.1, ..., and a new @f.invoke calls
// the one of the level that the runtime selects.
//
//===----------------------------------------------------------------------===//

#include "quant-float/EntryPoint/Link.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Linker/Linker.h"

using namespace mlir::quant_float;
using llvm::StringRef;

/// Sets the CPU of `target` on all functions that do not name one.
static void setTarget(llvm::Module &module, const llvm::TargetMachine &target) {
  for (llvm::Function &function : module) {
    if (function.isDeclaration() || function.hasFnAttribute("target-cpu"))
      continue;
    if (!target.getTargetCPU().empty())
      function.addFnAttr("target-cpu", target.getTargetCPU());
    // Set even if empty: without the attribute, a code generator that is set up
    // for another CPU, such as the JIT compiler's for the host, would add that
    // CPU's features.
    function.addFnAttr("target-features", target.getTargetFeatureString());
  }
}

/// Replaces `invoke` by a function that calls the version for the machine's
/// level. The body of `invoke` becomes version 0, and the others are declared.
static void addChoice(llvm::Function &invoke, size_t numLevels) {
  llvm::Module &module = *invoke.getParent();
  llvm::LLVMContext &context = module.getContext();
  std::string name = invoke.getName().str();
  invoke.setName(name + ".0");
  auto *choice =
      llvm::Function::Create(invoke.getFunctionType(),
                             llvm::GlobalValue::InternalLinkage, name, module);
  invoke.replaceAllUsesWith(choice);
  // As for `invoke`: nothing may move across this call.
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
    // Each level has a copy of the model's weights. `unnamed_addr` allows LLVM
    // to merge the copies.
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
