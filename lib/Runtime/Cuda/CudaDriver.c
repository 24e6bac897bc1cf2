/*===-- CudaDriver.c - Load the CUDA driver -----------------------*- C -*-===*\
|*                                                                            *|
|* Part of the quant-float project, under the Apache License v2.0 with LLVM   *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/
#include "CudaDriver.h"
#include "../Entry/Message.h"
#include "System.h"

static const char libraryName[] = "libcuda.so.1";

/* The offset of a function's pointer in QfCudaDriver, and its symbol. */
typedef struct Function {
  size_t offset;
  const char *symbol;
  int isOptional;
} Function;

static const Function functions[] = {
#define QF_CUDA_FUNCTION(name, symbol, parameters)                             \
  {offsetof(QfCudaDriver, name), symbol, 0},
#define QF_CUDA_OPTIONAL_FUNCTION(name, symbol, parameters)                    \
  {offsetof(QfCudaDriver, name), symbol, 1},
#include "CudaFunctions.def"
};

void qfCudaDescribe(const QfCudaDriver *driver, const char *call,
                    CUresult result, char *error, size_t size) {
  Message message = startMessage(error, size);
  const char *name = 0, *description = 0;
  driver->cuGetErrorName(result, &name);
  driver->cuGetErrorString(result, &description);
  PUT(&message, name ? "%s failed: %s" : "%s failed: %d", STRING(call),
      name ? STRING(name) : NUMBER(result));
  if (description)
    PUT(&message, " (%s)", STRING(description));
}

/* Fills the table. On failure, returns 0 and writes the reason to `error`. */
static int load(QfCudaDriver *driver, char *error, size_t size) {
  Message message = startMessage(error, size);
  void *library = dlopen(libraryName, QF_RTLD_NOW);
  if (!library) {
    const char *reason = dlerror();
    /* The reason starts with the name of the library. */
    PUT(&message, "no NVIDIA driver: cannot load %s",
        STRING(reason ? reason : libraryName));
    return 0;
  }
  for (size_t i = 0; i < sizeof functions / sizeof *functions; ++i) {
    void *address = dlsym(library, functions[i].symbol);
    if (!address && !functions[i].isOptional) {
      PUT(&message, "the NVIDIA driver is too old: %s has no %s",
          STRING(libraryName), STRING(functions[i].symbol));
      dlclose(library);
      return 0;
    }
    *(void **)((char *)driver + functions[i].offset) = address;
  }
  CUresult result = driver->cuInit(0);
  if (result) {
    qfCudaDescribe(driver, "cuInit", result, error, size);
    dlclose(library);
    return 0;
  }
  return 1;
}

const QfCudaDriver *qfCudaGetDriver(char *error, size_t size) {
  static QfCudaDriver driver;
  static int isLoaded;
  static Lock lock;
  if (__atomic_load_n(&isLoaded, __ATOMIC_ACQUIRE))
    return &driver;
  acquire(&lock);
  int loaded = __atomic_load_n(&isLoaded, __ATOMIC_RELAXED);
  if (!loaded) {
    loaded = load(&driver, error, size);
    __atomic_store_n(&isLoaded, loaded, __ATOMIC_RELEASE);
  }
  release(&lock);
  return loaded ? &driver : 0;
}

/* Appends the chip of the device, for a binary of another chip: "; the device
 * is sm_90". */
static void putChip(const QfCudaDriver *driver, Message *message) {
  CUdevice device;
  int major, minor;
  if (driver->cuCtxGetDevice(&device) ||
      driver->cuDeviceGetAttribute(
          &major, (CUdevice_attribute)QF_CUDA_COMPUTE_CAPABILITY_MAJOR,
          device) ||
      driver->cuDeviceGetAttribute(
          &minor, (CUdevice_attribute)QF_CUDA_COMPUTE_CAPABILITY_MINOR, device))
    return;
  PUT(message, "; the device is sm_%d%d", NUMBER(major), NUMBER(minor));
}

int qfCudaLoadModule(const QfCudaDriver *driver, const void *image, int level,
                     CUmodule *module, char *error, size_t size) {
  char log[1024];
  log[0] = 0;
  CUjit_option options[] = {
      (CUjit_option)QF_CUDA_JIT_ERROR_LOG_BUFFER,
      (CUjit_option)QF_CUDA_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
      (CUjit_option)QF_CUDA_JIT_OPTIMIZATION_LEVEL};
  void *values[] = {log, (void *)sizeof log, (void *)(intptr_t)level};
  CUresult result = driver->cuModuleLoadDataEx(module, image, level < 0 ? 2 : 3,
                                               options, values);
  if (!result)
    return 1;
  qfCudaDescribe(driver, "cuModuleLoadDataEx", result, error, size);
  size_t used = 0;
  while (used < size && error[used])
    ++used;
  Message message = startMessage(error + used, size - used);
  if (result == QF_CUDA_ERROR_NO_BINARY_FOR_GPU)
    putChip(driver, &message);
  log[sizeof log - 1] = 0;
  if (log[0])
    PUT(&message, ": %s", STRING(log));
  return 0;
}
