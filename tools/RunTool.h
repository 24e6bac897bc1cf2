//===- RunTool.h - Shared code of tools that run models ---------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Options, inputs, outputs and timing of the tools that run models. Does not
// depend on MLIR.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_TOOLS_RUNTOOL_H
#define QUANT_FLOAT_TOOLS_RUNTOOL_H

#include "quant-float/TensorData/TensorBuffer.h"
#include "llvm/Support/CommandLine.h"
#include <optional>

namespace mlir::quant_float {

/// An error message and the exit code of a tool: 1 if the input is wrong or
/// cannot run, 2 for wrong usage or an unreadable file.
class ToolFailure : public llvm::ErrorInfo<ToolFailure> {
public:
  static char ID; // NOLINT(readability-identifier-naming): LLVM wants it.
  ToolFailure(int exitCode, const Twine &message)
      : exitCode(exitCode), message(message.str()) {}
  void log(llvm::raw_ostream &os) const override { os << message; }
  std::error_code convertToErrorCode() const override {
    return llvm::inconvertibleErrorCode();
  }

  int exitCode;
  std::string message;
};

enum RunExitCode { kWrongInput = 1, kWrongUsage = 2 };

/// Returns an error about a file, or another `subject`.
llvm::Error fail(const Twine &subject, const Twine &what,
                 RunExitCode code = kWrongInput);

/// An input of a function and the source of its tensor.
struct RunInput {
  /// The name in the model; may be empty.
  std::string name;
  const ElementInfo *element = nullptr;
  /// -1 for sizes without constraint.
  SmallVector<int64_t> sizes;
  /// The file; empty for random values.
  std::string file;
};

/// A value of --shapes; -1 for `?`.
struct InputShape {
  std::string name;
  SmallVector<int64_t> sizes;
};

/// Returns a description such as "input 0 'x'".
std::string describeInput(ArrayRef<RunInput> inputs, size_t index);

/// The options for a model and its inputs. LLVM's options must have been
/// removed before.
class InputOptions {
public:
  /// `suffixes` are the file extensions of models. The last two arguments are
  /// the descriptions of the model and of --inputs.
  InputOptions(StringRef tool, ArrayRef<StringRef> suffixes,
               StringRef modelDescription, StringRef inputsDescription)
      : tool(tool), modelDescription(modelDescription),
        inputsDescription(inputsDescription), suffixes(suffixes) {}

  /// Parses the command line. After an error the tool must exit.
  llvm::Error parse(int argc, char **argv, const char *overview);

  /// Returns an error about the command line.
  llvm::Error failUsage(const Twine &what) const;

  /// Returns an error unless the value of an option is in this range.
  llvm::Error checkRange(StringRef option, uint64_t min, uint64_t max,
                         uint64_t value) const;

  /// Reads the files of --inputs and creates random tensors for the other
  /// inputs. With `ignoresUnknown`, --shapes may name inputs that do not exist.
  llvm::Expected<std::vector<TensorBuffer>>
  gatherInputs(std::vector<RunInput> inputs, size_t offset = 0,
               bool ignoresUnknown = false, TensorReader readOnnx = nullptr);

  /// Prints the error, if any, and flushes standard output. Returns the exit
  /// code.
  static int finish(llvm::Error error);

private:
  llvm::Error applyShapes(MutableArrayRef<RunInput> inputs,
                          bool ignoresUnknown);
  llvm::Error assignFiles(MutableArrayRef<RunInput> inputs);
  llvm::Expected<std::vector<std::string>>
  spreadLists(ArrayRef<char *> arguments) const;

  StringRef tool, modelDescription, inputsDescription;
  SmallVector<StringRef> suffixes;
  std::vector<InputShape> parsedShapes;
  std::optional<uint64_t> seed;

public:
  llvm::cl::opt<std::string> model{llvm::cl::Positional,
                                   llvm::cl::desc(modelDescription)};
  llvm::cl::list<std::string> inputs{"inputs",
                                     llvm::cl::value_desc("FILE or NAME=FILE"),
                                     llvm::cl::desc(inputsDescription)};
  llvm::cl::list<std::string> shapes{
      "shapes", llvm::cl::value_desc("NAME=1x3x?"),
      llvm::cl::desc("values of dynamic sizes; accepts several values")};
  llvm::cl::opt<std::string> random{
      "random", llvm::cl::value_desc("SEED"),
      llvm::cl::desc(
          "use random values for the inputs without a file in --inputs")};
  llvm::cl::opt<std::string> entry{
      "entry", llvm::cl::value_desc("NAME"),
      llvm::cl::desc(
          "symbol or graph name of the function to run, if there are several")};
};

/// The options of the tools that run models.
class RunOptions : public InputOptions {
public:
  using InputOptions::InputOptions;

  llvm::Error parse(int argc, char **argv, const char *overview);

  /// Prints the output of --time for the durations of runs, and returns the
  /// best.
  double printTimes(std::vector<double> seconds,
                    ArrayRef<TensorBuffer> outputs) const;

  /// Writes output_<i>.npy to the directory of --outputs; without it, prints
  /// the outputs.
  llvm::Error writeOutputs(ArrayRef<TensorBuffer> outputs) const;

  llvm::cl::opt<std::string> outputs{
      "outputs", llvm::cl::value_desc("DIR"),
      llvm::cl::desc("directory for the outputs output_<i>.npy, which is "
                     "created if necessary")};
  llvm::cl::opt<bool> time{
      "time", llvm::cl::desc("print the best and median time of a call in "
                             "seconds, and elements per second")};
  llvm::cl::opt<unsigned> repeat{
      "repeat", llvm::cl::value_desc("N"),
      llvm::cl::desc("number of calls that --time measures (default: 10)"),
      llvm::cl::init(10)};
};

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_TOOLS_RUNTOOL_H
