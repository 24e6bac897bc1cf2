/*===-- CudaRuntime.c - Runtime of GPU host code ------------------*- C -*-===*\
|*                                                                            *|
|* Part of the quant-float project, under the Apache License v2.0 with LLVM   *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/
/*
 * The functions that the host code of GPU kernels calls. A static library,
 * which is linked into compiled shared libraries, and a shared library.
 */
#include "quant-float-c/CudaRuntime.h"
#include "../Entry/Message.h"
#include "CudaDriver.h"
#include "System.h"

enum { QF_ERROR_BYTES = 2048, QF_MOST_DEVICES = 64 };

/* The device that a thread has selected, and its last error. */
typedef struct ThreadState {
  char error[QF_ERROR_BYTES];
  char taken[QF_ERROR_BYTES];
  int hasFailed;
  int hasAsked;
  int hasChosenDevice;
  int device;
  int isTiming;
  double seconds;
} ThreadState;

static _Thread_local ThreadState thread;

/* A module in one context. */
typedef struct Loaded {
  struct Loaded *next;
  CUcontext context;
  CUmodule module;
} Loaded;

/* The handle that mgpuModuleLoad returns. Each context loads the image on first
 * use. */
typedef struct Module {
  const void *image;
  int level;
  Lock lock;
  Loaded *loaded;
} Module;

const char *quantFloatGpuTakeError(void) {
  thread.hasAsked = 1;
  if (!thread.hasFailed)
    return 0;
  thread.hasFailed = 0;
  Message message = startMessage(thread.taken, sizeof thread.taken);
  putString(&message, thread.error);
  return thread.taken;
}

/* Records the error in thread.error. Prints it unless this thread queries
 * errors. */
static void recordFailure(void) {
  thread.hasFailed = 1;
  if (thread.hasAsked)
    return;
  char line[QF_ERROR_BYTES + 32];
  Message message = startMessage(line, sizeof line);
  PUT(&message, "quant-float: error: %s\n", STRING(thread.error));
  if (write(2, line, (size_t)(message.next - line)) < 0)
    return;
}

/* Records a failed call. Returns whether the call succeeded. */
static int check(const QfCudaDriver *driver, const char *call,
                 CUresult result) {
  if (result && !thread.hasFailed) {
    qfCudaDescribe(driver, call, result, thread.error, sizeof thread.error);
    recordFailure();
  }
  return !result;
}

static void failWith(const char *format, const Value *values) {
  Message message = startMessage(thread.error, sizeof thread.error);
  putFormatted(&message, format, values);
  recordFailure();
}
#define FAIL(format, ...) failWith(format, (const Value[]){__VA_ARGS__})

static void failWithMessage(const char *message) {
  FAIL("%s", STRING(message));
}

/* Returns the primary context of a device, which is retained once. */
static CUcontext getPrimaryContext(const QfCudaDriver *driver, int ordinal) {
  static CUcontext contexts[QF_MOST_DEVICES];
  static Lock lock;
  if (ordinal < 0 || ordinal >= QF_MOST_DEVICES) {
    FAIL("expected a device from 0 to %d, but got %d",
         NUMBER(QF_MOST_DEVICES - 1), NUMBER(ordinal));
    return 0;
  }
  acquire(&lock);
  CUdevice device;
  if (!contexts[ordinal] &&
      check(driver, "cuDeviceGet", driver->cuDeviceGet(&device, ordinal)) &&
      !check(driver, "cuDevicePrimaryCtxRetain",
             driver->cuDevicePrimaryCtxRetain(&contexts[ordinal], device)))
    contexts[ordinal] = 0;
  CUcontext context = contexts[ordinal];
  release(&lock);
  return context;
}

/* Makes the thread's context current until `leave`. Returns the driver, or null
 * after an error. */
static const QfCudaDriver *enter(CUcontext *context) {
  if (thread.hasFailed)
    return 0;
  const QfCudaDriver *driver =
      qfCudaGetDriver(thread.error, sizeof thread.error);
  if (!driver) {
    recordFailure();
    return 0;
  }
  *context = 0;
  if (!thread.hasChosenDevice &&
      !check(driver, "cuCtxGetCurrent", driver->cuCtxGetCurrent(context)))
    return 0;
  if (!*context)
    *context = getPrimaryContext(driver, thread.device);
  if (!*context ||
      !check(driver, "cuCtxPushCurrent", driver->cuCtxPushCurrent(*context)))
    return 0;
  return driver;
}

static void leave(const QfCudaDriver *driver) {
  CUcontext popped;
  driver->cuCtxPopCurrent(&popped);
}

/* Calls the driver in this thread's context. */
#define QF_CALL(name, ...)                                                     \
  do {                                                                         \
    CUcontext context;                                                         \
    const QfCudaDriver *driver = enter(&context);                              \
    if (!driver)                                                               \
      break;                                                                   \
    check(driver, #name, driver->name(__VA_ARGS__));                           \
    leave(driver);                                                             \
  } while (0)

/* Releases a handle, also after an error. Ignores that the driver has shut
 * down. */
#define QF_RELEASE(name, handle)                                               \
  do {                                                                         \
    const QfCudaDriver *driver = (handle) ? qfCudaGetDriver(0, 0) : 0;         \
    if (!driver)                                                               \
      break;                                                                   \
    CUresult result = driver->name(handle);                                    \
    if (result != QF_CUDA_ERROR_DEINITIALIZED)                                 \
      check(driver, #name, result);                                            \
  } while (0)

void mgpuSetDefaultDevice(int32_t device) {
  thread.device = device;
  thread.hasChosenDevice = 1;
}

static void *makeModule(const void *image, int level) {
  Module *module = calloc(1, sizeof(Module));
  if (!module) {
    if (!thread.hasFailed)
      failWithMessage("no memory for a module");
    return 0;
  }
  module->image = image;
  module->level = level;
  return module;
}

void *mgpuModuleLoad(void *data, size_t bytes) {
  (void)bytes;
  return makeModule(data, -1);
}

void *mgpuModuleLoadJIT(void *data, int32_t level) {
  return makeModule(data, level);
}

void mgpuModuleUnload(void *handle) {
  Module *module = handle;
  if (!module)
    return;
  while (module->loaded) {
    Loaded *loaded = module->loaded;
    module->loaded = loaded->next;
    const QfCudaDriver *driver = qfCudaGetDriver(0, 0);
    /* The driver may have shut down when the process exits. */
    if (driver && !driver->cuCtxPushCurrent(loaded->context)) {
      driver->cuModuleUnload(loaded->module);
      leave(driver);
    }
    free(loaded);
  }
  free(module);
}

/* Returns the module in the current context, and loads it if necessary. */
static CUmodule getLoaded(const QfCudaDriver *driver, Module *module,
                          CUcontext context) {
  acquire(&module->lock);
  Loaded *loaded = module->loaded;
  while (loaded && loaded->context != context)
    loaded = loaded->next;
  CUmodule result = loaded ? loaded->module : 0;
  if (!loaded) {
    loaded = calloc(1, sizeof(Loaded));
    if (!loaded) {
      failWithMessage("no memory for a module");
    } else if (!qfCudaLoadModule(driver, module->image, module->level,
                                 &loaded->module, thread.error,
                                 sizeof thread.error)) {
      recordFailure();
      free(loaded);
    } else {
      loaded->context = context;
      loaded->next = module->loaded;
      module->loaded = loaded;
      result = loaded->module;
    }
  }
  release(&module->lock);
  return result;
}

void *mgpuModuleGetFunction(void *handle, const char *name) {
  CUcontext context;
  CUfunction function = 0;
  if (!handle && !thread.hasFailed)
    failWithMessage("the kernels are not loaded: the constructors of their "
                    "library have not run");
  const QfCudaDriver *driver = enter(&context);
  if (!driver)
    return 0;
  CUmodule module = getLoaded(driver, handle, context);
  if (module) {
    CUresult result = driver->cuModuleGetFunction(&function, module, name);
    if (result) {
      function = 0;
      char call[256];
      Message message = startMessage(call, sizeof call);
      PUT(&message, "cuModuleGetFunction of '%s'", STRING(name));
      check(driver, call, result);
    }
  }
  leave(driver);
  return function;
}

/* Whether the launch is valid and not empty. Reports sizes that the driver does
 * not support. */
static int isLaunch(const intptr_t *grid, const intptr_t *block) {
  static const intptr_t max[] = {INT32_MAX, 65535, 65535};
  int isEmpty = 0;
  for (int i = 0; i < 3; ++i) {
    if (grid[i] < 0 || grid[i] > max[i] || block[i] < 0 || block[i] > 1024) {
      FAIL("expected a launch of at most 2147483647x65535x65535 blocks of at "
           "most 1024 threads, but got %dx%dx%d blocks of %dx%dx%d",
           NUMBER(grid[0]), NUMBER(grid[1]), NUMBER(grid[2]), NUMBER(block[0]),
           NUMBER(block[1]), NUMBER(block[2]));
      return 0;
    }
    isEmpty |= !grid[i] || !block[i];
  }
  return !isEmpty;
}

void quantFloatGpuStartTiming(void) {
  thread.isTiming = 1;
  thread.seconds = 0;
}

double quantFloatGpuStopTiming(void) {
  thread.isTiming = 0;
  return thread.seconds;
}

/* Records an event on the stream if launches are timed; null otherwise. */
static CUevent markTime(const QfCudaDriver *driver, CUstream stream) {
  CUevent event = 0;
  if (!thread.isTiming || thread.hasFailed ||
      !check(driver, "cuEventCreate", driver->cuEventCreate(&event, 0)))
    return 0;
  check(driver, "cuEventRecord", driver->cuEventRecord(event, stream));
  return event;
}

static void addTime(const QfCudaDriver *driver, CUevent start, CUevent stop) {
  float milliseconds = 0;
  if (start && stop && !thread.hasFailed &&
      check(driver, "cuEventSynchronize", driver->cuEventSynchronize(stop)) &&
      check(driver, "cuEventElapsedTime",
            driver->cuEventElapsedTime(&milliseconds, start, stop)))
    thread.seconds += milliseconds * 1e-3;
  if (start)
    driver->cuEventDestroy(start);
  if (stop)
    driver->cuEventDestroy(stop);
}

/* Allows a kernel more shared memory than every device has without opt-in. */
static void setSharedBytes(const QfCudaDriver *driver, CUfunction function,
                           int32_t bytes) {
  if (bytes > 48 * 1024)
    check(driver, "cuFuncSetAttribute",
          driver->cuFuncSetAttribute(
              function,
              (CUfunction_attribute)QF_CUDA_FUNCTION_MAX_DYNAMIC_SHARED_BYTES,
              bytes));
}

void quantFloatGpuEncodeTensorMap(void *map, void *address, int64_t rows,
                                  int64_t columns, int64_t rowBytes,
                                  int32_t elementBytes, int32_t boxRows,
                                  int32_t boxColumns) {
  const cuuint64_t sizes[] = {(cuuint64_t)columns, (cuuint64_t)rows};
  const cuuint64_t strides[] = {(cuuint64_t)rowBytes};
  const cuuint32_t box[] = {(cuuint32_t)boxColumns, (cuuint32_t)boxRows};
  const cuuint32_t elementStrides[] = {1, 1};
  CUcontext context;
  const QfCudaDriver *driver = enter(&context);
  if (!driver)
    return;
  if (driver->cuTensorMapEncodeTiled)
    check(driver, "cuTensorMapEncodeTiled",
          driver->cuTensorMapEncodeTiled(
              map,
              (CUtensorMapDataType)(elementBytes == 2
                                        ? QF_CUDA_TENSOR_MAP_UINT16
                                        : QF_CUDA_TENSOR_MAP_UINT8),
              2, address, sizes, strides, box, elementStrides,
              (CUtensorMapInterleave)0,
              (CUtensorMapSwizzle)QF_CUDA_TENSOR_MAP_SWIZZLE_128B,
              (CUtensorMapL2promotion)QF_CUDA_TENSOR_MAP_L2_PROMOTION_256B,
              (CUtensorMapFloatOOBfill)0));
  else
    failWithMessage("the NVIDIA driver is too old: libcuda.so.1 has no "
                    "cuTensorMapEncodeTiled");
  leave(driver);
}

void mgpuLaunchKernel(void *function, intptr_t gridX, intptr_t gridY,
                      intptr_t gridZ, intptr_t blockX, intptr_t blockY,
                      intptr_t blockZ, int32_t shared, void *stream,
                      void **parameters, void **extra, size_t count) {
  (void)count;
  const intptr_t grid[] = {gridX, gridY, gridZ};
  const intptr_t block[] = {blockX, blockY, blockZ};
  if (thread.hasFailed || !isLaunch(grid, block))
    return;
  CUcontext context;
  const QfCudaDriver *driver = enter(&context);
  if (!driver)
    return;
  setSharedBytes(driver, function, shared);
  CUevent start = markTime(driver, stream);
  check(driver, "cuLaunchKernel",
        driver->cuLaunchKernel(function, (unsigned)gridX, (unsigned)gridY,
                               (unsigned)gridZ, (unsigned)blockX,
                               (unsigned)blockY, (unsigned)blockZ,
                               (unsigned)shared, stream, parameters, extra));
  addTime(driver, start, markTime(driver, stream));
  leave(driver);
}

void mgpuLaunchClusterKernel(void *function, intptr_t clusterX,
                             intptr_t clusterY, intptr_t clusterZ,
                             intptr_t gridX, intptr_t gridY, intptr_t gridZ,
                             intptr_t blockX, intptr_t blockY, intptr_t blockZ,
                             int32_t shared, void *stream, void **parameters,
                             void **extra) {
  const intptr_t grid[] = {gridX, gridY, gridZ};
  const intptr_t block[] = {blockX, blockY, blockZ};
  if (thread.hasFailed || !isLaunch(grid, block))
    return;
  CUlaunchAttribute cluster = {0};
  cluster.id = QF_CUDA_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
  cluster.value.clusterDim.x = (unsigned)clusterX;
  cluster.value.clusterDim.y = (unsigned)clusterY;
  cluster.value.clusterDim.z = (unsigned)clusterZ;
  CUlaunchConfig config = {0};
  config.gridDimX = (unsigned)gridX;
  config.gridDimY = (unsigned)gridY;
  config.gridDimZ = (unsigned)gridZ;
  config.blockDimX = (unsigned)blockX;
  config.blockDimY = (unsigned)blockY;
  config.blockDimZ = (unsigned)blockZ;
  config.sharedMemBytes = (unsigned)shared;
  config.hStream = stream;
  config.attrs = &cluster;
  config.numAttrs = 1;
  CUcontext context;
  const QfCudaDriver *driver = enter(&context);
  if (!driver)
    return;
  if (driver->cuLaunchKernelEx) {
    CUevent start = markTime(driver, stream);
    check(driver, "cuLaunchKernelEx",
          driver->cuLaunchKernelEx(&config, function, parameters, extra));
    addTime(driver, start, markTime(driver, stream));
  } else {
    failWithMessage("the NVIDIA driver is too old: libcuda.so.1 has no "
                    "cuLaunchKernelEx");
  }
  leave(driver);
}

void *mgpuStreamCreate(void) {
  CUstream stream = 0;
  QF_CALL(cuStreamCreate, &stream, QF_CUDA_STREAM_NON_BLOCKING);
  return stream;
}

void mgpuStreamDestroy(void *stream) { QF_RELEASE(cuStreamDestroy, stream); }

void mgpuStreamSynchronize(void *stream) {
  QF_CALL(cuStreamSynchronize, stream);
}

void mgpuStreamWaitEvent(void *stream, void *event) {
  QF_CALL(cuStreamWaitEvent, stream, event, 0);
}

void *mgpuEventCreate(void) {
  CUevent event = 0;
  QF_CALL(cuEventCreate, &event, QF_CUDA_EVENT_DISABLE_TIMING);
  return event;
}

void mgpuEventDestroy(void *event) { QF_RELEASE(cuEventDestroy, event); }

void mgpuEventSynchronize(void *event) { QF_CALL(cuEventSynchronize, event); }

void mgpuEventRecord(void *event, void *stream) {
  QF_CALL(cuEventRecord, event, stream);
}

void *mgpuMemAlloc(uint64_t bytes, void *stream, uint8_t isHostShared) {
  (void)stream;
  CUdeviceptr pointer = 0;
  CUcontext context;
  const QfCudaDriver *driver = enter(&context);
  if (!driver)
    return 0;
  /* The driver rejects 0 bytes, but empty tensors have an address, too. */
  size_t max = bytes ? bytes : 1;
  CUresult result =
      isHostShared
          ? driver->cuMemAllocManaged(&pointer, max, QF_CUDA_MEM_ATTACH_GLOBAL)
          : driver->cuMemAlloc(&pointer, max);
  char call[64];
  Message message = startMessage(call, sizeof call);
  PUT(&message, "cuMemAlloc of %d bytes", NUMBER((int64_t)bytes));
  if (!check(driver, call, result))
    pointer = 0;
  leave(driver);
  return (void *)(uintptr_t)pointer;
}

void mgpuMemFree(void *pointer, void *stream) {
  (void)stream;
  QF_RELEASE(cuMemFree, (CUdeviceptr)(uintptr_t)pointer);
}

void mgpuMemcpy(void *to, void *from, size_t bytes, void *stream) {
  if (bytes)
    QF_CALL(cuMemcpyAsync, (uintptr_t)to, (uintptr_t)from, bytes, stream);
}

void mgpuMemset32(void *pointer, unsigned value, size_t count, void *stream) {
  if (count)
    QF_CALL(cuMemsetD32Async, (uintptr_t)pointer, value, count, stream);
}

void mgpuMemset16(void *pointer, unsigned short value, size_t count,
                  void *stream) {
  if (count)
    QF_CALL(cuMemsetD16Async, (uintptr_t)pointer, value, count, stream);
}

void mgpuMemHostRegister(void *pointer, uint64_t bytes) {
  if (bytes)
    QF_CALL(cuMemHostRegister, pointer, bytes, 0);
}

void mgpuMemHostUnregister(void *pointer) {
  QF_CALL(cuMemHostUnregister, pointer);
}

/* The descriptor of a ranked memref. */
typedef struct Descriptor {
  char *base;
  char *data;
  int64_t offset;
  int64_t sizesAndStrides[];
} Descriptor;

void mgpuMemHostRegisterMemRef(int64_t rank, void *pointer,
                               int64_t elementBytes) {
  const Descriptor *descriptor = pointer;
  const int64_t *sizes = descriptor->sizesAndStrides;
  int64_t elements = 1;
  for (int64_t i = rank - 1; i >= 0; --i) {
    if (sizes[i] > 1 && sizes[rank + i] != elements) {
      if (!thread.hasFailed)
        failWithMessage("expected a contiguous memref to register");
      return;
    }
    elements *= sizes[i];
  }
  mgpuMemHostRegister(descriptor->data + descriptor->offset * elementBytes,
                      (uint64_t)(elements * elementBytes));
}

void mgpuMemHostUnregisterMemRef(int64_t rank, void *pointer,
                                 int64_t elementBytes) {
  const Descriptor *descriptor = pointer;
  (void)rank;
  mgpuMemHostUnregister(descriptor->data + descriptor->offset * elementBytes);
}
