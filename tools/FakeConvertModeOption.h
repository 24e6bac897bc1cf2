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

/// The option of the tools that import or compile models.
struct FakeConvertModeOption : llvm::cl::opt<FakeConvertMode> {
  explicit FakeConvertModeOption(
      llvm::cl::OptionCategory &category = llvm::cl::getGeneralCategory())
      : opt("fakeconvert-mode",
            llvm::cl::desc("whose arithmetic every fakeconvert follows "
                           "(default: as the model says, openvino for .xml)"),
            llvm::cl::values(clEnumValN(FakeConvertMode::Exact, "exact",
                                        "f32 operations and one cast"),
                             clEnumValN(FakeConvertMode::OpenVINO, "openvino",
                                        "OpenVINO's CPU plugin"),
                             clEnumValN(FakeConvertMode::OpenVINOReference,
                                        "openvino_reference",
                                        "OpenVINO's reference and GPU plugin")),
            llvm::cl::cat(category)) {}

  /// None where it is not given.
  std::optional<FakeConvertMode> get() const {
    return getNumOccurrences() ? std::optional(getValue()) : std::nullopt;
  }
};

/// Likewise.
struct StrictOption : llvm::cl::opt<bool> {
  explicit StrictOption(
      llvm::cl::OptionCategory &category = llvm::cl::getGeneralCategory())
      : opt("strict",
            llvm::cl::desc("refuse a model that declares another type of a "
                           "value than it has (default: a warning)"),
            llvm::cl::cat(category)) {}
};

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_TOOLS_FAKECONVERTMODEOPTION_H
