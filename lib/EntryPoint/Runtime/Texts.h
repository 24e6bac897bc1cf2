/*===-- Texts.h - Runs with strings -------------------------------*- C -*-===*\
|*                                                                            *|
|* Part of the quant-float project, under the Apache License v2.0 with LLVM   *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/
/*
 * Below tensors an element of a string tensor is the address of a Text, as 64
 * bits, so that all that moves elements moves strings; 0 is the empty text.
 * Texts that are made on the way live until the outputs have been written.
 */
#ifndef QUANT_FLOAT_ENTRYPOINT_RUNTIME_TEXTS_H
#define QUANT_FLOAT_ENTRYPOINT_RUNTIME_TEXTS_H

#include "Table.h"
#include "quant-float-c/EntryPoint.h"

typedef struct Text {
  const char *bytes;
  int64_t size;
} Text;

/* Of the message, all that is not in tables. */
enum { QF_SHOWN_TEXT = 64 };

/* A text that is no number. */
typedef struct TextFailure {
  int64_t message; /* the number of the message that names the place */
  int64_t element;
  /* What is no printable character of ASCII as \0A. */
  char text[3 * QF_SHOWN_TEXT + sizeof "..."];
} TextFailure;

/* `texts` is for kernels with strings, null for others. */
typedef int64_t KernelFunction(const qf_tensor *inputs,
                               const qf_tensor *outputs, void *texts);

/* Calls a kernel with strings. The tensors are the caller's, and have been
 * checked. */
typedef int64_t RunTextsFunction(const Table *table, KernelFunction *kernel,
                                 const qf_tensor *inputs, qf_tensor *outputs,
                                 TextFailure *failure);

#endif
