//===- OpsetConverter.h - The state of one conversion -----------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_ONNX_OPSETS_OPSETCONVERTER_H
#define QUANT_FLOAT_LIB_ONNX_OPSETS_OPSETCONVERTER_H

#include "../Common/Diagnostics.h"
#include "Expansion.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "quant-float/IR/Constants.h"
#include "quant-float/IR/QuantFloatOps.h"
#include "quant-float/ONNX/Opsets/ConvertOpset.h"

namespace onnx {
class FunctionProto;
class NodeProto;
} // namespace onnx

namespace mlir::quant_float::onnx_import {

/// Whether the converted model can have values of the element type.
bool hasElementType(const OpsetOptions &options, Type elementType);

/// Whether values of the type are to be replaced.
bool mustReplaceType(const OpsetOptions &options, Type elementType);

/// Removes the names of ignored attributes that the version lacks; they have no
/// effect. Returns whether there were any.
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
  /// Replaces ops on types that the opset lacks if there is an equivalent.
  void expandTypes(func::FuncOp function);
  void convertConstant(AnyConstantOp op);
  /// Erases an unused op whose result has a type that the opset lacks. Returns
  /// whether it did.
  bool leaveOut(Operation *op);
  void convertNode(NodeOp op);
  /// Replaces the results of the node with `results`, which were built after
  /// `before`. Returns the ops that were built for them.
  FailureOr<SmallVector<Operation *>> replaceNode(NodeOp op, Operation *before,
                                                  ArrayRef<Value> results);
  /// Replaces the node with the function that defines its operator. Returns
  /// false if there is none.
  bool expandNode(NodeOp op);
  /// Replaces the node with `body`, the result of the conversions between
  /// versions.
  LogicalResult adaptNode(NodeOp op, ::onnx::NodeProto &proto,
                          ::onnx::FunctionProto &body);
  /// Whether the opset has the result types of the op. Reports an error if not.
  bool hasResultTypes(Operation *op);
  /// Returns why the converted model cannot have the type.
  std::string describeUnsupportedType(Type elementType);
  void note(Operation *op, ConversionKind kind, const Twine &detail = "");
  /// Reports the error that the op has no exact equivalent.
  void refuse(Operation *op, const Twine &reason);

  // ConvertQuantization.cpp.
  /// Whether an operator of `domain` can represent the op, including all of its
  /// types: ONNX's operator in the target opset, or that of com.microsoft.
  bool isExpressible(QuantizationOpInterface op, StringRef domain);
  /// Converts the op to com.microsoft's operator if that is allowed and only
  /// that can represent it. Returns whether it did.
  bool sayByMicrosoft(QuantizationOpInterface op);
  void convertCast(CastOp op);
  void convertQuantize(QuantizeOp op);
  void convertDequantize(DequantizeOp op);
  /// Whether the op is not converted.
  bool isKept(DequantizeOp op) {
    return op.getDomain() ||
           (options.keepsDequantize && options.keepsDequantize(op));
  }
  // ExpandCast.cpp, ExpandQuantize.cpp, ExpandDequantize.cpp.
  /// Replaces an op that the opset lacks with other nodes.
  void expandCast(CastOp op);
  void expandQuantize(QuantizeOp op);
  void expandDequantize(DequantizeOp op);
  /// Replaces `op` with `value`. Compares both for test values of `inputs`, by
  /// default the operands of the op. Reports an error and returns false if they
  /// differ.
  bool replaceByExpansion(Operation *op, Value value, const Twine &detail,
                          ArrayRef<Value> inputs = {});

  // SinkMovement.cpp.
  /// Moves the node after the dequantization or cast of its results.
  void sinkMovement(NodeOp op);

  // ExpandRoundTrip.cpp.
  /// Replaces an op whose quantized values are only used as numbers with
  /// rounding in f32 or f64.
  void expandRoundTrip(QuantizeOp op);
  void expandRoundTrip(CastOp op);
  template <typename OpTy> void expandRoundTripOf(OpTy op);

  /// Whether the op verifies. Reports the reason if not.
  bool isValid(Operation *op);

  OpsetOptions options;
  OpsetConversion &conversion;
  NodeNames names;
  /// Constants that lost a use.
  llvm::SetVector<Operation *> unused;
  bool hasRefused = false;
};

} // namespace mlir::quant_float::onnx_import

#endif // QUANT_FLOAT_LIB_ONNX_OPSETS_OPSETCONVERTER_H
