//===- Building.h - What the conversions of nodes build with ----*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_CONVERSION_ONNXNODESTOLINALG_BUILDING_H
#define QUANT_FLOAT_LIB_CONVERSION_ONNXNODESTOLINALG_BUILDING_H

#include "NodeContext.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/AffineMap.h"

namespace mlir::quant_float::onnx_nodes {

//===----------------------------------------------------------------------===//
// Sizes and indices
//===----------------------------------------------------------------------===//

/// `expr` over `operands` (its symbols), folded.
OpFoldResult computeIndex(ImplicitLocOpBuilder &b, AffineExpr expr,
                          ArrayRef<OpFoldResult> operands);

/// The size or index as a value.
Value makeIndex(ImplicitLocOpBuilder &b, OpFoldResult index);
/// Whether an index that a run may tell is `other`.
Value isIndex(ImplicitLocOpBuilder &b, Value index, int64_t other);
/// Of one number for each axis, sets that of an axis which a run may tell.
void setAxis(ImplicitLocOpBuilder &b, MutableArrayRef<OpFoldResult> numbers,
             OpFoldResult axis, OpFoldResult number);

/// A tensor and one of its axes.
struct TensorAxis {
  Value tensor;
  int64_t axis;
};
/// An axis of a tensor that a run may tell as one that is known: the tensor in
/// another shape, with one axis for all before it and one for all behind it,
/// without the last `numKept`, which stay.
TensorAxis makeAxisKnown(NodeContext &context, Value tensor, OpFoldResult axis,
                         size_t numKept = 0);

/// The sizes as a type's: dynamic where no constant.
SmallVector<int64_t> getShape(ArrayRef<OpFoldResult> sizes);

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

/// The type that values of `elementType` are computed in: f32 for f16 and bf16
/// (one rounding per op), the signless integer for an unsigned one, the type
/// itself for others.
Type getComputeType(Type elementType);

/// A scalar in its compute type, and back with one rounding.
Value toCompute(ImplicitLocOpBuilder &b, Value value);
Value fromCompute(ImplicitLocOpBuilder &b, Value value, Type elementType);

/// A scalar constant of any of ONNX's number types.
Value makeConstant(ImplicitLocOpBuilder &b, TypedAttr value);
/// Zero of any type of numbers or bools; strings have none.
FailureOr<Value> makeZero(NodeContext &context, Type elementType);
/// One of two elements, of any type: as it is stored.
Value buildSelect(ImplicitLocOpBuilder &b, Value condition, Value isTrue,
                  Value isFalse);
/// The number in `type`, a compute type (or index).
Value makeNumber(ImplicitLocOpBuilder &b, Type type, double value);

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

/// The type that both have, of one rank: sizes in which they differ are open.
RankedTensorType joinTypes(RankedTensorType lhs, RankedTensorType rhs);

/// Makes one element of the result from one element of each input.
using ElementBody =
    llvm::function_ref<Value(ImplicitLocOpBuilder &, ValueRange)>;

/// A linalg.generic of parallel loops over `sizes` that reads each input
/// through its map.
Value buildParallel(ImplicitLocOpBuilder &b, ArrayRef<OpFoldResult> sizes,
                    Type elementType, ValueRange inputs,
                    ArrayRef<AffineMap> maps, ElementBody body);

/// The map of an input of `sizes` that is broadcast (numpy's way) to
/// `resultRank` loops: a size of 1 is read at 0, axes are aligned at the end.
AffineMap getBroadcastMap(MLIRContext *context, ArrayRef<OpFoldResult> sizes,
                          ArrayRef<OpFoldResult> resultSizes);

/// A tensor of these sizes, full of one value (a scalar of any type).
Value buildFilled(ImplicitLocOpBuilder &b, ArrayRef<OpFoldResult> sizes,
                  Value value);

/// The same elements in another shape. The product of the sizes is the same
/// already; `from` are the sizes of `tensor`.
Value buildReshape(ImplicitLocOpBuilder &b, Value tensor,
                   ArrayRef<OpFoldResult> from, ArrayRef<OpFoldResult> to);

/// A tensor that shares its place with no other, of any elements.
Value makeBuffer(ImplicitLocOpBuilder &b, ArrayRef<OpFoldResult> sizes,
                 Type elementType);

/// A part of a tensor. Sizes may be constants that its type does not tell.
Value buildSlice(ImplicitLocOpBuilder &b, Value tensor,
                 ArrayRef<OpFoldResult> offsets, ArrayRef<OpFoldResult> sizes,
                 ArrayRef<OpFoldResult> strides);

/// Parts along an axis, one behind the other: no size may be below 0, and they
/// have to come to all of it.
NodeResults buildParts(NodeContext &context, Value tensor, int64_t axis,
                       ArrayRef<OpFoldResult> parts);

/// `tensor` with `value` around it. A value that is not known is a tensor
/// without axes: on GPUs nothing but kernels reads one.
Value buildPadded(NodeContext &context, Value tensor, Value value,
                  ArrayRef<OpFoldResult> low, ArrayRef<OpFoldResult> high);

/// A tensor without what pads below 0 take away of it, and the pads that are
/// left.
struct CroppedTensor {
  Value tensor;
  SmallVector<OpFoldResult> low, high;
};
FailureOr<CroppedTensor> buildCropped(NodeContext &context, Value tensor,
                                      ArrayRef<OpFoldResult> low,
                                      ArrayRef<OpFoldResult> high);

/// The sizes of tensors broadcast together; an input's size is 1 or that of the
/// result. A size that is not known is taken to be no 1; that it equals the
/// others is asserted.
FailureOr<SmallVector<OpFoldResult>>
broadcastSizes(NodeContext &context,
               ArrayRef<SmallVector<OpFoldResult>> inputSizes);

//===----------------------------------------------------------------------===//
// One after the other
//===----------------------------------------------------------------------===//

/// A tensor of elements as they are stored, and back: loops carry no others.
Value toStorage(ImplicitLocOpBuilder &b, Value tensor);
Value fromStorage(ImplicitLocOpBuilder &b, Value tensor, Type elementType);

/// Makes new values of those of the step before.
using SequentialBody = llvm::function_ref<SmallVector<Value>(
    ImplicitLocOpBuilder &, ValueRange indices, ValueRange values)>;

/// Loops over `sizes`, one step after the other, the last index fastest.
SmallVector<Value> buildSequential(ImplicitLocOpBuilder &b,
                                   ArrayRef<OpFoldResult> sizes,
                                   ValueRange inits, SequentialBody body);

//===----------------------------------------------------------------------===//
// Reductions of any loops
//===----------------------------------------------------------------------===//

/// How two values become one.
enum class Combine { Sum, Product, Max, Min };

/// What `combine` starts from; `type` is a compute type, `isUnsigned` says how
/// to read its integers.
Value makeNeutral(ImplicitLocOpBuilder &b, Combine combine, Type type,
                  bool isUnsigned);
/// Two values of a compute type combined. A NaN goes through Max and Min.
Value buildCombine(ImplicitLocOpBuilder &b, Combine combine, Value lhs,
                   Value rhs, bool isUnsigned);
/// Whether integers of this element type are read as unsigned, bool too.
bool isUnsignedElement(Type elementType);

/// Makes the new values of the accumulators from one element of each input.
using ReductionBody = llvm::function_ref<SmallVector<Value>(
    ImplicitLocOpBuilder &, ValueRange elements, ValueRange accumulators)>;

/// A linalg.generic that reads each input through its map and folds into
/// `inits`, all through `resultMap`; the loops that this one leaves out are the
/// reductions.
SmallVector<Value> buildReduction(ImplicitLocOpBuilder &b, ValueRange inputs,
                                  ArrayRef<AffineMap> maps, ValueRange inits,
                                  AffineMap resultMap, ReductionBody body);

/// The inputs of a product of quantized tensors, and what elements they have.
struct QuantizedFactors {
  size_t values[2] = {0, 1};
  size_t zeroPoints[2] = {2, 3};
  unsigned kinds = kinds::Byte;
  /// Integers of 4 and of 16 bits, too.
  bool takesOtherWidths = false;
};

/// Requires factors of these kinds, each with a zero point of its own type or
/// none; one of float8 is none. Returns the type of the sums: i32, or f32 where
/// a factor is one of floats.
FailureOr<Type> requireFactors(NodeContext &context, QuantizedFactors &factors);

/// Scale and zero point of a whole tensor: tensors without axes. The zero point
/// may be null.
struct Quantization {
  Value scale, zeroPoint;
};

/// A tensor of f32 as ui8, by DynamicQuantizeLinear (D9) of the context's
/// opset.
struct DynamicQuantization {
  Value values, scale, zeroPoint;
};
DynamicQuantization buildDynamicQuantize(NodeContext &context, Value input);

/// The inputs `scale` and the one behind it, which is of the type `codes`, if
/// it is not left out.
FailureOr<Quantization> getQuantization(NodeContext &context, size_t scale,
                                        Type codes);

/// Sums of products of codes as codes of `elementType`, saturated (R1):
/// round_half_even(sum * (s0 * s1 / scale)) + zero point. The scales s0 and s1
/// are read through maps from loops over `sums`.
Value buildRequantized(NodeContext &context, Value sums, ArrayRef<Value> scales,
                       ArrayRef<AffineMap> maps, Quantization result,
                       Type elementType);

/// An attribute with a number of 32 bits for each axis or side, `least` or
/// more, which is what one is that the node leaves out.
FailureOr<SmallVector<int64_t>>
getWindowList(NodeContext &context, StringRef name, size_t size, int64_t least);

/// How windows go over an input, by the attributes of these names; pads before
/// all axes, then behind them.
struct WindowLists {
  SmallVector<int64_t> strides, dilations, pads;
};
FailureOr<WindowLists> getWindowLists(NodeContext &context, size_t axes);

/// Where an input with an element for each column is, over loops of `sizes`.
FailureOr<AffineMap> getBiasMap(NodeContext &context, size_t index,
                                ArrayRef<OpFoldResult> sizes);

/// An element in f32, rounded once.
Value toSingle(ImplicitLocOpBuilder &b, Value value);

/// An index from the front; one that is outside becomes the nearest inside.
Value normalizeIndex(ImplicitLocOpBuilder &b, Value index, Value size);

/// Requires those indices that are known to be inside of an axis.
LogicalResult requireIndices(NodeContext &context, size_t input,
                             OpFoldResult size);

/// The index as a position (see normalizeIndex) on an axis.
Value toPosition(ImplicitLocOpBuilder &b, Value index, OpFoldResult size);

/// Requires input 1 to be indices along an axis of input 0, and of no larger
/// sizes along the others.
LogicalResult requireElementIndices(NodeContext &context, int64_t axis);

/// Requires input 1 to be tuples of indices, its last axis, of the axes of
/// input 0 behind the first `batch`. Returns how many are in one.
FailureOr<int64_t> requireTuples(NodeContext &context, int64_t batch);
/// The positions that the tuple at some indices names on axes of these sizes.
SmallVector<Value> extractPositions(ImplicitLocOpBuilder &b, Value tuples,
                                    ArrayRef<Value> indices,
                                    ArrayRef<OpFoldResult> sizes);

/// Requires the input, if it is there, to be a vector of `batch` numbers: the
/// lengths of sequences.
LogicalResult requireSequenceLengths(NodeContext &context, size_t input,
                                     OpFoldResult batch);
/// One of them as an index, between 0 and the size of the axis.
Value clampLength(ImplicitLocOpBuilder &b, Value length, OpFoldResult size);

/// The axes in another order.
Value buildTranspose(NodeContext &context, Value tensor,
                     ArrayRef<int64_t> order);

/// accumulator + elements[0] * elements[1], for floats and integers; of which,
/// first, the elements at `zeroPoints` (where there are) are subtracted.
SmallVector<Value>
multiplyAndAdd(ImplicitLocOpBuilder &b, ValueRange elements,
               ValueRange accumulators,
               ArrayRef<std::optional<size_t>> zeroPoints = {});

/// Changes an element before it is combined.
using ElementMap = Value (*)(ImplicitLocOpBuilder &, Value, bool isUnsigned);

/// The elements along `axes` combined, in the compute type, the axes left out.
Value buildReductionOfAxes(NodeContext &context, Value tensor,
                           ArrayRef<int64_t> axes, Combine combine,
                           ElementMap before = nullptr);

/// What all elements along an axis up to each come to, in the compute type:
/// with it unless `isExclusive`, from the end if `isReverse`.
Value buildRunning(NodeContext &context, Value tensor, int64_t axis,
                   Combine combine, bool isExclusive = false,
                   bool isReverse = false);

/// Dropout where `isTraining`, a tensor without axes, is true: the result and
/// the mask.
NodeResults buildTrainingDropout(NodeContext &context, Value isTraining);

/// Where the largest (or smallest) elements along an axis are, as i64, the axis
/// left out; of equal ones the first unless `takesEqual`.
Value buildArgMax(NodeContext &context, Value tensor, int64_t axis, bool isMax,
                  bool takesEqual);

/// |x|^p, and x^(1/p).
Value buildPower(ImplicitLocOpBuilder &b, Value x, double p);
Value buildRoot(ImplicitLocOpBuilder &b, Value x, double p);

/// lhs - rhs, of floats or integers.
Value buildDifference(ImplicitLocOpBuilder &b, Value lhs, Value rhs);

/// The product of sizes, as an i64.
Value buildElementCount(ImplicitLocOpBuilder &b, ArrayRef<OpFoldResult> sizes);

/// A tensor of a compute type with its elements in `elementType`.
Value convertFromCompute(NodeContext &context, Value tensor, Type elementType);

/// Elements computed from those of several tensors, each of which goes along
/// some of the axes of the result: `axes` of an input are the axes of the
/// result that its own are.
Value buildAlongAxes(
    NodeContext &context, ArrayRef<OpFoldResult> sizes, Type elementType,
    ValueRange inputs, ArrayRef<SmallVector<int64_t>> axes,
    llvm::function_ref<Value(ImplicitLocOpBuilder &, ValueRange)> body);

} // namespace mlir::quant_float::onnx_nodes

#endif // QUANT_FLOAT_LIB_CONVERSION_ONNXNODESTOLINALG_BUILDING_H
