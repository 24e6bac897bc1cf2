//===- quant-float-report.cpp - Report quantization accuracy --------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../BindOptions.h"
#include "../FakeConvertModeOption.h"
#include "../ModelInputs.h"
#include "../ToolErrors.h"
#include "quant-float/Report/Report.h"
#include "quant-float/Support/InputFile.h"
#include "quant-float/TargetInfo/TargetCpu.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace mlir::quant_float;
namespace cl = llvm::cl;

namespace {
/// The command-line options, which are registered while this object lives.
struct Options : InputOptions {
  Options()
      : InputOptions(
            "quant-float-report", {".onnx", ".xml", ".mlir", ".mlirbc"},
            "MODEL (.onnx, .xml, .mlir, .mlirbc, or - for MLIR on "
            "standard input)",
            "tensors for the inputs (.npy, ONNX .pb, raw .bin), in the order "
            "of the graph or by name; accepts several values") {
    model.setNumOccurrencesFlag(cl::Required);
  }
  cl::opt<std::string> output{"o", cl::value_desc("OUT.html|OUT.json"),
                              cl::Required,
                              cl::desc("HTML page, with a JSON file of the "
                                       "same name, or only the JSON file")};
  cl::opt<std::string> cpu{"cpu", cl::value_desc("NAME"),
                           cl::desc("CPU to compile for (default: host)"),
                           cl::init("host")};
  FakeConvertModeOption fakeConvertMode;
  StrictOption strict;
  BindOptions bind;
};
} // namespace

/// Describes the source of the inputs.
static std::string describeInputs(const Options &options) {
  std::string description;
  llvm::raw_string_ostream os(description);
  llvm::interleaveComma(options.inputs, os);
  if (options.random.getNumOccurrences())
    os << (description.empty() ? "" : ", ") << "random, seed "
       << options.random;
  return description.empty() ? "none, constants only" : description;
}

/// Writes the HTML page and its JSON sidecar file, or neither.
static llvm::Error writeReport(const AccuracyReport &report, StringRef path) {
  SmallString<128> sidecar(path);
  llvm::sys::path::replace_extension(sidecar, "json");
  std::vector<OutputFile> files;
  auto add = [&](StringRef name, auto write) {
    std::string text;
    llvm::raw_string_ostream os(text);
    write(os, report);
    files.emplace_back(name.str()).write(text);
  };
  if (llvm::sys::path::extension(path) != ".json")
    add(path, writeReportHtml);
  add(sidecar, writeReportJson);
  if (OutputFile *failed = OutputFile::commitAll(files.data(), files.size()))
    return fail(failed->getPath(),
                "cannot be written: " + failed->getError().message(),
                kWrongUsage);
  return llvm::Error::success();
}

static llvm::Error reportModel(Options &options) {
  StringRef suffix = llvm::sys::path::extension(options.output);
  if (suffix != ".html" && suffix != ".json")
    return options.failUsage("-o: expected a file named .html or .json, but "
                             "got '" +
                             options.output + "'");
  if (llvm::Error error = TargetCpu::get("", options.cpu).takeError())
    return fail("quant-float-report",
                "--cpu: " + llvm::toString(std::move(error)));
  LoadOptions load;
  load.fakeConvertMode = options.fakeConvertMode.get();
  load.strict = options.strict;
  Session session(printDiagnostics());
  llvm::Expected<Model> model = Model::load(session, options.model, load);
  if (!model)
    return model.takeError();
  if (llvm::Error error = options.bind.apply(*model))
    return error;
  if (llvm::Error error = model->verify())
    return error;
  llvm::Expected<size_t> entry = model->findEntry(options.entry, "--entry");
  if (!entry)
    return entry.takeError();
  func::FuncOp function = model->getEntryFunctions()[*entry];
  std::optional<std::vector<Tensor>> inputs;
  if (!options.inputs.empty() || options.random.getNumOccurrences() ||
      function.getNumArguments() == 0) {
    auto gathered = gatherInputs(options, function);
    if (!gathered)
      return gathered.takeError();
    inputs = std::move(*gathered);
  }
  BuildOptions build;
  build.cpu = options.cpu;
  llvm::Expected<AccuracyReport> report = reportAccuracy(
      *model, *entry,
      inputs ? std::optional<ArrayRef<Tensor>>(*inputs) : std::nullopt, build);
  if (!report)
    return report.takeError();
  report->model = options.model;
  report->inputs = describeInputs(options);
  return writeReport(*report, options.output);
}

int main(int argc, char **argv) {
  llvm::InitLLVM initialize(argc, argv);
  reportShortenedFiles();
  // Remove LLVM's own options.
  cl::ResetCommandLineParser();
  cl::SetVersionPrinter([](llvm::raw_ostream &os) {
    os << "quant-float-report, part of quant-float " QUANT_FLOAT_VERSION
          ", with LLVM " LLVM_VERSION_STRING "\n";
  });
  Options options;
  llvm::Error error = options.parse(
      argc, argv,
      "writes a report on the numeric error of each quantization of a model\n");
  if (!error)
    error = reportModel(options);
  if (error.isA<ModelError>())
    return report(options.model, std::move(error));
  return InputOptions::finish(std::move(error));
}
