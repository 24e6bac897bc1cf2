// The status and message of kernels and of the Reference for invalid tensors:
// type, rank, sizes, order, count, memory. No case may crash or write to
// memory.
// RUN: rm -rf %t && mkdir %t
// RUN: %build_c %t/tensors
// RUN: %t/tensors > %t/out
// RUN: FileCheck %s < %t/out
#include "Inputs/harness.h"
#include <sys/mman.h>

static const char text[] =
    "func.func @f(%x: tensor<?x4xf32>, %s: tensor<4xf32>, %z: tensor<4xui8>)\n"
    "    -> (tensor<?x4xui8>, tensor<?x4xf16>) {\n"
    "  %0 = quant_float.quantize %x, %s, %z axis 1 opset 13 : tensor<?x4xf32>,\n"
    "      tensor<4xf32>, tensor<4xui8> to tensor<?x4xui8>\n"
    "  %1 = quant_float.cast %x opset 13\n"
    "      : tensor<?x4xf32> to tensor<?x4xf16>\n"
    "  return %0, %1 : tensor<?x4xui8>, tensor<?x4xf16>\n"
    "}\n";

static QuantFloatModel model;
static QuantFloatKernel kernel, checkedKernel;
static QuantFloatError error;
static int numCases;

static float x[2][4] = {{1, -2, 0.5f, 0}, {100, 200, 300, 3}};
static float scales[4] = {1, 1, 2, 0.5f};
static uint8_t zeros[4] = {0, 1, 2, 3};
static uint8_t q[2][4];
static uint16_t h[2][4];
static int64_t xSizes[2], sSizes[1], zSizes[1], qSizes[2], hSizes[2];
static qf_tensor inputs[3], outputs[2];

static void reset(void) {
  xSizes[0] = qSizes[0] = hSizes[0] = 2;
  xSizes[1] = qSizes[1] = hSizes[1] = 4;
  sSizes[0] = zSizes[0] = 4;
  inputs[0] = (qf_tensor){x, xSizes, 2, QF_FLOAT32};
  inputs[1] = (qf_tensor){scales, sSizes, 1, QF_FLOAT32};
  inputs[2] = (qf_tensor){zeros, zSizes, 1, QF_UINT8};
  outputs[0] = (qf_tensor){q, qSizes, 2, QF_UINT8};
  outputs[1] = (qf_tensor){h, hSizes, 2, QF_FLOAT16};
  memset(q, 0xaa, sizeof q);
  memset(h, 0xaa, sizeof h);
}

static void requireUntouched(void) {
  for (size_t i = 0; i < sizeof q; ++i)
    REQUIRE(((uint8_t *)q)[i] == 0xaa);
  for (size_t i = 0; i < sizeof h; ++i)
    REQUIRE(((uint8_t *)h)[i] == 0xaa);
}

static void answer(const char *who, const char *what, QuantFloatStatus status) {
  REQUIRE(status != QUANT_FLOAT_OK && *quantFloatErrorGetMessage(error));
  printf("%s, %s: %s: %s\n", who, what, quantFloatStatusGetName(status),
         quantFloatErrorGetMessage(error));
  MUST(quantFloatErrorDestroy(error));
  requireUntouched();
  ++numCases;
}

static void run(const char *what) {
  answer("run", what,
         quantFloatKernelRun(kernel, 0, inputs, 3, outputs, 2, &error));
  reset();
}

/* Wrong inputs, which all ways to call report. */
static void all(const char *what) {
  int64_t a[2] = {-1, -1}, b[2] = {-1, -1};
  int64_t *sizes[2] = {a, b};
  answer("sizes", what,
         quantFloatKernelGetOutputSizes(kernel, 0, inputs, 3, sizes, 2,
                                        &error));
  REQUIRE(a[0] == -1 && b[1] == -1);
  QuantFloatTensors results;
  answer("evaluate", what,
         quantFloatModelEvaluate(model, 0, inputs, 3, &results, &error));
  run(what);
}

/* With the checks of the memory enabled. */
static void address(const char *what) {
  answer("address", what,
         quantFloatKernelRun(checkedKernel, 0, inputs, 3, outputs, 2, &error));
  reset();
}

static void wrongInputs(void) {
  inputs[0].dtype = QF_FLOAT64;
  all("type");
  inputs[1].dtype = 99;
  all("unknown type");
  inputs[2].dtype = QF_INT8;
  all("signedness");
  inputs[0].rank = 1;
  all("rank");
  inputs[1].rank = -1;
  all("negative rank");
  inputs[2].rank = 1 << 30;
  all("huge rank");
  xSizes[1] = 5;
  all("fixed size");
  xSizes[0] = -1;
  all("negative size");
  xSizes[0] = INT64_MAX;
  all("huge size");
  sSizes[0] = 3;
  all("number of scales");
  qf_tensor first = inputs[0];
  inputs[0] = inputs[1];
  inputs[1] = first;
  all("order");
  inputs[0].sizes = NULL;
  all("no sizes");
}

static void wrongOutputs(void) {
  outputs[0].dtype = QF_INT8;
  run("output type");
  outputs[1].rank = 3;
  run("output rank");
  qSizes[0] = 3;
  run("output size");
  hSizes[1] = -4;
  run("negative output size");
  qf_tensor first = outputs[0];
  outputs[0] = outputs[1];
  outputs[1] = first;
  run("order of outputs");
  outputs[0].data = NULL;
  run("no memory for an output");
  outputs[1].sizes = NULL;
  run("no output sizes");
  inputs[0].data = NULL;
  run("no memory of an input");
  outputs[0].data = x;
  run("output is an input");
  outputs[0].data = (char *)h + 3;
  run("outputs overlap");
}

static void wrongNumbers(void) {
  int64_t a[2], b[2];
  int64_t *sizes[2] = {a, b};
  answer("run", "few inputs",
         quantFloatKernelRun(kernel, 0, inputs, 2, outputs, 2, &error));
  answer("run", "many inputs",
         quantFloatKernelRun(kernel, 0, inputs, 4, outputs, 2, &error));
  answer("run", "few outputs",
         quantFloatKernelRun(kernel, 0, inputs, 3, outputs, 1, &error));
  answer("run", "no inputs",
         quantFloatKernelRun(kernel, 0, NULL, 3, outputs, 2, &error));
  answer("run", "no outputs",
         quantFloatKernelRun(kernel, 0, inputs, 3, NULL, 2, &error));
  answer("run", "no entry",
         quantFloatKernelRun(kernel, 1, inputs, 3, outputs, 2, &error));
  answer("sizes", "few inputs",
         quantFloatKernelGetOutputSizes(kernel, 0, inputs, 0, sizes, 2,
                                        &error));
  answer("sizes", "few outputs",
         quantFloatKernelGetOutputSizes(kernel, 0, inputs, 3, sizes, 1,
                                        &error));
  answer("sizes", "no places",
         quantFloatKernelGetOutputSizes(kernel, 0, inputs, 3, NULL, 2, &error));
  sizes[1] = NULL;
  answer("sizes", "no place",
         quantFloatKernelGetOutputSizes(kernel, 0, inputs, 3, sizes, 2,
                                        &error));
  answer("sizes", "no inputs",
         quantFloatKernelGetOutputSizes(kernel, 0, NULL, 3, sizes, 2, &error));
  answer("sizes", "no entry",
         quantFloatKernelGetOutputSizes(kernel, 7, inputs, 3, sizes, 2,
                                        &error));
  size_t entry;
  answer("find", "no name",
         quantFloatKernelFindEntry(kernel, "g", &entry, &error));
  answer("functions", "no entry",
         quantFloatKernelGetFunctions(kernel, 1, NULL, NULL, &error));
  QuantFloatTensors results;
  answer("evaluate", "few inputs",
         quantFloatModelEvaluate(model, 0, inputs, 1, &results, &error));
  answer("evaluate", "no entry",
         quantFloatModelEvaluate(model, 1, inputs, 3, &results, &error));
}

static void wrongMemory(void) {
  char *pages = mmap(NULL, 3 * 4096, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  REQUIRE(pages != MAP_FAILED);
  REQUIRE(!mprotect(pages, 4096, PROT_READ));
  REQUIRE(!mprotect(pages + 2 * 4096, 4096, PROT_NONE));
  outputs[0].data = pages;
  address("read-only output");
  outputs[0].data = pages + 4096 - 4;
  address("output half read-only");
  outputs[1].data = pages + 2 * 4096 - 8;
  address("output ends outside");
  outputs[0].data = (void *)"constant";
  address("output is a literal");
  inputs[0].data = pages + 2 * 4096;
  address("input that cannot be read");
  inputs[0].data = (void *)(uintptr_t)64;
  address("wild input");
  outputs[1].data = (void *)-(uintptr_t)16;
  address("wild output");
  inputs[1].sizes = (int64_t *)(uintptr_t)4096;
  address("wild sizes");
  qSizes[0] = 1 << 20;
  address("output too small for its sizes");
  inputs[1].data = (void *)-(uintptr_t)1;
  address("input at the end");
  /* Inputs may be in read-only memory. */
  inputs[0].data = pages;
  MUST(quantFloatKernelRun(checkedKernel, 0, inputs, 3, outputs, 2,
                           &lastError));
  reset();
  munmap(pages, 3 * 4096);
}

int main(void) {
  QuantFloatSession session;
  MUST(quantFloatSessionCreate(NULL, &session, &lastError));
  model = parse(session, text);
  kernel = compileText(text, NULL);
  QuantFloatCompileOptions options;
  quantFloatCompileOptionsInit(&options, sizeof options);
  options.checkMemory = true;
  checkedKernel = compileText(text, &options);
  reset();
  wrongInputs();
  wrongOutputs();
  wrongNumbers();
  wrongMemory();
  MUST(quantFloatKernelRun(kernel, 0, inputs, 3, outputs, 2, &lastError));
  printf("right: %d %d %d %d %d %d %d %d\n", q[0][0], q[0][1], q[0][2], q[0][3],
         q[1][0], q[1][1], q[1][2], q[1][3]);
  MUST(quantFloatKernelDestroy(kernel));
  MUST(quantFloatKernelDestroy(checkedKernel));
  MUST(quantFloatModelDestroy(model));
  MUST(quantFloatSessionDestroy(session));
  printf("%d cases, alive: %zu\n", numCases, quantFloatGetNumLiveObjects());
  return 0;
}

// CHECK: sizes, type: element type: f: input 0: expected element type float (1), but got double (11)
// CHECK-NEXT: evaluate, type: element type: input 0: expected float[?x4], but got double[2x4]
// CHECK-NEXT: run, type: element type: f: input 0: expected element type float (1), but got double (11)
// CHECK-NEXT: sizes, unknown type: element type: f: input 1: expected element type float (1), but got an unknown type (99)
// CHECK-NEXT: evaluate, unknown type: element type: input 1: expected float[4], but got none[4]
// CHECK-NEXT: run, unknown type: element type: f: input 1: expected element type float (1), but got an unknown type (99)
// CHECK-NEXT: sizes, signedness: element type: f: input 2: expected element type uint8 (2), but got int8 (3)
// CHECK-NEXT: evaluate, signedness: element type: input 2: expected uint8[4], but got int8[4]
// CHECK-NEXT: run, signedness: element type: f: input 2: expected element type uint8 (2), but got int8 (3)
// CHECK-NEXT: sizes, rank: rank: f: input 0: expected rank 2, but got 1
// CHECK-NEXT: evaluate, rank: rank: input 0: expected float[?x4], but got rank 1
// CHECK-NEXT: run, rank: rank: f: input 0: expected rank 2, but got 1
// CHECK-NEXT: sizes, negative rank: rank: f: input 1: expected rank 1, but got -1
// CHECK-NEXT: evaluate, negative rank: rank: input 1: expected float[4], but got rank -1
// CHECK-NEXT: run, negative rank: rank: f: input 1: expected rank 1, but got -1
// CHECK-NEXT: sizes, huge rank: rank: f: input 2: expected rank 1, but got 1073741824
// CHECK-NEXT: evaluate, huge rank: rank: input 2: expected uint8[4], but got rank 1073741824
// CHECK-NEXT: run, huge rank: rank: f: input 2: expected rank 1, but got 1073741824
// CHECK-NEXT: sizes, fixed size: size: f: input 0: dimension 1: expected size 4, but got 5
// CHECK-NEXT: evaluate, fixed size: size: input 0: expected float[?x4], but got float[2x5]
// CHECK-NEXT: run, fixed size: size: f: input 0: dimension 1: expected size 4, but got 5
// CHECK-NEXT: sizes, negative size: size: f: input 0: dimension 0: expected a size of 0 or more, but got -1
// CHECK-NEXT: evaluate, negative size: size: input 0: expected float[?x4], but got float[-1x4]
// CHECK-NEXT: run, negative size: size: f: input 0: dimension 0: expected a size of 0 or more, but got -1
// CHECK-NEXT: sizes, huge size: size: f: input 0: expected at most 9223372036854775807 bytes, but the sizes require more
// CHECK-NEXT: evaluate, huge size: size: input 0: float[9223372036854775807x4]: expected fewer than 2^63 bytes
// CHECK-NEXT: run, huge size: size: f: input 0: expected at most 9223372036854775807 bytes, but the sizes require more
// CHECK-NEXT: sizes, number of scales: size: f: input 1: dimension 0: expected size 4, but got 3
// CHECK-NEXT: evaluate, number of scales: size: input 1: expected float[4], but got float[3]
// CHECK-NEXT: run, number of scales: size: f: input 1: dimension 0: expected size 4, but got 3
// CHECK-NEXT: sizes, order: rank: f: input 0: expected rank 2, but got 1
// CHECK-NEXT: evaluate, order: rank: input 0: expected float[?x4], but got rank 1
// CHECK-NEXT: run, order: rank: f: input 0: expected rank 2, but got 1
// CHECK-NEXT: sizes, no sizes: null: f: input 0: sizes is null
// CHECK-NEXT: evaluate, no sizes: null: input 0: sizes must not be null
// CHECK-NEXT: run, no sizes: null: f: input 0: sizes is null
// CHECK-NEXT: run, output type: element type: f: output 0: expected element type uint8 (2), but got int8 (3)
// CHECK-NEXT: run, output rank: rank: f: output 1: expected rank 2, but got 3
// CHECK-NEXT: run, output size: size: f: output 0: dimension 0: expected size 2, but got 3
// CHECK-NEXT: run, negative output size: size: f: output 1: dimension 1: expected size 4, but got -4
// CHECK-NEXT: run, order of outputs: element type: f: output 0: expected element type uint8 (2), but got float16 (10)
// CHECK-NEXT: run, no memory for an output: null: f: output 0: data is null
// CHECK-NEXT: run, no output sizes: null: f: output 1: sizes is null
// CHECK-NEXT: run, no memory of an input: null: f: input 0: data is null
// CHECK-NEXT: run, output is an input: overlap: f: output 0: overlaps input 0
// CHECK-NEXT: run, outputs overlap: overlap: f: output 1: overlaps output 0
// CHECK-NEXT: run, few inputs: count: function 'f' has 3 inputs, but got 2
// CHECK-NEXT: run, many inputs: count: function 'f' has 3 inputs, but got 4
// CHECK-NEXT: run, few outputs: count: function 'f' has 2 outputs, but got 1
// CHECK-NEXT: run, no inputs: null: f: inputs is null
// CHECK-NEXT: run, no outputs: null: f: outputs is null
// CHECK-NEXT: run, no entry: argument: entry must be less than 1, but got 1
// CHECK-NEXT: sizes, few inputs: count: function 'f' has 3 inputs, but got 0
// CHECK-NEXT: sizes, few outputs: count: function 'f' has 2 outputs, but got 1
// CHECK-NEXT: sizes, no places: null: f: output_sizes is null
// CHECK-NEXT: sizes, no place: null: f: output 1: the buffer for its sizes is null
// CHECK-NEXT: sizes, no inputs: null: f: inputs is null
// CHECK-NEXT: sizes, no entry: argument: entry must be less than 1, but got 7
// CHECK-NEXT: find, no name: argument: no function is named 'g'
// CHECK-NEXT: functions, no entry: argument: entry must be less than 1, but got 1
// CHECK-NEXT: evaluate, few inputs: count: function 'f' has 3 inputs, but got 1
// CHECK-NEXT: evaluate, no entry: argument: entry must be less than 1, but got 1
// CHECK-NEXT: address, read-only output: address: output 0: the memory cannot be written
// CHECK-NEXT: address, output half read-only: address: output 0: the memory cannot be written
// CHECK-NEXT: address, output ends outside: address: output 1: the memory cannot be written
// CHECK-NEXT: address, output is a literal: address: output 0: the memory cannot be written
// CHECK-NEXT: address, input that cannot be read: address: input 0: the memory cannot be read
// CHECK-NEXT: address, wild input: address: input 0: the memory cannot be read
// CHECK-NEXT: address, wild output: address: output 1: the memory cannot be written
// CHECK-NEXT: address, wild sizes: address: input 1: the sizes cannot be read
// CHECK-NEXT: address, output too small for its sizes: address: output 0: the memory cannot be written
// CHECK-NEXT: address, input at the end: address: input 1: the memory cannot be read
// CHECK-NEXT: right: 1 0 2 3 100 201 152 9
// CHECK-NEXT: 72 cases, alive: 0
