//===- quant-float-plugin.cpp - The dialect for stock mlir-opt ------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "quant-float/InitAll.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/Compiler.h"

/// Both entry points register the passes, and one process may ask both.
static void registerPasses() {
  [[maybe_unused]] static const bool once = [] {
    mlir::quant_float::registerAllPasses();
    return true;
  }();
}

extern "C" LLVM_ATTRIBUTE_VISIBILITY_DEFAULT ::mlir::DialectPluginLibraryInfo
mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "QuantFloat", QUANT_FLOAT_VERSION,
          [](mlir::DialectRegistry *registry) {
            mlir::quant_float::registerAllDialects(*registry);
            registerPasses();
          }};
}

extern "C" LLVM_ATTRIBUTE_VISIBILITY_DEFAULT ::mlir::PassPluginLibraryInfo
mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "QuantFloat", QUANT_FLOAT_VERSION,
          registerPasses};
}
