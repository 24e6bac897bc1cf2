//===- ReductionPlan.h - How a reduction is lowered -------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The decisions about the loops of a reduction. In BLAS terms, rows are M,
// lanes of vectors are N, and steps of the reduction loops are K. A plan
// follows from the op, the target and the limits below, and nothing changes it.
// The classes of ReductionLoops.h emit the loops that it describes.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_CODEGEN_CPU_REDUCTIONPLAN_H
#define QUANT_FLOAT_LIB_CODEGEN_CPU_REDUCTIONPLAN_H

#include "../Common/LinalgUtils.h"
#include "DotProductInstructions.h"
#include "quant-float/IR/QuantFloatAttributes.h"

namespace mlir::quant_float {

/// Sizes and thresholds that are the same for all targets.
namespace reduction_limits {
/// The size of a panel in bytes, an eighth of the smallest L2 cache (512 KiB).
/// Tiles read it from the L2 cache as fast as they multiply, and a longer part
/// of K loads and stores the accumulators less often. With 16 KiB, half of an
/// L1 cache, resnet50 takes a fifth longer on a Zen 5.
constexpr int64_t kPanelBytes = 65536;
/// The size of a panel of floats in a matmul, two thirds of an L1 cache of 48
/// KiB. 64 x 1024 x 1024 takes a tenth less time on a Sapphire Rapids than with
/// 64 KiB.
constexpr int64_t kMatmulPanelBytes = 32768;
/// The minimum number of bytes between the rows of an operand from which on the
/// next panel is prefetched.
constexpr int64_t kMinPrefetchedPitch = 1024;
/// The minimum number of rows that share a panel.
constexpr int64_t kMinPanelReuse = 16;
/// The minimum number of rows of a tile for which there are enough independent
/// accumulators to hide the latency of additions, and the maximum.
constexpr int64_t kMinRows = 4, kMaxRows = 8;
/// The maximum number of rows of a tile in a lowering config that is not
/// chosen here.
constexpr int64_t kMaxConfiguredRows = 64;
/// The maximum number of steps of inner reduction loops, and of steps that
/// share a row of the panel, that are unrolled.
constexpr int64_t kMaxUnrolled = 9, kMaxWindow = 8;
/// The number of rows of the result that share the loads of a window, and the
/// maximum number of steps of a window.
constexpr int64_t kWindowRows = 4, kMaxWindowSteps = 49;
/// The number of registers of the vectors of a folded reduction.
constexpr int64_t kFoldedRegisters = 4;
/// The maximum number of folded square blocks that are unrolled. With more, a
/// loop is as fast.
constexpr int64_t kMaxUnrolledBlocks = 4;
/// The size of a cache line, and the minimum size of an operand whose rows are
/// prefetched, in bytes.
constexpr int64_t kLineBytes = 64, kMinPrefetchedBytes = 1 << 16;
} // namespace reduction_limits

/// The registers of the target.
struct VectorRegisters {
  /// Emits an error if a number is out of range.
  static FailureOr<VectorRegisters> get(Operation *op, int64_t bytes,
                                        int64_t count);
  int64_t bytes, count;
};

/// Whether the op is a reduction on memrefs. Requires that all outputs have the
/// same indexing map, unlike those of a scan and its final state, which are
/// written in different loops.
bool isVectorizableReduction(linalg::GenericOp op);

/// The decisions about the panel, the buffer to which the vectors that all rows
/// share are packed.
struct PanelPlan {
  /// The packed operand, and the operand that differs between rows.
  OpOperand *packed, *unpacked;
  /// The outermost reduction loop is split into parts that fit into the panel:
  /// the loop, the number of its iterations in a part, and the number of steps
  /// in each iteration.
  unsigned partLoop;
  int64_t partSteps = 0, innerSteps = 1;
  /// The number of steps that read the same row of the panel, each one element
  /// further than the previous step.
  int64_t windowSteps = 1;
  /// The innermost reduction loop, if packing transposes square blocks.
  std::optional<unsigned> squareLoop;
  /// Whether the rows of `unpacked` are prefetched.
  bool prefetches = false;
  /// Whether the elements of the next panel are prefetched while a panel is
  /// multiplied. Rows of the packed operand in memory are so long that each row
  /// of a panel is in another page, which hardware does not prefetch.
  bool prefetchesPanel = false;
  /// The matrix instruction that the panel is multiplied by, or null; whether
  /// its operands are swapped, so that it computes the transposed tile; the
  /// number of steps of K in a block of it, and the maximum numbers of rows and
  /// lanes that are accumulated together.
  const MatrixInstruction *matrix = nullptr;
  bool swapsOperands = false;
  int64_t blockSteps = 1, maxRows = 0, maxLanes = 0;
};

struct ReductionPlan {
  /// Chooses a plan.
  static ReductionPlan choose(linalg::GenericOp op,
                              const LoweringTarget &target,
                              VectorRegisters registers);
  /// Returns the plan that a lowering config describes. Emits an error if the
  /// config is not applicable to the op and the target.
  static FailureOr<ReductionPlan> get(linalg::GenericOp op,
                                      LoweringConfigAttr config,
                                      const LoweringTarget &target,
                                      VectorRegisters registers);
  LoweringConfigAttr getConfig() const;

  /// Chooses the matrix instruction for an op with packed operands, of which
  /// `rows` is the one with the rows.
  static MatrixInstructionChoice chooseMatrix(linalg::GenericOp op,
                                              OpOperand &rows,
                                              const LoweringTarget &target);

  LoweringStrategy getStrategy() const;
  /// Returns the name of the instruction for contractions, or an empty string.
  StringRef getInstruction() const;
  /// Returns the parallel loops other than the vector loop and the row loop.
  SmallVector<unsigned> getOuterLoops() const;
  bool isDynamic(unsigned loop) const {
    return ShapedType::isDynamic(ranges[loop]);
  }
  /// Returns the loop that vectors run along.
  std::optional<unsigned> getLaneLoop() const {
    return vectorLoop ? vectorLoop : foldLoop;
  }
  /// Returns how many of the remaining `elements` the next vector processes. A
  /// vector whose size is not 1, 2 or 4 registers would be split into scalars,
  /// so without masks the size is a power of two. With masks only the last
  /// register is partial.
  int64_t getNextElements(int64_t elements) const;
  /// Returns the number of rows to accumulate together for so many lanes (0:
  /// scalars).
  int64_t getRows(int64_t lanes) const;
  /// Iterations from `from` to `to` in tiles of `size`.
  struct Tiles {
    int64_t from, to, size;
  };
  /// Divides a loop of static extent into tiles of at most `size` iterations.
  SmallVector<Tiles> getTiles(unsigned loop, int64_t size) const;
  /// Returns the sizes of the tiles of the vector loop: of the first tiles,
  /// and for a dynamic extent of the following ones. The last one is partial if
  /// it is masked.
  SmallVector<int64_t> getColumnTiles() const;
  /// Whether a mask limits a vector of so many elements.
  bool isMasked(int64_t elements) const {
    return canMask && (elements > 1 || dotProduct) &&
           elements % registerLanes != 0;
  }
  /// Whether the vectors of an operand are loaded as square blocks.
  bool isTransposed(OpOperand *operand) const;
  /// Whether an operand is an image whose rows the windows of a tile share: an
  /// iteration of the row loop moves the access by the same distance as an
  /// iteration of the window loop.
  bool isWindow(OpOperand *operand) const;
  /// Whether folded square blocks are unrolled.
  bool unrollsBlocks() const {
    return !isDynamic(*blockLoop) && ranges[*blockLoop] / registerLanes <=
                                         reduction_limits::kMaxUnrolledBlocks;
  }
  /// Whether so many lanes of the panel are multiplied by matrix instructions.
  bool hasMatrices(int64_t lanes) const {
    return panel && panel->matrix && lanes % registerLanes == 0;
  }
  /// Returns how many of the `lanes` lanes of a tile are accumulated in
  /// registers together, each of which holds two rows of two lanes (I8MM).
  int64_t getMatrixLanes(int64_t rows, int64_t lanes) const;
  /// Returns the distance between two rows of the panel.
  int64_t getPanelPitch(int64_t lanes) const {
    return lanes + llvm::alignTo(panel->windowSteps - 1, registerLanes);
  }
  /// Returns the number of rows of the panel.
  int64_t getPanelRows(int64_t lanes) const;
  /// Whether all parts of K consist of full blocks of the matrix instruction.
  bool hasFullBlocks() const;

  linalg::GenericOp op;
  Machine machine;
  int64_t vectorBytes;
  /// The dot-product instruction that computes the body, if there is one.
  std::optional<PackedDotProduct> dotProduct;
  /// Whether the body accumulates products of floats, and does nothing else.
  bool isPlainContraction;
  /// The number of registers for accumulators: half of all registers.
  int64_t numAccumulators;
  SmallVector<int64_t> ranges;
  /// The reduction loops, of which those from `firstUnrolled` on are unrolled.
  SmallVector<unsigned> reductions;
  size_t firstUnrolled = 0;
  /// The loop that vectors run along, and a loop along which they do not
  /// change.
  std::optional<unsigned> vectorLoop, rowLoop;
  /// The innermost reduction loop, if operands are contiguous along it and not
  /// along the vectors. They are loaded as square blocks and transposed in
  /// registers, or, if the accumulation order does not matter, each lane is
  /// reduced by itself.
  std::optional<unsigned> blockLoop;
  bool foldsBlocks = false;
  /// The innermost reduction loop, if vectors run along it. The lanes are
  /// combined after the loop.
  std::optional<unsigned> foldLoop;
  /// The reduction loop along the rows of a window, if the rows of a tile read
  /// the same rows of the image. It and the following loops are unrolled.
  std::optional<unsigned> windowLoop;
  /// The number of lanes of a register, and of the rows and the lanes of a
  /// tile.
  int64_t registerLanes = 0, tileRows = 1, vectorLanes = 0;
  /// Whether masks limit the vectors of a remainder.
  bool canMask = false;
  std::optional<PanelPlan> panel;
  /// The plan for fewer than kMinPanelReuse rows, or null.
  std::shared_ptr<const ReductionPlan> otherwise;
};

/// Returns the groups of dimensions that collapse the innermost ones, which are
/// the reduction loops, to one.
SmallVector<ReassociationIndices> getCollapsedDims(const ReductionPlan &plan,
                                                   MemRefType type);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_CODEGEN_CPU_REDUCTIONPLAN_H
