/*===-- Rare.h - What few calls come to ---------------------------*- C -*-===*\
|*                                                                            *|
|* Part of the quant-float project, under the Apache License v2.0 with LLVM   *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/
#ifndef QUANT_FLOAT_ENTRYPOINT_RUNTIME_RARE_H
#define QUANT_FLOAT_ENTRYPOINT_RUNTIME_RARE_H

/* Functions that are to be small rather than fast: every model has them, and
 * assembling them takes time. */
#define RARE __attribute__((cold, noinline, minsize))

#endif
