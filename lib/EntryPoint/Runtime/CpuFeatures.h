/*===-- CpuFeatures.h - Can this machine run the code? -----------*- C -*-===*\
|*                                                                            *|
|* Part of the quant-float project, under the Apache License v2.0 with LLVM   *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/
/*
 * The sets of features that the kernels were compiled for, constants the
 * compiler fills in, against what the machine has; kernels compiled more than
 * once are taken from the first level that fits. On AArch64 and RISC-V that
 * is what Linux says in the auxiliary vector, read by system calls because no C
 * library may be assumed; where it cannot be read, and on systems other than
 * Linux (for which the compiler leaves the set empty), nothing is checked.
 */
#ifndef QUANT_FLOAT_ENTRYPOINT_RUNTIME_CPUFEATURES_H
#define QUANT_FLOAT_ENTRYPOINT_RUNTIME_CPUFEATURES_H

#include "Rare.h"
#include "Table.h"
#include <stdint.h>

/*
 * How many levels there are, then the features that each needs, bit i for row i
 * of the architecture's table below. What needs most comes first. Defined by
 * the compiler.
 */
extern const uint64_t __qf_cpu_levels[] __attribute__((visibility("hidden")));

#if defined(__x86_64__)
#define QF_CPU_FEATURES "X86Features.def"

typedef struct CpuidResult {
  uint32_t a, b, c, d;
} CpuidResult;

static CpuidResult cpuid(uint32_t leaf, uint32_t subleaf) {
  CpuidResult result;
  __asm__ volatile("cpuid"
                   : "=a"(result.a), "=b"(result.b), "=c"(result.c),
                     "=d"(result.d)
                   : "0"(leaf), "2"(subleaf));
  return result;
}

static RARE uint64_t availableCpuFeatures(void) {
  uint32_t maxLeaf = cpuid(0, 0).a;
  uint32_t maxExtended = cpuid(0x80000000u, 0).a;
  CpuidResult none = {0, 0, 0, 0};
  CpuidResult leaf1 = cpuid(1, 0);
  CpuidResult leaf7 = maxLeaf >= 7 ? cpuid(7, 0) : none;
  CpuidResult leaf71 = maxLeaf >= 7 && leaf7.a >= 1 ? cpuid(7, 1) : none;
  uint32_t source1C = leaf1.c;
  uint32_t source7B = leaf7.b, source7C = leaf7.c, source7D = leaf7.d;
  uint32_t source71A = leaf71.a, source71D = leaf71.d;
  uint32_t sourceXC = maxExtended >= 0x80000001u ? cpuid(0x80000001u, 0).c : 0;
  /* The version, which AVX10's bit says to be there, has all before it. */
  uint32_t version =
      leaf71.d >> 19 & 1 && maxLeaf >= 0x24 ? cpuid(0x24, 0).b & 0xff : 0;
  uint32_t sourceV10 = version < 31 ? (2u << version) - 1 : ~0u;

  /* OSXSAVE: the system saves what XCR0 says; without it only XMM. */
  uint32_t saved = 0;
  if (leaf1.c & (1u << 27)) {
    uint32_t high;
    __asm__ volatile("xgetbv" : "=a"(saved), "=d"(high) : "c"(0));
  }
  uint32_t stateXMM = 1;
  uint32_t stateYMM = (saved & 0x06) == 0x06;
  uint32_t stateZMM = (saved & 0xe6) == 0xe6;
  uint32_t stateTMM = (saved & 0x60000) == 0x60000;

  uint64_t available = 0;
  unsigned row = 0;
#define QF_CPU_FEATURE(name, register, bit, save)                              \
  available |= (uint64_t)(state##save & (source##register >> bit) & 1) << row++;
#include QF_CPU_FEATURES
  return available;
}

/* By register and bit the rows' numbers. */
enum {
#define QF_CPU_FEATURE(name, register, bit, save)                              \
  cpuFeatureRow_##register##_##bit,
#include QF_CPU_FEATURES
  QF_X86_AMX_TILE = cpuFeatureRow_7D_24
};

/*
 * Which of the features that the CPU has the system keeps from the process.
 * Linux gives it tiles, which are large, when it asks; else their first
 * instruction would end it.
 */
static RARE uint64_t deniedCpuFeatures(uint64_t required) {
  enum { controlNumber = 158, requestPermission = 0x1023, tileData = 18 };
  uint64_t tiles = required & (uint64_t)1 << QF_X86_AMX_TILE;
#if defined(__linux__)
  if (tiles) {
    int64_t answer = controlNumber;
    __asm__ volatile("syscall"
                     : "+a"(answer)
                     : "D"((int64_t)requestPermission), "S"((int64_t)tileData)
                     : "rcx", "r11", "memory");
    return answer == 0 ? 0 : tiles;
  }
#endif
  return tiles;
}

#elif defined(__aarch64__) || defined(__riscv)

enum {
  openatNumber = 56,
  closeNumber = 57,
  readNumber = 63,
  riscvProbeNumber = 258
};

#if defined(__aarch64__)
#define QF_CPU_FEATURES "AArch64Features.def"
/* By word and bit the rows' numbers. */
enum {
#define QF_CPU_FEATURE(name, word, bit) cpuFeatureRow_##word##_##bit,
#include QF_CPU_FEATURES
  QF_AARCH64_FP8 = cpuFeatureRow_2_51
};
static int64_t systemCall(int64_t number, int64_t a, int64_t b, int64_t c,
                          int64_t d, int64_t e) {
  register int64_t x8 __asm__("x8") = number;
  register int64_t x0 __asm__("x0") = a;
  register int64_t x1 __asm__("x1") = b;
  register int64_t x2 __asm__("x2") = c;
  register int64_t x3 __asm__("x3") = d;
  register int64_t x4 __asm__("x4") = e;
  __asm__ volatile("svc #0"
                   : "+r"(x0)
                   : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4)
                   : "memory");
  return x0;
}
#else
#define QF_CPU_FEATURES "RISCVFeatures.def"
static int64_t systemCall(int64_t number, int64_t a, int64_t b, int64_t c,
                          int64_t d, int64_t e) {
  register int64_t a7 __asm__("a7") = number;
  register int64_t a0 __asm__("a0") = a;
  register int64_t a1 __asm__("a1") = b;
  register int64_t a2 __asm__("a2") = c;
  register int64_t a3 __asm__("a3") = d;
  register int64_t a4 __asm__("a4") = e;
  __asm__ volatile("ecall"
                   : "+r"(a0)
                   : "r"(a7), "r"(a1), "r"(a2), "r"(a3), "r"(a4)
                   : "memory");
  return a0;
}
#endif

static RARE uint64_t availableCpuFeatures(void) {
  enum { capabilities = 16, capabilities2 = 26, currentDirectory = -100 };
  uint64_t entry[2];
  uint64_t words[4] = {~(uint64_t)0, 0, 0, 0};
  int64_t file = systemCall(openatNumber, currentDirectory,
                            (int64_t)"/proc/self/auxv", 0, 0, 0);
  if (file < 0)
    return ~(uint64_t)0;
  while (systemCall(readNumber, file, (int64_t)entry, sizeof entry, 0, 0) ==
             sizeof entry &&
         entry[0]) {
    if (entry[0] == capabilities)
      words[1] = entry[1];
    if (entry[0] == capabilities2)
      words[2] = entry[1];
  }
  systemCall(closeNumber, file, 0, 0, 0, 0);
#if defined(__riscv)
  /* A key and what all CPUs have of it; -1 and 0 where it is not known. */
  int64_t extensions[2] = {4, 0};
  if (systemCall(riscvProbeNumber, (int64_t)extensions, 1, 0, 0, 0) == 0)
    words[3] = (uint64_t)extensions[1];
#endif

  uint64_t available = 0;
  unsigned row = 0;
#define QF_CPU_FEATURE(name, word, bit)                                        \
  available |= (words[word] >> bit & 1) << row++;
#include QF_CPU_FEATURES
  return available;
}

static uint64_t deniedCpuFeatures(uint64_t required) {
  (void)required;
  return 0;
}

#else
#error "no CPU feature table for this architecture"
#endif

/* Names one after the other, each ended by a zero byte: no relocations. */
static const char cpuFeatureNames[] =
#define QF_CPU_FEATURE(name, ...) name "\0"
#include QF_CPU_FEATURES
    ;

static const char *getCpuFeatureName(unsigned row) {
  const char *name = cpuFeatureNames;
  for (; row; --row)
    while (*name++) {
    }
  return name;
}

static uint64_t findMissingCpuFeatures(uint64_t required, uint64_t available) {
  uint64_t missing = required & ~available;
  return missing ? missing : deniedCpuFeatures(required);
}

/* Null, or the name of the first feature of the set that is missing. */
RARE const char *__qf_find_missing_cpu_feature(uint64_t required) {
  uint64_t missing = findMissingCpuFeatures(required, availableCpuFeatures());
  return missing ? getCpuFeatureName((unsigned)__builtin_ctzll(missing)) : 0;
}

/* The number of the first level that the machine has the features of, from 1
 * on; below 0, where it has those of none, ~row of the first one that the last
 * level misses. */
static RARE int32_t askForCpuLevel(const uint64_t *required) {
  uint64_t available = availableCpuFeatures();
  int32_t last = (int32_t)__qf_cpu_levels[0] - 1;
  /* Of machines that do not answer nothing but the least is expected. */
  int32_t level = ~available ? 0 : last;
  uint64_t missing = findMissingCpuFeatures(required[level], available);
  while (level < last && missing)
    missing = findMissingCpuFeatures(required[++level], available);
  return missing ? ~__builtin_ctzll(missing) : level + 1;
}

/*
 * As above, but from 0 on.
 *
 * Asking the CPU costs microseconds in a virtual machine, so the answer is
 * kept. Every thread would store the same number, hence no synchronisation.
 */
static int64_t findCpuLevel(void) {
  static int32_t answer;
  const uint64_t *required = __qf_cpu_levels + 1;
  if (!required[0])
    return 0;
  int32_t known = __atomic_load_n(&answer, __ATOMIC_RELAXED);
  if (!known) {
    known = askForCpuLevel(required);
    __atomic_store_n(&answer, known, __ATOMIC_RELAXED);
  }
  return known < 0 ? known : known - 1;
}

/* For what chooses between kernels, once it is known that one fits. */
__attribute__((visibility("hidden"))) int64_t __qf_get_cpu_level(void);
int64_t __qf_get_cpu_level(void) { return findCpuLevel(); }

#endif
