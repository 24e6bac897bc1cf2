//===- Expansion.h - What an op becomes in older opsets ---------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_TARGET_ONNX_EXPANSION_H
#define QUANT_FLOAT_LIB_TARGET_ONNX_EXPANSION_H

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "quant-float/IR/QuantFloatOps.h"
#include "quant-float/Target/ONNX/ConvertOpset.h"
#include "llvm/ADT/StringMap.h"
#include <string>
#include <vector>

namespace mlir::quant_float::onnx_import {

/// The names of all nodes of a model, of which no two may be the same.
class NodeNames {
public:
  void collect(ModuleOp module);
  /// One that no node has: `base`, or that and a number.
  std::string make(const std::string &base);
  void release(StringRef name) { next.erase(name); }

private:
  /// The number that is tried next where a name is taken.
  llvm::StringMap<unsigned> next;
};

/// Builds, before an op, what it becomes: nodes that all opsets have alike,
/// with names behind its own.
class Expansion {
public:
  Expansion(Operation *op, const OpsetOptions &options, NodeNames &names);
  /// Erases what has been built.
  void cancel();
  /// Erases what has been built and has no use, but what makes `value`.
  void eraseUnused(Value value);

  ImplicitLocOpBuilder b;
  /// Whether numbers are looked up in a table of codes.
  bool hasTable = false;

  Value constant(StringRef what, ElementsAttr elements);
  /// A float, of f32 where no type is told.
  Value number(StringRef what, double value, Type elementType = {});
  Value node(StringRef opType, ValueRange operands, Type type,
             ArrayRef<NamedAttribute> attributes = {});
  Value cast(Value value, Type elementType);
  /// A DequantizeLinear of the opset; a scale that is for all elements has no
  /// axis.
  Value dequantize(Type result, Value input, Value scale, Value zeroPoint,
                   IntegerAttr axis, IntegerAttr blockSize);
  const OpsetOptions &getOptions() const { return options; }
  /// The same numbers in the value's own type, or of a constant in a wider one
  /// where the opset lacks that. Null where it has none.
  Value widen(Value value, StringRef what);
  /// The numbers of codes in f32, where constants may be looked up in a table;
  /// null where the opset lacks the type and they are no constants.
  Value decode(Value codes, StringRef what);
  /// The numbers of a scale or a zero point as `to`, which is f32 where it is
  /// not told; null as above.
  Value decodeParameter(Value parameter, StringRef what, Type to = {});
  Value reshape(Value value, ArrayRef<int64_t> sizes, ArrayRef<int64_t> shape);
  /// A scale or zero point at the places of the elements of `input`, the type
  /// of the op's own, that it belongs to; null where that has no form.
  Value spread(Value parameter, RankedTensorType input, int64_t axis,
               int64_t blockSize);
  template <typename OpTy> Value spread(Value parameter, OpTy op) {
    return spread(parameter,
                  mlir::cast<RankedTensorType>(op.getInput().getType()),
                  op.getAxis().value_or(1), op.getBlockSize().value_or(0));
  }

  /// The name of the op, what comes next, and a number where that is taken.
  std::string makeName(StringRef what);

private:
  Value spreadBlocks(Value parameter, RankedTensorType input, int64_t axis,
                     int64_t blockSize);
  /// The same for an axis of dynamic size: each element is repeated along a new
  /// dimension, which is collapsed with the axis; the excess of the last block
  /// is sliced off.
  Value repeatBlocks(Value parameter, RankedTensorType input, int64_t axis,
                     int64_t blockSize);

  Operation *op, *before;
  const OpsetOptions &options;
  NodeNames &names;
  std::string name;
  std::vector<std::string> made;
};

/// The codes of a dequantize, or the `numbers` that they stand for in f32, less
/// the zero point, in f32; null where there is no form.
Value subtractZeroPoint(Expansion &expansion, DequantizeOp op,
                        Value numbers = {});

/// The quotient of a quantize (D1, D2), in f32, or f64 where it divides in
/// that; null where there is no form.
Value divide(Expansion &expansion, QuantizeOp op);

/// An integer's number, in f32, that a quotient is rounded to: to nearest even,
/// plus a zero point at the places of the elements, or none, and saturated.
Value roundToInteger(Expansion &expansion, Value quotient, Type integer,
                     Value point);

/// f32 or f64, whichever has all numbers of `from`, or all but those that are
/// beyond the ones of `narrow`, a narrower type; null where neither has.
Type getArithmeticType(Type from, FloatType narrow);

/// Whether the use is as the scale of a quantize or a dequantize.
bool isScale(OpOperand &use);

/// Whether each user makes numbers of the codes again, or scales by them.
bool areDecoded(Value codes);

/// The numbers that `value`, of f32 or f64, becomes as codes of the float type.
Value roundTo(Expansion &expansion, Value value, Type narrow,
              bool saturate = false, bool infinityIsNaN = false);

} // namespace mlir::quant_float::onnx_import

#endif // QUANT_FLOAT_LIB_TARGET_ONNX_EXPANSION_H
