//===- Report.cpp - Analyzes the accuracy of quantizations ----------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/Report/Report.h"
#include "quant-float/IR/Constants.h"

#include "Numbers.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/TypeUtilities.h"
#include "quant-float/IR/EntryPointInfo.h"
#include "quant-float/IR/QuantFloatOps.h"
#include "quant-float/Support/FloatFormat.h"
#include "quant-float/Support/Locations.h"
#include "llvm/ADT/SetVector.h"
#include <cmath>

using namespace mlir;
using namespace mlir::quant_float;

namespace {
/// A quantization and the values of the function that hold its tensors.
struct Site {
  Operation *op;
  Type storage;
  /// Any of these may be null. `after` has the type of `before`.
  Value before, quantized, after, scale, zeroPoint, shift;
  reference::Granularity granularity;
};

/// The tensors of a run by the values of the function.
using Tensors = llvm::DenseMap<Value, Tensor>;
} // namespace

static bool isRanked(Value value) {
  return !value || isa<RankedTensorType>(value.getType());
}

/// Returns the result of a dequantize that converts back to the type that the
/// quantize had, or null.
static Value findRoundTrip(QuantizeOp op) {
  for (Operation *user : op.getResult().getUsers())
    if (auto back = dyn_cast<DequantizeOp>(user))
      if (back.getInput() == op.getResult() &&
          back.getResult().getType() == op.getInput().getType())
        return back.getResult();
  return Value();
}

/// Whether the type is narrow enough for a histogram.
static bool hasFewBits(Type type) {
  return isNumber(type) && !type.isInteger(1) && getNumberWidth(type) <= 16 &&
         !type.isF16() && !type.isBF16();
}

static std::optional<Site> makeSite(Operation *op) {
  if (auto quantize = dyn_cast<QuantizeOp>(op))
    return Site{op,
                getElementTypeOrSelf(quantize.getResult()),
                quantize.getInput(),
                quantize.getResult(),
                findRoundTrip(quantize),
                quantize.getScale(),
                quantize.getZeroPoint(),
                Value(),
                quantize.getGranularity()};
  if (auto dequantize = dyn_cast<DequantizeOp>(op)) {
    // The report of the quantize that produces the input covers this op.
    if (dequantize.getInput().getDefiningOp<QuantizeOp>())
      return std::nullopt;
    return Site{op,
                getElementTypeOrSelf(dequantize.getInput()),
                Value(),
                dequantize.getInput(),
                dequantize.getResult(),
                dequantize.getScale(),
                dequantize.getZeroPoint(),
                Value(),
                dequantize.getGranularity()};
  }
  if (auto qdq = dyn_cast<QdqOp>(op))
    return Site{op,
                qdq.getStorage(),
                qdq.getInput(),
                Value(),
                qdq.getResult(),
                qdq.getScale(),
                qdq.getZeroPoint(),
                Value(),
                qdq.getGranularity()};
  if (auto convert = dyn_cast<FakeConvertOp>(op))
    return Site{op,
                convert.getDestination(),
                convert.getInput(),
                Value(),
                convert.getResult(),
                convert.getScale(),
                Value(),
                convert.getShift(),
                reference::Granularity::getBroadcast()};
  auto cast = dyn_cast<CastOp>(op);
  if (!cast || !cast.hasOnnxRules())
    return std::nullopt;
  Type from = getElementTypeOrSelf(cast.getInput());
  Type to = getElementTypeOrSelf(cast.getResult());
  if (!isStandardFloat(from) || !isNarrowFloat(to))
    return std::nullopt;
  return Site{op,      to,      cast.getInput(), cast.getResult(),
              Value(), Value(), Value(),         Value(),
              {}};
}

static SmallVector<Site> findSites(func::FuncOp function, int64_t &numSkipped) {
  SmallVector<Site> sites;
  function.walk([&](Operation *op) {
    std::optional<Site> site = makeSite(op);
    if (!site || !hasFewBits(site->storage))
      return;
    if (op->getParentOp() != function ||
        !llvm::all_of(op->getOperands(), isRanked) ||
        !llvm::all_of(op->getResults(), isRanked))
      ++numSkipped;
    else
      sites.push_back(*site);
  });
  return sites;
}

/// Returns the values that are independent of the function's inputs.
static llvm::DenseSet<Value> findConstants(func::FuncOp function) {
  llvm::DenseSet<Value> constants;
  for (Operation &op : function.front())
    if (op.getNumRegions() == 0 &&
        llvm::all_of(op.getOperands(),
                     [&](Value value) { return constants.contains(value); }))
      constants.insert_range(op.getResults());
  return constants;
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

/// Makes the function return `values` in addition to its results. Without
/// inputs, removes its arguments and results, and the operations that become
/// unused.
static void returnValues(func::FuncOp function, ArrayRef<Value> values,
                         bool hasInputs) {
  Block &block = function.front();
  Operation *terminator = block.getTerminator();
  SmallVector<Value> results;
  if (hasInputs)
    llvm::append_range(results, terminator->getOperands());
  llvm::append_range(results, values);
  terminator->setOperands(results);
  function.removeResAttrsAttr();
  if (!hasInputs) {
    SmallVector<Operation *> ops;
    for (Operation &op : block.without_terminator())
      ops.push_back(&op);
    for (Operation *op : llvm::reverse(ops))
      if (op->use_empty())
        op->erase();
    function.removeArgAttrsAttr();
    block.eraseArguments([](BlockArgument) { return true; });
  }
  function.setFunctionType(FunctionType::get(function.getContext(),
                                             block.getArgumentTypes(),
                                             ValueRange(results).getTypes()));
}

namespace {
/// The function in a copy of the model, to which results can be added.
class Probe {
public:
  Probe(const Model &model, size_t entry)
      : model(model.clone()), function(this->model.getEntryFunctions()[entry]) {
  }

  func::FuncOp getFunction() const { return function; }

  llvm::Expected<CompiledModel> compile(const BuildOptions &options) {
    model.setUnverified();
    BuildOptions build = options;
    build.entry = function.getSymName().str();
    return model.compile(build);
  }

private:
  Model model;
  func::FuncOp function;
};
} // namespace

/// Returns the tensors of the chosen sites. Reads constants from the model and
/// computes all others with compiled code.
static llvm::Expected<Tensors>
computeTensors(const Model &model, size_t entry, ArrayRef<unsigned> chosen,
               std::optional<ArrayRef<Tensor>> inputs,
               const BuildOptions &options) {
  Probe probe(model, entry);
  func::FuncOp function = probe.getFunction();
  // The copy has the same sites as the model, in the same order.
  int64_t numSkipped = 0;
  SmallVector<Site> copies = findSites(function, numSkipped);
  SmallVector<Site> originals =
      findSites(model.getEntryFunctions()[entry], numSkipped);
  Tensors tensors;
  llvm::SetVector<Value> needed;
  // Maps values of the copy to values of the model.
  llvm::DenseMap<Value, Value> original;
  for (unsigned index : chosen) {
    Value Site::*members[] = {&Site::before, &Site::quantized, &Site::after,
                              &Site::scale,  &Site::zeroPoint, &Site::shift};
    for (Value Site::*member : members) {
      Value value = copies[index].*member, key = originals[index].*member;
      if (!value || tensors.contains(key))
        continue;
      if (auto argument = dyn_cast<BlockArgument>(value)) {
        tensors.try_emplace(key, (*inputs)[argument.getArgNumber()]);
      } else if (auto constant = value.getDefiningOp<AnyConstantOp>()) {
        llvm::Expected<Tensor> tensor =
            Tensor::fromAttribute(cast<ElementsAttr>(constant.getValue()),
                                  getElementTypeOrSelf(value));
        if (!tensor)
          return tensor.takeError();
        tensors.try_emplace(key, std::move(*tensor));
      } else {
        needed.insert(value);
        original[value] = key;
      }
    }
  }
  if (needed.empty())
    return tensors;
  size_t first = inputs ? function.getNumResults() : 0;
  returnValues(function, needed.getArrayRef(), inputs.has_value());
  llvm::Expected<CompiledModel> compiled = probe.compile(options);
  if (!compiled)
    return compiled.takeError();
  auto results = compiled->run(0, inputs.value_or(ArrayRef<Tensor>()));
  if (!results)
    return results.takeError();
  for (auto [index, value] : llvm::enumerate(needed))
    tensors.try_emplace(original[value], (*results)[first + index]);
  return tensors;
}

//===----------------------------------------------------------------------===//
// One quantization
//===----------------------------------------------------------------------===//

static std::string spell(Type type) {
  std::string description;
  llvm::raw_string_ostream(description) << type;
  return description;
}

static std::string describeGranularity(const Site &site,
                                       ArrayRef<int64_t> sizes,
                                       int64_t numScales) {
  if (site.granularity.isBroadcast)
    return numScales == 1 ? "tensor" : "broadcast";
  std::optional<int64_t> axis = site.granularity.getAxis(sizes.size());
  if (!axis || numScales == 1)
    return "tensor";
  std::string description = "axis " + std::to_string(*axis);
  if (site.granularity.blockSize)
    description += ", blocks of " + std::to_string(*site.granularity.blockSize);
  return description;
}

/// Computes `after` from the quantized values, or the quantized values from
/// `after`. The product of a float and a narrow integer is exact in double and
/// is rounded once, as in dequantize.
static void
completeQuantized(const Site &site, ArrayRef<int64_t> sizes,
                  ArrayRef<int64_t> scaleSizes, ArrayRef<double> scales,
                  ArrayRef<double> zeroPoints, ArrayRef<double> shifts,
                  std::vector<double> &quantized, std::vector<double> &after) {
  StorageRange range(site.storage);
  // Casts have no scale.
  std::optional<reference::ParameterElements> elements;
  if (!scales.empty())
    elements.emplace(site.granularity, scaleSizes, sizes);
  auto get = [&](ArrayRef<double> parameters, size_t index, double none) {
    return parameters.empty() ? none : parameters[(*elements)[index]];
  };
  bool fromQuantized = after.empty();
  if (fromQuantized)
    after.resize(quantized.size());
  else
    quantized.resize(after.size());
  for (size_t i = 0; i < quantized.size(); ++i) {
    double scale = get(scales, i, 1), zero = get(zeroPoints, i, 0);
    if (fromQuantized) {
      after[i] = float((quantized[i] - zero) * scale);
    } else if (site.granularity.isBroadcast) {
      // fakeconvert multiplies by the scale before it quantizes.
      double scaled = after[i] * scale - get(shifts, i, 0);
      quantized[i] = std::isnan(scaled) ? scaled : range.round(scaled);
    } else {
      double scaled = after[i] / scale + zero;
      quantized[i] = std::isnan(scaled) ? scaled : range.round(scaled);
    }
  }
}

static llvm::Expected<QuantizationReport> describeSite(const Site &site,
                                                       const Tensors &tensors) {
  QuantizationReport report;
  report.name = getNodeName(site.op->getLoc()).str();
  report.operation = site.op->getName().stripDialect().str();
  report.storage = spell(site.storage);

  std::vector<double> before, quantized, after, scales, zeroPoints, shifts;
  auto read = [&](Value value, std::vector<double> &numbers) -> llvm::Error {
    if (!value)
      return llvm::Error::success();
    auto found = readNumbers(tensors.at(value), getElementTypeOrSelf(value));
    if (!found)
      return found.takeError();
    numbers = std::move(*found);
    return llvm::Error::success();
  };
  for (auto [value, numbers] : {std::pair(site.before, &before),
                                {site.quantized, &quantized},
                                {site.after, &after},
                                {site.scale, &scales},
                                {site.zeroPoint, &zeroPoints},
                                {site.shift, &shifts}})
    if (llvm::Error error = read(value, *numbers))
      return std::move(error);

  const Tensor &shaped = tensors.at(site.before ? site.before : site.quantized);
  ArrayRef<int64_t> sizes = shaped.getSizes();
  report.tensor = tensors
                      .at(site.before  ? site.before
                          : site.after ? site.after
                                       : site.quantized)
                      .spell();
  ArrayRef<int64_t> scaleSizes;
  if (site.scale)
    scaleSizes = tensors.at(site.scale).getSizes();
  report.granularity = describeGranularity(site, sizes, scales.size());
  if (quantized.empty() || after.empty())
    completeQuantized(site, sizes, scaleSizes, scales, zeroPoints, shifts,
                      quantized, after);
  countElements(report, site.storage, sizes, before, after, quantized);
  describeScales(report, scales);
  MLIRContext *context = site.op->getContext();
  ArrayRef<double> numbers = report.hasOriginal ? before : after;
  report.alternatives = findAlternatives(context, sizes, numbers);
  report.blockAlternatives = findBlockAlternatives(context, sizes, numbers);
  return report;
}

//===----------------------------------------------------------------------===//
// The network
//===----------------------------------------------------------------------===//

/// Adds a scalar argument that selects between the result and the input of a
/// quantization. Returns false if there is no result of the input's type,
/// because quantized values are used directly.
static bool addSwitch(func::FuncOp function, const Site &site) {
  if (!site.before || !site.after ||
      site.before.getType() != site.after.getType())
    return false;
  OpBuilder builder(site.op->getContext());
  unsigned index = function.getNumArguments();
  if (failed(function.insertArgument(
          index, RankedTensorType::get({}, builder.getI1Type()), {},
          site.op->getLoc())))
    return false;
  builder.setInsertionPointAfterValue(site.after);
  // Read the operand again, because another switch may have replaced it.
  constexpr int64_t kWhereOpset = 16;
  auto chosen = NodeOp::create(
      builder, site.op->getLoc(), site.after.getType(), "Where",
      {function.getArgument(index), site.after, site.op->getOperand(0)},
      /*domain=*/"", kWhereOpset, /*node_name=*/StringAttr(),
      /*node_attributes=*/builder.getDictionaryAttr({}),
      /*absent_inputs=*/ArrayRef<int64_t>(),
      /*body_names=*/builder.getStrArrayAttr({}), /*bodiesCount=*/0);
  Value(site.after).replaceAllUsesExcept(chosen.getResult(0), chosen);
  return true;
}

static llvm::Expected<Tensor> makeSwitch(MLIRContext *context, bool isOn) {
  auto type = RankedTensorType::get({}, IntegerType::get(context, 1));
  return Tensor::fromAttribute(DenseElementsAttr::get(type, isOn),
                               type.getElementType());
}

/// Returns the elements of all numeric tensors, concatenated. Skips other
/// tensors, such as strings.
static llvm::Expected<std::vector<double>> readAll(ArrayRef<Tensor> tensors,
                                                   ArrayRef<Type> types) {
  std::vector<double> all;
  for (auto [tensor, type] : llvm::zip_equal(tensors, types)) {
    Type element = getElementTypeOrSelf(type);
    if (!isNumber(element))
      continue;
    auto numbers = readNumbers(tensor, element);
    if (!numbers)
      return numbers.takeError();
    llvm::append_range(all, *numbers);
  }
  return all;
}

/// Runs with all quantizations, with none, and with each of them alone.
static llvm::Error compareNetworks(AccuracyReport &report, const Model &model,
                                   size_t entry, ArrayRef<Tensor> inputs,
                                   const BuildOptions &options) {
  Probe probe(model, entry);
  func::FuncOp function = probe.getFunction();
  int64_t numSkipped = 0;
  SmallVector<Site> sites = findSites(function, numSkipped);
  SmallVector<Type> types(function.getResultTypes());
  SmallVector<unsigned> switched, probed;
  SmallVector<Value> values;
  for (auto [index, site] : llvm::enumerate(sites))
    if (addSwitch(function, site))
      switched.push_back(index);
  if (switched.empty())
    return llvm::Error::success();
  for (auto [index, site] : llvm::enumerate(sites))
    if (site.before && !report.quantizations[index].isConstant) {
      // The operand includes the switches of other quantizations.
      Value before = site.op->getOperand(0);
      probed.push_back(index);
      values.push_back(before);
      types.push_back(before.getType());
    }
  size_t numOutputs = function.getNumResults();
  returnValues(function, values, /*hasInputs=*/true);
  llvm::Expected<CompiledModel> compiled = probe.compile(options);
  if (!compiled)
    return compiled.takeError();

  // The quantizations that are enabled: all, none, or the one with this index.
  enum : int { kAll = -1, kNone = -2 };
  auto run = [&](int which) -> llvm::Expected<std::vector<Tensor>> {
    std::vector<Tensor> all(inputs);
    for (unsigned i = 0; i < switched.size(); ++i) {
      auto one =
          makeSwitch(function.getContext(), which == kAll || which == int(i));
      if (!one)
        return one.takeError();
      all.push_back(std::move(*one));
    }
    return compiled->run(0, all);
  };
  auto off = run(kNone);
  if (!off)
    return off.takeError();
  auto on = run(kAll);
  if (!on)
    return on.takeError();
  auto compare = [&](ArrayRef<Tensor> one, ArrayRef<Tensor> other, size_t first,
                     size_t count) -> llvm::Expected<NumberDifference> {
    auto before =
        readAll(one.slice(first, count), ArrayRef(types).slice(first, count));
    if (!before)
      return before.takeError();
    auto after =
        readAll(other.slice(first, count), ArrayRef(types).slice(first, count));
    if (!after)
      return after.takeError();
    // Data-dependent shapes may differ.
    if (before->size() != after->size())
      return NumberDifference{std::nan(""), 0, 0};
    return compareNumbers(*before, *after);
  };
  func::FuncOp named = model.getEntryFunctions()[entry];
  for (size_t i = 0; i < numOutputs; ++i) {
    auto difference = compare(*off, *on, i, 1);
    if (!difference)
      return difference.takeError();
    OutputReport &output = report.outputs.emplace_back();
    if (auto name = named.getResultAttrOfType<StringAttr>(i, kNameAttrName))
      output.name = name.str();
    output.tensor = (*on)[i].spell();
    output.difference = *difference;
  }
  for (auto [position, index] : llvm::enumerate(probed)) {
    auto difference = compare(*off, *on, numOutputs + position, 1);
    if (!difference)
      return difference.takeError();
    report.quantizations[index].network = *difference;
  }
  for (auto [position, index] : llvm::enumerate(switched)) {
    auto alone = run(position);
    if (!alone)
      return alone.takeError();
    auto difference = compare(*off, *alone, 0, numOutputs);
    if (!difference)
      return difference.takeError();
    report.quantizations[index].alone = *difference;
  }
  return llvm::Error::success();
}

llvm::Expected<AccuracyReport>
quant_float::reportAccuracy(const Model &model, size_t entry,
                            std::optional<ArrayRef<Tensor>> inputs,
                            const BuildOptions &options) {
  AccuracyReport report;
  func::FuncOp function = model.getEntryFunctions()[entry];
  report.function = function.getSymName().str();
  SmallVector<Site> sites = findSites(function, report.numSkipped);
  llvm::DenseSet<Value> constants = findConstants(function);
  auto isConstant = [&](const Site &site) {
    return llvm::all_of(site.op->getOperands(),
                        [&](Value value) { return constants.contains(value); });
  };
  SmallVector<unsigned> chosen;
  for (auto [index, site] : llvm::enumerate(sites))
    if (inputs || isConstant(site))
      chosen.push_back(index);
  auto tensors = computeTensors(model, entry, chosen, inputs, options);
  if (!tensors)
    return tensors.takeError();
  for (unsigned index : chosen) {
    auto described = describeSite(sites[index], *tensors);
    if (!described)
      return described.takeError();
    described->isConstant = isConstant(sites[index]);
    if (described->name.empty())
      described->name = described->operation + " " + std::to_string(index);
    report.quantizations.push_back(std::move(*described));
  }
  if (inputs)
    if (llvm::Error error =
            compareNetworks(report, model, entry, *inputs, options))
      return std::move(error);
  return report;
}
