/*===-- StringRuntime.c - Run-time functions for strings ----------*- C -*-===*\
|*                                                                            *|
|* Part of the quant-float project, under the Apache License v2.0 with LLVM   *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/
/*
 * Like EntryRuntime.c, but uses malloc and free, and is only linked into models
 * with strings.
 */
#include "ParseNumber.h"
#include "PrintNumber.h"
#include "Strings.h"
#include <stddef.h>

void *malloc(size_t size);
void free(void *memory);

/*===----------------------------------------------------------------------===*\
 * Memory
\*===----------------------------------------------------------------------===*/

/* Memory of one run. All blocks are freed together. */
typedef struct Block {
  struct Block *next;
} Block;

typedef struct Strings {
  Block *blocks;
  int64_t status; /* a kernel's status */
  StringFailure *failure;
} Strings;

/* Returns null, and makes the run fail, if there is no memory. */
static void *allocate(Strings *strings, int64_t count, int64_t size) {
  int64_t bytes = 0;
  Block *block = 0;
  if (!__builtin_mul_overflow(count, size, &bytes) &&
      !__builtin_add_overflow(bytes, (int64_t)sizeof(Block), &bytes))
    block = malloc((size_t)bytes);
  if (!block) {
    if (strings->status == QF_KERNEL_DONE)
      strings->status = QF_KERNEL_OUT_OF_MEMORY;
    return 0;
  }
  block->next = strings->blocks;
  strings->blocks = block;
  return block + 1;
}

static void freeAll(Strings *strings) {
  while (strings->blocks) {
    Block *block = strings->blocks;
    strings->blocks = block->next;
    free(block);
  }
}

/*===----------------------------------------------------------------------===*\
 * Elements
\*===----------------------------------------------------------------------===*/

/*
 * Iterates over the elements of two tensors of the same sizes. `layout`
 * consists of the rank, the offsets of the first elements, the sizes, the
 * strides of both tensors, and space for one index per dimension.
 */
typedef struct Walk {
  int64_t rank;
  int64_t in, out;
  const int64_t *sizes, *inStrides, *outStrides;
  int64_t *index;
} Walk;

static Walk startWalk(int64_t *layout) {
  int64_t rank = layout[0];
  int64_t *sizes = layout + 3;
  Walk walk = {rank,         layout[1],        layout[2],       sizes,
               sizes + rank, sizes + 2 * rank, sizes + 3 * rank};
  for (int64_t i = 0; i < rank; ++i)
    walk.index[i] = 0;
  return walk;
}

static void advance(Walk *walk) {
  for (int64_t i = walk->rank - 1; i >= 0; --i) {
    walk->in += walk->inStrides[i];
    walk->out += walk->outStrides[i];
    if (++walk->index[i] < walk->sizes[i])
      return;
    walk->index[i] = 0;
    walk->in -= walk->inStrides[i] * walk->sizes[i];
    walk->out -= walk->outStrides[i] * walk->sizes[i];
  }
}

/* The sizes have been checked. */
static int64_t countElements(const int64_t *sizes, int64_t rank) {
  /* If a size is 0, the product of the others may overflow. */
  uint64_t count = 1;
  for (int64_t i = 0; i < rank; ++i)
    count *= (uint64_t)sizes[i];
  return (int64_t)count;
}

static uint64_t loadSlot(const char *data, int64_t index, int bytes) {
  uint64_t slot = 0;
  __builtin_memcpy(&slot, data + index * bytes, (size_t)bytes);
  return slot;
}

static String getString(uint64_t element) {
  String empty = {0, 0};
  return element ? *(const String *)(uintptr_t)element : empty;
}

/*===----------------------------------------------------------------------===*\
 * Casts
\*===----------------------------------------------------------------------===*/

static void print(Strings *strings, const char *in, uint64_t *out, Walk walk,
                  int64_t count, const NumberFormat *format) {
  const int64_t chunkBytes = 64 * 1024;
  int bytes = getSlotBytes(format);
  String *all = count ? allocate(strings, count, sizeof(String)) : 0;
  char *next = 0, *end = 0;
  for (int64_t i = 0; i < count; ++i, advance(&walk)) {
    uint64_t slot = 0;
    switch (bytes) {
    case 1:
      slot = loadSlot(in, walk.in, 1);
      break;
    case 2:
      slot = loadSlot(in, walk.in, 2);
      break;
    case 4:
      slot = loadSlot(in, walk.in, 4);
      break;
    default:
      slot = loadSlot(in, walk.in, 8);
    }
    if (all && end - next < QF_MAX_NUMBER_LENGTH) {
      int64_t max = count - i;
      max = max < chunkBytes / QF_MAX_NUMBER_LENGTH
                 ? max * QF_MAX_NUMBER_LENGTH
                 : chunkBytes;
      next = allocate(strings, max, 1);
      end = next ? next + max : 0;
      if (!next)
        all = 0;
    }
    /* Without memory, elements are empty strings, which are safe to read. */
    out[walk.out] = 0;
    if (!all)
      continue;
    char *start = next;
    next = putNumberOf(next, format, slot);
    all[i].bytes = start;
    all[i].size = next - start;
    out[walk.out] = (uintptr_t)&all[i];
  }
}

static void fail(Strings *strings, int64_t message, int64_t element,
                 String string) {
  if (strings->status != QF_KERNEL_DONE)
    return;
  strings->status = QF_KERNEL_NO_NUMBER;
  StringFailure *failure = strings->failure;
  failure->message = message;
  failure->element = element;
  char *next = failure->string;
  for (int64_t i = 0; i < string.size && i < QF_SHOWN_LENGTH; ++i) {
    const char *digits = "0123456789ABCDEF";
    unsigned char byte = (unsigned char)string.bytes[i];
    if (byte == '\\')
      *next++ = '\\';
    if (byte >= ' ' && byte < 0x7f && byte != '"') {
      *next++ = (char)byte;
      continue;
    }
    *next++ = '\\';
    *next++ = digits[byte / 16];
    *next++ = digits[byte % 16];
  }
  next = putLiteral(next, string.size > QF_SHOWN_LENGTH ? "..." : "");
  *next = 0;
}

static void parse(Strings *strings, int64_t message, const uint64_t *in,
                  char *out, Walk walk, int64_t count,
                  const NumberFormat *format, int flags) {
  int bytes = getSlotBytes(format);
  for (int64_t i = 0; i < count; ++i, advance(&walk)) {
    String string = getString(in[walk.in]);
    uint64_t bits = 0;
    if (!parseNumber(format, string.bytes, string.size, flags, &bits))
      fail(strings, message, i, string);
    char *destination = out + walk.out * bytes;
    switch (bytes) {
    case 1:
      __builtin_memcpy(destination, &bits, 1);
      break;
    case 2:
      __builtin_memcpy(destination, &bits, 2);
      break;
    case 4:
      __builtin_memcpy(destination, &bits, 4);
      break;
    default:
      __builtin_memcpy(destination, &bits, 8);
    }
  }
}

void __qf_cast_strings(int64_t run, int64_t message, int64_t in, int64_t out,
                       int64_t layout, int64_t from, int64_t to,
                       int64_t flags) {
  Strings *strings = (Strings *)(uintptr_t)run;
  Walk walk = startWalk((int64_t *)(uintptr_t)layout);
  int64_t count = countElements(walk.sizes, walk.rank);
  NumberFormat format = getNumberFormat(from == QF_STRING ? to : from);
  if (from == QF_STRING)
    parse(strings, message, (const uint64_t *)(uintptr_t)in,
          (char *)(uintptr_t)out, walk, count, &format, (int)flags);
  else
    print(strings, (const char *)(uintptr_t)in, (uint64_t *)(uintptr_t)out,
          walk, count, &format);
}

/* Creates the elements of a string tensor, whose strings are contiguous. */
static void loadStrings(Strings *strings, const int64_t *offsets,
                        const char *bytes, uint64_t *elements, Walk walk,
                        int64_t count) {
  String *all = count ? allocate(strings, count, sizeof(String)) : 0;
  for (int64_t i = 0; i < count; ++i, advance(&walk)) {
    elements[walk.out] = 0;
    if (!all)
      continue;
    all[i].bytes = bytes + offsets[i];
    all[i].size = offsets[i + 1] - offsets[i];
    elements[walk.out] = (uintptr_t)&all[i];
  }
}

void __qf_load_strings(int64_t run, int64_t offsets, int64_t bytes,
                       int64_t elements, int64_t layout) {
  Walk walk = startWalk((int64_t *)(uintptr_t)layout);
  loadStrings((Strings *)(uintptr_t)run, (const int64_t *)(uintptr_t)offsets,
              (const char *)(uintptr_t)bytes, (uint64_t *)(uintptr_t)elements,
              walk, countElements(walk.sizes, walk.rank));
}

/*===----------------------------------------------------------------------===*\
 * Runs
\*===----------------------------------------------------------------------===*/

/* Returns the total number of bytes of the strings. */
static int64_t measure(const uint64_t *elements, int64_t count) {
  int64_t size = 0;
  for (int64_t i = 0; i < count; ++i)
    size += getString(elements[i]).size;
  return size;
}

static void store(const uint64_t *elements, int64_t count,
                  const qf_strings *strings) {
  char *next = strings->bytes;
  for (int64_t i = 0; i < count; ++i) {
    strings->offsets[i] = next - strings->bytes;
    String string = getString(elements[i]);
    if (string.size)
      __builtin_memcpy(next, string.bytes, (size_t)string.size);
    next += string.size;
  }
  strings->offsets[count] = next - strings->bytes;
}

/* Copies the caller's tensors, with addresses of strings instead of strings.
 * Returns null if there is no memory. */
static qf_tensor *openTensors(Strings *strings, const Table *table,
                              const qf_tensor *inputs,
                              const qf_tensor *outputs) {
  const Argument *arguments = (const Argument *)(table + 1);
  int64_t numInputs = table->numInputs;
  int64_t numTensors = numInputs + table->numOutputs;
  qf_tensor *tensors = allocate(strings, numTensors, sizeof(qf_tensor));
  for (int64_t i = 0; tensors && i < numTensors; ++i) {
    qf_tensor *tensor = &tensors[i];
    *tensor = i < numInputs ? inputs[i] : outputs[i - numInputs];
    int64_t count = countElements(tensor->sizes, tensor->rank);
    if (arguments[i].dtype != QF_STRING || !count)
      continue;
    const qf_strings *source = tensor->data;
    tensor->data = allocate(strings, count, sizeof(uint64_t));
    if (!tensor->data)
      return 0;
    if (i < numInputs) {
      int64_t layout[] = {1, 0, 0, count, 1, 1, 0};
      loadStrings(strings, source->offsets, source->bytes, tensor->data,
                  startWalk(layout), count);
    }
  }
  return tensors;
}

/* Writes all strings, or none if an output's capacity is too small. Sets
 * `needed` of all outputs in both cases. */
static int64_t storeOutputs(const Table *table, const qf_tensor *tensors,
                            qf_tensor *outputs) {
  const Argument *arguments = (const Argument *)(table + 1) + table->numInputs;
  int64_t status = QF_KERNEL_DONE;
  for (int storing = 0; storing < 2 && status == QF_KERNEL_DONE; ++storing)
    for (int64_t i = 0; i < table->numOutputs; ++i) {
      qf_strings *strings = outputs[i].data;
      int64_t count = countElements(outputs[i].sizes, outputs[i].rank);
      /* An output without elements may be null. */
      if (arguments[i].dtype != QF_STRING || !strings || !strings->offsets)
        continue;
      if (storing) {
        store(tensors[i].data, count, strings);
        continue;
      }
      strings->needed = count ? measure(tensors[i].data, count) : 0;
      if (strings->needed > strings->capacity)
        status = QF_KERNEL_NO_ROOM;
    }
  return status;
}

int64_t __qf_run_strings(const Table *table, KernelFunction *kernel,
                         const qf_tensor *inputs, qf_tensor *outputs,
                         StringFailure *failure) {
  Strings strings = {0, QF_KERNEL_DONE, failure};
  qf_tensor *tensors = openTensors(&strings, table, inputs, outputs);
  int64_t status = strings.status;
  if (status == QF_KERNEL_DONE)
    status = kernel(tensors, tensors + table->numInputs, &strings);
  /* A later error of the kernel may result from a failed cast. */
  if (strings.status != QF_KERNEL_DONE)
    status = strings.status;
  if (status == QF_KERNEL_DONE)
    status = storeOutputs(table, tensors + table->numInputs, outputs);
  freeAll(&strings);
  return status;
}
