//===- InputPlan.h - Which tensors a function is run on ---------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What --inputs, --shapes and --random mean, without LLVM. Functions that
// return bool say what is wrong in `error`, which is about the command line.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_TENSORDATA_INPUTPLAN_H
#define QUANT_FLOAT_TENSORDATA_INPUTPLAN_H

#include "quant-float/TensorData/Elements.h"
#include <optional>
#include <string_view>

namespace mlir::quant_float {

/// One value of --shapes; -1 for `?`.
struct InputShape {
  std::string name;
  std::vector<int64_t> sizes;

  static bool parse(std::string_view text, InputShape &shape,
                    std::string &error);
};

/// An input of a function, and where its tensor comes from.
struct PlannedInput {
  /// In the model; may be empty.
  std::string name;
  const ElementLayout *element = nullptr;
  /// -1 where any size will do.
  std::vector<int64_t> sizes;
  /// Empty for a random one.
  std::string file;
};

class InputPlan {
public:
  std::vector<PlannedInput> inputs;

  /// "input 0 'x'"
  std::string describe(size_t index) const;
  /// Inputs without a name go by position.
  std::optional<size_t> find(std::string_view name) const;

  /// Gives open sizes those of --shapes.
  bool applyShapes(const std::vector<InputShape> &shapes, std::string &error);
  /// Gives inputs the files of --inputs: `NAME=FILE` where NAME is an input's,
  /// otherwise a file in order, whose path may have an equals sign too.
  bool assignFiles(const std::vector<std::string> &files, std::string &error);
  /// Whether an input without a file can be random: --random is given and all
  /// sizes are known.
  bool canBeRandom(size_t index, bool hasSeed, std::string &error) const;
};

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_TENSORDATA_INPUTPLAN_H
