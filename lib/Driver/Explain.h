//===- Explain.h - Explains how conversions are lowered ---------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_DRIVER_EXPLAIN_H
#define QUANT_FLOAT_LIB_DRIVER_EXPLAIN_H

#include "mlir/IR/MLIRContext.h"
#include <string>
#include <vector>

namespace mlir::quant_float {

/// Collects the remarks about conversions in a context during its lifetime.
/// Replaces the remark engine of the context, and removes its own at the end.
class PlanRecorder {
public:
  explicit PlanRecorder(MLIRContext &context);
  ~PlanRecorder();

  /// Prints one line for each distinct plan of each location.
  void print(llvm::raw_ostream &os) const;

private:
  MLIRContext &context;
  bool isThreaded;
  std::vector<std::string> lines;
};

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_DRIVER_EXPLAIN_H
