//===- CudaDevice.cpp - Memory of an NVIDIA GPU ---------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/ExecutionEngine/CudaDevice.h"
#include "../CudaRuntime/CudaDriver.h"
#include "quant-float/Support/NvidiaChip.h"

using namespace mlir;
using namespace mlir::quant_float;

static llvm::Error check(const QfCudaDriver &driver, const char *call,
                         CUresult result) {
  if (!result)
    return llvm::Error::success();
  char text[512];
  qfCudaDescribe(&driver, call, result, text, sizeof text);
  return llvm::createStringError(text);
}

static CUdeviceptr toDevice(const void *pointer) {
  return reinterpret_cast<uintptr_t>(pointer);
}

DeviceMemory::DeviceMemory(DeviceMemory &&other)
    : driver(other.driver), pointer(std::exchange(other.pointer, nullptr)) {}

DeviceMemory::~DeviceMemory() {
  if (pointer)
    driver.cuMemFree(toDevice(pointer));
}

llvm::Expected<CudaDevice> CudaDevice::open() {
  char text[1024];
  const QfCudaDriver *driver = qfCudaGetDriver(text, sizeof text);
  if (!driver)
    return llvm::createStringError(text);
  CUdevice handle;
  CUcontext context;
  int major, minor;
  if (llvm::Error error =
          check(*driver, "cuDeviceGet", driver->cuDeviceGet(&handle, 0)))
    return std::move(error);
  if (llvm::Error error =
          check(*driver, "cuDeviceGetAttribute",
                driver->cuDeviceGetAttribute(
                    &major, QF_CUDA_COMPUTE_CAPABILITY_MAJOR, handle)))
    return std::move(error);
  if (llvm::Error error =
          check(*driver, "cuDeviceGetAttribute",
                driver->cuDeviceGetAttribute(
                    &minor, QF_CUDA_COMPUTE_CAPABILITY_MINOR, handle)))
    return std::move(error);
  if (llvm::Error error =
          check(*driver, "cuDevicePrimaryCtxRetain",
                driver->cuDevicePrimaryCtxRetain(&context, handle)))
    return std::move(error);
  if (llvm::Error error =
          check(*driver, "cuCtxPushCurrent", driver->cuCtxPushCurrent(context)))
    return std::move(error);
  CudaDevice device(*driver);
  device.capability = static_cast<unsigned>(10 * major + minor);
  return device;
}

CudaDevice::CudaDevice(CudaDevice &&other)
    : driver(std::exchange(other.driver, nullptr)),
      capability(other.capability) {}

CudaDevice::~CudaDevice() {
  CUcontext context;
  if (driver)
    driver->cuCtxPopCurrent(&context);
}

llvm::Expected<std::string> CudaDevice::getChip() const {
  static const StringRef known[] = {
#define QUANT_FLOAT_NVIDIA_CHIP(Name, ...) Name,
#include "quant-float/Support/NvidiaChips.def"
  };
  std::string own = "sm_" + std::to_string(capability);
  unsigned newest = 0;
  for (StringRef name : known) {
    unsigned number;
    // Names that end in a letter are of chips that stand without it too.
    if (name.consume_front("sm_") && !name.getAsInteger(10, number) &&
        number <= capability)
      newest = std::max(newest, number);
  }
  if (!newest)
    return llvm::createStringError(
        "expected a device of sm_75 or newer, but got " + own);
  // Code for "a" runs on no chip but the one it is for.
  llvm::Expected<NvidiaChip> special = NvidiaChip::get(own + "a");
  if (special && special->has(NvidiaFeature::NarrowFloat))
    return special->name;
  if (!special)
    llvm::consumeError(special.takeError());
  return "sm_" + std::to_string(newest);
}

llvm::Expected<DeviceMemory> CudaDevice::allocate(size_t bytes) const {
  CUdeviceptr pointer = 0;
  std::string call = "cuMemAlloc of " + std::to_string(bytes) + " bytes";
  // The driver refuses 0 bytes; a tensor without elements has an address.
  if (llvm::Error error =
          check(*driver, call.c_str(),
                driver->cuMemAlloc(&pointer, std::max<size_t>(bytes, 1))))
    return std::move(error);
  return DeviceMemory(*driver, reinterpret_cast<void *>(pointer));
}

llvm::Expected<DeviceMemory> CudaDevice::upload(const Tensor &tensor) const {
  ArrayRef<char> bytes = tensor.getBytes();
  llvm::Expected<DeviceMemory> memory = allocate(bytes.size());
  if (!memory || bytes.empty())
    return memory;
  if (llvm::Error error =
          check(*driver, "cuMemcpyHtoD",
                driver->cuMemcpyHtoD(toDevice(memory->getPointer()),
                                     bytes.data(), bytes.size())))
    return std::move(error);
  // The copy returns when it has read the bytes. The streams of entry points do
  // not wait for their arrival.
  if (llvm::Error error = check(*driver, "cuStreamSynchronize",
                                driver->cuStreamSynchronize(nullptr)))
    return std::move(error);
  return memory;
}

llvm::Error CudaDevice::download(const DeviceMemory &memory,
                                 Tensor &tensor) const {
  MutableArrayRef<char> bytes = tensor.getMutableBytes();
  if (bytes.empty())
    return llvm::Error::success();
  return check(*driver, "cuMemcpyDtoH",
               driver->cuMemcpyDtoH(bytes.data(), toDevice(memory.getPointer()),
                                    bytes.size()));
}
