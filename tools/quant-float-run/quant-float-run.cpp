//===- quant-float-run.cpp - Compile in memory and run --------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../BytecodeProbe.h"
#include "Arguments.h"
#include "CompiledRun.h"
#include "Inputs.h"
#include "ModeComparison.h"
#include "mlir/Pass/PassManager.h"
#include "quant-float-c/CudaRuntime.h"
#include "quant-float/Compiler/DiagnosticPrinter.h"
#include "quant-float/Compiler/Driver.h"
#include "quant-float/Conversion/Passes.h"
#include "quant-float/EntryPoint/EntryPointInfo.h"
#include "quant-float/ExecutionEngine/ReferenceEvaluator.h"
#include "quant-float/InitAll.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>

using namespace mlir;
using namespace mlir::quant_float;

/// The function to run: the only public one, or the one that --entry names.
static func::FuncOp selectFunction(ModuleOp module, const Arguments &arguments,
                                   int &exitCode) {
  SmallVector<func::FuncOp> candidates;
  std::string names;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (!function.isPublic() || function.isExternal())
      continue;
    auto graphName = function->getAttrOfType<StringAttr>(kGraphNameAttrName);
    names += (names.empty() ? "'" : ", '") + function.getSymName().str() + "'";
    if (arguments.entry.empty() || function.getSymName() == arguments.entry ||
        (graphName && graphName == arguments.entry))
      candidates.push_back(function);
  }
  if (candidates.size() == 1)
    return candidates.front();
  exitCode = kToolWrongUsage;
  llvm::raw_ostream &os = llvm::errs() << arguments.model << ": error: ";
  if (names.empty()) {
    exitCode = kToolWrongInput;
    os << "there is no function to run\n";
  } else if (candidates.empty()) {
    os << "no function is called '" << arguments.entry << "', there are "
       << names << "\n";
  } else {
    os << "expected --entry to choose one of the functions " << names << "\n";
  }
  return nullptr;
}

/// Prints what --time promises of `time`, which runs once and says how long it
/// took, and is called --repeat times after a first run.
static llvm::Error measure(const Arguments &arguments, ArrayRef<Tensor> outputs,
                           llvm::function_ref<llvm::Expected<double>()> time) {
  std::vector<double> seconds;
  for (unsigned i = 0; i < arguments.repeat; ++i) {
    llvm::Expected<double> passed = time();
    if (!passed)
      return passed.takeError();
    seconds.push_back(*passed);
  }
  llvm::sort(seconds);
  size_t middle = seconds.size() / 2;
  double median = seconds.size() % 2
                      ? seconds[middle]
                      : (seconds[middle - 1] + seconds[middle]) / 2;
  int64_t elements = 0;
  for (const Tensor &output : outputs)
    elements += output.getNumElements();
  llvm::outs() << llvm::format("best_seconds: %.9g\n", seconds.front())
               << llvm::format("median_seconds: %.9g\n", median)
               << "elements: " << elements << "\n"
               << llvm::format("elements_per_second: %.6g\n",
                               seconds.front() > 0
                                   ? static_cast<double>(elements) /
                                         seconds.front()
                                   : 0.0);
  return llvm::Error::success();
}

/// Seconds by the clock on the wall.
static llvm::Expected<double>
timeOnHost(llvm::function_ref<llvm::Error()> run) {
  auto start = std::chrono::steady_clock::now();
  if (llvm::Error error = run())
    return std::move(error);
  std::chrono::duration<double> passed =
      std::chrono::steady_clock::now() - start;
  return passed.count();
}

/// The outputs, with --time measured.
static llvm::Expected<std::vector<Tensor>>
runReference(func::FuncOp function, const Arguments &arguments,
             ArrayRef<Tensor> inputs) {
  llvm::Expected<std::vector<Tensor>> outputs =
      evaluateWithReference(function, inputs);
  if (!outputs || !arguments.time)
    return outputs;
  auto run = [&] {
    return evaluateWithReference(function, inputs).takeError();
  };
  if (llvm::Error error =
          measure(arguments, *outputs, [&] { return timeOnHost(run); }))
    return std::move(error);
  return outputs;
}

static llvm::Expected<std::vector<Tensor>>
runCompiled(const CompiledRun &compiled, const Arguments &arguments,
            ArrayRef<Tensor> inputs) {
  llvm::Expected<std::vector<Tensor>> outputs =
      compiled.allocateOutputs(inputs);
  if (!outputs)
    return outputs;
  CompiledRun::Call prepared = compiled.prepare(inputs, *outputs);
  auto call = [&] { return compiled.run(prepared); };
  if (llvm::Error error = call())
    return std::move(error);
  if (arguments.time)
    if (llvm::Error error =
            measure(arguments, *outputs, [&] { return timeOnHost(call); }))
      return std::move(error);
  return outputs;
}

/// The same on the device, whose own events tell the time of the kernels.
static llvm::Expected<std::vector<Tensor>>
runOnDevice(const CudaDevice &device, const CompiledRun &compiled,
            const Arguments &arguments, ArrayRef<Tensor> inputs) {
  llvm::Expected<std::vector<Tensor>> outputs =
      compiled.allocateOutputs(inputs);
  if (!outputs)
    return outputs;
  llvm::Expected<CompiledRun::DeviceCall> prepared =
      compiled.prepare(device, inputs, *outputs);
  if (!prepared)
    return prepared.takeError();
  if (llvm::Error error = compiled.run(prepared->call))
    return std::move(error);
  auto time = [&]() -> llvm::Expected<double> {
    quantFloatGpuStartTiming();
    llvm::Error error = compiled.run(prepared->call);
    double seconds = quantFloatGpuStopTiming();
    if (error)
      return std::move(error);
    return seconds;
  };
  if (arguments.time)
    if (llvm::Error error = measure(arguments, *outputs, time))
      return std::move(error);
  for (auto [memory, output] : llvm::zip_equal(prepared->outputs, *outputs))
    if (llvm::Error error = device.download(memory, output))
      return std::move(error);
  return outputs;
}

/// output_<i>.npy in the folder of --outputs; without one, what came out.
static int writeOutputs(const Arguments &arguments, ArrayRef<Tensor> outputs) {
  if (arguments.outputs.empty()) {
    for (auto [index, output] : llvm::enumerate(outputs))
      llvm::outs() << "output_" << index << ": "
                   << spellTensor(output.getElementType(), output.getSizes())
                   << "\n";
    return kToolDone;
  }
  if (std::error_code code =
          llvm::sys::fs::create_directories(arguments.outputs)) {
    llvm::errs() << arguments.outputs
                 << ": error: cannot be made: " << code.message() << "\n";
    return kToolWrongUsage;
  }
  std::vector<OutputFile> files;
  for (auto [index, output] : llvm::enumerate(outputs)) {
    llvm::SmallString<256> path(arguments.outputs);
    llvm::sys::path::append(path, "output_" + llvm::Twine(index) + ".npy");
    writeNpy(files.emplace_back(path.str().str()), output);
  }
  if (OutputFile *failed = OutputFile::commitAll(files.data(), files.size())) {
    llvm::errs() << failed->getPath() << ": error: cannot be written: "
                 << failed->getError().message() << "\n";
    return kToolWrongUsage;
  }
  return kToolDone;
}

/// OpenVINO's layers become casts that the Reference knows, and turn constants
/// around, which has to be done before these are arguments of compiled code.
/// Of layers that have no lowering is told where they are in the way.
static LogicalResult convertLayers(ModuleOp module) {
  ConvertOpenVinoNodesToOnnxPassOptions options;
  options.allowUnsupported = true;
  PassManager manager(module.getContext());
  manager.addPass(createConvertOpenVinoNodesToOnnxPass(options));
  return manager.run(module);
}

/// The outputs of target nvvm; nothing where the module does not compile.
static std::optional<llvm::Expected<std::vector<Tensor>>>
compileAndRunOnDevice(ModuleOp module, func::FuncOp function,
                      Arguments arguments, ArrayRef<Tensor> inputs,
                      int &exitCode) {
  using Outputs = llvm::Expected<std::vector<Tensor>>;
  llvm::Expected<CudaDevice> device = CudaDevice::open();
  if (!device)
    return Outputs(device.takeError());
  if (arguments.chip.empty()) {
    llvm::Expected<std::string> chip = device->getChip();
    if (!chip)
      return Outputs(chip.takeError());
    arguments.chip = *chip;
  }
  std::optional<CompiledRun> compiled =
      CompiledRun::compile(module, function, arguments, exitCode);
  if (!compiled)
    return std::nullopt;
  return runOnDevice(*device, *compiled, arguments, inputs);
}

static int runModel(const Arguments &arguments) {
  DialectRegistry registry;
  registerAllDialects(registry);
  if (int refused = probeBytecode(arguments.model, registry, arguments.load))
    return refused;
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(false);
  DiagnosticPrinter printer(&context);
  int exitCode = kToolDone;
  OwningOpRef<ModuleOp> module =
      loadModel(arguments.model, context, exitCode, arguments.load);
  if (!module)
    return exitCode;
  if (failed(convertLayers(*module)))
    return kToolWrongInput;
  func::FuncOp function = selectFunction(*module, arguments, exitCode);
  if (!function)
    return exitCode;
  std::optional<std::vector<Tensor>> inputs =
      gatherInputs(function, arguments, exitCode);
  if (!inputs)
    return exitCode;
  if (arguments.compareModes)
    return compareModes(*module, function, arguments, *inputs);

  llvm::Expected<std::vector<Tensor>> outputs = std::vector<Tensor>();
  if (arguments.target == "reference") {
    if (failed(checkReferenceSupports(function)))
      return kToolWrongInput;
    outputs = runReference(function, arguments, *inputs);
  } else if (arguments.target == "nvvm") {
    std::optional<llvm::Expected<std::vector<Tensor>>> found =
        compileAndRunOnDevice(*module, function, arguments, *inputs, exitCode);
    if (!found)
      return exitCode;
    outputs = std::move(*found);
  } else {
    std::optional<CompiledRun> compiled =
        CompiledRun::compile(*module, function, arguments, exitCode);
    if (!compiled)
      return exitCode;
    outputs = runCompiled(*compiled, arguments, *inputs);
  }
  if (!outputs) {
    llvm::errs() << arguments.model
                 << ": error: " << llvm::toString(outputs.takeError()) << "\n";
    return kToolWrongInput;
  }
  inputs.reset();
  return writeOutputs(arguments, *outputs);
}

int main(int argc, char **argv) {
  llvm::InitLLVM initialize(argc, argv);
  int exitCode = kToolDone;
  std::optional<Arguments> arguments = parseArguments(argc, argv, exitCode);
  return arguments ? runModel(*arguments) : exitCode;
}
