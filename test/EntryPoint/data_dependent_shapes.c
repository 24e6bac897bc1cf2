// Data-dependent result shapes: the shape function takes the input data.
// Assertions after the last read that the shapes depend on are checked by the
// kernel only.
// RUN: rm -rf %t && mkdir %t
// RUN: quant-float-compile %S/Inputs/take.mlir -o %t/take.o
// RUN: %clang -std=c11 -Wall -Wextra -Werror -I %src_root/include -I %t %s %t/take.o -lm -o %t/take
// RUN: %t/take | FileCheck %s
//
// The same with kernels for several CPUs in one object.
// RUN: %if host-x86_64 %{ quant-float-compile %S/Inputs/take.mlir --cpu x86-64,x86-64-v3 -o %t/take.o %}
// RUN: %if host-x86_64 %{ %clang -std=c11 -I %src_root/include -I %t %s %t/take.o -lm -o %t/take %}
// RUN: %if host-x86_64 %{ %t/take | FileCheck %s %}
#include <stdio.h>

#include "take.h"

static void call(int64_t *n, int64_t size, int64_t room) {
  float x[4] = {1, 2, 3, 4}, y[4] = {0}, copy[4] = {0};
  char error[200] = "";
  qf_tensor inputs[] = {{n, NULL, 0, QF_INT64}, {x, &size, 1, QF_FLOAT32}};
  int64_t count = -7, all = -7;
  int64_t *sizes[] = {&count, &all};
  int status = take_output_sizes(inputs, sizes, error, sizeof error);
  printf("%d: %lld %lld %s\n", status, (long long)count, (long long)all, error);
  qf_tensor outputs[] = {{y, &room, 1, QF_FLOAT32},
                         {copy, &size, 1, QF_FLOAT32}};
  status = take(inputs, outputs, error, sizeof error);
  printf("%d: %g %g %g %g %s\n", status, y[0], y[1], y[2], y[3], error);
}

int main(void) {
  int64_t n = 2;
  // CHECK: 0: 2 4 {{$}}
  // CHECK-NEXT: 0: 1 2 0 0 {{$}}
  call(&n, 4, 2);
  // CHECK-NEXT: 0: 2 4 {{$}}
  // CHECK-NEXT: 4: 0 0 0 0 take: output 0 'y': dimension 0: expected size 2, but got 3
  call(&n, 4, 3);
  // CHECK-NEXT: 0: 2 1 {{$}}
  // CHECK-NEXT: 8: 0 0 0 0 take: more than there are
  call(&n, 1, 2);
  n = -1;
  // CHECK-NEXT: 4: -7 -7 take: output 0 'y': dimension 0: expected a size of 0 or more, but the inputs give -1
  // CHECK-NEXT: 4: 0 0 0 0 take: output 0 'y': dimension 0: expected a size of 0 or more, but the inputs give -1
  call(&n, 4, 2);
  // CHECK-NEXT: 1: -7 -7 take: input 0 'n': data is null
  // CHECK-NEXT: 1: 0 0 0 0 take: input 0 'n': data is null
  call(NULL, 4, 2);
  n = 0;
  // CHECK-NEXT: 0: 0 0 {{$}}
  // CHECK-NEXT: 0: 0 0 0 0 {{$}}
  call(&n, 0, 0);
}
