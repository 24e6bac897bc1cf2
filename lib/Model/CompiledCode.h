//===- CompiledCode.h - What compiled models hold ---------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_MODEL_COMPILEDCODE_H
#define QUANT_FLOAT_LIB_MODEL_COMPILEDCODE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "quant-float/Model/CompiledModel.h"

namespace mlir::quant_float {

struct CompiledModel::Code {
  /// Constants that the code finds where they are, by descriptors that stay
  /// where they are too.
  std::vector<std::vector<Tensor>> weights;
  std::vector<std::vector<qf_tensor>> weightDescriptors;
  /// Of a model that was compiled here, or loaded.
  std::unique_ptr<JitModule> jit;
  std::shared_ptr<void> library;
};

/// Symbol and graph name.
using EntryNames = std::pair<StringRef, StringRef>;

/// The one of the functions that is called so; the empty name is that of an
/// only one.
llvm::Expected<size_t> findByName(StringRef name, StringRef chooser,
                                  ArrayRef<EntryNames> entries);

/// OpenVINO's layers become casts that the Reference knows, and turn constants
/// around, which has to be done before these are arguments of compiled code.
/// Of layers that have no lowering is told where they are in the way.
LogicalResult convertLayers(ModuleOp module);

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

/// Views of the tensors with the types of the function, which has to take them.
llvm::Expected<std::vector<Tensor>> bindInputs(func::FuncOp function,
                                               ArrayRef<qf_tensor> inputs);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_MODEL_COMPILEDCODE_H
