//===- Formats.h - ggml's block formats -------------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_TARGET_GGUF_FORMATS_H
#define QUANT_FLOAT_LIB_TARGET_GGUF_FORMATS_H

#include "mlir/IR/Types.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace mlir::quant_float::gguf_import {

/// Elements of the largest block, and scales in it.
inline constexpr unsigned kMostElements = 256, kMostScales = 16;

/// What a block has, in the order of elements.
struct DecodedBlock {
  std::array<int8_t, kMostElements> codes;
  /// As the file has it: f16, or f8E8M0FNU in the low byte. That of the block,
  /// or of its scales where there are some.
  uint16_t scale;
  std::array<int8_t, kMostScales> scales;
  /// f16, of the block, or of its minimums where there are some.
  uint16_t minimum;
  std::array<int8_t, kMostScales> minimums;

  bool operator==(const DecodedBlock &other) const {
    return codes == other.codes && scale == other.scale &&
           scales == other.scales && minimum == other.minimum &&
           minimums == other.minimums;
  }
};

enum class Codes { I4, U4, U2, I8, U8, F4 };

/// Whether the elements of a format have a minimum beside their scale.
enum class Minimum { None, Added, Subtracted };

/// How blocks become tensors.
struct BlockFormat {
  unsigned number;
  StringRef name;
  /// Of a block.
  unsigned elements, bytes;
  /// Elements that share a scale; fewer than a block has where the block's
  /// scale is that of scales.
  unsigned group;
  Codes codes;
  /// Of scales and minimums that are codes themselves.
  Codes scaleCodes;
  Minimum minimum;
  void (*decode)(const uint8_t *bytes, DecodedBlock &block);
  /// Into zeros. What the format has no place for is lost.
  void (*encode)(const DecodedBlock &block, uint8_t *bytes);

  bool hasScaleCodes() const { return group < elements; }
};

ArrayRef<BlockFormat> getBlockFormats();

/// Null where there is none of this number.
const BlockFormat *getBlockFormat(unsigned number);

/// What ggml calls the format of that number: "IQ2_XXS (16)"; the number alone
/// where ggml has none.
std::string spellFormat(unsigned number);

/// The type of codes, and that of the block's scale.
Type getCodeType(Codes codes, MLIRContext *context);
Type getScaleType(const BlockFormat &format, MLIRContext *context);

/// The first opset of DequantizeLinear that has the types of a format.
int64_t getLeastOpset(const BlockFormat &format);

/// The element type of a format without blocks, as the file has it; null where
/// there is none of this number.
Type getElementType(unsigned number, MLIRContext *context);

/// The other way; none where no format has elements of the type.
std::optional<unsigned> getNumber(Type elementType);

} // namespace mlir::quant_float::gguf_import

#endif // QUANT_FLOAT_LIB_TARGET_GGUF_FORMATS_H
