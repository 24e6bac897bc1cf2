//===- BindOption.h - The option --bind -------------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_TOOLS_BINDOPTION_H
#define QUANT_FLOAT_TOOLS_BINDOPTION_H

#include "quant-float/Model/Model.h"
#include "llvm/Support/CommandLine.h"

namespace mlir::quant_float {

/// The option --bind of the tools that compile models, which replaces inputs by
/// constants.
struct BindOption : llvm::cl::list<std::string> {
  explicit BindOption(
      llvm::cl::OptionCategory &category = llvm::cl::getGeneralCategory())
      : list("bind", llvm::cl::value_desc("NAME=FILE"),
             llvm::cl::desc("replace the input NAME by the constant in FILE "
                            "(.npy, .pb or raw .bin)"),
             llvm::cl::cat(category)) {}

  llvm::Error apply(Model &model) const {
    for (StringRef binding : *this) {
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
};

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_TOOLS_BINDOPTION_H
