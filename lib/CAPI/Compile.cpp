//===- Compile.cpp - Compiling models, for C ------------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompileOptions.h"
#include "Kernel.h"
#include "Session.h"
#include "quant-float/Compiler/Driver.h"
#include "quant-float/Support/TargetCpu.h"
#include "quant-float/Target/OpenVINO/FakeConvertMode.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/TargetParser/Host.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::capi;

static std::string getString(const char *text) { return text ? text : ""; }

QuantFloatStatus capi::readCompileOptions(const QuantFloatCompileOptions *given,
                                          QuantFloatCompileOptions &options,
                                          CompileOptions &result,
                                          ErrorReport &report) {
  quantFloatCompileOptionsInit(&options, sizeof options);
  if (QuantFloatStatus status = readOptions(given, options, report))
    return status;
  if (options.target < QUANT_FLOAT_TARGET_CPU ||
      options.target > QUANT_FLOAT_TARGET_NVVM)
    return report.makeError(QUANT_FLOAT_ERROR_ARGUMENT,
                            "target must be 0 or 1, but got " +
                                Twine(options.target));
  if (options.optimizationLevel > 3)
    return report.makeError(QUANT_FLOAT_ERROR_ARGUMENT,
                            "optimizationLevel must be 0 to 3, but got " +
                                Twine(options.optimizationLevel));
  if (options.threads > 4096)
    return report.makeError(QUANT_FLOAT_ERROR_ARGUMENT,
                            "threads must be 0 to 4096, but got " +
                                Twine(options.threads));
  if (QuantFloatStatus status =
          checkFakeConvertMode(options.fakeConvertMode, report))
    return status;
  result.target = static_cast<Target>(options.target);
  result.optimizationLevel = options.optimizationLevel;
  result.threads = options.threads;
  result.triple = getString(options.triple);
  // A triple without a CPU asks for that architecture's baseline.
  result.cpu = getString(options.cpu);
  if (result.cpu.empty() && result.triple.empty())
    result.cpu = "host";
  result.chip = getString(options.chip);
  result.features = getString(options.features);
  result.islands = options.islands;
  return QUANT_FLOAT_OK;
}

OwningOpRef<ModuleOp> capi::copyToCompile(ModelObject &model, int32_t mode) {
  OwningOpRef<ModuleOp> copy = cast<ModuleOp>(model.module->clone());
  if (std::optional<FakeConvertMode> known = getFakeConvertMode(mode))
    setFakeConvertModes(*copy, *known);
  return copy;
}

/// Compiles into this process, or leaves a diagnostic.
static FailureOr<std::unique_ptr<KernelObject>>
compile(ModuleOp module, const CompileOptions &options, SessionCall &call) {
  auto fail = [&](llvm::Error error) {
    return emitError(module.getLoc()) << llvm::toString(std::move(error));
  };
  auto context = std::make_unique<llvm::LLVMContext>();
  FailureOr<std::unique_ptr<llvm::Module>> compiled =
      compileToLLVM(module, options, *context);
  if (failed(compiled) || !call.progress("generate", ""))
    return failure();
  FailureOr<std::vector<EntryPointInfo>> infos = getEntryPoints(module);
  if (failed(infos))
    return failure();

  auto kernel = std::make_unique<KernelObject>();
  JitOptions jitOptions;
  jitOptions.optimizationLevel = options.optimizationLevel;
  llvm::Expected<std::unique_ptr<JitModule>> jit =
      JitModule::create(std::move(*compiled), std::move(context), jitOptions);
  if (!jit)
    return fail(jit.takeError());
  kernel->jit = std::move(*jit);
  for (EntryPointInfo &info : *infos) {
    llvm::Expected<JitModule::EntryFunction> run =
        kernel->jit->getEntry(info.symbol);
    if (!run)
      return fail(run.takeError());
    llvm::Expected<JitModule::SizesFunction> sizes =
        kernel->jit->getOutputSizes(info.symbol);
    if (!sizes)
      return fail(sizes.takeError());
    kernel->entries.push_back(
        {std::make_unique<OwnedEntry>(std::move(info)), *run, *sizes});
  }
  return std::move(kernel);
}

/// Whether code for a triple can run in this process; one without an operating
/// system fits all of them.
static bool fitsThisProcess(StringRef triple) {
  llvm::Triple wanted(triple), own(llvm::sys::getProcessTriple());
  return wanted.getArch() == own.getArch() &&
         (wanted.getOS() == llvm::Triple::UnknownOS ||
          wanted.getOS() == own.getOS());
}

/// What only kernels in this process cannot have.
static QuantFloatStatus checkForThisProcess(const CompileOptions &options,
                                            bool checkMemory,
                                            ErrorReport &report) {
  if (options.target != Target::CPU)
    return report.makeError(
        QUANT_FLOAT_ERROR_UNSUPPORTED,
        "kernels in this process are for its CPU, not for NVVM");
  // A CPU without a triple may stand for another architecture; what LLVM does
  // not know is left to the compiler to name.
  std::string triple = options.triple;
  if (triple.empty()) {
    if (llvm::Expected<TargetCpu> cpu = TargetCpu::get(triple, options.cpu))
      triple = cpu->triple;
    else
      llvm::consumeError(cpu.takeError());
  }
  if (!triple.empty() && !fitsThisProcess(triple))
    return report.makeError(
        QUANT_FLOAT_ERROR_UNSUPPORTED,
        "kernels in this process are for its CPU, not for '" +
            (options.triple.empty() ? options.cpu : options.triple) + "'");
#ifndef __linux__
  if (checkMemory)
    return report.makeError(QUANT_FLOAT_ERROR_UNSUPPORTED,
                            "checkMemory needs Linux");
#endif
  return QUANT_FLOAT_OK;
}

void quantFloatCompileOptionsInit(QuantFloatCompileOptions *options,
                                  size_t size) {
  QuantFloatCompileOptions defaults = {};
  defaults.optimizationLevel = 2;
  defaults.threads = 1;
  defaults.fakeConvertMode = QUANT_FLOAT_FAKE_CONVERT_OF_MODEL;
  initOptions(options, defaults, size);
}

QuantFloatStatus quantFloatModelCompile(QuantFloatModel model,
                                        const QuantFloatCompileOptions *given,
                                        QuantFloatKernel *kernel,
                                        QuantFloatError *error) {
  ErrorReport report(error);
  if (!kernel)
    return report.makeNull("kernel");
  *kernel = {};
  QuantFloatCompileOptions known;
  CompileOptions options;
  if (QuantFloatStatus status =
          readCompileOptions(given, known, options, report))
    return status;
  if (QuantFloatStatus status =
          checkForThisProcess(options, known.checkMemory, report))
    return status;
  options.inProcess = options.cpu == "host";
  return withValidModel(
      model, report, [&](ModelObject &object, SessionCall &call) {
        OwningOpRef<ModuleOp> copy =
            copyToCompile(object, known.fakeConvertMode);
        FailureOr<std::unique_ptr<KernelObject>> compiled =
            compile(*copy, options, call);
        if (failed(compiled) || call.isCancelled())
          return call.makeDiagnosed(QUANT_FLOAT_ERROR_MODEL);
        (*compiled)->checkMemory = known.checkMemory;
        return report.give(kernel, HandleKind::Kernel, std::move(*compiled));
      });
}
