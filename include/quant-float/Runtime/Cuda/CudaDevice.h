//===- CudaDevice.h - NVIDIA GPU devices ------------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_RUNTIME_CUDA_CUDADEVICE_H
#define QUANT_FLOAT_RUNTIME_CUDA_CUDADEVICE_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <string>

struct QfCudaDriver;

namespace mlir::quant_float {

/// An NVIDIA GPU. Its primary context is current in this thread during the
/// lifetime of this object. Entry points that are compiled for GPUs use memory
/// of this context. Objects and allocations retain the context.
class CudaDevice {
public:
  /// Returns an error if there is no driver or no such device.
  static llvm::Expected<CudaDevice> open(int ordinal = 0);
  CudaDevice(CudaDevice &&other);
  ~CudaDevice();

  /// Returns the compute capability, 90 for sm_90.
  unsigned getCapability() const { return capability; }
  /// Returns the chip to compile for: the device's chip, with a suffix if only
  /// this chip has certain instructions. For an unknown chip, returns the
  /// newest known chip before it. Returns an error for devices older than all
  /// known chips.
  llvm::Expected<std::string> getChip() const;
  llvm::Expected<std::string> getName() const;
  /// Returns the CUDA version that the driver supports, such as "13.0".
  llvm::Expected<std::string> getCudaVersion() const;

  /// Allocates device memory; 0 bytes have an address, too. The caller frees
  /// it, in any thread in which the device is open.
  llvm::Expected<void *> allocate(size_t bytes) const;
  void free(void *pointer) const;
  /// Returns when the bytes have arrived, for all streams.
  llvm::Error upload(void *to, ArrayRef<char> bytes) const;
  llvm::Error download(MutableArrayRef<char> bytes, const void *from) const;
  /// Returns the number of seconds that the device takes for a copy.
  llvm::Expected<double> timeCopy(void *to, const void *from,
                                  size_t bytes) const;

private:
  CudaDevice() = default;
  llvm::Error describe(const Twine &call, int result) const;

  const QfCudaDriver *driver = nullptr;
  int device = 0;
  unsigned capability = 0;
  bool isRetained = false;
  bool isCurrent = false;
};

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_RUNTIME_CUDA_CUDADEVICE_H
