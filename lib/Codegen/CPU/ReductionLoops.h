//===- ReductionLoops.h - Vector loops of reductions ------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_CODEGEN_CPU_REDUCTIONLOOPS_H
#define QUANT_FLOAT_LIB_CODEGEN_CPU_REDUCTIONLOOPS_H

#include "AccumulatorInit.h"
#include "CpuMatrixInstructions.h"
#include "DotProductInstructions.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::quant_float {

/// How an operand's address changes along a loop.
enum class Access { Invariant, Contiguous, Strided };

/// The size of a panel in bytes, an eighth of the smallest L2 cache (512 KiB).
/// Tiles read it from the L2 cache as fast as they multiply, and a longer part
/// of K loads and stores the accumulators less often. With 16 KiB, half of an
/// L1 cache, resnet50 takes a fifth longer on a Zen 5.
constexpr int64_t kPanelBytes = 65536;
/// The size of the AMX tile configuration, which is stored behind the panel.
constexpr int64_t kTileSizesBytes = 64;
/// The minimum number of rows for which there are enough independent
/// accumulators to hide the latency of additions.
constexpr int64_t kMinRows = 4;

Access getAccess(linalg::GenericOp op, OpOperand *operand, unsigned loop);

/// Returns the op that combines an element with the accumulator of each output.
/// Returns nothing unless each is an op whose result does not depend on the
/// accumulation order: an integer addition, a bitwise op, a minimum or a
/// maximum.
SmallVector<Operation *> getCombiners(linalg::GenericOp op);

/// Emits the loops of one reduction. In BLAS terms, rows are M, lanes of
/// vectors are N, and steps of the reduction loops are K.
class ReductionLoopNest {
public:
  ReductionLoopNest(linalg::GenericOp op, int64_t vectorBytes,
                    int64_t registers, const LoweringTarget &target,
                    llvm::function_ref<Value()> getPanelBuffer)
      : op(op), builder(op.getLoc(), op), machine(target.machine),
        dots(PackedDotProduct::get(target, op)),
        matrix(CpuMatrixInstructions::find(target, op)),
        vectorBytes(vectorBytes),
        numAccumulators(std::max<int64_t>(registers / 2, 1)),
        numLoops(op.getNumLoops()), iterators(op.getIteratorTypesArray()),
        ranges(op.getStaticLoopRanges()), position(numLoops),
        getPanelBuffer(getPanelBuffer) {}

  void emit();
  /// Whether the emitted loops process vectors.
  bool isVectorized() const { return vectorLoop || foldLoop; }

private:
  void chooseVectorLoop();
  /// Returns the number of lanes (N) to process together, limited by the extent
  /// of the loop. Several registers share each broadcast scalar of the other
  /// operand.
  int64_t chooseLanes() const;
  void chooseRowLoop();
  /// Returns how many of the remaining `elements` the next vector processes. A
  /// vector whose size is not 1, 2 or 4 registers would be split into scalars,
  /// so without masks the size is a power of two. With masks only the last
  /// register is partial.
  int64_t getNextElements(int64_t elements) const {
    if (elements <= registerLanes)
      return elements;
    if (!canMask)
      return llvm::bit_floor<uint64_t>(elements);
    uint64_t registers = llvm::divideCeil(elements, registerLanes);
    return std::min<int64_t>(elements,
                             llvm::bit_floor(registers) * registerLanes);
  }
  bool canLeaveOutLanes();
  bool isTransposed(OpOperand *operand) const;
  void chooseBlockLoop();
  void chooseFoldLoop();
  SmallVector<Value> emitFold(ValueRange accumulators);
  Value combine(size_t index, Value lhs, Value rhs);
  bool isPlainContraction() const;
  /// Returns the number of rows (M) to accumulate together for so many lanes.
  int64_t chooseRows(int64_t lanes) const;
  Value getConstant(int64_t value) {
    return arith::ConstantIndexOp::create(builder, value);
  }
  /// Emits the parallel loops `loops` and the tile within them.
  void emitParallel(ArrayRef<unsigned> loops);
  void emitVectors();
  void emitRows(int64_t lanes);
  void emitOpenRows(int64_t rows, llvm::function_ref<void(int64_t)> body);
  void emitTile(int64_t rows, int64_t lanes);
  /// Emits tiles of the first size and then the remainder. For static extents,
  /// the remainder is emitted at once, along the vector loop in sizes of
  /// getNextElements(). For dynamic extents, loops over tiles of the following
  /// sizes process the remainder; the last one may call `body` with kDynamic
  /// for a partial tile.
  void emitTiles(unsigned loop, ArrayRef<int64_t> tiles,
                 llvm::function_ref<void(int64_t)> body);
  SmallVector<Value> emitReductions(ArrayRef<unsigned> loops, int64_t rows,
                                    int64_t lanes, ValueRange accumulators);
  SmallVector<Value> emitStep(int64_t rows, int64_t lanes,
                              ValueRange accumulators);
  SmallVector<Value> emitBody(ValueRange arguments, int64_t row, int64_t lanes);
  SmallVector<OpFoldResult> getOutputPosition(int64_t row);
  SmallVector<Value> getIndices(OpOperand *operand, int64_t row);
  Value load(OpOperand *operand, int64_t row, int64_t lanes);
  Value broadcast(Value value, int64_t lanes);

  // Inputs that are loaded as square blocks; see ReductionBlocks.cpp.
  SmallVector<Value> loadBlock(OpOperand *operand);
  SmallVector<Value> emitBlocks(int64_t rows, int64_t lanes,
                                ValueRange accumulators);
  SmallVector<Value>
  emitBlockLoop(Value from, Value to, int64_t step, ValueRange inits,
                llvm::function_ref<SmallVector<Value>(ValueRange)> body);
  SmallVector<Value> emitBlock(int64_t rows, int64_t lanes,
                               ValueRange accumulators);
  bool canFoldBlocks(int64_t rows);
  SmallVector<Value> emitFoldedBlocks(Value full, ValueRange accumulators);
  SmallVector<Value>
  reduceLanes(int64_t first, int64_t count,
              llvm::function_ref<SmallVector<Value>(int64_t)> getLane);

  // Contractions whose vectors are packed to a panel; see MatmulPanels.cpp.
  void choosePanel();
  bool hasOpen(unsigned loop) const {
    return ShapedType::isDynamic(ranges[loop]);
  }
  void emitManyOrFewRows(llvm::function_ref<void()> emitAll);
  void emitParts();
  void emitPanel(int64_t lanes);
  void emitCopies(ArrayRef<unsigned> loops, Value step, int64_t lanes);
  void emitWindowEnd(Value panelRow, int64_t lanes);
  Value emitSquares(unsigned loop, Value from, Value to,
                    llvm::function_ref<Value(Value)> getStep, int64_t lanes);
  SmallVector<Value> initAccumulators(int64_t rows, int64_t lanes);
  void accumulateSteps(int64_t rows, int64_t lanes);
  void prefetchRows(int64_t rows, Value step, Value partStep);
  SmallVector<Value> accumulateStep(int64_t rows, int64_t lanes, Value step,
                                    Value panelRow, int64_t shift,
                                    ValueRange accumulators);
  int64_t getWindow(ArrayRef<unsigned> reductions);
  int64_t getPanelPitch(int64_t lanes) const;
  void keepOrder();
  void storeAccumulators(int64_t rows, int64_t lanes, ValueRange accumulators);
  /// Returns the first row of the panel in the current part of K, and the end
  /// of the part.
  std::pair<Value, Value> getPartRows();
  SmallVector<Value> getOwnIndices(int64_t row, Value step);
  /// Calls `body` for each register of `lanes` lanes with the lane that it
  /// starts at. Meanwhile `position`, `mask` and `present` describe this
  /// register.
  void forEachRegister(int64_t lanes, llvm::function_ref<void(int64_t)> body);

  // Contractions by matrix instructions; see MatrixInstructionLoops.cpp.
  void chooseMatrix();
  bool hasMatrices(int64_t lanes) const;
  void arrangePanel(int64_t lanes);
  void emitGap(int64_t lanes);
  void emitPairs(int64_t lanes);
  void emitMatrices(int64_t rows, int64_t lanes);
  SmallVector<Value> emitMatrixInstructions(int64_t rows, int64_t lanes,
                                            int64_t lane, int64_t width);
  std::pair<StringRef, bool> getMatrixIntrinsic() const;
  bool hasFullBlocks() const;
  Value countBlocks();
  Value getBlockStep(Value block);

  // Contractions in AMX tile registers; see AmxTiles.cpp.
  std::optional<SmallVector<int64_t>> getRowSteps(OpOperand *operand) const;
  void configureTiles(int64_t rows);
  void releaseTiles();
  void beginTiles(int64_t rows, int64_t lanes);
  void emitTileMatmuls(int64_t rows, int64_t lanes);
  void
  forEachAccumulator(int64_t rows,
                     llvm::function_ref<void(int64_t, ArrayRef<Value>)> body);

  linalg::GenericOp op;
  ImplicitLocOpBuilder builder;
  Machine machine;
  /// The dot-product instruction that computes the body, if there is one.
  std::optional<PackedDotProduct> dots;
  /// The matrix instruction that the panel is multiplied by, or null.
  const CpuMatrixInstructions *matrix;
  /// The number of steps of K in a block of the matrix instruction.
  int64_t blockSteps = 1;
  /// The entire panel buffer, and the number of rows that the tile registers
  /// are configured for.
  Value panelBuffer;
  int64_t tileRows = 0;
  int64_t vectorBytes;
  /// The number of registers for accumulators: half of all registers.
  int64_t numAccumulators;
  unsigned numLoops;
  SmallVector<utils::IteratorType> iterators;
  SmallVector<int64_t> ranges;
  SmallVector<Value> sizes;
  /// The current index of each loop.
  SmallVector<OpFoldResult> position;
  std::optional<unsigned> vectorLoop, rowLoop;
  /// The index of each row of the current tile, if it is the last tile of a
  /// dynamic number of rows.
  SmallVector<Value> lastRows;
  /// The innermost reduction loop, if operands are contiguous along it and not
  /// along the vectors. They are loaded as square blocks and transposed in
  /// registers.
  std::optional<unsigned> blockLoop;
  /// The innermost reduction loop, if vectors run along it. The lanes are
  /// combined after the loop.
  std::optional<unsigned> foldLoop;
  /// If the vectors that all rows share are packed to a panel: this operand,
  /// and the operand that differs between rows.
  OpOperand *shared = nullptr, *own = nullptr;
  /// Returns the memory for panels.
  llvm::function_ref<Value()> getPanelBuffer;
  /// The panel, indexed by step and lane, and `own` with its reduction
  /// dimensions collapsed to one.
  Value panel, ownSteps;
  /// The outermost reduction loop is split into parts that fit into a panel:
  /// the loop, the number of its iterations in a part, the number of steps in
  /// each iteration, and the bounds of the current part.
  std::optional<unsigned> partLoop;
  int64_t partSteps = 0, innerSteps = 1;
  Value partStart, partEnd;
  /// The number of steps that read the same row of the panel, each one element
  /// further than the previous step.
  int64_t windowSteps = 1;
  /// The block loop and the number of lanes for the version without a panel,
  /// which is chosen at run time if a dynamic number of rows is small.
  std::optional<unsigned> fewRowsBlockLoop;
  int64_t fewRowsLanes = 0;
  /// The initial value of the accumulators. If there is none, they are loaded
  /// from the output.
  std::optional<AccumulatorInit> start;
  /// For each operand, the transposed vector of the current step, while the
  /// steps of a square block are emitted.
  SmallVector<Value> columns;
  int64_t vectorLanes = 0, registerLanes = 0;
  bool canMask = false;
  /// The mask of the valid lanes of the current vectors, or null if all lanes
  /// are valid, and the number of valid lanes if it is static.
  Value mask;
  int64_t present = 0;
  /// The number of valid lanes in the remainder of a loop of dynamic size.
  Value openPresent;
};

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_CODEGEN_CPU_REDUCTIONLOOPS_H
