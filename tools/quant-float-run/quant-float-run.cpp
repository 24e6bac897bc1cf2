//===- quant-float-run.cpp - Compile in memory and run --------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../AccumulationOption.h"
#include "../ActivationsOption.h"
#include "../BindOptions.h"
#include "../FakeConvertModeOption.h"
#include "../ModelInputs.h"
#include "../PackedOption.h"
#include "../RunTool.h"
#include "../ToolErrors.h"
#include "quant-float/Model/Model.h"
#include "quant-float/Support/InputFile.h"
#include "quant-float/TargetInfo/NvidiaChip.h"
#include "quant-float/TargetInfo/TargetCpu.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/InitLLVM.h"
#include <chrono>

using namespace mlir;
using namespace mlir::quant_float;
namespace cl = llvm::cl;

namespace {
/// The command-line options, which are registered while this object lives.
struct Options : RunOptions {
  Options()
      : RunOptions("quant-float-run", {".onnx", ".xml", ".mlir", ".mlirbc"},
                   "MODEL (.onnx, .xml, .mlir, .mlirbc, or - for MLIR on "
                   "standard input)",
                   "tensors for the inputs (.npy, ONNX .pb, raw .bin), in the "
                   "order of the graph or by name; accepts several values") {
    model.setNumOccurrencesFlag(cl::Required);
  }
  cl::opt<std::string> target{"target", cl::value_desc("cpu|reference|nvvm"),
                              cl::desc("target to run on (default: cpu)"),
                              cl::init("cpu")};
  cl::opt<std::string> cpu{"cpu", cl::value_desc("NAME"),
                           cl::desc("CPU to compile for (default: host)"),
                           cl::init("host")};
  cl::opt<std::string> chip{
      "chip", cl::value_desc("sm_80|sm_90|..."),
      cl::desc("NVIDIA chip to compile for, with --target nvvm (default: that "
               "of the device)")};
  cl::opt<unsigned> threads{
      "threads", cl::value_desc("N"),
      cl::desc("number of threads (default: 1); 0: OpenMP's default"),
      cl::init(1)};
  cl::opt<unsigned> level{"O", cl::Prefix, cl::value_desc("N"),
                          cl::desc("optimization level, 0 to 3 (default: 2)"),
                          cl::init(2)};
  FakeConvertModeOption fakeConvertMode;
  StrictOption strict;
  BindOptions bind;
  PackedOption packed;
  AccumulationOption accumulation;
  ActivationsOption activations;
  cl::opt<bool> compareModes{
      "compare-modes",
      cl::desc("print the number of elements of each fakeconvert that differ "
               "between its modes, and why")};

  llvm::Error check() const;
  bool useReference() const { return target == "reference"; }
  LoadOptions getLoadOptions() const;
  BuildOptions getBuildOptions() const;
};
} // namespace

llvm::Error Options::check() const {
  if (llvm::Error error = checkRange("-O", 0, 3, level))
    return error;
  if (llvm::Error error = checkRange("--threads", 0, kMaxThreads, threads))
    return error;
  if (compareModes && (time || !outputs.empty()))
    return failUsage("--compare-modes: expected neither --time nor --outputs");
  if (target != "cpu" && target != "nvvm" && !useReference())
    return failUsage("--target: expected cpu, reference or nvvm, but got '" +
                     target + "'");
  if (!chip.empty() && target != "nvvm")
    return failUsage("--chip: expected --target nvvm");
  if (llvm::Error error = TargetCpu::get("", cpu).takeError())
    return fail("quant-float-run",
                "--cpu: " + llvm::toString(std::move(error)));
  if (!chip.empty())
    if (llvm::Error error = NvidiaChip::get(chip).takeError())
      return fail("quant-float-run",
                  "--chip: " + llvm::toString(std::move(error)));
  return llvm::Error::success();
}

LoadOptions Options::getLoadOptions() const {
  LoadOptions load;
  load.fakeConvertMode = fakeConvertMode.get();
  load.strict = strict;
  return load;
}

BuildOptions Options::getBuildOptions() const {
  BuildOptions build;
  build.target = target == "nvvm" ? Target::NVVM : Target::CPU;
  build.cpu = cpu;
  build.chip = chip;
  build.threads = threads;
  build.accumulation = accumulation;
  build.activations = activations;
  build.optimizationLevel = level;
  return build;
}

/// Calls `time`, which runs once and returns the seconds, --repeat times, and
/// prints the output of --time.
static llvm::Error measure(const Options &options, ArrayRef<Tensor> outputs,
                           llvm::function_ref<llvm::Expected<double>()> time) {
  std::vector<double> seconds;
  for (unsigned i = 0; i < options.repeat; ++i) {
    llvm::Expected<double> passed = time();
    if (!passed)
      return passed.takeError();
    seconds.push_back(*passed);
  }
  std::vector<TensorBuffer> buffers(outputs.begin(), outputs.end());
  options.printTimes(std::move(seconds), buffers);
  return llvm::Error::success();
}

/// Runs with the Reference, measures if --time is specified, and returns the
/// outputs.
static llvm::Expected<std::vector<Tensor>>
runReference(Model &model, size_t entry, const Options &options,
             ArrayRef<Tensor> inputs) {
  llvm::Expected<ReferenceModel> reference = model.prepareReference(entry);
  if (!reference)
    return reference.takeError();
  auto outputs = reference->run(describe(inputs));
  if (!outputs || !options.time)
    return outputs;
  auto time = [&]() -> llvm::Expected<double> {
    auto start = std::chrono::steady_clock::now();
    if (llvm::Error error = reference->run(describe(inputs)).takeError())
      return std::move(error);
    std::chrono::duration<double> passed =
        std::chrono::steady_clock::now() - start;
    return passed.count();
  };
  if (llvm::Error error = measure(options, *outputs, time))
    return std::move(error);
  return outputs;
}

/// Same, with compiled code.
static llvm::Expected<std::vector<Tensor>>
runCompiled(Model &model, const BuildOptions &build, const Options &options,
            ArrayRef<Tensor> inputs) {
  llvm::Expected<CompiledModel> compiled = model.compile(build);
  if (!compiled)
    return compiled.takeError();
  llvm::Expected<PreparedRun> run = compiled->prepare(/*entry=*/0, inputs);
  if (!run)
    return run.takeError();
  if (llvm::Error error = run->run())
    return std::move(error);
  if (options.time)
    if (llvm::Error error =
            measure(options, run->getOutputs(), [&] { return run->time(); }))
      return std::move(error);
  return run->takeOutputs();
}

static llvm::Error runModel(Options &options) {
  if (llvm::Error error = options.check())
    return error;
  Session session(printDiagnostics());
  llvm::Expected<Model> model =
      Model::load(session, options.model, options.getLoadOptions());
  if (!model)
    return model.takeError();
  if (llvm::Error error = options.bind.apply(*model))
    return error;
  if (llvm::Error error = options.packed.apply(*model))
    return error;
  llvm::Expected<size_t> entry = model->findEntry(options.entry, "--entry");
  if (!entry)
    return entry.takeError();
  func::FuncOp function = model->getEntryFunctions()[*entry];
  BuildOptions build = options.getBuildOptions();
  build.entry = function.getSymName().str();
  auto inputs = gatherInputs(options, function);
  if (!inputs)
    return inputs.takeError();
  if (options.compareModes) {
    auto reports = model->compareModes(
        *entry, describe(*inputs), options.useReference() ? nullptr : &build);
    if (!reports)
      return reports.takeError();
    for (auto [index, report] : llvm::enumerate(*reports))
      printFakeConvertReport(llvm::outs(), index, report);
    return llvm::Error::success();
  }
  auto outputs = options.useReference()
                     ? runReference(*model, *entry, options, *inputs)
                     : runCompiled(*model, build, options, *inputs);
  if (!outputs)
    return outputs.takeError();
  inputs->clear();
  std::vector<TensorBuffer> buffers(outputs->begin(), outputs->end());
  return options.writeOutputs(buffers);
}

int main(int argc, char **argv) {
  llvm::InitLLVM initialize(argc, argv);
  reportShortenedFiles();
  // Remove LLVM's own options. Some of them have names that this tool needs.
  cl::ResetCommandLineParser();
  cl::SetVersionPrinter([](llvm::raw_ostream &os) {
    os << "quant-float-run, part of quant-float " QUANT_FLOAT_VERSION
          ", with LLVM " LLVM_VERSION_STRING "\n";
  });
  Options options;
  llvm::Error error =
      options.parse(argc, argv, "compiles a model in memory and runs it\n");
  if (!error)
    error = runModel(options);
  if (error.isA<ModelError>())
    return report(options.model, std::move(error));
  return RunOptions::finish(std::move(error));
}
