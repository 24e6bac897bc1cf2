/* A cast for the GPU through the C API, on host and device memory, compiled in
   this process and loaded from a library. */
#include "../../../CAPI/Inputs/harness.h"

enum { kCount = 1003 };

static float x[kCount];
static unsigned char expected[kCount], y[kCount];
static int64_t sizes[1] = {kCount};

static void check(QuantFloatKernel kernel, const char *what) {
  REQUIRE(quantFloatKernelGetTarget(kernel) == QUANT_FLOAT_TARGET_NVVM);
  qf_tensor input = {x, sizes, 1, QF_FLOAT32};
  qf_tensor output = {y, sizes, 1, QF_FLOAT8E4M3FN};
  memset(y, 0, sizeof y);
  MUST(quantFloatKernelRunOnHost(kernel, 0, &input, 1, &output, 1, &lastError));
  REQUIRE(!memcmp(y, expected, sizeof y));

  QuantFloatTensors inputs, outputs;
  MUST(quantFloatTensorsCreate(QUANT_FLOAT_TARGET_NVVM, &input, 1, &inputs,
                               &lastError));
  REQUIRE(quantFloatTensorsGetTarget(inputs) == QUANT_FLOAT_TARGET_NVVM);
  MUST(quantFloatKernelAllocateOutputs(
      kernel, 0, quantFloatTensorsGet(inputs, 0), 1, &outputs, &lastError));
  qf_tensor there = *quantFloatTensorsGet(outputs, 0);
  REQUIRE(there.rank == 1 && there.sizes[0] == kCount);
  MUST(quantFloatKernelRun(kernel, 0, quantFloatTensorsGet(inputs, 0), 1,
                           &there, 1, &lastError));
  memset(y, 0, sizeof y);
  MUST(quantFloatTensorsRead(outputs, 0, y, sizeof y, &lastError));
  REQUIRE(!memcmp(y, expected, sizeof y));
  REQUIRE(quantFloatTensorsRead(outputs, 0, y, 1, &lastError) ==
          QUANT_FLOAT_ERROR_SIZE);
  MUST(quantFloatErrorDestroy(lastError));
  MUST(quantFloatTensorsDestroy(inputs));
  MUST(quantFloatTensorsDestroy(outputs));

  /* Errors are reported before anything is copied back. */
  output.sizes = (int64_t[]){kCount - 1};
  REQUIRE(quantFloatKernelRunOnHost(kernel, 0, &input, 1, &output, 1,
                                    &lastError) == QUANT_FLOAT_ERROR_SIZE);
  MUST(quantFloatErrorDestroy(lastError));
  MUST(quantFloatKernelDestroy(kernel));
  printf("%s: right\n", what);
}

int main(int argc, char **argv) {
  REQUIRE(argc == 3);
  for (int i = 0; i < kCount; ++i)
    x[i] = (float)(i - 500) / 7;
  qf_tensor input = {x, sizes, 1, QF_FLOAT32};
  qf_tensor output = {expected, sizes, 1, QF_FLOAT8E4M3FN};

  QuantFloatSession session;
  QuantFloatModel model;
  QuantFloatKernel kernel;
  MUST(quantFloatSessionCreate(NULL, &session, &lastError));
  MUST(quantFloatModelLoad(session, argv[1], NULL, &model, &lastError));
  MUST(quantFloatModelCompile(model, NULL, &kernel, &lastError));
  MUST(quantFloatKernelRun(kernel, 0, &input, 1, &output, 1, &lastError));
  MUST(quantFloatKernelDestroy(kernel));

  QuantFloatBuffer chip;
  MUST(quantFloatDeviceGetChip(&chip, &lastError));
  printf("chip: %s\n", quantFloatBufferGetData(chip));
  QuantFloatCompileOptions options;
  quantFloatCompileOptionsInit(&options, sizeof options);
  options.target = QUANT_FLOAT_TARGET_NVVM;
  MUST(quantFloatModelCompile(model, &options, &kernel, &lastError));
  check(kernel, "compiled");
  MUST(quantFloatModelCompileToFile(model, &options, argv[2], &kernel,
                                    &lastError));
  check(kernel, "to a file");
  MUST(quantFloatKernelLoad(argv[2], &kernel, &lastError));
  check(kernel, "loaded");
  MUST(quantFloatBufferDestroy(chip));
  MUST(quantFloatModelDestroy(model));
  MUST(quantFloatSessionDestroy(session));
  printf("alive: %zu\n", quantFloatGetNumLiveObjects());
  return 0;
}
