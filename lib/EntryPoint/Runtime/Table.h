/*===-- Table.h - What an entry point's table says ---------------*- C -*-===*\
|*                                                                            *|
|* Part of the quant-float project, under the Apache License v2.0 with LLVM   *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/
/*
 * Each entry point has a constant table of 64-bit integers and a constant text
 * of zero-terminated names. No pointers, so no relocations: both stay in
 * read-only memory that processes share.
 *
 *   table = Table, Argument of each input and output, Check..., the offset of
 *           each message, sizes of arguments, implied sizes
 *   names = "function\0input0\0...output0\0...check0\0...message0\0..."
 */
#ifndef QUANT_FLOAT_ENTRYPOINT_RUNTIME_TABLE_H
#define QUANT_FLOAT_ENTRYPOINT_RUNTIME_TABLE_H

#include <stdint.h>

typedef struct Argument {
  int64_t name; /* where it begins in the names */
  int64_t dtype;
  int64_t bits; /* from one element to the next; of strings, their offsets */
  int64_t rank;
  int64_t sizes; /* where they begin in the table; -1: open */
} Argument;

/* Two numbers that have to be equal, computed along with the output sizes. */
typedef struct Check {
  int64_t kind;
  int64_t input;
  int64_t dimension;
  int64_t text; /* where it begins in the names */
} Check;

typedef struct Table {
  int64_t numInputs;
  int64_t numOutputs;
  int64_t numChecks;
  int64_t hasTexts;          /* 0 or 1 */
  int64_t flushesSubnormals; /* 0 or 1 */
  int64_t numSizes;          /* of all outputs */
  /* Where these sizes and the numbers of checks begin: a number, or
   * ~(input << 32 | dimension) for that size. Nowhere if a function computes
   * them. */
  int64_t implied;
} Table;

enum {
  QF_CHECK_OF_INPUT = 0, /* the second number is the input's size */
  QF_CHECK_OF_SIZES = 1, /* of sizes that the text tells */
  QF_CHECK_ASSERTION = 2 /* the text is the message */
};

/* In place of a computed size of an output: it depends on elements. */
#define QF_UNMEASURED INT64_MIN

/* What a kernel returns, or calling it with strings; from QF_KERNEL_MESSAGES
 * on, a message's number. */
enum {
  QF_KERNEL_DONE = 0,
  QF_KERNEL_OUT_OF_MEMORY = 1,
  QF_KERNEL_NO_NUMBER = 2, /* what a text should be */
  QF_KERNEL_NO_ROOM = 3,   /* for the texts of an output */
  QF_KERNEL_MESSAGES = 4
};

#endif
