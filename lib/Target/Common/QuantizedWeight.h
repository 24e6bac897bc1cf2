//===- QuantizedWeight.h - What files of weights can say --------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_TARGET_COMMON_QUANTIZEDWEIGHT_H
#define QUANT_FLOAT_LIB_TARGET_COMMON_QUANTIZEDWEIGHT_H

#include "Bytes.h"
#include "Diagnostics.h"
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

/// The elements of a constant, as files have them.
struct Constant {
  Type type;
  SmallVector<int64_t> dims;
  int64_t count = 0;
  SharedBytes bytes;

  /// Of an element of 32 bits or less.
  uint32_t getBits(int64_t i) const;
  /// An integer, signed as its type is.
  int64_t getInteger(int64_t i) const;
  /// Several of 2, 4 or 8 bits; of floats the bits.
  void getCodes(int64_t first, MutableArrayRef<int16_t> codes) const;
  /// The exact value of an integer of 8 bits or a float of 32 or less.
  float getFloat(int64_t i) const;
};

/// "0.125", with all digits that it takes.
std::string spell(float value);

/// Scales, or minimums, one behind the other as groups are.
struct Scales {
  enum class Form {
    /// They are `values`.
    Plain,
    /// Products of `values` and `factor`.
    Product,
    /// Quotients.
    Quotient
  };

  Constant values;
  Form form = Form::Plain;
  Constant factor;
  /// Consecutive values that share a factor.
  int64_t shared = 0;

  int64_t getFactorIndex(int64_t i) const { return i / shared; }
  /// As the program has it.
  float get(int64_t i) const;
};

/// The rows of a weight, of codes in groups that share a scale:
/// `scale * (code - zero)` with or without a minimum.
struct QuantizedWeight {
  enum class MinimumForm { None, Added, Subtracted };

  SmallVector<int64_t> dims;
  int64_t rows = 1, columns = 1;
  Constant codes;
  /// Elements of a row that share a scale; all where rows do.
  int64_t group = 1;
  Scales scales;
  std::optional<Constant> zeros;
  MinimumForm minimumForm = MinimumForm::None;
  Scales minimums;
  /// By column: where it is in the rows of codes. Empty: in its place.
  SmallVector<int64_t> places;

  int64_t getGroups() const { return (columns + group - 1) / group; }
  /// The number of an element's scale.
  int64_t getScaleIndex(int64_t row, int64_t place) const {
    return scales.values.count == 1 ? 0 : row * getGroups() + place / group;
  }
  int64_t getZero(int64_t scaleIndex) const {
    return zeros ? zeros->getInteger(scaleIndex) : 0;
  }
};

/// A result of the function of weights.
struct StoredTensor {
  Subject subject;
  std::string name;
  std::variant<Constant, QuantizedWeight> value;

  ArrayRef<int64_t> getDims() const;
};

/// The weights of a module, as WeightsModule makes it; an error of what files
/// of weights cannot say.
FailureOr<std::vector<StoredTensor>> readWeights(ModuleOp module);

} // namespace mlir::quant_float::target

#endif // QUANT_FLOAT_LIB_TARGET_COMMON_QUANTIZEDWEIGHT_H
