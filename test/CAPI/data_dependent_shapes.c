// Data-dependent result shapes through the C API: the same calls as for other
// kernels, with input data.
// RUN: rm -rf %t && mkdir %t
// RUN: %build_c %t/data_dependent_shapes
// RUN: %t/data_dependent_shapes | FileCheck %s
#include "Inputs/harness.h"

static const char text[] =
    "func.func @f(%n: tensor<i64>) -> tensor<?xi64> {\n"
    "  %zero = arith.constant dense<0> : tensor<i64>\n"
    "  %one = arith.constant dense<1> : tensor<i64>\n"
    "  %0 = quant_float.node \"Range\"(%zero, %n, %one) opset 11\n"
    "      : (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<?xi64>\n"
    "  return %0 : tensor<?xi64>\n"
    "}\n";

/* A result of known size, and one of a data-dependent size. */
static const char two[] =
    "func.func @g(%x: tensor<2xf32>, %n: tensor<i64>)\n"
    "    -> (tensor<2xf32>, tensor<?xi64>) {\n"
    "  %zero = arith.constant dense<0> : tensor<i64>\n"
    "  %one = arith.constant dense<1> : tensor<i64>\n"
    "  %0 = quant_float.node \"Neg\"(%x) opset 13\n"
    "      : (tensor<2xf32>) -> tensor<2xf32>\n"
    "  %1 = quant_float.node \"Range\"(%zero, %n, %one) opset 11\n"
    "      : (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<?xi64>\n"
    "  return %0, %1 : tensor<2xf32>, tensor<?xi64>\n"
    "}\n";

/* If one of the sizes does not match, no output is written. */
static void checkNothingWritten(const QuantFloatCompileOptions *options) {
  QuantFloatKernel kernel = compileText(two, options);
  float x[2] = {1, 2}, y[2] = {7, 7};
  int64_t n = 3, known[1] = {2}, given[1] = {3}, indices[3] = {9, 9, 9};
  qf_tensor inputs[] = {{x, known, 1, QF_FLOAT32}, {&n, NULL, 0, QF_INT64}};
  qf_tensor outputs[] = {{y, known, 1, QF_FLOAT32},
                         {indices, given, 1, QF_INT64}};
  for (n = 2; n < 5; n += 2) {
    REQUIRE(quantFloatKernelRun(kernel, 0, inputs, 2, outputs, 2, &lastError) ==
            QUANT_FLOAT_ERROR_SIZE);
    printf("%s\n", quantFloatErrorGetMessage(lastError));
    quantFloatErrorDestroy(lastError);
    REQUIRE(y[0] == 7 && y[1] == 7 && indices[0] == 9 && indices[2] == 9);
  }
  n = 3;
  MUST(quantFloatKernelRun(kernel, 0, inputs, 2, outputs, 2, &lastError));
  REQUIRE(y[0] == -1 && y[1] == -2 && indices[0] == 0 && indices[2] == 2);
  given[0] = -1;
  REQUIRE(quantFloatKernelRun(kernel, 0, inputs, 2, outputs, 2, &lastError) ==
          QUANT_FLOAT_ERROR_SIZE);
  printf("%s\n", quantFloatErrorGetMessage(lastError));
  quantFloatErrorDestroy(lastError);
  MUST(quantFloatKernelDestroy(kernel));
}

int main(void) {
  QuantFloatCompileOptions options;
  quantFloatCompileOptionsInit(&options, sizeof options);
  options.checkMemory = true;
  QuantFloatKernel kernel = compileText(text, &options);
  REQUIRE(quantFloatKernelGetEntry(kernel, 0)->outputs[0].sizes[0] == -1);
  int64_t n = 3;
  qf_tensor input = {&n, NULL, 0, QF_INT64};
  int64_t size = -1;
  int64_t *sizes[] = {&size};
  MUST(quantFloatKernelGetOutputSizes(kernel, 0, &input, 1, sizes, 1,
                                      &lastError));
  printf("%d\n", (int)size);
  // CHECK: 3
  QuantFloatTensors outputs;
  MUST(quantFloatKernelAllocateOutputs(kernel, 0, &input, 1, &outputs,
                                       &lastError));
  qf_tensor output = *quantFloatTensorsGet(outputs, 0);
  MUST(quantFloatKernelRun(kernel, 0, &input, 1, &output, 1, &lastError));
  const int64_t *data = output.data;
  printf("%d %d %d\n", (int)data[0], (int)data[1], (int)data[2]);
  // CHECK-NEXT: 0 1 2

  /* Other input data yields other sizes. */
  n = 2;
  REQUIRE(quantFloatKernelRun(kernel, 0, &input, 1, &output, 1, &lastError) ==
          QUANT_FLOAT_ERROR_SIZE);
  printf("%s\n", quantFloatErrorGetMessage(lastError));
  // CHECK-NEXT: f: output 0: dimension 0: expected size 2, but got 3
  quantFloatErrorDestroy(lastError);

  input.data = NULL;
  REQUIRE(quantFloatKernelGetOutputSizes(kernel, 0, &input, 1, sizes, 1,
                                         &lastError) == QUANT_FLOAT_ERROR_NULL);
  printf("%s\n", quantFloatErrorGetMessage(lastError));
  // CHECK-NEXT: f: input 0: data is null
  quantFloatErrorDestroy(lastError);
  MUST(quantFloatTensorsDestroy(outputs));
  MUST(quantFloatKernelDestroy(kernel));

  checkNothingWritten(&options);
  // CHECK-NEXT: g: output 1: dimension 0: expected size 2, but got 3
  // CHECK-NEXT: g: output 1: dimension 0: expected size 4, but got 3
  // CHECK-NEXT: g: output 1: dimension 0: expected a size of 0 or more, but got -1
  return 0;
}
