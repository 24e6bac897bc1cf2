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
#include "quant-float/Model/CompiledModel.h"

namespace mlir::quant_float::capi {

struct KernelObject final : Object {
  static constexpr HandleKind kKind = HandleKind::Kernel;

  KernelObject(CompiledModel given, bool checkMemory);

  CompiledModel model;
  std::vector<std::unique_ptr<OwnedEntry>> entries;
  bool checkMemory;
};

struct TensorsObject final : Object {
  static constexpr HandleKind kKind = HandleKind::Tensors;

  explicit TensorsObject(std::vector<Tensor> given);
  explicit TensorsObject(DeviceTensors given) : onDevice(std::move(given)) {}

  llvm::ArrayRef<qf_tensor> get() const {
    return onDevice ? onDevice->getDescriptors() : llvm::ArrayRef(descriptors);
  }

  /// On the host or on a device.
  std::vector<Tensor> tensors;
  std::vector<qf_tensor> descriptors;
  std::optional<DeviceTensors> onDevice;
};

/// Whether the memory of the tensors may be read and, of outputs, written; an
/// error names the first one that it is not so of. What entry points refuse
/// anyway is left to them.
llvm::Error checkMemory(llvm::ArrayRef<qf_tensor> inputs,
                        llvm::ArrayRef<qf_tensor> outputs);

} // namespace mlir::quant_float::capi

#endif // QUANT_FLOAT_LIB_CAPI_KERNEL_H
