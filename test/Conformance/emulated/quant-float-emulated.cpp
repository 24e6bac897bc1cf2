//===- quant-float-emulated.cpp - Conversions on emulated CPUs ------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A test program. With --emit, compiles conversions for a CPU that only exists
// as an emulator, and writes a table that Inputs/program.c includes. With
// --run, runs that program in the emulator and compares the results.
//
//===----------------------------------------------------------------------===//

#include "Trial.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "quant-float/Driver/Driver.h"
#include "quant-float/InitAll.h"
#include "quant-float/Support/ElementTypes.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Regex.h"
#include <chrono>
#include <thread>

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::certify;
using namespace mlir::quant_float::test;
namespace cl = llvm::cl;

namespace {
struct NoOtherOptions {
  NoOtherOptions() { cl::ResetCommandLineParser(); }
};

struct Options : NoOtherOptions {
  cl::opt<std::string> only{"only", cl::value_desc("REGEX"),
                            cl::desc("conversions whose names match")};
  cl::opt<std::string> emit{
      "emit", cl::value_desc("folder"),
      cl::desc("write conversions.o and conversions.inc there")};
  cl::opt<std::string> cpu{"cpu", cl::desc("target CPU")};
  cl::opt<std::string> triple{"triple", cl::desc("target triple")};
  cl::opt<bool> run{"run", cl::desc("run a program that contains them")};
  cl::opt<std::string> record{"record", cl::value_desc("file"),
                              cl::desc("write the results as JSON")};
  cl::opt<int> power{
      "constant-scale", cl::value_desc("exponent"),
      cl::desc("scales are a constant power of two instead of an operand")};
  cl::opt<bool> complete{"complete", cl::desc("test all 32-bit inputs")};
  cl::list<std::string> command{cl::Positional,
                                cl::desc("the emulator and the program")};
};
} // namespace

static std::vector<Conversion> choose(const Options &options) {
  llvm::Regex regex(options.only);
  std::vector<Conversion> chosen;
  for (const std::vector<Conversion> &list :
       {listCasts(), listQuantizations(), listFakeConverts()})
    llvm::copy_if(list, std::back_inserter(chosen), [&](const Conversion &one) {
      return regex.match(one.getName());
    });
  return chosen;
}

/// Replaces the scale, which is the second operand, by a constant.
static void makeScaleConstant(ModuleOp module, int exponent) {
  for (auto function : module.getOps<func::FuncOp>()) {
    BlockArgument scale = function.getArgument(1);
    OpBuilder builder = OpBuilder::atBlockBegin(&function.front());
    auto type = cast<RankedTensorType>(scale.getType());
    scale.replaceAllUsesWith(arith::ConstantOp::create(
        builder, function.getLoc(),
        DenseElementsAttr::get(
            type, builder.getFloatAttr(type.getElementType(),
                                       std::ldexp(1.0, exponent)))));
    (void)function.eraseArgument(1);
  }
}

static int getNumber(const Format *format) {
  for (const ElementInfo &element : kElements)
    if (format && format->name == element.mlir)
      return element.number;
  return 0;
}

static LogicalResult
write(StringRef path,
      llvm::function_ref<LogicalResult(llvm::raw_fd_ostream &)> print) {
  std::error_code error;
  llvm::raw_fd_ostream os(path, error);
  if (!error)
    return print(os);
  llvm::errs() << path << ": " << error.message() << "\n";
  return failure();
}

static LogicalResult emit(ArrayRef<Conversion> conversions,
                          const Options &options, MLIRContext &context) {
  std::string text;
  for (const Conversion &one : conversions)
    text += one.print();
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
  if (module && options.power.getNumOccurrences())
    makeScaleConstant(*module, options.power);
  CompileOptions compile;
  compile.cpu = options.cpu;
  compile.triple = options.triple;
  if (!module || failed(write(options.emit + "/conversions.o",
                              [&](llvm::raw_fd_ostream &os) {
                                return compileTo(*module, EmitKind::Object,
                                                 compile, "conversions", os);
                              })))
    return failure();
  return write(
      options.emit + "/conversions.inc", [&](llvm::raw_fd_ostream &os) {
        for (const Conversion &one : conversions)
          os << "CONVERSION(" << one.getName() << ", " << getNumber(one.from)
             << ", "
             << (options.power.getNumOccurrences() ? 0 : getNumber(one.scale))
             << ", "
             << (one.hasZeroPoint ? getNumber(&one.getZeroPointFormat()) : 0)
             << ", " << getNumber(one.to) << ")\n";
        return success();
      });
}

static std::optional<uint64_t> getScale(const Conversion &conversion,
                                        const Options &options) {
  if (!options.power.getNumOccurrences())
    return std::nullopt;
  return fromDouble(*conversion.scale, std::ldexp(1.0, options.power));
}

/// Runs the conversions. Prints a line for each and a summary.
static LogicalResult run(ArrayRef<Conversion> conversions,
                         const Options &options, MLIRContext &context) {
  using Clock = std::chrono::steady_clock;
  uint64_t inputs = 0, mismatches = 0;
  llvm::json::Object record;
  unsigned threads = options.complete ? std::thread::hardware_concurrency() : 1;
  for (auto [index, one] : llvm::enumerate(conversions)) {
    auto start = Clock::now();
    llvm::Expected<TrialResult> result =
        Trial(one, options.complete, getScale(one, options), context)
            .run(ArrayRef<std::string>(options.command), index, threads);
    if (!result) {
      llvm::errs() << llvm::toString(result.takeError()) << "\n";
      return failure();
    }
    std::chrono::duration<double> seconds = Clock::now() - start;
    llvm::outs() << one.getName() << ": " << result->inputs << " inputs, "
                 << result->mismatches << " mismatches, "
                 << llvm::format("%.2f s, ", seconds.count()) << "SHA-256 "
                 << result->digest << "\n";
    record[one.getName()] =
        llvm::json::Object{{"inputs", result->inputs},
                           {"mismatches", result->mismatches},
                           {"seconds", seconds.count()},
                           {"output_sha256", result->digest}};
    inputs += result->inputs;
    mismatches += result->mismatches;
  }
  llvm::outs() << conversions.size() << " conversions: " << inputs
               << " inputs, " << mismatches << " mismatches\n";
  if (!options.record.empty() &&
      failed(write(options.record, [&](llvm::raw_fd_ostream &os) {
        os << llvm::json::Value(std::move(record)) << "\n";
        return success();
      })))
    return failure();
  return success(inputs && !mismatches);
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  Options options;
  cl::ParseCommandLineOptions(argc, argv);
  std::string message;
  if (!llvm::Regex(options.only).isValid(message)) {
    llvm::errs() << options.only << ": " << message << "\n";
    return 2;
  }
  std::vector<Conversion> conversions = choose(options);
  DialectRegistry registry;
  registerAllDialects(registry);
  MLIRContext context(registry);
  context.loadAllAvailableDialects();
  if (!options.emit.empty())
    return failed(emit(conversions, options, context));
  return options.run ? failed(run(conversions, options, context)) : 2;
}
