//===- StepTable.h - A scalar oracle for narrow floats ----------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A cast from f32 to a narrow float is a step function of the magnitude. Here
// its steps come from the formats' definitions, written out by hand: nothing is
// shared with the compiler, the Reference or LLVM's own tables of formats.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_TEST_CONFORMANCE_COMPILED_STEPTABLE_H
#define QUANT_FLOAT_TEST_CONFORMANCE_COMPILED_STEPTABLE_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// What the attributes of a cast say.
struct StepOptions {
  bool saturate = true;
  /// "up", "down" or "nearest", for f8E8M0FNU.
  std::string roundMode = "up";
  int opset = 28;
};

/// The result for every f32 bit pattern.
class StepTable {
public:
  /// Nothing for a destination that is no narrow float.
  static std::optional<StepTable> make(const std::string &destination,
                                       const StepOptions &options);

  /// The codes of `count` patterns from `first` on.
  void fill(uint32_t first, size_t count, uint8_t *codes) const;

private:
  /// From the pattern on, up to the next step.
  struct Step {
    uint32_t begin;
    uint8_t code;
  };
  void add(uint32_t begin, uint8_t code);

  std::vector<Step> steps;
};

#endif // QUANT_FLOAT_TEST_CONFORMANCE_COMPILED_STEPTABLE_H
