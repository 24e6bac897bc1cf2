//===- Arguments.cpp - Arguments of torch ops -----------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arguments.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "quant-float/Support/FloatFormat.h"
#include "quant-float/Support/LlvmCompat.h"
#include "llvm/ADT/SmallString.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::torch_ops;

/// The maximum number of elements of a constant that is read.
static constexpr int64_t kMaxElements = int64_t(1) << 24;

Operation *torch_ops::getDefinition(Value value) {
  Operation *op = value.getDefiningOp();
  // An op in a graph region may use its own result.
  for (int depth = 0; depth < 8 && op && op->getNumOperands() == 1 &&
                      op->getName().getStringRef() == "torch.derefine";
       ++depth)
    op = op->getOperand(0).getDefiningOp();
  return op;
}

static bool isNamed(Operation *op, StringRef name) {
  return op && op->getName().getStringRef() == name;
}

std::optional<Number> torch_ops::readNumber(Value value) {
  Operation *op = getDefinition(value);
  if (!op || op->getName().getDialectNamespace() != "torch")
    return std::nullopt;
  UnregisteredOp constant(op);
  StringRef name = constant.getName();
  if (name == "constant.int") {
    if (std::optional<int64_t> integer = constant.getInt("value"))
      return Number::fromInt(*integer);
  } else if (name == "constant.float") {
    if (std::optional<double> real = constant.getFloat("value"))
      return Number::fromFloat(*real);
  } else if (name == "constant.bool") {
    if (std::optional<bool> flag = constant.getFlag("value"))
      return Number{Number::Kind::Bool, *flag, 0};
  } else if (name == "aten.Int.bool" && op->getNumOperands() == 1) {
    // Its operand is a constant; further conversions do not occur.
    Operation *flag = getDefinition(op->getOperand(0));
    if (isNamed(flag, "torch.constant.bool"))
      if (std::optional<bool> value = UnregisteredOp(flag).getFlag("value"))
        return Number::fromInt(*value);
  }
  return std::nullopt;
}

std::string torch_ops::showNumber(Number number) {
  if (!number.isFloat())
    return std::to_string(number.integer);
  SmallString<16> digits;
  APFloat(number.real).toString(digits);
  return digits.str().str();
}

bool torch_ops::isNone(OpImporter &op, size_t index) {
  return index >= op.inputs.size() ||
         isNamed(getDefinition(op.inputs[index]), "torch.constant.none");
}

LogicalResult torch_ops::failOperand(OpImporter &op, size_t index,
                                     const Twine &expected) {
  std::string got = "none";
  if (index < op.inputs.size() && !isNone(op, index)) {
    std::optional<Number> number = readNumber(op.inputs[index]);
    if (!number)
      got = "a value of type " + showType(op.inputs[index].getType());
    else
      got = showNumber(*number);
  }
  return op.unsupported("operand " + Twine(index) + ": expected " + expected +
                        ", but got " + got);
}

FailureOr<Value> torch_ops::requireTensor(OpImporter &op, size_t index) {
  if (index < op.inputs.size() && isa<TensorType>(op.inputs[index].getType()))
    return op.inputs[index];
  return failOperand(op, index, "a tensor");
}

FailureOr<Value> torch_ops::requireRankedTensor(OpImporter &op, size_t index) {
  if (index < op.inputs.size() &&
      isa<RankedTensorType>(op.inputs[index].getType()))
    return op.inputs[index];
  return failOperand(op, index, "a tensor of known rank");
}

FailureOr<RankedTensorType> torch_ops::requireFloats(OpImporter &op,
                                                     int64_t rank) {
  FailureOr<Value> value = requireRankedTensor(op, 0);
  if (failed(value))
    return failure();
  auto type = cast<RankedTensorType>(value->getType());
  if (!isStandardFloat(type.getElementType()) ||
      (rank > 0 && type.getRank() != rank))
    return op.unsupported(
        "operand 0 has the type " + showType(type) + ", but must have " +
        (rank > 0 ? "rank " + std::to_string(rank) + " and " : std::string()) +
        "elements of 'f16', 'bf16', 'f32' or 'f64'");
  return type;
}

FailureOr<Number> torch_ops::requireNumber(OpImporter &op, size_t index) {
  if (index < op.inputs.size())
    if (std::optional<Number> number = readNumber(op.inputs[index]))
      return *number;
  return failOperand(op, index, "a constant number");
}

FailureOr<int64_t> torch_ops::requireIntOperand(OpImporter &op, size_t index) {
  if (index < op.inputs.size())
    if (std::optional<Number> number = readNumber(op.inputs[index]);
        number && !number->isFloat())
      return number->integer;
  return failOperand(op, index, "a constant integer");
}

FailureOr<double> torch_ops::requireDouble(OpImporter &op, size_t index) {
  FailureOr<Number> number = requireNumber(op, index);
  if (failed(number))
    return failure();
  return number->toDouble();
}

FailureOr<bool> torch_ops::requireBool(OpImporter &op, size_t index) {
  FailureOr<int64_t> number = requireIntOperand(op, index);
  if (failed(number))
    return failure();
  return *number != 0;
}

FailureOr<int64_t> torch_ops::getInt(OpImporter &op, size_t index,
                                     int64_t byDefault) {
  if (isNone(op, index))
    return byDefault;
  return requireIntOperand(op, index);
}

FailureOr<double> torch_ops::getDouble(OpImporter &op, size_t index,
                                       double byDefault) {
  if (isNone(op, index))
    return byDefault;
  return requireDouble(op, index);
}

FailureOr<bool> torch_ops::getBool(OpImporter &op, size_t index,
                                   bool byDefault) {
  if (isNone(op, index))
    return byDefault;
  return requireBool(op, index);
}

FailureOr<SmallVector<Value>> torch_ops::requireList(OpImporter &op,
                                                     size_t index) {
  if (index < op.inputs.size()) {
    Operation *list = getDefinition(op.inputs[index]);
    if (isNamed(list, "torch.prim.ListConstruct"))
      return SmallVector<Value>(list->getOperands());
  }
  return failOperand(op, index, "a list");
}

FailureOr<SmallVector<int64_t>> torch_ops::requireIntList(OpImporter &op,
                                                          size_t index) {
  FailureOr<SmallVector<Value>> list = requireList(op, index);
  if (failed(list))
    return failure();
  SmallVector<int64_t> result;
  for (Value value : *list) {
    std::optional<Number> number = readNumber(value);
    if (!number || number->isFloat())
      return failOperand(op, index, "a list of constant integers");
    result.push_back(number->integer);
  }
  return result;
}

FailureOr<std::string> torch_ops::requireString(OpImporter &op, size_t index) {
  if (index < op.inputs.size()) {
    Operation *constant = getDefinition(op.inputs[index]);
    if (isNamed(constant, "torch.constant.str"))
      if (auto text = dyn_cast_or_null<StringAttr>(
              UnregisteredOp(constant).getAttribute("value")))
        return text.getValue().str();
  }
  return failOperand(op, index, "a constant string");
}

/// Returns the type with this number in PyTorch's ScalarType, or null.
static Type getScalarType(MLIRContext *context, int64_t number) {
  Builder b(context);
  auto makeUnsigned = [&](unsigned width) {
    return b.getIntegerType(width, /*isSigned=*/false);
  };
  switch (number) {
  case 0:
    return makeUnsigned(8);
  case 1:
    return b.getI8Type();
  case 2:
    return b.getI16Type();
  case 3:
    return b.getI32Type();
  case 4:
    return b.getI64Type();
  case 5:
    return b.getF16Type();
  case 6:
    return b.getF32Type();
  case 7:
    return b.getF64Type();
  case 11:
    return b.getI1Type();
  case 15:
    return b.getBF16Type();
  case 23:
    return Float8E5M2Type::get(context);
  case 24:
    return Float8E4M3FNType::get(context);
  case 25:
    return Float8E5M2FNUZType::get(context);
  case 26:
    return Float8E4M3FNUZType::get(context);
  case 27:
    return makeUnsigned(16);
  case 28:
    return makeUnsigned(32);
  case 29:
    return makeUnsigned(64);
  case 44:
    return Float8E8M0FNUType::get(context);
  default:
    return {};
  }
}

FailureOr<Type> torch_ops::requireDtype(OpImporter &op, size_t index) {
  FailureOr<int64_t> number = requireIntOperand(op, index);
  if (failed(number))
    return failure();
  if (Type type = getScalarType(op.b.getContext(), *number))
    return type;
  return failOperand(op, index, "the number of a supported PyTorch type");
}

FailureOr<Type> torch_ops::getDtype(OpImporter &op, size_t index,
                                    Type byDefault) {
  if (isNone(op, index))
    return byDefault;
  return requireDtype(op, index);
}

FailureOr<int64_t> torch_ops::requireAxis(OpImporter &op, size_t index,
                                          int64_t rank) {
  FailureOr<int64_t> axis = requireIntOperand(op, index);
  if (failed(axis))
    return failure();
  int64_t count = std::max<int64_t>(rank, 1);
  if (*axis < -count || *axis >= count)
    return failOperand(
        op, index, "an axis from " + Twine(-count) + " to " + Twine(count - 1));
  return *axis < 0 ? *axis + count : *axis;
}

FailureOr<SmallVector<int64_t>>
torch_ops::requireAxes(OpImporter &op, size_t index, int64_t rank) {
  SmallVector<int64_t> axes;
  if (!isNone(op, index)) {
    FailureOr<SmallVector<int64_t>> list = requireIntList(op, index);
    if (failed(list))
      return failure();
    axes = *list;
  }
  if (axes.empty())
    return llvm::to_vector(llvm::seq<int64_t>(0, rank));
  for (int64_t &axis : axes)
    if (axis < 0)
      axis += rank;
  if (failed(op.requireAxes("operand " + std::to_string(index), axes, rank)))
    return failure();
  llvm::sort(axes);
  return axes;
}

//===----------------------------------------------------------------------===//
// Constant tensors
//===----------------------------------------------------------------------===//

/// Calls `read` with the bits of each element of a constant whose elements are
/// whole bytes. Returns false if the value is no such constant.
static bool forEachElement(Value value,
                           llvm::function_ref<void(const APInt &)> read) {
  ElementsAttr elements;
  if (!matchPattern(value, m_Constant(&elements)))
    return false;
  Type type = elements.getElementType();
  if (!type.isIntOrFloat() || type.getIntOrFloatBitWidth() % 8 != 0 ||
      type.getIntOrFloatBitWidth() > 64 ||
      elements.getNumElements() > kMaxElements)
    return false;
  size_t size = type.getIntOrFloatBitWidth() / 8;
  ArrayRef<char> bytes;
  bool isSplat = false;
  if (auto dense = dyn_cast<DenseTypedElementsAttr>(elements)) {
    bytes = dense.getRawData();
    isSplat = dense.isSplat();
  } else if (auto resource = dyn_cast<DenseResourceElementsAttr>(elements)) {
    if (AsmResourceBlob *blob = resource.getRawHandle().getBlob())
      bytes = blob->getData();
  }
  int64_t count = elements.getNumElements();
  if (bytes.size() != size * (isSplat ? 1 : count))
    return false;
  for (int64_t i : llvm::seq(count)) {
    APInt bits(size * 8, 0);
    const char *at = bytes.data() + (isSplat ? 0 : i * size);
    llvm::LoadIntFromMemory(bits, reinterpret_cast<const uint8_t *>(at), size);
    read(bits);
  }
  return true;
}

std::optional<SmallVector<int64_t>> torch_ops::readIntConstant(Value value) {
  auto type = dyn_cast<IntegerType>(getElementTypeOrSelf(value));
  SmallVector<int64_t> result;
  if (!type || !forEachElement(value, [&](const APInt &bits) {
        result.push_back(type.isUnsigned() ? bits.getZExtValue()
                                           : bits.getSExtValue());
      }))
    return std::nullopt;
  return result;
}

std::optional<SmallVector<double>> torch_ops::readFloatConstant(Value value) {
  auto type = dyn_cast<FloatType>(getElementTypeOrSelf(value));
  SmallVector<double> result;
  if (!type || !forEachElement(value, [&](const APInt &bits) {
        APFloat real(type.getFloatSemantics(), bits);
        bool isInexact;
        real.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                     &isInexact);
        result.push_back(real.convertToDouble());
      }))
    return std::nullopt;
  return result;
}
