//===- quant-float-print-contractions.cpp - The analysis of contractions --===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../../lib/Codegen/Common/Contraction.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "quant-float/IR/QuantFloatDialect.h"
#include "llvm/Support/InterleavedRange.h"

using namespace mlir;
using namespace mlir::quant_float;

static void print(const Contraction &contraction,
                  const ContractionOperand &operand, StringRef name) {
  llvm::outs() << "  " << name << ":";
  for (OpOperand *source : operand.sources)
    llvm::outs() << " input " << source->getOperandNumber()
                 << (source == operand.matrix ? " (matrix)" : "");
  if (operand.matrix) {
    llvm::outs() << ", " << getElementTypeOrSelf(operand.matrix->get());
    llvm::outs() << (isWeight(operand.matrix->get()) ? ", weight"
                                                     : ", computed");
  }
  if (auto loop = contraction.getContiguousLoop(operand))
    llvm::outs() << ", contiguous along d" << *loop;
  if (contraction.isKContiguous(operand))
    llvm::outs() << ", K-contiguous";
  llvm::outs() << "\n";
  std::optional<OperandDecoding> decoding = contraction.getDecoding(operand);
  if (!decoding)
    return;
  llvm::outs() << "  " << name << " decoding: input "
               << decoding->quantized->getOperandNumber() << " of "
               << decoding->bits << " bits"
               << (decoding->scale ? ", scale" : "")
               << (decoding->zeroPoint ? ", zero point" : "") << ", block of ";
  if (!decoding->block)
    llvm::outs() << "unknown size\n";
  else if (ShapedType::isDynamic(*decoding->block))
    llvm::outs() << "K\n";
  else
    llvm::outs() << *decoding->block << "\n";
}

template <typename T> static SmallVector<T> getSorted(ArrayRef<T> values) {
  SmallVector<T> sorted(values);
  llvm::sort(sorted);
  return sorted;
}

static SmallVector<std::pair<unsigned, int64_t>>
getPairs(ArrayRef<unsigned> loops, ArrayRef<int64_t> steps) {
  SmallVector<std::pair<unsigned, int64_t>> sorted;
  for (auto [loop, step] : llvm::zip_equal(loops, steps))
    sorted.emplace_back(loop, step);
  llvm::sort(sorted);
  return sorted;
}

/// Whether upstream's analyses give the same, if they accept the op. They
/// expect the image first.
static bool isAsUpstream(const Contraction &contraction) {
  linalg::LinalgOp op = contraction.op;
  bool isSwapped =
      llvm::is_contained(contraction.rhs.sources, op.getDpsInputOperand(0));
  FailureOr<linalg::ContractionDimensions> dims =
      linalg::inferContractionDims(op);
  if (succeeded(dims) && op.hasOnlyProjectedPermutations() &&
      (getSorted<unsigned>(contraction.batch) !=
           getSorted<unsigned>(dims->batch) ||
       getSorted<unsigned>(contraction.m) !=
           getSorted<unsigned>(isSwapped ? dims->n : dims->m) ||
       getSorted<unsigned>(contraction.n) !=
           getSorted<unsigned>(isSwapped ? dims->m : dims->n) ||
       contraction.k != dims->k))
    return false;
  if (!linalg::isaConvolutionOpInterface(op))
    return true;
  FailureOr<linalg::ConvolutionDimensions> theirs =
      linalg::inferConvolutionDims(op);
  std::optional<linalg::ConvolutionDimensions> ours =
      contraction.getConvolution();
  return ours && succeeded(theirs) &&
         getSorted<unsigned>(ours->batch) == theirs->batch &&
         getSorted<unsigned>(ours->outputChannel) == theirs->outputChannel &&
         getSorted<unsigned>(ours->inputChannel) == theirs->inputChannel &&
         getSorted<unsigned>(ours->depth) == theirs->depth &&
         getPairs(ours->outputImage, ours->strides) ==
             getPairs(theirs->outputImage, theirs->strides) &&
         getPairs(ours->filterLoop, ours->dilations) ==
             getPairs(theirs->filterLoop, theirs->dilations);
}

static void print(linalg::LinalgOp op) {
  std::optional<Contraction> contraction = Contraction::get(op);
  if (!contraction) {
    llvm::outs() << "  not a contraction\n";
    return;
  }
  llvm::outs() << "  contraction of " << contraction->body.getType()
               << (contraction->isPlain() ? ", plain" : "")
               << (contraction->isEmpty() ? ", empty" : "")
               << (contraction->hasOnlyKReductions() ? ""
                                                     : ", other reductions")
               << (getElementwiseUser(op) ? ", elementwise user" : "")
               << (isAsUpstream(*contraction) ? "" : ", unlike upstream")
               << "\n  batch: " << llvm::interleaved_array(contraction->batch)
               << ", M: " << llvm::interleaved_array(contraction->m)
               << ", N: " << llvm::interleaved_array(contraction->n)
               << ", K: " << llvm::interleaved_array(contraction->k)
               << ", sizes: [";
  llvm::interleaveComma(contraction->ranges, llvm::outs(), [](int64_t range) {
    if (ShapedType::isDynamic(range))
      llvm::outs() << "?";
    else
      llvm::outs() << range;
  });
  llvm::outs() << "]\n";
  print(*contraction, contraction->lhs, "lhs");
  print(*contraction, contraction->rhs, "rhs");
  if (auto dims = contraction->getConvolution())
    llvm::outs()
        << "  convolution: batch: " << llvm::interleaved_array(dims->batch)
        << ", output image: " << llvm::interleaved_array(dims->outputImage)
        << ", output channel: " << llvm::interleaved_array(dims->outputChannel)
        << ", filter loop: " << llvm::interleaved_array(dims->filterLoop)
        << ", input channel: " << llvm::interleaved_array(dims->inputChannel)
        << ", depth: " << llvm::interleaved_array(dims->depth)
        << ", strides: " << llvm::interleaved_array(dims->strides)
        << ", dilations: " << llvm::interleaved_array(dims->dilations) << "\n";
}

namespace {
struct PrintContractions final
    : PassWrapper<PrintContractions, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PrintContractions)
  StringRef getArgument() const override { return "print-contractions"; }
  StringRef getDescription() const override {
    return "Print the analysis of linalg ops with a reduction";
  }

  void runOnOperation() override {
    llvm::outs() << "@" << getOperation().getName() << "\n";
    getOperation().walk([](linalg::LinalgOp op) {
      if (op.getNumReductionLoops())
        print(op);
    });
  }
};
} // namespace

int main(int argc, char **argv) {
  DialectRegistry registry;
  registry.insert<arith::ArithDialect, func::FuncDialect, linalg::LinalgDialect,
                  math::MathDialect, memref::MemRefDialect, QuantFloatDialect,
                  tensor::TensorDialect>();
  PassRegistration<PrintContractions>();
  return asMainReturnCode(
      MlirOptMain(argc, argv, "quant-float contractions\n", registry));
}
