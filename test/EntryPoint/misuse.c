// The status and message of an entry point for every kind of invalid argument.
// RUN: rm -rf %t && mkdir %t
// RUN: quant-float-compile %S/Inputs/convert.mlir -o %t/convert.o --cpu host
// RUN: %clang -std=c11 -Wall -Wextra -Werror -include %t/convert.h %s %t/convert.o -o %t/misuse
// RUN: %t/misuse | FileCheck %s

/* Calls `convert` of the test that includes its header with every kind of wrong
 * argument and prints what it answers.
 *
 *   convert: float [any x 4] "x in", uint4 [3] -> float16 [any x 4] "y", uint4 [3]
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static float x[2][4] = {{1, -2, 0.5f, 0}, {65504, 65520, -0.0f, 3}};
static uint8_t quantized[3] = {1, 2, 15};
static uint16_t y[2][4];
static uint8_t quantizedOut[3];

static int64_t sizesX[2], sizesQuantized[1], sizesY[2], sizesQuantizedOut[1];
static qf_tensor inputs[2], outputs[2];

static void reset(void) {
  sizesX[0] = sizesY[0] = 2;
  sizesX[1] = sizesY[1] = 4;
  sizesQuantized[0] = sizesQuantizedOut[0] = 3;
  inputs[0] = (qf_tensor){x, sizesX, 2, QF_FLOAT32};
  inputs[1] = (qf_tensor){quantized, sizesQuantized, 1, QF_UINT4};
  outputs[0] = (qf_tensor){y, sizesY, 2, QF_FLOAT16};
  outputs[1] = (qf_tensor){quantizedOut, sizesQuantizedOut, 1, QF_UINT4};
  memset(y, 0xaa, sizeof y);
  memset(quantizedOut, 0xaa, sizeof quantizedOut);
}

static int untouched(void) {
  for (size_t i = 0; i < sizeof y; ++i)
    if (((unsigned char *)y)[i] != 0xaa)
      return 0;
  return quantizedOut[0] == 0xaa && quantizedOut[2] == 0xaa;
}

static void call(const char *what) {
  char error[200] = "old text";
  int status = convert(inputs, outputs, error, sizeof error);
  printf("%s: %d '%s'%s\n", what, status, error,
         status && !untouched() ? " BUT WROTE" : "");
  reset();
}

int main(void) {
  char error[200];
  reset();
  call("right");
  printf("null error: %d\n", convert(inputs, outputs, NULL, 0));
  printf("values:");
  for (int i = 0; i < 8; ++i)
    printf(" %04x", y[i / 4][i % 4]);
  printf(" | %d %d %d\n", quantizedOut[0], quantizedOut[1], quantizedOut[2]);
  reset();

  inputs[0].dtype = QF_FLOAT16;
  call("input type");
  outputs[0].dtype = 99;
  call("output type");
  inputs[0].rank = 1;
  call("input rank");
  outputs[1].rank = -1;
  call("output rank");
  sizesX[1] = 5;
  call("fixed size");
  sizesX[0] = -7;
  call("negative size");
  sizesX[0] = INT64_MAX / 4;
  call("too large");
  sizesY[0] = 3;
  call("output size");
  sizesQuantizedOut[0] = INT64_MIN;
  call("negative output size");
  inputs[1].sizes = NULL;
  call("null sizes");
  inputs[0].data = NULL;
  call("null input");
  outputs[1].data = NULL;
  call("null output");
  outputs[0].data = x;
  call("in place");
  outputs[0].data = (char *)x + sizeof x - 1;
  call("last byte");
  outputs[1].data = (char *)y + 15;
  call("two outputs");
  printf("null inputs: %d", convert(NULL, outputs, error, sizeof error));
  printf(" '%s'\n", error);
  printf("null outputs: %d", convert(inputs, NULL, error, sizeof error));
  printf(" '%s'\n", error);

  /* Tensors without elements: no memory is accessed. */
  sizesX[0] = sizesY[0] = 0;
  inputs[0].data = outputs[0].data = NULL;
  call("empty");
  /* Adjacent tensors do not overlap. */
  {
    static char block[sizeof x + sizeof y];
    memcpy(block, x, sizeof x);
    inputs[0].data = block;
    outputs[0].data = block + sizeof x;
    call("adjacent");
  }

  /* Messages are truncated to any size of the buffer. */
  for (size_t size = 0; size < 60; size += size < 3 ? 1 : 19) {
    memset(error, '#', sizeof error);
    inputs[0].rank = 7;
    int status = convert(inputs, outputs, error, size);
    int clean = error[size] == '#' && error[199] == '#';
    printf("buffer of %zu: %d %s '%.*s'\n", size, status,
           clean ? "clean" : "OVERRUN", (int)(size ? size : 0),
           size ? error : "");
  }
  reset();

  int64_t first[2] = {-5, -5}, second[1] = {-5};
  int64_t *places[2] = {first, second};
  inputs[0].data = inputs[1].data = NULL; /* never read for this */
  sizesX[0] = 17;
  int status = convert_output_sizes(inputs, places, error, sizeof error);
  printf("sizes: %d '%s' %" PRId64 " %" PRId64 " %" PRId64 "\n", status, error,
         first[0], first[1], second[0]);
  places[1] = NULL;
  status = convert_output_sizes(inputs, places, error, sizeof error);
  printf("null place: %d '%s'\n", status, error);
  status = convert_output_sizes(inputs, NULL, error, sizeof error);
  printf("null places: %d '%s'\n", status, error);
  inputs[1].rank = 0;
  status = convert_output_sizes(inputs, places, error, sizeof error);
  printf("sizes of a wrong rank: %d '%s'\n", status, error);
  return 0;
}

// CHECK:      right: 0 ''
// CHECK-NEXT: null error: 0
// CHECK-NEXT: values: 3c00 c000 3800 0000 7bff 7c00 8000 4200 | 1 2 15
// CHECK-NEXT: input type: 2 'convert: input 0 'x in': expected element type float (1), but got float16 (10)'
// CHECK-NEXT: output type: 2 'convert: output 0 'y': expected element type float16 (10), but got an unknown type (99)'
// CHECK-NEXT: input rank: 3 'convert: input 0 'x in': expected rank 2, but got 1'
// CHECK-NEXT: output rank: 3 'convert: output 1: expected rank 1, but got -1'
// CHECK-NEXT: fixed size: 4 'convert: input 0 'x in': dimension 1: expected size 4, but got 5'
// CHECK-NEXT: negative size: 4 'convert: input 0 'x in': dimension 0: expected a size of 0 or more, but got -7'
// CHECK-NEXT: too large: 4 'convert: input 0 'x in': expected at most 9223372036854775807 bytes, but the sizes require more'
// CHECK-NEXT: output size: 4 'convert: output 0 'y': dimension 0: expected size 2, but got 3'
// CHECK-NEXT: negative output size: 4 'convert: output 1: dimension 0: expected size 3, but got -9223372036854775808'
// CHECK-NEXT: null sizes: 1 'convert: input 1: sizes is null'
// CHECK-NEXT: null input: 1 'convert: input 0 'x in': data is null'
// CHECK-NEXT: null output: 1 'convert: output 1: data is null'
// CHECK-NEXT: in place: 5 'convert: output 0 'y': overlaps input 0'
// CHECK-NEXT: last byte: 5 'convert: output 0 'y': overlaps input 0'
// CHECK-NEXT: two outputs: 5 'convert: output 1: overlaps output 0'
// CHECK-NEXT: null inputs: 1 'convert: inputs is null'
// CHECK-NEXT: null outputs: 1 'convert: outputs is null'
// CHECK-NEXT: empty: 0 ''
// CHECK-NEXT: adjacent: 0 ''
// CHECK-NEXT: buffer of 0: 3 clean ''
// CHECK-NEXT: buffer of 1: 3 clean ''
// CHECK-NEXT: buffer of 2: 3 clean 'c'
// CHECK-NEXT: buffer of 3: 3 clean 'co'
// CHECK-NEXT: buffer of 22: 3 clean 'convert: input 0 'x i'
// CHECK-NEXT: buffer of 41: 3 clean 'convert: input 0 'x in': expected rank 2'
// CHECK-NEXT: sizes: 0 '' 17 4 3
// CHECK-NEXT: null place: 1 'convert: output 1: the buffer for its sizes is null'
// CHECK-NEXT: null places: 1 'convert: output_sizes is null'
// CHECK-NEXT: sizes of a wrong rank: 3 'convert: input 1: expected rank 1, but got 0'
