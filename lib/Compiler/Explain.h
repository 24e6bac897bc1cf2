//===- Explain.h - The plans of a model's conversions -----------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_COMPILER_EXPLAIN_H
#define QUANT_FLOAT_LIB_COMPILER_EXPLAIN_H

#include "mlir/IR/MLIRContext.h"
#include <string>
#include <vector>

namespace mlir::quant_float {

/// Collects, while it lives, what is said about conversions in a context, in
/// place of whoever was told before.
class PlanRecorder {
public:
  explicit PlanRecorder(MLIRContext &context);
  ~PlanRecorder();

  /// A line for each plan of each place.
  void print(llvm::raw_ostream &os) const;

private:
  MLIRContext &context;
  bool isThreaded;
  std::vector<std::string> lines;
};

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_COMPILER_EXPLAIN_H
