//===- QuantizeBlocks.h - Fast quantization of buffers ----------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Quantizes matrices in blocks with the bits of the Reference, but without its
// arithmetic for each element: rounding is a lookup in a table of steps, which
// is computed with the Reference.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_TRANSFORMS_QUANTIZEBLOCKS_H
#define QUANT_FLOAT_TRANSFORMS_QUANTIZEBLOCKS_H

#include "quant-float/Reference/BlockScale.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace mlir::quant_float {

/// A function of non-negative floats, tabulated as steps. Between two powers of
/// two the function must be monotonic or constant but for one step.
class StepFunction {
public:
  /// Tabulates a function of the encodings of f32 from `first` to `last`.
  void tabulate(uint32_t first, uint32_t last,
                llvm::function_ref<uint32_t(uint32_t)> function);

  /// Returns the value of an encoding from `first` to `last`.
  uint32_t get(uint32_t bits) const {
    size_t step = firstSteps[bits >> kIndexShift];
    while (step + 1 < starts.size() && starts[step + 1] <= bits)
      ++step;
    return values[step];
  }

private:
  /// The steps are found by the sign, the exponent and 7 bits of the mantissa.
  static constexpr unsigned kIndexShift = 16;

  void add(uint32_t start, uint32_t value);
  void addSteps(uint32_t first, uint32_t firstValue, uint32_t last,
                uint32_t lastValue,
                llvm::function_ref<uint32_t(uint32_t)> function);

  SmallVector<uint32_t, 0> starts, values;
  SmallVector<uint16_t, 0> firstSteps;
};

/// A matrix in row-major order.
struct MatrixBuffers {
  int64_t rows, columns;
  ArrayRef<char> in;
  MutableArrayRef<char> values, scales;
};

/// Quantizes matrices of finite floats by a rule.
class TabulatedQuantizer {
public:
  /// The rule must support the types, and `x` must be f32, f16 or bf16.
  TabulatedQuantizer(reference::BlockScaleRule rule, Type x, Type scale,
                     Type element);

  /// Returns the largest magnitude of a buffer of finite floats.
  llvm::APFloat getAmax(ArrayRef<char> in) const;

  /// Prepares for the blocks of matrices with this scale of the tensor.
  /// `amax` is at least the largest magnitude of all of them, and `numBlocks`
  /// about the number of their blocks.
  void prepare(const reference::TensorLevel &level, const llvm::APFloat &amax,
               int64_t numBlocks);

  /// Quantizes a matrix, with the results of reference::blockQuantizeBuffer for
  /// the sizes and block shape. Threads may call this at the same time. The
  /// buffers must have the sizes of the matrix.
  void quantize(const MatrixBuffers &matrix, ArrayRef<int64_t> block) const;

private:
  /// The factor of a block, and for `ggml` the values of the elements.
  struct Factor {
    float value = 0;
    bool isDivisor = true;
  };

  void loadRow(const char *from, MutableArrayRef<float> row) const;
  uint32_t computeScale(uint32_t amax) const;
  uint32_t getScale(uint32_t amax) const;
  Factor computeFactor(uint32_t scaleBits) const;
  uint8_t computeElement(uint32_t bits) const;
  void quantizeElements(ArrayRef<float> x, uint32_t scale, char *out) const;

  reference::BlockScaleRule rule;
  Type x, scale, element;
  unsigned xBytes, scaleBytes;
  reference::TensorLevel tensor;
  /// The encodings of an element of either sign: the positive one in the low
  /// byte, the negative one in the next.
  StepFunction elements;
  /// Unless all scales are computed one by one.
  std::optional<StepFunction> scales;
  uint32_t firstAmax = 1, lastAmax = 0;
  /// The factors of the scales of a byte.
  SmallVector<Factor, 0> factors;
};

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_TRANSFORMS_QUANTIZEBLOCKS_H
