//===- Handles.cpp - Handles of objects -----------------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Handles.h"

#include "llvm/ADT/Twine.h"
#include <atomic>
#include <mutex>
#include <vector>

using namespace mlir::quant_float;
using namespace mlir::quant_float::capi;

Object::~Object() = default;

namespace {
/// An entry of the table. `state` contains, from the highest bit, a generation
/// of 32 bits, a bit that is set if the handle was destroyed, and the reference
/// count. A live handle counts as one reference.
struct Slot {
  std::atomic<uint64_t> state{0};
  Object *object = nullptr;
  HandleKind kind = HandleKind::Error;
};

constexpr uint64_t kEnded = uint64_t(1) << 31;
constexpr uint64_t kHoldersMask = kEnded - 1;

// A handle: 32 bits of generation, 8 bits of kind, 24 bits of index.
constexpr unsigned kKindShift = 24, kGenerationShift = 32;
constexpr uint64_t kIndexMask = (uint64_t(1) << kKindShift) - 1;

constexpr size_t kPageBits = 10;
constexpr size_t kPageSize = size_t(1) << kPageBits;
constexpr size_t kNumPages = (kIndexMask + 1) / kPageSize;

/// The table grows by pages that are never moved or freed. Lookups therefore
/// need no lock, and threads may use the table during process exit.
struct Table {
  std::atomic<Slot *> pages[kNumPages] = {};
  std::atomic<size_t> numLive{0};
  std::mutex mutex;
  // Guarded by the mutex.
  size_t numSlots = 0;
  std::vector<uint32_t> free;
};
} // namespace

static Table &getTable() {
  static Table *table = new Table;
  return *table;
}

static Slot *getSlot(uint64_t id) {
  uint64_t index = id & kIndexMask;
  Slot *page =
      getTable().pages[index >> kPageBits].load(std::memory_order_acquire);
  return page ? page + (index & (kPageSize - 1)) : nullptr;
}

static HandleKind getKind(uint64_t id) {
  return static_cast<HandleKind>((id >> kKindShift) & 0xff);
}

static bool isLive(uint64_t state, uint64_t id) {
  return state >> kGenerationShift == id >> kGenerationShift &&
         !(state & kEnded) && (state & kHoldersMask);
}

uint64_t capi::addObject(HandleKind kind, std::unique_ptr<Object> object) {
  Table &table = getTable();
  uint64_t index;
  {
    std::lock_guard<std::mutex> lock(table.mutex);
    if (!table.free.empty()) {
      index = table.free.back();
      table.free.pop_back();
    } else if (table.numSlots <= kIndexMask) {
      index = table.numSlots++;
      std::atomic<Slot *> &page = table.pages[index >> kPageBits];
      if (!page.load(std::memory_order_relaxed))
        page.store(new Slot[kPageSize], std::memory_order_release);
    } else {
      return 0;
    }
  }
  Slot *slot = getSlot(index);
  slot->object = object.release();
  slot->kind = kind;
  // Generation 0 is reserved for the null handle.
  uint64_t generation =
      slot->state.load(std::memory_order_relaxed) >> kGenerationShift;
  generation = std::max<uint64_t>((generation + 1) & 0xffffffff, 1);
  table.numLive.fetch_add(1, std::memory_order_relaxed);
  slot->state.store(generation << kGenerationShift | 1,
                    std::memory_order_release);
  return generation << kGenerationShift | uint64_t(kind) << kKindShift | index;
}

Object *capi::acquireObject(HandleKind kind, uint64_t id) {
  Slot *slot = getKind(id) == kind ? getSlot(id) : nullptr;
  if (!slot)
    return nullptr;
  uint64_t state = slot->state.load(std::memory_order_relaxed);
  do
    if (!isLive(state, id))
      return nullptr;
  while (!slot->state.compare_exchange_weak(state, state + 1,
                                            std::memory_order_acquire));
  // The handle may be an arbitrary number whose kind does not match.
  if (slot->kind == kind)
    return slot->object;
  releaseObject(id);
  return nullptr;
}

void capi::releaseObject(uint64_t id) {
  Slot *slot = getSlot(id);
  uint64_t before = slot->state.fetch_sub(1, std::memory_order_acq_rel);
  if ((before & kHoldersMask) != 1)
    return;
  delete slot->object;
  slot->object = nullptr;
  Table &table = getTable();
  table.numLive.fetch_sub(1, std::memory_order_relaxed);
  std::lock_guard<std::mutex> lock(table.mutex);
  table.free.push_back(id & kIndexMask);
}

bool capi::destroyObject(HandleKind kind, uint64_t id) {
  if (!acquireObject(kind, id))
    return false;
  Slot *slot = getSlot(id);
  bool isFirst =
      !(slot->state.fetch_or(kEnded, std::memory_order_acq_rel) & kEnded);
  releaseObject(id);
  // Release the reference of the handle itself.
  if (isFirst)
    releaseObject(id);
  return isFirst;
}

size_t capi::countLiveObjects() {
  return getTable().numLive.load(std::memory_order_relaxed);
}

static const char *spell(HandleKind kind) {
  static const char *const names[] = {
      "an error", "a buffer", "a session",         "a model",
      "a report", "a kernel", "a list of tensors", "a report of modes"};
  return names[static_cast<unsigned>(kind) - 1];
}

std::string capi::describeBadHandle(HandleKind kind, uint64_t id) {
  std::string message = std::string("expected a handle of ") + spell(kind);
  HandleKind actualKind = getKind(id);
  if (!id)
    return message + ", but got a null handle";
  if (actualKind < HandleKind::Error || actualKind > HandleKind::ModeReport ||
      !getSlot(id))
    return message + ", but got an invalid handle";
  if (actualKind != kind)
    return message + ", but got a handle of " + spell(actualKind);
  return message + ", but got a handle of a destroyed object";
}
