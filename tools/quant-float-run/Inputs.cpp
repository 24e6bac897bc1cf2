//===- Inputs.cpp - What a function is run on -----------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Inputs.h"
#include "quant-float/EntryPoint/EntryPointInfo.h"
#include "quant-float/Support/InputFile.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::quant_float;

std::string mlir::quant_float::getInputName(func::FuncOp function,
                                            unsigned index) {
  auto name = function.getArgAttrOfType<StringAttr>(index, kNameAttrName);
  return name ? name.str() : "";
}

namespace {

/// Collects the inputs of one run.
class InputGatherer {
public:
  InputGatherer(func::FuncOp function, const Arguments &arguments)
      : function(function), arguments(arguments) {}

  std::optional<std::vector<Tensor>> gather();
  int exitCode = kToolDone;

private:
  /// "input 0 'x'"
  std::string describe(unsigned index) const;
  /// Prints an error; false, for the caller to return.
  bool fail(ToolExitCode code, const llvm::Twine &message) {
    llvm::errs() << message << "\n";
    exitCode = code;
    return false;
  }
  bool failUsage(const llvm::Twine &message) {
    return fail(kToolWrongUsage, "quant-float-run: error: " + message);
  }
  bool describeArguments();
  bool applyShapes();
  bool assignFiles();
  bool readFile(unsigned index);
  bool makeRandom(unsigned index);
  std::optional<unsigned> findName(StringRef name) const;
  std::string listNames() const;

  func::FuncOp function;
  const Arguments &arguments;
  std::vector<std::string> names;
  std::vector<ExpectedTensor> expected;
  std::vector<std::string> files;
  std::vector<std::optional<Tensor>> tensors;
};

} // namespace

std::string InputGatherer::describe(unsigned index) const {
  std::string text = "input " + std::to_string(index);
  return names[index].empty() ? text : text + " '" + names[index] + "'";
}

std::optional<unsigned> InputGatherer::findName(StringRef name) const {
  for (auto [index, candidate] : llvm::enumerate(names))
    if (candidate == name)
      return index;
  // Inputs without a name, and those of plain MLIR, go by position.
  unsigned index;
  if (!name.getAsInteger(10, index) && index < names.size())
    return index;
  return std::nullopt;
}

std::string InputGatherer::listNames() const {
  if (names.empty())
    return "there are no inputs";
  std::string text = "the inputs are ";
  for (unsigned i = 0; i < names.size(); ++i)
    text += (i ? ", " : "") +
            (names[i].empty() ? std::to_string(i) : "'" + names[i] + "'");
  return text;
}

bool InputGatherer::describeArguments() {
  for (auto [index, type] : llvm::enumerate(function.getArgumentTypes())) {
    names.push_back(getInputName(function, index));
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || !getSlotBytes(tensor.getElementType())) {
      std::string text;
      llvm::raw_string_ostream(text) << type;
      return fail(kToolWrongInput,
                  arguments.model + ": error: " + describe(index) +
                      ": expected a ranked tensor of numbers, but "
                      "got " +
                      text);
    }
    expected.push_back(
        {tensor.getElementType(), SmallVector<int64_t>(tensor.getShape())});
  }
  files.resize(names.size());
  tensors.resize(names.size());
  return true;
}

bool InputGatherer::applyShapes() {
  for (const InputShape &shape : arguments.shapes) {
    std::optional<unsigned> index = findName(shape.name);
    if (!index)
      return failUsage("--shapes: no input is called '" + shape.name + "', " +
                       listNames());
    ExpectedTensor &input = expected[*index];
    bool fits = shape.sizes.size() == input.sizes.size();
    for (unsigned i = 0; fits && i < shape.sizes.size(); ++i)
      fits = ShapedType::isDynamic(shape.sizes[i]) ||
             ShapedType::isDynamic(input.sizes[i]) ||
             shape.sizes[i] == input.sizes[i];
    if (!fits)
      return failUsage(
          "--shapes: " + describe(*index) + ": expected sizes of " +
          spellTensor(input.elementType, input.sizes) + ", but got " +
          spellTensor(input.elementType, shape.sizes));
    for (auto [size, given] : llvm::zip_equal(input.sizes, shape.sizes))
      if (!ShapedType::isDynamic(given))
        size = given;
  }
  return true;
}

bool InputGatherer::assignFiles() {
  unsigned next = 0;
  std::vector<std::string> keys = names;
  for (unsigned i = 0; i < names.size(); ++i)
    keys.push_back(std::to_string(i));
  for (const std::string &text : arguments.inputs) {
    InputFile file = splitInput(text, keys);
    std::optional<unsigned> index;
    if (!file.name.empty()) {
      index = findName(file.name);
    } else {
      while (next < names.size() && !files[next].empty())
        ++next;
      if (next < names.size())
        index = next;
    }
    if (!index)
      return failUsage("--inputs: expected " + llvm::Twine(names.size()) +
                       " files or fewer, but got '" + text + "' as well");
    if (!files[*index].empty())
      return failUsage("--inputs: " + describe(*index) + " is given twice");
    files[*index] = file.path;
  }
  return true;
}

bool InputGatherer::readFile(unsigned index) {
  const std::string &path = files[index];
  // An unreadable file is wrong usage; what is in it is input.
  if (llvm::Error error = openRegularFile(path).takeError())
    return fail(kToolWrongUsage,
                path + ": error: " + describe(index) +
                    " cannot be read: " + llvm::toString(std::move(error)));
  llvm::Expected<Tensor> tensor = readTensorFile(path, expected[index]);
  if (!tensor)
    return fail(kToolWrongInput, path + ": error: " + describe(index) + ": " +
                                     llvm::toString(tensor.takeError()));
  tensors[index] = std::move(*tensor);
  return true;
}

bool InputGatherer::makeRandom(unsigned index) {
  const ExpectedTensor &input = expected[index];
  if (!arguments.randomSeed)
    return failUsage(describe(index) + ": expected a file for it in --inputs, "
                                       "or --random SEED");
  if (llvm::any_of(input.sizes, ShapedType::isDynamic)) {
    std::string name =
        names[index].empty() ? std::to_string(index) : names[index];
    return failUsage(describe(index) + ": the sizes of " +
                     spellTensor(input.elementType, input.sizes) +
                     " are open, --shapes " + name + "=... can tell them");
  }
  llvm::Expected<Tensor> tensor =
      Tensor::allocate(input.elementType, input.sizes);
  if (!tensor)
    return fail(kToolWrongInput, arguments.model +
                                     ": error: " + describe(index) + ": " +
                                     llvm::toString(tensor.takeError()));
  // Every input has a sequence of its own.
  fillRandom(*tensor, *arguments.randomSeed * 1000003 + index);
  tensors[index] = std::move(*tensor);
  return true;
}

std::optional<std::vector<Tensor>> InputGatherer::gather() {
  if (!describeArguments() || !applyShapes() || !assignFiles())
    return std::nullopt;
  std::vector<Tensor> inputs;
  for (unsigned i = 0; i < names.size(); ++i) {
    if (files[i].empty() ? !makeRandom(i) : !readFile(i))
      return std::nullopt;
    inputs.push_back(*tensors[i]);
  }
  return inputs;
}

std::optional<std::vector<Tensor>>
mlir::quant_float::gatherInputs(func::FuncOp function,
                                const Arguments &arguments, int &exitCode) {
  InputGatherer gatherer(function, arguments);
  std::optional<std::vector<Tensor>> inputs = gatherer.gather();
  exitCode = gatherer.exitCode;
  return inputs;
}
