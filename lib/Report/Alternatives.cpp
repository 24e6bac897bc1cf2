//===- Alternatives.cpp - The errors of alternative formats ---------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Numbers.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Threading.h"
#include "quant-float/Reference/BlockScale.h"
#include "quant-float/Support/FloatFormat.h"
#include <cmath>

using namespace mlir;
using namespace mlir::quant_float;

static constexpr int64_t kSample = 1 << 16;
/// The number of elements for block formats, which the Reference quantizes.
static constexpr int64_t kBlockSample = 1 << 13;

/// The candidate types in MLIR's syntax.
static constexpr StringLiteral kTypes[] = {
    "f8E4M3FN", "f8E5M2",   "f8E4M3FNUZ", "f8E5M2FNUZ", "f6E2M3FN",
    "f6E3M2FN", "f4E2M1FN", "i8",         "i4"};

namespace {
/// Defines which elements share a scale.
struct Grouping {
  std::string name;
  /// Maps the row and the position in the row to the index of the group.
  std::function<int64_t(int64_t, int64_t)> getGroup;
  int64_t numGroups;
  bool isPowerOfTwo = false;
};

/// A subset of the rows along the last dimension.
struct Sample {
  /// The indices of the rows, and the number of elements in each.
  std::vector<int64_t> rows;
  int64_t length;
  std::vector<float> numbers;
};
} // namespace

/// Selects evenly spaced rows of about `count` elements together. Replaces
/// numbers that are not finite by 0.
static Sample takeSample(ArrayRef<int64_t> sizes, ArrayRef<double> numbers,
                         int64_t count) {
  Sample sample;
  sample.length = sizes.empty() ? 1 : std::max<int64_t>(sizes.back(), 1);
  int64_t numRows = numbers.size() / sample.length;
  int64_t taken = std::clamp<int64_t>(count / sample.length, 1,
                                      std::max<int64_t>(numRows, 1));
  for (int64_t i = 0; i < std::min(taken, numRows); ++i) {
    int64_t row = i * numRows / taken;
    sample.rows.push_back(row);
    for (double number : numbers.slice(row * sample.length, sample.length))
      sample.numbers.push_back(std::isfinite(float(number)) ? float(number)
                                                            : 0);
  }
  return sample;
}

static std::vector<Grouping> getGroupings(ArrayRef<int64_t> sizes,
                                          const Sample &sample) {
  std::vector<Grouping> groupings;
  groupings.push_back(
      {"tensor", [](int64_t, int64_t) { return 0; }, /*numGroups=*/1});
  int64_t rank = sizes.size(), length = sample.length;
  if (rank >= 2) {
    int64_t inner = 1;
    for (int64_t size : sizes.drop_front().drop_back())
      inner *= size;
    groupings.push_back({"axis 0",
                         [inner](int64_t row, int64_t) { return row / inner; },
                         sizes.front()});
    groupings.push_back({"axis " + std::to_string(rank - 1),
                         [](int64_t, int64_t column) { return column; },
                         length});
  }
  for (int64_t block : {16, 32, 64, 128}) {
    if (block > length)
      break;
    int64_t blocks = llvm::divideCeil(length, block);
    auto getBlock = [=](int64_t row, int64_t column) {
      return row * blocks + column / block;
    };
    int64_t rows = sample.rows.empty() ? 0 : sample.rows.back() + 1;
    std::string name = "blocks of " + std::to_string(block);
    groupings.push_back({name, getBlock, rows * blocks});
    if (block == 32)
      groupings.push_back({name + " (MX)", getBlock, rows * blocks, true});
  }
  return groupings;
}

/// Returns the largest magnitude divided by the largest value of the format.
/// For powers of two, returns the one that gives both the same exponent, as
/// OCP's MX specification does.
static float getScale(const StorageRange &range, float largest,
                      bool isPowerOfTwo) {
  if (largest == 0)
    return 1;
  if (isPowerOfTwo)
    return std::ldexp(1.0f, std::ilogb(largest) - range.getMaxExponent());
  float scale = largest / float(range.getMax());
  return scale > 0 ? scale : 1;
}

std::vector<Alternative>
quant_float::findAlternatives(MLIRContext *context, ArrayRef<int64_t> sizes,
                              ArrayRef<double> numbers) {
  std::vector<Alternative> alternatives;
  if (numbers.empty())
    return alternatives;
  Sample sample = takeSample(sizes, numbers, kSample);
  std::vector<double> before(sample.numbers.begin(), sample.numbers.end());
  std::vector<Grouping> groupings = getGroupings(sizes, sample);
  auto forEach = [&](const Grouping &grouping, auto body) {
    size_t element = 0;
    for (int64_t row : sample.rows)
      for (int64_t column = 0; column < sample.length; ++column, ++element)
        body(element, grouping.getGroup(row, column));
  };
  for (StringRef spelled : kTypes) {
    StorageRange range(parseType(spelled, context));
    for (const Grouping &grouping : groupings) {
      std::vector<float> scales(grouping.numGroups);
      forEach(grouping, [&](size_t element, int64_t group) {
        scales[group] =
            std::max(scales[group], std::fabs(sample.numbers[element]));
      });
      for (float &scale : scales)
        scale = getScale(range, scale, grouping.isPowerOfTwo);
      std::vector<double> after(before.size());
      forEach(grouping, [&](size_t element, int64_t group) {
        float quotient = sample.numbers[element] / scales[group];
        after[element] = float(range.round(quotient)) * scales[group];
      });
      alternatives.push_back(
          {spelled.str(), grouping.name, compareNumbers(before, after).sqnr});
    }
  }
  return alternatives;
}

//===----------------------------------------------------------------------===//
// Block formats
//===----------------------------------------------------------------------===//

namespace {
/// A row of WeightFormats.def. Outputs are rows, and inputs are columns.
struct BlockFormat {
  StringLiteral name, element, scale;
  int64_t rows, columns;
};

/// A format with a rule that it permits.
struct BlockCandidate {
  const BlockFormat *format;
  reference::BlockScaleRule rule;
  StringRef ruleName;
  Type element, scale;
};
} // namespace

static std::vector<BlockCandidate> listCandidates(MLIRContext *context) {
  static constexpr BlockFormat formats[] = {
#define QUANT_FLOAT_WEIGHT_FORMAT(Name, Element, Scale, Outputs, Inputs)       \
  {Name, Element, Scale, Outputs, Inputs},
#include "quant-float/Transforms/WeightFormats.def"
  };
  static constexpr StringLiteral rules[] = {
#define QUANT_FLOAT_BLOCK_SCALE_RULE(Rule, Keyword, ...) Keyword,
#include "quant-float/Reference/BlockScaleRules.def"
  };
  std::vector<BlockCandidate> candidates;
  for (const BlockFormat &format : formats) {
    Type element = parseType(format.element, context);
    Type scale = parseType(format.scale, context);
    for (auto [index, name] : llvm::enumerate(rules)) {
      auto rule = static_cast<reference::BlockScaleRule>(index);
      // Of the formats, those with scales of f8E4M3FN have two levels.
      bool isTwoLevel = reference::isTwoLevel(rule);
      if (reference::isSupported(rule, element, scale) &&
          isTwoLevel == isa<Float8E4M3FNType>(scale))
        candidates.push_back({&format, rule, name, element, scale});
    }
  }
  return candidates;
}

/// Returns the largest magnitude of each block of a matrix. Numbers that are
/// not finite count as 0.
static std::vector<float> findLargest(ArrayRef<double> numbers, int64_t length,
                                      int64_t blockRows, int64_t blockColumns) {
  int64_t numColumns = llvm::divideCeil(length, blockColumns);
  int64_t numRows =
      llvm::divideCeil(int64_t(numbers.size()) / length, blockRows);
  std::vector<float> largest(numRows * numColumns);
  for (auto [index, number] : llvm::enumerate(numbers)) {
    int64_t row = int64_t(index) / length / blockRows;
    float &found =
        largest[row * numColumns + int64_t(index) % length / blockColumns];
    float magnitude = std::fabs(float(number));
    if (std::isfinite(magnitude))
      found = std::max(found, magnitude);
  }
  return largest;
}

template <typename T> static ArrayRef<char> getBytes(ArrayRef<T> array) {
  return {reinterpret_cast<const char *>(array.data()),
          array.size() * sizeof(T)};
}

/// Quantizes and dequantizes the sample in a block format, and returns the
/// SQNR.
static double measure(const BlockCandidate &candidate, const Sample &sample,
                      ArrayRef<double> numbers, float tensorLargest, Type f32) {
  int64_t length = sample.length;
  int64_t blockColumns =
      candidate.format->columns < 0 ? length : candidate.format->columns;
  int64_t numBlocks = llvm::divideCeil(length, blockColumns);
  std::vector<float> largest =
      findLargest(numbers, length, candidate.format->rows, blockColumns);
  reference::TensorLevel tensor;
  std::optional<APFloat> tensorScale;
  if (reference::isTwoLevel(candidate.rule)) {
    tensor.amax = APFloat(tensorLargest);
    tensorScale = reference::getTensorScale(*tensor.amax);
  }
  auto getSize = [](Type type, int64_t count) {
    return size_t(count) * llvm::divideCeil(getNumberWidth(type), 8);
  };
  SmallVector<char> scales(getSize(candidate.scale, numBlocks));
  SmallVector<char> quantized(getSize(candidate.element, length));
  std::vector<float> after(sample.numbers.size());
  ArrayRef<float> before(sample.numbers);
  for (auto [index, row] : llvm::enumerate(sample.rows)) {
    ArrayRef<float> rowLargest = ArrayRef(largest).slice(
        row / candidate.format->rows * numBlocks, numBlocks);
    ArrayRef<char> in = getBytes(before.slice(index * length, length));
    MutableArrayRef<char> out(
        reinterpret_cast<char *>(after.data() + index * length), in.size());
    int64_t block[] = {blockColumns};
    // The buffers have the sizes of the blocks, so that nothing fails.
    (void)reference::blockScaleBuffer(candidate.rule, f32, candidate.element,
                                      candidate.scale, getBytes(rowLargest),
                                      tensor, scales);
    (void)reference::blockQuantizeElementsBuffer(
        candidate.rule, f32, candidate.scale, candidate.element, {length},
        block, in, scales, tensor, std::nullopt, quantized);
    (void)reference::blockDequantizeBuffer(
        candidate.element, candidate.scale, f32, {length}, block, quantized,
        scales, tensorScale, /*tensorFirst=*/false, out);
  }
  return compareNumbers(std::vector<double>(before.begin(), before.end()),
                        std::vector<double>(after.begin(), after.end()))
      .sqnr;
}

std::vector<BlockAlternative> quant_float::findBlockAlternatives(
    MLIRContext *context, ArrayRef<int64_t> sizes, ArrayRef<double> numbers) {
  std::vector<BlockAlternative> alternatives;
  if (numbers.empty())
    return alternatives;
  Sample sample = takeSample(sizes, numbers, kBlockSample);
  float largest =
      findLargest(numbers, numbers.size(), 1, numbers.size()).front();
  Type f32 = Float32Type::get(context);
  std::vector<BlockCandidate> candidates = listCandidates(context);
  alternatives.resize(candidates.size());
  parallelFor(context, 0, candidates.size(), [&](size_t index) {
    const BlockCandidate &candidate = candidates[index];
    const BlockFormat &format = *candidate.format;
    alternatives[index] = {format.name.str(), candidate.ruleName.str(),
                           format.rows, format.columns,
                           measure(candidate, sample, numbers, largest, f32)};
  });
  return alternatives;
}
