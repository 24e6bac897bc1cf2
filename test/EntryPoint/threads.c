// Many threads call one entry point at once.
// RUN: rm -rf %t && mkdir %t
// RUN: quant-float-compile %S/Inputs/environment.mlir -o %t/environment.o --cpu host
// RUN: %clang -std=c11 -Wall -Wextra -Werror -O1 -pthread -include %t/environment.h %s %t/environment.o -o %t/threads
// RUN: %t/threads
#include <pthread.h>
#include <string.h>

enum { count = 1000, threads = 8, calls = 500 };

static float input[count];
static uint8_t expected[count];

static int call(uint8_t *output) {
  int64_t sizes[1] = {count};
  qf_tensor given = {input, sizes, 1, QF_FLOAT32};
  qf_tensor made = {output, sizes, 1, QF_FLOAT8E4M3FN};
  char error[100];
  return f32_f8e4m3fn(&given, &made, error, sizeof error);
}

static void *work(void *unused) {
  (void)unused;
  uint8_t output[count];
  for (int i = 0; i < calls; ++i) {
    memset(output, 0xaa, sizeof output);
    if (call(output) || memcmp(output, expected, sizeof output))
      return input; /* anything but null */
  }
  return 0;
}

int main(void) {
  for (int i = 0; i < count; ++i)
    input[i] = (float)(i - 500) * 0.37f;
  pthread_t ids[threads];
  int failed = call(expected);
  for (int i = 0; i < threads; ++i)
    failed |= pthread_create(&ids[i], 0, work, 0);
  for (int i = 0; i < threads; ++i) {
    void *result;
    failed |= pthread_join(ids[i], &result) || result;
  }
  return failed;
}
