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
 *   table = numInputs, numOutputs, numChecks,
 *           argument..., argument...  (inputs first), check..., message...
 *   argument = nameOffset, dtype, elementBytes, rank, size * rank   (-1: open)
 *   check = kind, input, dimension, textOffset
 *   message = textOffset
 *   names = "function\0input0\0...output0\0...check0\0...message0\0..."
 */
#ifndef QUANT_FLOAT_ENTRYPOINT_RUNTIME_TABLE_H
#define QUANT_FLOAT_ENTRYPOINT_RUNTIME_TABLE_H

enum {
  QF_TABLE_NUM_INPUTS = 0,
  QF_TABLE_NUM_OUTPUTS = 1,
  QF_TABLE_NUM_CHECKS = 2,
  QF_TABLE_ARGUMENTS = 3
};

enum {
  QF_ARGUMENT_NAME = 0,
  QF_ARGUMENT_DTYPE = 1,
  QF_ARGUMENT_BYTES = 2,
  QF_ARGUMENT_RANK = 3,
  QF_ARGUMENT_SIZES = 4
};

/* Two numbers that have to be equal, computed along with the output sizes. */
enum {
  QF_CHECK_KIND = 0,
  QF_CHECK_INPUT = 1,
  QF_CHECK_DIMENSION = 2,
  QF_CHECK_TEXT = 3,
  QF_CHECK_WORDS = 4
};

enum {
  QF_CHECK_OF_INPUT = 0, /* the second number is the input's size */
  QF_CHECK_OF_SIZES = 1, /* of sizes that the text tells */
  QF_CHECK_ASSERTION = 2 /* the text is the message */
};

/* What a kernel returns; from QF_KERNEL_MESSAGES on, a message's number. */
enum {
  QF_KERNEL_DONE = 0,
  QF_KERNEL_OUT_OF_MEMORY = 1,
  QF_KERNEL_MESSAGES = 2
};

/* Words of the bit set of CPU features that the code was compiled for. */
enum { QF_CPU_FEATURE_WORDS = 1 };

#endif
