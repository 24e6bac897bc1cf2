//===- CastImporter.cpp - Import of Cast and CastLike ---------------------===//
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

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::onnx_import;

using Proto = ::onnx::AttributeProto;

namespace {
/// What the attributes of Cast and CastLike say; absent ones stay absent (V3).
struct CastAttributes {
  Type to;
  BoolAttr saturate;
  RoundModeAttr roundMode;
};

/// The first version whose `to` is a number (V5).
constexpr int64_t kFirstOpsetWithNumber = 6;
} // namespace

static LogicalResult expectKind(const NodeInput &input,
                                const ResolvedAttribute &attribute,
                                AttributeKind kind) {
  if (attribute.kind == kind)
    return success();
  return diagnose(input.subject, Diag::AttributeKind, attribute.name,
                  getKindName(kind), getKindName(attribute.kind));
}

/// V5: a string in version 1, a number after. Complex types are no target in
/// any version.
static FailureOr<Type> parseTo(const NodeInput &input,
                               const ResolvedAttribute &attribute) {
  MLIRContext *context = input.subject.loc.getContext();
  bool isName = input.opset < kFirstOpsetWithNumber;
  if (failed(expectKind(input, attribute, isName ? Proto::STRING : Proto::INT)))
    return failure();
  if (isName) {
    const std::string &name = attribute.proto->s();
    Type type = getElementTypeByName(context, name);
    if (!type)
      return diagnose(input.subject, Diag::UnknownToName, printable(name));
    return type;
  }
  int64_t number = attribute.proto->i();
  Type type = llvm::isInt<32>(number) ? getTypeFromOnnxDataType(context, number)
                                      : Type();
  if (!type)
    return diagnose(input.subject, Diag::UnknownTo, number);
  return type;
}

/// Reads the attributes as they are; whether the version has them is for the
/// verifier to say.
static FailureOr<CastAttributes> parseAttributes(const NodeInput &input,
                                                 bool like) {
  Builder builder(input.subject.loc.getContext());
  CastAttributes result;
  for (const ResolvedAttribute &attribute : input.attributes) {
    const Proto &proto = *attribute.proto;
    if (attribute.name == "to" && !like) {
      FailureOr<Type> to = parseTo(input, attribute);
      if (failed(to))
        return failure();
      result.to = *to;
    } else if (attribute.name == "saturate") {
      if (failed(expectKind(input, attribute, Proto::INT)))
        return failure();
      // V6
      if (proto.i() != 0 && proto.i() != 1)
        return diagnose(input.subject, Diag::BadSaturate, proto.i());
      result.saturate = builder.getBoolAttr(proto.i() == 1);
    } else if (attribute.name == "round_mode") {
      if (failed(expectKind(input, attribute, Proto::STRING)))
        return failure();
      std::optional<RoundMode> mode = symbolizeRoundMode(proto.s());
      // V6
      if (!mode)
        return diagnose(input.subject, Diag::BadRoundMode,
                        printable(proto.s()));
      result.roundMode = RoundModeAttr::get(builder.getContext(), *mode);
    } else {
      return diagnose(input.subject, Diag::UnknownAttribute,
                      printable(attribute.name));
    }
  }
  if (!like && !result.to)
    return diagnose(input.subject, Diag::MissingAttribute, "to");
  return result;
}

/// The result has the input's shape (V8), whatever more the file declares: the
/// op wants both to be ranked or none.
static Type getResultType(Type input, Type elementType) {
  if (auto shape = dyn_cast<RankedTensorType>(input))
    return RankedTensorType::get(shape.getShape(), elementType);
  return UnrankedTensorType::get(elementType);
}

LogicalResult Importer::importCast(NodeInput &input, OpBuilder &builder,
                                   bool like) {
  size_t inputs = like ? 2 : 1;
  if (input.operands.size() != inputs)
    return diagnose(input.subject, Diag::InputCount, inputs,
                    input.operands.size());
  for (auto [index, operand] : llvm::enumerate(input.operands)) {
    if (!operand)
      return diagnose(input.subject, Diag::AbsentInput, index);
    if (!isa<TensorType, UnknownType>(operand.getType()))
      return diagnose(input.subject, Diag::InputType,
                      printable(input.node.input(index)), operand.getType());
  }
  if (input.node.output_size() != 1)
    return diagnose(input.subject, Diag::OutputCount, input.node.output_size());
  FailureOr<CastAttributes> attributes = parseAttributes(input, like);
  if (failed(attributes))
    return failure();

  Value operand = input.operands.front();
  const std::string &outputName = input.node.output(0);
  Type declared =
      outputName.empty() ? Type() : input.scope.getDeclared(outputName);
  Type to = attributes->to;
  if (like) {
    // C15: of the second input only the element type counts.
    to = getTensorElementType(input.operands[1].getType());
    if (!to) {
      (void)diagnose(input.subject, Diag::UntypedLike,
                     printable(input.node.input(1)));
      return importOpaque(input, builder);
    }
  }
  Type resultType = getResultType(operand.getType(), to);
  if (declared && !areCompatible(declared, resultType))
    return diagnose(input.subject, Diag::DeclaredType, printable(outputName),
                    declared, resultType);
  if (isa<UnknownType>(operand.getType())) {
    (void)diagnose(input.subject, Diag::UntypedCast,
                   printable(input.node.input(0)));
    return importOpaque(input, builder, resultType);
  }

  auto cast = CastOp::create(builder, input.subject.loc, resultType, operand,
                             builder.getI64IntegerAttr(input.opset),
                             like ? builder.getUnitAttr() : UnitAttr(),
                             attributes->saturate, attributes->roundMode);
  verifyNode(cast, input.subject);
  return defineOutputs(input, cast->getResults());
}
