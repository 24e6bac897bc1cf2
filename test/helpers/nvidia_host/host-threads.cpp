//===- host-threads.cpp - A thread of a kernel on the host ----------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Part of every library of kernels: who a thread is, and whom to tell of an
// access to memory.
//
//===----------------------------------------------------------------------===//

#include <cstdint>

static thread_local uint32_t registers[12];

extern "C" {
uint32_t *simulated_registers() { return registers; }

void (*simulated_access_hook)(const void *, uint64_t, uint64_t, int32_t);

void simulated_access(const void *pointer, uint64_t bytes, uint64_t alignment,
                      int32_t isStore) {
  simulated_access_hook(pointer, bytes, alignment, isStore);
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
