//===- CudaDevice.cpp - Memory of an NVIDIA GPU ---------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/ExecutionEngine/CudaDevice.h"
#include "../CudaRuntime/CudaContext.h"
#include "quant-float/Support/NvidiaChip.h"

using namespace mlir;
using namespace mlir::quant_float;

static CUdeviceptr toDevice(const void *pointer) {
  return reinterpret_cast<uintptr_t>(pointer);
}

llvm::Expected<CudaDevice> CudaDevice::open() {
  auto context = std::make_shared<CudaContext>();
  std::string error;
  if (!context->open(/*ordinal=*/0, error))
    return llvm::createStringError(error);
  CudaDevice device;
  device.context = std::move(context);
  return device;
}

llvm::Expected<std::string> CudaDevice::getChip() const {
  static const StringRef known[] = {
#define QUANT_FLOAT_NVIDIA_CHIP(Name, ...) Name,
#include "quant-float/Support/NvidiaChips.def"
  };
  unsigned capability = context->getCapability();
  std::string own = "sm_" + std::to_string(capability);
  unsigned newest = 0;
  for (StringRef name : known) {
    unsigned number;
    // Names that end in a letter are of chips that stand without it too.
    if (name.consume_front("sm_") && !name.getAsInteger(10, number) &&
        number <= capability)
      newest = std::max(newest, number);
  }
  if (!newest)
    return llvm::createStringError(
        "expected a device of sm_75 or newer, but got " + own);
  // Code for "a" runs on no chip but the one it is for.
  llvm::Expected<NvidiaChip> special = NvidiaChip::get(own + "a");
  if (special && special->has(NvidiaFeature::NarrowFloat))
    return special->name;
  if (!special)
    llvm::consumeError(special.takeError());
  return "sm_" + std::to_string(newest);
}

llvm::Expected<void *> CudaDevice::allocate(size_t bytes) const {
  CUdeviceptr pointer = 0;
  std::string error;
  if (!context->allocate(bytes, pointer, error))
    return llvm::createStringError(error);
  return reinterpret_cast<void *>(pointer);
}

void CudaDevice::free(void *pointer) const { context->free(toDevice(pointer)); }

llvm::Error CudaDevice::upload(void *to, ArrayRef<char> bytes) const {
  std::string error;
  if (!context->upload(toDevice(to), bytes.data(), bytes.size(), error))
    return llvm::createStringError(error);
  return llvm::Error::success();
}

llvm::Error CudaDevice::download(MutableArrayRef<char> bytes,
                                 const void *from) const {
  std::string error;
  if (!context->download(bytes.data(), toDevice(from), bytes.size(), error))
    return llvm::createStringError(error);
  return llvm::Error::success();
}
