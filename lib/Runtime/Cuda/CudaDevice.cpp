//===- CudaDevice.cpp - NVIDIA GPU devices --------------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/Runtime/Cuda/CudaDevice.h"

#include "CudaDriver.h"
#include "quant-float/TargetInfo/NvidiaChip.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/bit.h"
#include <utility>

using namespace mlir;
using namespace mlir::quant_float;

/// Calls the driver, and returns the error if the call fails.
#define QF_CALL(name, ...)                                                     \
  if (CUresult result = driver->name(__VA_ARGS__))                             \
  return describe(#name, result)

static CUdeviceptr toDevice(const void *pointer) {
  return reinterpret_cast<uintptr_t>(pointer);
}

CudaDevice::CudaDevice(CudaDevice &&other)
    : driver(other.driver), device(other.device), capability(other.capability),
      isRetained(std::exchange(other.isRetained, false)),
      isCurrent(std::exchange(other.isCurrent, false)) {}

CudaDevice::~CudaDevice() {
  CUcontext context;
  if (isCurrent)
    driver->cuCtxPopCurrent(&context);
  if (isRetained)
    driver->cuDevicePrimaryCtxRelease(device);
}

llvm::Error CudaDevice::describe(const Twine &call, int result) const {
  char message[512];
  qfCudaDescribe(driver, call.str().c_str(), result, message, sizeof message);
  return llvm::createStringError(StringRef(message));
}

llvm::Expected<CudaDevice> CudaDevice::open(int ordinal) {
  CudaDevice opened;
  char message[1024];
  const QfCudaDriver *driver = qfCudaGetDriver(message, sizeof message);
  if (!driver)
    return llvm::createStringError(StringRef(message));
  opened.driver = driver;
  auto describe = [&](const char *call, CUresult result) {
    return opened.describe(call, result);
  };
  int count = 0, major = 0, minor = 0;
  QF_CALL(cuDeviceGetCount, &count);
  // If there is no device, the driver's message is clearer.
  if (count && ordinal >= count)
    return llvm::createStringError("expected a device below " + Twine(count) +
                                   ", but got " + Twine(ordinal));
  CUcontext context;
  QF_CALL(cuDeviceGet, &opened.device, ordinal);
  QF_CALL(cuDeviceGetAttribute, &major, QF_CUDA_COMPUTE_CAPABILITY_MAJOR,
          opened.device);
  QF_CALL(cuDeviceGetAttribute, &minor, QF_CUDA_COMPUTE_CAPABILITY_MINOR,
          opened.device);
  QF_CALL(cuDevicePrimaryCtxRetain, &context, opened.device);
  opened.isRetained = true;
  QF_CALL(cuCtxPushCurrent, context);
  opened.isCurrent = true;
  opened.capability = static_cast<unsigned>(10 * major + minor);
  return opened;
}

llvm::Expected<std::string> CudaDevice::getChip() const {
  static const StringRef known[] = {
#define QUANT_FLOAT_NVIDIA_CHIP(Name, ...) Name,
#include "quant-float/TargetInfo/NvidiaChips.def"
  };
  std::string own = "sm_" + std::to_string(capability);
  unsigned newest = 0;
  for (StringRef name : known) {
    unsigned number;
    // Chips whose name ends in a letter are also listed without it.
    if (name.consume_front("sm_") && !name.getAsInteger(10, number) &&
        number <= capability)
      newest = std::max(newest, number);
  }
  if (!newest)
    return llvm::createStringError(
        "expected a device of sm_75 or newer, but got " + own);
  // Code for "a" chips only runs on this chip.
  llvm::Expected<NvidiaChip> special = NvidiaChip::get(own + "a");
  if (special && special->has(NvidiaFeature::NarrowFloat))
    return special->name;
  if (!special)
    llvm::consumeError(special.takeError());
  return "sm_" + std::to_string(newest);
}

llvm::Expected<std::string> CudaDevice::getName() const {
  char deviceName[256] = "";
  QF_CALL(cuDeviceGetName, deviceName, sizeof deviceName, device);
  return deviceName;
}

llvm::Expected<std::string> CudaDevice::getCudaVersion() const {
  int number = 0;
  QF_CALL(cuDriverGetVersion, &number);
  return (Twine(number / 1000) + "." + Twine(number % 1000 / 10)).str();
}

llvm::Expected<void *> CudaDevice::allocate(size_t bytes) const {
  // Memory must not outlive its context, but may outlive this object.
  CUcontext context;
  QF_CALL(cuDevicePrimaryCtxRetain, &context, device);
  CUdeviceptr pointer = 0;
  // The driver rejects 0 bytes.
  if (CUresult result = driver->cuMemAlloc(&pointer, bytes ? bytes : 1)) {
    driver->cuDevicePrimaryCtxRelease(device);
    return describe("cuMemAlloc of " + Twine(bytes) + " bytes", result);
  }
  return llvm::bit_cast<void *>(pointer);
}

void CudaDevice::free(void *pointer) const {
  driver->cuMemFree(toDevice(pointer));
  driver->cuDevicePrimaryCtxRelease(device);
}

llvm::Error CudaDevice::upload(void *to, ArrayRef<char> bytes) const {
  if (bytes.empty())
    return llvm::Error::success();
  // The copy may return before the bytes have arrived, and the streams of entry
  // points do not wait for it.
  QF_CALL(cuMemcpyHtoD, toDevice(to), bytes.data(), bytes.size());
  QF_CALL(cuStreamSynchronize, nullptr);
  return llvm::Error::success();
}

llvm::Error CudaDevice::download(MutableArrayRef<char> bytes,
                                 const void *from) const {
  if (!bytes.empty())
    QF_CALL(cuMemcpyDtoH, bytes.data(), toDevice(from), bytes.size());
  return llvm::Error::success();
}

llvm::Expected<double> CudaDevice::timeCopy(void *to, const void *from,
                                            size_t bytes) const {
  CUevent start = nullptr, stop = nullptr;
  llvm::scope_exit destroy([&] {
    for (CUevent event : {start, stop})
      if (event)
        driver->cuEventDestroy(event);
  });
  float milliseconds = 0;
  QF_CALL(cuEventCreate, &start, 0);
  QF_CALL(cuEventCreate, &stop, 0);
  QF_CALL(cuEventRecord, start, nullptr);
  if (bytes)
    QF_CALL(cuMemcpyDtoDAsync, toDevice(to), toDevice(from), bytes, nullptr);
  QF_CALL(cuEventRecord, stop, nullptr);
  QF_CALL(cuEventSynchronize, stop);
  QF_CALL(cuEventElapsedTime, &milliseconds, start, stop);
  return milliseconds * 1e-3;
}
