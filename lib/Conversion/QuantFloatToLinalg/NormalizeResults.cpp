//===- NormalizeResults.cpp - Bytes that hold an element and no more ------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An element of less than a byte is in the low bits of one. What the other bits
// are does not matter inside of a function: whoever computes with an element
// cuts them off, whoever moves it moves the byte. So they are as a caller gave
// them wherever elements were only moved, and this is the place where they
// become zeros, or the sign: where elements leave.
//
//===----------------------------------------------------------------------===//

#include "StorageTypesOfLinalg.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "quant-float/EntryPoint/EntryPointInfo.h"
#include "quant-float/IR/QuantFloatOps.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace mlir::quant_float;

static constexpr unsigned kByte = 8;

static bool isBelowByte(Type type) {
  return type.isIntOrFloat() && type.getIntOrFloatBitWidth() < kByte;
}

namespace {
/// Looks at how bytes came about. What it does not know may hold anything.
class Origins {
public:
  /// Whether the bytes, or the elements, are known to hold an element each and
  /// nothing else.
  bool isNormal(Value value);

private:
  bool isNormalArgument(BlockArgument argument);
  bool isNormalResult(OpResult result);
  /// The operands of this type.
  bool areNormal(ValueRange values, Type elementType);

  /// Those that have been asked for: on a way around they change nothing.
  llvm::SmallDenseSet<Value> seen;
};
} // namespace

bool Origins::areNormal(ValueRange values, Type elementType) {
  return llvm::all_of(values, [&](Value value) {
    return getElementTypeOrSelf(value) != elementType || isNormal(value);
  });
}

bool Origins::isNormalArgument(BlockArgument argument) {
  auto generic =
      dyn_cast<linalg::GenericOp>(argument.getOwner()->getParentOp());
  return generic && isNormal(generic->getOperand(argument.getArgNumber()));
}

bool Origins::isNormalResult(OpResult result) {
  Operation *op = result.getOwner();
  Type type = getElementTypeOrSelf(result);
  // What is normal for one type is not for another.
  if (isa<tensor::BitcastOp>(op))
    return false;
  if (op->hasTrait<OpTrait::ConstantLike>()) {
    // The bytes of resources are as their writer left them.
    Attribute value;
    return matchPattern(op, m_Constant(&value)) &&
           !isa<DenseResourceElementsAttr>(value);
  }
  // An element that is computed is one; it may also be one that comes in, if
  // the op folds away later.
  if (auto cast = dyn_cast<StorageCastOp>(op))
    return isNormal(cast.getInput());
  if (auto generic = dyn_cast<linalg::GenericOp>(op))
    return isNormal(generic.getBody()->getTerminator()->getOperand(
        result.getResultNumber()));
  if (isa<tensor::PadOp, tensor::GenerateOp>(op))
    return areNormal(op->getOperands(), type) &&
           areNormal(op->getRegion(0).front().getTerminator()->getOperands(),
                     type);
  bool isMove = isa_and_nonnull<tensor::TensorDialect>(op->getDialect()) ||
                isa<arith::SelectOp>(op);
  return (isMove || isBelowByte(type)) && !op->getNumRegions() &&
         areNormal(op->getOperands(), type);
}

bool Origins::isNormal(Value value) {
  if (!seen.insert(value).second)
    return true;
  // Models are longer than stacks are deep. "No" costs a loop and is never
  // wrong.
  constexpr size_t kMostValues = 1000;
  if (seen.size() > kMostValues)
    return false;
  if (auto argument = dyn_cast<BlockArgument>(value))
    return isNormalArgument(argument);
  return isNormalResult(cast<OpResult>(value));
}

/// The byte of one element.
static Value normalize(OpBuilder &builder, Location loc, Value byte,
                       Type elementType) {
  unsigned width = elementType.getIntOrFloatBitWidth();
  auto constant = [&](int64_t value) {
    return arith::ConstantIntOp::create(builder, loc, byte.getType(), value);
  };
  if (!elementType.isSignlessInteger() || width == 1)
    return arith::AndIOp::create(builder, loc, byte,
                                 constant((1 << width) - 1));
  Value amount = constant(kByte - width);
  return arith::ShRSIOp::create(
      builder, loc, arith::ShLIOp::create(builder, loc, byte, amount), amount);
}

static Value normalizeTensor(OpBuilder &builder, Location loc, Value tensor,
                             Type elementType) {
  auto type = cast<RankedTensorType>(tensor.getType());
  Value empty = tensor::EmptyOp::create(
      builder, loc, tensor::getMixedSizes(builder, loc, tensor),
      type.getElementType());
  SmallVector<AffineMap> maps(2,
                              builder.getMultiDimIdentityMap(type.getRank()));
  SmallVector<utils::IteratorType> iterators(type.getRank(),
                                             utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(
      builder, loc, type, tensor, empty, maps, iterators,
      [&](OpBuilder &builder, Location loc, ValueRange args) {
        Value byte = normalize(builder, loc, args[0], elementType);
        linalg::YieldOp::create(builder, loc, byte);
      });
  return generic.getResult(0);
}

void quant_float::normalizeResults(func::FuncOp function) {
  function.walk([&](func::ReturnOp op) {
    OpBuilder builder(op);
    for (OpOperand &use : op->getOpOperands()) {
      auto element = function.getResultAttrOfType<TypeAttr>(
          use.getOperandNumber(), kElementTypeAttrName);
      if (!element || !isa<RankedTensorType>(use.get().getType()) ||
          function.getResultAttr(use.getOperandNumber(), kPackedAttrName) ||
          !isBelowByte(element.getValue()) || Origins().isNormal(use.get()))
        continue;
      use.set(
          normalizeTensor(builder, op.getLoc(), use.get(), element.getValue()));
    }
  });
}
