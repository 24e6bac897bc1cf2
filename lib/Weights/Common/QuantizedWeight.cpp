//===- QuantizedWeight.cpp - Weights that files store ---------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "QuantizedWeight.h"
#include "../../Interchange/Elements.h"
#include "../../Interchange/Payload.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "quant-float/IR/Constants.h"
#include "quant-float/IR/EntryPointInfo.h"
#include "quant-float/IR/QuantFloatOps.h"
#include "quant-float/Support/Printable.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::target;

//===----------------------------------------------------------------------===//
// Constant and Scales
//===----------------------------------------------------------------------===//

uint32_t Constant::getBits(int64_t i) const {
  unsigned bits = getPackedBits(type);
  const char *data = bytes.data.data();
  uint32_t found = 0;
  // An element of 6 bits may straddle two bytes.
  uint64_t first = uint64_t(i) * bits / 8,
           last = (uint64_t(i) * bits + bits - 1) / 8;
  for (uint64_t byte = last + 1; byte-- != first;)
    found = found << 8 | uint8_t(data[byte]);
  return found >> uint64_t(i) * bits % 8 &
         llvm::maskTrailingOnes<uint32_t>(bits);
}

int64_t Constant::getInteger(int64_t i) const {
  uint32_t found = getBits(i);
  return type.isUnsignedInteger()
             ? int64_t(found)
             : llvm::SignExtend64(found, getPackedBits(type));
}

void Constant::getElements(int64_t first,
                           MutableArrayRef<int16_t> elements) const {
  unsigned bits = getPackedBits(type);
  int mask = llvm::maskTrailingOnes<unsigned>(bits);
  int sign =
      type.isInteger() && !type.isUnsignedInteger() ? 1 << (bits - 1) : 0;
  const char *data = bytes.data.data();
  uint64_t at = uint64_t(first) * bits;
  for (int16_t &element : elements) {
    int found = uint8_t(data[at / 8]) >> at % 8 & mask;
    element = (found ^ sign) - sign;
    at += bits;
  }
}

float Constant::getFloat(int64_t i) const {
  auto floatType = dyn_cast<FloatType>(type);
  if (!floatType)
    return float(getInteger(i));
  const llvm::fltSemantics &semantics = floatType.getFloatSemantics();
  llvm::APFloat value(semantics, APInt(floatType.getWidth(), getBits(i)));
  bool losesInfo;
  value.convert(llvm::APFloat::IEEEsingle(), llvm::APFloat::rmNearestTiesToEven,
                &losesInfo);
  return value.convertToFloat();
}

std::string target::spell(float value) {
  SmallString<32> printed;
  llvm::APFloat(value).toString(printed);
  return std::string(printed);
}

float Scales::get(int64_t i) const {
  float value = values.getFloat(i);
  switch (form) {
  case Form::Plain:
    return value;
  case Form::Product:
    return value * factor.getFloat(getFactorIndex(i));
  case Form::Quotient:
    return value / factor.getFloat(getFactorIndex(i));
  }
  llvm_unreachable("a form of scales");
}

ArrayRef<int64_t> StoredTensor::getDims() const {
  if (const auto *constant = std::get_if<Constant>(&value))
    return constant->dims;
  return std::get<QuantizedWeight>(value).dims;
}

//===----------------------------------------------------------------------===//
// Modules to weights
//===----------------------------------------------------------------------===//

namespace {
class Reader {
public:
  Reader(const Subject &subject) : subject(subject) {}

  FailureOr<Constant> readConstant(Value value, const Twine &part);
  LogicalResult readWeight(Value value, QuantizedWeight &weight);

private:
  /// Accepts integers of at most 8 bits and floats of at most 32 bits.
  LogicalResult checkNumbers(const Constant &constant, StringRef part);
  LogicalResult readScales(Value value, StringRef part, Scales &scales);
  LogicalResult readOrder(NodeOp gather, QuantizedWeight &weight);
  LogicalResult readDequantize(Value value, QuantizedWeight &weight);
  LogicalResult readMinimum(NodeOp reshape, QuantizedWeight &weight);

  const Subject &subject;
};
} // namespace

/// Returns the description of the op that defines the value, for a message.
static std::string spell(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return "an argument";
  if (auto node = dyn_cast<NodeOp>(op))
    return "a node " + printable(node.getOpType());
  return op->getName().getStringRef().str();
}

/// Returns the node if it has one of these kinds and this number of operands,
/// or null.
static NodeOp getNode(Value value, ArrayRef<NodeKind> kinds,
                      unsigned operands) {
  auto node = value.getDefiningOp<NodeOp>();
  bool isThat = node && llvm::is_contained(kinds, getNodeKind(node)) &&
                node.getInputs().size() == operands &&
                node.getAbsentInputs().empty() && node->getNumResults() == 1;
  return isThat ? node : NodeOp();
}

FailureOr<Constant> Reader::readConstant(Value value, const Twine &part) {
  auto op = value.getDefiningOp<AnyConstantOp>();
  auto elements = op ? dyn_cast<ElementsAttr>(op.getValue()) : ElementsAttr();
  if (!elements)
    return diagnose(subject, WeightDiag::NotConstant, part.str(), spell(value));
  auto type = elements.getShapedType();
  std::optional<SharedBytes> bytes = getPayload(elements);
  uint64_t size = getPackedSize(getPackedBits(type.getElementType()),
                                type.getNumElements());
  if (!bytes || (!bytes->data.empty() && bytes->data.size() != size))
    return diagnose(subject, WeightDiag::NoElements, part.str());
  if (bytes->data.empty() && size != 0)
    return diagnose(subject, WeightDiag::WriteMemory, part.str());
  return Constant{type.getElementType(), SmallVector<int64_t>(type.getShape()),
                  type.getNumElements(), std::move(*bytes)};
}

LogicalResult Reader::checkNumbers(const Constant &constant, StringRef part) {
  unsigned bits = getPackedBits(constant.type);
  if (isa<FloatType>(constant.type) ? bits <= 32
                                    : constant.type.isInteger() && bits <= 8)
    return success();
  return diagnose(subject, WeightDiag::ScaleType, part, constant.type);
}

LogicalResult Reader::readScales(Value value, StringRef part, Scales &scales) {
  auto readBoth = [&](Value values, Value factor, int64_t shared) {
    FailureOr<Constant> first = readConstant(values, part);
    FailureOr<Constant> second = readConstant(factor, "scale of " + part);
    if (failed(first) || failed(second))
      return failure();
    scales.values = std::move(*first);
    scales.factor = std::move(*second);
    scales.shared = shared ? shared : std::max<int64_t>(scales.values.count, 1);
    return success(succeeded(checkNumbers(scales.values, part)) &&
                   succeeded(checkNumbers(scales.factor, part)));
  };
  auto skipCast = [](Value value) {
    auto cast = value.getDefiningOp<CastOp>();
    bool widens = cast && cast.hasOnnxRules() &&
                  getElementTypeOrSelf(cast.getType()).isF32() &&
                  isa<FloatType>(getElementTypeOrSelf(cast.getInput())) &&
                  !getElementTypeOrSelf(cast.getInput()).isF64();
    return widens ? cast.getInput() : value;
  };
  if (auto dequantize = value.getDefiningOp<DequantizeOp>()) {
    scales.form = Scales::Form::Product;
    auto type = dyn_cast<RankedTensorType>(dequantize.getInput().getType());
    auto factorType =
        dyn_cast<RankedTensorType>(dequantize.getScale().getType());
    if (!type || !factorType || !type.hasStaticShape() ||
        !factorType.hasStaticShape())
      return diagnose(subject, WeightDiag::NotAWeight,
                      spell(dequantize.getInput()));
    int64_t rank = type.getRank();
    int64_t blockSize = dequantize.getBlockSize().value_or(0);
    int64_t axis = dequantize.getAxis().value_or(1);
    axis += axis < 0 ? rank : 0;
    bool isPerTensor = factorType.getNumElements() == 1;
    // Values that share a factor are consecutive only if all dimensions after
    // the blocked axis are 1.
    bool isBlocked = blockSize && type.getDimSize(axis) % blockSize == 0 &&
                     llvm::all_of(type.getShape().drop_front(axis + 1),
                                  [](int64_t dim) { return dim == 1; });
    // The values of a matrix, of several, share a factor.
    bool isPerMatrix =
        !blockSize && axis == 0 && rank > 2 && type.getNumElements() != 0;
    if (dequantize.getZeroPoint() ||
        (!isPerTensor && !isBlocked && !isPerMatrix) ||
        !getElementTypeOrSelf(dequantize.getType()).isF32())
      return diagnose(subject, WeightDiag::ScaleAxis, axis, type);
    int64_t shared = isPerTensor ? 0
                     : isBlocked ? blockSize
                                 : type.getNumElements() / type.getDimSize(0);
    return readBoth(dequantize.getInput(), dequantize.getScale(), shared);
  }
  if (NodeOp divide = getNode(value, {NodeKind::Div}, 2)) {
    scales.form = Scales::Form::Quotient;
    if (failed(readBoth(skipCast(divide.getInputs()[0]), divide.getInputs()[1],
                        /*shared=*/0)))
      return failure();
    if (scales.factor.count != 1)
      return diagnose(subject, WeightDiag::MinimumShape, scales.factor.count,
                      scales.values.count);
    return success();
  }
  FailureOr<Constant> values = readConstant(skipCast(value), part);
  if (failed(values))
    return failure();
  scales.values = std::move(*values);
  return checkNumbers(scales.values, part);
}

LogicalResult Reader::readDequantize(Value value, QuantizedWeight &weight) {
  auto op = value.getDefiningOp<DequantizeOp>();
  if (!op)
    return diagnose(subject, WeightDiag::NotAWeight, spell(value));
  auto type = dyn_cast<RankedTensorType>(op.getType());
  if (!type || !type.getElementType().isF32())
    return diagnose(subject, WeightDiag::ResultType, op.getType());
  FailureOr<Constant> quantized =
      readConstant(op.getInput(), "quantized values");
  if (failed(quantized) ||
      failed(readScales(op.getScale(), "scales", weight.scales)))
    return failure();
  weight.quantized = std::move(*quantized);
  Type quantizedType = weight.quantized.type;
  if (!quantizedType.isIntOrFloat() || getPackedBits(quantizedType) > 8)
    return diagnose(subject, WeightDiag::QuantizedType, quantizedType);
  weight.dims = weight.quantized.dims;
  weight.columns = weight.dims.empty() ? 1 : weight.dims.back();
  weight.rows = 1;
  for (int64_t dim : ArrayRef(weight.dims).drop_back(!weight.dims.empty()))
    weight.rows *= dim;

  int64_t rank = type.getRank(), axis = op.getAxis().value_or(1);
  axis += axis < 0 ? rank : 0;
  int64_t blockSize = op.getBlockSize().value_or(0);
  if (blockSize && axis == rank - 1)
    weight.group = blockSize;
  else if (!blockSize &&
           (weight.scales.values.count == 1 || (rank == 2 && axis == 0)))
    weight.group = std::max<int64_t>(weight.columns, 1);
  else
    return diagnose(subject, WeightDiag::ScaleAxis, axis, type);
  if (Value zeros = op.getZeroPoint()) {
    FailureOr<Constant> read = readConstant(zeros, "zero points");
    if (failed(read) || failed(checkNumbers(*read, "zero points")))
      return failure();
    // No file format stores zero points of floats. -0 is not equivalent to 0
    // either: it changes the result for values of -0.
    for (int64_t i = 0, e = quantizedType.isInteger() ? 0 : read->count; i != e;
         ++i)
      if (read->getBits(i))
        return diagnose(subject, WeightDiag::FloatZeroPoint, i, quantizedType,
                        spell(read->getFloat(i)));
    if (quantizedType.isInteger())
      weight.zeros = std::move(*read);
  }
  return success();
}

LogicalResult Reader::readOrder(NodeOp gather, QuantizedWeight &weight) {
  FailureOr<Constant> indices = readConstant(gather.getInputs()[1], "indices");
  if (failed(indices))
    return failure();
  int64_t rank = weight.dims.size();
  auto axis = gather.getNodeAttributes().getAs<IntegerAttr>("axis");
  int64_t at = axis ? axis.getInt() : 0;
  bool isOrder = rank != 0 && (at == -1 || at == rank - 1) &&
                 indices->type.isInteger(64) &&
                 indices->count == weight.columns && indices->dims.size() == 1;
  if (!isOrder)
    return diagnose(subject, WeightDiag::Indices);
  SmallVector<bool> isUsed(weight.columns);
  for (int64_t i = 0; i != weight.columns; ++i) {
    int64_t column =
        llvm::support::endian::read64le(indices->bytes.data.data() + 8 * i);
    if (column < 0 || column >= weight.columns || isUsed[column])
      return diagnose(subject, WeightDiag::Indices);
    isUsed[column] = true;
    weight.columnOrder.push_back(column);
  }
  return success();
}

/// The quantized values have a dimension for the groups of a row and one for
/// the elements of a group, because the minimums are broadcast.
LogicalResult Reader::readMinimum(NodeOp reshape, QuantizedWeight &weight) {
  NodeOp addOp =
      getNode(reshape.getInputs()[0], {NodeKind::Add, NodeKind::Sub}, 2);
  if (!addOp)
    return diagnose(subject, WeightDiag::NotAWeight,
                    spell(reshape.getInputs()[0]));
  weight.minimumForm = getNodeKind(addOp) == NodeKind::Add
                           ? QuantizedWeight::MinimumForm::Added
                           : QuantizedWeight::MinimumForm::Subtracted;
  if (failed(readDequantize(addOp.getInputs()[0], weight)) ||
      failed(readScales(addOp.getInputs()[1], "minimums", weight.minimums)))
    return failure();
  auto type = dyn_cast<RankedTensorType>(reshape->getResult(0).getType());
  if (!type || !type.getElementType().isF32())
    return diagnose(subject, WeightDiag::ResultType,
                    reshape->getResult(0).getType());
  ArrayRef<int64_t> dims = type.getShape();
  ArrayRef<int64_t> split = weight.dims;
  bool isGrouped = split.size() == dims.size() + 1 && !dims.empty() &&
                   split.drop_back(2) == dims.drop_back() &&
                   split.back() == weight.group &&
                   dims.back() == split.back() * split[split.size() - 2];
  const Scales &scales = weight.scales;
  if (!isGrouped || weight.minimums.values.dims != scales.values.dims ||
      scales.values.count != weight.rows)
    return diagnose(subject, WeightDiag::MinimumShape,
                    spellShape(weight.minimums.values.dims),
                    spellShape(scales.values.dims));
  weight.dims.assign(dims.begin(), dims.end());
  weight.columns = dims.back();
  weight.rows = weight.columns ? weight.quantized.count / weight.columns : 0;
  return success();
}

LogicalResult Reader::readWeight(Value value, QuantizedWeight &weight) {
  NodeOp gather = getNode(value, {NodeKind::Gather}, 2);
  if (gather)
    value = gather.getInputs()[0];
  NodeOp reshape = getNode(value, {NodeKind::Reshape}, 2);
  if (failed(reshape ? readMinimum(reshape, weight)
                     : readDequantize(value, weight)))
    return failure();
  return gather ? readOrder(gather, weight) : success();
}

FailureOr<std::vector<StoredTensor>> target::readWeights(ModuleOp module) {
  Subject file{module.getLoc(), ""};
  auto functions = llvm::to_vector(module.getOps<func::FuncOp>());
  if (functions.size() != 1)
    return diagnose(file, WeightDiag::NoFunction,
                    std::to_string(functions.size()) + " functions");
  func::FuncOp function = functions.front();
  if (function.isExternal() || function.getNumArguments() != 0 ||
      !llvm::hasSingleElement(function.getBody()))
    return diagnose(file, WeightDiag::NoFunction,
                    "'" + printable(function.getName()) + "' with " +
                        std::to_string(function.getNumArguments()) +
                        " arguments");
  std::vector<StoredTensor> tensors;
  llvm::StringSet<> names;
  Operation *terminator = function.getBody().front().getTerminator();
  for (auto [i, value] : llvm::enumerate(terminator->getOperands())) {
    auto name = function.getResultAttrOfType<StringAttr>(i, kNameAttrName);
    Subject subject{value.getLoc(), "result " + std::to_string(i)};
    if (!name || name.empty())
      return diagnose(subject, WeightDiag::NoName);
    subject.prefix = "result '" + printable(name) + "'";
    if (!names.insert(name).second)
      return diagnose(subject, WeightDiag::SameName);
    StoredTensor &tensor =
        tensors.emplace_back(StoredTensor{subject, name.str(), Constant()});
    Reader reader(tensor.subject);
    if (value.getDefiningOp<AnyConstantOp>()) {
      FailureOr<Constant> constant = reader.readConstant(value, "the result");
      if (failed(constant))
        return failure();
      tensor.value = std::move(*constant);
      continue;
    }
    QuantizedWeight weight;
    if (failed(reader.readWeight(value, weight)))
      return failure();
    tensor.value = std::move(weight);
  }
  return tensors;
}
