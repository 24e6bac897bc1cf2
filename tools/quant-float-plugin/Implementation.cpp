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
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/Compiler.h"
#include "llvm/Support/raw_ostream.h"
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

/// Whether this library has registered its passes. A process may call both
/// entry points, and each several times.
static bool hasRegistered = false;

/// Registers the passes, and the dialect if there is a registry. If the program
/// or another library has registered them, prints an error message and
/// registers nothing, because MLIR aborts on two definitions.
static void registerOnce(mlir::DialectRegistry *registry) {
  if (!hasRegistered &&
      (mlir::PassInfo::lookup("convert-quant-float-to-arith") ||
       (registry && registry->getDialectAllocator("quant_float")))) {
    llvm::errs() << "error: " QUANT_FLOAT_PLUGIN
                    ": expected a program without the dialect quant_float, but "
                    "it is registered already\n"
                    "note: load only one plugin, and none into a program that "
                    "contains the dialect\n";
    return;
  }
  if (registry)
    registerDialects(*registry);
  if (!hasRegistered)
    registerQuantFloatPasses();
  hasRegistered = true;
}

extern "C" LLVM_ATTRIBUTE_VISIBILITY_DEFAULT ::mlir::DialectPluginLibraryInfo
quantFloatGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "QuantFloat", QUANT_FLOAT_VERSION,
          registerOnce};
}

extern "C" LLVM_ATTRIBUTE_VISIBILITY_DEFAULT ::mlir::PassPluginLibraryInfo
quantFloatGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "QuantFloat", QUANT_FLOAT_VERSION,
          [] { registerOnce(nullptr); }};
}
