//===- ResolveNode.h - Quantization nodes to ops ----------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ONNX's Cast, CastLike, QuantizeLinear and DequantizeLinear, and the latter
// two of com.microsoft (V9), from `quant_float.node` to the dialect's own ops.
// DynamicQuantizeLinear, BitCast, ConvInteger, MatMulInteger, QLinearConv and
// QLinearMatMul stay nodes and are only verified.
// The ONNX importer does so for every node whose operand types the file tells;
// what it had to keep is resolved when a later pass knows them.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_CONVERSION_RESOLVENODE_H
#define QUANT_FLOAT_CONVERSION_RESOLVENODE_H

#include "mlir/IR/Builders.h"
#include "quant-float/IR/QuantFloatOps.h"
#include <optional>
#include <string>

namespace mlir::func {
class FuncOp;
} // namespace mlir::func

namespace mlir::quant_float {

/// Begins an error about a node: the place, and words like "node 'q'
/// (QuantizeLinear): ".
using NodeErrorFn = llvm::function_ref<InFlightDiagnostic()>;

/// Whether `node` is one of the nodes above, whatever is wrong with it.
bool isQuantizationNode(NodeOp node);

struct NodeResolution {
  /// The op that can take the node's place. Null while the types of the
  /// operands do not say enough.
  Operation *op = nullptr;
  /// The types of the results; none while they are not known.
  SmallVector<Type, 3> resultTypes;
  /// The node has no op of its own: nothing is wrong with it.
  bool isVerified = false;
  /// Where `op` is null otherwise: the input whose type, or whose rank alone,
  /// is missing.
  unsigned missingInput = 0;
  bool missesRank = false;

  /// "the rank of input 1 is not known": why `op` is null then. `name` is that
  /// of the input, where the source has one.
  std::string describeMissing(StringRef name = {}) const;
};

/// Makes the op for a quantization node at the builder's insertion point; the
/// node stays. The op is not verified. Fails, after an error, where the node
/// says something that no op can express: unknown attributes, values outside
/// of their range, a scale that fits no granularity (Q1). Other nodes have no
/// op.
FailureOr<NodeResolution> resolveNode(OpBuilder &builder, NodeOp node,
                                      NodeErrorFn emitError);

/// The module's types of values are what its results must have, not hints
/// (see verifyDeclaredType): a unit attribute of the module.
constexpr llvm::StringLiteral kStrictAttrName = "quant_float.strict";

/// The same for warnings, too.
using NodeDiagnosticFn =
    llvm::function_ref<InFlightDiagnostic(DiagnosticSeverity)>;

/// Holds the type that the source model declares for a value (`what`: "output
/// 'y'") against what its node makes, as far as both are known. Another one is
/// a warning, as many exporters write stale ones, and with `strict` an error.
/// Returns whether the types agree.
FailureOr<bool> verifyDeclaredType(Type declared, Type type, const Twine &what,
                                   bool strict, NodeDiagnosticFn begin);

/// The same for all results of a node, whose elements have to agree.
LogicalResult verifyDeclaredTypes(NodeOp node, const NodeResolution &resolution,
                                  bool strict, NodeDiagnosticFn begin);

/// Verifies the op; what it says follows what `emitError` begins.
LogicalResult verifyResolvedNode(Operation *op, NodeErrorFn emitError);

/// Begin as the importer does: "node 'q' (QuantizeLinear): ".
InFlightDiagnostic emitNodeDiagnostic(NodeOp node, DiagnosticSeverity severity);
InFlightDiagnostic emitNodeError(NodeOp node);

/// "the ONNX op 'Add'", "the op 'Foo' of the domain 'com.example'": `isKnown`
/// says whether it is one of ONNX that has a lowering.
std::string describeOp(NodeOp node, bool isKnown = false);

/// The same for passes: makes the op before the node and verifies it; errors
/// begin with the node's name. Replacing the node, whose result type may say
/// less, is the caller's part.
FailureOr<NodeResolution> resolveQuantFloatNode(OpBuilder &builder,
                                                NodeOp node);

/// Lets a function return the types of what it returns, which may be known
/// better than when it was declared. Where it is called, or has several
/// returns, tensors are cast back instead. Fails, after an error, where they
/// cannot be.
LogicalResult updateFunctionType(func::FuncOp function);

/// What is wrong with a zero point that is a constant: float8 ones must be
/// zeros (Q7). None where it is fine or no constant.
std::optional<std::string> findZeroPointError(Value zeroPoint);

/// What is doubtful about the zero point of int32 data, which ONNX's text says
/// "is supposed to be 0" (Q7). None for other types and constant zeros.
std::optional<std::string> findZeroPointWarning(Value zeroPoint);
/// What is unusual of a constant scale: 0, negative, subnormal, infinite, NaN.
std::optional<std::string> findScaleWarning(Value scale);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_CONVERSION_RESOLVENODE_H
