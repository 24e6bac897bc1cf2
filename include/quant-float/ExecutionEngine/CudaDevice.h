//===- CudaDevice.h - Memory of an NVIDIA GPU -------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_EXECUTIONENGINE_CUDADEVICE_H
#define QUANT_FLOAT_EXECUTIONENGINE_CUDADEVICE_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <memory>

namespace mlir::quant_float {

class CudaContext;

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

  /// Memory without bytes has an address too. It is given back by whoever took
  /// it, in any thread in which the device is open.
  llvm::Expected<void *> allocate(size_t bytes) const;
  void free(void *pointer) const;
  llvm::Error upload(void *to, ArrayRef<char> bytes) const;
  llvm::Error download(MutableArrayRef<char> bytes, const void *from) const;

private:
  CudaDevice() = default;

  std::shared_ptr<const CudaContext> context;
};

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_EXECUTIONENGINE_CUDADEVICE_H
