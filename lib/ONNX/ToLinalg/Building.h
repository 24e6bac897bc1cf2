//===- Building.h - Builders for node conversions ---------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_ONNX_TOLINALG_BUILDING_H
#define QUANT_FLOAT_LIB_ONNX_TOLINALG_BUILDING_H

#include "NodeContext.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/AffineMap.h"
#include "quant-float/IR/Constants.h"

namespace mlir::quant_float::onnx_nodes {

//===----------------------------------------------------------------------===//
// Sizes and indices
//===----------------------------------------------------------------------===//

/// Evaluates `expr`, whose symbols are `operands`, and folds constants.
OpFoldResult computeIndex(ImplicitLocOpBuilder &b, AffineExpr expr,
                          ArrayRef<OpFoldResult> operands);

/// Returns the size or index as a value.
Value makeIndex(ImplicitLocOpBuilder &b, OpFoldResult index);
/// Returns an i1 that is true if `index`, which may be dynamic, equals `other`.
Value isIndex(ImplicitLocOpBuilder &b, Value index, int64_t other);
/// Sets the entry of `axis`, which may be dynamic, to `number`. `numbers` has
/// one entry for each axis.
void setAxis(ImplicitLocOpBuilder &b, MutableArrayRef<OpFoldResult> numbers,
             OpFoldResult axis, OpFoldResult number);

/// A tensor and one of its axes.
struct TensorAxis {
  Value tensor;
  int64_t axis;
};
/// Makes a dynamic axis static by a reshape: the axes before `axis` become one
/// axis, and the axes after it become one axis, except the last `numTrailing`
/// axes, which remain. Returns `tensor` as it is if `axis` is a constant.
TensorAxis makeAxisKnown(NodeContext &context, Value tensor, OpFoldResult axis,
                         size_t numTrailing = 0);

/// Returns the shape of a type with these sizes. Sizes that are not constant
/// are dynamic.
SmallVector<int64_t> getShape(ArrayRef<OpFoldResult> sizes);

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

/// Returns the type in which values of `elementType` are computed: f32 for f16
/// and bf16 (with one rounding per op), the signless integer for an unsigned
/// integer, and `elementType` for all others.
Type getComputeType(Type elementType);

/// Converts a scalar to its compute type, and back with one rounding.
Value toCompute(ImplicitLocOpBuilder &b, Value value);
Value fromCompute(ImplicitLocOpBuilder &b, Value value, Type elementType);

/// Returns zero of a numeric or bool type. Reports other types, such as
/// strings, as unsupported.
FailureOr<Value> makeZero(NodeContext &context, Type elementType);
/// Selects one of two scalars of any element type. The select uses the storage
/// type.
Value buildSelect(ImplicitLocOpBuilder &b, Value condition, Value isTrue,
                  Value isFalse);
/// Returns `value` as a constant of `type`, which is a compute type or index.
/// The value is clamped to 64 bits for integers.
Value makeNumber(ImplicitLocOpBuilder &b, Type type, double value);

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

/// Returns the most specific type of which both types, of equal rank, are
/// instances. Sizes that differ are dynamic.
RankedTensorType joinTypes(RankedTensorType lhs, RankedTensorType rhs);

/// Computes one element of the result from one element of each input.
using ElementBody =
    llvm::function_ref<Value(ImplicitLocOpBuilder &, ValueRange)>;

/// Builds a linalg.generic with parallel loops over `sizes` that reads each
/// input through its indexing map.
Value buildParallel(ImplicitLocOpBuilder &b, ArrayRef<OpFoldResult> sizes,
                    Type elementType, ValueRange inputs,
                    ArrayRef<AffineMap> maps, ElementBody body);

/// Returns the indexing map of an input of `sizes` that NumPy broadcasting
/// extends to `resultSizes`. The axes are aligned at the last one, and an axis
/// of size 1 is read at index 0.
AffineMap getBroadcastMap(MLIRContext *context, ArrayRef<OpFoldResult> sizes,
                          ArrayRef<OpFoldResult> resultSizes);

/// Returns a tensor of these sizes filled with `value`, a scalar of any type.
Value buildFilled(ImplicitLocOpBuilder &b, ArrayRef<OpFoldResult> sizes,
                  Value value);

/// Reshapes `tensor` from the sizes `from`, which are its own, to `to`. The
/// caller ensures that both have the same number of elements.
Value buildReshape(ImplicitLocOpBuilder &b, Value tensor,
                   ArrayRef<OpFoldResult> from, ArrayRef<OpFoldResult> to);

/// Returns a new tensor with undefined elements. Its buffer aliases no other
/// tensor.
Value makeBuffer(ImplicitLocOpBuilder &b, ArrayRef<OpFoldResult> sizes,
                 Type elementType);

/// Returns a slice of `tensor`. `sizes` may be constants where the type of the
/// tensor is dynamic.
Value buildSlice(ImplicitLocOpBuilder &b, Value tensor,
                 ArrayRef<OpFoldResult> offsets, ArrayRef<OpFoldResult> sizes,
                 ArrayRef<OpFoldResult> strides);

/// Splits `tensor` along `axis` into consecutive slices of the sizes `parts`.
/// Requires that no size is negative and that the sizes add up to that of the
/// axis, at run time if they are dynamic.
NodeResults buildParts(NodeContext &context, Value tensor, int64_t axis,
                       ArrayRef<OpFoldResult> parts);

/// Pads `tensor` with `value`. A value that is not a constant is a tensor of
/// rank 0, because on GPUs only kernels can read its element.
Value buildPadded(NodeContext &context, Value tensor, Value value,
                  ArrayRef<OpFoldResult> low, ArrayRef<OpFoldResult> high);

/// A tensor that is cropped by negative pads, and the remaining pads, none of
/// which is negative.
struct CroppedTensor {
  Value tensor;
  SmallVector<OpFoldResult> low, high;
};
FailureOr<CroppedTensor> buildCropped(NodeContext &context, Value tensor,
                                      ArrayRef<OpFoldResult> low,
                                      ArrayRef<OpFoldResult> high);

/// Returns the sizes of tensors that are broadcast together. Each constant size
/// of an input is 1 or the size of the result. A dynamic size is assumed not to
/// be broadcast, and an assertion checks at run time that it equals the other
/// sizes.
FailureOr<SmallVector<OpFoldResult>>
broadcastSizes(NodeContext &context,
               ArrayRef<SmallVector<OpFoldResult>> inputSizes);

//===----------------------------------------------------------------------===//
// Sequential loops
//===----------------------------------------------------------------------===//

/// Converts a tensor to its storage type, and back. Loops carry storage types
/// only.
Value toStorage(ImplicitLocOpBuilder &b, Value tensor);
Value fromStorage(ImplicitLocOpBuilder &b, Value tensor, Type elementType);

/// Computes the loop-carried values of a step from those of the step before.
using SequentialBody = llvm::function_ref<SmallVector<Value>(
    ImplicitLocOpBuilder &, ValueRange indices, ValueRange values)>;

/// Builds a nest of sequential loops over `sizes`. The last loop is the
/// innermost.
SmallVector<Value> buildSequential(ImplicitLocOpBuilder &b,
                                   ArrayRef<OpFoldResult> sizes,
                                   ValueRange inits, SequentialBody body);

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// How a reduction combines two values.
enum class Combine { Sum, Product, Max, Min };

/// Returns the initial value of a reduction. `type` is a compute type, and
/// `isUnsigned` is whether its integers are unsigned.
Value makeNeutral(ImplicitLocOpBuilder &b, Combine combine, Type type,
                  bool isUnsigned);
/// Combines two values of a compute type. Max and Min propagate NaNs.
Value buildCombine(ImplicitLocOpBuilder &b, Combine combine, Value lhs,
                   Value rhs, bool isUnsigned);
/// Whether integers of this element type are unsigned. This includes bool.
bool isUnsignedElement(Type elementType);

/// Computes the new accumulators from one element of each input.
using ReductionBody = llvm::function_ref<SmallVector<Value>(
    ImplicitLocOpBuilder &, ValueRange elements, ValueRange accumulators)>;

/// Builds a linalg.generic that reads each input through its indexing map and
/// reduces into `inits`, which all use `resultMap`. Loops that `resultMap` does
/// not use are reductions.
SmallVector<Value> buildReduction(ImplicitLocOpBuilder &b, ValueRange inputs,
                                  ArrayRef<AffineMap> maps, ValueRange inits,
                                  AffineMap resultMap, ReductionBody body);

/// The operands of a quantized matmul or convolution: the positions of the
/// node's inputs, and the permitted element types.
struct QuantizedOperands {
  size_t values[2] = {0, 1};
  size_t zeroPoints[2] = {2, 3};
  unsigned kinds = kinds::Byte;
  /// Also permits integers of 4 and 16 bits.
  bool acceptsOtherWidths = false;
};

/// Requires operands of these kinds, each with a zero point of the operand's
/// type or without one. The zero point of a float8 operand must be zero (Q7)
/// and counts as absent afterward. Returns the accumulator type: f32 if an
/// operand has floats, otherwise i32.
FailureOr<Type> requireOperands(NodeContext &context,
                                QuantizedOperands &operands);

/// A per-tensor scale and zero point, as tensors of rank 0. The zero point may
/// be null.
struct Quantization {
  Value scale, zeroPoint;
};

/// An f32 tensor quantized to ui8 by DynamicQuantizeLinear (D9) of the
/// context's opset.
struct DynamicQuantization {
  Value values, scale, zeroPoint;
};
DynamicQuantization buildDynamicQuantize(NodeContext &context, Value input);

/// Returns the per-tensor scale at input `scale` and the zero point at the next
/// input. The zero point may be absent; otherwise it must have type `type`.
FailureOr<Quantization> getQuantization(NodeContext &context, size_t scale,
                                        Type type);

/// Requantizes the accumulators of a quantized contraction to `elementType`
/// with saturation (R1): round_half_even(acc * (s0 * s1 / scale)) + zero point.
/// `maps` are the indexing maps of the scales s0 and s1 in loops over
/// `accumulators`.
Value buildRequantized(NodeContext &context, Value accumulators,
                       ArrayRef<Value> scales, ArrayRef<AffineMap> maps,
                       Quantization result, Type elementType);

/// Returns an attribute that has one value for each axis or side. Each value
/// must be at least `min` and fit in 32 bits. `min` is also the default
/// value.
FailureOr<SmallVector<int64_t>>
getWindowList(NodeContext &context, StringRef name, size_t size, int64_t min);

/// The strides, dilations and pads of a window. The pads before all axes
/// precede the pads after them.
struct WindowLists {
  SmallVector<int64_t> strides, dilations, pads;
};
FailureOr<WindowLists> getWindowLists(NodeContext &context, size_t axes);

/// Returns the indexing map of an input with one element for each column, in
/// loops over `sizes`.
FailureOr<AffineMap> getBiasMap(NodeContext &context, size_t index,
                                ArrayRef<OpFoldResult> sizes);

/// Converts an element to f32 with at most one rounding.
Value toSingle(ImplicitLocOpBuilder &b, Value value);

/// Adds `size` to a negative index, then clamps the index to [0, size).
Value normalizeIndex(ImplicitLocOpBuilder &b, Value index, Value size);

/// Requires that constant indices are in bounds of an axis. Other indices are
/// not checked.
LogicalResult requireIndices(NodeContext &context, size_t input,
                             OpFoldResult size);

/// Converts an integer element to index. Unsigned elements are zero-extended.
Value castToIndex(ImplicitLocOpBuilder &b, Value integer);

/// Converts an integer element to a position on an axis (see normalizeIndex).
Value toPosition(ImplicitLocOpBuilder &b, Value index, OpFoldResult size);

/// Requires that input 1 has indices along an axis of input 0, and that its
/// other axes are not larger than those of input 0.
LogicalResult requireElementIndices(NodeContext &context, int64_t axis);

/// Requires that the last axis of input 1 holds index tuples into the axes of
/// input 0 after the first `batch` ones. Returns the number of indices in a
/// tuple.
FailureOr<int64_t> requireTuples(NodeContext &context, int64_t batch);
/// Returns the positions, on axes of these sizes, of the tuple at `indices`.
SmallVector<Value> extractPositions(ImplicitLocOpBuilder &b, Value tuples,
                                    ArrayRef<Value> indices,
                                    ArrayRef<OpFoldResult> sizes);

/// Requires that the input, unless it is absent, is a vector of `batch`
/// sequence lengths.
LogicalResult requireSequenceLengths(NodeContext &context, size_t input,
                                     OpFoldResult batch);
/// Returns a sequence length as an index that is clamped to [0, size].
Value clampLength(ImplicitLocOpBuilder &b, Value length, OpFoldResult size);

/// Permutes the axes: axis i of the result is axis `order[i]` of `tensor`.
Value buildTranspose(NodeContext &context, Value tensor,
                     ArrayRef<int64_t> order);

/// Returns accumulator + elements[0] * elements[1] for floats or integers. The
/// elements at `zeroPoints`, if any, are subtracted from the operands first.
SmallVector<Value>
multiplyAndAdd(ImplicitLocOpBuilder &b, ValueRange elements,
               ValueRange accumulators,
               ArrayRef<std::optional<size_t>> zeroPoints = {});

/// Transforms an element before it is combined.
using ElementMap = Value (*)(ImplicitLocOpBuilder &, Value, bool isUnsigned);

/// Reduces `tensor` along `axes` in the compute type. The result does not have
/// these axes.
Value buildReductionOfAxes(NodeContext &context, Value tensor,
                           ArrayRef<int64_t> axes, Combine combine,
                           ElementMap before = nullptr);

/// Computes the prefix reduction along an axis in the compute type.
/// `isExclusive` excludes the element itself, and `isReverse` starts at the end
/// of the axis.
Value buildRunning(NodeContext &context, Value tensor, int64_t axis,
                   Combine combine, bool isExclusive = false,
                   bool isReverse = false);

/// Builds a Dropout that drops elements if `isTraining`, a tensor of rank 0, is
/// true. Returns the result and the mask.
NodeResults buildTrainingDropout(NodeContext &context, Value isTraining);

/// Returns the positions of the largest or smallest elements along an axis, as
/// i64. The result does not have this axis. Of equal elements the first is
/// taken, or the last if `takesEqual`.
Value buildArgMax(NodeContext &context, Value tensor, int64_t axis, bool isMax,
                  bool takesEqual);

/// Return |x|^p and x^(1/p).
Value buildPower(ImplicitLocOpBuilder &b, Value x, double p);
Value buildRoot(ImplicitLocOpBuilder &b, Value x, double p);

/// Returns lhs - rhs for floats or integers.
Value buildDifference(ImplicitLocOpBuilder &b, Value lhs, Value rhs);

/// Returns the product of the sizes as an i64.
Value buildElementCount(ImplicitLocOpBuilder &b, ArrayRef<OpFoldResult> sizes);

/// Converts the elements of a tensor from their compute type to `elementType`.
Value convertFromCompute(NodeContext &context, Value tensor, Type elementType);

/// Computes elements from several tensors, each of which extends along some of
/// the axes of the result. `axes` lists, for each input, the axes of the result
/// that correspond to its axes.
Value buildAlongAxes(
    NodeContext &context, ArrayRef<OpFoldResult> sizes, Type elementType,
    ValueRange inputs, ArrayRef<SmallVector<int64_t>> axes,
    llvm::function_ref<Value(ImplicitLocOpBuilder &, ValueRange)> body);

} // namespace mlir::quant_float::onnx_nodes

#endif // QUANT_FLOAT_LIB_ONNX_TOLINALG_BUILDING_H
