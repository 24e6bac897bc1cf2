//===- JitModule.cpp - JIT-compiled modules -------------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/ExecutionEngine/JitModule.h"
#include "quant-float-c/CudaRuntime.h"
#include "quant-float/EntryPoint/Link.h"
#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/ExecutionEngine/Orc/CompileUtils.h"
#include "llvm/ExecutionEngine/Orc/ExecutionUtils.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"
#include <dlfcn.h>
#ifdef __ELF__
#include <link.h>
#endif
#include <mutex>
#include <pthread.h>

using namespace mlir::quant_float;
namespace orc = llvm::orc;

JitModule::JitModule(std::unique_ptr<orc::LLJIT> jit) : jit(std::move(jit)) {}

JitModule::~JitModule() {
  if (hasConstructors)
    llvm::consumeError(jit->deinitialize(jit->getMainJITDylib()));
}

/// Returns the functions of the OpenMP runtime that the module calls.
static std::vector<std::string> getOpenMPCalls(const llvm::Module &module) {
  std::vector<std::string> names;
  for (const llvm::Function &function : module)
    if (function.isDeclaration() && !function.use_empty() &&
        (function.getName().starts_with("__kmpc_") ||
         function.getName().starts_with("omp_")))
      names.push_back(function.getName().str());
  return names;
}

/// Returns the file names of the libraries that this process has loaded.
static std::vector<std::string> getLoadedLibraries() {
  std::vector<std::string> names;
#ifdef __ELF__
  dl_iterate_phdr(
      [](dl_phdr_info *info, size_t, void *names) {
        if (info->dlpi_name && *info->dlpi_name)
          static_cast<std::vector<std::string> *>(names)->push_back(
              info->dlpi_name);
        return 0;
      },
      &names);
#endif
  return names;
}

/// Returns the addresses of these symbols in a library or its dependencies, or
/// nothing if one of them is missing.
static std::vector<void *> findAll(void *library,
                                   llvm::ArrayRef<std::string> names) {
  std::vector<void *> addresses;
  for (const std::string &name : names)
    if (void *address = library ? dlsym(library, name.c_str()) : nullptr)
      addresses.push_back(address);
    else
      return {};
  return addresses;
}

/// Returns the addresses of functions of an OpenMP runtime. Programs often load
/// OpenMP runtimes, LLVM's or others, as Python packages do. A loaded runtime
/// is preferred, because LLVM's runtime aborts a process in which it is
/// initialized twice. A runtime that is loaded here is not visible to the rest
/// of the program. It is never unloaded, because its threads may outlive all
/// modules.
static llvm::Expected<std::vector<void *>>
findOpenMP(llvm::ArrayRef<std::string> names) {
  static std::mutex mutex;
  static void *library = nullptr;
  // Otherwise a child that is forked while the mutex is held would deadlock.
  static const int registered = pthread_atfork(
      [] { mutex.lock(); }, [] { mutex.unlock(); }, [] { mutex.unlock(); });
  (void)registered;
  std::lock_guard<std::mutex> lock(mutex);
  std::vector<void *> addresses = findAll(library, names);
  auto tryLibrary = [&](const char *name, int mode) {
    void *opened = dlopen(name, mode | RTLD_NOW | RTLD_LOCAL);
    addresses = findAll(opened, names);
    // Keep the library that defines the functions, not one that depends on it
    // and may be unloaded.
    Dl_info owner;
    if (name && !addresses.empty() && dladdr(addresses.front(), &owner))
      if (void *own = dlopen(owner.dli_fname, RTLD_NOLOAD | RTLD_NOW)) {
        dlclose(opened);
        opened = own;
      }
    if (!addresses.empty())
      library = opened;
    else if (opened)
      dlclose(opened);
  };
  if (addresses.empty())
    tryLibrary(nullptr, 0);
  if (addresses.empty())
    for (const std::string &name : getLoadedLibraries())
      if (addresses.empty())
        tryLibrary(name.c_str(), RTLD_NOLOAD);
  std::string tried;
  for (const char *name :
       {"libomp.so.5", "libomp.so", QUANT_FLOAT_LIBOMP_PATH}) {
    if (!*name || !addresses.empty())
      continue;
    tryLibrary(name, 0);
    tried += tried.empty() ? "" : ", ";
    tried += name;
  }
  if (!addresses.empty())
    return addresses;
  return llvm::createStringError(
      "the compiled code is multithreaded and requires LLVM's OpenMP runtime, "
      "which cannot be loaded (tried %s); install it, or compile for "
      "one thread",
      tried.c_str());
}

using Constants = llvm::ArrayRef<std::pair<std::string, llvm::ArrayRef<char>>>;

/// Defines the functions of this program that the code calls, and the constants
/// that it uses in place. The program need not export the functions.
static llvm::Error defineSymbols(orc::LLJIT &jit, const llvm::Module &module,
                                 Constants constants) {
  orc::SymbolMap symbols;
  for (const auto &[name, bytes] : constants)
    symbols[jit.mangleAndIntern(name)] = {
        orc::ExecutorAddr::fromPtr(bytes.data()),
        llvm::JITSymbolFlags::Exported};
  auto define = [&](llvm::StringRef name, auto *address) {
    symbols[jit.mangleAndIntern(name)] = {orc::ExecutorAddr::fromPtr(address),
                                          llvm::JITSymbolFlags::Exported};
  };
  // linkEntryRuntime leaves these functions undefined.
  for (const EntryRuntimeFunction &function : getProcessEntryRuntime())
    if (const llvm::Function *called = module.getFunction(function.name))
      if (called->isDeclaration())
        define(function.name, function.address);
  std::vector<std::string> names = getOpenMPCalls(module);
  if (!names.empty()) {
    llvm::Expected<std::vector<void *>> addresses = findOpenMP(names);
    if (!addresses)
      return addresses.takeError();
    for (auto [name, address] : llvm::zip_equal(names, *addresses))
      define(name, address);
  }
  // All functions of CudaRuntime.h that code calls.
#define DEFINE(name)                                                           \
  if (module.getFunction(#name))                                               \
    define(#name, &name);
  DEFINE(quantFloatGpuTakeError)
  DEFINE(quantFloatGpuEncodeTensorMap)
  DEFINE(mgpuSetDefaultDevice)
  DEFINE(mgpuModuleLoad)
  DEFINE(mgpuModuleLoadJIT)
  DEFINE(mgpuModuleUnload)
  DEFINE(mgpuModuleGetFunction)
  DEFINE(mgpuLaunchKernel)
  DEFINE(mgpuLaunchClusterKernel)
  DEFINE(mgpuStreamCreate)
  DEFINE(mgpuStreamDestroy)
  DEFINE(mgpuStreamSynchronize)
  DEFINE(mgpuStreamWaitEvent)
  DEFINE(mgpuEventCreate)
  DEFINE(mgpuEventDestroy)
  DEFINE(mgpuEventSynchronize)
  DEFINE(mgpuEventRecord)
  DEFINE(mgpuMemAlloc)
  DEFINE(mgpuMemFree)
  DEFINE(mgpuMemcpy)
  DEFINE(mgpuMemset32)
  DEFINE(mgpuMemset16)
  DEFINE(mgpuMemHostRegister)
  DEFINE(mgpuMemHostUnregister)
  DEFINE(mgpuMemHostRegisterMemRef)
  DEFINE(mgpuMemHostUnregisterMemRef)
#undef DEFINE
  if (symbols.empty())
    return llvm::Error::success();
  return jit.getMainJITDylib().define(orc::absoluteSymbols(std::move(symbols)));
}

namespace {
/// Compiles the model with the target machine, and then destroys it: it
/// would hold most of the memory during the lifetime of the code. The modules
/// that run constructors are compiled with separate target machines.
class Compiler : public orc::IRCompileLayer::IRCompiler {
public:
  Compiler(std::unique_ptr<llvm::TargetMachine> machine,
           orc::JITTargetMachineBuilder builder)
      : IRCompiler(orc::irManglingOptionsFromTargetOptions(machine->Options)),
        machine(std::move(machine)), others(std::move(builder)) {}

  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
  operator()(llvm::Module &module) override {
    std::unique_ptr<llvm::TargetMachine> own = std::move(machine);
    return own ? orc::SimpleCompiler(*own)(module) : others(module);
  }

private:
  std::unique_ptr<llvm::TargetMachine> machine;
  orc::ConcurrentIRCompiler others;
};
} // namespace

llvm::Expected<std::unique_ptr<JitModule>>
JitModule::create(std::unique_ptr<llvm::Module> source,
                  std::unique_ptr<llvm::LLVMContext> context,
                  std::unique_ptr<llvm::TargetMachine> machine,
                  Constants constants) {
  // Destroys the module before its context on failure.
  orc::ThreadSafeModule owned(std::move(source), std::move(context));
  llvm::Module *module = owned.getModuleUnlocked();
  const llvm::Triple &triple = machine->getTargetTriple();
  llvm::Triple host(llvm::sys::getProcessTriple());
  if (triple.getArch() != host.getArch())
    return llvm::createStringError("code for '" + triple.str() +
                                   "' cannot run in this process, which is "
                                   "for '" +
                                   host.str() + "'");
  llvm::DataLayout layout = machine->createDataLayout();
  auto createCompiler = [&](orc::JITTargetMachineBuilder builder)
      -> llvm::Expected<std::unique_ptr<orc::IRCompileLayer::IRCompiler>> {
    return std::make_unique<Compiler>(std::move(machine), std::move(builder));
  };
  llvm::Expected<std::unique_ptr<orc::LLJIT>> jit =
      orc::LLJITBuilder()
          .setJITTargetMachineBuilder(orc::JITTargetMachineBuilder(triple))
          .setDataLayout(layout)
          .setCompileFunctionCreator(createCompiler)
          .create();
  if (!jit)
    return jit.takeError();
  auto symbols = orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(
      (*jit)->getDataLayout().getGlobalPrefix());
  if (!symbols)
    return symbols.takeError();
  (*jit)->getMainJITDylib().addGenerator(std::move(*symbols));

  if (llvm::Error error = defineSymbols(**jit, *module, constants))
    return std::move(error);
  // Constructors load the GPU kernels.
  bool hasConstructors = module->getNamedGlobal("llvm.global_ctors");

  if (llvm::Error error = (*jit)->addIRModule(std::move(owned)))
    return std::move(error);
  std::unique_ptr<JitModule> result(new JitModule(std::move(*jit)));
  if (hasConstructors) {
    if (llvm::Error error =
            result->jit->initialize(result->jit->getMainJITDylib()))
      return std::move(error);
    result->hasConstructors = true;
  }
  return result;
}

template <typename Function>
llvm::Expected<Function> JitModule::lookup(const llvm::Twine &name) {
  llvm::Expected<orc::ExecutorAddr> address = jit->lookup(name.str());
  if (!address)
    return address.takeError();
  return address->toPtr<Function>();
}

llvm::Expected<JitModule::EntryFunction>
JitModule::getEntry(llvm::StringRef name) {
  return lookup<EntryFunction>(name);
}

llvm::Expected<JitModule::SizesFunction>
JitModule::getOutputSizes(llvm::StringRef name) {
  return lookup<SizesFunction>(name + "_output_sizes");
}
