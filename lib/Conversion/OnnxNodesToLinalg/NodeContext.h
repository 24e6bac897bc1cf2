//===- NodeContext.h - An ONNX node on its way to linalg --------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_CONVERSION_ONNXNODESTOLINALG_NODECONTEXT_H
#define QUANT_FLOAT_LIB_CONVERSION_ONNXNODESTOLINALG_NODECONTEXT_H

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "quant-float/Conversion/NodeAttributes.h"
#include "llvm/ADT/DenseMap.h"
#include <string>

namespace mlir::quant_float::onnx_nodes {

/// What takes the place of a node's results; null (or left out at the end) for
/// an output that nothing makes.
using NodeResults = FailureOr<SmallVector<Value>>;

class NodeContext;

/// Builds the ops that do what the node does, or says why it cannot (see
/// NodeContext::unsupported).
using NodeConversion = NodeResults (*)(NodeContext &);

/// Elements that ops compute with; sets of them are or'ed.
namespace kinds {
enum : unsigned {
  /// f16, bf16, f32: what is computed in f32.
  Single = 1,
  Double = 2,
  Float = Single | Double,
  /// Signed and unsigned ones of one byte, and of more.
  Byte = 4,
  WideInteger = 8,
  Integer = Byte | WideInteger,
  Bool = 16,
  Float8 = 32,
  /// Input 0 is a sequence of tensors, of any elements.
  Sequence = 64,
  /// These elements and all that are only moved.
  Any = ~0u & ~Sequence
};
} // namespace kinds

/// Sizes of tensors, one value for a size however often it is asked for: two
/// sizes that are the same value are equal.
class SizeCache {
public:
  /// Looks through the ops that make the tensor, so that sizes are those of
  /// function arguments wherever that can be.
  SmallVector<OpFoldResult> getSizes(Value tensor);
  /// What is known of a tensor whose op does not tell.
  void setSizes(Value tensor, ArrayRef<OpFoldResult> sizes) {
    known[tensor].assign(sizes.begin(), sizes.end());
  }

private:
  Value getDim(Value tensor, int64_t dim);
  llvm::DenseMap<Value, SmallVector<OpFoldResult>> known;
  llvm::DenseMap<std::pair<Value, int64_t>, Value> dims;
};

/// Tensors with more elements are no shape arithmetic.
inline constexpr int64_t kMostScalars = 64;
/// One value repeated more often is computed where it is needed, and no
/// constant.
inline constexpr int64_t kMostRepeated = int64_t(1) << 20;

/// The elements of a tensor of rank 0 or 1 that is small and either constant
/// or put together from scalars: what shape arithmetic is done on.
std::optional<SmallVector<Value>> getScalars(ImplicitLocOpBuilder &b,
                                             Value tensor);
/// The tensor that getScalars looks through; a constant if they all are.
Value makeTensor(ImplicitLocOpBuilder &b, ArrayRef<Value> scalars,
                 RankedTensorType type);

/// Whether the value is a sequence of tensors that are known one by one.
bool isSequence(Value value);

/// Whether elements of the type are of one of the kinds.
bool isKind(Type elementType, unsigned kinds);

/// The type in quotes, as diagnostics have it.
std::string show(Type type);

/// A node with its inputs converted: they are ranked tensors of ONNX's types,
/// of strings where the node only moves them.
class NodeContext : public NodeAttributes {
public:
  NodeContext(NodeOp node, ImplicitLocOpBuilder &b, SizeCache &sizeCache);

  ImplicitLocOpBuilder &b;
  /// The op that is converted: the node's, or the one of ONNX that it is made
  /// of.
  StringRef opType;
  /// Converts the nodes of a body; false, after errors, if some have no
  /// lowering.
  llvm::function_ref<bool(Block &)> convertBody;
  /// How many random nodes without a seed the function has had.
  uint64_t *numUnseeded = nullptr;
  /// Whether the code is for a GPU, whose threads have to share all work.
  bool onDevice = false;
  /// The opset of the model, not the version of the op.
  int64_t opset;
  /// By their position in the source node; null where absent.
  SmallVector<Value> inputs;

  //===--------------------------------------------------------------------===//
  // Inputs
  //===--------------------------------------------------------------------===//

  /// The tensors of an input that is a sequence.
  SmallVector<Value> getSequence(size_t index) const;

  /// Null when the node leaves it out.
  Value input(size_t index) const {
    return index < inputs.size() ? inputs[index] : Value();
  }
  /// The type of an input that is there.
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

  /// `tensor` in another shape (see buildReshape). Small tensors of scalars
  /// stay such.
  Value reshape(Value tensor, ArrayRef<OpFoldResult> to);

  /// The scale or zero point of a whole tensor: an input of one element, as a
  /// tensor without axes. Null when the node leaves it out.
  FailureOr<Value> getOnlyElement(size_t index);

  /// The values of a constant integer tensor (of any rank, flattened).
  std::optional<SmallVector<int64_t>> getConstantInts(size_t index);
  /// The elements of a small integer tensor of rank 0 or 1, as index values or
  /// attributes: constants, what shape arithmetic computed, or else elements
  /// read at run time. None if the number of elements is not known.
  std::optional<SmallVector<OpFoldResult>> getIndices(size_t index);
  /// The only element of an input, a number that is taken for an integer.
  FailureOr<OpFoldResult> getIndex(size_t index);
  /// The elements of an input that is a shape.
  FailureOr<SmallVector<OpFoldResult>> getShapeInput(size_t index);
  std::optional<SmallVector<Value>> getScalars(Value tensor);
  Value makeTensor(ArrayRef<Value> scalars, RankedTensorType type);

  // Of sizes. Constants whose sum or product 64 bits do not hold make the node
  // unsupported; 0 is returned then.
  OpFoldResult computeSum(ArrayRef<OpFoldResult> sizes);
  OpFoldResult computeProduct(ArrayRef<OpFoldResult> sizes);

  //===--------------------------------------------------------------------===//
  // Axes
  //===--------------------------------------------------------------------===//

  /// The axis counted from the front; fails outside of [-rank, rank).
  FailureOr<int64_t> normalizeAxis(int64_t axis, int64_t rank);
  /// The same of one that a run may tell, checked there.
  FailureOr<OpFoldResult> normalizeAxis(OpFoldResult axis, int64_t rank);
  /// The same for a list, which may not name an axis twice.
  FailureOr<SmallVector<int64_t>> normalizeAxes(ArrayRef<int64_t> axes,
                                                int64_t rank);
  FailureOr<SmallVector<OpFoldResult>>
  normalizeAxes(ArrayRef<OpFoldResult> axes, int64_t rank);

  //===--------------------------------------------------------------------===//
  // Failure
  //===--------------------------------------------------------------------===//

  bool hasKind(size_t index, unsigned kinds) const;
  /// Requires the elements of an input that is there to be of these kinds.
  LogicalResult requireKind(size_t index, unsigned kinds);

  /// Requires the elements of an input that is there to be of the type.
  LogicalResult requireElementType(size_t index, Type expected);

  /// Requires a zero point of float8, if the input is one and known, to be zero
  /// (Q7).
  LogicalResult requireNoPoint(size_t index);

  /// Requires the node not to leave the input out.
  LogicalResult requireInput(size_t index);

  /// Requires a value of an attribute to have 32 bits: then no product of two
  /// overflows.
  LogicalResult requireRange(StringRef attribute, int64_t value, int64_t least);

  /// Requires all inputs from `first` on to have elements of one type.
  LogicalResult requireSameType(size_t first = 0);

  /// Requires a size (`what`) not to be below `least`, at run time if need be.
  LogicalResult requireAtLeast(int64_t least, OpFoldResult given,
                               const Twine &what);
  /// The same of a size that must not be above `most`.
  LogicalResult requireAtMost(OpFoldResult most, OpFoldResult given,
                              const Twine &what);
  /// Requires a size (`what`) to be another one, at run time if need be; `must`
  /// is what the error says then.
  LogicalResult requireEqual(OpFoldResult expected, OpFoldResult given,
                             const Twine &what,
                             StringRef must = "must fit the other sizes");
  /// Requires an axis of a size to have elements if any are taken from it, at
  /// run time if need be.
  LogicalResult requireElements(int64_t axis, OpFoldResult size,
                                OpFoldResult taken);

  /// Remembers the first reason; the pass reports it.
  LogicalResult unsupported(const Twine &why);
  const std::string &getProblem() const { return problem; }

  /// Requires a condition to hold at run time.
  void requireTrue(Value condition, const Twine &text);

private:
  SizeCache &sizeCache;
  std::string problem;
};

// The conversions of all rows.
#define QUANT_FLOAT_NODE(OpType, Since, Fewest, Most, Kinds, Element, Shape,   \
                         Attributes, Conversion)                               \
  NodeResults Conversion(NodeContext &context);
#define QUANT_FLOAT_MICROSOFT_NODE QUANT_FLOAT_NODE
#include "quant-float/Conversion/OnnxNodes.def"
NodeResults convertElementwise(NodeContext &context);

} // namespace mlir::quant_float::onnx_nodes

#endif // QUANT_FLOAT_LIB_CONVERSION_ONNXNODESTOLINALG_NODECONTEXT_H
