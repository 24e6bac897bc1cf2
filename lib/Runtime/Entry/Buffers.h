/*===-- Buffers.h - Buffers of a running kernel -------------------*- C -*-===*\
|*                                                                            *|
|* Part of the quant-float project, under the Apache License v2.0 with LLVM   *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/
/*
 * A kernel that can fail has a table in its frame of the buffers that it has
 * allocated and not freed yet. Each buffer is in the slot of its allocation, or
 * in the next free slot if an earlier iteration of a loop still has a buffer
 * there. All other slots are null. Buffers that find the table full are not
 * tracked, and leak if the kernel fails.
 */
#ifndef QUANT_FLOAT_LIB_RUNTIME_ENTRY_BUFFERS_H
#define QUANT_FLOAT_LIB_RUNTIME_ENTRY_BUFFERS_H

#include "Cold.h"
#include <stdint.h>

#define BUFFERS __attribute__((visibility("hidden"), noinline))
BUFFERS void __qf_keep_buffer(void **table, int64_t size, int64_t slot,
                              void *buffer);
BUFFERS void __qf_drop_buffer(void **table, int64_t size, int64_t slot,
                              const void *buffer);
BUFFERS void *__qf_take_buffer(void **table, int64_t size);
#undef BUFFERS

/* Returns the first slot that contains `buffer`, in cyclic order from `slot`,
 * or null. */
static void **findSlot(void **table, int64_t size, int64_t slot,
                       const void *buffer) {
  for (int64_t i = 0; i < size; ++i) {
    if (table[slot] == buffer)
      return table + slot;
    slot = slot + 1 < size ? slot + 1 : 0;
  }
  return 0;
}

/* Adds an allocated buffer. `buffer` is null if the allocation failed. */
void __qf_keep_buffer(void **table, int64_t size, int64_t slot, void *buffer) {
  void **entry = findSlot(table, size, slot, 0);
  if (entry)
    *entry = buffer;
}

/* Removes a buffer that is about to be freed. The search starts at `slot`. */
void __qf_drop_buffer(void **table, int64_t size, int64_t slot,
                      const void *buffer) {
  void **entry = findSlot(table, size, slot, buffer);
  if (entry)
    *entry = 0;
}

/* Removes and returns any buffer of the table, or null if it is empty. */
COLD void *__qf_take_buffer(void **table, int64_t size) {
  for (int64_t i = 0; i < size; ++i) {
    void *buffer = table[i];
    table[i] = 0;
    if (buffer)
      return buffer;
  }
  return 0;
}

#endif
