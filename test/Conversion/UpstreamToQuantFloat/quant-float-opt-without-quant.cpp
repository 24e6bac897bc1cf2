//===- quant-float-opt-without-quant.cpp - Few dialects -------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MLIR 22's own quant dialect does not parse float8 storage types. Without it,
// they are text of an unregistered dialect, as in compilers that do not load
// it.
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"
#include "quant-float/InitAll.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::quant_float::registerAllDialects(registry);
  mlir::registerTransformsPasses();
  mlir::quant_float::registerAllPasses();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "quant-float without quant\n", registry));
}
