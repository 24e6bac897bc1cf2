//===- Codes.h - All codes of narrow types ----------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What passes need to prove a rewrite by trying all inputs, and to say one that
// shows why there is none.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_TRANSFORMS_CODES_H
#define QUANT_FLOAT_LIB_TRANSFORMS_CODES_H

#include "mlir/IR/PatternMatch.h"
#include "quant-float/IR/QuantFloatOps.h"
#include "llvm/ADT/APFloat.h"
#include <optional>
#include <string>

namespace mlir::quant_float {

/// The widest type all of whose codes are tried.
constexpr unsigned kMaxCodeWidth = 16;

/// The bits of the elements of a constant, one for a splat. None where it is no
/// constant or its values are not here.
std::optional<SmallVector<APInt>> getConstantElements(Value value);

/// The constant of `type`, a scalar or a shape that is known, with these bits:
/// one pattern for all elements, or one for each.
Value createConstantOfBits(OpBuilder &builder, Location loc, Type type,
                           ArrayRef<APInt> bits);

/// The elements of a constant of a shape, or the one that all are: whole bytes
/// for each.
struct ConstantBytes {
  ArrayRef<char> bytes;
  /// In a resource, which the context does not keep for ever.
  bool isResource;
};
/// The same without a copy. Elements are of 8 bits at least.
std::optional<ConstantBytes> getConstantBytes(Value value);

/// The constant of `type` with these bytes, a resource where `like` is one.
Value createConstantOfBytes(OpBuilder &builder, Location loc, ShapedType type,
                            SmallVector<char> bytes, const ConstantBytes &like);

/// Lets a constant be called as the one whose place it takes, if that has no
/// other use.
void keepConstantAttributes(Operation *from, Operation *to);

/// Erases what makes the values, if it has no effect and no use is left, and
/// what that came from.
void eraseUnused(RewriterBase &rewriter, ArrayRef<Value> values);

/// What the bits of a float stand for, an f64.
APFloat getFloatValue(Type type, const APInt &bits);

/// "0x81 (-127)", "0x7f (NaN)".
std::string describeCode(Type type, const APInt &bits);

/// Begins a remark about an op, with the source model's name of the node.
InFlightDiagnostic emitNodeRemark(Operation *op);

/// The parameters of one element.
struct Parameters {
  APInt scale;
  std::optional<APInt> zeroPoint;
};

/// The constant parameters of a quantization, one for each element of its
/// scale, or one if they are alike. None where they are no constants.
std::optional<SmallVector<Parameters>>
getConstantParameters(QuantizationOpInterface op);

/// What these make of one element, by the Reference.
APInt evaluate(QuantizeOp op, const APInt &bits, const Parameters &parameters);
APInt evaluate(DequantizeOp op, const APInt &bits,
               const Parameters &parameters);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_TRANSFORMS_CODES_H
