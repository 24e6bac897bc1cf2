//===- LegalizeUniform.cpp - quant.uniform of integers --------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Legalizes casts of the quant dialect whose storage is an integer, in two
// steps:
//
// %q = qcast %x : tensor<4xf32> to tensor<4x!quant.uniform<i8:f32, 0.5>>
// ->
// %c = quantize %x, 0.5 : tensor<4xf32>, tensor<f32> to tensor<4xi8>
// %q = unrealized_conversion_cast %c
//      : tensor<4xi8> to tensor<4x!quant.uniform<i8:f32, 0.5>>
//
// Then the quantized types of all values become their storage types, and the
// casts are removed.
//
//===----------------------------------------------------------------------===//

#include "LegalityDiagnostics.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "quant-float/Conversion/OpImport/OpImporter.h"
#include "quant-float/Conversion/OpImport/UniformQuantization.h"
#include "quant-float/IR/OpenVinoConvert.h"
#include "quant-float/IR/OpsetRules.h"

using namespace mlir;
using namespace mlir::quant_float;

/// Whether the elements are quantized to integers.
static bool isQuantized(Type type) {
  return static_cast<bool>(getUniformType(type));
}

static bool hasQuantizedTypes(Operation *op) {
  return llvm::any_of(op->getOperandTypes(), isQuantized) ||
         llvm::any_of(op->getResultTypes(), isQuantized) ||
         llvm::any_of(op->getRegions(), [](Region &region) {
           return llvm::any_of(region, [](Block &block) {
             return llvm::any_of(block.getArgumentTypes(), isQuantized);
           });
         });
}

static bool isOp(Operation *op, StringRef name) {
  return op->getName().getStringRef() == name && op->getNumOperands() == 1 &&
         op->getNumResults() == 1;
}

/// Whether the op converts between a quantized type and its storage.
static bool isStorageCast(Operation *op) {
  return (isOp(op, "quant.scast") ||
          isOp(op, UnrealizedConversionCastOp::getOperationName())) &&
         isQuantized(op->getOperand(0).getType()) !=
             isQuantized(op->getResult(0).getType());
}

static Value createStorageCast(OpBuilder &builder, Location loc, Type type,
                               Value value) {
  return UnrealizedConversionCastOp::create(builder, loc, type, value)
      .getResult(0);
}

/// Converts between types of the storage: signless or unsigned integers of the
/// same width. Returns null for other types.
static Value convertStorage(OpBuilder &builder, Location loc, Value value,
                            Type type) {
  if (value.getType() == type)
    return value;
  auto from = dyn_cast<IntegerType>(getElementTypeOrSelf(value.getType()));
  auto to = dyn_cast<IntegerType>(getElementTypeOrSelf(type));
  if (!from || !to || from.getWidth() != to.getWidth())
    return {};
  if (from != to)
    value = createOnnxCast(builder, loc, value, to);
  return value.getType() == type ? value : Value();
}

/// Replaces qcast or dcast.
static LogicalResult expandCast(Operation *op, OnnxNodeBuilder &builder) {
  ImplicitLocOpBuilder &b = builder.b;
  Value input = op->getOperand(0);
  Type result = op->getResult(0).getType();
  if (isOp(op, "quant.qcast")) {
    FailureOr<Value> quantized =
        quantizeUniform(builder, input, getUniformType(result));
    if (failed(quantized))
      return failure();
    op->getResult(0).replaceAllUsesWith(
        createStorageCast(b, b.getLoc(), result, *quantized));
  } else {
    Value quantized = createStorageCast(
        b, b.getLoc(), getQuantStorageType(input.getType()), input);
    FailureOr<Value> value =
        dequantizeUniform(builder, quantized, getUniformType(input.getType()));
    if (failed(value))
      return failure();
    op->getResult(0).replaceAllUsesWith(*value);
  }
  op->erase();
  return success();
}

/// Replaces a cast to the storage of a value that is cast from its storage.
static void forwardCasts(Operation *root) {
  SmallVector<Operation *> casts;
  root->walk([&](Operation *op) {
    if (isStorageCast(op))
      casts.push_back(op);
  });
  for (Operation *op : casts) {
    Operation *source = op->getOperand(0).getDefiningOp();
    if (!source || !isStorageCast(source) ||
        !isQuantized(op->getOperand(0).getType()))
      continue;
    OpBuilder builder(op);
    if (Value value =
            convertStorage(builder, op->getLoc(), source->getOperand(0),
                           op->getResult(0).getType()))
      op->getResult(0).replaceAllUsesWith(value);
  }
  for (Operation *op : llvm::reverse(casts))
    if (op->use_empty())
      op->erase();
}

/// Whether the op only passes values on, whatever their element type is.
static bool isMovement(Operation *op) {
  return isa<func::FuncDialect, tensor::TensorDialect, scf::SCFDialect,
             cf::ControlFlowDialect>(op->getDialect()) ||
         isa<arith::SelectOp>(op);
}

/// Replaces the quantized types of all values and functions, unless an op
/// computes on quantized values.
static void
convertTypes(ModuleOp module,
             function_ref<void(Operation *, const Twine &)> report) {
  SmallVector<Operation *> casts;
  bool isConvertible = true;
  module.walk([&](Operation *op) {
    if (!hasQuantizedTypes(op))
      return;
    if (isStorageCast(op)) {
      casts.push_back(op);
    } else if (!op->getDialect() || !isMovement(op)) {
      isConvertible = false;
      if (!isOp(op, "quant.qcast") && !isOp(op, "quant.dcast"))
        report(op, "an op on quantized values");
    }
  });
  if (!isConvertible)
    return;
  convertValueTypes(module, getQuantStorageType);
  for (Operation *op : casts) {
    OpBuilder builder(op);
    Value value = convertStorage(builder, op->getLoc(), op->getOperand(0),
                                 op->getResult(0).getType());
    if (!value)
      continue;
    op->getResult(0).replaceAllUsesWith(value);
    op->erase();
  }
}

void quant_float::legalizeUniformQuantization(
    Operation *root, function_ref<void(Operation *, const Twine &)> report) {
  SmallVector<Operation *> ops;
  root->walk([&](Operation *op) {
    if ((isOp(op, "quant.qcast") && isQuantized(op->getResult(0).getType())) ||
        (isOp(op, "quant.dcast") && isQuantized(op->getOperand(0).getType())))
      ops.push_back(op);
  });
  for (Operation *op : ops) {
    ImplicitLocOpBuilder b(op->getLoc(), op);
    OnnxNodeBuilder builder(b, kNewestOpset);
    Operation *before = op->getPrevNode();
    if (succeeded(expandCast(op, builder)))
      continue;
    eraseNewOps(op, before);
    report(op, builder.getProblem());
  }
  forwardCasts(root);
  if (auto module = dyn_cast<ModuleOp>(root))
    convertTypes(module, report);
}
