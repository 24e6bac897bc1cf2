//===- ConfigureGpuKernels.cpp - Choose the kernels of linalg ops ---------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Chooses the kernel of each linalg op for the chip, and records it as a
// lowering config. The instructions and the tiles of matmuls are rows of
// MatrixInstructions.def and MatmulTiles.def.
//
//===----------------------------------------------------------------------===//

#include "ElementwiseWidth.h"
#include "FusedReductions.h"
#include "MatmulTiles.h"
#include "MatvecKernels.h"
#include "TensorCoreInstructions.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "quant-float/Codegen/GPU/Passes.h"
#include "quant-float/IR/CodegenAttributes.h"
#include "quant-float/Lowering/ConversionPlan.h"
#include "quant-float/Lowering/LoweringTarget.h"
#include "llvm/Support/DebugLog.h"

namespace mlir::quant_float {
#define GEN_PASS_DEF_QUANTFLOATCONFIGUREGPUKERNELSPASS
#include "quant-float/Codegen/GPU/Passes.h.inc"
} // namespace mlir::quant_float

#define DEBUG_TYPE "quant-float-configure-gpu-kernels"

using namespace mlir;
using namespace mlir::quant_float;
using linalg::LinalgOp;

/// Emits the remark of --explain about a contraction.
static void remarkContraction(Operation *op, bool isInstruction,
                              StringRef message) {
  LDBG() << op->getLoc() << ": " << message;
  auto options =
      remark::RemarkOpts::name("product").category(kConversionRemarks);
  auto remark = isInstruction ? remark::passed(op->getLoc(), options)
                              : remark::missed(op->getLoc(), options);
  if (remark)
    remark << message;
}

static LoweringConfigAttr getConfig(MLIRContext *context,
                                    LoweringStrategy strategy,
                                    ArrayRef<SmallVector<int64_t>> tiles = {},
                                    StringRef instruction = "",
                                    LoweringConfigAttr otherwise = {}) {
  return LoweringConfigAttr::get(
      context, strategy, instruction,
      llvm::map_to_vector(tiles,
                          [&](ArrayRef<int64_t> sizes) {
                            return DenseI64ArrayAttr::get(context, sizes);
                          }),
      otherwise);
}

static LoweringConfigAttr chooseMatmul(const GpuMatmul &matmul,
                                       const std::optional<NvidiaChip> &chip,
                                       bool reassociate) {
  TensorCoreChoice choice =
      chooseTensorCoreInstructions(matmul, chip, reassociate);
  remarkContraction(matmul.op, choice.warp, choice.remark);
  int64_t bytes = matmul.contraction.body.getType().getIntOrFloatBitWidth() / 8;
  auto getConfigOf = [&](LoweringStrategy strategy,
                         const MatrixInstruction *instruction,
                         LoweringConfigAttr otherwise = {}) {
    SmallVector<SmallVector<int64_t>> tiles;
    for (const MatmulTile *tile : chooseTiles(matmul, strategy, bytes))
      tiles.push_back(tile->getSizes());
    return getConfig(matmul.op->getContext(), strategy, tiles,
                     instruction ? StringRef(instruction->name) : "",
                     otherwise);
  };
  LoweringConfigAttr config =
      getConfigOf(choice.warp       ? LoweringStrategy::TensorCore
                  : matmul.isSkinny ? LoweringStrategy::Skinny
                                    : LoweringStrategy::Simt,
                  choice.warp);
  return choice.warpgroup ? getConfigOf(LoweringStrategy::Warpgroup,
                                        choice.warpgroup, config)
                          : config;
}

/// Returns null if no kernel preserves the op's reduction schedule.
static LoweringConfigAttr chooseMatvec(LinalgOp op) {
  std::optional<WeightContraction> contraction = getMatvec(op);
  if (!contraction)
    return nullptr;
  std::string message =
      ("matvec with " + Twine(contraction->bits) + "-bit weights by " +
       (contraction->isAlongDepth ? "lanes of each channel"
                                  : "blocks of all channels") +
       ", in the accumulation order of CPU code")
          .str();
  remarkContraction(op, /*isInstruction=*/false, message);
  return getConfig(op->getContext(), getStrategy(*contraction));
}

static LoweringConfigAttr choose(RewriterBase &rewriter, LinalgOp op,
                                 const std::optional<NvidiaChip> &chip,
                                 bool reassociate) {
  if (op->hasAttr(kReductionScheduleAttrName))
    return chooseMatvec(op);
  std::optional<GpuMatmul> matmul = GpuMatmul::get(op);
  if (matmul && matmul->isProfitableToTile())
    return chooseMatmul(*matmul, chip, reassociate);
  if (std::optional<int64_t> width = getMaxWidth(rewriter, op))
    return getConfig(op.getContext(), LoweringStrategy::Elementwise,
                     {{*width}});
  return getConfig(op.getContext(), LoweringStrategy::Scalar);
}

namespace {
struct ConfigureGpuKernels final
    : quant_float::impl::QuantFloatConfigureGpuKernelsPassBase<
          ConfigureGpuKernels> {
  using QuantFloatConfigureGpuKernelsPassBase::
      QuantFloatConfigureGpuKernelsPassBase;

  void runOnOperation() override;
};
} // namespace

void ConfigureGpuKernels::runOnOperation() {
  FunctionOpInterface function = getOperation();
  IRRewriter rewriter(&getContext());
  // Kernels copy.
  SmallVector<memref::CopyOp> copies;
  function.walk([&](memref::CopyOp copy) { copies.push_back(copy); });
  for (memref::CopyOp copy : copies) {
    rewriter.setInsertionPoint(copy);
    if (FusedReductions::getBufferOfView(copy.getSource()) !=
        FusedReductions::getBufferOfView(copy.getTarget()))
      linalg::makeMemRefCopyOp(rewriter, copy.getLoc(), copy.getSource(),
                               copy.getTarget());
    rewriter.eraseOp(copy);
  }
  SmallVector<LinalgOp> ops;
  function.walk([&](LinalgOp op) {
    if (op.hasPureBufferSemantics())
      ops.push_back(op);
  });
  // The last op of a chain fuses all ops before it.
  FusedOps fusedOps;
  for (LinalgOp op : llvm::reverse(ops)) {
    auto config =
        op->getAttrOfType<LoweringConfigAttr>(kLoweringConfigAttrName);
    if (fusedOps.contains(op) ||
        (config && config.getStrategy() != LoweringStrategy::FusedReduction))
      continue;
    std::optional<FusedReductions> fused =
        FusedReductions::match(op, reassociate, fusedOps);
    if (!fused)
      continue;
    fusedOps.add(*fused);
    if (!config)
      op->setAttr(kLoweringConfigAttrName,
                  getConfig(&getContext(), LoweringStrategy::FusedReduction,
                            {SmallVector<int64_t>(fused->getTile())}));
  }
  std::optional<NvidiaChip> chip = lookupChip(function);
  for (LinalgOp op : ops)
    if (!fusedOps.contains(op) && !op->hasAttr(kLoweringConfigAttrName))
      if (LoweringConfigAttr config = choose(rewriter, op, chip, reassociate))
        op->setAttr(kLoweringConfigAttrName, config);
}
