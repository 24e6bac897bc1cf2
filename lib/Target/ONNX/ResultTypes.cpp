//===- ResultTypes.cpp - Types of values that files leave out -------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Importer.h"
#include "Types.h"
#include "quant-float/IR/ElementTypes.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::onnx_import;

namespace {
enum class Shape { Same, Other };
struct OpFact {
  const char *opType;
  Shape shape;
};
} // namespace

/// Ops whose first output has the element type of the first input, in every
/// version.
static constexpr OpFact kOps[] = {
    // Elementwise on one tensor.
    {"Abs", Shape::Same},
    {"Ceil", Shape::Same},
    {"Clip", Shape::Same},
    {"Cos", Shape::Same},
    {"Elu", Shape::Same},
    {"Erf", Shape::Same},
    {"Exp", Shape::Same},
    {"Floor", Shape::Same},
    {"Gelu", Shape::Same},
    {"HardSigmoid", Shape::Same},
    {"HardSwish", Shape::Same},
    {"LeakyRelu", Shape::Same},
    {"Log", Shape::Same},
    {"LogSoftmax", Shape::Same},
    {"Mish", Shape::Same},
    {"Neg", Shape::Same},
    {"Not", Shape::Same},
    {"Reciprocal", Shape::Same},
    {"Relu", Shape::Same},
    {"Round", Shape::Same},
    {"Selu", Shape::Same},
    {"Sigmoid", Shape::Same},
    {"Sign", Shape::Same},
    {"Sin", Shape::Same},
    {"Softmax", Shape::Same},
    {"Softplus", Shape::Same},
    {"Softsign", Shape::Same},
    {"Sqrt", Shape::Same},
    {"Tan", Shape::Same},
    {"Tanh", Shape::Same},
    // Normalizations keep the shape.
    {"BatchNormalization", Shape::Same},
    {"Dropout", Shape::Same},
    {"GroupNormalization", Shape::Same},
    {"InstanceNormalization", Shape::Same},
    {"LRN", Shape::Same},
    {"LayerNormalization", Shape::Same},
    {"LpNormalization", Shape::Same},
    {"RMSNormalization", Shape::Same},
    // Broadcasts, contractions, movements.
    {"Add", Shape::Other},
    {"AveragePool", Shape::Other},
    {"Concat", Shape::Other},
    {"Conv", Shape::Other},
    {"ConvTranspose", Shape::Other},
    {"CumSum", Shape::Same},
    {"DepthToSpace", Shape::Other},
    {"Div", Shape::Other},
    {"Einsum", Shape::Other},
    {"Expand", Shape::Other},
    {"Flatten", Shape::Other},
    {"Gather", Shape::Other},
    {"GatherElements", Shape::Other},
    {"GatherND", Shape::Other},
    {"Gemm", Shape::Other},
    {"GlobalAveragePool", Shape::Other},
    {"GlobalMaxPool", Shape::Other},
    {"MatMul", Shape::Other},
    {"Max", Shape::Other},
    {"MaxPool", Shape::Other},
    {"Mean", Shape::Other},
    {"Min", Shape::Other},
    {"Mod", Shape::Other},
    {"Mul", Shape::Other},
    {"PRelu", Shape::Other},
    {"Pad", Shape::Other},
    {"Pow", Shape::Other},
    {"ReduceL1", Shape::Other},
    {"ReduceL2", Shape::Other},
    {"ReduceLogSum", Shape::Other},
    {"ReduceLogSumExp", Shape::Other},
    {"ReduceMax", Shape::Other},
    {"ReduceMean", Shape::Other},
    {"ReduceMin", Shape::Other},
    {"ReduceProd", Shape::Other},
    {"ReduceSum", Shape::Other},
    {"ReduceSumSquare", Shape::Other},
    {"Range", Shape::Other},
    {"Reshape", Shape::Other},
    {"Resize", Shape::Other},
    {"ScatterElements", Shape::Same},
    {"ScatterND", Shape::Same},
    {"Slice", Shape::Other},
    {"SpaceToDepth", Shape::Other},
    {"Squeeze", Shape::Other},
    {"Sub", Shape::Other},
    {"Sum", Shape::Other},
    {"Tile", Shape::Other},
    {"TopK", Shape::Other},
    {"Transpose", Shape::Other},
    {"Trilu", Shape::Same},
    {"Unsqueeze", Shape::Other},
    {"Upsample", Shape::Other},
};

/// Ops whose first output has one element type, whatever the input.
static Type getFixedElementType(StringRef opType, MLIRContext *context) {
  Builder builder(context);
  return llvm::StringSwitch<Type>(opType)
      .Cases({"ArgMax", "ArgMin", "NonZero", "Shape", "Size"},
             builder.getI64Type())
      .Cases({"ConvInteger", "MatMulInteger"}, builder.getI32Type())
      .Cases({"And", "Equal", "Greater", "GreaterOrEqual", "Less",
              "LessOrEqual", "Or", "Xor"},
             builder.getI1Type())
      .Cases({"IsInf", "IsNaN"}, builder.getI1Type())
      .Default(Type());
}

/// The element type, of no particular shape; what is no tensor stays as it is.
static Type eraseShape(Type type) {
  Type elementType = type ? getTensorElementType(type) : Type();
  return elementType ? UnrankedTensorType::get(elementType) : type;
}

static Type getOperandType(const NodeInput &input, size_t index) {
  bool isPresent = index < input.operands.size() && input.operands[index];
  return isPresent ? input.operands[index].getType() : Type();
}

//===----------------------------------------------------------------------===//
// Ops with bodies
//===----------------------------------------------------------------------===//

namespace {
/// The body of a Loop yields the condition before what it carries.
constexpr unsigned kLoopYields = 1;
/// The first Scan whose inputs are those of its body.
constexpr int64_t kFirstPlainScan = 9;
} // namespace

SmallVector<Type> onnx_import::inferBodyInputTypes(const NodeInput &input) {
  StringRef opType = input.node.op_type();
  Builder builder(input.subject.loc.getContext());
  SmallVector<Type> types;
  bool isLoop = opType == "Loop";
  if (!isLoop && (opType != "Scan" || input.opset < kFirstPlainScan))
    return types;
  if (isLoop) {
    types.push_back(RankedTensorType::get({}, builder.getI64Type()));
    types.push_back(RankedTensorType::get({}, builder.getI1Type()));
  }
  // The shape may change from one iteration to the next.
  for (size_t i = types.size(); i < input.operands.size(); ++i)
    types.push_back(eraseShape(getOperandType(input, i)));
  return types;
}

/// What the bodies yield at `index`, made one type.
static Type getYieldedType(ArrayRef<std::unique_ptr<Region>> bodies,
                           unsigned index) {
  Type common;
  for (const std::unique_ptr<Region> &body : bodies) {
    Operation *yield = body->front().getTerminator();
    if (index >= yield->getNumOperands())
      return {};
    Type type = yield->getOperand(index).getType();
    if (common && type != common) {
      type = eraseShape(type);
      if (type != eraseShape(common))
        return {};
    }
    common = type;
  }
  return common;
}

//===----------------------------------------------------------------------===//
// All ops
//===----------------------------------------------------------------------===//

Type onnx_import::inferResultType(const NodeInput &input,
                                  ArrayRef<std::unique_ptr<Region>> bodies,
                                  unsigned index) {
  static const llvm::StringMap<Shape> table = [] {
    llvm::StringMap<Shape> result;
    for (const OpFact &fact : kOps)
      result.try_emplace(fact.opType, fact.shape);
    return result;
  }();
  MLIRContext *context = input.subject.loc.getContext();
  StringRef opType = input.node.op_type();
  if (opType == "If")
    return getYieldedType(bodies, index);
  if (opType == "Loop")
    return eraseShape(getYieldedType(bodies, index + kLoopYields));
  if (opType == "Scan")
    return eraseShape(getYieldedType(bodies, index));

  Type first = getOperandType(input, 0);
  bool isTensor = isa_and_nonnull<TensorType>(first);
  if (opType == "Split")
    return isTensor ? eraseShape(first) : Type();
  if (opType == "DynamicQuantizeLinear") {
    Type code = IntegerType::get(context, 8, IntegerType::Unsigned);
    if (index == 0)
      return isTensor ? withElementType(first, code)
                      : UnrankedTensorType::get(code);
    return RankedTensorType::get({},
                                 index == 1 ? Float32Type::get(context) : code);
  }
  if (index != 0)
    return {};
  if (Type fixed = getFixedElementType(opType, context))
    return UnrankedTensorType::get(fixed);
  if (opType == "Where") {
    Type second = getOperandType(input, 1);
    return isa_and_nonnull<TensorType>(second) ? eraseShape(second) : Type();
  }
  if (opType == "ConstantOfShape") {
    const ResolvedAttribute *value = input.find("value");
    Type elementType =
        value ? getElementType(context, value->proto->t().data_type())
              : Float32Type::get(context);
    return elementType ? UnrankedTensorType::get(elementType) : Type();
  }
  auto found = table.find(opType);
  if (!isTensor || found == table.end())
    return {};
  return found->second == Shape::Same ? first : eraseShape(first);
}
