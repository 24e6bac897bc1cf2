/*===-- Cold.h - Rarely called functions --------------------------*- C -*-===*\
|*                                                                            *|
|* Part of the quant-float project, under the Apache License v2.0 with LLVM   *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/
#ifndef QUANT_FLOAT_LIB_RUNTIME_ENTRY_COLD_H
#define QUANT_FLOAT_LIB_RUNTIME_ENTRY_COLD_H

/* Optimizes a function for size instead of speed: every model contains these
 * functions, and assembling them takes time. */
#define COLD __attribute__((cold, noinline, minsize))

#endif
