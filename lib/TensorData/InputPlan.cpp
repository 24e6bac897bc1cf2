//===- InputPlan.cpp - Which tensors a function is run on -----------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/TensorData/InputPlan.h"

#include <algorithm>

using namespace mlir::quant_float;

static bool fail(std::string &error, std::string what) {
  error = std::move(what);
  return false;
}

/// A number below 2^63 and nothing else.
static bool parseSize(std::string_view text, int64_t &size) {
  size = 0;
  for (char c : text)
    if (c < '0' || c > '9' || __builtin_mul_overflow(size, 10, &size) ||
        __builtin_add_overflow(size, c - '0', &size))
      return false;
  return !text.empty();
}

bool InputShape::parse(std::string_view text, InputShape &shape,
                       std::string &error) {
  size_t equals = text.rfind('=');
  if (equals == text.npos)
    return fail(error, "--shapes: expected NAME=SIZES, but got '" +
                           std::string(text) + "'");
  shape.name = text.substr(0, equals);
  std::string_view sizes = text.substr(equals + 1);
  if (sizes.empty())
    return true;
  for (size_t start = 0, end = 0; end != sizes.npos; start = end + 1) {
    end = sizes.find('x', start);
    std::string_view part =
        sizes.substr(start, end == sizes.npos ? sizes.npos : end - start);
    int64_t &size = shape.sizes.emplace_back(-1);
    if (part != "?" && !parseSize(part, size))
      return fail(error, "--shapes: expected sizes like 1x3x?, but got '" +
                             std::string(sizes) + "' for '" + shape.name + "'");
  }
  return true;
}

std::string InputPlan::describe(size_t index) const {
  std::string text = "input " + std::to_string(index);
  const std::string &name = inputs[index].name;
  return name.empty() ? text : text + " '" + name + "'";
}

std::optional<size_t> InputPlan::find(std::string_view name) const {
  for (size_t i = 0; i < inputs.size(); ++i)
    if (inputs[i].name == name)
      return i;
  int64_t index;
  if (parseSize(name, index) && static_cast<size_t>(index) < inputs.size())
    return static_cast<size_t>(index);
  return std::nullopt;
}

bool InputPlan::applyShapes(const std::vector<InputShape> &shapes,
                            std::string &error) {
  for (const InputShape &shape : shapes) {
    std::optional<size_t> index = find(shape.name);
    if (!index) {
      std::string names;
      for (size_t i = 0; i < inputs.size(); ++i)
        names += (i ? ", " : "the inputs are ") +
                 (inputs[i].name.empty() ? std::to_string(i)
                                         : "'" + inputs[i].name + "'");
      return fail(error, "--shapes: no input is called '" + shape.name + "', " +
                             (names.empty() ? "there are no inputs" : names));
    }
    PlannedInput &input = inputs[*index];
    bool fits = shape.sizes.size() == input.sizes.size();
    for (size_t i = 0; fits && i < input.sizes.size(); ++i)
      fits = shape.sizes[i] < 0 || input.sizes[i] < 0 ||
             shape.sizes[i] == input.sizes[i];
    if (!fits)
      return fail(error,
                  "--shapes: " + describe(*index) + ": expected sizes of " +
                      spellTensor(*input.element, input.sizes) + ", but got " +
                      spellTensor(*input.element, shape.sizes));
    for (size_t i = 0; i < input.sizes.size(); ++i)
      if (shape.sizes[i] >= 0)
        input.sizes[i] = shape.sizes[i];
  }
  return true;
}

bool InputPlan::assignFiles(const std::vector<std::string> &files,
                            std::string &error) {
  // Names before positions: an input may be called "1".
  std::vector<std::string> keys;
  for (const PlannedInput &input : inputs)
    keys.push_back(input.name);
  for (size_t i = 0; i < inputs.size(); ++i)
    keys.push_back(std::to_string(i));
  for (const std::string &text : files) {
    auto key =
        std::find_if(keys.begin(), keys.end(), [&](const std::string &name) {
          return !name.empty() && text.size() > name.size() &&
                 text[name.size()] == '=' &&
                 text.compare(0, name.size(), name) == 0;
        });
    std::string path = text;
    std::optional<size_t> index;
    if (key != keys.end()) {
      index = find(*key);
      path = text.substr(key->size() + 1);
    } else {
      for (size_t i = 0; i < inputs.size() && !index; ++i)
        if (inputs[i].file.empty())
          index = i;
    }
    if (!index)
      return fail(error, "--inputs: expected " + std::to_string(inputs.size()) +
                             " files or fewer, but got '" + text + "' as well");
    if (!inputs[*index].file.empty())
      return fail(error, "--inputs: " + describe(*index) + " is given twice");
    inputs[*index].file = path;
  }
  return true;
}

bool InputPlan::canBeRandom(size_t index, bool hasSeed,
                            std::string &error) const {
  const PlannedInput &input = inputs[index];
  if (!hasSeed)
    return fail(error, describe(index) + ": expected a file for it in "
                                         "--inputs, or --random SEED");
  if (std::count(input.sizes.begin(), input.sizes.end(), -1))
    return fail(error,
                describe(index) + ": the sizes of " +
                    spellTensor(*input.element, input.sizes) +
                    " are open, --shapes " +
                    (input.name.empty() ? std::to_string(index) : input.name) +
                    "=... can tell them");
  return true;
}
