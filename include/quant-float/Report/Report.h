//===- Report.h - Accuracy report -------------------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   llvm::Expected<AccuracyReport> report =
//       reportAccuracy(model, 0, inputs, {});
//   writeReportJson(json, *report);
//   writeReportHtml(html, *report);
//
// SQNR is the signal-to-quantization-noise ratio in dB, 10 * log10(sum(x^2) /
// sum((x - y)^2)), over the elements that are finite before and after. It is
// infinite if no element differs.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_REPORT_REPORT_H
#define QUANT_FLOAT_REPORT_REPORT_H

#include "quant-float/Model/Model.h"
#include <optional>

namespace mlir::quant_float {

/// The difference between two tensors with the same number of elements.
struct NumberDifference {
  double sqnr = 0;
  /// The maximum of |x - y|, and the maximum of |x - y| / |x| over x != 0.
  double maxAbsolute = 0, maxRelative = 0;
};

/// The number of elements with one quantized value. All values of the type are
/// listed, except that types of more than 8 bits have ranges, of which `value`
/// is the first value.
struct HistogramBin {
  /// The quantized value, without zero point and scale.
  double value;
  int64_t count;
};

struct WorstElement {
  SmallVector<int64_t> index;
  double before, after;
};

/// A scale that is at least 8 times the median, or at most an eighth of it.
struct ScaleOutlier {
  /// The row-major index in the tensor of scales.
  int64_t index;
  double scale, ratio;
};

/// The error of the same tensor in another format. The scale of each group is
/// its largest magnitude divided by the largest value of the format.
struct Alternative {
  /// The type in MLIR's syntax.
  std::string type;
  /// "tensor", "axis 0", "blocks of 32" along the last axis, or "blocks of 32
  /// (MX)" with powers of two as scales.
  std::string granularity;
  double sqnr;
};

/// The error of the same tensor in a block format. Blocks are along the last
/// axis.
struct BlockAlternative {
  /// The format in WeightFormats.def, and the rule that derives its scales.
  std::string format, rule;
  /// The number of rows and the number of elements of a row that share a scale;
  /// -1 is the whole row.
  int64_t rows, columns;
  double sqnr;
};

/// A quantization, or a dequantization of values that no quantization in the
/// model produces.
struct QuantizationReport {
  /// The name of the node in the source model, or a description.
  std::string name;
  /// "quantize", "dequantize", "qdq", "fakeconvert" or "cast".
  std::string operation;
  /// The type and shape of the tensor that is quantized, such as "float[2x3]".
  /// For a dequantization, of its result.
  std::string tensor;
  /// The storage type in MLIR's syntax.
  std::string storage;
  /// The granularity, such as "tensor", "axis 0" or "axis 1, blocks of 32".
  std::string granularity;
  /// Whether the result is independent of the inputs of the model.
  bool isConstant = false;
  /// Whether the numbers before quantization are known. Otherwise only the
  /// histogram, the zeros and the scales are.
  bool hasOriginal = false;
  int64_t numElements = 0;
  /// The range of the finite numbers before quantization, or after it if those
  /// are unknown.
  double min = 0, max = 0;
  /// The counts before quantization, or after it if those are unknown.
  int64_t numNaN = 0, numInfinite = 0;
  /// The numbers of elements beyond the lowest or highest finite quantized
  /// value, that are nonzero before and zero after, that are zero after, and
  /// that are finite before and NaN after.
  int64_t numSaturated = 0, numFlushed = 0, numZero = 0, numLost = 0;
  NumberDifference difference;
  std::vector<WorstElement> worst;
  std::vector<HistogramBin> histogram;
  int64_t numScales = 0;
  double leastScale = 0, medianScale = 0, greatestScale = 0;
  std::vector<ScaleOutlier> outliers;
  std::vector<Alternative> alternatives;
  std::vector<BlockAlternative> blockAlternatives;
  /// The error of the input of this quantization: with all quantizations
  /// compared with none.
  std::optional<NumberDifference> network;
  /// The error of all outputs of the model: with only this quantization
  /// compared with none.
  std::optional<NumberDifference> alone;
};

/// The error of an output of the model, compared with the model without
/// quantizations.
struct OutputReport {
  std::string name, tensor;
  NumberDifference difference;
};

struct AccuracyReport {
  /// The names that the caller uses for the file, the function, and the source
  /// of the inputs.
  std::string model, function, inputs;
  std::vector<QuantizationReport> quantizations;
  std::vector<OutputReport> outputs;
  /// The number of quantizations that are not analyzed, because they are in the
  /// body of another node or their tensors are unranked.
  int64_t numSkipped = 0;
};

/// Analyzes the effect of the quantizations of an entry on constants and, if
/// there are inputs, on intermediate results and outputs. Runs code that is
/// compiled for the CPU in `options`. Fails if it does not compile or run.
llvm::Expected<AccuracyReport>
reportAccuracy(const Model &model, size_t entry,
               std::optional<ArrayRef<Tensor>> inputs,
               const BuildOptions &options);

void writeReportJson(llvm::raw_ostream &os, const AccuracyReport &report);
/// Writes a self-contained HTML page.
void writeReportHtml(llvm::raw_ostream &os, const AccuracyReport &report);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_REPORT_REPORT_H
