//===- RewriteUtils.h - Helpers of rewrites ---------------------*- C++ -*-===//
//-*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Helpers of rewrites: read and create constants, evaluate quantization ops on
// one element, and try all encodings of a narrow type to prove that a rewrite
// is exact. Remarks describe an encoding for which it is not.
// lib/IR/ElementBits.h has similar helpers for folds, which are private to that
// library and have a size limit.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_TRANSFORMS_REWRITEUTILS_H
#define QUANT_FLOAT_LIB_TRANSFORMS_REWRITEUTILS_H

#include "mlir/IR/PatternMatch.h"
#include "quant-float/IR/QuantFloatOps.h"
#include "llvm/ADT/APFloat.h"
#include <optional>
#include <string>

namespace mlir::quant_float {

/// The largest width of types whose encodings are all tried, in bits.
constexpr unsigned kMaxEncodingWidth = 16;

/// Returns the bit patterns of the elements of a constant, or a single one for
/// a splat. Nullopt if the value is not a constant or its data is not
/// available. Copies the elements, 16 bytes each.
std::optional<SmallVector<APInt>> getConstantElements(Value value);

/// Creates the constant of `type`, a scalar or statically shaped type, with
/// these bit patterns: one for all elements, or one for each.
Value createConstantOfBits(OpBuilder &builder, Location loc, Type type,
                           ArrayRef<APInt> bits);

/// The data of a shaped constant, or of one element for a splat. Each element
/// has an integral number of bytes.
struct ConstantBytes {
  ArrayRef<char> bytes;
  /// Whether the data is in a resource, which can be freed before the context
  /// is.
  bool isResource;
};
/// Returns the data of a constant without a copy. Elements must have at least 8
/// bits.
std::optional<ConstantBytes> getConstantBytes(Value value);

/// Creates the constant of `type` with these bytes, as a resource if `like` is
/// one.
Value createConstantOfBytes(OpBuilder &builder, Location loc, ShapedType type,
                            SmallVector<char> bytes, const ConstantBytes &like);

/// Copies the discardable attributes of a constant, such as its name, to its
/// replacement if the constant has no other use.
void keepConstantAttributes(Operation *from, Operation *to);

/// Erases the ops that define the values, and the ops that these use, if they
/// have no side effects and no uses.
void eraseUnused(RewriterBase &rewriter, ArrayRef<Value> values);

/// Returns the number that the bits of a float represent, as an f64.
APFloat getFloatValue(Type type, const APInt &bits);

/// Returns a description such as "0x81 (-127)" or "0x7f (NaN)".
std::string describeEncoding(Type type, const APInt &bits);

/// Returns the operator of the node. Unlike getNodeKind, accepts both names of
/// ONNX's own domain.
std::optional<NodeKind> getNormalizedKind(NodeOp node);

/// Starts a remark about an op, with the name of the node in the source model.
InFlightDiagnostic emitNodeRemark(Operation *op);

/// The scale and zero point of one element.
struct Parameters {
  APInt scale;
  std::optional<APInt> zeroPoint;
};

/// Returns the constant parameters of a quantization: one per element of its
/// scale, or a single one if all are equal. Nullopt if they are not constant.
std::optional<SmallVector<Parameters>>
getConstantParameters(QuantizationOpInterface op);

/// Evaluate the op on one element with the Reference.
APInt evaluate(QuantizeOp op, const APInt &bits, const Parameters &parameters);
APInt evaluate(DequantizeOp op, const APInt &bits,
               const Parameters &parameters);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_TRANSFORMS_REWRITEUTILS_H
