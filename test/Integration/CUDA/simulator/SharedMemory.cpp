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
  copies.clear();
  arrays.resize(places.size());
  for (size_t i = 0; i < places.size(); ++i) {
    arrays[i].place = places[i];
    arrays[i].bytes.assign(places[i].bytes, Byte());
    memset(places[i].data, 0xa5, places[i].bytes);
  }
}

SharedMemory::Array *SharedMemory::find(uint64_t address) const {
  for (Array &array : arrays) {
    auto first = reinterpret_cast<uint64_t>(array.place.data);
    if (address >= first && address < first + array.place.bytes)
      return &array;
  }
  return nullptr;
}

void SharedMemory::setPending(const AsyncCopy &copy, bool isPending) {
  Array *array = find(copy.target);
  uint64_t first = copy.target - reinterpret_cast<uint64_t>(array->place.data);
  for (uint64_t i = 0; i < copy.bytes; ++i)
    array->bytes[first + i].isPending = isPending;
}

const char *SharedMemory::check(uint64_t address, uint64_t bytes, bool isStore,
                                uint32_t thread) {
  Array *array = find(address);
  uint64_t first = address - reinterpret_cast<uint64_t>(array->place.data);
  if (first + bytes > array->place.bytes)
    return "out of bounds of shared memory";
  for (Byte *byte = &array->bytes[first], *end = byte + bytes; byte != end;
       ++byte) {
    if (byte->isPending)
      return "a copy to this is not waited for";
    if (!isStore && byte->writer == kNobody)
      return "shared memory that nobody wrote";
    if (byte->writer != kNobody && byte->writeEpoch == epoch &&
        byte->writer != thread)
      return "a race: another thread wrote this without a barrier since";
    if (isStore) {
      if (byte->readEpoch == epoch && byte->reader != thread)
        return "a race: another thread read this without a barrier since";
      byte->writer = thread;
      byte->writeEpoch = epoch;
      continue;
    }
    bool isFirst = byte->readEpoch != epoch || byte->reader == thread;
    byte->reader = isFirst ? thread : kSeveral;
    byte->readEpoch = epoch;
  }
  return nullptr;
}

const char *SharedMemory::begin(const AsyncCopy &copy, uint32_t thread) {
  // Its place belongs to it from now on.
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
      // Others see it behind a barrier from here on.
      if (const char *error = check(copy.target, copy.bytes, true, thread))
        return error;
      auto *target = reinterpret_cast<char *>(copy.target);
      memset(target, 0, copy.bytes);
      memcpy(target, reinterpret_cast<const void *>(copy.source),
             copy.sourceBytes);
    }
  return nullptr;
}
