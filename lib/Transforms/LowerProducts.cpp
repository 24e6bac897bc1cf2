//===- LowerProducts.cpp - Products with weights as loops of vectors ------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two forms, by what is next to each other in memory:
//
// Summed elements are: several channels at once go along the summed loop. Each
// has 16 sums, in as many registers as they need.
//
//   for n by rows:
//     for chunk of k:
//       for part of the lanes, row:
//         codes = load w[n + row, chunk]
//         sum = -offset * (sums of x)
//         for term: sum += term(codes) * x[chunk, term]     // x is rearranged
//         lanes[row] += scale * sum
//     y[n + row] = sum of lanes
//
// Channels are: vectors of them are added to for a block of the summed loop.
//
//   for block of k:
//     for n by vectors:
//       for k in block: for term: sum[term] += term(load w[k, n]) * x[k]
//       y[n] += scale * (sum - offset * (sum of x))
//
// Where summed elements are next to each other and the order says so, x becomes
// integers in blocks that have a scale each, and `sum` is one of integers.
//
// Products and sums are rounded one by one, which every machine does alike.
//
//===----------------------------------------------------------------------===//

#include "ProductLoops.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "quant-float/Emulation/EmulationTarget.h"
#include "quant-float/IR/QuantFloatOps.h"
#include "quant-float/Transforms/Passes.h"

namespace mlir::quant_float {
#define GEN_PASS_DEF_QUANTFLOATLOWERPRODUCTSPASS
#include "quant-float/Transforms/Passes.h.inc"
} // namespace mlir::quant_float

using namespace mlir;
using namespace mlir::quant_float;
using linalg::GenericOp;

namespace {
struct LowerProducts final
    : quant_float::impl::QuantFloatLowerProductsPassBase<LowerProducts> {
  using QuantFloatLowerProductsPassBase::QuantFloatLowerProductsPassBase;

  LogicalResult initialize(MLIRContext *context) override {
    FailureOr<EmulationTarget> known =
        EmulationTarget::get(context, triple, cpu, features);
    if (succeeded(known))
      target = *known;
    return known;
  }

  void runOnOperation() override {
    SmallVector<GenericOp> ops;
    getOperation()->walk([&](GenericOp op) {
      if (op->hasAttr(kSumOrderAttrName))
        ops.push_back(op);
    });
    for (GenericOp op : ops) {
      std::optional<SumOrder> order = SumOrder::get(op);
      std::optional<WeightProduct> product =
          WeightProduct::get(op, order && order->xBits);
      if (!product || !order || *order != product->getOrder(order->xBits) ||
          !isContiguous(op)) {
        op.emitOpError("has no lowering that keeps the order of its sums");
        return signalPassFailure();
      }
      auto make = !product->isAlongDepth ? makeColumnProducts
                  : order->xBits         ? makeIntegerRowProducts
                                         : makeFloatRowProducts;
      make(*product, *order, target, threads != 1)->emit();
      op.erase();
    }
  }

  static bool isContiguous(GenericOp op) {
    return op.hasPureBufferSemantics() &&
           llvm::all_of(op->getOperands(), [](Value operand) {
             auto type = dyn_cast<MemRefType>(operand.getType());
             return type && (type.getRank() == 0 || type.isLastDimUnitStride());
           });
  }

  EmulationTarget target;
};
} // namespace
