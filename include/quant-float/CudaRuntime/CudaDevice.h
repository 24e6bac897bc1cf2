//===- CudaDevice.h - Memory of an NVIDIA GPU -------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_CUDARUNTIME_CUDADEVICE_H
#define QUANT_FLOAT_CUDARUNTIME_CUDADEVICE_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <string>

struct QfCudaDriver;

namespace mlir::quant_float {

/// An NVIDIA GPU, whose primary context is current in this thread while this
/// object lives. Entry points that were compiled for GPUs take its memory.
/// Objects and memory hold the context, which ends with the last that does.
class CudaDevice {
public:
  /// Fails where there is no driver or no such device.
  static llvm::Expected<CudaDevice> open(int ordinal = 0);
  CudaDevice(CudaDevice &&other);
  ~CudaDevice();

  /// 90 for sm_90.
  unsigned getCapability() const { return capability; }
  /// What to compile for: the device's own chip, with the instructions that
  /// only it has; of a chip that is not known the newest known one before it.
  /// Fails for devices older than all that are known.
  llvm::Expected<std::string> getChip() const;
  llvm::Expected<std::string> getName() const;
  /// "13.0": of CUDA, that the driver knows.
  llvm::Expected<std::string> getCudaVersion() const;

  /// Memory without bytes has an address too. It is given back by whoever took
  /// it, in any thread in which the device is open.
  llvm::Expected<void *> allocate(size_t bytes) const;
  void free(void *pointer) const;
  /// Returns when the bytes have arrived, for all streams.
  llvm::Error upload(void *to, ArrayRef<char> bytes) const;
  llvm::Error download(MutableArrayRef<char> bytes, const void *from) const;
  /// Seconds that the device takes to copy from one to the other.
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

#endif // QUANT_FLOAT_CUDARUNTIME_CUDADEVICE_H
