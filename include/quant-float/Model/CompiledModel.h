//===- CompiledModel.h - Compiled models ------------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_MODEL_COMPILEDMODEL_H
#define QUANT_FLOAT_MODEL_COMPILEDMODEL_H

#include "quant-float/Compiler/Driver.h"
#include "quant-float/ExecutionEngine/JitModule.h"
#include "quant-float/ExecutionEngine/Tensor.h"
#include "quant-float/Model/Session.h"

namespace mlir::quant_float {

class PreparedRun;

/// A model in this process, compiled (Model::compile) or loaded. Calls may come
/// from any number of threads at once. Neither the model nor the session need
/// to live any longer; weights that stay where the model has them, mapped from
/// its file, keep what they need.
class CompiledModel {
public:
  struct Entry {
    EntryPointInfo info;
    /// As EntryPoint.h describes them. They live as long as this object, and
    /// do not know how many tensors they are given.
    JitModule::EntryFunction run;
    JitModule::SizesFunction outputSizes;
  };

  /// Loads a shared library that the compiler wrote (Model::emitToFile).
  static llvm::Expected<CompiledModel> load(StringRef path);

  CompiledModel(CompiledModel &&);
  CompiledModel &operator=(CompiledModel &&);
  ~CompiledModel();

  /// Where the memory of tensors has to be: on the first GPU for NVVM.
  Target getTarget() const { return target; }
  /// In the order of the model.
  ArrayRef<Entry> getEntries() const { return entries; }
  /// By symbol or graph name; the empty name is that of an only entry, or an
  /// error that tells what `chooser` could say.
  llvm::Expected<size_t> findEntry(StringRef name,
                                   StringRef chooser = "a name") const;

  /// Fails where there is no such entry, or it has other numbers of tensors.
  llvm::Error checkCall(size_t entry, size_t numInputs,
                        size_t numOutputs) const;
  /// Writes the sizes that the outputs have for these inputs: as many as output
  /// i has dimensions to `sizes[i]`. Looks at memory where sizes depend on what
  /// tensors hold.
  llvm::Error getOutputSizes(size_t entry, ArrayRef<qf_tensor> inputs,
                             ArrayRef<int64_t *> sizes) const;
  /// The same for inputs in the host's memory.
  llvm::Error getOutputSizesOnHost(size_t entry, ArrayRef<qf_tensor> inputs,
                                   ArrayRef<int64_t *> sizes) const;
  /// Runs on the caller's memory, which is where getTarget says.
  llvm::Error run(size_t entry, ArrayRef<qf_tensor> inputs,
                  MutableArrayRef<qf_tensor> outputs) const;
  /// Runs on memory of the host, copied to the device and back for NVVM.
  llvm::Error runOnHost(size_t entry, ArrayRef<qf_tensor> inputs,
                        MutableArrayRef<qf_tensor> outputs) const;

  /// Memory where getTarget says for the outputs that these inputs give.
  llvm::Expected<std::vector<Tensor>>
  allocateOutputs(size_t entry, ArrayRef<qf_tensor> inputs) const;
  /// The outputs, from memory of the host to new memory of the host.
  llvm::Expected<std::vector<Tensor>> run(size_t entry,
                                          ArrayRef<Tensor> inputs) const;
  /// The same in steps. This object may not go before what is returned.
  llvm::Expected<PreparedRun> prepare(size_t entry,
                                      ArrayRef<Tensor> inputs) const;

private:
  friend class Model;
  friend class PreparedRun;
  /// What the functions need.
  struct Code;

  CompiledModel(Target target, std::unique_ptr<Code> code);

  Target target;
  std::unique_ptr<Code> code;
  std::vector<Entry> entries;
  /// Of the runtime that launches kernels, for NVVM.
  void (*startTiming)() = nullptr;
  double (*stopTiming)() = nullptr;
};

/// One call whose memory is ready, to be made any number of times by the thread
/// that prepared it.
class PreparedRun {
public:
  PreparedRun(PreparedRun &&) = default;
  PreparedRun &operator=(PreparedRun &&) = default;
  llvm::Error run();
  /// Runs, and says how many seconds the call alone takes: by the wall's clock,
  /// for NVVM the kernels' by that of the device.
  llvm::Expected<double> time();
  /// Where the model's target has its memory.
  ArrayRef<Tensor> getOutputs() const { return outputs; }
  /// The outputs of the last run, on the host.
  llvm::Expected<std::vector<Tensor>> takeOutputs();

private:
  friend class CompiledModel;
  PreparedRun(const CompiledModel &model, size_t entry)
      : model(&model), entry(entry) {}

  const CompiledModel *model;
  size_t entry;
  std::vector<Tensor> inputs, outputs;
  std::vector<qf_tensor> inputDescriptors, outputDescriptors;
};

/// How two tensors of one type differ.
struct TensorDifference {
  int64_t numElements = 0;
  /// Elements with other bits, or strings with other bytes; NaNs are all alike.
  int64_t numDiffering = 0;
  /// The first of them; -1 where there is none.
  int64_t first = -1;
  /// The largest difference of two numbers; NaN where only one is a number, 0
  /// of strings.
  double largest = 0;
};

/// Compares the results of two runs. Fails where element types or sizes differ.
llvm::Expected<TensorDifference> compareTensors(const qf_tensor &one,
                                                const qf_tensor &other);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_MODEL_COMPILEDMODEL_H
