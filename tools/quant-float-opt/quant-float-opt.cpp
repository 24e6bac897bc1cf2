//===- quant-float-opt.cpp - mlir-opt with the dialect --------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../WriteThrough.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "quant-float/InitAll.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  mlir::registerAllToLLVMIRTranslations(registry);
  mlir::quant_float::registerAllDialects(registry);
  mlir::registerAllPasses();
  mlir::quant_float::registerAllPasses();
  std::string input, output;
  std::tie(input, output) = mlir::registerAndParseCLIOptions(
      argc, argv, "quant-float modular optimizer driver\n", registry);
  return mlir::asMainReturnCode(
      mlir::quant_float::writeThrough(output, [&](llvm::StringRef name) {
        return mlir::MlirOptMain(argc, argv, input, name, registry);
      }));
}
