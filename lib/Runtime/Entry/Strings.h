/*===-- Strings.h - Kernels with strings --------------------------*- C -*-===*\
|*                                                                            *|
|* Part of the quant-float project, under the Apache License v2.0 with LLVM   *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/
/*
 * In kernels, an element of a string tensor is the 64-bit address of a String,
 * so that all ops that move elements also move strings. 0 is the empty string.
 * Strings that are created in a run live until the outputs have been written.
 */
#ifndef QUANT_FLOAT_LIB_RUNTIME_ENTRY_STRINGS_H
#define QUANT_FLOAT_LIB_RUNTIME_ENTRY_STRINGS_H

#include "EntryPointTable.h"
#include "quant-float-c/EntryPoint.h"

typedef struct String {
  const char *bytes;
  int64_t size;
} String;

/* The maximum number of bytes of a string in an error message. */
enum { QF_SHOWN_LENGTH = 64 };

/* Describes a string that is not a number. */
typedef struct StringFailure {
  int64_t message; /* the index of the message that names the node */
  int64_t element;
  /* Characters that are not printable ASCII are escaped, as in \0A. */
  char string[3 * QF_SHOWN_LENGTH + sizeof "..."];
} StringFailure;

/* `strings` is null for kernels without strings. */
typedef int64_t KernelFunction(const qf_tensor *inputs,
                               const qf_tensor *outputs, void *strings);

/* Calls a kernel with strings. The tensors are the caller's, and have been
 * checked. */
typedef int64_t RunStringsFunction(const Table *table, KernelFunction *kernel,
                                   const qf_tensor *inputs, qf_tensor *outputs,
                                   StringFailure *failure);

#endif
