// Strings through the C API: copies, reserved capacity, comparisons, and
// invalid pointers.
// RUN: rm -rf %t && mkdir %t
// RUN: %build_c %t/strings
// RUN: %t/strings | FileCheck %s
#include "Inputs/harness.h"

static const char text[] =
    "func.func @f(%x: tensor<?xf64>) -> tensor<?x!quant_float.string> {\n"
    "  %0 = quant_float.cast %x opset 13\n"
    "      : tensor<?xf64> to tensor<?x!quant_float.string>\n"
    "  return %0 : tensor<?x!quant_float.string>\n"
    "}\n"
    "func.func @g(%x: tensor<?x!quant_float.string>)\n"
    "    -> tensor<?x!quant_float.string> {\n"
    "  return %x : tensor<?x!quant_float.string>\n"
    "}\n";

/* At first, a kernel's outputs have capacity for short strings only. */
static QuantFloatTensors print(QuantFloatKernel kernel, double value) {
  double x[4] = {value, value, value, value};
  int64_t size = 4;
  qf_tensor input = {x, &size, 1, QF_FLOAT64};
  QuantFloatTensors outputs;
  MUST(quantFloatKernelAllocateOutputs(kernel, 0, &input, 1, &outputs,
                                       &lastError));
  qf_tensor output = *quantFloatTensorsGet(outputs, 0);
  QuantFloatStatus status =
      quantFloatKernelRun(kernel, 0, &input, 1, &output, 1, &lastError);
  printf("%s\n", quantFloatStatusGetName(status));
  if (status == QUANT_FLOAT_ERROR_CAPACITY) {
    printf("%s\n", quantFloatErrorGetMessage(lastError));
    quantFloatErrorDestroy(lastError);
    MUST(quantFloatTensorsMakeRoom(outputs, &lastError));
    MUST(quantFloatKernelRun(kernel, 0, &input, 1, &output, 1, &lastError));
  }
  const qf_strings *strings = output.data;
  printf("%.*s %d\n", (int)strings->offsets[1], strings->bytes,
         (int)strings->offsets[4]);
  return outputs;
}

int main(void) {
  REQUIRE(quantFloatDtypeFromName("string") == QF_STRING);
  REQUIRE(quantFloatDtypeFromName("!quant_float.string") == QF_STRING);
  QuantFloatCompileOptions options;
  quantFloatCompileOptionsInit(&options, sizeof options);
  options.checkMemory = true;
  QuantFloatKernel kernel = compileText(text, &options);
  REQUIRE(quantFloatKernelGetEntry(kernel, 0)->outputs[0].dtype == QF_STRING);
  QuantFloatTensors few = print(kernel, 0.25);
  // CHECK: ok
  // CHECK-NEXT: 0.25 16
  QuantFloatTensors many = print(kernel, 1e-20);
  // CHECK-NEXT: capacity
  // CHECK-NEXT: f: output 0: expected a capacity of at least 88 bytes for strings, but got 64
  // CHECK-NEXT: 0.00000000000000000001 88

  /* Copies own their memory and compare equal. */
  const qf_tensor *one = quantFloatTensorsGet(few, 0);
  const qf_tensor *other = quantFloatTensorsGet(many, 0);
  QuantFloatTensors copies;
  MUST(quantFloatTensorsCreate(QUANT_FLOAT_TARGET_CPU, one, 1, &copies,
                               &lastError));
  const qf_tensor *copy = quantFloatTensorsGet(copies, 0);
  REQUIRE(copy->data != one->data);
  QuantFloatTensorDifference difference;
  MUST(quantFloatCompareTensors(one, copy, &difference, &lastError));
  printf("%d of %d differ\n", (int)difference.numDiffering,
         (int)difference.numElements);
  // CHECK-NEXT: 0 of 4 differ
  MUST(quantFloatCompareTensors(one, other, &difference, &lastError));
  printf("%d of %d differ, from %d\n", (int)difference.numDiffering,
         (int)difference.numElements, (int)difference.first);
  // CHECK-NEXT: 4 of 4 differ, from 0
  char bytes[16];
  REQUIRE(quantFloatTensorsRead(copies, 0, bytes, sizeof bytes, &lastError) ==
          QUANT_FLOAT_ERROR_ELEMENT_TYPE);
  printf("%s\n", quantFloatErrorGetMessage(lastError));
  // CHECK-NEXT: expected a tensor of numbers, but got string[4]
  quantFloatErrorDestroy(lastError);
  REQUIRE(quantFloatTensorsCreate(QUANT_FLOAT_TARGET_NVVM, one, 1, &copies,
                                  &lastError) ==
          QUANT_FLOAT_ERROR_UNSUPPORTED);
  printf("%s\n", quantFloatErrorGetMessage(lastError));
  // CHECK-NEXT: strings cannot be stored in device memory
  quantFloatErrorDestroy(lastError);

  /* Pointers to unmapped memory, which are checked. */
  qf_strings strings = *(const qf_strings *)one->data;
  qf_strings *nowhere = (qf_strings *)16;
  qf_tensor input = {nowhere, one->sizes, 1, QF_STRING}, output = *other;
  for (int i = 0; i < 3; ++i) {
    QuantFloatStatus status =
        quantFloatKernelRun(kernel, 1, &input, 1, &output, 1, &lastError);
    printf("%s: %s\n", quantFloatStatusGetName(status),
           quantFloatErrorGetMessage(lastError));
    quantFloatErrorDestroy(lastError);
    input.data = &strings;
    strings.offsets = i ? ((const qf_strings *)one->data)->offsets
                        : (int64_t *)nowhere;
    strings.bytes = i ? (char *)nowhere : strings.bytes;
  }
  // CHECK-NEXT: address: input 0: the memory cannot be read
  // CHECK-NEXT: address: input 0: the memory cannot be read
  // CHECK-NEXT: address: input 0: the memory cannot be read
  MUST(quantFloatTensorsDestroy(few));
  MUST(quantFloatTensorsDestroy(many));
  MUST(quantFloatKernelDestroy(kernel));
  return 0;
}
