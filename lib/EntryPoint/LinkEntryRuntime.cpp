//===- LinkEntryRuntime.cpp - Link the runtime of entry points ------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/EntryPoint/Link.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"
#include <mutex>

using namespace mlir::quant_float;
using llvm::ArrayRef;
using llvm::SmallVector;
using llvm::StringRef;

static const unsigned char x86Entry[] = {
#include "EntryRuntime.x86_64.inc"
};
static const unsigned char x86EntryAssembly[] = {
#include "EntryRuntime.x86_64.s.inc"
};
static const unsigned char x86Text[] = {
#include "TextRuntime.x86_64.inc"
};
static const unsigned char x86TextAssembly[] = {
#include "TextRuntime.x86_64.s.inc"
};
static const unsigned char aarch64Entry[] = {
#include "EntryRuntime.aarch64.inc"
};
static const unsigned char aarch64EntryAssembly[] = {
#include "EntryRuntime.aarch64.s.inc"
};
static const unsigned char aarch64Text[] = {
#include "TextRuntime.aarch64.inc"
};
static const unsigned char aarch64TextAssembly[] = {
#include "TextRuntime.aarch64.s.inc"
};
static const unsigned char riscv64Entry[] = {
#include "EntryRuntime.riscv64.inc"
};
static const unsigned char riscv64EntryAssembly[] = {
#include "EntryRuntime.riscv64.s.inc"
};
static const unsigned char riscv64Text[] = {
#include "TextRuntime.riscv64.inc"
};
static const unsigned char riscv64TextAssembly[] = {
#include "TextRuntime.riscv64.s.inc"
};

namespace {
/// A part of the runtime, for one architecture.
struct RuntimePart {
  StringRef bitcode;
  /// For ELF.
  StringRef assembly;
};
/// The runtime, and what strings need beside it.
struct Runtime {
  RuntimePart entry;
  RuntimePart text;
};
} // namespace

template <size_t size>
static StringRef toText(const unsigned char (&bytes)[size]) {
  return StringRef(reinterpret_cast<const char *>(bytes), size);
}

/// Empty for architectures that have none.
static Runtime getRuntime(const llvm::Triple &triple) {
#define RUNTIME(arch)                                                          \
  {                                                                            \
    {toText(arch##Entry), toText(arch##EntryAssembly)}, {                      \
      toText(arch##Text), toText(arch##TextAssembly)                           \
    }                                                                          \
  }
  switch (triple.getArch()) {
  case llvm::Triple::x86_64:
    return RUNTIME(x86);
  case llvm::Triple::aarch64:
    return RUNTIME(aarch64);
  case llvm::Triple::riscv64:
    return RUNTIME(riscv64);
  default:
    return {};
  }
#undef RUNTIME
}

// The source of the bitcode compiled for this machine, too, for code that is
// compiled into the process: thousands of instructions that need not be
// optimized anew for every kernel.
extern "C" {
// Such code has been checked by then. Of the runtime as well.
extern const uint64_t __qf_cpu_levels[];
const uint64_t __qf_cpu_levels[] = {1, 0};
void __qf_run_entry_point();
void __qf_compute_output_sizes();
void __qf_run_texts();
void __qf_cast_texts();
void __qf_load_texts();
void __qf_get_cache_size();
const char *__qf_find_missing_cpu_feature(uint64_t required);
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

/// The entry points, which are what calls the runtime, but for its part for
/// strings and the size of the cache, those kernels call, and what computes the
/// sizes of outputs.
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
  for (llvm::Function &function : module)
    if (StringRef name = function.getName();
        name.ends_with(".infer") || name.ends_with(".sizes"))
      entryPoints.push_back(&function);
  return entryPoints;
}

/// A part of the runtime, for the module's target; of its functions the
/// attributes alone.
static llvm::Expected<std::unique_ptr<llvm::Module>>
parseRuntime(const RuntimePart &part, const llvm::Module &module) {
  llvm::Expected<std::unique_ptr<llvm::Module>> parsed =
      llvm::getLazyBitcodeModule(
          llvm::MemoryBufferRef(part.bitcode, "entry runtime"),
          module.getContext());
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
  if (llvm::Error error = linked->materializeAll())
    return error;
  if (llvm::Linker::linkModules(module, std::move(linked)))
    return llvm::createStringError("the entry runtime does not link");
  for (const std::string &name : names)
    if (llvm::GlobalValue *value = module.getNamedValue(name)) {
      value->setVisibility(llvm::GlobalValue::DefaultVisibility);
      value->setLinkage(llvm::GlobalValue::InternalLinkage);
    }
  return llvm::Error::success();
}

/// Puts a part of the runtime, which `linked` declares, beside the module's own
/// code, to be assembled with it.
static void addAssembly(llvm::Module &module, const RuntimePart &part,
                        const llvm::Module &linked) {
  module.appendModuleInlineAsm(part.assembly);
  if (llvm::Metadata *abi = linked.getModuleFlag("target-abi"))
    module.setModuleFlag(llvm::Module::Error, "target-abi", abi);
  for (const llvm::Function &function : linked)
    if (!function.isDeclaration())
      if (llvm::Function *called = module.getFunction(function.getName()))
        called->setDSOLocal(true);
}

/// What the runtime asks the machine for. Returns the constant that says so.
static llvm::GlobalVariable *defineLevels(llvm::Module &module,
                                          ArrayRef<CpuLevel> levels) {
  static constexpr StringRef name = "__qf_cpu_levels";
  SmallVector<uint64_t> words = {levels.size()};
  for (const CpuLevel &level : levels)
    words.push_back(level.cpu.getRequiredFeatures());
  llvm::Constant *value =
      llvm::ConstantDataArray::get(module.getContext(), ArrayRef(words));
  // The runtime knows no size.
  llvm::GlobalVariable *declared = module.getNamedGlobal(name);
  auto *defined = new llvm::GlobalVariable(
      module, value->getType(), /*isConstant=*/true,
      llvm::GlobalValue::InternalLinkage, value, declared ? "" : name);
  if (declared) {
    declared->replaceAllUsesWith(defined);
    defined->takeName(declared);
    declared->eraseFromParent();
  }
  return defined;
}

llvm::Error
mlir::quant_float::linkEntryRuntime(ArrayRef<CpuLevel> levels,
                                    const LinkEntryRuntimeOptions &options) {
  llvm::Module &module = *levels.front().module;
  const llvm::Triple triple(levels.front().cpu.triple);
  if (options.inProcess) {
    // Of another architecture's code JitModule says what is wrong.
    bool isOfProcess = triple.getArch() ==
                       llvm::Triple(llvm::sys::getProcessTriple()).getArch();
    uint64_t required =
        isOfProcess ? levels.front().cpu.getRequiredFeatures() : 0;
    if (required)
      if (const char *missing = __qf_find_missing_cpu_feature(required))
        return llvm::createStringError("expected a CPU with " +
                                       llvm::Twine(missing) +
                                       ", but this machine's CPU lacks it");
    return llvm::Error::success();
  }

  llvm::SmallVector<llvm::Function *> entryPoints = findEntryPoints(module);
  if (entryPoints.empty())
    return llvm::Error::success();

  Runtime runtime = getRuntime(triple);
  if (runtime.entry.bitcode.empty())
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

  bool asAssembly = options.asAssembly && triple.isOSBinFormatELF();
  SmallVector<const RuntimePart *, 2> parts = {&runtime.entry};
  if (module.getFunction("__qf_run_texts"))
    parts.push_back(&runtime.text);
  for (const RuntimePart *part : parts) {
    if (part != parts.front())
      parsed = parseRuntime(*part, module);
    if (!parsed)
      return parsed.takeError();
    if (asAssembly)
      addAssembly(module, *part, **parsed);
    else if (llvm::Error error = linkInternally(module, std::move(*parsed)))
      return error;
  }
  llvm::GlobalVariable *required = defineLevels(module, levels);
  // Assembly shows nobody what it uses.
  if (asAssembly)
    llvm::appendToCompilerUsed(module, {required});
  return llvm::Error::success();
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
