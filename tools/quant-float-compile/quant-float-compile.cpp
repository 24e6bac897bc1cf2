//===- quant-float-compile.cpp - Compile models ---------------------------===//
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
#include "../PackedOption.h"
#include "../ToolErrors.h"
#include "mlir/Support/Timing.h"
#include "quant-float/Model/Model.h"
#include "quant-float/Support/InputFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace mlir::quant_float;
namespace cl = llvm::cl;

namespace {
/// The command-line options, which are registered while this object lives.
struct Options {
  cl::OptionCategory category{"quant-float-compile"};
  cl::opt<std::string> model{
      cl::Positional, cl::Required,
      cl::desc("MODEL (.onnx, .xml, .mlir, .mlirbc, or - "
               "for MLIR on standard input)"),
      cl::cat(category)};
  cl::opt<std::string> output{"o", cl::value_desc("OUT"),
                              cl::desc("output file, - for standard output"),
                              cl::cat(category)};
  cl::opt<bool> explain{"explain",
                        cl::desc("write how each conversion is lowered, and "
                                 "why, to OUT or to standard output"),
                        cl::cat(category)};
  cl::opt<std::string> target{"target", cl::value_desc("cpu|nvvm"),
                              cl::desc("target of the code (default: cpu)"),
                              cl::init("cpu"), cl::cat(category)};
  cl::opt<std::string> cpu{
      "cpu", cl::value_desc("NAME[,NAME...]"),
      cl::desc("CPU to compile for: host (default), x86-64-v3, znver4, "
               "apple-m1, ...; with several, the code for the best one that "
               "the machine supports is selected at run time"),
      cl::cat(category)};
  cl::opt<std::string> triple{"triple", cl::value_desc("TRIPLE"),
                              cl::desc("target triple (default: the host's)"),
                              cl::cat(category)};
  cl::opt<std::string> chip{
      "chip", cl::value_desc("sm_80|sm_89|sm_90|sm_100a|..."),
      cl::desc("NVIDIA chip to compile for, required with --target nvvm"),
      cl::cat(category)};
  cl::opt<std::string> ptx{
      "ptx", cl::value_desc("VERSION"),
      cl::desc("PTX version, such as 80 (default: the lowest that supports all "
               "of the chip's instructions)"),
      cl::cat(category)};
  cl::opt<std::string> emit{
      "emit",
      cl::value_desc(
          "mlir|llvm-dialect|llvm-ir|asm|obj|shared|header|ptx|cubin"),
      cl::desc("kind of output (default: according to the suffix of OUT)"),
      cl::cat(category)};
  cl::opt<unsigned> threads{
      "threads", cl::value_desc("N"),
      cl::desc(
          "number of threads; 1: no threading (default), 0: OpenMP's default"),
      cl::init(1), cl::cat(category)};
  cl::opt<bool> partition{"partition",
                          cl::desc("if nodes have no lowering, compile the "
                                   "subgraphs around quantization ops"),
                          cl::cat(category)};
  cl::opt<std::string> dumpStages{
      "dump-stages", cl::value_desc("DIR"),
      cl::desc("write the IR after each stage of code generation to DIR, with "
               "large constants elided"),
      cl::cat(category)};
  cl::opt<bool> timeReport{
      "time-report", cl::desc("print the time of each stage to standard error"),
      cl::cat(category)};
  FakeConvertModeOption fakeConvertMode{category};
  StrictOption strict{category};
  BindOptions bind{category};
  PackedOption packed{category};
  AccumulationOption accumulation{category};
  ActivationsOption activations{category};
  cl::opt<unsigned> level{"O",
                          cl::Prefix,
                          cl::value_desc("N"),
                          cl::desc("optimization level, 0 to 3 (default: 2)"),
                          cl::init(2),
                          cl::cat(category)};
};
} // namespace

/// Reports wrong usage.
static int fail(const llvm::Twine &message) {
  llvm::errs() << "quant-float-compile: error: " << message << "\n";
  return kToolWrongUsage;
}

/// Returns the kind of output for --emit or, if that is empty, for the
/// extension.
static std::optional<EmitKind> findEmitKind(StringRef name, StringRef suffix) {
  static constexpr std::tuple<EmitKind, StringLiteral, StringLiteral> kinds[] =
      {{EmitKind::MLIR, "mlir", ".mlir"},
       {EmitKind::LLVMDialect, "llvm-dialect", ""},
       {EmitKind::LLVMIR, "llvm-ir", ".ll"},
       {EmitKind::Assembly, "asm", ".s"},
       {EmitKind::Object, "obj", ".o"},
       {EmitKind::Shared, "shared", ".so"},
       {EmitKind::Header, "header", ".h"},
       {EmitKind::Ptx, "ptx", ".ptx"},
       {EmitKind::Cubin, "cubin", ".cubin"}};
  for (const auto &[kind, known, ending] : kinds)
    if (name.empty() ? !suffix.empty() && suffix == ending : name == known)
      return kind;
  return std::nullopt;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  reportShortenedFiles();
  cl::ResetCommandLineParser();
  Options arguments;
  if (!parseOptions(argc, argv, "quant-float-compile",
                    "compiles a model to IR, code or a library\n"))
    return kToolWrongUsage;

  bool isForGpu = arguments.target == "nvvm";
  if (!isForGpu && arguments.target != "cpu")
    return fail("--target: expected cpu or nvvm, but got '" +
                arguments.target.getValue() + "'");
  if (isForGpu == arguments.chip.empty())
    return fail(isForGpu ? "--chip: expected a chip, such as sm_90, with "
                           "--target nvvm"
                         : "--chip: expected --target nvvm with a chip");
  if (!isForGpu && !arguments.ptx.empty())
    return fail("--ptx: expected --target nvvm with a version of PTX");
  if (arguments.level > 3)
    return fail("-O: expected 0 to 3, but got " +
                llvm::Twine(arguments.level.getValue()));
  if (arguments.threads > kMaxThreads)
    return fail("--threads: expected 0 to " + llvm::Twine(kMaxThreads) +
                ", but got " + llvm::Twine(arguments.threads));
  if (arguments.explain && !arguments.emit.empty())
    return fail("--explain: expected no --emit, but got '" + arguments.emit +
                "'");
  if (arguments.output.empty() && !arguments.explain)
    return fail("-o: expected the file to write");
  if (arguments.output.empty())
    arguments.output = "-";
  std::optional<EmitKind> kind =
      arguments.explain
          ? EmitKind::Plan
          : findEmitKind(arguments.emit,
                         llvm::sys::path::extension(arguments.output));
  if (!kind && !arguments.emit.empty())
    return fail(
        "--emit: expected mlir, llvm-dialect, llvm-ir, asm, obj, shared, "
        "header, ptx or cubin, but got '" +
        arguments.emit + "'");
  if (!kind)
    return fail(
        "expected --emit, or an output named .mlir, .ll, .s, .o, .so, .h, "
        ".ptx or .cubin, but got '" +
        arguments.output + "'");
  StringRef output = arguments.output;
  StringRef folder = llvm::sys::path::parent_path(output);
  if (output != "-" && !folder.empty() && !llvm::sys::fs::is_directory(folder))
    return fail("there is no directory '" + folder + "' to write to");
  if (*kind == EmitKind::Shared && output == "-")
    return fail("--emit: a shared library must be written to a file");
  if (!isForGpu && (*kind == EmitKind::Ptx || *kind == EmitKind::Cubin))
    return fail("--emit: expected --target nvvm for ptx and cubin");
  if (arguments.dumpStages.getNumOccurrences() &&
      !llvm::sys::fs::is_directory(arguments.dumpStages))
    return fail("--dump-stages: there is no directory '" +
                arguments.dumpStages + "' to write to");
  StringRef sidecarSuffix = getSidecarSuffix(*kind);
  if (!sidecarSuffix.empty() &&
      llvm::sys::path::extension(output) == ("." + sidecarSuffix).str())
    return fail("the ." + sidecarSuffix + " file next to '" + output +
                "' would overwrite it");

  BuildOptions options;
  options.target = isForGpu ? Target::NVVM : Target::CPU;
  options.chip = arguments.chip;
  options.features = arguments.ptx;
  options.triple = arguments.triple;
  options.threads = arguments.threads;
  options.accumulation = arguments.accumulation;
  options.activations = arguments.activations;
  options.partition = arguments.partition;
  options.dumpFolder = arguments.dumpStages;
  options.optimizationLevel = arguments.level;
  // A triple without a CPU selects the baseline of that architecture.
  options.cpu = arguments.cpu.empty() && arguments.triple.empty()
                    ? "host"
                    : arguments.cpu.getValue();
  LoadOptions load;
  load.fakeConvertMode = arguments.fakeConvertMode.get();
  load.strict = arguments.strict;
  DefaultTimingManager timing;
  timing.setEnabled(arguments.timeReport);
  TimingScope stages = timing.getRootScope();
  options.timing = &stages;
  Session session(printDiagnostics());
  TimingScope import = stages.nest("import");
  llvm::Expected<Model> model = Model::load(session, arguments.model, load);
  import.stop();
  if (model) {
    llvm::Error error = arguments.bind.apply(*model);
    if (!error)
      error = arguments.packed.apply(*model);
    if (error)
      return report(arguments.model, std::move(error));
  }
  return report(arguments.model, model
                                     ? model->emitToFile(*kind, output, options)
                                     : model.takeError());
}
