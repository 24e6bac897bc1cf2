//===- CompareModes.cpp - Compares the modes of fakeconverts --------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompiledCode.h"
#include "SessionCall.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "quant-float/ExecutionEngine/ReferenceEvaluator.h"
#include "quant-float/IR/Constants.h"
#include "quant-float/Model/Model.h"
#include "quant-float/Reference/FakeConvert.h"
#include "quant-float/Support/Locations.h"
#include "quant-float/Support/Printable.h"
#include "llvm/ADT/SetVector.h"
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
/// Indices into kModes.
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
/// The intermediate results of one element in one mode.
struct Trace {
  APFloat scaled, rounded, result;
};

/// The intermediate results of one element in every mode.
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

  /// Returns the cause of the difference, or none if the modes agree.
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

/// Whether two values are equal, ignoring the signs of zeros and NaNs.
static bool isAlike(const APFloat &a, const APFloat &b) {
  return (a.isNaN() && b.isNaN()) || a == b;
}

/// Returns why the scaled and shifted value of the second mode changes the
/// result.
ModeDifference Element::explainScaling(unsigned second) const {
  const APFloat &scaled = traces[second].scaled;
  // The plugin rounds this value once, to nearest even.
  if (second != kReference || isAlike(scaled, traces[kPlugin].scaled))
    return ModeDifference::DoubleRounding;
  if (modes[second].getType().isBF16())
    return ModeDifference::BFloat16Rounding;
  return modes[second].isSubnormal(scaled) ? ModeDifference::Subnormals
                                           : ModeDifference::DoubleRounding;
}

/// Returns why the same float8 value leads to a different result.
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

/// Replaces the steps of the first mode by those of the second, one after the
/// other, until the result changes.
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
// One fakeconvert
//===----------------------------------------------------------------------===//

static APFloat loadElement(FloatType type, const Tensor &tensor,
                           int64_t index) {
  const char *data = tensor.getBytes().data();
  using namespace llvm::support;
  APInt bits = type.getWidth() == 32
                   ? APInt(32, endian::read32le(data + index * 4))
                   : APInt(16, endian::read16le(data + index * 2));
  return APFloat(type.getFloatSemantics(), bits);
}

/// Evaluates every element in every mode with the Reference. Fails if the
/// shapes do not broadcast. The attributes that only the mode openvino uses are
/// ignored for the other modes.
static llvm::Error compareElements(FakeConvertOp op, const Tensor &input,
                                   const Tensor &scale, const Tensor *shift,
                                   FakeConvertReport &report) {
  if (llvm::Error error = checkSizes(op, input, scale, shift))
    return error;
  auto type = cast<FloatType>(getElementTypeOrSelf(op.getInput()));
  SmallVector<FakeConvertSteps> modes;
  for (auto [mode, referenceMode] : kModes) {
    // Only the mode openvino uses the other attributes.
    reference::FakeConvertOptions options;
    if (mode == FakeConvertMode::OpenVINO)
      options = op.getReferenceOptions();
    options.mode = referenceMode;
    modes.emplace_back(type, op.getDestination(), options);
  }
  report.numElements = input.getNumElements();
  for (auto [comparison, modes] : llvm::zip_equal(report.comparisons, kPairs)) {
    comparison.first = kModes[modes.first].first;
    comparison.second = kModes[modes.second].first;
  }
  reference::ParameterElements elements(reference::Granularity::getBroadcast(),
                                        scale.getSizes(), input.getSizes());
  for (int64_t i = 0; i < report.numElements; ++i) {
    uint64_t at = elements[i];
    std::optional<APFloat> shiftElement;
    if (shift)
      shiftElement = loadElement(type, *shift, at);
    APFloat scaleElement = loadElement(type, scale, at);
    Element element(modes, loadElement(type, input, i), scaleElement,
                    shiftElement);
    for (auto [comparison, modes] : llvm::zip_equal(report.comparisons, kPairs))
      if (std::optional<ModeDifference> difference =
              element.compare(modes.first, modes.second))
        ++comparison.causes[static_cast<unsigned>(*difference)];
  }
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Models
//===----------------------------------------------------------------------===//

/// Returns the fakeconverts, or emits an error and returns none. There must be
/// at least one, and all must be in the function's entry block and have ranked
/// operands.
static SmallVector<FakeConvertOp> findFakeConverts(func::FuncOp function) {
  SmallVector<FakeConvertOp> found;
  bool isSupported = true;
  function.walk([&](FakeConvertOp op) {
    found.push_back(op);
    if (op->getParentOp() != function) {
      op->emitError("expected fakeconvert ops outside of the regions of other "
                    "ops to compare their modes");
      isSupported = false;
    } else if (!llvm::all_of(op->getOperandTypes(),
                             llvm::IsaPred<RankedTensorType>)) {
      op->emitError(
          "expected fakeconvert ops on ranked tensors to compare their modes");
      isSupported = false;
    }
  });
  if (found.empty())
    function.emitError("expected a fakeconvert in '")
        << function.getSymName() << "' to compare its modes";
  return isSupported ? found : SmallVector<FakeConvertOp>();
}

/// Makes the function return `values`, and erases the operations that become
/// unused.
static void returnOnly(func::FuncOp function, ArrayRef<Value> values) {
  Block &block = function.front();
  block.getTerminator()->setOperands(values);
  function.setFunctionType(
      FunctionType::get(function.getContext(), block.getArgumentTypes(),
                        llvm::map_to_vector(values, [](Value value) {
                          return value.getType();
                        })));
  function.removeResAttrsAttr();
  SmallVector<Operation *> ops;
  for (Operation &op : block.without_terminator())
    ops.push_back(&op);
  for (Operation *op : llvm::reverse(ops))
    if (op->use_empty())
      op->erase();
}

/// Computes the tensors of `values`.
static llvm::Expected<std::vector<Tensor>>
compute(Session &session, func::FuncOp function, ArrayRef<Value> values,
        ArrayRef<Tensor> inputs, const BuildOptions *options) {
  // Work on a copy, because the caller still needs the fakeconverts.
  IRMapping mapping;
  auto module = function->getParentOfType<ModuleOp>();
  OwningOpRef<ModuleOp> copy = cast<ModuleOp>(module->clone(mapping));
  auto caller = cast<func::FuncOp>(mapping.lookup(function.getOperation()));
  returnOnly(caller, llvm::map_to_vector(values, [&](Value value) {
               return mapping.lookup(value);
             }));
  Model model(session, std::move(copy));
  if (!options) {
    llvm::Expected<size_t> entry = model.findEntry(function.getSymName());
    return entry ? model.evaluate(*entry, describe(inputs)) : entry.takeError();
  }
  BuildOptions build = *options;
  build.entry = function.getSymName().str();
  llvm::Expected<CompiledModel> compiled = model.compile(build);
  if (!compiled)
    return compiled.takeError();
  return compiled->run(0, inputs);
}

llvm::Expected<std::vector<FakeConvertReport>>
Model::compareModes(size_t entry, ArrayRef<qf_tensor> inputs,
                    const BuildOptions *options) {
  SessionCall call(*session);
  llvm::Expected<std::pair<Model, func::FuncOp>> copied =
      copyForReference(call, entry);
  if (!copied)
    return copied.takeError();
  func::FuncOp function = copied->second;
  llvm::Expected<std::vector<Tensor>> bound = bindInputs(function, inputs);
  if (!bound)
    return bound.takeError();
  SmallVector<FakeConvertOp> ops = findFakeConverts(function);
  if (ops.empty())
    return call.fail();

  // Only compute operands that are neither arguments nor constants.
  llvm::DenseMap<Value, Tensor> tensors;
  for (auto [argument, input] :
       llvm::zip_equal(function.getArguments(), *bound))
    tensors.try_emplace(argument, input);
  llvm::SetVector<Value> needed;
  for (FakeConvertOp op : ops)
    for (Value operand : op->getOperands()) {
      if (tensors.contains(operand))
        continue;
      auto constant = operand.getDefiningOp<AnyConstantOp>();
      if (!constant) {
        needed.insert(operand);
        continue;
      }
      llvm::Expected<Tensor> tensor =
          Tensor::fromAttribute(cast<ElementsAttr>(constant.getValue()),
                                getElementTypeOrSelf(operand));
      if (!tensor)
        return tensor.takeError();
      tensors.try_emplace(operand, std::move(*tensor));
    }
  if (!needed.empty()) {
    llvm::Expected<std::vector<Tensor>> computed =
        compute(*session, function, needed.getArrayRef(), *bound, options);
    if (!computed)
      return computed.takeError();
    for (auto [value, tensor] : llvm::zip_equal(needed, *computed))
      tensors.try_emplace(value, tensor);
  }

  std::vector<FakeConvertReport> reports;
  for (FakeConvertOp op : ops) {
    const Tensor &input = tensors.at(op.getInput());
    const Tensor *shift = op.getShift() ? &tensors.at(op.getShift()) : nullptr;
    FakeConvertReport &report = reports.emplace_back();
    report.name = getNodeName(op->getLoc()).str();
    report.input = input.spell();
    llvm::raw_string_ostream(report.destination) << op.getDestination();
    report.isConstant = matchPattern(op.getInput(), m_Constant());
    if (llvm::Error error = compareElements(
            op, input, tensors.at(op.getScale()), shift, report))
      return std::move(error);
  }
  return reports;
}

void quant_float::printFakeConvertReport(llvm::raw_ostream &os, size_t index,
                                         const FakeConvertReport &report) {
  os << "fakeconvert " << index;
  if (!report.name.empty())
    os << " '" << printable(report.name) << "'";
  os << ", " << report.input << " to " << report.destination;
  if (report.isConstant)
    os << ", a constant, which OpenVINO folds as "
       << stringifyFakeConvertMode(FakeConvertMode::OpenVINOReference);
  os << "\n";
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
