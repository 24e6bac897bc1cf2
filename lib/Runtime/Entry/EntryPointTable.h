/*===-- EntryPointTable.h - Constant data of entry points ---------*- C -*-===*\
|*                                                                            *|
|* Part of the quant-float project, under the Apache License v2.0 with LLVM   *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/
/*
 * Each entry point has a constant table of 64-bit integers, and a constant
 * string of null-terminated names. Without pointers, both need no relocations,
 * so they stay in read-only memory that processes share.
 *
 *   table = Table, Argument of each input and output, Check..., the offset of
 *           each message, sizes of arguments, implied sizes
 *   names = "function\0input0\0...output0\0...check0\0...message0\0..."
 */
#ifndef QUANT_FLOAT_LIB_RUNTIME_ENTRY_ENTRYPOINTTABLE_H
#define QUANT_FLOAT_LIB_RUNTIME_ENTRY_ENTRYPOINTTABLE_H

#include <stdint.h>

typedef struct Argument {
  int64_t name; /* offset in the names */
  int64_t dtype;
  int64_t bits; /* distance of elements in memory; for strings, of offsets */
  int64_t rank;
  int64_t sizes; /* index in the table; dynamic sizes are -1 there */
} Argument;

/* Two numbers that must be equal. They are computed with the output sizes. */
typedef struct Check {
  int64_t kind;
  int64_t input;
  int64_t dimension;
  int64_t message; /* offset in the names */
} Check;

typedef struct Table {
  int64_t numInputs;
  int64_t numOutputs;
  int64_t numChecks;
  int64_t hasStrings;        /* 0 or 1 */
  int64_t flushesSubnormals; /* 0 or 1 */
  int64_t numSizes;          /* of all outputs */
  /* The index in the table of these sizes, followed by the numbers of the
   * checks: a nonnegative number, or ~(input << 32 | dimension) for the size of
   * an input. Absent if a function computes them. */
  int64_t implied;
} Table;

enum {
  QF_CHECK_OF_INPUT = 0, /* the second number is the size of the input */
  QF_CHECK_OF_SIZES = 1, /* the string describes the sizes */
  QF_CHECK_ASSERTION = 2 /* the string is the message */
};

/* Replaces an output size that depends on elements. */
#define QF_UNKNOWN_SIZE INT64_MIN

/* The status that a kernel returns, with or without strings. A status of at
 * least QF_KERNEL_MESSAGES is the index of a message. */
enum {
  QF_KERNEL_DONE = 0,
  QF_KERNEL_OUT_OF_MEMORY = 1,
  QF_KERNEL_NO_NUMBER = 2, /* a string is not a number */
  QF_KERNEL_NO_ROOM = 3,   /* the strings of an output exceed its capacity */
  QF_KERNEL_MESSAGES = 4
};

#endif
