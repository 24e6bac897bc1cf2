/*===-- CudaDriver.h - The CUDA driver, found at run time --------*- C -*-===*\
|*                                                                            *|
|* Part of the quant-float project, under the Apache License v2.0 with LLVM   *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/
/*
 * What is needed of the driver's API, declared here so that neither building
 * nor loading needs a CUDA toolkit. A file that includes cuda.h first gets that
 * header's types in the same table.
 */
#ifndef QUANT_FLOAT_CUDARUNTIME_CUDADRIVER_H
#define QUANT_FLOAT_CUDARUNTIME_CUDADRIVER_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef CUDA_VERSION
typedef int CUresult;
typedef int CUdevice;
typedef int CUdevice_attribute;
typedef int CUjit_option;
typedef unsigned long long CUdeviceptr;
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;

typedef struct CUlaunchAttribute {
  int id;
  char pad[8 - sizeof(int)];
  union {
    char bytes[64];
    struct {
      unsigned x, y, z;
    } clusterDim;
  } value;
} CUlaunchAttribute;

typedef struct CUlaunchConfig {
  unsigned gridDimX, gridDimY, gridDimZ;
  unsigned blockDimX, blockDimY, blockDimZ;
  unsigned sharedMemBytes;
  CUstream hStream;
  CUlaunchAttribute *attrs;
  unsigned numAttrs;
} CUlaunchConfig;
#endif

/* The values of cuda.h's enumerations that are used. */
enum {
  QF_CUDA_ERROR_DEINITIALIZED = 4,
  QF_CUDA_ERROR_NO_BINARY_FOR_GPU = 209,
  QF_CUDA_COMPUTE_CAPABILITY_MAJOR = 75,
  QF_CUDA_COMPUTE_CAPABILITY_MINOR = 76,
  QF_CUDA_EVENT_DISABLE_TIMING = 2,
  QF_CUDA_JIT_ERROR_LOG_BUFFER = 5,
  QF_CUDA_JIT_ERROR_LOG_BUFFER_SIZE_BYTES = 6,
  QF_CUDA_JIT_OPTIMIZATION_LEVEL = 7,
  QF_CUDA_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION = 4,
  QF_CUDA_MEM_ATTACH_GLOBAL = 1,
  QF_CUDA_STREAM_NON_BLOCKING = 1
};

typedef struct QfCudaDriver {
#define QF_CUDA_FUNCTION(name, symbol, parameters) CUresult(*name) parameters;
#include "CudaFunctions.def"
} QfCudaDriver;

/*
 * The driver, loaded and initialized by the first call and kept as long as the
 * process lives; or null, and up to `size` bytes of the reason in `error`.
 */
__attribute__((visibility("hidden"))) const QfCudaDriver *
qfCudaGetDriver(char *error, size_t size);

/*
 * "cuMemAlloc failed: CUDA_ERROR_OUT_OF_MEMORY (out of memory)" in `error`.
 */
__attribute__((visibility("hidden"))) void
qfCudaDescribe(const QfCudaDriver *driver, const char *call, CUresult result,
               char *error, size_t size);

/*
 * Loads a cubin, a fatbin or PTX text (which ends in a zero byte) into the
 * current context. `level` optimizes PTX, 0 to 4; below 0 is the driver's own
 * choice. False, and the reason in `error`, where that fails.
 */
__attribute__((visibility("hidden"))) int
qfCudaLoadModule(const QfCudaDriver *driver, const void *image, int level,
                 CUmodule *module, char *error, size_t size);

#ifdef __cplusplus
}
#endif

#endif
