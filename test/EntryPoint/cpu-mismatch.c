// Code for a CPU that this machine is not answers with an error, where it would
// otherwise end in an illegal instruction. A static program so that the emulator
// needs nothing else; the emulated CPUs have neither AVX nor AVX-512.
// REQUIRES: host-x86_64, qemu-x86_64
// RUN: rm -rf %t && mkdir %t
// RUN: quant-float-compile %S/Inputs/convert.mlir -o %t/v2.o --cpu x86-64-v2
// RUN: quant-float-compile %S/Inputs/convert.mlir -o %t/v3.o --cpu x86-64-v3
// RUN: quant-float-compile %S/Inputs/convert.mlir -o %t/v4.o --cpu x86-64-v4
// RUN: %clang -static -std=c11 -include %t/v2.h %s %t/v2.o -o %t/v2
// RUN: %clang -static -std=c11 -include %t/v3.h %s %t/v3.o -o %t/v3
// RUN: %clang -static -std=c11 -include %t/v4.h %s %t/v4.o -o %t/v4
// RUN: %run_x86_64 -cpu Nehalem %t/v2 | FileCheck %s --check-prefix=RUNS
// RUN: %run_x86_64 -cpu Nehalem %t/v3 | FileCheck %s --check-prefix=V3
// RUN: %run_x86_64 -cpu Nehalem %t/v4 | FileCheck %s --check-prefix=V4
// RUN: %run_x86_64 -cpu max %t/v3 | FileCheck %s --check-prefix=RUNS
// RUN: %run_x86_64 -cpu max %t/v4 | FileCheck %s --check-prefix=NO-AVX512
#include <stdio.h>

int main(void) {
  float x[4] = {1, 2, 3, 4};
  uint8_t codes[3] = {1, 2, 3}, codesOut[3];
  uint16_t y[4] = {0};
  int64_t sizesX[2] = {1, 4}, sizesCodes[1] = {3};
  qf_tensor inputs[2] = {{x, sizesX, 2, QF_FLOAT32},
                         {codes, sizesCodes, 1, QF_UINT4}};
  qf_tensor outputs[2] = {{y, sizesX, 2, QF_FLOAT16},
                          {codesOut, sizesCodes, 1, QF_UINT4}};
  char error[200];
  /* Twice: the second answer comes from what the first has found out. */
  for (int i = 0; i < 2; ++i) {
    int status = convert(inputs, outputs, error, sizeof error);
    printf("%d '%s' %04x\n", status, error, y[3]);
  }
  return 0;
}

// RUNS-COUNT-2: 0 '' 4400
// V3-COUNT-2: 6 'convert: expected a CPU with {{fma|avx|f16c|bmi|movbe}}{{.*}}, but this machine's CPU lacks it' 0000
// V4-COUNT-2: 6 'convert: expected a CPU with {{fma|avx|f16c|bmi|movbe}}{{.*}}, but this machine's CPU lacks it' 0000
// NO-AVX512-COUNT-2: 6 'convert: expected a CPU with avx512f, but this machine's CPU lacks it' 0000
