//===- quant-float-convert.cpp - Convert opsets of models -----------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../RegisteredPasses.h"
#include "../StandardOutput.h"
#include "../ToolErrors.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "quant-float/IR/ElementTypes.h"
#include "quant-float/IR/OpsetRules.h"
#include "quant-float/InitAll.h"
#include "quant-float/Model/ReadMlirModel.h"
#include "quant-float/ONNX/Export/Export.h"
#include "quant-float/ONNX/Opsets/ConvertOpset.h"
#include "quant-float/Support/InputFile.h"
#include "quant-float/Support/OpsetImports.h"
#include "quant-float/Support/OutputFile.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace mlir::quant_float;
namespace cl = llvm::cl;

/// The passes that --rewrite accepts, without the prefix "quant-float-". They
/// do not change any bit of the results.
static constexpr StringLiteral kRewrites[] = {
    "eliminate-qdq", "collapse-casts", "reencode-fnuz",  "widen-storage",
    "merge-scales",  "fold-scales",    "unpack-weights", "pack-weights"};

namespace {
/// The command-line options, which are registered while this object lives.
struct Options {
  cl::OptionCategory category{"quant-float-convert"};
  cl::opt<std::string> model{cl::Positional, cl::Required,
                             cl::desc("MODEL (.onnx, .mlir, .mlirbc, or - for "
                                      "MLIR on standard input)"),
                             cl::cat(category)};
  cl::list<std::string> rewrites{
      "rewrite", cl::value_desc("PASS"),
      cl::desc("exact rewrite to apply before the conversion: eliminate-qdq, "
               "collapse-casts, reencode-fnuz, widen-storage, merge-scales, "
               "fold-scales, unpack-weights or pack-weights, with options in "
               "braces; may be repeated, in order of application"),
      cl::cat(category)};
  cl::opt<int64_t> opset{
      "opset", cl::value_desc("N"),
      cl::desc("target opset of ONNX's default domain, at least 10 (default "
               "for MLIR: that of the module, or the newest)"),
      cl::cat(category)};
  cl::list<std::string> without{
      "without", cl::value_desc("TYPE[,TYPE...]"), cl::CommaSeparated,
      cl::desc(
          "element types, by ONNX name (float8e4m3fn, int4, ...), to eliminate "
          "from the model; in the model's opset unless --opset is given"),
      cl::cat(category)};
  cl::opt<std::string> wideFloat{
      "wide-float", cl::value_desc("float16|bfloat16"),
      cl::desc("convert weights of eliminated float types to this type if it "
               "represents all of their values (default: indices into a table "
               "of values)"),
      cl::cat(category)};
  cl::opt<std::string> domain{"domain", cl::value_desc("com.microsoft"),
                              cl::desc("use operators of this domain for "
                                       "quantization that the opset lacks"),
                              cl::cat(category)};
  cl::opt<std::string> output{"o", cl::value_desc("OUT.onnx"), cl::Required,
                              cl::desc("converted model"), cl::cat(category)};
  cl::opt<std::string> report{
      "report", cl::value_desc("FILE"), cl::ValueOptional,
      cl::desc("print how each node was converted, or write it to FILE, as "
               "JSON if the name ends with .json"),
      cl::cat(category)};
  cl::opt<bool> externalData{
      "external-data",
      cl::desc("write the initializers of 1 KiB and more to OUT.onnx.data"),
      cl::cat(category)};
};

/// Writes to an OutputFile, which is created completely or not at all.
class FileStream : public llvm::raw_ostream {
public:
  explicit FileStream(OutputFile &file) : file(file) {}
  ~FileStream() override { flush(); }

private:
  void write_impl(const char *bytes, size_t size) override {
    file.write({bytes, size});
    position += size;
  }
  uint64_t current_pos() const override { return position; }

  OutputFile &file;
  uint64_t position = 0;
};
} // namespace

static int failUsage(const Twine &message) {
  llvm::errs() << "quant-float-convert: error: " << message << "\n";
  return kToolWrongUsage;
}

/// Runs the passes of --rewrite. Returns the exit code.
static int rewrite(const Options &options, ModuleOp module) {
  if (options.rewrites.empty())
    return kToolDone;
  std::string pipeline;
  for (StringRef rewritePass : options.rewrites) {
    StringRef name = rewritePass.take_until([](char c) { return c == '{'; });
    if (!llvm::is_contained(kRewrites, name))
      return failUsage("--rewrite: expected " +
                       llvm::join(ArrayRef(kRewrites), ", ") + ", but got '" +
                       name + "'");
    pipeline += (pipeline.empty() ? "quant-float-" : ",quant-float-");
    pipeline += rewritePass;
  }
  PassManager manager(module.getContext());
  std::string problem;
  llvm::raw_string_ostream os(problem);
  if (failed(parsePassPipeline(pipeline, manager, os)))
    return failUsage("--rewrite: " + StringRef(problem).trim());
  return succeeded(manager.run(module)) ? kToolDone : kToolWrongInput;
}

/// Writes the report on the nodes. Returns false if that fails.
static bool writeReport(const Options &options,
                        const OpsetConversion &conversion) {
  if (!options.report.getNumOccurrences())
    return true;
  if (options.report.empty()) {
    printConversion(llvm::outs(), conversion);
    return finishStandardOutput();
  }
  OutputFile file(options.report);
  {
    FileStream os(file);
    if (StringRef(options.report).ends_with(".json"))
      printConversionAsJson(os, conversion);
    else
      printConversion(os, conversion);
  }
  if (file.commit())
    return true;
  failUsage("'" + options.report +
            "' cannot be written: " + file.getError().message());
  return false;
}

static bool isOnnxTypeName(MLIRContext *context, StringRef name) {
  // Exceeds the number of ONNX's types.
  for (int32_t number = 1; number < 256; ++number)
    if (Type type = getTypeFromOnnxDataType(context, number);
        type && getOnnxTypeName(type) == name)
      return true;
  return false;
}

/// Whether the model is in MLIR.
static bool isMlir(StringRef path) {
  return path == "-" || path.ends_with(".mlir") || path.ends_with(".mlirbc");
}

/// Reads a model in MLIR. Returns the exit code.
static int readMlirFile(StringRef path, MLIRContext &context,
                        OwningOpRef<ModuleOp> &module) {
  auto buffer = openText(path);
  if (!buffer)
    return failUsage("'" + path + "': " + llvm::toString(buffer.takeError()));
  bool isConverted;
  module = readMlirGraph(std::move(*buffer), context, isConverted);
  if (!module)
    return kToolWrongInput;
  if (!getOnnxOpset(*module))
    setOnnxOpset(*module, kNewestOpset);
  return kToolDone;
}

static int convert(const Options &options) {
  bool hasOpset = options.opset.getNumOccurrences();
  bool converts = hasOpset || !options.without.empty() || isMlir(options.model);
  if (!converts && options.rewrites.empty())
    return failUsage("expected --opset, --without or --rewrite");
  if (!converts && options.report.getNumOccurrences())
    return failUsage("--report: expected --opset or --without");
  if (hasOpset &&
      (options.opset < kOldestTargetOpset || options.opset > kNewestOpset))
    return failUsage("--opset: expected " + Twine(kOldestTargetOpset) + " to " +
                     Twine(kNewestOpset) + ", but got " + Twine(options.opset));
  if (options.externalData && options.output == "-")
    return failUsage(
        "--external-data: expected a file as -o, next to which it is written");
  if (StringRef(options.output).ends_with(".xml"))
    return failUsage("-o: expected the name of an ONNX model; "
                     "quant-float-translate --export-openvino writes models "
                     "for OpenVINO");
  if (options.model != "-" && !llvm::sys::fs::exists(options.model))
    return failUsage("'" + options.model + "' does not exist");
  DialectRegistry registry;
  registerAllDialects(registry);
  MLIRContext context(registry);
  context.printOpOnDiagnostic(false);
  ScopedDiagnosticHandler handler(&context, [](Diagnostic &diagnostic) {
    printDiagnostic(llvm::errs(), DiagnosticRecord(diagnostic));
    return success();
  });
  OpsetOptions opsetOptions;
  opsetOptions.opset = options.opset;
  for (const std::string &name : options.without) {
    if (!isOnnxTypeName(&context, name))
      return failUsage("--without: expected ONNX names of element types, such "
                       "as float8e4m3fn or int4, but got '" +
                       name + "'");
    opsetOptions.without.push_back(name);
  }
  if (options.wideFloat.getNumOccurrences() && options.wideFloat != "float16" &&
      options.wideFloat != "bfloat16")
    return failUsage("--wide-float: expected float16 or bfloat16, but got '" +
                     options.wideFloat + "'");
  opsetOptions.wideFloat = options.wideFloat;
  if (options.domain.getNumOccurrences() && options.domain != kMicrosoftDomain)
    return failUsage("--domain: expected " + kMicrosoftDomain + ", but got '" +
                     options.domain + "'");
  opsetOptions.usesMicrosoft = options.domain.getNumOccurrences();
  if ((options.wideFloat.getNumOccurrences() || opsetOptions.usesMicrosoft) &&
      !converts)
    return failUsage(
        Twine(opsetOptions.usesMicrosoft ? "--domain" : "--wide-float") +
        ": expected --opset or --without");
  OnnxImportOptions importOptions;
  importOptions.keepsSource = true;
  importOptions.isConverted = converts;
  if (hasOpset)
    importOptions.targetOpset = options.opset;
  importOptions.expandsFunctions = !options.without.empty();
  OwningOpRef<ModuleOp> module;
  if (isMlir(options.model)) {
    if (int exitCode = readMlirFile(options.model, context, module))
      return exitCode;
  } else {
    module = importOnnx(options.model, &context, importOptions);
    if (!module)
      return kToolWrongInput;
  }
  if (int exitCode = rewrite(options, *module))
    return exitCode;
  if (converts) {
    OpsetConversion conversion;
    bool isConverted =
        succeeded(convertOpset(*module, opsetOptions, conversion));
    if (!writeReport(options, conversion))
      return kToolWrongUsage;
    if (!isConverted)
      return kToolWrongInput;
  }

  std::vector<OutputFile> files;
  files.reserve(2);
  files.emplace_back(options.output);
  OnnxExportOptions exportOptions;
  if (options.externalData) {
    files.emplace_back(options.output + ".data");
    exportOptions.externalData =
        (llvm::sys::path::filename(options.output) + ".data").str();
    exportOptions.writeExternal = [&](StringRef bytes) {
      return files[1].write({bytes.data(), bytes.size()});
    };
  }
  {
    FileStream os(files[0]);
    if (failed(exportOnnx(*module, os, exportOptions)))
      return kToolWrongInput;
  }
  if (OutputFile *failed = OutputFile::commitAll(files.data(), files.size()))
    return failUsage("'" + failed->getPath() +
                     "' cannot be written: " + failed->getError().message());
  return kToolDone;
}

int main(int argc, char **argv) {
  llvm::InitLLVM initialize(argc, argv);
  reportShortenedFiles();
  // Remove LLVM's own options.
  cl::ResetCommandLineParser();
  if (reportRegisteredPasses("quant-float-convert"))
    return kToolWrongUsage;
  registerAllPasses();
  Options options;
  if (!parseOptions(
          argc, argv, "quant-float-convert",
          "converts a model in ONNX or MLIR, such as StableHLO, to an ONNX "
          "opset, eliminates types that a runtime lacks, or rewrites nodes to "
          "equivalent ones\n"))
    return kToolWrongUsage;
  return convert(options);
}
