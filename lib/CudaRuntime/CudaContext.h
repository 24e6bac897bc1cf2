//===- CudaContext.h - Memory of an NVIDIA GPU ------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For programs with and without LLVM: functions that return bool say what is
// wrong in `error`.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_CUDARUNTIME_CUDACONTEXT_H
#define QUANT_FLOAT_CUDARUNTIME_CUDACONTEXT_H

#include "CudaDriver.h"
#include <string>

namespace mlir::quant_float {

/// The primary context of a device, current in this thread while this object
/// lives. Memory is given back by who took it.
class CudaContext {
public:
  CudaContext() = default;
  CudaContext(CudaContext &&other);
  CudaContext &operator=(CudaContext &&) = delete;
  ~CudaContext();

  /// Fails where there is no driver or no such device.
  bool open(int ordinal, std::string &error);
  bool isOpen() const { return isCurrent; }

  /// 90 for sm_90.
  unsigned getCapability() const { return capability; }
  bool getName(std::string &name, std::string &error) const;
  /// "13.0": of CUDA, that the driver knows.
  bool getCudaVersion(std::string &version, std::string &error) const;

  /// Memory without bytes has an address too.
  bool allocate(size_t bytes, CUdeviceptr &pointer, std::string &error) const;
  void free(CUdeviceptr pointer) const { driver->cuMemFree(pointer); }
  /// Returns when the bytes have arrived, for all streams.
  bool upload(CUdeviceptr to, const void *from, size_t bytes,
              std::string &error) const;
  bool download(void *to, CUdeviceptr from, size_t bytes,
                std::string &error) const;
  /// Seconds that the device takes to copy from one to the other.
  bool timeCopy(CUdeviceptr to, CUdeviceptr from, size_t bytes, double &seconds,
                std::string &error) const;

private:
  bool check(const char *call, CUresult result, std::string &error) const;

  const QfCudaDriver *driver = nullptr;
  CUdevice device = 0;
  unsigned capability = 0;
  bool isCurrent = false;
};

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_CUDARUNTIME_CUDACONTEXT_H
