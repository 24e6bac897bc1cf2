//===- Tensors.h - Tensors on the host and on a GPU -------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_TOOLS_EXEC_TENSORS_H
#define QUANT_FLOAT_TOOLS_EXEC_TENSORS_H

#include "../../lib/CudaRuntime/CudaContext.h"
#include "Error.h"
#include "quant-float-c/EntryPoint.h"
#include "quant-float/TensorData/InputPlan.h"

namespace quant_float_exec {

/// Bytes of the host: allocated, or a file's.
class Memory {
public:
  Memory() = default;
  Memory(Memory &&other) { *this = std::move(other); }
  Memory &operator=(Memory &&other);
  ~Memory();

  /// `offset` is how far from a multiple of 4096 the bytes are.
  bool allocate(size_t bytes, size_t offset, std::string &error);
  /// Refuses what is no regular file.
  bool map(const std::string &path, std::string &error);

  char *data() const { return base + offset; }
  size_t size() const { return bytes; }

private:
  char *base = nullptr;
  size_t offset = 0, bytes = 0, mapped = 0;
};

/// A tensor on the host, as entry points take it.
struct Tensor {
  const mlir::quant_float::ElementLayout *element = nullptr;
  std::vector<int64_t> sizes;
  Memory memory;
  /// In `memory`; behind a header where that is a file.
  char *data = nullptr;
  size_t bytes = 0;

  int64_t getNumElements() const {
    return static_cast<int64_t>(bytes / element->slotBytes);
  }
  qf_tensor describe(void *where) const {
    return {where, sizes.data(), static_cast<int32_t>(sizes.size()),
            element->dtype};
  }
  /// Memory for `sizes`. What the last call had is taken again.
  bool allocate(size_t offset, std::string &error);
  /// Reads a .npy file or raw bytes, as an input of `plan` that may leave sizes
  /// open.
  bool read(const mlir::quant_float::PlannedInput &input, size_t offset,
            std::string &error);
};

/// Memory of the device, given back at the end.
class DeviceMemory {
public:
  explicit DeviceMemory(const mlir::quant_float::CudaContext &context)
      : context(context) {}
  DeviceMemory(DeviceMemory &&other)
      : context(other.context), pointer(other.pointer), offset(other.offset) {
    other.pointer = 0;
  }
  ~DeviceMemory() {
    if (pointer)
      context.free(pointer);
  }
  bool allocate(size_t bytes, size_t offset, std::string &error);
  CUdeviceptr get() const { return pointer + offset; }

private:
  const mlir::quant_float::CudaContext &context;
  CUdeviceptr pointer = 0;
  size_t offset = 0;
};

} // namespace quant_float_exec

#endif // QUANT_FLOAT_TOOLS_EXEC_TENSORS_H
