/*===-- Buffers.h - The buffers of a kernel that runs ------------*- C -*-===*\
|*                                                                            *|
|* Part of the quant-float project, under the Apache License v2.0 with LLVM   *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/
/*
 * A kernel that can fail has a table of the buffers that it has allocated and
 * not freed, in its own frame: each in the slot of the allocation, or, if an
 * earlier step of a loop has a buffer there, in the next slot that is free. All
 * other slots are null. Buffers that find the table full are not in it, and
 * leak if the kernel fails.
 */
#ifndef QUANT_FLOAT_ENTRYPOINT_RUNTIME_BUFFERS_H
#define QUANT_FLOAT_ENTRYPOINT_RUNTIME_BUFFERS_H

#include "Rare.h"
#include <stdint.h>

#define BUFFERS __attribute__((visibility("hidden"), noinline))
BUFFERS void __qf_keep_buffer(void **table, int64_t size, int64_t slot,
                              void *buffer);
BUFFERS void __qf_drop_buffer(void **table, int64_t size, int64_t slot,
                              const void *buffer);
BUFFERS void *__qf_take_buffer(void **table, int64_t size);
#undef BUFFERS

/* The first slot from `slot` on, and around, that has `buffer`; or null. */
static void **findSlot(void **table, int64_t size, int64_t slot,
                       const void *buffer) {
  for (int64_t i = 0; i < size; ++i) {
    if (table[slot] == buffer)
      return table + slot;
    slot = slot + 1 < size ? slot + 1 : 0;
  }
  return 0;
}

/* Has allocated `buffer`, which is null where there was no memory. */
void __qf_keep_buffer(void **table, int64_t size, int64_t slot, void *buffer) {
  void **place = findSlot(table, size, slot, 0);
  if (place)
    *place = buffer;
}

/* Is about to free `buffer`, which begins to be looked for at `slot`. */
void __qf_drop_buffer(void **table, int64_t size, int64_t slot,
                      const void *buffer) {
  void **place = findSlot(table, size, slot, buffer);
  if (place)
    *place = 0;
}

/* Takes any buffer out of the table; null if there is none. */
RARE void *__qf_take_buffer(void **table, int64_t size) {
  for (int64_t i = 0; i < size; ++i) {
    void *buffer = table[i];
    table[i] = 0;
    if (buffer)
      return buffer;
  }
  return 0;
}

#endif
