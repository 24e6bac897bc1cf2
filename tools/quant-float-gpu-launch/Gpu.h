//===- Gpu.h - Kernels on a device ------------------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_TOOLS_GPULAUNCH_GPU_H
#define QUANT_FLOAT_TOOLS_GPULAUNCH_GPU_H

#include "../../lib/CudaRuntime/CudaDriver.h"
#include "Description.h"
#include <memory>

namespace launch {

/// Memory of the device, given back at the end.
class DeviceBuffer {
public:
  DeviceBuffer() = default;
  ~DeviceBuffer();
  DeviceBuffer(DeviceBuffer &&other);
  DeviceBuffer &operator=(DeviceBuffer &&other);

  CUdeviceptr get() const { return pointer + offset; }
  size_t size() const { return bytes; }

private:
  friend class Gpu;
  const QfCudaDriver *driver = nullptr;
  CUdeviceptr pointer = 0;
  size_t offset = 0, bytes = 0;
};

/// A launch with all its numbers.
struct ReadyLaunch {
  CUfunction function = nullptr;
  std::string kernel;
  unsigned grid[3], block[3], shared;
  /// The values of the parameters, 8 bytes each.
  std::vector<uint64_t> values;
};

/// A device with its context, and the module of a file.
class Gpu {
public:
  ~Gpu();
  bool open(int ordinal, Error &error);
  bool loadModule(const std::string &path, Error &error);

  bool allocate(size_t bytes, size_t offset, DeviceBuffer &buffer,
                Error &error);
  bool write(const DeviceBuffer &to, const void *from, size_t bytes,
             Error &error);
  bool read(void *to, const DeviceBuffer &from, size_t bytes, Error &error);

  bool findFunction(const std::string &name, CUfunction &function,
                    Error &error);
  /// Puts it on the stream; nothing where there is nothing to launch.
  bool launch(const ReadyLaunch &launch, Error &error);
  bool copy(const DeviceBuffer &to, const DeviceBuffer &from, size_t bytes,
            Error &error);
  bool wait(Error &error);
  /// Seconds that the device takes for what `work` puts on the stream.
  template <typename Function>
  bool time(Function work, double &seconds, Error &error) {
    float milliseconds = 0;
    if (!check("cuEventRecord", driver->cuEventRecord(start, stream), error) ||
        !work() ||
        !check("cuEventRecord", driver->cuEventRecord(stop, stream), error) ||
        !check("cuEventSynchronize", driver->cuEventSynchronize(stop), error) ||
        !check("cuEventElapsedTime",
               driver->cuEventElapsedTime(&milliseconds, start, stop), error))
      return false;
    seconds = milliseconds * 1e-3;
    return true;
  }

  /// "sm_90"
  std::string chip;
  std::string name;
  /// "13.0": of CUDA, that the driver knows.
  std::string driverVersion;

private:
  bool check(const char *call, CUresult result, Error &error) const;

  const QfCudaDriver *driver = nullptr;
  std::string image;
  CUmodule module = nullptr;
  CUstream stream = nullptr;
  CUevent start = nullptr, stop = nullptr;
};

} // namespace launch

#endif // QUANT_FLOAT_TOOLS_GPULAUNCH_GPU_H
