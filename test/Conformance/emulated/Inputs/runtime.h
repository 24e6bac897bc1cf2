/*===-- runtime.h - A program without a C library ----------------*- C -*-===*\
|*                                                                            *|
|* Part of the quant-float project, under the Apache License v2.0 with LLVM   *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/
// Implements read, write and exit without a C library, with Linux's system
// calls or, on a bare RISC-V machine, with those of spike.
#ifndef QUANT_FLOAT_TEST_CONFORMANCE_EMULATED_RUNTIME_H
#define QUANT_FLOAT_TEST_CONFORMANCE_EMULATED_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

int run(void);

#if defined(__x86_64__)
enum { readNumber = 0, writeNumber = 1, exitNumber = 60 };

static int64_t systemCall(int64_t number, int64_t a, int64_t b, int64_t c) {
  int64_t result = number;
  __asm__ volatile("syscall"
                   : "+a"(result)
                   : "D"(a), "S"(b), "d"(c)
                   : "rcx", "r11", "memory");
  return result;
}

__asm__(".globl _start\n"
        "_start:\n"
        "  and $-64, %rsp\n"
        "  call start\n");
#else
enum { readNumber = 63, writeNumber = 64, exitNumber = 93 };

#if defined(__aarch64__)
static int64_t systemCall(int64_t number, int64_t a, int64_t b, int64_t c) {
  register int64_t x8 __asm__("x8") = number;
  register int64_t x0 __asm__("x0") = a;
  register int64_t x1 __asm__("x1") = b;
  register int64_t x2 __asm__("x2") = c;
  __asm__ volatile("svc #0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2) : "memory");
  return x0;
}

__asm__(".globl _start\n"
        "_start:\n"
        "  bl start\n");
#elif defined(__riscv)
// Spike's host interface: the program writes the address of the arguments of a
// call, or an exit code with the lowest bit set, to `tohost`. The host answers
// in `fromhost`.
extern volatile uint64_t tohost, fromhost;

static int64_t systemCall(int64_t number, int64_t a, int64_t b, int64_t c) {
  static volatile uint64_t call[8] __attribute__((aligned(64)));
  if (number == exitNumber)
    for (;;)
      tohost = (uint64_t)a << 1 | 1;
  call[0] = (uint64_t)number;
  call[1] = (uint64_t)a;
  call[2] = (uint64_t)b;
  call[3] = (uint64_t)c;
  __asm__ volatile("fence" ::: "memory");
  tohost = (uint64_t)call;
  while (!fromhost) {
  }
  fromhost = 0;
  __asm__ volatile("fence" ::: "memory");
  return (int64_t)call[0];
}

// Enables floats and vectors in mstatus. The trap handler returns -38 (ENOSYS)
// for Linux system calls. Any other trap ends the program with the exit code
// 100 plus its cause.
__attribute__((used)) static void endByTrap(int64_t cause) {
  systemCall(exitNumber, 100 + cause, 0, 0);
}
__asm__(".section .text.init, \"ax\"\n"
        ".globl _start\n"
        "_start:\n"
        "  li t0, 0x6600\n"
        "  csrs mstatus, t0\n"
        "  la t0, trap\n"
        "  csrw mtvec, t0\n"
        "  la sp, stackTop\n"
        "  call start\n"
        ".p2align 2\n"
        "trap:\n"
        "  csrr a0, mcause\n"
        "  addi a0, a0, -11\n"
        "  beqz a0, 1f\n"
        "  addi a0, a0, 11\n"
        "  call endByTrap\n"
        "1:\n"
        "  csrr a0, mepc\n"
        "  addi a0, a0, 4\n"
        "  csrw mepc, a0\n"
        "  li a0, -38\n"
        "  mret\n"
        ".section .tohost, \"aw\", @progbits\n"
        ".globl tohost, fromhost\n"
        ".p2align 6\n"
        "tohost: .dword 0\n"
        ".p2align 6\n"
        "fromhost: .dword 0\n"
        ".section .bss\n"
        ".p2align 6\n"
        ".space 65536\n"
        "stackTop:\n"
        ".text\n");
#endif
#endif

__attribute__((used, noreturn)) void start(void) {
  int code = run();
  for (;;)
    systemCall(exitNumber, code, 0, 0);
}

// Reads `size` bytes, or fewer at the end of the input.
static size_t readAll(void *bytes, size_t size) {
  size_t done = 0;
  while (done < size) {
    int64_t now = systemCall(readNumber, 0, (int64_t)((char *)bytes + done),
                             (int64_t)(size - done));
    if (now <= 0)
      break;
    done += (size_t)now;
  }
  return done;
}

static int writeAll(const void *bytes, size_t size) {
  size_t done = 0;
  while (done < size) {
    int64_t now =
        systemCall(writeNumber, 1, (int64_t)((const char *)bytes + done),
                   (int64_t)(size - done));
    if (now <= 0)
      return 0;
    done += (size_t)now;
  }
  return 1;
}

// Functions that compiled code calls.
void *memset(void *bytes, int value, size_t size) {
  for (size_t i = 0; i < size; ++i)
    ((volatile char *)bytes)[i] = (char)value;
  return bytes;
}
void *memcpy(void *to, const void *from, size_t size) {
  for (size_t i = 0; i < size; ++i)
    ((volatile char *)to)[i] = ((const char *)from)[i];
  return to;
}
void *memmove(void *to, const void *from, size_t size) {
  if ((uintptr_t)to <= (uintptr_t)from)
    return memcpy(to, from, size);
  for (size_t i = size; i > 0; --i)
    ((volatile char *)to)[i - 1] = ((const char *)from)[i - 1];
  return to;
}

#endif
