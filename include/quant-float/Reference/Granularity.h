//===- Granularity.h - Granularity of parameters ----------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Quantization ops have parameters (a scale, a zero point, a shift) that apply
// to all elements of the input, to a slice or to a block of it. This is the
// only implementation of this mapping; verifiers, folders, the Reference and
// the lowerings use it.
//
// Sizes are as in shaped types: a dynamic size is ShapedType::kDynamic. A
// scalable size is negative here, so that it is not equal to any other size,
// and [1] is not equal to 1.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_REFERENCE_GRANULARITY_H
#define QUANT_FLOAT_REFERENCE_GRANULARITY_H

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/BuiltinTypes.h"
#include <optional>

namespace mlir::quant_float::reference {

/// Returns the sizes of a ranked type.
SmallVector<int64_t> getSizes(ShapedType type);

inline bool isScalable(int64_t size) {
  return size < 0 && !ShapedType::isDynamic(size);
}

/// One index into a parameter: 0, or the index of a dimension of the input
/// divided by `blockSize`, the number of adjacent elements that share a
/// parameter.
struct ParameterIndex {
  std::optional<unsigned> dim;
  int64_t blockSize = 1;
};

/// The elements that one element of a parameter applies to. Per tensor: no
/// axis. Per axis: one parameter for each index along the axis. Blocked: one
/// parameter for every `blockSize` adjacent elements along the axis; the last
/// block may be partial (Q1).
struct Granularity {
  /// Negative values count from the end.
  std::optional<int64_t> axis;
  /// Requires an axis; at least 1.
  std::optional<int64_t> blockSize;
  /// Instead of an axis: parameters are broadcast to the input as in NumPy,
  /// without changing the shape of the input (K5).
  bool isBroadcast = false;
  /// Instead of an axis: blocks of these sizes, one for each dimension of the
  /// input. kWholeDim is a block of the entire dimension, even if the size of
  /// the dimension is 0; other blocks may be partial (B1).
  SmallVector<int64_t> blockShape = {};

  static constexpr int64_t kWholeDim = -1;

  static Granularity getBroadcast() { return {{}, {}, /*isBroadcast=*/true}; }
  static Granularity getBlocks(ArrayRef<int64_t> blockShape) {
    return {{}, {}, /*isBroadcast=*/false, SmallVector<int64_t>(blockShape)};
  }

  /// Returns the axis as a non-negative index, or nullopt if an input of this
  /// rank lacks it.
  std::optional<int64_t> getAxis(int64_t rank) const;

  /// Returns the sizes of a parameter for an input of these sizes, which must
  /// have the axis. Other sizes may fit as well: one element of rank 1, and
  /// sizes that broadcast.
  SmallVector<int64_t> getParameterSizes(ArrayRef<int64_t> input) const;

  /// Returns whether a parameter of these sizes fits such an input, as far as
  /// the sizes are static.
  bool fits(ArrayRef<int64_t> parameter, ArrayRef<int64_t> input) const;

  /// Returns the indices into a parameter that fits, or into a scalar that is
  /// equivalent to a parameter of one element (Q2), for an element of the
  /// input.
  SmallVector<ParameterIndex> getIndices(ArrayRef<int64_t> parameter,
                                         ArrayRef<int64_t> input) const;
  /// Returns these indices as an indexing map.
  AffineMap getMap(MLIRContext *context, ArrayRef<int64_t> parameter,
                   ArrayRef<int64_t> input) const;
};

/// Maps the row-major index of an element to that of its parameter. All sizes
/// are static.
class ParameterElements {
public:
  ParameterElements(const Granularity &granularity, ArrayRef<int64_t> parameter,
                    ArrayRef<int64_t> input);

  /// Returns the index of the parameter for an element of the input.
  uint64_t operator[](uint64_t element) const {
    uint64_t result = 0;
    for (const Step &step : steps)
      result += element / step.inner % step.size / step.blockSize * step.stride;
    return result;
  }

private:
  /// A dimension of the input: the number of elements per index, its size, its
  /// block size, and the stride of its index in the parameter.
  struct Step {
    uint64_t inner, size, blockSize, stride;
  };
  SmallVector<Step> steps;
};

} // namespace mlir::quant_float::reference

#endif // QUANT_FLOAT_REFERENCE_GRANULARITY_H
