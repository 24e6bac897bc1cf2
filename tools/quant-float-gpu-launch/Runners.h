//===- Runners.h - Who computes an entry ------------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_TOOLS_GPULAUNCH_RUNNERS_H
#define QUANT_FLOAT_TOOLS_GPULAUNCH_RUNNERS_H

#include "Gpu.h"
#include "Plan.h"
#include <memory>

namespace launch {

/// Where an input is.
struct Placed {
  const Array *array = nullptr;
  DeviceBuffer buffer;
};

struct Timing {
  double bestSeconds = 0, medianSeconds = 0, copySeconds = 0;
};

/// What computes entries: kernels on a device, or functions on the CPU.
class Runner {
public:
  virtual ~Runner() = default;
  /// Makes an input ready to be read; `array` must outlive it.
  virtual bool place(const Array &array, Placed &placed, Error &error) = 0;
  virtual bool run(const Plan &plan, const std::vector<Placed *> &inputs,
                   std::vector<Array> &outputs, Error &error) = 0;
};

class GpuRunner final : public Runner {
public:
  GpuRunner(Gpu &gpu, size_t offset) : gpu(gpu), offset(offset) {}
  bool place(const Array &array, Placed &placed, Error &error) override;
  bool run(const Plan &plan, const std::vector<Placed *> &inputs,
           std::vector<Array> &outputs, Error &error) override;

  /// Times the kernels of a call, and copies of as many bytes between them.
  bool time(const Plan &plan, const std::vector<Placed *> &inputs,
            unsigned repeat, Timing &timing, Error &error);

private:
  /// Memory and launches of one call.
  struct Call {
    std::vector<DeviceBuffer> outputs, temporaries;
    std::vector<ReadyLaunch> launches;
  };
  bool prepare(const Plan &plan, const std::vector<Placed *> &inputs,
               Call &call, Error &error);
  bool launchAll(const Call &call, Error &error);

  Gpu &gpu;
  size_t offset;
};

class HostRunner final : public Runner {
public:
  ~HostRunner() override;
  bool open(const std::string &path, Error &error);
  bool place(const Array &array, Placed &placed, Error &error) override;
  bool run(const Plan &plan, const std::vector<Placed *> &inputs,
           std::vector<Array> &outputs, Error &error) override;

private:
  std::string path;
  void *library = nullptr;
};

} // namespace launch

#endif // QUANT_FLOAT_TOOLS_GPULAUNCH_RUNNERS_H
