//===- OpExporter.h - Conversion to upstream's quantization ops -*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===---------------------------------------------------------------------===//
//
// Code that the conversions of casts and quantizations to the ops of other
// compilers share. Each op is converted to ops that compute the same bits, or
// refused with the reason.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_CONVERSION_OPEXPORT_OPEXPORTER_H
#define QUANT_FLOAT_CONVERSION_OPEXPORT_OPEXPORTER_H

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "quant-float/IR/QuantFloatOps.h"
#include <string>

namespace mlir::quant_float {

/// The operands of a `quantize` or `dequantize` on tensors.
struct ExportedQuantization {
  Value input, scale;
  /// Null if absent.
  Value zeroPoint;
  RankedTensorType inputType, resultType;
  /// The type of the quantized elements.
  Type storage;
  /// Counted from the front; absent if the op has one scale.
  std::optional<int64_t> axis;
  std::optional<int64_t> blockSize;
};

/// Converts one op.
class OpExporter {
public:
  OpExporter(Operation *op, ImplicitLocOpBuilder &b) : op(op), b(b) {}

  Operation *op;
  ImplicitLocOpBuilder &b;

  /// Records the reason unless one is recorded already, and fails.
  LogicalResult unsupported(const Twine &reason);
  const std::string &getProblem() const { return problem; }

  /// Reads a QuantizeOp or DequantizeOp. Fails unless input, scale and result
  /// are ranked tensors and the rounding is to nearest.
  FailureOr<ExportedQuantization> readQuantization();
  /// Returns the integer type of the quantized elements. Fails if they are
  /// floats, or have a width that is not in `widths`.
  FailureOr<IntegerType> requireIntegers(const ExportedQuantization &operands,
                                         StringRef dialect,
                                         ArrayRef<unsigned> widths);
  /// Fails if the size of the blocks does not divide the size of the dimension.
  LogicalResult requireWholeBlocks(const ExportedQuantization &operands);

  /// Returns the elements of a constant, or null.
  static DenseElementsAttr getConstant(Value value);
  /// Whether all elements satisfy a predicate on APFloat or APInt. A splat is
  /// one element, whatever its size is.
  template <typename ElementT, typename PredicateT>
  static bool allOf(DenseElementsAttr elements, PredicateT predicate) {
    if (elements.isSplat())
      return predicate(elements.getSplatValue<ElementT>());
    return llvm::all_of(elements.getValues<ElementT>(), predicate);
  }
  /// Converts numbers to f16, bf16, f32 or f64, to nearest, ties to even.
  static DenseElementsAttr convertElements(DenseElementsAttr elements,
                                           FloatType type);
  /// The same for a value. Constants stay constants.
  Value convertFloat(Value value, FloatType type);
  /// Converts unsigned integers to signless integers, which keep the bits.
  Value toSignless(Value value);
  /// Converts the shape and the signedness of a result to those of the op.
  Value toResultType(Value value);

private:
  std::string problem;
};

/// Converts ops inside of `root`. `convert` returns the value that replaces the
/// result, or null for an op that stays. Emits "no NAME for 'op': reason" for
/// each op that it fails on, and fails if there is one.
LogicalResult
exportOps(Operation *root, StringRef name,
          llvm::function_ref<FailureOr<Value>(OpExporter &)> convert);
/// The same for `quantize` and `dequantize`.
LogicalResult exportQuantizations(
    Operation *root, StringRef name,
    llvm::function_ref<FailureOr<Value>(OpExporter &)> convertQuantize,
    llvm::function_ref<FailureOr<Value>(OpExporter &)> convertDequantize);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_CONVERSION_OPEXPORT_OPEXPORTER_H
