//===- Kernels.cpp - Kernels as host code ---------------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"
#include "Errors.h"
#include "Memory.h"
#include "Threads.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <sstream>
#include <vector>

using namespace simulator;

namespace {

/// The launch in progress. The driver's lock guards it.
struct Running {
  const Kernel *kernel = nullptr;
  int error = 0;
  /// Loads and stores of global memory.
  struct {
    uint64_t count, bytes;
  } accesses[2];
  SharedMemory shared;
  Threads threads;
};

Running &running = *new Running;

} // namespace

std::string simulator::readImage(const void *image) {
  const char *bytes = static_cast<const char *>(image);
  if (!memcmp(bytes,
              "\x7f"
              "ELF",
              4)) {
    // Up to the end of the section headers, which ptxas writes last.
    uint64_t sections;
    uint16_t entryBytes, count;
    memcpy(&sections, bytes + 40, sizeof sections);
    memcpy(&entryBytes, bytes + 58, sizeof entryBytes);
    memcpy(&count, bytes + 60, sizeof count);
    return std::string(bytes, sections + uint64_t(entryBytes) * count);
  }
  const char *first = bytes + strspn(bytes, " \t\r\n");
  return !strncmp(first, "//", 2) || !strncmp(first, ".version", 8) ? bytes
                                                                    : "";
}

int simulator::getTargetOfPtx(const std::string &image) {
  size_t target = image.find(".target sm_");
  return target == std::string::npos ? 0 : atoi(image.c_str() + target + 11);
}

/// Ends the launch.
static void failAccess(int error, const char *what, uint64_t address,
                       uint64_t bytes, bool isStore) {
  const uint32_t *registers = running.kernel->getRegisters();
  fprintf(stderr,
          "simulator: %s: thread %u of block %u: %s of %llu bytes at %#llx: "
          "%s\n",
          running.kernel->name.c_str(), registers[0], registers[3],
          isStore ? "store" : "load", static_cast<unsigned long long>(bytes),
          static_cast<unsigned long long>(address), what);
  running.error = error;
  running.threads.fail();
}

/// The number of the running thread in its block.
static uint32_t getThread() {
  const uint32_t *registers = running.kernel->getRegisters();
  return registers[0] +
         registers[6] * (registers[1] + registers[7] * registers[2]);
}

/// The libraries of kernels call this before every access.
static void checkAccess(const void *pointer, uint64_t bytes, uint64_t alignment,
                        int32_t isStore) {
  auto address = reinterpret_cast<uint64_t>(pointer);
  if (address % alignment)
    failAccess(kMisalignedAddress, "misaligned", address, bytes, isStore);
  if (isInArena(address)) {
    if (!isAllocated(address, bytes))
      failAccess(kIllegalAddress, "out of bounds", address, bytes, isStore);
    ++running.accesses[isStore].count;
    running.accesses[isStore].bytes += bytes;
    return;
  }
  if (running.shared.contains(address)) {
    if (const char *error =
            running.shared.check(address, bytes, isStore, getThread()))
      failAccess(kIllegalAddress, error, address, bytes, isStore);
    return;
  }
  // Other accesses are to the kernel's own stack and constants.
  Dl_info info;
  if (!running.threads.isOnStack(pointer) &&
      (isStore || !dladdr(pointer, &info)))
    failAccess(kIllegalAddress, "no device memory", address, bytes, isStore);
}

/// The implementations of cp.async and its synchronization.
static void beginCopy(const void *target, const void *source, uint64_t bytes,
                      uint64_t sourceBytes) {
  AsyncCopy copy = {reinterpret_cast<uint64_t>(target),
                    reinterpret_cast<uint64_t>(source), bytes, sourceBytes};
  if (copy.target % bytes)
    failAccess(kMisalignedAddress, "misaligned", copy.target, bytes, true);
  if (!running.shared.contains(copy.target))
    failAccess(kIllegalAddress, "no shared memory", copy.target, bytes, true);
  if (running.shared.contains(copy.source))
    failAccess(kIllegalAddress, "no global memory", copy.source, bytes, false);
  if (sourceBytes > bytes)
    failAccess(kIllegalAddress, "more than there is memory for", copy.target,
               sourceBytes, true);
  if (sourceBytes)
    checkAccess(source, sourceBytes, bytes, /*isStore=*/false);
  if (const char *error = running.shared.begin(copy, getThread()))
    failAccess(kIllegalAddress, error, copy.target, bytes, true);
}

static void commitCopies() { running.shared.commit(getThread()); }

static void waitForCopies(uint32_t count) {
  if (const char *error = running.shared.wait(count, getThread()))
    failAccess(kIllegalAddress, error, 0, 0, true);
}

//===----------------------------------------------------------------------===//
// The asynchronous proxy
//===----------------------------------------------------------------------===//

static void failAsync(const char *error, const void *pointer) {
  failAccess(kIllegalAddress, error, reinterpret_cast<uint64_t>(pointer), 0,
             /*isStore=*/true);
}

static void fenceProxy() { running.shared.fenceProxy(getThread()); }

static void initBarrier(const void *barrier, uint32_t count) {
  if (const char *error = running.shared.initBarrier(
          reinterpret_cast<uint64_t>(barrier), count, getThread()))
    failAsync(error, barrier);
}

static void arrive(const void *barrier, uint32_t bytes) {
  if (const char *error = running.shared.arrive(
          reinterpret_cast<uint64_t>(barrier), bytes, getThread()))
    failAsync(error, barrier);
}

static void waitAtMbarrier(const void *barrier, uint32_t parity) {
  uint32_t thread = getThread();
  const char *error = nullptr;
  auto isComplete = [&] {
    bool result = false;
    error = running.shared.tryWait(reinterpret_cast<uint64_t>(barrier), parity,
                                   thread, result);
    return result || error;
  };
  if (!isComplete())
    running.threads.waitUntil(isComplete);
  if (error)
    failAsync(error, barrier);
}

static void beginTmaLoad(const void *target, const void *barrier,
                         const void *map, int32_t x, int32_t y) {
  if (reinterpret_cast<uint64_t>(map) % 64)
    failAsync("expected a tensor map at a multiple of 64 bytes", map);
  TmaLoad load = {reinterpret_cast<uint64_t>(target),
                  reinterpret_cast<uint64_t>(barrier),
                  {},
                  {x, y}};
  memcpy(&load.map, map, sizeof load.map);
  if (const char *error = running.shared.begin(load, getThread()))
    failAsync(error, target);
}

static void fenceWgmma() { running.threads.getWgmma().fence(); }

static void commitWgmma() { running.threads.getWgmma().commit(); }

static void waitForWgmma(uint32_t count, uint32_t *registers,
                         uint32_t numRegisters) {
  WgmmaThread &wgmma = running.threads.getWgmma();
  running.shared.waitForWgmma(wgmma.wait(count), getThread());
  wgmma.finish(registers, numRegisters);
}

static const uint32_t *beginWgmma(const void *place,
                                  const WgmmaOperands *operands,
                                  const uint32_t *registers, uint32_t count) {
  WgmmaThread &wgmma = running.threads.getWgmma();
  wgmma.operands = *operands;
  wgmma.registers.assign(registers, registers + count);
  return running.threads.multiplyWarpgroup(place);
}

static void setMaxRegisters(const void *place, uint32_t count) {
  if (count < 24 || count > 256 || count % 8)
    failAsync("expected 24 to 256 registers, a multiple of 8", nullptr);
  running.threads.joinWarpgroup(place);
}

static void waitAtBarrier(const void *place) {
  running.threads.waitAtBarrier(place);
}

static const uint32_t *multiply(const void *place, const char *name,
                                const uint32_t *operands, uint32_t count) {
  return running.threads.multiply(place, name, operands, count);
}

/// Sets a hook of a library if it has one.
template <typename T>
static bool setHook(void *library, const char *name, T *function) {
  auto *hook = static_cast<T **>(dlsym(library, name));
  if (hook)
    *hook = function;
  return hook;
}

/// The similarity of a library and a module: the number of common kernels,
/// minus the library's other kernels.
static long compareKernels(void *library, const std::string &image) {
  auto *names = static_cast<const char *>(dlsym(library, "simulated_kernels"));
  std::istringstream list(names ? names : "");
  long score = 0;
  for (std::string name; std::getline(list, name);)
    score += image.find(name) == std::string::npos ? -1 : 1;
  return score;
}

bool simulator::findKernel(const std::string &image, const char *name,
                           Kernel &kernel) {
  const char *paths = getenv("QUANT_FLOAT_SIMULATOR_KERNELS");
  std::istringstream list(paths ? paths : "");
  std::string symbol = std::string("simulated_") + name;
  std::vector<void *> candidates;
  for (std::string path; std::getline(list, path, ':');) {
    void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) {
      fprintf(stderr, "simulator: %s\n", dlerror());
      continue;
    }
    if (dlsym(library, (symbol + "_call").c_str()))
      candidates.push_back(library);
  }
  if (candidates.empty())
    return false;
  void *found = candidates.front();
  if (candidates.size() > 1)
    found = *std::max_element(
        candidates.begin(), candidates.end(), [&](void *one, void *other) {
          return compareKernels(one, image) < compareKernels(other, image);
        });
  auto *sizes =
      static_cast<const uint32_t *>(dlsym(found, (symbol + "_sizes").c_str()));
  auto *arrays =
      static_cast<const SharedArray *>(dlsym(found, "simulated_shared"));
  kernel.name = name;
  kernel.call = reinterpret_cast<decltype(kernel.call)>(
      dlsym(found, (symbol + "_call").c_str()));
  kernel.getRegisters = reinterpret_cast<decltype(kernel.getRegisters)>(
      dlsym(found, "simulated_registers"));
  if (!sizes || !arrays || !kernel.call || !kernel.getRegisters ||
      !setHook(found, "simulated_access_hook", checkAccess) ||
      !setHook(found, "simulated_copy_hook", beginCopy) ||
      !setHook(found, "simulated_commit_hook", commitCopies) ||
      !setHook(found, "simulated_wait_hook", waitForCopies) ||
      !setHook(found, "simulated_barrier_hook", waitAtBarrier) ||
      !setHook(found, "simulated_mma_hook", multiply) ||
      !setHook(found, "simulated_proxy_fence_hook", fenceProxy) ||
      !setHook(found, "simulated_mbarrier_init_hook", initBarrier) ||
      !setHook(found, "simulated_arrive_hook", arrive) ||
      !setHook(found, "simulated_mbarrier_wait_hook", waitAtMbarrier) ||
      !setHook(found, "simulated_tma_hook", beginTmaLoad) ||
      !setHook(found, "simulated_wgmma_fence_hook", fenceWgmma) ||
      !setHook(found, "simulated_wgmma_commit_hook", commitWgmma) ||
      !setHook(found, "simulated_wgmma_wait_hook", waitForWgmma) ||
      !setHook(found, "simulated_wgmma_hook", beginWgmma) ||
      !setHook(found, "simulated_registers_hook", setMaxRegisters))
    return false;
  for (; arrays->data; ++arrays)
    kernel.shared.push_back(*arrays);
  kernel.parameterBytes.assign(sizes + 1, sizes + 1 + sizes[0]);
  return true;
}

/// Appends a line with the accesses of a kernel to the file.
static void logAccesses() {
  const char *path = getenv("QUANT_FLOAT_SIMULATOR_ACCESSES");
  FILE *file = path ? fopen(path, "a") : nullptr;
  if (!file)
    return;
  fprintf(file, "%s", running.kernel->name.c_str());
  for (auto &kind : running.accesses)
    fprintf(file, " %llu %llu", static_cast<unsigned long long>(kind.count),
            static_cast<unsigned long long>(kind.bytes));
  fprintf(file, "\n");
  fclose(file);
}

int simulator::run(const Kernel &kernel,
                   const std::vector<std::vector<char>> &values,
                   const Launch &launch) {
  std::vector<const void *> parameters;
  for (const std::vector<char> &value : values)
    parameters.push_back(value.data());
  running.kernel = &kernel;
  running.error = 0;
  running.accesses[0] = running.accesses[1] = {};
  uint32_t *registers = kernel.getRegisters();
  memcpy(registers + 6, launch.block, sizeof launch.block);
  memcpy(registers + 9, launch.grid, sizeof launch.grid);
  uint32_t *thread = registers, *block = registers + 3;
  const uint32_t *size = launch.block;
  auto enter = [&](uint32_t number) {
    thread[0] = number % size[0];
    thread[1] = number / size[0] % size[1];
    thread[2] = number / size[0] / size[1];
  };
  auto body = [&] {
    kernel.call(parameters.data());
    if (!running.threads.getWgmma().isIdle())
      failAsync("the kernel ends without waiting for its wgmma", nullptr);
  };
  std::vector<SharedArray> shared = kernel.shared;
  for (SharedArray &array : shared)
    if (!array.bytes)
      array.bytes = launch.sharedBytes;
  auto passBarrier = [&] { running.shared.passBarrier(); };
  for (block[2] = 0; block[2] < launch.grid[2]; ++block[2])
    for (block[1] = 0; block[1] < launch.grid[1]; ++block[1])
      for (block[0] = 0; block[0] < launch.grid[0]; ++block[0]) {
        running.shared.begin(shared);
        if (!running.threads.run(size[0] * size[1] * size[2], body, enter,
                                 passBarrier, running.shared))
          return running.error ? running.error : kLaunchFailed;
      }
  logAccesses();
  return 0;
}
