//===- NormalizeResults.cpp - Normalize sub-byte results ------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A sub-byte element occupies the low bits of a byte. Inside of a function, the
// other bits are unspecified: computations on an element mask them, and data
// movement copies the entire byte, so they may have any value that a caller
// passed. Results of a function must have zeros there, or copies of the sign
// bit for i2 and i4. This file inserts the masking of results whose bits may be
// unspecified.
//
//===----------------------------------------------------------------------===//

#include "StorageTypesOfLinalg.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "quant-float/IR/EntryPointInfo.h"
#include "quant-float/IR/QuantFloatOps.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace mlir::quant_float;

static constexpr unsigned kByte = 8;

static bool isBelowByte(Type type) {
  return type.isIntOrFloat() && type.getIntOrFloatBitWidth() < kByte;
}

namespace {
/// Determines whether bytes are normalized by inspecting their producers.
/// Unknown producers are assumed to produce arbitrary bits.
class Origins {
public:
  /// Whether the unused bits of these bytes or elements are known to be
  /// normalized.
  bool isNormal(Value value);

private:
  bool isNormalArgument(BlockArgument argument);
  bool isNormalResult(OpResult result);
  /// Whether all operands of this type are normalized.
  bool areNormal(ValueRange values, Type elementType);

  /// The values that have been visited. Revisiting one on a cycle adds no
  /// information.
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
  // The normalized bits depend on the type.
  if (isa<tensor::BitcastOp>(op))
    return false;
  if (op->hasTrait<OpTrait::ConstantLike>()) {
    // Resource data is not verified.
    Attribute value;
    return matchPattern(op, m_Constant(&value)) &&
           !isa<DenseResourceElementsAttr>(value);
  }
  // Computed elements are normalized. But the input of the cast may be an
  // element that was passed in, if the op folds away later.
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
  // Limits the recursion depth. "false" is always correct and costs a loop.
  constexpr size_t kMaxValues = 1000;
  if (seen.size() > kMaxValues)
    return false;
  if (auto argument = dyn_cast<BlockArgument>(value))
    return isNormalArgument(argument);
  return isNormalResult(cast<OpResult>(value));
}

/// Normalizes the byte of one element.
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
