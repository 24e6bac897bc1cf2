//===- CudaContext.cpp - Memory of an NVIDIA GPU --------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudaContext.h"

#include <utility>

using namespace mlir::quant_float;

CudaContext::CudaContext(CudaContext &&other)
    : driver(other.driver), device(other.device), capability(other.capability),
      isCurrent(std::exchange(other.isCurrent, false)) {}

CudaContext::~CudaContext() {
  CUcontext context;
  if (isCurrent)
    driver->cuCtxPopCurrent(&context);
}

bool CudaContext::check(const char *call, CUresult result,
                        std::string &error) const {
  if (!result)
    return true;
  char text[512];
  qfCudaDescribe(driver, call, result, text, sizeof text);
  error = text;
  return false;
}

bool CudaContext::open(int ordinal, std::string &error) {
  char text[1024];
  driver = qfCudaGetDriver(text, sizeof text);
  if (!driver) {
    error = text;
    return false;
  }
  int count = 0, major = 0, minor = 0;
  if (!check("cuDeviceGetCount", driver->cuDeviceGetCount(&count), error))
    return false;
  // Without any, the driver's own words are clearer.
  if (count && ordinal >= count) {
    error = "expected a device below " + std::to_string(count) + ", but got " +
            std::to_string(ordinal);
    return false;
  }
  auto getAttribute = [&](int attribute, int &value) {
    return check("cuDeviceGetAttribute",
                 driver->cuDeviceGetAttribute(&value, attribute, device),
                 error);
  };
  CUcontext context;
  if (!check("cuDeviceGet", driver->cuDeviceGet(&device, ordinal), error) ||
      !getAttribute(QF_CUDA_COMPUTE_CAPABILITY_MAJOR, major) ||
      !getAttribute(QF_CUDA_COMPUTE_CAPABILITY_MINOR, minor) ||
      !check("cuDevicePrimaryCtxRetain",
             driver->cuDevicePrimaryCtxRetain(&context, device), error) ||
      !check("cuCtxPushCurrent", driver->cuCtxPushCurrent(context), error))
    return false;
  isCurrent = true;
  capability = static_cast<unsigned>(10 * major + minor);
  return true;
}

bool CudaContext::getName(std::string &name, std::string &error) const {
  char text[256] = "";
  if (!check("cuDeviceGetName",
             driver->cuDeviceGetName(text, sizeof text, device), error))
    return false;
  name = text;
  return true;
}

bool CudaContext::getCudaVersion(std::string &version,
                                 std::string &error) const {
  int number = 0;
  if (!check("cuDriverGetVersion", driver->cuDriverGetVersion(&number), error))
    return false;
  version =
      std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10);
  return true;
}

bool CudaContext::allocate(size_t bytes, CUdeviceptr &pointer,
                           std::string &error) const {
  std::string call = "cuMemAlloc of " + std::to_string(bytes) + " bytes";
  // The driver refuses 0 bytes.
  return check(call.c_str(), driver->cuMemAlloc(&pointer, bytes ? bytes : 1),
               error);
}

bool CudaContext::upload(CUdeviceptr to, const void *from, size_t bytes,
                         std::string &error) const {
  // The copy returns when it has read the bytes. The streams of entry points do
  // not wait for their arrival.
  return !bytes ||
         (check("cuMemcpyHtoD", driver->cuMemcpyHtoD(to, from, bytes), error) &&
          check("cuStreamSynchronize", driver->cuStreamSynchronize(nullptr),
                error));
}

bool CudaContext::download(void *to, CUdeviceptr from, size_t bytes,
                           std::string &error) const {
  return !bytes ||
         check("cuMemcpyDtoH", driver->cuMemcpyDtoH(to, from, bytes), error);
}

bool CudaContext::timeCopy(CUdeviceptr to, CUdeviceptr from, size_t bytes,
                           double &seconds, std::string &error) const {
  CUevent start = nullptr, stop = nullptr;
  float milliseconds = 0;
  bool isTimed =
      check("cuEventCreate", driver->cuEventCreate(&start, 0), error) &&
      check("cuEventCreate", driver->cuEventCreate(&stop, 0), error) &&
      check("cuEventRecord", driver->cuEventRecord(start, nullptr), error) &&
      (!bytes ||
       check("cuMemcpyDtoDAsync",
             driver->cuMemcpyDtoDAsync(to, from, bytes, nullptr), error)) &&
      check("cuEventRecord", driver->cuEventRecord(stop, nullptr), error) &&
      check("cuEventSynchronize", driver->cuEventSynchronize(stop), error) &&
      check("cuEventElapsedTime",
            driver->cuEventElapsedTime(&milliseconds, start, stop), error);
  seconds = milliseconds * 1e-3;
  for (CUevent event : {start, stop})
    if (event)
      driver->cuEventDestroy(event);
  return isTimed;
}
