/*===-- heap.h - What compiled code needs of a C library ---------*- C -*-===*\
|*                                                                            *|
|* Part of the quant-float project, under the Apache License v2.0 with LLVM   *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/
#ifndef QUANT_FLOAT_TEST_CONFORMANCE_EMULATED_HEAP_H
#define QUANT_FLOAT_TEST_CONFORMANCE_EMULATED_HEAP_H

#include "runtime.h"

enum { alignment = 64 };
static char heap[1 << 24] __attribute__((aligned(alignment)));
static size_t taken;

// Memory is only freed all at once, by setting `taken` to 0.
void *malloc(size_t size) {
  size = (size + alignment - 1) / alignment * alignment;
  if (size > sizeof heap - taken)
    return 0;
  taken += size;
  return heap + taken - size;
}
void free(void *memory) { (void)memory; }

static void print(const char *text) {
  size_t size = 0;
  while (text[size])
    ++size;
  writeAll(text, size);
}

#endif
