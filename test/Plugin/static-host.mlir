// Hosts that link MLIR statically. The plugin can use the MLIR of the host if the host exports it.
// REQUIRES: full
// RUN: cmake -G Ninja -S %S/Inputs/static-host -B %t -DCMAKE_BUILD_TYPE=Release -DMLIR_DIR=%llvm_bin/../lib/cmake/mlir -DCMAKE_C_COMPILER=%clang -DCMAKE_CXX_COMPILER=%clangxx -DCMAKE_EXE_LINKER_FLAGS=-fuse-ld=lld > %t.log
// RUN: cmake --build %t > %t.log
// RUN: %t/exporting %s --load-dialect-plugin=%plugin --pass-pipeline="builtin.module(func.func(convert-quant-float-to-arith))" | FileCheck %s
// RUN: not %t/hidden %s --load-dialect-plugin=%plugin 2>&1 | FileCheck %s --check-prefix=HIDDEN
//
// CHECK-LABEL: func.func @cast
// CHECK-NOT:   quant_float.cast
// HIDDEN:      error: libQuantFloatPlugin.so is built with LLVM {{.*}}: expected a host that links libMLIR.so.{{.*}}, but got one with the MLIR in '{{.*}}/hidden'
// HIDDEN:      Dialect `quant_float' not found
func.func @cast(%x: vector<4xf32>) -> vector<4xf8E5M2> {
  %0 = quant_float.cast %x opset 19 : vector<4xf32> to vector<4xf8E5M2>
  return %0 : vector<4xf8E5M2>
}
