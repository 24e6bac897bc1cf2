//===- BindOptions.h - The options --bind ------------------------*- C++
//-*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_TOOLS_BINDOPTIONS_H
#define QUANT_FLOAT_TOOLS_BINDOPTIONS_H

#include "quant-float/Model/Model.h"
#include "llvm/Support/CommandLine.h"

namespace mlir::quant_float {

/// The options --bind and --bind-weights of the tools that compile models,
/// which replace inputs by constants and by weights.
struct BindOptions {
  explicit BindOptions(
      llvm::cl::OptionCategory &category = llvm::cl::getGeneralCategory())
      : inputs("bind", llvm::cl::value_desc("NAME=FILE"),
               llvm::cl::desc("replace the input NAME by the constant in FILE "
                              "(.npy, .pb or raw .bin)"),
               llvm::cl::cat(category)),
        weights("bind-weights", llvm::cl::value_desc("FILE"),
                llvm::cl::desc("replace the inputs that have the names of "
                               "weights in FILE by these weights "
                               "(.safetensors, .safetensors.index.json or "
                               ".gguf)"),
                llvm::cl::cat(category)) {}

  llvm::Error apply(Model &model) const {
    for (StringRef path : weights)
      if (llvm::Error error = model.bindWeights(path))
        return error;
    for (StringRef binding : inputs) {
      auto [name, path] = split(binding, model);
      if (name.empty() || path.empty())
        return makeError(ErrorKind::Argument,
                         "--bind: expected NAME=FILE, but got '" + binding +
                             "'");
      if (llvm::Error error = model.bindInput(name, path))
        return error;
    }
    return llvm::Error::success();
  }

private:
  /// Splits NAME=FILE. Names and paths may contain '=': selects the longest
  /// name of an input, and without one splits at the last '='.
  static std::pair<StringRef, StringRef> split(StringRef binding,
                                               const Model &model) {
    std::vector<EntryPointInfo> entries = model.getEntries();
    auto isInput = [&](StringRef name) {
      return llvm::any_of(entries, [&](const EntryPointInfo &entry) {
        return llvm::any_of(entry.inputs, [&](const EntryPointArgument &input) {
          return input.name == name;
        });
      });
    };
    for (size_t at = binding.rfind('='); at != StringRef::npos;
         at = binding.take_front(at).rfind('='))
      if (isInput(binding.take_front(at)))
        return {binding.take_front(at), binding.drop_front(at + 1)};
    return binding.rsplit('=');
  }

  llvm::cl::list<std::string> inputs;
  llvm::cl::list<std::string> weights;
};

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_TOOLS_BINDOPTIONS_H
