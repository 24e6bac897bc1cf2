//===- BuiltinFloats.cpp - Builtin floats of newer versions ---------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BuiltinFloats.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/TypeUtilities.h"
#include "quant-float/IR/Constants.h"
#include "quant-float/IR/ElementTypes.h"
#include "quant-float/IR/QuantFloatOps.h"
#include "quant-float/Support/LlvmCompat.h"

using namespace mlir;
using namespace mlir::quant_float;

/// Returns the encodings of a constant of builtin floats as signless integers.
/// Null for attributes whose elements are not in memory.
static TypedAttr getEncodings(TypedAttr value) {
  Builder builder(value.getContext());
  Type element = getElementTypeOrSelf(value.getType());
  Type integer = builder.getIntegerType(element.getIntOrFloatBitWidth());
  if (auto number = dyn_cast<FloatAttr>(value))
    return builder.getIntegerAttr(integer, number.getValue().bitcastToAPInt());
  if (auto elements = dyn_cast<DenseElementsAttr>(value))
    return elements.bitcast(integer);
  return {};
}

/// %r = constant 1.0 : f8E5M3FNU
/// ->
/// %c = constant 120 : i8
/// %r = storage_cast %c : i8 to !quant_float.f8UE5M3
static void convertConstant(Operation *op) {
  if (!isa<AnyConstantOp>(op))
    return;
  TypedAttr value = cast<AnyConstantOp>(op).getValue();
  Type type = getDialectFloatType(getElementTypeOrSelf(value.getType()));
  TypedAttr encodings = type ? getEncodings(value) : TypedAttr();
  if (!encodings)
    return;
  OpBuilder builder(op);
  Value integers = createConstant(builder, op->getLoc(), encodings);
  Value result = StorageCastOp::create(
      builder, op->getLoc(), withElementType(integers.getType(), type),
      integers);
  op->getResult(0).replaceAllUsesWith(result);
  op->erase();
}

/// Converts arith.bitcast from or to a type of the dialect.
static void convertBitcast(arith::BitcastOp op) {
  Type from = getElementTypeOrSelf(op.getIn());
  Type to = getElementTypeOrSelf(op.getType());
  if (!getBuiltinFloatType(from) && !getBuiltinFloatType(to))
    return;
  OpBuilder builder(op);
  Location loc = op.getLoc();
  Value value = op.getIn();
  auto castStorage = [&](Type element) {
    value = StorageCastOp::create(
        builder, loc, withElementType(value.getType(), element), value);
  };
  auto bitcast = [&](Type element) {
    Type type = withElementType(value.getType(), element);
    if (value.getType() != type)
      value = arith::BitcastOp::create(builder, loc, type, value);
  };
  if (getBuiltinFloatType(from))
    castStorage(getStorageElementType(from));
  if (getBuiltinFloatType(to)) {
    bitcast(getStorageElementType(to));
    castStorage(to);
  } else {
    bitcast(to);
  }
  op.replaceAllUsesWith(value);
  op.erase();
}

void quant_float::convertBuiltinFloats(Operation *root) {
  // Older versions of MLIR have no such types.
  if (!getFloat8E5M3FNUType(root->getContext()))
    return;
  root->walk([](Operation *op) { convertConstant(op); });

  auto isBuiltin = [](Type type) {
    return static_cast<bool>(getDialectFloatType(getElementTypeOrSelf(type)));
  };
  // The replacement of sub-elements would create values of the dialect's type.
  auto keepValue = [&](auto attr) {
    using Result = std::optional<std::pair<Attribute, WalkResult>>;
    return isBuiltin(attr.getType()) ? Result({attr, WalkResult::skip()})
                                     : std::nullopt;
  };
  AttrTypeReplacer replacer;
  replacer.addReplacement([](FloatType type) -> std::optional<Type> {
    if (Type replacement = getDialectFloatType(type))
      return replacement;
    return std::nullopt;
  });
  replacer.addReplacement(
      [&](BaseMemRefType type) -> std::optional<std::pair<Type, WalkResult>> {
        if (isBuiltin(type))
          return std::make_pair(Type(type), WalkResult::skip());
        return std::nullopt;
      });
  replacer.addReplacement([&](FloatAttr attr) { return keepValue(attr); });
  replacer.addReplacement([&](ElementsAttr attr) { return keepValue(attr); });
  replacer.recursivelyReplaceElementsIn(root, /*replaceAttrs=*/true,
                                        /*replaceLocs=*/false,
                                        /*replaceTypes=*/true);
  root->walk([](arith::BitcastOp op) { convertBitcast(op); });
}
