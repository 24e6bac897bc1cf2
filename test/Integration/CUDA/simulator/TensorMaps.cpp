//===- TensorMaps.cpp - Tensor maps of TMA --------------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TensorMaps.h"
#include "../../../../lib/Runtime/Cuda/CudaDriver.h"
#include "Calls.h"
#include "Errors.h"
#include "Memory.h"
#include <cstring>

using namespace simulator;

bool TensorMap::isAllocated() const {
  uint64_t last = (uint64_t(sizes[1]) - 1) * rowBytes;
  return simulator::isAllocated(address,
                                last + uint64_t(sizes[0]) * elementBytes);
}

void TensorMap::copyBox(const int32_t (&coordinates)[2],
                        uint64_t target) const {
  for (uint32_t row = 0; row < box[1]; ++row)
    for (uint32_t column = 0; column < box[0]; ++column) {
      int64_t x = int64_t(coordinates[0]) + column;
      int64_t y = int64_t(coordinates[1]) + row;
      auto *to = reinterpret_cast<char *>(
          swizzle(target + (uint64_t(row) * box[0] + column) * elementBytes));
      if (x < 0 || x >= sizes[0] || y < 0 || y >= sizes[1])
        memset(to, 0, elementBytes);
      else
        memcpy(to,
               reinterpret_cast<const char *>(address + y * rowBytes +
                                              x * elementBytes),
               elementBytes);
    }
}

extern "C" {

/// Two dimensions with the 128-byte swizzle, of elements of one or two bytes.
/// The limits are those of the driver API's documentation.
CUresult cuTensorMapEncodeTiled(
    CUtensorMap *result, CUtensorMapDataType type, unsigned rank, void *address,
    const cuuint64_t *sizes, const cuuint64_t *strides, const cuuint32_t *box,
    const cuuint32_t *elementStrides, CUtensorMapInterleave interleave,
    CUtensorMapSwizzle swizzle, CUtensorMapL2promotion,
    CUtensorMapFloatOOBfill fill) {
  constexpr uint64_t kMaxSize = uint64_t(1) << 32, kMaxStride = uint64_t(1)
                                                                << 40;
  constexpr unsigned kMaxBox = 256, kSwizzleBytes = 128, kAlignment = 16;
  if (CUresult error = noteCall(__func__))
    return error;
  if (reinterpret_cast<uint64_t>(result) % 64 || rank != 2 || interleave ||
      fill || swizzle != QF_CUDA_TENSOR_MAP_SWIZZLE_128B ||
      (type != QF_CUDA_TENSOR_MAP_UINT8 && type != QF_CUDA_TENSOR_MAP_UINT16))
    return kInvalidValue;
  TensorMap map = {};
  map.magic = TensorMap::kMagic;
  map.address = reinterpret_cast<uint64_t>(address);
  map.rowBytes = strides[0];
  map.elementBytes = type == QF_CUDA_TENSOR_MAP_UINT16 ? 2 : 1;
  for (int i = 0; i < 2; ++i) {
    if (!sizes[i] || sizes[i] > kMaxSize || !box[i] || box[i] > kMaxBox ||
        elementStrides[i] != 1)
      return kInvalidValue;
    map.sizes[i] = sizes[i] - (sizes[i] == kMaxSize);
    map.box[i] = box[i];
  }
  uint64_t boxBytes = uint64_t(box[0]) * map.elementBytes;
  if (map.address % kAlignment || map.rowBytes % kAlignment ||
      map.rowBytes >= kMaxStride || boxBytes % kAlignment ||
      boxBytes > kSwizzleBytes)
    return kInvalidValue;
  static_assert(sizeof(map) <= sizeof(CUtensorMap), "must fit");
  memset(result, 0, sizeof *result);
  memcpy(result, &map, sizeof map);
  return 0;
}

} // extern "C"
