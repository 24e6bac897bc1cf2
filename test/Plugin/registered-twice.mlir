// A second plugin, and a plugin in a program that contains the dialect, print an error message and
// register nothing. MLIR aborts on two definitions of a dialect or a pass.
//
// RUN: %stock_opt %s --load-dialect-plugin=%core_plugin 2>&1 | FileCheck %s --check-prefixes=CORE,CHECK
// RUN: %core_opt %s --load-pass-plugin=%plugin 2>&1 | FileCheck %s --check-prefixes=ALL,CHECK
// RUN: not %llvm_bin/mlir-opt %s --load-pass-plugin=%core_plugin --load-dialect-plugin=%plugin 2>&1 | FileCheck %s --check-prefix=ALL
// RUN: quant-float-opt %s --load-dialect-plugin=%plugin 2>&1 | FileCheck %s --check-prefixes=ALL,CHECK
// RUN: quant-float-opt %s --load-pass-plugin=%core_plugin 2>&1 | FileCheck %s --check-prefixes=CORE,CHECK
// RUN: not env LD_PRELOAD=%plugin quant-float-opt %s 2>&1 | FileCheck %s --check-prefix=PRELOADED
// RUN: not env LD_PRELOAD=%plugin %tools_dir/quant-float-convert %s -o %t.onnx 2>&1 | FileCheck %s --check-prefix=PRELOADED

// The same plugin can be loaded by both options.
// RUN: %stock_opt %s --load-pass-plugin=%plugin 2>&1 | FileCheck %s --implicit-check-not=error

// CORE: error: libQuantFloatCorePlugin.so: expected a program without the dialect quant_float, but it is registered already
// ALL: error: libQuantFloatPlugin.so: expected a program without the dialect quant_float, but it is registered already
// PRELOADED: quant-float-{{opt|convert}}: error: a preloaded plugin has registered the passes that this program contains

// CHECK: quant_float.cast
func.func @cast(%x: vector<8xf32>) -> vector<8xf8E4M3FN> {
  %0 = quant_float.cast %x opset 21 : vector<8xf32> to vector<8xf8E4M3FN>
  return %0 : vector<8xf8E4M3FN>
}
