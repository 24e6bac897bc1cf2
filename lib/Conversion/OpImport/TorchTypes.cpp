//===- TorchTypes.cpp - !torch.vtensor without the torch dialect ----------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/Conversion/OpImport/TorchTypes.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Support/DebugStringHelper.h"
#include "quant-float/IR/ElementTypes.h"
#include "quant-float/IR/QuantFloatOps.h"

using namespace mlir;
using namespace mlir::quant_float;

static constexpr StringLiteral kTensor = "!torch.vtensor";

bool quant_float::isTorchTensor(Type type) {
  StringRef dialect = type.getDialect().getNamespace();
  if (auto opaque = dyn_cast<mlir::OpaqueType>(type))
    dialect = opaque.getDialectNamespace();
  return dialect == "torch" &&
         StringRef(debugString(type)).starts_with(kTensor);
}

/// Converts `si8` to `i8`. Returns null for `unk` and for types that ONNX
/// lacks.
static Type readElementType(MLIRContext *context, StringRef text) {
  ScopedDiagnosticHandler silence(context,
                                  [](Diagnostic &) { return success(); });
  Type type = parseType(text, context);
  if (auto integer = dyn_cast_or_null<IntegerType>(type);
      integer && integer.isSigned())
    type = IntegerType::get(context, integer.getWidth());
  return type && getOnnxDataType(type) ? type : Type();
}

TensorType quant_float::getTensorOfTorch(Type type) {
  std::string printed = debugString(type);
  // Examples: <[2,?],f32>, <*,f32>, <[],si64>. A sparsity may follow.
  StringRef text = StringRef(printed).drop_front(kTensor.size());
  if (!text.consume_front("<") || !text.consume_back(">"))
    return {};
  std::optional<SmallVector<int64_t>> sizes;
  if (text.consume_front("[")) {
    auto [list, rest] = text.split(']');
    text = rest;
    sizes.emplace();
    SmallVector<StringRef> words;
    list.split(words, ',', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
    for (StringRef word : words) {
      int64_t size = ShapedType::kDynamic;
      word = word.trim();
      if (word != "?" && (word.getAsInteger(10, size) || size < 0))
        return {};
      sizes->push_back(size);
    }
  } else if (!text.consume_front("*")) {
    return {};
  }
  if (!text.consume_front(","))
    return {};
  Type element =
      readElementType(type.getContext(), text.split(',').first.trim());
  if (!element)
    return {};
  if (sizes)
    return RankedTensorType::get(*sizes, element);
  return UnrankedTensorType::get(element);
}

/// Returns the tensor type to which torch-mlir converts the type, with signless
/// integers.
static TensorType getSignlessTensor(TensorType type) {
  auto integer = dyn_cast<IntegerType>(type.getElementType());
  if (!integer)
    return type;
  return type.clone(IntegerType::get(type.getContext(), integer.getWidth()));
}

static Value createOp(OpBuilder &builder, Location loc, StringRef name,
                      Value operand, Type type) {
  OperationState state(loc, name);
  state.addOperands(operand);
  state.addTypes(type);
  return builder.create(state)->getResult(0);
}

/// Casts to a type of the same width preserve all bits (C12).
static Value castElements(OpBuilder &builder, Location loc, Value tensor,
                          Type elementType) {
  if (cast<TensorType>(tensor.getType()).getElementType() == elementType)
    return tensor;
  return CastOp::create(builder, loc, tensor, elementType);
}

Value quant_float::createToBuiltinTensor(OpBuilder &builder, Location loc,
                                         Value value) {
  TensorType type = getTensorOfTorch(value.getType());
  Value tensor = createOp(builder, loc, "torch_c.to_builtin_tensor", value,
                          getSignlessTensor(type));
  return castElements(builder, loc, tensor, type.getElementType());
}

Value quant_float::createFromBuiltinTensor(OpBuilder &builder, Location loc,
                                           Type torchType, Value tensor) {
  // The declared shape may be more or less specific.
  TensorType declared = getTensorOfTorch(torchType);
  auto type = cast<TensorType>(tensor.getType());
  if (declared)
    tensor = builder.createOrFold<tensor::CastOp>(
        loc, declared.clone(type.getElementType()), tensor);
  tensor = castElements(
      builder, loc, tensor,
      getSignlessTensor(cast<TensorType>(tensor.getType())).getElementType());
  return createOp(builder, loc, "torch_c.from_builtin_tensor", tensor,
                  torchType);
}
