//===- ReferenceEvaluator.cpp - Reference evaluation ----------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/ExecutionEngine/ReferenceEvaluator.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"
#include "quant-float/IR/Constants.h"
#include "quant-float/IR/QuantFloatOps.h"
#include "quant-float/Reference/FakeConvert.h"
#include "quant-float/Reference/Quantize.h"
#include "quant-float/Reference/Stochastic.h"
#include "quant-float/Reference/String.h"
#include "quant-float/Support/Locations.h"
#include "quant-float/Support/ModelError.h"
#include "quant-float/Support/Printable.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/Endian.h"

using namespace mlir;
using namespace mlir::quant_float;

/// Whether a Tensor can contain values of the type.
static bool isSupported(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && (reference::isSupported(tensor.getElementType()) ||
                    isa<StringType>(tensor.getElementType()));
}

LogicalResult mlir::quant_float::checkReferenceSupports(func::FuncOp function) {
  auto check = [](Operation *op, StringRef what, Type type) -> LogicalResult {
    if (isSupported(type))
      return success();
    return op->emitError("target 'reference': expected ranked tensors of "
                         "numbers, but the ")
           << what << " has type " << type;
  };
  if (function.isExternal() || !function.getBody().hasOneBlock())
    return function.emitError("target 'reference': expected function '")
           << function.getSymName() << "' to have one block";
  for (BlockArgument argument : function.getArguments())
    if (failed(check(function,
                     "argument " + std::to_string(argument.getArgNumber()),
                     argument.getType())))
      return failure();
  for (Operation &op : function.getBody().front()) {
    if (!isa<CastOp, QuantizationOpInterface, FakeConvertOp, PhiloxOp,
             AnyConstantOp, func::ReturnOp>(op)) {
      InFlightDiagnostic error =
          op.emitError("target 'reference': expected only casts, "
                       "quantizations, fakeconverts and constants, but got ");
      auto node = dyn_cast<NodeOp>(op);
      if (!node)
        return error << "'" << op.getName() << "'";
      StringRef name = node.getNodeName().value_or(getNodeName(op.getLoc()));
      error << "the node ";
      if (!name.empty())
        error << "'" << printable(name) << "' ";
      return error << "(" << printable(node.getOpType()) << ")";
    }
    for (Type type : op.getResultTypes())
      if (failed(check(&op, "result", type)))
        return failure();
  }
  return success();
}

static llvm::Error fail(Operation *op, const Twine &what,
                        ErrorKind kind = ErrorKind::Size) {
  std::string prefix = op->getName().stripDialect().str();
  if (auto name = op->getLoc()->findInstanceOf<NameLoc>())
    prefix += " '" + name.getName().str() + "'";
  return makeError(kind, prefix + ": " + what);
}

/// Returns a tensor whose elements `compute` writes.
static llvm::Expected<Tensor>
compute(Operation *op, Type to, ArrayRef<int64_t> sizes,
        llvm::function_ref<LogicalResult(MutableArrayRef<char>)> compute) {
  llvm::Expected<Tensor> result = Tensor::allocate(getDtype(to), sizes);
  if (result && failed(compute(result->getMutableBytes())))
    return fail(op, "the Reference does not support the result type " +
                        spellTensor(to, {}));
  return result;
}

/// Converts numbers to strings (C14).
static llvm::Expected<Tensor> castToStrings(CastOp op, const Tensor &input) {
  FailureOr<std::vector<std::string>> strings = reference::printBuffer(
      getElementTypeOrSelf(op.getInput()), input.getBytes());
  if (failed(strings))
    return fail(op, "the Reference does not support casts to strings from " +
                        input.spell());
  llvm::Expected<TensorBuffer> result = TensorBuffer::makeStrings(
      input.getSizes(),
      std::vector<StringRef>(strings->begin(), strings->end()));
  if (!result)
    return makeError(ErrorKind::Memory, result.takeError());
  return Tensor(std::move(*result));
}

static llvm::Expected<Tensor> castFromStrings(CastOp op, const Tensor &input) {
  std::optional<size_t> invalid;
  std::vector<StringRef> strings = input.getStrings();
  Type to = getElementTypeOrSelf(op.getResult());
  llvm::Expected<Tensor> result =
      compute(op, to, input.getSizes(), [&](MutableArrayRef<char> bytes) {
        return reference::parseBuffer(to, strings, bytes,
                                      getReferenceOptions(op), invalid);
      });
  if (invalid)
    return fail(op,
                "element " + Twine(*invalid) +
                    ": expected a number, but got '" +
                    printable(strings[*invalid]) + "'",
                ErrorKind::Value);
  return result;
}

/// Checks the sizes of random bits (S1, S4).
static llvm::Error checkRandomBits(Operation *op, const Tensor &input,
                                   const Tensor &random) {
  if (random.getSizes() == input.getSizes())
    return llvm::Error::success();
  return fail(op, "random bits must have the sizes of the input " +
                      input.spell() + ", but got " + random.spell());
}

static llvm::Expected<Tensor> evaluate(CastOp op, ArrayRef<Tensor> operands) {
  const Tensor &input = operands[0];
  Type to = getElementTypeOrSelf(op.getResult());
  if (Value random = op.getRandom()) {
    if (llvm::Error error = checkRandomBits(op, input, operands[1]))
      return std::move(error);
    return compute(op, to, input.getSizes(), [&](MutableArrayRef<char> result) {
      return reference::castBufferByRandomBits(
          getElementTypeOrSelf(op.getInput()), getElementTypeOrSelf(random), to,
          input.getBytes(), operands[1].getBytes(), result,
          getReferenceOptions(op));
    });
  }
  // A cast to the same type changes nothing (V7).
  if (input.isOfStrings() && isa<StringType>(to))
    return input;
  if (input.isOfStrings())
    return castFromStrings(op, input);
  if (isa<StringType>(to))
    return castToStrings(op, input);
  return compute(op, to, input.getSizes(), [&](MutableArrayRef<char> result) {
    return reference::castBuffer(getElementTypeOrSelf(op.getInput()), to,
                                 input.getBytes(), result,
                                 getReferenceOptions(op));
  });
}

static llvm::Expected<Tensor> evaluate(PhiloxOp op, ArrayRef<Tensor> operands) {
  auto read = [](const Tensor &tensor) {
    return llvm::support::endian::read64le(tensor.getBytes().data());
  };
  Type to = getElementTypeOrSelf(op.getResult());
  return compute(op, to, operands[2].getSizes(),
                 [&](MutableArrayRef<char> result) {
                   return reference::philoxBuffer(to.getIntOrFloatBitWidth(),
                                                  read(operands[0]),
                                                  read(operands[1]), result);
                 });
}

//===----------------------------------------------------------------------===//
// Quantize, dequantize, qdq
//===----------------------------------------------------------------------===//

namespace {
/// The operands of one op and its granularity.
struct Quantization {
  Operation *op;
  const Tensor &input;
  const Tensor &scale;
  const Tensor *zeroPoint, *random;
  reference::Granularity granularity;

  Quantization(QuantizationOpInterface op, ArrayRef<Tensor> operands)
      : op(op), input(operands[0]), scale(operands[1]),
        zeroPoint(op.getZeroPointValue() ? &operands[2] : nullptr),
        random(op.getRandomValue() ? &operands.back() : nullptr),
        granularity(op.getGranularity()) {}

  Type getType(unsigned operand) const {
    return getElementTypeOrSelf(op->getOperand(operand));
  }
  std::optional<ArrayRef<char>> getZeroPointBytes() const {
    if (!zeroPoint)
      return std::nullopt;
    return zeroPoint->getBytes();
  }
  std::optional<reference::RandomBits> getRandomBits() const {
    if (!random)
      return std::nullopt;
    return reference::RandomBits{getType(op->getNumOperands() - 1),
                                 random->getBytes()};
  }
};
} // namespace

/// Checks sizes that are only known at run time (Q1, Q2).
static llvm::Error checkSizes(const Quantization &values) {
  const auto &[op, input, scale, zeroPoint, random, granularity] = values;
  std::string found = scale.spell();
  SmallVector<int64_t> sizes = granularity.getParameterSizes(input.getSizes());
  if (!granularity.axis) {
    // A tensor with one element is valid for any rank.
    if (scale.getNumElements() != 1)
      return fail(op, "scale must have one element, but got " + found);
    sizes = llvm::to_vector(scale.getSizes());
  } else if (scale.getSizes() != ArrayRef(sizes)) {
    std::string blocks;
    if (granularity.blockSize)
      blocks =
          "blocks of " + std::to_string(*granularity.blockSize) + " along ";
    return fail(
        op, "scale must be " + spellTensor(scale.getElement(), sizes) +
                " for " + blocks + "axis " +
                std::to_string(*granularity.getAxis(input.getSizes().size())) +
                " of an input " + input.spell() + ", but got " + found);
  }
  if (zeroPoint && zeroPoint->getSizes() != scale.getSizes() &&
      (zeroPoint->getNumElements() != 1 || scale.getNumElements() != 1))
    return fail(op, "zero point must be " +
                        spellTensor(zeroPoint->getElement(), sizes) +
                        " for a scale " + found + ", but got " +
                        zeroPoint->spell());
  return random ? checkRandomBits(op, input, *random) : llvm::Error::success();
}

static llvm::Expected<Tensor> quantize(const Quantization &values, Type to,
                                       QuantizeSemantics semantics) {
  reference::QuantizeOptions options;
  options.saturate = semantics.saturate;
  options.precision = semantics.precision;
  const Tensor &input = values.input;
  return compute(values.op, to, input.getSizes(),
                 [&](MutableArrayRef<char> result) {
                   return reference::quantizeBuffer(
                       values.getType(0), values.getType(1), to,
                       input.getSizes(), values.granularity, input.getBytes(),
                       values.scale.getBytes(), values.getZeroPointBytes(),
                       result, options, values.getRandomBits());
                 });
}

/// Dequantizes `input`, which is the op's input or its quantized value.
static llvm::Expected<Tensor> dequantize(const Quantization &values,
                                         const Tensor &input, Type from,
                                         Type to) {
  return compute(
      values.op, to, input.getSizes(), [&](MutableArrayRef<char> result) {
        return reference::dequantizeBuffer(
            from, values.getType(1), to, input.getSizes(), values.granularity,
            input.getBytes(), values.scale.getBytes(),
            values.getZeroPointBytes(), result);
      });
}

static llvm::Expected<Tensor> evaluate(QuantizationOpInterface op,
                                       ArrayRef<Tensor> operands) {
  Quantization values(op, operands);
  if (llvm::Error error = checkSizes(values))
    return std::move(error);
  Type to = getElementTypeOrSelf(op->getResult(0));
  if (auto quantizeOp = dyn_cast<QuantizeOp>(*op))
    return quantize(values, to, quantizeOp.getSemantics());
  auto qdqOp = dyn_cast<QdqOp>(*op);
  if (!qdqOp)
    return dequantize(values, values.input, values.getType(0), to);
  llvm::Expected<Tensor> codes =
      quantize(values, qdqOp.getStorage(), qdqOp.getSemantics());
  if (!codes)
    return codes;
  return dequantize(values, *codes, qdqOp.getStorage(), to);
}

//===----------------------------------------------------------------------===//
// FakeConvert
//===----------------------------------------------------------------------===//

llvm::Error mlir::quant_float::checkSizes(FakeConvertOp op, const Tensor &input,
                                          const Tensor &scale,
                                          const Tensor *shift) {
  if (shift && shift->getSizes() != scale.getSizes())
    return fail(op, "shift must have the sizes of the scale " + scale.spell() +
                        ", but got " + shift->spell());
  if (!reference::Granularity::getBroadcast().fits(scale.getSizes(),
                                                   input.getSizes()))
    return fail(op, "scale must broadcast to the input " + input.spell() +
                        " without changing its shape, but got " +
                        scale.spell());
  return llvm::Error::success();
}

static llvm::Expected<Tensor> evaluate(FakeConvertOp op,
                                       ArrayRef<Tensor> operands) {
  const Tensor &input = operands[0], &scale = operands[1];
  const Tensor *shift = operands.size() > 2 ? &operands[2] : nullptr;
  if (llvm::Error error = checkSizes(op, input, scale, shift))
    return std::move(error);
  std::optional<ArrayRef<char>> shifts;
  if (shift)
    shifts = shift->getBytes();
  Type type = getElementTypeOrSelf(op.getInput());
  return compute(op, type, input.getSizes(), [&](MutableArrayRef<char> result) {
    return reference::fakeConvertBuffer(
        type, op.getDestination(), input.getSizes(), scale.getSizes(),
        input.getBytes(), scale.getBytes(), shifts, result,
        op.getReferenceOptions());
  });
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

static llvm::Expected<Tensor> evaluate(AnyConstantOp op) {
  return Tensor::fromAttribute(cast<ElementsAttr>(op.getValue()),
                               getElementTypeOrSelf(op.getType()));
}

/// Evaluates an op that checkReferenceSupports accepts, except for the return.
static llvm::Expected<Tensor> evaluate(Operation *op,
                                       ArrayRef<Tensor> operands) {
  return llvm::TypeSwitch<Operation *, llvm::Expected<Tensor>>(op)
      .Case([&](AnyConstantOp op) { return evaluate(op); })
      .Case([&](CastOp op) { return evaluate(op, operands); })
      .Case([&](FakeConvertOp op) { return evaluate(op, operands); })
      .Case([&](PhiloxOp op) { return evaluate(op, operands); })
      .Default([&](Operation *op) {
        return evaluate(cast<QuantizationOpInterface>(op), operands);
      });
}

llvm::Expected<std::vector<Tensor>>
mlir::quant_float::evaluateWithReference(func::FuncOp function,
                                         ArrayRef<Tensor> inputs) {
  llvm::DenseMap<Value, Tensor> values;
  // Tensors are freed after their last use.
  llvm::DenseMap<Value, int64_t> usesLeft;
  auto define = [&](Value value, const Tensor &tensor) {
    values.try_emplace(value, tensor);
    usesLeft[value] = llvm::range_size(value.getUses());
  };
  for (auto [argument, input] :
       llvm::zip_equal(function.getArguments(), inputs))
    define(argument, input);
  for (Operation &op : function.getBody().front()) {
    if (auto returnOp = dyn_cast<func::ReturnOp>(op)) {
      std::vector<Tensor> results;
      for (Value value : returnOp.getOperands())
        results.push_back(values.at(value));
      return results;
    }
    SmallVector<Tensor> operands;
    for (Value operand : op.getOperands())
      operands.push_back(values.at(operand));
    llvm::Expected<Tensor> result = evaluate(&op, operands);
    if (!result)
      return result.takeError();
    define(op.getResult(0), *result);
    for (Value operand : op.getOperands())
      if (--usesLeft[operand] == 0)
        values.erase(operand);
  }
  return makeError(ErrorKind::Model, "the function does not return");
}
