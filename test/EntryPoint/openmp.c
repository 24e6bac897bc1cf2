// Multithreaded code computes the same bits. Every thread runs in the default
// floating-point environment, whatever the caller has set (E1, E2).
// RUN: rm -rf %t && mkdir %t
// RUN: quant-float-compile %S/Inputs/environment.mlir -o %t/one.o --cpu host
// RUN: quant-float-compile %S/Inputs/environment.mlir -o %t/four.o --cpu host --threads 4
// RUN: %llvm_bin/llvm-objcopy --prefix-symbols=one_ %t/one.o
// RUN: %llvm_bin/llvm-nm --undefined-only %t/four.o | FileCheck %s --check-prefix=NEEDS
// RUN: %clang -std=c11 -Wall -Wextra -Werror -O1 -fopenmp -include %t/four.h %s %t/one.o %t/four.o -lm -o %t/openmp
// RUN: %t/openmp
// RUN: env KMP_INHERIT_FP_CONTROL=0 %t/openmp pool
// RUN: env KMP_INHERIT_FP_CONTROL=0 %t/openmp
#include <fenv.h>
#include <stdlib.h>
#include <string.h>

enum { count = 1 << 20 };

int one_f32_f8e4m3fn(const qf_tensor *, qf_tensor *, char *, size_t);

/* Only the single-threaded object needs this. All its symbols have a prefix. */
void *one_memcpy(void *to, const void *from, size_t size) {
  return memcpy(to, from, size);
}

/* With "pool", the program creates the threads and makes them round upward.
   Their environment must not change unless the runtime sets it. */
int main(int argc, char **argv) {
  (void)argv;
  int hasPool = argc > 1;
  if (hasPool)
#pragma omp parallel num_threads(4)
    fesetround(FE_UPWARD);
  fesetround(FE_TONEAREST);
  uint32_t *input = malloc(count * sizeof *input);
  uint8_t *expected = malloc(count), *given = malloc(count);
  if (!input || !expected || !given)
    return 2;
  uint32_t state = 1;
  for (int i = 0; i < count; ++i)
    input[i] = state = state * 1664525u + 1013904223u;
  int64_t sizes[1] = {count};
  qf_tensor x = {input, sizes, 1, QF_FLOAT32};
  qf_tensor one = {expected, sizes, 1, QF_FLOAT8E4M3FN};
  qf_tensor four = {given, sizes, 1, QF_FLOAT8E4M3FN};
  char error[200];
  if (one_f32_f8e4m3fn(&x, &one, error, sizeof error))
    return 3;
  const int modes[] = {FE_TONEAREST, FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO};
  for (int mode = 0; mode < 4; ++mode) {
    memset(given, 0xaa, count);
    fesetround(modes[mode]);
    int status = f32_f8e4m3fn(&x, &four, error, sizeof error);
    int after = fegetround();
    fesetround(FE_TONEAREST);
    if (status || after != modes[mode] || memcmp(expected, given, count))
      return 4 + mode;
    /* These threads flush subnormals in the kernel. Other threads do not. */
    volatile float tiny = 1e-40f;
    int lost = 0, upward = 0;
#pragma omp parallel num_threads(4) reduction(+ : lost, upward)
    {
      lost += tiny * 0.5f == 0;
      upward += fegetround() == FE_UPWARD;
    }
    if (lost)
      return 8;
    if (upward != (hasPool ? 3 : 0))
      return 9;
  }
  return 0;
}

// NEEDS: U __kmpc_fork_call
