//===- Implementation.cpp - The dialect and the passes of the plugin ------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The library that quant-float-plugin.cpp loads into hosts of the same version.
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/Compiler.h"
#ifdef QUANT_FLOAT_CORE_ONLY
#include "quant-float/InitCore.h"
#else
#include "quant-float/InitAll.h"
#endif

static void registerDialects(mlir::DialectRegistry &registry) {
#ifdef QUANT_FLOAT_CORE_ONLY
  mlir::quant_float::registerCoreDialects(registry);
#else
  mlir::quant_float::registerAllDialects(registry);
#endif
}

static void registerQuantFloatPasses() {
#ifdef QUANT_FLOAT_CORE_ONLY
  mlir::quant_float::registerCorePasses();
#else
  mlir::quant_float::registerAllPasses();
#endif
}

/// Registers the passes once, because a process may call both entry points.
static void registerPasses() {
  [[maybe_unused]] static const bool once = [] {
    registerQuantFloatPasses();
    return true;
  }();
}

extern "C" LLVM_ATTRIBUTE_VISIBILITY_DEFAULT ::mlir::DialectPluginLibraryInfo
quantFloatGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "QuantFloat", QUANT_FLOAT_VERSION,
          [](mlir::DialectRegistry *registry) {
            registerDialects(*registry);
            registerPasses();
          }};
}

extern "C" LLVM_ATTRIBUTE_VISIBILITY_DEFAULT ::mlir::PassPluginLibraryInfo
quantFloatGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "QuantFloat", QUANT_FLOAT_VERSION,
          registerPasses};
}
