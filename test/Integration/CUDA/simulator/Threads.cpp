//===- Threads.cpp - The threads of a block -------------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Threads.h"
#include "WarpMatmul.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>
#include <ucontext.h>
#include <vector>

using namespace simulator;

namespace {

constexpr size_t kStackBytes = 128 * 1024;
constexpr uint32_t kMaxThreads = 1024, kWarp = 32, kWarpgroup = 128;

enum class State {
  Ready,
  AtBarrier,
  AtProduct,
  AtWgmma,
  AtWarpgroup,
  AtMbarrier,
  Done
};

struct Thread {
  ucontext_t context;
  State state = State::Ready;
  const void *place = nullptr;
  WarpMatmul product;
  WgmmaThread wgmma;
  /// The condition that a thread at an mbarrier waits for.
  std::function<bool()> isComplete;
};

} // namespace

struct Threads::Implementation {
  std::vector<Thread> threads{kMaxThreads};
  char *stacks = static_cast<char *>(
      mmap(nullptr, kMaxThreads *kStackBytes, PROT_READ | PROT_WRITE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
  ucontext_t scheduler;
  uint32_t current = 0, count = 0;
  bool hasFailed = false;
  const std::function<void()> *body = nullptr;
  SharedMemory *shared = nullptr;
  uint32_t numWgmmas = 0;

  static void start(unsigned low, unsigned high) {
    auto address = uint64_t(high) << 32 | low;
    auto *it = reinterpret_cast<Implementation *>(address);
    (*it->body)();
    it->wait(State::Done, nullptr);
  }

  void wait(State state, const void *place) {
    Thread &thread = threads[current];
    thread.state = state;
    thread.place = place;
    swapcontext(&thread.context, &scheduler);
  }

  /// Returns whether the threads from `first` on wait for each other at the
  /// same instruction.
  bool areTogether(uint32_t first, uint32_t number, State state) const {
    for (uint32_t i = first; i < first + number; ++i)
      if (threads[i].state != state || threads[i].place != threads[first].place)
        return false;
    return true;
  }

  void release(uint32_t first, uint32_t number) {
    for (uint32_t i = first; i < first + number; ++i)
      threads[i].state = State::Ready;
  }

  /// Returns false if no thread can continue.
  bool releaseWaiting(const std::function<void()> &passBarrier) {
    if (areTogether(0, count, State::AtBarrier)) {
      passBarrier();
      release(0, count);
      return true;
    }
    bool isAny = false;
    for (uint32_t first = 0; first + kWarp <= count; first += kWarp) {
      if (!areTogether(first, kWarp, State::AtProduct))
        continue;
      WarpMatmul *lanes[kWarp];
      for (uint32_t lane = 0; lane < kWarp; ++lane)
        lanes[lane] = &threads[first + lane].product;
      if (const char *error = multiplyMatrices(lanes)) {
        fprintf(stderr, "simulator: %s: %s\n", lanes[0]->name, error);
        return false;
      }
      release(first, kWarp);
      isAny = true;
    }
    if (!releaseWarpgroups(isAny))
      return false;
    isAny |= releaseMbarriers();
    // TMA loads complete as late as possible.
    if (!isAny && shared->completeLoads()) {
      releaseMbarriers();
      isAny = true;
    }
    if (!isAny)
      report();
    return isAny;
  }

  bool releaseWarpgroups(bool &isAny) {
    for (uint32_t first = 0; first + kWarpgroup <= count; first += kWarpgroup) {
      if (areTogether(first, kWarpgroup, State::AtWarpgroup)) {
        release(first, kWarpgroup);
        isAny = true;
      }
      if (!areTogether(first, kWarpgroup, State::AtWgmma))
        continue;
      WgmmaThread *group[kWarpgroup];
      for (uint32_t i = 0; i < kWarpgroup; ++i)
        group[i] = &threads[first + i].wgmma;
      if (const char *error = simulator::multiplyWarpgroup(
              group, *shared, first / kWarpgroup, ++numWgmmas)) {
        fprintf(stderr, "simulator: wgmma.mma_async.%s: %s\n",
                group[0]->operands.name, error);
        return false;
      }
      release(first, kWarpgroup);
      isAny = true;
    }
    return true;
  }

  bool releaseMbarriers() {
    bool isAny = false;
    for (uint32_t i = 0; i < count; ++i)
      if (threads[i].state == State::AtMbarrier && threads[i].isComplete()) {
        threads[i].state = State::Ready;
        isAny = true;
      }
    return isAny;
  }

  void report() const {
    unsigned barrier = 0, product = 0, mbarrier = 0, done = 0;
    for (uint32_t i = 0; i < count; ++i) {
      barrier += threads[i].state == State::AtBarrier;
      product += threads[i].state == State::AtProduct ||
                 threads[i].state == State::AtWgmma ||
                 threads[i].state == State::AtWarpgroup;
      mbarrier += threads[i].state == State::AtMbarrier;
      done += threads[i].state == State::Done;
    }
    fprintf(stderr,
            "simulator: threads wait for others for ever: of %u are %u at a "
            "barrier, %u at a matmul, %u done\n",
            count, barrier, product, done);
    if (mbarrier)
      fprintf(stderr, "simulator: %u threads wait at an mbarrier\n", mbarrier);
  }
};

Threads::Threads() : it(new Implementation) {}
Threads::~Threads() { munmap(it->stacks, kMaxThreads * kStackBytes); }

bool Threads::run(uint32_t count, const std::function<void()> &body,
                  const std::function<void(uint32_t)> &enter,
                  const std::function<void()> &passBarrier,
                  SharedMemory &shared) {
  it->count = count;
  it->shared = &shared;
  it->numWgmmas = 0;
  it->body = &body;
  it->hasFailed = false;
  auto address = reinterpret_cast<uint64_t>(it.get());
  for (uint32_t i = 0; i < count; ++i) {
    Thread &thread = it->threads[i];
    thread.state = State::Ready;
    thread.wgmma = WgmmaThread();
    getcontext(&thread.context);
    thread.context.uc_stack.ss_sp = it->stacks + i * kStackBytes;
    thread.context.uc_stack.ss_size = kStackBytes;
    thread.context.uc_link = nullptr;
    makecontext(&thread.context,
                reinterpret_cast<void (*)()>(&Implementation::start), 2,
                unsigned(address), unsigned(address >> 32));
  }
  while (true) {
    bool isDone = true;
    for (uint32_t i = 0; i < count; ++i) {
      Thread &thread = it->threads[i];
      if (thread.state == State::Ready) {
        it->current = i;
        enter(i);
        swapcontext(&it->scheduler, &thread.context);
        if (it->hasFailed)
          return false;
      }
      isDone &= thread.state == State::Done;
    }
    if (isDone)
      return true;
    if (!it->releaseWaiting(passBarrier))
      return false;
  }
}

void Threads::waitAtBarrier(const void *place) {
  it->wait(State::AtBarrier, place);
}

const uint32_t *Threads::multiply(const void *place, const char *name,
                                  const uint32_t *operands, unsigned count) {
  WarpMatmul &product = it->threads[it->current].product;
  product.name = name;
  product.operands.assign(operands, operands + count);
  it->wait(State::AtProduct, place);
  return product.results;
}

WgmmaThread &Threads::getWgmma() { return it->threads[it->current].wgmma; }

const uint32_t *Threads::multiplyWarpgroup(const void *place) {
  it->wait(State::AtWgmma, place);
  return getWgmma().registers.data();
}

void Threads::waitUntil(const std::function<bool()> &isComplete) {
  it->threads[it->current].isComplete = isComplete;
  it->wait(State::AtMbarrier, nullptr);
}

void Threads::joinWarpgroup(const void *place) {
  it->wait(State::AtWarpgroup, place);
}

void Threads::fail() {
  it->hasFailed = true;
  setcontext(&it->scheduler);
  abort();
}

bool Threads::isOnStack(const void *pointer) const {
  const char *stack = it->stacks + it->current * kStackBytes;
  return pointer >= stack && pointer < stack + kStackBytes;
}
