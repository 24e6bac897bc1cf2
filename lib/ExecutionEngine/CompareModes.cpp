//===- CompareModes.cpp - How the modes of fakeconvert differ -------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/ExecutionEngine/CompareModes.h"
#include "quant-float/ExecutionEngine/ReferenceEvaluator.h"
#include "quant-float/Reference/FakeConvert.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"

using namespace mlir;
using namespace mlir::quant_float;
using llvm::APFloat;
using llvm::APInt;
using reference::FakeConvertSteps;

static constexpr StringLiteral kDifferenceNames[] = {
    "NaN",        "sign of zero",  "double rounding",
    "subnormals", "bf16 rounding", "reciprocal"};
static_assert(std::size(kDifferenceNames) == kNumModeDifferences);

static constexpr std::pair<FakeConvertMode, reference::FakeConvertMode>
    kModes[] = {
        {FakeConvertMode::Exact, reference::FakeConvertMode::Exact},
        {FakeConvertMode::OpenVINO, reference::FakeConvertMode::OpenVINO},
        {FakeConvertMode::OpenVINOReference,
         reference::FakeConvertMode::OpenVINOReference}};
/// Positions there.
enum : unsigned { kExact, kPlugin, kReference };
static constexpr std::pair<unsigned, unsigned> kPairs[] = {
    {kExact, kPlugin}, {kExact, kReference}, {kPlugin, kReference}};

int64_t ModeComparison::getNumDiffering() const {
  int64_t sum = 0;
  for (int64_t count : causes)
    sum += count;
  return sum;
}

//===----------------------------------------------------------------------===//
// One element
//===----------------------------------------------------------------------===//

namespace {
/// What one mode makes of an element, step by step.
struct Trace {
  APFloat scaled, rounded, result;
};

/// One element in every mode.
class Element {
public:
  Element(ArrayRef<FakeConvertSteps> modes, const APFloat &x,
          const APFloat &scale, const std::optional<APFloat> &shift)
      : modes(modes), scale(scale), shift(shift) {
    for (const FakeConvertSteps &steps : modes) {
      APFloat scaled = steps.scale(x, scale, shift);
      APFloat rounded = steps.round(scaled);
      traces.push_back({scaled, rounded, unscale(steps, rounded)});
    }
  }

  /// None where the modes agree.
  std::optional<ModeDifference> compare(unsigned first, unsigned second) const;

private:
  APFloat unscale(const FakeConvertSteps &steps, const APFloat &rounded) const {
    return steps.unscale(rounded, scale, shift);
  }
  ModeDifference explainScaling(unsigned second) const;
  ModeDifference explainResult(unsigned first, unsigned second) const;

  ArrayRef<FakeConvertSteps> modes;
  const APFloat &scale;
  const std::optional<APFloat> &shift;
  SmallVector<Trace, 3> traces;
};
} // namespace

/// Whether the values are alike but for the sign of a zero and that of a NaN.
static bool isAlike(const APFloat &a, const APFloat &b) {
  return (a.isNaN() && b.isNaN()) || a == b;
}

/// Why the second mode's product, less the shift, gives another result.
ModeDifference Element::explainScaling(unsigned second) const {
  const APFloat &scaled = traces[second].scaled;
  // The plugin rounds it once, to nearest even, as it is.
  if (second != kReference || isAlike(scaled, traces[kPlugin].scaled))
    return ModeDifference::DoubleRounding;
  if (modes[second].getType().isBF16())
    return ModeDifference::BFloat16Rounding;
  return modes[second].isSubnormal(scaled) ? ModeDifference::Subnormals
                                           : ModeDifference::DoubleRounding;
}

/// Why the same float8 number gives another result.
ModeDifference Element::explainResult(unsigned first, unsigned second) const {
  const APFloat &rounded = traces[second].rounded;
  if ((first == kPlugin || second == kPlugin) &&
      !isAlike(unscale(modes[kPlugin], rounded),
               unscale(modes[kExact], rounded)))
    return ModeDifference::Reciprocal;
  if (modes[second].getType().isBF16())
    return ModeDifference::BFloat16Rounding;
  return modes[second].isSubnormal(traces[second].result)
             ? ModeDifference::Subnormals
             : ModeDifference::DoubleRounding;
}

/// Takes one step after the other from the second mode, until the result is no
/// longer that of the first.
std::optional<ModeDifference> Element::compare(unsigned first,
                                               unsigned second) const {
  const Trace &one = traces[first], &other = traces[second];
  if (one.result.bitwiseIsEqual(other.result) ||
      (one.result.isNaN() && other.result.isNaN()))
    return std::nullopt;
  if (one.scaled.isNaN() || other.scaled.isNaN())
    return ModeDifference::NaN;
  if (one.result.isZero() && other.result.isZero())
    return ModeDifference::SignOfZero;
  const FakeConvertSteps &steps = modes[first];
  if (!isAlike(unscale(steps, steps.round(other.scaled)), one.result))
    return explainScaling(second);
  if (!isAlike(unscale(steps, other.rounded), one.result)) {
    bool roundsAlike =
        isAlike(modes[kPlugin].round(other.scaled), other.rounded);
    return roundsAlike ? ModeDifference::DoubleRounding
                       : ModeDifference::Subnormals;
  }
  return explainResult(first, second);
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

static APFloat loadElement(const Tensor &tensor, int64_t index) {
  auto type = cast<FloatType>(tensor.getElementType());
  const char *data = tensor.getBytes().data();
  using namespace llvm::support;
  APInt bits = type.getWidth() == 32
                   ? APInt(32, endian::read32le(data + index * 4))
                   : APInt(16, endian::read16le(data + index * 2));
  return APFloat(type.getFloatSemantics(), bits);
}

llvm::Expected<ModeReport>
mlir::quant_float::compareModes(FakeConvertOp op, const Tensor &input,
                                const Tensor &scale, const Tensor *shift) {
  if (llvm::Error error = checkSizes(op, input, scale, shift))
    return std::move(error);
  SmallVector<FakeConvertSteps> modes;
  for (auto [mode, referenceMode] : kModes) {
    // The other attributes are for mode openvino.
    reference::FakeConvertOptions options;
    if (mode == FakeConvertMode::OpenVINO)
      options = op.getReferenceOptions();
    options.mode = referenceMode;
    modes.emplace_back(input.getElementType(), op.getDestination(), options);
  }
  ModeReport report;
  report.numElements = input.getNumElements();
  for (auto [comparison, modes] : llvm::zip_equal(report.comparisons, kPairs)) {
    comparison.first = kModes[modes.first].first;
    comparison.second = kModes[modes.second].first;
  }
  for (int64_t i = 0; i < report.numElements; ++i) {
    int64_t at =
        reference::getBroadcastIndex(i, input.getSizes(), scale.getSizes());
    std::optional<APFloat> shiftElement;
    if (shift)
      shiftElement = loadElement(*shift, at);
    APFloat scaleElement = loadElement(scale, at);
    Element element(modes, loadElement(input, i), scaleElement, shiftElement);
    for (auto [comparison, modes] : llvm::zip_equal(report.comparisons, kPairs))
      if (std::optional<ModeDifference> difference =
              element.compare(modes.first, modes.second))
        ++comparison.causes[static_cast<unsigned>(*difference)];
  }
  return report;
}

void mlir::quant_float::printModeReport(llvm::raw_ostream &os,
                                        const ModeReport &report) {
  for (const ModeComparison &comparison : report.comparisons) {
    os << "  " << stringifyFakeConvertMode(comparison.first) << " and "
       << stringifyFakeConvertMode(comparison.second) << ": "
       << comparison.getNumDiffering() << " of " << report.numElements
       << " differ";
    llvm::ListSeparator separator(", ");
    StringRef begin = ": ";
    for (auto [name, count] :
         llvm::zip_equal(kDifferenceNames, comparison.causes)) {
      if (!count)
        continue;
      os << begin << separator << count << " " << name;
      begin = "";
    }
    os << "\n";
  }
}
