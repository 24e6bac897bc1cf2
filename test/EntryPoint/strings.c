// Strings in the C functions of an object: inputs, outputs, capacities and
// errors.
// RUN: rm -rf %t && mkdir %t
// RUN: quant-float-compile %S/Inputs/strings.mlir -o %t/strings.o --cpu host
// RUN: %clang -std=c11 -Wall -Wextra -Werror -include %t/strings.h %s %t/strings.o -o %t/strings
// RUN: %t/strings | FileCheck %s
// RUN: %if qemu-aarch64 %{ quant-float-compile %S/Inputs/strings.mlir -o %t/aarch64.o --triple aarch64-linux-gnu --cpu generic %}
// RUN: %if qemu-aarch64 %{ %clang_aarch64 -static -std=c11 -O1 -include %t/aarch64.h %s %t/aarch64.o -o %t/aarch64 %}
// RUN: %if qemu-aarch64 %{ %run_aarch64 %t/aarch64 | FileCheck %s %}
// RUN: %if qemu-riscv64 %{ quant-float-compile %S/Inputs/strings.mlir -o %t/riscv64.o --triple riscv64-linux-gnu --cpu rv64gcv %}
// RUN: %if qemu-riscv64 %{ %clang_riscv64 -static -std=c11 -O1 -include %t/riscv64.h %s %t/riscv64.o -o %t/riscv64 %}
// RUN: %if qemu-riscv64 %{ %run_riscv64 %t/riscv64 | FileCheck %s %}

// The object calls no functions of the C library but those for memory.
// RUN: %llvm_bin/llvm-nm --undefined-only --format=just-symbols %t/strings.o | FileCheck %s --check-prefix=SYMBOLS
// SYMBOLS: {{^}}free{{$}}
// SYMBOLS-NEXT: {{^}}malloc{{$}}
// SYMBOLS-NOT: {{^(memcpy|memset|memmove)?[^m]}}
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static char error[300];
static int64_t three = 3, sizes[2] = {2, 2};
static int64_t offsets[5], given[5];
static char bytes[64], text[9];
static uint8_t encodings[4];
static qf_strings strings, result;

static void show(const char *what, int status, int64_t count) {
  printf("%s: %d '%s'", what, status, error);
  for (int64_t i = 0; !status && i < count; ++i) {
    printf(" [");
    fwrite(result.bytes + result.offsets[i], 1,
           (size_t)(result.offsets[i + 1] - result.offsets[i]), stdout);
    printf("]");
  }
  printf("\n");
}

static void reset(void) {
  const int64_t right[5] = {0, 1, 4, 6, 9};
  memcpy(given, right, sizeof right);
  memcpy(text, "1e-7.5nan", 9);
  memset(offsets, 0x55, sizeof offsets);
  strings = (qf_strings){given, text, sizeof text, 0};
  result = (qf_strings){offsets, bytes, sizeof bytes, -1};
  sizes[1] = 2;
}

/* Three numbers, and buffers of this capacity for their strings. */
static void writeNumbers(const char *what) {
  double x[3] = {0.1, -1e22, 1e-7};
  int8_t y[3] = {55, 55, 55};
  qf_tensor in = {x, &three, 1, QF_FLOAT64};
  qf_tensor out[2] = {{&result, &three, 1, QF_STRING}, {y, &three, 1, QF_INT8}};
  int status = write_numbers(&in, out, error, sizeof error);
  show(what, status, 3);
  printf("  needs %" PRId64 ", strings %s\n", result.needed,
         offsets[0] ? "untouched" : "written");
  reset();
}

/* "1", "-7", ".5", "nan", with errors in the tensor descriptions. */
static void readNumbers(const char *what) {
  qf_tensor in = {&strings, sizes, 2, QF_STRING};
  qf_tensor out[2] = {{encodings, sizes, 2, QF_FLOAT8E4M3FN},
                      {&result, sizes, 2, QF_STRING}};
  int status = read_numbers(&in, out, error, sizeof error);
  show(what, status, 4);
  reset();
}

int main(void) {
  reset();
  writeNumbers("room");
  // CHECK: room: 0 '' [0.1] [-10000000000000000000000] [0.0000001]
  // CHECK-NEXT: needs 36, strings written
  result.capacity = 36;
  writeNumbers("just enough");
  // CHECK-NEXT: just enough: 0 '' [0.1] [-10000000000000000000000] [0.0000001]
  // CHECK-NEXT: needs 36, strings written
  result.capacity = 35;
  writeNumbers("a byte short");
  // CHECK-NEXT: a byte short: 11 'write_numbers: output 0 'y': expected a capacity of at least 36 bytes for strings, but got 35'
  // CHECK-NEXT: needs 36, strings untouched
  result.capacity = 0;
  result.bytes = NULL;
  writeNumbers("no room");
  // CHECK-NEXT: no room: 11 'write_numbers: output 0 'y': expected a capacity of at least 36 bytes for strings, but got 0'
  // CHECK-NEXT: needs 36, strings untouched
  result.bytes = NULL;
  writeNumbers("no bytes");
  // CHECK-NEXT: no bytes: 1 'write_numbers: output 0 'y': bytes is null'
  // CHECK-NEXT: needs -1, strings untouched
  result.offsets = NULL;
  writeNumbers("no offsets");
  // CHECK-NEXT: no offsets: 1 'write_numbers: output 0 'y': offsets is null'
  // CHECK-NEXT: needs -1, strings untouched
  result.capacity = -1;
  writeNumbers("negative");
  // CHECK-NEXT: negative: 4 'write_numbers: output 0 'y': expected a capacity of 0 or more, but got -1'
  // CHECK-NEXT: needs -1, strings untouched

  text[1] = ' ';
  readNumbers("right");
  printf("  %02x %02x %02x %02x\n", encodings[0], encodings[1], encodings[2],
         encodings[3]);
  // CHECK-NEXT: right: 0 '' [1] [ -7] [.5] [nan]
  // CHECK-NEXT: 38 ce 30 7f
  readNumbers("no number");
  // CHECK-NEXT: no number: 8 'read_numbers: node 'c1': element 1: expected a number, but got 'e-7''
  text[1] = '\0';
  readNumbers("a zero");
  // CHECK-NEXT: a zero: 8 'read_numbers: node 'c1': element 1: expected a number, but got '\00-7''
  text[1] = '\xff';
  readNumbers("no UTF-8");
  // CHECK-NEXT: no UTF-8: 8 'read_numbers: node 'c1': element 1: expected a number, but got '\FF-7''
  given[1] = 0;
  readNumbers("an empty one");
  // CHECK-NEXT: an empty one: 8 'read_numbers: node 'c1': element 0: expected a number, but got '''
  given[2] = 0;
  readNumbers("decreasing");
  // CHECK-NEXT: decreasing: 4 'read_numbers: input 0 'x': offset 2: expected 1 to 9, but got 0'
  given[0] = -1;
  readNumbers("below 0");
  // CHECK-NEXT: below 0: 4 'read_numbers: input 0 'x': offset 0: expected 0 to 9, but got -1'
  strings.capacity = 8;
  readNumbers("beyond");
  // CHECK-NEXT: beyond: 4 'read_numbers: input 0 'x': offset 4: expected 6 to 8, but got 9'
  result.bytes = text + 8;
  result.capacity = 1;
  readNumbers("overlapping bytes");
  // CHECK-NEXT: overlapping bytes: 5 'read_numbers: output 1: overlaps input 0'
  result.offsets = given;
  readNumbers("overlapping offsets");
  // CHECK-NEXT: overlapping offsets: 5 'read_numbers: output 1: overlaps input 0'
  sizes[1] = 0;
  strings.offsets = NULL;
  result.capacity = 0;
  qf_tensor in = {NULL, sizes, 2, QF_STRING};
  qf_tensor out[2] = {{NULL, sizes, 2, QF_FLOAT8E4M3FN},
                      {&result, sizes, 2, QF_STRING}};
  printf("nothing: %d, needs %" PRId64 ", ends at %" PRId64 "\n",
         read_numbers(&in, out, error, sizeof error), result.needed, offsets[0]);
  // CHECK-NEXT: nothing: 0, needs 0, ends at 0
  return 0;
}
