// In a host with another MLIR, the plugin reports an error and registers nothing. No part of LLVM
// is loaded.
//
// RUN: %clang %S/Inputs/host.c -ldl -o %t.host
// RUN: %t.host %plugin mlirGetDialectPluginInfo mlirGetPassPluginInfo 2>&1 | FileCheck %s --check-prefix=HOST
// RUN: %t.host %core_plugin mlirGetDialectPluginInfo 2>&1 | FileCheck %s --check-prefix=CORE
// RUN: env LD_DEBUG=files %t.host %plugin mlirGetDialectPluginInfo 2>&1 | FileCheck %s --check-prefix=FILES --implicit-check-not=libLLVM "--implicit-check-not=calling init: {{.*}}libMLIR"
//
// HOST:      error: libQuantFloatPlugin.so is built with LLVM [[VERSION:[0-9]+\.[0-9]+]]: expected a host that links libMLIR.so.[[VERSION]], but got one with the MLIR in '{{.*}}wrong-host{{.*}}.host'
// HOST-NEXT: note: load a plugin that is built with the LLVM of the host, or pass modules as text
// HOST-NEXT: error: libQuantFloatPlugin.so is built with LLVM [[VERSION]]: expected a host that links
// HOST-NEXT: note:
// HOST-NEXT: QuantFloat, version 1
// HOST-NEXT: QuantFloat, version 1
// CORE: error: libQuantFloatCorePlugin.so is built with LLVM
// FILES: calling init: {{.*}}/libQuantFloatPlugin.so
//
// The libraries of the plugin are in one folder. A link to the plugin may be elsewhere.
//
// RUN: rm -rf %t && mkdir %t && cp %plugin %t
// RUN: not %llvm_bin/mlir-opt %s --load-dialect-plugin=%t/libQuantFloatPlugin.so 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: ln -sf %plugin %t/libQuantFloatPlugin.so
// RUN: %llvm_bin/mlir-opt %s --load-dialect-plugin=%t/libQuantFloatPlugin.so | FileCheck %s --check-prefix=LINK
//
// MISSING: error: libQuantFloatPlugin.so: {{.*}}/libQuantFloatPluginImpl.so: cannot open shared object file
// MISSING: Dialect `quant_float' not found
// LINK: quant_float.cast
func.func @cast(%x: f32) -> f8E5M2 {
  %0 = quant_float.cast %x opset 19 : f32 to f8E5M2
  return %0 : f8E5M2
}
