// Rule E1: whatever rounding mode, flush-to-zero and denormals-are-zero the
// caller has set, the bits are the same; and the caller finds everything as it
// was, exception flags included.
//
// RUN: rm -rf %t && mkdir %t
// RUN: quant-float-compile %S/Inputs/environment.mlir -o %t/host.o --cpu host
// RUN: %clang -std=c11 -Wall -Wextra -Werror -O1 -include %t/host.h %s %t/host.o -o %t/host
// RUN: %t/host | FileCheck %s
// RUN: %if host-x86_64 %{ quant-float-compile %S/Inputs/environment.mlir -o %t/baseline.o --cpu x86-64 %}
// RUN: %if host-x86_64 %{ %clang -std=c11 -O1 -include %t/baseline.h %s %t/baseline.o -o %t/baseline %}
// RUN: %if host-x86_64 %{ %t/baseline | FileCheck %s %}
// RUN: %if qemu-aarch64 %{ quant-float-compile %S/Inputs/environment.mlir -o %t/aarch64.o --triple aarch64-linux-gnu --cpu generic %}
// RUN: %if qemu-aarch64 %{ %clang_aarch64 -static -std=c11 -O1 -include %t/aarch64.h %s %t/aarch64.o -o %t/aarch64 %}
// RUN: %if qemu-aarch64 %{ %run_aarch64 %t/aarch64 | FileCheck %s %}
// RUN: %if qemu-riscv64 %{ quant-float-compile %S/Inputs/environment.mlir -o %t/riscv64.o --triple riscv64-linux-gnu --cpu rv64gcv %}
// RUN: %if qemu-riscv64 %{ %clang_riscv64 -static -std=c11 -O1 -include %t/riscv64.h %s %t/riscv64.o -o %t/riscv64 %}
// RUN: %if qemu-riscv64 %{ %run_riscv64 %t/riscv64 | FileCheck %s %}

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { count = 4099 };

/* One register with every rounding mode and flushing bit, and flags. */
#if defined(__x86_64__)
#include <xmmintrin.h>
enum { numModes = 16 };
static void set(uint64_t value) { _mm_setcsr((unsigned)value); }
static uint64_t get(void) { return _mm_getcsr(); }
/* Bit 15: FTZ, 13-14: rounding, 7-12: masks, 6: DAZ, 0-5: flags. */
static uint64_t makeMode(unsigned mode) {
  return (mode & 1) << 15 | (mode >> 1 & 1) << 6 | (mode >> 2) << 13 | 0x1f80 |
         mode * 5 % 64;
}
static const uint64_t usual = 0x1f80, trapping = 0x1f80 & ~0x1080;
#elif defined(__aarch64__)
enum { numModes = 16 };
static void set(uint64_t value) {
  __asm__ volatile("msr fpcr, %0\n\tmsr fpsr, %1" ::"r"(value & 0xffffff00),
                   "r"(value & 0xff));
}
static uint64_t get(void) {
  uint64_t control, status;
  __asm__ volatile("mrs %0, fpcr\n\tmrs %1, fpsr"
                   : "=r"(control), "=r"(status));
  return control | (status & 0xff);
}
/* Bits 22-23: rounding, 24: FZ, 25: default NaN; 0-4: flags, kept in FPSR. */
static uint64_t makeMode(unsigned mode) {
  return (uint64_t)mode << 22 | mode * 5 % 32;
}
static const uint64_t usual = 0, trapping = 0;
#else
enum { numModes = 5 };
static void set(uint64_t value) {
  __asm__ volatile("csrw fcsr, %0" ::"r"(value));
}
static uint64_t get(void) {
  uint64_t value;
  __asm__ volatile("csrr %0, fcsr" : "=r"(value));
  return value;
}
/* Bits 5-7: rounding, 0-4: flags. */
static uint64_t makeMode(unsigned mode) { return mode << 5 | mode * 5 % 32; }
static const uint64_t usual = 0, trapping = 0;
#endif

typedef int entry(const qf_tensor *, qf_tensor *, char *, size_t);

static const struct {
  const char *name;
  entry *function;
  int from, fromBytes, to, toBytes;
} cases[] = {
    {"f32_f8e4m3fn", f32_f8e4m3fn, QF_FLOAT32, 4, QF_FLOAT8E4M3FN, 1},
    {"f32_f8e5m2fnuz", f32_f8e5m2fnuz, QF_FLOAT32, 4, QF_FLOAT8E5M2FNUZ, 1},
    {"f32_f4", f32_f4, QF_FLOAT32, 4, QF_FLOAT4E2M1, 1},
    {"f32_f16", f32_f16, QF_FLOAT32, 4, QF_FLOAT16, 2},
    {"f32_bf16", f32_bf16, QF_FLOAT32, 4, QF_BFLOAT16, 2},
    {"f64_f32", f64_f32, QF_FLOAT64, 8, QF_FLOAT32, 4},
    {"f64_f8e4m3fn", f64_f8e4m3fn, QF_FLOAT64, 8, QF_FLOAT8E4M3FN, 1},
    {"f8e5m2_f32", f8e5m2_f32, QF_FLOAT8E5M2, 1, QF_FLOAT32, 4},
    {"e8m0_f32", e8m0_f32, QF_FLOAT8E8M0, 1, QF_FLOAT32, 4},
    {"i64_f32", i64_f32, QF_INT64, 8, QF_FLOAT32, 4},
    {"f32_i32", f32_i32, QF_FLOAT32, 4, QF_INT32, 4},
    {"f32_bool", f32_bool, QF_FLOAT32, 4, QF_BOOL, 1},
};

int main(void) {
  /* Any bits, every third element a small subnormal of its type. */
  static unsigned char input[count * 8], plain[count * 8], other[count * 8];
  int failures = 0;
  for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c) {
    unsigned long long state = 1;
    for (int i = 0; i < count * cases[c].fromBytes; ++i) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      input[i] = (unsigned char)(state >> 56);
      if (cases[c].fromBytes > 1 && i / cases[c].fromBytes % 3 == 0 &&
          i % cases[c].fromBytes >= cases[c].fromBytes / 2)
        input[i] = i % cases[c].fromBytes == cases[c].fromBytes - 1
                       ? input[i] & 0x80
                       : 0;
    }
    int64_t sizes[1] = {count};
    qf_tensor from = {input, sizes, 1, cases[c].from};
    qf_tensor to = {plain, sizes, 1, cases[c].to};
    char error[200];
    if (cases[c].function(&from, &to, error, sizeof error)) {
      printf("%s: %s\n", cases[c].name, error);
      return 1;
    }
    to.data = other;
    for (unsigned mode = 0; mode < numModes; ++mode) {
      uint64_t environment = makeMode(mode);
      memset(other, 0xee, sizeof other);
      set(environment);
      int status = cases[c].function(&from, &to, error, sizeof error);
      uint64_t after = get();
      set(usual);
      if (status || after != environment ||
          memcmp(plain, other, (size_t)count * cases[c].toBytes)) {
        printf("%s: environment %04" PRIx64 ": status %d, %04" PRIx64
               " after, bits %s\n",
               cases[c].name, environment, status, after,
               memcmp(plain, other, (size_t)count * cases[c].toBytes)
                   ? "differ"
                   : "equal");
        ++failures;
      }
    }
    /* An exception that the caller wants trapped must not fire inside. */
    set(trapping);
    cases[c].function(&from, &to, error, sizeof error);
    set(usual);
  }
  printf("%d failures\n", failures);
  return failures != 0;
}

// CHECK: {{^}}0 failures
