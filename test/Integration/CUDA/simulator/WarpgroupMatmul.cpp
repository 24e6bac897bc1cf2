//===- WarpgroupMatmul.cpp - wgmma.mma_async ------------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Follows "Asynchronous Warpgroup Level Matrix Instructions" of the PTX ISA:
// the matrix descriptors, the canonical layouts with the 128-byte swizzle, and
// the fragments of the accumulators.
//
//===----------------------------------------------------------------------===//

#include "WarpgroupMatmul.h"
#include "WarpMatmul.h"
#include <cstdio>
#include <cstring>
#include <string>

using namespace simulator;

namespace {

constexpr uint32_t kThreads = 128, kRows = 64;
/// The bytes of K of an instruction, and those of a row of the swizzle.
constexpr uint32_t kDepthBytes = 32, kSwizzleBytes = 128, kPieceBytes = 16;
/// Placeholders are NaNs, and as integers close to the largest one.
constexpr uint32_t kPlaceholder = 0x7f900000, kMaxPlaceholders = 1 << 20;

struct Descriptor {
  uint32_t start, leading, stride, base, swizzle;

  explicit Descriptor(uint64_t bits)
      : start(getField(bits, 0)), leading(getField(bits, 16)),
        stride(getField(bits, 32)), base(bits >> 49 & 7), swizzle(bits >> 62) {}

  static uint32_t getField(uint64_t bits, int first) {
    return (bits >> first & 0x3fff) << 4;
  }
};

/// Reads `lines` rows of A or columns of B, each `k` elements.
const char *readMatrix(uint64_t bits, bool isTransposed, uint32_t lines,
                       uint32_t k, const std::string &type,
                       std::vector<double> &values, SharedMemory &shared,
                       uint32_t warpgroup, uint32_t wgmma) {
  constexpr uint32_t kSwizzle128 = 1, kAtomBytes = 1024;
  Descriptor descriptor(bits);
  uint32_t bytes = kDepthBytes / k;
  if (descriptor.swizzle != kSwizzle128 || descriptor.base)
    return "expected a matrix with the 128-byte swizzle and without a base "
           "offset";
  if (descriptor.start % kAtomBytes >= kSwizzleBytes)
    return "the matrix does not start in the first row of the swizzle";
  if (!isTransposed &&
      descriptor.start % kSwizzleBytes + kDepthBytes > kSwizzleBytes)
    return "the matrix exceeds the rows of the swizzle";
  if (isTransposed && bytes != 2)
    return "expected a matrix that is contiguous along K";
  uint64_t start = shared.resolve(descriptor.start);
  if (!start)
    return "a wgmma reads out of bounds of shared memory";
  auto getAddress = [&](uint32_t line, uint32_t depth) {
    // Eight rows of the swizzle are an atom.
    uint32_t row = isTransposed ? depth : line;
    uint32_t inRow = (isTransposed ? line : depth) * bytes;
    return swizzle(
        start + row / 8 * descriptor.stride + row % 8 * kSwizzleBytes +
        inRow / kSwizzleBytes * descriptor.leading + inRow % kSwizzleBytes);
  };
  values.resize(lines * k);
  for (uint32_t line = 0; line < lines; ++line)
    for (uint32_t depth = 0; depth < k; ++depth) {
      uint64_t address = getAddress(line, depth);
      uint32_t inRow = (isTransposed ? line : depth) * bytes;
      if (inRow % kPieceBytes == 0)
        if (const char *error =
                shared.beginWgmmaRead(address, warpgroup, wgmma))
          return error;
      uint16_t encoding = 0;
      memcpy(&encoding, reinterpret_cast<const void *>(address), bytes);
      values[line * k + depth] = decode(encoding, type);
    }
  return nullptr;
}

} // namespace

void WgmmaThread::commit() { groups.push_back(open); }

uint32_t WgmmaThread::wait(uint32_t count) {
  for (; groups.size() > count; groups.pop_front())
    waited = groups.front();
  isFenced = false;
  return waited;
}

void WgmmaThread::finish(uint32_t *values, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    auto found = results.find(values[i]);
    if (found != results.end() && found->second.wgmma <= waited) {
      values[i] = found->second.value;
      results.erase(found);
    }
  }
}

const char *simulator::multiplyWarpgroup(WgmmaThread *const (&threads)[128],
                                         SharedMemory &shared,
                                         uint32_t warpgroup, uint32_t wgmma) {
  const WgmmaOperands &first = threads[0]->operands;
  uint32_t m, n, k;
  char d[8], aType[8], bType[8];
  if (sscanf(first.name, "m%un%uk%u.%7[^.].%7[^.].%7s", &m, &n, &k, d, aType,
             bType) != 6)
    return "an unknown wgmma";
  bool isFloat16 = !strcmp(aType, "f16") || !strcmp(aType, "bf16");
  bool isInteger = !strcmp(aType, "s8") || !strcmp(aType, "u8");
  bool isInteger8 = !strcmp(bType, "s8") || !strcmp(bType, "u8");
  bool isFloat8 = !strcmp(aType, "e4m3") || !strcmp(aType, "e5m2");
  bool isOther8 = !strcmp(bType, "e4m3") || !strcmp(bType, "e5m2");
  if (!(isFloat16 && !strcmp(aType, bType)) && !(isInteger && isInteger8) &&
      !(isFloat8 && isOther8))
    return "a wgmma of unknown types";
  // Multiples of 16 and a few other values for integers, multiples of 8 for
  // other types.
  bool isColumns = n && n <= 256 && n % 8 == 0 &&
                   (!isInteger || n % 16 == 0 || n == 8 || n == 24);
  if (m != kRows || k != (isFloat16 ? 16 : 32) || !isColumns ||
      strcmp(d, isInteger ? "s32" : "f32"))
    return "a wgmma of unknown shape";
  uint32_t count = n / 2;
  for (const WgmmaThread *thread : threads) {
    const WgmmaOperands &operands = thread->operands;
    if (strcmp(operands.name, first.name) || operands.a != first.a ||
        operands.b != first.b || operands.scaleOut != first.scaleOut ||
        operands.isTransposed[0] != first.isTransposed[0] ||
        operands.isTransposed[1] != first.isTransposed[1] ||
        thread->registers.size() != count)
      return "the threads of a warpgroup begin different wgmma";
  }
  std::vector<double> a, b;
  if (const char *error = readMatrix(first.a, first.isTransposed[0], m, k,
                                     aType, a, shared, warpgroup, wgmma))
    return error;
  if (const char *error = readMatrix(first.b, first.isTransposed[1], n, k,
                                     bType, b, shared, warpgroup, wgmma))
    return error;
  int kept = isFloat8 ? 13 : 23;
  for (uint32_t number = 0; number < kThreads; ++number) {
    WgmmaThread &thread = *threads[number];
    uint32_t lane = number % 32;
    for (uint32_t i = 0; i < count; ++i) {
      uint32_t &value = thread.registers[i];
      uint32_t sum = value;
      auto before = thread.results.find(value);
      if (before != thread.results.end()) {
        sum = before->second.value;
        thread.results.erase(before);
      } else if (!thread.isFenced) {
        return "no wgmma.fence since the accumulators were written";
      }
      if (!first.scaleOut)
        sum = 0;
      uint32_t row = number / 32 * 16 + lane / 4 + (i / 2 % 2) * 8;
      uint32_t column = i / 4 * 8 + lane % 4 * 2 + i % 2;
      double terms[kDepthBytes];
      for (uint32_t depth = 0; depth < k; ++depth) {
        terms[depth] = a[row * k + depth] * b[column * k + depth];
        // Integers wrap.
        if (isInteger)
          sum += uint32_t(int32_t(terms[depth]));
      }
      if (!isInteger) {
        float start;
        memcpy(&start, &sum, sizeof start);
        sum = add(terms, k, start, kept);
      }
      value = kPlaceholder + thread.numPlaceholders++ % kMaxPlaceholders;
      thread.results[value] = {sum, wgmma};
    }
    thread.open = wgmma;
  }
  return nullptr;
}
