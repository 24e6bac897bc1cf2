//===- TensorCoreTiles.h - Tiles in workgroup memory ------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_CODEGEN_GPU_TENSORCORETILES_H
#define QUANT_FLOAT_LIB_CODEGEN_GPU_TENSORCORETILES_H

#include "GpuMatmul.h"
#include "MatmulTiles.h"
#include "TensorCoreInstructions.h"

namespace mlir::quant_float {

/// The memory layout of an operand's quantized values, if tiles can be loaded
/// without converting them.
struct PlainOperand {
  /// The block argument in the op's body; null if tiles cannot be.
  BlockArgument argument;
  /// Whether the values are contiguous along the loops of K, rather than along
  /// those of the operand's rows; and for how many of the innermost of these
  /// loops they are.
  bool isAlong = false;
  size_t numInner = 0;
};

/// The quantized values of an operand in workgroup memory, for all stages.
struct OperandTile {
  const GpuOperand *gpuOperand;
  const TensorCoreOperand *operand;
  PlainOperand plain;
  /// Whether the values are copied asynchronously; and whether each row in
  /// workgroup memory then is an index of K, instead of a row of the operand.
  bool isCopied, isAcross;
  Value shared;
  /// The size of each stage in workgroup memory.
  int64_t numRows, rowBytes;
  /// The number of the operand's rows in the tile, and the first of them.
  int64_t lines;
  Value first;
};

/// Loads tiles of quantized values for tensor-core instructions to workgroup
/// memory. A row of a tile is 64 bytes along K, or one index of K.
///
/// The size of a row is a power of two, so that the 16-byte columns of eight
/// rows would be in the same banks. Therefore, columns are swizzled: their
/// order depends on the row.
class TensorCoreTiles : protected GpuMatmulBuilder {
protected:
  TensorCoreTiles(KernelLaunches &launches, const GpuMatmul &matmul,
                  const MatrixInstruction &instruction, int64_t threads)
      : GpuMatmulBuilder(launches, matmul), instruction(instruction),
        threads(threads) {}

  /// The size of a tile along K in bytes.
  static constexpr int64_t kDepthBytes = 64;

  bool isFloat() const { return instruction.isFloat(); }
  /// The size of a quantized value in bytes.
  int64_t getBytes() const { return instruction.getBytes(); }
  Type getStorageType() { return rewriter.getIntegerType(8 * getBytes()); }
  /// The K extent of a tile.
  int64_t getStep() const { return kDepthBytes / getBytes(); }

  PlainOperand getPlainOperand(const GpuOperand &gpuOperand,
                               const TensorCoreOperand &operand);
  /// Whether asynchronous copies can load these values.
  bool canCopy(const PlainOperand &plain) const;
  OperandTile makeTile(const GpuOperand &gpuOperand,
                       const TensorCoreOperand &operand, int64_t lines,
                       Value first);
  /// Returns the workgroup memory of all stages as an array of `unit`.
  Value viewTile(const OperandTile &tile, Type unit);
  /// Returns the indices of the unit with index `number` in a row of the
  /// current stage.
  SmallVector<Value> getTileIndices(const OperandTile &tile, Type unit,
                                    Value row, Value number);

  /// Whether each wide access is aligned, and either entirely in bounds or
  /// entirely out of bounds; null if there are no wide accesses.
  Value isAlignedTile(const OperandTile &tile);
  /// Loads a tile at index `from` of K, with zeros out of bounds.
  void loadTile(const OperandTile &tile, Value from);
  /// Begins the asynchronous copies of a tile. Requires `isCopied` and
  /// isAlignedTile().
  void copyTile(const OperandTile &tile, Value from);
  /// Loads the thread's packed i32 values of a tile that is not copied, with
  /// zeros out of bounds. Requires isAlignedTile(). storePacked() stores them,
  /// and returns the values that remain for other tiles.
  SmallVector<Value> loadPacked(const OperandTile &tile, Value from);
  ValueRange storePacked(const OperandTile &tile, ValueRange packed);

  const MatrixInstruction &instruction;
  int64_t threads, numStages = 1;
  /// The index of the stage that is loaded or multiplied.
  Value stage;

private:
  /// 16 bytes of values, along K or along the rows, that are copied at once.
  struct Piece {
    Value line, kInTile, row, k;
  };
  /// A block of rows and indices of K, both of which are one i32: i32 values
  /// along the rows are loaded, and i32 values along K are stored.
  struct Block {
    Value line, kInTile, row, k, index;
  };
  /// An i32 of packed values along K that are loaded one by one.
  struct Packed {
    Value line, index, row, k;
  };
  Piece getPiece(const OperandTile &tile, Value from, Value number);
  Block getBlock(const OperandTile &tile, Value from, Value number);
  Packed getPacked(const OperandTile &tile, Value from, Value number);
  int64_t getNumPieces(const OperandTile &tile) const;
  int64_t getNumBlocks(const OperandTile &tile) const;
  int64_t getNumPacked(const OperandTile &tile) const;

  /// Returns the block argument of the values if they are contiguous along the
  /// innermost of `loops`, and sets the number of these loops; else null.
  BlockArgument getPlainOperand(const TensorCoreOperand &operand,
                                ArrayRef<unsigned> loops, size_t &numInner);
  ArrayRef<unsigned> getInner(const OperandTile &tile) const;
  Value getBuffer(const OperandTile &tile) {
    return matmul.op->getOperand(tile.plain.argument.getArgNumber());
  }
  /// Whether `width` values from a row on are contiguous; null if they are
  /// known to be.
  Value areAdjacent(const OperandTile &tile, Value row, int64_t width);
  /// Whether `extent` is known to be a multiple of `of`.
  static bool isMultiple(Value extent, int64_t of) {
    std::optional<int64_t> known = getConstantIntValue(extent);
    return known && *known % of == 0;
  }
  Value isAligned(Value address, int64_t bytes);
  Value emitAddress(const OperandTile &tile, Value row, Value k);
  /// Loads `width` values at a row and an index of K.
  Value emitVector(const OperandTile &tile, Value row, Value k, int64_t width);
  Value emitElement(const OperandTile &tile, Value row, Value k);
  Value emitPacked(const OperandTile &tile, const Packed &packed);
  /// Begins to copy a piece. Writes zeros if `isInBounds` is not null and
  /// false.
  void copyPiece(const OperandTile &tile, const Piece &piece, Value isInBounds);
  void loadPiece(const OperandTile &tile, Value from, Value number);
  SmallVector<Value> loadBlock(const OperandTile &tile, const Block &block);
  void storeBlock(const OperandTile &tile, const Block &block,
                  ValueRange vectors);
  void loadBlock(const OperandTile &tile, Value from, Value number);
  void loadElement(const OperandTile &tile, Value from, Value line,
                   Value kInTile);
  void storeInTile(const OperandTile &tile, Value unit, Value row,
                   Value number);
  /// Runs `body` for the thread's share of `count` elements. Its second
  /// argument is whether the element is in bounds; null if it is known to be.
  void forEachAssigned(int64_t count,
                       llvm::function_ref<void(Value, Value)> body);
};

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_CODEGEN_GPU_TENSORCORETILES_H
