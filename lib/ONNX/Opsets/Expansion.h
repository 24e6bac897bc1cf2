//===- Expansion.h - Replacements of ops in older opsets --------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_ONNX_OPSETS_EXPANSION_H
#define QUANT_FLOAT_LIB_ONNX_OPSETS_EXPANSION_H

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "quant-float/IR/QuantFloatOps.h"
#include "quant-float/ONNX/Opsets/ConvertOpset.h"
#include "llvm/ADT/StringMap.h"
#include <string>
#include <vector>

namespace mlir::quant_float::onnx_import {

/// The names of the nodes of a model, which must be unique.
class NodeNames {
public:
  void collect(ModuleOp module);
  /// Returns an unused name: `base`, or `base` followed by a number.
  std::string make(const std::string &base);
  void release(StringRef name) { next.erase(name); }

private:
  /// The next number to try for a name that is used.
  llvm::StringMap<unsigned> next;
};

/// Builds the replacement of an op before it. The nodes exist in all target
/// opsets, and their names start with the name of the op.
class Expansion {
public:
  Expansion(Operation *op, const OpsetOptions &options, NodeNames &names);
  /// Erases everything that was built.
  void cancel();
  /// Erases everything that was built and has no uses, except the op that
  /// defines `value`.
  void eraseUnused(Value value);

  ImplicitLocOpBuilder b;
  /// Whether values are looked up in a table that is indexed by encodings.
  bool hasTable = false;

  Value constant(StringRef what, ElementsAttr elements);
  /// Creates a scalar constant, by default of f32.
  Value number(StringRef what, double value, Type elementType = {});
  Value node(StringRef opType, ValueRange operands, Type type,
             ArrayRef<NamedAttribute> attributes = {});
  Value cast(Value value, Type elementType);
  /// Creates a DequantizeLinear of the target opset. A per-tensor scale has no
  /// axis.
  Value dequantize(Type result, Value input, Value scale, Value zeroPoint,
                   IntegerAttr axis, IntegerAttr blockSize);
  const OpsetOptions &getOptions() const { return options; }
  /// Returns `value` if the opset has its type. Otherwise, converts a constant
  /// to a wider type that represents it exactly. Null if that is impossible.
  Value widen(Value value, StringRef what);
  /// Returns the values of `input` in f32. Constants of types that the opset
  /// lacks can become table lookups. Null if the opset lacks the type and
  /// `input` is not constant.
  Value decode(Value input, StringRef what);
  /// Returns the values of a scale or a zero point in the type `to`, by default
  /// f32. Null if `widen` fails.
  Value decodeParameter(Value parameter, StringRef what, Type to = {});
  Value reshape(Value value, ArrayRef<int64_t> sizes, ArrayRef<int64_t> shape);
  /// Returns a scale or a zero point in a shape that broadcasts to the shape of
  /// `input`, the input of the op. Null if that is impossible.
  Value spread(Value parameter, RankedTensorType input, int64_t axis,
               int64_t blockSize);
  template <typename OpTy> Value spread(Value parameter, OpTy op) {
    return spread(parameter,
                  mlir::cast<RankedTensorType>(op.getInput().getType()),
                  op.getAxis().value_or(1), op.getBlockSize().value_or(0));
  }

  /// Returns a unique name: the name of the op, `what`, and a number if
  /// necessary.
  std::string makeName(StringRef what);

private:
  Value spreadBlocks(Value parameter, RankedTensorType input, int64_t axis,
                     int64_t blockSize);
  /// Expands blocks along an axis of dynamic size: repeats each element along a
  /// new dimension, collapses that dimension with the axis, and slices off the
  /// excess of the last block.
  Value repeatBlocks(Value parameter, RankedTensorType input, int64_t axis,
                     int64_t blockSize);

  Operation *op, *before;
  const OpsetOptions &options;
  NodeNames &names;
  std::string name;
  std::vector<std::string> made;
};

/// Returns the difference of the quantized values and the zero point, in f32.
/// `numbers`, if not null, are the quantized values in f32. Null if there is no
/// equivalent.
Value subtractZeroPoint(Expansion &expansion, DequantizeOp op,
                        Value numbers = {});

/// Returns the quotient of a quantize (D1, D2) in f32, or in f64 if that is its
/// precision. Null if there is no equivalent.
Value divide(Expansion &expansion, QuantizeOp op);

/// Rounds a quotient to nearest even, adds the zero point `point`, if any, in
/// the shape of the quotient, and saturates to the type `integer`. The result
/// is in f32.
Value roundToInteger(Expansion &expansion, Value quotient, Type integer,
                     Value point);

/// Returns f32 or f64, whichever represents all values of `from`, or all of
/// them within the range of the narrower type `narrow`. Null if neither does.
Type getArithmeticType(Type from, FloatType narrow);

/// Whether the use is the scale operand of a quantize or a dequantize.
bool isScale(OpOperand &use);

/// Whether every use of the quantized values is a cast or a dequantize to
/// numbers, or is as a scale.
bool areDecoded(Value quantized);

/// Rounds `value`, of f32 or f64, to the values of the float type `narrow`. The
/// result has the type of `value`.
Value roundTo(Expansion &expansion, Value value, Type narrow,
              bool saturate = false, bool infinityIsNaN = false);

} // namespace mlir::quant_float::onnx_import

#endif // QUANT_FLOAT_LIB_ONNX_OPSETS_EXPANSION_H
