// IREE's package contains its own MLIR.
// REQUIRES: full
// RUN: %python -m environment %src_root %obj_root/iree
//
// RUN: not %obj_root/iree/bin/iree-opt %s --load-dialect-plugin=%plugin 2>&1 | FileCheck %s
// RUN: not %obj_root/iree/bin/iree-opt %s --load-dialect-plugin=%core_plugin 2>&1 | FileCheck %s
// RUN: not %obj_root/iree/bin/iree-opt %s --load-pass-plugin=%plugin --pass-pipeline="builtin.module(convert-quant-float-to-linalg)" 2>&1 | FileCheck %s
//
// CHECK-NOT: {{LLVM ERROR|Stack dump}}
// CHECK:     error: libQuantFloat{{(Core)?}}Plugin.so is built with LLVM {{.*}}: expected a host that links libMLIR.so.{{.*}}, but got one with the MLIR in '{{.*}}/libIREECompiler.so'
// CHECK-NOT: {{LLVM ERROR|Stack dump}}
// CHECK:     Dialect `quant_float' not found
// CHECK-NOT: {{LLVM ERROR|Stack dump}}
//
// IREE has its own plugin interface, which requires IREE's source headers. The package exports no
// symbols of LLVM and MLIR, so a library that is built separately can only be rejected.
//
// RUN: not %obj_root/iree/bin/iree-opt %s --iree-load-plugin=%plugin 2>&1 | FileCheck %s --check-prefix=OWN
// RUN: %llvm_bin/llvm-nm --dynamic --defined-only %obj_root/iree/lib/python*/site-packages/iree/compiler/_mlir_libs/libIREECompiler.so | FileCheck %s --check-prefix=EXPORTED --implicit-check-not="T _ZN4mlir" --implicit-check-not="T _ZN4llvm"
//
// OWN: plugin '{{.*}}libQuantFloatPlugin.so' defines no iree_get_compiler_plugin_info
// EXPORTED: T ireeCompilerGetAPIVersion
func.func @cast(%x: f32) -> f8E5M2 {
  %0 = quant_float.cast %x opset 19 : f32 to f8E5M2
  return %0 : f8E5M2
}
