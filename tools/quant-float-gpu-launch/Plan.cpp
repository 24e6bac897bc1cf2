//===- Plan.cpp - The numbers of one call ---------------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Plan.h"
#include <cstdio>
#include <cstring>

using namespace launch;

namespace {

/// Puts the entry before what is wrong.
class Planner {
public:
  Planner(const Entry &entry, Plan &plan, Error &error)
      : entry(entry), plan(plan), error(error) {}
  bool make();

private:
  bool fail(const std::string &what) {
    return error.fail("error: '" + entry.name + "': " + what);
  }
  bool evaluate(const Expression &expression, int64_t least, int64_t most,
                int64_t &value);
  bool getSizes();
  bool check();
  bool getLaunch(const Launch &launch);

  const Entry &entry;
  Plan &plan;
  Error &error;
};

} // namespace

bool Planner::evaluate(const Expression &expression, int64_t least,
                       int64_t most, int64_t &value) {
  if (!launch::evaluate(expression, plan.inputs, value, error))
    return fail(error.text);
  return (value >= least && value <= most) ||
         fail("expected a number from " + std::to_string(least) + " to " +
              std::to_string(most) + ", but got " + std::to_string(value));
}

bool Planner::check() {
  for (const Check &check : entry.checks) {
    int64_t left, right;
    if (!evaluate(check.left, INT64_MIN, INT64_MAX, left) ||
        !evaluate(check.right, INT64_MIN, INT64_MAX, right))
      return false;
    if (left != right)
      return fail(check.message + ": expected " + std::to_string(left) +
                  ", but got " + std::to_string(right));
  }
  return true;
}

bool Planner::getSizes() {
  auto count = [&](const Argument &argument, const std::vector<int64_t> &sizes,
                   std::vector<size_t> &bytes) {
    std::optional<size_t> found = countBytes(*argument.type, sizes);
    if (!found)
      return fail(spell(*argument.type, sizes) +
                  ": expected fewer than 2^63 bytes");
    bytes.push_back(*found);
    return true;
  };
  for (size_t i = 0; i < entry.inputs.size(); ++i)
    if (!count(entry.inputs[i], plan.inputs[i], plan.inputBytes))
      return false;
  for (const Argument &output : entry.outputs) {
    std::vector<int64_t> &sizes = plan.outputs.emplace_back();
    for (const Expression &size : output.shape)
      if (!evaluate(size, 0, INT64_MAX, sizes.emplace_back()))
        return false;
    if (!count(output, sizes, plan.outputBytes))
      return false;
  }
  for (const Expression &bytes : entry.temporaries) {
    int64_t value;
    if (!evaluate(bytes, 0, INT64_MAX, value))
      return false;
    plan.temporaryBytes.push_back(static_cast<size_t>(value));
  }
  return true;
}

bool Planner::getLaunch(const Launch &launch) {
  Plan::Numbers &numbers = plan.launches.emplace_back();
  for (int i = 0; i < 3; ++i) {
    int64_t grid, block;
    if (!evaluate(launch.grid[i], 0, i ? 65535 : INT32_MAX, grid) ||
        !evaluate(launch.block[i], 0, 1024, block))
      return false;
    numbers.grid[i] = static_cast<unsigned>(grid);
    numbers.block[i] = static_cast<unsigned>(block);
  }
  for (const Parameter &parameter : launch.parameters) {
    uint64_t &value = numbers.values.emplace_back(parameter.index);
    bool isInt32 = parameter.kind == Parameter::I32;
    if (isInt32 || parameter.kind == Parameter::I64) {
      int64_t number;
      if (!evaluate(parameter.value, isInt32 ? INT32_MIN : INT64_MIN,
                    isInt32 ? INT32_MAX : INT64_MAX, number))
        return false;
      value = static_cast<uint64_t>(number);
    } else if (parameter.kind == Parameter::F32) {
      float number = static_cast<float>(parameter.number);
      std::memcpy(&value, &number, sizeof number);
    } else if (parameter.kind == Parameter::F64) {
      std::memcpy(&value, &parameter.number, sizeof value);
    }
  }
  return true;
}

bool Planner::make() {
  if (!check() || !getSizes())
    return false;
  for (const Launch &launch : entry.launches)
    if (!getLaunch(launch))
      return false;
  return true;
}

bool launch::makePlan(const Entry &entry, const Sizes &inputs, Plan &plan,
                      Error &error) {
  plan = Plan();
  plan.entry = &entry;
  plan.inputs = inputs;
  return Planner(entry, plan, error).make();
}

size_t Plan::getBytes() const {
  size_t bytes = 0;
  for (size_t count : inputBytes)
    bytes += count;
  for (size_t count : outputBytes)
    bytes += count;
  return bytes;
}

static void printArguments(const char *kind,
                           const std::vector<Argument> &arguments,
                           const Sizes &sizes) {
  for (size_t i = 0; i < arguments.size(); ++i)
    std::printf("  %s %zu '%s': %s\n", kind, i, arguments[i].name.c_str(),
                spell(*arguments[i].type, sizes[i]).c_str());
}

static void printParameter(const Parameter &parameter, uint64_t value) {
  static const char *const kKinds[] = {"input", "output", "temporary", "i64",
                                       "i32",   "f32",    "f64"};
  if (parameter.kind == Parameter::F32 || parameter.kind == Parameter::F64)
    std::printf(" %s:%.17g", kKinds[parameter.kind], parameter.number);
  else
    std::printf(" %s:%lld", kKinds[parameter.kind],
                static_cast<long long>(value));
}

void Plan::print() const {
  std::printf("entry '%s'\n", entry->name.c_str());
  printArguments("input", entry->inputs, inputs);
  printArguments("output", entry->outputs, outputs);
  for (size_t i = 0; i < temporaryBytes.size(); ++i)
    std::printf("  temporary %zu: %zu bytes\n", i, temporaryBytes[i]);
  for (size_t i = 0; i < launches.size(); ++i) {
    const Launch &launch = entry->launches[i];
    const Numbers &numbers = launches[i];
    std::printf("  launch '%s': %ux%ux%u blocks of %ux%ux%u threads, %u bytes "
                "shared\n   ",
                launch.kernel.c_str(), numbers.grid[0], numbers.grid[1],
                numbers.grid[2], numbers.block[0], numbers.block[1],
                numbers.block[2], launch.shared);
    for (size_t j = 0; j < launch.parameters.size(); ++j)
      printParameter(launch.parameters[j], numbers.values[j]);
    std::printf("\n");
  }
}
