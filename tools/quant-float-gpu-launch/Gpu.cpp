//===- Gpu.cpp - Kernels on a device --------------------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Gpu.h"

using namespace launch;

DeviceBuffer::~DeviceBuffer() {
  if (pointer)
    driver->cuMemFree(pointer);
}

DeviceBuffer::DeviceBuffer(DeviceBuffer &&other) { *this = std::move(other); }

DeviceBuffer &DeviceBuffer::operator=(DeviceBuffer &&other) {
  std::swap(driver, other.driver);
  std::swap(pointer, other.pointer);
  std::swap(offset, other.offset);
  std::swap(bytes, other.bytes);
  return *this;
}

bool Gpu::check(const char *call, CUresult result, Error &error) const {
  if (!result)
    return true;
  char text[512];
  qfCudaDescribe(driver, call, result, text, sizeof text);
  return error.fail(std::string("error: ") + text);
}

bool Gpu::open(int ordinal, Error &error) {
  char text[1024];
  driver = qfCudaGetDriver(text, sizeof text);
  if (!driver)
    return error.fail(std::string("error: ") + text);
  int count = 0, version = 0, major = 0, minor = 0;
  if (!check("cuDeviceGetCount", driver->cuDeviceGetCount(&count), error))
    return false;
  if (ordinal >= count)
    return error.fail("error: --device: expected a device below " +
                      std::to_string(count) + ", but got " +
                      std::to_string(ordinal));
  CUdevice device;
  CUcontext context;
  char deviceName[256] = "";
  if (!check("cuDeviceGet", driver->cuDeviceGet(&device, ordinal), error) ||
      !check("cuDeviceGetName",
             driver->cuDeviceGetName(deviceName, sizeof deviceName, device),
             error) ||
      !check("cuDriverGetVersion", driver->cuDriverGetVersion(&version),
             error) ||
      !check("cuDeviceGetAttribute",
             driver->cuDeviceGetAttribute(
                 &major, QF_CUDA_COMPUTE_CAPABILITY_MAJOR, device),
             error) ||
      !check("cuDeviceGetAttribute",
             driver->cuDeviceGetAttribute(
                 &minor, QF_CUDA_COMPUTE_CAPABILITY_MINOR, device),
             error) ||
      !check("cuDevicePrimaryCtxRetain",
             driver->cuDevicePrimaryCtxRetain(&context, device), error) ||
      !check("cuCtxPushCurrent", driver->cuCtxPushCurrent(context), error) ||
      !check("cuStreamCreate",
             driver->cuStreamCreate(&stream, QF_CUDA_STREAM_NON_BLOCKING),
             error) ||
      !check("cuEventCreate", driver->cuEventCreate(&start, 0), error) ||
      !check("cuEventCreate", driver->cuEventCreate(&stop, 0), error))
    return false;
  chip = "sm_" + std::to_string(major) + std::to_string(minor);
  name = deviceName;
  driverVersion = std::to_string(version / 1000) + "." +
                  std::to_string(version % 1000 / 10);
  return true;
}

Gpu::~Gpu() {
  if (start)
    driver->cuEventDestroy(start);
  if (stop)
    driver->cuEventDestroy(stop);
  if (stream)
    driver->cuStreamDestroy(stream);
  if (module)
    driver->cuModuleUnload(module);
}

bool Gpu::loadModule(const std::string &path, Error &error) {
  if (!readFile(path, image, error))
    return false;
  char text[2048];
  if (image.size() < 64)
    return error.fail(path +
                      ": error: expected a .cubin or .ptx file, but got " +
                      std::to_string(image.size()) + " bytes");
  if (!qfCudaLoadModule(driver, image.c_str(), -1, &module, text, sizeof text))
    return error.fail(path + ": error: " + text);
  return true;
}

bool Gpu::allocate(size_t bytes, size_t offset, DeviceBuffer &buffer,
                   Error &error) {
  buffer = DeviceBuffer();
  buffer.driver = driver;
  buffer.offset = offset;
  buffer.bytes = bytes;
  // The driver refuses 0 bytes; a tensor without elements has an address.
  std::string call = "cuMemAlloc of " + std::to_string(bytes) + " bytes";
  CUresult result =
      driver->cuMemAlloc(&buffer.pointer, bytes + offset + !(bytes + offset));
  if (result)
    buffer.pointer = 0;
  return check(call.c_str(), result, error);
}

bool Gpu::write(const DeviceBuffer &to, const void *from, size_t bytes,
                Error &error) {
  if (!bytes)
    return true;
  // The copy returns when it has read the bytes. Streams of ours do not wait
  // for their arrival.
  return check("cuMemcpyHtoD", driver->cuMemcpyHtoD(to.get(), from, bytes),
               error) &&
         check("cuStreamSynchronize", driver->cuStreamSynchronize(nullptr),
               error);
}

bool Gpu::read(void *to, const DeviceBuffer &from, size_t bytes, Error &error) {
  return !bytes || check("cuMemcpyDtoH",
                         driver->cuMemcpyDtoH(to, from.get(), bytes), error);
}

bool Gpu::findFunction(const std::string &kernel, CUfunction &function,
                       Error &error) {
  std::string call = "cuModuleGetFunction of '" + kernel + "'";
  return check(call.c_str(),
               driver->cuModuleGetFunction(&function, module, kernel.c_str()),
               error);
}

bool Gpu::launch(const ReadyLaunch &launch, Error &error) {
  const unsigned *grid = launch.grid, *block = launch.block;
  for (int i = 0; i < 3; ++i)
    if (!grid[i] || !block[i])
      return true;
  std::vector<void *> pointers;
  for (const uint64_t &value : launch.values)
    pointers.push_back(const_cast<uint64_t *>(&value));
  // The driver reads as many as the kernel has, which a description that is
  // wrong does not say: no kernel has more than so many bytes.
  constexpr size_t kMostParameters = 32764 / sizeof(uint32_t);
  static uint64_t zero = 0;
  pointers.resize(std::max(pointers.size(), kMostParameters), &zero);
  std::string call = "cuLaunchKernel of '" + launch.kernel + "'";
  return check(call.c_str(),
               driver->cuLaunchKernel(launch.function, grid[0], grid[1],
                                      grid[2], block[0], block[1], block[2],
                                      launch.shared, stream, pointers.data(),
                                      nullptr),
               error);
}

bool Gpu::copy(const DeviceBuffer &to, const DeviceBuffer &from, size_t bytes,
               Error &error) {
  return check("cuMemcpyDtoDAsync",
               driver->cuMemcpyDtoDAsync(to.get(), from.get(), bytes, stream),
               error);
}

bool Gpu::wait(Error &error) {
  return check("cuStreamSynchronize", driver->cuStreamSynchronize(stream),
               error);
}
