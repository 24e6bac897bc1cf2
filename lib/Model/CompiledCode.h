//===- CompiledCode.h - The contents of a compiled model --------*- C++ -*-===//
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
  /// Owns the memory of the constants that code for CPUs uses in place.
  std::shared_ptr<const void> constantsOwner;
  /// Large constants on the GPU. The host code contains the addresses of their
  /// descriptors, which must not move.
  std::vector<std::vector<Tensor>> weights;
  std::vector<std::vector<qf_tensor>> weightDescriptors;
  /// The JIT module of a compiled model, or the library of a loaded one.
  std::unique_ptr<JitModule> jit;
  std::shared_ptr<void> library;
};

/// The symbol and the graph name of an entry.
using EntryNames = std::pair<StringRef, StringRef>;

/// Returns the index of the entry with this name. The empty name selects the
/// only entry.
llvm::Expected<size_t> findByName(StringRef name, StringRef chooser,
                                  ArrayRef<EntryNames> entries);

/// Converts OpenVINO's layers to ONNX nodes and casts, which may transpose
/// constants. This must happen before hoistWeights turns constants into
/// arguments. Layers without a lowering remain, and a later pass reports them.
LogicalResult convertLayers(ModuleOp module);

/// The large constants of each entry point, in the order of the module.
using Weights = std::vector<std::vector<Tensor>>;

/// Replaces the large constants of public functions by additional arguments at
/// the end, so that they can be copied to the GPU once. `owner` keeps their
/// memory alive. Functions that others call keep their constants and have an
/// empty list.
llvm::Expected<Weights> hoistWeights(ModuleOp module,
                                     std::shared_ptr<const void> owner);

/// Adds wrappers of the entry point `symbol` and of its shape function to
/// `module`. They take the first `numInputs` inputs and append `weights`, whose
/// memory must not move. Returns the symbol of the new entry point.
std::string addForwarders(llvm::Module &module, StringRef symbol,
                          size_t numInputs, ArrayRef<qf_tensor> weights);

/// Returns unpacked views of the inputs after checking their types against the
/// function's.
llvm::Expected<std::vector<Tensor>> bindInputs(func::FuncOp function,
                                               ArrayRef<qf_tensor> inputs);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_MODEL_COMPILEDCODE_H
