//===- ReductionLoops.h - Loops that keep sums in registers ---*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_TRANSFORMS_REDUCTIONLOOPS_H
#define QUANT_FLOAT_LIB_TRANSFORMS_REDUCTIONLOOPS_H

#include "IntegerDots.h"
#include "MatrixDots.h"
#include "SumStart.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::quant_float {

/// How an operand moves along a loop.
enum class Access { Invariant, Contiguous, Strided };

/// Bytes of a panel, half of the smallest first cache there is.
constexpr int64_t kPanelBytes = 16384;
/// Bytes behind a panel that say what sizes tile registers have.
constexpr int64_t kTileSizesBytes = 64;
/// So many rows have enough sums for adding not to wait.
constexpr int64_t kFewestRows = 4;

Access getAccess(linalg::GenericOp op, OpOperand *operand, unsigned loop);

/// Writes the loops of one op.
class ReductionLoopNest {
public:
  ReductionLoopNest(linalg::GenericOp op, int64_t vectorBytes,
                    int64_t registers, const EmulationTarget &target,
                    llvm::function_ref<Value()> getPanelBuffer)
      : op(op), builder(op.getLoc(), op), machine(target.machine),
        dots(WordDots::get(target, op)), matrix(MatrixDots::find(target, op)),
        vectorBytes(vectorBytes),
        accumulators(std::max<int64_t>(registers / 2, 1)),
        numLoops(op.getNumLoops()), iterators(op.getIteratorTypesArray()),
        ranges(op.getStaticLoopRanges()), position(numLoops),
        getPanelBuffer(getPanelBuffer) {}

  void emit();

private:
  void chooseVectorLoop();
  /// So many lanes at once, if the loop has as many: several registers, so that
  /// each scalar of the other operand serves as often.
  int64_t chooseLanes() const;
  void chooseRowLoop();
  /// How many elements of so many the next vector takes. Vectors between the
  /// sizes of one, two or four registers are taken apart, element by element,
  /// but where loads can leave out the last lanes.
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
  SmallVector<Value> loadBlock(OpOperand *operand);
  void chooseFoldLoop();
  SmallVector<Value> emitFold(ValueRange sums);
  SmallVector<Value> emitBlocks(int64_t rows, int64_t lanes, ValueRange sums);
  bool isPlainProduct() const;
  /// How many rows of so many lanes to sum at once.
  int64_t chooseRows(int64_t lanes) const;
  Value getConstant(int64_t value) {
    return arith::ConstantIndexOp::create(builder, value);
  }
  /// The loops of `loops[depth]` and on, then one tile.
  void emitParallel(ArrayRef<unsigned> loops);
  void emitVectors();
  void emitRows(int64_t lanes);
  void emitOpenRows(int64_t rows, llvm::function_ref<void(int64_t)> body);
  void emitTile(int64_t rows, int64_t lanes);
  /// Calls `body` for tiles of the first size, then of what is left: of static
  /// extents at once, for vectors in sizes of `getNextElements`; of dynamic
  /// ones in tiles of the next sizes, of which the last may be kDynamic: a part
  /// of it.
  void emitTiles(unsigned loop, ArrayRef<int64_t> tiles,
                 llvm::function_ref<void(int64_t)> body);
  SmallVector<Value> emitReductions(ArrayRef<unsigned> loops, int64_t rows,
                                    int64_t lanes, ValueRange sums);
  SmallVector<Value> emitStep(int64_t rows, int64_t lanes, ValueRange sums);
  SmallVector<Value> emitBody(ValueRange arguments, int64_t row, int64_t lanes);
  SmallVector<OpFoldResult> getPlaces(int64_t row);
  SmallVector<Value> getIndices(OpOperand *operand, int64_t row);
  Value load(OpOperand *operand, int64_t row, int64_t lanes);
  Value broadcast(Value value, int64_t lanes);

  // Products whose vectors are copied next to each other first; see
  // ProductPanels.cpp.
  void choosePanel();
  bool hasOpen(unsigned loop) const {
    return ShapedType::isDynamic(ranges[loop]);
  }
  void emitManyOrFewRows(llvm::function_ref<void()> emitAll);
  void emitParts();
  void emitPanel(int64_t lanes);
  void emitCopies(ArrayRef<unsigned> loops, Value step, int64_t lanes);
  Value emitSquares(unsigned loop, Value from, Value to,
                    llvm::function_ref<Value(Value)> getStep, int64_t lanes);
  SmallVector<Value> beginSums(int64_t rows, int64_t lanes);
  void emitProducts(int64_t rows, int64_t lanes);
  SmallVector<Value> emitProductStep(int64_t rows, int64_t lanes, Value step,
                                     Value first, ValueRange sums);
  void keepOrder();
  void storeSums(int64_t rows, int64_t lanes, ValueRange sums);
  /// Where the part's steps begin and end in the whole sum.
  std::pair<Value, Value> getPartSteps();
  SmallVector<Value> getOwnIndices(int64_t row, Value step);
  /// Calls `body` for each register of so many lanes with the loop for vectors
  /// at its first lane, and says which of its lanes there are.
  void forEachRegister(int64_t lanes, llvm::function_ref<void(int64_t)> body);

  // Those by instructions for matrices; see ProductMatrices.cpp.
  void chooseMatrix();
  bool hasMatrices(int64_t lanes) const;
  void arrangePanel(int64_t lanes);
  void emitGap(int64_t lanes);
  void emitPairs(int64_t lanes);
  void emitMatrices(int64_t rows, int64_t lanes);
  SmallVector<Value> emitMatrixProducts(int64_t rows, int64_t lanes,
                                        int64_t lane, int64_t width);
  std::pair<StringRef, bool> getMatrixIntrinsic() const;
  bool hasWholeBlocks() const;
  Value countBlocks();
  Value getBlockStep(Value block);

  // In tile registers; see TileMatrices.cpp.
  std::optional<SmallVector<int64_t>> getRowSteps(OpOperand *operand) const;
  void configureTiles(int64_t rows);
  void releaseTiles();
  void beginTiles(int64_t rows, int64_t lanes);
  void emitTileProducts(int64_t rows, int64_t lanes);
  void forEachSum(int64_t rows,
                  llvm::function_ref<void(int64_t, ArrayRef<Value>)> body);

  linalg::GenericOp op;
  ImplicitLocOpBuilder builder;
  Machine machine;
  /// Instructions that do what the body says.
  std::optional<WordDots> dots;
  /// One for matrices, if the panel is multiplied by it.
  const MatrixDots *matrix;
  /// Steps of the sum that it takes at once.
  int64_t blockSteps = 1;
  /// All of the panel's memory; rows that tile registers have the sizes for.
  Value panelBuffer;
  int64_t tileRows = 0;
  int64_t vectorBytes;
  /// Registers for sums; as many are left for what is added.
  int64_t accumulators;
  unsigned numLoops;
  SmallVector<utils::IteratorType> iterators;
  SmallVector<int64_t> ranges;
  SmallVector<Value> sizes;
  /// Where each loop is.
  SmallVector<OpFoldResult> position;
  std::optional<unsigned> vectorLoop, rowLoop;
  /// Where each row of the current tile is, if it is the last one of as many
  /// rows as only a run tells.
  SmallVector<Value> lastRows;
  /// The innermost reduction, if operands are contiguous along it that are not
  /// along the vectors: these are loaded by squares and turned around.
  std::optional<unsigned> blockLoop;
  /// The innermost reduction, if vectors run along it instead: what they hold
  /// is put together in the end.
  std::optional<unsigned> foldLoop;
  /// The vectors that rows share, and what each row has of its own, if the
  /// former are copied to a panel first.
  OpOperand *shared = nullptr, *own = nullptr;
  /// Gives memory for panels.
  llvm::function_ref<Value()> getPanelBuffer;
  /// The panel, vectors by steps; `own`, with its reductions as one dimension.
  Value panel, ownSteps;
  /// The outermost reduction goes on in parts of the panel's size: where one
  /// begins and ends. Steps of the others for one of it.
  std::optional<unsigned> partLoop;
  int64_t partSteps = 0, innerSteps = 1;
  Value partStart, partEnd;
  /// The block loop and the lanes of vectors without a panel, for rows of which
  /// only a run tells that they are few.
  std::optional<unsigned> fewRowsBlockLoop;
  int64_t fewRowsLanes = 0;
  /// What the sums begin with, if not with what their memory holds.
  std::optional<SumStart> start;
  /// The square's columns, vectors, while its steps are emitted; by operand.
  SmallVector<Value> columns;
  int64_t vectorLanes = 0, registerLanes = 0;
  bool canMask = false;
  /// Which lanes of the current vectors there are, if not all; how many, if
  /// that is known.
  Value mask;
  int64_t present = 0;
  /// How many there are at the end of a loop whose size only a run tells.
  Value openPresent;
};

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_TRANSFORMS_REDUCTIONLOOPS_H
