//===- IreeLinalgExtToQuantFloat.cpp - IREE's ops to quant_float ----------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AffineQuantization.h"
#include "IreeFunctions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "quant-float/Conversion/Passes.h"
#include "quant-float/IR/QuantFloatDialect.h"

namespace mlir::quant_float {
#define GEN_PASS_DEF_CONVERTIREELINALGEXTTOQUANTFLOATPASS
#include "quant-float/Conversion/Passes.h.inc"
} // namespace mlir::quant_float

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::iree_ops;

static const OpRow *findRow(UnregisteredOp op) {
  static const OpRow quantize = {/*minOperands=*/3, /*maxOperands=*/4,
                                 /*results=*/1, convertQuantizeAffine, ""};
  static const OpRow dequantize = {/*minOperands=*/3, /*maxOperands=*/4,
                                   /*results=*/1, convertDequantizeAffine, ""};
  if (op.getName() == "quantize_affine")
    return &quantize;
  if (op.getName() == "dequantize_affine")
    return &dequantize;
  return nullptr;
}

namespace {
struct ConvertIreeLinalgExtToQuantFloat final
    : quant_float::impl::ConvertIreeLinalgExtToQuantFloatPassBase<
          ConvertIreeLinalgExtToQuantFloat> {
  void runOnOperation() override {
    if (failed(convertIreeFunctions(getOperation())) ||
        failed(importOps(getOperation(), {"iree_linalg_ext"}, findRow)))
      return signalPassFailure();
  }
};
} // namespace
