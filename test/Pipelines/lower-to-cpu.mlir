// The whole pipeline, to the LLVM dialect.
// RUN: quant-float-opt %s --quant-float-lower-to-cpu=cpu=x86-64 | FileCheck %s --check-prefixes=CHECK,V1
// RUN: quant-float-opt %s --quant-float-lower-to-cpu=cpu=x86-64-v3 | FileCheck %s --check-prefixes=CHECK,V3
// RUN: quant-float-opt %s --quant-float-lower-to-cpu=cpu=x86-64-v4 | FileCheck %s --check-prefixes=CHECK,V4
// RUN: quant-float-opt %s --quant-float-lower-to-cpu="cpu=x86-64-v3 threads=2" | FileCheck %s --check-prefix=TWO
// RUN: quant-float-opt %s --quant-float-lower-to-cpu="cpu=x86-64-v3 threads=0" | FileCheck %s --check-prefix=ANY
// RUN: quant-float-opt %s --quant-float-lower-to-cpu="cpu=generic triple=aarch64-linux-gnu" | FileCheck %s
// RUN: quant-float-opt %s --quant-float-lower-to-cpu="cpu=rv64gcv triple=riscv64-linux-gnu" | FileCheck %s

// The kernel takes pointers and sizes. Two consecutive casts are one loop.
// CHECK: llvm.func internal @narrow.kernel(%{{.+}}: !llvm.ptr
// CHECK-NOT: quant_float.{{(storage_)?}}cast
// CHECK-NOT: unrealized_conversion_cast
// CHECK-NOT: omp.
// V1-NOT: llvm.intr.fma
// V1: llvm.fmul %{{.+}} : vector<16xf32>
// V1-NOT: vector<32xf32>
// V3: llvm.intr.fma({{.+}}) : (vector<32xf32>, vector<32xf32>, vector<32xf32>)
// The remainder is masked if the target has byte masks.
// V4: llvm.intr.fma({{.+}}) : (vector<64xf32>, vector<64xf32>, vector<64xf32>)
// V4: llvm.intr.masked.load
// V4: llvm.intr.masked.store
// CHECK: llvm.func @narrow(

// TWO: omp.parallel num_threads(
// TWO: omp.wsloop
// ANY: omp.parallel {
// ANY: omp.wsloop
func.func @narrow(%x: tensor<?x3xf32> {quant_float.name = "x"})
    -> (tensor<?x3xf8E5M2> {quant_float.name = "y"}) {
  %0 = quant_float.cast %x opset 19 : tensor<?x3xf32> to tensor<?x3xf8E4M3FN>
  %1 = quant_float.cast %0 opset 19 : tensor<?x3xf8E4M3FN> to tensor<?x3xf8E5M2>
  return %1 : tensor<?x3xf8E5M2>
}
