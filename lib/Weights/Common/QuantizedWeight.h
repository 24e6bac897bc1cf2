//===- QuantizedWeight.h - Weights that files store -------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_WEIGHTS_COMMON_QUANTIZEDWEIGHT_H
#define QUANT_FLOAT_LIB_WEIGHTS_COMMON_QUANTIZEDWEIGHT_H

#include "../../Interchange/Bytes.h"
#include "../../Interchange/Diagnostics.h"
#include "mlir/IR/BuiltinOps.h"
#include <optional>
#include <variant>
#include <vector>

namespace mlir::quant_float::target {

enum class WeightDiag {
#define ERROR(Id, Text) Id,
#include "WeightDiagnostics.def"
};

inline const DiagnosticInfo &getInfo(WeightDiag id) {
  static constexpr DiagnosticInfo kDiagnostics[] = {
#define ERROR(Id, Text) {DiagnosticSeverity::Error, Text},
#include "WeightDiagnostics.def"
  };
  return kDiagnostics[static_cast<size_t>(id)];
}

/// The elements of a constant, in the layout of files.
struct Constant {
  Type type;
  SmallVector<int64_t> dims;
  int64_t count = 0;
  SharedBytes bytes;

  /// Returns the bits of an element of at most 32 bits.
  uint32_t getBits(int64_t i) const;
  /// Returns an integer, sign-extended unless its type is unsigned.
  int64_t getInteger(int64_t i) const;
  /// Reads consecutive elements of 2, 4 or 8 bits, from index `first` on.
  /// Floats are returned as encodings.
  void getElements(int64_t first, MutableArrayRef<int16_t> elements) const;
  /// Returns the exact value of an integer of at most 8 bits or a float of at
  /// most 32 bits.
  float getFloat(int64_t i) const;
};

/// Returns the decimal representation, such as "0.125", with all significant
/// digits.
std::string spell(float value);

/// The scales or the minimums of a weight, in the order of its groups.
struct Scales {
  enum class Form {
    /// The scales are `values`.
    Plain,
    /// The scales are the products of `values` and `factor`.
    Product,
    /// The scales are the quotients of `values` and `factor`.
    Quotient
  };

  Constant values;
  Form form = Form::Plain;
  Constant factor;
  /// The number of consecutive values that share a factor.
  int64_t shared = 0;

  int64_t getFactorIndex(int64_t i) const { return i / shared; }
  /// Returns a scale as the program computes it.
  float get(int64_t i) const;
};

/// The rows of a weight. Groups of quantized values share a scale. The value is
/// `scale * (quantized - zero)`, plus or minus a minimum if there is one.
struct QuantizedWeight {
  enum class MinimumForm { None, Added, Subtracted };

  SmallVector<int64_t> dims;
  int64_t rows = 1, columns = 1;
  Constant quantized;
  /// The number of elements of a row that share a scale. If entire rows share
  /// one, the row's size.
  int64_t group = 1;
  Scales scales;
  std::optional<Constant> zeros;
  MinimumForm minimumForm = MinimumForm::None;
  Scales minimums;
  /// For each column, its position in the rows of quantized values. Empty if
  /// the order is the same.
  SmallVector<int64_t> columnOrder;

  int64_t getGroups() const { return (columns + group - 1) / group; }
  /// Returns the index of an element's scale.
  int64_t getScaleIndex(int64_t row, int64_t column) const {
    return scales.values.count == 1 ? 0 : row * getGroups() + column / group;
  }
  int64_t getZero(int64_t scaleIndex) const {
    return zeros ? zeros->getInteger(scaleIndex) : 0;
  }
};

/// A named result of the function that contains the weights.
struct StoredTensor {
  Subject subject;
  std::string name;
  std::variant<Constant, QuantizedWeight> value;

  ArrayRef<int64_t> getDims() const;
};

/// Returns the weights of a module that WeightsModule created. Emits an error
/// if files cannot represent one of them.
FailureOr<std::vector<StoredTensor>> readWeights(ModuleOp module);

} // namespace mlir::quant_float::target

#endif // QUANT_FLOAT_LIB_WEIGHTS_COMMON_QUANTIZEDWEIGHT_H
