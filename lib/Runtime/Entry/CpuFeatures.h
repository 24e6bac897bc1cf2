/*===-- CpuFeatures.h - Run-time checks of CPU features -----------*- C -*-===*\
|*                                                                            *|
|* Part of the quant-float project, under the Apache License v2.0 with LLVM   *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/
/*
 * Compares the features that the kernels were compiled for, constants that the
 * compiler defines, with those of the machine. Of kernels that are compiled for
 * several levels, the first level runs whose features the machine has. On
 * AArch64 and RISC-V, the features come from the auxiliary vector of Linux,
 * which is read by system calls, because no C library may be assumed. Nothing
 * is checked if it cannot be read, and on systems other than Linux, for which
 * the compiler leaves the set empty.
 */
#ifndef QUANT_FLOAT_LIB_RUNTIME_ENTRY_CPUFEATURES_H
#define QUANT_FLOAT_LIB_RUNTIME_ENTRY_CPUFEATURES_H

#include "Cold.h"
#include "EntryPointTable.h"
#include <stdint.h>

/*
 * The number of levels, followed by the required features of each level: bit i
 * is row i of the architecture's table below. The level with the most
 * requirements comes first. Defined by the compiler.
 */
extern const uint64_t __qf_cpu_levels[] __attribute__((visibility("hidden")));

#if defined(__x86_64__)
#define QF_CPU_FEATURES "../../TargetInfo/X86Features.def"

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

static COLD uint64_t availableCpuFeatures(void) {
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
  /* A version of AVX10, if its bit is set, includes all earlier versions. */
  uint32_t version =
      leaf71.d >> 19 & 1 && maxLeaf >= 0x24 ? cpuid(0x24, 0).b & 0xff : 0;
  uint32_t sourceV10 = version < 31 ? (2u << version) - 1 : ~0u;

  /* OSXSAVE: the system saves the registers of XCR0. Without it, only XMM. */
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

/* The row of each feature, by register and bit. */
enum {
#define QF_CPU_FEATURE(name, register, bit, save)                              \
  cpuFeatureRow_##register##_##bit,
#include QF_CPU_FEATURES
  QF_X86_AMX_TILE = cpuFeatureRow_7D_24
};

/*
 * Returns the required features that the system denies to the process although
 * the CPU has them. Linux grants AMX tiles, which are large, on request.
 * Without the request, the first tile instruction would terminate the process.
 */
static COLD uint64_t deniedCpuFeatures(uint64_t required) {
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
#define QF_CPU_FEATURES "../../TargetInfo/AArch64Features.def"
/* The row of each feature, by word and bit. */
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
#define QF_CPU_FEATURES "../../TargetInfo/RISCVFeatures.def"
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

static COLD uint64_t availableCpuFeatures(void) {
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
  /* A key, and the extensions that all CPUs have; -1 and 0 if the key is not
   * known. */
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

/* Null-terminated names, concatenated to avoid relocations. */
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

/* Returns the name of the first required feature that is missing, or null. */
COLD const char *__qf_find_missing_cpu_feature(uint64_t required) {
  uint64_t missing = findMissingCpuFeatures(required, availableCpuFeatures());
  return missing ? getCpuFeatureName((unsigned)__builtin_ctzll(missing)) : 0;
}

/* Returns the 1-based index of the first level whose features the machine has.
 * If there is none, returns ~row of the first feature that the machine lacks
 * for the last level. */
static COLD int32_t detectCpuLevel(const uint64_t *required) {
  uint64_t available = availableCpuFeatures();
  int32_t last = (int32_t)__qf_cpu_levels[0] - 1;
  /* If the machine does not report its features, only the last level is
   * tried. */
  int32_t level = ~available ? 0 : last;
  uint64_t missing = findMissingCpuFeatures(required[level], available);
  while (level < last && missing)
    missing = findMissingCpuFeatures(required[++level], available);
  return missing ? ~__builtin_ctzll(missing) : level + 1;
}

/*
 * Returns the 0-based index of the level, or ~row.
 *
 * A query of the CPU takes microseconds in a virtual machine, so the result is
 * cached. All threads store the same number, so no synchronization is needed.
 */
static int64_t findCpuLevel(void) {
  static int32_t answer;
  const uint64_t *required = __qf_cpu_levels + 1;
  if (!required[0])
    return 0;
  int32_t known = __atomic_load_n(&answer, __ATOMIC_RELAXED);
  if (!known) {
    known = detectCpuLevel(required);
    __atomic_store_n(&answer, known, __ATOMIC_RELAXED);
  }
  return known < 0 ? known : known - 1;
}

/* Called by the functions that select a kernel, after the check that one
 * fits. */
__attribute__((visibility("hidden"))) int64_t __qf_get_cpu_level(void);
int64_t __qf_get_cpu_level(void) { return findCpuLevel(); }

#endif
