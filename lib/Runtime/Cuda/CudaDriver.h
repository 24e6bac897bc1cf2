/*===-- CudaDriver.h - Load the CUDA driver -----------------------*- C -*-===*\
|*                                                                            *|
|* Part of the quant-float project, under the Apache License v2.0 with LLVM   *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/
/*
 * Declares the part of the driver API that is used, so that no CUDA toolkit is
 * needed to build or load this code. If cuda.h is included first, the table
 * uses its types.
 */
#ifndef QUANT_FLOAT_LIB_RUNTIME_CUDA_CUDADRIVER_H
#define QUANT_FLOAT_LIB_RUNTIME_CUDA_CUDADRIVER_H

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
typedef int CUfunction_attribute;
typedef int CUtensorMapDataType;
typedef int CUtensorMapInterleave;
typedef int CUtensorMapSwizzle;
typedef int CUtensorMapL2promotion;
typedef int CUtensorMapFloatOOBfill;
typedef unsigned cuuint32_t;
typedef unsigned long long cuuint64_t;

typedef struct CUtensorMap {
  __attribute__((aligned(64))) cuuint64_t opaque[16];
} CUtensorMap;

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

/* Enumerators of cuda.h. */
enum {
  QF_CUDA_ERROR_DEINITIALIZED = 4,
  QF_CUDA_ERROR_NO_BINARY_FOR_GPU = 209,
  QF_CUDA_COMPUTE_CAPABILITY_MAJOR = 75,
  QF_CUDA_COMPUTE_CAPABILITY_MINOR = 76,
  QF_CUDA_EVENT_DISABLE_TIMING = 2,
  QF_CUDA_FUNCTION_MAX_DYNAMIC_SHARED_BYTES = 8,
  QF_CUDA_JIT_ERROR_LOG_BUFFER = 5,
  QF_CUDA_JIT_ERROR_LOG_BUFFER_SIZE_BYTES = 6,
  QF_CUDA_JIT_OPTIMIZATION_LEVEL = 7,
  QF_CUDA_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION = 4,
  QF_CUDA_MEM_ATTACH_GLOBAL = 1,
  QF_CUDA_STREAM_NON_BLOCKING = 1,
  QF_CUDA_TENSOR_MAP_L2_PROMOTION_256B = 3,
  QF_CUDA_TENSOR_MAP_SWIZZLE_128B = 3,
  QF_CUDA_TENSOR_MAP_UINT8 = 0,
  QF_CUDA_TENSOR_MAP_UINT16 = 1
};

typedef struct QfCudaDriver {
#define QF_CUDA_FUNCTION(name, symbol, parameters) CUresult(*name) parameters;
#include "CudaFunctions.def"
} QfCudaDriver;

/*
 * Returns the driver, which the first call loads and initializes. It stays
 * loaded. On failure, returns null and writes up to `size` bytes of the reason
 * to `error`.
 */
__attribute__((visibility("hidden"))) const QfCudaDriver *
qfCudaGetDriver(char *error, size_t size);

/*
 * Writes a message such as "cuMemAlloc failed: CUDA_ERROR_OUT_OF_MEMORY (out of
 * memory)" to `error`.
 */
__attribute__((visibility("hidden"))) void
qfCudaDescribe(const QfCudaDriver *driver, const char *call, CUresult result,
               char *error, size_t size);

/*
 * Loads a cubin, a fatbin or null-terminated PTX into the current context.
 * `level` is the optimization level for PTX, 0 to 4, or negative for the
 * driver's default. On failure, returns 0 and writes the reason to `error`.
 */
__attribute__((visibility("hidden"))) int
qfCudaLoadModule(const QfCudaDriver *driver, const void *image, int level,
                 CUmodule *module, char *error, size_t size);

#ifdef __cplusplus
}
#endif

#endif
