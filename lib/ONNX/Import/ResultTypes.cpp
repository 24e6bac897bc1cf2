//===- ResultTypes.cpp - Inference of types that files do not declare -----===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../Interchange/Payload.h"
#include "../Common/Names.h"
#include "../Common/Types.h"
#include "../Schemas/Schemas.h"
#include "Importer.h"
#include "mlir/IR/Matchers.h"
#include "quant-float/IR/ElementTypes.h"
#include "quant-float/IR/OpsetRules.h"
#include "quant-float/Support/BufferSize.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::onnx_import;

namespace {
/// The element type of output 0, as specified by OnnxNodes.def: that of an
/// input, of the attribute `value` (Filling) or `to`, or a fixed type.
enum class OutputElement {
  First,
  Second,
  Third,
  Eighth,
  Ninth,
  Filling,
  To,
  Boolean,
  UInt8,
  Int32,
  Int64,
  Unknown
};
enum class OutputShape { Same, Other };
struct OutputFact {
  OutputElement element;
  OutputShape shape;
};
} // namespace

/// Returns what is known about output 0 of an operator; nullopt if nothing is.
static std::optional<OutputFact> findFact(std::optional<NodeKind> kind) {
  static const DenseMap<NodeKind, OutputFact> table = {
#define QUANT_FLOAT_KEPT_NODE(OpType, Element, Shape)                          \
  {NodeKind::OpType, {OutputElement::Element, OutputShape::Shape}},
#define QUANT_FLOAT_NODE(OpType, Since, MinInputs, MaxInputs, Kinds, Element,  \
                         Shape, Attributes, Conversion)                        \
  QUANT_FLOAT_KEPT_NODE(OpType, Element, Shape)
// The shape of the result differs from that of input 0 if inputs are broadcast.
#define QUANT_FLOAT_ELEMENTWISE(OpType, Since, MinInputs, MaxInputs, Kinds,    \
                                Element, Attributes, Function)                 \
  {NodeKind::OpType,                                                           \
   {OutputElement::Element,                                                    \
    MaxInputs == 1 ? OutputShape::Same : OutputShape::Other}},
#define QUANT_FLOAT_MICROSOFT_NODE(OpType, Since, MinInputs, MaxInputs, Kinds, \
                                   Element, Shape, Attributes, Conversion)     \
  {NodeKind::Microsoft##OpType, {OutputElement::Element, OutputShape::Shape}},
#include "quant-float/Conversion/NodeToQuantFloat/OnnxNodes.def"
  };
  auto found = kind ? table.find(*kind) : table.end();
  return found == table.end() ? std::nullopt : std::optional(found->second);
}

bool onnx_import::isMicrosoftOperator(StringRef opType) {
  return findOpKind(kMicrosoftDomain, opType) ||
         findFact(findNodeKind(kMicrosoftDomain, opType)) ||
         hasFunction(opType.str(), kMicrosoftDomain.str(), /*opset=*/1);
}

/// Returns an unranked tensor of the same element type. Returns all other types
/// unchanged.
static Type eraseShape(Type type) {
  Type elementType = type ? getTensorElementType(type) : Type();
  return elementType ? UnrankedTensorType::get(elementType) : type;
}

static Type getOperandType(const NodeInput &input, size_t index) {
  bool isPresent = index < input.operands.size() && input.operands[index];
  return isPresent ? input.operands[index].getType() : Type();
}

/// Returns the element type; null if it is unknown.
static Type findElementType(const NodeInput &input, OutputElement element) {
  Builder builder(input.subject.loc.getContext());
  auto getElement = [](Type type) {
    return type ? getTensorElementType(type) : Type();
  };
  switch (element) {
  case OutputElement::First:
    return getElement(getOperandType(input, 0));
  case OutputElement::Second:
    return getElement(getOperandType(input, 1));
  case OutputElement::Third:
    return getElement(getOperandType(input, 2));
  case OutputElement::Eighth:
    return getElement(getOperandType(input, 7));
  case OutputElement::Ninth:
    // Without a zero point of the result (input 8) the result is not quantized.
    if (Type type = getOperandType(input, 8))
      return getElement(type);
    return builder.getF32Type();
  case OutputElement::Filling:
    if (const ResolvedAttribute *value = input.find("value"))
      return getElementType(builder.getContext(),
                            value->proto->t().data_type());
    return builder.getF32Type();
  case OutputElement::To:
    if (const ResolvedAttribute *to = input.find("to");
        to && llvm::isInt<32>(to->proto->i()))
      return getElementType(builder.getContext(), to->proto->i());
    return {};
  case OutputElement::Boolean:
    return builder.getI1Type();
  case OutputElement::UInt8:
    return builder.getIntegerType(8, /*isSigned=*/false);
  case OutputElement::Int32:
    return builder.getI32Type();
  case OutputElement::Int64:
    return builder.getI64Type();
  case OutputElement::Unknown:
    return {};
  }
  return {};
}

/// Returns the type of a result according to OnnxNodes.def, for operators
/// without a schema and schemas that infer nothing.
static Type inferResultType(const NodeInput &input, unsigned index) {
  std::optional<NodeKind> kind = input.getKind();
  std::optional<OutputFact> fact = findFact(kind);
  if (!fact)
    return {};
  // All outputs of Split have one element type, and the final states of
  // DynamicQuantizeLSTM have the type of output 0.
  if (index != 0 && kind != NodeKind::Split &&
      kind != NodeKind::MicrosoftDynamicQuantizeLSTM)
    return {};
  Type elementType = findElementType(input, fact->element);
  if (!elementType)
    return {};
  Type first = getOperandType(input, 0);
  return fact->shape == OutputShape::Same && isa_and_nonnull<TensorType>(first)
             ? withElementType(first, elementType)
             : UnrankedTensorType::get(elementType);
}

//===----------------------------------------------------------------------===//
// Ops with bodies
//===----------------------------------------------------------------------===//

namespace {
/// The first version of Scan whose inputs are those of its body.
constexpr int64_t kFirstPlainScan = 9;
} // namespace

SmallVector<Type> onnx_import::inferBodyInputTypes(const NodeInput &input) {
  std::optional<NodeKind> kind = input.getKind();
  Builder builder(input.subject.loc.getContext());
  SmallVector<Type> types;
  bool isLoop = kind == NodeKind::Loop;
  if (!isLoop && (kind != NodeKind::Scan || input.opset < kFirstPlainScan))
    return types;
  if (isLoop) {
    types.push_back(RankedTensorType::get({}, builder.getI64Type()));
    types.push_back(RankedTensorType::get({}, builder.getI1Type()));
  }
  // The shape can change from one iteration to the next.
  for (size_t i = types.size(); i < input.operands.size(); ++i)
    types.push_back(eraseShape(getOperandType(input, i)));
  return types;
}

/// Adds the types that the bodies yield to `known`. Returns false if one of
/// them is unknown.
static bool exportYields(ArrayRef<std::unique_ptr<Region>> bodies,
                         ArrayRef<std::string> names, KnownNode &known) {
  for (auto [body, name] : llvm::zip_equal(bodies, names)) {
    auto &yields = known.bodies[name];
    for (Type type : body->front().getTerminator()->getOperandTypes())
      if (yields.emplace_back(exportType(type)).value_case() ==
          ::onnx::TypeProto::VALUE_NOT_SET)
        return false;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Inference with ONNX's schemas
//===----------------------------------------------------------------------===//

/// Upper bound of the elements of constants that are passed to shape inference.
/// Shapes, axes and sizes are shorter.
static constexpr int64_t kMaxKnownElements = 1024;

std::optional<::onnx::TensorProto>
onnx_import::exportElements(ElementsAttr elements) {
  Type elementType = elements.getElementType();
  std::optional<int32_t> dataType = getOnnxDataType(elementType);
  if (!dataType || !elementType.isIntOrFloat() ||
      elementType.getIntOrFloatBitWidth() % CHAR_BIT != 0)
    return std::nullopt;
  std::optional<SharedBytes> payload = getPayload(elements);
  if (!payload)
    return std::nullopt;
  ::onnx::TensorProto tensor;
  tensor.set_data_type(*dataType);
  ArrayRef<int64_t> dims = elements.getShapedType().getShape();
  tensor.mutable_dims()->Assign(dims.begin(), dims.end());
  tensor.set_raw_data(payload->data.data(), payload->data.size());
  return tensor;
}

std::optional<::onnx::TensorProto> onnx_import::exportData(Value value) {
  ElementsAttr elements;
  if (!matchPattern(value, m_Constant(&elements)) ||
      elements.getNumElements() > kMaxKnownElements)
    return std::nullopt;
  return exportElements(elements);
}

/// Returns the elements of a constant scalar or list of integers.
static std::optional<::onnx::TensorShapeProto> exportIntegers(Value value) {
  DenseIntElementsAttr elements;
  if (!matchPattern(value, m_Constant(&elements)) ||
      elements.getType().getRank() > 1 ||
      elements.getNumElements() > kMaxDimensions ||
      !(elements.getElementType().isInteger(32) ||
        elements.getElementType().isInteger(64)))
    return std::nullopt;
  ::onnx::TensorShapeProto integers;
  for (const APInt &element : elements)
    integers.add_dim()->set_dim_value(element.getSExtValue());
  return integers;
}

LogicalResult Importer::inferTypes(NodeInput &input,
                                   ArrayRef<std::unique_ptr<Region>> bodies,
                                   ArrayRef<std::string> bodyNames) {
  // Nothing is inferred for calls of functions.
  if (input.isCall) {
    input.resultTypes.resize(input.node.output_size());
    return success();
  }
  KnownNode known{input.resolve(), input.opset};
  bool isKnown = true;
  for (Value operand : input.operands) {
    KnownInput &added = known.inputs.emplace_back();
    if (!operand)
      continue;
    added.isPresent = true;
    added.type = exportType(operand.getType());
    isKnown &= added.type.value_case() != ::onnx::TypeProto::VALUE_NOT_SET;
    added.data = exportData(operand);
    added.integers = exportIntegers(operand);
    if (auto found = partlyKnown.find(operand); found != partlyKnown.end())
      added.integers = found->second;
  }
  isKnown &= exportYields(bodies, bodyNames, known);

  // If a type in one body is unknown, inference would report a contradiction to
  // the other body.
  NodeInference inference;
  if (bodies.empty() || isKnown)
    inference = inferOutputs(known);
  // Some schemas report an error if an input has an unknown type. The opset
  // rules check quantization nodes more precisely.
  if (isKnown && !inference.problem.empty() &&
      !findOpKind(known.node.domain(), input.node.op_type()) &&
      failed(warn(options.strict, input.subject, Diag::NotAsDefined,
                  printable(inference.problem))))
    return failure();
  for (int i = 0, e = input.node.output_size(); i < e; ++i) {
    Type type;
    if (i < static_cast<int>(inference.types.size())) {
      FailureOr<Type> inferred = convertType(inference.types[i], input.subject);
      if (failed(inferred))
        return failure();
      if (!isa<UnknownType>(*inferred))
        type = *inferred;
    }
    input.resultTypes.push_back(type ? type : inferResultType(input, i));
  }
  input.resultIntegers = std::move(inference.integers);
  return success();
}
