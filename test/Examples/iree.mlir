// The compiler plugin of IREE, in a build with the part of IREE that it uses. Two modules, one with
// ops of the dialect and one with upstream's cast only, are converted to upstream ops without
// narrow casts.
// REQUIRES: full
// RUN: rm -rf %t && split-file %s %t
// RUN: cmake -G Ninja -S %S/Inputs/iree -B %t/build -DCMAKE_BUILD_TYPE=Release -DPLUGIN=%src_root/examples/iree -DBUILD=%obj_root \
// RUN:   -DMLIR_DIR=%llvm_bin/../lib/cmake/mlir -DCMAKE_C_COMPILER=%clang -DCMAKE_CXX_COMPILER=%clangxx -DCMAKE_CXX_COMPILER_LAUNCHER=ccache \
// RUN:   -DCMAKE_EXE_LINKER_FLAGS=-fuse-ld=lld > %t/configure.log
// RUN: cmake --build %t/build --target quant_float > %t/build.log
// RUN: %t/build/quant-float-plugin/quant_float %t/cast.mlir | FileCheck %s
// RUN: %t/build/quant-float-plugin/quant_float %t/upstream.mlir | FileCheck %s --check-prefix=UPSTREAM

// CHECK:     // quant_float
// CHECK:     linalg.generic
// CHECK-NOT: {{quant_float\.cast|truncf}}
// CHECK:     arith.bitcast %{{.+}} : i8 to f8E4M3FN
// UPSTREAM-NOT: // quant_float
// UPSTREAM:     linalg.generic
// UPSTREAM-NOT: {{quant_float\.cast|truncf}}
// UPSTREAM:     arith.bitcast %{{.+}} : i8 to f8E4M3FN

//--- cast.mlir
func.func @main(%x: tensor<?xf32>) -> tensor<?xf8E4M3FN> {
  %y = quant_float.cast %x opset 19 : tensor<?xf32> to tensor<?xf8E4M3FN>
  return %y : tensor<?xf8E4M3FN>
}

//--- upstream.mlir
func.func @main(%x: tensor<?xf32>) -> tensor<?xf8E4M3FN> {
  %y = arith.truncf %x : tensor<?xf32> to tensor<?xf8E4M3FN>
  return %y : tensor<?xf8E4M3FN>
}
