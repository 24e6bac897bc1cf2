//===- LowerTosa.cpp - TOSA to linalg -------------------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Conversion/TosaToArith/TosaToArith.h"
#include "mlir/Conversion/TosaToLinalg/TosaToLinalg.h"
#include "mlir/Conversion/TosaToSCF/TosaToSCF.h"
#include "mlir/Conversion/TosaToTensor/TosaToTensor.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Index/IR/IndexDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/Dialect/Tosa/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "quant-float/Pipelines/Passes.h"

namespace mlir::quant_float {
#define GEN_PASS_DEF_QUANTFLOATLOWERTOSAPASS
#include "quant-float/Pipelines/Passes.h.inc"
} // namespace mlir::quant_float

using namespace mlir;
using namespace mlir::quant_float;

namespace {
struct LowerTosa final
    : quant_float::impl::QuantFloatLowerTosaPassBase<LowerTosa> {
  void runOnOperation() override {
    if (!hasTosaOps())
      return;
    OpPassManager manager(ModuleOp::getOperationName());
    OpPassManager &functions = manager.nest<func::FuncOp>();
    functions.addPass(createTosaToSCFPass());
    functions.addPass(tosa::createTosaMakeBroadcastablePass());
    functions.addPass(tosa::createTosaToLinalgNamed());
    functions.addPass(tosa::createTosaToLinalg());
    TosaToArithPassOptions arith;
    arith.includeApplyRescale = true;
    functions.addPass(createTosaToArithPass(arith));
    functions.addPass(createTosaToTensorPass());
    if (failed(runPipeline(manager, getOperation())))
      signalPassFailure();
  }

private:
  bool hasTosaOps() {
    return getOperation()
        .walk([](Operation *op) {
          return isa_and_present<tosa::TosaDialect>(op->getDialect())
                     ? WalkResult::interrupt()
                     : WalkResult::advance();
        })
        .wasInterrupted();
  }
};
} // namespace
