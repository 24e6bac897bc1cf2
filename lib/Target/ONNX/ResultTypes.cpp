//===- ResultTypes.cpp - Types of values that files leave out -------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Importer.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::quant_float;

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
    {"Reshape", Shape::Other},
    {"Resize", Shape::Other},
    {"ScatterElements", Shape::Same},
    {"ScatterND", Shape::Same},
    {"Slice", Shape::Other},
    {"SpaceToDepth", Shape::Other},
    {"Split", Shape::Other},
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
      .Case("DynamicQuantizeLinear",
            builder.getIntegerType(8, /*isSigned=*/false))
      .Default(Type());
}

Type onnx_import::inferResultType(StringRef opType, Type firstInput) {
  static const llvm::StringMap<Shape> table = [] {
    llvm::StringMap<Shape> result;
    for (const OpFact &fact : kOps)
      result.try_emplace(fact.opType, fact.shape);
    return result;
  }();
  if (Type fixed = getFixedElementType(opType, firstInput.getContext()))
    return UnrankedTensorType::get(fixed);
  auto tensor = dyn_cast<TensorType>(firstInput);
  auto found = table.find(opType);
  if (!tensor || found == table.end())
    return {};
  return found->second == Shape::Same
             ? Type(tensor)
             : Type(UnrankedTensorType::get(tensor.getElementType()));
}
