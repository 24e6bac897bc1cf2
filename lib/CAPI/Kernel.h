//===- Kernel.h - Compiled models behind handles ----------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_CAPI_KERNEL_H
#define QUANT_FLOAT_LIB_CAPI_KERNEL_H

#include "Entries.h"
#include "Report.h"
#include "quant-float/ExecutionEngine/JitModule.h"
#include "quant-float/ExecutionEngine/Tensor.h"

namespace mlir::quant_float::capi {

struct KernelObject final : Object {
  static constexpr HandleKind kKind = HandleKind::Kernel;

  struct Entry {
    std::unique_ptr<OwnedEntry> description;
    JitModule::EntryFunction run;
    JitModule::SizesFunction outputSizes;
  };

  std::unique_ptr<JitModule> jit;
  std::vector<Entry> entries;
  bool checkMemory = false;
};

struct TensorsObject final : Object {
  static constexpr HandleKind kKind = HandleKind::Tensors;

  explicit TensorsObject(std::vector<Tensor> given);

  std::vector<Tensor> tensors;
  std::vector<qf_tensor> descriptors;
};

/// Whether the memory of the tensors may be read and, of outputs, written; an
/// error names the first one that it is not so of. What entry points refuse
/// anyway is left to them.
llvm::Error checkMemory(llvm::ArrayRef<qf_tensor> inputs,
                        llvm::ArrayRef<qf_tensor> outputs);

} // namespace mlir::quant_float::capi

#endif // QUANT_FLOAT_LIB_CAPI_KERNEL_H
