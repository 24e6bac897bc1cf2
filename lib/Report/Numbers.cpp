//===- Numbers.cpp - The numbers of tensors and their statistics ----------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Numbers.h"

#include "quant-float/IR/ElementTypes.h"
#include "quant-float/Support/FloatFormat.h"
#include "quant-float/Support/ModelError.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

using namespace mlir;
using namespace mlir::quant_float;

static constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// The maximum numbers of worst elements and of outliers in a report.
static constexpr size_t kWorst = 5, kOutliers = 16;
/// The number of ranges of a histogram of a type of more than 8 bits.
static constexpr int64_t kRanges = 64;

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

/// Returns the number that the bits of an element represent.
static double getNumber(Type type, uint64_t bits) {
  if (isFloat(type))
    return FloatFormat(type).getValue(bits).convertToDouble();
  unsigned width = getNumberWidth(type);
  if (type.isUnsignedInteger() || width == 1)
    return double(bits);
  return double(llvm::SignExtend64(bits, width));
}

llvm::Expected<std::vector<double>> quant_float::readNumbers(const Tensor &from,
                                                             Type type) {
  llvm::Expected<Tensor> tensor = from.unpack();
  if (!tensor)
    return tensor.takeError();
  if (!isNumber(type))
    return llvm::make_error<ModelError>(
        ErrorKind::Model, "expected numbers, but got " + tensor->spell());
  unsigned bytes = tensor->getElement().getSlotBytes();
  unsigned width = getNumberWidth(type);
  const char *data = tensor->getBytes().data();
  std::vector<double> numbers(tensor->getNumElements());
  // Decode each encoding of a narrow type only once.
  std::vector<double> table;
  for (uint64_t encoding = 0; width <= 16 && encoding < uint64_t(1) << width;
       ++encoding)
    table.push_back(getNumber(type, encoding));
  for (auto [index, number] : llvm::enumerate(numbers)) {
    uint64_t bits = 0;
    std::memcpy(&bits, data + index * bytes, bytes);
    if (width < 64)
      bits &= (uint64_t(1) << width) - 1;
    if (type.isF32())
      number = llvm::bit_cast<float>(uint32_t(bits));
    else if (type.isF64())
      number = llvm::bit_cast<double>(bits);
    else
      number = table.empty() ? getNumber(type, bits) : table[bits];
  }
  return numbers;
}

StorageRange::StorageRange(Type type) {
  unsigned width = getNumberWidth(type);
  if (!isFloat(type)) {
    bool isUnsigned = type.isUnsignedInteger();
    min = isUnsigned ? 0 : -std::ldexp(1.0, width - 1);
    max = std::ldexp(1.0, width - !isUnsigned) - 1;
    return;
  }
  FloatFormat format(type);
  mantissaBits = format.mantissaBits;
  minExponent = format.minExponent;
  max = format.maxValue.convertToDouble();
  min = format.isSigned ? -max : getNumber(type, 0);
}

int StorageRange::getMaxExponent() const { return std::ilogb(max); }

double StorageRange::round(double number) const {
  number = std::clamp(number, min, max);
  if (isInteger() || number == 0)
    return std::nearbyint(number);
  // The distance to the next number in this binade, which is a power of two.
  constexpr int kMantissa = 52, kBias = 1023;
  int exponent = llvm::bit_cast<uint64_t>(std::fabs(number)) >> kMantissa;
  exponent = std::max(exponent - kBias, minExponent) - *mantissaBits;
  double step = llvm::bit_cast<double>(uint64_t(exponent + kBias) << kMantissa);
  return std::nearbyint(number / step) * step;
}

//===----------------------------------------------------------------------===//
// Differences
//===----------------------------------------------------------------------===//

NumberDifference quant_float::compareNumbers(ArrayRef<double> before,
                                             ArrayRef<double> after) {
  NumberDifference result;
  double signal = 0, noise = 0;
  for (auto [x, y] : llvm::zip_equal(before, after)) {
    if (!std::isfinite(x) || !std::isfinite(y))
      continue;
    double error = std::fabs(x - y);
    signal += x * x;
    noise += error * error;
    result.maxAbsolute = std::max(result.maxAbsolute, error);
    if (x != 0)
      result.maxRelative = std::max(result.maxRelative, error / std::fabs(x));
  }
  result.sqnr = noise == 0 ? kInfinity : 10 * std::log10(signal / noise);
  return result;
}

static SmallVector<int64_t> findIndex(ArrayRef<int64_t> sizes,
                                      int64_t element) {
  SmallVector<int64_t> index(sizes.size());
  for (size_t i = sizes.size(); i-- > 0;) {
    index[i] = element % sizes[i];
    element /= sizes[i];
  }
  return index;
}

static std::vector<HistogramBin> makeHistogram(Type storage,
                                               ArrayRef<double> values) {
  StorageRange range(storage);
  // Order infinities and NaN last.
  auto compare = [](double a, double b) {
    return std::isnan(b) ? !std::isnan(a) : a < b;
  };
  std::map<double, int64_t, decltype(compare)> counts(compare);
  bool isWide = getNumberWidth(storage) > 8;
  double step = (range.getMax() - range.getMin() + 1) / kRanges;
  for (double value : values) {
    if (isWide)
      value =
          range.getMin() + std::floor((value - range.getMin()) / step) * step;
    ++counts[value == 0 ? 0 : value];
  }
  // Include values that do not occur, so that the axis covers all values.
  for (uint64_t encoding = 0;
       !isWide && encoding < uint64_t(1) << getNumberWidth(storage); ++encoding)
    if (double value = getNumber(storage, encoding); std::isfinite(value))
      counts.try_emplace(value == 0 ? 0 : value, 0);
  std::vector<HistogramBin> histogram;
  for (auto [value, count] : counts)
    histogram.push_back({value, count});
  return histogram;
}

void quant_float::countElements(QuantizationReport &report, Type storage,
                                ArrayRef<int64_t> sizes,
                                ArrayRef<double> before, ArrayRef<double> after,
                                ArrayRef<double> quantized) {
  report.numElements = after.size();
  report.hasOriginal = before.size() == after.size();
  StorageRange range(storage);
  ArrayRef<double> numbers = report.hasOriginal ? before : after;
  report.min = kInfinity;
  report.max = -kInfinity;
  for (double number : numbers) {
    report.numNaN += std::isnan(number);
    report.numInfinite += std::isinf(number);
    if (!std::isfinite(number))
      continue;
    report.min = std::min(report.min, number);
    report.max = std::max(report.max, number);
  }
  if (report.min > report.max)
    report.min = report.max = 0;
  report.numZero = llvm::count(after, 0.0);
  report.histogram = makeHistogram(storage, quantized);
  if (!report.hasOriginal)
    return;

  report.difference = compareNumbers(before, after);
  std::vector<std::pair<double, int64_t>> errors;
  for (size_t i = 0; i < before.size(); ++i) {
    double x = before[i], y = after[i];
    if (std::isnan(x))
      continue;
    report.numFlushed += x != 0 && y == 0;
    bool isBeyond = (quantized[i] >= range.getMax() && x > y) ||
                    (quantized[i] <= range.getMin() && x < y);
    report.numSaturated += isBeyond || (std::isinf(y) && std::isfinite(x));
    report.numLost += std::isfinite(x) && std::isnan(y);
    if (std::isfinite(x) && std::isfinite(y) && x != y)
      errors.push_back({-std::fabs(x - y), i});
  }
  size_t count = std::min(kWorst, errors.size());
  std::partial_sort(errors.begin(), errors.begin() + count, errors.end());
  for (auto [error, element] : ArrayRef(errors).take_front(count))
    report.worst.push_back(
        {findIndex(sizes, element), before[element], after[element]});
}

void quant_float::describeScales(QuantizationReport &report,
                                 ArrayRef<double> scales) {
  report.numScales = scales.size();
  if (scales.empty())
    return;
  std::vector<double> sorted(scales);
  // Order NaN last.
  llvm::sort(sorted, [](double a, double b) {
    return std::isnan(b) ? !std::isnan(a) : a < b;
  });
  report.leastScale = sorted.front();
  report.medianScale = sorted[sorted.size() / 2];
  report.greatestScale = sorted.back();
  if (!(report.medianScale > 0))
    return;
  auto getExcess = [](double ratio) { return std::max(ratio, 1 / ratio); };
  for (auto [index, scale] : llvm::enumerate(scales)) {
    double ratio = scale / report.medianScale;
    if (ratio >= 8 || ratio <= 1.0 / 8)
      report.outliers.push_back({int64_t(index), scale, ratio});
  }
  llvm::sort(report.outliers, [&](const auto &a, const auto &b) {
    return std::pair(-getExcess(a.ratio), a.index) <
           std::pair(-getExcess(b.ratio), b.index);
  });
  if (report.outliers.size() > kOutliers)
    report.outliers.resize(kOutliers);
}
