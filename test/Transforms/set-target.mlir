// RUN: quant-float-opt %s --quant-float-set-target="cpu=x86-64-v3 triple=x86_64-linux-gnu" | FileCheck %s --check-prefix=CPU
// RUN: quant-float-opt %s --quant-float-set-target="triple=riscv64-linux-gnu" | FileCheck %s --check-prefix=BASELINE
// RUN: quant-float-opt %s --quant-float-set-target="chip=sm_90" | FileCheck %s --check-prefix=CHIP
// RUN: quant-float-opt %s --quant-float-set-target="chip=sm_90 ptx=+ptx80" --quant-float-set-target=cpu=host | FileCheck %s --check-prefix=HOST
// RUN: not quant-float-opt %s --quant-float-set-target="cpu=none triple=x86_64-linux-gnu" 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not quant-float-opt %s --quant-float-set-target="chip=sm_1" 2>&1 | FileCheck %s --check-prefix=UNKNOWN-CHIP
// RUN: not quant-float-opt %s --quant-float-set-target="cpu=x86-64-v3 chip=sm_90" 2>&1 | FileCheck %s --check-prefix=BOTH
// RUN: not quant-float-opt %s --quant-float-set-target="ptx=+ptx80" 2>&1 | FileCheck %s --check-prefix=NO-CHIP

// The conversions look the target up, and their own options override it.
// RUN: quant-float-opt %s --quant-float-set-target="cpu=x86-64-v3 triple=x86_64-linux-gnu" --convert-quant-float-to-arith | FileCheck %s --check-prefix=F16C
// RUN: quant-float-opt %s --quant-float-set-target="cpu=x86-64-v3 triple=x86_64-linux-gnu" --convert-quant-float-to-arith="cpu=x86-64 triple=x86_64-linux-gnu" | FileCheck %s --check-prefix=NO-F16C
// RUN: quant-float-opt %s --convert-quant-float-to-arith | FileCheck %s --check-prefix=NO-F16C

// CPU: module attributes {quant_float.target = #quant_float.target<cpu "x86-64-v3" triple = "x86_64-unknown-linux-gnu"
// BASELINE: module attributes {quant_float.target = #quant_float.target<cpu "{{.*}}" triple = "riscv64-unknown-linux-gnu"
// CHIP: module attributes {quant_float.target = #quant_float.target<nvvm "sm_90" features = "+ptx{{[0-9]+}}">}
// HOST: #quant_float.target<cpu
// UNKNOWN: set-target.mlir:[[# @LINE + 4]]:1: error: unknown cpu 'none' for the triple 'x86_64-unknown-linux-gnu'
// BOTH: set-target.mlir:[[# @LINE + 3]]:1: error: expected options of a CPU or of a chip, but got both
// NO-CHIP: set-target.mlir:[[# @LINE + 2]]:1: error: expected the option 'chip' with the option 'ptx'
// UNKNOWN-CHIP: error: {{.*}}sm_1
module {
  // F16C-LABEL: func.func @widen
  // F16C: arith.extf
  // NO-F16C-LABEL: func.func @widen
  // NO-F16C-NOT: arith.extf %{{.*}} : vector<16xf16> to vector<16xf32>
  func.func @widen(%x: vector<16xf16>) -> vector<16xf32> {
    %0 = quant_float.cast %x opset 21 : vector<16xf16> to vector<16xf32>
    return %0 : vector<16xf32>
  }
}
