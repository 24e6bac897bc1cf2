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
#include "quant-float/Reference/BlockScale.h"
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

/// Whether the op is one on blocks.
static bool isOnBlocks(Operation *op) {
  return isa<BlockQuantizeOp, BlockDequantizeOp, BlockAmaxOp, TensorScaleOp,
             BlockScaleOp, BlockQuantizeElementsOp, ConvertToBlockOp,
             ConvertFromBlockOp, PackScalesOp, UnpackScalesOp>(op);
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
             AnyConstantOp, func::ReturnOp>(op) &&
        !isOnBlocks(&op)) {
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
  llvm::Expected<Tensor> quantized =
      quantize(values, qdqOp.getStorage(), qdqOp.getSemantics());
  if (!quantized)
    return quantized;
  return dequantize(values, *quantized, qdqOp.getStorage(), to);
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
// Blocks
//===----------------------------------------------------------------------===//

static SmallVector<int64_t> getScaleSizes(const Tensor &input,
                                          ArrayRef<int64_t> block) {
  return reference::Granularity::getBlocks(block).getParameterSizes(
      input.getSizes());
}

/// Checks sizes that are only known at run time (B1).
static llvm::Error checkBlocks(Operation *op, const Tensor &input,
                               const Tensor &scale, ArrayRef<int64_t> block) {
  SmallVector<int64_t> sizes = getScaleSizes(input, block);
  if (scale.getSizes() == ArrayRef(sizes))
    return llvm::Error::success();
  return fail(op, "scale must be " + spellTensor(scale.getElement(), sizes) +
                      " for the blocks of an input " + input.spell() +
                      ", but got " + scale.spell());
}

static APFloat readF32(const Tensor &tensor, size_t index = 0) {
  const char *data = tensor.getBytes().data() + 4 * index;
  return APFloat(APFloat::IEEEsingle(),
                 APInt(32, llvm::support::endian::read32le(data)));
}

/// Returns the level of the tensor from the op's optional operands, the first
/// of which is `operands[next]`.
template <typename OpTy>
static reference::TensorLevel getTensorLevel(OpTy op, ArrayRef<Tensor> operands,
                                             size_t &next) {
  reference::TensorLevel level;
  if (op.getTensorAmax())
    level.amax = readF32(operands[next++]);
  if (op.getTensorScale())
    level.scale = readF32(operands[next++]);
  return level;
}

using Results = llvm::Expected<std::vector<Tensor>>;

static Results toResults(llvm::Expected<Tensor> result) {
  if (!result)
    return result.takeError();
  return std::vector<Tensor>{std::move(*result)};
}

static llvm::Expected<Tensor> evaluate(BlockAmaxOp op,
                                       ArrayRef<Tensor> operands) {
  const Tensor &input = operands[0];
  Type type = getElementTypeOrSelf(op.getType());
  return compute(op, type, getScaleSizes(input, op.getBlock()),
                 [&](MutableArrayRef<char> result) {
                   return reference::blockAmaxBuffer(
                       type, input.getSizes(), op.getBlock(), op.getFinite(),
                       input.getBytes(), result);
                 });
}

static llvm::Expected<Tensor> evaluate(TensorScaleOp op,
                                       ArrayRef<Tensor> operands) {
  return compute(op, getElementTypeOrSelf(op.getType()), operands[0].getSizes(),
                 [&](MutableArrayRef<char> result) {
                   for (size_t i = 0, e = result.size() / 4; i != e; ++i)
                     llvm::support::endian::write32le(
                         result.data() + 4 * i,
                         reference::getTensorScale(readF32(operands[0], i))
                             .bitcastToAPInt()
                             .getZExtValue());
                   return success();
                 });
}

static llvm::Expected<Tensor> evaluate(BlockScaleOp op,
                                       ArrayRef<Tensor> operands) {
  const Tensor &amax = operands[0];
  size_t next = 1;
  reference::TensorLevel level = getTensorLevel(op, operands, next);
  Type type = getElementTypeOrSelf(op.getType());
  return compute(op, type, amax.getSizes(), [&](MutableArrayRef<char> result) {
    return reference::blockScaleBuffer(
        getReferenceRule(op.getRule()), getElementTypeOrSelf(op.getAmax()),
        op.getElement(), type, amax.getBytes(), level, result);
  });
}

/// Returns the random bits of the op's last operand, if it has them.
template <typename OpTy>
static llvm::Expected<std::optional<reference::RandomBits>>
getRandomBits(OpTy op, ArrayRef<Tensor> operands) {
  if (!op.getRandom())
    return std::optional<reference::RandomBits>();
  if (llvm::Error error = checkRandomBits(op, operands[0], operands.back()))
    return std::move(error);
  return std::optional(reference::RandomBits{
      getElementTypeOrSelf(op.getRandom()), operands.back().getBytes()});
}

static llvm::Expected<Tensor> evaluate(BlockQuantizeElementsOp op,
                                       ArrayRef<Tensor> operands) {
  const Tensor &input = operands[0], &scale = operands[1];
  if (llvm::Error error = checkBlocks(op, input, scale, op.getBlock()))
    return std::move(error);
  size_t next = 2;
  reference::TensorLevel level = getTensorLevel(op, operands, next);
  auto random = getRandomBits(op, operands);
  if (!random)
    return random.takeError();
  Type type = getElementTypeOrSelf(op.getType());
  return compute(op, type, input.getSizes(), [&](MutableArrayRef<char> result) {
    return reference::blockQuantizeElementsBuffer(
        getReferenceRule(op.getRule()), getElementTypeOrSelf(op.getInput()),
        getElementTypeOrSelf(op.getScale()), type, input.getSizes(),
        op.getBlock(), input.getBytes(), scale.getBytes(), level, *random,
        result);
  });
}

static Results evaluate(BlockQuantizeOp op, ArrayRef<Tensor> operands) {
  const Tensor &input = operands[0];
  size_t next = 1;
  reference::TensorLevel level = getTensorLevel(op, operands, next);
  auto random = getRandomBits(op, operands);
  if (!random)
    return random.takeError();
  Type x = getElementTypeOrSelf(op.getInput());
  if (op.getComputedTensorScale() && !level.amax)
    level.amax = reference::getAmax(x, input.getBytes());
  Type element = getElementTypeOrSelf(op.getValues());
  Type scale = getElementTypeOrSelf(op.getScales());
  llvm::Expected<Tensor> values =
      Tensor::allocate(getDtype(element), input.getSizes());
  if (!values)
    return values.takeError();
  llvm::Expected<Tensor> scales =
      compute(op, scale, getScaleSizes(input, op.getBlock()),
              [&](MutableArrayRef<char> result) {
                return reference::blockQuantizeBuffer(
                    getReferenceRule(op.getRule()), x, scale, element,
                    input.getSizes(), op.getBlock(), input.getBytes(), level,
                    *random, {values->getMutableBytes(), result});
              });
  if (!scales)
    return scales.takeError();
  std::vector<Tensor> results{std::move(*values), std::move(*scales)};
  if (Value computed = op.getComputedTensorScale()) {
    auto type = cast<RankedTensorType>(computed.getType());
    llvm::Expected<Tensor> result =
        compute(op, type.getElementType(), type.getShape(),
                [&](MutableArrayRef<char> bytes) {
                  llvm::support::endian::write32le(
                      bytes.data(), reference::getTensorScale(*level.amax)
                                        .bitcastToAPInt()
                                        .getZExtValue());
                  return success();
                });
    if (!result)
      return result.takeError();
    results.push_back(std::move(*result));
  }
  return results;
}

static llvm::Expected<Tensor> evaluate(BlockDequantizeOp op,
                                       ArrayRef<Tensor> operands) {
  const Tensor &input = operands[0], &scale = operands[1];
  if (llvm::Error error = checkBlocks(op, input, scale, op.getBlock()))
    return std::move(error);
  std::optional<APFloat> tensorScale;
  if (op.getTensorScale())
    tensorScale = readF32(operands[2]);
  Type type = getElementTypeOrSelf(op.getType());
  return compute(op, type, input.getSizes(), [&](MutableArrayRef<char> result) {
    return reference::blockDequantizeBuffer(
        getElementTypeOrSelf(op.getInput()),
        getElementTypeOrSelf(op.getScale()), type, input.getSizes(),
        op.getBlock(), input.getBytes(), scale.getBytes(), tensorScale,
        op.getOrder() == ScaleOrder::TensorFirst, result);
  });
}

/// Evaluates a block conversion of IEEE P3109.
template <typename OpTy>
static llvm::Expected<Tensor> convertBlocks(OpTy op,
                                            reference::BlockConversion kind,
                                            ArrayRef<Tensor> operands) {
  const Tensor &input = operands[0], &scale = operands[1];
  if (llvm::Error error = checkBlocks(op, input, scale, op.getBlock()))
    return std::move(error);
  auto random = getRandomBits(op, operands);
  if (!random)
    return random.takeError();
  Type type = getElementTypeOrSelf(op.getType());
  return compute(op, type, input.getSizes(), [&](MutableArrayRef<char> result) {
    return reference::convertBlockBuffer(
        kind, getElementTypeOrSelf(op.getInput()),
        getElementTypeOrSelf(op.getScale()), type, input.getSizes(),
        op.getBlock(), input.getBytes(), scale.getBytes(),
        getReferenceProjection(op.getProjection()), *random, result);
  });
}

static llvm::Expected<Tensor> evaluate(ConvertToBlockOp op,
                                       ArrayRef<Tensor> operands) {
  return convertBlocks(op, reference::BlockConversion::ToBlock, operands);
}
static llvm::Expected<Tensor> evaluate(ConvertFromBlockOp op,
                                       ArrayRef<Tensor> operands) {
  return convertBlocks(op, reference::BlockConversion::FromBlock, operands);
}

/// Arranges scales; `sizes` are those of the rows.
template <typename OpTy>
static llvm::Expected<Tensor>
arrangeScales(OpTy op, const Tensor &input, ArrayRef<int64_t> sizes,
              decltype(reference::packScales) arrange) {
  reference::ScaleLayout layout = getReferenceLayout(op.getLayout());
  int64_t rows = sizes[sizes.size() - 2], columns = sizes.back();
  SmallVector<int64_t> resultSizes(sizes);
  int64_t count = 1;
  for (int64_t size : sizes.drop_back(2))
    count *= size;
  if (isa<PackScalesOp>(op.getOperation())) {
    auto alignment = reference::getAlignment(layout);
    resultSizes.pop_back();
    resultSizes.back() = llvm::alignTo(rows, alignment.rows) *
                         llvm::alignTo(columns, alignment.columns);
  }
  Type type = getElementTypeOrSelf(op.getType());
  return compute(op, type, resultSizes, [&](MutableArrayRef<char> result) {
    return arrange(layout, count, rows, columns, type.isF32() ? 4 : 1,
                   input.getBytes(), result);
  });
}

static llvm::Expected<Tensor> evaluate(PackScalesOp op,
                                       ArrayRef<Tensor> operands) {
  return arrangeScales(op, operands[0], operands[0].getSizes(),
                       reference::packScales);
}

static llvm::Expected<Tensor> evaluate(UnpackScalesOp op,
                                       ArrayRef<Tensor> operands) {
  ArrayRef<int64_t> packed = operands[0].getSizes();
  SmallVector<int64_t> sizes(packed.drop_back());
  ArrayRef<int64_t> matrix =
      cast<RankedTensorType>(op.getType()).getShape().take_back(2);
  sizes.append(matrix.begin(), matrix.end());
  auto alignment = reference::getAlignment(getReferenceLayout(op.getLayout()));
  int64_t expected = llvm::alignTo(matrix[0], alignment.rows) *
                     llvm::alignTo(matrix[1], alignment.columns);
  if (packed.back() != expected)
    return fail(op, "the last dimension of the scales must be " +
                        Twine(expected) + ", but is " + Twine(packed.back()));
  return arrangeScales(op, operands[0], sizes, reference::unpackScales);
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

static llvm::Expected<Tensor> evaluate(AnyConstantOp op) {
  return Tensor::fromAttribute(cast<ElementsAttr>(op.getValue()),
                               getElementTypeOrSelf(op.getType()));
}

/// Evaluates an op that checkReferenceSupports accepts, except for the return.
static Results evaluate(Operation *op, ArrayRef<Tensor> operands) {
  return llvm::TypeSwitch<Operation *, Results>(op)
      .Case([&](AnyConstantOp op) { return toResults(evaluate(op)); })
      .Case([&](BlockQuantizeOp op) { return evaluate(op, operands); })
      .Case<CastOp, FakeConvertOp, PhiloxOp, BlockAmaxOp, TensorScaleOp,
            BlockScaleOp, BlockQuantizeElementsOp, BlockDequantizeOp,
            ConvertToBlockOp, ConvertFromBlockOp, PackScalesOp, UnpackScalesOp>(
          [&](auto op) { return toResults(evaluate(op, operands)); })
      .Default([&](Operation *op) {
        return toResults(evaluate(cast<QuantizationOpInterface>(op), operands));
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
    Results results = evaluate(&op, operands);
    if (!results)
      return results.takeError();
    for (auto [value, result] : llvm::zip_equal(op.getResults(), *results)) {
      auto type = cast<RankedTensorType>(value.getType());
      if (failed(verifyCompatibleShape(type.getShape(), result.getSizes())))
        return fail(&op, "the result is " + result.spell() +
                             ", which the sizes of its type do not allow");
      define(value, result);
    }
    for (Value operand : op.getOperands())
      if (--usesLeft[operand] == 0)
        values.erase(operand);
  }
  return makeError(ErrorKind::Model, "the function does not return");
}
