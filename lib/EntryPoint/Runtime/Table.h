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
 *   table = numInputs, numOutputs, argument..., argument...  (inputs first)
 *   argument = nameOffset, dtype, elementBytes, rank, size * rank   (-1: open)
 *   names = "function\0input0\0...output0\0..."
 */
#ifndef QUANT_FLOAT_ENTRYPOINT_RUNTIME_TABLE_H
#define QUANT_FLOAT_ENTRYPOINT_RUNTIME_TABLE_H

enum {
  QF_TABLE_NUM_INPUTS = 0,
  QF_TABLE_NUM_OUTPUTS = 1,
  QF_TABLE_ARGUMENTS = 2
};

enum {
  QF_ARGUMENT_NAME = 0,
  QF_ARGUMENT_DTYPE = 1,
  QF_ARGUMENT_BYTES = 2,
  QF_ARGUMENT_RANK = 3,
  QF_ARGUMENT_SIZES = 4
};

/* Words of the bit set of CPU features that the code was compiled for. */
enum { QF_CPU_FEATURE_WORDS = 1 };

#endif
