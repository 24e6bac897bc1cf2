//===- NodeContext.h - Context of an ONNX node lowering ---------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_ONNX_TOLINALG_NODECONTEXT_H
#define QUANT_FLOAT_LIB_ONNX_TOLINALG_NODECONTEXT_H

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "quant-float/Conversion/NodeToQuantFloat/NodeAttributes.h"
#include "llvm/ADT/DenseMap.h"
#include <string>

namespace mlir::quant_float::onnx_nodes {

/// The replacements of a node's results. An output without a replacement is
/// null, or is omitted at the end.
using NodeResults = FailureOr<SmallVector<Value>>;

class NodeContext;

/// Builds the ops that replace the node, or fails with a reason (see
/// NodeContext::unsupported).
using NodeConversion = NodeResults (*)(NodeContext &);

/// Bit masks of element types that a conversion accepts.
namespace kinds {
enum : unsigned {
  /// f16, bf16 and f32, which are computed in f32.
  Single = 1,
  Double = 2,
  Float = Single | Double,
  /// Signed and unsigned integers of 8 bits, and of more bits.
  Byte = 4,
  WideInteger = 8,
  Integer = Byte | WideInteger,
  Bool = 16,
  Float8 = 32,
  /// Input 0 is a sequence of tensors with any element type.
  Sequence = 64,
  /// Any element type, including those that ops can only move, such as strings.
  Any = ~0u & ~Sequence
};
} // namespace kinds

/// Caches the sizes of tensors. Each dynamic size has one value, so that sizes
/// with the same value are known to be equal.
class SizeCache {
public:
  /// Returns the sizes of a tensor. Follows shape-preserving ops to the source
  /// of the shape, so that sizes refer to function arguments if possible.
  SmallVector<OpFoldResult> getSizes(Value tensor);
  /// Sets the sizes of a tensor whose defining op does not provide them.
  void setSizes(Value tensor, ArrayRef<OpFoldResult> sizes) {
    known[tensor].assign(sizes.begin(), sizes.end());
  }

private:
  Value getDim(Value tensor, int64_t dim);
  llvm::DenseMap<Value, SmallVector<OpFoldResult>> known;
  llvm::DenseMap<std::pair<Value, int64_t>, Value> dims;
};

/// Larger tensors are not treated as shape arithmetic.
inline constexpr int64_t kMaxScalars = 64;
/// Splats with more elements are filled at run time instead of being
/// materialized as constants.
inline constexpr int64_t kMaxRepeated = int64_t(1) << 20;

/// Returns the elements of a small static tensor of rank 0 or 1 that is a
/// constant or a tensor.from_elements. Shape arithmetic operates on these
/// scalars.
std::optional<SmallVector<Value>> getScalars(ImplicitLocOpBuilder &b,
                                             Value tensor);
/// The inverse of getScalars. Returns a constant if all scalars are constants.
Value makeTensor(ImplicitLocOpBuilder &b, ArrayRef<Value> scalars,
                 RankedTensorType type);

/// Whether the value is a sequence whose tensors are known individually.
bool isSequence(Value value);

/// Whether the element type belongs to one of the kinds.
bool isKind(Type elementType, unsigned kinds);

/// Returns the type in quotes, for diagnostics.
std::string show(Type type);

/// A node whose inputs have been converted to ranked tensors of ONNX's element
/// types. String tensors occur only if the node just moves them.
class NodeContext : public NodeAttributes {
public:
  NodeContext(NodeOp node, ImplicitLocOpBuilder &b, SizeCache &sizeCache);

  ImplicitLocOpBuilder &b;
  /// The operator that is converted. It differs from the node's if another op
  /// of ONNX implements the node.
  std::optional<NodeKind> kind;
  /// Converts the nodes of a body. Returns false if some have no lowering; an
  /// error has been emitted for these unless unsupported nodes are allowed.
  llvm::function_ref<bool(Block &)> convertBody;
  /// The number of random nodes without a seed that the function has had so
  /// far.
  uint64_t *numUnseeded = nullptr;
  /// Whether the code runs on a GPU, where all work must be parallel.
  bool onDevice = false;
  /// The opset of the model, not the version of the op.
  int64_t opset;
  /// Indexed by the position in the source node. Absent inputs are null.
  SmallVector<Value> inputs;

  //===--------------------------------------------------------------------===//
  // Inputs
  //===--------------------------------------------------------------------===//

  /// Returns the tensors of an input that is a sequence.
  SmallVector<Value> getSequence(size_t index) const;

  /// Returns null if the node omits the input.
  Value input(size_t index) const {
    return index < inputs.size() ? inputs[index] : Value();
  }
  /// Returns the type of an input, which must not be absent.
  RankedTensorType type(size_t index) const {
    return cast<RankedTensorType>(inputs[index].getType());
  }
  Type elementType(size_t index) const { return type(index).getElementType(); }
  SmallVector<OpFoldResult> getSizes(Value tensor) {
    return sizeCache.getSizes(tensor);
  }
  void setSizes(Value tensor, ArrayRef<OpFoldResult> sizes) {
    sizeCache.setSizes(tensor, sizes);
  }

  /// Reshapes `tensor` (see buildReshape). Small tensors of scalars remain
  /// tensors of scalars.
  Value reshape(Value tensor, ArrayRef<OpFoldResult> to);

  /// Returns an input of one element, such as a per-tensor scale or zero point,
  /// as a tensor of rank 0. Returns null if the node omits the input.
  FailureOr<Value> getOnlyElement(size_t index);

  /// Returns the values of a constant integer tensor of any rank, flattened.
  /// Returns none for other inputs, and for splats of more than kMaxRepeated
  /// elements.
  std::optional<SmallVector<int64_t>> getConstantInts(size_t index);
  /// Returns the elements of an integer tensor of rank 0 or 1 as index values
  /// or attributes. They are constants, results of shape arithmetic, or else
  /// elements that are read at run time. Returns none for other inputs, and if
  /// the number of elements is unknown or exceeds kMaxScalars.
  std::optional<SmallVector<OpFoldResult>> getIndices(size_t index);
  /// Returns the only element of an input as an index. A float is converted to
  /// an integer.
  FailureOr<OpFoldResult> getIndex(size_t index);
  /// Returns the elements of an input that specifies a shape. Fails if their
  /// number is unknown or above kMaxDimensions.
  FailureOr<SmallVector<OpFoldResult>> getShapeInput(size_t index);
  std::optional<SmallVector<Value>> getScalars(Value tensor);
  Value makeTensor(ArrayRef<Value> scalars, RankedTensorType type);

  // The sum and the product of sizes. If constants overflow 64 bits, these mark
  // the node as unsupported and return 0.
  OpFoldResult computeSum(ArrayRef<OpFoldResult> sizes);
  OpFoldResult computeProduct(ArrayRef<OpFoldResult> sizes);

  //===--------------------------------------------------------------------===//
  // Axes
  //===--------------------------------------------------------------------===//

  /// Returns the axis counted from the front. Fails if the axis is not in
  /// [-rank, rank).
  FailureOr<int64_t> normalizeAxis(int64_t axis, int64_t rank);
  /// As above, for an axis that may be dynamic; a dynamic axis is checked at
  /// run time.
  FailureOr<OpFoldResult> normalizeAxis(OpFoldResult axis, int64_t rank);
  /// As above, for a list of axes, which must not contain an axis twice.
  FailureOr<SmallVector<int64_t>> normalizeAxes(ArrayRef<int64_t> axes,
                                                int64_t rank);
  FailureOr<SmallVector<OpFoldResult>>
  normalizeAxes(ArrayRef<OpFoldResult> axes, int64_t rank);

  //===--------------------------------------------------------------------===//
  // Failure
  //===--------------------------------------------------------------------===//

  bool hasKind(size_t index, unsigned kinds) const;
  /// Requires the elements of an input, which must not be absent, to be of
  /// these kinds.
  LogicalResult requireKind(size_t index, unsigned kinds);

  /// Requires the elements of an input, which must not be absent, to have this
  /// type.
  LogicalResult requireElementType(size_t index, Type expected);

  /// Requires a float8 zero point to be zero (Q7) if the input is a constant.
  /// Accepts an absent input.
  LogicalResult requireNoPoint(size_t index);

  /// Requires the input not to be absent.
  LogicalResult requireInput(size_t index);

  /// Requires the value of an attribute to be at least `min` and to fit in 32
  /// bits, so that products of two such values do not overflow 64 bits.
  LogicalResult requireRange(StringRef attribute, int64_t value, int64_t min);

  /// Requires all inputs from `first` on to have the same element type.
  LogicalResult requireSameType(size_t first = 0);

  /// Requires a size, which messages call `what`, to be at least `min`. A
  /// dynamic size is checked at run time.
  LogicalResult requireAtLeast(int64_t min, OpFoldResult actual,
                               const Twine &what);
  /// Requires a size to be at most `max`. A dynamic size is checked at run
  /// time.
  LogicalResult requireAtMost(OpFoldResult max, OpFoldResult actual,
                              const Twine &what);
  /// Requires a size to be equal to `expected`. Dynamic sizes are checked at
  /// run time with the message "`what` `must`".
  LogicalResult requireEqual(OpFoldResult expected, OpFoldResult actual,
                             const Twine &what,
                             StringRef must = "must match the other sizes");
  /// Requires an axis of this size to be nonempty if `taken`, the number
  /// of elements that are read from it, is not 0. Dynamic sizes are checked at
  /// run time.
  LogicalResult requireElements(int64_t axis, OpFoldResult size,
                                OpFoldResult taken);

  /// Marks the node as unsupported and returns failure. The pass reports the
  /// first reason.
  LogicalResult unsupported(const Twine &reason);
  const std::string &getProblem() const { return problem; }

  /// Emits an assertion that the condition holds at run time. The message
  /// starts with the node's name and op type.
  void requireTrue(Value condition, const Twine &message);

private:
  SizeCache &sizeCache;
  std::string problem;
};

// The conversions of all rows of OnnxNodes.def.
#define QUANT_FLOAT_NODE(OpType, Since, MinInputs, MaxInputs, Kinds, Element,  \
                         Shape, Attributes, Conversion)                        \
  NodeResults Conversion(NodeContext &context);
#define QUANT_FLOAT_MICROSOFT_NODE QUANT_FLOAT_NODE
#include "quant-float/Conversion/NodeToQuantFloat/OnnxNodes.def"
NodeResults convertElementwise(NodeContext &context);

} // namespace mlir::quant_float::onnx_nodes

#endif // QUANT_FLOAT_LIB_ONNX_TOLINALG_NODECONTEXT_H
