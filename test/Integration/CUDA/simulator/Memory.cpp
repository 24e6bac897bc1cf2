//===- Memory.cpp - The simulated device's memory -------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Memory.h"
#include <cstring>
#include <map>
#include <sys/mman.h>

namespace {

constexpr size_t kArenaBytes = size_t(1) << 36;
constexpr size_t kPage = 4096;

struct Allocation {
  size_t bytes;
  bool isHostShared;
};

struct Arena {
  char *base = static_cast<char *>(
      mmap(nullptr, kArenaBytes, PROT_NONE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
  size_t used = 0;
  std::map<uint64_t, Allocation> allocations;
};

// Programs free all memory before they exit.
Arena &arena = *new Arena;
int accesses = 0;

size_t roundUp(size_t bytes, size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

/// The pages of an allocation, which are not shared.
void protect(uint64_t pointer, const Allocation &allocation, int mode) {
  uint64_t first = pointer / kPage * kPage;
  mprotect(reinterpret_cast<void *>(first),
           roundUp(pointer + allocation.bytes - first, kPage), mode);
}

void protectAll(int mode) {
  for (auto &[pointer, allocation] : arena.allocations)
    if (!allocation.isHostShared)
      protect(pointer, allocation, mode);
}

} // namespace

uint64_t simulator::allocate(size_t bytes, bool isHostShared) {
  if (arena.base == MAP_FAILED || bytes > kArenaBytes ||
      arena.used + roundUp(bytes, kPage) + 3 * kPage > kArenaBytes)
    return 0;
  // An inaccessible page before it, and an address with no more alignment than
  // the driver guarantees.
  uint64_t pointer =
      reinterpret_cast<uint64_t>(arena.base) + arena.used + kPage + 512;
  arena.used += roundUp(bytes + 512, kPage) + kPage;
  Allocation allocation{bytes, isHostShared};
  protect(pointer, allocation, PROT_READ | PROT_WRITE);
  memset(reinterpret_cast<void *>(pointer), 0xa5, bytes);
  if (!isHostShared && !accesses)
    protect(pointer, allocation, PROT_NONE);
  arena.allocations.emplace(pointer, allocation);
  return pointer;
}

bool simulator::release(uint64_t pointer) {
  auto found = arena.allocations.find(pointer);
  if (found == arena.allocations.end())
    return false;
  uint64_t first = pointer / kPage * kPage;
  // Freed addresses are not reused, so that accesses to them are detected.
  protect(pointer, found->second, PROT_NONE);
  madvise(reinterpret_cast<void *>(first),
          roundUp(pointer + found->second.bytes - first, kPage), MADV_DONTNEED);
  arena.allocations.erase(found);
  return true;
}

bool simulator::isAllocated(uint64_t address, size_t bytes) {
  auto next = arena.allocations.upper_bound(address);
  if (next == arena.allocations.begin())
    return false;
  const auto &[pointer, allocation] = *--next;
  return address - pointer <= allocation.bytes &&
         bytes <= allocation.bytes - (address - pointer);
}

bool simulator::isInArena(uint64_t address) {
  uint64_t base = reinterpret_cast<uint64_t>(arena.base);
  return address >= base && address < base + kArenaBytes;
}

simulator::DeviceAccess::DeviceAccess() {
  if (!accesses++)
    protectAll(PROT_READ | PROT_WRITE);
}

simulator::DeviceAccess::~DeviceAccess() {
  if (!--accesses)
    protectAll(PROT_NONE);
}
