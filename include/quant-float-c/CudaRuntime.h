/*===-- quant-float-c/CudaRuntime.h - Kernels on NVIDIA GPUs -----*- C -*-===*\
|*                                                                            *|
|* Part of the quant-float project, under the Apache License v2.0 with LLVM   *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/
/*
 * The functions that host code calls after MLIR's gpu-to-llvm pass and the
 * translation of gpu.binary, under the names and with the types of LLVM 22, and
 * one to ask what failed. The library (libQuantFloatCudaRuntime.a or .so) needs
 * no CUDA toolkit: it loads the driver, libcuda.so.1, when it is first needed.
 *
 * Errors. A call that fails keeps its error for the thread that made it; until
 * that thread asks for it, its later calls do nothing, and return null, except
 * those that give something back. The first error of a thread that has never
 * asked goes to standard error as well. Loading a module only notes where it
 * is: code that does so when a library is loaded neither needs a driver nor
 * fails.
 *
 * Devices. A thread works in the context that is current in it, without one in
 * the primary context of device 0, and after mgpuSetDefaultDevice in that of
 * the device it named. A module is loaded once into each context in which it is
 * asked for a function.
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
 * The first error of this thread since it last asked, or null. The text lives
 * until the thread asks again.
 */
const char *quantFloatGpuTakeError(void);

void mgpuSetDefaultDevice(int32_t device);

/*
 * Between these two each launch of this thread is waited for, and the seconds
 * that the device took for all of them are what the second returns.
 */
void quantFloatGpuStartTiming(void);
double quantFloatGpuStopTiming(void);

/* A cubin or fatbin; PTX, as text that ends in a zero byte, is compiled by the
 * driver with optimization level 0 to 4. `data` must live as long as the
 * module. */
void *mgpuModuleLoad(void *data, size_t bytes);
void *mgpuModuleLoadJIT(void *data, int32_t level);
void mgpuModuleUnload(void *module);
void *mgpuModuleGetFunction(void *module, const char *name);

/* `parameters` points to the values, as many as the kernel has. A launch of no
 * blocks or threads does nothing. */
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

/* Memory of the device; with `isHostShared` managed memory, which the host can
 * reach as well. */
void *mgpuMemAlloc(uint64_t bytes, void *stream, uint8_t isHostShared);
void mgpuMemFree(void *pointer, void *stream);
void mgpuMemcpy(void *to, void *from, size_t bytes, void *stream);
void mgpuMemset32(void *pointer, unsigned value, size_t count, void *stream);
void mgpuMemset16(void *pointer, unsigned short value, size_t count,
                  void *stream);

void mgpuMemHostRegister(void *pointer, uint64_t bytes);
void mgpuMemHostUnregister(void *pointer);
/* `descriptor` is that of a contiguous memref of `rank` sizes. */
void mgpuMemHostRegisterMemRef(int64_t rank, void *descriptor,
                               int64_t elementBytes);
void mgpuMemHostUnregisterMemRef(int64_t rank, void *descriptor,
                                 int64_t elementBytes);

#ifdef __cplusplus
}
#endif

#endif /* QUANT_FLOAT_C_CUDARUNTIME_H */
