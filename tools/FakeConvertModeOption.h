//===- FakeConvertModeOption.h - --fakeconvert-mode -------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_TOOLS_FAKECONVERTMODEOPTION_H
#define QUANT_FLOAT_TOOLS_FAKECONVERTMODEOPTION_H

#include "quant-float/IR/QuantFloatAttributes.h"
#include "llvm/Support/CommandLine.h"
#include <optional>

namespace mlir::quant_float {

/// The option --fakeconvert-mode of the tools that import or compile models.
struct FakeConvertModeOption : llvm::cl::opt<FakeConvertMode> {
  explicit FakeConvertModeOption(
      llvm::cl::OptionCategory &category = llvm::cl::getGeneralCategory())
      : opt("fakeconvert-mode",
            llvm::cl::desc("implementation that every fakeconvert reproduces "
                           "(default: that of the model, openvino for .xml)"),
            llvm::cl::values(
                clEnumValN(FakeConvertMode::Exact, "exact",
                           "f32 arithmetic and one rounding to float8"),
                clEnumValN(FakeConvertMode::OpenVINO, "openvino",
                           "OpenVINO's CPU plugin"),
                clEnumValN(
                    FakeConvertMode::OpenVINOReference, "openvino_reference",
                    "OpenVINO's reference implementation and GPU plugin")),
            llvm::cl::cat(category)) {}

  /// Returns the mode, or nullopt if the option is not specified.
  std::optional<FakeConvertMode> get() const {
    return getNumOccurrences() ? std::optional(getValue()) : std::nullopt;
  }
};

/// The option --strict of the tools that import or compile models.
struct StrictOption : llvm::cl::opt<bool> {
  explicit StrictOption(
      llvm::cl::OptionCategory &category = llvm::cl::getGeneralCategory())
      : opt("strict",
            llvm::cl::desc("treat a declared type that differs from the actual "
                           "type of a value as an error (default: a warning)"),
            llvm::cl::cat(category)) {}
};

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_TOOLS_FAKECONVERTMODEOPTION_H
