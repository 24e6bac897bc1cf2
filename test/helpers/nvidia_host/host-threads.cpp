//===- host-threads.cpp - A thread of a kernel on the host ----------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Part of every library of kernels: the ids of a thread, and the simulator's
// callbacks for memory accesses, copies, barriers and matmuls.
//
//===----------------------------------------------------------------------===//

#include <cstdarg>
#include <cstdint>
#include <cstring>

static thread_local uint32_t registers[12];

extern "C" {
uint32_t *simulated_registers() { return registers; }

void (*simulated_access_hook)(const void *, uint64_t, uint64_t, int32_t);

void simulated_access(const void *pointer, uint64_t bytes, uint64_t alignment,
                      int32_t isStore) {
  simulated_access_hook(pointer, bytes, alignment, isStore);
}

void (*simulated_copy_hook)(const void *, const void *, uint64_t, uint64_t);
void (*simulated_commit_hook)();
void (*simulated_wait_hook)(uint32_t);

void nvvm_cp_async_cg_shared_global_16(const void *target, const void *source) {
  simulated_copy_hook(target, source, 16, 16);
}
/// Copies `count` bytes of the source, and fills the rest with zeros.
void nvvm_cp_async_cg_shared_global_16_s(const void *target, const void *source,
                                         uint32_t count) {
  simulated_copy_hook(target, source, 16, count);
}
void nvvm_cp_async_commit_group() { simulated_commit_hook(); }
void nvvm_cp_async_wait_group(uint32_t count) { simulated_wait_hook(count); }

void (*simulated_barrier_hook)(const void *);

void nvvm_barrier_cta_sync_aligned_all(int32_t) {
  simulated_barrier_hook(__builtin_return_address(0));
}

const uint32_t *(*simulated_mma_hook)(const void *, const char *,
                                      const uint32_t *, uint32_t);

/// `mma.NAME` with this number of registers. Returns those of the result.
const uint32_t *simulated_mma(const char *name, uint32_t count, ...) {
  uint32_t operands[16];
  va_list arguments;
  va_start(arguments, count);
  for (uint32_t i = 0; i < count; ++i)
    operands[i] = va_arg(arguments, uint32_t);
  va_end(arguments);
  return simulated_mma_hook(__builtin_return_address(0), name, operands, count);
}

/// The value of the thread whose number differs in the bits of `offset`.
uint32_t nvvm_shfl_sync_bfly_i32(uint32_t threads, uint32_t value,
                                 uint32_t offset, uint32_t clamp) {
  uint32_t operands[] = {threads, value, offset, clamp};
  return *simulated_mma_hook(__builtin_return_address(0), "shfl.sync.bfly",
                             operands, 4);
}

/// `ldmatrix.NAME` of matrices in shared memory. Returns the registers of the
/// result.
const uint32_t *simulated_ldmatrix(const char *name, const void *pointer) {
  // With four matrices, each thread has the address of a row. With fewer, only
  // the first threads do.
  const char *count = strstr(name, ".x");
  if (count && registers[0] % 32 < 8u * (count[2] - '0'))
    simulated_access_hook(pointer, 16, 16, 0);
  auto address = reinterpret_cast<uint64_t>(pointer);
  uint32_t operands[] = {uint32_t(address), uint32_t(address >> 32)};
  return simulated_mma_hook(__builtin_return_address(0), name, operands, 2);
}

//===----------------------------------------------------------------------===//
// The asynchronous proxy
//===----------------------------------------------------------------------===//

void (*simulated_proxy_fence_hook)();
void (*simulated_mbarrier_init_hook)(const void *, uint32_t);
void (*simulated_arrive_hook)(const void *, uint32_t);
void (*simulated_mbarrier_wait_hook)(const void *, uint32_t);
void (*simulated_tma_hook)(const void *, const void *, const void *, int32_t,
                           int32_t);
void (*simulated_wgmma_fence_hook)();
void (*simulated_wgmma_commit_hook)();
void (*simulated_wgmma_wait_hook)(uint32_t, uint32_t *, uint32_t);
void (*simulated_registers_hook)(const void *, uint32_t);

/// The operands that all threads of a warpgroup share.
struct WgmmaOperands {
  const char *name;
  uint64_t a, b;
  uint32_t scaleOut, isTransposed[2];
};
const uint32_t *(*simulated_wgmma_hook)(const void *, const WgmmaOperands *,
                                        const uint32_t *, uint32_t);

void nvvm_fence_proxy_async_shared_cta() { simulated_proxy_fence_hook(); }
void nvvm_mbarrier_init_shared(const void *barrier, uint32_t count) {
  simulated_mbarrier_init_hook(barrier, count);
}
/// The name since LLVM 24.
void nvvm_mbarrier_init_p3(const void *barrier, uint32_t count) {
  simulated_mbarrier_init_hook(barrier, count);
}
uint64_t nvvm_mbarrier_arrive_shared(const void *barrier) {
  simulated_arrive_hook(barrier, 0);
  return 0;
}
uint64_t nvvm_mbarrier_arrive_expect_tx_scope_cta_space_cta(const void *barrier,
                                                            uint32_t bytes) {
  simulated_arrive_hook(barrier, bytes);
  return 0;
}
/// `mbarrier.try_wait.parity` until it succeeds.
void simulated_mbarrier_wait(const void *barrier, uint32_t parity) {
  simulated_mbarrier_wait_hook(barrier, parity);
}
/// `cp.async.bulk.tensor` of two dimensions.
void simulated_tma_load(const void *target, const void *barrier,
                        const void *map, int32_t x, int32_t y) {
  simulated_tma_hook(target, barrier, map, x, y);
}
void nvvm_wgmma_fence_sync_aligned() { simulated_wgmma_fence_hook(); }
void nvvm_wgmma_commit_group_sync_aligned() { simulated_wgmma_commit_hook(); }
/// Without registers, the compiler may move code ahead of it, which then has no
/// results yet.
void nvvm_wgmma_wait_group_sync_aligned(uint64_t count) {
  simulated_wgmma_wait_hook(count, nullptr, 0);
}
void nvvm_setmaxnreg_inc_sync_aligned_u32(uint32_t count) {
  simulated_registers_hook(__builtin_return_address(0), count);
}
void nvvm_setmaxnreg_dec_sync_aligned_u32(uint32_t count) {
  simulated_registers_hook(__builtin_return_address(0), count);
}

/// The registers of a thread: half of the maximum N of a wgmma.
constexpr uint32_t kMaxWgmmaRegisters = 128;

/// `wgmma.mma_async.NAME`. Returns the registers of the result.
const uint32_t *simulated_wgmma(const char *name, uint32_t count, uint64_t a,
                                uint64_t b, uint32_t scaleOut,
                                uint32_t transposedA, uint32_t transposedB,
                                ...) {
  uint32_t registers[kMaxWgmmaRegisters];
  va_list arguments;
  va_start(arguments, transposedB);
  for (uint32_t i = 0; i < count; ++i)
    registers[i] = va_arg(arguments, uint32_t);
  va_end(arguments);
  WgmmaOperands operands = {name, a, b, scaleOut, {transposedA, transposedB}};
  return simulated_wgmma_hook(__builtin_return_address(0), &operands, registers,
                              count);
}

/// `wgmma.wait_group` that the registers depend on.
const uint32_t *simulated_wgmma_wait(uint32_t groups, uint32_t count, ...) {
  // Read before another thread runs.
  static uint32_t registers[kMaxWgmmaRegisters];
  va_list arguments;
  va_start(arguments, count);
  for (uint32_t i = 0; i < count; ++i)
    registers[i] = va_arg(arguments, uint32_t);
  va_end(arguments);
  simulated_wgmma_wait_hook(groups, registers, count);
  return registers;
}

/// `wgmma.fence` of registers.
const uint32_t *simulated_wgmma_fence(uint32_t count, ...) {
  static uint32_t registers[kMaxWgmmaRegisters];
  va_list arguments;
  va_start(arguments, count);
  for (uint32_t i = 0; i < count; ++i)
    registers[i] = va_arg(arguments, uint32_t);
  va_end(arguments);
  simulated_wgmma_fence_hook();
  return registers;
}

#define SPECIAL_REGISTER(Name, First)                                          \
  uint32_t nvvm_read_ptx_sreg_##Name##_x() { return registers[First]; }        \
  uint32_t nvvm_read_ptx_sreg_##Name##_y() { return registers[First + 1]; }    \
  uint32_t nvvm_read_ptx_sreg_##Name##_z() { return registers[First + 2]; }
SPECIAL_REGISTER(tid, 0)
SPECIAL_REGISTER(ctaid, 3)
SPECIAL_REGISTER(ntid, 6)
SPECIAL_REGISTER(nctaid, 9)
}
