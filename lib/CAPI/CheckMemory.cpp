//===- CheckMemory.cpp - Whether tensors are where they claim -------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Kernel.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CheckedArithmetic.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::capi;

namespace {
/// Addresses that the process may use alike.
struct Mapping {
  uint64_t first;
  uint64_t end;
  bool isReadable;
  bool isWritable;
};
} // namespace

/// The process's mappings, in the order of addresses: lines of
/// "first-end rwxp ...".
static llvm::Expected<std::vector<Mapping>> readMappings() {
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> file =
      llvm::MemoryBuffer::getFileAsStream("/proc/self/maps");
  if (!file)
    return llvm::createStringError("/proc/self/maps cannot be read");
  std::vector<Mapping> mappings;
  StringRef rest = (*file)->getBuffer();
  while (!rest.empty()) {
    auto [line, others] = rest.split('\n');
    rest = others;
    auto [range, rights] = line.split(' ');
    auto [first, end] = range.split('-');
    Mapping mapping = {0, 0, rights.starts_with("r"),
                       rights.drop_front().starts_with("w")};
    if (!first.getAsInteger(16, mapping.first) &&
        !end.getAsInteger(16, mapping.end))
      mappings.push_back(mapping);
  }
  return mappings;
}

static bool isCovered(ArrayRef<Mapping> mappings, const void *data,
                      uint64_t bytes, bool written) {
  uint64_t address = reinterpret_cast<uintptr_t>(data);
  for (const Mapping &mapping : mappings) {
    if (!bytes)
      break;
    if (mapping.first > address || address >= mapping.end ||
        !mapping.isReadable || (written && !mapping.isWritable))
      continue;
    bytes -= std::min(bytes, mapping.end - address);
    address = mapping.end;
  }
  return !bytes;
}

/// The bytes of a tensor; none where entry points refuse its sizes.
static uint64_t getBytes(const qf_tensor &tensor) {
  uint64_t bytes = getElementBytes(tensor.dtype);
  for (int32_t i = 0; i < tensor.rank; ++i) {
    std::optional<uint64_t> product =
        tensor.sizes[i] < 0
            ? std::nullopt
            : llvm::checkedMulUnsigned<uint64_t>(bytes, tensor.sizes[i]);
    if (!product)
      return 0;
    bytes = *product;
  }
  return bytes;
}

static llvm::Error check(ArrayRef<Mapping> mappings,
                         ArrayRef<qf_tensor> tensors, StringRef kind,
                         bool written) {
  StringRef use = written ? "written" : "read";
  for (auto [index, tensor] : llvm::enumerate(tensors)) {
    if (tensor.rank > 0 && tensor.sizes &&
        !isCovered(mappings, tensor.sizes, 8 * uint64_t(tensor.rank), false))
      return llvm::createStringError(kind + " " + Twine(index) +
                                     ": the sizes cannot be read");
    if (!tensor.data || tensor.rank < 0 || (tensor.rank > 0 && !tensor.sizes))
      continue;
    if (!isCovered(mappings, tensor.data, getBytes(tensor), written))
      return llvm::createStringError(kind + " " + Twine(index) +
                                     ": the memory cannot be " + use);
  }
  return llvm::Error::success();
}

llvm::Error capi::checkMemory(ArrayRef<qf_tensor> inputs,
                              ArrayRef<qf_tensor> outputs) {
  llvm::Expected<std::vector<Mapping>> mappings = readMappings();
  if (!mappings)
    return mappings.takeError();
  if (llvm::Error error = check(*mappings, inputs, "input", false))
    return error;
  return check(*mappings, outputs, "output", true);
}
