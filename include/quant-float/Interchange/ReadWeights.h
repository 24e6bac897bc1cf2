//===- ReadWeights.h - Input of the weight exporters ------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_INTERCHANGE_READWEIGHTS_H
#define QUANT_FLOAT_INTERCHANGE_READWEIGHTS_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/SourceMgr.h"
#include <functional>
#include <memory>

namespace mlir::quant_float {

/// Reads the input of a translation: MLIR or a weight file. Returns null after
/// an error diagnostic.
using ReadWeights = std::function<OwningOpRef<ModuleOp>(
    const std::shared_ptr<llvm::SourceMgr> &, MLIRContext *)>;

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_INTERCHANGE_READWEIGHTS_H
