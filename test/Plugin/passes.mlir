// Passes and pipelines in upstream's mlir-opt, combined with its own.
//
// RUN: %stock_opt %s --load-pass-plugin=%plugin --pass-pipeline="builtin.module(convert-quant-float-to-linalg,func.func(convert-quant-float-to-arith{cpu=x86-64-v3},quant-float-require-lowered))" | FileCheck %s --check-prefix=LINALG
// RUN: %llvm_bin/mlir-opt %s --load-dialect-plugin=%plugin --pass-pipeline="builtin.module(quant-float-lower-to-cpu{cpu=x86-64-v3})" | FileCheck %s --check-prefix=CPU
// RUN: %stock_opt %s --pass-pipeline="builtin.module(quant-float-lower-to-nvvm{chip=sm_90})" | FileCheck %s --check-prefix=GPU
// RUN: not %stock_opt %s --pass-pipeline="builtin.module(func.func(quant-float-require-lowered))" 2>&1 | FileCheck %s --check-prefix=REQUIRE
//
// The output is in upstream dialects, so that LLVM's tools can continue.
//
// RUN: %stock_opt %s --pass-pipeline="builtin.module(quant-float-lower-to-cpu{cpu=x86-64-v3})" | %llvm_bin/mlir-translate --mlir-to-llvmir | FileCheck %s --check-prefix=IR
//
// It can be loaded as a pass plugin or a dialect plugin alone, too.
//
// RUN: %llvm_bin/mlir-opt --load-pass-plugin=%plugin --pass-pipeline="builtin.module(func.func(quant-float-decompose-qdq))" --dump-pass-pipeline /dev/null -o /dev/null 2>&1 | FileCheck %s --check-prefix=PIPELINE

// PIPELINE: quant-float-decompose-qdq

// LINALG-LABEL: func.func @main(
// LINALG:         linalg.generic
// LINALG-NOT:     quant_float
// LINALG:         return

// CPU-LABEL: llvm.func internal @graph_main.kernel(
// CPU-NOT:     {{= quant_float\.}}
// CPU:         llvm.func @graph_main(

// GPU: gpu.binary {{.*}}#nvvm.target<{{.*}}chip = "sm_90"{{.*}}cvt.rn.satfinite.e4m3x2.f32

// IR: define internal void @graph_main.kernel(
// IR:         call <{{[0-9]+}} x i8> @cast.f32.f8E4M3FN(
// IR: define i32 @graph_main(
// IR: define internal <{{[0-9]+}} x i8> @cast.f32.f8E4M3FN(
// IR:         <{{[0-9]+}} x i32>

// REQUIRE: error: 'quant_float.cast' op
func.func @main(%x: tensor<?xf32>) -> tensor<?xf8E4M3FN> {
  %0 = quant_float.cast %x opset 19 : tensor<?xf32> to tensor<?xf8E4M3FN>
  return %0 : tensor<?xf8E4M3FN>
}
