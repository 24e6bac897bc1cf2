//===- Formats.h - ggml's block formats -------------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_WEIGHTS_GGUF_FORMATS_H
#define QUANT_FLOAT_LIB_WEIGHTS_GGUF_FORMATS_H

#include "mlir/IR/Types.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace mlir::quant_float::gguf_import {

/// The maximum number of elements and of scales of a block.
inline constexpr unsigned kMaxElements = 256, kMaxScales = 16;

/// The contents of a block, in the order of its elements.
struct DecodedBlock {
  std::array<int8_t, kMaxElements> quantized;
  /// In the file's encoding: f16, or f8E8M0FNU in the low byte. The scale of
  /// the block, or of its `scales` if these are integers.
  uint16_t scale;
  std::array<int8_t, kMaxScales> scales;
  /// f16. The minimum of the block, or the scale of its `minimums` if the
  /// format has them.
  uint16_t minimum;
  std::array<int8_t, kMaxScales> minimums;

  bool operator==(const DecodedBlock &other) const {
    return quantized == other.quantized && scale == other.scale &&
           scales == other.scales && minimum == other.minimum &&
           minimums == other.minimums;
  }
};

/// The types that store quantized values.
enum class Storage { I4, U4, U2, I8, U8, F4, F8 };

/// Whether a format has minimums in addition to scales, and their sign.
enum class Minimum { None, Added, Subtracted };

/// The properties of a block format.
struct BlockFormat {
  unsigned number;
  StringRef name;
  /// Per block.
  unsigned elements, bytes;
  /// The number of elements that share a scale. It is smaller than `elements`
  /// if the scales are quantized.
  unsigned group;
  Storage storage;
  /// The type of quantized scales and minimums. Integers are multiplied by the
  /// scale of the block, floats by that of the tensor.
  Storage scaleStorage;
  Minimum minimum;
  void (*decode)(const uint8_t *bytes, DecodedBlock &block);
  /// Encodes into zero-initialized bytes. Drops everything that the format
  /// cannot represent.
  void (*encode)(const DecodedBlock &block, uint8_t *bytes);

  bool hasQuantizedScales() const { return group < elements; }
  bool hasTensorScale() const {
    return hasQuantizedScales() && scaleStorage == Storage::F8;
  }
};

/// The suffixes of the names of a weight and of the scale of the tensor, which
/// is a separate tensor.
inline constexpr StringLiteral kWeightSuffix = ".weight",
                               kScaleSuffix = ".scale";

ArrayRef<BlockFormat> getBlockFormats();

/// Returns null if there is no block format of this number.
const BlockFormat *getBlockFormat(unsigned number);

/// Returns the name that ggml has for a format, such as "IQ2_XXS (16)", or only
/// the number if ggml has no such format.
std::string spellFormat(unsigned number);

/// Returns the type of quantized values, and of the block's scale.
Type getStorageType(Storage storage, MLIRContext *context);
Type getScaleType(const BlockFormat &format, MLIRContext *context);

/// Returns the first opset whose DequantizeLinear supports the types of a
/// format.
int64_t getMinOpset(const BlockFormat &format);

/// Returns the element type of a format without blocks, or null if there is no
/// such format of this number.
Type getElementType(unsigned number, MLIRContext *context);

/// Returns the number of the format with this element type, or nullopt if there
/// is none.
std::optional<unsigned> getNumber(Type elementType);

} // namespace mlir::quant_float::gguf_import

#endif // QUANT_FLOAT_LIB_WEIGHTS_GGUF_FORMATS_H
