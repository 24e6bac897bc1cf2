//===- SharedMemory.cpp - What the threads of a block share ---------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SharedMemory.h"
#include <cstring>

using namespace simulator;

void SharedMemory::begin(const std::vector<SharedArray> &places) {
  epoch = 1;
  time = 0;
  copies.clear();
  barriers.clear();
  loads.clear();
  known.clear();
  everyone = Knowledge();
  knownOrigin = {};
  fences.clear();
  arrays.resize(places.size());
  for (size_t i = 0; i < places.size(); ++i) {
    arrays[i].extent = places[i];
    arrays[i].bytes.assign(places[i].bytes, Byte());
    memset(places[i].data, 0xa5, places[i].bytes);
  }
}

SharedMemory::Array *SharedMemory::find(uint64_t address) const {
  for (Array &array : arrays) {
    auto first = reinterpret_cast<uint64_t>(array.extent.data);
    if (address >= first && address < first + array.extent.bytes)
      return &array;
  }
  return nullptr;
}

void SharedMemory::setPending(const AsyncCopy &copy, bool isPending) {
  Array *array = find(copy.target);
  uint64_t first = copy.target - reinterpret_cast<uint64_t>(array->extent.data);
  for (uint64_t i = 0; i < copy.bytes; ++i)
    array->bytes[first + i].isPending = isPending;
}

void SharedMemory::passBarrier() {
  ++epoch;
  Knowledge all;
  for (auto &[thread, each] : known)
    all.join(each);
  for (auto &[thread, each] : known)
    each = all;
  everyone = all;
}

bool SharedMemory::isFree(const Byte &byte, uint32_t thread) const {
  for (uint32_t i = 0; i < kMaxWarpgroups; ++i)
    for (uint32_t warp = kWarps * i; warp < kWarps * (i + 1); ++warp)
      if (byte.wgmmas[i] && getKnowledge(thread).wgmmas[warp] < byte.wgmmas[i])
        return false;
  return true;
}

const char *SharedMemory::checkByte(Byte &byte, bool isStore, uint32_t thread) {
  if (byte.isPending)
    return "a copy to this is not waited for";
  if (byte.isBarrier)
    return "an access to an mbarrier";
  if (!isStore && byte.writer == kNobody)
    return "shared memory that nobody wrote";
  if (byte.barrier && getPhase(byte.barrier, thread) <= byte.phase)
    return "a TMA load to this is not waited for";
  if (byte.writer != kNobody && byte.writeEpoch == epoch &&
      byte.writer != thread && !byte.barrier)
    return "a race: another thread wrote this without a barrier since";
  if (isStore) {
    if (!isFree(byte, thread))
      return "a race: a wgmma that reads this is not waited for";
    if (byte.readEpoch == epoch && byte.reader != thread)
      return "a race: another thread read this without a barrier since";
    byte.writer = thread;
    byte.writeEpoch = epoch;
    byte.time = time;
    byte.barrier = 0;
    return nullptr;
  }
  bool isFirst = byte.readEpoch != epoch || byte.reader == thread;
  byte.reader = isFirst ? thread : kSeveral;
  byte.readEpoch = epoch;
  return nullptr;
}

const char *SharedMemory::check(uint64_t address, uint64_t bytes, bool isStore,
                                uint32_t thread) {
  Array *array = find(address);
  uint64_t first = address - reinterpret_cast<uint64_t>(array->extent.data);
  if (first + bytes > array->extent.bytes)
    return "out of bounds of shared memory";
  time += isStore;
  for (Byte *byte = &array->bytes[first], *end = byte + bytes; byte != end;
       ++byte)
    if (const char *error = checkByte(*byte, isStore, thread))
      return error;
  return nullptr;
}

const char *SharedMemory::begin(const AsyncCopy &copy, uint32_t thread) {
  // Marks the bytes as part of the mbarrier.
  if (const char *error = check(copy.target, copy.bytes, true, thread))
    return error;
  setPending(copy, true);
  Groups &groups = copies[thread];
  if (groups.empty())
    groups.emplace_back();
  groups.back().push_back(copy);
  return nullptr;
}

void SharedMemory::commit(uint32_t thread) {
  Groups &groups = copies[thread];
  if (groups.empty())
    groups.emplace_back();
  groups.emplace_back();
}

const char *SharedMemory::wait(uint32_t count, uint32_t thread) {
  Groups &groups = copies[thread];
  for (; groups.size() > count + 1; groups.pop_front())
    for (const AsyncCopy &copy : groups.front()) {
      setPending(copy, false);
      // Other threads see the store after a barrier.
      if (const char *error = check(copy.target, copy.bytes, true, thread))
        return error;
      auto *target = reinterpret_cast<char *>(copy.target);
      memset(target, 0, copy.bytes);
      memcpy(target, reinterpret_cast<const void *>(copy.source),
             copy.sourceBytes);
    }
  return nullptr;
}

//===----------------------------------------------------------------------===//
// The asynchronous proxy
//===----------------------------------------------------------------------===//

const Knowledge &SharedMemory::getKnowledge(uint32_t thread) const {
  return known.emplace(thread, everyone).first->second;
}

uint32_t SharedMemory::getPhase(uint64_t barrier, uint32_t thread) const {
  const Knowledge &knowledge = getKnowledge(thread);
  auto found = knowledge.phases.find(barrier);
  return found == knowledge.phases.end() ? 0 : found->second;
}

bool SharedMemory::isFenced(const Byte &byte) const {
  if (byte.barrier || byte.writer == kNobody)
    return true;
  auto fence = fences.find(byte.writer);
  return fence != fences.end() && fence->second > byte.time;
}

SharedMemory::Byte *SharedMemory::getByte(uint64_t address) const {
  Array *array = find(address);
  return array ? &array->bytes[address -
                               reinterpret_cast<uint64_t>(array->extent.data)]
               : nullptr;
}

const char *SharedMemory::initBarrier(uint64_t address, uint32_t count,
                                      uint32_t thread) {
  constexpr uint32_t kMaxCount = (1 << 20) - 1, kBytes = 8;
  if (address % kBytes || !find(address))
    return "expected an mbarrier at a multiple of 8 in shared memory";
  if (!count || count > kMaxCount)
    return "expected an mbarrier of 1 to 2^20 - 1 threads";
  if (const char *error = check(address, kBytes, /*isStore=*/true, thread))
    return error;
  for (uint64_t i = 0; i < kBytes; ++i)
    getByte(address + i)->isBarrier = true;
  Mbarrier barrier;
  barrier.count = barrier.pending = count;
  barrier.thread = thread;
  barrier.epoch = epoch;
  barrier.time = time;
  barriers[address] = barrier;
  return nullptr;
}

const char *SharedMemory::findBarrier(uint64_t address, uint32_t thread,
                                      Mbarrier *&barrier) {
  auto found = barriers.find(address);
  if (found == barriers.end())
    return "no mbarrier was initialized here";
  barrier = &found->second;
  if (barrier->epoch == epoch && barrier->thread != thread)
    return "a race: another thread initialized this mbarrier without a barrier "
           "since";
  return nullptr;
}

const char *SharedMemory::arrive(uint64_t address, uint32_t bytes,
                                 uint32_t thread) {
  Mbarrier *barrier;
  if (const char *error = findBarrier(address, thread, barrier))
    return error;
  constexpr int64_t kMaxBytes = (1 << 20) - 1;
  barrier->bytes += bytes;
  if (barrier->bytes > kMaxBytes)
    return "an mbarrier expects more than 2^20 - 1 bytes";
  if (!barrier->pending)
    return "more threads arrive at an mbarrier than its phase has";
  --barrier->pending;
  barrier->arriving.join(getKnowledge(thread));
  barrier->update();
  return nullptr;
}

const char *SharedMemory::tryWait(uint64_t address, uint32_t parity,
                                  uint32_t thread, bool &isComplete) {
  Mbarrier *barrier;
  if (const char *error = findBarrier(address, thread, barrier))
    return error;
  if (parity > 1)
    return "expected a parity of 0 or 1";
  isComplete = barrier->phase % 2 != parity;
  if (!isComplete)
    return nullptr;
  getKnowledge(thread);
  Knowledge &knowledge = known[thread];
  knowledge.join(barrier->completed);
  knowledge.phases[address] = barrier->phase;
  return nullptr;
}

const char *SharedMemory::begin(const TmaLoad &load, uint32_t thread) {
  constexpr uint64_t kAlignment = 128;
  Mbarrier *barrier;
  if (const char *error = findBarrier(load.barrier, thread, barrier))
    return error;
  auto fence = fences.find(barrier->thread);
  if (fence == fences.end() || fence->second <= barrier->time)
    return "no proxy fence since the mbarrier was initialized";
  if (load.map.magic != TensorMap::kMagic)
    return "no tensor map is here";
  if (!load.map.isAllocated())
    return "the matrix of the tensor map is out of bounds";
  if (load.target % kAlignment)
    return "expected a TMA load to a multiple of 128 bytes";
  uint64_t bytes = load.map.getBoxBytes();
  Array *array = find(load.target);
  if (!array ||
      load.target + bytes >
          reinterpret_cast<uint64_t>(array->extent.data) + array->extent.bytes)
    return "the box of a TMA load is out of bounds of shared memory";
  ++time;
  for (Byte *byte = getByte(load.target), *end = byte + bytes; byte != end;
       ++byte) {
    if (!isFenced(*byte))
      return "no proxy fence since a thread wrote this";
    if (const char *error = checkByte(*byte, /*isStore=*/true, thread))
      return error;
    byte->isPending = true;
    byte->barrier = load.barrier;
    byte->phase = barrier->phase;
  }
  loads.push_back(load);
  return nullptr;
}

bool SharedMemory::completeLoads() {
  bool isAny = !loads.empty();
  for (; !loads.empty(); loads.pop_front()) {
    const TmaLoad &load = loads.front();
    uint64_t bytes = load.map.getBoxBytes();
    load.map.copyBox(load.coordinates, load.target);
    for (Byte *byte = getByte(load.target), *end = byte + bytes; byte != end;
         ++byte)
      byte->isPending = false;
    Mbarrier &barrier = barriers.at(load.barrier);
    barrier.bytes -= bytes;
    barrier.update();
  }
  return isAny;
}

uint64_t SharedMemory::resolve(uint32_t address) const {
  constexpr uint64_t kWindow = 1 << 18;
  for (const Array &array : arrays) {
    auto first = reinterpret_cast<uint64_t>(array.extent.data);
    uint64_t found = first / kWindow * kWindow + address;
    if (found < first)
      found += kWindow;
    if (found < first + array.extent.bytes)
      return found;
  }
  return 0;
}

const char *SharedMemory::beginWgmmaRead(uint64_t address, uint32_t warpgroup,
                                         uint32_t wgmma) {
  constexpr uint64_t kBytes = 16;
  Byte *first = getByte(address);
  if (!first || !getByte(address + kBytes - 1))
    return "a wgmma reads out of bounds of shared memory";
  for (Byte *byte = first; byte != first + kBytes; ++byte) {
    if (byte->isPending)
      return "a TMA load to what a wgmma reads is not waited for";
    if (byte->writer == kNobody || byte->isBarrier)
      return "a wgmma reads shared memory that nobody wrote";
    if (!isFenced(*byte))
      return "no proxy fence since a thread wrote what a wgmma reads";
    byte->wgmmas[warpgroup] = wgmma;
    // Most bytes of a matrix have the same history.
    std::array<uint64_t, 3> origin = {wgmma, byte->barrier, byte->phase};
    if (byte->barrier && origin == knownOrigin)
      continue;
    knownOrigin = origin;
    for (uint32_t i = 0; i < kWarp * kWarps; ++i) {
      uint32_t thread = kWarp * kWarps * warpgroup + i;
      if (byte->barrier && getPhase(byte->barrier, thread) <= byte->phase)
        return "a TMA load to what a wgmma reads is not waited for";
      if (!byte->barrier && byte->writeEpoch == epoch && byte->writer != thread)
        return "a race: another thread wrote what a wgmma reads without a "
               "barrier since";
    }
  }
  return nullptr;
}
