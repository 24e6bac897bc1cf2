// Compiles, runs and destroys small kernels repeatedly: the resident memory
// does not grow. With a sanitizer it does: there is shadow memory, and
// AddressSanitizer quarantines freed blocks.
// UNSUPPORTED: sanitizers
// RUN: rm -rf %t && mkdir %t
// RUN: %build_c %t/cycles
// RUN: %t/cycles %if full %{ 10000 %} %else %{ 300 %} > %t/cycles.json
// RUN: cp %t/cycles.json %results/capi-cycles.json
// RUN: FileCheck %s < %t/cycles.json
#include "Inputs/harness.h"
#include <time.h>

enum { kCount = 64, kWarm = 50 };

/* The resident memory of this process in KiB. */
static long getResident(void) {
  FILE *file = fopen("/proc/self/statm", "r");
  long size = 0, resident = 0;
  REQUIRE(file && fscanf(file, "%ld %ld", &size, &resident) == 2);
  fclose(file);
  return resident * 4;
}

/* A different kernel each time, so that nothing can be cached. */
static void cycle(int number) {
  static const char *const types[] = {"f8E4M3FN", "f8E5M2", "f16", "bf16"};
  static const int32_t dtypes[] = {QF_FLOAT8E4M3FN, QF_FLOAT8E5M2, QF_FLOAT16,
                                   QF_BFLOAT16};
  const char *type = types[number % 4];
  char text[400];
  snprintf(text, sizeof text,
           "func.func @cast%d(%%x: tensor<?xf32>) -> tensor<?x%s> {\n"
           "  %%0 = quant_float.cast %%x opset 19\n"
           "      : tensor<?xf32> to tensor<?x%s>\n"
           "  return %%0 : tensor<?x%s>\n"
           "}\n",
           number, type, type, type);
  QuantFloatKernel kernel = compileText(text, NULL);
  float x[kCount];
  uint16_t y[kCount];
  for (int i = 0; i < kCount; ++i)
    x[i] = (float)(i * number);
  int64_t sizes[1] = {kCount};
  qf_tensor input = {x, sizes, 1, QF_FLOAT32};
  qf_tensor output = {y, sizes, 1, dtypes[number % 4]};
  MUST(quantFloatKernelRun(kernel, 0, &input, 1, &output, 1, &lastError));
  output.rank = 0;
  QuantFloatError error;
  REQUIRE(quantFloatKernelRun(kernel, 0, &input, 1, &output, 1, &error) ==
          QUANT_FLOAT_ERROR_RANK);
  MUST(quantFloatErrorDestroy(error));
  MUST(quantFloatKernelDestroy(kernel));
}

int main(int argc, char **argv) {
  REQUIRE(argc == 2);
  int cycles = atoi(argv[1]);
  for (int i = 0; i < kWarm; ++i)
    cycle(i);
  long before = getResident(), most = before;
  clock_t start = clock();
  for (int i = 0; i < cycles; ++i) {
    cycle(i);
    long now = getResident();
    most = now > most ? now : most;
  }
  double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
  long after = getResident();
  printf("{\"cycles\": %d, \"kilobytes_before\": %ld, \"kilobytes_after\": %ld,"
         " \"kilobytes_most\": %ld, \"milliseconds_each\": %.2f,"
         " \"alive\": %zu, \"flat\": %s}\n",
         cycles, before, after, most, 1e3 * seconds / cycles,
         quantFloatGetNumLiveObjects(),
         after - before < 4096 ? "true" : "false");
  return 0;
}

// CHECK: "alive": 0, "flat": true
