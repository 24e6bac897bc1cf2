//===- ResolveNode.h - Quantization nodes to ops ----------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Converts Cast, CastLike, QuantizeLinear and DequantizeLinear of ONNX,
// QuantizeLinear and DequantizeLinear of com.microsoft (V9), and OpenVINO's
// FakeConvert from `quant_float.node` to ops of the dialect.
// DynamicQuantizeLinear, BitCast, ConvInteger, MatMulInteger, QLinearConv,
// QLinearMatMul and com.microsoft's QGemm remain nodes and are only verified.
//
// The ONNX importer resolves every node whose operand types are known from the
// file. Later passes resolve the others when the types are known.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_CONVERSION_NODETOQUANTFLOAT_RESOLVENODE_H
#define QUANT_FLOAT_CONVERSION_NODETOQUANTFLOAT_RESOLVENODE_H

#include "mlir/IR/Builders.h"
#include "quant-float/IR/QuantFloatOps.h"
#include <optional>
#include <string>

namespace mlir::func {
class FuncOp;
} // namespace mlir::func

namespace mlir::quant_float {

/// Starts an error about a node: the location, and a prefix such as "node 'q'
/// (QuantizeLinear): ".
using NodeErrorFn = llvm::function_ref<InFlightDiagnostic()>;

/// Whether `node` is one of the nodes listed above, valid or not.
bool isQuantizationNode(NodeOp node);

struct NodeResolution {
  /// The op that can replace the node. Null if the types of the operands are
  /// not sufficiently known.
  Operation *op = nullptr;
  /// The types of the results; empty if they are unknown.
  SmallVector<Type, 3> resultTypes;
  /// Whether the node is valid and remains a node.
  bool isVerified = false;
  /// If `op` is null and `isVerified` is false: the input whose type is
  /// unknown. If `missesRank` is set, only its rank is unknown.
  unsigned missingInput = 0;
  bool missesRank = false;

  /// Returns why `op` is null, such as "the rank of input 1 is not known".
  /// `name` is the name of the input in the source, if it has one.
  std::string describeMissing(StringRef name = {}) const;
};

/// Creates the op for a quantization node at the builder's insertion point.
/// Neither erases the node nor verifies the op. Emits an error and fails if no
/// op can express the node: unknown attributes, attribute values out of range,
/// or a scale that matches no granularity (Q1). Other nodes have no op.
FailureOr<NodeResolution> resolveNode(OpBuilder &builder, NodeOp node,
                                      NodeErrorFn emitError);

/// A unit attribute of the module: declared types of values are requirements
/// instead of hints. See verifyDeclaredType.
constexpr llvm::StringLiteral kStrictAttrName = "quant_float.strict";

/// As NodeErrorFn, but also for warnings.
using NodeDiagnosticFn =
    llvm::function_ref<InFlightDiagnostic(DiagnosticSeverity)>;

/// Compares the type that the source model declares for a value with the type
/// that its node produces, as far as both are known. `what` names the value,
/// for example "output 'y'". A difference is a warning, because many exporters
/// write outdated types, or an error if `strict` is set. Returns whether the
/// types agree.
FailureOr<bool> verifyDeclaredType(Type declared, Type type, const Twine &what,
                                   bool strict, NodeDiagnosticFn begin);

/// As above, for all results of a node. A different element type is always an
/// error.
LogicalResult verifyDeclaredTypes(NodeOp node, const NodeResolution &resolution,
                                  bool strict, NodeDiagnosticFn begin);

/// Verifies the op. Its errors follow the prefix that `emitError` writes.
LogicalResult verifyResolvedNode(Operation *op, NodeErrorFn emitError);

/// Start a diagnostic with the importer's prefix, such as "node 'q'
/// (QuantizeLinear): ".
InFlightDiagnostic emitNodeDiagnostic(NodeOp node, DiagnosticSeverity severity);
InFlightDiagnostic emitNodeError(NodeOp node);

/// Returns "the ONNX op 'Add'" or "the op 'Foo' of the domain 'com.example'".
/// `isKnown` is set for ops of ONNX that have a lowering.
std::string describeOp(NodeOp node, bool isKnown = false);

/// The version of resolveNode for passes: creates the op before the node and
/// verifies it. Errors start with the node's name. The caller replaces the
/// node, whose result type may be less specific than the op's.
FailureOr<NodeResolution> resolveQuantFloatNode(OpBuilder &builder,
                                                NodeOp node);

/// Updates the result types of a function to those of the returned values,
/// which may be more specific than the declared types. If the function has uses
/// or several returns, casts the returned tensors to the declared types
/// instead. Emits an error and fails if such a cast is not possible.
LogicalResult updateFunctionType(func::FuncOp function);

/// Returns the error of a constant zero point: zero points of float8 must be
/// zero (Q7). Returns none if the zero point is valid or not a constant.
std::optional<std::string> findZeroPointError(Value zeroPoint);

/// Returns a warning about the zero point of int32 data, which according to
/// ONNX's specification "is supposed to be 0" (Q7). Returns none for other
/// types and for constant zeros.
std::optional<std::string> findZeroPointWarning(Value zeroPoint);
/// Returns a warning about a constant scale that is 0, negative, subnormal,
/// infinite or NaN, or none.
std::optional<std::string> findScaleWarning(Value scale);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_CONVERSION_NODETOQUANTFLOAT_RESOLVENODE_H
