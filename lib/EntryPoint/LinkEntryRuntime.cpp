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

namespace {
/// One part of the runtime, compiled for one architecture.
struct RuntimePart {
  /// The attributes of its functions, which select the baseline of the
  /// architecture, and the ABI if the architecture has several.
  StringRef cpu, features, tuning, abi;
  StringRef bitcode;
  /// The same code as assembly, for ELF targets.
  StringRef assembly;
};
/// The entry runtime, and the part that only models with strings need.
struct Runtime {
  RuntimePart entry;
  RuntimePart strings;
};
} // namespace

template <size_t size>
static StringRef toStringRef(const unsigned char (&bytes)[size]) {
  return StringRef(reinterpret_cast<const char *>(bytes), size);
}

// EmbedRuntime.cpp writes the included files. They define the variables that
// RUNTIME_PART uses.
#define RUNTIME_PART                                                           \
  {cpu, features, tuning, abi, toStringRef(bitcode), toStringRef(assembly)}
static RuntimePart getX86Entry() {
#include "EntryRuntime.x86_64.inc"
  return RUNTIME_PART;
}
static RuntimePart getX86Strings() {
#include "StringRuntime.x86_64.inc"
  return RUNTIME_PART;
}
static RuntimePart getAArch64Entry() {
#include "EntryRuntime.aarch64.inc"
  return RUNTIME_PART;
}
static RuntimePart getAArch64Strings() {
#include "StringRuntime.aarch64.inc"
  return RUNTIME_PART;
}
static RuntimePart getRISCV64Entry() {
#include "EntryRuntime.riscv64.inc"
  return RUNTIME_PART;
}
static RuntimePart getRISCV64Strings() {
#include "StringRuntime.riscv64.inc"
  return RUNTIME_PART;
}
#undef RUNTIME_PART

static Runtime getRuntime(const llvm::Triple &triple) {
  switch (triple.getArch()) {
  case llvm::Triple::x86_64:
    return {getX86Entry(), getX86Strings()};
  case llvm::Triple::aarch64:
    return {getAArch64Entry(), getAArch64Strings()};
  case llvm::Triple::riscv64:
    return {getRISCV64Entry(), getRISCV64Strings()};
  default:
    llvm_unreachable("TargetCpu::get accepts no other architecture");
  }
}

// The sources of the bitcode are also compiled into this library. Code that is
// compiled into the process calls these functions, which saves optimizing
// thousands of instructions for each kernel.
extern "C" {
// In this process the runtime requires no CPU features: `linkEntryRuntime`
// checks the CPU first.
extern const uint64_t __qf_cpu_levels[];
const uint64_t __qf_cpu_levels[] = {1, 0};
void __qf_run_entry_point();
void __qf_compute_output_sizes();
void __qf_run_strings();
void __qf_cast_strings();
void __qf_load_strings();
void __qf_get_nontemporal_threshold();
void __qf_keep_subnormals();
void __qf_reset_float_control();
void __qf_set_float_control();
void __qf_keep_buffer();
void __qf_drop_buffer();
void __qf_take_buffer();
const char *__qf_find_missing_cpu_feature(uint64_t required);
}

/// Erases the module flags of the runtime, which could conflict with those of
/// the module, except for the ABI. Without the ABI, RISC-V's calling convention
/// depends on the features.
static void keepOnlyAbiFlag(llvm::Module &runtime) {
  llvm::Metadata *abi = runtime.getModuleFlag("target-abi");
  if (llvm::NamedMDNode *flags = runtime.getModuleFlagsMetadata())
    flags->eraseFromParent();
  if (abi)
    runtime.addModuleFlag(llvm::Module::Error, "target-abi", abi);
  if (llvm::NamedMDNode *ident = runtime.getNamedMetadata("llvm.ident"))
    ident->eraseFromParent();
}

static void setTarget(const RuntimePart &part, llvm::Function &function) {
  for (auto [name, value] : {std::pair("target-cpu", part.cpu),
                             std::pair("target-features", part.features),
                             std::pair("tune-cpu", part.tuning)}) {
    function.removeFnAttr(name);
    if (!value.empty())
      function.addFnAttr(name, value);
  }
}

/// Whether kernels call this function of the runtime. Entry points call the
/// other functions.
static bool isForKernels(StringRef name) {
  static constexpr StringRef names[] = {"__qf_get_nontemporal_threshold",
                                        "__qf_keep_subnormals",
                                        "__qf_reset_float_control",
                                        "__qf_set_float_control",
                                        "__qf_keep_buffer",
                                        "__qf_drop_buffer",
                                        "__qf_take_buffer"};
  return name.ends_with("_strings") || llvm::is_contained(names, name);
}

/// Returns the entry points, which are the callers of the runtime (apart from
/// kernels), and the functions that compute output sizes.
static llvm::SmallVector<llvm::Function *>
findEntryPoints(llvm::Module &module) {
  llvm::SmallVector<llvm::Function *> entryPoints;
  for (llvm::Function &function : module)
    if (StringRef name = function.getName(); function.isDeclaration() &&
                                             name.starts_with("__qf_") &&
                                             !isForKernels(name))
      for (llvm::User *user : function.users())
        if (auto *call = llvm::dyn_cast<llvm::CallBase>(user))
          entryPoints.push_back(call->getFunction());
  for (llvm::Function &function : module)
    if (StringRef name = function.getName();
        name.ends_with(".infer") || name.ends_with(".sizes"))
      entryPoints.push_back(&function);
  return entryPoints;
}

/// Links a part of the runtime as bitcode, which is compiled with the module.
/// Its functions become internal.
static llvm::Error addBitcode(llvm::Module &module, const RuntimePart &part) {
  llvm::Expected<std::unique_ptr<llvm::Module>> parsed = llvm::parseBitcodeFile(
      llvm::MemoryBufferRef(part.bitcode, "entry runtime"),
      module.getContext());
  if (!parsed)
    return parsed.takeError();
  // The runtime is compiled for Linux, but only depends on the architecture.
  (*parsed)->setTargetTriple(module.getTargetTriple());
  (*parsed)->setDataLayout(module.getDataLayout());
  keepOnlyAbiFlag(**parsed);
  llvm::SmallVector<std::string> names;
  for (llvm::GlobalValue &value : (*parsed)->global_values())
    if (!value.isDeclaration() && !value.hasLocalLinkage())
      names.push_back(value.getName().str());
  if (llvm::Linker::linkModules(module, std::move(*parsed)))
    return llvm::createStringError("the entry runtime does not link");
  for (const std::string &name : names)
    if (llvm::GlobalValue *value = module.getNamedValue(name)) {
      value->setVisibility(llvm::GlobalValue::DefaultVisibility);
      value->setLinkage(llvm::GlobalValue::InternalLinkage);
    }
  return llvm::Error::success();
}

/// Appends a part of the runtime as inline assembly of the module.
static void addAssembly(llvm::Module &module, const RuntimePart &part) {
  module.appendModuleInlineAsm(part.assembly);
  if (!part.abi.empty())
    module.setModuleFlag(llvm::Module::Error, "target-abi",
                         llvm::MDString::get(module.getContext(), part.abi));
  for (llvm::Function &function : module)
    if (function.isDeclaration() && function.getName().starts_with("__qf_"))
      function.setDSOLocal(true);
}

/// Defines the constant that lists the CPU features each level requires, and
/// returns it.
static llvm::GlobalVariable *defineLevels(llvm::Module &module,
                                          ArrayRef<CpuLevel> levels) {
  static constexpr StringRef name = "__qf_cpu_levels";
  SmallVector<uint64_t> fields = {levels.size()};
  for (const CpuLevel &level : levels)
    fields.push_back(level.cpu.getRequiredFeatures());
  llvm::Constant *value =
      llvm::ConstantDataArray::get(module.getContext(), ArrayRef(fields));
  // The runtime declares it as an array of unknown size, so the types differ.
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
    // JitModule reports code for another architecture.
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

  // The runtime contains inline assembly. Code generation aborts on it unless
  // the target's assembly parser is registered.
  static std::once_flag assemblersRegistered;
  std::call_once(assemblersRegistered, [] { llvm::InitializeAllAsmParsers(); });

  for (llvm::Function *entryPoint : entryPoints)
    setTarget(runtime.entry, *entryPoint);

  bool asAssembly = options.asAssembly && triple.isOSBinFormatELF();
  SmallVector<const RuntimePart *, 2> parts = {&runtime.entry};
  if (module.getFunction("__qf_run_strings"))
    parts.push_back(&runtime.strings);
  for (const RuntimePart *part : parts) {
    if (asAssembly)
      addAssembly(module, *part);
    else if (llvm::Error error = addBitcode(module, *part))
      return error;
  }
  llvm::GlobalVariable *required = defineLevels(module, levels);
  // LLVM does not analyze the uses of symbols in inline assembly.
  if (asAssembly)
    llvm::appendToCompilerUsed(module, {required});
  return llvm::Error::success();
}

ArrayRef<EntryRuntimeFunction> mlir::quant_float::getProcessEntryRuntime() {
  static const EntryRuntimeFunction functions[] = {
      {"__qf_run_entry_point", reinterpret_cast<void *>(&__qf_run_entry_point)},
      {"__qf_compute_output_sizes",
       reinterpret_cast<void *>(&__qf_compute_output_sizes)},
      {"__qf_run_strings", reinterpret_cast<void *>(&__qf_run_strings)},
      {"__qf_cast_strings", reinterpret_cast<void *>(&__qf_cast_strings)},
      {"__qf_load_strings", reinterpret_cast<void *>(&__qf_load_strings)},
      {"__qf_get_nontemporal_threshold",
       reinterpret_cast<void *>(&__qf_get_nontemporal_threshold)},
      {"__qf_keep_subnormals", reinterpret_cast<void *>(&__qf_keep_subnormals)},
      {"__qf_reset_float_control",
       reinterpret_cast<void *>(&__qf_reset_float_control)},
      {"__qf_set_float_control",
       reinterpret_cast<void *>(&__qf_set_float_control)},
      {"__qf_keep_buffer", reinterpret_cast<void *>(&__qf_keep_buffer)},
      {"__qf_drop_buffer", reinterpret_cast<void *>(&__qf_drop_buffer)},
      {"__qf_take_buffer", reinterpret_cast<void *>(&__qf_take_buffer)}};
  return functions;
}
