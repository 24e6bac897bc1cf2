//===- quant-float-opt.cpp - mlir-opt with the dialect --------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../RegisteredPasses.h"
#include "../UpstreamDriver.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/ToolOutputFile.h"
#ifdef QUANT_FLOAT_CORE_ONLY
#include "quant-float/InitCore.h"
#else
#include "quant-float/InitAll.h"
#endif

using namespace mlir;

static void registerDialects(DialectRegistry &registry) {
#ifdef QUANT_FLOAT_CORE_ONLY
  quant_float::registerCoreDialects(registry);
#else
  quant_float::registerAllDialects(registry);
#endif
}

static void registerQuantFloatPasses() {
#ifdef QUANT_FLOAT_CORE_ONLY
  quant_float::registerCorePasses();
#else
  quant_float::registerAllPasses();
#endif
}

int main(int argc, char **argv) {
  if (quant_float::reportRegisteredPasses("quant-float-opt"))
    return 1;
  DialectRegistry registry;
  registerAllDialects(registry);
  registerAllExtensions(registry);
  registerAllToLLVMIRTranslations(registry);
  registerDialects(registry);
  registerAllPasses();
  registerQuantFloatPasses();
  auto [input, output] = registerAndParseCLIOptions(
      argc, argv, "quant-float modular optimizer driver\n", registry);
  MlirOptMainConfig config = MlirOptMainConfig::createFromCLOptions();
  if (config.shouldShowDialects() || config.shouldListPasses())
    return asMainReturnCode(MlirOptMain(argc, argv, input, output, registry));
  llvm::InitLLVM initialize(argc, argv);
  quant_float::reportShortenedFiles();
  std::unique_ptr<llvm::MemoryBuffer> buffer =
      quant_float::readForUpstream(input, config.inputSplitMarker(), registry);
  if (!buffer)
    return 1;
  return asMainReturnCode(
      quant_float::writeThrough(output, [&](StringRef name) -> LogicalResult {
        std::string error;
        auto file = openOutputFile(name, &error);
        if (!file) {
          llvm::errs() << error << "\n";
          return failure();
        }
        if (failed(MlirOptMain(file->os(),
                               llvm::MemoryBuffer::getMemBuffer(*buffer, false),
                               registry, config))) {
          quant_float::reportNewerSyntax(*buffer, registry);
          return failure();
        }
        file->keep();
        return success();
      }));
}
