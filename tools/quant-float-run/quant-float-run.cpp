//===- quant-float-run.cpp - Compile in memory and run ------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../ToolErrors.h"
#include "Inputs.h"
#include "quant-float/ExecutionEngine/TensorFile.h"
#include "quant-float/Support/InputFile.h"
#include "quant-float/Support/OutputFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
#include <chrono>

using namespace mlir;
using namespace mlir::quant_float;

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
  double best = seconds.front();
  llvm::outs() << llvm::format("best_seconds: %.9g\n", best)
               << llvm::format("median_seconds: %.9g\n", median)
               << "elements: " << elements << "\n"
               << llvm::format("elements_per_second: %.6g\n",
                               best > 0 ? static_cast<double>(elements) / best
                                        : 0.0);
  return llvm::Error::success();
}

/// The outputs, with --time measured.
static llvm::Expected<std::vector<Tensor>>
runReference(Model &model, size_t entry, const Arguments &arguments,
             ArrayRef<Tensor> inputs) {
  llvm::Expected<ReferenceModel> reference = model.prepareReference(entry);
  if (!reference)
    return reference.takeError();
  auto outputs = reference->run(describe(inputs));
  if (!outputs || !arguments.time)
    return outputs;
  auto time = [&]() -> llvm::Expected<double> {
    auto start = std::chrono::steady_clock::now();
    if (llvm::Error error = reference->run(describe(inputs)).takeError())
      return std::move(error);
    std::chrono::duration<double> passed =
        std::chrono::steady_clock::now() - start;
    return passed.count();
  };
  if (llvm::Error error = measure(arguments, *outputs, time))
    return std::move(error);
  return outputs;
}

static llvm::Expected<std::vector<Tensor>>
runCompiled(Model &model, const Arguments &arguments, ArrayRef<Tensor> inputs) {
  llvm::Expected<CompiledModel> compiled = model.compile(arguments.build);
  if (!compiled)
    return compiled.takeError();
  llvm::Expected<PreparedRun> run = compiled->prepare(/*entry=*/0, inputs);
  if (!run)
    return run.takeError();
  if (llvm::Error error = run->run())
    return std::move(error);
  if (arguments.time)
    if (llvm::Error error =
            measure(arguments, run->getOutputs(), [&] { return run->time(); }))
      return std::move(error);
  return run->takeOutputs();
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

static int runModel(Arguments arguments) {
  Session session(printDiagnostics());
  auto fail = [&](llvm::Error error) {
    return report(arguments.model, std::move(error));
  };
  llvm::Expected<Model> model =
      Model::load(session, arguments.model, arguments.load);
  if (!model)
    return fail(model.takeError());
  llvm::Expected<size_t> entry =
      model->findEntry(arguments.build.entry, "--entry");
  if (!entry)
    return fail(entry.takeError());
  func::FuncOp function = model->getEntryFunctions()[*entry];
  arguments.build.entry = function.getSymName().str();
  int exitCode = kToolDone;
  std::optional<std::vector<Tensor>> inputs =
      gatherInputs(function, arguments, exitCode);
  if (!inputs)
    return exitCode;
  if (arguments.compareModes) {
    llvm::Expected<std::vector<FakeConvertReport>> reports =
        model->compareModes(*entry, describe(*inputs),
                            arguments.useReference ? nullptr
                                                   : &arguments.build);
    if (!reports)
      return fail(reports.takeError());
    for (auto [index, report] : llvm::enumerate(*reports))
      printFakeConvertReport(llvm::outs(), index, report);
    return kToolDone;
  }
  llvm::Expected<std::vector<Tensor>> outputs =
      arguments.useReference ? runReference(*model, *entry, arguments, *inputs)
                             : runCompiled(*model, arguments, *inputs);
  if (!outputs)
    return fail(outputs.takeError());
  inputs.reset();
  return writeOutputs(arguments, *outputs);
}

int main(int argc, char **argv) {
  llvm::InitLLVM initialize(argc, argv);
  reportShortenedFiles();
  int exitCode = kToolDone;
  std::optional<Arguments> arguments = parseArguments(argc, argv, exitCode);
  return arguments ? runModel(std::move(*arguments)) : exitCode;
}
