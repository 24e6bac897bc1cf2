/*===-- System.h - C library functions of the runtime -------------*- C -*-===*\
|*                                                                            *|
|* Part of the quant-float project, under the Apache License v2.0 with LLVM   *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/
/*
 * Declares the C library functions of Linux that this runtime calls, so that it
 * compiles without headers of the operating system.
 */
#ifndef QUANT_FLOAT_LIB_RUNTIME_CUDA_SYSTEM_H
#define QUANT_FLOAT_LIB_RUNTIME_CUDA_SYSTEM_H

#include <stddef.h>
#include <stdint.h>

extern void *dlopen(const char *name, int mode);
extern void *dlsym(void *library, const char *symbol);
extern int dlclose(void *library);
extern char *dlerror(void);
extern void *calloc(size_t count, size_t bytes);
extern void free(void *memory);
extern int sched_yield(void);
extern intptr_t write(int file, const void *bytes, size_t count);

enum { QF_RTLD_NOW = 2 };

/* A spin lock. It is held rarely and briefly, except while a module is
 * loaded. */
typedef struct Lock {
  char isHeld;
} Lock;

static inline void acquire(Lock *lock) {
  while (__atomic_test_and_set(&lock->isHeld, __ATOMIC_ACQUIRE))
    sched_yield();
}

static inline void release(Lock *lock) {
  __atomic_clear(&lock->isHeld, __ATOMIC_RELEASE);
}

#endif
