//===- quant-float-check.cpp - Check opsets of nodes ----------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../FakeConvertModeOption.h"
#include "../StandardOutput.h"
#include "../ToolErrors.h"
#include "quant-float/IR/OpsetRules.h"
#include "quant-float/Model/Model.h"
#include "quant-float/Support/InputFile.h"
#include "llvm/Support/InitLLVM.h"

using namespace mlir;
using namespace mlir::quant_float;
namespace cl = llvm::cl;

namespace {
/// The command-line options, which are registered while this object lives.
struct Options {
  cl::OptionCategory category{"quant-float-check"};
  cl::list<std::string> models{
      cl::Positional, cl::OneOrMore,
      cl::desc("MODEL... (.onnx, .xml, .mlir, .mlirbc, or - "
               "for MLIR on standard input)"),
      cl::cat(category)};
  cl::opt<std::string> opset{
      "opset", cl::value_desc("N|all"),
      cl::desc("verify ONNX nodes against opset N, and other nodes against "
               "their opset; all: print which opsets accept each node "
               "(default: the opset of each node)"),
      cl::cat(category)};
  cl::opt<bool> json{
      "json",
      cl::desc(
          "print a JSON array with one object for each node of all models"),
      cl::cat(category)};
  cl::opt<std::string> target{"target", cl::value_desc("cpu|nvvm"),
                              cl::desc("also print which nodes prevent "
                                       "compilation for this target, and why"),
                              cl::cat(category)};
  cl::opt<std::string> chip{
      "chip", cl::value_desc("sm_80|sm_89|sm_90|sm_100a|..."),
      cl::desc("NVIDIA chip of --target nvvm (default: sm_90)"),
      cl::init("sm_90"), cl::cat(category)};
  cl::opt<bool> explain{
      "explain",
      cl::desc("print the rule of each op of another compiler that quantizes "
               "(StableHLO, PyTorch, IREE, quant, tosa), and where other "
               "frameworks differ"),
      cl::cat(category)};
  StrictOption strict{category};
};
} // namespace

/// Converts --opset. Returns none after reporting wrong usage.
static std::optional<CheckOptions> getCheckOptions(const Options &options) {
  CheckOptions check;
  check.everyOpset = options.opset == "all";
  if (check.everyOpset || !options.opset.getNumOccurrences())
    return check;
  int64_t opset;
  if (StringRef(options.opset).getAsInteger(10, opset) || opset < 1 ||
      opset > kNewestOpset) {
    llvm::errs() << "quant-float-check: error: --opset: expected 1 to "
                 << kNewestOpset << " or 'all', but got '" << options.opset
                 << "'\n";
    return std::nullopt;
  }
  check.opset = opset;
  return check;
}

/// Converts --target. Returns none without it, and after reporting wrong usage,
/// in which case `isWrong` is set.
static std::optional<BuildOptions> getBuildOptions(const Options &options,
                                                   bool &isWrong) {
  isWrong = false;
  if (!options.target.getNumOccurrences())
    return std::nullopt;
  isWrong = options.target != "cpu" && options.target != "nvvm";
  if (isWrong) {
    llvm::errs() << "quant-float-check: error: --target: expected cpu or nvvm, "
                    "but got '"
                 << options.target << "'\n";
    return std::nullopt;
  }
  BuildOptions build;
  if (options.target == "nvvm") {
    build.target = Target::NVVM;
    build.chip = options.chip;
  }
  return build;
}

/// Returns the operator's name without the domain, as importers print it.
static StringRef getOpType(const NodeReport &report) {
  StringRef name = report.opName;
  return name.substr(name.rfind('.') + 1);
}

static void printDiagnostics(ArrayRef<NodeReport> reports) {
  for (const NodeReport &report : reports) {
    auto print = [&](StringRef severity, StringRef text) {
      llvm::errs() << report.location << severity << ": ";
      if (!report.name.empty() && severity != "note") {
        llvm::errs() << "node '";
        llvm::errs().write_escaped(report.name)
            << "' (" << getOpType(report) << "): ";
      }
      llvm::errs() << text << "\n";
    };
    if (report.status == NodeStatus::Invalid) {
      print("error", report.verdict.reason);
      for (const std::string &note : report.verdict.notes)
        print("note", note);
    }
    for (const std::string &warning : report.warnings)
      print("warning", warning);
  }
}

/// Checks one model, appends it to `checked`, and returns the exit code.
static int check(StringRef name, const Options &options,
                 const CheckOptions &checkOptions,
                 const std::optional<BuildOptions> &build, Session &session,
                 std::vector<CheckedModel> &checked) {
  LoadOptions load;
  // Errors in nodes are part of the report.
  load.verify = false;
  load.strict = options.strict;
  if (options.explain)
    load.onExplainedOp = [](const ExplainedOp &op) {
      llvm::outs() << op.location << op.op << ": " << op.rule;
      if (!op.difference.empty())
        llvm::outs() << " (" << op.difference << ")";
      llvm::outs() << "\n";
    };
  llvm::Expected<Model> model = Model::load(session, name, load);
  if (!model)
    return report(name, model.takeError());
  CheckedModel &found = checked.emplace_back(model->check(checkOptions));
  if (!options.json)
    printReports(llvm::outs(), found.nodes);
  llvm::outs().flush();
  if (checkOptions.opset && name.ends_with(".xml"))
    llvm::errs() << name
                 << ": warning: --opset counts ONNX's opsets; the layers were "
                    "verified against their own\n";

  printDiagnostics(found.nodes);
  // The rest of the module was not verified by Model::load.
  if (found.countInvalid())
    return kToolWrongInput;
  if (!build)
    return report(name, found.model.verify());
  // The lowering reports each node that has none.
  llvm::raw_null_ostream nowhere;
  return report(name, found.model.emit(EmitKind::LLVMDialect, *build,
                                       /*baseName=*/"", nowhere));
}

int main(int argc, char **argv) {
  llvm::InitLLVM initialize(argc, argv);
  reportShortenedFiles();
  cl::ResetCommandLineParser();
  Options options;
  if (!parseOptions(argc, argv, "quant-float-check",
                    "verifies the quantization nodes of models\n"))
    return kToolWrongUsage;
  std::optional<CheckOptions> checkOptions = getCheckOptions(options);
  bool isWrong;
  std::optional<BuildOptions> build = getBuildOptions(options, isWrong);
  if (!checkOptions || isWrong)
    return kToolWrongUsage;
  Session session(printDiagnostics());
  std::vector<CheckedModel> checked;
  // Return the exit code of the worst model.
  int worst = kToolDone;
  for (const std::string &name : options.models)
    worst = std::max(
        worst, check(name, options, *checkOptions, build, session, checked));
  // Print nothing if no model could be read.
  if (options.json && !checked.empty()) {
    std::vector<NodeReport> nodes;
    for (const CheckedModel &model : checked)
      llvm::append_range(nodes, model.nodes);
    printReportsAsJson(llvm::outs(), nodes);
  }
  return finishStandardOutput() ? worst : int(kToolWrongUsage);
}
