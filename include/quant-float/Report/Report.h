//===- Report.h - Accuracy report -------------------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   llvm::Expected<AccuracyReport> report = reportAccuracy(model, 0, inputs,
//   {}); writeReportJson(json, *report); writeReportHtml(html, *report);
//
// SQNR is the signal-to-quantization-noise ratio in dB, 10 * log10(sum(x^2) /
// sum((x - y)^2)) over the elements that are numbers before and after;
// infinite where nothing differs.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_REPORT_REPORT_H
#define QUANT_FLOAT_REPORT_REPORT_H

#include "quant-float/Model/Model.h"
#include <optional>

namespace mlir::quant_float {

/// How two tensors of the same numbers of elements differ.
struct NumberDifference {
  double sqnr = 0;
  /// The largest |x - y|, and the largest |x - y| / |x| where x is not 0.
  double maxAbsolute = 0, maxRelative = 0;
};

/// Elements with one code, of which all are listed; of types of more than 8
/// bits, with one of a range of codes, of which `value` is the first.
struct CodeCount {
  /// What the code stands for, before zero point and scale.
  double value;
  int64_t count;
};

struct WorstElement {
  SmallVector<int64_t> index;
  double before, after;
};

/// A scale at least 8 times, or at most an eighth of, the median.
struct ScaleOutlier {
  /// Row-major, in the tensor of scales.
  int64_t index;
  double scale, ratio;
};

/// The same numbers in another format, by scales of the largest magnitude over
/// the largest value of the format.
struct Alternative {
  /// MLIR's spelling of the type.
  std::string type;
  /// "tensor", "axis 0", "blocks of 32" along the last axis, "blocks of 32
  /// (MX)" with powers of two.
  std::string granularity;
  double sqnr;
};

/// One conversion to few bits, or one back whose codes come from somewhere
/// else.
struct QuantizationReport {
  /// The source model's name of the node, or a description.
  std::string name;
  /// "quantize", "dequantize", "qdq", "fakeconvert" or "cast".
  std::string operation;
  /// "float[2x3]", of what is quantized; of a dequantize, of the result.
  std::string tensor;
  /// MLIR's spelling of the type of codes.
  std::string storage;
  /// "tensor", "axis 0", "axis 1, blocks of 32".
  std::string granularity;
  /// Whether no input of the model changes it.
  bool isConstant = false;
  /// Whether numbers before are known, and so all but codes, zeros and scales.
  bool hasOriginal = false;
  int64_t numElements = 0;
  /// Of the numbers before, or without them after, that are finite.
  double least = 0, greatest = 0;
  /// Before, or without that after.
  int64_t numNaN = 0, numInfinite = 0;
  /// Beyond the lowest or the highest finite code; not 0 before and 0 after; 0
  /// after; numbers before and none after.
  int64_t numSaturated = 0, numFlushed = 0, numZero = 0, numLost = 0;
  NumberDifference difference;
  std::vector<WorstElement> worst;
  std::vector<CodeCount> histogram;
  int64_t numScales = 0;
  double leastScale = 0, medianScale = 0, greatestScale = 0;
  std::vector<ScaleOutlier> outliers;
  std::vector<Alternative> alternatives;
  /// Of what it quantizes: all quantizations before against none.
  std::optional<NumberDifference> network;
  /// Of the model's outputs together: this quantization alone against none.
  std::optional<NumberDifference> alone;
};

/// An output of the model, as it is against the one without quantizations.
struct OutputReport {
  std::string name, tensor;
  NumberDifference difference;
};

struct AccuracyReport {
  /// As the caller calls them: the file, the function, and where inputs come
  /// from.
  std::string model, function, inputs;
  std::vector<QuantizationReport> quantizations;
  std::vector<OutputReport> outputs;
  /// Quantizations in bodies of other nodes, or of tensors without a rank,
  /// which are not looked at.
  int64_t numSkipped = 0;
};

/// What the quantizations of an entry do to its constants, and with inputs also
/// to what it computes. Computes by compiled code for the options' CPU. Fails
/// where that cannot be compiled or run.
llvm::Expected<AccuracyReport>
reportAccuracy(const Model &model, size_t entry,
               std::optional<ArrayRef<Tensor>> inputs,
               const BuildOptions &options);

void writeReportJson(llvm::raw_ostream &os, const AccuracyReport &report);
/// A page that needs nothing but itself.
void writeReportHtml(llvm::raw_ostream &os, const AccuracyReport &report);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_REPORT_REPORT_H
