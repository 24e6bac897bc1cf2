// Pointers of any alignment: the results equal those of aligned pointers, and
// no byte before or after a tensor is written.
// RUN: rm -rf %t && mkdir %t
// RUN: quant-float-compile %S/Inputs/environment.mlir -o %t/host.o --cpu host
// RUN: %clang -std=c11 -Wall -Wextra -Werror -O1 -include %t/host.h %s %t/host.o -o %t/host
// RUN: %t/host | FileCheck %s
// RUN: %if host-x86_64 %{ quant-float-compile %S/Inputs/environment.mlir -o %t/baseline.o --cpu x86-64 %}
// RUN: %if host-x86_64 %{ %clang -std=c11 -O1 -include %t/baseline.h %s %t/baseline.o -o %t/baseline %}
// RUN: %if host-x86_64 %{ %t/baseline | FileCheck %s %}
// RUN: %if qemu-riscv64 %{ quant-float-compile %S/Inputs/environment.mlir -o %t/riscv64.o --triple riscv64-linux-gnu --cpu rv64gcv %}
// RUN: %if qemu-riscv64 %{ %clang_riscv64 -static -std=c11 -O1 -include %t/riscv64.h %s %t/riscv64.o -o %t/riscv64 %}
// RUN: %if qemu-riscv64 %{ %run_riscv64 %t/riscv64 | FileCheck %s %}
#include <stdio.h>
#include <string.h>

enum { count = 203, margin = 64 };

typedef int entry(const qf_tensor *, qf_tensor *, char *, size_t);

static int compare(const char *name, entry *function, int from, int fromBytes,
                   int to, int toBytes) {
  static unsigned char input[count * 8 + 2 * margin];
  static unsigned char plain[count * 8 + 2 * margin];
  static unsigned char other[count * 8 + 2 * margin];
  int64_t sizes[1] = {count};
  char error[200];
  for (int shift = 0; shift < 9; ++shift) {
    unsigned state = 1;
    for (int i = 0; i < count * fromBytes; ++i) {
      state = state * 1664525u + 1013904223u;
      input[margin + shift + i] = (unsigned char)(state >> 24);
    }
    unsigned char *result = shift ? other : plain;
    memset(result, 0x5a, sizeof other);
    /* Input and output have different misalignments. */
    int shiftOut = shift * 5 % 9;
    qf_tensor given = {input + margin + shift, sizes, 1, from};
    qf_tensor made = {result + margin + shiftOut, sizes, 1, to};
    if (function(&given, &made, error, sizeof error)) {
      printf("%s: %s\n", name, error);
      return 1;
    }
    for (size_t i = 0; i < sizeof other; ++i) {
      size_t first = margin + (size_t)shiftOut;
      if ((i < first || i >= first + (size_t)count * toBytes) &&
          result[i] != 0x5a) {
        printf("%s: byte %zu written, outside of %zu to %zu\n", name, i, first,
               first + (size_t)count * toBytes);
        return 1;
      }
    }
    if (shift && memcmp(plain + margin, other + margin + shiftOut,
                        (size_t)count * toBytes)) {
      printf("%s: different bits at offsets %d and %d\n", name, shift, shiftOut);
      return 1;
    }
  }
  return 0;
}

int main(void) {
  int failures =
      compare("f32_f8e4m3fn", f32_f8e4m3fn, QF_FLOAT32, 4, QF_FLOAT8E4M3FN, 1) +
      compare("f32_f16", f32_f16, QF_FLOAT32, 4, QF_FLOAT16, 2) +
      compare("f64_f32", f64_f32, QF_FLOAT64, 8, QF_FLOAT32, 4) +
      compare("f8e5m2_f32", f8e5m2_f32, QF_FLOAT8E5M2, 1, QF_FLOAT32, 4) +
      compare("i64_f32", i64_f32, QF_INT64, 8, QF_FLOAT32, 4) +
      compare("f32_bool", f32_bool, QF_FLOAT32, 4, QF_BOOL, 1);
  printf("%d failures\n", failures);
  return failures != 0;
}

// CHECK: {{^}}0 failures
