//===- BlockScale.h - Reference semantics of block scales -------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The reference semantics of the ops on blocks, bit for bit (docs/rules.md, B).
// Like Quantize.h, it only uses llvm::APFloat and llvm::APInt and shares no
// code with the lowerings, except Granularity.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_REFERENCE_BLOCKSCALE_H
#define QUANT_FLOAT_REFERENCE_BLOCKSCALE_H

#include "mlir/IR/Types.h"
#include "mlir/Support/LLVM.h"
#include "quant-float/Reference/Cast.h"
#include "quant-float/Reference/Granularity.h"
#include "quant-float/Reference/Quantize.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APInt.h"
#include <optional>

namespace mlir::quant_float::reference {

/// A row of BlockScaleRules.def.
enum class BlockScaleRule {
#define QUANT_FLOAT_BLOCK_SCALE_RULE(Rule, ...) Rule,
#include "quant-float/Reference/BlockScaleRules.def"
};

/// Returns whether the scales of blocks depend on a scale of the tensor (B6).
bool isTwoLevel(BlockScaleRule rule);

/// Returns whether `type` is a type of elements of blocks: f8E4M3FN, f8E5M2,
/// f6E2M3FN, f6E3M2FN, f4E2M1FN, i8, i4.
bool isBlockElement(Type type);
/// Returns whether `type` is a type of scales of blocks: f8E8M0FNU, f32, f16,
/// bf16, f8E4M3FN, !quant_float.f8UE5M3.
bool isBlockScale(Type type);
/// Returns whether the rule defines scales of type `scale` for elements of type
/// `element`.
bool isSupported(BlockScaleRule rule, Type element, Type scale);

/// The scale of a tensor, for rules with two levels: the largest magnitude that
/// it is derived from, or the scale itself, in f32.
struct TensorLevel {
  std::optional<llvm::APFloat> amax, scale;
};

/// Returns the scale of a tensor with this largest magnitude (B6), in f32.
llvm::APFloat getTensorScale(const llvm::APFloat &amax);

/// Returns the scale of a block with this largest magnitude, an f32 (B3 to B6).
/// The rule must support the types.
llvm::APInt getBlockScale(BlockScaleRule rule, Type element, Type scale,
                          const llvm::APFloat &amax, const TensorLevel &tensor);

/// The f32 that the elements of a block are divided by, or multiplied with.
struct BlockFactor {
  llvm::APFloat value;
  bool isDivisor;
};

/// Returns the factor of a block with this scale (B7). That of `ggml`, which
/// does not divide, is the scale.
BlockFactor getBlockFactor(BlockScaleRule rule, Type scale,
                           const llvm::APInt &scaleBits,
                           const TensorLevel &tensor);

/// Quantizes an element of type `x`, which is f32, f16 or bf16, with the scale
/// of its block (B7); stochastically with `random` (S2, S5).
llvm::APInt
quantizeBlockElement(BlockScaleRule rule, Type x, Type scale, Type element,
                     const llvm::APInt &xBits, const llvm::APInt &scaleBits,
                     const TensorLevel &tensor,
                     std::optional<llvm::APInt> random = std::nullopt);

/// Dequantizes an element to `y`, which is f32, f16 or bf16 (B8). With
/// `tensorFirst`, the scale of the tensor multiplies that of the block.
llvm::APInt
dequantizeBlockElement(Type element, Type scale, Type y,
                       const llvm::APInt &bits, const llvm::APInt &scaleBits,
                       std::optional<llvm::APFloat> tensorScale = std::nullopt,
                       bool tensorFirst = false);

/// Writes the largest magnitude of each block of a row-major buffer of these
/// sizes, in the layout of castBuffer (B2). `x` is f32, f16 or bf16. With
/// `finite`, infinities and NaN are ignored, and a block without other elements
/// has the result NaN.
///
/// Fails without modifying `out` if the blocks do not fit the sizes, or if a
/// buffer has the wrong size. So do the functions below.
LogicalResult blockAmaxBuffer(Type x, ArrayRef<int64_t> sizes,
                              ArrayRef<int64_t> blockShape, bool finite,
                              ArrayRef<char> in, MutableArrayRef<char> out);

/// Returns the largest magnitude of a buffer as f32, exactly.
llvm::APFloat getAmax(Type x, ArrayRef<char> in);

/// Writes the scale of each block from a buffer of largest magnitudes of type
/// `x`, which is f32, f16 or bf16 (B3 to B6).
LogicalResult blockScaleBuffer(BlockScaleRule rule, Type x, Type element,
                               Type scale, ArrayRef<char> amaxes,
                               const TensorLevel &tensor,
                               MutableArrayRef<char> out);

/// Quantizes a row-major buffer of these sizes with the scales of its blocks
/// (B7).
LogicalResult blockQuantizeElementsBuffer(
    BlockScaleRule rule, Type x, Type scale, Type element,
    ArrayRef<int64_t> sizes, ArrayRef<int64_t> blockShape, ArrayRef<char> in,
    ArrayRef<char> scales, const TensorLevel &tensor,
    std::optional<RandomBits> random, MutableArrayRef<char> out);

/// The outputs of blockQuantizeBuffer.
struct BlockBuffers {
  MutableArrayRef<char> values, scales;
};

/// Quantizes a row-major buffer of these sizes in blocks. For rules with two
/// levels, `tensor` is derived from the buffer if it is empty.
LogicalResult blockQuantizeBuffer(BlockScaleRule rule, Type x, Type scale,
                                  Type element, ArrayRef<int64_t> sizes,
                                  ArrayRef<int64_t> blockShape,
                                  ArrayRef<char> in, TensorLevel tensor,
                                  std::optional<RandomBits> random,
                                  const BlockBuffers &out);

/// Dequantizes a row-major buffer of these sizes, of which `scales` has one
/// element for each block.
LogicalResult blockDequantizeBuffer(Type element, Type scale, Type y,
                                    ArrayRef<int64_t> sizes,
                                    ArrayRef<int64_t> blockShape,
                                    ArrayRef<char> in, ArrayRef<char> scales,
                                    std::optional<llvm::APFloat> tensorScale,
                                    bool tensorFirst,
                                    MutableArrayRef<char> out);

/// The block conversions of IEEE P3109 (I7): by a quotient and by a product.
enum class BlockConversion { ToBlock, FromBlock };

/// Returns whether a block conversion has these types of inputs, scales and
/// results.
bool isConvertedBlock(BlockConversion conversion, Type x, Type scale, Type y);

/// Converts an element with the scale of its block. `random` is required by the
/// stochastic roundings.
llvm::APInt
convertBlockElement(BlockConversion conversion, Type x, Type scale, Type y,
                    const llvm::APInt &bits, const llvm::APInt &scaleBits,
                    const Projection &projection,
                    std::optional<llvm::APInt> random = std::nullopt);

/// Converts a row-major buffer of these sizes with the scales of its blocks.
LogicalResult convertBlockBuffer(BlockConversion conversion, Type x, Type scale,
                                 Type y, ArrayRef<int64_t> sizes,
                                 ArrayRef<int64_t> blockShape,
                                 ArrayRef<char> in, ArrayRef<char> scales,
                                 const Projection &projection,
                                 std::optional<RandomBits> random,
                                 MutableArrayRef<char> out);

} // namespace mlir::quant_float::reference

#endif // QUANT_FLOAT_REFERENCE_BLOCKSCALE_H
