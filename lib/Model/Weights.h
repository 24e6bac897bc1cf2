//===- Weights.h - Large constants that stay in place -----------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_MODEL_WEIGHTS_H
#define QUANT_FLOAT_LIB_MODEL_WEIGHTS_H

#include "mlir/IR/BuiltinOps.h"
#include "quant-float/ExecutionEngine/Tensor.h"
#include <string>
#include <vector>

namespace llvm {
class Module;
} // namespace llvm

namespace mlir::quant_float {

/// The large constants of entry points, in the order of the module.
using Weights = std::vector<std::vector<Tensor>>;

/// Makes the large constants of public functions, but of those that others
/// call, which have none then, arguments after their own: inside compiled code
/// they would be copied several times on the way to memory, as arguments they
/// stay where the importer has mapped or read them, which `owner` keeps.
llvm::Expected<Weights> hoistWeights(ModuleOp module,
                                     std::shared_ptr<const void> owner);

/// Adds to `module` functions that take the first `numInputs` inputs of entry
/// point `symbol` and add `weights`, which stay where they are: of the entry
/// point itself and of its sizes, under the name that is returned.
std::string addForwarders(llvm::Module &module, StringRef symbol,
                          size_t numInputs, ArrayRef<qf_tensor> weights);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_MODEL_WEIGHTS_H
