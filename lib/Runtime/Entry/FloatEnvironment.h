/*===-- FloatEnvironment.h - Floating-point environment -----------*- C -*-===*\
|*                                                                            *|
|* Part of the quant-float project, under the Apache License v2.0 with LLVM   *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/
/*
 * Rule E1: kernels run with rounding to nearest even, no flushing of
 * subnormals, and all exceptions masked. Afterwards, the caller's environment
 * is restored, including the sticky flags. On x86-64, where Intel's CPUs need
 * microcode assists for subnormals, a kernel runs with flushing if the compiler
 * has proven that no result changes.
 *
 * LLVM does not model these registers, so a call that is not inlined must
 * separate the kernel from the two functions.
 */
#ifndef QUANT_FLOAT_LIB_RUNTIME_ENTRY_FLOATENVIRONMENT_H
#define QUANT_FLOAT_LIB_RUNTIME_ENTRY_FLOATENVIRONMENT_H

#include "CpuFeatures.h"
#include <stdint.h>

typedef struct FloatEnvironment {
  uint64_t control;
  uint64_t status;
  /* FPMR of AArch64: the formats of float8 instructions. Kernels set it
   * themselves. */
  uint64_t float8;
} FloatEnvironment;

/* Called by kernels that run with flushing if their arguments do not allow
 * it. */
__attribute__((visibility("hidden"))) void __qf_keep_subnormals(void);

/*
 * Called around and in parallel regions, to pass control and status from thread
 * to thread in 64 bits. Both return the previous value. Threads are started
 * under the default, because a new thread inherits the control of its creator.
 */
__attribute__((visibility("hidden"))) uint64_t __qf_reset_float_control(void);
__attribute__((visibility("hidden"))) uint64_t
__qf_set_float_control(uint64_t newControl);

#if defined(__x86_64__)

/* MXCSR contains control and status. The x87 unit is not used. */
enum {
  exceptionsMasked = 0x1f80,
  denormalsAreZero = 0x0040,
  flushToZero = 0x8000
};

static uint64_t exchangeControl(uint64_t control) {
  uint32_t current;
  uint32_t newControl = (uint32_t)control;
  __asm__ volatile("stmxcsr %0" : "=m"(current)::"memory");
  __asm__ volatile("ldmxcsr %0" ::"m"(newControl) : "memory");
  return current;
}

static FloatEnvironment enterDefaultFloatEnvironment(int flushesSubnormals) {
  FloatEnvironment saved = {0, 0, 0};
  uint32_t newControl = exceptionsMasked;
  if (flushesSubnormals)
    newControl |= denormalsAreZero | flushToZero;
  saved.control = exchangeControl(newControl);
  return saved;
}

static void leaveFloatEnvironment(FloatEnvironment saved) {
  uint32_t previous = (uint32_t)saved.control;
  __asm__ volatile("ldmxcsr %0" ::"m"(previous) : "memory");
}

void __qf_keep_subnormals(void) {
  uint32_t newControl = exceptionsMasked;
  __asm__ volatile("ldmxcsr %0" ::"m"(newControl) : "memory");
}

uint64_t __qf_reset_float_control(void) {
  return exchangeControl(exceptionsMasked);
}

uint64_t __qf_set_float_control(uint64_t newControl) {
  return exchangeControl(newControl);
}

#elif defined(__aarch64__)

/* FPMR, by its encoding, which every assembler accepts. It exists if the CPU
 * has the feature fp8. */
#define FPMR "s3_3_c4_c4_2"
static int hasFloat8(void) {
  return __qf_cpu_levels[1 + findCpuLevel()] >> QF_AARCH64_FP8 & 1;
}

static FloatEnvironment enterDefaultFloatEnvironment(int flushesSubnormals) {
  (void)flushesSubnormals;
  FloatEnvironment saved = {0, 0, 0};
  if (hasFloat8())
    __asm__ volatile("mrs %0, " FPMR : "=r"(saved.float8)::"memory");
  __asm__ volatile("mrs %0, fpcr\n\tmrs %1, fpsr"
                   : "=r"(saved.control), "=r"(saved.status)::"memory");
  __asm__ volatile("msr fpcr, xzr" ::: "memory");
  return saved;
}

static void leaveFloatEnvironment(FloatEnvironment saved) {
  __asm__ volatile("msr fpcr, %0\n\tmsr fpsr, %1" ::"r"(saved.control),
                   "r"(saved.status)
                   : "memory");
  if (hasFloat8())
    __asm__ volatile("msr " FPMR ", %0" ::"r"(saved.float8) : "memory");
}

/* Control in the low 32 bits, status in the high 32 bits. */
uint64_t __qf_set_float_control(uint64_t newControl) {
  uint64_t control, status;
  __asm__ volatile("mrs %0, fpcr\n\tmrs %1, fpsr"
                   : "=r"(control), "=r"(status)::"memory");
  __asm__ volatile(
      "msr fpcr, %0\n\tmsr fpsr, %1" ::"r"(newControl & 0xffffffffu),
      "r"(newControl >> 32)
      : "memory");
  return status << 32 | control;
}

uint64_t __qf_reset_float_control(void) { return __qf_set_float_control(0); }

#elif defined(__riscv) && __riscv_xlen == 64

/* fcsr contains the rounding mode and the flags. RISC-V does not flush
 * subnormals. */
static FloatEnvironment enterDefaultFloatEnvironment(int flushesSubnormals) {
  (void)flushesSubnormals;
  FloatEnvironment saved = {0, 0, 0};
  __asm__ volatile("csrrw %0, fcsr, zero" : "=r"(saved.control)::"memory");
  return saved;
}

static void leaveFloatEnvironment(FloatEnvironment saved) {
  __asm__ volatile("csrw fcsr, %0" ::"r"(saved.control) : "memory");
}

uint64_t __qf_set_float_control(uint64_t newControl) {
  uint64_t current;
  __asm__ volatile("csrrw %0, fcsr, %1"
                   : "=r"(current)
                   : "r"(newControl)
                   : "memory");
  return current;
}

uint64_t __qf_reset_float_control(void) { return __qf_set_float_control(0); }

#else
#error "no floating-point environment for this architecture"
#endif

#if !defined(__x86_64__)
/* Kernels of these architectures do not call it. */
void __qf_keep_subnormals(void) {}
#endif

#endif
