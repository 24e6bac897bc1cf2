// Code for a CPU with more features than this machine's reports an error, where
// it would otherwise execute an illegal instruction. The program is static, so
// that the emulator needs no sysroot. The emulated CPUs have neither AVX nor
// AVX-512. Newer versions of qemu emulate more instructions, so `max` is for
// code that is expected to run.
//
// RUN: rm -rf %t && mkdir %t
// RUN: %if host-x86_64 && qemu-x86_64 %{ quant-float-compile %S/Inputs/convert.mlir -o %t/v2.o --cpu x86-64-v2 %}
// RUN: %if host-x86_64 && qemu-x86_64 %{ quant-float-compile %S/Inputs/convert.mlir -o %t/v3.o --cpu x86-64-v3 %}
// RUN: %if host-x86_64 && qemu-x86_64 %{ quant-float-compile %S/Inputs/convert.mlir -o %t/v4.o --cpu x86-64-v4 %}
// RUN: %if host-x86_64 && qemu-x86_64 %{ %clang -static -std=c11 -include %t/v2.h %s %t/v2.o -o %t/v2 %}
// RUN: %if host-x86_64 && qemu-x86_64 %{ %clang -static -std=c11 -include %t/v3.h %s %t/v3.o -o %t/v3 %}
// RUN: %if host-x86_64 && qemu-x86_64 %{ %clang -static -std=c11 -include %t/v4.h %s %t/v4.o -o %t/v4 %}
// RUN: %if host-x86_64 && qemu-x86_64 %{ %run_x86_64 -cpu Nehalem %t/v2 | FileCheck %s --check-prefix=RUNS %}
// RUN: %if host-x86_64 && qemu-x86_64 %{ %run_x86_64 -cpu Nehalem %t/v3 | FileCheck %s --check-prefix=V3 %}
// RUN: %if host-x86_64 && qemu-x86_64 %{ %run_x86_64 -cpu Nehalem %t/v4 | FileCheck %s --check-prefix=V3 %}
// RUN: %if host-x86_64 && qemu-x86_64 %{ quant-float-compile %S/Inputs/convert.mlir -o %t/avx10.o --cpu diamondrapids %}
// RUN: %if host-x86_64 && qemu-x86_64 %{ %clang -static -std=c11 -include %t/avx10.h %s %t/avx10.o -o %t/avx10 %}
// RUN: %if host-x86_64 && qemu-x86_64 %{ %run_x86_64 -cpu max %t/avx10 | FileCheck %s --check-prefix=V4 %}
// RUN: %if host-x86_64 && qemu-x86_64 %{ %run_x86_64 -cpu max %t/v3 | FileCheck %s --check-prefix=RUNS %}
// RUN: %if host-x86_64 && qemu-x86_64 %{ %run_x86_64 -cpu max %t/v4 | FileCheck %s --check-prefix=V4 %}
//
// Arm and RISC-V: the features come from Linux. The last -cpu option takes
// effect.
// RUN: %if qemu-aarch64 %{ quant-float-compile %S/Inputs/convert.mlir -o %t/sve.o --triple aarch64-linux-gnu --cpu neoverse-v1 %}
// RUN: %if qemu-aarch64 %{ %clang_aarch64 -static -std=c11 -include %t/sve.h %s %t/sve.o -o %t/sve %}
// RUN: %if qemu-aarch64 %{ %run_aarch64 -cpu cortex-a53 %t/sve | FileCheck %s --check-prefix=ARM %}
// RUN: %if qemu-aarch64 %{ %run_aarch64 -cpu max %t/sve | FileCheck %s --check-prefix=RUNS %}
// RUN: %if qemu-aarch64 %{ quant-float-compile %S/Inputs/convert.mlir -o %t/fp8.o --triple aarch64-linux-gnu --cpu fujitsu-monaka %}
// RUN: %if qemu-aarch64 %{ %clang_aarch64 -static -std=c11 -include %t/fp8.h %s %t/fp8.o -o %t/fp8 %}
// RUN: %if qemu-aarch64 %{ %run_aarch64 -cpu a64fx %t/fp8 | FileCheck %s --check-prefix=ARM %}
// RUN: %if qemu-aarch64 && emulator-armfp8 %{ %run_armfp8 %t/fp8 | FileCheck %s --check-prefix=RUNS %}
// RUN: %if qemu-riscv64 %{ quant-float-compile %S/Inputs/convert.mlir -o %t/v.o --triple riscv64-linux-gnu --cpu rv64gcv %}
// RUN: %if qemu-riscv64 %{ %clang_riscv64 -march=rv64gc -static -std=c11 -include %t/v.h %s %t/v.o -o %t/v %}
// RUN: %if qemu-riscv64 %{ %run_riscv64 -cpu rv64,v=false %t/v | FileCheck %s --check-prefix=RISCV %}
// RUN: %if qemu-riscv64 %{ %run_riscv64 %t/v | FileCheck %s --check-prefix=RUNS %}
// RUN: %if qemu-riscv64 %{ quant-float-compile %S/Inputs/convert.mlir -o %t/bf16.o --triple riscv64-linux-gnu --cpu rv64gcv_zvfbfmin %}
// RUN: %if qemu-riscv64 %{ %clang_riscv64 -march=rv64gc -static -std=c11 -include %t/bf16.h %s %t/bf16.o -o %t/bf16 %}
// RUN: %if qemu-riscv64 %{ %run_riscv64 %t/bf16 | FileCheck %s --check-prefix=PROBE %}
#include <stdio.h>

int main(void) {
  float x[4] = {1, 2, 3, 4};
  uint8_t quantized[3] = {1, 2, 3}, quantizedOut[3];
  uint16_t y[4] = {0};
  int64_t sizesX[2] = {1, 4}, sizesQuantized[1] = {3};
  qf_tensor inputs[2] = {{x, sizesX, 2, QF_FLOAT32},
                         {quantized, sizesQuantized, 1, QF_UINT4}};
  qf_tensor outputs[2] = {{y, sizesX, 2, QF_FLOAT16},
                          {quantizedOut, sizesQuantized, 1, QF_UINT4}};
  char error[200];
  /* Twice: the second call uses the cached answer of the first. */
  for (int i = 0; i < 2; ++i) {
    int status = convert(inputs, outputs, error, sizeof error);
    printf("%d '%s' %04x\n", status, error, y[3]);
  }
  return 0;
}

// RUNS-COUNT-2: 0 '' 4400
// V3-COUNT-2: 6 'convert: expected a CPU with {{[a-z0-9.]+}}, but this machine's CPU lacks it' 0000
// V4-COUNT-2: 6 'convert: expected a CPU with avx512f, but this machine's CPU lacks it' 0000
// ARM-COUNT-2: 6 'convert: expected a CPU with {{[a-z0-9]+}}, but this machine's CPU lacks it' 0000
// PROBE-COUNT-2: 6 'convert: expected a CPU with zvfbfmin, but this machine's CPU lacks it' 0000
// RISCV-COUNT-2: 6 'convert: expected a CPU with v, but this machine's CPU lacks it' 0000
