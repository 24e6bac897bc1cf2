/*===-- CacheSize.h - Bytes of the last-level cache --------------*- C -*-===*\
|*                                                                            *|
|* Part of the quant-float project, under the Apache License v2.0 with LLVM   *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/
#ifndef QUANT_FLOAT_ENTRYPOINT_RUNTIME_CACHESIZE_H
#define QUANT_FLOAT_ENTRYPOINT_RUNTIME_CACHESIZE_H

#include "CpuFeatures.h"
#include <stdint.h>

/* What machines that do not say so are taken to have, and others at most:
 * servers report hundreds of MiB, which all of their cores share. A core of
 * those gets a few, and whatever is larger than this comes from memory. */
enum { largestCacheSize = 32 << 20 };

/* Of the highest level, or 0 where the machine does not say. */
static RARE int64_t findCacheSize(void) {
  int64_t largest = 0;
#if defined(__x86_64__)
  /* AMD's leaf has the layout of Intel's, which is empty there. */
  uint32_t leaf = cpuid(0, 0).a >= 4 && cpuid(4, 0).a & 0x1f ? 4 : 0x8000001d;
  if (leaf != 4 && cpuid(0x80000000u, 0).a < leaf)
    return 0;
  for (uint32_t i = 0; i < 16; ++i) {
    CpuidResult cache = cpuid(leaf, i);
    if (!(cache.a & 0x1f))
      break;
    int64_t lineBytes = (cache.b & 0xfff) + 1;
    int64_t parts = (cache.b >> 12 & 0x3ff) + 1;
    int64_t ways = (cache.b >> 22) + 1;
    int64_t size = lineBytes * parts * ways * ((int64_t)cache.c + 1);
    largest = size > largest ? size : largest;
  }
#endif
  return largest;
}

/* Asked once: some machines that are emulated take long to answer. */
__attribute__((visibility("hidden"))) int64_t __qf_get_cache_size(void);
int64_t __qf_get_cache_size(void) {
  static int64_t known;
  int64_t size = __atomic_load_n(&known, __ATOMIC_RELAXED);
  if (size)
    return size;
  size = findCacheSize();
  if (!size || size > largestCacheSize)
    size = largestCacheSize;
  __atomic_store_n(&known, size, __ATOMIC_RELAXED);
  return size;
}

#endif /* QUANT_FLOAT_ENTRYPOINT_RUNTIME_CACHESIZE_H */
