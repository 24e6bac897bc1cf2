//===- Driver.cpp - The compiler driver -----------------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/Driver/Driver.h"

#include "Explain.h"
#include "InProcessLinker.h"
#include "LargeConstants.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/AsmState.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/Timing.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "quant-float/EntryPoint/Link.h"
#include "quant-float/Pipelines/Stages.h"
#include "quant-float/Support/LlvmCompat.h"
#include "quant-float/TargetInfo/NvidiaChip.h"
#include "quant-float/TargetInfo/TargetCpu.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/OptimizationLevel.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Passes/StandardInstrumentations.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/Signals.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"
#include <atomic>
#include <csignal>
#include <mutex>
#ifdef __linux__
#include <dlfcn.h>
#endif
#ifdef __GLIBC__
#include <malloc.h>
#endif

using namespace mlir;
using namespace mlir::quant_float;

/// Returns the CPUs to compile for, in the order of preference.
static FailureOr<std::vector<TargetCpu>>
getTargets(ModuleOp module, const CompileOptions &options, EmitKind kind) {
  llvm::Expected<std::vector<TargetCpu>> cpus =
      TargetCpu::getLevels(options.triple, options.cpu);
  if (!cpus) {
    emitError(module.getLoc()) << llvm::toString(cpus.takeError());
    return failure();
  }
  bool isForGpu = options.target == Target::NVVM;
  if (cpus->size() > 1 && (isForGpu || kind == EmitKind::LLVMDialect)) {
    StringRef what =
        isForGpu ? "the host code of GPU kernels" : "the LLVM dialect";
    emitError(module.getLoc()) << "expected one CPU for " << what
                               << ", but got '" << options.cpu << "'";
    return failure();
  }
  return std::move(*cpus);
}

/// Whether a verifier runs after each pass of MLIR, LLVM and the code
/// generator.
#ifdef NDEBUG
static constexpr bool kVerifiesEach = false;
#else
static constexpr bool kVerifiesEach = true;

/// Sets the code generator's option early, because programs may remove LLVM's
/// options later. Uses the map directly, because cl::getRegisteredOptions would
/// add --help, which would be removed too.
static const bool verifiesMachineCode = [] {
  auto &options = llvm::cl::SubCommand::getTopLevel().OptionsMap;
  auto found = options.find("verify-machineinstrs");
  return found != options.end() &&
         !found->second->addOccurrence(0, found->first, "true");
}();
#endif

namespace {
/// Emits an error that names the pass if a pass fails without an error.
class SilentFailures final : public PassInstrumentation {
public:
  explicit SilentFailures(MLIRContext *context)
      : watch(context, [this](Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
            hasErrors = true;
          return failure();
        }) {}

  void runAfterPassFailed(Pass *pass, Operation *op) override {
    // Function passes may run in several threads, which defer diagnostics.
    std::lock_guard<std::mutex> lock(mutex);
    if (failed.empty())
      failed =
          pass->getArgument().empty() ? pass->getName() : pass->getArgument();
    if (!op->getParentOp() && !hasErrors)
      emitError(op->getLoc())
          << "pass '" << failed << "' failed without an error";
  }

private:
  ScopedDiagnosticHandler watch;
  std::mutex mutex;
  StringRef failed;
  std::atomic<bool> hasErrors = false;
};
} // namespace

void quant_float::prepareToCompile(PassManager &manager) {
  manager.enableVerifier(kVerifiesEach);
  manager.addInstrumentation(
      std::make_unique<SilentFailures>(manager.getContext()));
}

/// Returns a scope that measures the time of a stage.
static TimingScope time(const CompileOptions &options, StringRef stage) {
  return options.timing ? options.timing->nest(stage) : TimingScope();
}

/// Runs passes in place.
static LogicalResult run(PassManager &manager, ModuleOp module,
                         const CompileOptions &options) {
  TimingScope timing = time(options, "MLIR passes");
  manager.enableTiming(timing);
  return manager.run(module);
}

/// Writes the module to `<folder>/<number>-<stage>.mlir`.
static LogicalResult dumpStage(StringRef folder, unsigned number, Stage stage,
                               Operation *module) {
  llvm::SmallString<128> path(folder);
  llvm::sys::path::append(path, llvm::Twine(number) + "-" +
                                    getStageName(stage) + ".mlir");
  std::string text;
  llvm::raw_string_ostream os(text);
  // Weights would hide the code.
  constexpr int64_t kMaxElements = 16;
  module->print(os, OpPrintingFlags().elideLargeElementsAttrs(kMaxElements));
  OutputFile file(path.str().str());
  if (file.write(text) && file.commit())
    return success();
  return emitError(module->getLoc())
         << "cannot write '" << path << "': " << file.getError().message();
}

/// The options that all stages of a compilation share.
static StageOptions getStageOptions(ModuleOp module,
                                    const CompileOptions &options,
                                    StringRef dumpFolder) {
  StageOptions stages;
  stages.partition = options.partition;
  stages.accumulation = options.accumulation;
  stages.explains = module.getContext()->getRemarkEngine();
  if (!dumpFolder.empty())
    stages.onStage = [folder = dumpFolder.str(),
                      number = std::make_shared<unsigned>(0)](
                         Stage stage, Operation *module) {
      return dumpStage(folder, ++*number, stage, module);
    };
  return stages;
}

/// Runs the pipeline quant-float-lower-to-nvvm in place.
static LogicalResult lowerToNVVM(ModuleOp module, const CompileOptions &options,
                                 KernelFormat format) {
  llvm::Expected<NvidiaChip> chip =
      NvidiaChip::get(options.chip, options.features);
  if (!chip)
    return emitError(module.getLoc()) << llvm::toString(chip.takeError());
  PassManager manager(module.getContext());
  prepareToCompile(manager);
  StageOptions stages = getStageOptions(module, options, options.dumpFolder);
  stages.onGPU = true;
  stages.chip = chip->name;
  stages.ptx = chip->getFeatures();
  stages.format = format;
  buildStages(manager, stages);
  // Some passes upstream succeed despite errors about the toolkit.
  bool hasErrors = false;
  ScopedDiagnosticHandler watch(
      module.getContext(), [&](Diagnostic &diagnostic) {
        hasErrors |= diagnostic.getSeverity() == DiagnosticSeverity::Error;
        return failure();
      });
  return failure(failed(run(manager, module, options)) || hasErrors);
}

/// Runs the stages in place.
static LogicalResult lower(ModuleOp module, const TargetCpu &cpu,
                           const CompileOptions &options) {
  if (options.target == Target::NVVM)
    return lowerToNVVM(module, options, KernelFormat::ISA);
  PassManager manager(module.getContext());
  prepareToCompile(manager);
  // With several CPUs, each has a folder.
  llvm::SmallString<128> folder(options.dumpFolder);
  if (!folder.empty() && StringRef(options.cpu).contains(',')) {
    llvm::sys::path::append(folder, cpu.name);
    std::error_code error = llvm::sys::fs::create_directory(folder);
    // A file of this name is no error of create_directory.
    if (!error && !llvm::sys::fs::is_directory(folder))
      error = std::make_error_code(std::errc::not_a_directory);
    if (error)
      return emitError(module.getLoc())
             << "cannot create '" << folder << "': " << error.message();
  }
  StageOptions stages = getStageOptions(module, options, folder);
  stages.cpu = cpu;
  stages.threads = options.threads;
  stages.activations = options.activations;
  buildStages(manager, stages);
  if (options.instrument)
    options.instrument(manager);
  return run(manager, module, options);
}

/// The LLVM passes that kernels benefit from. Kernels are already vectorized
/// and their constants folded, so most of the default pipeline has no effect
/// but takes three quarters of the time. These passes promote memory that holds
/// descriptors to registers, inline small functions, and hoist loop invariants.
static constexpr llvm::StringLiteral kKernelPasses =
    "cgscc(inline,function<eager-inv;no-rerun>("
    "sroa<modify-cfg>,early-cse<memssa>,simplifycfg,"
    "instcombine<no-verify-fixpoint>,loop-mssa(loop-rotate,licm),"
    "loop(loop-idiom,loop-deletion),early-cse<memssa>,simplifycfg)),globaldce";

/// Runs LLVM's passes. The loop vectorizer and unroller are disabled: the code
/// is already vectorized, and they would only enlarge the scalar remainder
/// loops.
static void optimize(llvm::Module &module, llvm::TargetMachine &machine,
                     unsigned level) {
  llvm::PipelineTuningOptions tuning;
  tuning.LoopVectorization = false;
  tuning.SLPVectorization = false;
  tuning.LoopInterleaving = false;
  tuning.LoopUnrolling = false;
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager callGraph;
  llvm::ModuleAnalysisManager modules;
  llvm::PassInstrumentationCallbacks callbacks;
  std::optional<llvm::StandardInstrumentations> verification;
  if (kVerifiesEach) {
    verification.emplace(module.getContext(), /*DebugLogging=*/false,
                         /*VerifyEach=*/true);
    verification->registerCallbacks(callbacks, &modules);
  }
  auto builder = createPassBuilder<llvm::PassBuilder>(
      module.getContext(), &machine, tuning, std::nullopt,
      kVerifiesEach ? &callbacks : nullptr);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(callGraph);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, callGraph, modules);
  llvm::ModulePassManager passes;
  if (level == 0)
    passes = builder.buildO0DefaultPipeline(llvm::OptimizationLevel::O0);
  else if (level >= 3)
    passes = builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O3);
  else
    llvm::cantFail(builder.parsePassPipeline(passes, kKernelPasses));
  passes.run(module, modules);
}

/// Deletes the bodies of all functions, so that LLVM can reuse their memory.
static void deleteBodies(ModuleOp module) {
  for (auto function : module.getOps<LLVM::LLVMFuncOp>()) {
    function.getBody().dropAllReferences();
    function.getBody().getBlocks().clear();
  }
}

/// Lowers in place and translates to LLVM IR, without the data of `constants`
/// if it is not null. Leaves only the declarations of the module's functions.
static FailureOr<CpuLevel> translate(ModuleOp module, const TargetCpu &cpu,
                                     const CompileOptions &options,
                                     llvm::LLVMContext &llvmContext,
                                     LargeConstants *constants) {
  if (failed(lower(module, cpu, options)))
    return failure();
  TimingScope timing = time(options, "translation to LLVM");
  llvm::Expected<std::unique_ptr<llvm::TargetMachine>> machine =
      cpu.createMachine(options.optimizationLevel);
  if (!machine) {
    emitError(module.getLoc()) << llvm::toString(machine.takeError());
    return failure();
  }
  llvm::DataLayout layout = (*machine)->createDataLayout();
  if (layout.isBigEndian() !=
      (llvm::endianness::native == llvm::endianness::big))
    constants = nullptr;
  if (constants)
    constants->detach(module);
  CpuLevel level = {
      cpu, std::move(*machine),
      translateModuleToLLVMIR(module, llvmContext, "quant-float")};
  if (!level.module)
    return failure();
  deleteBodies(module);
  if (constants)
    constants->declare(*level.module);
  level.module->setTargetTriple(level.machine->getTargetTriple());
  level.module->setDataLayout(layout);
  return level;
}

/// Compiles to LLVM IR for this kind of file. `Shared` adds the description of
/// the library. With several CPUs, the module of the preferred one contains the
/// kernels of all.
static FailureOr<CpuLevel> compile(ModuleOp module,
                                   const CompileOptions &options,
                                   llvm::LLVMContext &llvmContext,
                                   EmitKind kind = EmitKind::LLVMIR,
                                   LargeConstants *constants = nullptr) {
  FailureOr<std::vector<TargetCpu>> cpus = getTargets(module, options, kind);
  if (failed(cpus))
    return failure();
  SmallVector<CpuLevel> levels;
  SmallVector<StringRef> names;
  for (const TargetCpu &cpu : *cpus) {
    // Lower the last copy in place.
    bool isLast = &cpu == &cpus->back();
    OwningOpRef<ModuleOp> copy;
    if (!isLast)
      copy = module.clone();
    FailureOr<CpuLevel> level = translate(isLast ? module : *copy, cpu, options,
                                          llvmContext, constants);
    if (failed(level))
      return failure();
    levels.push_back(std::move(*level));
    names.push_back(cpu.cpu);
  }
  LinkEntryRuntimeOptions link;
  // The runtime of the process does not support several CPUs.
  link.inProcess = options.inProcess && levels.size() == 1;
  link.asAssembly = kind != EmitKind::LLVMIR;
  llvm::Error error = linkCpuLevels(levels);
  if (!error)
    error = linkEntryRuntime(levels, link);
  if (error) {
    emitError(module.getLoc()) << llvm::toString(std::move(error));
    return failure();
  }
  CpuLevel result = std::move(levels.front());
  if (constants && kind != EmitKind::LLVMIR)
    constants->define(*result.module);
  if (kind == EmitKind::Shared) {
    FailureOr<std::vector<EntryPointInfo>> entries = getEntryPoints(module);
    if (failed(entries))
      return failure();
    bool isForGpu = options.target == Target::NVVM;
    addLibraryDescription(*result.module, *result.machine,
                          {isForGpu ? "nvvm" : "cpu",
                           isForGpu ? StringRef(options.chip) : StringRef(),
                           llvm::join(names, ","), *entries});
  }
  TimingScope timing = time(options, "LLVM optimization");
  optimize(*result.module, *result.machine, options.optimizationLevel);
  return result;
}

/// Reads the module back from bitcode. Its objects are interleaved with those
/// of MLIR and of passes, which have been freed, so that most pages of the heap
/// are partly in use. Without the module, most pages are free, and glibc
/// returns them to the system.
static llvm::Expected<std::unique_ptr<llvm::Module>>
defragment(std::unique_ptr<llvm::Module> module) {
  SmallVector<char, 0> bitcode;
  // Without a symbol table, for which the inline assembly of the module would
  // be parsed without the features of the CPU.
  llvm::BitcodeWriter writer(bitcode);
  writer.writeModule(*module);
  writer.writeStrtab();
  llvm::LLVMContext &context = module->getContext();
  std::string name = module->getModuleIdentifier();
  module.reset();
#ifdef __GLIBC__
  malloc_trim(0);
#endif
  return llvm::parseBitcodeFile(
      llvm::MemoryBufferRef(StringRef(bitcode.data(), bitcode.size()), name),
      context);
}

FailureOr<CpuLevel> quant_float::compileToLLVM(ModuleOp module,
                                               const CompileOptions &options,
                                               llvm::LLVMContext &llvmContext,
                                               ExternalConstants *constants) {
  LargeConstants large(/*inProcess=*/true);
  FailureOr<CpuLevel> compiled =
      compile(module, options, llvmContext, EmitKind::LLVMIR,
              constants ? &large : nullptr);
  if (constants)
    constants->assign(large.getSymbols().begin(), large.getSymbols().end());
  return compiled;
}

/// Writes the device code of all kernels as LLVM IR, PTX or a cubin.
static LogicalResult compileKernelsTo(ModuleOp module, EmitKind kind,
                                      const CompileOptions &options,
                                      llvm::raw_ostream &os) {
  bool isBitcode = kind == EmitKind::LLVMIR;
  KernelFormat format = kind == EmitKind::Cubin ? KernelFormat::Bin
                        : isBitcode             ? KernelFormat::LLVM
                                                : KernelFormat::ISA;
  if (failed(lowerToNVVM(module, options, format)))
    return failure();
  SmallVector<gpu::BinaryOp> binaries(module.getOps<gpu::BinaryOp>());
  if (binaries.size() != 1 || binaries.front().getObjects().size() != 1)
    return emitError(module.getLoc())
           << "expected at least one kernel, but the model computes nothing";
  auto object = cast<gpu::ObjectAttr>(binaries.front().getObjects()[0]);
  StringRef bytes = object.getObject().getValue();
  if (!isBitcode) {
    // PTX has a null terminator for the driver.
    if (kind != EmitKind::Cubin)
      bytes = bytes.rtrim('\0');
    os << bytes;
    return success();
  }
  llvm::LLVMContext context;
  llvm::Expected<std::unique_ptr<llvm::Module>> code = llvm::parseBitcodeFile(
      llvm::MemoryBufferRef(bytes, kKernelModuleName), context);
  if (!code)
    return emitError(module.getLoc()) << llvm::toString(code.takeError());
  (*code)->print(os, nullptr);
  return success();
}

StringRef quant_float::getSidecarSuffix(EmitKind kind) {
  switch (kind) {
  case EmitKind::Object:
  case EmitKind::Shared:
    return "h";
  default:
    return {};
  }
}

LogicalResult quant_float::compileTo(ModuleOp module, EmitKind kind,
                                     const CompileOptions &options,
                                     StringRef baseName,
                                     llvm::raw_pwrite_stream &os,
                                     std::string *sidecar, ReadBack readBack) {
  if (kind == EmitKind::Plan) {
    FailureOr<std::vector<TargetCpu>> cpus = getTargets(module, options, kind);
    if (failed(cpus))
      return failure();
    for (const TargetCpu &cpu : *cpus) {
      OwningOpRef<ModuleOp> copy = module.clone();
      PlanRecorder recorder(*module.getContext());
      if (failed(lower(*copy, cpu, options)))
        return failure();
      if (cpus->size() > 1)
        os << "for " << cpu.name << ":\n";
      recorder.print(os);
    }
    return success();
  }
  if (kind == EmitKind::Ptx || kind == EmitKind::Cubin ||
      (options.target == Target::NVVM &&
       (kind == EmitKind::LLVMIR || kind == EmitKind::Assembly)))
    return compileKernelsTo(module, kind, options, os);
  if (kind == EmitKind::MLIR) {
    if (options.partition) {
      PassManager manager(module.getContext());
      prepareToCompile(manager);
      StageOptions stages;
      stages.partition = true;
      buildPartition(manager, stages);
      if (failed(run(manager, module, options)))
        return failure();
    }
    module.print(os, OpPrintingFlags());
    return success();
  }
  auto writeHeader = [&](llvm::raw_ostream &os) -> LogicalResult {
    FailureOr<std::vector<EntryPointInfo>> entries = getEntryPoints(module);
    if (succeeded(entries))
      os << emitCHeader(*entries, baseName);
    return entries;
  };
  if (kind == EmitKind::LLVMDialect || kind == EmitKind::Header) {
    FailureOr<std::vector<TargetCpu>> cpus = getTargets(module, options, kind);
    if (failed(cpus) || failed(lower(module, cpus->front(), options)))
      return failure();
    if (kind == EmitKind::Header)
      return writeHeader(os);
    module.print(os, OpPrintingFlags());
    return success();
  }

  llvm::LLVMContext llvmContext;
  LargeConstants constants;
  bool isObject = kind == EmitKind::Object || kind == EmitKind::Shared;
  bool patches = isObject && readBack;
  FailureOr<CpuLevel> compiled = compile(module, options, llvmContext, kind,
                                         patches ? &constants : nullptr);
  if (failed(compiled))
    return failure();
  if (sidecar && !getSidecarSuffix(kind).empty()) {
    llvm::raw_string_ostream sidecarStream(*sidecar);
    if (failed(writeHeader(sidecarStream)))
      return failure();
  }
  if (kind == EmitKind::LLVMIR) {
    compiled->module->print(os, nullptr);
    return success();
  }
  // Without `patches`, the module contains large constants. Small modules are
  // not worth the time.
  constexpr unsigned kManyInstructions = 1 << 14;
  if (patches && compiled->module->getInstructionCount() >= kManyInstructions) {
    llvm::Expected<std::unique_ptr<llvm::Module>> same =
        defragment(std::move(compiled->module));
    if (!same) {
      emitError(module.getLoc()) << llvm::toString(same.takeError());
      return failure();
    }
    compiled->module = std::move(*same);
  }
  llvm::legacy::PassManager codegen;
  if (compiled->machine->addPassesToEmitFile(
          codegen, os, nullptr,
          kind == EmitKind::Assembly ? llvm::CodeGenFileType::AssemblyFile
                                     : llvm::CodeGenFileType::ObjectFile)) {
    emitError(module.getLoc()) << "the target cannot write this kind of file";
    return failure();
  }
  TimingScope timing = time(options, "code generation");
  codegen.run(*compiled->module);
  if (!patches)
    return success();
  os.flush();
  // The buffer is null after an error of the stream, which reports it itself.
  std::unique_ptr<llvm::MemoryBuffer> object = readBack();
  if (!object)
    return success();
  if (llvm::Error error =
          constants.write(*object, compiled->module->getDataLayout(), os))
    return emitError(module.getLoc()) << llvm::toString(std::move(error));
  return success();
}

/// Returns the path of the C library's math functions that this process uses,
/// if the target can use them too, or an empty string.
static std::string getMathLibrary(const CompileOptions &options) {
#ifdef __linux__
  llvm::Triple host(llvm::sys::getDefaultTargetTriple());
  llvm::Triple target(options.triple.empty() ? host.str() : options.triple);
  Dl_info info;
  void *function = dlsym(RTLD_DEFAULT, "expf");
  if (host.getArch() == target.getArch() && target.isOSLinux() && function &&
      dladdr(function, &info) && info.dli_fname)
    return info.dli_fname;
#endif
  return {};
}

/// Returns the path of a file that comes with the compiler, or an empty string.
/// Searches the folder of the library that contains this code, the folder `lib`
/// next to that of the program, and the path of the installation.
static std::string findInstalledFile(StringRef installed) {
  if (installed.empty())
    return {};
  static const char anchor = 0;
  void *address = const_cast<char *>(&anchor);
  SmallVector<SmallString<128>> folders;
#ifdef __linux__
  Dl_info info;
  // The name has no folder if the program was found on the PATH.
  if (dladdr(address, &info) && info.dli_fname &&
      llvm::sys::path::has_parent_path(info.dli_fname))
    folders.emplace_back(llvm::sys::path::parent_path(info.dli_fname));
#endif
  folders.emplace_back(
      llvm::sys::path::parent_path(llvm::sys::path::parent_path(
          llvm::sys::fs::getMainExecutable(nullptr, address))));
  llvm::sys::path::append(folders.back(), "lib");
  folders.emplace_back(llvm::sys::path::parent_path(installed));
  for (SmallString<128> &path : folders) {
    llvm::sys::path::append(path, llvm::sys::path::filename(installed));
    if (llvm::sys::fs::exists(path) && !llvm::sys::fs::make_absolute(path))
      return path.str().str();
  }
  return {};
}

static llvm::Error runLinker(StringRef object, StringRef output,
                             const CompileOptions &options) {
  auto fail = [](const Twine &message) {
    return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
  };
  std::string linker;
  if (std::optional<std::string> named = llvm::sys::Process::GetEnv("LLD"))
    linker = *named;
#ifndef QUANT_FLOAT_CONTAINS_LLD
  std::string versioned = "ld.lld-" + std::to_string(LLVM_VERSION_MAJOR);
  for (StringRef name : {StringRef(versioned), StringRef("ld.lld")})
    if (linker.empty())
      if (llvm::ErrorOr<std::string> found = llvm::sys::findProgramByName(name))
        linker = *found;
  if (linker.empty())
    return fail("no linker found: expected " + versioned +
                " or ld.lld in PATH, or the environment variable LLD");
#endif
  SmallVector<StringRef> arguments = {linker, "-shared",     "-Bsymbolic",
                                      "-z",   "noexecstack", "--build-id",
                                      "-o",   output,        object};
  // Only this machine's math library is available. Otherwise the loading
  // program must provide it.
  std::string math = getMathLibrary(options);
  if (!math.empty())
    arguments.append({"--as-needed", math, "--no-as-needed"});
  std::string openMP;
  if (options.threads != 1) {
    openMP = findInstalledFile(QUANT_FLOAT_LIBOMP_PATH);
    if (openMP.empty())
      return fail("no OpenMP runtime found for multithreaded code: expected "
                  "libomp.so.5");
    arguments.append({openMP, "-rpath", llvm::sys::path::parent_path(openMP)});
  }
  std::string cudaRuntime;
  if (options.target == Target::NVVM) {
    cudaRuntime = findInstalledFile(QUANT_FLOAT_CUDA_RUNTIME_PATH);
    if (cudaRuntime.empty())
      return fail("no CUDA runtime found: expected libQuantFloatCudaRuntime.a "
                  "in the library directory");
    // Hide the symbols, so that each library in a process has its own runtime.
    arguments.append({cudaRuntime, "--exclude-libs", "ALL"});
  }
#ifdef QUANT_FLOAT_CONTAINS_LLD
  if (linker.empty())
    return linkInProcess(ArrayRef(arguments).drop_front());
#endif
  std::string message;
  if (llvm::sys::ExecuteAndWait(linker, arguments, std::nullopt, {}, 0, 0,
                                &message))
    return fail("linking failed" + (message.empty() ? "" : ": " + message));
  return llvm::Error::success();
}

namespace {
/// Deletes a file if a signal terminates the program.
class RemoveOnSignal {
public:
  explicit RemoveOnSignal(StringRef name) : name(name) {
    // RemoveFileOnSignal also installs a handler for SIGUSR1, which does not
    // forward to the previous handler. Restore that one.
    static std::mutex mutex;
    std::lock_guard<std::mutex> lock(mutex);
    struct sigaction before;
    sigaction(SIGUSR1, nullptr, &before);
    llvm::sys::RemoveFileOnSignal(name);
    sigaction(SIGUSR1, &before, nullptr);
  }
  ~RemoveOnSignal() { llvm::sys::DontRemoveFileOnSignal(name); }

private:
  StringRef name;
};
} // namespace

llvm::Error
quant_float::linkShared(llvm::function_ref<bool(OutputFile &)> writeObject,
                        OutputFile &output, const CompileOptions &options) {
  SmallString<128> objectPath;
  if (std::error_code code =
          llvm::sys::fs::createTemporaryFile("quant-float", "o", objectPath))
    return llvm::errorCodeToError(code);
  llvm::FileRemover removeObject(objectPath);
  RemoveOnSignal object(objectPath);
  OutputFile file(objectPath.str().str());
  if (!writeObject(file))
    return llvm::errorCodeToError(
        std::make_error_code(std::errc::operation_canceled));
  if (!file.commit())
    return llvm::createFileError(objectPath, file.getError());
  TimingScope timing = time(options, "link");
  StringRef name = output.getName();
  if (name.empty())
    return llvm::errorCodeToError(output.getError());
  RemoveOnSignal library(name);
  return runLinker(objectPath, name, options);
}
