//===- LinkEntryRuntime.cpp - Link the runtime of entry points ------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Runtime/Table.h"
#include "quant-float/EntryPoint/Link.h"
#include "quant-float/Support/TargetCpu.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"
#include <mutex>

using namespace mlir::quant_float;
using llvm::ArrayRef;
using llvm::StringRef;

static const unsigned char x86Runtime[] = {
#include "EntryRuntime.x86_64.inc"
};
static const unsigned char aarch64Runtime[] = {
#include "EntryRuntime.aarch64.inc"
};
static const unsigned char riscv64Runtime[] = {
#include "EntryRuntime.riscv64.inc"
};

static const unsigned char x86TextRuntime[] = {
#include "TextRuntime.x86_64.inc"
};
static const unsigned char aarch64TextRuntime[] = {
#include "TextRuntime.aarch64.inc"
};
static const unsigned char riscv64TextRuntime[] = {
#include "TextRuntime.riscv64.inc"
};

// The source of the bitcode compiled for this machine, too, for code that is
// compiled into the process: thousands of instructions that need not be
// optimized anew for every kernel.
extern "C" {
// Such code has been checked by then. Of the runtime as well.
extern const uint64_t __qf_required_cpu_features[QF_CPU_FEATURE_WORDS];
const uint64_t __qf_required_cpu_features[QF_CPU_FEATURE_WORDS] = {};
void __qf_run_entry_point();
void __qf_compute_output_sizes();
void __qf_run_texts();
void __qf_cast_texts();
void __qf_load_texts();
void __qf_get_cache_size();
const char *__qf_find_missing_cpu_feature(uint64_t required);
}

namespace {
/// The runtime's bitcode, and that of strings.
struct Runtime {
  ArrayRef<unsigned char> entry;
  ArrayRef<unsigned char> text;
};
} // namespace

/// Empty for architectures that have none.
static Runtime getRuntime(const llvm::Triple &triple) {
  switch (triple.getArch()) {
  case llvm::Triple::x86_64:
    return {x86Runtime, x86TextRuntime};
  case llvm::Triple::aarch64:
    return {aarch64Runtime, aarch64TextRuntime};
  case llvm::Triple::riscv64:
    return {riscv64Runtime, riscv64TextRuntime};
  default:
    return {};
  }
}

/// The bit set that Runtime/CpuFeatures.h compares with the machine.
static uint64_t getRequiredFeatures(const llvm::TargetMachine &target) {
  // Only Linux answers on AArch64 and RISC-V; CPUID needs no system.
  const llvm::Triple &triple = target.getTargetTriple();
  if (getRuntime(triple).entry.empty())
    return 0;
  if (triple.getArch() != llvm::Triple::x86_64 && !triple.isOSLinux())
    return 0;
  const llvm::MCSubtargetInfo &subtarget = *target.getMCSubtargetInfo();
  uint64_t required = 0;
  for (auto [bit, name] : llvm::enumerate(getVerifiableFeatures(triple)))
    if (subtarget.checkFeatures("+" + name.str()))
      required |= uint64_t(1) << bit;
  return required;
}

/// Module flags of the runtime would clash with the module's. The ABI is the
/// one that matters: without it RISC-V's calling convention depends on
/// features.
static void keepOnlyAbiFlag(llvm::Module &runtime) {
  llvm::Metadata *abi = runtime.getModuleFlag("target-abi");
  if (llvm::NamedMDNode *flags = runtime.getModuleFlagsMetadata())
    flags->eraseFromParent();
  if (abi)
    runtime.addModuleFlag(llvm::Module::Error, "target-abi", abi);
  if (llvm::NamedMDNode *ident = runtime.getNamedMetadata("llvm.ident"))
    ident->eraseFromParent();
}

static void copyTarget(const llvm::Function &from, llvm::Function &to) {
  for (const char *name : {"target-cpu", "target-features", "tune-cpu"}) {
    to.removeFnAttr(name);
    if (from.hasFnAttribute(name))
      to.addFnAttr(from.getFnAttribute(name));
  }
}

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

/// The entry points, which are what calls the runtime, but for its part for
/// strings and the size of the cache: those kernels call.
static llvm::SmallVector<llvm::Function *>
findEntryPoints(llvm::Module &module) {
  llvm::SmallVector<llvm::Function *> entryPoints;
  for (llvm::Function &function : module)
    if (StringRef name = function.getName();
        function.isDeclaration() && name.starts_with("__qf_") &&
        !name.ends_with("_texts") && name != "__qf_get_cache_size")
      for (llvm::User *user : function.users())
        if (auto *call = llvm::dyn_cast<llvm::CallBase>(user))
          entryPoints.push_back(call->getFunction());
  return entryPoints;
}

/// A part of the runtime, for the module's target.
static llvm::Expected<std::unique_ptr<llvm::Module>>
parseRuntime(ArrayRef<unsigned char> runtime, const llvm::Module &module) {
  StringRef bytes(reinterpret_cast<const char *>(runtime.data()),
                  runtime.size());
  llvm::Expected<std::unique_ptr<llvm::Module>> parsed = llvm::parseBitcodeFile(
      llvm::MemoryBufferRef(bytes, "entry runtime"), module.getContext());
  if (!parsed)
    return parsed.takeError();
  // The runtime is compiled for Linux, but depends on the architecture alone.
  (*parsed)->setTargetTriple(module.getTargetTriple());
  (*parsed)->setDataLayout(module.getDataLayout());
  keepOnlyAbiFlag(**parsed);
  return parsed;
}

static llvm::Error linkInternally(llvm::Module &module,
                                  std::unique_ptr<llvm::Module> linked) {
  llvm::SmallVector<std::string> names;
  for (llvm::GlobalValue &value : linked->global_values())
    if (!value.isDeclaration() && !value.hasLocalLinkage())
      names.push_back(value.getName().str());
  if (llvm::Linker::linkModules(module, std::move(linked)))
    return llvm::createStringError("the entry runtime does not link");
  for (const std::string &name : names)
    if (llvm::GlobalValue *value = module.getNamedValue(name)) {
      value->setVisibility(llvm::GlobalValue::DefaultVisibility);
      value->setLinkage(llvm::GlobalValue::InternalLinkage);
    }
  return llvm::Error::success();
}

llvm::Error
mlir::quant_float::linkEntryRuntime(llvm::Module &module,
                                    const llvm::TargetMachine &target,
                                    const LinkEntryRuntimeOptions &options) {
  setTarget(module, target);
  if (options.inProcess) {
    // Of another architecture's code JitModule says what is wrong.
    const llvm::Triple &triple = target.getTargetTriple();
    bool isOfProcess = triple.getArch() ==
                       llvm::Triple(llvm::sys::getProcessTriple()).getArch();
    if (uint64_t required = isOfProcess ? getRequiredFeatures(target) : 0)
      if (const char *missing = __qf_find_missing_cpu_feature(required))
        return llvm::createStringError("expected a CPU with " +
                                       llvm::Twine(missing) +
                                       ", but this machine's CPU lacks it");
    return llvm::Error::success();
  }

  llvm::SmallVector<llvm::Function *> entryPoints = findEntryPoints(module);
  if (entryPoints.empty())
    return llvm::Error::success();

  const llvm::Triple &triple = target.getTargetTriple();
  Runtime runtime = getRuntime(triple);
  if (runtime.entry.empty())
    return llvm::createStringError(
        "no entry points for '%s': expected an architecture of x86_64, aarch64 "
        "(little endian) or riscv64, but got %s",
        triple.str().c_str(), triple.getArchName().str().c_str());

  // The runtime has inline assembly, which code generation aborts on when the
  // target's assembler has not been registered.
  static std::once_flag assemblersRegistered;
  std::call_once(assemblersRegistered, [] { llvm::InitializeAllAsmParsers(); });

  llvm::Expected<std::unique_ptr<llvm::Module>> parsed =
      parseRuntime(runtime.entry, module);
  if (!parsed)
    return parsed.takeError();
  llvm::Module &linked = **parsed;
  for (const llvm::Function &function : linked)
    if (!function.isDeclaration()) {
      for (llvm::Function *entryPoint : entryPoints)
        copyTarget(function, *entryPoint);
      break;
    }
  auto *features = linked.getNamedGlobal("__qf_required_cpu_features");
  uint64_t required = getRequiredFeatures(target);
  features->setInitializer(
      llvm::ConstantDataArray::get(module.getContext(), ArrayRef(required)));
  features->setConstant(true);

  bool hasTexts = module.getFunction("__qf_run_texts");
  if (llvm::Error error = linkInternally(module, std::move(*parsed)))
    return error;
  if (!hasTexts)
    return llvm::Error::success();
  llvm::Expected<std::unique_ptr<llvm::Module>> texts =
      parseRuntime(runtime.text, module);
  return texts ? linkInternally(module, std::move(*texts)) : texts.takeError();
}

ArrayRef<EntryRuntimeFunction> mlir::quant_float::getProcessEntryRuntime() {
  static const EntryRuntimeFunction functions[] = {
      {"__qf_run_entry_point", reinterpret_cast<void *>(&__qf_run_entry_point)},
      {"__qf_compute_output_sizes",
       reinterpret_cast<void *>(&__qf_compute_output_sizes)},
      {"__qf_run_texts", reinterpret_cast<void *>(&__qf_run_texts)},
      {"__qf_cast_texts", reinterpret_cast<void *>(&__qf_cast_texts)},
      {"__qf_load_texts", reinterpret_cast<void *>(&__qf_load_texts)},
      {"__qf_get_cache_size", reinterpret_cast<void *>(&__qf_get_cache_size)}};
  return functions;
}
