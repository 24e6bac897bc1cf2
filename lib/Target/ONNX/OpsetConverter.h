//===- OpsetConverter.h - The state of one conversion -----------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_TARGET_ONNX_OPSETCONVERTER_H
#define QUANT_FLOAT_LIB_TARGET_ONNX_OPSETCONVERTER_H

#include "Diagnostics.h"
#include "Expansion.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "quant-float/IR/QuantFloatOps.h"
#include "quant-float/Target/ONNX/ConvertOpset.h"

namespace onnx {
class FunctionProto;
class NodeProto;
} // namespace onnx

namespace mlir::quant_float::onnx_import {

/// Whether values of the converted model may have such elements.
bool hasElementType(const OpsetOptions &options, Type elementType);

/// Whether something else is done instead of making values of the type.
bool doesWithout(const OpsetOptions &options, Type elementType);

/// Leaves out names of attributes that the opset lacks: they are of no effect.
bool dropIgnored(QuantizationOpInterface op, const OpVersion &version);

/// Converts one module.
class OpsetConverter {
public:
  OpsetConverter(const OpsetOptions &options, OpsetConversion &conversion)
      : options(options), conversion(conversion) {}

  LogicalResult convertModel(ModuleOp module);

private:
  // ConvertOpset.cpp.
  LogicalResult convertSource(ModuleOp module);
  void convertBlock(Block &block);
  void convertOp(Operation *op);
  /// Does without types that the opset lacks where there is another form.
  void expandTypes(func::FuncOp function);
  void convertConstant(arith::ConstantOp op);
  /// Erases what nothing uses and is of a type that the opset lacks.
  bool leaveOut(Operation *op);
  void convertNode(NodeOp op);
  /// Puts results that were made behind `before` in the place of the node's;
  /// what was made for them.
  FailureOr<SmallVector<Operation *>> replaceNode(NodeOp op, Operation *before,
                                                  ArrayRef<Value> results);
  /// Puts the function that ONNX defines the node by in its place; false where
  /// it has none.
  bool expandNode(NodeOp op);
  /// What the steps between versions have made of the node.
  LogicalResult adaptNode(NodeOp op, ::onnx::NodeProto &proto,
                          ::onnx::FunctionProto &body);
  /// Whether the opset has the types of what the op makes; says so if not.
  bool hasResultTypes(Operation *op);
  /// Why a type has no place in the converted model.
  std::string describeLack(Type elementType);
  void note(Operation *op, ConversionKind kind, const Twine &detail = "");
  /// The error that there is no exact form.
  void refuse(Operation *op, const Twine &reason);

  // ConvertQuantization.cpp.
  /// Whether the opset's operator can say it, or com.microsoft's where the
  /// converted model may have that; with all types that it needs.
  bool isSaid(QuantizationOpInterface op, StringRef domain);
  /// Makes it com.microsoft's, where only that can say it.
  bool sayByMicrosoft(QuantizationOpInterface op);
  void convertCast(CastOp op);
  void convertQuantize(QuantizeOp op);
  void convertDequantize(DequantizeOp op);
  /// Whether it stays as it is.
  bool isKept(DequantizeOp op) {
    return op.getDomain() ||
           (options.keepsDequantize && options.keepsDequantize(op));
  }
  // ExpandCast.cpp, ExpandQuantize.cpp, ExpandDequantize.cpp.
  /// Replaces the op where the opset has other nodes for it alone.
  void expandCast(CastOp op);
  void expandQuantize(QuantizeOp op);
  void expandDequantize(DequantizeOp op);
  /// Both are computed from the `inputs`, its operands where there are none,
  /// and have to be the same; false after an error where they are not.
  bool replaceByExpansion(Operation *op, Value value, const Twine &detail,
                          ArrayRef<Value> inputs = {});

  // SinkMovement.cpp.
  /// Lets a node move numbers instead of codes.
  void sinkMovement(NodeOp op);

  // ExpandRoundTrip.cpp.
  /// The same where nobody else sees the codes that it makes.
  void expandRoundTrip(QuantizeOp op);
  void expandRoundTrip(CastOp op);
  template <typename OpTy> void expandRoundTripOf(OpTy op);

  /// Whether the op is valid as it is now; says why not.
  bool isValid(Operation *op);

  OpsetOptions options;
  OpsetConversion &conversion;
  NodeNames names;
  /// Constants that lost a use.
  llvm::SetVector<Operation *> unused;
  bool hasRefused = false;
};

} // namespace mlir::quant_float::onnx_import

#endif // QUANT_FLOAT_LIB_TARGET_ONNX_OPSETCONVERTER_H
