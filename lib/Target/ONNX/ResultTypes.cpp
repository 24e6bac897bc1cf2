//===- ResultTypes.cpp - Types of values that files leave out -------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Importer.h"
#include "Names.h"
#include "Types.h"
#include "quant-float/IR/ElementTypes.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::onnx_import;

namespace {
/// What a row of OnnxNodes.def says of output 0.
enum class OutputElement {
  First,
  Second,
  Third,
  Eighth,
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

/// What is known of output 0 of an op; none if nothing is.
static std::optional<OutputFact> findFact(StringRef domain, StringRef opType) {
  static const llvm::StringMap<OutputFact> table = {
#define QUANT_FLOAT_KEPT_NODE(OpType, Element, Shape)                          \
  {#OpType, {OutputElement::Element, OutputShape::Shape}},
#define QUANT_FLOAT_NODE(OpType, Since, Fewest, Most, Kinds, Element, Shape,   \
                         Attributes, Conversion)                               \
  QUANT_FLOAT_KEPT_NODE(OpType, Element, Shape)
// Several inputs are broadcast.
#define QUANT_FLOAT_ELEMENTWISE(OpType, Since, Fewest, Most, Kinds, Element,   \
                                Attributes, Function)                          \
  {#OpType,                                                                    \
   {OutputElement::Element,                                                    \
    Most == 1 ? OutputShape::Same : OutputShape::Other}},
#define QUANT_FLOAT_MICROSOFT_NODE(OpType, Since, Fewest, Most, Kinds,         \
                                   Element, Shape, Attributes, Conversion)     \
  {"com.microsoft." #OpType, {OutputElement::Element, OutputShape::Shape}},
#include "quant-float/Conversion/OnnxNodes.def"
  };
  auto found =
      table.find(domain.empty() ? opType.str() : (domain + "." + opType).str());
  return found == table.end() ? std::nullopt : std::optional(found->second);
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

/// Null where it is not known.
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
  MLIRContext *context = input.subject.loc.getContext();
  StringRef domain = normalizeDomain(input.node.domain());
  StringRef opType = input.node.op_type();
  if (domain.empty() && opType == "If")
    return getYieldedType(bodies, index);
  if (domain.empty() && opType == "Loop")
    return eraseShape(getYieldedType(bodies, index + kLoopYields));
  if (domain.empty() && opType == "Scan")
    return eraseShape(getYieldedType(bodies, index));

  std::optional<OutputFact> fact = findFact(domain, opType);
  if (!fact)
    return {};
  // A scale and a zero point.
  if (index != 0 && opType == "DynamicQuantizeLinear") {
    Type code = IntegerType::get(context, 8, IntegerType::Unsigned);
    return RankedTensorType::get({},
                                 index == 1 ? Float32Type::get(context) : code);
  }
  // All parts of a tensor are alike.
  if (index != 0 && opType != "Split")
    return {};
  Type elementType = findElementType(input, fact->element);
  if (!elementType)
    return {};
  Type first = getOperandType(input, 0);
  return fact->shape == OutputShape::Same && isa_and_nonnull<TensorType>(first)
             ? withElementType(first, elementType)
             : UnrankedTensorType::get(elementType);
}
