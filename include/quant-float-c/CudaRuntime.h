/*===-- quant-float-c/CudaRuntime.h - Kernels on NVIDIA GPUs -----*- C -*-===*\
|*                                                                            *|
|* Part of the quant-float project, under the Apache License v2.0 with LLVM   *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/
/*
 * The functions that host code calls after MLIR's gpu-to-llvm pass and the
 * translation of gpu.binary, with the names and types of LLVM 22, and a
 * function to query errors. The library (libQuantFloatCudaRuntime.a or .so)
 * does not require the CUDA toolkit: it loads the driver, libcuda.so.1, on
 * first use.
 *
 * Errors. The error of a failed call is stored for the calling thread. Until
 * the thread takes it, its later calls do nothing and return null, except those
 * that release resources. The first error of a thread that has never taken an
 * error is also printed to standard error. Loading a module only records its
 * address: code that does so when a library is loaded neither needs a driver
 * nor fails.
 *
 * Devices. A thread uses its current context; if it has none, the primary
 * context of device 0, or of the device that was passed to
 * mgpuSetDefaultDevice. A module is loaded once into each context in which one
 * of its functions is requested.
 *
 * All functions may be called from any number of threads at once.
 */
#ifndef QUANT_FLOAT_C_CUDARUNTIME_H
#define QUANT_FLOAT_C_CUDARUNTIME_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Returns the first error of this thread since the last call, or null, and
 * clears it. The string is valid until the thread's next call.
 */
const char *quantFloatGpuTakeError(void);

void mgpuSetDefaultDevice(int32_t device);

/*
 * Between these two calls, each launch of this thread is synchronous. The
 * second call returns the total device time of the launches in seconds.
 */
void quantFloatGpuStartTiming(void);
double quantFloatGpuStopTiming(void);

/*
 * Encodes the CUtensorMap of a matrix in device memory at `map`, 128 bytes of
 * host memory that are aligned to 64, for loads of boxes with the 128-byte
 * swizzle and zeros out of bounds. The matrix has at least one row and one
 * column of 1 or 2 bytes each. Its address and the distance of its rows are
 * multiples of 16 bytes, a box has at most 256 rows of at most 128 bytes.
 */
void quantFloatGpuEncodeTensorMap(void *map, void *address, int64_t rows,
                                  int64_t columns, int64_t rowBytes,
                                  int32_t elementBytes, int32_t boxRows,
                                  int32_t boxColumns);

/* mgpuModuleLoad takes a cubin or fatbin. mgpuModuleLoadJIT takes PTX as a
 * null-terminated string, which the driver compiles with optimization level 0
 * to 4. `data` must outlive the module. */
void *mgpuModuleLoad(void *data, size_t bytes);
void *mgpuModuleLoadJIT(void *data, int32_t level);
void mgpuModuleUnload(void *module);
void *mgpuModuleGetFunction(void *module, const char *name);

/* `parameters` points to the addresses of the kernel's parameters, `count` of
 * them. A launch with zero blocks or threads does nothing. */
void mgpuLaunchKernel(void *function, intptr_t gridX, intptr_t gridY,
                      intptr_t gridZ, intptr_t blockX, intptr_t blockY,
                      intptr_t blockZ, int32_t shared, void *stream,
                      void **parameters, void **extra, size_t count);
void mgpuLaunchClusterKernel(void *function, intptr_t clusterX,
                             intptr_t clusterY, intptr_t clusterZ,
                             intptr_t gridX, intptr_t gridY, intptr_t gridZ,
                             intptr_t blockX, intptr_t blockY, intptr_t blockZ,
                             int32_t shared, void *stream, void **parameters,
                             void **extra);

void *mgpuStreamCreate(void);
void mgpuStreamDestroy(void *stream);
void mgpuStreamSynchronize(void *stream);
void mgpuStreamWaitEvent(void *stream, void *event);

void *mgpuEventCreate(void);
void mgpuEventDestroy(void *event);
void mgpuEventSynchronize(void *event);
void mgpuEventRecord(void *event, void *stream);

/* Allocates device memory, or with `isHostShared` managed memory, which is also
 * accessible from the host. */
void *mgpuMemAlloc(uint64_t bytes, void *stream, uint8_t isHostShared);
void mgpuMemFree(void *pointer, void *stream);
void mgpuMemcpy(void *to, void *from, size_t bytes, void *stream);
void mgpuMemset32(void *pointer, unsigned value, size_t count, void *stream);
void mgpuMemset16(void *pointer, unsigned short value, size_t count,
                  void *stream);

void mgpuMemHostRegister(void *pointer, uint64_t bytes);
void mgpuMemHostUnregister(void *pointer);
/* `descriptor` is the descriptor of a contiguous memref of rank `rank`. */
void mgpuMemHostRegisterMemRef(int64_t rank, void *descriptor,
                               int64_t elementBytes);
void mgpuMemHostUnregisterMemRef(int64_t rank, void *descriptor,
                                 int64_t elementBytes);

#ifdef __cplusplus
}
#endif

#endif /* QUANT_FLOAT_C_CUDARUNTIME_H */
