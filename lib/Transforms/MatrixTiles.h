//===- MatrixTiles.h - Codes in shared memory -------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_TRANSFORMS_MATRIXTILES_H
#define QUANT_FLOAT_LIB_TRANSFORMS_MATRIXTILES_H

#include "GpuProduct.h"
#include "MatrixInstructions.h"
#include "ProductTiles.h"

namespace mlir::quant_float {

/// How a factor's codes lie in memory, if they do as they do in tiles.
struct PlainCodes {
  /// Of the op's body; null if they do not.
  BlockArgument codes;
  /// Of these loops, the sum's or those of the factor's rows, so many of the
  /// innermost have neighbours next to each other.
  bool isAlong = false;
  size_t numInner = 0;
};

/// The codes of one factor in shared memory, of one stage or several.
struct CodeTile {
  const GpuFactor *factor;
  const MatrixOperand *operand;
  PlainCodes plain;
  /// Whether they are copied as they are, and whether each row in shared memory
  /// is a summand then.
  bool isCopied, isAcross;
  Value shared;
  /// Of each stage.
  int64_t numRows, rowBytes;
  /// How many of the factor's rows it has, and the first of them.
  int64_t lines;
  Value first;
};

/// Tiles of codes for the instructions of a warp, and how they get there: rows
/// of 64 bytes of summands, or of one summand each.
///
/// Rows are a power of two long. The 16 bytes that eight rows have in one
/// column would be in the same banks, so each row has its columns in an order
/// of its own.
class MatrixTiles : protected GpuProductBuilder {
protected:
  MatrixTiles(KernelLaunches &launches, const GpuProduct &product,
              const MatrixInstruction &instruction, int64_t threads)
      : GpuProductBuilder(launches, product), instruction(instruction),
        threads(threads) {}

  /// Bytes of summands of a tile.
  static constexpr int64_t kDepthBytes = 64;

  bool isFloat() const { return instruction.sum == MatrixElement::Float32; }
  /// Of a code.
  int64_t getBytes() const;
  Type getCodeType() { return rewriter.getIntegerType(8 * getBytes()); }
  /// Summands of a tile.
  int64_t getStep() const { return kDepthBytes / getBytes(); }

  PlainCodes getPlainCodes(const GpuFactor &factor,
                           const MatrixOperand &operand);
  /// Whether the chip can copy them by itself.
  bool canCopy(const PlainCodes &plain) const;
  CodeTile makeTile(const GpuFactor &factor, const MatrixOperand &operand,
                    int64_t lines, Value first);
  /// The shared memory of all stages, in units of a type, and where there a row
  /// of the present stage has one of its units.
  Value viewTile(const CodeTile &tile, Type unit);
  SmallVector<Value> getPlaceInTile(const CodeTile &tile, Type unit, Value row,
                                    Value number);

  /// Where all that is loaded of memory at once is aligned, and there as a
  /// whole or not at all.
  Value isWhole(const CodeTile &tile);
  /// All codes from a summand on, zeros where there are none.
  void loadTile(const CodeTile &tile, Value from);
  /// The same where the tile is whole. Of one that is copied, this begins.
  void copyTile(const CodeTile &tile, Value from);
  /// Of another, it has two parts: words from a summand on, zeros if there is
  /// none; and to store them, which returns what is not this tile's.
  SmallVector<Value> loadWords(const CodeTile &tile, Value from);
  ValueRange storeWords(const CodeTile &tile, ValueRange words);

  const MatrixInstruction &instruction;
  int64_t threads, numStages = 1;
  /// In which tiles are loaded and multiplied.
  Value stage;

private:
  /// As many codes as are copied at once: along the sum, or across it.
  struct Piece {
    Value line, summand, row, sum;
  };
  /// A block of rows and summands, each of which is a word: those of the rows
  /// are loaded; those of the summands stored.
  struct Block {
    Value line, summand, row, sum, word;
  };
  /// A word of summands, which are loaded one by one.
  struct Word {
    Value line, word, row, sum;
  };
  Piece getPiece(const CodeTile &tile, Value from, Value number);
  Block getBlock(const CodeTile &tile, Value from, Value number);
  Word getWord(const CodeTile &tile, Value from, Value number);
  int64_t getNumPieces(const CodeTile &tile) const;
  int64_t getNumBlocks(const CodeTile &tile) const;
  int64_t getNumWords(const CodeTile &tile) const;

  /// The block argument that codes are, if they are neighbours in memory along
  /// the innermost of some loops, whose number is set.
  BlockArgument getPlainCodes(const MatrixOperand &operand,
                              ArrayRef<unsigned> loops, size_t &numInner);
  ArrayRef<unsigned> getInner(const CodeTile &tile) const;
  Value getBuffer(const CodeTile &tile) {
    return product.op->getOperand(tile.plain.codes.getArgNumber());
  }
  /// Whether `width` neighbours from a row on are next to each other; null if
  /// they are.
  Value areNeighbours(const CodeTile &tile, Value row, int64_t width);
  /// Whether this is known of it.
  static bool isMultiple(Value extent, int64_t of) {
    std::optional<int64_t> known = getConstantIntValue(extent);
    return known && *known % of == 0;
  }
  Value isAligned(Value address, int64_t bytes);
  Value emitAddress(const CodeTile &tile, Value row, Value sum);
  /// `width` codes of memory from a row and summand on.
  Value emitVector(const CodeTile &tile, Value row, Value sum, int64_t width);
  Value emitCode(const CodeTile &tile, Value row, Value sum);
  Value emitWord(const CodeTile &tile, const Word &word);
  /// Begins to copy a piece, or zeros if it is not `isThere`.
  void copyPiece(const CodeTile &tile, const Piece &piece, Value isThere);
  void loadPiece(const CodeTile &tile, Value from, Value number);
  SmallVector<Value> loadBlock(const CodeTile &tile, const Block &block);
  void storeBlock(const CodeTile &tile, const Block &block, ValueRange vectors);
  void loadBlock(const CodeTile &tile, Value from, Value number);
  void loadCode(const CodeTile &tile, Value from, Value line, Value summand);
  void storeInTile(const CodeTile &tile, Value unit, Value row, Value number);
  /// Runs `body` for those of `count` elements that are this thread's, with
  /// whether there is such a one; null if there is.
  void forEachOwn(int64_t count, llvm::function_ref<void(Value, Value)> body);
};

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_TRANSFORMS_MATRIXTILES_H
