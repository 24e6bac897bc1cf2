//===- simulator.cpp - A CUDA driver on the CPU ---------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A libcuda.so.1 for tests, with the functions that CudaFunctions.def lists.
// Kernels come from libraries of host code (test/helpers/nvidia_host makes them
// of device code), which report every access to memory. What a GPU would not
// forgive is an error here too:
//   - device memory can be reached by the host inside of the driver alone;
//   - kernels reach it within the bounds of one allocation, aligned as they
//   say;
//   - what is put on a stream is not done before somebody waits for it.
//
// Environment:
//   QUANT_FLOAT_SIMULATOR_KERNELS=a.so:b.so   where kernels are looked for
//   QUANT_FLOAT_SIMULATOR_CHIP=90             compute capability (default 90)
//   QUANT_FLOAT_SIMULATOR_FAIL=cuX:2:700      the second call of cuX fails so
//   QUANT_FLOAT_SIMULATOR_LOG=FILE            a line for every call
//   QUANT_FLOAT_SIMULATOR_ACCESSES=FILE       a line for every kernel that is
//       done: its loads of global memory, their bytes, its stores, their bytes
//
//===----------------------------------------------------------------------===//

#include "../../../../lib/Runtime/Cuda/CudaDriver.h"
#include "Calls.h"
#include "Errors.h"
#include "Kernels.h"
#include "Memory.h"
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

using namespace simulator;

namespace {

constexpr int kDevices = 2;

struct Stream {
  std::deque<std::function<void()>> tasks;
};

struct Event {
  bool isRecorded = false, isDone = false;
  Stream *stream = nullptr;
  std::chrono::steady_clock::time_point time;
};

struct Context {
  int device;
  Stream defaultStream;
  /// The reference count. At zero, the context is destroyed, and its memory is
  /// freed.
  unsigned holders = 0;
  std::set<uint64_t> memory;
};

struct Module {
  std::string image;
  Context *context;
};

struct Function {
  Kernel kernel;
  Context *context;
  int maxDynamicSharedBytes = 48 * 1024;
};

/// The state of the process, guarded by one lock. It is never destroyed:
/// programs may call the driver while they exit, and get an error.
std::recursive_mutex &mutex = *new std::recursive_mutex;
bool isInitialized;
CUresult stickyError;
Context *contexts = new Context[kDevices]{{0, {}, 0, {}}, {1, {}, 0, {}}};
std::set<Stream *> &streams = *new std::set<Stream *>;
struct Exit {
  ~Exit() { stickyError = kDeinitialized; }
} atExit;
thread_local std::vector<Context *> contextStack;

/// Returns the requested error of the call, if any.
CUresult enterCall(const char *name) {
  if (CUresult error = noteCall(name))
    return error;
  if (!isInitialized && strcmp(name, "cuInit"))
    return kNotInitialized;
  return stickyError;
}

#define ENTER()                                                                \
  std::lock_guard<std::recursive_mutex> lock(mutex);                           \
  if (CUresult error = enterCall(__func__))                                    \
  return error

#define ENTER_CONTEXT()                                                        \
  ENTER();                                                                     \
  if (contextStack.empty() || !contextStack.back()->holders)                   \
  return kInvalidContext

int getChip() {
  const char *chip = getenv("QUANT_FLOAT_SIMULATOR_CHIP");
  return chip ? atoi(chip) : 90;
}

Stream &getStream(CUstream stream) {
  return stream ? *reinterpret_cast<Stream *>(stream)
                : contextStack.back()->defaultStream;
}

void finish(Stream &stream) {
  while (!stream.tasks.empty() && !stickyError) {
    auto task = std::move(stream.tasks.front());
    stream.tasks.pop_front();
    task();
  }
}

/// Work that must complete before memory is freed.
void finishAll() {
  for (int device = 0; device < kDevices; ++device)
    finish(contexts[device].defaultStream);
  for (Stream *stream : streams)
    finish(*stream);
}

/// One side of a copy. Bounds are checked in device memory.
CUresult checkRange(uint64_t address, size_t bytes) {
  return isInArena(address) && !isAllocated(address, bytes) ? kInvalidValue : 0;
}

/// A stream of the current context.
CUresult take(CUdeviceptr *pointer, size_t bytes, bool isHostShared) {
  *pointer = allocate(bytes, isHostShared);
  if (!*pointer)
    return kOutOfMemory;
  contextStack.back()->memory.insert(*pointer);
  return 0;
}

CUresult copyNow(uint64_t to, uint64_t from, size_t bytes) {
  if (CUresult error = checkRange(to, bytes))
    return error;
  if (CUresult error = checkRange(from, bytes))
    return error;
  DeviceAccess access;
  memmove(reinterpret_cast<void *>(to), reinterpret_cast<void *>(from), bytes);
  return 0;
}

template <typename T>
CUresult fillLater(uint64_t pointer, T value, size_t count, CUstream stream) {
  if (pointer % sizeof(T) || !isAllocated(pointer, count * sizeof(T)))
    return kInvalidValue;
  getStream(stream).tasks.push_back([=] {
    if (!isAllocated(pointer, count * sizeof(T))) {
      stickyError = kIllegalAddress;
      return;
    }
    DeviceAccess access;
    T *values = reinterpret_cast<T *>(pointer);
    std::fill(values, values + count, value);
  });
  return 0;
}

} // namespace

extern "C" {

CUresult cuInit(unsigned flags) {
  ENTER();
  isInitialized = true;
  return flags ? kInvalidValue : 0;
}

CUresult cuDriverGetVersion(int *version) {
  *version = 13000;
  return 0;
}

CUresult cuDeviceGetCount(int *count) {
  ENTER();
  *count = kDevices;
  return 0;
}

CUresult cuDeviceGet(CUdevice *device, int ordinal) {
  ENTER();
  *device = ordinal;
  return ordinal >= 0 && ordinal < kDevices ? 0 : kInvalidDevice;
}

CUresult cuDeviceGetName(char *name, int size, CUdevice device) {
  ENTER();
  snprintf(name, size, "Simulator %d", device);
  return 0;
}

CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute,
                              CUdevice device) {
  ENTER();
  switch (attribute) {
  case QF_CUDA_COMPUTE_CAPABILITY_MAJOR:
    *value = getChip() / 10;
    return 0;
  case QF_CUDA_COMPUTE_CAPABILITY_MINOR:
    *value = getChip() % 10;
    return 0;
  default:
    return kInvalidValue;
  }
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) {
  ENTER();
  if (device < 0 || device >= kDevices)
    return kInvalidDevice;
  *context = reinterpret_cast<CUcontext>(&contexts[device]);
  ++contexts[device].holders;
  return 0;
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device) {
  ENTER();
  if (device < 0 || device >= kDevices)
    return kInvalidDevice;
  Context &context = contexts[device];
  if (!context.holders)
    return kInvalidContext;
  if (--context.holders)
    return 0;
  finishAll();
  for (uint64_t pointer : std::exchange(context.memory, {}))
    release(pointer);
  return 0;
}

CUresult cuCtxGetCurrent(CUcontext *context) {
  ENTER();
  *context = contextStack.empty()
                 ? nullptr
                 : reinterpret_cast<CUcontext>(contextStack.back());
  return 0;
}

CUresult cuCtxGetDevice(CUdevice *device) {
  ENTER_CONTEXT();
  *device = contextStack.back()->device;
  return 0;
}

CUresult cuCtxPushCurrent_v2(CUcontext context) {
  ENTER();
  contextStack.push_back(reinterpret_cast<Context *>(context));
  return 0;
}

CUresult cuCtxPopCurrent_v2(CUcontext *context) {
  std::lock_guard<std::recursive_mutex> lock(mutex);
  if (contextStack.empty())
    return kInvalidContext;
  if (context)
    *context = reinterpret_cast<CUcontext>(contextStack.back());
  contextStack.pop_back();
  return 0;
}

CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned count,
                            CUjit_option *options, void **values) {
  ENTER_CONTEXT();
  char *log = nullptr;
  for (unsigned i = 0; i < count; ++i)
    if (options[i] == QF_CUDA_JIT_ERROR_LOG_BUFFER)
      log = static_cast<char *>(values[i]);
  std::string text = readImage(image);
  if (text.empty())
    return kInvalidImage;
  if (int chip = getTargetOfPtx(text); chip > getChip()) {
    if (log)
      sprintf(log, "ptxas fatal: sm_%d is not supported", chip);
    return kInvalidPtx;
  }
  *module = reinterpret_cast<CUmodule>(
      new Module{std::move(text), contextStack.back()});
  return 0;
}

CUresult cuModuleUnload(CUmodule module) {
  ENTER_CONTEXT();
  delete reinterpret_cast<Module *>(module);
  return 0;
}

CUresult cuModuleGetFunction(CUfunction *function, CUmodule handle,
                             const char *name) {
  ENTER_CONTEXT();
  auto *module = reinterpret_cast<Module *>(handle);
  if (module->context != contextStack.back())
    return kInvalidContext;
  Kernel kernel;
  if (module->image.find(name) == std::string::npos ||
      !findKernel(module->image, name, kernel))
    return kNotFound;
  *function =
      reinterpret_cast<CUfunction>(new Function{kernel, module->context});
  return 0;
}

CUresult cuFuncSetAttribute(CUfunction handle, CUfunction_attribute attribute,
                            int value) {
  ENTER_CONTEXT();
  auto *function = reinterpret_cast<Function *>(handle);
  // The minimum of all chips from sm_80 on. The kernel's static arrays are not
  // known here.
  int most = getChip() >= 90 ? 227 * 1024 : 99 * 1024;
  if (!function)
    return kInvalidHandle;
  if (attribute != QF_CUDA_FUNCTION_MAX_DYNAMIC_SHARED_BYTES || value < 0 ||
      value > most)
    return kInvalidValue;
  function->maxDynamicSharedBytes = value;
  return 0;
}

CUresult cuLaunchKernel(CUfunction handle, unsigned gridX, unsigned gridY,
                        unsigned gridZ, unsigned blockX, unsigned blockY,
                        unsigned blockZ, unsigned shared, CUstream stream,
                        void **parameters, void **extra) {
  ENTER_CONTEXT();
  auto *function = reinterpret_cast<Function *>(handle);
  if (!function)
    return kInvalidHandle;
  if (function->context != contextStack.back())
    return kInvalidContext;
  if (!gridX || !gridY || !gridZ || !blockX || !blockY || !blockZ ||
      gridX > 0x7fffffff || gridY > 65535 || gridZ > 65535 ||
      uint64_t(blockX) * blockY * blockZ > 1024 ||
      shared > unsigned(function->maxDynamicSharedBytes))
    return kInvalidValue;
  // The caller may reuse the values after the return.
  std::vector<std::vector<char>> values;
  for (unsigned bytes : function->kernel.parameterBytes) {
    const char *value = static_cast<const char *>(parameters[values.size()]);
    values.emplace_back(value, value + bytes);
  }
  Launch launch{{gridX, gridY, gridZ}, {blockX, blockY, blockZ}, shared};
  getStream(stream).tasks.push_back(
      [kernel = function->kernel, values = std::move(values), launch] {
        DeviceAccess access;
        stickyError = run(kernel, values, launch);
      });
  return 0;
}

CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction function,
                          void **parameters, void **extra) {
  // Clusters have no effect on kernels whose threads do not communicate.
  return cuLaunchKernel(function, config->gridDimX, config->gridDimY,
                        config->gridDimZ, config->blockDimX, config->blockDimY,
                        config->blockDimZ, config->sharedMemBytes,
                        config->hStream, parameters, extra);
}

CUresult cuStreamCreate(CUstream *stream, unsigned flags) {
  ENTER_CONTEXT();
  auto *made = new Stream;
  streams.insert(made);
  *stream = reinterpret_cast<CUstream>(made);
  return 0;
}

CUresult cuStreamDestroy_v2(CUstream stream) {
  std::lock_guard<std::recursive_mutex> lock(mutex);
  enterCall(__func__);
  finish(*reinterpret_cast<Stream *>(stream));
  streams.erase(reinterpret_cast<Stream *>(stream));
  delete reinterpret_cast<Stream *>(stream);
  return stickyError;
}

CUresult cuStreamSynchronize(CUstream stream) {
  ENTER_CONTEXT();
  finish(getStream(stream));
  return stickyError;
}

CUresult cuStreamWaitEvent(CUstream stream, CUevent handle, unsigned flags) {
  ENTER_CONTEXT();
  auto *event = reinterpret_cast<Event *>(handle);
  getStream(stream).tasks.push_back([event] {
    if (event->isRecorded && !event->isDone)
      finish(*event->stream);
  });
  return 0;
}

CUresult cuCtxSynchronize(void) {
  ENTER_CONTEXT();
  finishAll();
  return stickyError;
}

CUresult cuEventCreate(CUevent *event, unsigned flags) {
  ENTER_CONTEXT();
  *event = reinterpret_cast<CUevent>(new Event);
  return 0;
}

CUresult cuEventDestroy_v2(CUevent event) {
  ENTER();
  delete reinterpret_cast<Event *>(event);
  return 0;
}

CUresult cuEventRecord(CUevent handle, CUstream stream) {
  ENTER_CONTEXT();
  auto *event = reinterpret_cast<Event *>(handle);
  event->isRecorded = true;
  event->isDone = false;
  event->stream = &getStream(stream);
  event->stream->tasks.push_back([event] {
    event->isDone = true;
    event->time = std::chrono::steady_clock::now();
  });
  return 0;
}

CUresult cuEventSynchronize(CUevent handle) {
  ENTER_CONTEXT();
  auto *event = reinterpret_cast<Event *>(handle);
  if (event->isRecorded && !event->isDone)
    finish(*event->stream);
  return stickyError;
}

CUresult cuEventElapsedTime(float *milliseconds, CUevent start, CUevent end) {
  ENTER();
  auto *first = reinterpret_cast<Event *>(start);
  auto *last = reinterpret_cast<Event *>(end);
  if (!first->isDone || !last->isDone)
    return kInvalidHandle;
  *milliseconds =
      std::chrono::duration<float, std::milli>(last->time - first->time)
          .count();
  return 0;
}

CUresult cuMemAlloc_v2(CUdeviceptr *pointer, size_t bytes) {
  ENTER_CONTEXT();
  if (!bytes)
    return kInvalidValue;
  return take(pointer, bytes, /*isHostShared=*/false);
}

CUresult cuMemAllocManaged(CUdeviceptr *pointer, size_t bytes, unsigned flags) {
  ENTER_CONTEXT();
  if (!bytes || flags != QF_CUDA_MEM_ATTACH_GLOBAL)
    return kInvalidValue;
  return take(pointer, bytes, /*isHostShared=*/true);
}

CUresult cuMemFree_v2(CUdeviceptr pointer) {
  std::lock_guard<std::recursive_mutex> lock(mutex);
  if (CUresult error = enterCall(__func__))
    return error;
  finishAll();
  for (int device = 0; device < kDevices; ++device)
    contexts[device].memory.erase(pointer);
  return release(pointer) ? 0 : kInvalidValue;
}

CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes,
                       CUstream stream) {
  ENTER_CONTEXT();
  getStream(stream).tasks.push_back([=] {
    if (CUresult error = copyNow(to, from, bytes))
      stickyError = error;
  });
  return 0;
}

CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes,
                              CUstream stream) {
  if (!isAllocated(to, bytes) || !isAllocated(from, bytes))
    return kInvalidValue;
  return cuMemcpyAsync(to, from, bytes, stream);
}

CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t bytes) {
  ENTER_CONTEXT();
  Stream &stream = contextStack.back()->defaultStream;
  finish(stream);
  if (!isAllocated(to, bytes))
    return kInvalidValue;
  // Returns when the source has been read. The bytes arrive later, and no other
  // stream waits for them.
  const char *first = static_cast<const char *>(from);
  stream.tasks.push_back([to, copy = std::string(first, bytes)] {
    if (CUresult error =
            copyNow(to, reinterpret_cast<uint64_t>(copy.data()), copy.size()))
      stickyError = error;
  });
  return 0;
}

CUresult cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t bytes) {
  ENTER_CONTEXT();
  finish(contextStack.back()->defaultStream);
  if (stickyError)
    return stickyError;
  if (!isAllocated(from, bytes))
    return kInvalidValue;
  return copyNow(reinterpret_cast<uint64_t>(to), from, bytes);
}

CUresult cuMemsetD32Async(CUdeviceptr pointer, unsigned value, size_t count,
                          CUstream stream) {
  ENTER_CONTEXT();
  return fillLater<uint32_t>(pointer, value, count, stream);
}

CUresult cuMemsetD16Async(CUdeviceptr pointer, unsigned short value,
                          size_t count, CUstream stream) {
  ENTER_CONTEXT();
  return fillLater<uint16_t>(pointer, value, count, stream);
}

CUresult cuMemHostRegister_v2(void *pointer, size_t bytes, unsigned flags) {
  ENTER_CONTEXT();
  return 0;
}

CUresult cuMemHostUnregister(void *pointer) {
  ENTER_CONTEXT();
  return 0;
}

} // extern "C"
