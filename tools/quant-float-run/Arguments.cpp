//===- Arguments.cpp - The command line of quant-float-run ----------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arguments.h"
#include "../FakeConvertModeOption.h"
#include "quant-float/Support/NvidiaChip.h"
#include "quant-float/Support/TargetCpu.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::quant_float;
namespace cl = llvm::cl;

namespace {

/// The options live as long as one parse.
struct Options {
  cl::OptionCategory category{"quant-float-run"};
  cl::opt<std::string> model{
      cl::Positional, cl::Required,
      cl::desc("MODEL (.onnx, .xml, .mlir, .mlirbc, or - "
               "for MLIR on standard input)"),
      cl::cat(category)};
  cl::list<std::string> inputs{
      "inputs", cl::value_desc("FILE or NAME=FILE"),
      cl::desc("tensors for the inputs (.npy, ONNX .pb, raw .bin), in the "
               "graph's order or by name; several may follow"),
      cl::cat(category)};
  cl::list<std::string> shapes{
      "shapes", cl::value_desc("NAME=1x3x?"),
      cl::desc("sizes that the model leaves open; several may follow"),
      cl::cat(category)};
  cl::opt<std::string> random{
      "random", cl::value_desc("SEED"),
      cl::desc("random values for the inputs that --inputs does not give"),
      cl::cat(category)};
  cl::opt<std::string> outputs{
      "outputs", cl::value_desc("DIR"),
      cl::desc("write output_<i>.npy there; the folder is made if need be"),
      cl::cat(category)};
  cl::opt<std::string> entry{"entry", cl::value_desc("NAME"),
                             cl::desc("the function to run, by symbol or graph "
                                      "name, where there are several"),
                             cl::cat(category)};
  cl::opt<std::string> target{"target", cl::value_desc("cpu|reference|nvvm"),
                              cl::desc("what computes (default: cpu)"),
                              cl::init("cpu"), cl::cat(category)};
  cl::opt<std::string> cpu{"cpu", cl::value_desc("NAME"),
                           cl::desc("the CPU to compile for (default: host)"),
                           cl::init("host"), cl::cat(category)};
  cl::opt<std::string> chip{
      "chip", cl::value_desc("sm_80|sm_90|..."),
      cl::desc("the NVIDIA chip to compile for, with --target nvvm (default: "
               "the device's)"),
      cl::cat(category)};
  cl::opt<unsigned> threads{
      "threads", cl::value_desc("N"),
      cl::desc("threads to run in (default: 1); 0: as many "
               "as OpenMP gives"),
      cl::init(1), cl::cat(category)};
  cl::opt<char> level{"O", cl::Prefix, cl::desc("optimization level, 0 to 3"),
                      cl::init('2'), cl::cat(category)};
  cl::opt<bool> time{"time",
                     cl::desc("print best and median seconds, elements per "
                              "second of the call alone"),
                     cl::cat(category)};
  cl::opt<unsigned> repeat{"repeat", cl::value_desc("N"),
                           cl::desc("calls that --time measures (default: 10)"),
                           cl::init(10), cl::cat(category)};
  FakeConvertModeOption fakeConvertMode{category};
  StrictOption strict{category};
  cl::opt<bool> compareModes{
      "compare-modes",
      cl::desc("print how many elements of each fakeconvert differ between its "
               "modes, and why"),
      cl::cat(category)};
};

} // namespace

static bool isModelName(StringRef text) {
  return text == "-" || text.ends_with(".onnx") || text.ends_with(".mlir") ||
         text.ends_with(".mlirbc") || text.ends_with(".xml");
}

/// `--inputs a b c` as `--inputs=a --inputs=b --inputs=c`: the command-line
/// library gives an option one value. A model's name ends the list.
static std::vector<std::string> spreadLists(ArrayRef<char *> arguments) {
  std::vector<std::string> spread;
  std::string list;
  for (StringRef argument : arguments) {
    StringRef name = argument.ltrim('-');
    if (argument.starts_with("-") && argument != "-") {
      list.clear();
      if (name == "inputs" || name == "shapes") {
        list = "--" + name.str();
        continue;
      }
    } else if (isModelName(argument) && !argument.contains('=')) {
      list.clear();
    }
    spread.push_back(list.empty() ? argument.str()
                                  : list + "=" + argument.str());
  }
  return spread;
}

/// Reports wrong usage.
static std::nullopt_t fail(const llvm::Twine &message) {
  llvm::errs() << "quant-float-run: error: " << message << "\n";
  return std::nullopt;
}

std::optional<Arguments>
mlir::quant_float::parseArguments(int argc, char **argv, int &exitCode) {
  exitCode = kToolWrongUsage;
  // LLVM's own options go: they are not part of this tool, and some have the
  // names that ours need.
  cl::ResetCommandLineParser();
  Options options;
  cl::SetVersionPrinter([](llvm::raw_ostream &os) {
    os << "quant-float-run, part of quant-float " QUANT_FLOAT_VERSION
          ", with LLVM " LLVM_VERSION_STRING "\n";
  });
  std::vector<std::string> spread =
      spreadLists(ArrayRef(argv + 1, argv + std::max(argc, 1)));
  std::vector<const char *> words = {"quant-float-run"};
  for (const std::string &word : spread)
    words.push_back(word.c_str());
  if (!cl::ParseCommandLineOptions(static_cast<int>(words.size()), words.data(),
                                   "compiles a model in memory and runs it\n",
                                   &llvm::errs()))
    return std::nullopt;

  Arguments arguments;
  arguments.model = options.model;
  arguments.inputs.assign(options.inputs.begin(), options.inputs.end());
  arguments.outputs = options.outputs;
  arguments.build.entry = options.entry;
  arguments.build.target =
      options.target == "nvvm" ? Target::NVVM : Target::CPU;
  arguments.useReference = options.target == "reference";
  arguments.build.cpu = options.cpu;
  arguments.build.chip = options.chip;
  arguments.build.threads = options.threads;
  arguments.time = options.time;
  arguments.repeat = options.repeat;
  arguments.compareModes = options.compareModes;
  arguments.load.fakeConvertMode = options.fakeConvertMode.get();
  arguments.load.strict = options.strict;
  for (const std::string &text : options.shapes) {
    std::string error;
    if (!InputShape::parse(text, arguments.shapes.emplace_back(), error))
      return fail(error);
  }
  if (options.random.getNumOccurrences()) {
    uint64_t seed;
    if (StringRef(options.random).getAsInteger(0, seed))
      return fail("--random: expected a number, but got '" + options.random +
                  "'");
    arguments.randomSeed = seed;
  }
  if (options.level < '0' || options.level > '3')
    return fail("-O: expected 0, 1, 2 or 3, but got '" +
                std::string(1, options.level) + "'");
  arguments.build.optimizationLevel = options.level - '0';
  if (options.threads > 4096)
    return fail("--threads: expected 0 to 4096, but got " +
                llvm::Twine(options.threads));
  if (!arguments.repeat)
    return fail("--repeat: expected 1 or more, but got 0");
  if (arguments.compareModes && (arguments.time || !arguments.outputs.empty()))
    return fail("--compare-modes: expected neither --time nor --outputs");
  if (options.target != "cpu" && options.target != "reference" &&
      options.target != "nvvm")
    return fail("--target: expected cpu, reference or nvvm, but got '" +
                options.target + "'");
  if (!options.chip.empty() && options.target != "nvvm")
    return fail("--chip: expected --target nvvm");
  if (llvm::Expected<TargetCpu> cpu = TargetCpu::get("", options.cpu); !cpu) {
    exitCode = kToolWrongInput;
    return fail("--cpu: " + llvm::toString(cpu.takeError()));
  }
  if (!options.chip.empty())
    if (llvm::Expected<NvidiaChip> chip = NvidiaChip::get(options.chip);
        !chip) {
      exitCode = kToolWrongInput;
      return fail("--chip: " + llvm::toString(chip.takeError()));
    }
  exitCode = kToolDone;
  return arguments;
}
