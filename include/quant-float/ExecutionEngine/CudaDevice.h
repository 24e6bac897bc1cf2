//===- CudaDevice.h - Memory of an NVIDIA GPU -------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_EXECUTIONENGINE_CUDADEVICE_H
#define QUANT_FLOAT_EXECUTIONENGINE_CUDADEVICE_H

#include "quant-float/ExecutionEngine/Tensor.h"
#include <memory>

namespace mlir::quant_float {

class CudaContext;

/// Memory of the device, given back at the end.
class DeviceMemory {
public:
  ~DeviceMemory();
  DeviceMemory(DeviceMemory &&other);
  DeviceMemory &operator=(DeviceMemory &&) = delete;

  void *getPointer() const { return pointer; }

private:
  friend class CudaDevice;
  DeviceMemory(std::shared_ptr<const CudaContext> context, void *pointer)
      : context(std::move(context)), pointer(pointer) {}

  std::shared_ptr<const CudaContext> context;
  void *pointer;
};

/// The first NVIDIA GPU, current in this thread while this object lives. Entry
/// points that were compiled for GPUs take its memory.
class CudaDevice {
public:
  /// Fails where there is no driver or no device.
  static llvm::Expected<CudaDevice> open();

  /// What to compile for: the device's own chip, with the instructions that
  /// only it has; of a chip that is not known the newest known one before it.
  /// Fails for devices older than all that are known.
  llvm::Expected<std::string> getChip() const;

  llvm::Expected<DeviceMemory> allocate(size_t bytes) const;
  llvm::Expected<DeviceMemory> upload(const Tensor &tensor) const;
  llvm::Error download(const DeviceMemory &memory, Tensor &tensor) const;

private:
  CudaDevice() = default;

  std::shared_ptr<const CudaContext> context;
};

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_EXECUTIONENGINE_CUDADEVICE_H
