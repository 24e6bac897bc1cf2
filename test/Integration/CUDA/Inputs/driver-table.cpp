//===- driver-table.cpp - Our table against NVIDIA's header ---------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiled after cuda.h and CudaDriver.h. Every line is checked.
//
//===----------------------------------------------------------------------===//

#include <string_view>
#include <type_traits>

// cuda.h selects a later version, which old drivers lack.
static constexpr std::string_view kOldForm = "cuEventElapsedTime";

#define SYMBOL(name) #name
#define QF_CUDA_FUNCTION(name, symbol, parameters)                             \
  static_assert(                                                               \
      std::is_same_v<decltype(QfCudaDriver::name), decltype(&::name)>, #name); \
  static_assert(std::string_view(symbol) == SYMBOL_OF(name) ||                 \
                    symbol == kOldForm,                                        \
                #name);
#define SYMBOL_OF(name) SYMBOL(name)
#include "CudaFunctions.def"

#define VALUE(ours, theirs)                                                    \
  static_assert(static_cast<int>(ours) == static_cast<int>(theirs), #ours)
VALUE(QF_CUDA_ERROR_DEINITIALIZED, CUDA_ERROR_DEINITIALIZED);
VALUE(QF_CUDA_ERROR_NO_BINARY_FOR_GPU, CUDA_ERROR_NO_BINARY_FOR_GPU);
VALUE(QF_CUDA_COMPUTE_CAPABILITY_MAJOR,
      CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
VALUE(QF_CUDA_COMPUTE_CAPABILITY_MINOR,
      CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
VALUE(QF_CUDA_EVENT_DISABLE_TIMING, CU_EVENT_DISABLE_TIMING);
VALUE(QF_CUDA_FUNCTION_MAX_DYNAMIC_SHARED_BYTES,
      CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
VALUE(QF_CUDA_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER);
VALUE(QF_CUDA_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
      CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES);
VALUE(QF_CUDA_JIT_OPTIMIZATION_LEVEL, CU_JIT_OPTIMIZATION_LEVEL);
VALUE(QF_CUDA_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION,
      CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION);
VALUE(QF_CUDA_MEM_ATTACH_GLOBAL, CU_MEM_ATTACH_GLOBAL);
VALUE(QF_CUDA_STREAM_NON_BLOCKING, CU_STREAM_NON_BLOCKING);
VALUE(QF_CUDA_TENSOR_MAP_L2_PROMOTION_256B, CU_TENSOR_MAP_L2_PROMOTION_L2_256B);
VALUE(QF_CUDA_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_SWIZZLE_128B);
VALUE(QF_CUDA_TENSOR_MAP_UINT8, CU_TENSOR_MAP_DATA_TYPE_UINT8);
VALUE(QF_CUDA_TENSOR_MAP_UINT16, CU_TENSOR_MAP_DATA_TYPE_UINT16);
