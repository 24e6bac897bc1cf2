//===- Runners.cpp - Who computes an entry --------------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Runners.h"
#include "quant-float-c/EntryPoint.h"
#include <algorithm>
#include <dlfcn.h>

using namespace launch;

/// Memory of the host for the outputs that a plan says.
static bool allocateOutputs(const Plan &plan, std::vector<Array> &outputs,
                            Error &error) {
  outputs.resize(plan.outputs.size());
  for (size_t i = 0; i < outputs.size(); ++i) {
    outputs[i].type = plan.entry->outputs[i].type;
    outputs[i].sizes = plan.outputs[i];
    // What the last call had is taken again.
    if (outputs[i].bytes.data() &&
        outputs[i].bytes.size() == plan.outputBytes[i])
      continue;
    if (!allocate(outputs[i], error)) {
      error.text = "error: " + error.text;
      return false;
    }
  }
  return true;
}

bool GpuRunner::place(const Array &array, Placed &placed, Error &error) {
  placed.array = &array;
  return gpu.allocate(array.bytes.size(), offset, placed.buffer, error) &&
         gpu.write(placed.buffer, array.bytes.data(), array.bytes.size(),
                   error);
}

bool GpuRunner::prepare(const Plan &plan, const std::vector<Placed *> &inputs,
                        Call &call, Error &error) {
  auto allocateAll = [&](const std::vector<size_t> &bytes,
                         std::vector<DeviceBuffer> &buffers) {
    for (size_t count : bytes)
      if (!gpu.allocate(count, offset, buffers.emplace_back(), error))
        return false;
    return true;
  };
  if (!allocateAll(plan.outputBytes, call.outputs) ||
      !allocateAll(plan.temporaryBytes, call.temporaries))
    return false;
  for (size_t i = 0; i < plan.launches.size(); ++i) {
    const Launch &launch = plan.entry->launches[i];
    const Plan::Numbers &numbers = plan.launches[i];
    ReadyLaunch &ready = call.launches.emplace_back();
    ready.kernel = launch.kernel;
    ready.shared = launch.shared;
    std::copy_n(numbers.grid, 3, ready.grid);
    std::copy_n(numbers.block, 3, ready.block);
    ready.values = numbers.values;
    for (size_t j = 0; j < ready.values.size(); ++j) {
      uint64_t &value = ready.values[j];
      if (launch.parameters[j].kind == Parameter::Input)
        value = inputs[value]->buffer.get();
      else if (launch.parameters[j].kind == Parameter::Output)
        value = call.outputs[value].get();
      else if (launch.parameters[j].kind == Parameter::Temporary)
        value = call.temporaries[value].get();
    }
    if (!gpu.findFunction(launch.kernel, ready.function, error))
      return false;
  }
  return true;
}

bool GpuRunner::launchAll(const Call &call, Error &error) {
  for (const ReadyLaunch &launch : call.launches)
    if (!gpu.launch(launch, error))
      return false;
  return true;
}

bool GpuRunner::run(const Plan &plan, const std::vector<Placed *> &inputs,
                    std::vector<Array> &outputs, Error &error) {
  Call call;
  if (!allocateOutputs(plan, outputs, error) ||
      !prepare(plan, inputs, call, error) || !launchAll(call, error) ||
      !gpu.wait(error))
    return false;
  for (size_t i = 0; i < outputs.size(); ++i)
    if (!gpu.read(outputs[i].bytes.data(), call.outputs[i],
                  outputs[i].bytes.size(), error))
      return false;
  return true;
}

bool GpuRunner::time(const Plan &plan, const std::vector<Placed *> &inputs,
                     unsigned repeat, Timing &timing, Error &error) {
  Call call;
  // A copy reads and writes each of its bytes.
  size_t bytes = plan.getBytes() / 2;
  DeviceBuffer from, to;
  if (!prepare(plan, inputs, call, error) ||
      !gpu.allocate(bytes, 0, from, error) ||
      !gpu.allocate(bytes, 0, to, error))
    return false;
  auto launch = [&] { return launchAll(call, error); };
  auto copy = [&] { return !bytes || gpu.copy(to, from, bytes, error); };
  std::vector<double> seconds, copySeconds;
  // The first ones warm up. Both by turns: what slows one slows the other.
  for (unsigned i = 0; i < repeat + 2; ++i) {
    double launched, copied;
    if (!gpu.time(launch, launched, error) || !gpu.time(copy, copied, error))
      return false;
    if (i < 2)
      continue;
    seconds.push_back(launched);
    copySeconds.push_back(copied);
  }
  std::sort(seconds.begin(), seconds.end());
  timing.bestSeconds = seconds.front();
  timing.medianSeconds = (seconds[(repeat - 1) / 2] + seconds[repeat / 2]) / 2;
  timing.copySeconds =
      *std::min_element(copySeconds.begin(), copySeconds.end());
  return true;
}

HostRunner::~HostRunner() {
  if (library)
    dlclose(library);
}

bool HostRunner::open(const std::string &file, Error &error) {
  path = file;
  // A name without a slash would be looked for elsewhere.
  std::string name = path.find('/') == path.npos ? "./" + path : path;
  library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  return library ||
         error.fail("error: --host: " + std::string(dlerror()), kWrongUsage);
}

bool HostRunner::place(const Array &array, Placed &placed, Error &error) {
  placed.array = &array;
  return true;
}

static qf_tensor describe(const Array &array) {
  return {const_cast<char *>(array.bytes.data()), array.sizes.data(),
          static_cast<int32_t>(array.sizes.size()), array.type->dtype};
}

bool HostRunner::run(const Plan &plan, const std::vector<Placed *> &inputs,
                     std::vector<Array> &outputs, Error &error) {
  using Function = int (*)(const qf_tensor *, qf_tensor *, char *, size_t);
  auto function =
      reinterpret_cast<Function>(dlsym(library, plan.entry->name.c_str()));
  if (!function)
    return error.fail(path + ": error: there is no function '" +
                      plan.entry->name + "'");
  if (!allocateOutputs(plan, outputs, error))
    return false;
  std::vector<qf_tensor> given, taken;
  for (const Placed *input : inputs)
    given.push_back(describe(*input->array));
  for (const Array &output : outputs)
    taken.push_back(describe(output));
  char text[512];
  return !function(given.data(), taken.data(), text, sizeof text) ||
         error.fail(path + ": error: " + text);
}
