//===- Granularity.h - Granularity of parameters ----------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Quantizations have parameters (a scale, a zero point, a shift) that are for
// all elements of the input, for a slice or for a block of it. Everybody who
// asks which asks here: verifiers, folders, the Reference and the lowerings.
//
// Sizes are as in shaped types: one that only shows at run time is
// ShapedType::kDynamic. One that counts vscale times is negative here, so that
// it equals no other, and [1] is not one.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_REFERENCE_GRANULARITY_H
#define QUANT_FLOAT_REFERENCE_GRANULARITY_H

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/BuiltinTypes.h"
#include <optional>

namespace mlir::quant_float::reference {

/// The sizes of a type with a rank.
SmallVector<int64_t> getSizes(ShapedType type);

inline bool isScalable(int64_t size) {
  return size < 0 && !ShapedType::isDynamic(size);
}

/// One index into a parameter: 0, or that of a dimension of the input, of which
/// `blockSize` neighbours share a parameter.
struct ParameterIndex {
  std::optional<unsigned> dim;
  int64_t blockSize = 1;
};

/// What one element of a parameter is for. Per tensor without an axis; per
/// axis, one for each index along it; blocked, one for every `blockSize`
/// neighbours along the axis, the last block being perhaps a partial one (Q1).
struct Granularity {
  /// Negative ones count from the end.
  std::optional<int64_t> axis;
  /// Only with an axis, and at least 1.
  std::optional<int64_t> blockSize;
  /// Instead: parameters are broadcast to the input as numpy does, which does
  /// not grow (K5).
  bool isBroadcast = false;

  static Granularity getBroadcast() { return {{}, {}, /*isBroadcast=*/true}; }

  /// The axis counted from the front; none if an input of this rank lacks it.
  std::optional<int64_t> getAxis(int64_t rank) const;

  /// The sizes of a parameter for an input of these sizes, which has the axis.
  /// Others may fit as well: one element in rank 1, what broadcasts.
  SmallVector<int64_t> getParameterSizes(ArrayRef<int64_t> input) const;

  /// Whether a parameter of these sizes is one for such an input, as far as
  /// they are known.
  bool fits(ArrayRef<int64_t> parameter, ArrayRef<int64_t> input) const;

  /// Where in a parameter that fits, or in a scalar that stands for one of one
  /// element (Q2), the element for an element of the input is.
  SmallVector<ParameterIndex> getIndices(ArrayRef<int64_t> parameter,
                                         ArrayRef<int64_t> input) const;
  /// The same as an indexing map.
  AffineMap getMap(MLIRContext *context, ArrayRef<int64_t> parameter,
                   ArrayRef<int64_t> input) const;
};

/// The same for elements that are numbered in row-major order, of sizes that
/// are all known.
class ParameterElements {
public:
  ParameterElements(const Granularity &granularity, ArrayRef<int64_t> parameter,
                    ArrayRef<int64_t> input);

  /// The parameter's element for this one of the input.
  uint64_t operator[](uint64_t element) const {
    uint64_t result = 0;
    for (const Step &step : steps)
      result += element / step.inner % step.size / step.blockSize * step.stride;
    return result;
  }

private:
  /// A dimension of the input: how many elements lie behind one index of it,
  /// its size, and how its index counts in the parameter.
  struct Step {
    uint64_t inner, size, blockSize, stride;
  };
  SmallVector<Step> steps;
};

} // namespace mlir::quant_float::reference

#endif // QUANT_FLOAT_REFERENCE_GRANULARITY_H
