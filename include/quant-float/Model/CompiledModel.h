//===- CompiledModel.h - Compiled models ------------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_MODEL_COMPILEDMODEL_H
#define QUANT_FLOAT_MODEL_COMPILEDMODEL_H

#include "quant-float/Driver/Driver.h"
#include "quant-float/ExecutionEngine/JitModule.h"
#include "quant-float/ExecutionEngine/Tensor.h"
#include "quant-float/Model/Session.h"

namespace mlir::quant_float {

class PreparedRun;

/// A model that was compiled (Model::compile) or loaded into this process.
/// Thread-safe. It does not depend on the lifetime of the model or the session:
/// weights that are mapped from the model's file keep the mapping alive.
class CompiledModel {
public:
  struct Entry {
    EntryPointInfo info;
    /// The functions that EntryPoint.h describes. They are valid as long as
    /// this object, and do not check the number of tensors.
    JitModule::EntryFunction run;
    JitModule::SizesFunction outputSizes;
  };

  /// Loads a shared library that Model::emitToFile wrote.
  static llvm::Expected<CompiledModel> load(StringRef path);

  CompiledModel(CompiledModel &&);
  CompiledModel &operator=(CompiledModel &&);
  ~CompiledModel();

  /// Returns the target. For NVVM, tensors must be in the memory of the first
  /// GPU.
  Target getTarget() const { return target; }
  /// Returns the entry points in the order of the model.
  ArrayRef<Entry> getEntries() const { return entries; }
  /// Returns the index of the entry with this symbol or graph name. The empty
  /// name selects the only entry; if there are several, the error names
  /// `chooser` as the option that selects one.
  llvm::Expected<size_t> findEntry(StringRef name,
                                   StringRef chooser = "a name") const;

  /// Fails if the entry does not exist or has a different number of inputs or
  /// outputs.
  llvm::Error checkCall(size_t entry, size_t numInputs,
                        size_t numOutputs) const;
  /// Computes the sizes of the outputs for these inputs, and writes the sizes
  /// of output i to `sizes[i]`, which must have room for its rank. Reads tensor
  /// data only if the shapes are data-dependent.
  llvm::Error getOutputSizes(size_t entry, ArrayRef<qf_tensor> inputs,
                             ArrayRef<int64_t *> sizes) const;
  /// Same as getOutputSizes, for inputs in host memory.
  llvm::Error getOutputSizesOnHost(size_t entry, ArrayRef<qf_tensor> inputs,
                                   ArrayRef<int64_t *> sizes) const;
  /// Runs on the caller's memory, which must be on the device of getTarget().
  llvm::Error run(size_t entry, ArrayRef<qf_tensor> inputs,
                  MutableArrayRef<qf_tensor> outputs) const;
  /// Runs on host memory. For NVVM, copies to the device and back.
  llvm::Error runOnHost(size_t entry, ArrayRef<qf_tensor> inputs,
                        MutableArrayRef<qf_tensor> outputs) const;

  /// Allocates the outputs for these inputs on the device of getTarget().
  llvm::Expected<std::vector<Tensor>>
  allocateOutputs(size_t entry, ArrayRef<qf_tensor> inputs) const;
  /// Runs on inputs in host memory and returns the outputs in new host memory.
  llvm::Expected<std::vector<Tensor>> run(size_t entry,
                                          ArrayRef<Tensor> inputs) const;
  /// Same, in steps. This object must outlive the result.
  llvm::Expected<PreparedRun> prepare(size_t entry,
                                      ArrayRef<Tensor> inputs) const;

private:
  friend class Model;
  friend class PreparedRun;
  /// The JIT module or library that contains the functions.
  struct Code;

  CompiledModel(Target target, std::unique_ptr<Code> code);

  Target target;
  std::unique_ptr<Code> code;
  std::vector<Entry> entries;
  /// The timing functions of the CUDA runtime. Only set for NVVM.
  void (*startTiming)() = nullptr;
  double (*stopTiming)() = nullptr;
};

/// A call with prepared memory. The thread that prepared it may run it any
/// number of times.
class PreparedRun {
public:
  PreparedRun(PreparedRun &&) = default;
  PreparedRun &operator=(PreparedRun &&) = default;
  llvm::Error run();
  /// Runs and returns the seconds that the call takes: wall-clock time, or for
  /// NVVM the time of the kernels on the device.
  llvm::Expected<double> time();
  /// Returns the outputs in the memory of the model's target.
  ArrayRef<Tensor> getOutputs() const { return outputs; }
  /// Returns the outputs of the last run in host memory. On CPUs, moves them
  /// out of this object, which cannot run again.
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

/// The difference between two tensors of the same type.
struct TensorDifference {
  int64_t numElements = 0;
  /// The number of elements whose bits or strings differ. All NaNs are equal.
  int64_t numDiffering = 0;
  /// The index of the first differing element, or -1.
  int64_t first = -1;
  /// The largest absolute difference. NaN if only one of two elements is a
  /// number, 0 for strings.
  double largest = 0;
};

/// Compares the results of two runs. Fails if element types or shapes differ.
llvm::Expected<TensorDifference> compareTensors(const qf_tensor &one,
                                                const qf_tensor &other);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_MODEL_COMPILEDMODEL_H
