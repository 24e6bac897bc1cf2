//===- timing.c - Timed calls and the traffic loops -----------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiled by benchmarks/run for the machine it runs on. Native contenders are
// called from here, so that their times include no interpreter overhead.
//
//===----------------------------------------------------------------------===//

#include <stddef.h>
#include <stdint.h>
#include <time.h>

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/// A quant-float entry point. The tensors are opaque here.
typedef int (*entry_point)(const void *, void *, char *, size_t);

double time_entry_point(entry_point function, const void *inputs, void *outputs,
                        char *error, size_t errorSize, int64_t calls,
                        int *status) {
  *status = 0;
  double start = seconds();
  for (int64_t i = 0; i < calls && *status == 0; ++i)
    *status = function(inputs, outputs, error, errorSize);
  return seconds() - start;
}

/// NumKong's nk_cast.
typedef void (*numkong_cast)(const void *, uint32_t, uint64_t, void *,
                             uint32_t);

double time_numkong(numkong_cast function, const void *from, uint32_t fromType,
                    uint64_t count, void *to, uint32_t toType, int64_t calls) {
  double start = seconds();
  for (int64_t i = 0; i < calls; ++i)
    function(from, fromType, count, to, toType);
  return seconds() - start;
}

//===----------------------------------------------------------------------===//
// Traffic: reads and writes the bytes of a row without a conversion
//===----------------------------------------------------------------------===//
//
// Loads and stores bound the speed of a conversion. Each iteration handles one
// vector of 64 bytes of the narrower side: narrowing reads R vectors, merges
// them with R - 1 bitwise ors, so that no load can be eliminated, and writes
// one. Widening reads one and writes it R times. Equal sizes copy. The merge is
// cheaper than any conversion, so the loop stays memory-bound.

typedef uint8_t vector __attribute__((vector_size(64), aligned(1)));
typedef uint8_t aligned_vector __attribute__((vector_size(64), aligned(64)));

static inline vector load(const uint8_t *from) { return *(const vector *)from; }

static inline void store(uint8_t *to, vector value) { *(vector *)to = value; }

/// Non-temporal stores, which are faster for data beyond the last-level cache.
static inline void stream(uint8_t *to, vector value) {
  __builtin_nontemporal_store((aligned_vector)value, (aligned_vector *)to);
}

#define TRAFFIC(NAME, RATIO, BODY, STORE)                                      \
  static void NAME##_##STORE(const uint8_t *restrict from,                     \
                             uint8_t *restrict to, size_t narrowBytes) {       \
    enum { R = RATIO };                                                        \
    for (size_t i = 0; i < narrowBytes; i += 64) {                             \
      BODY(STORE)                                                              \
    }                                                                          \
  }
#define NARROW(STORE)                                                          \
  vector merged = load(from + i * R);                                          \
  for (int part = 1; part < R; ++part)                                         \
    merged |= load(from + i * R + 64 * part);                                  \
  STORE(to + i, merged);
#define WIDEN(STORE)                                                           \
  vector value = load(from + i);                                               \
  for (int part = 0; part < R; ++part)                                         \
    STORE(to + i * R + 64 * part, value);
#define BOTH(NAME, RATIO, BODY)                                                \
  TRAFFIC(NAME, RATIO, BODY, store)                                            \
  TRAFFIC(NAME, RATIO, BODY, stream)

BOTH(narrow1, 1, NARROW)
BOTH(narrow2, 2, NARROW)
BOTH(narrow4, 4, NARROW)
BOTH(narrow8, 8, NARROW)
BOTH(widen2, 2, WIDEN)
BOTH(widen4, 4, WIDEN)
BOTH(widen8, 8, WIDEN)

typedef void (*traffic_loop)(const uint8_t *, uint8_t *, size_t);

static traffic_loop findTraffic(int64_t fromSize, int64_t toSize,
                                int nonTemporal) {
  static const struct {
    int64_t from, to;
    traffic_loop plain, streaming;
  } loops[] = {{1, 1, narrow1_store, narrow1_stream},
               {2, 1, narrow2_store, narrow2_stream},
               {4, 1, narrow4_store, narrow4_stream},
               {8, 1, narrow8_store, narrow8_stream},
               {1, 2, widen2_store, widen2_stream},
               {1, 4, widen4_store, widen4_stream},
               {1, 8, widen8_store, widen8_stream}};
  int64_t common = fromSize < toSize ? fromSize : toSize;
  for (size_t i = 0; i < sizeof(loops) / sizeof(loops[0]); ++i)
    if (loops[i].from * common == fromSize && loops[i].to * common == toSize)
      return nonTemporal ? loops[i].streaming : loops[i].plain;
  return NULL;
}

/// Negative if there is no loop for the sizes, or if they are no multiple of a
/// vector.
double time_traffic(const uint8_t *from, int64_t fromSize, uint8_t *to,
                    int64_t toSize, int64_t count, int nonTemporal,
                    int64_t calls) {
  traffic_loop loop = findTraffic(fromSize, toSize, nonTemporal);
  int64_t narrowBytes = count * (fromSize < toSize ? fromSize : toSize);
  if (!loop || narrowBytes % 64)
    return -1.0;
  double start = seconds();
  for (int64_t i = 0; i < calls; ++i) {
    loop(from, to, (size_t)narrowBytes);
    if (nonTemporal)
      // non-temporal stores complete within the measurement
      __atomic_thread_fence(__ATOMIC_SEQ_CST);
    __asm__ volatile("" ::"r"(from), "r"(to) : "memory");
  }
  return seconds() - start;
}
