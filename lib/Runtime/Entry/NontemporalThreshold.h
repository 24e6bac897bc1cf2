/*===-- NontemporalThreshold.h - When stores bypass the caches ----*- C -*-===*\
|*                                                                            *|
|* Part of the quant-float project, under the Apache License v2.0 with LLVM   *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/
#ifndef QUANT_FLOAT_LIB_RUNTIME_ENTRY_NONTEMPORALTHRESHOLD_H
#define QUANT_FLOAT_LIB_RUNTIME_ENTRY_NONTEMPORALTHRESHOLD_H

#include "CpuFeatures.h"
#include <stdint.h>

/* Upper bounds of the threshold, in bytes that a loop reads and writes. Servers
 * report an L3 of hundreds of MiB, but all cores share it, and one core gets a
 * few MiB. On Intel servers a store to the L3 costs as much as one to memory:
 * on an Ice Lake Xeon, non-temporal stores are 1.1 times as fast from 4 MiB
 * on, and 2 to 4 times from 12 MiB on. */
enum { maxThreshold = 32 << 20, maxIntelThreshold = 8 << 20 };

/* The size of the last-level cache up to the bound, or the bound if the machine
 * does not report a size. */
static COLD int64_t findNontemporalThreshold(void) {
  int64_t cacheSize = 0, bound = maxThreshold;
#if defined(__x86_64__)
  /* AMD's leaf has the layout of Intel's, which is empty there. */
  uint32_t leaf = cpuid(0, 0).a >= 4 && cpuid(4, 0).a & 0x1f ? 4 : 0x8000001d;
  if (leaf != 4 && cpuid(0x80000000u, 0).a < leaf)
    return bound;
  if (leaf == 4)
    bound = maxIntelThreshold;
  for (uint32_t i = 0; i < 16; ++i) {
    CpuidResult cache = cpuid(leaf, i);
    if (!(cache.a & 0x1f))
      break;
    int64_t lineBytes = (cache.b & 0xfff) + 1;
    int64_t parts = (cache.b >> 12 & 0x3ff) + 1;
    int64_t ways = (cache.b >> 22) + 1;
    int64_t size = lineBytes * parts * ways * ((int64_t)cache.c + 1);
    cacheSize = size > cacheSize ? size : cacheSize;
  }
#endif
  return cacheSize && cacheSize < bound ? cacheSize : bound;
}

/* Computed once: emulators take long to answer cpuid. */
__attribute__((visibility("hidden"))) int64_t
__qf_get_nontemporal_threshold(void);
int64_t __qf_get_nontemporal_threshold(void) {
  static int64_t known;
  int64_t threshold = __atomic_load_n(&known, __ATOMIC_RELAXED);
  if (!threshold) {
    threshold = findNontemporalThreshold();
    __atomic_store_n(&known, threshold, __ATOMIC_RELAXED);
  }
  return threshold;
}

#endif /* QUANT_FLOAT_LIB_RUNTIME_ENTRY_NONTEMPORALTHRESHOLD_H */
