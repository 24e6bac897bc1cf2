// Rule E1: the bits do not depend on the caller's rounding mode, flush-to-zero
// and denormals-are-zero flags, and the caller's floating-point environment is
// restored, exception flags included.
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
// RUN: %if qemu-aarch64 && emulator-armfp8 %{ quant-float-compile %S/Inputs/environment.mlir -o %t/armfp8.o --triple aarch64-linux-gnu --cpu fujitsu-monaka %}
// RUN: %if qemu-aarch64 && emulator-armfp8 %{ %clang_aarch64 -static -std=c11 -O1 -DFLOAT8 -include %t/armfp8.h %s %t/armfp8.o -o %t/armfp8 %}
// RUN: %if qemu-aarch64 && emulator-armfp8 %{ %run_armfp8 %t/armfp8 | FileCheck %s %}
// RUN: %if qemu-riscv64 %{ quant-float-compile %S/Inputs/environment.mlir -o %t/riscv64.o --triple riscv64-linux-gnu --cpu rv64gcv %}
// RUN: %if qemu-riscv64 %{ %clang_riscv64 -static -std=c11 -O1 -include %t/riscv64.h %s %t/riscv64.o -o %t/riscv64 %}
// RUN: %if qemu-riscv64 %{ %run_riscv64 %t/riscv64 | FileCheck %s %}

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { count = 4099 };

/* One register with every rounding mode, flush bits and exception flags. */
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
#ifdef FLOAT8
  __asm__ volatile("msr s3_3_c4_c4_2, %0" ::"r"(value >> 32));
#endif
}
static uint64_t get(void) {
  uint64_t control, status;
  __asm__ volatile("mrs %0, fpcr\n\tmrs %1, fpsr"
                   : "=r"(control), "=r"(status));
  uint64_t float8 = 0;
#ifdef FLOAT8
  __asm__ volatile("mrs %0, s3_3_c4_c4_2" : "=r"(float8));
#endif
  return control | (status & 0xff) | float8 << 32;
}
/* Bits 22-23: rounding, 24: FZ, 25: default NaN; 0-4: flags, kept in FPSR. FPMR
   has the formats and the overflow behavior. */
static uint64_t makeMode(unsigned mode) {
  uint64_t float8 = 0;
#ifdef FLOAT8
  float8 = (mode & 1) | (mode & 2) << 2 | (mode & 4) << 4 | (mode & 8) << 12;
#endif
  return float8 << 32 | (uint64_t)mode << 22 | mode * 5 % 32;
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

enum { numScales = 4 };

/* Values of each type that elements or parameters have here. */
static const struct typeInfo {
  int type, bytes;
  /* 0.1, 3, a subnormal and a very large value. */
  uint32_t scales[numScales];
} types[] = {
    {QF_FLOAT32, 4, {0x3dcccccd, 0x40400000, 0x00012345, 0x7e800001}},
    {QF_FLOAT16, 2, {0x2e66, 0x4200, 0x0123, 0x7801}},
    {QF_BFLOAT16, 2, {0x3dcd, 0x4040, 0x0012, 0x7e81}},
    {QF_FLOAT64, 8, {0}},
    {QF_INT64, 8, {0}},
    {QF_INT32, 4, {0}},
    {QF_UINT16, 2, {0}},
};

static const struct typeInfo *getInfo(int type) {
  static const struct typeInfo ofOneByte = {0, 1, {0}};
  for (size_t i = 0; i < sizeof types / sizeof *types; ++i)
    if (types[i].type == type)
      return &types[i];
  return &ofOneByte;
}

/* Index 0 means that there is no scale or no zero point. A count of 0 means one
   parameter of rank 0 for all elements. */
static const struct testCase {
  const char *name;
  entry *function;
  int from, to, scale, zeroPoint;
  int64_t parameters;
} cases[] = {
#define CASE(name, ...) {#name, name, __VA_ARGS__}
    CASE(f32_f8e4m3fn, .from = QF_FLOAT32, .to = QF_FLOAT8E4M3FN),
    CASE(f32_f8e5m2fnuz, .from = QF_FLOAT32, .to = QF_FLOAT8E5M2FNUZ),
    CASE(f32_f4, .from = QF_FLOAT32, .to = QF_FLOAT4E2M1),
    CASE(f32_f16, .from = QF_FLOAT32, .to = QF_FLOAT16),
    CASE(f32_bf16, .from = QF_FLOAT32, .to = QF_BFLOAT16),
    CASE(f64_f32, .from = QF_FLOAT64, .to = QF_FLOAT32),
    CASE(f64_f8e4m3fn, .from = QF_FLOAT64, .to = QF_FLOAT8E4M3FN),
    CASE(f8e5m2_f32, .from = QF_FLOAT8E5M2, .to = QF_FLOAT32),
    CASE(e8m0_f32, .from = QF_FLOAT8E8M0, .to = QF_FLOAT32),
    CASE(i64_f32, .from = QF_INT64, .to = QF_FLOAT32),
    CASE(f32_i32, .from = QF_FLOAT32, .to = QF_INT32),
    CASE(f32_bool, .from = QF_FLOAT32, .to = QF_BOOL),
    CASE(quantize_i8, .from = QF_FLOAT32, .to = QF_INT8, .scale = QF_FLOAT32,
         .zeroPoint = QF_INT8),
    CASE(quantize_each_i8, .from = QF_FLOAT32, .to = QF_INT8,
         .scale = QF_FLOAT32, .zeroPoint = QF_INT8, .parameters = count),
    CASE(quantize_blocks_ui16, .from = QF_FLOAT32, .to = QF_UINT16,
         .scale = QF_FLOAT32, .parameters = (count + 31) / 32),
    CASE(quantize_f8e4m3fn, .from = QF_FLOAT32, .to = QF_FLOAT8E4M3FN,
         .scale = QF_FLOAT32),
    CASE(quantize_f16_f4, .from = QF_FLOAT16, .to = QF_FLOAT4E2M1,
         .scale = QF_FLOAT16, .zeroPoint = QF_FLOAT4E2M1),
    CASE(quantize_i32_f64, .from = QF_INT32, .to = QF_INT8,
         .scale = QF_FLOAT32),
    CASE(dequantize_ui8, .from = QF_UINT8, .to = QF_FLOAT32,
         .scale = QF_FLOAT32, .zeroPoint = QF_UINT8),
    CASE(dequantize_i32_f16, .from = QF_INT32, .to = QF_FLOAT16,
         .scale = QF_FLOAT16),
    CASE(dequantize_f8e5m2, .from = QF_FLOAT8E5M2, .to = QF_FLOAT32,
         .scale = QF_FLOAT32),
    CASE(qdq_i8, .from = QF_FLOAT32, .to = QF_FLOAT32, .scale = QF_FLOAT32,
         .zeroPoint = QF_INT8),
    CASE(qdq_bf16_f8e5m2fnuz, .from = QF_BFLOAT16, .to = QF_BFLOAT16,
         .scale = QF_BFLOAT16),
    CASE(fakeconvert_exact, .from = QF_FLOAT32, .to = QF_FLOAT32,
         .scale = QF_FLOAT32),
    CASE(fakeconvert_openvino, .from = QF_FLOAT32, .to = QF_FLOAT32),
    CASE(fakeconvert_reference, .from = QF_BFLOAT16, .to = QF_BFLOAT16,
         .scale = QF_BFLOAT16),
};

/* Random bits. Every third element is a small subnormal of its type. */
static void fill(unsigned char *input, int bytes) {
  unsigned long long state = 1;
  for (int i = 0; i < count * bytes; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    input[i] = (unsigned char)(state >> 56);
    if (bytes > 1 && i / bytes % 3 == 0 && i % bytes >= bytes / 2)
      input[i] = i % bytes == bytes - 1 ? input[i] & 0x80 : 0;
  }
}

/* Returns the number of environments with a wrong result or state, for
   parameters that begin with the scale `first`. */
static int check(const struct testCase *one, int first) {
  static unsigned char input[count * 8], scales[count * 4], zeroPoints[count],
      plain[count * 8], other[count * 8];
  const struct typeInfo *scale = getInfo(one->scale);
  fill(input, getInfo(one->from)->bytes);
  for (int i = 0; i < count; ++i) {
    uint32_t bits = scale->scales[(first + i) % numScales];
    for (int byte = 0; byte < scale->bytes; ++byte)
      scales[i * scale->bytes + byte] = (unsigned char)(bits >> (8 * byte));
    zeroPoints[i] = (unsigned char)(i * 37 + 5);
  }
  int64_t sizes[1] = {count};
  int32_t rank = one->parameters != 0;
  const qf_tensor from[3] = {
      {input, sizes, 1, one->from},
      {scales, &one->parameters, rank, one->scale},
      {zeroPoints, &one->parameters, rank, one->zeroPoint}};
  qf_tensor to = {plain, sizes, 1, one->to};
  size_t bytes = (size_t)count * getInfo(one->to)->bytes;
  char error[200];
  if (one->function(from, &to, error, sizeof error)) {
    printf("%s: %s\n", one->name, error);
    return 1;
  }
  int failures = 0;
  to.data = other;
  for (unsigned mode = 0; mode < numModes; ++mode) {
    uint64_t environment = makeMode(mode);
    memset(other, 0xee, sizeof other);
    set(environment);
    int status = one->function(from, &to, error, sizeof error);
    uint64_t after = get();
    set(usual);
    if (status || after != environment || memcmp(plain, other, bytes)) {
      printf("%s: environment %04" PRIx64 ": status %d, %04" PRIx64
             " after, bits %s\n",
             one->name, environment, status, after,
             memcmp(plain, other, bytes) ? "differ" : "equal");
      ++failures;
    }
  }
  /* Unmasked exceptions of the caller must not trap in the entry point. */
  set(trapping);
  one->function(from, &to, error, sizeof error);
  set(usual);
  return failures;
}

int main(void) {
  int failures = 0, runs = 0;
  for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c)
    for (int first = 0; first < (cases[c].scale ? numScales : 1); ++first) {
      failures += check(&cases[c], first);
      ++runs;
    }
  printf("%d runs, %d failures\n", runs, failures);
  return failures != 0;
}

// CHECK: {{^}}65 runs, 0 failures
