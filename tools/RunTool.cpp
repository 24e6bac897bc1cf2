//===- RunTool.cpp - Shared code of tools that run models -----------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunTool.h"
#include "StandardOutput.h"
#include "quant-float/Support/InputFile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::quant_float;

char ToolFailure::ID = 0;

llvm::Error quant_float::fail(const Twine &subject, const Twine &what,
                              RunExitCode code) {
  return llvm::make_error<ToolFailure>(code, subject + ": error: " + what);
}

llvm::Error InputOptions::failUsage(const Twine &what) const {
  return fail(tool, what, kWrongUsage);
}

int InputOptions::finish(llvm::Error error) {
  int exitCode = 0;
  llvm::handleAllErrors(std::move(error), [&](const ToolFailure &failure) {
    exitCode = failure.exitCode;
    if (!failure.message.empty())
      llvm::errs() << failure.message << "\n";
  });
  if (!finishStandardOutput() && !exitCode)
    exitCode = kWrongUsage;
  return exitCode;
}

//===----------------------------------------------------------------------===//
// The command line
//===----------------------------------------------------------------------===//

/// Expands `--inputs a b c` to `--inputs=a --inputs=b --inputs=c`, because
/// LLVM's options take one value. An option or a model's name ends the list.
llvm::Expected<std::vector<std::string>>
InputOptions::spreadLists(ArrayRef<char *> arguments) const {
  std::vector<std::string> spread = {tool.str()};
  std::string list;
  // The list option that has no value yet.
  StringRef empty;
  auto requireValue = [&]() -> llvm::Error {
    if (empty.empty())
      return llvm::Error::success();
    return failUsage(empty + ": expected at least one value");
  };
  for (StringRef argument : arguments) {
    StringRef name = argument.ltrim('-');
    bool isModel =
        argument == "-" || llvm::any_of(suffixes, [&](StringRef suffix) {
          return argument.ends_with(suffix) && !argument.contains('=');
        });
    bool isOption = !isModel && argument.starts_with("-");
    if (isModel || isOption) {
      if (llvm::Error error = requireValue())
        return std::move(error);
      list.clear();
    }
    empty = {};
    if (isOption && (name == "inputs" || name == "shapes")) {
      list = "--" + name.str() + "=";
      empty = argument;
    } else {
      spread.push_back(list + argument.str());
    }
  }
  if (llvm::Error error = requireValue())
    return std::move(error);
  return spread;
}

/// Parses NAME=1x3x?.
static std::optional<InputShape> parseShape(StringRef option) {
  auto [name, sizes] = option.rsplit('=');
  InputShape shape{name.str(), {}};
  SmallVector<StringRef> parts;
  sizes.split(parts, 'x', -1, /*KeepEmpty=*/!sizes.empty());
  for (StringRef part : parts) {
    uint64_t size;
    if (part == "?")
      shape.sizes.push_back(-1);
    else if (!part.getAsInteger(10, size) && size <= INT64_MAX)
      shape.sizes.push_back(size);
    else
      return std::nullopt;
  }
  return shape;
}

llvm::Error InputOptions::parse(int argc, char **argv, const char *overview) {
  auto arguments = spreadLists(ArrayRef(argv + 1, argv + std::max(argc, 1)));
  if (!arguments)
    return arguments.takeError();
  SmallVector<const char *> pointers;
  for (const std::string &argument : *arguments)
    pointers.push_back(argument.c_str());
  // --help only lists options in registered categories, and resetting LLVM's
  // options also unregisters the general category.
  llvm::cl::OptionCategory category(tool);
  for (auto &[name, option] : llvm::cl::getRegisteredOptions())
    if (llvm::is_contained(option->Categories, &llvm::cl::getGeneralCategory()))
      option->addCategory(category);
  // The parser prints its own error.
  if (!llvm::cl::ParseCommandLineOptions(static_cast<int>(pointers.size()),
                                         pointers.data(), overview,
                                         &llvm::errs()))
    return llvm::make_error<ToolFailure>(kWrongUsage, "");
  for (StringRef option : shapes) {
    if (!option.contains('='))
      return failUsage("--shapes: expected NAME=SIZES, but got '" + option +
                       "'");
    std::optional<InputShape> shape = parseShape(option);
    if (!shape)
      return failUsage("--shapes: expected sizes like 1x3x?, but got '" +
                       option.rsplit('=').second + "' for '" +
                       option.rsplit('=').first + "'");
    parsedShapes.push_back(std::move(*shape));
  }
  if (random.getNumOccurrences() &&
      StringRef(random).getAsInteger(0, seed.emplace()))
    return failUsage("--random: expected a number, but got '" + random + "'");
  return llvm::Error::success();
}

llvm::Error RunOptions::parse(int argc, char **argv, const char *overview) {
  if (llvm::Error error = InputOptions::parse(argc, argv, overview))
    return error;
  return checkRange("--repeat", 1, 1000000, repeat);
}

llvm::Error InputOptions::checkRange(StringRef option, uint64_t min,
                                     uint64_t max, uint64_t value) const {
  if (value >= min && value <= max)
    return llvm::Error::success();
  return failUsage(option + ": expected " + Twine(min) + " to " + Twine(max) +
                   ", but got " + Twine(value));
}

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

std::string quant_float::describeInput(ArrayRef<RunInput> inputs,
                                       size_t index) {
  std::string description = "input " + std::to_string(index);
  const std::string &name = inputs[index].name;
  return name.empty() ? description : description + " '" + name + "'";
}

/// Returns the index of the input with this name or, otherwise, this position.
static std::optional<size_t> findInput(ArrayRef<RunInput> inputs,
                                       StringRef name) {
  for (auto [index, input] : llvm::enumerate(inputs))
    if (input.name == name)
      return index;
  size_t index;
  if (!name.getAsInteger(10, index) && index < inputs.size())
    return index;
  return std::nullopt;
}

/// Replaces dynamic sizes by those of --shapes.
llvm::Error InputOptions::applyShapes(MutableArrayRef<RunInput> inputs,
                                      bool ignoresUnknown) {
  for (const InputShape &shape : parsedShapes) {
    std::optional<size_t> index = findInput(inputs, shape.name);
    if (!index && ignoresUnknown)
      continue;
    if (!index) {
      SmallVector<std::string> names;
      for (auto [number, input] : llvm::enumerate(inputs))
        names.push_back(input.name.empty() ? std::to_string(number)
                                           : "'" + input.name + "'");
      return failUsage("--shapes: no input is named '" + shape.name + "'; " +
                       (names.empty()
                            ? "there are no inputs"
                            : "the inputs are " + llvm::join(names, ", ")));
    }
    RunInput &input = inputs[*index];
    auto fits = [](int64_t specified, int64_t size) {
      return specified < 0 || size < 0 || specified == size;
    };
    if (!llvm::equal(shape.sizes, input.sizes, fits))
      return failUsage("--shapes: " + describeInput(inputs, *index) +
                       ": expected sizes of " +
                       spellTensor(*input.element, input.sizes) + ", but got " +
                       spellTensor(*input.element, shape.sizes));
    for (auto [size, specified] : llvm::zip_equal(input.sizes, shape.sizes))
      size = specified < 0 ? size : specified;
  }
  return llvm::Error::success();
}

/// Assigns the files of --inputs: `NAME=FILE` if NAME is the name or position
/// of an input, otherwise FILE, whose path may contain '=', to the next input
/// without a file.
llvm::Error InputOptions::assignFiles(MutableArrayRef<RunInput> inputs) {
  // Names take precedence over positions: an input may be named "1".
  std::vector<std::string> keys;
  for (const RunInput &input : inputs)
    keys.push_back(input.name);
  for (size_t i = 0; i < inputs.size(); ++i)
    keys.push_back(std::to_string(i));
  for (StringRef path : this->inputs) {
    StringRef option = path;
    // A name may be the beginning of another one up to its '='.
    auto key = keys.end();
    for (auto known = keys.begin(); known != keys.end(); ++known)
      if (!known->empty() && option.starts_with(*known + "=") &&
          (key == keys.end() || known->size() > key->size()))
        key = known;
    if (key != keys.end())
      path = option.drop_front(key->size() + 1);
    if (path.empty())
      return failUsage("--inputs: expected FILE or NAME=FILE, but got '" +
                       option + "'");
    RunInput *input =
        key == keys.end()
            ? llvm::find_if(inputs,
                            [](RunInput &input) { return input.file.empty(); })
            : &inputs[(key - keys.begin()) % inputs.size()];
    if (input == inputs.end())
      return failUsage("--inputs: expected " + Twine(inputs.size()) +
                       " files or fewer, but got '" + option + "' as well");
    if (!input->file.empty())
      return failUsage(
          "--inputs: " + describeInput(inputs, input - inputs.begin()) +
          " is specified twice");
    input->file = path;
  }
  return llvm::Error::success();
}

llvm::Expected<std::vector<TensorBuffer>>
InputOptions::gatherInputs(std::vector<RunInput> inputs, size_t offset,
                           bool ignoresUnknown, TensorReader readOnnx) {
  if (llvm::Error error = applyShapes(inputs, ignoresUnknown))
    return std::move(error);
  if (llvm::Error error = assignFiles(inputs))
    return std::move(error);
  std::vector<TensorBuffer> tensors;
  for (auto [index, input] : llvm::enumerate(inputs)) {
    std::string name = describeInput(inputs, index);
    const ElementInfo &element = *input.element;
    if (!input.file.empty()) {
      // An unreadable file is wrong usage, invalid contents are wrong input.
      if (llvm::Error unreadable = openRegularFile(input.file).takeError())
        return fail(
            input.file,
            name + " cannot be read: " + llvm::toString(std::move(unreadable)),
            kWrongUsage);
      llvm::Expected<TensorBuffer> tensor =
          readTensorFile(input.file, element, input.sizes, offset, readOnnx);
      if (!tensor)
        return fail(input.file,
                    name + ": " + llvm::toString(tensor.takeError()));
      tensors.push_back(std::move(*tensor));
      continue;
    }
    if (!seed)
      return failUsage(name +
                       ": expected a file in --inputs, or --random SEED");
    if (llvm::is_contained(input.sizes, -1))
      return failUsage(
          name + ": the dynamic sizes of " + spellTensor(element, input.sizes) +
          " must be specified by --shapes " +
          (input.name.empty() ? std::to_string(index) : input.name) + "=...");
    llvm::Expected<TensorBuffer> tensor =
        TensorBuffer::allocate(element, input.sizes, offset);
    if (tensor && element.isString()) {
      std::vector<std::string> strings = makeRandomStrings(
          tensor->getNumElements(), getInputSeed(*seed, index));
      tensor = TensorBuffer::makeStrings(
          input.sizes, std::vector<StringRef>(strings.begin(), strings.end()));
    }
    if (!tensor)
      return fail(model, name + ": " + llvm::toString(tensor.takeError()));
    if (!element.isString())
      fillRandom(element, tensor->getMutableBytes().data(),
                 tensor->getNumElements(), getInputSeed(*seed, index));
    tensors.push_back(std::move(*tensor));
  }
  return tensors;
}

//===----------------------------------------------------------------------===//
// Outputs
//===----------------------------------------------------------------------===//

double RunOptions::printTimes(std::vector<double> seconds,
                              ArrayRef<TensorBuffer> outputs) const {
  llvm::sort(seconds);
  size_t count = seconds.size();
  double best = seconds.front();
  double median = (seconds[(count - 1) / 2] + seconds[count / 2]) / 2;
  int64_t elements = 0;
  for (const TensorBuffer &output : outputs)
    elements += output.getNumElements();
  llvm::outs() << llvm::format("best_seconds: %.9g\n", best)
               << llvm::format("median_seconds: %.9g\n", median)
               << "elements: " << elements << "\n"
               << llvm::format("elements_per_second: %.6g\n",
                               best > 0 ? static_cast<double>(elements) / best
                                        : 0.0);
  return best;
}

llvm::Error RunOptions::writeOutputs(ArrayRef<TensorBuffer> outputs) const {
  const std::string &folder = this->outputs;
  if (folder.empty()) {
    for (auto [index, output] : llvm::enumerate(outputs))
      llvm::outs() << "output_" << index << ": "
                   << spellTensor(output.getElement(), output.getSizes())
                   << "\n";
    return llvm::Error::success();
  }
  if (std::error_code code = llvm::sys::fs::create_directories(folder))
    return fail(folder, "cannot be created: " + code.message(), kWrongUsage);
  std::vector<OutputFile> files;
  for (auto [index, output] : llvm::enumerate(outputs)) {
    if (llvm::Error error = checkNpy(output))
      return fail(model, "output " + Twine(index) + ": " +
                             llvm::toString(std::move(error)));
    OutputFile &file = files.emplace_back(folder + "/output_" +
                                          std::to_string(index) + ".npy");
    writeNpy(file, output);
    // Close the file, because there may be more outputs than file descriptors.
    file.finish();
  }
  if (OutputFile *failed = OutputFile::commitAll(files.data(), files.size()))
    return fail(failed->getPath(),
                "cannot be written: " + failed->getError().message(),
                kWrongUsage);
  return llvm::Error::success();
}
