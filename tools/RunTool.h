//===- RunTool.h - What the tools that run models share ---------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Options, inputs, outputs and times of quant-float-run and quant-float-exec,
// without MLIR.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_TOOLS_RUNTOOL_H
#define QUANT_FLOAT_TOOLS_RUNTOOL_H

#include "quant-float/TensorData/TensorBuffer.h"
#include "llvm/Support/CommandLine.h"
#include <optional>

namespace mlir::quant_float {

/// What a tool says and exits with: 1 where the input is wrong or cannot be
/// run, 2 on wrong usage or an unreadable file.
class ToolFailure : public llvm::ErrorInfo<ToolFailure> {
public:
  static char ID; // NOLINT(readability-identifier-naming): LLVM wants it.
  ToolFailure(int exitCode, const Twine &text)
      : exitCode(exitCode), text(text.str()) {}
  void log(llvm::raw_ostream &os) const override { os << text; }
  std::error_code convertToErrorCode() const override {
    return llvm::inconvertibleErrorCode();
  }

  int exitCode;
  std::string text;
};

enum RunExitCode { kWrongInput = 1, kWrongUsage = 2 };

/// About a file, or whatever `subject` names.
llvm::Error fail(const Twine &subject, const Twine &what,
                 RunExitCode code = kWrongInput);

/// An input of a function, and where its tensor comes from.
struct RunInput {
  /// In the model; may be empty.
  std::string name;
  const ElementInfo *element = nullptr;
  /// -1 where any size will do.
  SmallVector<int64_t> sizes;
  /// Empty for a random one.
  std::string file;
};

/// One value of --shapes; -1 for `?`.
struct InputShape {
  std::string name;
  SmallVector<int64_t> sizes;
};

/// "input 0 'x'"
std::string describeInput(ArrayRef<RunInput> inputs, size_t index);

/// The options about a model and its inputs. Those of LLVM must have been
/// dropped.
class InputOptions {
public:
  /// A model's name has one of the suffixes. The last two are descriptions.
  InputOptions(StringRef tool, ArrayRef<StringRef> suffixes,
               StringRef modelText, StringRef inputsText)
      : tool(tool), modelText(modelText), inputsText(inputsText),
        suffixes(suffixes) {}

  /// Reads the command line. Nothing is left to do after an error.
  llvm::Error parse(int argc, char **argv, const char *overview);

  /// About the command line.
  llvm::Error failUsage(const Twine &what) const;

  /// Requires an option's number to be one of these.
  llvm::Error checkRange(StringRef option, uint64_t least, uint64_t most,
                         uint64_t given) const;

  /// Reads the files of --inputs and makes random tensors of the others. With
  /// `ignoresOthers`, --shapes may name inputs that there are not.
  llvm::Expected<std::vector<TensorBuffer>>
  gatherInputs(std::vector<RunInput> inputs, size_t offset = 0,
               bool ignoresOthers = false, TensorReader readOnnx = nullptr);

  /// Prints what went wrong, also with what was printed. The exit code.
  static int finish(llvm::Error error);

private:
  llvm::Error applyShapes(MutableArrayRef<RunInput> inputs, bool ignoresOthers);
  llvm::Error assignFiles(MutableArrayRef<RunInput> inputs);
  llvm::Expected<std::vector<std::string>>
  spreadLists(ArrayRef<char *> words) const;

  StringRef tool, modelText, inputsText;
  SmallVector<StringRef> suffixes;
  std::vector<InputShape> parsedShapes;
  std::optional<uint64_t> seed;

public:
  llvm::cl::opt<std::string> model{llvm::cl::Positional,
                                   llvm::cl::desc(modelText)};
  llvm::cl::list<std::string> inputs{"inputs",
                                     llvm::cl::value_desc("FILE or NAME=FILE"),
                                     llvm::cl::desc(inputsText)};
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

/// Those of the tools that run models once and for all.
class RunOptions : public InputOptions {
public:
  using InputOptions::InputOptions;

  llvm::Error parse(int argc, char **argv, const char *overview);

  /// Prints what --time promises, of runs that took so long. The best of them.
  double printTimes(std::vector<double> seconds,
                    ArrayRef<TensorBuffer> outputs) const;

  /// output_<i>.npy in the folder of --outputs; without one, what came out.
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
