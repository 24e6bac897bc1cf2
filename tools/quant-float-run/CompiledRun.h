//===- CompiledRun.h - Compile one function and call it ---------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_TOOLS_RUN_COMPILEDRUN_H
#define QUANT_FLOAT_TOOLS_RUN_COMPILEDRUN_H

#include "Arguments.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "quant-float/ExecutionEngine/CudaDevice.h"
#include "quant-float/ExecutionEngine/JitModule.h"
#include "quant-float/ExecutionEngine/Tensor.h"

namespace mlir::quant_float {

/// A function compiled into this process.
class CompiledRun {
public:
  /// Compiles the function and what it calls; the rest of the module, and the
  /// function as it was, are gone afterwards. On failure the error has been
  /// printed and its exit code is in `exitCode`.
  static std::optional<CompiledRun> compile(ModuleOp module,
                                            func::FuncOp function,
                                            const Arguments &arguments,
                                            int &exitCode);

  /// Memory for the outputs that these inputs give.
  llvm::Expected<std::vector<Tensor>>
  allocateOutputs(ArrayRef<Tensor> inputs) const;

  /// The arguments of a call, ready. They refer to the tensors.
  struct Call {
    std::vector<qf_tensor> inputs, outputs;
  };
  Call prepare(ArrayRef<Tensor> inputs, ArrayRef<Tensor> outputs) const;

  /// The same for entry points of target nvvm, which take memory of the device:
  /// copies of the inputs, and room for the outputs.
  struct DeviceCall {
    Call call;
    std::vector<DeviceMemory> inputs, outputs;
  };
  llvm::Expected<DeviceCall> prepare(const CudaDevice &device,
                                     ArrayRef<Tensor> inputs,
                                     ArrayRef<Tensor> outputs) const;

  /// One call of the entry point and nothing else.
  llvm::Error run(Call &call) const;

private:
  CompiledRun() = default;
  std::vector<qf_tensor> getInputDescriptors(ArrayRef<Tensor> inputs) const;

  std::unique_ptr<JitModule> jit;
  JitModule::EntryFunction entry = nullptr;
  JitModule::SizesFunction outputSizes = nullptr;
  SmallVector<RankedTensorType> outputTypes;
  /// Large constants of the model, which become inputs after the model's own.
  std::vector<Tensor> constants;
};

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_TOOLS_RUN_COMPILEDRUN_H
