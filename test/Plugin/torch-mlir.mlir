// torch-mlir's package contains its own MLIR.
// REQUIRES: full
// RUN: %python -m environment %src_root %obj_root/torch-mlir
//
// RUN: not %obj_root/torch-mlir/bin/torch-mlir-opt %s --load-dialect-plugin=%plugin 2>&1 | FileCheck %s
// RUN: not %obj_root/torch-mlir/bin/torch-mlir-opt %s --load-dialect-plugin=%core_plugin 2>&1 | FileCheck %s
// RUN: not %obj_root/torch-mlir/bin/torch-mlir-opt %s --load-pass-plugin=%plugin --pass-pipeline="builtin.module(convert-quant-float-to-linalg)" 2>&1 | FileCheck %s
//
// CHECK-NOT: {{LLVM ERROR|Stack dump}}
// CHECK:     error: libQuantFloat{{(Core)?}}Plugin.so is built with LLVM {{.*}}: expected a host that links libMLIR.so.{{.*}}, but got one with the MLIR in '{{.*}}/torch-mlir-opt'
// CHECK-NOT: {{LLVM ERROR|Stack dump}}
// CHECK:     Dialect `quant_float' not found
// CHECK-NOT: {{LLVM ERROR|Stack dump}}
func.func @cast(%x: f32) -> f8E5M2 {
  %0 = quant_float.cast %x opset 19 : f32 to f8E5M2
  return %0 : f8E5M2
}
